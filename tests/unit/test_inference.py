"""What intervals and tests are made of: jackknife, clusters in common, turned signs, permutations, random extracts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.jackknifed_value import spread

from fairbrief.auditing import extracts
from fairbrief.auditing import parts as parts_module
from fairbrief.auditing.extracts import AS_LONG, NO_SENTENCE, ExtractDraws, kept_sentences
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.origins import WHOLE, Origin
from fairbrief.auditing.parts import CommonClusters, Part, parts_of
from fairbrief.measures.representation import Uer
from fairbrief.statistics import jackknife
from fairbrief.statistics.jackknife import (
    leave_one_out,
    t_interval,
    t_test,
)
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.statistics.resampling import flipped
from fairbrief.types import Case, Document, Extracts, Reason, Record, Summary

NUMBERS = st.lists(st.floats(-5, 5), min_size=4, max_size=30)


def mean_spread(x: np.ndarray) -> object:
    """The jackknife of a mean."""
    rows = np.column_stack([x, np.ones(len(x))])
    left = leave_one_out(rows)
    return spread(x.mean(), left[:, 0] / left[:, 1], x)


@settings(deadline=None)
@given(NUMBERS)
def test_the_jackknife_of_a_mean_is_its_t_interval(numbers: list[float]) -> None:
    """Error, degrees of freedom and p are those of Student's one-sample test."""
    x = np.array(numbers)
    if x.std() < 1e-6 or abs(x.mean()) < 1e-6:
        return
    found = mean_spread(x)
    error = x.std(ddof=1) / np.sqrt(len(x))
    half = stats.t.ppf(0.975, len(x) - 1) * error
    assert t_interval(found, 0.95) == pytest.approx((x.mean() - half, x.mean() + half), abs=1e-8)
    assert t_test(found) == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=1e-8)


def test_groups_of_unequal_spread_have_satterthwaites_degrees_of_freedom() -> None:
    """The difference of two means has about the degrees of freedom of Welch's test."""
    rng = np.random.default_rng(0)
    a, b = 3 * rng.normal(size=5), rng.normal(size=40)
    rows = np.zeros((45, 4))
    rows[:5, 0], rows[:5, 1], rows[5:, 2], rows[5:, 3] = a, 1, b, 1

    def difference(t: np.ndarray) -> np.ndarray:
        return t[..., 0] / t[..., 1] - t[..., 2] / t[..., 3]

    strata = (rows[:, 1] > 0).astype(np.int64)
    found = spread(difference(rows.sum(axis=0)), difference(leave_one_out(rows)), np.full(45, np.nan), strata)
    welch = stats.ttest_ind(a, b, equal_var=False).df
    assert found.freedom == pytest.approx(welch, rel=0.15)


def test_signs_depend_on_the_clusters_names_alone() -> None:
    """Another order of the clusters turns the same signs."""
    rng = np.random.default_rng(1)
    said, names = rng.normal(size=(30, 2)), [f"c{i}" for i in range(30)]
    order = rng.permutation(30)
    first, _ = flipped(said, names, 50, 3)
    second, _ = flipped(said[order], [names[i] for i in order], 50, 3)
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_records_that_share_documents_are_labelled_alike() -> None:
    """In each resample a document moves alike in all records of its cluster, whatever else they hold."""
    draws = LabelDraws(200, 0)
    labels, items = np.array([0, 0, 1, 1]), np.array([11, 22, 33, 44])
    order = np.array([2, 0, 3, 1])
    rows, choice, exact = observed_and_choice(draws, "c", labels, items=items)
    other, chosen, _ = observed_and_choice(draws, "c", labels[order], items=items[order])
    assert exact
    assert (rows[choice][:, order] == other[chosen]).all()
    counts = {tuple(row) for row in rows[choice].tolist()}
    assert counts == set(permutations([0, 0, 1, 1]))


def test_extracts_are_as_long_as_the_summary_on_average() -> None:
    """The sentence that crosses the length is kept as often as is needed; at least one sentence always is."""
    rng = np.random.default_rng(0)
    lengths = np.array([3, 9, 5, 7, 11, 4])
    kept = kept_sentences(rng.random((20_000, 7)), lengths, 15)
    assert (kept @ lengths).mean() == pytest.approx(15, abs=0.1)
    alone = kept_sentences(rng.random((2_000, 7)), lengths, 1)
    assert (alone.sum(axis=1) == 1).all()


COLUMNS = (("a",), ("b",))
CLUSTERS = st.lists(st.integers(0, 12), max_size=20)


def answers(system: str, clusters: list[int]) -> Part:
    """The rows of a system, one for each time that a cluster is named; each row is a number of its own."""
    ledger = Ledger(Uer(over="side").observation, 0)
    for i, cluster in enumerate(clusters):
        values = np.array([[2.0**i, cluster]])
        row = RowBlock(np.zeros(1, dtype=np.int64), COLUMNS, values[np.newaxis], None)
        ledger.write([Origin(system, f"r{i}", f"c{cluster:02}")], [[row]])
    return parts_of(ledger, (), 5)[system, WHOLE]


@pytest.mark.parametrize("one_by_one", [2, 1000])
@given(st.data())
def test_units_are_of_the_clusters_that_all_answered(one_by_one: int, data: st.DataObject) -> None:
    """Whether clusters are left out alone or in groups, whether a cluster has several rows, in the order of the first system."""
    several = [data.draw(CLUSTERS.filter(bool)) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts_module, "ONE_BY_ONE", one_by_one)
        patched.setattr(jackknife, "ONE_BY_ONE", one_by_one)
        parts = [answers(system, clusters) for system, clusters in zip("xyz", several, strict=True)]
        common = [c for c in dict.fromkeys(several[0]) if c in several[1] and c in several[2]]
        wanted = [f"c{c:02}" for c in common]
        answered = CommonClusters.of(parts)
        places = answered.by_all(range(3))
        assert [answered.clusters[i] for i in places.tolist()] == wanted
        for i, clusters in enumerate(several):
            found = answered.units(i, places, 5)
            sums = np.zeros((len(common), 2))
            for i, cluster in enumerate(clusters):
                if cluster in common:
                    sums[common.index(cluster)] += [2.0**i, cluster]
            group = jackknife.groups_of(wanted, 5)
            by_unit = np.zeros((len(sums) if group is None else int(group.max()) + 1, 2))
            np.add.at(by_unit, np.arange(len(sums)) if group is None else group, sums)
            assert found.sums[0].tolist() == by_unit.tolist()
            assert bool(found.clusters) == (group is not None)
            if group is None:
                assert found.names == [tuple(wanted)]


def case(summary: str, *documents: str) -> tuple[Case]:
    """A record and its summary."""
    return (Case(Record("r", tuple(map(Document, documents))), Summary("r", "s", summary)),)


@pytest.mark.parametrize(
    ("words", "coin", "kept"),
    [
        (3, 0.0, [0, 1, 0]),
        (6, 0.59, [0, 1, 1]),
        (6, 0.6, [0, 1, 0]),
        (8, 0.99, [0, 1, 1]),
        (9, 0.2, [1, 1, 1]),
        (9, 0.25, [0, 1, 1]),
        (2, 0.99, [0, 1, 0]),
    ],
)
def test_the_sentence_that_crosses_is_kept_by_its_missing_words(
    words: int, coin: float, kept: list[int]
) -> None:
    """The second sentence of 3 words is drawn first, then the third of 5, then the first of 4. Of 6 words 3 are missing
    before the third: it is kept where the coin is below 3/5. Of 9 one is missing before the first: below 1/4. Of 2 the
    second is kept all the same.
    """
    numbers = np.array([0.3, 0.1, 0.2, coin])
    assert kept_sentences(numbers, np.array([4, 3, 5]), words).tolist() == kept


def test_sorted_and_compared_sentences_are_kept_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many sentences are sorted, a few compared with each other: the extracts are the same."""
    rng = np.random.default_rng(5)
    numbers = rng.random((4, 50, 8))
    lengths, words = rng.integers(1, 9, (4, 1, 7)), rng.integers(1, 40, (4, 1, 1))
    compared = kept_sentences(numbers, lengths, words)
    monkeypatch.setattr(extracts, "COMPARED", 0)
    np.testing.assert_array_equal(compared, kept_sentences(numbers, lengths, words))


def test_records_that_are_drawn_together_have_orders_of_their_own() -> None:
    """Two records of two sentences, of 2 and 3 words and of 4 and 1, each twice in either order: one of them fits 3 words."""
    numbers = np.array([[[0.1, 0.2, 0.9], [0.4, 0.3, 0.9]]] * 2)
    lengths, words = np.array([[[2, 3]], [[4, 1]]]), np.array([[[3]], [[3]]])
    assert kept_sentences(numbers, lengths, words).tolist() == [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]


def test_a_summary_as_long_as_its_source_has_no_extract() -> None:
    """Of 5 words there are extracts of 4, none of 5 or more; a source without a sentence has none of any length."""
    draws = ExtractDraws(4, seed=0)
    texts = ("One two three.", "Four five.")
    assert (
        draws.extracts_of([case("a b c d e", *texts)])[0]
        == AS_LONG
        == Reason("the summary is as long as its source")
    )
    ((found,),) = draws.extracts_of([case("a b c d", *texts)])  # type: ignore[misc]
    assert isinstance(found, Extracts)
    assert found.sentences == texts
    assert found.kept.shape == (4, 2)
    assert ExtractDraws(4, seed=0).extracts_of([case("a", " ")]) == [NO_SENTENCE]
