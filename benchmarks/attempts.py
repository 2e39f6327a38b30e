"""From the files that people have to an audit: attempts and seconds for each shape.

    python -m benchmarks.attempts [--page docs/contributing/benchmarks.md]

An attempt is a command; ``init`` and ``audit`` are one each, and no script reshapes anything between them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.files.shapes import SHAPES, Shape

from benchmarks.recording import options, show

MARKERS = ("<!-- attempts: begin -->", "<!-- attempts: end -->")
FAIRBRIEF = str(Path(sys.executable).with_name("fairbrief"))


def seconds(*arguments: str | Path) -> float:
    """How long a command takes; CalledProcessError where it fails."""
    began = time.monotonic()
    subprocess.run([FAIRBRIEF, *map(str, arguments)], check=True, capture_output=True)
    return time.monotonic() - began


def attempt(shape: Shape, folder: Path) -> tuple[float, float]:
    """Seconds of the one init and of the one audit of a shape."""
    shape.write(folder)
    settings = folder / "fairbrief.toml"
    return (
        seconds("init", *(folder / file for file in shape.files), "--out", settings),
        seconds("audit", settings, "--out", folder / "audit"),
    )


def table() -> str:
    """The shapes, and how long the two commands take for the fastest and the slowest."""
    found = {}
    for name, shape in SHAPES.items():
        with TemporaryDirectory() as folder:
            found[name] = attempt(shape, Path(folder))
    init, audit = zip(*found.values(), strict=True)
    return (
        f"{len(found)} shapes: {'; '.join(found)}. `init` took {min(init):.1f} to {max(init):.1f} s, "
        f"`audit` {min(audit):.1f} to {max(audit):.1f} s."
    )


def main() -> None:
    """Print the table, and put it into a page."""
    given = options(__doc__, "--page").parse_args()
    show(table(), given.page, MARKERS)


if __name__ == "__main__":
    main()
