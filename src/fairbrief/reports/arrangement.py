"""The order of estimates in every format: by family and attribute, all records before subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from fairbrief import conclusions
from fairbrief.reports import number_format, wording
from fairbrief.reports.wording import worded
from fairbrief.types import Estimate, Note

if TYPE_CHECKING:
    from fairbrief.reports.result import Result

SHARE = "share"
"""The argument in which notes may differ and are still printed once."""
MOST_ROWS = 4
"""The most rows that are named in front of a note."""


@dataclass(frozen=True)
class Section:
    """Estimates of one family over one attribute, of all records or of the subgroups by the same attributes.

    Each block has the estimates of one measure and quantity; blocks of one measure are neighbours.
    """

    family: str
    over: str
    by: tuple[str, ...]
    blocks: tuple[tuple[Estimate, ...], ...]

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """All of them."""
        return tuple(e for block in self.blocks for e in block)

    @cached_property
    def main_values(self) -> tuple[Estimate, ...]:
        """The measures' main values."""
        return tuple(e for block in self.blocks if wording.is_main_value(block[0]) for e in block)

    @cached_property
    def is_difference(self) -> bool:
        """Whether they are differences of systems."""
        return any(e.baseline for e in self.estimates)

    @property
    def title(self) -> str:
        """For instance ``Representation by sentiment, in each topic``."""
        over = f" by {self.over}" if self.over else ""
        return f"{self.family}{over}{', in each ' + ' × '.join(self.by) if self.by else ''}"


def of_differences(result: Result) -> tuple[Section, ...]:
    """The sections of a result's differences, each from the random-sentence baselines where they exist."""
    return arrange(map(wording.from_random, result.differences), result.made)


def arrange(estimates: Iterable[Estimate], made: Mapping[str, Any]) -> tuple[Section, ...]:
    """Sections in order of first appearance; in each, by measure, quantity, subgroup, then system."""
    alike: dict[tuple[str, str, str, tuple[str, ...]], list[Estimate]] = {}
    for e in estimates:
        alike.setdefault((e.measure, e.over, e.quantity, tuple(e.subgroup)), []).append(e)
    found: dict[tuple[str, str, tuple[str, ...]], dict[str, list[tuple[Estimate, ...]]]] = {}
    for (measure, over, _, by), block in alike.items():
        measures = found.setdefault((wording.declared(measure, made).family, over, by), {})
        measures.setdefault(measure, []).append(tuple(block))
    ordered = sorted(found.items(), key=lambda item: len(item[0][2]))  # stable: whole data first
    return tuple(
        Section(*key, tuple(block for blocks in measures.values() for block in blocks))
        for key, measures in ordered
    )


def by_quantity(estimates: Iterable[Estimate]) -> Iterator[tuple[str, list[Estimate]]]:
    """Neighbouring estimates of one quantity, under its label: ``bur`` or ``bur: under[negative]``."""
    for _, members in groupby(estimates, key=lambda e: (e.measure, e.quantity)):
        block = list(members)
        yield label(block[0]), block


def label(estimate: Estimate) -> str:
    """A row's name: the measure's spec, and the quantity unless it is the main value."""
    measure = wording.without_over(estimate)
    return measure if wording.is_main_value(estimate) else f"{measure}: {estimate.quantity}"


def left_out(estimates: Iterable[Estimate]) -> tuple[tuple[str, str, int, Mapping[str, int]], ...]:
    """(measures, systems, n, reason → count) of main values on all records that exclude records; equal ones share a line.

    Differences are not in it: what their pairs lack is one of the `notes`.
    """
    alike: dict[tuple[str, int, tuple[tuple[str, int], ...]], dict[str, None]] = {}
    for e in estimates:
        counts = tuple((reason, n) for reason, n in e.excluded.items() if n)
        if counts and wording.is_main_value(e) and not e.subgroup and not e.baseline:
            alike.setdefault((e.system, e.n, counts), {})[wording.without_over(e)] = None
    shared: dict[tuple[str, int, tuple[tuple[str, int], ...]], list[str]] = {}
    for (system, n, counts), measures in alike.items():
        shared.setdefault((", ".join(measures), n, counts), []).append(system)
    return tuple(
        (names, ", ".join(systems), n, dict(counts)) for (names, n, counts), systems in shared.items()
    )


def reasons(counts: Mapping[str, int]) -> str:
    """``one group only 529, empty 3``: most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)


def notes(estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """The notes of the estimates, each once, with the rows that have it."""
    estimates = tuple(estimates)
    alike: dict[str, tuple[list[Note], dict[str, None]]] = {}
    for row, block in by_quantity(estimates):
        # Many estimates share the very same notes.
        for note in chain.from_iterable({id(e.notes): e.notes for e in block}.values()):
            text = worded(_with_share(note, 0.0) if SHARE in note.arguments else note)
            same, rows = alike.setdefault(text, ([], {}))
            same.append(note)
            rows[row] = None
    return tuple(
        f"{', '.join([*rows][:MOST_ROWS])}{' and others' if len(rows) > MOST_ROWS else ''}: {_together(same)}"
        for same, rows in alike.values()
    ) + _unpaired(estimates)


def _unpaired(estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """The excluded records of pairs of systems: by reason the fewest and the most."""
    lacking: dict[str, tuple[dict[str, None], list[int]]] = {}
    pairs = [e for e in estimates if e.baseline and not e.subgroup]
    with_main_value = {e.measure for e in pairs if wording.is_main_value(e)}
    for e in pairs:
        if wording.is_main_value(e) or e.measure not in with_main_value:
            for reason, n in e.excluded.items():
                measures, counts = lacking.setdefault(reason, ({}, []))
                measures[wording.without_over(e)] = None
                counts.append(n)
    return tuple(
        f"excluded from pairs ({', '.join(measures)}): {reason} {min(counts):,}"
        + (f" to {max(counts):,}" if max(counts) > min(counts) else "")
        for reason, (measures, counts) in lacking.items()
    )


def _together(notes: Sequence[Note]) -> str:
    """The sentence of notes that differ only in their shares, with the largest share."""
    shares = [note.arguments[SHARE] for note in notes if SHARE in note.arguments]
    if not shares:
        return worded(notes[0])
    differ = len({number_format.share(share) for share in shares}) > 1
    return worded(_with_share(notes[0], max(shares), is_largest=differ))


def _with_share(note: Note, share: float, *, is_largest: bool = False) -> Note:
    return replace(note, arguments={**note.arguments, SHARE: share, "is_largest": is_largest})


def leading(
    estimates: Iterable[Estimate], *, of_systems: bool = True
) -> dict[tuple[str, str], list[Estimate]]:
    """The primary group differences on all records, by measure and attribute: of systems, or of pairs of systems."""
    panels: dict[tuple[str, str], list[Estimate]] = {}
    for e in conclusions.leading(estimates):
        if bool(e.baseline) != of_systems:
            panels.setdefault((e.measure, e.over), []).append(e)
    return panels


def leading_subgroups(estimates: Iterable[Estimate], asked: Iterable[Sequence[str]]) -> list[list[Estimate]]:
    """The primary group differences of the requested subgroups, by measure and the subgroups' attributes."""
    wanted = [set(names) for names in asked]
    panels: dict[tuple[str, str, frozenset[str]], list[Estimate]] = {}
    for e in conclusions.leading(estimates, by_subgroup=True):
        if not e.baseline and set(e.subgroup) in wanted:
            panels.setdefault((e.measure, e.over, frozenset(e.subgroup)), []).append(e)
    return list(panels.values())
