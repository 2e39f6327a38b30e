"""Write the speed section of docs/benchmarks.md from benchmarks/results/speed-*.json: no figure is typed.

Run: python -m benchmarks.table
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.recording import RESULTS, with_section

DOCS = RESULTS.parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
HEAD = "## Speed and memory\n\n`make bench` runs these again; numbers: `benchmarks/results`."


def section(folder: Path = RESULTS) -> str:
    """All results about speed in a folder as Markdown, one table each, in the order of their names."""
    paths = sorted(folder.glob("speed-*.json"))
    return "\n\n".join(_told(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in paths)


def _told(name: str, record: Mapping[str, Any]) -> str:
    machine = record["machine"]
    rows = "\n".join(f"| {name} | {_shown(value)} |" for name, value in _figures(record["found"]))
    return (
        f"### {name}\n\n"
        f"Python {machine['python']}, {machine['processors']} × {machine['processor']}, load {machine['load']}; "
        f"commit {record['commit'] or 'unknown'}, seed {record['seed']}.\n\n"
        f"| what | found |\n|---|---:|\n{rows}"
    )


def _figures(found: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every leaf of the findings, named by the way to it."""
    if isinstance(found, Mapping):
        for key, value in found.items():
            yield from _figures(value, (*path, str(key).replace("_", " ").replace("|", "\\|")))
    else:
        yield ": ".join(path), found


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def put(page: str, text: str) -> str:
    """The page with the text between its markers; they are added at its end where they are missing."""
    if BEGIN not in page:
        page = f"{page.rstrip()}\n\n{HEAD}\n\n{BEGIN}\n\n{END}\n"
    return with_section(page, (BEGIN, END), text)


if __name__ == "__main__":
    DOCS.write_text(put(DOCS.read_text(encoding="utf-8"), section()), encoding="utf-8")
