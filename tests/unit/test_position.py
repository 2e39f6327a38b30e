"""Where summaries take their content from: mapping, defaults, and the protocol of Chhabra et al."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.rows_by_hand import added, by_column, numbers
from tests.rows_by_hand import observed as real_rows

import fairbrief
from fairbrief import registry
from fairbrief.auditing import Plan, audit, check
from fairbrief.errors import RequestError
from fairbrief.measures.position import PositionBias, PositionFromUniform, Positions, mass_of_sources
from fairbrief.protocols import PaperProtocol
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.statistics.label_permutations import distinct_permutations
from fairbrief.types import Case, Document, Estimate, Measure, Reason, Record, Rows, Scores, Summary, Totals

NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen".split()


def article(count: int) -> str:
    """So many sentences, each with a word of its own."""
    return " ".join(f"Sentence {word} alone." for word in NUMBERS[:count])


def case_of(count: int, summary: str, *references: str) -> Case:
    """An article of so many sentences, and what was written about it."""
    return Case(Record("r", (Document(article(count)),), references), Summary("r", "s", summary))


def scores_for(observation: Positions, case: Case) -> list[Scores]:
    """How the sentences of summary and references resemble those of the article."""
    asks = observation.asks((case,))
    return [scores for ask in asks for scores in registry.make("scorer", ask.scorer).answer([ask])]


def observed(observation: Positions, case: Case) -> Rows | Reason:
    """The case's row under the real labels."""
    return real_rows(observation, (case,), scores_for(observation, case))


def totals_of(observation: Positions, *cases: Case) -> Totals:
    """The summed rows of cases that all have one."""
    return added(*(observed(observation, case) for case in cases))


def values_of(measure: Measure, *cases: Case) -> dict[str, float]:
    """The measure's values of cases that all have a row."""
    return numbers(measure.value(totals_of(measure.observation, *cases)))


def histogram(totals: Totals, side: str) -> list[float]:
    """One side's matches per tenth."""
    return [float(x) for x in totals.stack(side, [f"{k:02}" for k in range(1, 11)])]


@pytest.mark.parametrize(("case", "reason"), [
    (case_of(12, "Nothing like it!", "Some five."), "no sentence of the summary resembles the article"),
    (case_of(12, "Some five."), "no references"),
    (case_of(0, "Some five.", "Six."), "empty article"),
    (case_of(3, " ", "Six."), "empty summary"),
    (case_of(12, "Some five.", "Nothing like it!"), "no sentence of a reference resembles the article"),
    (case_of(12, "Some five.", "  "), "no references"),
])  # fmt: skip
def test_what_cannot_be_mapped_is_left_out_with_its_reason(case: Case, reason: str) -> None:
    """Nothing is dropped silently, and nothing becomes random counts as in the release."""
    assert observed(Positions(), case) == Reason(reason)


@pytest.mark.parametrize("document", ["Sentence {}.", "so the {} then"])
def test_articles_of_several_documents_are_read_one_after_the_other(document: str) -> None:
    """Segments run over all documents in their order. No sentence continues in the next document, even without a full stop."""
    record = Record("r", tuple(Document(document.format(word)) for word in NUMBERS[:10]), ("About zero.",))
    totals = totals_of(Positions(), Case(record, Summary("r", "s", "Now nine. Now three.")))
    assert histogram(totals, "generated") == [0, 0, 0, 0.5, *[0] * 5, 0.5]
    assert histogram(totals, "reference")[0] == 1


def test_articles_weigh_the_same_unless_pooled() -> None:
    """A summary of many sentences counts as much as one of a single sentence; pooled, each match counts."""
    cases = [case_of(10, "Zero. Zero. Zero.", "Nine."), case_of(10, "Nine.", "Nine.")]
    assert histogram(totals_of(Positions(), *cases), "generated") == [1, *[0] * 8, 1]
    assert histogram(totals_of(Positions(weights="pooled"), *cases), "generated") == [3, *[0] * 8, 1]
    cases = [cases[0], case_of(12, "Eleven.", "Nine.")]
    # The first three sentences are 3/10 and 3/12 of the articles.
    for weights, lead, even in (("article", 1 / 2, 0.275), ("pooled", 3 / 4, 0.2875)):
        values = values_of(PositionFromUniform(weights=weights), *cases)
        assert values["lead_share"] == pytest.approx(lead)
        assert values["segment[01]"] == pytest.approx(lead)
        assert values["even_lead_share"] == pytest.approx(even)


def test_duplicates_count_unless_once() -> None:
    """Two summary sentences from one source are two matches; the release counted one."""
    case = case_of(10, "Zero. Zero. Nine.", "Nine.")
    assert histogram(totals_of(Positions(weights="pooled"), case), "generated") == [2, *[0] * 8, 1]
    once = Positions(weights="pooled", duplicates="once")
    assert histogram(totals_of(once, case), "generated") == [1, *[0] * 8, 1]


def test_short_articles_are_stretched_unless_they_fill_the_first_segments() -> None:
    """The last of four sentences is the article's last quarter; in the release it is the fourth tenth."""
    case = case_of(4, "Now three.", "Then zero.")
    assert histogram(totals_of(Positions(), case), "generated") == pytest.approx([*[0] * 7, 0.2, 0.4, 0.4])
    assert histogram(totals_of(Positions(short="first"), case), "generated") == [0, 0, 0, 1, *[0] * 6]


TIED = [[0.5, 0.0, 0.2], [0.5 + 1e-15, 0.0, 0.3], [0.1, 0.0, 0.3]]
TWICE = [[1.0, 0.0], [0.2, 0.0], [1.0, 0.3]]
COPIED = [[0.95, 0.5, 0.0], [0.8, 0.6, 0.4], [0.0, 0.2, 0.0]]


@pytest.mark.parametrize(("similarity", "top", "rule", "found"), [
    (TIED, 1, "", ([1, 1, 0], 1)), (TWICE, 1, "shares_ties", ([0.5, 0, 1.5], 0)),
    (COPIED, 2, "copies_once", ([2, 2, 0], 0)), (COPIED, 3, "copies_once", ([2, 2, 1], 0)),
    (COPIED, 2, "", ([2, 3, 0], 0)), (COPIED, 3, "", ([2, 3, 1], 0)),
])  # fmt: skip
def test_sources_by_hand(similarity: list[list[float]], top: int, rule: str, found: Any) -> None:
    """Of equally similar sentences the first is the source, or they share the match; similarity 0 has none, and is counted.

    In the release a copied sentence (0.95) has one source, whatever ``top``; in the paper's text it has further ones too.
    """
    rules = {name: name == rule for name in ("shares_ties", "copies_once")}
    mass, unmapped = mass_of_sources(np.array(similarity), top, once=False, **rules)
    assert (mass.tolist(), unmapped) == found


def test_the_protocol_asks_for_either_rule_by_its_version() -> None:
    """The release's rule for copies is ``published``; the paper's Appendix I, which has none, is ``text``."""
    for version, rule in (("published", True), ("text", False)):
        protocol = registry.make("protocol", f"chhabra-position(top=2, version={version})")
        asked = [spec for spec in protocol.measures(()) if "top=2" in spec]
        assert asked
        assert all(("copied=once" in spec) is rule for spec in asked)


def test_references_are_averaged() -> None:
    """Two references of one article weigh a half each."""
    totals = totals_of(Positions(), case_of(10, "Now zero.", "Then zero. Then one.", "Then nine."))
    assert histogram(totals, "reference") == [0.25, 0.25, *[0] * 7, 0.5]


def test_the_system_and_the_mean_of_its_references_change_places() -> None:
    """With two references there are two label permutations, and the second calls the references' mean the system's."""
    case = case_of(12, "Now zero.", "Then nine. Then eight.", "About three.")
    scheme = Positions().permutation_scheme((case,))
    assert scheme.is_together
    rows = Positions().observe((case,), scores_for(Positions(), case), distinct_permutations(scheme.labels))
    real, swapped = (by_column(rows, row) for row in (0, 1))
    for (name, *rest), value in swapped.items():
        first, _, more = name.partition(" ")
        other = {"generated": "reference", "reference": "generated"}.get(first)
        if other is not None:
            assert value == pytest.approx(real[f"{other} {more}".strip(), *rest], abs=1e-12)


def test_a_summary_spread_as_the_article_is_zero_from_uniform() -> None:
    """Drawing once on every sentence is no preference, whatever the length of the article."""
    for count in (3, 10, 14):
        values = values_of(PositionFromUniform(), case_of(count, article(count)))
        assert values["position_from_uniform"] == pytest.approx(0, abs=1e-12)
        assert values["mean_position"] == pytest.approx(0.5)
        assert values["lead_share"] == pytest.approx(values["even_lead_share"])


def test_a_lead_summary_is_early() -> None:
    """Three first sentences: all in the lead, mean position at their middle, far from uniform. Permuted, they move together."""
    measure, case = PositionFromUniform(), case_of(10, article(3))
    values = values_of(measure, case)
    assert values["lead_share"] == 1
    assert values["mean_position"] == pytest.approx(0.15)
    assert values["position_from_uniform"] == pytest.approx(3.5)
    scores = scores_for(measure.observation, case)
    moved = real_rows(measure.observation, (case,), scores, [(place + 3) % 10 for place in range(10)])
    found = numbers(measure.value(added(moved)))
    assert (found["lead_share"], found["mean_position"]) == (0, pytest.approx(0.45))


def test_divergence_is_undefined_where_no_reference_draws() -> None:
    """KL is infinite there; it is nan, as undefined values are, while the distance is defined."""
    values = values_of(PositionBias(), case_of(10, "Now nine.", "Then zero."))
    assert math.isnan(values["position_kl"])
    assert values["position_bias"] == 9
    assert (values["position_bias_share"], values["mean_position_shift"]) == pytest.approx((0.9, 0.9))


def test_over_long_outputs_keep_the_first_or_any() -> None:
    """``limit=1`` keeps the first sentence, or one that the seed chooses, evenly over seeds."""
    case = case_of(10, "Zero. Four. Nine.", "Nine.")
    assert histogram(totals_of(Positions(limit=1), case), "generated")[0] == 1
    drawn = (Positions(limit=1, choose="random", seed=s) for s in range(90))
    counts = sum(np.array(histogram(totals_of(one, case), "generated")) for one in drawn)
    assert counts[[0, 4, 9]].sum() == 90
    assert counts[[0, 4, 9]].min() > 15


def test_stories_name_the_segments() -> None:
    """A row's story says where the summary draws and where the reference does."""
    case = case_of(10, "Now nine. Nothing like it!", "Then zero. Then one.")
    story = PositionBias().explain(totals_of(Positions(), case))
    assert "of 10 segments apart: summary segment 10 (100%)" in story
    assert "reference segments 1 (50%), 2 (50%)" in story
    assert "1 summary sentences resemble nothing" in story


POSITION = ["position_bias", "position_from_uniform"]
ORDERS = "whose order may mean nothing; if it means something (turns, posts by date), add --ordered"


def cases(orders: Sequence[str], systems: str = "s", **other: str) -> list[Case]:
    """Records whose documents are by sides as each order says, summarized by their first document; all with the other attributes."""
    found = []
    for i, order in enumerate(orders):
        said = {f"Word{side}{k} comes here. More{k} too.": side for k, side in enumerate(order)}
        documents = tuple(Document(text, {"side": side, **other}) for text, side in said.items())
        record = Record(f"r{i}", documents, ("Word comes here.",))
        found += [Case(record, Summary(f"r{i}", system, documents[0].text)) for system in systems]
    return found


def taken(result: Result) -> list[str]:
    """The measures of position that an audit took."""
    return [name for name in POSITION if name in result.made["measures"]]


def placed(result: Result) -> dict[str, list[str]]:
    """By measure, the attributes of which an audit says that its groups have their place."""
    found: dict[str, list[str]] = {}
    for e in result.estimates:
        for note in e.notes:
            if note.code == "place_is_group":
                found.setdefault(e.measure, []).append(note.arguments["attribute"])
    return {measure: sorted(set(names)) for measure, names in found.items()}


def test_several_documents_have_no_order_until_somebody_says_so() -> None:
    """Position is not measured by default on records of several documents; why, and how to ask, is said. Of one it is."""
    assert taken(audit(cases(["a"] * 8), Plan(n_resamples=20))) == POSITION
    given = cases(["ab", "ba"] * 5)
    plain = audit(given, Plan(n_resamples=20))
    assert taken(plain) == []
    reasons = {out.measure: out.reason for out in plain.not_measured if out.measure in POSITION}
    assert reasons == dict.fromkeys(POSITION, f"records have several documents, {ORDERS}")
    assert plain.made["ordered"] is False
    ordered = fairbrief.audit(given, ordered=True, n_resamples=20).result
    assert taken(ordered) == POSITION
    assert ordered.made["ordered"] is True
    assert taken(audit(given, Plan(measures=["position_bias"], n_resamples=20))) == ["position_bias"]


def test_an_order_that_changes_nothing_is_refused() -> None:
    """Where measures are named, a protocol brings them, or no record has several documents."""
    for named in ({"measures": ["position_bias"]}, {"protocol": "li-coverage"}):
        with pytest.raises(RequestError, match="--ordered has no effect with --measure or --protocol"):
            Plan(**named, ordered=True)
    single = cases(["a"] * 8)
    for refused in (lambda plan: audit(single, plan), lambda plan: check([c.record for c in single], plan)):
        with pytest.raises(RequestError, match="no record of the first 8 summaries has several documents"):
            refused(Plan(ordered=True))


@pytest.mark.parametrize(("orders", "is_said"), [
    (["aab", "ab", "abb", "abbb"] * 2, True), (["ab"] * 7, False), (["ab"] * 18 + ["ba"] * 2, True),
    (["ab"] * 17 + ["ba"] * 3, False), (["a", "b"] * 10, False),
])  # fmt: skip
def test_groups_that_nearly_always_come_first_are_named(orders: list[str], is_said: bool) -> None:
    """From nine of ten pairs and eight records on, at what is said of the attribute and of position, and nowhere else."""
    plan = Plan(measures=["coverage_parity@side", "position_from_uniform", "rouge1"], n_resamples=20)
    wanted = {"coverage_parity@side": ["side"], "position_from_uniform": ["side"]}
    assert placed(audit(cases(orders, kind="k"), plan)) == (wanted if is_said else {})


def test_the_note_says_which_group_has_which_place() -> None:
    """In words, with the share of pairs; both systems have it, and their difference has not."""
    result = audit(cases(["abc", "acb"] * 10, systems="st"), Plan(measures=["uer@side"], n_resamples=20))
    for e in result.estimates:
        if e.is_primary or e.quantity == "uer":
            (note,) = [note for note in e.notes if note.code == "place_is_group"]
            assert worded(note) == (
                "documents by side nearly always have the same order: 'a' before the others (100% of pairs, 20 records); "
                "position and side cannot be separated"
            )
    assert not [note for e in result.differences for note in e.notes if note.code == "place_is_group"]


PROTOCOL = registry.make("protocol", "chhabra-position")
BIAS, HEIGHTS = PROTOCOL.measures(())[:2]


def estimates_of(system: str, rouge: float, heights: float, distance: float) -> list[Estimate]:
    """What an audit of one system would hold."""
    return [
        *(Estimate(kind, kind, system, rouge) for kind in ("rouge1", "rouge2", "rougeL")),
        Estimate(HEIGHTS, "position_heights", system, heights),
        Estimate(BIAS, "position_bias", system, distance, permutation_mean=0.25, n=7),
        Estimate(BIAS, "position_kl", system, None), Estimate(BIAS, "matches", system, 20.0),
        Estimate(BIAS, "segment[01]", system, 0.75), Estimate(BIAS, "segment[10]", system, 0.25),
    ]  # fmt: skip


def spelled_by(protocol: PaperProtocol) -> tuple[str, ...]:
    """The specs of its measures, each of which is that of the measure that it makes."""
    asked = protocol.measures(())
    assert [repr(registry.make("measure", spec)) for spec in asked] == list(asked)
    return tuple(asked)


def test_both_distances_stand_side_by_side() -> None:
    """Figure 2 counts sources by tenth; Figures 3 and 4 have ROUGE, heights, distance and its chance level."""
    counts, first, second = PROTOCOL.tables(estimates_of("a", 0.3, 0.0, 8.7))
    titles = [t.title.partition(":")[0] for t in (counts, first, second)]
    assert titles == ["Figure 2", "Figure 3", "Figure 4"]
    assert counts.rows[0] == ("a", "summaries", "15", *["–"] * 8, "5", "20")
    assert first.rows == (("a", "0.3000", "0.0000", "8.7000", "–", "–", "0.2500", "7"),)
    assert second.rows[0][:4] == ("a", "0.3000", "0.3000", "0.0000")
    assert all(len(row) == len(t.header) for t in (counts, first, second) for row in t.rows)


def test_figures_6_and_9_are_asked_for() -> None:
    """``mapping=both`` sets the released ROUGE-1 rule beside the one by sentence, ``top=3`` adds more matches."""
    protocol = registry.make("protocol", "chhabra-position(mapping=both, top=3)")
    asked = spelled_by(protocol)
    assert len(asked) == len(set(asked)) == 2 * (3 + 2) + 3
    heights = [spec for spec in asked if spec.startswith("position_heights")]
    found = protocol.tables([Estimate(spec, "position_heights", "a", 0.1) for spec in heights])
    made = {t.title.partition(":")[0]: t for t in found}
    mappings = ["TF-IDF", "ROUGE-1, mean over sentences (as published)", "ROUGE-1, each sentence"]
    assert [row[1] for row in made["Figure 6"].rows] == mappings
    assert [row[1] for row in made["Figure 9"].rows] == ["top-1", "top-2", "top-3"]


@pytest.mark.usefixtures("nltk_data")
def test_the_protocol_is_refused_without_references() -> None:
    """It has no number without references, and the error says so."""
    with pytest.raises(RequestError, match="has no numbers for this input: no references"):
        audit([case_of(12, "Some five.")], Plan(protocol="chhabra-position", n_resamples=0))


@pytest.mark.parametrize("choose", ["random", "first"])
def test_longer_outputs_are_sampled_on_request(choose: str) -> None:
    """``limit`` holds for every measure of the protocol and its tables; the sample is random unless ``choose=first``."""
    protocol = registry.make("protocol", f"chhabra-position(limit=2, choose={choose})")
    asked = spelled_by(protocol)
    assert all("limit=2" in spec and ("choose=random" in spec) == (choose == "random") for spec in asked)
    heights, rouge = (next(s for s in asked if s.startswith(name)) for name in ("position_heights", "rouge1"))
    found = [Estimate(heights, "position_heights", "a", 0.1), Estimate(rouge, "rouge1", "a", 0.5)]
    figure = next(t for t in protocol.tables(found) if t.title.startswith("Figure 3"))
    assert figure.rows[0][:3] == ("a", "0.5000", "0.1000")


def test_a_text_mapped_by_the_mean_has_one_source() -> None:
    """With match=mean a summary of two sentences has the one source that resembles both most, as the release maps."""
    words = [f"w{i}" for i in range(1, 11)]
    article = " ".join(f"Only {w} here." for w in words[:9]) + " Both w1 and w9 here."
    record = Record("1", (Document(article),), references=("Only w1 here.",))
    case = Case(record, Summary("1", "a", "Here is w1 and. Here is w9 and."))
    counts = {}
    for match in ("each", "mean"):
        spec = f"position_bias(mapping=rouge1, match={match}, short=first, weights=pooled)"
        result = audit([case], Plan(measures=[spec], n_resamples=0))
        counts[match] = {e.quantity: e.value for e in result.estimates}["matches"]
    assert counts == {"each": 2, "mean": 1}


def test_ranks_need_three_systems() -> None:
    """Spearman's correlation of ROUGE with each distance is printed from three systems on."""
    systems = (("a", 0.3, 1.0), ("b", 0.2, 2.0), ("c", 0.1, 3.0))
    ranks = PROTOCOL.tables([e for s, x, y in systems for e in estimates_of(s, x, x, y)])[-1]
    assert ranks.rows[0] == ("heights (as published)", "1.000", "1.000", "1.000")
    assert ranks.rows[1] == ("segments", "−1.000", "−1.000", "−1.000")
