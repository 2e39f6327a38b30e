"""Coverage on so few documents and units that its arithmetic is written out."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.rows_by_hand import added, answer, by_column, numbers

from fairbrief import types as t
from fairbrief.measures.coverage import Coverage, CoverageParity, EqualCoverage, merge_mutual
from fairbrief.score_tables import ScoredUnits

L = math.log(2)
SENTENCES = Coverage("side", claims="sentences")


def case(groups: str, words: Sequence[int] = (), claims: int = 1) -> t.Case:
    """A record with a document for each letter, its group, and a summary of so many units."""
    lengths = words or [1] * len(groups)
    documents = tuple(
        t.Document(" ".join(["word"] * n) or "!", {"side": g}) for g, n in zip(groups, lengths, strict=True)
    )
    units = tuple(t.Claim(f"u{j}") for j in range(claims))
    return t.Case(t.Record("r", documents), t.Summary("r", "s", "Text.", units))


def observed(
    groups: str, support: Sequence[Sequence[float]], words: Sequence[int] = (), labels: Sequence[int] = (), **settings: Any
) -> dict[t.Column, float]:  # fmt: skip
    """A record's row by column; under its real label permutation where no other is given."""
    one = (case(groups, words, len(support[0])),)
    observation = Coverage("side", **settings)
    real = [sorted(set(groups)).index(g) for g in groups]
    return by_column(observation.observe(one, (answer(support),), np.array([real, labels or real])), 1)


def test_a_record_of_three_groups_is_read_as_written_out() -> None:
    """Documents are covered 0.8, 0.2, 0.7 and 0.3, on average 0.5: a by 0 more, b by 0.2 more, c by 0.2 less."""
    assert observed("aabc", [[1.0, 0.6], [0.4, 0.0], [0.9, 0.5], [0.3, 0.3]], pairwise=True) == pytest.approx(
        {
            ("one",): 1, ("gap",): 0.4 / 3, ("level",): 0.5,
            ("words",): 1, ("words in claims",): 0, ("claims",): 2, ("claims supported",): 2,
            ("documents", "a"): 2, ("documents", "b"): 1, ("documents", "c"): 1,
            ("difference", "a"): 0, ("difference", "b"): 0.2, ("difference", "c"): -0.2,
            ("shift", "a"): 0, ("shift", "b"): 0.2, ("shift", "c"): -0.2,
            ("record mean", "a"): 1, ("record mean", "b"): 0.5, ("record mean", "c"): 0.5,
            ("between", "a", "b"): -0.2, ("between", "a", "c"): 0.2, ("between", "b", "c"): 0.4,
            ("pairs", "a", "b"): 1, ("pairs", "a", "c"): 1, ("pairs", "b", "c"): 1,
            ("extreme", "a"): 0, ("extreme", "b"): 0.2, ("extreme", "c"): -0.2,
            ("extremes", "a"): 0, ("extremes", "b"): 1, ("extremes", "c"): 1,
            ("dominated", "a"): 1, ("dominated gap", "a"): 0.4 / 3,
            ("dominated documents", "a", "a"): 2, ("dominated difference", "a", "a"): 0,
            ("dominated documents", "a", "b"): 1, ("dominated difference", "a", "b"): 0.2,
            ("dominated documents", "a", "c"): 1, ("dominated difference", "a", "c"): -0.2,
            ("dominated extreme", "a", "a"): 0, ("dominated extremes", "a", "a"): 0,
            ("dominated extreme", "a", "b"): 0.2, ("dominated extremes", "a", "b"): 1,
            ("dominated extreme", "a", "c"): -0.2, ("dominated extremes", "a", "c"): 1,
            ("log length", "a"): 0, ("log length", "b"): 0, ("log length", "c"): 0,
        }
    )  # fmt: skip


def test_exchanged_labels_move_documents_between_groups() -> None:
    """With the first and the third document exchanged, a holds 0.2 and 0.7, on average 0.05 less than 0.5, and b 0.8."""
    row = observed("aabc", [[0.8], [0.2], [0.7], [0.3]], labels=[1, 0, 0, 2], pairwise=True)
    assert row["gap",] == pytest.approx((0.05 + 0.3 + 0.2) / 3)
    assert row["difference", "a"] == pytest.approx(-0.1)
    assert row["shift", "a"] == pytest.approx(-0.05)
    assert row["extreme", "b"] == pytest.approx(0.3)
    assert row["between", "b", "c"] == pytest.approx(0.5)


def test_a_unit_that_no_document_supports_is_not_a_supported_unit() -> None:
    """One unit of two is supported, by ½: coverage ¼ of all units, ½ of those that are covered."""
    support = [[0.5, 0.0], [0.0, 0.0]]
    every, covered = observed("ab", support), observed("ab", support, denominator="covered")
    assert (every["claims",], every["claims supported",]) == (2, 1)
    assert (every["level",], covered["level",]) == (1 / 8, 1 / 4)


def test_length_is_told_from_coverage_within_groups() -> None:
    """Logs of the lengths are 0, 2L (a), L, 3L (b), on average 1.5L. Within groups they lie ±L from their mean: squares
    4L², and coverage 0.2, 0.4 and 0.5, 0.9: products 0.2L + 0.4L; slope 0.15/L.
    """
    row = observed("aabb", [[0.2], [0.4], [0.5], [0.9]], words=[1, 4, 2, 8])
    assert row["log length", "a"] == pytest.approx(-L)
    assert row["log length", "b"] == pytest.approx(L)
    assert row["length²",] == pytest.approx(4 * L**2)
    assert row["length·coverage",] == pytest.approx(0.6 * L)
    found = CoverageParity("side").value(added(row))
    assert {name: value.group for name, value in found.items() if "length" in name} == {
        "log_length[a]": "a", "log_length[b]": "b",
        "equal_length_difference[a]": "a", "equal_length_difference[b]": "b",
    }  # fmt: skip
    assert found["equal_length_difference[a]"].has_baseline
    assert found["equal_length_difference[a]"].is_compared
    assert numbers(found) == pytest.approx(
        {
            "coverage_parity": 0.2,
            "relative_difference[a]": -0.2 / 0.5, "relative_difference[b]": 0.2 / 0.5,
            "difference[a]": -0.2, "difference[b]": 0.2,
            "log_length[a]": -L / 2, "log_length[b]": L / 2,
            "equal_length_difference[a]": (-0.2 + 0.15 / 2) / 0.5,
            "equal_length_difference[b]": (0.2 - 0.15 / 2) / 0.5,
        }
    )  # fmt: skip


def test_parity_reads_the_extremes_of_records() -> None:
    """Of 0.8, 0.2 and 0.8 in a record a and c are best, of whom the first counts; of 0.2 and 0.8 in another b is."""
    first, second = observed("abc", [[0.8], [0.2], [0.8]]), observed("ab", [[0.2], [0.8]])
    assert (first["extreme", "a"], first["extreme", "b"]) == pytest.approx((0.2, -0.4))
    assert (first["extremes", "c"], first["extreme", "c"]) == (0, 0)
    found = CoverageParity("side", extremes=True).value(added(first, second))
    assert numbers(found) == pytest.approx(
        {
            "coverage_parity": (0.05 + 0.05) / 2,
            "difference[a]": (0.2 - 0.3) / 2, "difference[b]": (-0.4 + 0.3) / 2, "difference[c]": np.nan,
        },
        nan_ok=True,
    )  # fmt: skip
    assert not any(value.contrasts or value.has_baseline for value in found.values())


DOMINATED = (("aab", [[0.6], [0.4], [0.2]]), ("abb", [[0.0], [0.6], [0.6]]))
"""Records that a and b dominate, with the coverage of their documents."""


def test_parity_is_told_by_the_group_that_dominates() -> None:
    """Group a is covered by 0.1 more where it dominates and 0.4 less where b does: 0.5; b by 0.2 less and 0.2 more: 0.4."""
    rows = [observed(groups, support, pairwise=True) for groups, support in DOMINATED]
    assert rows[0]["dominated difference", "a", "a"] == pytest.approx(0.2)
    assert rows[0]["dominated documents", "a", "a"] == 2
    assert rows[1]["dominated difference", "b", "a"] == pytest.approx(-0.4)
    found = CoverageParity("side", pairwise=True).value(added(*rows))
    assert float(found["by_dominance"].array) == pytest.approx(0.5)
    alone = CoverageParity("side", pairwise=True).value(added(rows[0]))
    assert np.isnan(alone["by_dominance"].array)


@pytest.mark.parametrize("one_way", [(0.9, 0.5), (0.5, 0.9), (0.5, 0.5)])
def test_units_merge_above_the_threshold_alone(one_way: tuple[float, float]) -> None:
    """The first two entail each other by 0.9 and 0.6, both above ½; the last two do not, 0.5 not being above."""
    between = np.array([[1.0, 0.9, 0.0], [0.6, 1.0, one_way[0]], [0.0, one_way[1], 1.0]])
    support = np.array([[0.1, 0.4, 0.7], [0.3, 0.2, 0.0]])
    assert merge_mutual(support, between, 0.5).tolist() == [[0.4, 0.7], [0.3, 0.0]]


def extracts(kept: Sequence[Sequence[float]]) -> tuple[t.Extracts]:
    """Extracts of a record, by which sentences each keeps."""
    return (t.Extracts(tuple(f"S{i}." for i in range(len(kept[0]))), np.array(kept)),)


def test_extracts_are_read_as_written_out() -> None:
    """Two extracts, of the first sentence and of the last two. By the first a is covered 0.8 and b 0.2: a gap of 0.3 at
    a level of 0.5; by the second 0.1 and 0.3: 0.1 at 0.2. Lengths of 1 and 4 words: logs -L and L.
    """
    one, support = (case("ab", [1, 4]),), (answer([[0.8, 0.2, 0.0], [0.2, 0.0, 0.6]]),)
    rows = SENTENCES.observe_extracts(one, extracts([[1, 0, 0], [0, 1, 1]]), support)
    assert by_column(rows) == pytest.approx(
        {
            ("one",): 1, ("gap",): (0.3 + 0.1) / 2, ("level",): (0.5 + 0.2) / 2,
            ("documents", "a"): 1, ("documents", "b"): 1,
            ("difference", "a"): (0.3 - 0.1) / 2, ("difference", "b"): (-0.3 + 0.1) / 2,
            ("record mean", "a"): (0.5 + 0.2) / 2, ("record mean", "b"): (0.5 + 0.2) / 2,
            ("log length", "a"): -L, ("log length", "b"): L, ("length²",): 0, ("length·coverage",): 0,
        }
    )  # fmt: skip
    given = Coverage("side").observe_extracts(one, extracts([[1, 0, 0]]), support)
    assert given == t.Reason("the summary's claims were given, the sources' were not")


def test_an_extract_of_no_sentence_covers_nothing() -> None:
    """Its mean over no sentence is 0, and counts: of two extracts the other is covered 0.8 and 0.2."""
    support = (answer([[0.8, 1], [0.2, 1]]),)
    row = by_column(SENTENCES.observe_extracts((case("ab"),), extracts([[0, 0], [1, 0]]), support))
    assert (row["level",], row["gap",]) == pytest.approx((0.25, 0.15))


def test_documents_that_are_not_covered_are_covered_100_percent_less() -> None:
    """No document of a is covered, where the others are by 0.8 and by 0.4: 1 less than their records' 0.4 and 0.2, also
    beside a record without a, of a low level of its own, whose documents say nothing of a.
    """
    rows = [
        observed("ab", [[0.0], [0.8]]), observed("aabb", [[0.0], [0.0], [0.4], [0.4]]), observed("bc", [[0.1], [0.0]]),
    ]  # fmt: skip
    found = numbers(CoverageParity("side").value(added(*rows)))
    assert found["relative_difference[a]"] == pytest.approx(-1)
    assert found["difference[a]"] == pytest.approx((-0.4 - 2 * 0.2) / 3)
    assert found["relative_difference[b]"] == pytest.approx((0.4 + 2 * 0.2 + 0.05) / (0.4 + 2 * 0.2 + 0.05))


def test_draws_without_a_group_have_no_number_of_it() -> None:
    """Documents of a are covered by 0.2 more in all and by 0.4 less, over three documents 0.2/3 less; b as much more. The
    second draw lacks the record that b dominates, and so has no second side; the third has nothing.
    """
    first, second = (observed(groups, support, pairwise=True) for groups, support in DOMINATED)
    both = added(first, second)
    alone = np.array([first.get(c, 0.0) for c in both.columns])
    draws = t.Totals(both.columns, np.stack([both.array, alone, np.zeros(len(alone))]))
    gaps = EqualCoverage("side", pairwise=True).value(draws)["by_dominance"].array
    assert gaps.tolist() == pytest.approx([0.15, np.nan, np.nan], nan_ok=True)
    parity = CoverageParity("side", pairwise=True).value(draws)
    assert parity["by_dominance"].array.tolist() == pytest.approx([0.5, np.nan, np.nan], nan_ok=True)
    assert parity["coverage_parity"].array.tolist() == pytest.approx([0.2 / 3, 0.15, np.nan], nan_ok=True)
    assert np.isnan(parity["relative_difference[a]"].array[2])


def test_extracts_that_keep_the_same_sentences_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few sentences each subset is read once, and counts as often as it was drawn."""
    rng = np.random.default_rng(1)
    one = (case("aab", [1, 2, 4]),)
    kept = [extracts(rng.integers(0, 2, (50, 3)).tolist()) for _ in range(3)]
    units = ScoredUnits.of([(one, (answer(rng.random((3, 3)).tolist()),)) for _ in kept], kept)
    labels = np.array([[[0, 0, 1]]] * len(kept))
    (once,), _ = SENTENCES.observe_many(units, labels)
    monkeypatch.setattr("fairbrief.measures.bases.FEW", 0)
    (each,), _ = SENTENCES.observe_many(units, labels)
    assert np.allclose(once.values, each.values, rtol=0, atol=1e-12)
