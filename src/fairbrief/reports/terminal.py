"""A result on a terminal: tables that fit 80 columns, and a line for everything that is missing.

All text from the input is made printable and added as `rich.text.Text`, which knows no markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from fairbrief.reports import arrangement, first_answers, reach, wording
from fairbrief.reports.arrangement import Section
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Column, columns, contrast_tables, numeric_columns
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, SystemKind, Table

MOST_SUBSCRIPTS = 6
"""A quantity with more values than this (segments of a text, many groups) is left to the written report."""
MOST_SKIPPED = 5
MOST_ROWS = 80
"""Rows of one table: no more than fit a few screens."""
LONG_NAME = 28
"""A spec longer than this stands below the table, and its name and a number in it."""
LONGEST_NAME = 300
"""Characters of a system's name."""
WIDE = 100
ROOM = 24
"""Columns of the terminal that are left to the numbers of a printed table, whatever its rows are named by."""
WIDEST = 32
"""Of a column of a printed table: what is longer is folded."""
JOINTS = frozenset(" -_/:.,(=")
"""Behind these a name may be folded."""
NARROWEST = 6
"""Of the names' column: names are folded before a number is cut off."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Where what is not printed can be had: how to have it printed, and where it stands; "" for nowhere."""

    hint: str = " (--details prints them)"
    place: str = ""


WITH_A_REPORT = Rest(place="in the written report")


def print_result(
    result: Result, console: Console, *, details: bool = False, rest: Rest = WITH_A_REPORT
) -> None:
    """Print a paper's tables, estimates, differences, and what was left out.

    Headlines alone, unless ``details`` asks for every quantity; ``rest`` says where the others are.
    """
    say(console, _made_line(result), style="dim")
    if not result.made.get("protocol"):
        _print_answers(result, console)
    for table in [*result.tables, *(reach.tables(result.made) if details else ())]:
        print_table(table, console)
    for table in contrast_tables(result.estimates, result.made):
        print_table(table, console)
    for section in arrangement.arrange(result.estimates, result.made):
        _print_section(section, console, result.made, rest, details=details)
    for section in arrangement.contrasts_of(result):
        _print_section(section, console, result.made, rest, details=details, differ=True)
    if any(e.value is not None for e in result.differences):
        say(console, wording.COMPARED, style="dim")
    _print_left_out(result, console)


def _print_answers(result: Result, console: Console) -> None:
    """What was measured and found, and how sure; what to do next is left to the page."""
    found = first_answers.answers(result)
    if found:
        console.print()
    for answer in found:
        say(console, answer.asked, style="bold")
        for text, _ in answer.lines:
            console.print(Padding(Text(printable(text)), (0, 0, 0, 2), expand=False))


def _made_line(result: Result) -> str:
    made = result.made
    systems = result.systems
    many = len(systems) if isinstance(systems, (list, tuple)) else systems
    records = made.get("records")
    parts = [f"Fairbrief {made['version']}" if "version" in made else "Fairbrief"]
    if isinstance(records, int):
        parts.append(counted(records, "record"))
    parts.append(counted(many, "system"))
    parts += [
        f"{name.removeprefix('n_')} {made[name]}"
        for name in ("protocol", "language", "seed", "n_resamples")
        if made.get(name) not in (None, "")
    ]
    return " · ".join(parts)


def _print_section(
    section: Section,
    console: Console,
    made: Mapping[str, Any],
    rest: Rest,
    *,
    details: bool,
    differ: bool = False,
) -> None:
    rows, hidden = _shown(_known(section.estimates) if differ else section.estimates, rest, details=details)
    if not rows:
        return
    names_below = _long_names(rows)
    title = f"Differences of systems: {section.title}" if differ else section.title
    alone = len(section.systems) == 1 and not differ
    if alone:
        title += f" · {section.systems[0]}"
    grid = _grid(
        "measure" if alone and not section.by else "measure, system" if not section.by else "measure, part",
    )
    numbers = [c for c in columns(rows, made, is_difference=differ) if c.name != "within"]
    for column in numbers:
        grid.add_column(column.short, justify="right", no_wrap=True)
    inline = alone and not section.by
    headed = ""
    for _, block in arrangement.by_quantity(rows):
        is_main_value = wording.is_main_value(block[0])
        if block[0].measure != headed and not (is_main_value and inline):
            grid.add_row(_measure(block[0], names_below))
        headed = block[0].measure
        name = _measure(block[0], names_below) if is_main_value else plain(f"·{block[0].quantity}")
        if not inline and not is_main_value:
            grid.add_row(name)
        for e in block:
            grid.add_row(
                name if inline else _row_name(e, alone),
                *(_cell(column, e, console) for column in numbers),
            )
    heading(console, title)
    console.print(grid)
    for spelled, number in names_below.items():
        say(console, f"[{number}] {spelled}", style="dim")
    _footnotes(rows, hidden, console, rest, names_below)


def _known(differences: Sequence[Estimate]) -> list[Estimate]:
    """The differences without those of a quantity that is undefined for all pairs of systems."""
    defined = {(e.measure, e.quantity) for e in differences if e.value is not None}
    return [e for e in differences if (e.measure, e.quantity) in defined]


def _long_names(rows: Sequence[Estimate]) -> dict[str, int]:
    """The specs that do not fit into the table, numbered."""
    spelled = dict.fromkeys(wording.without_over(e) for e in rows)
    return {name: i for i, name in enumerate((n for n in spelled if len(n) > LONG_NAME), start=1)}


def _shown(
    estimates: Sequence[Estimate], rest: Rest, *, details: bool
) -> tuple[list[Estimate], dict[str, int]]:
    """The rows to print, and how many rows of what are left to the written report."""
    if details and not rest.place:
        return list(estimates), {}
    if not details:
        main_values = [e for e in estimates if _comes_first(e)] or list(estimates)
        hidden = {f"rows of other quantities{rest.hint}": len(estimates) - len(main_values)}
        rows = main_values
    else:
        rows, hidden = _without_large(estimates)
    hidden["further rows"] = len(rows) - MOST_ROWS if not details else 0
    return rows if details else rows[:MOST_ROWS], {name: many for name, many in hidden.items() if many > 0}


def _comes_first(e: Estimate) -> bool:
    """Whether it is printed without being asked for: a main value; of a difference, what it is to be decided on."""
    if not e.baseline:
        return wording.is_main_value(e)
    return e.is_primary or (wording.is_main_value(e) and e.p is not None)


def _without_large(estimates: Sequence[Estimate]) -> tuple[list[Estimate], dict[str, int]]:
    """The estimates but for quantities of many values (the segments of a text), and what those were."""
    subscripts: dict[tuple[str, str], set[str]] = {}
    for e in estimates:
        subscripts.setdefault(_stem(e), set()).add(e.quantity)
    large = {stem for stem, members in subscripts.items() if len(members) > MOST_SUBSCRIPTS}
    hidden = {f"{measure}: {name}[…]": len(subscripts[measure, name]) for measure, name in sorted(large)}
    return [e for e in estimates if _stem(e) not in large], hidden


def _measure(e: Estimate, names_below: dict[str, int]) -> Text:
    """A measure's name: what heads its quantities, whose own names may be those of another measure's too."""
    spelled = wording.without_over(e)
    number = names_below.get(spelled)
    return plain(spelled if number is None else f"{spelled.partition('(')[0]} [{number}]", "bold")


def _stem(e: Estimate) -> tuple[str, str]:
    return wording.without_over(e), re.sub(r"\[.*", "", e.quantity, flags=re.DOTALL)


def _row_name(e: Estimate, alone: bool) -> Padding:
    parts = [] if alone else [_breakable(e.system, e.system_kind)]
    if e.baseline:
        first, second = _breakable(e.system, e.system_kind), _breakable(e.baseline, e.baseline_kind)
        parts = [wording.pair(e.replace(system=first, baseline=second))]
    if e.subgroup:
        parts.append(", ".join(e.subgroup.values()))
    return Padding(Name(shorten(printable(" · ".join(parts)), LONGEST_NAME)), (0, 0, 0, 2))


def _breakable(system: str, kind: SystemKind | None) -> str:
    """A control's long name with gaps, so that it is folded between its words."""
    return system if kind == "system" else system.replace(":", ": ", 1).replace("(", " (", 1)


def _cell(column: Column, e: Estimate, console: Console) -> Text:
    text = column.cell(e)
    if column.name == "p" and console.width < WIDE:  # not testable
        text = text.replace(" ", "\n")
    return Text(text, "bold" if column.name in ("value", "difference") else "", justify="right")


def _footnotes(
    rows: Sequence[Estimate],
    hidden: dict[str, int],
    console: Console,
    rest: Rest,
    names_below: dict[str, int],
) -> None:
    for measures, system, n, counts in arrangement.left_out(rows):
        total = n + sum(counts.values())
        say(
            console,
            f"left out, {system} ({_numbered(measures, names_below)}), of {total:,}: {arrangement.reasons(counts)}",
            style="dim",
        )
    for note in arrangement.notes(list(map(_without_reasons, rows))):
        say(console, _numbered(note, names_below), style="dim")
    for name, many in hidden.items():
        say(console, ", ".join(filter(None, (f"{name}: {many}", rest.place))), style="dim")


def _without_reasons(e: Estimate) -> Estimate:
    """An estimate without the notes that repeat why all its records were left out."""
    kept = tuple(note for note in e.notes if note.arguments.get("reason") not in e.excluded)
    return e.replace(notes=kept)


def _numbered(text: str, names_below: dict[str, int]) -> str:
    """A text that names long specs by their numbers."""
    for spelled in sorted(names_below, key=len, reverse=True):
        text = text.replace(spelled, f"{spelled.partition('(')[0]} [{names_below[spelled]}]")
    return text


def print_table(table: Table, console: Console) -> None:
    """A printed table in its own layout; columns of numbers to the right.

    A table wider than the terminal goes on below, the columns that name its rows repeated: no cell is cut.
    """
    heading(console, table.title)
    numeric = numeric_columns(table)
    names, groups = _fitting(table, numeric, console.width)
    natural = sum(max(_width(table, k), cell_len(printable(h))) + 2 for k, h in enumerate(table.header)) - 2
    tight = natural > console.width  # then headings break at blanks, before any cell does
    for group in groups:
        grid = _grid(table.header[0] if table.header else "")
        for k in (*names[1:], *group):
            named = k in names
            grid.add_column(
                plain(table.header[k]),
                justify="right" if numeric[k] and not named else "left",
                overflow="fold",
                min_width=_width(table, k),
                max_width=_width(table, k) if tight and not named else None,
            )
        for row in table.rows:
            grid.add_row(*(_lines(row[k]) for k in (*names, *group)))
        console.print(grid)
    for note in table.notes:
        say(console, note, style="dim")


def _fitting(table: Table, numeric: Sequence[bool], width: int) -> tuple[list[int], list[list[int]]]:
    """The columns that name the rows, and the others in groups that fit beside them.

    The first column names rows, and those after it that hold no number, if that leaves room for numbers.
    """
    names = [0]
    used = max(16, _width(table, 0))
    for k in range(1, len(table.header) - 1):
        need = _width(table, k) + 2
        if numeric[k] or used + need > width - ROOM:
            break
        names.append(k)
        used += need
    first = used
    groups: list[list[int]] = []
    group: list[int] = []
    for k in range(len(names), len(table.header)):
        need = _width(table, k) + 2
        if group and used + need > width:
            groups.append(group)
            group, used = [], first
        group.append(k)
        used += need
    return names, [*groups, group]


def _width(table: Table, column: int) -> int:
    """What a column needs: its longest cell, or the longest word of its heading."""
    words_ = table.header[column].split() or [""]
    cells = [line for row in table.rows for line in row[column].split("\n")]
    return min(max(cell_len(printable(text)) for text in (*words_, *cells)), WIDEST)


def _lines(cell: str) -> Text:
    """A cell whose lines stay: a score above its intervals, as papers set them."""
    return Text("\n").join(plain(line) for line in cell.split("\n"))


def _print_left_out(result: Result, console: Console) -> None:
    if result.not_measured:
        heading(console, "Measures that were not taken")
        reasons: dict[str, list[str]] = {}
        for m in result.not_measured:
            reasons.setdefault(m.reason, []).append(m.measure)
        for reason, measures in reasons.items():
            _item(plain(", ".join(measures), "bold").append_text(plain(f": {reason}", "not bold")), console)
    if result.skipped:
        total = result.n_skipped
        heading(console, f"Input that was left out: {counted(total, 'line')}")
        for line in result.skipped[:MOST_SKIPPED]:
            console.print(Padding(plain(line), (0, 0, 0, 2)))
        if total > MOST_SKIPPED:
            say(console, f"  and {total - min(len(result.skipped), MOST_SKIPPED):,} more", style="dim")


def _item(text: Text, console: Console) -> None:
    """A line of a list; where it is folded, what follows is set in further."""
    first, *others = text.wrap(console, max(console.width - 4, NARROWEST))
    for indent, line in ("  ", first), *(("    ", line) for line in others):
        line.rstrip()
        console.print(Text(indent).append_text(line))


def ruled() -> Grid:
    """A table with a rule below its headings and nothing else."""
    return Grid(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim"
    )


def _grid(first: str) -> Grid:
    grid = ruled()
    grid.add_column(plain(first), overflow="fold", min_width=NARROWEST)
    return grid


def heading(console: Console, title: str) -> None:
    """A title below an empty line."""
    console.print()
    console.print(plain(title, "bold underline"))


def say(console: Console, text: str, style: str = "") -> None:
    """A sentence, folded at the width of the terminal."""
    console.print(plain(text, style, limit=2000))


def plain(text: str, style: str = "", limit: int = 300) -> Text:
    """Text in which nothing is obeyed, of bearable length."""
    return Text(shorten(printable(text), limit), style, overflow="fold")


@dataclass(frozen=True, slots=True)
class Name:
    """A name for a cell of a grid, which says how wide it may be."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From one column to the whole name in a line."""
        return Measurement(1, max(cell_len(self.text), 1)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines of the name."""
        yield Text("\n".join(folded(self.text, options.max_width)), overflow="fold")


def folded(name: str, width: int) -> Iterator[str]:
    """Lines of at most so many columns, each ending behind a joint where the line has one in its second half.

    >>> list(folded("Llama-3.2-3B-Instruct", 16))
    ['Llama-3.2-3B-', 'Instruct']
    >>> list(folded("abcdefgh", 5))
    ['abcde', 'fgh']
    """
    while cell_len(name) > width:
        most = 1
        while most < len(name) and cell_len(name[: most + 1]) <= width:
            most += 1
        if name[most] == " ":
            cut = most
        else:
            joints = (i for i in range(most, most // 2, -1) if name[i - 1] in JOINTS)
            cut = next(joints, most)
        yield name[:cut].rstrip()
        name = name[cut:].lstrip()
    yield name
