"""What the benchmarks of models measure: the published loop asks what the release asks, and no second is counted twice."""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed import neural
from benchmarks.speed.model_audit import spent
from benchmarks.speed.neural_inputs import Record, articles, published_windows, reviews

from fairbrief.text.sentences import sentence_windows


def test_the_loops_windows_are_those_of_the_releases_cut() -> None:
    """The benchmark's transcription cuts as `by=100words_centred` does, document by document."""
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


def test_what_an_audit_takes_beside_its_model_counts_from_the_first_pair_on(tmp_path: Path) -> None:
    """One process that scores, and one that waits for it and sums: starting either is told apart."""
    (tmp_path / "1.times").write_text("5 2 0 0\n12 6 4 1.5\n20 14 4 9.5\n")
    (tmp_path / "2.times").write_text("0 1 0 0\n10 3 0 0\n20 3.5 0 0\n")
    assert spent(tmp_path) == {
        "forward, s": 9.5,
        "by process": [9.5],
        "all else, s": 1.0,
        "share of the forward": round(9.5 / 10.5, 4),
        "starting, s": 7.0,
    }
