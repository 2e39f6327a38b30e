"""One way to write down what a benchmark found: with machine, versions, commit and seed."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fairbrief.registry import declared

RESULTS = Path(__file__).parent / "results"
LIBRARIES = (
    "fairbrief", "numpy", "scipy", "pyarrow", "rapidfuzz", "nltk", "rouge-score", "scikit-learn", "torch",
    "transformers",
)  # fmt: skip


def options(about: str | None, *paths: str, **defaults: float | str | Path) -> argparse.ArgumentParser:
    """The options of a script, to which it may add others.

    ``paths`` are files or folders, such as ``--out``, ``file`` or ``file?``, which may be left out; ``defaults`` are
    further options with their values: ``audits=100`` is ``--audits``.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for path in paths:
        parser.add_argument(path.rstrip("?"), type=Path, nargs="?" if path.endswith("?") else None)
    for name, value in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    return parser


def write_down(
    script: str | Path, found: dict[str, Any], *, seed: int | None = None, out: Path | None
) -> None:
    """Print the findings as JSON; with ``out``, a file or the folder of results, write them there too.

    ``script`` is the benchmark's ``__file__``: its folder and name become the record's name.
    """
    path = Path(script)
    name = f"{path.parent.name}-{path.stem}"
    told = {
        "benchmark": name,
        "machine": machine(),
        "versions": versions(),
        "commit": _commit(),
        "seed": seed,
        "found": found,
    }
    text = json.dumps(told, indent=1)
    print(text)
    if out is not None:
        file = out / f"{name}.json" if out.is_dir() else out
        file.write_text(text + "\n", encoding="utf-8")


def write_json(found: object, out: Path | None) -> None:
    """Print the findings as JSON; with ``out``, write them there, too."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    print(text)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")


def refuse_plug_ins() -> None:
    """End where other packages add measures: an audit of all default measures would take the time of theirs, too."""
    theirs = [
        name for name, point in declared("measure").items() if not point[0].value.startswith("fairbrief.")
    ]
    if theirs:
        raise SystemExit(
            f"Plug-ins are installed here, and audits would take their measures too ({', '.join(theirs)}). "
            "Uninstall them, or run in an environment without them."
        )


def written(out: Path | None) -> dict[str, Any]:
    """What an earlier run found, which is gone on from; empty where there is none."""
    if out is None or not out.exists():
        return {}
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))["found"]
    return found


def write_section(path: Path, markers: tuple[str, str], text: str) -> None:
    """Put the text between two markers of a page; the page must have them."""
    path.write_text(with_section(path.read_text(encoding="utf-8"), markers, text), encoding="utf-8")


def show(text: str, page: Path | None, markers: tuple[str, str]) -> None:
    """Print a text; with ``page``, put it between the page's markers, too."""
    print(text)
    if page is not None:
        write_section(page, markers, text)


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """A table; the columns with these places are aligned to the right."""
    rule = ["---:" if i in numbers else "---" for i in range(len(head))]
    lines = [f"| {' | '.join(map(str, cells))} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def best_seconds(
    *acts: Callable[[], object],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
    best: Callable[[Sequence[float]], float] = min,
) -> list[float]:
    """The least seconds of each act (or the ``best`` otherwise), the acts taken in turns, so that a busy machine hurts all alike."""
    taken: list[list[float]] = [[] for _ in acts]
    for _ in range(rounds):
        for act, seconds in zip(acts, taken, strict=True):
            began = clock()
            act()
            seconds.append(clock() - began)
    return [best(seconds) for seconds in taken]


def times_faster(ours: float, plain: float) -> dict[str, float]:
    """The seconds of ours and of a plain way, and their ratio."""
    return {"seconds": ours, "plain_seconds": plain, "times_faster": plain / ours}


def with_section(page: str, markers: tuple[str, str], text: str) -> str:
    """The page with the text between the markers, in place of what was there."""
    before, begin, rest = page.partition(markers[0])
    _, end, after = rest.partition(markers[1])
    if not (begin and end):
        raise SystemExit(f"The page has no {markers[0]} … {markers[1]}")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def machine() -> dict[str, object]:
    """Python, processor and how many of them this process may use."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _model() or platform.machine(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def versions() -> dict[str, str]:
    """The installed libraries on which figures depend."""
    return {library: known for library in LIBRARIES if (known := _version(library))}


def _model() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.is_file() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"],
        cwd=RESULTS.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return asked.stdout.strip()


def peak() -> float:
    """The largest resident memory of this process alone, in MiB: what is said of its resources also counts the one that started it."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")
