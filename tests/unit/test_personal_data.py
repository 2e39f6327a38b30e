"""Personal data is replaced before anything is written, and audits without texts contain none."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command, results

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.text.personal_data import without_identifiers

PRIVATE = (
    "ann.lee@example.org",
    "+49 30 1234567",
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "192.0.2.17",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to ann.lee+x@mail.example.org!", "Write to [EMAIL]!"),
        ("Call +49 (0)30 123-4567.", "Call [PHONE]."),
        ("Call 030/1234567 or 555-123-4567 or (555) 123-4567.", "Call [PHONE] or [PHONE] or [PHONE]."),
        # By Luhn 4·2=8, 1·8 and 7·1·2=14 → …: 4111 1111 1111 1111 has 8 + 1·7 + 2·… = 30; one more in the last place is 31.
        ("Card 4111-1111-1111-1111, not 4111-1111-1111-1112.", "Card [CARD], not 4111-1111-1111-1112."),
        (
            "IBAN DE89370400440532013000, not DE88370400440532013000.",
            "IBAN [IBAN], not DE88370400440532013000.",
        ),
        ("From 192.0.2.17 and 2001:db8::1, not 999.1.1.1.", "From [IP] and [IP], not 999.1.1.1."),
        ("At https://ann:pass@example.org/x.", "At https://[USER]@example.org/x."),
        ("On 2026-11-25 at 10:35:30, 1,000,000 of 12 345 678 in version 1.2.3.", None),
        ("Order 20261125103530, room 0815, 3-2 at half-time, ratio 1:2:3.", None),
        ("std::vector, @home, a@b, 50 % of 1234567890.", None),
    ],
)
def test_identifiers(text: str, expected: str | None) -> None:
    """What is replaced; dates, times, counts, versions and numbers with wrong checksums stay."""
    assert without_identifiers(text) == (text if expected is None else expected)


@pytest.mark.parametrize(
    "piece", ["a.", "a@", "a.a@a-", "+1 ", "0-", "1", "4 ", "DE89 3704 ", "1.", "::", "f:", "://a", "(0) "]
)
def test_redaction_takes_linear_time(piece: str) -> None:
    """Ten times the text takes less than thirty times as long."""

    def seconds(many: int) -> float:
        begun = time.perf_counter()
        without_identifiers(piece * many)
        return time.perf_counter() - begun

    seconds(10)
    assert seconds(60_000) < 30 * seconds(6_000) + 0.1


def record(**changes: Any) -> dict[str, Any]:
    """A record with personal data in all its parts."""
    return {
        "id": "1",
        "documents": [
            {"text": f"John Smith wrote from {PRIVATE[0]}.", "attributes": {"side": "a", "by": PRIVATE[0]}},
            {
                "text": f"Nobody at {PRIVATE[1]} answered. Smith waited.",
                "attributes": {"side": "b", "by": "x"},
            },
        ],
        "summary": f"Smith paid with {PRIVATE[2]}.",
        "references": [f"Smith of {PRIVATE[4]}."],
        "attributes": {"account": PRIVATE[3]},
        **changes,
    }


def test_redacted_records() -> None:
    """Texts, references and attributes lose identifiers; names are replaced in all texts of a record if this is wanted."""
    [case] = read([record()], redact=["identifiers", "names"])
    assert [d.text for d in case.record.documents] == [
        "[NAME] wrote from [EMAIL].",
        "Nobody at [PHONE] answered. [NAME] waited.",
    ]
    assert (case.summary.text, case.record.references) == ("[NAME] paid with [CARD].", ("[NAME] of [IP].",))
    assert case.record.attributes == {"account": "[IBAN]"}
    assert case.record.documents[0].attributes["by"] == "[EMAIL]"
    [plain] = read([record()], redact="identifiers")
    assert plain.summary.text == "Smith paid with [CARD]."
    [alone] = read([record()], redact="identifiers").records()
    assert alone == plain.record


def test_what_cannot_be_redacted() -> None:
    """Ids must stay distinct, mentions must stay in place; the errors do not repeat the address."""
    with pytest.raises(DataError, match="as the id or cluster") as raised:
        list(read([record(id=PRIVATE[0])], redact="identifiers"))
    assert PRIVATE[0] not in str(raised.value)
    entities = [{"id": "e", "first_name": "John", "mentions": []}]
    with pytest.raises(DataError, match="would move the mentions"):
        list(read([record(entities=entities)], redact="identifiers"))
    with pytest.raises(RequestError, match="--redact emails: write identifiers"):
        read([record()], redact="emails")


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of a folder as text, with the values of Parquet and SQLite files."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        yield path.name, path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            yield path.name, json.dumps([table.to_pylist(), str(table.schema.metadata)], default=str)
        if path.suffix == ".db":
            with sqlite3.connect(path) as database:
                yield path.name, str(database.execute("SELECT * FROM arrays").fetchall())


def written(tmp_path: Path, records: list[dict[str, Any]]) -> Path:
    """The records as a file."""
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    return path


def test_nothing_raw_is_written(fairbrief: Command, tmp_path: Path) -> None:
    """No identifier and no name is in any file of an audit, nor in messages about excluded lines."""
    records = [record(id=str(i)) for i in range(4)] + [record(id="x", summary={}, system=PRIVATE[0])]
    out = tmp_path / "out"
    run = fairbrief(
        "audit", written(tmp_path, records), "--resamples", "20", "--redact", "identifiers,names", "--on-error", "skip",
        "--out", out,
    )  # fmt: skip
    assert run.code == 0, run.err
    assert results(out)["made"]["skipped"] == 1
    for name, text in contents(out):
        assert not [private for private in (*PRIVATE, "Smith") if private in text], name
    assert "[EMAIL]" in (out / "report.html").read_text(encoding="utf-8")


DOCUMENTS = (
    ("The grumpy porter dropped both of our suitcases.", "bad"),
    ("Breakfast on the sunny terrace was a daily delight.", "good"),
    ("Nobody ever came to mend the dripping bathroom tap.", "bad"),
    ("Cheerful waiters remembered what our children liked.", "good"),
)


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def sequences(text: str) -> set[str]:
    """All sequences of four words."""
    listed = words(text)
    return {" ".join(listed[i : i + 4]) for i in range(len(listed) - 3)}


def test_audits_without_texts(fairbrief: Command, tmp_path: Path) -> None:
    """No four words in a row of any text are in any file; numbers are those of the same audit with texts."""
    records = [
        {
            "id": str(i),
            "documents": [{"text": f"{text} Room {i}.", "attributes": {"tone": tone}} for text, tone in DOCUMENTS],
            "summary": f"{DOCUMENTS[i % 4][0]} Otherwise {i} guests of the place slept well.",
            "references": ["All guests agree about the terrace and disagree about the porter."],
        }
        for i in range(12)
    ]  # fmt: skip
    bad = {
        **records[0],
        "id": "x",
        "summary": ["The grumpy porter dropped everything again today."],
        "references": 3,
    }
    path = written(tmp_path, [*records, bad])
    texts = [
        t for r in records for t in (r["summary"], *r["references"], *(d["text"] for d in r["documents"]))
    ]
    secret = set().union(*map(sequences, [*texts, bad["summary"][0]]))
    command = ("audit", path, "--resamples", "50", "--on-error", "skip", "--out")
    assert fairbrief(*command, tmp_path / "with").code == 0
    assert any(secret & sequences(text) for _, text in contents(tmp_path / "with"))
    run = fairbrief(*command, tmp_path / "without", "--no-texts")
    assert "keeps no texts (--no-texts)" in run.err
    for name, text in contents(tmp_path / "without"):
        assert not secret & sequences(text), name
    found, plain = results(tmp_path / "without"), results(tmp_path / "with")
    assert found["skipped"] == ["in.jsonl:13"]
    assert found["estimates"] == plain["estimates"]
    assert [
        a["examples"] for scorer in found["made"]["reach"] for a in scorer["authors"] if a["examples"]
    ] == []
    assert any(a["examples"] for scorer in plain["made"]["reach"] for a in scorer["authors"])
