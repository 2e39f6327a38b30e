"""Sets of inputs with controlled people, built from annotated records."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from fairbrief.corpora.people.assigning import Sample, assign
from fairbrief.corpora.people.capacity import (
    TOO_FEW,
    Capacity,
    Design,
    Lists,
    Plan,
    list_names,
    measure,
    pools_of,
)
from fairbrief.corpora.people.filling import Manner, fill
from fairbrief.corpora.people.groups import read_groups
from fairbrief.corpora.people.linting import LEFT, lint
from fairbrief.corpora.people.template import Template, make_template
from fairbrief.corpora.people.words import content_words
from fairbrief.errors import DataError, MissingExtra, RequestError
from fairbrief.nouns import Record
from fairbrief.text.counted import counted
from fairbrief.text.names import Names, census, is_given_name, read_names

NamesGiven = Names | str | Path


@dataclass(slots=True)
class Report:
    """What became of each original; complete when the records are used up."""

    capacities: list[Capacity] = field(default_factory=list)
    replaces_last: bool = False

    @property
    def written(self) -> int:
        return sum(c.written for c in self.capacities)

    @property
    def built(self) -> list[Capacity]:
        return [c for c in self.capacities if c.written]

    @property
    def refused(self) -> list[Capacity]:
        return [c for c in self.capacities if not c.written]

    def reasons(self) -> dict[str, int]:
        """How many originals were refused, by reason."""
        counts: dict[str, int] = {}
        for capacity in self.refused:
            counts[capacity.reason] = counts.get(capacity.reason, 0) + 1
        return counts

    def advice(self) -> list[str]:
        """What can be done about the originals that were refused, one line a reason."""
        lines = []
        if short := [c for c in self.refused if c.reason == TOO_FEW]:
            most = max(c.needed for c in short)
            lines.append(
                f"{TOO_FEW}: one text needs up to {most} names of one list (balanced: people by number of groups; mono: all "
                "people), and names that the text holds or that two groups share are not drawn. Give a larger "
                "table: --names FILE."
            )
        if LEFT in self.reasons():
            lines.append(
                f"{LEFT}: the text names a person where no mention is marked. Mark it in the source"
                + (
                    "; or keep last names (--last-names keep), so that first names alone tell."
                    if self.replaces_last
                    else "."
                )
            )
        return lines


def build(
    records: Iterable[Record],
    groups: str = "gender",
    design: Design = "balanced",
    per_original: int = 20,
    names: NamesGiven = "census",
    last_names: Literal["keep", "replace"] | None = None,
    content_words: bool | Literal["neutral"] = False,
    pronouns: bool = True,
    weights: Literal["uniform", "frequency"] = "uniform",
    seed: int = 0,
    genders: Literal["keep", "random"] = "keep",
    woman: str = "Ms.",
) -> tuple[Iterator[Record], Report]:
    """Records with controlled people, ``per_original`` of each original, and a report that grows with them.

    ``groups``: ``gender``, ``race[=A+B]`` or ``gender*race[=male:A+female:B]`` (see `read_groups`).
    ``design``: ``balanced`` (C_loc: half of the people in each group, in pairs with exchanged groups) or ``mono`` (C_glob:
    one group per input). ``names``: ``census``, or a table ``name,part,gender,group`` (a path).
    ``last_names``: kept, or replaced; by default replaced where the groups speak of race, which last names
    tell too. ``content_words``: whether wife and husband follow the gender, or are all set to ``neutral``
    variants. ``pronouns=False`` leaves pronouns as they are. ``weights``: names drawn uniformly or by frequency.
    ``genders``: in ``race`` groups, whether people keep their gender or have one drawn.
    ``woman``: the title that stands for Mr.

    Every record says in its attributes where it stands: ``design``, ``sample`` (the draw), ``pair`` (balanced) or
    ``group`` (mono); in groups of race also ``genders``: ``kept``, ``random``, ``tied`` (each race has one gender)
    or ``crossed`` (each has both).

    The same seed gives the same records to the byte, whatever other originals there are. If one input of
    an original cannot be made, none of its rows is, and the report says why. Raises `RequestError`
    for a request that no original could meet, `DataError` for a broken table or record.
    """
    if design not in ("balanced", "mono"):
        raise RequestError(f"The design '{design}' is not known. Wanted balanced or mono.")
    if weights not in ("uniform", "frequency"):
        raise RequestError(f"The weights '{weights}' are not known. Wanted uniform or frequency.")
    table = _table(names)
    wanted = read_groups(groups, table)
    if per_original < 1 or per_original % len(wanted):
        raise RequestError(
            f"{counted(per_original, 'input')} of each original cannot be shared by {counted(len(wanted), 'group')}. Wanted a multiple of {len(wanted)}."
        )
    by_race = wanted[0].race is not None
    replaces = last_names == "replace" or (last_names is None and by_race)
    plan = Plan(wanted, design, replaces, random_gender=genders == "random")
    manner = _manner(content_words, pronouns, woman)
    task = _Task(plan, list_names(plan, table), manner, per_original // len(wanted), weights, seed)
    report = Report(replaces_last=replaces)
    return _stream(records, task, report), report


@dataclass(frozen=True, slots=True)
class _Task:
    plan: Plan
    lists: Lists
    manner: Manner
    draws: int
    weights: str
    seed: int


def _manner(words: bool | Literal["neutral"], pronouns: bool, woman: str) -> Manner:  # as in build
    table = content_words() if words else None
    return Manner(pronouns=pronouns, words=table, neutral=words == "neutral", woman=woman)


def _table(names: NamesGiven) -> Names:
    if isinstance(names, Names):
        return names
    if str(names) == "census":
        return census()
    path = Path(names)
    if not path.is_file():
        raise RequestError(
            f"There is no table of names '{names}'. Wanted census, or a file name,part,gender,group."
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return read_names(lines, str(path))
    except UnicodeDecodeError:
        raise DataError(
            f"{path}: found bytes that are not UTF-8; save the table with that encoding."
        ) from None


def _stream(records: Iterable[Record], task: _Task, report: Report) -> Iterator[Record]:
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise DataError(
                f"{record.where or record.id}: a second record has the id '{record.id}'. Give each its own."
            )
        seen.add(record.id)
        rows, capacity = _rows_of(record, task)
        report.capacities.append(capacity)
        yield from rows


def _rows_of(record: Record, task: _Task) -> tuple[list[Record], Capacity]:
    """All rows of an original, or none and the reason."""
    template = make_template(record, task.manner.words, _is_given)
    pools = pools_of(task.lists, template)
    capacity = measure(task.plan, pools, template)
    if capacity.reason:
        return [], capacity
    rng = random.Random(f"{task.seed}|{record.id}")  # noqa: S311 # a seed that reproduces is wanted
    rows = []
    for sample in assign(template, task.plan, pools, task.draws, task.weights, rng):
        filled = fill(template, sample.assigned, task.manner)
        if faults := lint(template, filled, sample.assigned, task.manner):
            return [], replace(capacity, reason=faults[0].reason, detail=faults[0].detail)
        rows.append(_named(template, filled, sample, task.plan))
    return rows, replace(capacity, written=len(rows))


def _is_given(word: str) -> bool:
    """As `is_given_name`; without the census nobody's single name is taken for a first name."""
    try:
        return is_given_name(word)
    except MissingExtra:
        return False


def _named(template: Template, filled: Record, sample: Sample, plan: Plan) -> Record:
    """The filled record with an id of its own, and attributes that say where it stands in which design."""
    place = {"pair": sample.pair} if plan.design == "balanced" else {"group": sample.group}
    turn = sample.pair or sample.group.replace(" ", "-")
    design, genders = plan.design, plan.genders
    told = {"design": design, **({"genders": genders} if genders else {})}
    return replace(
        filled,
        id=f"{template.record.id}.{'-'.join(told.values())}.{sample.number}.{turn}",
        original=template.record.id,
        attributes={**template.record.attributes, **told, "sample": str(sample.number), **place},
    )
