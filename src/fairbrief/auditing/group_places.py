"""Groups whose documents nearly always come first or last in their records: what is said of them may be said of their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fairbrief.reports import wording
from fairbrief.types import Case, Estimate, Measure, Note

NEARLY_ALWAYS = 0.9
"""Of the pairs of a document of the group and another one of its record, so many have the group's first (or last)."""
FEWEST = 8
"""Records with the group and another one; in fewer a random order looks like that too often."""
MOST_GROUPS = 200
"""An attribute with more is not watched: it holds names or numbers."""
MOST_PATTERNS = 1 << 12
"""Different sequences of groups that are counted before they are made into sums."""
PARTS = 1_000_000
"""Shares of pairs are summed in such parts, so that no order of the records changes a digit."""

Pattern = tuple[str, str, tuple[str | None, ...]]
"""A system, an attribute, and its value at each document of a record."""


@dataclass(slots=True)
class GroupPlaces:
    """By system, attribute and group: the records in which the group is not alone, and its sum of shares of pairs that it begins.

    At most `MOST_GROUPS` groups of an attribute and `MOST_PATTERNS` sequences are held, however many records there are.
    """

    attributes: tuple[str, ...] = ()
    _patterns: Counter[Pattern] = field(default_factory=Counter)
    _sums: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _records: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _unwatched: set[str] = field(default_factory=set)

    def empty(self) -> GroupPlaces:
        """One that watches the same attributes and has seen nothing."""
        return GroupPlaces(self.attributes)

    def note(self, cases: Sequence[Case]) -> None:
        """Note the order of the documents of some cases."""
        for case in cases:
            documents, system = case.record.documents, case.summary.system
            if len(documents) < 2:
                continue
            for name in self.attributes:
                self._patterns[system, name, tuple([d.attributes.get(name) for d in documents])] += 1
        if len(self._patterns) > MOST_PATTERNS:
            self._sum_up()

    def merge(self, other: GroupPlaces) -> None:
        """Take in what was seen of other cases."""
        self._unwatched |= other._unwatched
        self._patterns.update(other._patterns)
        self._sums.update(other._sums)
        self._records.update(other._records)
        self._sum_up()

    def noted(self, estimates: Sequence[Estimate], measures: Mapping[str, Measure]) -> list[Estimate]:
        """The estimates; leading contrasts and headlines of an attribute whose groups have their place say so, those of position
        for every such attribute.
        """
        self._sum_up()
        notes: dict[str, dict[str, Note]] = {}
        for (system, attribute), groups in sorted(self._placed().items()):
            notes.setdefault(system, {})[attribute] = Note(
                "place_is_group", {"attribute": attribute, "groups": groups}
            )
        if not notes:
            return list(estimates)
        found = []
        for e in estimates:
            of_system = (
                {} if e.baseline or not (e.leads or wording.is_headline(e)) else notes.get(e.system, {})
            )
            told = [note for name, note in of_system.items() if _speaks_of(measures.get(e.measure), name)]
            found.append(e.replace(notes=(*e.notes, *told)) if told else e)
        return found

    def _sum_up(self) -> None:
        """Make the sequences into sums."""
        for (system, attribute, values), times in self._patterns.items():
            if attribute in self._unwatched:
                continue
            for group, share in _shares_before(values):
                self._sums[system, attribute, group] += times * share
                self._records[system, attribute, group] += times
        self._patterns.clear()
        groups = Counter(attribute for attribute, _ in {key[1:] for key in self._records})
        self._unwatched |= {attribute for attribute, many in groups.items() if many > MOST_GROUPS}
        for sums in (self._sums, self._records):
            for key in [key for key in sums if key[1] in self._unwatched]:
                del sums[key]

    def _placed(self) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
        """By system and attribute the groups that nearly always come first or last, and in which share of their pairs."""
        found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for key, records in sorted(self._records.items()):
            first = self._sums[key] / records / PARTS
            if records >= FEWEST and max(first, 1 - first) >= NEARLY_ALWAYS:
                place = "first" if first > 0.5 else "last"
                of = {"place": place, "share": max(first, 1 - first), "records": records}
                found.setdefault(key[:2], {})[key[2]] = of
        return found


def _speaks_of(measure: Measure | None, attribute: str) -> bool:
    """Whether a measure tells groups of documents apart by the attribute, or asks where in the text something is."""
    if measure is None:
        return False
    declared = measure.declaration
    is_over = declared.attribute_of == "document" and getattr(measure, "over", "") == attribute
    return declared.needs_order or is_over


@lru_cache(maxsize=MOST_PATTERNS)
def _shares_before(values: tuple[str | None, ...]) -> tuple[tuple[str, int], ...]:
    """Of each group that is not alone: the share of its pairs with documents of others in which its own comes first, in `PARTS`.

    Documents without a value are passed over.
    """
    known = [value for value in values if value is not None]
    size, total = Counter(known), len(known)
    first: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for i, group in enumerate(known):
        first[group] += (total - size[group]) - (i - before[group])
        before[group] += 1
    return tuple(
        (group, round(PARTS * first[group] / (many * (total - many))))
        for group, many in size.items()
        if many < total
    )
