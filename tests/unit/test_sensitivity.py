"""Whether a finding hangs on one scorer, unit or length: the table, what it says, and what is refused."""

from pathlib import Path

import pytest
from tests.cli.command import printed

import fairbrief
from fairbrief.auditing.sensitivity import tables
from fairbrief.errors import RequestError
from fairbrief.registry import make
from fairbrief.reports import html
from fairbrief.types import Estimate

REVIEWS = "examples/reviews.jsonl"
LEXICAL = ["containment", "ngram", "tfidf"]


def estimate(measure: str, value: float, p: float | None, system: str = "s") -> Estimate:
    """A leading contrast of the group a."""
    return Estimate(
        measure, "difference[a]", system, value, low=value - 0.1, high=value + 0.1, p=p, testable=True, is_primary=True,
        group="a", over="side", kind="group_difference",
    )  # fmt: skip


DEFAULT, OTHER = "uer@side", "uer(scorer=containment)@side"


@pytest.mark.parametrize(("first", "second", "told"), [
    ((-0.3, 0.01), (-0.2, 0.02), "below under all 2"),
    ((0.3, 0.01), (0.2, 0.02), "above under all 2"),
    ((-0.3, 0.01), (-0.2, 0.3), "below under 1 of 2"),
    ((-0.3, 0.01), (0.2, 0.01), "both directions"),
    ((-0.3, 0.4), (0.2, 0.5), "significant under 0 of 2"),
    ((-0.3, None), (0.2, None), "not tested"),
])  # fmt: skip
def test_a_line_sums_up_choices(
    first: tuple[float, float | None], second: tuple[float, float | None], told: str
) -> None:
    """The group's line counts where it is significant and in which direction; a finding that changes direction is called so."""
    estimates = [estimate(DEFAULT, *first), estimate(OTHER, *second)]
    (table,) = tables(estimates, [make("measure", e.measure) for e in estimates], 0.05)
    assert table.rows[0][:2] == ("a · s", told)
    assert [row[0] for row in table.rows[1:]] == ["  scorer=ngram", "  scorer=containment"]


def test_nearer_to_even_than_random_sentences_is_no_finding_in_the_other_direction() -> None:
    """A group difference significantly nearer 0 than that of random sentences does not oppose one beyond them."""
    first, second = estimate(DEFAULT, 0.3, 0.01), estimate(OTHER, 0.02, 0.01)
    beyond = first.replace(extract_baseline=0.1, extract_difference=0.2, extract_p=0.01)
    nearer = second.replace(extract_baseline=0.1, extract_difference=-0.08, extract_p=0.01)
    (table,) = tables([beyond, nearer], [make("measure", DEFAULT), make("measure", OTHER)], 0.05)
    assert [row[1] for row in table.rows] == ["above under 1 of 2", "above", "nearer to even"]


def test_scorers_are_compared_on_terminal_page_and_in_python(tmp_path: Path) -> None:
    """Every road to a reader has the table; measures without such a scorer are taken as they are."""
    measures = ["coverage_parity@sentiment", "uer@sentiment", "rouge1"]
    found = fairbrief.audit(REVIEWS, measures, compared_scorers=LEXICAL, n_resamples=200)
    (coverage, uer) = found.tables
    assert coverage.title == "Does the finding depend on one choice? · coverage_parity@sentiment"
    assert uer.rows[1][0] == "  scorer=containment"
    assert ("negative · rosy", "below under all 3") in [row[:2] for row in coverage.rows]
    assert sum(e.quantity == "rouge1" for e in found.estimates) == 2
    saved = fairbrief.load(found.save(tmp_path / "audit"))
    assert saved.tables == found.tables
    assert coverage.title in str(saved)
    assert "Does the finding depend on one choice?" in html.render(found.result)


def test_the_command_takes_scorers_parted_by_commas() -> None:
    """Commas inside brackets belong to a scorer's settings."""
    measures = ["--measure", "uer@sentiment", "--resamples", "100"]
    assert "scorer=ngram(n=2)" in printed("audit", REVIEWS, *measures, "--scorers", "containment, ngram(n=2)")


@pytest.mark.parametrize(("settings", "told"), [
    ({"measures": ["rouge1"]}, "No measure here is read by scorers that others could replace"),
    ({"measures": ["uer(scorer=containment)@sentiment"]}, "names its scorer"),
    ({"measures": ["uer@sentiment"], "compared_scorers": ["ngarm"]}, "Did you mean 'ngram'"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(settings: dict[str, object], told: str) -> None:
    """Each refusal names what stands in the way."""
    with pytest.raises(RequestError, match=told):
        fairbrief.audit(REVIEWS, **{"compared_scorers": LEXICAL, **settings})  # type: ignore[arg-type]
