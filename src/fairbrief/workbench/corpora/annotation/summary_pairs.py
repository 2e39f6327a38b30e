"""Choices between two summaries of one record: what is shown, which system is preferred, and how measures agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairbrief.types import Case, Floats, Integers, Summary
from fairbrief.workbench.corpora.annotation.answers import Answer
from fairbrief.workbench.corpora.annotation.items import ALIKE, FIRST, SECOND, Item, code_of, digest
from fairbrief.workbench.corpora.annotation.rater_agreement import Agreement, with_interval


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems' cases of one record, in the order in which they are shown."""

    first: Case
    second: Case

    @property
    def shown(self) -> Case:
        """Both texts as one, which is what sheets and pages show."""
        one, other = self.first.summary, self.second.summary
        text = f"First summary:\n{one.text}\n\nSecond summary:\n{other.text}"
        return Case(self.first.record, Summary(one.record, f"{one.system}\0{other.system}", text))


def pairs_of(cases: Iterable[Case]) -> Iterator[Pair]:
    """Every two systems' summaries of each record; which stands first is drawn from the record's id and their names."""
    by_record: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if not case.summary.reason and case.summary.text.strip():
            by_record[case.record.id].append(case)
    for several in by_record.values():
        for one, other in combinations(sorted(several, key=lambda case: case.summary.system), 2):
            drawn = digest(f"{one.record.id}\0{one.summary.system}\0{other.summary.system}")
            yield Pair(one, other) if int(drawn, 16) % 2 else Pair(other, one)


def preferred(pairs: Iterable[Pair], answers: Sequence[Answer]) -> list[tuple[Pair, float]]:
    """The pairs that were judged, and how far the first summary was preferred to the second: 1, 0, or 0.5 for alike.

    Of several annotators the answer of more than half counts; without one the pair is alike.
    """
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for answer in answers:
        _, record, system, _ = answer.key
        said[record, system].append(answer.chosen[0])
    found = []
    for pair in pairs:
        several = said[pair.first.record.id, code_of(pair.shown)]
        if several:
            ahead, behind = (several.count(choice) * 2 > len(several) for choice in (FIRST, SECOND))
            found.append((pair, (1 + ahead - behind) / 2))
    return found


def preferences(judged: Sequence[tuple[Pair, float]], seed: int = 0) -> list[Agreement]:
    """For every two systems, how often the one is preferred to the other, alike being half; intervals over records."""
    by_systems: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for pair, share in judged:
        names = pair.first.summary.system, pair.second.summary.system
        turned = names[0] > names[1]
        key = (names[1], names[0]) if turned else names
        by_systems[key].append((pair.first.record.cluster, 1 - share if turned else share))
    return [
        _mean(f"{one} preferred to {other}", np.array([share for _, share in found]), [r for r, _ in found], seed)
        for (one, other), found in sorted(by_systems.items())
    ]  # fmt: skip


def agreement_with_measure(
    judged: Sequence[tuple[Pair, float]], level: Mapping[tuple[str, str], float], seed: int = 0
) -> Agreement:
    """How often a measure finds that summary less fair which people did not prefer; equal values count half.

    ``level`` is the measure's value by record and system, more being less fair. Pairs that people found alike, and
    those of which it has no value, are left out.
    """
    shares, records = [], []
    for pair, share in judged:
        values = [level[case.record.id, case.summary.system] for case in (pair.first, pair.second)]
        if share != 0.5 and not np.isnan(values).any():
            sign = np.sign(values[1] - values[0]) * (1 if share else -1)
            shares.append((float(sign) + 1) / 2)
            records.append(pair.first.record.cluster)
    return _mean("orders two summaries as people do", np.array(shares), records, seed)


def pair_items(case: Case) -> Iterator[Item]:
    """The one question about two summaries that are shown as one."""
    yield Item(
        "pairs",
        case.record.id,
        code_of(case),
        "",
        "Which of the two summaries represents the documents more fairly?",
        "both summaries",
        (FIRST, SECOND, ALIKE),
        digest(case.summary.text),
    )


def _mean(name: str, values: Floats, records: Sequence[str], seed: int) -> Agreement:
    def fold(places: Integers) -> float:
        return float(values[places].mean())

    return with_interval(name, fold, records, seed, chance=0.5)
