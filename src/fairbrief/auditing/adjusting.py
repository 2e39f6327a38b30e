"""Many tests at once: p-values adjusted within families of one kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fairbrief.auditing.estimating import Settings
from fairbrief.nouns import Estimate
from fairbrief.statistics import holm


def with_holm(
    estimates: Sequence[Estimate], families: Sequence[tuple[object, ...]], settings: Settings
) -> list[Estimate]:
    """The estimates with Holm-adjusted p, each family (tests of one kind) adjusted on its own.

    A p from B draws is at least 1/(B + 1): where a family is so large that even this is not significant
    when adjusted, its estimates say so.
    """
    adjusted = list(estimates)
    members: dict[tuple[object, ...], list[int]] = {}
    for i, family in enumerate(families):
        members.setdefault(family, []).append(i)
    for indices in members.values():
        tests = sum(estimates[i].p is not None for i in indices)
        too_few = tests > settings.alpha * (settings.draws + 1)
        note = f"{'one test needs' if tests == 1 else f'{tests} tests adjusted together need'} more draws: --draws {math.ceil(2 * tests / settings.alpha)}"
        for i, p in zip(indices, holm([estimates[i].p for i in indices]), strict=True):
            notes = (*estimates[i].notes, note) if too_few and p is not None else estimates[i].notes
            adjusted[i] = replace(adjusted[i], p_adjusted=p, notes=notes)
    return adjusted


def family_of(made: Estimate, *, is_headline: bool, is_control: bool) -> tuple[object, ...]:
    """Tests of one kind: all headlines together; a companion with its other values and systems."""
    kind = "headline" if is_headline else f"{made.measure}:{made.quantity.partition('[')[0]}"
    return (kind, bool(made.baseline), is_control, tuple(sorted(made.slice)))
