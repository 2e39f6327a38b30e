"""Steen & Markert's tables of counts: 6, 16 and 17, and the phrases of their section 9.2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fairbrief.protocols.cells import decimal
from fairbrief.protocols.steen_inputs import (
    BALANCED,
    MONO,
    ORIGINAL,
    Kind,
    Placed,
    Row,
    find,
    of,
    rows_of,
    titled,
)
from fairbrief.protocols.steen_scores import number
from fairbrief.types import Estimate, Table

MOST_NAMES = 10
MARKS = {"male": "m", "female": "f"}
DESIGNS = {BALANCED: "balanced", MONO: "mono", ORIGINAL: "original", "": "all"}
PEOPLE = "invented_names"
PHRASES = "phrase_counts"
_COUNT = re.compile(r"count\[(.*?)(?:/(\w+))?\]", re.DOTALL)


def count_tables(placed: Sequence[Placed]) -> Iterator[Table]:
    """Each table for every kind of inputs that it can be made of."""
    kinds = list(dict.fromkeys(p.kind for p in placed if p.design != ORIGINAL))
    for kind in kinds:
        yield names(of(placed, kind, BALANCED), kind)
    for kind in kinds:
        yield statistics(placed, kind)
    for kind in kinds:
        yield firsts(of(placed, kind, MONO), kind)


def names(placed: Sequence[Placed], kind: Kind) -> Table:
    """Table 6: the most frequent invented names, m, f or u as their gender is told, and how many are of either."""
    lines = []
    for row in _usable(placed):
        counts = {
            _COUNT.fullmatch(p.estimate.quantity): p.estimate.value
            for p in placed
            if p.row == row and p.estimate.measure.startswith(PEOPLE) and p.estimate.value
        }
        total = {m[1]: int(n) for m, n in counts.items() if m is not None and m[2] is None and n}
        mark = {m[1]: MARKS.get(m[2], m[2]) for m in counts if m is not None and m[2] is not None}
        most = sorted(total, key=lambda name: (-total[name], name))[:MOST_NAMES]
        told = ", ".join(f"{name} ({mark.get(name, 'u')}) {total[name]}" for name in most)
        of_gender = [find(placed, row, PEOPLE, f"invented[{g}]") for g in MARKS]
        known = [0 if e is None or e.value is None else int(e.value) for e in of_gender]
        lines.append((row.label, told or "nobody", *map(str, known), str(sum(total.values()) - sum(known))))
    title = "most frequent invented names, by system"
    return Table(
        titled("Table 6") if _is_main(kind) else f"{title.capitalize()}{_whose(kind)} (laid out as Table 6)",
        ("", "Names", "# male", "# female", "# unknown"),
        tuple(lines),
        ("m, f, u: told male, female or unknown by the name. Counts are of the balanced inputs (C_loc).",),
    )


def statistics(placed: Sequence[Placed], kind: Kind) -> Table:
    """Tables 16 and 17: tokens and people per summary with their standard deviations, and the share invented."""
    originals = [p for p in placed if p.design == ORIGINAL] if kind.is_by_gender else []
    mine = [*(p for p in placed if p.kind == kind and p.design != ORIGINAL), *originals]
    designs = [
        d for d in DESIGNS if any(p.design == d and p.estimate.measure.startswith(PEOPLE) for p in mine)
    ]
    header, lines = [""], []
    for design in designs:
        told = DESIGNS[design]
        header += [f"{told}: tokens", f"{told}: people"] + (
            [] if design == ORIGINAL else [f"{told}: % invented"]
        )
    for row in _usable(mine):
        cells = [c for d in designs for c in _statistics([p for p in mine if p.design == d], row, d)]
        lines.append((row.label, *cells))
    table = "16" if _is_main(kind) else "17" if kind.genders == "random" and kind.keeps_words else ""
    title = "tokens and people per summary, and share invented"
    return Table(
        titled(f"Table {table}") if table else f"{title.capitalize()}{_whose(kind)} (laid out as Table 16)",
        tuple(header),
        tuple(lines),
        ("Means per summary, σ: standard deviation over summaries. % of all names of people.",),
    )


def firsts(placed: Sequence[Placed], kind: Kind) -> Table:
    """Section 9.2: how often summaries call somebody the first woman, female, man or male."""
    rows = rows_of(placed, PHRASES) if _is_main(kind) else []
    phrases = list(
        dict.fromkeys(
            m[1]
            for p in placed
            if p.estimate.measure.startswith(PHRASES)
            and (m := re.fullmatch(r"count\[(.*)\]", p.estimate.quantity))
        )
    )
    lines = [
        (row.label, *(number(find(placed, row, PHRASES, f"count[{p}]"), 0) for p in phrases)) for row in rows
    ]
    return Table(
        titled("Section 9.2"),
        ("", *phrases),
        tuple(lines),
        ("Occurrences in summaries of mono inputs (C_glob).",),
    )


def _statistics(placed: Sequence[Placed], row: Row, design: str) -> list[str]:
    tokens, people = (_with_deviation(placed, row, name) for name in ("tokens", "people"))
    share = find(placed, row, PEOPLE, "share")
    invented = decimal(None if share is None or share.value is None else 100 * share.value, 2)
    return [tokens, people] if design == ORIGINAL else [tokens, people, invented]


def _with_deviation(placed: Sequence[Placed], row: Row, name: str) -> str:
    mean, deviation = (find(placed, row, PEOPLE, quantity) for quantity in (name, f"{name}_sd"))
    return number(mean) if _absent(mean) else f"{number(mean)}\nσ: {number(deviation)}"


def _absent(estimate: Estimate | None) -> bool:
    return estimate is None or estimate.value is None


def _usable(placed: Sequence[Placed]) -> list[Row]:
    """The rows for which invented people could be counted at all."""
    return [row for row in rows_of(placed, PEOPLE) if not _absent(find(placed, row, PEOPLE, PEOPLE))]


def _is_main(kind: Kind) -> bool:
    """Whether these are the inputs of the paper's main experiment: by gender, all else kept."""
    return kind.is_by_gender and kind.keeps_words and kind.last_names in ("", "kept")


def _whose(kind: Kind) -> str:
    told = [
        "" if kind.is_by_gender else f"genders {kind.genders}",
        "last names replaced" if kind.is_by_gender and kind.last_names == "replaced" else "",
        "" if kind.keeps_words else f"content words {kind.content_words}",
    ]
    return f", inputs with {', '.join(t for t in told if t)}"
