"""Tables as LaTeX (package ``booktabs``), with every special character escaped."""

from __future__ import annotations

from functools import lru_cache

from fairbrief.reports import number_format
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.reports.tables import numeric_columns, printed_tables
from fairbrief.types import Table

SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "-": "{-}",
        "[": "{[}",
        "]": "{]}",
        number_format.MINUS: "$-$",
        number_format.ABSENT: "--",
        "×": r"$\times$",
        "…": r"\ldots{}",
        "\ufffd": "?",
        **dict.fromkeys(map(chr, range(0x2400, 0x2422)), "?"),
    }
)


def render(shown: Result | Table) -> str:
    r"""One table, or all tables of a result, as floats to ``\input``."""
    tables = (shown,) if isinstance(shown, Table) else printed_tables(shown)
    return "\n".join(map(_float, tables))


@lru_cache(maxsize=1 << 12)
def escape(text: str) -> str:
    """Text without any LaTeX command; controls, which LaTeX cannot set, become question marks."""
    return printable(text).translate(SPECIAL)


def _float(t: Table) -> str:
    columns = "".join("r" if is_numeric else "l" for is_numeric in numeric_columns(t))
    body = "\n".join(f"{' & '.join([*map(escape, row[:1]), *map(_cell, row[1:])])} \\\\" for row in t.rows)
    notes = "".join(f"\n\\par\\footnotesize {escape(note)}" for note in t.notes)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{escape(t.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{' & '.join(map(escape, t.header))} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}{notes}\n"
        "\\end{table}\n"
    )


def _cell(text: str) -> str:
    """A cell; what stands below its first line (intervals) is stacked in small print, as papers set it."""
    first, *below = text.split("\n")
    if not below:
        return escape(text)
    small = "".join(rf"\\{{\tiny {escape(line)}}}" for line in below)
    return rf"\shortstack[l]{{{escape(first)}{small}}}"
