"""The contributions of records, documents and sentences to a value, as tables for terminal and HTML, and as JSON.

A contribution is the drop in value when an item is removed: the value with it minus the value without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, isfinite, log10
from typing import Literal, get_args

import msgspec

from fairbrief.reports import json_file
from fairbrief.reports.html import page
from fairbrief.reports.number_format import ABSENT, UNDEFINED, chance, decimals, number, signed
from fairbrief.reports.plain import named
from fairbrief.reports.wording import p_text
from fairbrief.text.counted import counted, listed
from fairbrief.types import Data, Estimate, Table

Kind = Literal["record", "document", "sentence", "claim"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SCHEMA = "fairbrief.explanation/1"
MOST_PARTS = 4
"""Documents, and sentences, per record in a table: those with the largest contributions."""
MOST_LISTED = 6
"""Items that are named in a sentence."""
EXCERPT = 72
"""Characters of a document or sentence in a table."""
MOST_CHARACTERS = 2_000
"""The same on the page."""
ABOUT = 40
"""Characters of a document's attributes."""
LEGEND = (
    "Contribution: the drop in value when only that item is removed. Of two similar documents, neither has a large "
    "contribution, because the other remains."
)


class Effect(Data, frozen=True):
    """The value ``without`` an item, and the item's contribution (``effect``): the value minus that.

    ``effect`` is None if either value is undefined; ``reason`` is why there is no value without the item.
    """

    without: float | None
    effect: float | None
    reason: str = ""


class Influence(Data, frozen=True):
    """The contribution of one record, or of all records of one cluster (e.g. the counterfactuals of a seed document).

    ``rank`` 1 is the largest; ``rows`` is the number of the cluster's per-record statistics.
    """

    cluster: str
    rank: int
    rows: int
    whole: Effect


class Part(Data, frozen=True):
    """One removed item: a document, a sentence or claim of the summary; of a cluster, a record.

    ``number`` counts its kind from 1; ``text`` is its text, or the id of a record. ``own`` is its contribution to the value of the record,
    ``whole`` to the value of all records.
    """

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    own: Effect
    whole: Effect


class Opened(Data, frozen=True):
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


class Explanation(Data, frozen=True):
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
    excluded: Mapping[str, int] = msgspec.field(default_factory=dict)
    estimate: Estimate | None = None


# -------------------------------------------------------------------------------------------- tables


def tables(found: Explanation, most: int = EXCERPT) -> list[Table]:
    """The records with the largest contributions, then the items of each, with at most so many characters of each text."""
    return [_records(found), *(_parts(opened, most) for opened in found.opened)]


def _records(found: Explanation) -> Table:
    places = _places([o.influence.whole.effect for o in found.opened if o.influence])
    header = ["", "contribution", "without it"]
    by_itself = any(o.value is not None for o in found.opened)
    asked = [o.influence.rank for o in found.opened if o.influence] != [*range(1, len(found.opened) + 1)]
    header += ["record alone"] * by_itself + ["rank"] * asked
    rows = []
    for o in found.opened:
        whole = o.influence.whole if o.influence else Effect(None, None)
        name = o.record if o.influence else f"{o.record} ({o.reason})"
        row = [name, signed(whole.effect, places), number(whole.without, places)]
        row += [number(o.value)] * by_itself
        row += [f"{o.influence.rank:,}" if o.influence else ABSENT] * asked
        rows.append(tuple(row))
    value = UNDEFINED if found.value is None else number(found.value, min(places, 4))
    # Without another name, the quantity is the main value, which has the measure's name.
    quantity = "" if found.measure.startswith(found.quantity) else f":{found.quantity}"
    title = f"{found.measure}{quantity} of {found.system}: {value}"
    excluded = (f"Excluded: {counted(n, 'record')} ({why})." for why, n in found.excluded.items())
    notes = filter(None, (_baselines(found.estimate), " ".join(_said(found, places)), *excluded))
    return Table(title, tuple(header), tuple(rows), tuple(notes))


def _baselines(e: Estimate | None) -> str:
    """The two baselines of the explained value and their p; "" if neither is known."""
    if e is None:
        return ""
    mean = f"mean {chance(e)}" if e.permutation_mean is not None else ""
    labels = (mean, "not testable" if e.testable is False else p_text(e.p) if e.p is not None else "")
    random: tuple[str, ...] = ()
    if e.extract_baseline is not None:
        random = (number(e.extract_baseline, decimals(e)),)
        if e.extract_p is not None:
            random += (f"difference {signed(e.extract_difference, decimals(e))}", p_text(e.extract_p))
    both = (("Label permutations", labels), ("Random sentences", random))
    sentences = (f"{name}: {', '.join(filter(None, parts))}." for name, parts in both if any(parts))
    return " ".join(sentences).replace("\u00a0", " ")


def _said(found: Explanation, places: int) -> Iterator[str]:
    """The contributions of all records in sentences."""
    rows, clusters = sum(i.rows for i in found.influences), len(found.influences)
    yield counted(rows, "record") + ("." if rows == clusters else f" in {counted(clusters, 'cluster')}.")
    effects = [i.whole.effect for i in found.influences if i.whole.effect is not None]
    if effects:
        lowest, highest = signed(-max(effects), places), signed(-min(effects), places)
        yield f"Removing one changes the value by {lowest} to {highest}."
    many = sum(o.influence is not None for o in found.opened)
    if many > 1:
        left = found.together.without
        yield f"Without these {many} it is {UNDEFINED if left is None else number(left, places)}."
    if alone := [i for i in found.influences if i.whole.reason]:
        yield f"There is no value without {listed([i.cluster for i in alone], MOST_LISTED, 'or')}: {alone[0].whole.reason}."


def _parts(opened: Opened, most: int) -> Table:
    """The items of one record: of each kind the largest contributions, then some without which there is no value."""
    by_itself = opened.value is not None
    effects = [(p.own if by_itself else p.whole, p) for p in opened.parts]
    places = 3 if by_itself else _places([e.effect for e, _ in effects])
    rows: list[tuple[str, ...]] = []
    hidden: list[str] = []
    for kind in KINDS:
        # First those without which there is no value.
        of_kind = sorted(((e, p) for e, p in effects if p.kind == kind), key=lambda item: not item[0].reason)
        for e, p in of_kind[:MOST_PARTS]:
            without = "no value" if e.reason else number(e.without, places)
            rows.append((_item(p, most, e.reason), signed(e.effect, places), without))
        if more := [e for e, _ in of_kind[MOST_PARTS:]]:
            largest = number(max(abs(e.effect or 0.0) for e in more), places)
            at_most = "no value without some" if more[0].reason else f"contribution at most {largest}"
            hidden.append(f"{counted(len(more), f'more {kind}')} ({at_most})")
    value = number(opened.value) if by_itself else f"no value of this record alone ({opened.reason})"
    numbers = ("contribution", "without it") if by_itself else ("contribution to all", "all without it")
    further = f"And {' and '.join(hidden)}." if hidden else ""
    notes = filter(None, (further, *opened.story.split("\n")))
    return Table(f"{opened.record}: {value}", ("", *numbers), tuple(rows), tuple(notes))


def _item(part: Part, most: int, reason: str) -> str:
    """``document 3, neg: “text”``, with the reason why there is no value without it; a record is shown by its id."""
    about = named("".join(f", {value}" for value in part.attributes.values()), ABOUT)
    why = f" ({reason})" if reason else ""
    if part.kind == "record":
        return f"{part.kind} {part.text}{about}{why}"
    return f"{part.kind} {part.number}{about}{why}: “{named(part.text, most)}”"


def _places(effects: Iterable[float | None]) -> int:
    """Decimals that show two digits of the largest contribution: between 3 and 7."""
    largest = max((abs(e) for e in effects if e and isfinite(e)), default=0.0)
    return 3 if not largest else min(max(1 - floor(log10(largest)), 3), 7)


# --------------------------------------------------------------------------------------- written


def as_json(explanations: Sequence[Explanation]) -> str:
    """Every contribution with full texts; an undefined number is null. ``schema`` names this format."""
    return json_file.text_of({"schema": SCHEMA, "explanations": explanations})


def as_page(explanations: Sequence[Explanation]) -> str:
    """The page as text: no network, no script, every text escaped."""
    context = {
        "legend": LEGEND,
        "measures": ", ".join(dict.fromkeys(found.measure for found in explanations)),
        "explanations": [tables(found, MOST_CHARACTERS) for found in explanations],
    }
    return page("explanation.html.j2", context)
