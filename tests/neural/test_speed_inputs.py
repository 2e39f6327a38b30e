"""The published loop that speed is measured against asks what the release asks."""

from __future__ import annotations

from benchmarks.speed import neural
from benchmarks.speed.neural_inputs import Record, articles, published_windows, reviews

from fairbrief.text.chunks import sentence_windows


def test_the_loops_windows_are_those_of_the_releases_cut() -> None:
    """The benchmark's transcription cuts as `cut=sentence_centred` does, document by document."""
    for record in (*articles(1, documents=3, units=2), *reviews(2)):
        assert published_windows(record) == [sentence_windows(d, 100) for d in record.documents]


def test_a_text_counts_for_the_first_document_alone() -> None:
    """The release leaves out a window whose text an earlier document of the record has had."""
    assert published_windows(Record([["A b."], ["A b."], ["C d."]], ["e"])) == [["A b."], [], ["C d."]]


def test_both_sides_are_given_the_same_pairs() -> None:
    """What is timed as the same pairs is the loop's pairs, each once; a call holds one document and one unit."""
    made = articles(1, documents=2, units=3)
    batches = list(neural.published_batches(made))
    asked = {(row, column) for ask in neural.same_pairs(made) for row in ask.rows for column in ask.columns}
    assert len(batches) == 2 * 3
    assert {pair for batch in batches for pair in batch} == asked
    assert all(len({unit for _, unit in batch}) == 1 for batch in batches)
