"""Which pieces of documents a scorer finds units in, as a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairbrief.cli import app
from fairbrief.errors import DataError, RequestError
from fairbrief.saved.label_agreement import chunk_sizes
from fairbrief.types import Case, Claim, Document, Record, Summary

LONG = "The soup was cold. The waiter was kind. " + "Nothing else happened here that day. " * 12


def cases() -> list[Case]:
    """One record of two values; one unit spreads over two sentences, one is in one, one is nowhere."""
    documents = (Document(LONG, {"mood": "good"}), Document("Parking is free.", {"mood": "bad"}))
    units = (Claim("cold soup, kind waiter"), Claim("Parking is free"), Claim("Elephants swim"))
    return [Case(Record("r", documents), Summary("r", "s", "…", units))]


def test_a_unit_over_two_sentences_needs_more_than_one() -> None:
    """The share of identified units grows when a piece holds both sentences that a unit speaks of."""
    found = {
        row.size: row for row in chunk_sizes(cases(), sizes=("sentence", "50"), over="mood", threshold=0.9)
    }
    assert found["sentence"].identified.value == pytest.approx(1 / 3)
    assert found["50"].identified.value == pytest.approx(2 / 3)
    assert found["50"].by_value == {"bad": pytest.approx(1 / 3), "good": pytest.approx(1 / 3)}
    assert found["sentence"].chunks == pytest.approx(15 / 2)
    assert (found["50"].claims, found["50"].records) == (3, 1)


def test_one_record_has_no_interval_and_several_have() -> None:
    """Intervals resample records."""
    (alone,) = chunk_sizes(cases(), sizes=("50",))
    assert alone.identified.low is None
    nothing = Case(cases()[0].record, Summary("r", "s", "…", (Claim("Elephants swim"),)))
    (several,) = chunk_sizes([*cases(), nothing, *cases()], sizes=("50",), threshold=0.9)
    low, high = several.identified.low, several.identified.high
    assert low is not None
    assert high is not None
    assert several.identified.value == pytest.approx(4 / 7)
    assert low < 4 / 7 < high


def test_empty_summaries_do_not_enter_and_nothing_at_all_is_said() -> None:
    """A summary without text has no unit to look for."""
    empty = Case(cases()[0].record, Summary("r", "s", "", reason="empty"))
    (row,) = chunk_sizes([empty, *cases()], sizes=("100",))
    assert row.records == 1
    with pytest.raises(DataError, match="No summary has a claim"):
        chunk_sizes([empty])


@pytest.mark.parametrize("size", ["paragraph", "0", "-5", "1.5", ""])
def test_a_size_is_a_sentence_or_a_number_of_words(size: str) -> None:
    """Anything else is refused."""
    with pytest.raises(RequestError, match="not a valid size of pieces"):
        chunk_sizes(cases(), sizes=(size,))


def test_from_the_command_line(tmp_path: Path) -> None:
    """``fairbrief chunks FILE`` prints the table."""
    file = tmp_path / "f.jsonl"
    documents = [
        {"text": LONG, "attributes": {"mood": "good"}},
        {"text": "Parking is free.", "attributes": {"mood": "bad"}},
    ]
    file.write_text(
        json.dumps({"id": "r", "documents": documents, "summary": "Parking is free."}), encoding="utf-8"
    )
    ran = CliRunner().invoke(app, ["chunks", str(file), "--attribute", "mood", "--sizes", "sentence,50"])
    assert ran.exit_code == 0, ran.output
    assert "sentence" in ran.output
    assert "1.000" in ran.output
