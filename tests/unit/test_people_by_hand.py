"""Measures about people on so few people and texts that their arithmetic is written out; their contract, exchange and settings."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.rows_by_hand import NO_LABELS, added, answer, by_column, numbers
from tests.sample_cases import Supported, of

import fairbrief
from fairbrief.auditing import Plan, audit
from fairbrief.auditing.record_values import is_signed
from fairbrief.errors import RequestError
from fairbrief.measures.distinguishability import Distinguishability
from fairbrief.measures.entity_hallucination import EntityHallucination, InventedNames, most_frequent
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.groups import pair_differences
from fairbrief.measures.quality import JudgedByGroup
from fairbrief.measures.scorer_bias import ScorerBiasSupport
from fairbrief.measures.word_lists import PhraseCounts, WordListInclusion
from fairbrief.reports.wording import sides
from fairbrief.testing import scores_of
from fairbrief.types import Case, Document, Entity, Reason, Record, Rows, Scores, Summary, Totals

ANN = Entity("1", "Ann", "Smith", {"gender": "female"})
BOB = Entity("2", "Bob", "Jones", {"gender": "male"})
CARL = Entity("3", "Carl", "Brown", {"gender": "male"})


def variants(groups: str, texts: Sequence[str] = ()) -> list[Case]:
    """Counterfactuals of one seed document, each about one group, f or m; a dot has none."""
    made = []
    for i, group in enumerate(groups):
        about = {} if group == "." else {"about": group}
        record = Record(f"o{i}", (Document("A. B."),), attributes=about, seed_document="o")
        made.append(Case(record, Summary(record.id, "s", texts[i] if texts else "Text.")))
    return made


def case(source: str, summary: str, *people: Entity) -> Case:
    """A record about these people, and its summary."""
    return Case(Record("r", (Document(source),), entities=people), Summary("r", "s", summary))


def test_people_of_one_record_exchange_their_groups() -> None:
    """Ann and Bob are named. If Carl is the woman, nobody of one and both of two are; if Bob is, one and one of two."""
    one = [case("Ann Smith met Bob Jones and Carl Brown.", "Ann Smith met Bob Jones.", ANN, BOB, CARL)]
    observation = EntityInclusion("gender").observation
    assert observation.permutation_scheme(one).labels.tolist() == [0, 1, 1]
    rows = observation.observe(one, [], np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1]]))
    assert rows.columns[:4] == (
        ("source", "female"), ("source", "male"), ("included", "female"), ("included", "male"),
    )  # fmt: skip
    assert rows.values[:, :4].tolist() == [[1, 2, 1, 1], [1, 2, 0, 2], [1, 2, 1, 1]]
    assert by_column(rows)["mentions",] == 2


def test_a_slash_may_belong_to_the_name_of_a_group() -> None:
    """Each of two groups that are compared keeps its whole name."""
    groups = ["Asian/Pacific", "White/Other"]
    totals = Totals({("source", g): i for i, g in enumerate(groups)}, np.ones(2))
    assert sides(EntityInclusion("race").value(totals)[f"log_odds[{'/'.join(groups)}]"].group) == groups
    ((name, pair),) = pair_differences(dict.fromkeys(groups, np.zeros(1))).items()
    assert sides(pair.group) == groups
    assert not is_signed(name, pair)
    assert is_signed(f"difference[{groups[0]}]", replace(pair, group=groups[0]))


def test_people_without_the_attribute_can_be_meant_by_a_name() -> None:
    """Beside another Smith whose gender nobody told, 'Smith' names nobody; alone it names Ann."""
    other = Entity("4", "Dora", "Smith")
    for entities, included in (((ANN, BOB, other), 0), ((ANN, BOB), 1)):
        one = case("Ann Smith met Bob Jones and Dora Smith.", "Smith spoke.", *entities)
        rows = EntityInclusion("gender").observation.observe([one], [], NO_LABELS)
        assert by_column(rows)["included", "female"] == included


def test_replies_that_cannot_be_read_are_no_scores() -> None:
    """A woman's summary is scored 4, a man's 2, another man's reply is no number; a record about no group is not asked for."""
    cases = variants("fm.m")
    observation = JudgedByGroup("about", "judge")
    assert len(observation.asks(cases)) == 3
    given = [answer([[4.0]]), answer([[np.nan]]), answer([[2.0]])]
    row = by_column(observation.observe(cases, given, NO_LABELS))
    assert row == {("score", "f"): 4, ("score", "m"): 2, ("one", "f"): 1, ("one", "m"): 1}
    assert observation.permutation_scheme(cases).labels.tolist() == [0, 1, 1]
    exchanged = by_column(observation.observe(cases, given, np.array([[1, 0, 1]])))
    assert exchanged == {("score", "f"): 0, ("score", "m"): 6, ("one", "f"): 0, ("one", "m"): 2}
    assert observation.permutation_scheme(variants("ff")) is None
    unparsed = observation.observe(variants("f"), [answer([[np.nan]])], NO_LABELS)
    assert unparsed == Reason("unparsed reply of the judge")


def test_an_audit_keeps_the_other_replies_about_a_seed_document() -> None:
    """A reply without a score is left out, and the versions of its seed document that have one are not."""
    judge = Supported(lambda _, text: float(text))
    plan = Plan(measures=["judged_by_group(scorer=judge)@about"], scorers={"judge": judge}, n_resamples=0)
    found = audit(variants("fmmf", ["4", "nan", "2", "5"]), plan)
    assert [e.value for e in found.estimates if e.quantity in ("mean[f]", "mean[m]")] == [4.5, 2.0]
    assert [e.quantity for e in found.estimates if e.is_primary] == ["difference[f−m]"]


def test_the_largest_difference_of_mean_verdicts_is_between_any_two_groups() -> None:
    """Means of 4, 1 and 3: the largest difference is 3, and each pair has its own; without the second group it is 1."""
    scores, counts = {"a": 8, "b": 2, "c": 3}, {"a": 2, "b": 2, "c": 1}
    row = {("score", g): x for g, x in scores.items()} | {("one", g): n for g, n in counts.items()}
    draws = Totals({c: i for i, c in enumerate(row)}, np.array([list(row.values())] * 2, dtype=float))
    found = JudgedByGroup("about", "judge").value(draws)
    assert {name: value.array.tolist() for name, value in found.items()} == {
        "judged_by_group": [3, 3], "difference[a−b]": [3, 3], "difference[a−c]": [1, 1], "difference[b−c]": [-2, -2],
        "mean[a]": [4, 4], "mean[b]": [1, 1], "mean[c]": [3, 3],
    }  # fmt: skip
    without = {**row, ("one", "b"): 0, ("score", "b"): 0}  # no reply about b could be read
    left = JudgedByGroup("about", "judge").value(added(without))
    assert left["judged_by_group"].array == 1
    assert np.isnan(left["mean[b]"].array)
    one = JudgedByGroup("about", "judge").value(Totals({("one", "a"): 0}, np.ones((2, 1))))
    assert np.isnan(one["judged_by_group"].array).all()


ALIKE = [[1.0, 0.9, 0.1, 0.3], [0.9, 1.0, 0.3, 0.3], [0.1, 0.3, 1.0, 0.3], [0.3, 0.3, 0.3, 1.0]]


def read(
    groups: str, matrix: Sequence[Sequence[float]], labels: np.ndarray = NO_LABELS, **settings: str
) -> Rows:
    """How texts of these groups are told apart."""
    rows = Distinguishability("about", **settings).observe(variants(groups), [answer(matrix)], labels)
    assert isinstance(rows, Rows), rows
    return rows


def test_texts_are_told_apart_by_their_mean_similarities() -> None:
    """0.9 against 0.2, 0.9 against 0.3 and 0.3 against 0.2 are right, 0.3 against 0.3 is tied: 3.5 of 4, or 3."""
    assert read("ffmm", ALIKE).values.tolist() == [[2 * 3.5 / 4 - 1, 1, 4]]
    assert read("ffmm", ALIKE, ties="strict").values.tolist() == [[2 * 3 / 4 - 1, 1, 4]]
    # As 0 and 2 against 1 and 3: 0.1 < 0.6, 0.3 < 0.6, 0.1 < 0.3 and 0.3 = 0.3.
    assert read("ffmm", ALIKE, np.array([[0, 1, 0, 1]])).values.tolist() == [[2 * 0.5 / 4 - 1, 1, 4]]


@pytest.mark.parametrize(("groups", "texts", "published", "paper"), [
    # Of the women's two texts neither has a word of another: tied. The men's three are equal: right.
    ("ffmmm", ("apple", "brick", "cloud", "cloud", "cloud"), 2 * 4 / 5 - 1, 2 * 3 / 5 - 1),
    # Equal texts: all four are tied.
    ("ffmm", ("apple",) * 4, 2 * 2 / 4 - 1, -1.0),
])  # fmt: skip
def test_a_tie_is_wrong_in_the_paper(
    groups: str, texts: tuple[str, ...], published: float, paper: float
) -> None:
    """Steen & Markert's Eq. 4 is strict (0.20 and -1.00), their release counts half of every tie (0.60 and 0.00)."""
    for version, wanted in (("published", published), ("text", paper)):
        found = fairbrief.audit(variants(groups, texts), [f"distinguishability(version={version})@about"])
        assert of(found, "distinguishability").value == pytest.approx(wanted)


def test_the_papers_equation_pools_summaries() -> None:
    """Of 4 summaries of one seed document 2 are right, of 6 of another 1: 2·3/10 - 1 pooled, (0 - 2/3) / 2 as a mean of seed documents."""
    four = [[1, 0.9, 0.1, 0.1], [0.9, 1, 0.1, 0.1], [0.1, 0.1, 1, 0], [0.1, 0.1, 0, 1]]
    six = np.full((6, 6), 0.2)
    six[:3, :3] = [[1, 0.3, 0.3], [0.3, 1, 0], [0.3, 0, 1]]  # 0.3 > 0.2; 0.15 < 0.2, twice
    six[3:, 3:] = np.where(np.eye(3), 1, 0.1)  # 0.1 < 0.2
    for version, wanted in (("text", -0.4), ("recommended", -1 / 3)):
        of_both = [read(*told, version=version) for told in (("ffmm", four), ("fffmmm", six.tolist()))]
        row = dict(zip(of_both[0].columns, sum(rows.values[0] for rows in of_both), strict=True))
        found = Distinguishability("about", version=version).value(added(row))
        assert found["distinguishability"].array == pytest.approx(wanted)


def test_phrases_that_the_source_has_are_not_added() -> None:
    """The summary says 'first woman' twice: it adds both where the source says it nowhere, none where it does. A phrase may end
    in a full stop, and contain an apostrophe of either form.
    """
    for source, said, more in (("She won.", 0, 2), ("The first woman won.", 1, 0)):
        one = case(source, "The first woman. A first woman, not the first man.")
        assert by_column(PhraseCounts("first woman").observe([one], [], NO_LABELS)) == {
            ("one",): 1, ("summary", "first woman"): 2, ("source", "first woman"): said, ("added", "first woman"): more,
        }  # fmt: skip
    row = by_column(PhraseCounts("Dr., women's").observe([case("", "The women’s Dr. A Dr.")], [], NO_LABELS))
    assert (row["added", "Dr."], row["added", "women's"]) == (2, 1)


def invention(people: str = "builtin") -> dict[tuple[str, ...], float]:
    """Of 'Ann Smith met Eve Poe.' a recogniser takes no span for a person."""
    one = case("Ann Smith sang.", "Ann Smith met Eve Poe.", ANN)
    observation = EntityHallucination("gender", people=people).observation
    asked, _ = observation.asks([one])
    nobody = answer([[0.0]] * len(asked.rows))
    return by_column(observation.observe([one], [nobody, answer([[0.0, 0.0]] * len(asked.rows))], NO_LABELS))


def test_known_people_need_no_recogniser_unless_one_is_named() -> None:
    """Ann is known to the record: with the built-in rules she is named, with another recogniser nobody is."""
    assert (invention()["people",], invention("spacy:x")["people",]) == (1, 0)
    assert invention()["tokens",] == 5


def test_invented_people_exchange_their_groups_with_all_of_their_cluster() -> None:
    """Unless the reference is uneven; names of other groups than these say nothing."""
    observation = EntityHallucination("gender").observation
    scheme = observation.permutation_scheme(variants("f"))
    assert (scheme.labels.tolist(), scheme.is_together) == ([0, 1], True)
    for value, fits in (("Female", True), ("woman", True), ("green", False)):
        entity = Entity("1", "Ann", "Smith", {"gender": value})
        found = observation.observe([case("Ann Smith sang.", "it rained.", entity)], [], NO_LABELS)
        assert isinstance(found, Rows) == fits


INVENTED: dict[tuple[str, ...], float] = {
    ("invented", "female"): 3, ("invented", "male"): 1, ("unknown",): 1, ("people",): 10, ("tokens",): 20, ("one",): 4,
    ("name", "Poe"): 2, ("name", "Eve"): 2, ("name", "Zoe"): 1, ("name", "Kim"): 0,
    ("as", "Poe", "female"): 2, ("tokens²",): 104, ("people²",): 29,
}  # fmt: skip
DRAWS = Totals({c: i for i, c in enumerate(INVENTED)}, np.array([list(INVENTED.values())] * 3))


def test_invented_people_are_counted_with_whom() -> None:
    """Five people in four summaries of ten names: 5/4 a summary, half of the names; words' squares 26 - 25."""
    assert numbers(InventedNames("gender").value(added(INVENTED))) == pytest.approx({
        "invented_names": 5 / 4, "tokens": 5, "people": 2.5, "share": 1 / 2,
        "tokens_sd": 1, "people_sd": 1, "invented[female]": 3, "invented[male]": 1,
        "count[Poe]": 2, "count[Eve]": 2, "count[Zoe]": 1, "count[Kim]": 0, "count[Poe/female]": 2,
    })  # fmt: skip
    assert most_frequent(added(INVENTED), 2) == [("Eve", 2), ("Poe", 2)]
    assert most_frequent(added(INVENTED), 9) == [("Eve", 2), ("Poe", 2), ("Zoe", 1)]


def test_shares_of_the_invented_are_read_against_an_even_one() -> None:
    """Three of four are women: 1/4 from ½; half of ten names are invented, a fifth of these of unknown gender."""
    found = EntityHallucination("gender").value(DRAWS)
    assert {name: value.array.tolist() for name, value in found.items()} == {
        "entity_hallucination": [0.25] * 3, "shift[female]": [0.25] * 3, "shift[male]": [-0.25] * 3,
        "invented": [0.5] * 3, "unknown": [0.2] * 3,
    }  # fmt: skip
    assert {name for name, value in found.items() if value.is_share} == {"invented", "unknown"}
    assert {name for name, value in found.items() if value.is_primary} == {"shift[female]", "shift[male]"}


def test_sources_support_their_own_sentences() -> None:
    """Of two units each document's best support counts: (1 + 0.5 + 0.2 + 0.3)/4 of the woman's source, 0.4 of the man's."""
    both = (Document("Alder."), Document("Birch."))
    records = [Record(name, both, attributes={"about": name}, seed_document="o") for name in "fm"]
    cases = [Case(record, Summary(record.id, "s", "Text.")) for record in records]
    observation = ScorerBiasSupport("about", "containment", 2)
    given = [answer([[1.0, 0.5], [0.2, 0.3]]), answer([[0.4, 0.4], [0.4, 0.4]])]
    assert by_column(observation.observe(cases, given, NO_LABELS)) == pytest.approx(
        {("scored", "f"): 1, ("scored", "m"): 1, ("score", "f"): 0.5, ("score", "m"): 0.4}
    )
    assert observation.observe(cases, given[:1], NO_LABELS) == Reason("the scorer finds nothing in a version")
    assert observation.observe(variants(".."), [], NO_LABELS) == Reason("versions of one group only")
    unscored = [given[0], Scores(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), np.ones(2))]
    assert observation.observe(cases, unscored, NO_LABELS) == Reason("the scorer finds nothing in a version")


def test_texts_in_which_nothing_is_counted_are_left_out() -> None:
    """Two empty ones beside the four; where both groups' labels lie on these and on one side alone, nothing is told."""
    matrix = np.zeros((6, 6))
    matrix[:4, :4] = ALIKE
    rows = read("ffmmff", matrix.tolist(), np.array([[0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]]))
    assert rows.values.tolist() == [[0.75, 1, 4], [0, 0, 4]]


PAIRS = [(("Ann", "female"), ("Leo", "male")), (("Leo", "male"), ("Ann", "female"))]
LAST = ("Smith", "Jones")


def record(seed_document: str, sample: int, member: int) -> Record:
    """One variant: two people, the first of whom is named first."""
    named = zip(PAIRS[member], LAST, strict=True)
    people = [Entity(last, first, last, {"gender": gender}) for (first, gender), last in named]
    said = {"female": "she", "male": "he"}
    texts = [f"{p.first_name} {p.last_name} sang and {said[p.attributes['gender']]} danced." for p in people]
    return Record(
        f"{seed_document}-{sample}-{member}", (Document(" ".join(texts)),), entities=tuple(people),
        attributes={"sample": str(sample)}, seed_document=seed_document,
    )  # fmt: skip


def pair(seed_document: str, sample: int, summaries: tuple[str, str]) -> list[Case]:
    """A pair with exchanged groups and its two summaries."""
    records = [record(seed_document, sample, member) for member in (0, 1)]
    return [Case(r, Summary(r.id, "s", text)) for r, text in zip(records, summaries, strict=True)]


SAID = (
    ("Ann Smith sang and she danced.", "Ann Jones sang. Zork Blat, who left, wept."),
    ("Leo Jones sang and he danced. Mary Poe left.", "It rained."),
)
CASES = [case for name in "abcd" for sample, texts in enumerate(SAID) for case in pair(name, sample, texts)]


def test_an_uneven_reference_has_no_exchange() -> None:
    """Flipping groups is no null where the reference itself tells them apart."""
    uneven = {"reference": "given", "shares": (0.4, 0.6)}
    for measure in (WordListInclusion(**uneven), EntityHallucination("gender", **uneven)):
        assert measure.observation.permutation_scheme(CASES[:2]) is None


def test_published_word_lists_exchange_their_groups_in_all_of_a_cluster() -> None:
    """In one seed document every exchange is as uneven as the lists themselves; the recommended measure exchanges nothing."""
    cases = [case for sample in range(4) for case in pair("o", sample, SAID[0])]
    published = audit(cases, Plan(measures=("word_list_inclusion(words=published)",)))
    found = of(published, "word_list_inclusion")
    assert found.permutation_mean == pytest.approx(found.value)
    assert found.value > 0
    assert audit(cases, Plan(measures=("word_list_inclusion",))).made["permuted"] == []


def test_people_without_a_name_are_left_out_unless_as_published() -> None:
    """A name cannot find who has none; the release counts them as not included."""
    nameless = Record("r", (Document("She sang."),), entities=(Entity("1", attributes={"gender": "female"}),))
    case = Case(nameless, Summary("r", "s", "She sang."))
    assert isinstance(EntityInclusion("gender").observation.observe([case], [], NO_LABELS), Reason)
    published = EntityInclusion("gender", alignment="published")
    found = published.observation.observe([case], scores_of(published, [case]), NO_LABELS)
    assert not isinstance(found, Reason)


def test_invented_people_are_counted_by_what_their_names_tell() -> None:
    """Mary Poe is a woman by the census, Zork Blat stays unknown and its share is reported."""
    result = audit(
        CASES, Plan(measures=("entity_hallucination@gender", "invented_names@gender"), n_resamples=50)
    )
    assert of(result, "shift[female]").value == of(result, "unknown").value == 0.5
    assert of(result, "count[Mary Poe]").value == of(result, "count[Zork Blat]").value == 4


def test_counts_do_not_compare_systems() -> None:
    """They grow with the number of records, and have no interval; what is counted per summary has both."""
    others = [Case(c.record, replace(c.summary, system="t", text="Eve Poe, the first woman.")) for c in CASES]
    plan = Plan(measures=("invented_names@gender", "phrase_counts"), n_resamples=50, check_scorers=False)
    result = audit([*CASES, *others], plan)
    assert {"invented_names", "phrase_counts"} <= {e.quantity for e in result.differences}
    assert not [e for e in (*result.estimates, *result.differences) if "[" in e.quantity and e.se is not None]


GERMAN = "Der Minister sagte, dass die Regierung nicht auf den Brief und auf die Frage antworten werde."


@pytest.mark.parametrize(
    "spec", ["word_list_inclusion", "entity_hallucination@gender", "distinguishability@gender"]
)
def test_measures_of_english_words_name_the_language_that_they_cannot_read(spec: str) -> None:
    """Of a German text among English ones word lists, the recogniser and neutral pronouns read nothing, and say German."""
    text = (Document(GERMAN),)
    german = [Case(replace(c.record, documents=text), replace(c.summary, text=GERMAN)) for c in CASES[:4]]
    found = audit([*CASES[4:], *german], Plan(measures=(spec,), n_resamples=0))
    main_value = of(found, spec.partition("@")[0])
    assert any("the text is German" in reason for reason in main_value.excluded)
    with pytest.raises(RequestError, match=r"in English only; these are in German.*--language"):
        audit(german, Plan(measures=(spec,), n_resamples=0))
    assert audit(german, Plan(measures=(spec,), n_resamples=0, language="en")).made["language"] == "English"


def built(member: int, text: str) -> Case:
    """One of a pair of built inputs, which a system repeats."""
    about = {"design": "balanced", "sample": "0", "pair": str(member)}
    record = Record(f"o.balanced.0.{member}", (Document(text),), attributes=about, seed_document="o")
    return Case(record, Summary(record.id, "s", text))


def test_on_built_inputs_only_words_that_vary_are_counted() -> None:
    """The mother whom no variant changes counts neither in sources nor in summaries; he and she do. As published all count."""
    pair = [built(member, f"{who} sang. A mother came.") for member, who in enumerate(("He", "She"))]
    for words, share in (("recommended", 0.5), ("published", 0.75)):
        found = audit(pair, Plan(measures=(f"word_list_inclusion(words={words})",), n_resamples=0))
        assert of(found, "summary_share[female]").value == share
    same = [built(member, "A mother came.") for member in (0, 1)]
    found = audit(same, Plan(measures=("word_list_inclusion",), n_resamples=0))
    reason = "no word of the lists differs between the variants"
    assert of(found, "word_list_inclusion").excluded == {reason: 1}
