"""How do time and memory of an audit grow from ten thousand small records to a million?

Every size is audited by the command line in a process of its own, with all default measures, 2,000 labellings and no random
extracts; the largest by several workers, too. With ``--against`` another Python, in whose environment another commit
is installed, audits the size before the largest: the ratio is of processor times. Takes half an hour or more.

Run: python -m benchmarks.speed.growth [--sizes N,N,…] [--workers N] [--against PYTHON] [--out FILE]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.recording import write_down
from benchmarks.speed.audit import TOLD, WITHOUT_EXTRACTS, of_command, write_records

MEMORY_LIMIT_GIB = 0.6
"""Of each process."""
BY_PROCESS = ("memory_of_the_parent_gib", "memory_of_a_worker_gib")


def of_sizes(sizes: list[int], workers: int, against: str, seed: int) -> dict[str, object]:
    """Each size by one process, the largest by several, and the size before it by another commit."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {size: Path(folder) / f"{size}.jsonl" for size in sizes}
        alone: dict[int, dict[str, object]] = {}
        for size, file in files.items():
            write_records(file, size, seed)
            alone[size] = of_command(file, [], 1, options=WITHOUT_EXTRACTS)
            microseconds = float(str(alone[size]["seconds"])) / size * 1e6
            told = {name: alone[size][name] for name in TOLD}
            found[f"{size:,} records"] = {**told, "microseconds_a_record": round(microseconds)}
        largest = sizes[-1]
        if workers > 1:
            several = of_command(files[largest], [], workers, options=WITHOUT_EXTRACTS)
            faster = float(str(alone[largest]["seconds"])) / float(str(several["seconds"]))
            found[f"{largest:,} records, {workers} workers"] = {
                **{name: several[name] for name in (*TOLD, *BY_PROCESS)},
                "times_faster": round(faster, 2),
            }
        if against:
            size = sizes[-2]
            other = of_command(files[size], [], 1, python=against)
            faster = float(str(other["processor_seconds"])) / float(str(alone[size]["processor_seconds"]))
            found[f"{size:,} records, other commit"] = {
                **{name: other[name] for name in TOLD},
                "times_as_long": round(faster, 2),
            }
        found["measures"] = alone[largest]["measures"]
    return {**found, "memory_limit_gib": MEMORY_LIMIT_GIB}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--against", default="", metavar="PYTHON")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    sizes = sorted(int(size) for size in given.sizes.split(","))
    found = of_sizes(sizes, given.workers, given.against, given.seed)
    write_down(__file__, found, seed=given.seed, out=given.out)


if __name__ == "__main__":
    main()
