"""Processor seconds and memory of ``fairbrief view`` over many records: ``python -m benchmarks.speed.view [RECORDS] [--out RESULTS]``.

The per-record statistics and the input are those of the example, repeated under new ids: no audit of that size is waited for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.recording import options, peak, write_down
from benchmarks.speed.repeated_per_record import repeat

import fairbrief
from fairbrief.saved import saved_inputs
from fairbrief.saved.view import Answers, OpenAudit

EXAMPLE = Path("examples/reviews.jsonl")
MEASURE = "coverage_parity@sentiment"
WORDS = "lukewarm 999"


def main() -> None:
    """Build the folder in one process, view it in one of its own."""
    parser = options(__doc__, "--out")
    parser.add_argument("records", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.look is not None:
        print(json.dumps(look(given.look)))
        return
    with tempfile.TemporaryDirectory() as name:
        build(Path(name), given.records)
        command = [sys.executable, "-m", "benchmarks.speed.view", "--look", name]
        seen = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {"records": given.records, **json.loads(seen)}
    write_down(__file__, found, seed=0, out=given.out)


def build(folder: Path, records: int) -> None:
    """Write an audit folder and its input."""
    fairbrief.audit(str(EXAMPLE), [MEASURE, "uer@sentiment"], n_resamples=20).save(folder)
    lines = [json.loads(line) for line in EXAMPLE.read_text().splitlines()]
    ids = list(dict.fromkeys(line["id"] for line in lines))
    times = -(-records // len(ids))
    with (folder / "input.jsonl").open("w") as file:
        for i in range(times):
            file.writelines(json.dumps({**line, "id": f"{line['id']}-{i}"}) + "\n" for line in lines)
    for path in (folder / "per_record").glob("*.parquet"):
        repeat(path, records)
    reading = fairbrief.read(str(folder / "input.jsonl"))
    audit = json.loads((folder / "results.json").read_text())["audit"]
    saved_inputs.write(folder, [str(folder / "input.jsonl")], reading, audit)


def look(folder: Path) -> dict[str, dict[str, float]]:
    """What a reader does, one thing after the other: processor seconds, and the peak of memory so far."""
    opened: list[Answers] = []
    first: list[dict[str, Any]] = []

    def begin() -> None:
        opened.append(Answers([OpenAudit(folder)]))
        opened[0].about()

    def rows(**asked: Any) -> None:
        first.append(opened[0].rows(MEASURE, "0:rosy", **asked))

    def record(place: int) -> None:
        opened[0].record(MEASURE, "0:rosy", first[0]["rows"][place]["record"])

    steps: dict[str, Callable[[], object]] = {
        "open": begin,
        "first page of the list": rows,
        "page in the middle": lambda: rows(start=str(first[0]["total"] // 2)),
        "first record": lambda: record(0),
        "another record": lambda: record(1),
        "compared with another system": lambda: rows(other="0:balanced"),
        "search in all texts": lambda: rows(search=WORDS),
    }
    found = {}
    for name, step in steps.items():
        started = time.process_time()
        step()
        found[name] = {"seconds": round(time.process_time() - started, 2), "megabytes": round(peak())}
    return found


if __name__ == "__main__":
    main()
