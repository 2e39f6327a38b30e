"""Cutting long texts, and filling batches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.errors import BackendError
from fairbrief.scorers.pieces import longest_first, parts, run_batches, spans
from fairbrief.types import Integers


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 500), st.integers(1, 60), st.integers(0, 59))
def test_windows_cover_every_piece(length: int, size: int, overlap: int) -> None:
    """Windows fit, overlap as asked, and what they keep is the whole text, each piece once."""
    overlap = min(overlap, size - 1)
    found = spans(length, size, overlap)
    assert all(0 < s.stop - s.start <= size for s in found) or found == [(0, 0, 0, 0)]
    assert all(a.stop - b.start >= overlap and a.start < b.start for a, b in itertools.pairwise(found))
    assert [i for s in found for i in range(s.keep, s.kept)] == list(range(length))
    assert all(s.start <= s.keep <= s.kept <= s.stop for s in found)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 500), st.integers(1, 60))
def test_parts_are_disjoint_and_whole(length: int, size: int) -> None:
    """Parts follow each other without gap or overlap, none longer than asked, none much shorter than another."""
    found = parts(length, size)
    assert [i for p in found for i in range(p.start, p.stop)] == list(range(length))
    sizes = [p.stop - p.start for p in found]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(2, 200))
def test_pairs_are_cut_from_the_longer_side(first: int, second: int, room: int) -> None:
    """A pair that fits is left alone; else the room is filled and the shorter text suffers last."""
    a, b = longest_first(first, second, room)
    assert a <= first
    assert b <= second
    assert a + b == min(first + second, room)
    if first + second > room and min(first, second) <= room // 2:
        assert min(first, second) in (a, b)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 200), st.integers(1, 40))
def test_every_item_is_done_once_whatever_the_memory(lengths: list[int], budget: int, memory: int) -> None:
    """Batches keep to the budget and halve when memory runs out; each item is done exactly once."""

    def forward(batch: Integers) -> int:
        if len(batch) > memory:
            raise MemoryError
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget
        return len(batch)

    done = list(run_batches(lengths, forward, budget))
    assert sorted(int(i) for batch, _ in done for i in batch) == list(range(len(lengths)))
    assert all(n == len(batch) for batch, n in done)
    # An empty text takes a place in a batch like one of a single piece.
    longest = [max(max(lengths[i], 1) for i in batch) for batch, _ in done]
    assert longest == sorted(longest, reverse=True)


def test_batches_that_failed_are_not_tried_again() -> None:
    """After one failure the budget stays small: a long run does not run into the same wall each time."""
    tried: list[int] = []

    def forward(batch: Integers) -> None:
        tried.append(len(batch))
        if len(batch) > 4:
            raise RuntimeError("CUDA out of memory.")

    list(run_batches(np.full(64, 10), forward, 160))
    assert tried == [16, 8, *[4] * 16]
    with pytest.raises(BackendError, match="10 word pieces"):
        list(run_batches([10], lambda _: forward(np.arange(9)), 160))
