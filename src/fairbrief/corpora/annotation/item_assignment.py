"""Who judges what."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from fairbrief.errors import RequestError

T = TypeVar("T")


def assign(
    cases: Sequence[T],
    annotators: Sequence[str],
    *,
    per_case: int | None = None,
    per_annotator: int | None = None,
    seed: int = 0,
) -> dict[str, list[T]]:
    """Each annotator's cases, in an order of their own.

    The cases are shuffled; each goes to ``per_case`` annotators (all of them by default), in turns, so that
    loads differ by one at most and different people meet; cases are taken as long as nobody has to judge
    more than ``per_annotator``.

    Raises: RequestError without annotators, for one named twice, or where more are asked for than there are.
    """
    wanted = len(annotators) if per_case is None else per_case
    if not annotators or len(set(annotators)) < len(annotators) or not all(a.strip() for a in annotators):
        raise RequestError("Name the annotators, each once.")
    if not 1 <= wanted <= len(annotators):
        raise RequestError(f"Each case goes to 1 to {len(annotators)} annotators, not {wanted}.")
    if per_annotator is not None and per_annotator < 1:
        raise RequestError("An annotator judges one case at least.")
    rng = random.Random(f"{seed}|assign")  # noqa: S311 # a seed that reproduces is wanted
    order = list(range(len(cases)))
    rng.shuffle(order)
    load: dict[str, list[T]] = {name: [] for name in annotators}
    ties = {name: rng.random() for name in annotators}
    for i in order:
        chosen = sorted(annotators, key=lambda name: (len(load[name]), ties[name]))[:wanted]
        if per_annotator is not None and len(load[chosen[-1]]) >= per_annotator:
            break
        for name in chosen:
            load[name].append(cases[i])
            ties[name] = rng.random()
    for name, own in load.items():
        random.Random(f"{seed}|{name}").shuffle(own)  # noqa: S311 # as above
    return load
