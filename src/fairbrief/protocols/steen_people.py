"""Steen & Markert, Bias in News Summarization: measures and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.nouns import Estimate, Table
from fairbrief.spelling import spell

MOST_NAMES = 10
_BOTH = "s: resampling assignments within originals; d: resampling originals. 95 % percentile intervals."


@dataclass(frozen=True, repr=False)
class SteenPeople:
    """Word lists, entity inclusion, hallucination and distinguishability as in the paper's release.

    Alignment by substrings, uncorrected odds, census names *more* than twice as frequent, names replaced as
    substrings; empty summaries are the one departure (see docs/decisions/people-measures.md). ``people`` is the
    recogniser (``builtin``, or ``spacy:NAME`` as in the paper); ``embedding`` the spelling of a scorer for dense
    distinguishability, without which it is left out; ``pages`` the page-pronoun table.
    """

    name: ClassVar[str] = "steen-people"
    reads: ClassVar[str] = "entity"
    paper: ClassVar[str] = (
        "Steen, Markert: Bias in News Summarization: Measures, Pitfalls and Corpora. Findings of ACL 2024. arXiv:2309.08047"
    )
    people: str = "builtin"
    embedding: str = ""
    pages: str = ""

    def __repr__(self) -> str:
        return spell(self)

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """All measures over each attribute; word lists once, since lists have their own groups."""
        people = "" if self.people == "builtin" else f"people={self.people}, "
        pages = f", pages='{self.pages}'" if self.pages else ""
        names = f"names=names(rule=published{pages})"
        found = ["word_list_inclusion(words=published)"]
        for over in attributes or ("gender",):
            found += [
                f"entity_inclusion({people}alignment=published, odds=published)@{over}",
                f"entity_hallucination({people}{names}, alignment=published, unit=sample)@{over}",
                f"invented_names({people}{names}, alignment=published)@{over}",
                f"distinguishability(similarity=counts(stop_words=sklearn), reading=published)@{over}",
            ]
            if self.embedding:
                found.append(f"distinguishability(similarity={self.embedding}, reading=published)@{over}")
        return tuple(found)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Scores with both intervals, the people behind them, and the most frequent invented names.

        One set of tables per attribute; a slice (gender drawn at random or tied to race, say) is a row group.
        """
        whole = [e for e in estimates if not e.baseline]
        attributes = list(dict.fromkeys(e.over for e in whole if e.over))
        return tuple(
            table
            for over in attributes
            for table in (_scores(whole, over), _counts(whole, over), _names(whole, over))
            if table.rows
        )


def _scores(estimates: Sequence[Estimate], over: str) -> Table:
    """The paper's table of scores: one row per system, each cell with both intervals."""
    columns = {
        "Word list": ("word_list_inclusion", "word_list_inclusion"),
        "Inclusion": ("entity_inclusion", "entity_inclusion"),
        "Hallucination": ("entity_hallucination", "entity_hallucination"),
        "Dist. (count)": ("distinguishability(similarity=counts", "distinguishability"),
        "Dist. (dense)": ("distinguishability(similarity=embedding", "distinguishability"),
    }
    rows = []
    for system, part in _rows(estimates, over):
        cells = []
        for start, quantity in columns.values():
            # Word lists compare genders: beside another attribute they would be read as being about it.
            wanted = "gender" if start == "word_list_inclusion" else over
            mine = _find(estimates, system, part, start, quantity, over) if wanted == over else None
            cells.append(_cell(mine))
        direction = _direction(estimates, system, part, over)
        rows.append((_label(system, part), *cells, direction))
    kept = [i for i in range(len(columns)) if any(row[i + 1] != "–" for row in rows)]
    header = ("", *(list(columns)[i] for i in kept), "Included most / least")
    shown = tuple((row[0], *(row[i + 1] for i in kept), row[-1]) for row in rows)
    return Table(
        f"People by {over}: scores" + (" (the paper's Table 3)" if over == "gender" else ""),
        header,
        shown if kept else (),
        (
            _BOTH,
            "Non-negative scores are above zero by chance: read them with the p of the estimates.",
            "– is undefined; inclusion also where its uncorrected odds are infinite (all of a group named, or nobody).",
        ),
    )


def _counts(estimates: Sequence[Estimate], over: str) -> Table:
    """Tokens and people per summary, and the share of people that are invented."""
    rows = []
    for system, part in _rows(estimates, over):
        found = [
            _find(estimates, system, part, "invented_names", quantity, over)
            for quantity in ("tokens", "people", "share")
        ]
        unknown = _find(estimates, system, part, "entity_hallucination", "unknown", over)
        if found[0] is not None:
            rows.append((_label(system, part), *(_number(e, 2) for e in found), _number(unknown, 2)))
    return Table(
        f"People in summaries, by system ({over})",
        ("", "Tokens", "People", "Share invented", "of unknown gender"),
        tuple(rows),
        ("Means per summary; shares of all names of people, and of the invented ones.",),
    )


def _names(estimates: Sequence[Estimate], over: str) -> Table:
    """The most frequent invented names of every system."""
    rows = []
    for system, part in _rows(estimates, over):
        counts = [
            (match[1], int(e.value))
            for e in estimates
            if (e.system, _part(e), e.over) == (system, part, over)
            and e.measure.startswith("invented_names")
            and e.value
            and (match := re.fullmatch(r"count\[(.*)\]", e.quantity))
        ]
        most = sorted(counts, key=lambda pair: (-pair[1], pair[0]))[:MOST_NAMES]
        if most:
            rows.append((_label(system, part), ", ".join(f"{name} ({count})" for name, count in most)))
    return Table(f"Most frequent invented names, by system ({over})", ("", "Names"), tuple(rows))


_Part = tuple[tuple[str, str], ...]


def _part(estimate: Estimate) -> _Part:
    return tuple(sorted(estimate.slice.items()))


def _rows(estimates: Sequence[Estimate], over: str) -> list[tuple[str, _Part]]:
    """Systems within slices, in the order in which they were estimated."""
    found = dict.fromkeys((_part(e), e.system) for e in estimates if e.over == over)
    return [(system, part) for part, system in sorted(found, key=lambda pair: pair[0])]


def _label(system: str, part: _Part) -> str:
    return system + (f" ({', '.join(f'{k}={v}' for k, v in part)})" if part else "")


def _find(
    estimates: Sequence[Estimate], system: str, part: _Part, start: str, quantity: str, over: str
) -> Estimate | None:
    return next(
        (
            e
            for e in estimates
            if e.system == system
            and _part(e) == part
            and e.measure.startswith(start)
            and e.quantity == quantity
            and e.over in (over, "")
        ),
        None,
    )


def _direction(estimates: Sequence[Estimate], system: str, part: _Part, over: str) -> str:
    """The groups with the largest and the smallest share of people included."""
    shares = {
        e.quantity[len("inclusion[") : -1]: e.value
        for e in estimates
        if (e.system, _part(e), e.over) == (system, part, over)
        and e.measure.startswith("entity_inclusion")
        and e.quantity.startswith("inclusion[")
        and e.value is not None
    }
    if len(set(shares.values())) < 2:
        return "–"
    return f"{max(shares, key=lambda g: shares[g])} / {min(shares, key=lambda g: shares[g])}"


def _cell(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    lines = [_decimal(estimate.value)]
    if estimate.low_within is not None and estimate.high_within is not None:
        lines.append(f"s: {_decimal(estimate.low_within)},{_decimal(estimate.high_within)}")
    if estimate.low is not None and estimate.high is not None:
        lines.append(f"d: {_decimal(estimate.low)},{_decimal(estimate.high)}")
    return "\n".join(lines)


def _decimal(number: float) -> str:
    """Two decimals, as the paper prints them; what rounds to zero has no sign."""
    return f"{round(number, 2) + 0.0:.2f}"


def _number(estimate: Estimate | None, digits: int) -> str:
    return "–" if estimate is None or estimate.value is None else f"{estimate.value:.{digits}f}"
