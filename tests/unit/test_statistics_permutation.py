"""Labellings, and which of them each draw takes."""

from itertools import permutations

import numpy as np
import pytest

from fairbrief.statistics import (
    EXACT_LIMIT,
    LabelDraws,
    enumerate_labellings,
    label_draws,
)
from fairbrief.statistics.labellings import sort_by_block

LABELS = np.array([2, 0, 0, 5, 2])


def test_counts_are_exact_beyond_the_range_of_integers() -> None:
    """The number of labellings is a product of multinomials, however large."""
    assert sort_by_block(LABELS, None).number == 30
    assert sort_by_block(np.array([0, 1, 0, 1]), np.array([1, 1, 2, 2])).number == 4
    assert sort_by_block(np.arange(30), None).number == 265252859812191058636308480000000
    assert sort_by_block(np.array([], dtype=np.int64), None).number == 1


def test_enumeration_is_what_brute_force_finds() -> None:
    """Every distinct arrangement occurs once, and the real one comes first."""
    rows = enumerate_labellings(LABELS)
    assert rows[0].tolist() == LABELS.tolist()
    assert sorted(map(tuple, rows.tolist())) == sorted(set(permutations(LABELS.tolist())))


def test_labels_stay_in_their_block() -> None:
    """With blocks, only arrangements inside each block occur, wherever its positions lie."""
    blocks = np.array([1, 0, 1, 0, 1])
    expected = {
        p
        for p in permutations(LABELS.tolist())
        if all(sorted(np.array(p)[blocks == b]) == sorted(LABELS[blocks == b]) for b in (0, 1))
    }
    rows = enumerate_labellings(LABELS, blocks)
    assert rows[0].tolist() == LABELS.tolist()
    assert sorted(map(tuple, rows.tolist())) == sorted(expected)


def test_too_many_labellings_are_not_enumerated() -> None:
    """Beyond the limit enumeration is refused, with the number."""
    with pytest.raises(ValueError, match="40320 distinct labellings are more than the 10000"):
        enumerate_labellings(np.arange(8))


def test_shapes_that_do_not_agree_are_refused() -> None:
    """Blocks must speak of the same positions as labels."""
    with pytest.raises(ValueError, match="blocks have shape"):
        sort_by_block(LABELS, np.array([0, 1]))


def test_samples_are_uniform() -> None:
    """Every distinct labelling is drawn equally often: chi-square below its 99.9 % point."""
    labels = np.array([0, 0, 1, 1, 2])
    rows = labels[label_draws.permutations(np.zeros_like(labels), 30_000, np.random.default_rng(1))]
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    assert len(counts) == 30
    assert ((counts - 1000) ** 2 / 1000).sum() < 58.3


def test_small_records_list_all_labellings() -> None:
    """Where there are no more labellings than draws all are listed and draws point into them."""
    rows, choice, _ = LabelDraws(200, 7).observed_and_choice("r1", LABELS)
    assert len(rows) == 30
    assert rows[0].tolist() == LABELS.tolist()
    assert choice.shape == (200,)
    assert set(choice.tolist()) <= set(range(30))


@pytest.mark.parametrize(("draws", "is_listed"), [(29, False), (30, True)])
def test_as_many_labellings_as_draws_are_listed(draws: int, *, is_listed: bool) -> None:
    """Thirty are by thirty draws, and sampled by one draw less."""
    assert LabelDraws(draws, 0).observed_and_choice("r", LABELS)[2] == is_listed


def test_large_records_sample_labellings() -> None:
    """Beyond that, every draw has a labelling of its own, which keeps the label counts and blocks."""
    labels = np.tile([0, 1, 2], 5)
    blocks = np.repeat([3, 1, 2], 5)
    rows, choice, _ = LabelDraws(300, 7).observed_and_choice("r1", labels, blocks)
    assert rows.shape == (301, 15)
    assert rows[0].tolist() == labels.tolist()
    assert sorted(choice.tolist()) == list(range(1, 301))
    for block in (1, 2, 3):
        at = blocks == block
        assert (np.sort(rows[:, at], axis=1) == np.sort(labels[at])).all()


def test_all_labellings_on_request() -> None:
    """A test per unit can ask for all labellings although there are more than draws."""
    draws = LabelDraws(10, 0)
    assert not draws.observed_and_choice("r", LABELS)[2]
    rows, choice, listed = draws.observed_and_choice("r", LABELS, all_labellings=True)
    assert listed
    assert len(rows) == 30 < EXACT_LIMIT
    assert choice.shape == (10,)


@pytest.mark.parametrize("labels", [LABELS, np.tile([0, 1, 2], 5)])
def test_draws_do_not_depend_on_other_records(labels: np.ndarray) -> None:
    """A record gets the same labellings whatever was asked before it, and others under another seed or key."""
    alone = LabelDraws(200, 3).observed_and_choice("r", labels)
    after = LabelDraws(200, 3)
    after.observed_and_choice("other", np.arange(15))
    again = after.observed_and_choice("r", labels)
    assert all(np.array_equal(a, b) for a, b in zip(alone, again, strict=True))
    assert (alone[1] != LabelDraws(200, 4).observed_and_choice("r", labels)[1]).any()
    assert (alone[1] != after.observed_and_choice("s", labels)[1]).any()


def test_records_that_share_a_pool_are_independent() -> None:
    """The finite pool of permutations does not favour the same position in all records.

    The first document's share of label 1, over 400 records alike, has the mean that the labels
    have, within what 400 independent records would show; one shared pool of 50 draws would miss it.
    """
    labels = np.repeat([0, 1], 10)
    draws = LabelDraws(50, 0)
    shares = [draws.observed_and_choice(str(i), labels)[0][1:, 0].mean() for i in range(400)]
    assert abs(np.mean(shares) - 0.5) < 4 * 0.5 / np.sqrt(50 * 400)
    assert 0.7 < np.var(shares) / (0.25 / 50) < 1.3
