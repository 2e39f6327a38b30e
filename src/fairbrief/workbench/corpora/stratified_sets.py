"""Sets of texts that each value dominates equally often.

Source: Li et al., Coverage-based Fairness in Multi-document Summarization, A.3 ("dominated by each value
in equal proportion"), which gives no rule for ties; here they are dropped, or go to the lowest value.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from fairbrief.errors import RequestError
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record

Ties = Literal["drop", "lowest"]


def dominating(values: Sequence[str], order: Sequence[str], ties: Ties = "drop") -> str | None:
    """The unique mode of the values; of a tie none, or the first in ``order``."""
    counts = Counter(values)
    most = max(counts.values(), default=0)
    modes = [value for value in order if counts[value] == most]
    return modes[0] if most and modes and (len(modes) == 1 or ties == "lowest") else None


def stratify(
    candidates: Iterable[Record],
    attribute: str,
    sets: int,
    *,
    values: Sequence[str] | None = None,
    ties: Ties = "drop",
    seed: int = 0,
) -> list[Record]:
    """``sets`` of the candidates, of which each value dominates equally many, in the candidates' order.

    Drawn without replacement; each gets the attribute ``dominated_by``. ``values`` says which and in which
    order (for ties); by default all that occur, sorted.

    Raises: RequestError where the sets cannot be divided equally, or a value dominates too few.
    """
    held = list(candidates)
    order = list(values) if values else sorted({v for r in held for v in r.values_of(attribute)})
    share = _share(sets, order, ties)
    strata: dict[str, list[int]] = {value: [] for value in order}
    for i, record in enumerate(held):
        value = dominating(record.values_of(attribute), order, ties)
        if value is not None:
            strata[value].append(i)
    if short := {value: len(found) for value, found in strata.items() if len(found) < share}:
        raise RequestError(_too_few(short, len(held), share, order, strata))
    rng = random.Random(f"{seed}|stratify")  # noqa: S311 # a seed that reproduces is wanted
    chosen = {i: value for value in order for i in rng.sample(strata[value], share)}
    return [_marked(held[i], chosen[i]) for i in sorted(chosen)]


def cut_sets(topics: Mapping[str, Sequence[Document]], size: int, seed: int = 0) -> Iterator[Record]:
    """Disjoint sets of ``size`` texts of one topic each, from the topic's shuffled texts; what is left over is dropped."""
    _check_size(topics, size)
    for topic, texts in topics.items():
        rng = random.Random(f"{seed}|cut|{topic}")  # noqa: S311 # a seed that reproduces is wanted
        shuffled = list(texts)
        rng.shuffle(shuffled)
        for i in range(len(shuffled) // size):
            yield _set(topic, i, shuffled[i * size : (i + 1) * size])


def _set(topic: str, i: int, documents: Sequence[Document]) -> Record:
    name = f"{topic}_{i}" if topic else f"set_{i}"
    return Record(name, tuple(documents), attributes={"topic": topic} if topic else {})


def _marked(record: Record, value: str) -> Record:
    return replace(record, attributes={**record.attributes, "dominated_by": value})


def _share(sets: int, order: Sequence[str], ties: Ties) -> int:
    if ties not in ("drop", "lowest"):
        raise RequestError(f"Ties are 'drop' or 'lowest', not '{ties}'.")
    if len(order) < 2:
        raise RequestError(f"Wanted two values or more to dominate sets; found {', '.join(order) or 'none'}.")
    if sets < 1 or sets % len(order):
        near = max(1, round(sets / len(order))) * len(order)
        raise RequestError(
            f"{counted(sets, 'set')} cannot be dominated equally by {len(order)} values ({', '.join(order)}): ask for {near}."
        )
    return sets // len(order)


def _check_size(topics: Mapping[str, Sequence[Document]], size: int) -> None:
    if size < 1:
        raise RequestError(f"A set has one text at least, not {size}.")
    largest = max((len(texts) for texts in topics.values()), default=0)
    if largest < size:
        raise RequestError(
            f"No topic has {counted(size, 'text')}; the largest has {largest}. Ask for smaller sets."
        )


def _too_few(
    short: Mapping[str, int], seen: int, share: int, order: Sequence[str], strata: Mapping[str, Sequence[int]]
) -> str:
    told = ", ".join(f"'{value}' {count}" for value, count in short.items())
    fewest = min(len(strata[value]) for value in order)
    fewer = f"Ask for {fewest * len(order)} sets, name" if fewest else "Name"
    return (
        f"Of {counted(seen, 'set')} too few are dominated by {told}; wanted {share} each. {fewer} the --values that shall "
        "dominate, or let ties go to the lowest."
    )
