"""Scorer bias checks: how scorers score sources that differ only in the group."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests import sample_results
from tests.sample_cases import Modelled, Supported, of

from fairbrief.api import Audit
from fairbrief.auditing import Plan, audit, scorer_checks
from fairbrief.cli.input_options import cached
from fairbrief.measures.scorer_bias import ScorerBiasSupport
from fairbrief.people.counterfactual import exchange_genders, exchange_names
from fairbrief.reports import exports, html
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.text.names import genders
from fairbrief.types import Case, Document, Entity, Estimate, Mention, Note, Record, Summary

OF_THE_SCORER = ("scorer_differs", "scorer_alike", "scorer_retrieves")
GENDERS = {"female": "female", "male": "male"}
ARTICLES = (
    "Peter Cole said that he was glad. The board saw him leave with his wife. A vote on the bill is his.",
    "The mayor opened the bridge on Monday. She thanked her crew, and the crew thanked her.",
    "Mr. Hall sold the farm himself. Anna Reed bought it from him for her brother. He was sad.",
    "The singer cancelled the show. She was ill, her doctor said.",
    "A driver was hurt when he left his van. The van was old, he told John Marsh.",
    "The coach praised her team. She will stay, and so will Mary.",
)


def planted_scorer(read: Callable[[str], float]) -> Supported:
    """A sentiment scorer: a score for every text, whatever it is asked about it."""
    return Supported(lambda row, _: read(row))


def says_she(text: str) -> float:
    """Whether a text says *she*, with a reading of its own beside it that no gendered word changes."""
    return 0.1 * (" she " in f" {text.lower()} ") + len(text.split()) / 100


PLANTED, SHIFT = {"planted": planted_scorer(says_she)}, "sentiment_shift(scorer=planted)"
"""A scorer that adds a tenth where a text says *she*, and what is measured with it."""


def articles() -> list[Case]:
    """News with gendered words, and their first sentences as summaries."""
    texts = [ARTICLES[i % len(ARTICLES)] for i in range(24)]
    records = [Record(f"a{i}", (Document(f"{text} Page {i}."),)) for i, text in enumerate(texts)]
    leads = [f"{text.split('. ')[0]}." for text in texts]
    return [Case(r, Summary(r.id, "lead", lead)) for r, lead in zip(records, leads, strict=True)]


def meeting(i: int, one: str, other: str, gender: str, **more: str) -> Record:
    """Two people with marked mentions; each is given by first and last name."""
    he, his = ("He", "his") if gender == "male" else ("She", "her")
    text = f"{one} met {other}. {he} read {his} speech. Page {i}."

    def mention(word: str, kind: str) -> Mention:
        at = text.index(word)
        return Mention(0, at, at + len(word.removesuffix(" read")), kind)

    def person(name: str, *mentions: Mention) -> Entity:
        mentions = (mention(name, "full"), *mentions)
        return Entity(f"{i} {name}", *name.split(), {"gender": gender, **more}, mentions)

    speaker = person(one, mention(f"{he} read", "he"), mention(his, "his"))
    return Record(f"m{i}", (Document(text),), entities=(speaker, person(other)))


def meetings() -> list[Case]:
    """Records with people, about women and about men in turn."""
    men, women = ("Peter", "John", "Frank", "Henry"), ("Alice", "Ruth", "Helen", "Martha")
    made = []
    for i in range(12):
        names, gender = (men, "male") if i % 2 else (women, "female")
        record = meeting(i, f"{names[i % 4]} Stone", f"{names[(i + 1) % 4]} Wood", gender)
        made.append(Case(record, Summary(record.id, "lead", record.documents[0].text.split(". ")[0] + ".")))
    return made


def main_value(result: Result, measure: str) -> Estimate:
    """The estimate that has the measure's own name."""
    return of(result, measure.partition("(")[0].partition("@")[0], measure=measure)


def taken(cases: Sequence[Case], *measures: str, **settings: object) -> Result:
    """The audit of these measures, with few draws."""
    return audit(cases, Plan(measures=measures, n_resamples=settings.pop("n_resamples", 400), **settings))


@pytest.fixture(scope="module")
def planted() -> Result:
    """News under a scorer that adds a tenth where a text says *she*."""
    return taken(articles(), SHIFT, scorers=PLANTED)


# ------------------------------------------------------------------------------- the scorers


def test_a_planted_scorer_of_sentiment_is_found_with_its_size(planted: Result) -> None:
    """A scorer that adds a tenth where a text says *she*: the result says so, at the measure that used it."""
    own = main_value(planted, "scorer_bias_sentiment(scorer=planted)@gender")
    # One article in six has no subject pronoun to exchange: nothing to say she with.
    assert own.value == pytest.approx(0.1, abs=0.02)
    assert own.low > 0
    assert own.p < 0.01
    assert own.n == 24
    notes = main_value(planted, SHIFT).notes
    (note,) = (worded(n) for n in notes if n.code == "scorer_differs")
    assert "about female people more favourably than the same about male people, by 0." in note
    assert "24 sources" in note


def test_a_scorer_that_does_not_look_at_the_group_leaves_no_note() -> None:
    """A scorer of length reads both versions alike, and VADER does on texts without telling names."""
    of_length = {"planted": planted_scorer(lambda text: len(text.split()) / 50)}
    for measure, scorers in ((SHIFT, of_length), ("sentiment_shift", {})):
        result = taken(articles(), measure, scorers=scorers)
        assert not [n for n in main_value(result, measure).notes if n.code in OF_THE_SCORER]
        scorer = "(scorer=planted)" if scorers else ""
        own = main_value(result, f"scorer_bias_sentiment{scorer}@gender")
        assert (own.value, own.testable) == (pytest.approx(0.0, abs=0.01), False)
        assert not scorers or Note("scorer_alike") in own.notes


def test_a_recogniser_blind_to_some_names_is_found() -> None:
    """One that knows no woman's name finds no woman where it finds every man; matching known names finds both."""
    known = {name.capitalize() for name, gender in genders().items() if gender == "male"}
    blind = Supported(lambda row, _: float(row.split()[0] in known))
    measures = ("entity_hallucination@gender", "entity_inclusion@gender")
    result = taken(meetings(), *measures, scorers={"people": blind})
    own = main_value(result, "scorer_bias_people(by=recogniser)@gender")
    assert (own.value, own.n) == (-1.0, 12)
    note = worded(main_value(result, "entity_hallucination@gender").notes[-1])
    assert "finds male people more often than female people in the same places, by 1" in note
    assert main_value(result, "scorer_bias_people@gender").value == 0
    assert not [n for n in main_value(result, "entity_inclusion@gender").notes if n.code in OF_THE_SCORER]


def test_a_planted_scorer_of_support_is_found() -> None:
    """A scorer that doubts what is said of women finds their sentences worse supported."""
    doubting = Supported(lambda _, unit: 0.9 - 2 * (says_she(unit) - len(unit.split()) / 100))
    cases = []
    for i in range(20):  # reviews whose writers have a gender, and which speak of somebody
        documents = tuple(Document(ARTICLES[(i + k) % 6], {"gender": "MF"[k % 2]}) for k in range(4))
        cases.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "lead", "The van was old.")))
    result = taken(cases, "equal_coverage(scorer=doubting)@gender", scorers={"doubting": doubting})
    own = main_value(result, "scorer_bias_support(scorer=doubting)@gender")
    assert own.value < -0.05
    assert own.high < 0
    levels = [e.quantity for e in result.estimates if e.measure == own.measure]
    assert levels == ["scorer_bias_support", "mean[F]", "mean[M]"]
    note = main_value(result, "equal_coverage(scorer=doubting)@gender").notes[-1]
    assert "about M people better supported" in worded(note)


def test_neutralised_texts_show_no_group_to_a_scorer_of_similarity() -> None:
    """Told apart are texts without names, pronouns and titles: there a scorer of *she* sees nothing."""
    records = exchange_genders([c.record for c in meetings()], "gender", GENDERS, 0).records
    cases = [Case(r, Summary(r.id, "s", "A.")) for r in records]
    found = {}
    for text in ("as written", "neutral"):
        measure = ScorerBiasSupport("gender", "planted", text=text)
        result = audit(cases, Plan(measures=[measure], n_resamples=0, scorers=PLANTED))
        (found[text],) = (e.value for e in result.estimates if e.quantity == measure.name)
    assert found["neutral"] == pytest.approx(0.0, abs=1e-12)
    assert found["as written"] > 0.05


# ------------------------------------------------------------------------------- when it runs


def test_a_scorer_with_a_model_is_checked_only_when_that_is_asked_for(tmp_path: Path) -> None:
    """It would read hundreds of texts twice: without the request, and without a cache or with one, it is left out, with the way to ask."""
    measure, scorers = "sentiment_shift(scorer=modelled)", {"modelled": Modelled([])}
    for wrap in (None, cached(tmp_path / "scores")):
        quiet = taken(articles(), measure, scorers=scorers, wrap=wrap)
        assert {e.measure for e in quiet.estimates} == {measure}
        (out,) = quiet.not_measured
        assert out.measure == "scorer_bias_sentiment(scorer=modelled)@gender"
        assert "--check-scorers" in out.reason
        assert out.is_scorer_check  # so that no screen counts it as a measure that was not computed
        asked = taken(articles(), measure, scorers=scorers, wrap=wrap, check_scorers=True)
        assert main_value(asked, out.measure).n == 24


def test_a_group_that_no_word_tells_cannot_be_checked_and_says_so_once() -> None:
    """Parties are in no pronoun: one line, however many measures there are."""
    documents = (Document("Taxes rise.", {"party": "a"}), Document("She left early.", {"party": "b"}))
    cases = [Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", "Taxes rise.")) for i in range(4)]
    result = taken(cases, "bur@party", "equal_coverage@party", n_resamples=50)
    assert [out.measure for out in result.not_measured] == ["scorer bias@party"]
    assert "cannot" not in result.not_measured[0].reason
    assert "as it can for genders" in result.not_measured[0].reason


def test_sources_without_a_gendered_word_are_counted() -> None:
    """Where nothing can be exchanged there is no pair; where nothing can be exchanged anywhere, no check."""
    documents = (Document("Prices rose by a tenth."),)
    plain = [Case(Record(f"x{i}", documents), Summary(f"x{i}", "lead", "Prices rose.")) for i in range(5)]
    mixed = taken([*articles(), *plain], SHIFT, scorers=PLANTED)
    own = main_value(mixed, "scorer_bias_sentiment(scorer=planted)@gender")
    assert (own.n, own.excluded) == (24, {"no word of the text shows a gender": 5})
    none = taken(plain, SHIFT, scorers=PLANTED)
    assert [out.measure for out in none.not_measured] == ["scorer bias@gender"]


def test_the_audit_itself_is_not_changed_by_the_check(planted: Result) -> None:
    """Values, intervals and p of the systems are the same with and without it."""
    none = taken(articles(), SHIFT, scorers=PLANTED, check_scorers=False)
    assert not none.not_measured
    checked = [e.replace(notes=()) for e in planted.estimates if e.system == "lead"]
    assert checked == [e.replace(notes=()) for e in none.estimates]


# ------------------------------------------------------------------------------- what is exchanged


def test_pronouns_titles_nouns_and_names_are_exchanged_both_ways() -> None:
    """Each version is of one gender throughout, names are drawn for both, and all else stays."""
    text = (
        "Mr. Hall and Anna Reed met. Anna gave him her book, and the book was his. She saw her. His wife laughed; "
        "the King did not."
    )
    made = exchange_genders([Record("r", (Document(text),))], "gender", GENDERS, 3)
    female, male = (r.documents[0].text for r in made.records)
    name = female.split(" and ")[1].split()[0]
    other = male.split(" and ")[1].split()[0]
    assert "Anna" not in (name, other)
    assert female == (
        f"Ms. Hall and {name} Reed met. {name} gave her her book, and the book was hers. She saw her. Her wife "
        "laughed; the King did not."
    )
    assert male == (
        f"Mr. Hall and {other} Reed met. {other} gave him his book, and the book was his. He saw him. His husband "
        "laughed; the King did not."
    )
    assert [r.attributes["gender"] for r in made.records] == ["female", "male"]
    assert {r.seed_document for r in made.records} == {"r"}


def test_a_race_is_exchanged_by_the_names_that_the_inputs_own_people_bear() -> None:
    """Each version bears names of one group only; a group without names of its own cannot be exchanged."""
    bearers = {
        "x y": ("Asha Brook", "Beno Cliff", "Caro Dale", "Dima Field"),
        "z+w": ("Elko Garth", "Fira Heath", "Gunn Isle", "Hedi Knoll"),
    }
    records = []
    for i in range(8):
        race = list(bearers)[i % 2]
        names = bearers[race]
        records.append(meeting(i, names[i // 2], names[(i // 2 + 1) % 4], "male", race=race))
    made = exchange_names(records, "race", list(bearers), 0)
    assert (made.ways.total(), made.refused.total()) == (8, 0)
    assert len(made.records) == 16
    for record in made.records:
        own = " ".join(bearers[record.attributes["race"]])
        assert all(e.first_name in own and e.last_name in own for e in record.entities)
        assert {e.attributes["race"] for e in record.entities} == {record.attributes["race"]}
        assert record.documents[0].text.split()[0] in own
    alone = exchange_names(records[::2], "race", list(bearers), 0)
    assert (alone.records, dict(alone.refused)) == ([], {"too few names": 4})


# ------------------------------------------------------------------------------- where it stands


def test_every_report_shows_the_scorers_and_the_note(planted: Result) -> None:
    """Terminal, page, Markdown and JSON hold the scorer's own difference, and the note at the result."""
    page, written = html.render(planted), sample_results.results_json(planted).decode()
    markdown = exports.markdown(planted).replace("\\", "")
    for text in (" ".join(str(Audit(planted)).split()), page, markdown, written):
        assert "scores sources about female people more favourably than the same about male people" in text
    assert "Scorer bias (how scorers score sources that differ only in the group) by gender" in page
    assert scorer_checks.EXCHANGED in {e["system"] for e in json.loads(written)["estimates"]}
