"""A result on a terminal: at most sixty lines of findings, cautions and main tables; with ``details`` everything.

Lines are wrapped at spaces, names at joints; no number is ever cut. Text from the input is made printable and added as
`rich.text.Text`, which obeys no markup.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from fairbrief.reports import tables as t
from fairbrief.reports import wording
from fairbrief.reports.first_answers import CAUTION, FINDING, FOLDER, INTERVAL, MEASURED, answers, next_steps
from fairbrief.reports.number_format import ABSENT
from fairbrief.reports.plain import named, printable
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_LINES = 60
"""Lines of the first screen."""
SKIPPED = "Skipped"
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
NO_TEST = frozenset(("too few", "no value", "not tested"))
"""Conclusions of a panel that has no table: a panel that is not testable has one, with its values and intervals."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a result is printed: the folder of a saved audit, None if it was not saved, and how to print everything."""

    folder: Path | None = None
    rest: str = "--details"
    can_save: bool = True
    """Whether the command has --out, with which the folder and its report are written."""
    tables_first: Literal["", "subgroups", "differences"] = ""
    """The tables before all others: those that were asked for."""


def print_result(
    result: Result, console: Console | None = None, *, details: bool = False, place: Place = Place()
) -> None:
    """Print the first screen of a result, or with ``details`` all of it."""
    console = console or Console()
    screen = _Screen(result, console.width, place)
    _print(screen.everything() if details else screen.first(), console)


def print_tables(tables: Sequence[Table], *, is_below_text: bool = False) -> None:
    """Print tables with an empty line between them, and before the first if text is above it.

    A note of neighbouring tables is printed below the last of them.
    """
    console = Console()
    for i, table in enumerate(tables):
        if i or is_below_text:
            console.print()
        again = tables[i + 1].notes if i + 1 < len(tables) else ()
        notes = tuple(note for note in table.notes if note not in again)
        _print(table_lines(replace(table, notes=notes), console.width), console)


def print_labelled(label: str, texts: Iterable[str], style: str = "") -> None:
    """Print texts, wrapped beside a label."""
    console = Console()
    _print(_labelled(label, [_indented(text, console.width, LABEL) for text in texts], style, LABEL), console)


def print_text(text: str, style: str = "") -> None:
    """Print a sentence, wrapped at the width of the terminal."""
    console = Console()
    _print(_indented(named(text, 2000), console.width, style=style), console)


def _print(lines: Iterable[Text], console: Console) -> None:
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False)


# ------------------------------------------------------------------------------------ the first screen

Maker = Callable[[int], Table]
"""Makes a table with at most so many rows."""


class _Screen:
    """The lines of a result at one width."""

    def __init__(self, result: Result, width: int, place: Place) -> None:
        self.result, self.width, self.place = result, width, place
        self.context = Context(result)
        self.is_paper = bool(result.made.get("protocol"))
        """Whether the result is a paper's protocol, which is shown by its tables."""
        self.answers = {} if self.is_paper else answers(self.context)
        self.tested = [m for m in self.context.panels if any(self.context.kind(e) not in NO_TEST for e in m)]
        if excluded := result.excluded_input:
            self.answers[SKIPPED] = [" ".join(excluded), *result.skipped]

    def first(self) -> Iterator[Text]:
        """At most `MOST_LINES` lines; what does not fit is counted."""
        head = [*self._header(), *self._answer(MEASURED, 5)]
        parts = [self._answer(FINDING, 15), self._answer(CAUTION, 10), self._answer(SKIPPED, 4)]
        foot = [*self._next(), *self._more()]
        used = len(head) + sum(len(part) + 1 for part in (*parts, foot) if part)
        if self.is_paper:  # all its tables, or the main values of a protocol without tables
            tables = [table_lines(table, self.width) for table in self.result.tables or self._main_values()]
        else:
            tables = self._tables(MOST_LINES - used)
        return _apart(head, *parts, *tables, foot)

    def everything(self) -> Iterator[Text]:
        """All sentences, tables, notes, and what was not measured."""
        result = self.result
        seed, many = result.made.get("seed"), result.made.get("n_resamples")
        parts = ("" if seed is None else f"seed {seed}", "" if many is None else counted(many, "resample"))
        settings = ", ".join(filter(None, parts))
        return _apart(
            [*self._header(), *(self._wrapped(settings) if settings else ()), *self._answer(MEASURED)],
            *map(self._answer, (FINDING, INTERVAL, CAUTION)),
            *(table_lines(table, self.width) for table in t.printed_tables(result, is_brief=True)),
            self._wrapped(wording.COMPARED) if result.differences else [],
            *(table_lines(table, self.width) for table in t.left_out_tables(result)),
            self._answer(SKIPPED),
            self._next(),
        )

    def _header(self) -> list[Text]:
        return _indented(" | ".join(t.facts(self.result)), self.width, style="bold")

    def _answer(self, asked: str, most: int | None = None) -> list[Text]:
        """As many whole sentences as fit beside a label, then how many more there are; what was measured has no label."""
        sentences = self.answers.get(asked, ())
        indent = 0 if asked == MEASURED else INDENT
        what = {MEASURED: "attribute", SKIPPED: "reason"}.get(asked, asked.lower())
        blocks = [self._wrapped(sentence, indent) for sentence in sentences]
        while most and len(blocks) > 1 and sum(map(len, blocks)) + (len(blocks) < len(sentences)) > most:
            blocks.pop()
        if hidden := len(sentences) - len(blocks):
            blocks.append(self._wrapped(f"{counted(hidden, f'more {what}')}: {self.place.rest}", indent))
        return _labelled(asked.upper(), blocks, "bold yellow" if asked == CAUTION else "bold", indent)

    def _wrapped(self, text: str, indent: int = 0) -> list[Text]:
        return _indented(text, self.width, indent)

    # ------------------------------------------------------------------------------------------ tables

    def _makers(self) -> list[Maker]:
        """The group differences to show, the clearest first: in a whole table those of the first measure of each attribute or
        family, those of other measures with a column per group.
        """
        result, context = self.result, self.context
        tested = self.tested or context.panels[:1]
        firsts: dict[str, Sequence[Estimate]] = {}
        for members in tested:
            firsts.setdefault(members[0].over or context.declared(members[0]).family, members)
        full = [*map(self._full, firsts.values())]
        compact = [self._compact(m) for m in tested if not any(m is first for first in firsts.values())]
        subgroups = [*map(self._full, context.clearest_first(context.leading("subgroups")))]
        pairs = [*map(self._full, context.clearest_first(context.leading("pairs")))]
        is_compared = self.place.tables_first == "differences" or result.made.get("baseline")
        if not tested:  # a comparison of two audits, or a result without group differences
            makers = pairs or [self._first_rows(_with_exclusions(table)) for table in self._main_values()]
        elif self.place.tables_first == "subgroups":
            makers = [*subgroups, *full, *compact]
        else:
            makers = [*(pairs if is_compared else ()), *full, *compact, *subgroups]
        return [*makers[:1], *map(self._first_rows, result.tables), *makers[1:]]

    def _tables(self, room: int) -> list[list[Text]]:
        """As many tables as fit into so many lines, with as many rows as fit; the other tables are counted."""
        makers = self._makers()
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

    def _full(self, members: Sequence[Estimate]) -> Maker:
        return lambda rows: self._counting(t.contrast_table(members, self.context, rows), len(members), "row")

    def _compact(self, members: Sequence[Estimate]) -> Maker:
        """Columns of groups that do not fit are left out and counted."""

        def make(rows: int) -> Table:
            for shown in range(len({e.group for e in members}), 0, -1):
                table = t.compact_table(members, self.context, shown, rows)
                if _Grid.of(table).width <= self.width:
                    break
            return self._counting(table, len(members), "value")

        return make

    def _first_rows(self, table: Table) -> Maker:
        return lambda rows: self._counting(replace(table, rows=table.rows[:rows]), len(table.rows), "row")

    def _counting(self, table: Table, many: int, what: str) -> Table:
        """The table with a note on how many of its rows or values it does not show."""
        filled = sum(cell != ABSENT for row in table.rows for cell in row[1:])
        hidden = many - (filled if what == "value" else len(table.rows))
        more = f"{counted(hidden, f'more {what}')}: {self.place.rest}"
        return replace(table, notes=(more, *table.notes)) if hidden else table

    def _main_values(self) -> list[Table]:
        """The main values, of systems or of their differences, on all records; for a result without group differences."""
        values = [e for e in (self.result.estimates or self.result.differences) if not e.subgroup]
        values = [e for e in values if wording.is_main_value(e)] or values
        return [t.section_table(s, self.context, is_brief=True) for s in t.arrange(values, self.context)]

    # -------------------------------------------------------------------------------------- what is next

    def _next(self) -> list[Text]:
        """Commands that work with the saved audit, each behind what it does."""
        steps = next_steps(self.context) if self.place.can_save and not self.is_paper else []
        blocks = []
        if steps and self.place.folder is None:
            text = f"Add --out {FOLDER} to keep this audit and its report; then 'fairbrief view {FOLDER}' shows the records."
            steps, blocks = [], [self._wrapped(text, INDENT)]
        for why, command in steps:
            words = [str(self.place.folder) if word == FOLDER else word for word in shlex.split(command)]
            whole = " ".join(shlex.quote(printable(word)).replace(" ", "\u00a0") for word in words)
            if INDENT + cell_len(f"{why} {whole}") <= self.width:
                blocks.append(self._wrapped(f"{why} {whole}", INDENT))
            else:
                blocks += [self._wrapped(why, INDENT), _continued(whole, self.width, INDENT + 2)]
        return _labelled("NEXT", blocks, "bold")

    def _more(self) -> list[Text]:
        """Where the rest is, and how many measures and lines are not shown."""
        result, rest = self.result, self.place.rest
        absent = sum(not m.is_scorer_check for m in result.not_measured)
        untested = len(self.context.panels) - len(self.tested)
        counts = (
            (untested if self.tested else 0, "measure", " without a test (too few records, or no value)"),
            (len(result.made.get("sanity_baselines") or ()), "sanity baseline", ""),
            (absent, "measure", " not computed (not applicable, or on request)"),
        )
        parts = [f"{self.place.folder / 'report.html'}"] if self.place.folder else []
        parts.append(f"{rest}: every score, difference of systems and note")
        parts += [f"{counted(many, what)}{more}" for many, what, more in counts if many]
        return _labelled("MORE", [self._wrapped(" | ".join(parts), INDENT)], "bold")


def _apart(*blocks: list[Text]) -> Iterator[Text]:
    """The lines of all blocks with an empty line between them."""
    for i, block in enumerate(block for block in blocks if block):
        if i:
            yield Text("")
        yield from block


def _with_exclusions(table: Table) -> Table:
    """The table with only those of its notes that have the reasons for excluded records."""
    return replace(table, notes=tuple(note for note in table.notes if note.startswith(t.EXCLUDED)))


def _notes_once(tables: Iterable[Table]) -> list[Table]:
    """The tables, each note only below the first table that has it."""
    seen: set[str] = set()
    shown = []
    for table in tables:
        shown.append(replace(table, notes=tuple(note for note in table.notes if note not in seen)))
        seen.update(table.notes)
    return shown


def _indented(text: str, width: int, indent: int = 0, style: str = "") -> list[Text]:
    """The wrapped lines of a text, all with the same indent."""
    lines = wrapped(printable(text), max(width - indent, NARROWEST))
    return [Text(" " * indent + line, style) for line in lines]


def _labelled(label: str, blocks: Iterable[list[Text]], style: str, indent: int = INDENT) -> list[Text]:
    """The lines of all blocks, with a label in the indent of the first, if they have one."""
    lines = list(chain.from_iterable(blocks))
    if lines and indent:
        lines[0] = Text.assemble((f"{label:{indent}}", style), lines[0].plain[indent:])
    return lines


def _continued(command: str, width: int, indent: int) -> list[Text]:
    """A command that can be copied: a long one goes on after a backslash, and no word of it is broken."""
    lines = wrapped(command, max(width - indent - 2, NARROWEST), fold=False)
    *whole, last = (" " * indent + line for line in lines)
    return [*(Text(f"{line} \\") for line in whole), Text(last)]


# ---------------------------------------------------------------------------------------------- tables


def table_lines(table: Table, width: int) -> list[Text]:
    """The title, the columns and the notes of a table: numbers to the right, wrapped names, no line wider than ``width``.

    A table that is too wide gets smaller gaps, or the first column as headings above its rows; then columns of text are wrapped;
    then its columns go on below, and the columns that name the rows are repeated.
    """
    title = _indented(table.title, width, 0, "bold")
    notes = [line for note in table.notes for line in _indented(note, width, 0, "dim")]
    return [*title, *(_columns(_Grid.of(table), width) if table.rows else ()), *notes]


@dataclass(frozen=True)
class _Grid:
    """The columns of a table, each from its heading on; cells may have several lines. ``above`` are headings above rows, which
    are counted from 1.
    """

    columns: list[list[str]]
    numeric: list[bool]
    above: Mapping[int, list[str]]
    gap: int = 2

    @classmethod
    def of(cls, table: Table) -> _Grid:
        """The cells of a table; a row without any cell but the first is a heading."""
        rows, above = [table.header], defaultdict(list)
        for row in table.rows:
            if len(table.header) > 1 and row[0] and not any(row[1:]):
                above[len(rows)].append(_safe(row[0]))
            else:
                rows.append(row)
        columns = [[*map(_safe, cells)] for cells in zip(*rows, strict=True)]
        return cls(columns, t.numeric_columns(table), above)

    @cached_property
    def widths(self) -> list[int]:
        """Each column as wide as its longest cell or heading."""
        return [max(map(_width, cells)) for cells in self.columns]

    @property
    def width(self) -> int:
        return sum(self.widths) + self.gap * (len(self.columns) - 1)

    def lines(self, width: int) -> Iterator[Text]:
        """The header, its columns ending in its last line, and the rows."""
        header, *rows = zip(*self.columns, strict=True)
        depth = max(cell.count("\n") for cell in header)
        yield from self._row(["\n" * (depth - cell.count("\n")) + cell for cell in header], "dim")
        for i, row in enumerate([*rows, ()], 1):
            for heading in self.above.get(i, ()):
                yield from map(Text, wrapped(heading.replace("\n", " "), width))
            yield from self._row(row)

    def _row(self, row: Sequence[str], style: str = "") -> Iterator[Text]:
        for cells in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
            line = Text(style=style)
            for i, (text, wide, is_number) in enumerate(zip(cells, self.widths, self.numeric, strict=True)):
                blanks = " " * (wide - cell_len(text))
                line.append(" " * (self.gap if i else 0))
                line.append(f"{blanks}{text}" if is_number else f"{text}{blanks}", MARKS.get(text, ""))
            line.rstrip()
            yield line


def _safe(cell: str) -> str:
    """The printable lines of a cell: a score above its intervals, as papers print them."""
    return "\n".join(named(line, 300) for line in cell.split("\n"))


def _width(cell: str) -> int:
    return max(map(cell_len, cell.split("\n")))


def _columns(grid: _Grid, width: int) -> Iterator[Text]:
    nested = _nested(grid)
    forms = (grid, _tight(grid), nested, _tight(nested))
    form = next((form for form in forms if form.width <= width), None)
    form = form or _narrowed(forms[3], width) or _narrowed(forms[1], width)
    if form:
        return form.lines(width)
    # Each part repeats both names of a row only if these are short; as headings, long ones have room.
    return _split(forms[1 if sum(forms[1].widths[:2]) < width // 2 else 3], width)


def _nested(grid: _Grid) -> _Grid:
    """The first column as headings above the rows, where a second column of text names rows as well."""
    if len(grid.numeric) < 3 or grid.numeric[0] or grid.numeric[1] or not any(grid.numeric[2:]):
        return grid
    (head, *names), (second, *cells), *others = grid.columns
    above = defaultdict(list)
    last = ""
    for i, name in enumerate([*names, ""], 1):
        for heading in (*grid.above.get(i, ()), name):
            if heading not in (last, ""):
                above[i].append(heading)
                last = heading
    indented = ["  " + cell.replace("\n", "\n  ") for cell in cells]
    first = [f"{head}, {second}".replace("\n", " "), *indented]
    return _Grid([first, *others], grid.numeric[1:], above)


def _tight(grid: _Grid) -> _Grid:
    """The same with small gaps and wrapped headings, and ``not testable`` on two lines."""
    columns = []
    for head, *cells in grid.columns:
        cells = ["not\ntestable" if cell == "not testable" else cell for cell in cells]
        widest = max([1, *map(_width, cells), *map(cell_len, head.split())])
        lines = (line for part in head.split("\n") for line in wrapped(part, widest))
        columns.append(["\n".join(lines), *cells])
    return replace(grid, columns=columns, gap=1)


def _narrowed(grid: _Grid, width: int) -> _Grid | None:
    """The grid with its widest columns of text wrapped until it fits, equally wide ones alike; None where it cannot."""
    widths = list(grid.widths)
    texts = [k for k, is_number in enumerate(grid.numeric) if not is_number]
    for _ in range(grid.width - width):
        k = max(texts, key=widths.__getitem__, default=-1)
        if k < 0 or widths[k] <= NARROWEST:
            return None
        widths[k] -= 1
    columns = list(grid.columns)
    for k in texts:
        columns[k] = [_hanging(cell, widths[k]) for cell in columns[k]]
    return replace(grid, columns=columns)


def _hanging(cell: str, width: int) -> str:
    """A wrapped cell whose further lines have the indent of the first."""
    indent = " " * (len(cell) - len(cell.lstrip(" ")))
    room = max(width - len(indent), 1)
    lines = (part for line in cell.split("\n") for part in wrapped(line.strip(" "), room))
    return "\n".join(indent + line for line in lines)


def _split(grid: _Grid, width: int) -> Iterator[Text]:
    """The columns in parts below one another, each part with the columns that name the rows."""
    widths, many = grid.widths, len(grid.numeric)
    names = 1
    while names < many - 1 and not grid.numeric[names] and sum(widths[: names + 1]) + names < width // 2:
        names += 1
    head = min(sum(widths[:names]) + names - 1, max(width // 2, NARROWEST))
    start = names
    while start < many:
        end = start + 1
        while end < many and head + sum(widths[start : end + 1]) + end + 1 - start <= width:
            end += 1
        columns = grid.columns[:names] + grid.columns[start:end]
        part = replace(grid, columns=columns, numeric=grid.numeric[:names] + grid.numeric[start:end])
        yield from (_narrowed(part, width) or part).lines(width)
        start = end


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
        most = max(len(chop_cells(name, width)[0]), 1)
        joints = [i for i in range(most, most // 2, -1) if name[i - 1] in JOINTS]
        cut = next((i for i in joints if not name[i].isdigit()), joints[0] if joints else most)
        yield name[:cut]
        name = name[cut:]
    yield name
