"""Many tests at once: p-values adjusted within families of one kind, and over all that leads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fairbrief.auditing.estimating import NEEDS_TEXTS, Settings
from fairbrief.auditing.system_runs import RUN
from fairbrief.reports.frames import of_each
from fairbrief.standings import leading
from fairbrief.statistics import TIE, holm
from fairbrief.statistics.jackknife import t_quantile
from fairbrief.types import Estimate, Note


def with_holm(
    estimates: Sequence[Estimate], families: Iterable[tuple[object, ...]], settings: Settings
) -> list[Estimate]:
    """The estimates with Holm-adjusted p, each family (tests of one kind) adjusted on its own.

    What could not be significant beside the others, however its labels were exchanged, is not testable and leaves the
    family. A p from B draws is at least 1/(B + 1): where a family is so large that this is not significant when adjusted,
    its estimates say how many draws are needed.
    """
    adjusted = list(estimates)
    members: dict[tuple[object, ...], list[int]] = {}
    unknown: set[tuple[object, ...]] = set()
    lack_texts = of_each(lambda notes: NEEDS_TEXTS in notes, [e.notes for e in estimates])
    for i, (e, family, lacks_texts) in enumerate(zip(estimates, families, lack_texts, strict=True)):
        if e.p is not None or e.blind_p is not None:
            members.setdefault(family, []).append(i)
        if lacks_texts:
            unknown.add(family)
    for family, indices in members.items():
        if family not in unknown:  # else not all p are known
            _part_from(adjusted, [i for i in indices if adjusted[i].p is not None], settings)
            _adjust(adjusted, indices, settings)
        blind = holm([adjusted[i].blind_p for i in indices])
        for i, p in zip(indices, blind, strict=True):
            if p is not None:
                adjusted[i] = adjusted[i].replace(blind_p_adjusted=p)
    return adjusted


def with_families(estimates: Sequence[Estimate], settings: Settings) -> list[Estimate]:
    """The estimates; those that lead (`standing.leading`) with p adjusted over all of the same baseline, and an interval for it.

    A report that picks among all leading group differences corrects for all of them: those against random sentences are one
    family, those against label permutations another, and so are differences of systems. What was named in advance as
    primary is corrected among itself. The interval holds for the family at once (Bonferroni), so that one picked after looking
    may be read.
    """
    adjusted = list(estimates)
    place = {id(e): i for i, e in enumerate(estimates)}
    families: dict[tuple[bool, ...], list[int]] = {}
    for e in leading(estimates, sliced=True):
        if (e.p is not None or e.blind_p is not None) and RUN not in e.slice:
            families.setdefault((e.is_primary, bool(e.baseline), e.blind_p is not None), []).append(
                place[id(e)]
            )
    for (_, _, has_extracts), members in families.items():
        ps = holm([adjusted[i].blind_p if has_extracts else adjusted[i].p for i in members])
        for i, p in zip(members, ps, strict=True):
            low, high = _simultaneous(adjusted[i], len(members), settings.confidence_level)
            adjusted[i] = adjusted[i].replace(
                family_p=p, family_size=len(members), family_low=low, family_high=high
            )
    return adjusted


def _simultaneous(e: Estimate, tests: int, level: float) -> tuple[float | None, float | None]:
    """Bonferroni's interval around what is tested, within the same limits as the interval of this test alone."""
    value, error, freedom, low, high = e.value, e.se, e.freedom, e.low, e.high
    if e.blind_p is not None:
        value, error, freedom = e.blind_difference, e.blind_se, e.blind_freedom
        low, high = e.blind_difference_low, e.blind_difference_high
    if value is None or error is None or freedom is None or low is None or high is None:
        return None, None
    alone, half = (
        float(t_quantile(1 - share, freedom)) * error for share in (1 - level, (1 - level) / tests)
    )
    return (
        low if low > value - alone + TIE else value - half,
        high if high < value + alone - TIE else value + half,
    )


def _part_from(estimates: list[Estimate], tests: Sequence[int], settings: Settings) -> None:
    """Say of each test, in place, whether it is testable in its family.

    Holm's p rises with every p of the family: so the smallest that a test can have is Holm's of all smallest p. This looks
    at the numbers of labellings alone, never at the labels as they are; so what is left keeps its level.
    """
    best = holm([estimates[i].smallest_p or 0.0 for i in tests])
    for i, least in zip(tests, best, strict=True):
        e = estimates[i]
        if least is not None and least > settings.alpha and len(tests) > 1:
            told = {"tests": len(tests), "smallest": e.smallest_p, "adjusted": least, "alone": e.p}
            note = Note("not_testable_among", told)
            estimates[i] = e.replace(p=None, testable=False, notes=(*e.notes, note))


def _adjust(estimates: list[Estimate], indices: Sequence[int], settings: Settings) -> None:
    """Adjust one family in place; say where the number of resamples alone stands in the way."""
    tests = sum(estimates[i].p is not None for i in indices)
    too_few = tests > settings.alpha * (settings.n_resamples + 1)
    least = 1 / (settings.n_resamples + 1)  # a smaller p was counted over all labellings
    wanted = math.ceil(2 * tests / settings.alpha)
    note = Note("tests_need_resamples", {"tests": tests, "resamples": wanted})
    for i, p in zip(indices, holm([estimates[i].p for i in indices]), strict=True):
        e, p_alone = estimates[i], estimates[i].p
        if p is None or p_alone is None:
            continue
        hidden = too_few and p_alone >= least
        estimates[i] = e.replace(p_adjusted=p, notes=(*e.notes, note) if hidden else e.notes)


def family_of(made: Estimate, *, is_headline: bool, is_control: bool) -> tuple[object, ...]:
    """Tests of one kind: all headlines together; a companion with its other values and systems."""
    kind = "headline" if is_headline else f"{made.measure}:{made.quantity.partition('[')[0]}"
    return (kind, bool(made.baseline), is_control, tuple(sorted(made.slice)))
