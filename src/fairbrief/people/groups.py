"""Groups of people as requested: ``gender``, ``race``, ``gender*race``, ``age``."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import TypeVar

from fairbrief.errors import RequestError
from fairbrief.people.filling import Assignment, PeopleOptions
from fairbrief.people.template import Person, Template
from fairbrief.text.names import Names
from fairbrief.text.segmentation import LETTERS

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
    values = [v.strip() for v in chosen.split("+") if v.strip()]
    races = names.groups()
    have = f"The names of {names.source} have {', '.join(races) or 'none'}. Give a table name,part,gender,group with --names FILE"
    wanted = "different groups" if values else f"groups with first and last names. {have}"
    groups = None
    match kind.replace(" ", ""):
        case _ if equals and not values:
            pass
        case "gender" if not equals:
            groups = [Group(gender=gender) for gender in GENDERS]
        case "race":
            groups = [Group(race=race) for race in values or races]
        case "gender*race":
            pairs = [tuple(map(str.strip, value.partition(":")[::2])) for value in values]
            if all(gender in GENDERS and race for gender, race in pairs):
                groups = [Group(gender, race) for gender, race in pairs or product(GENDERS, races)]
        case "age":
            groups = [Group(age=years) for years in values or AGES if _YEARS.fullmatch(years)]
            wanted = "different ages from 18 to 119, such as age=34+81"
    if groups is None:
        raise RequestError(
            f"Groups '{text}' are not known. Write gender, race, race=A+B, gender*race, gender*race=male:A+female:B, age or age=A+B."
        )
    if unknown := [group.race for group in groups if group.race is not None and group.race not in races]:
        raise RequestError(f"Groups '{text}': no group '{unknown[0]}' has first and last names. {have}.")
    if len(set(groups)) < max(2, len(values)):
        raise RequestError(f"Groups '{text}': expected at least two {wanted}.")
    return tuple(groups)


_YEARS = re.compile(r"1[89]|[2-9]\d|1[01]\d")


# ---- Requirements of a set of inputs: people and names, and whether there are enough


TOO_FEW = "too few names"

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of one seed document: its people, and the outcome.

    ``people`` are named people, ``varied`` those who get a group. ``written`` counts its rows; 0 with a ``reason``.
    """

    seed_document: str
    people: int
    varied: int
    written: int = 0
    reason: str = ""
    detail: str = ""


Pools = Mapping[tuple[str, int, str], Mapping[str, float]]
"""The names for drawing with their weights, by part (first, last), group (index; −1 for last names of any group) and gender of first names."""
ANY = ("last", -1, "")


@dataclass(frozen=True)
class Plan:
    """The plan for every seed document: the groups, the options, the table of names, and the number of draws.

    With the option ``genders`` the gender of groups without one is drawn for each person and draw; otherwise it is the
    seed document's, and drawn only if unknown.
    """

    groups: tuple[Group, ...]
    options: PeopleOptions
    names: Names
    draws: int = 1

    @cached_property
    def kinds(self) -> set[str]:
        """What defines the groups: some of ``gender``, ``race`` and ``age``."""
        return {kind for kind in ("gender", "race", "age") if getattr(self.groups[0], kind) is not None}

    @property
    def replaces_last(self) -> bool:
        """Whether last names change: if asked for, and by default for groups by race, which they also signal."""
        return (self.options.last_names or ("replace" if "race" in self.kinds else "keep")) == "replace"

    @property
    def genders(self) -> str:
        """The relation of gender and race: ``kept`` or ``random``; ``crossed``; or the pairs if they are tied.

        Pairs are in the order of the races: ``black male, white female``. Without race: ``varied``.
        """
        if "race" not in self.kinds:
            return "varied" if "gender" in self.kinds else "kept"
        if "gender" not in self.kinds:
            return "random" if self.options.genders == "random" else "kept"
        pairs = sorted(f"{group.race} {group.gender}" for group in self.groups)
        return "crossed" if len({group.race for group in self.groups}) < len(pairs) else ", ".join(pairs)

    def varies(self, person: Person) -> bool:
        """Whether a person can show a group: a gender by a first name, a pronoun or a title; a race only by a name;
        an age by a mention of it.
        """
        if not person.is_named or person.is_kept:
            return False
        if "age" in self.kinds:
            return any(mention.kind == "age" for mention in person.entity.mentions)
        if "gender" in self.kinds and person.gender is not None:
            return True
        has_new_last = "race" in self.kinds and self.replaces_last and person.last is not None
        return person.first is not None or has_new_last

    def share(self, count: int) -> int:
        """The number of ``count`` people who may be in one group at once."""
        return -(-count // len(self.groups)) if self.options.design != "mono" else count

    @cached_property
    def lists(self) -> Pools:
        """The names of each group and gender; none for ages, which change no name.

        A name in two of the groups (Amy, Asian and white) signals neither and is excluded.
        """
        if "age" in self.kinds:
            return {}
        groups, names = list(enumerate(self.groups)), self.names
        pools: dict[tuple[str, int, str], Mapping[str, float]] = _apart(
            {
                ("first", i, gender): names.pool("first", gender, group.race or "")
                for i, group in groups
                for gender in (GENDERS if group.gender is None else (group.gender,))
            }
        )
        if self.replaces_last and "race" in self.kinds:
            last = _apart({group.race: names.pool("last", "", group.race or "") for _, group in groups})
            pools |= {("last", i, ""): last[group.race] for i, group in groups}
        elif self.replaces_last:
            pools[ANY] = names.pool("last")
        return pools

    def pools(self, template: Template) -> Pools:
        """The names without those that occur as words of the seed document (whoever has them)."""
        text = " ".join(d.text for d in template.record.documents)
        seen = {word.lower() for word in LETTERS.findall(text) if not word.islower()}
        seen |= {part for word in list(seen) for part in re.split(r"[-'’]", word)}
        lists = self.lists.items()
        return {key: {n: w for n, w in names.items() if n.lower() not in seen} for key, names in lists}


def measure(plan: Plan, pools: Pools, template: Template) -> Capacity:
    """The names that a seed document needs and has available; with a reason if they are too few for its whole set."""
    named = [p for p in template.people if p.is_named]
    varied = [p for p in named if plan.varies(p)]
    capacity = partial(Capacity, template.record.id, len(named), len(varied))
    if not varied:
        shown = "a mention of kind age" if "age" in plan.kinds else "a first name, a pronoun or a title"
        detail = f"nobody named shows the group by {shown}"
        return capacity(reason="no person to vary", detail=detail)
    mixed = next((p for p in varied if len(p.genders) > 1), None)
    if mixed is not None:
        detail = f"he- and she-words of '{mixed.entity.id}' ({mixed.first or mixed.last})"
        return capacity(reason="a person of two genders", detail=detail)
    first = [p for p in varied if p.first is not None]
    needs = [("", 0, 0)]
    for (part, i, gender), rows in pools.items():
        group = plan.groups[i]
        if part == "first":
            is_any = "gender" in plan.kinds or plan.options.genders == "random"
            what = f"first names, {' '.join(dict.fromkeys((gender, *group.name.split())))}"
            needed = plan.share(sum(is_any or p.gender in (gender, None) for p in first))
        elif i >= 0:
            what, needed = f"last names, {group.race}", plan.share(len(varied))
        else:
            what, needed = "last names", len({p.last.lower() for p in named if p.last})
        needs.append((what, needed, len(rows)))
    what, needed, available = max(needs[1:] or needs, key=lambda need: need[1] - need[2])
    if needed <= available:
        return capacity()
    return capacity(reason=TOO_FEW, detail=f"{what}: {needed} needed, {available} available")


def _apart(pools: Mapping[_Key, Mapping[str, float]]) -> dict[_Key, Mapping[str, float]]:
    seen = Counter(name for names in pools.values() for name in names)
    return {key: {n: w for n, w in names.items() if seen[n] == 1} for key, names in pools.items()}


# ---- Assignments of groups and names to the people of a template


def assign(
    template: Template, plan: Plan, pools: Pools, rng: random.Random
) -> Iterator[tuple[Mapping[str, Assignment], Mapping[str, str]]]:
    """All inputs of a template, ``draws`` times the number of groups: assignments by entity id, and attributes.

    The attributes are the place in the design: ``sample`` (the draw), and ``pair`` (the number of the exchange of groups
    within the draw) or ``group``. `measure` must have found enough names.

    Balanced (C_loc): people are put in random order and assigned to the groups in rotation, beginning with a random
    one, so that all groups have equally many people (±1). Then everyone's group is exchanged for the next one, until
    each person has been in every group. The i-th person of a group has the group's i-th name, so that with an even
    number of people both texts of a pair have the same names; with an odd number one name of each group must differ.
    Mono (C_glob): all people in one group, for each group.
    """
    for number in range(plan.draws):
        sample = {"sample": str(number)}
        if plan.options.design == "balanced":
            for turn, assigned in enumerate(_draw(template, plan, pools, rng)):
                yield assigned, {**sample, "pair": str(turn)}
        else:
            for label, group in enumerate(plan.groups):
                yield next(_draw(template, plan, pools, rng, label)), {**sample, "group": group.name}


def _draw(
    template: Template, plan: Plan, pools: Pools, rng: random.Random, label: int | None = None
) -> Iterator[dict[str, Assignment]]:
    """One draw of genders and names, assigned with all people in the group ``label``, or with every exchange of groups."""
    k = len(plan.groups)
    varied = [p for p in template.people if plan.varies(p)]
    genders = {p.entity.id: _gender(p, plan, rng) for p in varied}
    keys = {p.entity.id: rng.random() for p in varied}

    def stratum(person: Person) -> tuple[bool, str]:
        """The list from which a person's name is drawn, as a sort key; people without first name come last."""
        return person.first is None, "" if "gender" in plan.kinds else genders[person.entity.id] or ""

    people = sorted(varied, key=lambda p: (stratum(p), keys[p.entity.id]))
    strata = [stratum(p) for p in people]
    names = {
        key: _shuffled(weights, plan.options.weights == "frequency", rng) for key, weights in pools.items()
    }
    old = dict.fromkeys(p.last.lower() for p in template.people if p.last and p.is_named)
    family = dict(zip(old, names.get(ANY, ()), strict=False))
    start = int(rng.random() * k) if label is None else 0
    for turn in range(k if label is None else 1):
        lasts = {p.entity.id: family.get(p.last.lower()) for p in template.people if family and p.last}
        assigned = {ident: Assignment(last=last) for ident, last in lasts.items()}
        for at, person in enumerate(people):
            i, step = ((start + at + turn) % k, k) if label is None else (label, 1)
            group = plan.groups[i]
            gender = group.gender or genders[person.entity.id]
            first = last = None
            if person.first is not None and (listed := names.get(("first", i, gender or ""))):
                first = listed[(at - strata.index(strata[at])) // step]
            if person.last is not None:
                listed = names.get(("last", i, ""))
                last = listed[at // step] if listed else family.get(person.last.lower())
            shown = gender if person.first is not None or person.gender is not None else None
            assigned[person.entity.id] = Assignment(first, last, shown, group.race, group.age)
        yield assigned


def _gender(person: Person, plan: Plan, rng: random.Random) -> str | None:
    """A person's gender if the group does not define it: the original, or one drawn once for all texts of a pair."""
    coin = GENDERS[int(rng.random() * 2)]
    if "gender" in plan.kinds:
        return None
    is_drawn = "age" not in plan.kinds and (plan.options.genders == "random" or person.gender is None)
    return coin if is_drawn else person.gender


def _shuffled(weights: Mapping[str, float], by_frequency: bool, rng: random.Random) -> list[str]:
    """The names in a random order: drawn without replacement, with probabilities proportional to the remaining weights.

    The order of −log(U)/w is such a draw (Efraimidis & Spirakis, 2006). Only `random.random` is used, because Python
    guarantees that its numbers do not change.
    """
    weight = weights if by_frequency else dict.fromkeys(weights, 1.0)
    return sorted(weights, key=lambda name: -math.log(1.0 - rng.random()) / weight[name])
