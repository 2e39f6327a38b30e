"""Who becomes whom: assignments of groups and names to the people of a template."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairbrief.people.capacity import Plan, Pools
from fairbrief.people.name_groups import GENDERS
from fairbrief.people.template import Person, Template
from fairbrief.people.template_filling import Assignment
from fairbrief.text.names import Listed


@dataclass(frozen=True, slots=True)
class Sample:
    """One set of assignments, by entity id, and where it stands in the design.

    ``number`` counts the draws. ``pair`` says which exchange of groups of the draw it is (balanced),
    ``group`` which group everybody is of (mono).
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
    """All samples of a template: ``draws`` times as many as there are groups. Needs `measure` to find enough names.

    Balanced (C_loc): people are put in random order and the groups dealt out in turn, beginning at a random one,
    so that each group has as many people as another (±1). Then everyone's group is exchanged for the next
    one, until each person has been in every group. The i-th person of a group bears the group's i-th
    name, so that with an even number of people both texts of a pair have the same names; with an odd
    number one name of each group must differ. Mono (C_glob): everybody is of one group, for each group.
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
        """People beside each other in the order draw from one list; those without first name come last."""
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
    """A person's gender where the group does not say: as it was, or drawn, once for all texts of a pair."""
    coin = GENDERS[int(rng.random() * 2)]
    if plan.by_gender:
        return None
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
        if person.first is not None:
            first = drawn.first[label, gender or ""][(at - drawn.block[at]) // step]
        if person.last is not None and drawn.last:
            last = drawn.last[label][at // step]
        elif person.last is not None:
            last = drawn.family.get(person.last.lower())
        shown = gender if person.first is not None or person.gender is not None else None
        assigned[person.entity.id] = Assignment(first, last, shown, group.race)
    for person in template.people:
        if person.entity.id not in assigned and person.last is not None and drawn.family:
            assigned[person.entity.id] = Assignment(last=drawn.family[person.last.lower()])
    return assigned


def _sample(listed: Sequence[Listed], size: int, weights: str, rng: random.Random) -> list[str]:
    """Names drawn without replacement, each draw in proportion to the weights of those that are left.

    The names with the ``size`` smallest −log(U)/w are such a draw (Efraimidis & Spirakis, 2006). Only
    `random.random` is used, whose numbers Python promises not to change.
    """
    keyed = sorted(
        (-math.log(1.0 - rng.random()) / (row.weight if weights == "frequency" else 1.0), i)
        for i, row in enumerate(listed)
    )
    return [listed[i].name for _, i in keyed[:size]]
