"""Whether scorers are up to the texts: what they find of summaries, of each group's own sentences, and in pieces of documents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.sample_cases import Supported, documents_of

from fairbrief.auditing import Plan, audit, scorer_checks
from fairbrief.conclusions import decisive
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.scorer_bias import ScorerBiasRetrieval
from fairbrief.reports import exports, first_answers, html
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context, worded
from fairbrief.saved.agreement import chunk_sizes
from fairbrief.types import Case, Claim, Document, Estimate, Record, Scores, Summary, Totals

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("lan", "mer", "nos", "rit", "tul", "vex")]
INVENTED = "Zebras admire quantum umbrellas over lunch."


def sentence(rng: np.random.Generator) -> str:
    """Eight words of a made-up language."""
    return " ".join(rng.choice(WORDS, 8)).capitalize() + "."


def cases(n: int = 20, said: str = "", references: bool = False, marked: str = "") -> list[Case]:
    """Records of two documents of each party; a summary copies one sentence, and says what else is ``said``. The documents of
    one party say ``mark`` at their end.
    """
    rng, made = np.random.default_rng(1), []
    for i in range(n):
        texts = [" ".join(sentence(rng) for _ in range(3)) for _ in range(4)]
        copied = f"{texts[i % 4].split('. ')[0].removesuffix('.')}."
        people = (f"{copied} {texts[(i + 1) % 4].split('. ')[1]}.",) if references else ()
        marks = [" mark" if party == marked else "" for party in "abab"]
        texts = [text + mark for text, mark in zip(texts, marks, strict=True)]
        record = Record(f"r{i:02d}", documents_of("abab", texts, "party"), references=people)
        made.append(Case(record, Summary(record.id, "copier", f"{copied} {said}".strip())))
    return made


def taken(some: Sequence[Case], *measures: str, **settings: Any) -> Result:
    """The audit with few draws."""
    return audit(some, Plan(measures=measures, n_resamples=60, n_extracts=10, **settings))


# ------------------------------------------------------------------------------- what a scorer finds


@pytest.mark.parametrize("measure", ["coverage_parity@party", "uer@party", "position_from_uniform"])
def test_copied_claims_are_found_and_invented_ones_are_listed(measure: str) -> None:
    """Half of the claims are copies; sentences of the sources and people's copies are all found."""
    result = taken(cases(said=INVENTED, references=True), measure)
    found = {row["author"]: row for row in result.made["reach"][0]["authors"]}
    assert (found["copier"]["claims"], found["copier"]["share_found"]) == (40, 0.5)
    assert {one["text"] for one in found["copier"]["examples"]} == {INVENTED}
    assert all(one["record"].startswith("r") for one in found["copier"]["examples"])
    for author in (scorer_checks.REFERENCES, scorer_checks.OF_SOURCES):
        assert found[author]["share_found"] == 1
    assert found[scorer_checks.OF_SOURCES]["support"] == pytest.approx(1)
    assert found[scorer_checks.ELSEWHERE]["share_found"] <= 0.05


@pytest.mark.parametrize("said", ["", f"{INVENTED} {INVENTED}"])
def test_the_first_screen_says_before_any_finding_that_a_scorer_does_not_reach(said: str) -> None:
    """Where most claims are found nowhere the first sentence, and the first caution, say so and what would do better."""
    found = html.first_screen(Context(taken(cases(said=said), "coverage_parity@party")))
    cautions = found["answers"].get(first_answers.CAUTION, ())
    starts = "The scorer containment finds few of the summaries' claims in the sources: copier 33%"
    assert found["lead"].startswith(starts) == bool(said)
    said_first = f"{starts} (the sources' own sentences 100%"
    about = [text for text in cautions if text.startswith(said_first)]
    assert ["--scorers recommended" in text for text in about] == [True] * bool(said)


def test_reports_show_what_is_found_as_a_table() -> None:
    """Page and Markdown have a row for each author, and an example of what is found nowhere."""
    result = taken(cases(said=INVENTED), "coverage_parity@party")
    for text in (html.render(result), exports.markdown(result)):
        assert "Claims that the scorers find in the sources" in text
        assert "Zebras admire quantum umbrellas" in text


# ------------------------------------------------------------------------------- self-retrieval


def shortsighted(document: str, unit: str) -> float:
    """The share of words found; of documents that hold ``mark`` only the first two words are read."""
    words, wanted = (text.lower().replace(".", "").split() for text in (document, unit))
    read = words[:2] if "mark" in words else words
    return len({*read} & {*wanted}) / max(len({*wanted}), 1)


@pytest.fixture
def by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other word is replaced, without a dictionary."""

    def replaced(text: str, share: float, key: str) -> str:  # noqa: ARG001
        return " ".join(w if i % 2 else f"syn{w.lower()}" for i, w in enumerate(text.split()))

    monkeypatch.setattr("fairbrief.measures.scorer_bias.paraphrase", replaced)
    monkeypatch.setattr(scorer_checks, "why_not", lambda _: "")


def retrieval(result: Result) -> dict[str, Estimate]:
    """The estimates of the check by quantity."""
    return {e.quantity: e for e in result.estimates if e.measure.startswith("scorer_bias_retrieval")}


@pytest.mark.usefixtures("by_halves")
def test_a_scorer_that_sees_one_groups_sentences_less_is_found_and_explains() -> None:
    """It finds b's sentences again less often, and the group difference of b says so beside it."""
    some = cases(24, marked="b")
    scorers = {"shortsighted": Supported(shortsighted)}
    result = taken(some, "coverage_parity(scorer=shortsighted)@party", scorers=scorers, check_scorers=True)
    found = retrieval(result)
    assert found["mean[a]"].value == 1
    assert found["mean[b]"].value < 0.6
    assert found["difference[b]"].value == pytest.approx(found["mean[b]"].value - 1)
    assert (found["scorer_bias_retrieval"].p_adjusted or 1) <= 0.05
    (lead,) = (e for e in result.estimates if e.is_primary and e.group == "b" and e.system == "copier")
    (note,) = (n for n in lead.notes if n.code == "scorer_retrieves")
    assert note.arguments["explains"] is (decisive(lead)[1] < 0)
    said = f"equally paraphrased sentences of b documents less often in their document ({found['mean[b]'].value:.2f}, others 1.00"
    assert said in worded(note)


def test_without_wordnet_or_a_finding_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the check is made where it may explain a finding; what it lacks is said where it is asked for."""
    monkeypatch.setattr(scorer_checks, "why_not", lambda _: "no dictionary here.")
    assert not taken(cases(), "coverage_parity@party").not_measured[1:]
    asked = taken(cases(), "coverage_parity@party", check_scorers=True)
    (out,) = (out for out in asked.not_measured if out.reason == "no dictionary here")
    assert (out.measure, out.is_scorer_check) == ("self-retrieval@party", True)


@pytest.mark.usefixtures("by_halves")
def test_self_retrieval_by_hand() -> None:
    """A sentence whose own document is alone best counts 1, one that shares the best with another 1/2, another 0."""
    texts = ("One two three four five. Six seven eight nine ten.", "Tin can lid jar box.", "Too short.")
    record = Record("r", documents_of("aba", texts, "x"))
    observation = ScorerBiasRetrieval("x", "s", 5, 0.5)
    cases_ = (Case(record, Summary("r", "s", "")),)
    (ask,) = observation.asks(cases_)
    assert ask.columns == (
        "synone two synthree four synfive.", "synsix seven syneight nine synten.", "syntin can synlid jar synbox.",
    )  # fmt: skip
    scores = Scores(np.array([[1.0, 0.5, 0.9], [0.2, 0.5, 0.2], [0, 0, 0]]), np.arange(3), np.ones(3))
    rows = observation.observe(cases_, [scores], np.array([[0, 1, 0], [1, 0, 0]]))
    totals = Totals({c: i for i, c in enumerate(rows.columns)}, rows.values)
    found = {name: value.array.tolist() for name, value in ScorerBiasRetrieval("x").value(totals).items()}
    assert found["mean[a]"] == pytest.approx([0.75, 0])
    assert found["mean[b]"] == pytest.approx([0, 0.75])
    assert found["difference[b]"] == pytest.approx([-0.75, 0.75])
    alone = Record("r", (Document(texts[0], {"x": "a"}),))
    assert not observation.asks((Case(alone, Summary("r", "s", "")),))


LONG = "The soup was cold. The waiter was kind. " + "Nothing else happened here that day. " * 12


def unit_cases() -> list[Case]:
    """One record of two values; one unit spreads over two sentences, one is in one, one is nowhere."""
    documents = (Document(LONG, {"mood": "good"}), Document("Parking is free.", {"mood": "bad"}))
    units = (Claim("cold soup, kind waiter"), Claim("Parking is free"), Claim("Elephants swim"))
    return [Case(Record("r", documents), Summary("r", "s", "…", units))]


def test_a_unit_over_two_sentences_needs_more_than_one() -> None:
    """The share of identified units grows when a piece holds both sentences that a unit speaks of."""
    found = {row.size: row for row in chunk_sizes(unit_cases(), sizes=("sentence", "50"), threshold=0.9)}
    assert found["sentence"].identified.value == pytest.approx(1 / 3)
    assert found["50"].identified.value == pytest.approx(2 / 3)
    assert found["sentence"].chunks == pytest.approx(15 / 2)
    assert (found["50"].claims, found["50"].records) == (3, 1)


def test_empty_summaries_do_not_enter_and_nothing_at_all_is_said() -> None:
    """A summary without text has no unit to look for."""
    empty = Case(unit_cases()[0].record, Summary("r", "s", "", reason="empty"))
    (row,) = chunk_sizes([empty, *unit_cases()], sizes=("100",))
    assert row.records == 1
    with pytest.raises(DataError, match="No summary has a claim"):
        chunk_sizes([empty])


@pytest.mark.parametrize("size", ["paragraph", "0", "-5", "1.5", ""])
def test_a_size_is_a_sentence_or_a_number_of_words(size: str) -> None:
    """Anything else is refused."""
    with pytest.raises(RequestError, match="not a valid size of pieces"):
        chunk_sizes(unit_cases(), sizes=(size,))
