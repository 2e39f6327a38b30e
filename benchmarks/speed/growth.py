"""How do time and memory of an audit grow from a thousand small records to a million?

Every size is audited by the command line in a process of its own, with all default measures, 2,000 label permutations and no
random extracts. Of each is told what a record takes, and what each takes by which it is larger than the size before,
in which the start is no part. The largest is audited by several workers, too, and by as many audits at once that know
nothing of each other: these say how many times as fast workers could be at most on a machine whose cores share caches,
memory and clock. With ``--against`` another Python, in whose environment another commit is installed, audits one size
(``--compared``, the one before the largest if not told), and ours does so with random extracts, too, which the other
may not draw: the ratios are of processor times. Takes half an hour or more.

Run: python -m benchmarks.speed.growth [--sizes N,N,…] [--workers N] [--against PYTHON] [--compared N] [--out FILE]
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.recording import options, refuse_plug_ins, write_down
from benchmarks.speed.audit import TOLD, WITHOUT_EXTRACTS, of_command, write_records

MEMORY_LIMIT_GIB = 0.6
"""Of each process."""
BY_PROCESS = ("memory_of_the_parent_gib", "memory_of_a_worker_gib")


def of_sizes(
    sizes: list[int], workers: int, against: str, compared: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Each size by one process, and the largest by several; then all of it with one by another commit and with random extracts."""
    found: dict[str, Any] = {"memory_limit_gib": MEMORY_LIMIT_GIB}
    with tempfile.TemporaryDirectory() as folder:
        files = {size: Path(folder) / f"{size}.jsonl" for size in sizes}
        alone: dict[int, dict[str, Any]] = {}
        before, begun = 0.0, 0
        for size, file in files.items():
            write_records(file, size, seed)
            alone[size] = of_command(file, [], 1, options=WITHOUT_EXTRACTS)
            seconds = alone[size]["seconds"]
            told = {name: alone[size][name] for name in TOLD}
            told["microseconds_a_record"] = round(seconds / size * 1e6)
            if begun:  # the start is no part of it
                further = (seconds - before) / (size - begun)
                told["microseconds_a_record_more"] = round(further * 1e6)
            found[f"{size:,} records"], before, begun = told, seconds, size
        largest = sizes[-1]
        if workers > 1:
            several = of_command(files[largest], [], workers, options=WITHOUT_EXTRACTS)
            faster = alone[largest]["seconds"] / several["seconds"]
            found[f"{largest:,} records, {workers} workers"] = {
                **{name: several[name] for name in (*TOLD, *BY_PROCESS)},
                "times_faster": round(faster, 2),
            }
            found[f"{largest:,} records, {workers} audits at once"] = at_once(
                files[largest], workers, alone[largest]["seconds"]
            )
        found["measures"] = alone[largest]["measures"]
        yield found
        if against:
            of_extracts = of_command(files[compared], [], 1)
            other = of_command(files[compared], [], 1, python=against)
            theirs, plain, drawn = (one["processor_seconds"] for one in (other, alone[compared], of_extracts))
            found[f"{compared:,} records, random extracts"] = {name: of_extracts[name] for name in TOLD}
            found[f"{compared:,} records, other commit"] = {
                **{name: other[name] for name in TOLD},
                "times_as_long": round(theirs / plain, 2),
                "times_as_long_as_with_extracts": round(theirs / drawn, 2),
            }
            yield found


def at_once(file: Path, audits: int, alone: float) -> dict[str, Any]:
    """So many audits of one file at once, each by one process, where one by itself takes so many seconds."""
    with ThreadPoolExecutor(audits) as pool:
        done = [pool.submit(of_command, file, [], 1, options=WITHOUT_EXTRACTS) for _ in range(audits)]
        seconds = max(one.result()["seconds"] for one in done)
    return {"seconds": seconds, "times_faster": round(audits * alone / seconds, 2)}


def main() -> None:
    given = options(
        __doc__, "--out", workers=2, seed=0, sizes="1000,10000,100000,1000000", against="", compared=0
    ).parse_args()
    refuse_plug_ins()
    sizes = sorted(int(size) for size in given.sizes.split(","))
    for found in of_sizes(sizes, given.workers, given.against, given.compared or sizes[-2], given.seed):
        write_down(__file__, found, seed=given.seed, out=given.out)


if __name__ == "__main__":
    main()
