"""Many tests at once: p-values adjusted within families of one kind, and over all that leads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fairbrief import registry, specs
from fairbrief.auditing.estimating import NEEDS_TEXTS, Settings
from fairbrief.auditing.system_runs import RUN
from fairbrief.conclusions import against_baseline, is_nearer_to_even, leading
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports import wording
from fairbrief.statistics import TIE
from fairbrief.statistics.jackknife import t_p, t_quantile
from fairbrief.statistics.resampling import holm
from fairbrief.types import Estimate, Measure, Note


def with_holm(estimates: Sequence[Estimate], settings: Settings) -> list[Estimate]:
    """The estimates with Holm-adjusted p; each family (tests of one kind) is adjusted separately.

    A test that no label permutation could make significant in its family is not testable and leaves the
    family. A p from B draws is at least 1/(B + 1). If that is not significant in a large family,
    the estimates state how many draws are needed.
    """
    adjusted = list(estimates)
    families = grouped((_family(e), i) for i, e in enumerate(estimates))
    least = 1 / (settings.n_resamples + 1)  # a smaller p was counted over all label permutations
    for members in families.values():
        are_known = not any(NEEDS_TEXTS in adjusted[i].notes for i in members)
        if are_known:
            _part_from(adjusted, [i for i in members if _has_test(adjusted[i])], settings)
        ps = [adjusted[i].p if are_known and _has_test(adjusted[i]) else None for i in members]
        tests = sum(p is not None for p in ps)
        too_few = tests > settings.alpha * (settings.n_resamples + 1)
        of_extracts = holm([adjusted[i].extract_p for i in members])
        for i, alone, p, extract_p in zip(members, ps, holm(ps), of_extracts, strict=True):
            hidden = too_few and alone is not None and alone >= least
            e = adjusted[i]
            p = p if _has_test(e) else e.p
            if p is not None or extract_p is not None:
                notes = _with_needed(e, tests, settings) if hidden else e.notes
                adjusted[i] = e.replace(p_adjusted=p, extract_p_adjusted=extract_p, notes=notes)
    return adjusted


def with_families(
    estimates: Sequence[Estimate], settings: Settings, systems: Sequence[Estimate] = ()
) -> list[Estimate]:
    """The estimates; primary ones with p adjusted over all primary estimates with the same baseline, and a simultaneous interval.

    A report that picks among all primary group differences corrects for all of them: those against random sentences form one
    family, those against label permutations another, differences of systems a third. Estimates named in advance are
    corrected among themselves. The interval holds for the whole family (Bonferroni), so that it is valid for a finding
    picked after looking.

    A writer that never saw a label may still differ from random sentences, for instance where its sentences share more words
    with the rest; it then differs as much under label permutations. So p is the larger of two: against the baseline, and
    against the permutation mean (an intersection-union test). ``systems`` are the estimates of single systems, which
    provide that mean for differences of two systems.
    """
    adjusted, least = _with_label_p(estimates, systems or estimates), 2 / (settings.n_resamples + 1)
    place = {id(e): i for i, e in enumerate(adjusted)}
    families: dict[tuple[bool, ...], dict[tuple[object, ...], list[int]]] = {}
    for e in leading(adjusted, by_subgroup=True):
        p, tested = against_baseline(e)
        if p is not None and RUN not in e.subgroup and (e.extract_p is not None or _has_test(e)):
            tests = families.setdefault((e.is_named, bool(e.baseline), e.extract_p is not None), {})
            where = e.measure, e.system, e.baseline, tuple(e.subgroup.items())
            # Of two groups the one is the other's with its sign changed: a test that counts once.
            test = *where, round(abs(tested or 0.0), 12), round(_decisive_p(e) or 0.0, 12)
            tests.setdefault(test, []).append(place[id(e)])
    for tests in families.values():
        ps = holm([_decisive_p(adjusted[members[0]]) for members in tests.values()])
        for members, p in zip(tests.values(), ps, strict=True):
            for i in members:
                e = adjusted[i]
                low, high = _simultaneous(e, len(tests), p, settings)
                # The smallest p that this number of resamples allows, though more resamples could give less.
                is_least = (e.smallest_p or 0.0) < (e.p or 0.0) <= least < settings.alpha
                hidden = p is not None and p > settings.alpha and is_least and e.extract_p is None
                family = {"family_p": p, "family_size": len(tests), "family_low": low, "family_high": high}
                adjusted[i] = e.replace(
                    **family, notes=_with_needed(e, len(tests), settings) if hidden else e.notes
                )
    return adjusted


def _has_test(e: Estimate) -> bool:
    """Whether label permutations could give another p. Of systems that are equal in every cluster, p is 1 in any family."""
    return e.p is not None and e.smallest_p != 1.0


def _with_needed(e: Estimate, tests: int, settings: Settings) -> tuple[Note, ...]:
    """The notes of an estimate, with how many resamples so many tests need in place of what others needed."""
    needed = {"tests": tests, "resamples": math.ceil(2 * tests / settings.alpha)}
    others = (note for note in e.notes if note.code != "tests_need_resamples")
    return (*others, Note("tests_need_resamples", needed))


def _with_label_p(estimates: Sequence[Estimate], systems: Sequence[Estimate]) -> list[Estimate]:
    """The estimates; what leads and has a baseline other than label permutations with its p against these, where it is known."""

    def place(e: Estimate, system: str) -> tuple[object, ...]:
        return e.measure, e.quantity, system, tuple(e.subgroup.items())

    means = {place(e, e.system): e.permutation_mean for e in systems if e.is_primary}
    made = []
    for e in estimates:
        has_test = e.is_primary and (e.extract_p is not None or (e.baseline and e.p is not None))
        mean = means.get(place(e, e.system)) if has_test else None
        if e.baseline and mean is not None:
            other = means.get(place(e, e.baseline))
            mean = None if other is None else mean - other
        made.append(e if mean is None else e.replace(label_p=_label_p(e, mean)))
    return made


def _label_p(e: Estimate, mean: float) -> float | None:
    if e.value is None or e.se is None or e.freedom is None:
        return None
    tested = e.value if e.extract_difference is None else e.extract_difference
    gap = e.value - mean
    return float(t_p(gap, e.se, e.freedom)) if gap * tested > 0 else 1.0


def _decisive_p(e: Estimate) -> float | None:
    """The larger of p against the baseline and of p against label permutations."""
    p, _ = against_baseline(e)
    return p if p is None or e.label_p is None else max(p, e.label_p)


def _simultaneous(
    e: Estimate, tests: int, p: float | None, settings: Settings
) -> tuple[float | None, float | None]:
    """The Bonferroni interval of the tested difference, clipped like the interval of this test alone.

    0 is at most a bound if Holm's ``p`` is significant, and within if the test of the baseline is not: p of permutations can be
    larger than that of the t interval.
    """
    tested = wording.from_random(e)
    value, error, freedom, low, high = tested.value, tested.se, tested.freedom, tested.low, tested.high
    if value is None or error is None or freedom is None or low is None or high is None:
        return None, None
    share = 1 - settings.confidence_level
    alone, half = (float(t_quantile(1 - of, freedom)) * error for of in (share, share / tests))
    least = low if low > value - alone + TIE else value - half
    most = high if high < value + alone - TIE else value + half
    # Holm rejects a little more than Bonferroni: a known sign bounds the interval. Nearer to 0 than label permutations, it is unknown.
    if p is not None and p <= settings.alpha and (e.extract_p is not None or not is_nearer_to_even(e)):
        return (least, min(most, 0.0)) if value < 0 else (max(least, 0.0), most)
    is_significant = (tested.p or 0.0) * tests <= settings.alpha
    return (least, most) if is_significant else (min(least, 0.0), max(most, 0.0))


def _part_from(estimates: list[Estimate], tests: Sequence[int], settings: Settings) -> None:
    """Mark each test, in place, as testable or not in its family.

    Holm's p rises with every p of the family: so the smallest that a test can have is Holm's of all smallest p. This uses
    only the numbers of label permutations, never the observed labels; so the remaining tests keep their level.
    """
    best = holm([estimates[i].smallest_p or 0.0 for i in tests])
    for i, least in zip(tests, best, strict=True):
        e = estimates[i]
        if least is not None and least > settings.alpha and len(tests) > 1:
            told = {"tests": len(tests), "smallest": e.smallest_p, "adjusted": least, "alone": e.p}
            note = Note("not_testable_among", told)
            estimates[i] = e.replace(p=None, testable=False, notes=(*e.notes, note))


def _family(e: Estimate) -> tuple[object, ...]:
    """Tests of one kind: all main values together; a secondary estimate with its other groups and systems."""
    kind = "main_value" if wording.is_main_value(e) else f"{e.measure}:{e.quantity.partition('[')[0]}"
    is_real = e.system_kind == "system" and e.baseline_kind in (None, "system")
    return kind, bool(e.baseline), is_real, tuple(sorted(e.subgroup))


def check_primary(primary: Sequence[str], measures: Sequence[Measure]) -> None:
    """RequestError for a primary contrast of a measure that is not taken, before anything is read."""
    taken = [repr(measure) for measure in measures]
    for text in primary:
        if (spelled := _canonical(text)) not in taken:
            raise RequestError(
                f"--primary {text}: the audit does not compute {spelled}.{did_you_mean(spelled, taken)} It computes: "
                f"{', '.join(taken)}."
            )


def with_primary(estimates: Sequence[Estimate], primary: Sequence[str]) -> list[Estimate]:
    """The estimates, or differences of systems, those marked that were named.

    RequestError for a name that no leading group difference has.
    """
    marked = list(estimates)
    for text in primary:
        target, measure = specs.target(text), _canonical(text)
        candidates = [i for i, e in enumerate(estimates) if e.is_primary and e.measure == measure]
        named = [
            i
            for i in candidates
            if target.quantity in ("", estimates[i].quantity)
            and target.system in ("", estimates[i].system, estimates[i].baseline)
        ]
        if candidates and not named and not estimates[candidates[0]].baseline:
            raise RequestError(
                f"--primary {text} names no primary group difference. {measure} has: {_listed(estimates[i] for i in candidates)}."
            )
        for i in named:
            marked[i] = marked[i].replace(is_named=True)
    return marked


def _canonical(text: str) -> str:
    return repr(registry.make("measure", specs.target(text).measure))


def _listed(estimates: Iterable[Estimate]) -> str:
    return ", ".join(dict.fromkeys(f"{e.quantity}{{{e.system}}}" for e in estimates))
