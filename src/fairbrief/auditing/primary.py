"""What an audit is about, named in advance: those group differences lead, and are corrected among themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairbrief import registry, specs
from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.types import Estimate, Measure


def check_primary(primary: Sequence[str], measures: Sequence[Measure]) -> None:
    """RequestError for a primary contrast of a measure that is not taken, before anything is read."""
    taken = [repr(measure) for measure in measures]
    for text in primary:
        if (spelled := _canonical(text)) not in taken:
            raise RequestError(
                f"--primary {text}: the audit does not take {spelled}.{did_you_mean(spelled, taken)} It takes: "
                f"{', '.join(taken)}."
            )


def with_primary(estimates: Sequence[Estimate], primary: Sequence[str]) -> list[Estimate]:
    """The estimates, or differences of systems, those marked that were named.

    RequestError for a name that no leading group difference has.
    """
    marked = list(estimates)
    for text in primary:
        target, measure = specs.target(text), _canonical(text)
        leads = [i for i, e in enumerate(estimates) if e.leads and e.measure == measure]
        named = [i for i in leads if _is_named(estimates[i], target)]
        if leads and not named and not estimates[leads[0]].baseline:
            raise RequestError(
                f"--primary {text} names no group difference that leads. {measure} has: {_listed(estimates[i] for i in leads)}."
            )
        for i in named:
            marked[i] = marked[i].replace(is_primary=True)
    return marked


def _is_named(e: Estimate, target: specs.Target) -> bool:
    return target.quantity in ("", e.quantity) and target.system in ("", e.system, e.baseline)


def _canonical(text: str) -> str:
    return repr(registry.make("measure", specs.target(text).measure))


def _listed(estimates: Iterable[Estimate]) -> str:
    return ", ".join(dict.fromkeys(f"{e.quantity}{{{e.system}}}" for e in estimates))
