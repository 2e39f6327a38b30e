"""How documents are cut into passages and windows, how batches are filled, and that a scorer answers with the best of a document's."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.errors import BackendError, RequestError
from fairbrief.registry import make
from fairbrief.scorers.pairs import best_passages, cut
from fairbrief.scorers.pieces import longest_first, parts, quarter_overlapping, run_batches
from fairbrief.text.sentences import passages_of
from fairbrief.types import Ask, Integers, Scores

TEXT = "It rained hard. We left. Nobody came. The soup was hot."
ONES = ["It rained hard.", "We left.", "Nobody came.", "The soup was hot."]


@pytest.mark.parametrize(("by", "wanted"), [
    ("sentence", ONES),
    (1, ONES),
    ("3", [" ".join(ONES[:3]), " ".join(ONES[1:])]),
    (9, [TEXT]),
    ("document", [TEXT]),
    ("5words", [" ".join(ONES[:2]), ONES[2], ONES[3]]),
    ("5words_centred", [ONES[0], " ".join(ONES[1:3]), ONES[3]]),
])  # fmt: skip
def test_a_document_is_cut_as_the_setting_says(by: int | str, wanted: list[str]) -> None:
    """Sentences, runs of k of them, runs and windows of so many words, or nothing."""
    assert list(passages_of(TEXT, by)) == wanted


@pytest.mark.parametrize("by", ["", "0", "-1", "sentences", "1.5", "0words", "10 words", "words"])
@pytest.mark.parametrize("scorer", ["containment", "tfidf", "rouge1", "embedding", "bartscore"])
def test_a_cut_that_cannot_be_is_refused_with_those_that_can(scorer: str, by: str) -> None:
    """The error names the value, and what there is."""
    with pytest.raises(RequestError, match=rf"^by={by} is not a way .*sentence, document"):
        make("scorer", f"{scorer}(by='{by}')")


@pytest.mark.parametrize("scorer", ["containment", "tfidf", "rouge1", "rouge2"])
@pytest.mark.parametrize("by", ["sentence", "2", "document"])
def test_the_best_passage_of_each_document_counts(scorer: str, by: str) -> None:
    """As if passages had been asked about one by one, and the best of each document taken by hand."""
    documents, columns = (TEXT, "The soup was cold.", " "), ("Hot soup came.", "It rained.", "Nobody left.")
    made = make("scorer", f"{scorer}(by={by})")
    parts = [passages_of(d, by) for d in documents]
    (apart,) = made.answer([Ask("", tuple(p for some in parts for p in some), columns, whole=True)])
    ends = np.cumsum([0, *map(len, parts)])
    wanted = [apart.matrix[a:b].max(axis=0) for a, b in itertools.pairwise(ends)]
    (found,) = made.answer([Ask("", documents, columns)])
    np.testing.assert_array_equal(found.matrix, wanted)
    assert found.matrix.any()


def test_whole_rows_are_not_cut() -> None:
    """An ask whose rows are compared as they are gets them scored as they are, beside one whose rows are cut."""
    asks = [Ask("", (TEXT,), ("x",)), Ask("", (TEXT,), ("x",), whole=True)]
    assert cut(asks, "sentence")[1] == [4, 1]
    seen: list[Any] = []

    def lengths(some: Any) -> list[Scores]:
        seen.extend(some)
        return [Scores.of_whole_texts(a, np.array([[float(len(r))] for r in a.rows])) for a in some]

    found = best_passages(asks, "sentence", lengths)
    assert [s.matrix.tolist() for s in found] == [[[float(max(map(len, ONES)))]], [[float(len(TEXT))]]]
    assert [a.rows for a in seen] == [tuple(ONES), (TEXT,)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 500), st.integers(1, 60))
def test_windows_cover_every_piece(length: int, size: int) -> None:
    """Windows fit, overlap by a quarter, and together are the whole text."""
    found = quarter_overlapping(length, size)
    assert all(w.stop - w.start <= size for w in found)
    assert all(a.stop - b.start >= size // 4 and a.start < b.start for a, b in itertools.pairwise(found))
    assert {i for w in found for i in range(w.start, w.stop)} == set(range(length))


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
