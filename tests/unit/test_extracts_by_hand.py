"""Random extracts whose draws are given."""

from __future__ import annotations

import numpy as np
import pytest

from fairbrief.auditing import extracts
from fairbrief.auditing.extracts import AS_LONG, NO_SENTENCE, ExtractDraws, kept_sentences
from fairbrief.types import Case, Document, Extracts, Reason, Record, Summary


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
