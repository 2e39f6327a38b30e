"""Cases with what people said of them: units with values, ratings, leanings, and people who are mentioned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Literal

from fairbrief.errors import RequestError
from fairbrief.types import Case
from fairbrief.workbench.corpora.annotation.answers import Answer
from fairbrief.workbench.corpora.annotation.items import FAIR_RATING, Item, units_to_judge

Combine = Literal["majority", "all", "each"]
COMBINES: tuple[Combine, ...] = ("majority", "all", "each")
Key = tuple[str, str, str, str]


def judged_cases(
    cases: Iterable[tuple[Case, Sequence[Item]]],
    answers: Sequence[Answer],
    attribute: str = "",
    combine: Combine = "majority",
) -> Iterator[Case]:
    """The cases that were judged, with the judgement in them.

    Units carry the values that entail them under ``attribute``; ratings, the leaning and the people found
    become attributes of the record: ``rating VALUE`` (the mean), ``leaning``, ``mentioned PERSON``.
    ``combine``: ``majority`` (more than half of those who answered; a tie is no), ``all`` (nobody
    dissents), or ``each`` (a system ``SYSTEM (ANNOTATOR)`` per annotator).

    A case of which some units were not judged is passed over: its distribution would be of a part.
    """
    if combine not in COMBINES:
        raise RequestError(f"Answers are combined by {', '.join(COMBINES)}, not '{combine}'.")
    by_key: dict[Key, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_key[answer.key].append(answer)
    for case, items in cases:
        of_case = {item.key: by_key[item.key] for item in items if item.key in by_key}
        if combine != "each":
            if (made := _judged(case, items, of_case, attribute, combine)) is not None:
                yield made
            continue
        for name in dict.fromkeys(answer.annotator for several in of_case.values() for answer in several):
            own = {
                k: mine
                for k, several in of_case.items()
                if (mine := [a for a in several if a.annotator == name])
            }
            if (made := _judged(case, items, own, attribute, "all")) is not None:
                system = f"{made.summary.system} ({name})"
                yield replace(made, summary=replace(made.summary, system=system))


def unfairness(
    cases: Iterable[tuple[Case, Sequence[Item]]], answers: Sequence[Answer]
) -> dict[tuple[str, str], float]:
    """How unfair people found each (record, system), in [0, 1]: from ratings or leanings.

    Ratings: the largest shortfall (5 − mean rating) / 4 over the values. Leanings: the share of annotators
    who did not say ``fair``.
    """
    by_key: dict[Key, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_key[answer.key].append(answer)
    found: dict[tuple[str, str], float] = {}
    for case, items in cases:
        parts = []
        for item in items:
            given = by_key.get(item.key)
            if given and item.task == "rating":
                parts.append((FAIR_RATING - fmean(int(a.chosen[0]) for a in given)) / (FAIR_RATING - 1))
            elif given and item.task == "leaning":
                parts.append(fmean(a.chosen[0] != "fair" for a in given))
        if parts and len(parts) == len(items):
            found[case.record.id, case.summary.system] = max(parts)
    return found


def _judged(
    case: Case, items: Sequence[Item], given: Mapping[Key, Sequence[Answer]], attribute: str, combine: Combine
) -> Case | None:
    if not given:
        return None
    task = items[0].task
    if task == "units":
        return _with_units(case, items, given, attribute, combine)
    attributes = dict(case.record.attributes)
    for item in items:
        several = [answer.chosen[0] for answer in given.get(item.key, ())]
        if not several:
            continue
        if task == "rating":
            attributes[f"rating {item.part}"] = f"{fmean(map(int, several)):g}"
        elif (answer := _one(several, combine)) is not None:
            attributes["leaning" if task == "leaning" else f"mentioned {item.part}"] = answer
    return replace(case, record=replace(case.record, attributes=attributes))


def _with_units(
    case: Case, items: Sequence[Item], given: Mapping[Key, Sequence[Answer]], attribute: str, combine: Combine
) -> Case | None:
    if any(item.key not in given for item in items):
        return None
    units = []
    for unit, item in zip(units_to_judge(case), items, strict=True):
        several = given[item.key]
        need = len(several) if combine == "all" else len(several) // 2 + 1
        entail = tuple(v for v in item.choices[:-1] if sum(v in a.chosen for a in several) >= need)
        units.append(replace(unit, values={**unit.values, attribute: entail}))
    return replace(case, summary=replace(case.summary, units=tuple(units)))


def _one(several: Sequence[str], combine: Combine) -> str | None:
    """The answer of more than half, or of all; None where there is none."""
    best = max(dict.fromkeys(several), key=several.count)
    need = len(several) if combine == "all" else len(several) // 2 + 1
    return best if several.count(best) >= need else None
