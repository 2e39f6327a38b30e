"""What the folder of an audit contains of its input: a sample, redacted texts, or no texts."""

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from tests.cli.command import Command, results, write
from tests.unit.test_corpus_statistics import rows
from tests.unit.test_personal_data import PRIVATE, record

from fairbrief.engines import score_cache


def test_a_sampled_audit_names_both_numbers(fairbrief: Command, tmp_path: Path) -> None:
    """On the screen and in results.json, beside the other options of reading; the seed is that of every command."""
    documents = [{"text": t, "attributes": {"tone": t[:3]}} for t in ("One way.", "Two ways.")]
    path = write(tmp_path / "in.jsonl", [{**row, "documents": documents} for row in rows()])
    out = tmp_path / "out"
    options = "--measure uer@tone --resamples 0 --sample 12 --seed 3 --require tone".split()
    assert "12 of 40 records" in fairbrief("audit", path, *options, "--out", out).out
    made = results(out)["made"]
    assert made["records"] == 12
    assert made["sample"] == {"records": 40, "sampled": 12, "size": 12.0, "seed": 3}
    assert made["read"] == {"require": ["tone"]}
    sampled = fairbrief("chunks", path, "--sample", "12", "--seed", "3", "--resamples", "0")
    assert "12 of 40 records, by hashes of their ids (seed 3)" in sampled.err


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


def test_nothing_raw_is_written(fairbrief: Command, tmp_path: Path) -> None:
    """No identifier and no name is in any file of an audit, nor in messages about excluded lines."""
    records = [record(id=str(i)) for i in range(4)] + [record(id="x", summary={}, system=PRIVATE[0])]
    out = tmp_path / "out"
    file = write(tmp_path / "in.jsonl", records)
    options = ("--resamples", "20", "--redact", "identifiers,names", "--on-error", "skip")
    assert fairbrief.audited(out, file, *options)["made"]["skipped"] == 1
    for name, text in contents(out):
        assert not [private for private in (*PRIVATE, "Smith") if private in text], name
    assert "[EMAIL]" in (out / "report.html").read_text(encoding="utf-8")


DOCUMENTS = (
    ("The grumpy porter dropped both of our suitcases.", "bad"),
    ("Breakfast on the sunny terrace was a daily delight.", "good"),
    ("Nobody ever came to mend the dripping bathroom tap.", "bad"),
    ("Cheerful waiters remembered what our children liked.", "good"),
)


def sequences(text: str) -> set[str]:
    """All sequences of four words, in lower case."""
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[i : i + 4]) for i in range(len(words) - 3)}


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
    bad = {**records[0], "id": "x", "references": 3}
    bad["summary"] = ["The grumpy porter dropped everything again today."]
    path = write(tmp_path / "in.jsonl", [*records, bad])
    texts = [d["text"] for r in records for d in r["documents"]]
    texts += [text for r in records for text in (r["summary"], *r["references"])]
    secret = set().union(*map(sequences, [*texts, bad["summary"][0]]))
    command = ("audit", path, "--resamples", "50", "--on-error", "skip", "--out")
    assert fairbrief(*command, tmp_path / "with").code == 0
    assert any(secret & sequences(text) for _, text in contents(tmp_path / "with"))
    run = fairbrief(*command, tmp_path / "without", "--no-texts")
    score_cache.write(tmp_path / "without" / "cache.db", "scorer", {tuple(texts): np.zeros(2)})
    assert "keeps no texts (--no-texts)" in run.err
    for name, text in contents(tmp_path / "without"):
        assert not secret & sequences(text), name
    found, plain = results(tmp_path / "without"), results(tmp_path / "with")
    assert found["skipped"] == ["in.jsonl:13"]
    assert found["estimates"] == plain["estimates"]
    authors = [[a for scorer in one["made"]["reach"] for a in scorer["authors"]] for one in (found, plain)]
    assert [any(author["examples"] for author in of) for of in authors] == [False, True]
