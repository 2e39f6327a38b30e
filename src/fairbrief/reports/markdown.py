"""A result as GitHub-flavoured Markdown: tables that a person can paste into a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from fairbrief.reports.first_answers import Answer, answers
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.reports.tables import left_out_table, made_lines, printed_tables
from fairbrief.types import Table

SPECIAL = re.compile(
    r"[\\`*~$|]"  # code, emphasis, mathematics, cells
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis, which an underscore inside a word is not
    r"|!(?=\[)|\](?=[(\[:])"  # pictures and links
    r"|(?<![\w)])@|@(?=[\w-]+\.)|:(?=//|[\w+-]+:)|\.(?=\w)(?<=www\.)"  # people, addresses, emoji
    r"|^[#+=-](?=\s|[#+=-]|$)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # what a line can begin with
)
"""What some renderer takes for markup where it stands; anything else stays as it is, to be read as it is."""


def render(result: Result, tables: Sequence[Table] | None = None) -> str:
    """The whole result: what everybody asks, every table (those of `printed_tables`, where they are at hand), what was left
    out, and how it was made.
    """
    parts = ["# Fairness of summaries: what was measured", *map(_answer, answers(result))]
    parts += map(table, printed_tables(result) if tables is None else tables)
    if (absent := left_out_table(result)) is not None:
        parts.append(table(absent))
    if result.skipped:
        lines = "\n".join(f"- {escape(line)}" for line in result.skipped)
        parts.append(f"## Input that was left out\n\n{lines}")
    made = "\n".join(f"- {escape(k)}: {escape(v)}" for k, v in made_lines(result.made))
    parts.append(f"## How it was made\n\n{made}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(answer: Answer) -> str:
    """A question and its answer."""
    lines = [escape(text) for text, _ in answer.lines]
    told = lines[0] if len(lines) == 1 else "\n\n" + "\n".join(f"- {line}" for line in lines)
    return f"**{escape(answer.asked)}** {told}"


def table(t: Table) -> str:
    """One table under its title, with its notes."""
    rows = [t.header, tuple("---" for _ in t.header), *t.rows]
    lines = [_line(row) if row != rows[1] else "|" + "|".join(row) + "|" for row in rows]
    notes = "".join(f"\n\n{escape(note)}" for note in t.notes)
    return f"## {escape(t.title)}\n\n" + "\n".join(lines) + notes


@lru_cache(maxsize=1 << 12)
def escape(text: str) -> str:
    """Text that no Markdown renderer takes for markup, a link or HTML."""
    shown = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\g<0>", shown)


def _line(row: tuple[str, ...]) -> str:
    """A row; lines within a cell (a score and its intervals) stay lines, save in the name that a row begins with."""
    cells = [escape(row[0]), *("<br>".join(map(escape, cell.split("\n"))) for cell in row[1:])]
    return "| " + " | ".join(cell or " " for cell in cells) + " |"
