"""Tables and estimates as Markdown, LaTeX, and CSV without formulas for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TextIO

from fairbrief.reports import frames, number_format
from fairbrief.reports.first_answers import answers
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.reports.tables import left_out_tables, made_lines, numeric_columns, printed_tables
from fairbrief.reports.wording import Context
from fairbrief.types import Table

# ------------------------------------------------------------------------------------------- Markdown

MARKUP = re.compile(
    r"[\\`*~$|]"  # code, emphasis, mathematics, cells
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis, which an underscore inside a word is not
    r"|!(?=\[)|\](?=[(\[:])"  # pictures and links
    r"|(?<![\w)])@|@(?=[\w-]+\.)|:(?=//|[\w+-]+:)|\.(?=\w)(?<=www\.)"  # people, addresses, emoji
    r"|^[#+=-](?=\s|[#+=-]|$)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # what a line can begin with
)
"""Everything that some renderer interprets as markup; all other text stays unchanged."""


def markdown(result: Result) -> str:
    """The whole result: findings and cautions, all tables, excluded input, and settings."""
    parts = ["# Fairness of summaries"]
    parts += (_answer(asked, lines) for asked, lines in answers(Context(result)).items())
    parts += map(markdown_table, printed_tables(result))
    parts += map(markdown_table, left_out_tables(result))
    if result.skipped:
        lines = "\n".join(f"- {markdown_escape(line)}" for line in result.skipped)
        counts = markdown_escape(" ".join(result.excluded_input))
        parts.append(f"## Excluded input\n\n{counts}\n\n{lines}")
    made = "\n".join(f"- {markdown_escape(k)}: {markdown_escape(v)}" for k, v in made_lines(result.made))
    parts.append(f"## Settings\n\n{made}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(asked: str, sentences: Sequence[str]) -> str:
    """A heading and its sentences."""
    lines = [*map(markdown_escape, sentences)]
    text = lines[0] if len(lines) == 1 else "\n\n" + "\n".join(f"- {line}" for line in lines)
    return f"**{markdown_escape(asked)}** {text}"


def markdown_table(t: Table) -> str:
    """One table with title and notes."""
    lines = [_markdown_row(t.header), f"|{'---|' * len(t.header)}", *map(_markdown_row, t.rows)]
    notes = "".join(f"\n\n{markdown_escape(note)}" for note in t.notes)
    return f"## {markdown_escape(t.title)}\n\n" + "\n".join(lines) + notes


@lru_cache(maxsize=1 << 12)
def markdown_escape(text: str) -> str:
    """Text that no Markdown renderer interprets as markup, link or HTML."""
    shown = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKUP.sub(r"\\\g<0>", shown)


def _markdown_row(row: tuple[str, ...]) -> str:
    """A row; line breaks within cells (a score and its intervals) stay, except in the first cell."""
    others = ("<br>".join(map(markdown_escape, cell.split("\n"))) for cell in row[1:])
    cells = [markdown_escape(row[0]), *others]
    return "| " + " | ".join(cell or " " for cell in cells) + " |"


# ---------------------------------------------------------------------------------------------- LaTeX

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
        ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
        **{special: f"\\{special}" for special in "{}$&#%_"}, **{special: f"{{{special}}}" for special in "-[]*"},
        number_format.MINUS: "$-$", number_format.ABSENT: "--", "×": r"$\times$", number_format.INFINITY: r"$\infty$", "…": r"\ldots{}", "\ufffd": "?",
        "ρ": r"$\rho$", "σ": r"$\sigma$", "φ": r"$\varphi$",
        **dict.fromkeys(map(chr, range(0x2400, 0x2422)), "?"),
    }
)  # fmt: skip


def latex(result: Result) -> str:
    r"""All tables as floats to ``\input``."""
    return "\n".join(map(latex_table, printed_tables(result)))


@lru_cache(maxsize=1 << 12)
def latex_escape(text: str) -> str:
    """Text without LaTeX commands; control characters become question marks."""
    return printable(text).translate(LATEX)


def latex_table(t: Table) -> str:
    """One table as a float, with title and notes."""
    columns = "".join("r" if is_numeric else "l" for is_numeric in numeric_columns(t))
    rows = (" & ".join([*map(latex_escape, row[:1]), *map(_cell, row[1:])]) for row in t.rows)
    body = "\n".join(f"{row} \\\\" for row in rows)
    notes = "".join(f"\n\\par\\footnotesize {latex_escape(note)}" for note in t.notes)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{latex_escape(t.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{' & '.join(map(latex_escape, t.header))} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}{notes}\n"
        "\\end{table}\n"
    )


def _cell(text: str) -> str:
    """A cell; further lines (intervals) are stacked in small print, as in papers."""
    first, *below = text.split("\n")
    if not below:
        return latex_escape(text)
    small = "".join(rf"\\{{\tiny {latex_escape(line)}}}" for line in below)
    return rf"\shortstack[l]{{{latex_escape(first)}{small}}}"


# ------------------------------------------------------------------------------------------------ CSV

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20|%]")
NUMBER = re.compile(r"[+-]?(\d[\d,]*)?(\.\d+)?(e[+-]?\d+)?%?", re.IGNORECASE)


def csv_text(result: Result) -> str:
    """The text of `write_csv`."""
    out = io.StringIO()
    write_csv(result, out)
    return out.getvalue()


def write_csv(result: Result, out: TextIO) -> None:
    """Write a result's estimates and differences with all fields at full precision."""
    estimates = frames.Estimates((*result.estimates, *result.differences))
    rows = chain([estimates.columns], (row.values() for row in estimates.each()))
    csv.writer(out, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)


def csv_cell(value: Any) -> str | float | None:
    """A number or None unchanged; a text that a spreadsheet could run gets an apostrophe in front."""
    if value is None or isinstance(value, (int, float)):
        return value
    return _csv_text(str(value))


@lru_cache(maxsize=1 << 12)
def _csv_text(value: str) -> str:
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


TEXTS: Mapping[str, Callable[[Result], str]] = {"markdown": markdown, "latex": latex, "csv": csv_text}
"""A whole result by the name of a format."""
