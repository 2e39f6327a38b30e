"""The order of estimates in every format: by family and attribute, all records before subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from fairbrief.reports import number_format, wording
from fairbrief.reports.wording import worded
from fairbrief.types import Estimate, Note

if TYPE_CHECKING:
    from fairbrief.reports.result import Result

SHARE = "share"
"""The argument in which notes may differ and are still printed once."""
EXCLUDED = "Excluded records"
MOST_ROWS = 4
"""The most rows that are named in front of a note."""


@dataclass(frozen=True)
class Section:
    """Estimates of one family over one attribute, of all records or of the subgroups by the same attributes; by measure and quantity."""

    family: str
    over: str
    by: tuple[str, ...]
    estimates: tuple[Estimate, ...]

    @property
    def is_difference(self) -> bool:
        """Whether they are differences of systems."""
        return bool(self.estimates[0].baseline)

    @property
    def title(self) -> str:
        """For instance ``Representation by sentiment, in each topic``."""
        over = f" by {self.over}" if self.over else ""
        return f"{self.family}{over}{', in each ' + ' × '.join(self.by) if self.by else ''}"


def of_differences(result: Result) -> tuple[Section, ...]:
    """The sections of a result's differences, each from the random-sentence baselines where they exist."""
    return arrange(map(wording.from_random, result.differences), result.made)


def arrange(estimates: Iterable[Estimate], made: Mapping[str, Any]) -> tuple[Section, ...]:
    """Sections in order of first appearance, all records before subgroups; in each by measure, then quantity."""
    family = cache(lambda measure: wording.declared(measure, made).family)
    known: dict[tuple[str, str, tuple[str, ...]], dict[str, dict[str, list[Estimate]]]] = {}
    for e in estimates:
        section = known.setdefault((family(e.measure), e.over, tuple(e.subgroup)), {})
        section.setdefault(e.measure, {}).setdefault(e.quantity, []).append(e)
    return tuple(
        Section(
            *key, tuple(e for quantities in section.values() for block in quantities.values() for e in block)
        )
        for key, section in sorted(known.items(), key=lambda item: len(item[0][2]))
    )


def label(estimate: Estimate) -> str:
    """A row's name: the measure's spec, and the quantity unless it is the main value: ``bur`` or ``bur: under[negative]``."""
    measure = wording.without_over(estimate)
    return measure if wording.is_main_value(estimate) else f"{measure}: {estimate.quantity}"


def excluded(estimates: Iterable[Estimate]) -> list[str]:
    """The excluded records of main values on all records, as sentences; measures and systems with equal ones share a sentence.

    Differences are not in them: what their pairs lack is one of the `notes`.
    """
    measures: dict[tuple[str, str], dict[str, None]] = {}
    for e in estimates:
        is_shown = not e.subgroup and not e.baseline and wording.is_main_value(e)
        if is_shown and (why := reasons(e.excluded)):
            measures.setdefault((e.system, why), {})[wording.without_over(e)] = None
    systems: dict[tuple[str, str], list[str]] = {}
    for (system, why), names in measures.items():
        systems.setdefault((", ".join(names), why), []).append(system)
    return [f"{EXCLUDED}, {', '.join(of)} ({names}): {why}." for (names, why), of in systems.items()]


def reasons(counts: Mapping[str, int]) -> str:
    """``one group only 529, empty 3``: most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)


def notes(estimates: Sequence[Estimate]) -> list[str]:
    """The notes of the estimates, each once, with the rows that have it; and what pairs of systems lack.

    Notes that differ only in their shares are one, with the largest share.
    """
    alike: dict[str, tuple[dict[str, None], list[Note]]] = {}
    for _, members in groupby(estimates, key=lambda e: (e.measure, e.quantity)):
        block = list(members)
        # Thousands of subgroups have equal notes.
        distinct = {(note.code, str(note.arguments)): note for e in block for note in e.notes}
        for note in distinct.values():
            text = worded(replace(note, arguments={**note.arguments, SHARE: 0.0}))
            rows, of = alike.setdefault(text, ({}, []))
            rows[label(block[0])] = None
            of.append(note)
    return [
        f"{', '.join([*rows][:MOST_ROWS])}{' and others' if len(rows) > MOST_ROWS else ''}: {_with_largest_share(of)}"
        for rows, of in alike.values()
    ] + _unpaired(estimates)


def _with_largest_share(notes: Sequence[Note]) -> str:
    most = max(notes, key=lambda note: note.arguments.get(SHARE, 0.0))
    if len({number_format.share(note.arguments.get(SHARE, 0.0)) for note in notes}) > 1:
        most = replace(most, arguments={**most.arguments, "is_largest": True})
    return worded(most)


def _unpaired(estimates: Iterable[Estimate]) -> list[str]:
    """The excluded records of pairs of systems: by reason the fewest and the most."""
    lacking: dict[str, tuple[dict[str, None], list[int]]] = {}
    for e in estimates:
        for reason, n in e.excluded.items() if e.baseline and not e.subgroup else ():
            measures, counts = lacking.setdefault(reason, ({}, []))
            measures[wording.without_over(e)] = None
            counts.append(n)
    return [
        f"excluded from pairs ({', '.join(measures)}): {reason} {min(counts):,}"
        + (f" to {max(counts):,}" if max(counts) > min(counts) else "")
        for reason, (measures, counts) in lacking.items()
    ]
