"""Writes what the pages can be told by the code: the reference, pictures, and output shown in the README.

python -m docs.generate            writes the pages that are out of date
python -m docs.generate --check    writes nothing; exit 1 and their names if there are any
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from docs import commands, commands_reference, measures_reference, reproduction, scorers, statistics_pictures

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
SHOWN = re.compile(
    r"(?P<head><!-- output of: fairbrief (?P<command>[^;\n]+)(; showing: (?P<sections>[^\n]+))? -->\n```console\n)"
    r"(?P<body>.*?)(?P<tail>```\n<!-- end -->)",
    re.DOTALL,
)
"""A command between markers, perhaps the titles of the sections to show of its output, and the block that is written."""


def pages() -> Mapping[Path, str]:
    """Every generated page, and every page with generated blocks, as it ought to be."""
    wanted = {
        REFERENCE / "commands.md": commands_reference.page(),
        **{ROOT / "docs" / path: page for path, page in reproduction.pages().items()},
        REFERENCE / "scorers.md": scorers.page(),
        REFERENCE / "results.md": measures_reference.results_page(
            (REFERENCE / "results.md").read_text(encoding="utf-8")
        ),
        ROOT / "src" / "fairbrief" / "keywords.py": measures_reference.keywords(),
    }
    for name, text in measures_reference.measure_pages().items():
        wanted[REFERENCE / "measures" / name] = text
    for name, drawn in statistics_pictures.drawn().items():
        wanted[ROOT / "docs" / "pictures" / name] = drawn
    for path in written_pages():
        text = path.read_text(encoding="utf-8")
        if path not in wanted and SHOWN.search(text):
            wanted[path] = SHOWN.sub(_filled, text)
    return wanted


def written_pages() -> list[Path]:
    """README, SECURITY and everything under docs/."""
    return [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _filled(match: re.Match[str]) -> str:
    with fresh_folder():
        _, printed = commands.run(shlex.split(match["command"]))
    body = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    if match["sections"]:
        body = _sections(body, match["sections"].split("; "))
    return f"{match['head']}$ fairbrief {match['command']}\n{body}\n{match['tail']}"


def _sections(text: str, titles: list[str]) -> str:
    """The sections with these titles, the first and the last; a line of dots where others stand."""
    parts = text.split("\n\n")
    kept = [
        part if i in (0, len(parts) - 1) or part.splitlines()[0] in titles else "…"
        for i, part in enumerate(parts)
    ]
    missing = [title for title in titles if not any(part.splitlines()[0] == title for part in parts)]
    if missing:
        raise ValueError(f"the output has no section {missing}")
    return re.sub(r"(?:…\n\n)+", "…\n\n", "\n\n".join(kept))


@contextmanager
def fresh_folder() -> Iterator[Path]:
    """A temporary working folder in which ``examples/`` is a copy of the project's."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def stale() -> Mapping[Path, str]:
    """The pages that are not as they ought to be, with what they ought to say."""
    return {
        path: text
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """Write, or with ``--check`` only say, what is out of date."""
    checks = "--check" in sys.argv
    old = stale()
    for path, text in old.items():
        sys.stdout.write(f"{'out of date' if checks else 'written'}: {path.relative_to(ROOT)}\n")
        if not checks:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if old and checks else 0


if __name__ == "__main__":
    sys.exit(main())
