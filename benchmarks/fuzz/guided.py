"""The same readers and loaders as `benchmarks.fuzz.loaders`, with inputs that atheris finds: those that reach new lines.

Run: python -m benchmarks.fuzz.guided [--seconds S] [--runs N] [--seed N]

The first two bytes of an input say which reader reads it, and which of its files it stands for. An error that is none
of ours ends the run with code 77, as do 5 seconds over one input, and 2 GB; the input is kept as ``fuzz-…``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import atheris
from benchmarks.recording import options

with atheris.instrument_imports(include=["fairbrief"], enable_loader_override=False):
    from benchmarks.fuzz.targets import Target, targets

    from fairbrief.errors import FairbriefError

LONGEST = 20_000
"""Bytes of an input."""


def main() -> None:
    """Fuzz until so many inputs were read or so much time has gone."""
    told = options(__doc__, seconds=600, runs=-1, seed=1).parse_args()
    with tempfile.TemporaryDirectory() as made:
        at, seeds = Path(made) / "now", Path(made) / "seeds"
        for folder in (at, seeds, Path(made) / "whole"):
            folder.mkdir()
        known = list(targets(Path(made) / "whole").values())
        for i, target in enumerate(known):
            for k, content in enumerate(target.files.values()):
                (seeds / f"{i}-{k}").write_bytes(bytes([i, k]) + content)
        warnings.simplefilter("error")
        arguments = [
            f"-max_total_time={told.seconds}", f"-runs={told.runs}", f"-seed={told.seed}", f"-max_len={LONGEST}",
            "-timeout=5", "-rss_limit_mb=2048", f"-artifact_prefix={Path.cwd()}/fuzz-", "-print_final_stats=1", str(seeds),
        ]  # fmt: skip
        atheris.Setup([sys.argv[0], *arguments], lambda data: _try(known, at, data))
        atheris.Fuzz()


def _try(known: list[Target], at: Path, data: bytes) -> None:
    if len(data) < 2:
        return
    target = known[data[0] % len(known)]
    one = list(target.files)[data[1] % len(target.files)]
    target.write(at, {one: data[2:]})
    try:
        target.call(at)
    except FairbriefError:
        pass
    finally:
        shutil.rmtree(at)
        at.mkdir()


if __name__ == "__main__":
    main()
