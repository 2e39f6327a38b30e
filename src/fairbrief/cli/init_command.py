"""``fairbrief init``: inspect files, show how they are understood, and write the settings that audit them."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairbrief.cli import options as o
from fairbrief.text.addresses import is_stored

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.readers.understanding import Understanding

app = o.new_app()

MOST = 10_000
"""Records that are counted; the output says if there are more."""
SHOWN = 8
"""Groups shown per attribute."""


@app.command()
def init(
    inputs: list[str] = o.argument("Files with documents and summaries, in any order.", "FILE…"),
    out: Path = o.option(Path("fairbrief.toml"), "File of settings to write.", "FILE.toml"),
) -> None:
    """Inspect files, show how they are understood, and write the settings for 'fairbrief audit'.

    Prints the equivalent command line, too. Correct the settings (TOML) where a field was misunderstood.
    """
    from fairbrief.cli import settings_file
    from fairbrief.errors import RequestError
    from fairbrief.readers.understanding import inspect_file, is_plain, understand

    if not settings_file.is_one(str(out)):
        raise RequestError(f"--out {out}: give a name that ends in .toml.")
    if out.exists():
        raise RequestError(f"{out} exists: give another name with --out, or remove it.")
    plain = [file for file in inputs if is_plain(file)]
    result = understand([inspect_file(file) for file in inputs if file not in plain], plain)
    reading = _reading(result.settings)
    counted = _counts(reading)
    _show(result, counted, reading)
    command = f"fairbrief audit {shlex.join(settings_file.command_line(result.settings))}"
    text = f"# Written by fairbrief init. Equivalent to:\n# {command}\n{settings_file.written(_beside(result.settings, out))}"
    out.write_text(text, encoding="utf-8")
    typer.echo(
        f"\nWritten: {out}. Next: fairbrief audit {shlex.quote(str(out))} --out audit\nEquivalent: {command}"
    )


def _reading(settings: dict[str, Any]) -> Reading:
    """The input as ``audit`` reads it with these settings."""
    from fairbrief.cli.input_options import ReadingOptions

    given = {key.replace("-", "_"): value for key, value in settings.items() if key != "files"}
    return ReadingOptions(**given).read(settings["files"])


def _counts(reading: Reading) -> dict[str, Any]:
    """Records, documents, systems, and groups by attribute, of the first records."""
    records: set[str] = set()
    documents = 0
    systems: Counter[str] = Counter()
    groups: dict[str, Counter[str]] = {}
    for case in reading:
        systems[case.summary.system] += 1
        if case.record.id in records:
            continue
        if len(records) >= MOST:
            break
        records.add(case.record.id)
        documents += len(case.record.documents)
        of_documents = [pair for d in case.record.documents for pair in d.attributes.items()]
        known = dict(of_documents)  # an attribute of a record with one text is also an attribute of the text
        of_record = [pair for pair in case.record.attributes.items() if pair[0] not in known]
        for name, value in (*of_documents, *of_record):
            groups.setdefault(name, Counter())[value] += 1
    return {"records": len(records), "documents": documents, "systems": systems, "groups": groups}


def _show(found: Understanding, counts: dict[str, Any], reading: Reading) -> None:
    from fairbrief.cli.input_options import print_notes
    from fairbrief.reports.plain import printable
    from fairbrief.text.counted import counted

    for name, role in found.roles.items():
        typer.echo(f"{printable(name)}: {role}")
    more = f" (only the first {MOST:,} were counted)" if counts["records"] >= MOST else ""
    typer.echo(
        f"\n{counted(counts['records'], 'record')}{more}, {counted(counts['documents'], 'document')}, "
        f"{counted(len(counts['systems']), 'system')}: {', '.join(map(printable, counts['systems']))}"
    )
    for name, values in counts["groups"].items():
        shown = ", ".join(
            f"{printable(value)} ({many:,})" for value, many in sorted(values.items(), key=_in_order)[:SHOWN]
        )
        rest = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        typer.echo(f"{printable(name)}: {shown}{rest}")
    if not counts["groups"]:
        typer.echo(
            'No field looks like a group. Add an attribute to the settings: attribute = ["NAME=FIELD"].'
        )
    print_notes(reading.notes)


def _in_order(group: tuple[str, int]) -> tuple[bool, float, str]:
    """Sort key: numbers by size, then texts."""
    try:
        return False, float(group[0]), group[0]
    except ValueError:
        return True, 0.0, group[0]


def _beside(settings: dict[str, Any], out: Path) -> dict[str, Any]:
    """The settings, with paths relative to the folder of the settings."""
    import os

    def moved(file: str) -> str:
        return file if file.startswith("hf:") or is_stored(file) else os.path.relpath(file, out.parent)

    return {
        key: [moved(file) for file in value] if key in ("files", "summaries") else value
        for key, value in settings.items()
    }
