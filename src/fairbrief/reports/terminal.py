"""A result on a terminal: at most sixty lines of findings, cautions and main tables; with ``details`` everything.

Lines are wrapped at spaces, names at joints; no number is ever cut. Text from the input is made printable and added as
`rich.text.Text`, which obeys no markup.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from fairbrief.reports import arrangement, wording
from fairbrief.reports.contrast_words import Context, context_of
from fairbrief.reports.first_answers import CAUTION, FINDING, FOLDER, INTERVAL, MEASURED, NEXT, answers
from fairbrief.reports.number_format import ABSENT
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.result import Result
from fairbrief.reports.tables import (
    compact_table,
    contrast_table,
    difference_table,
    facts,
    left_out_table,
    numeric_columns,
    printed_tables,
    section_table,
)
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_LINES = 60
"""Lines of the first screen."""
SKIPPED = "Skipped"
MOST_OF = {MEASURED: 5, FINDING: 15, CAUTION: 9, SKIPPED: 4}
"""Lines of each part of it."""
ROWS = (40, 30, 25, 20, 16, 14, 12, 10, 9, 8, 7, 6)
"""The numbers of rows of each table that are tried before a table is left out."""
FEWEST_LINES = 5
"""Lines of the smallest table, with the empty line before it."""
INDENT = 9
"""The width of the labels in front of sentences."""
LABEL = 13
"""The width of the outcomes of a gate."""
NARROWEST = 10
"""The narrowest column of text; numbers are never narrowed."""
JOINTS = frozenset(" -_/:.,(=")
"""The characters after which a long name may be wrapped."""
MARKS = {"less": "red", "lower": "red", "below": "red", "more": "blue", "higher": "blue", "above": "blue"}
"""The colour of a significant difference; yellow is for cautions, and no other colour is used."""
TESTED = re.compile(r"\bp ([<=]) (?=[\d.])")
"""A p and its number, which stay on one line."""
First = Literal["", "subgroups", "differences"]
SCORER_CHECK = "scorer bias"
"""How the names of checks of scorers begin, which are no measures."""
NO_TEST = frozenset(("too few", "no value", "not tested"))
"""Conclusions of a panel that has no table: a panel that is not testable has one, with its values and intervals."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rest of a result is: the folder of a saved audit, None if it was not saved, and how to print everything."""

    folder: Path | None = None
    rest: str = "--details"
    can_save: bool = True
    """Whether the command has --out, with which the folder and its report are written."""


def print_result(
    result: Result,
    console: Console,
    *,
    details: bool = False,
    place: Place = Place(),
    tables_first: First = "",
) -> None:
    """Print the first screen of a result, or with ``details`` all of it; ``tables_first`` are printed before the others."""
    screen = _Screen(result, console.width, place, tables_first=tables_first)
    _print(screen.everything() if details else screen.first(), console)


def print_table(table: Table, console: Console, lead: Sequence[str] = ()) -> None:
    """Print one table; ``lead`` are sentences below its title."""
    _print(table_lines(table, console.width, lead), console)


def print_labelled(label: str, texts: Iterable[str], console: Console, style: str = "") -> None:
    """Print texts, wrapped beside a label."""
    lines = chain.from_iterable(_indented(text, console.width, LABEL) for text in texts)
    _print(_with_label(list(lines), label, style, LABEL), console)


def _print(lines: Iterable[Text | str], console: Console) -> None:
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False)


# ------------------------------------------------------------------------------------ the first screen


@dataclass
class _Screen:
    """The lines of a result at one width."""

    result: Result
    width: int
    place: Place
    tables_first: First = ""

    def __post_init__(self) -> None:
        self.context: Context = context_of(self.result)
        self.answers = {} if self.is_paper else {a.asked: a.lines for a in answers(self.result)}

    @property
    def is_paper(self) -> bool:
        """Whether the result is a paper's protocol, which is shown by its tables."""
        return bool(self.result.made.get("protocol"))

    def first(self) -> list[Text]:
        """At most `MOST_LINES` lines; what does not fit is counted."""
        head = [*self._header(), *self._measured(MOST_OF[MEASURED])]
        parts = [
            self._labelled(asked, self._sentences(asked), MOST_OF[asked]) for asked in (FINDING, CAUTION)
        ]
        parts.append(self._labelled(SKIPPED, self._skipped(), MOST_OF[SKIPPED]))
        foot = [*self._next(), *self._more()]
        used = len(head) + sum(len(part) + 1 for part in (*parts, foot) if part)
        tables = self._paper() if self.is_paper else self._tables(MOST_LINES - used)
        return list(_apart(head, *parts, *tables, foot))

    def everything(self) -> list[Text]:
        """All sentences, tables, notes, and what was not measured."""
        result, absent = self.result, left_out_table(self.result)
        tables = printed_tables(result, is_brief=True)
        return list(
            _apart(
                [*self._header(), *self._settings(), *self._measured()],
                *(self._labelled(asked, self._sentences(asked)) for asked in (FINDING, INTERVAL, CAUTION)),
                *(table_lines(table, self.width) for table in tables),
                self._wrapped(wording.COMPARED) if result.differences else [],
                table_lines(absent, self.width) if absent else [],
                self._labelled(SKIPPED, self._skipped()),
                self._next(),
            )
        )

    def _header(self) -> list[Text]:
        parts = (fact.brief for fact in facts(self.result))
        return self._wrapped(" | ".join(filter(None, parts)), style="bold")

    def _settings(self) -> list[Text]:
        made = self.result.made
        parts = [f"seed {made['seed']}"] if made.get("seed") not in (None, "") else []
        if made.get("n_resamples") is not None:
            parts.append(counted(made["n_resamples"], "resample"))
        return self._wrapped(", ".join(parts)) if parts else []

    def _sentences(self, asked: str) -> list[str]:
        return [text for text, _ in self.answers.get(asked, ())]

    def _skipped(self) -> list[str]:
        """How many lines of the input were skipped, and the message of each that is stored."""
        many = self.result.n_skipped
        return [f"{counted(many, 'line')} of the input.", *self.result.skipped] if many else []

    def _measured(self, most: int | None = None) -> list[Text]:
        return self._fitted(self._sentences(MEASURED), self._wrapped, most, "more attribute")

    def _fitted(
        self, sentences: Sequence[str], wrap: Callable[[str], list[Text]], most: int | None, what: str
    ) -> list[Text]:
        """As many whole sentences as fit, then how many more there are."""
        lines: list[Text] = []
        for i, sentence in enumerate(sentences):
            these = wrap(sentence)
            is_last = i == len(sentences) - 1
            if most is not None and i and len(lines) + len(these) + (not is_last) > most:
                return [*lines, *wrap(f"{counted(len(sentences) - i, what)}: {self.place.rest}")]
            lines += these
        return lines

    def _labelled(self, asked: str, sentences: Sequence[str], most: int | None = None) -> list[Text]:
        """Sentences below one another, the label in front of the first."""

        def wrap(sentence: str) -> list[Text]:
            return self._wrapped(sentence, indent=INDENT)

        lines = self._fitted(sentences, wrap, most, f"more {asked.lower()}")
        return _with_label(lines, asked.upper(), "bold yellow" if asked == CAUTION else "bold")

    def _wrapped(self, text: str, indent: int = 0, style: str = "") -> list[Text]:
        return _indented(text, self.width, indent, style)

    # ------------------------------------------------------------------------------------------ tables

    def _panels(self) -> list[tuple[list[Estimate], bool]]:
        """The group differences to show, and whether each panel is a full table: the leading one of each attribute or family."""
        result, context = self.result, self.context
        ordered = context.clearest_first(arrangement.leading(result.estimates).values())
        tested = [m for m in ordered if not all(context.kind(e) in NO_TEST for e in m)] or ordered[:1]
        seen: set[str] = set()
        full: list[tuple[list[Estimate], bool]] = []
        compact: list[tuple[list[Estimate], bool]] = []
        for members in tested:
            key = members[0].over or context.declared(members[0]).family
            (compact if key in seen else full).append((list(members), key not in seen))
            seen.add(key)
        asked = result.made.get("by") or ()
        inside = context.clearest_first(arrangement.leading_subgroups(result.estimates, asked))
        subgroups = [(list(members), True) for members in inside]
        decided = map(wording.from_random, result.differences)
        leading = context.clearest_first(arrangement.leading(decided, of_systems=False).values())
        pairs = [(list(members), True) for members in leading]
        if not ordered:  # a comparison of two audits
            return pairs
        if self.tables_first == "subgroups":
            return [*subgroups, *full, *compact]
        is_compared = self.tables_first == "differences" or result.made.get("baseline")
        return [*(pairs if is_compared else ()), *full, *compact, *subgroups]

    def _tables(self, room: int) -> list[list[Text]]:
        """As many tables as fit into so many lines, with as many rows as fit; the other tables are counted."""
        panels = self._panels()
        makers = [self._maker(members, is_full=is_full) for members, is_full in panels]
        if not panels:
            makers = [self._main_values(s) for s in arrangement.arrange(self._values(), self.result.made)]
        makers[1:1] = [
            self._with_rows(table) for table in self.result.tables
        ]  # on request, such as --scorers
        for shown in range(min(len(makers), max(room // FEWEST_LINES, 1)), 0, -1):
            rest = self._more_tables(len(makers) - shown)
            for rows in ROWS if shown > 1 else (*ROWS, 5, 4, 3, 2, 1):
                tables = _notes_once(make(rows) for make in makers[:shown])
                blocks = [*(table_lines(table, self.width) for table in tables), rest]
                if sum(len(block) + 1 for block in blocks if block) <= room:
                    return blocks
        return [self._more_tables(len(makers))]

    def _more_tables(self, many: int) -> list[Text]:
        return self._wrapped(f"{counted(many, 'more table')}: {self.place.rest}") if many else []

    def _maker(self, members: list[Estimate], *, is_full: bool) -> Callable[[int], Table]:
        """A function from the number of rows to a table; columns of groups that do not fit are left out and counted."""

        def full(rows: int) -> Table:
            table = contrast_table(members, self.context, rows)
            return self._counting(table, len(members) - len(table.rows), "row")

        def compact(rows: int) -> Table:
            shown = len({e.group for e in members})
            table = compact_table(members, self.context, shown, rows)
            while shown > 1 and not _fits(table, self.width):
                shown -= 1
                table = compact_table(members, self.context, shown, rows)
            return self._counting(table, len(members) - sum(map(_filled, table.rows)), "value")

        return full if is_full else compact

    def _counting(self, table: Table, hidden: int, what: str) -> Table:
        """The table with a note on how many rows it does not show."""
        more = f"{counted(hidden, f'more {what}')}: {self.place.rest}"
        return replace(table, notes=(more, *table.notes)) if hidden else table

    def _with_rows(self, table: Table) -> Callable[[int], Table]:
        return lambda rows: self._counting(
            replace(table, rows=table.rows[:rows]), max(len(table.rows) - rows, 0), "row"
        )

    def _values(self) -> list[Estimate]:
        """The main values, of systems or of their differences, on all records; for a result without group differences."""
        values = [e for e in (self.result.estimates or self.result.differences) if not e.subgroup]
        return [e for e in values if wording.is_main_value(e)] or values

    def _main_values(self, section: arrangement.Section) -> Callable[[int], Table]:
        is_difference = any(e.baseline for e in section.estimates)
        make = difference_table if is_difference else section_table
        return self._with_rows(replace(make(section, self.result.made, is_brief=True), notes=()))

    def _paper(self) -> list[list[Text]]:
        """A paper's tables, all of them, or the main values of a protocol without tables."""
        if self.result.tables:
            return [table_lines(table, self.width) for table in self.result.tables]
        sections = arrangement.arrange(self._values(), self.result.made)
        return [table_lines(section_table(s, self.result.made, is_brief=True), self.width) for s in sections]

    # -------------------------------------------------------------------------------------- what is next

    def _next(self) -> list[Text]:
        """Commands that work with the saved audit, each behind what it does."""
        steps = self.answers.get(NEXT, ())
        if not steps or not self.place.can_save:
            return []
        if self.place.folder is None:
            text = f"Add --out {FOLDER} to keep this audit and its report; then 'fairbrief view {FOLDER}' shows the records."
            return _with_label(self._wrapped(text, indent=INDENT), NEXT.upper(), "bold")
        lines: list[Text] = []
        for why, command in steps:
            words = [str(self.place.folder) if word == FOLDER else word for word in shlex.split(command)]
            whole = " ".join(shlex.quote(printable(word)).replace(" ", "\u00a0") for word in words)
            if INDENT + cell_len(f"{why} {whole}") <= self.width:
                lines += self._wrapped(f"{why} {whole}", indent=INDENT)
                continue
            lines += self._wrapped(why, indent=INDENT)
            lines += _continued(whole, self.width, INDENT + 2)
        return _with_label(lines, NEXT.upper(), "bold")

    def _more(self) -> list[Text]:
        """Where the rest is, and how many measures and lines are not shown."""
        result, rest = self.result, self.place.rest
        ordered = arrangement.leading(result.estimates).values()
        untested = sum(all(self.context.kind(e) in NO_TEST for e in members) for members in ordered)
        if untested == len(ordered):
            untested = 0
        absent = sum(not m.measure.startswith(SCORER_CHECK) for m in result.not_measured)
        sanity_baselines = len(result.made.get("sanity_baselines") or ())
        parts = [
            f"{self.place.folder / 'report.html'}" if self.place.folder else "",
            f"{rest}: every score, difference of systems and note",
            f"{counted(untested, 'measure')} without a test (too few records, or no value)"
            if untested
            else "",
            counted(sanity_baselines, "sanity baseline") if sanity_baselines else "",
            f"{counted(absent, 'measure')} not computed (not applicable, or on request)" if absent else "",
        ]
        return _with_label(self._wrapped(" | ".join(filter(None, parts)), indent=INDENT), "MORE", "bold")


def _apart(*blocks: list[Text]) -> Iterator[Text]:
    """The lines of all blocks with an empty line between them."""
    for i, block in enumerate(block for block in blocks if block):
        if i:
            yield Text("")
        yield from block


def _notes_once(tables: Iterable[Table]) -> list[Table]:
    """The tables, each note only below the first table that has it."""
    seen: set[str] = set()
    shown = []
    for table in tables:
        shown.append(replace(table, notes=tuple(note for note in table.notes if note not in seen)))
        seen.update(table.notes)
    return shown


def _filled(row: Sequence[str]) -> int:
    """The number of cells with a value behind the row's name."""
    return sum(cell != ABSENT for cell in row[1:])


def _indented(text: str, width: int, indent: int, style: str = "") -> list[Text]:
    """The wrapped lines of a text, all with the same indent."""
    lines = wrapped(printable(text), max(width - indent, NARROWEST))
    return [Text(" " * indent + line, style) for line in lines]


def _with_label(lines: list[Text], label: str, style: str, indent: int = INDENT) -> list[Text]:
    """The lines with a label in the indent of the first."""
    if not lines:
        return []
    rest = lines[0].plain[indent:]
    return [Text.assemble((f"{label:{indent}}", style), rest), *lines[1:]]


def _continued(command: str, width: int, indent: int) -> list[Text]:
    """A command that can be copied: a long one goes on after a backslash, and no word of it is broken."""
    lines = wrapped(command, max(width - indent - 2, NARROWEST), fold=False)
    return [
        Text(f"{' ' * indent}{line}{'' if i == len(lines) - 1 else ' ' + chr(92)}")
        for i, line in enumerate(lines)
    ]


# ---------------------------------------------------------------------------------------------- tables


def table_lines(table: Table, width: int, lead: Sequence[str] = ()) -> list[Text]:
    """The title, the columns and the notes of a table: numbers to the right, wrapped names, no line wider than ``width``.

    A table that is too wide is narrowed in steps: smaller gaps, the first column as headings above its rows, wrapped columns of
    text; then its columns go on below, and the columns that name the rows are repeated.
    """
    title = _indented(table.title, width, 0, "bold")
    below = [line for text in lead for line in _indented(text, width, 0)]
    notes = [line for note in table.notes for line in _indented(note, width, 0, "dim")]
    return [*title, *below, *(_columns(table, width) if table.rows else ()), *notes]


@dataclass(frozen=True)
class _Layout:
    """Cells as lines of text, with the width of each column."""

    header: list[list[str]]
    rows: list[list[list[str]]]
    numeric: list[bool]
    widths: list[int]
    gap: int

    @property
    def width(self) -> int:
        return sum(self.widths) + self.gap * (len(self.widths) - 1)

    def lines(self, width: int) -> Iterator[Text]:
        depth = max(map(len, self.header))
        yield from self._row([[""] * (depth - len(cell)) + cell for cell in self.header], style="dim")
        for row in self.rows:
            if len(row) == 1:  # a heading above rows
                yield from (Text(line) for line in wrapped(" ".join(row[0]), width))
            else:
                yield from self._row(row)

    def _row(self, cells: list[list[str]], style: str = "") -> Iterator[Text]:
        for k in range(max(map(len, cells))):
            line = Text(style=style)
            for i, (cell, wide) in enumerate(zip(cells, self.widths, strict=True)):
                text = cell[k] if k < len(cell) else ""
                blanks = " " * (wide - cell_len(text))
                line.append(" " * (self.gap if i else 0))
                line.append(f"{blanks}{text}" if self.numeric[i] else f"{text}{blanks}", MARKS.get(text, ""))
            line.rstrip()
            yield line


def _columns(table: Table, width: int) -> Iterator[Text]:
    flat, nested = _cells(table), _nested(table)
    for form in filter(None, (flat, nested)):
        for gap in (2, 1):
            layout = _layout(*form, gap)
            if layout.width <= width:
                return layout.lines(width)
    for form in filter(None, (nested, flat)):
        if (narrowed := _narrowed(_layout(*form, 1), width)) is not None:
            return narrowed.lines(width)
    return _split(*flat, width)


def _fits(table: Table, width: int) -> bool:
    return _layout(*_cells(table), 1).width <= width


Cells = tuple[list[list[str]], list[list[list[str]]], list[bool]]


def _cells(table: Table) -> Cells:
    """Header, rows and which columns are numeric; a row without any cell but the first is a heading."""
    rows = []
    for row in table.rows:
        is_heading = len(row) > 1 and row[0] and not any(row[1:])
        rows.append([_lines(cell) for cell in (row[:1] if is_heading else row)])
    return [_lines(cell) for cell in table.header], rows, numeric_columns(table)


def _lines(cell: str) -> list[str]:
    """The lines of a cell: a score above its intervals, as papers print them."""
    return [shorten(printable(line), 300) for line in cell.split("\n")]


def _nested(table: Table) -> Cells | None:
    """The same with the first column as headings above the rows; None where a second column does not name rows as well."""
    numeric = numeric_columns(table)
    if len(numeric) < 3 or numeric[0] or numeric[1] or not any(numeric[2:]):
        return None
    header, every, _ = _cells(table)
    rows: list[list[list[str]]] = []
    last: list[str] = []
    for row in every:
        if row[0] != last and row[0] != [""]:
            rows.append(row[:1])
            last = row[0]
        if len(row) > 1:
            rows.append([["  " + line for line in row[1]], *row[2:]])
    return [[", ".join(" ".join(cell) for cell in header[:2])], *header[2:]], rows, numeric[1:]


def _layout(header: list[list[str]], rows: list[list[list[str]]], numeric: list[bool], gap: int) -> _Layout:
    """Each column as wide as its longest cell; with the small gap headings are wrapped, and ``not testable`` is."""
    if gap == 1:
        rows = [[["not", "testable"] if cell == ["not testable"] else cell for cell in row] for row in rows]
    full = [row for row in rows if len(row) == len(header)]
    cells = [max((cell_len(line) for row in full for line in row[k]), default=0) for k in range(len(header))]
    if gap == 1:
        header = [
            list(
                chain.from_iterable(
                    wrapped(line, max(cell, *map(cell_len, line.split() or [""]), 1)) for line in head
                )
            )
            for head, cell in zip(header, cells, strict=True)
        ]
    widths = [max(cell, *map(cell_len, head)) for head, cell in zip(header, cells, strict=True)]
    return _Layout(header, rows, numeric, widths, gap)


def _narrowed(layout: _Layout, width: int) -> _Layout | None:
    """The layout with its widest columns of text wrapped until it fits; None where it cannot."""
    widths = list(layout.widths)
    while (over := sum(widths) + layout.gap * (len(widths) - 1) - width) > 0:
        k = max(
            (k for k, is_number in enumerate(layout.numeric) if not is_number),
            key=lambda k: widths[k],
            default=-1,
        )
        if k < 0 or widths[k] <= NARROWEST:
            return None
        widths[k] = max(widths[k] - over, NARROWEST)

    def fold(cells: list[list[str]]) -> list[list[str]]:
        if len(cells) != len(widths):
            return cells
        return [
            cell if is_number else list(chain.from_iterable(_hanging(line, wide) for line in cell))
            for cell, wide, is_number in zip(cells, widths, layout.numeric, strict=True)
        ]

    return _Layout(
        fold(layout.header), [fold(row) for row in layout.rows], layout.numeric, widths, layout.gap
    )


def _hanging(line: str, width: int) -> Iterator[str]:
    """A wrapped cell whose further lines have the indent of the first."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    yield from (indent + part for part in wrapped(line.strip(" "), max(width - len(indent), 1)))


def _split(
    header: list[list[str]], rows: list[list[list[str]]], numeric: list[bool], width: int
) -> Iterator[Text]:
    """The columns in parts below one another, each part with the columns that name the rows."""
    layout = _layout(header, rows, numeric, 1)
    names = [0]
    while names[-1] + 1 < len(header) - 1 and not numeric[names[-1] + 1]:
        names.append(names[-1] + 1)
    while len(names) > 1 and sum(layout.widths[k] + 1 for k in names) > width // 2:
        names.pop()
    parts: list[list[int]] = []
    used = width + 1
    for k in range(len(names), len(header)):
        need = layout.widths[k] + 1
        if used + need > width:
            parts.append([])
            used = min(sum(layout.widths[i] + 1 for i in names) - 1, max(width // 2, NARROWEST))
        parts[-1].append(k)
        used += need
    for part in parts:
        chosen = [*names, *part]
        cells = [[row[k] for k in chosen] if len(row) > 1 else row for row in layout.rows]
        each = _Layout(
            [layout.header[k] for k in chosen],
            cells,
            [numeric[k] for k in chosen],
            [layout.widths[k] for k in chosen],
            1,
        )
        yield from (each if each.width <= width else _narrowed(each, width) or each).lines(width)


# ------------------------------------------------------------------------------------------------ text


def wrapped(text: str, width: int, *, fold: bool = True) -> list[str]:
    """Lines of at most ``width`` columns, broken at spaces; a longer word after a joint. No line breaks at a no-break space.

    >>> wrapped("a gap (p\u00a0=\u00a00.012) of two", 14)
    ['a gap', '(p = 0.012) of', 'two']
    """
    lines: list[str] = []
    line = ""
    for word in TESTED.sub("p\u00a0\\1\u00a0", text).split(" "):
        if line and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = ""
        *whole, word = folded(word, width) if fold and cell_len(word) > width else (word,)
        lines += whole
        line = f"{line} {word}" if line else word
    return [line.replace("\u00a0", " ") for line in (*lines, line)]


def folded(name: str, width: int) -> Iterator[str]:
    """The lines of a long name, each at most ``width`` columns and ended after a joint in its second half, if there is one, and
    not inside a number.

    >>> list(folded("Llama-3.2-3B-Instruct", 16))
    ['Llama-3.2-3B-', 'Instruct']
    >>> list(folded("random>=-0.11", 12))
    ['random>=', '-0.11']
    >>> list(folded("abcdefgh", 5))
    ['abcde', 'fgh']
    """
    while cell_len(name) > width:
        most = 1
        while most < len(name) and cell_len(name[: most + 1]) <= width:
            most += 1
        joints = [i for i in range(most, most // 2, -1) if name[i - 1] in JOINTS]
        cut = next((i for i in joints if not name[i].isdigit()), joints[0] if joints else most)
        yield name[:cut]
        name = name[cut:]
    yield name


def say(console: Console, text: str, style: str = "") -> None:
    """Print a sentence, wrapped at the width of the terminal."""
    _print([Text(line, style) for line in wrapped(shorten(printable(text), 2000), console.width)], console)
