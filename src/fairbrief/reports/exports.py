"""Tables and estimates in the formats of others: Markdown, LaTeX, and CSV in which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from fairbrief.reports import number_format
from fairbrief.reports.first_answers import Answer, answers
from fairbrief.reports.frames import Estimates
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.reports.tables import left_out_table, made_lines, numeric_columns, printed_tables
from fairbrief.types import Estimate, Table

# ------------------------------------------------------------------------------------------- Markdown

MARKUP = re.compile(
    r"[\\`*~$|]"  # code, emphasis, mathematics, cells
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis, which an underscore inside a word is not
    r"|!(?=\[)|\](?=[(\[:])"  # pictures and links
    r"|(?<![\w)])@|@(?=[\w-]+\.)|:(?=//|[\w+-]+:)|\.(?=\w)(?<=www\.)"  # people, addresses, emoji
    r"|^[#+=-](?=\s|[#+=-]|$)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # what a line can begin with
)
"""What some renderer takes for markup where it stands; anything else stays as it is, to be read as it is."""


def markdown(result: Result, tables: Sequence[Table] | None = None) -> str:
    """The whole result: what everybody asks, every table (those of `printed_tables`, where they are at hand), what was left
    out, and how it was made.
    """
    parts = ["# Fairness of summaries: what was measured", *map(_answer, answers(result))]
    parts += map(markdown_table, printed_tables(result) if tables is None else tables)
    if (absent := left_out_table(result)) is not None:
        parts.append(markdown_table(absent))
    if result.skipped:
        lines = "\n".join(f"- {markdown_escape(line)}" for line in result.skipped)
        parts.append(f"## Input that was left out\n\n{lines}")
    made = "\n".join(f"- {markdown_escape(k)}: {markdown_escape(v)}" for k, v in made_lines(result.made))
    parts.append(f"## How it was made\n\n{made}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(answer: Answer) -> str:
    """A question and its answer."""
    lines = [markdown_escape(text) for text, _ in answer.lines]
    told = lines[0] if len(lines) == 1 else "\n\n" + "\n".join(f"- {line}" for line in lines)
    return f"**{markdown_escape(answer.asked)}** {told}"


def markdown_table(t: Table) -> str:
    """One table under its title, with its notes."""
    rows = [t.header, tuple("---" for _ in t.header), *t.rows]
    lines = [_markdown_row(row) if row != rows[1] else "|" + "|".join(row) + "|" for row in rows]
    notes = "".join(f"\n\n{markdown_escape(note)}" for note in t.notes)
    return f"## {markdown_escape(t.title)}\n\n" + "\n".join(lines) + notes


@lru_cache(maxsize=1 << 12)
def markdown_escape(text: str) -> str:
    """Text that no Markdown renderer takes for markup, a link or HTML."""
    shown = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKUP.sub(r"\\\g<0>", shown)


def _markdown_row(row: tuple[str, ...]) -> str:
    """A row; lines within a cell (a score and its intervals) stay lines, save in the name that a row begins with."""
    cells = [
        markdown_escape(row[0]),
        *("<br>".join(map(markdown_escape, cell.split("\n"))) for cell in row[1:]),
    ]
    return "| " + " | ".join(cell or " " for cell in cells) + " |"


# ---------------------------------------------------------------------------------------------- LaTeX

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
        ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
        **{special: f"\\{special}" for special in "{}$&#%_"}, **{special: f"{{{special}}}" for special in "-[]"},
        number_format.MINUS: "$-$", number_format.ABSENT: "--", "×": r"$\times$", number_format.INFINITY: r"$\infty$", "…": r"\ldots{}", "\ufffd": "?",
        **dict.fromkeys(map(chr, range(0x2400, 0x2422)), "?"),
    }
)  # fmt: skip


def latex(shown: Result | Table) -> str:
    r"""One table, or all tables of a result, as floats to ``\input``."""
    tables = (shown,) if isinstance(shown, Table) else printed_tables(shown)
    return "\n".join(map(_float, tables))


@lru_cache(maxsize=1 << 12)
def latex_escape(text: str) -> str:
    """Text without any LaTeX command; controls, which LaTeX cannot set, become question marks."""
    return printable(text).translate(LATEX)


def _float(t: Table) -> str:
    columns = "".join("r" if is_numeric else "l" for is_numeric in numeric_columns(t))
    body = "\n".join(
        f"{' & '.join([*map(latex_escape, row[:1]), *map(_cell, row[1:])])} \\\\" for row in t.rows
    )
    notes = "".join(f"\n\\par\\footnotesize {latex_escape(note)}" for note in t.notes)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{latex_escape(t.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{' & '.join(map(latex_escape, t.header))} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}{notes}\n"
        "\\end{table}\n"
    )


def _cell(text: str) -> str:
    """A cell; what stands below its first line (intervals) is stacked in small print, as papers set it."""
    first, *below = text.split("\n")
    if not below:
        return latex_escape(text)
    small = "".join(rf"\\{{\tiny {latex_escape(line)}}}" for line in below)
    return rf"\shortstack[l]{{{latex_escape(first)}{small}}}"


# ------------------------------------------------------------------------------------------------ CSV

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20|%]")
NUMBER = re.compile(r"[+-]?(\d[\d,]*)?(\.\d+)?(e[+-]?\d+)?%?", re.IGNORECASE)


def csv_text(shown: Result | Table | Iterable[Estimate]) -> str:
    """One printed table, or estimates (of a result: then its differences) with all fields at full precision."""
    rows: Iterable[Iterable[Any]]
    if isinstance(shown, Table):
        rows = (
            shown.header,
            *([cell.replace(number_format.MINUS, "-") for cell in row] for row in shown.rows),
        )
    else:
        every = (*shown.estimates, *shown.differences) if isinstance(shown, Result) else shown
        estimates = Estimates(every)
        rows = (estimates.columns, *(row.values() for row in estimates.each()))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)
    return out.getvalue()


def csv_cell(value: Any) -> str | float | None:
    """A number or nothing as it is; a text that a spreadsheet could run stands behind an apostrophe."""
    if value is None or isinstance(value, (int, float)):
        return value
    return _csv_text(str(value))


@lru_cache(maxsize=1 << 12)
def _csv_text(value: str) -> str:
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
