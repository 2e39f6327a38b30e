"""Groups of people as requested: ``gender``, ``race``, ``gender*race``, ``age``."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeVar

from fairbrief.errors import RequestError
from fairbrief.people.filling import Assignment
from fairbrief.people.template import Person, Template
from fairbrief.text.names import Listed, Names

GENDERS = ("female", "male")
AGES = ("34", "81")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of people: its gender, race and age; None if the group does not define it."""

    gender: str | None = None
    race: str | None = None
    age: str | None = None

    @property
    def name(self) -> str:
        """``female``, ``black``, or both: ``female black``; ``aged 81``."""
        return " ".join(part for part in (self.gender, self.race, self.age and f"aged {self.age}") if part)


def read_groups(text: str, names: Names) -> tuple[Group, ...]:
    """The groups of a request.

    ``gender``: women and men. ``race``: every group of the names table with first and last names;
    ``race=black+white`` these two. ``gender*race`` crosses both; ``gender*race=male:black+female:white`` uses only
    these pairs, so that gender and race can be combined in any way. ``age``: people of 34 and of 81 years;
    ``age=A+B`` other years.
    """
    kind, equals, chosen = text.partition("=")
    kind = kind.replace(" ", "")
    values = [v.strip() for v in chosen.split("+") if v.strip()]
    if kind not in ("gender", "race", "gender*race", "age") or (equals and not values):
        raise RequestError(
            f"Groups '{text}' are not known. Write gender, race, race=A+B, gender*race, gender*race=male:A+female:B, age or age=A+B."
        )
    if kind == "age":
        return _ages(text, values or AGES)
    if kind == "gender":
        if values:
            raise RequestError(f"Groups '{text}': gender has the groups female and male only. Write gender.")
        return tuple(Group(gender=g) for g in GENDERS)
    races = names.groups()
    if kind == "race":
        groups = tuple(Group(race=r) for r in values or races)
    elif values:
        groups = tuple(_pair(value, text) for value in values)
    else:
        groups = tuple(Group(g, r) for g, r in product(GENDERS, races))
    for group in groups:
        if group.race not in races:
            known = ", ".join(races) or "none"
            raise RequestError(
                f"Groups '{text}': the names of {names.source} have no group '{group.race}' with first and last names. "
                f"They have: {known}. Give a table name,part,gender,group with --names FILE."
            )
    if len(set(groups)) < max(2, len(groups)):
        raise RequestError(f"Groups '{text}': wanted at least two different groups.")
    return groups


def _ages(text: str, values: Sequence[str]) -> tuple[Group, ...]:
    if len(set(values)) < max(2, len(values)) or any(not _YEARS.fullmatch(value) for value in values):
        raise RequestError(
            f"Groups '{text}': wanted at least two different ages from 18 to 119, such as age=34+81."
        )
    return tuple(Group(age=value) for value in values)


_YEARS = re.compile(r"1[89]|[2-9]\d|1[01]\d")


def _pair(value: str, text: str) -> Group:
    gender, _, race = (part.strip() for part in value.partition(":"))
    if gender not in GENDERS or not race:
        raise RequestError(f"Groups '{text}': '{value}' is not male:RACE or female:RACE.")
    return Group(gender, race)


# ---- Requirements of a set of inputs: people and names, and whether there are enough


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")

TOO_FEW = "too few names"

Design = Literal["balanced", "mono", "original"]
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of one seed document: its people, the names it needs, the names available, and the outcome.

    ``people`` are named people, ``varied`` those who get a group; ``needed`` and ``available`` count the first names
    of the scarcest list in one input. ``written`` counts its rows; 0 with a ``reason``.
    """

    seed_document: str
    people: int
    varied: int
    needed: int = 0
    available: int = 0
    written: int = 0
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for every seed document: the groups, the design, and the replaced parts of people.

    ``random_gender``: for groups without a gender it is drawn for each person and draw; otherwise it is the seed
    document's, and drawn only if unknown.
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
    def by_age(self) -> bool:
        return self.groups[0].age is not None

    @property
    def genders(self) -> str:
        """The relation of gender and race: ``kept`` or ``random``; ``crossed``; or the pairs if they are tied.

        Pairs are in the order of the races: ``black male, white female``. Without race: ``varied``.
        """
        if not self.by_race:
            return "kept" if self.by_age else "varied"
        if not self.by_gender:
            return "random" if self.random_gender else "kept"
        races = [group.race for group in self.groups]
        if len(set(races)) < len(races):
            return "crossed"
        return ", ".join(sorted(f"{group.race} {group.gender}" for group in self.groups))

    def varies(self, person: Person) -> bool:
        """Whether a person can show a group: a gender by a first name, a pronoun or a title; a race only by a name;
        an age by a mention of it.
        """
        if not person.is_named or person.is_kept:
            return False
        if self.by_age:
            return any(mention.kind == "age" for mention in person.entity.mentions)
        if self.by_gender and person.gender is not None:
            return True
        return person.first is not None or (self.by_race and self.replaces_last and person.last is not None)

    def share(self, count: int) -> int:
        """The number of ``count`` people who may be in one group at once."""
        return -(-count // len(self.groups)) if self.design != "mono" else count


@dataclass(frozen=True, slots=True)
class Pools:
    """The names for drawing: first names by group and gender, last names by group, family names without a group.

    A name in two of the groups (Amy, Asian and white) signals neither and is excluded.
    """

    first: dict[tuple[int, str], tuple[Listed, ...]]
    last: dict[int, tuple[Listed, ...]]
    family: tuple[Listed, ...]


def list_names(plan: Plan, names: Names) -> Pools:
    """The names of each group and gender, without those of two groups; none for ages, which change no name."""
    if plan.by_age:
        return Pools({}, {}, ())
    first: dict[tuple[int, str], tuple[Listed, ...]] = {}
    last: dict[str, tuple[Listed, ...]] = {}
    for i, group in enumerate(plan.groups):
        for gender in GENDERS if group.gender is None else (group.gender,):
            first[i, gender] = names.pool("first", gender, group.race or "")
        if group.race is not None:
            last[group.race] = names.pool("last", "", group.race)
    last = _apart(last)
    by_group = {i: last.get(group.race or "", ()) for i, group in enumerate(plan.groups)}
    return Pools(
        _apart(first), by_group, names.pool("last") if plan.replaces_last and not plan.by_race else ()
    )


def pools_of(lists: Pools, template: Template) -> Pools:
    """The names without those that occur as words of the seed document (whoever has them)."""
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
    """The names that a seed document needs and has available; with a reason if they are too few for its whole set."""
    named = [p for p in template.people if p.is_named]
    varied = [p for p in named if plan.varies(p)]
    found = Capacity(template.record.id, len(named), len(varied))
    if not varied:
        shown = "a mention of kind age" if plan.by_age else "a first name, a pronoun or a title"
        detail = f"nobody named shows the group by {shown}"
        return replace(found, reason="no person to vary", detail=detail)
    mixed = next((p for p in varied if len(p.genders) > 1), None)
    if mixed is not None:
        detail = f"he- and she-words of '{mixed.entity.id}' ({mixed.first or mixed.last})"
        return replace(found, reason="a person of two genders", detail=detail)
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
    if not needs:
        return found
    what, needed, available = max(needs, key=lambda need: need[1] - need[2])
    found = replace(found, needed=needed, available=available)
    if needed > available:
        return replace(found, reason=TOO_FEW, detail=f"{what}: {needed} needed, {available} available")
    return found


def _whose(group: Group, gender: str) -> str:
    return " ".join(dict.fromkeys((gender, *group.name.split())))


def _first_needed(plan: Plan, pools: Pools, varied: Sequence[Person]) -> dict[tuple[int, str], int]:
    """The largest number of first names that one input may take from each list."""
    first = [p for p in varied if p.first is not None]
    if plan.by_gender or plan.random_gender:
        return dict.fromkeys(pools.first, plan.share(len(first)))
    sizes = {g: sum(p.gender in (g, None) for p in first) for g in GENDERS}
    return {key: plan.share(sizes[key[1]]) for key in pools.first}


def _apart(pools: dict[_Key, tuple[Listed, ...]]) -> dict[_Key, tuple[Listed, ...]]:
    seen: dict[str, int] = {}
    for rows in pools.values():
        for row in rows:
            seen[row.name] = seen.get(row.name, 0) + 1
    return {key: tuple(r for r in rows if seen[r.name] == 1) for key, rows in pools.items()}


# ---- Assignments of groups and names to the people of a template


@dataclass(frozen=True, slots=True)
class Sample:
    """One set of assignments, by entity id, and its place in the design.

    ``number`` counts the draws. ``pair`` is the number of the exchange of groups within the draw (balanced),
    ``group`` the group of all people (mono).
    """

    number: int
    assigned: Mapping[str, Assignment]
    pair: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class _Draw:
    """People in the order of one draw, the gender of each, and the names drawn."""

    people: Sequence[Person]
    genders: Mapping[str, str | None]
    block: Sequence[int]
    """For each person, the first position of those who draw from the same list."""
    first: Mapping[tuple[int, str], Sequence[str]]
    last: Mapping[int, Sequence[str]]
    family: Mapping[str, str]


def assign(
    template: Template, plan: Plan, pools: Pools, draws: int, weights: str, rng: random.Random
) -> Iterator[Sample]:
    """All samples of a template: ``draws`` times the number of groups. `measure` must have found enough names.

    Balanced (C_loc): people are put in random order and assigned to the groups in rotation, beginning with a random
    one, so that all groups have equally many people (±1). Then everyone's group is exchanged for the next one, until
    each person has been in every group. The i-th person of a group has the group's i-th name, so that with an even
    number of people both texts of a pair have the same names; with an odd number one name of each group must differ.
    Mono (C_glob): all people in one group, for each group.
    """
    k = len(plan.groups)
    for number in range(draws):
        if plan.design == "balanced":
            drawn = _draw(template, plan, pools, weights, rng)
            start = int(rng.random() * k)
            for turn in range(k):
                labels = [(start + i + turn) % k for i in range(len(drawn.people))]
                yield Sample(number, _assignments(template, plan, drawn, labels), pair=str(turn))
        else:
            for label, group in enumerate(plan.groups):
                drawn = _draw(template, plan, pools, weights, rng)
                yield Sample(
                    number, _assignments(template, plan, drawn, [label] * len(drawn.people)), group=group.name
                )


def _draw(template: Template, plan: Plan, pools: Pools, weights: str, rng: random.Random) -> _Draw:
    varied = [p for p in template.people if plan.varies(p)]
    genders = {p.entity.id: _gender(p, plan, rng) for p in varied}
    keys = {p.entity.id: rng.random() for p in varied}

    def stratum(person: Person) -> tuple[bool, str]:
        """The list from which a person's name is drawn, as a sort key; people without first name come last."""
        return person.first is None, "" if plan.by_gender else genders[person.entity.id] or ""

    people = sorted(varied, key=lambda p: (stratum(p), keys[p.entity.id]))
    strata = [stratum(p) for p in people]
    block = [strata.index(s) for s in strata]
    first = {}
    for key, listed in pools.first.items():
        size = sum(s == (False, "" if plan.by_gender else key[1]) for s in strata)
        first[key] = _sample(listed, plan.share(size), weights, rng)
    last = (
        {i: _sample(rows, plan.share(len(people)), weights, rng) for i, rows in pools.last.items()}
        if plan.replaces_last and plan.by_race
        else {}
    )
    family = {}
    if plan.replaces_last and not plan.by_race:
        old = list(dict.fromkeys(p.last.lower() for p in template.people if p.last and p.is_named))
        family = dict(zip(old, _sample(pools.family, len(old), weights, rng), strict=True))
    return _Draw(people, genders, block, first, last, family)


def _gender(person: Person, plan: Plan, rng: random.Random) -> str | None:
    """A person's gender if the group does not define it: the original, or one drawn once for all texts of a pair."""
    coin = GENDERS[int(rng.random() * 2)]
    if plan.by_gender:
        return None
    if plan.by_age:
        return person.gender
    return coin if plan.random_gender or person.gender is None else person.gender


def _assignments(
    template: Template, plan: Plan, drawn: _Draw, labels: Sequence[int]
) -> dict[str, Assignment]:
    step = len(plan.groups) if plan.design == "balanced" else 1
    assigned = {}
    for at, (person, label) in enumerate(zip(drawn.people, labels, strict=True)):
        group = plan.groups[label]
        gender = group.gender or drawn.genders[person.entity.id]
        first = last = None
        if person.first is not None and drawn.first:
            first = drawn.first[label, gender or ""][(at - drawn.block[at]) // step]
        if person.last is not None and drawn.last:
            last = drawn.last[label][at // step]
        elif person.last is not None:
            last = drawn.family.get(person.last.lower())
        shown = gender if person.first is not None or person.gender is not None else None
        assigned[person.entity.id] = Assignment(first, last, shown, group.race, group.age)
    for person in template.people:
        if person.entity.id not in assigned and person.last is not None and drawn.family:
            assigned[person.entity.id] = Assignment(last=drawn.family[person.last.lower()])
    return assigned


def _sample(listed: Sequence[Listed], size: int, weights: str, rng: random.Random) -> list[str]:
    """Names drawn without replacement, with probabilities proportional to the weights of the remaining names.

    The names with the ``size`` smallest −log(U)/w are such a draw (Efraimidis & Spirakis, 2006). Only `random.random`
    is used, because Python guarantees that its numbers do not change.
    """
    keyed = sorted(
        (-math.log(1.0 - rng.random()) / (row.weight if weights == "frequency" else 1.0), i)
        for i, row in enumerate(listed)
    )
    return [listed[i].name for _, i in keyed[:size]]
