"""What a set of inputs needs of an original and of the names, and whether there is enough of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from fairbrief.people.name_groups import GENDERS, Group
from fairbrief.people.template import Person, Template
from fairbrief.text.names import Listed, Names

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")

TOO_FEW = "too few names"

Design = Literal["balanced", "mono", "original"]
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of one original: how many people it has, how many names it needs and finds, and what came of it.

    ``people`` are named people, ``varied`` those who get a group; ``needed`` and ``available`` count the first
    names of the scarcest list in one input. ``written`` counts its rows; 0 with a ``reason``.
    """

    original: str
    people: int
    varied: int
    needed: int = 0
    available: int = 0
    written: int = 0
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of every original: the groups, the design, and what of a person is replaced.

    ``random_gender``: in groups that do not say it, gender is drawn anew for each person and draw; else
    it is the original's, and drawn only where unknown.
    """

    groups: tuple[Group, ...]
    design: Design
    replaces_last: bool
    random_gender: bool = False

    @property
    def by_gender(self) -> bool:
        return self.groups[0].gender is not None

    @property
    def by_race(self) -> bool:
        return self.groups[0].race is not None

    @property
    def genders(self) -> str:
        """How gender goes with race: ``kept`` or ``random``; ``crossed`` with it; or the pairs, where it is tied to race.

        Pairs stand in the order of the races: ``black male, white female``. Without race: ``varied``.
        """
        if not self.by_race:
            return "varied"
        if not self.by_gender:
            return "random" if self.random_gender else "kept"
        races = [group.race for group in self.groups]
        if len(set(races)) < len(races):
            return "crossed"
        return ", ".join(sorted(f"{group.race} {group.gender}" for group in self.groups))

    def varies(self, person: Person) -> bool:
        """Whether a person can show a group: a gender by a first name, a pronoun or a title; a race by a name alone."""
        if not person.is_named or person.is_kept:
            return False
        if self.by_gender and person.gender is not None:
            return True
        return person.first is not None or (self.by_race and self.replaces_last and person.last is not None)

    def share(self, count: int) -> int:
        """How many of ``count`` people may be in one group at once."""
        return -(-count // len(self.groups)) if self.design != "mono" else count


@dataclass(frozen=True, slots=True)
class Pools:
    """The names that may be drawn for one original: those that no word of it is, and of one group only.

    A name that the table lists for two of the groups (Amy, Asian and white) would tell neither and is
    left out.
    """

    first: dict[tuple[int, str], tuple[Listed, ...]]
    last: dict[int, tuple[Listed, ...]]
    family: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """The names of each group, before an original's own words are taken out."""

    first: dict[tuple[int, str], tuple[Listed, ...]]
    last: dict[int, tuple[Listed, ...]]
    family: tuple[Listed, ...]


def list_names(plan: Plan, names: Names) -> Lists:
    """The names of each group and gender; those of two groups are left out."""
    first: dict[tuple[int, str], tuple[Listed, ...]] = {}
    last: dict[str, tuple[Listed, ...]] = {}
    for i, group in enumerate(plan.groups):
        for gender in GENDERS if group.gender is None else (group.gender,):
            first[i, gender] = names.pool("first", gender, group.race or "")
        if group.race is not None:
            last[group.race] = names.pool("last", "", group.race)
    last = _apart(last)
    by_group = {i: last.get(group.race or "", ()) for i, group in enumerate(plan.groups)}
    return Lists(
        _apart(first), by_group, names.pool("last") if plan.replaces_last and not plan.by_race else ()
    )


def pools_of(lists: Lists, template: Template) -> Pools:
    """The names that remain when those are left out that are words of the original (whoever bears them)."""
    text = " ".join(d.text for d in template.record.documents)
    seen = {word.lower() for word in _WORD.findall(text) if not word.islower()}
    seen |= {part for word in list(seen) for part in re.split(r"[-'’]", word)}

    def unseen(listed: Sequence[Listed]) -> tuple[Listed, ...]:
        return tuple(row for row in listed if row.name.lower() not in seen)

    return Pools(
        {key: unseen(rows) for key, rows in lists.first.items()},
        {key: unseen(rows) for key, rows in lists.last.items()},
        unseen(lists.family),
    )


def measure(plan: Plan, pools: Pools, template: Template) -> Capacity:
    """What an original needs and finds; with a reason if that is not enough for its whole set."""
    named = [p for p in template.people if p.is_named]
    varied = [p for p in named if plan.varies(p)]
    found = Capacity(template.record.id, len(named), len(varied))
    if not varied:
        return _refuse(
            found, "no person to vary", "nobody named shows the group by a first name, a pronoun or a title"
        )
    mixed = next((p for p in varied if len(p.genders) > 1), None)
    if mixed is not None:
        return _refuse(
            found,
            "a person of two genders",
            f"he- and she-words of '{mixed.entity.id}' ({mixed.first or mixed.last})",
        )
    needs = [
        (f"first names, {_whose(plan.groups[key[0]], key[1])}", n, len(pools.first[key]))
        for key, n in _first_needed(plan, pools, varied).items()
    ]
    if plan.replaces_last and plan.by_race:
        needs += [
            (f"last names, {plan.groups[i].race}", plan.share(len(varied)), len(rows))
            for i, rows in pools.last.items()
        ]
    elif plan.replaces_last:
        needs.append(("last names", len({p.last.lower() for p in named if p.last}), len(pools.family)))
    what, needed, available = max(needs, key=lambda need: need[1] - need[2])
    found = Capacity(found.original, found.people, found.varied, needed, available)
    if needed > available:
        return _refuse(found, TOO_FEW, f"{what}: {needed} needed, {available} available")
    return found


def _whose(group: Group, gender: str) -> str:
    return " ".join(dict.fromkeys((gender, *group.name.split())))


def _first_needed(plan: Plan, pools: Pools, varied: Sequence[Person]) -> dict[tuple[int, str], int]:
    """The most first names that one input may take from each list."""
    first = [p for p in varied if p.first is not None]
    if plan.by_gender or plan.random_gender:
        return dict.fromkeys(pools.first, plan.share(len(first)))
    sizes = {g: sum(p.gender in (g, None) for p in first) for g in GENDERS}
    return {key: plan.share(sizes[key[1]]) for key in pools.first}


def _refuse(found: Capacity, reason: str, detail: str) -> Capacity:
    return Capacity(
        found.original, found.people, found.varied, found.needed, found.available, 0, reason, detail
    )


def _apart(pools: dict[_Key, tuple[Listed, ...]]) -> dict[_Key, tuple[Listed, ...]]:
    seen: dict[str, int] = {}
    for rows in pools.values():
        for row in rows:
            seen[row.name] = seen.get(row.name, 0) + 1
    return {key: tuple(r for r in rows if seen[r.name] == 1) for key, rows in pools.items()}
