"""Why a number is what it is: the records behind it, in each the documents and sentences behind it; and these as sheets to read,
on a terminal, in Markdown, on a page with the texts, and as JSON for a program.

An effect is the value with something less the value without it: positive raises it, negative lowers it.
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
"""Documents, and sentences, that a sheet shows of one record: those of the largest effect."""
MOST_UNDEFINED = 2
"""Documents, and sentences, without which there is no value, that a sheet shows with their text."""
NAMED: tuple[Kind, ...] = ("record", "counterfactual")
"""What is told by its id."""
EXCERPT = 72
"""Characters of a text in a table."""
MOST_CHARACTERS = 2_000
"""Characters of one document or sentence on a page."""
ABOUT = 40
"""Characters of a document's attributes."""
LEGEND = (
    "Each line leaves one thing out and keeps the rest; adds: the value with it less the value without it. "
    "Of two alike documents either can go without much change, and neither adds much."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a value is ``without`` something, and the ``effect`` of having it: the value less that.

    Where either value is undefined there is no effect, and where there is none without, ``reason`` says why.
    """

    without: float | None
    effect: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Influence:
    """One record (all counterfactuals of one seed document, or records of one cluster, together), and what it does to the value of the whole.

    ``rank`` 1 moves it most; ``rows`` counts those of the per-record statistics that go with the record.
    """

    cluster: str
    rank: int
    rows: int
    whole: Effect


@dataclass(frozen=True, slots=True)
class Part:
    """One thing left out of a record: a document, a sentence or unit of the summary; of a cluster a record or a variant.

    ``number`` counts its kind from 1; ``text`` is what was left out, of a record or variant its id. ``own`` is what that does to the record's own value, ``whole`` what to that of all records;
    """

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    own: Effect
    whole: Effect


@dataclass(frozen=True, slots=True)
class Opened:
    """A record looked into. ``value`` is its own; where it has none, ``reason`` says why.

    ``story`` is the measure's own sentence on it; empty of several records together. ``influence`` is None for a record that the value of the
    whole does not rest on.
    """

    record: str
    influence: Influence | None
    value: float | None
    reason: str
    story: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One system's value of a measure, taken apart.

    ``influences`` holds every record: first those without which there is no value, then the largest effects; ``opened`` those that were looked into;
    ``together`` what leaving all of these out at once does. ``excluded`` counts what had no value, by reason.
    ``estimate`` is the value with what stands beside it: permuted labels, random extracts.
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
    """One row: its numbers as text, what they are about, and the text that was left out."""

    numbers: tuple[str, ...]
    what: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with what it comes to above it. ``header`` names the numbers."""

    title: str
    lead: tuple[str, ...]
    header: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def sheets(found: Explanation) -> list[Sheet]:
    """The records that move the value most, then what moves each of them."""
    return [_records(found), *(_parts(opened) for opened in found.opened)]


def _records(found: Explanation) -> Sheet:
    places = _places([o.influence.whole.effect for o in found.opened if o.influence])
    header = ["adds", "without it"]
    by_itself = any(o.value is not None for o in found.opened)
    asked = [o.influence.rank for o in found.opened if o.influence] != [*range(1, len(found.opened) + 1)]
    header += ["by itself"] * by_itself + ["rank"] * asked
    lines = []
    for o in found.opened:
        numbers = [ABSENT, ABSENT]
        if o.influence is not None:
            numbers = [signed(o.influence.whole.effect, places), number(o.influence.whole.without, places)]
        numbers += [number(o.value)] * by_itself
        numbers += [f"{o.influence.rank:,}" if o.influence else ABSENT] * asked
        lines.append(Line(tuple(numbers), o.record, o.reason if o.influence is None else ""))
    value = UNDEFINED if found.value is None else number(found.value, min(places, 4))
    # A measure's own name is the quantity that is meant unless another is named.
    of = "" if found.measure.startswith(found.quantity) else f"{found.quantity} of "
    return Sheet(
        f"Why {of}{found.measure} is {value} · {found.system}",
        tuple(filter(None, (_beaten(found), " ".join(_said(found, places))))),
        tuple(header),
        tuple(lines),
        tuple(f"Without value, and so without effect: {n:,} ({why})." for why, n in found.excluded.items()),
    )


def _beaten(found: Explanation) -> str:
    """Which references the value beats: what follows is about a number that may be any pick's."""
    return "" if found.estimate is None else wording.references(found.estimate).replace("\u00a0", " ")


def _said(found: Explanation, places: int) -> Iterator[str]:
    """What all records come to, in words."""
    rows, clusters = sum(i.rows for i in found.influences), len(found.influences)
    yield (
        f"{counted(rows, 'record')}."
        if rows == clusters
        else f"{counted(rows, 'record')} in {counted(clusters, 'cluster')}."
    )
    effects = [i.whole.effect for i in found.influences if i.whole.effect is not None]
    if effects and not any(effects):
        yield "Leaving out any one changes nothing."
    elif effects:
        least, most = min(effects), max(effects)
        share = (
            f" ({max(-least, most) / abs(found.value):.1%} of it at most)"
            if found.value and isfinite(found.value)
            else ""
        )
        yield f"Leaving out one moves it by {signed(-most, places)} to {signed(-least, places)}{share}."
    listed = sum(o.influence is not None for o in found.opened)
    if listed > 1:
        left = found.together.without
        yield f"Without these {listed} together it is {UNDEFINED if left is None else number(left, places)}."
    if alone := [i for i in found.influences if i.whole.reason]:
        yield f"There is no value without {_listed([i.cluster for i in alone])}: {alone[0].whole.reason}."


def _parts(opened: Opened) -> Sheet:
    """What of one record moves its value most: its documents, then the sentences or units of its summary."""
    by_itself = opened.value is not None
    effects = [(p.own if by_itself else p.whole, p) for p in opened.parts]
    places = 3 if by_itself else _places([e.effect for e, _ in effects])
    of_kinds = [[(e, p) for e, p in effects if p.kind == kind] for kind in KINDS]
    value = number(opened.value) if opened.value is not None else f"no value by itself ({opened.reason})"
    header = ("adds", "without it") if by_itself else ("adds to the whole", "whole without it")
    hidden = [text for of_kind in of_kinds for text in _hidden(of_kind, places)]
    notes = [f"Not shown: {' and '.join(hidden)}."] if hidden else []
    return Sheet(
        f"{opened.record}: {value}",
        tuple(text for text in (_verdict(opened, effects, places), opened.story) if text),
        header,
        tuple(line for of_kind in of_kinds for line in _lines(of_kind, places)),
        (*notes, *(text for of_kind in of_kinds for text in _undefined(of_kind))),
    )


def _lines(effects: Sequence[tuple[Effect, Part]], places: int) -> Iterator[Line]:
    """The parts of one kind that a sheet shows: those of the largest effect, then some without which there is no value."""
    for e, p in [(e, p) for e, p in effects if not e.reason][:MOST_PARTS]:
        yield Line((signed(e.effect, places), number(e.without, places)), _called(p), _text(p))
    for e, p in [(e, p) for e, p in effects if e.reason][:MOST_UNDEFINED]:
        yield Line((ABSENT, "no value"), f"{_called(p)} ({e.reason})", _text(p))


def _hidden(effects: Sequence[tuple[Effect, Part]], places: int) -> Iterator[str]:
    """How many of one kind the table has no room for, and how large their effects are at most."""
    if more := [abs(e.effect or 0.0) for e, _ in effects if not e.reason][MOST_PARTS:]:
        yield f"{counted(len(more), effects[0][1].kind)} of at most {number(max(more), places)}"


def _verdict(opened: Opened, effects: Sequence[tuple[Effect, Part]], places: int) -> str:
    """The one thing that makes most of the record's value, if one does."""
    moved = [(e, p) for e, p in effects if e.effect is not None and e.without is not None]
    if not opened.value or not moved:
        return ""
    # Along the value's own sign: what makes a negative gap more negative makes it, too.
    way = 1 if opened.value > 0 else -1
    most, part = max(moved, key=lambda m: way * (m[0].effect or 0.0))
    share = way * (most.effect or 0.0) / abs(opened.value)
    if not any(e.effect for e, _ in moved):
        return "Leaving out any one of these changes nothing."
    if share <= 0:
        return "No one of these alone makes it: without any one of them it would be as large or larger."
    told = f"{share:.0%}" if share < 1 else "all"
    named = _called(part)[0].upper() + _called(part)[1:] + ("," if part.attributes else "")
    return f"{named} makes {told} of it: without it {number(most.without, places)}."


def _undefined(effects: Sequence[tuple[Effect, Part]]) -> Iterator[str]:
    """What the table has no room for, of the parts of one kind without which there is no value."""
    if more := [(e, p) for e, p in effects if e.reason][MOST_UNDEFINED:]:
        yield f"No value either without {_listed([_name(p) for _, p in more])}: {more[0][0].reason}."


def _called(part: Part) -> str:
    """``document 3, neg``"""
    about = "".join(f", {value}" for value in part.attributes.values())
    return _name(part) + shorten(printable(about), ABOUT)


def _text(part: Part) -> str:
    """What was left out, in its own words; a record is named, not shown."""
    return "" if part.kind in NAMED else part.text


def _name(part: Part) -> str:
    return f"{part.kind} {part.text}" if part.kind in NAMED else f"{part.kind} {part.number}"


def _places(effects: Iterable[float | None]) -> int:
    """Decimals that show two digits of the largest effect: between 3 and 7."""
    largest = max((abs(e) for e in effects if e and isfinite(e)), default=0.0)
    return 3 if not largest else min(max(1 - floor(log10(largest)), 3), 7)


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = list(names[:most]) + ([f"{len(names) - most:,} more"] if len(names) > most else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


# --------------------------------------------------------------------------------------- written


def table(sheet: Sheet) -> Table:
    """The sheet as a printed table, its texts cut short, what it comes to in the notes."""
    rows = tuple((excerpt(line), *line.numbers) for line in sheet.lines)
    return Table(sheet.title, ("", *sheet.header), rows, (*sheet.lead, *sheet.notes))


def excerpt(line: Line, length: int = EXCERPT) -> str:
    """What a line is about, and the beginning of the text."""
    return f"{line.what}: “{shorten(printable(line.text), length)}”" if line.text else line.what


def as_markdown(explanations: Iterable[Explanation]) -> str:
    """Every sheet as a Markdown table, the texts of the input escaped."""
    return (
        "\n\n".join(exports.markdown_table(table(sheet)) for found in explanations for sheet in sheets(found))
        + f"\n\n{exports.markdown_escape(LEGEND)}\n"
    )


def as_json(explanations: Sequence[Explanation]) -> str:
    """Every effect, with whole texts; a number that is undefined is null. ``schema`` names this form."""
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
    """Every sheet on a terminal, and how to read them."""
    from fairbrief.reports import terminal

    for explanation in explanations:
        for sheet in sheets(explanation):
            _print_sheet(sheet, console)
    console.print()
    terminal.say(console, LEGEND, "dim")


def _print_sheet(sheet: Sheet, console: Console) -> None:
    """What the sheet comes to, then a line for each part, cut to the width."""
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
        room -= width + 2  # the gap, and the border that is a blank
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
