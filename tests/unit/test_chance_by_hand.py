"""Chance levels and p of single values, on so few clusters and draws that their arithmetic is written out."""

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.stats
from scipy.special import stdtr

from fairbrief.api import audit
from fairbrief.auditing.chance import Permutations, between_chance, flip_chance
from fairbrief.auditing.estimating import Settings, from_random
from fairbrief.auditing.jackknifed import Readings, Units
from fairbrief.auditing.null_sums import Drawn, square_columns
from fairbrief.statistics.jackknife import Spreads, hidden_error
from fairbrief.statistics.resampling import PermutationTest, group_permutation
from fairbrief.types import (
    Case,
    Column,
    Document,
    Entity,
    Floats,
    Integers,
    Ratio,
    Record,
    Summary,
    Totals,
    Value,
)

RATIO = Ratio(((("top",), 1.0),), ((("bottom",), 1.0),))


class OneContrast:
    """An observation with one contrast."""

    def contrasts(self, _columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """Of any columns."""
        return {"d": RATIO}


def chance_of(
    name: str, drawn: Sequence[float], value: Value, *, tops: Sequence[float] = (1, 3),
    draws: Sequence[int] = (0, 1, 2), permutations: float = 4,
) -> PermutationTest | None:  # fmt: skip
    """Clusters 1/2 and 3/2, θ = 1, Σ(top - bottom)² = 2; three draws of θ = 0, ½ and 1, each with the same sum of squares.

    Beside it, before and behind, stands another part, of a third of whose draws the value is undefined.
    """
    columns = {name: i for i, name in enumerate((("top",), ("bottom",), *square_columns("d")))}
    null = np.array([[0.0, 4, 2, 0, 8], [2, 4, 4, 4, 8], [4, 4, 10, 8, 8]])
    real = np.array([[top, 2.0] for top in tops])
    one = Drawn(Totals(columns, null), np.array(draws), math.log(permutations))
    other = Drawn(Totals(columns, null[:2] + 1), np.array([1, 0, 0]), 0.0)
    names = [tuple(map(str, range(len(real))))] * 3
    units = Units({("top",): 0, ("bottom",): 1}, np.stack([real + 2, real, real + 5]), names)
    several = Permutations([other, one, other], OneContrast(), units)
    beside = [np.nan, 3.0]
    read = np.array([7.0, float(value.array), 0.0])
    nulls = dict.fromkeys("md", Value(np.array([*beside, *drawn, *beside])))
    return several.chances(nulls.get(name), value, read)[1]


def test_a_signed_contrast_is_measured_from_what_permuted_labels_read() -> None:
    """From ½: |1 - ½| · 4/√2 is reached by two of three draws, (1 + 2)/4; the two most extreme are tied, 2/4."""
    found = chance_of("d", [0.0, 0.5, 1], Value(np.array(1.0), "both", ("d",)))
    assert found == PermutationTest(3 / 4, 2 / 4, 2 / 4, 0.5)


def test_a_unsigned_score_is_measured_from_zero() -> None:
    """|1| · 4/√2 is reached by one of three draws, (1 + 1)/4; one alone is the most extreme, 1/4."""
    found = chance_of("m", [0.1, 0.2, 0.6], Value(np.array(1.0), "upper", ("d",)))
    assert found == PermutationTest(2 / 4, 1 / 4, 1 / 4, pytest.approx(0.3))


def test_a_value_without_contrasts_is_tested_by_itself() -> None:
    """Of ⅒ and ⅘, nan left out, one reaches ⅘: 2/3, on both sides of ⅕ and ⅒ none reaches 0.9: 2 · 1/3."""
    found = chance_of("m", [0.1, 0.8, np.nan], Value(np.array(0.8), "upper"))
    assert found == PermutationTest(pytest.approx(2 / 3), 1 / 4, pytest.approx(1 / 3), pytest.approx(0.45))
    found = chance_of("m", [0.1, 0.2, np.nan], Value(np.array(0.9), "both"))
    assert found == PermutationTest(pytest.approx(2 / 3), 2 / 4, pytest.approx(2 / 3), pytest.approx(0.15))
    found = chance_of("m", [0.1, 0.2, 0.3], Value(np.array(0.2), "both"))
    assert found.p == 1  # 2 · 3/4, on either side
    assert chance_of("m", [np.nan] * 3, Value(np.array(0.8), "upper")) is None
    assert chance_of("other", [0.0] * 3, Value(np.array(0.8), "upper")) is None


def test_a_contrast_of_exactly_zero_has_no_size_whatever_its_error() -> None:
    """Clusters that say 0 have an error of 0, too: every draw reaches a size of 0, (3 + 1)/4."""
    found = chance_of("m", [0.0, 0.5, 1], Value(np.array(0.0), "upper", ("d",)), tops=(0, 0))
    assert found.p == 1


def test_resamples_that_are_one_draw_count_as_often_as_they_came() -> None:
    """The draw of θ = 0 came once, that of ½ twice: from their mean of 1/3, |1 - 1/3| is reached by none, (0 + 1)/4."""
    found = chance_of("d", [0.0, 0.5, 1], Value(np.array(1.0), "both", ("d",)), draws=(0, 1, 1))
    assert (found.mean, found.p) == (pytest.approx(1 / 3), 1 / 4)


def test_no_p_that_can_be_reached_is_above_one() -> None:
    """Of one label permutation a contrast's p, of both its sides, is 1; of more label permutations than numbers have room for it is above 0."""
    value = Value(np.array(1.0), "both", ("d",))
    found = [chance_of("d", [0.0, 0.5, 1], value, permutations=many) for many in (1, 2, 1e300)]
    assert [one and one.reachable for one in found] == [1.0, 1.0, pytest.approx(2e-300)]


def spread(value: float, without: Sequence[float], error: float, freedom: float) -> Spreads:
    """How far one value varies; each unit contributes."""
    left = np.array([without])
    number, count, se, degrees = (np.array([x]) for x in (value, len(without), error, freedom))
    return Spreads(number, left, np.ones_like(left, dtype=bool), count, se, degrees)


def flips(
    said: list[float], value: Value, error: float = 1.0, *, items: Any = None
) -> PermutationTest | None:
    """Turned signs of clusters that say so of one value, their mean."""
    whole, m = float(np.mean(said)), len(said)
    without = ((m * whole - np.array(said)) / (m - 1)).tolist()
    found = spread(whole, without, error, m - 1)
    here: Any = SimpleNamespace(
        here={"d": Value(np.array(whole), is_between=items is not None)},
        units=SimpleNamespace(names=[[f"c{i}" for i in range(m)]]),
        spreads={"d": found}.__getitem__,
        items=lambda _: np.array([items]),
    )
    return flip_chance(here, 0, "d", value, 100, 0)


def test_signs_of_clusters_that_say_something_are_turned() -> None:
    """Of 1, 2, 3 and nothing the four sums 6, 4, 2, 0 are all ways: 1/4 of them reach 6."""
    signed = Value(np.array(1.5), "both", ("d",))
    assert flips([1, 2, 3, 0], signed) == PermutationTest(1 / 4, 1 / 4, 1 / 4, 0.0)
    level = Value(np.array(1.5), "upper", ("unknown",))
    assert flips([1, 2, 3, 0], level) == PermutationTest(1 / 4, 1 / 4, 1 / 4, None)
    folded = Value(np.array(1.5), "upper", ("d",), fold=lambda sums: np.abs(sums[..., 0]))
    found = flips([1, 2, 3, 0], folded)
    assert found.mean == pytest.approx((6 + 4 + 2 + 0) / 4 / 4)


def test_clusters_that_say_nothing_have_no_p_below_one() -> None:
    """A signed contrast then reads 0 by chance, a unsigned score nothing that is known; without an error there is no chance."""
    assert flips([0, 0, 0], Value(np.array(0.0), "both")) == PermutationTest(1.0, 1.0, 1.0, 0.0)
    assert flips([0, 0, 0], Value(np.array(0.0), "upper")) == PermutationTest(1.0, 1.0, 1.0, None)
    assert flips([1, 2, 3], Value(np.array(2.0), "both"), error=np.nan) is None


def test_units_that_hold_both_groups_are_tested_by_the_jackknife_t() -> None:
    """A value of 2 with an error of 1 on 2 degrees of freedom: p = 1 - 2/√6; no label permutation bounds it."""
    found = flips([1, 2, 3], Value(np.array(2.0), "both", ("d",)), items=[(1.0, 1), (1, 0), (0, 1)])
    assert found == PermutationTest(pytest.approx(1 - 2 / 6**0.5), 0.0, 0.0, 0.0)


def between(tops: Floats, bottoms: Floats, kinds: Integers) -> PermutationTest | None:
    """The test of the difference of the ratios of two groups of clusters, with 100 draws."""
    every, n = np.ones(len(tops), dtype=bool), len(tops)
    kept = [left & (kinds == k) for left in (every, *~np.eye(n, dtype=bool)) for k in (1, 2)]
    each = [tops[of].sum() / bottoms[of].sum() for of in kept]
    whole, *without = np.subtract(each[::2], each[1::2]).tolist()
    items = np.where(kinds[:, np.newaxis] == [1, 2], bottoms[:, np.newaxis], 0.0)
    return between_chance(spread(whole, without, 1.0, n - 2), 0, items, [f"c{i}" for i in range(n)], 100, 0)


def test_groups_of_clusters_are_permuted_where_the_smaller_has_up_to_twenty() -> None:
    """Of 6 and 6 clusters 924 permutations are listed; where the groups' values do not overlap 2 of them reach Welch's t."""
    values = np.array([10.0, 11, 12, 13, 14, 15, 1, 2, 3, 4, 5, 6])
    assert between(values, np.ones(12), np.repeat([1, 2], 6)) == PermutationTest(2 / 924, 1 / 924, 1 / 924)


def test_clusters_with_equal_numbers_are_tied_whatever_their_group() -> None:
    """Two of 14 clusters have a loss, both in the group of 8: of 91 places for the two, 28 are there and 15 in the group of 6, which
    is as extreme. That the 8 have more items does not tell their other clusters from the 6.
    """
    tops, bottoms, is_first = (
        np.r_[np.full(12, -0.2), 0.6, 0.6],
        np.r_[np.ones(12), 2.0, 2.0],
        np.arange(14) < 6,
    )
    found = group_permutation(tops, bottoms, is_first, [f"c{i}" for i in range(14)], 100, 0)
    assert found.p == pytest.approx(43 / 91)


def test_a_group_whose_clusters_are_all_equal_is_tested_by_the_t() -> None:
    """Of zeros against 1 to 6 and an error of 1, p is that of 3.5 on 10 degrees of freedom, where 2 of 924 permutations reach it."""
    found = between(np.r_[np.zeros(6), 1:7], np.ones(12), np.repeat([1, 2], 6))
    assert found is not None
    assert found.p == pytest.approx(2 * stdtr(10, -3.5))


def test_groups_in_fewer_than_six_clusters_are_not_tested() -> None:
    """Five clusters against forty have no p."""
    assert between(np.arange(45.0), np.ones(45), np.repeat([1, 2], [5, 40])) is None


def test_ways_that_are_too_many_to_list_are_drawn() -> None:
    """Of 16 clusters' 2^15 ways 100 are drawn, none of which turns none or all: one of 101."""
    found = flips([1.0] * 16, Value(np.array(1.0), "both", ("d",)))
    assert found == PermutationTest(1 / 101, 1 / 2**15, 1 / 101, 0.0)


def test_a_few_clusters_that_are_alike_do_not_differ_from_random_sentences() -> None:
    """Five summaries lack a rare group, as chance alone makes them: p is that of five equal signs, 1/16, and the interval has 0."""
    x = np.array([[-1.0, -1.01, -0.99, -1, -1]])
    less = Readings(x.mean(axis=1), (x.sum() - x) / 4, x)
    here: Any = SimpleNamespace(here={"d": Value(np.array(-1.0), "both")}, hidden_error=lambda _: 0.0)
    (found,) = from_random(less, [here], "d", None, Settings())
    assert found["extract_p"] == 1 / 16
    assert found["extract_difference_low"] < found["extract_difference_high"] == 0


def test_a_difference_from_random_sentences_has_students_interval_and_p() -> None:
    """Those of a mean of eight numbers: seven degrees of freedom."""
    x = np.array([[-1.0, 0, 1, 2, 3, 4, 5, 8]])
    less = Readings(x.mean(axis=1), (x.sum() - x) / 7, x)
    here: Any = SimpleNamespace(here={"d": Value(np.array(2.75), "both")}, hidden_error=lambda _: 0.0)
    (gap,) = from_random(less, [here], "d", None, Settings())
    wanted = scipy.stats.ttest_1samp(x[0], 0)
    assert gap["extract_p"] == pytest.approx(wanted.pvalue)
    assert (gap["extract_difference_low"], gap["extract_difference_high"]) == pytest.approx(
        wanted.confidence_interval()
    )


def test_a_cluster_that_changed_its_group_between_two_audits_has_both() -> None:
    """Whichever audit comes first, p is that of the jackknife t; it is of permuted groups where none has changed."""
    x = np.array([[0.5, 0.1, 0.3, -0.2, 0.0, 0.1, -0.1, 0.2]])
    less = Readings(x.mean(axis=1), (x.sum() - x) / 7, x)

    def side(first: int) -> Any:
        groups = np.array([[[1.0, 0.0] if i < first else [0.0, 1.0] for i in range(8)]])
        value, units = Value(np.array(0.1), "both", is_between=True), SimpleNamespace(names=["abcdefgh"])
        return SimpleNamespace(
            here={"d": value}, items=lambda _: groups, units=units, hidden_error=lambda _: 0.0
        )

    pairs = ((side(4), side(3)), (side(3), side(4)), (side(4), side(4)), (side(4),))
    changed, back, same, alone = (
        from_random(less, pair, "d", None, Settings())[0]["extract_p"] for pair in pairs
    )
    assert changed == back != same == alone


@pytest.mark.parametrize(
    ("items", "hidden"), [(1.0, 4 / 4 + 4.0 / 8), (0.5, 8 / 4 + 4.0 / 8), (2.0, 4 / 4 + 4.0 / 8)]
)
def test_a_group_whose_clusters_are_all_equal_has_the_error_of_the_other(items: float, hidden: float) -> None:
    """Four clusters say 0, and four others −2 with a squared error of 1. The four have that error, too; with half as many items, twice
    as large a squared one. The spread between both adds 2²/8.
    """
    of_groups = np.kron(np.eye(2), np.ones((4, 1))) * [items, 1.0]
    shifts = np.zeros((2, 1, 8))
    shifts[1, 0, 4:] = 0.1, -0.1, 0.2, -0.2
    found = spread(2.0, [2.0] * 8, 1.0, 6)
    assert hidden_error(found, shifts, of_groups[np.newaxis]).tolist() == [hidden - 1.0]
    assert hidden_error(found, shifts + 0.1, of_groups[np.newaxis]).tolist() == [0.0]


@pytest.mark.parametrize(("per_home", "is_shared"), [(1, False), (1, True), (6, False)])
def test_a_few_records_that_lose_nothing_are_not_certain(per_home: int, is_shared: bool) -> None:
    """Ages are lost with 0.1 or 0.2, by chance none of the eight of the old: also where an old person shares the home of a young one,
    and where the young live six to a home.
    """
    losses = np.random.default_rng(0).random(32 * per_home) < (0.2 if per_home == 1 else 0.1)
    people = [(f"old {i}", "old", False) for i in range(8)]
    people += [(f"young {i // per_home}", "young", is_lost) for i, is_lost in enumerate(losses.tolist())]
    cases = []
    for i, (home, group, is_lost) in enumerate(people):
        texts = [f"The client is {80 if group == 'old' else 30} years old.", f"Note {i} was filed."]
        of_record = {"group": group, "home": "old 0" if is_shared and home == "young 0" else home}
        record = Record(f"r{i}", (Document(" ".join(texts)),), attributes=of_record, cluster_by="home")
        cases.append(Case(record, Summary(record.id, "s", " ".join(texts[is_lost:]))))
    found = audit(cases, ["attribute_mentions@group"], n_extracts=0)
    (kept,) = (e for e in found.estimates if e.quantity == "kept[age, old−young]")
    assert kept.value == pytest.approx(losses.mean())
    assert (kept.p or 0.0) > 0.05
    assert (kept.low or 0.0) < 0 < (kept.high or 0.0)


def test_two_systems_do_not_differ_because_one_names_every_woman() -> None:
    """Of eight women one system names all and the other six, and of 80 men both omit five: chance gives that in half of the cases."""
    cases = []
    for system, women in (("x", ()), ("y", (0, 20))):
        for i in range(40):
            people = [("Mary", "Walsh", "female")][: i % 5 == 0]
            people += [("James", "Keller", "male"), ("John", "Novak", "male")]
            entities = tuple(Entity(f"e{k}", a, b, {"gender": g}) for k, (a, b, g) in enumerate(people))
            omitted = {"James" if system == "x" else "John"} if i % 9 == 0 else set()
            omitted |= {"Mary"} if i in women else set()
            texts = [f"{first} {last} spoke." for first, last, _ in people]
            record = Record(f"r{i}", (Document(" ".join(texts)),), entities=entities)
            said = [t for t, (first, *_) in zip(texts, people, strict=True) if first not in omitted]
            cases.append(Case(record, Summary(record.id, system, " ".join(said))))
    found = audit(cases, ["entity_inclusion@gender"])
    (gap,) = (e for e in found.differences if e.quantity == "log_odds[female/male]")
    assert (gap.p or 0.0) > 0.05
    assert (gap.low or 0.0) < 0 < (gap.high or 0.0)
