"""How long do questions to saved audits take, and how much memory?

Small records are audited twice, with summaries of two systems that share a name, by two processes, with all default measures
and without random extracts. Each command then reads the folders in a process of its own.

Run: python -m benchmarks.speed.saved_audits [--records N …] [--out FILE]
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.recording import options, refuse_plug_ins, write_down
from benchmarks.speed.audit import PARTIES, run_command, sentence

from fairbrief.serialization import write_lines

TOPICS = 10
COMMANDS = {
    "report": ("report", "new", "--format", "markdown"),
    "power": ("power", "new"),
    "compare": ("compare", "new", "old"),
    "gate with a baseline": ("gate", "new", "--baseline", "old", "--margin", "0.1"),
    "subgroups": ("subgroups", "new", "--by", "topic", "--out", "by_topic"),
    "agree": ("agree", "new", "--measure", "rouge1", "--measure", "uer@party"),
}
DECIDED = (0, 1, 3)
"""Exit codes of a gate that decided: pass, fail, inconclusive."""


def write_both(folder: Path, records: int, seed: int) -> None:
    """The same records with the summaries of an old and a new system, which says what the first document does."""

    def rows(is_new: bool) -> Iterator[dict[str, Any]]:
        rng = random.Random(seed)
        for i in range(records):
            documents = [{"text": sentence(rng), "attributes": {"party": p}} for p in rng.choice(PARTIES)]
            row = {"id": f"r{i}", "documents": documents, "references": [sentence(rng)], "system": "s"}
            old = sentence(rng)
            summary = documents[0]["text"] if is_new else old
            yield {**row, "summary": summary, "attributes": {"topic": f"topic {i % TOPICS}"}}

    for name in ("old", "new"):
        write_lines(rows(name == "new"), folder / f"{name}.jsonl")


def of_command(arguments: tuple[str, ...], folder: Path) -> dict[str, float]:
    """One command in the folder."""
    used = run_command(arguments, folder, codes=DECIDED)
    return {
        "seconds": round(used["seconds"], 1),
        "processor_seconds": round(used["cpu"], 1),
        "memory_mib": round(used["own"] / 1024),
    }


def of_size(records: int, seed: int) -> dict[str, object]:
    """All commands over two audits of so many records."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_both(folder, records, seed)
        audit = ("--attribute", "party", "--extracts", "0", "--quiet", "--workers", "2")
        for name in ("old", "new"):
            of_command(("audit", f"{name}.jsonl", *audit, "--out", name), folder)
        size = sum(path.stat().st_size for path in (folder / "new" / "per_record").iterdir())
        return {
            "per_record_mb": round(size / 1e6, 1),
            **{name: of_command(command, folder) for name, command in COMMANDS.items()},
        }


def main() -> None:
    parser = options(__doc__, "--out", seed=0)
    parser.add_argument("--records", type=int, nargs="+", default=[20_000, 200_000])
    given = parser.parse_args()
    refuse_plug_ins()
    found = {f"{records:,} records": of_size(records, given.seed) for records in given.records}
    write_down(__file__, found, seed=given.seed, out=given.out)


if __name__ == "__main__":
    main()
