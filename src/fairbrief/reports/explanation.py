"""The contributions of records, documents and sentences to a value, as tables for terminal, Markdown and HTML, and as JSON.

A contribution is the drop in value when an item is removed: the value with it minus the value without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Literal, get_args

from fairbrief.reports import exports, json_file, wording
from fairbrief.reports.number_format import ABSENT, UNDEFINED, number, signed
from fairbrief.reports.pages import page
from fairbrief.reports.plain import printable, shorten
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

if TYPE_CHECKING:
    from rich.console import Console

Kind = Literal["record", "counterfactual", "document", "sentence", "claim"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SCHEMA = "fairbrief.explanation/1"
MOST_PARTS = 4
"""Documents, and sentences, per record in a sheet: those with the largest contributions."""
MOST_UNDEFINED = 2
"""Documents, and sentences, in a sheet without which there is no value."""
NAMED: tuple[Kind, ...] = ("record", "counterfactual")
"""Kinds that are shown by their id."""
EXCERPT = 72
"""Characters of a text in a table."""
MOST_CHARACTERS = 2_000
"""Characters of one document or sentence on the page."""
ABOUT = 40
"""Characters of a document's attributes."""
LEGEND = (
    "Contribution: the drop in value when only that item is removed. Of two similar documents, neither has a large "
    "contribution, because the other remains."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The value ``without`` an item, and the item's contribution (``effect``): the value minus that.

    ``effect`` is None if either value is undefined; ``reason`` is why there is no value without the item.
    """

    without: float | None
    effect: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Influence:
    """The contribution of one record, or of all records of one cluster (e.g. the counterfactuals of a seed document).

    ``rank`` 1 is the largest; ``rows`` is the number of the cluster's per-record statistics.
    """

    cluster: str
    rank: int
    rows: int
    whole: Effect


@dataclass(frozen=True, slots=True)
class Part:
    """One removed item: a document, a sentence or claim of the summary; of a cluster, a record or counterfactual.

    ``number`` counts its kind from 1; ``text`` is its text, or the id of a record or counterfactual. ``own`` is its contribution to the value of the record,
    ``whole`` to the value of all records.
    """

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    own: Effect
    whole: Effect


@dataclass(frozen=True, slots=True)
class Opened:
    """A record in detail. ``value`` is of this record alone; if it is None, ``reason`` says why.

    ``story`` is the measure's sentence on the record, with details line by line; empty for several records. ``influence`` is None for a record that the
    value of all records does not use.
    """

    record: str
    influence: Influence | None
    value: float | None
    reason: str
    story: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The contributions to one system's value of a measure.

    ``influences`` has every record, first those without which there is no value, then by size; ``opened`` has the records in
    detail; ``together`` is the contribution of all of these. ``excluded`` counts records without a value, by reason. ``estimate``
    is the value with its baselines.
    """

    measure: str
    quantity: str
    system: str
    value: float | None
    influences: tuple[Influence, ...]
    opened: tuple[Opened, ...]
    together: Effect
    excluded: Mapping[str, int] = field(default_factory=dict)
    estimate: Estimate | None = None


# -------------------------------------------------------------------------------------------- sheets


@dataclass(frozen=True, slots=True)
class Line:
    """One row: its numbers as text, the name of the removed item, and its text."""

    numbers: tuple[str, ...]
    what: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table below its summary (``lead``). ``header`` names the numbers."""

    title: str
    lead: tuple[str, ...]
    header: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def sheets(found: Explanation) -> list[Sheet]:
    """The records with the largest contributions, then the items of each."""
    return [_records(found), *(_parts(opened) for opened in found.opened)]


def _records(found: Explanation) -> Sheet:
    places = _places([o.influence.whole.effect for o in found.opened if o.influence])
    header = ["contribution", "without it"]
    by_itself = any(o.value is not None for o in found.opened)
    asked = [o.influence.rank for o in found.opened if o.influence] != [*range(1, len(found.opened) + 1)]
    header += ["record alone"] * by_itself + ["rank"] * asked
    lines = []
    for o in found.opened:
        numbers = [ABSENT, ABSENT]
        if o.influence is not None:
            numbers = [signed(o.influence.whole.effect, places), number(o.influence.whole.without, places)]
        numbers += [number(o.value)] * by_itself
        numbers += [f"{o.influence.rank:,}" if o.influence else ABSENT] * asked
        lines.append(Line(tuple(numbers), o.record, o.reason if o.influence is None else ""))
    value = UNDEFINED if found.value is None else number(found.value, min(places, 4))
    # Without another name, the quantity is the main value, which has the measure's name.
    of = "" if found.measure.startswith(found.quantity) else f"{found.quantity} of "
    return Sheet(
        f"{of[:1].upper() + of[1:]}{found.measure} of {found.system}: {value}",
        tuple(filter(None, (_beaten(found), " ".join(_said(found, places))))),
        tuple(header),
        tuple(lines),
        tuple(f"Excluded: {counted(n, 'record')} ({why})." for why, n in found.excluded.items()),
    )


def _beaten(found: Explanation) -> str:
    """How the value compares with its baselines."""
    return "" if found.estimate is None else wording.references(found.estimate).replace("\u00a0", " ")


def _said(found: Explanation, places: int) -> Iterator[str]:
    """The contributions of all records in sentences."""
    rows, clusters = sum(i.rows for i in found.influences), len(found.influences)
    yield (
        f"{counted(rows, 'record')}."
        if rows == clusters
        else f"{counted(rows, 'record')} in {counted(clusters, 'cluster')}."
    )
    effects = [i.whole.effect for i in found.influences if i.whole.effect is not None]
    if effects and not any(effects):
        yield "No single record changes the value."
    elif effects:
        least, most = min(effects), max(effects)
        share = (
            f" (at most {max(-least, most) / abs(found.value):.1%} of it)"
            if found.value and isfinite(found.value)
            else ""
        )
        yield f"Removing one changes the value by {signed(-most, places)} to {signed(-least, places)}{share}."
    listed = sum(o.influence is not None for o in found.opened)
    if listed > 1:
        left = found.together.without
        yield f"Without these {listed} it is {UNDEFINED if left is None else number(left, places)}."
    if alone := [i for i in found.influences if i.whole.reason]:
        yield f"There is no value without {_listed([i.cluster for i in alone])}: {alone[0].whole.reason}."


def _parts(opened: Opened) -> Sheet:
    """The items of one record with the largest contributions: documents, then sentences or claims of its summary."""
    by_itself = opened.value is not None
    effects = [(p.own if by_itself else p.whole, p) for p in opened.parts]
    places = 3 if by_itself else _places([e.effect for e, _ in effects])
    of_kinds = [[(e, p) for e, p in effects if p.kind == kind] for kind in KINDS]
    value = (
        number(opened.value)
        if opened.value is not None
        else f"no value of this record alone ({opened.reason})"
    )
    header = ("contribution", "without it") if by_itself else ("contribution to all", "all without it")
    hidden = [text for of_kind in of_kinds for text in _hidden(of_kind, places)]
    notes = [f"And {' and '.join(hidden)}."] if hidden else []
    return Sheet(
        f"{opened.record}: {value}",
        tuple(text for text in (_verdict(opened, effects, places), *opened.story.split("\n")) if text),
        header,
        tuple(line for of_kind in of_kinds for line in _lines(of_kind, places)),
        (*notes, *(text for of_kind in of_kinds for text in _undefined(of_kind))),
    )


def _lines(effects: Sequence[tuple[Effect, Part]], places: int) -> Iterator[Line]:
    """The items of one kind in a sheet: the largest contributions, then some without which there is no value."""
    for e, p in [(e, p) for e, p in effects if not e.reason][:MOST_PARTS]:
        yield Line((signed(e.effect, places), number(e.without, places)), _called(p), _text(p))
    for e, p in [(e, p) for e, p in effects if e.reason][:MOST_UNDEFINED]:
        yield Line((ABSENT, "no value"), f"{_called(p)} ({e.reason})", _text(p))


def _hidden(effects: Sequence[tuple[Effect, Part]], places: int) -> Iterator[str]:
    """The number of further items of one kind, and their largest contribution."""
    if more := [abs(e.effect or 0.0) for e, _ in effects if not e.reason][MOST_PARTS:]:
        yield f"{counted(len(more), 'more ' + effects[0][1].kind)} (contribution at most {number(max(more), places)})"


def _verdict(opened: Opened, effects: Sequence[tuple[Effect, Part]], places: int) -> str:
    """The item with the largest contribution to the record's value, if there is one."""
    moved = [(e, p) for e, p in effects if e.effect is not None and e.without is not None]
    if not opened.value or not moved:
        return ""
    # In the direction of the value: an item that makes a negative gap more negative contributes to it.
    way = 1 if opened.value > 0 else -1
    most, part = max(moved, key=lambda m: way * (m[0].effect or 0.0))
    share = way * (most.effect or 0.0) / abs(opened.value)
    if not any(e.effect for e, _ in moved):
        return "Removing any one of these changes nothing."
    if share <= 0:
        return "No single item contributes to the value: without any one of them it is as large or larger."
    part_of_value = f"{share:.0%}" if share < 1 else "all"
    named = _called(part)[0].upper() + _called(part)[1:] + ("," if part.attributes else "")
    return f"{named} contributes {part_of_value} of the value: without it, {number(most.without, places)}."


def _undefined(effects: Sequence[tuple[Effect, Part]]) -> Iterator[str]:
    """The further items of one kind without which there is no value."""
    if more := [(e, p) for e, p in effects if e.reason][MOST_UNDEFINED:]:
        yield f"There is also no value without {_listed([_name(p) for _, p in more])}: {more[0][0].reason}."


def _called(part: Part) -> str:
    """``document 3, neg``"""
    about = "".join(f", {value}" for value in part.attributes.values())
    return _name(part) + shorten(printable(about), ABOUT)


def _text(part: Part) -> str:
    """The text of an item; empty for a record, which is shown by its id."""
    return "" if part.kind in NAMED else part.text


def _name(part: Part) -> str:
    return f"{part.kind} {part.text}" if part.kind in NAMED else f"{part.kind} {part.number}"


def _places(effects: Iterable[float | None]) -> int:
    """Decimals that show two digits of the largest contribution: between 3 and 7."""
    largest = max((abs(e) for e in effects if e and isfinite(e)), default=0.0)
    return 3 if not largest else min(max(1 - floor(log10(largest)), 3), 7)


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = list(names[:most]) + ([f"{len(names) - most:,} more"] if len(names) > most else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


# --------------------------------------------------------------------------------------- written


def table(sheet: Sheet) -> Table:
    """The sheet as a table with shortened texts; its lead becomes notes."""
    rows = tuple((excerpt(line), *line.numbers) for line in sheet.lines)
    return Table(sheet.title, ("", *sheet.header), rows, (*sheet.lead, *sheet.notes))


def excerpt(line: Line, length: int = EXCERPT) -> str:
    """The name of a line and the beginning of its text."""
    return f"{line.what}: “{shorten(printable(line.text), length)}”" if line.text else line.what


def as_markdown(explanations: Iterable[Explanation]) -> str:
    """Every sheet as a Markdown table, the texts of the input escaped."""
    return (
        "\n\n".join(exports.markdown_table(table(sheet)) for found in explanations for sheet in sheets(found))
        + f"\n\n{exports.markdown_escape(LEGEND)}\n"
    )


def as_json(explanations: Sequence[Explanation]) -> str:
    """Every contribution with full texts; an undefined number is null. ``schema`` names this format."""
    return json_file.text_of({"schema": SCHEMA, "explanations": explanations})


def as_page(explanations: Sequence[Explanation]) -> str:
    """The page as text: no network, no script, every text escaped."""
    context = {
        "legend": LEGEND,
        "excerpt": EXCERPT,
        "beginning": lambda text: shorten(printable(text), EXCERPT),
        "shortened": lambda text: shorten(text, MOST_CHARACTERS),
        "measures": ", ".join(dict.fromkeys(found.measure for found in explanations)),
        "explanations": [sheets(found) for found in explanations],
    }
    return page("explanation.html.j2", context)


def print_all(explanations: Iterable[Explanation], console: Console) -> None:
    """Print every sheet on a terminal, then the legend."""
    from fairbrief.reports import terminal

    for explanation in explanations:
        for sheet in sheets(explanation):
            _print_sheet(sheet, console)
    console.print()
    terminal.say(console, LEGEND, "dim")


def _print_sheet(sheet: Sheet, console: Console) -> None:
    """Print the lead, then a line per item, shortened to the width."""
    from rich.cells import cell_len

    from fairbrief.reports.terminal import heading, plain, ruled, say

    heading(console, sheet.title)
    for i, text in enumerate(sheet.lead):
        say(console, text, "dim" if i else "")
    grid = ruled()
    room = console.width
    for k, name in enumerate(sheet.header):
        width = max(map(cell_len, (*name.split(), *(line.numbers[k] for line in sheet.lines))))
        width = max(width, min(cell_len(name), len("without it")))
        grid.add_column(plain(name), justify="right", min_width=width, max_width=width)
        room -= width + 2  # the gap and the blank border
    grid.add_column("", no_wrap=True)
    for line in sheet.lines:
        what = plain(line.what, "bold")
        if line.text:
            what.append_text(plain(f"  {line.text}", "not bold"))
        what.truncate(max(room, 20), overflow="ellipsis")
        grid.add_row(*map(plain, line.numbers), what)
    if sheet.lines:
        console.print(grid)
    for note in sheet.notes:
        say(console, note, "dim")
