"""The tables of Steen & Markert: numbered as in the paper, laid out by their content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from fairbrief.nouns import Estimate, Table
from fairbrief.protocols.cells import decimal

GENDERS = "genders"
"""Record attribute of built inputs: how gender goes with race."""
MOST_NAMES = 10
DIGITS = 2
"""Decimals, as the paper prints them."""
NUMBERED = "The number is the paper's; the columns follow its content."
BOTH = "s: resampling assignments within originals; d: resampling originals. Percentile intervals."
FOLDED = "Non-negative scores are above zero by chance: read them with the p of the estimates."
UNDEFINED = (
    "– is undefined: inclusion without known people or with infinite uncorrected odds (all of a group named, or nobody), "
    "hallucination with nobody invented, distinguishability where people of one text are of several groups (balanced inputs)."
)
RACE: Mapping[str, str] = MappingProxyType(
    {
        "random": "Table 16: scores by race, gender drawn at random",
        "tied": "Table 20: scores by race, gender tied to race",
        "crossed": "Scores by race, both genders in each (laid out as Tables 16 and 20)",
        "kept": "Scores by race, genders as in the original (laid out as Tables 16 and 20)",
        "": "Scores by race (laid out as Tables 16 and 20)",
    }
)
"""Titles by how gender goes with race."""
PLANTED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "random": (".15 / .02", ".24 / .00"),
        "lead": (".12 / .00", ".23 / .00"),
        "topic": (".26 / .14", ".29 / .05"),
        "sexist": (".02 / .10", ".20 / .04"),
    }
)
"""The planted systems, and what the paper's Table 2 has of them on CNN and on XSum: uniform / input reference."""
COLUMNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Word list": ("word_list_inclusion(words", "word_list_inclusion"),
        "Inclusion": ("entity_inclusion", "entity_inclusion"),
        "Hallucination": ("entity_hallucination", "entity_hallucination"),
        "Dist. (count)": ("distinguishability(similarity=counts", "distinguishability"),
        "Dist. (dense)": ("distinguishability(similarity=embedding", "distinguishability"),
    }
)
"""Columns of the tables of scores: how the measure's spelling begins, and the quantity."""

_Part = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A system within a slice."""

    system: str
    part: _Part

    def label(self, but: str = "") -> str:
        """The system with its slice, except for the attribute that the title tells."""
        told = ", ".join(f"{name}={value}" for name, value in self.part if name != but)
        return f"{self.system} ({told})" if told else self.system


def tables(estimates: Sequence[Estimate]) -> tuple[Table, ...]:
    """Tables 2, 3, 6, 8, 16 and 20, as far as there is anything to fill them with.

    Scores over another attribute than gender and race follow in the layout of Table 3.
    """
    found = [e for e in estimates if not e.baseline]
    over = list(dict.fromkeys(e.over for e in found if e.over and not e.measure.startswith("invented_names")))
    whole = _but_genders(found)
    made = [_planted(found)]
    if "gender" in over:
        made.append(_scores(whole, "gender", "Table 3: scores by gender", _rows(whole, "gender")))
    made += [_names(whole), _counts(whole)]
    if "race" in over:
        made += _by_race(found)
    made += [
        _scores(whole, name, f"Scores by {name} (laid out as Table 3)", _rows(whole, name))
        for name in over
        if name not in ("gender", "race")
    ]
    return tuple(table for table in made if table.rows)


# ------------------------------------------------------------------------------------------ scores


def _by_race(estimates: Sequence[Estimate]) -> Iterator[Table]:
    """One table for each way in which gender goes with race; what is of none of them comes last."""
    rows = _rows(estimates, "race")
    ways = [way for way in RACE if way and any((GENDERS, way) in row.part for row in rows)]
    sole = ways[0] if len(ways) == 1 and _covers(estimates) else ""
    if sole:
        whole = _but_genders(estimates)
        yield _scores(whole, "race", RACE[sole], _rows(whole, "race"))
        return
    for way in ways:
        yield _scores(estimates, "race", RACE[way], [row for row in rows if (GENDERS, way) in row.part])
    rest = [row for row in rows if GENDERS not in dict(row.part) and (row.part or not ways)]
    yield _scores(estimates, "race", RACE[""], rest)


def _scores(estimates: Sequence[Estimate], over: str, title: str, rows: Sequence[_Row]) -> Table:
    """One row per system, each cell with both intervals; a column that was not measured is left out."""
    lines = []
    measured: set[str] = set()
    for row in rows:
        cells = []
        for name, (start, quantity) in COLUMNS.items():
            # Word lists compare genders: beside another attribute they would be read as being about it.
            fits = over == "gender" or not start.startswith("word_list")
            found = _find(estimates, row, start, quantity, over) if fits else None
            measured |= {name} if found is not None else set()
            cells.append(_cell(found))
        but = GENDERS if over == "race" else ""
        lines.append((row.label(but), *cells, _direction(estimates, row, over)))
    kept = [i for i, name in enumerate(COLUMNS) if name in measured]
    header = ("", *(list(COLUMNS)[i] for i in kept), "Included most / least")
    shown = tuple((line[0], *(line[i + 1] for i in kept), line[-1]) for line in lines)
    undefined = (UNDEFINED,) if any("–" in line[1:-1] for line in shown) else ()
    numbered = (NUMBERED,) if title.startswith("Table") else ()
    return Table(title, header, shown, (BOTH, FOLDED, *undefined, *numbered))


def _planted(estimates: Sequence[Estimate]) -> Table:
    """Table 2: word lists of the planted systems from both references, if all four were audited."""
    named = {e.system.partition("(")[0]: e.system for e in estimates if e.over == "" and not e.slice}
    rows = []
    for name, published in PLANTED.items():
        row = _Row(named.get(name, ""), ())
        found = [
            _find(estimates, row, f"word_list_inclusion({start}", "word_list_inclusion", "")
            for start in ("reference=uniform", "words")
        ]
        rows.append((row.label(), *(_number(e) for e in found), *published))
    return Table(
        "Table 2: word lists of planted systems",
        ("", "Unf.", "Adj.", "paper: CNN", "paper: XSum"),
        tuple(rows) if set(PLANTED) <= set(named) else (),
        (
            "Unf.: distance from equal shares; Adj.: from the shares in the inputs. The paper's: Unf. / Adj.",
            "Seen from equal shares a system is what its inputs are: read Adj. The paper's inputs were unmodified articles.",
            NUMBERED,
        ),
    )


# --------------------------------------------------------------------------------- invented people


def _names(estimates: Sequence[Estimate]) -> Table:
    """The most frequent invented names of every system."""
    lines = []
    for row in _invented(estimates):
        counts = [
            (match[1], int(e.value))
            for e in estimates
            if _is_in(e, row)
            and e.measure.startswith("invented_names")
            and e.value
            and (match := re.fullmatch(r"count\[(.*)\]", e.quantity, re.DOTALL))
        ]
        most = sorted(dict(counts).items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_NAMES]
        lines.append((row.label(), ", ".join(f"{name} ({count})" for name, count in most) or "nobody"))
    return Table("Table 6: most frequent invented names, by system", ("", "Names"), tuple(lines), (NUMBERED,))


def _counts(estimates: Sequence[Estimate]) -> Table:
    """Tokens and people per summary, and the share of people that are invented."""
    lines = []
    for row in _invented(estimates):
        found = [
            _find(estimates, row, "invented_names", quantity) for quantity in ("tokens", "people", "share")
        ]
        unknown = _find(estimates, row, "entity_hallucination", "unknown")
        lines.append((row.label(), *(_number(e) for e in found), _number(unknown)))
    header = ("", "Tokens", "People", "Share invented", "of unknown gender")
    width = len(header) if any(line[-1] != "–" for line in lines) else len(header) - 1
    shares = (
        "shares of all names of people, and of the invented ones"
        if width == len(header)
        else "share of all names of people"
    )
    return Table(
        "Table 8: tokens, people and share invented, by system",
        header[:width],
        tuple(line[:width] for line in lines),
        (f"Means per summary; {shares}.", NUMBERED),
    )


def _invented(estimates: Sequence[Estimate]) -> list[_Row]:
    """The rows for which invented people could be counted at all."""
    rows = dict.fromkeys(
        _Row(e.system, _part(e))
        for e in estimates
        if e.measure.startswith("invented_names") and e.quantity == "invented_names" and e.value is not None
    )
    return sorted(rows, key=lambda row: row.part)


# --------------------------------------------------------------------------------------- estimates


def _but_genders(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Without the slice that the protocol itself asks for, where it is the whole."""
    if _covers(estimates):
        return [e for e in estimates if GENDERS not in e.slice]
    return list(estimates)


def _covers(estimates: Sequence[Estimate]) -> bool:
    """Whether all records are of one way, so that its slice says the same as the whole."""
    rows = {(e.system, e.measure, e.quantity): e.n for e in estimates if not e.slice}
    return all(
        rows.get((e.system, e.measure, e.quantity)) == e.n for e in estimates if set(e.slice) == {GENDERS}
    )


def _part(estimate: Estimate) -> _Part:
    return tuple(sorted(estimate.slice.items()))


def _rows(estimates: Sequence[Estimate], over: str) -> list[_Row]:
    """Systems within slices, in the order in which they were estimated."""
    return sorted(
        dict.fromkeys(_Row(e.system, _part(e)) for e in estimates if e.over == over), key=lambda row: row.part
    )


def _is_in(estimate: Estimate, row: _Row) -> bool:
    return estimate.system == row.system and _part(estimate) == row.part


def _find(
    estimates: Sequence[Estimate], row: _Row, start: str, quantity: str, over: str | None = None
) -> Estimate | None:
    """The first estimate of a quantity in a row; over any attribute if none is named."""
    return next(
        (
            e
            for e in estimates
            if _is_in(e, row)
            and e.measure.startswith(start)
            and e.quantity == quantity
            and (over is None or e.over in (over, ""))
        ),
        None,
    )


def _direction(estimates: Sequence[Estimate], row: _Row, over: str) -> str:
    """The groups with the largest and the smallest share of people included."""
    shares = {
        e.quantity[len("inclusion[") : -1]: e.value
        for e in estimates
        if _is_in(e, row)
        and e.over == over
        and e.measure.startswith("entity_inclusion")
        and e.quantity.startswith("inclusion[")
        and e.value is not None
    }
    if len(set(shares.values())) < 2:
        return "–"
    return f"{max(shares, key=lambda g: shares[g])} / {min(shares, key=lambda g: shares[g])}"


# ------------------------------------------------------------------------------------------- cells


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    lines = [decimal(estimate.value, DIGITS)]
    if estimate.low_within is not None and estimate.high_within is not None:
        lines.append(f"s: {decimal(estimate.low_within, DIGITS)},{decimal(estimate.high_within, DIGITS)}")
    if estimate.low is not None and estimate.high is not None:
        lines.append(f"d: {decimal(estimate.low, DIGITS)},{decimal(estimate.high, DIGITS)}")
    return "\n".join(lines)


def _number(estimate: Estimate | None) -> str:
    return decimal(None if estimate is None else estimate.value, DIGITS)
