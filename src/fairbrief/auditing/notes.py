"""Notes for estimates: groups that differ only in spelling, and the effect of the lengths of groups' documents.

Each source of notes is a function from an estimate to its notes (`NotesOf`); `with_notes` adds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairbrief.measures.coverage import EQUAL_LENGTH, LOG_LENGTH
from fairbrief.measures.representation import BY_DOCUMENTS, WORDS_LESS_DOCUMENTS
from fairbrief.ranges import grouped
from fairbrief.reports import wording
from fairbrief.types import Estimate, Note

NotesOf = Callable[[Estimate], Sequence[Note]]
"""The notes that an estimate gets besides those it has."""
MISSING = frozenset(("nan", "none", "null", "n/a", "<na>", "#n/a"))
"""Spellings of a missing value, in lower case."""
LEAST = 0.1
"""Groups differ in length if their documents are at least this much longer or shorter than the others."""

Key = tuple[str, str, tuple[tuple[str, str], ...]]
ByGroup = dict[str, dict[str, Estimate]]
"""The estimates of a measure and system, by quantity and group."""


def with_notes(estimates: Iterable[Estimate], *several: NotesOf) -> list[Estimate]:
    """The estimates with the notes that each function has for them, in that order."""
    noted = []
    for e in estimates:
        added = [note for notes_of in several for note in notes_of(e)]
        noted.append(e.replace(notes=(*e.notes, *added)) if added else e)
    return noted


def is_leading(e: Estimate) -> bool:
    """Whether an estimate is one that readers begin with: a main value or a primary estimate, of one system."""
    return not e.baseline and (e.is_primary or wording.is_main_value(e))


def spelling_notes(estimates: Iterable[Estimate]) -> NotesOf:
    """At main values and primary estimates: groups of their attribute that differ only in spelling, or that name a missing value."""
    groups: dict[str, set[str]] = {}
    for e in estimates:
        if e.over and e.group:
            groups.setdefault(e.over, set()).add(e.group)
    notes = {over: _of_groups(over, sorted(names)) for over, names in groups.items()}
    return lambda e: notes.get(e.over, ()) if is_leading(e) else ()


def _of_groups(over: str, groups: Iterable[str]) -> tuple[Note, ...]:
    alike = grouped((_normalized(group), group) for group in groups)
    several = [names for names in alike.values() if len(names) > 1]
    found = [Note("groups_alike", {"attribute": over, "groups": names}) for names in several]
    if missing := [name for key, names in alike.items() if key in MISSING for name in names]:
        found.append(Note("groups_missing", {"attribute": over, "groups": missing}))
    return tuple(found)


def _normalized(group: str) -> str:
    """A group in normal form: without case, extra blanks and trailing decimals."""
    text = " ".join(group.split()).casefold()
    try:
        return repr(float(text)) if text.isascii() else text
    except ValueError:
        return text


# ----------------------------------------------------------------------------------------- lengths


def length_notes(estimates: Iterable[Estimate], alpha: float) -> NotesOf:
    """Notes for main values and primary contrasts that lengths change: the value, and the value with length held equal.

    Both have p against the same baseline. A contrast survives if the value with length held equal
    has the same sign and an unadjusted p of at most ``alpha``.
    """
    found: dict[Key, ByGroup] = {}
    for e in estimates:
        if e.group and not e.baseline:
            of = found.setdefault(_key(e), {})
            of.setdefault(e.quantity.partition("[")[0], {})[e.group] = e
    notes: dict[Key, tuple[Note, ...]] = {}
    for key, of in found.items():
        told = {"system": key[1], "alpha": alpha}
        notes[key] = _of_coverage(of, told) or _of_shares(of, told)
    return lambda e: notes.get(_key(e), ()) if is_leading(e) else ()


def _key(e: Estimate) -> Key:
    return e.measure, e.system, tuple(e.subgroup.items())


def _of_coverage(of: ByGroup, told: Mapping[str, Any]) -> tuple[Note, ...]:
    """Documents of a group that are longer than their record's mean, which increases their coverage by length alone."""
    longer = of.get(LOG_LENGTH, {})
    if not any(_is_clear(e) and abs(e.value or 0.0) >= math.log1p(LEAST) for e in longer.values()):
        return ()
    times = {g: math.exp(e.value) for g, e in longer.items() if e.value is not None}
    compared = _both(of, "relative_difference", EQUAL_LENGTH, "length_held_equal", told)
    return Note("documents_longer", {"times": times}), compared


def _of_shares(of: ByGroup, told: Mapping[str, Any]) -> tuple[Note, ...]:
    """A group's share of the words is not its share of the documents: a standard has to be chosen."""
    words, shares, moved = of.get("source", {}), {}, False
    for group, e in of.get(WORDS_LESS_DOCUMENTS, {}).items():
        share = words[group].value if group in words else None
        if e.value is None or share is None:
            continue
        documents = share - e.value
        moved = moved or (_is_clear(e) and abs(e.value) >= LEAST * documents)
        shares[group] = {"words": share, "documents": documents}
    if not moved:
        return ()
    compared = _both(of, "difference", BY_DOCUMENTS, "documents_alike", told)
    return Note("words_unlike_documents", {"shares": shares}), compared


def _both(of: ByGroup, as_it_is: str, free: str, code: str, told: Mapping[str, Any]) -> Note:
    """Both readings of each group."""
    pairs = {group: (e, of.get(free, {}).get(group)) for group, e in of.get(as_it_is, {}).items()}
    readings = {
        group: _readings(first, second, told["alpha"])
        for group, (first, second) in pairs.items()
        if second is not None and first.value is not None and second.value is not None
    }
    return Note(code, {**told, "readings": readings}) if readings else Note("length_is_group")


def _readings(as_it_is: Estimate, free: Estimate, alpha: float) -> dict[str, Any]:
    """Both readings of a contrast, the baseline that both are tested against, and whether the first survives."""
    is_random = as_it_is.extract_p is not None and free.extract_p is not None
    p, other = ((e.extract_p if is_random else e.p) for e in (as_it_is, free))
    gap, rest = ((e.extract_difference if is_random else e.value) or 0.0 for e in (as_it_is, free))
    return {
        "free": {"value": free.value, "low": free.low, "high": free.high, "p": other},
        "as_it_is": {"value": as_it_is.value, "low": as_it_is.low, "high": as_it_is.high, "p": p},
        "baseline": "random sentences" if is_random else "no difference",
        "survives": None if other is None else gap * rest > 0 and other <= alpha,
    }


def _is_clear(e: Estimate) -> bool:
    """Whether the interval leaves 0 out."""
    return e.low is not None and e.high is not None and (e.low > 0 or e.high < 0)
