"""How long do questions to saved audits take, and how much memory?

Small records are audited twice, with summaries of two systems that share a name, by two processes, with all default measures
and without random extracts. Each command then reads the folders in a process of its own.

Run: python -m benchmarks.speed.saved_audits [--records N …] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.recording import refuse_plug_ins, write_down
from benchmarks.speed.audit import COMMAND, PARTIES, sentence

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
    rng = random.Random(seed)
    with (folder / "old.jsonl").open("w") as old, (folder / "new.jsonl").open("w") as new:
        for i in range(records):
            documents = [{"text": sentence(rng), "attributes": {"party": p}} for p in rng.choice(PARTIES)]
            row = {
                "id": f"r{i}",
                "documents": documents,
                "references": [sentence(rng)],
                "attributes": {"topic": f"topic {i % TOPICS}"},
            }
            for file, summary in ((old, sentence(rng)), (new, documents[0]["text"])):
                file.write(json.dumps({**row, "summary": summary, "system": "s"}) + "\n")


def of_command(arguments: tuple[str, ...], folder: Path) -> dict[str, float]:
    """One command in the folder."""
    start = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    if ended.returncode not in DECIDED:
        raise RuntimeError(f"{' '.join(arguments)}: {ended.stderr}")
    used = json.loads(ended.stderr.splitlines()[-1])
    return {
        "seconds": round(time.perf_counter() - start, 1),
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    refuse_plug_ins()
    found = {f"{records:,} records": of_size(records, options.seed) for records in options.records}
    write_down(__file__, found, seed=options.seed, out=options.out)


if __name__ == "__main__":
    main()
