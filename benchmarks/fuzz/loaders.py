"""Damaged inputs by the million: every reader and loader must end with one of our four errors, soon, in little memory.

Run: python -m benchmarks.fuzz.loaders [--inputs N] [--seconds S] [--out FILE.json] [--keep DIR] [--page PAGE]

``--out`` is gone on from, with other inputs, until N are done: a run can be cut into slices.

Inputs are small files of ours, damaged at random: bytes flipped, cut, doubled, spliced with those of another
file, filled with what parsers stumble over. What is found is printed, and kept under ``--keep DIR``.
"""

from __future__ import annotations

import random
import resource
import shutil
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.fuzz.targets import TOKENS, Target, targets
from benchmarks.recording import options, write_down, write_section, written

from fairbrief.errors import FairbriefError

MARKERS = ("<!-- fuzz: begin -->", "<!-- fuzz: end -->")
SLOW, LARGE = 1.0, 200
"""Seconds and MiB that an input of less than a megabyte may take."""
ROUNDS = 4
"""Slow targets are tried in one of so many rounds."""


@dataclass
class Report:
    """What was found."""

    inputs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)
    largest_mib: float = 0.0


def damaged(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The content with one to four faults in it."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content) + 1)
        to = min(len(content), at + rng.choice((1, 1, 2, 8, 64, 512)))
        match rng.randrange(7):
            case 0:
                content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
            case 1:
                content = content[:at]
            case 2:
                content = content[:at] + content[to:]
            case 3:
                content = content[:to] + content[at:]
            case 4 | 5:
                content = content[:at] + rng.choice(TOKENS) + content[to if rng.random() < 0.5 else at :]
            case _:
                other = rng.choice(others)
                start = rng.randrange(len(other) + 1)
                content = content[:at] + other[start : start + 200] + content[to:]
    return content[:1_000_000]


def fuzz(inputs: int, seconds: float, seed: int, keep: Path | None = None, slow: float = SLOW) -> Report:
    """Damage and read until so many inputs were read or so much time has gone. More than ``slow`` seconds for one is a fault."""
    report, rng = Report(), random.Random(seed)
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "whole").mkdir()
        known = targets(Path(made) / "whole")
        others = [content for target in known.values() for content in target.files.values()]
        for name, target in known.items():
            at = Path(made) / name.replace(" ", "-")
            at.mkdir()
            target.write(at, {})
            target.call(at)  # what is not damaged is read
        names = [name for i in range(ROUNDS) for name in known if i == 0 or not known[name].is_slow]
        ends = time.monotonic() + seconds
        for i in range(inputs):
            if time.monotonic() > ends:
                break
            name = names[i % len(names)]
            at = Path(made) / name.replace(" ", "-")
            one = rng.choice(list(known[name].files))
            content = damaged(known[name].files[one], others, rng)
            known[name].write(at, {one: content})
            kept = None if keep is None else (keep / f"{name}-{i}-{Path(one).name}", content)
            _try(name, known[name], at, report, kept, slow)
            shutil.rmtree(at)
            at.mkdir()
    return report


def _try(
    name: str, target: Target, at: Path, report: Report, keep: tuple[Path, bytes] | None, slow: float
) -> None:
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    said = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            target.call(at)
    except FairbriefError:
        report.refused[name] += 1
    except Exception as error:  # noqa: BLE001 - any other error is what is looked for
        said = _place(error)
    took = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    report.inputs[name] += 1
    report.slowest[name] = max(report.slowest.get(name, 0.0), round(took, 3))
    report.largest_mib = max(report.largest_mib, round(grown, 1))
    if took > slow or grown > LARGE:
        said += f"{took:.1f} s, {grown:.0f} MiB more"
    if said:
        report.faults.append(f"{name}: {said}")
        if keep is not None:
            keep[0].parent.mkdir(parents=True, exist_ok=True)
            keep[0].write_bytes(keep[1])


def _place(error: Exception) -> str:
    """What was raised, and the last line of ours on the way to it."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "fairbrief" in f.filename]
    ours = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "outside"
    return f"{type(error).__name__} at {ours}: {str(error)[:100]!r}"


def main() -> None:
    """Fuzz, print and write what was found; exit 1 if anything was. ``--out`` of earlier subgroups is added to."""
    told = options(__doc__, "--out", "--keep", "--page", inputs=1_000_000, seconds=1e9).parse_args()
    before: dict[str, Any] = {
        "inputs": 0, "seeds": 0, "by reader": {}, "refused": {}, "slowest, s": {}, "faults": [],
    }  # fmt: skip
    before |= written(told.out)
    report = fuzz(told.inputs - before["inputs"], told.seconds, before["seeds"], told.keep)
    slowest = {
        name: max(report.slowest.get(name, 0), before["slowest, s"].get(name, 0))
        for name in {*report.slowest, *before["slowest, s"]}
    }
    found = {
        "inputs": sum(report.inputs.values()) + before["inputs"],
        "seeds": before["seeds"] + 1,
        "faults": [*before["faults"], *report.faults],
        "largest growth, MiB": max(report.largest_mib, before.get("largest growth, MiB", 0)),
        "limits": {"s": SLOW, "MiB": LARGE},
        "by reader": dict(Counter(before["by reader"]) + report.inputs),
        "refused": dict(Counter(before["refused"]) + report.refused),
        "slowest, s": dict(sorted(slowest.items())),
    }
    if report.inputs:
        write_down(__file__, found, out=told.out)
    else:
        found = before
    for said, times in Counter(report.faults).most_common(200):
        print(times, said)
    if told.page is not None:
        write_section(told.page, MARKERS, table(found))
    raise SystemExit(bool(report.faults))


def table(found: Mapping[str, Any]) -> str:
    """What was found, in a paragraph."""
    limits = found["limits"]
    faults = "; ".join(f"`{fault}`" for fault in found["faults"])
    return (
        f"{found['inputs']:,} damaged inputs for {len(found['by reader'])} readers and loaders, {sum(found['refused'].values()):,} of them refused; "
        f"{len(found['faults'])} faults: another error than Fairbrief's, more than {limits['s']:g} s of processor time, or "
        f"{limits['MiB']} MiB more memory. The slowest took {max(found['slowest, s'].values()):.2f} s, the largest growth was "
        f"{found['largest growth, MiB']:g} MiB." + (f" Fixed since: {faults}." if faults else "")
    )


if __name__ == "__main__":
    main()
