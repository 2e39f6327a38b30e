"""Who is above and who is below, as tables: signed contrasts beside what a random extract reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairbrief.reports import arrangement, groups, number_format, wording
from fairbrief.reports.first_answers import first_known
from fairbrief.types import Estimate, Table

HOLM = "p\n(Holm)"
"""Raised for the number of comparisons where there were several, as on the first screen."""
WITH_EXTRACTS = ("group, system", "value", "interval", "random\nextract", "beyond\nextract", "interval", HOLM)
WITHOUT = ("group, system", "value", "interval", HOLM)


def contrast_tables(estimates: Sequence[Estimate], made: Mapping[str, Any]) -> list[Table]:
    """One table per measure and attribute whose contrasts lead, on whole data; a row per group and system."""
    known = ([e for e in of if e.value is not None] for of in arrangement.leading(estimates).values())
    return [_table(of, made) for of in known if of]


def _table(found: Sequence[Estimate], made: Mapping[str, Any]) -> Table:
    measure = found[0].measure
    header = WITH_EXTRACTS if any(e.blind_difference is not None for e in found) else WITHOUT
    title = f"{wording.declared(measure, made).contrast.question} · {measure}"
    return Table(title, header, tuple(_rows(found, header)))


def _rows(found: Sequence[Estimate], header: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    of_group: dict[str, list[Estimate]] = {}
    for e in found:
        of_group.setdefault(e.group, []).append(e)
    for group in groups.ordered(of_group):
        yield (
            groups.named(found[0].over, group) or found[0].quantity.replace("_", " "),
            *[""] * (len(header) - 1),
        )
        for e in of_group[group]:
            yield (f"  {e.system}", *(_beside_extracts(e) if header is WITH_EXTRACTS else _alone(e)))


def _alone(e: Estimate) -> tuple[str, ...]:
    p = "not testable" if e.testable is False else number_format.probability(first_known(e.p_adjusted, e.p))
    return number_format.value(e), number_format.interval(e), p


def _beside_extracts(e: Estimate) -> tuple[str, ...]:
    """P is that of the difference from random extracts; that of permuted labels stands with the details."""
    beyond = e.replace(value=e.blind_difference, low=e.blind_difference_low, high=e.blind_difference_high)
    return (
        number_format.value(e),
        number_format.interval(e),
        _known(e.replace(value=e.blind)),
        _known(beyond),
        number_format.interval(beyond),
        number_format.probability(first_known(e.blind_p_adjusted, e.blind_p)),
    )


def _known(e: Estimate) -> str:
    return "–" if e.value is None else number_format.value(e)
