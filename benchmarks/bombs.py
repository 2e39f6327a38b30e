"""Small Parquet and Arrow files that would become huge: how soon, and in how much memory, is each refused?

Run: python -m benchmarks.bombs [--size N] [--only NAME]

Prints a table of file, bytes, seconds, MiB and message. Each file is read in a process of its own, which may take 4 GiB.
``--size`` is the logarithm of how much larger the bombs are than the smallest that are refused.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.recording import options

MEMORY = 4 << 30
PACKED = pa.ipc.IpcWriteOptions(compression="zstd")


def record(documents: Any, **more: Any) -> pa.Table:
    """A table with these documents, a text or list per row."""
    ids = pa.array(range(len(documents))).cast(pa.string())
    return pa.table(
        {"id": ids, "documents": documents, "summary": pa.array(["One."] * len(documents)), **more}
    )


def long_text(size: int) -> pa.Table:
    """One row whose text compresses well."""
    many = 1 << 28 + size
    ends = pa.array([0, many], pa.int64()).buffers()[1]
    return record(pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(bytes(many))))


def long_list(size: int) -> pa.Table:
    """One row with a list of equal numbers."""
    many = 1 << 23 + size
    values = pa.array(np.zeros(many, dtype=np.int8))
    return record(pa.LargeListArray.from_arrays(pa.array([0, many], pa.int64()), values))


def repeated_text(size: int) -> pa.Table:
    """Rows that share one text of a dictionary."""
    many = 1 << 9 + size
    places = pa.array(np.zeros(many, dtype=np.int32))
    return record(pa.DictionaryArray.from_arrays(places, pa.array(["x" * (1 << 20)])))


def empty_rows(size: int) -> pa.Table:
    """Rows of nothing."""
    return pa.table({"id": pa.nulls(1 << 24 + size)})


def many_columns(size: int) -> pa.Table:
    """One row with very many columns."""
    return record(pa.array(["One."]), **{f"c{i}": [1] for i in range(10_001 << size)})


def deep_nesting(size: int) -> pa.Table:  # noqa: ARG001 # Arrow writes no more levels
    """A list in a list, and so on."""
    nested = pa.array(["One."])
    for _ in range(60):
        nested = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), nested)
    return record(nested)


TABLES: tuple[Callable[[int], pa.Table], ...] = (
    long_text, long_list, repeated_text, empty_rows, many_columns, deep_nesting,
)  # fmt: skip


def written(make: Callable[[int], pa.Table], size: int, folder: Path) -> list[Path]:
    """A bomb as Parquet and as Arrow."""
    table = make(size)
    paths = [folder / f"{make.__name__}.{kind}" for kind in ("parquet", "arrow")]
    pq.write_table(table, paths[0], compression="zstd", row_group_size=1 << 30)
    with pa.ipc.new_file(paths[1], table.schema, options=PACKED) as out:
        out.write_table(table)
    return paths


def read_all(path: str) -> dict[str, Any]:
    """Read a file in this process, within a limit of memory."""
    from fairbrief.errors import FairbriefError
    from fairbrief.readers import read

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    begun = time.perf_counter()
    try:
        reading = read(path, on_error="skip")
        for _ in reading:
            pass
        said = f"skipped: {reading.skipped[0]}" if reading.skipped else "read"
    except FairbriefError as error:
        said = f"{type(error).__name__}: {error}"
    peak = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    mib = int(peak.split()[1]) >> 10
    return {"seconds": round(time.perf_counter() - begun, 2), "mib": mib, "said": said}


def measured(path: Path) -> dict[str, Any]:
    """`read_all` in a new process."""
    command = [sys.executable, "-m", "benchmarks.bombs", "--read", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    found: dict[str, Any] = (
        json.loads(done.stdout) if done.stdout else {"seconds": 0, "mib": 0, "said": done.stderr[-200:]}
    )
    return found


def main() -> None:
    """Write each bomb, read it, and print the table."""
    parser = options(__doc__, size=1)
    parser.add_argument("--only", choices=[make.__name__ for make in TABLES])
    parser.add_argument("--read")
    given = parser.parse_args()
    if given.read:
        sys.stdout.write(json.dumps(read_all(given.read)))
        return
    sys.stdout.write("| file | bytes | seconds | MiB | message |\n|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder:
        for make in TABLES:
            if given.only in (None, make.__name__):
                for path in written(make, given.size, Path(folder)):
                    found = measured(path)
                    size = path.stat().st_size
                    sys.stdout.write(
                        f"| {path.name} | {size:,} | {found['seconds']} | {found['mib']} | {found['said']} |\n"
                    )
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
