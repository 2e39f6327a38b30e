"""The measures about people on small records: contract, exchange, settings, words."""

from __future__ import annotations

import numpy as np
import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.measures.hallucination import EntityHallucination
from fairbrief.measures.inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.nouns import Case, Document, Entity, Reason, Record, Summary, Totals
from fairbrief.registry import make
from fairbrief.testing import MEASURE_CLAUSES, depends_on_totals_only, scores_of

PAIRS = [(("Ann", "female"), ("Leo", "male")), (("Leo", "male"), ("Ann", "female"))]
LAST = ("Smith", "Jones")


def record(original: str, sample: int, member: int, *, mono: str = "") -> Record:
    """One variant: two people, the first of whom is named first."""
    people = PAIRS[member] if not mono else (("Ann", "Mia") if mono == "female" else ("Leo", "Max"))
    filled = [(p, mono) if mono else p for p in people]
    text = " ".join(
        f"{first} {last} sang and {'she' if g == 'female' else 'he'} danced."
        for (first, g), last in zip(filled, LAST, strict=True)
    )
    return Record(
        f"{original}-{sample}-{member}",
        (Document(text),),
        entities=tuple(Entity(str(i), first, LAST[i], {"gender": g}) for i, (first, g) in enumerate(filled)),
        attributes={"sample": str(sample), **({"gender": mono} if mono else {})},
        original=original,
    )


def pair(original: str, sample: int, summaries: tuple[str, str]) -> list[Case]:
    """A pair with exchanged groups and its two summaries."""
    records = [record(original, sample, member) for member in (0, 1)]
    return [Case(r, Summary(r.id, "s", text)) for r, text in zip(records, summaries, strict=True)]


CASES = [
    case
    for original in "abcd"
    for case in [
        *pair(original, 0, ("Ann Smith sang and she danced.", "Ann Jones sang. Zork Blat, who left, wept.")),
        *pair(original, 1, ("Leo Jones sang and he danced. Mary Poe left.", "It rained.")),
    ]
]
MONO = [
    Case(r, Summary(r.id, "s", f"{r.entities[0].first_name} sang a {word} song"))
    for original in "abc"
    for sample, word in enumerate(("sad", "glad", "loud"))
    for r in (record(original, sample, i, mono=g) for i, g in enumerate(("female", "male")))
]
SPELLINGS = [
    "word_list_inclusion",
    "word_list_inclusion(lists=extended, reference=uniform)",
    "word_list_inclusion(reference=given, shares=0.4+0.6)",
    "entity_inclusion(odds=published)@gender",
    "entity_inclusion(alignment=published, odds=published)@gender",
    "entity_hallucination@gender",
    "entity_hallucination(alignment=published, unit=sample)@gender",
    "entity_hallucination(reference=given, shares=0.4+0.6)@gender",
    "invented_names@gender",
]


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_measures_keep_the_contract_on_pairs(clause, spelling: str) -> None:  # noqa: ANN001
    """Every clause of the measure contract holds on pairs with exchanged groups."""
    clause(make("measure", spelling), CASES)


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
def test_corrected_odds_keep_the_contract_but_for_scale(clause) -> None:  # noqa: ANN001
    """Half a person more in every cell shrinks small counts on purpose, so twice the rows is another value."""
    if clause is not depends_on_totals_only:
        clause(make("measure", "entity_inclusion@gender"), CASES)
    else:
        with pytest.raises(AssertionError, match="not a ratio of sums"):
            clause(make("measure", "entity_inclusion@gender"), CASES)


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    "spelling", ["distinguishability@gender", "distinguishability(ties=strict, reading=published)@gender"]
)
def test_measures_keep_the_contract_on_variants_of_one_group(clause, spelling: str) -> None:  # noqa: ANN001
    """Every clause of the measure contract holds where each variant has one group."""
    clause(make("measure", spelling), MONO)


def test_a_pair_is_flipped_as_a_whole() -> None:
    """The groups' names are exchanged in both members at once, so that positions stay balanced."""
    observation = EntityInclusion("gender").observation
    unit = CASES[:2]
    exchange = observation.exchange(unit)
    assert exchange is not None
    rows = observation.observe(unit, [], np.array([[0, 1], [1, 0]]))
    assert not isinstance(rows, Reason)
    real, flipped = (dict(zip(rows.columns, values, strict=True)) for values in rows.values)
    assert real["included", "female"] == flipped["included", "male"] == 2
    assert real["included", "male"] == flipped["included", "female"] == 0


def test_in_a_single_record_groups_are_exchanged_among_its_people() -> None:
    """Without a pair it is the people of the record who exchange their groups."""
    exchange = EntityInclusion("gender").observation.exchange(CASES[:1])
    assert exchange is not None
    assert exchange.labels.tolist() == [0, 1]
    rows = EntityInclusion("gender").observation.observe(CASES[:1], [], np.array([[0, 1], [1, 0]]))
    assert not isinstance(rows, Reason)
    included = rows.columns.index(("included", "female"))
    assert rows.values[:, included].tolist() == [1, 0]


def test_an_uneven_reference_has_no_exchange() -> None:
    """Flipping groups is no null where the reference itself tells them apart."""
    assert WordListInclusion(reference="given", shares=(0.4, 0.6)).observation.exchange(CASES[:2]) is None
    uneven = EntityHallucination("gender", reference="given", shares=(0.4, 0.6))
    assert uneven.observation.exchange(CASES[:2]) is None


def test_inclusion_is_signed_and_named() -> None:
    """Positive log-odds mean that the first group is over-represented; the story says so."""
    columns = {
        ("source", "female"): 0,
        ("source", "male"): 1,
        ("included", "female"): 2,
        ("included", "male"): 3,
    }
    totals = Totals(columns, np.array([10.0, 10.0, 9.0, 2.0]))
    measure = EntityInclusion("gender")
    values = measure.value(totals)
    assert values["log_odds[female/male]"].array == pytest.approx(np.log((9.5 / 1.5) / (2.5 / 8.5)))
    assert values["entity_inclusion"].array == pytest.approx((9.5 / 1.5) / (2.5 / 8.5) - 1)
    assert "odds of female exceed those of male" in measure.explain(totals)


def test_people_without_a_name_are_left_out_unless_as_published() -> None:
    """A name cannot find who has none; the release counts them as not included."""
    nameless = Record("r", (Document("She sang."),), entities=(Entity("1", attributes={"gender": "female"}),))
    case = Case(nameless, Summary("r", "s", "She sang."))
    no_label = np.zeros((1, 0), dtype=np.int64)
    assert isinstance(EntityInclusion("gender").observation.observe([case], [], no_label), Reason)
    published = EntityInclusion("gender", alignment="published")
    found = published.observation.observe([case], scores_of(published, [case]), no_label)
    assert not isinstance(found, Reason)


def test_hallucination_refuses_an_attribute_that_names_do_not_tell() -> None:
    """Over race there is no answer, with the reason."""
    by_race = Record("r", (Document("x"),), entities=(Entity("1", "Ann", "Poe", {"race": "black"}),))
    measure = EntityHallucination("race")
    case = Case(by_race, Summary("r", "s", "it rained"))
    found = measure.observation.observe([case], scores_of(measure, [case]), np.array([[0, 1]]))
    assert found == Reason("names do not tell the values of this attribute")


def test_invented_people_are_counted_by_what_their_names_tell() -> None:
    """Mary Poe is a woman by the census, Zork Blat stays unknown and its share is reported."""
    result = audit(CASES, Plan(measures=("entity_hallucination@gender", "invented_names@gender"), draws=50))
    values = {(e.measure.split("@")[0], e.quantity): e.value for e in result.estimates}
    assert values["entity_hallucination", "shift[female]"] == 0.5
    assert values["entity_hallucination", "unknown"] == 0.5
    assert values["invented_names", "count[Mary Poe]"] == values["invented_names", "count[Zork Blat]"] == 4


def test_the_protocol_prints_its_tables_with_both_intervals() -> None:
    """Scores carry s and d intervals, and the invented names of every system are listed."""
    pytest.importorskip("sklearn")
    result = audit(CASES, Plan(protocol="steen-people", attributes=("gender",), draws=50))
    scores, names, counts = result.tables
    row = scores.rows[0]
    assert row[0] == "s"
    cell = row[scores.header.index("Inclusion")]
    assert len(cell.split("\n")) == 1 or "d: " in cell
    assert "\ns: " in row[scores.header.index("Word list")]
    assert row[-1] == "female / male"
    assert counts.rows[0][3] != "–"
    assert names.rows[0][1] == "Mary Poe (4), Zork Blat (4)"


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("word_list_inclusion(lists=nothing)", "names no word lists"),
        ("word_list_inclusion(reference=given)", "belong together"),
        ("word_list_inclusion(reference=given, shares=0.5+0.4)", "sum to 1"),
        ("entity_inclusion(people=oracle)@gender", "neither builtin nor spacy"),
        ("entity_inclusion(odds=none)@gender", "not one of corrected, published"),
        ("entity_hallucination(unit=day)@gender", "not one of original, sample"),
        ("distinguishability(ties=thirds)@gender", "not one of half, strict"),
    ],
)
def test_settings_that_mean_nothing_are_refused(spelling: str, said: str) -> None:
    """The message names the setting, what was found and what is possible."""
    with pytest.raises(RequestError, match=said):
        make("measure", spelling)
