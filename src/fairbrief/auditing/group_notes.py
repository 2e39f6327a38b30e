"""Groups that are told apart by their spelling alone, and groups whose name says that a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairbrief.reports import wording
from fairbrief.types import Estimate, Note

MISSING = frozenset(("nan", "none", "null", "n/a", "<na>", "#n/a"))
"""How programs write that there is no value, in lower case."""


def noted(estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates; headlines and leading contrasts by an attribute with such groups say which they are."""
    groups: dict[str, dict[str, None]] = {}
    for e in estimates:
        if e.over and e.group:
            groups.setdefault(e.over, {})[e.group] = None
    notes = {over: told for over, names in groups.items() if (told := _notes(over, sorted(names)))}
    if not notes:
        return list(estimates)
    return [
        e.replace(notes=(*e.notes, *notes[e.over]))
        if e.over in notes and not e.baseline and (e.leads or wording.is_headline(e))
        else e
        for e in estimates
    ]


def _notes(over: str, groups: Iterable[str]) -> tuple[Note, ...]:
    alike: dict[str, list[str]] = {}
    for group in groups:
        alike.setdefault(_read(group), []).append(group)
    found = [
        Note("groups_alike", {"attribute": over, "groups": names})
        for names in alike.values()
        if len(names) > 1
    ]
    if missing := [name for key, names in alike.items() if key in MISSING for name in names]:
        found.append(Note("groups_missing", {"attribute": over, "groups": missing}))
    return tuple(found)


def _read(group: str) -> str:
    """A group as a person reads it: without case, needless blanks and needless decimals."""
    text = " ".join(group.split()).casefold()
    try:
        return repr(float(text)) if text.isascii() else text
    except ValueError:
        return text
