"""Notes for estimates: groups that differ only in spelling, and the effect of the lengths of groups' documents.

Each source of notes is a function from an estimate to its notes (`NotesOf`); `with_notes` adds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairbrief.measures.coverage import EQUAL_LENGTH, LOG_LENGTH
from fairbrief.measures.representation import BY_DOCUMENTS, WORDS_LESS_DOCUMENTS
from fairbrief.reports import wording
from fairbrief.types import Estimate, Note

NotesOf = Callable[[Estimate], Sequence[Note]]
"""The notes that an estimate gets besides those it has."""
MISSING = frozenset(("nan", "none", "null", "n/a", "<na>", "#n/a"))
"""Spellings of a missing value, in lower case."""
LEAST = 0.1
"""Groups differ in length if their documents are at least this much longer or shorter than the others."""

Key = tuple[str, str, tuple[tuple[str, str], ...]]


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
    alike: dict[str, list[str]] = {}
    for group in groups:
        alike.setdefault(_normalized(group), []).append(group)
    found = [
        Note("groups_alike", {"attribute": over, "groups": names})
        for names in alike.values()
        if len(names) > 1
    ]
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
    found: dict[Key, dict[str, dict[str, Estimate]]] = {}
    for e in estimates:
        if e.group and not e.baseline:
            of = found.setdefault(_key(e), {})
            of.setdefault(e.quantity.partition("[")[0], {})[e.group] = e
    notes = {
        key: _of_coverage(of, key[1], alpha) or _of_shares(of, key[1], alpha) for key, of in found.items()
    }
    return lambda e: notes.get(_key(e), ()) if is_leading(e) else ()


def _key(e: Estimate) -> Key:
    return e.measure, e.system, tuple(e.subgroup.items())


def _of_coverage(of: Mapping[str, Mapping[str, Estimate]], system: str, alpha: float) -> tuple[Note, ...]:
    """Documents of a group that are longer than their record's mean, which increases their coverage by length alone."""
    longer = of.get(LOG_LENGTH, {})
    if not any(_is_clear(e) and abs(e.value or 0.0) >= math.log1p(LEAST) for e in longer.values()):
        return ()
    times = {g: math.exp(e.value) for g, e in longer.items() if e.value is not None}
    return (
        Note("documents_longer", {"times": times}),
        _both(
            system, alpha, of.get("relative_difference", {}), of.get(EQUAL_LENGTH, {}), "length_held_equal"
        ),
    )


def _of_shares(of: Mapping[str, Mapping[str, Estimate]], system: str, alpha: float) -> tuple[Note, ...]:
    """A group's share of the words is not its share of the documents: a standard has to be chosen."""
    longer, words = of.get(WORDS_LESS_DOCUMENTS, {}), of.get("source", {})
    shares = {}
    moved = False
    for group, e in longer.items():
        share = words[group].value if group in words else None
        if e.value is None or share is None:
            continue
        documents = share - e.value
        moved = moved or (_is_clear(e) and abs(e.value) >= LEAST * documents)
        shares[group] = {"words": share, "documents": documents}
    if not moved:
        return ()
    return (
        Note("words_unlike_documents", {"shares": shares}),
        _both(system, alpha, of.get("difference", {}), of.get(BY_DOCUMENTS, {}), "documents_alike"),
    )


def _both(
    system: str, alpha: float, as_it_is: Mapping[str, Estimate], free: Mapping[str, Estimate], code: str
) -> Note:
    """Both readings of each group."""
    readings = {
        group: _readings(e, free[group], alpha)
        for group, e in as_it_is.items()
        if group in free and free[group].value is not None and e.value is not None
    }
    told = {"system": system, "alpha": alpha, "readings": readings}
    return Note(code, told) if readings else Note("length_is_group")


def _readings(as_it_is: Estimate, free: Estimate, alpha: float) -> dict[str, Any]:
    """Both readings of a contrast, the baseline that both are tested against, and whether the first survives."""
    both = as_it_is, free
    is_random = as_it_is.extract_p is not None and free.extract_p is not None
    gaps = [(e.extract_difference if is_random else e.value) or 0.0 for e in both]
    ps = [e.extract_p if is_random else e.p for e in both]
    first, second = (
        {"value": e.value, "low": e.low, "high": e.high, "p": p} for e, p in zip(both, ps, strict=True)
    )
    return {
        "free": second,
        "as_it_is": first,
        "baseline": "random sentences" if is_random else "no difference",
        "survives": None if ps[1] is None else gaps[0] * gaps[1] > 0 and ps[1] <= alpha,
    }


def _is_clear(e: Estimate) -> bool:
    """Whether the interval leaves 0 out."""
    return e.low is not None and e.high is not None and (e.low > 0 or e.high < 0)
