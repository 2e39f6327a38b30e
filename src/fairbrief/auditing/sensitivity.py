"""Does a finding depend on one choice? Each primary estimate under every scorer, unit and length that was taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairbrief.auditing.measure_selection import Choice, check_scorers
from fairbrief.conclusions import NAMED, conclusion, decisive
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.reports import number_format
from fairbrief.reports.wording import group_name, ordered_groups
from fairbrief.types import Estimate, Measure, Table, over_of

SUPPORT = "scorer_bias_support"
"""The scorer bias check of support scorers, which `under` substitutes for each other."""
HEADER = ("group, system, choice", "conclusion", "value", "interval", "random")
NOTE = (
    "Below and above: significantly different from random sentences, or from label permutations where there are none; both "
    "directions: below under one choice and above under another. As random: as uneven as random sentences. p is adjusted "
    "over all choices together: report a finding that is significant under one choice only with the others."
)


def resolved(scorers: Sequence[str]) -> tuple[str, ...]:
    """The scorers with the best that is installed in the place of ``recommended``."""
    if "recommended" not in scorers:
        return tuple(scorers)
    from fairbrief.scorers.entailment import recommended

    return tuple(dict.fromkeys(recommended()[0] if name == "recommended" else name for name in scorers))


def under(choice: Choice, scorers: Sequence[str], given: Mapping[str, Any]) -> Choice:
    """The measures, those that ask how far texts support each other under each of the scorers.

    ``given`` are scorers that came as objects, by name. Raises RequestError where no measure asks so, one names a scorer
    itself, or cannot have one, and for a scorer that nobody declared.
    """
    if not scorers:
        return choice
    varied = [m for m in choice.measures if ("scorer", "scorer") in _settings_of_support(m)]
    if not varied:
        named = ", ".join(m.name for m in choice.measures)
        raise RequestError(
            f"No measure here is read by scorers that others could replace ({named}). Take coverage or representation, "
            "or name each measure with its settings."
        )
    measures: list[Measure] = []
    for measure in choice.measures:
        measures += [_with_scorer(measure, s) for s in scorers] if measure in varied else [measure]
    check_scorers(measures, given)
    return dataclasses.replace(choice, measures=tuple(dict.fromkeys(measures)))


def _settings_of_support(measure: Measure) -> set[tuple[str, str]]:
    """The settings that the measure gives to the check of its support scorer, with their names there."""
    checks = [check for check in measure.declaration.scorer_checks if check.measure == SUPPORT]
    return {pair for check in checks for pair in check.given.items()}


def _with_scorer(measure: Any, scorer: str) -> Measure:
    default = next(f.default for f in dataclasses.fields(measure) if f.name == "scorer")
    if measure.scorer != default:
        raise RequestError(f"'{measure!r}' names its scorer: drop it, and name it among those compared.")
    try:
        made: Measure = dataclasses.replace(measure, scorer=scorer)
    except ValueError as error:
        raise RequestError(f"'{measure!r}' cannot have the scorer '{scorer}': {error}.") from error
    return made


def tables(estimates: Sequence[Estimate], measures: Sequence[Measure], alpha: float) -> list[Table]:
    """One table per measure and attribute that was taken under several settings; none where each was taken once."""
    variants: dict[tuple[str, str], dict[str, Measure]] = {}
    for measure in measures:
        variants.setdefault((measure.name, over_of(measure)), {})[repr(measure)] = measure
    found = []
    for (name, over), several in variants.items():
        if len(several) < 2:
            continue
        primary = [e for e in estimates if e.is_primary and not e.subgroup and not e.baseline]
        leading = [e for e in primary if e.measure in several]
        if len({e.measure for e in leading}) > 1:
            title = f"Does the finding depend on one choice? · {name}{f'@{over}' if over else ''}"
            found.append(Table(title, HEADER, tuple(_rows(leading, _called(several), over, alpha)), (NOTE,)))
    return found


def _called(several: Mapping[str, Measure]) -> dict[str, str]:
    """Each measure by the settings in which they differ: ``scorer=ngram``."""
    measures = several.values()
    names = dict.fromkeys(f.name for m in measures for f in dataclasses.fields(m) if f.name != "over")  # type: ignore[arg-type]
    differ = [name for name in names if len({repr(getattr(m, name, None)) for m in measures}) > 1]
    settings = {spec: [f"{name}={getattr(m, name, '')}" for name in differ] for spec, m in several.items()}
    return {spec: ", ".join(texts) for spec, texts in settings.items()}


def _rows(
    found: Sequence[Estimate], called: Mapping[str, str], over: str, alpha: float
) -> Iterable[tuple[str, ...]]:
    of = grouped(((e.quantity, e.system), e) for e in found)
    first = {e.quantity: e.group for e in found}
    order = ordered_groups(dict.fromkeys(first.values()))
    for quantity, system in sorted(of, key=lambda key: order.index(first[key[0]])):
        members = of[quantity, system]
        group = group_name(over, first[quantity]) or quantity
        yield f"{group} · {system}", _verdict(members, alpha), "", "", ""
        for e in members:
            shown = number_format.value(e), number_format.interval(e), number_format.random_sentences(e)
            yield f"  {called[e.measure]}", conclusion(e, alpha), *shown


def _verdict(members: Sequence[Estimate], alpha: float) -> str:
    """Whether the choices agree: how many are significant, and whether they point in the same direction."""
    significant = [kind for e in members if (kind := conclusion(e, alpha)) in NAMED]
    if len(set(significant)) > 1:
        return "both directions"
    if not significant:
        is_tested = any(decisive(e)[0] is not None for e in members)
        return f"significant under 0 of {len(members)}" if is_tested else "not tested"
    is_all = len(significant) == len(members)
    return f"{significant[0]} under {'all' if is_all else f'{len(significant)} of'} {len(members)}"
