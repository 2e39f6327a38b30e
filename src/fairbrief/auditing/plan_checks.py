"""What a plan cannot be, refused before anything is read."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.auditing.plan import Plan

LISTS = ("compared_scorers", "measures", "attributes", "slices", "controls", "primary")
COUNTS = ("seed", "n_resamples", "workers")
SHARES = ("confidence_level", "alpha")


def check_plan(plan: Plan) -> None:
    """Raise RequestError for a setting of a wrong type or outside its range, with what was found and wanted."""
    for name in LISTS:
        _check_list(name, getattr(plan, name))
    for name in COUNTS:
        _check_count(name, getattr(plan, name))
    _check_count("n_extracts", 0 if plan.n_extracts is None else plan.n_extracts)
    for name in SHARES:
        _check_share(name, getattr(plan, name))
    for measure in plan.measures:
        _check_measure(measure)
    if not isinstance(plan.scorers, Mapping):
        raise RequestError(f"scorers={plan.scorers!r}: wanted a mapping of names to scorers.")
    for name, scorer in plan.scorers.items():
        if inspect.isclass(scorer):
            raise RequestError(f"scorers[{name!r}] is a class: give an instance, {scorer.__name__}(…).")
    for name in ("check_scorers", "ordered", "skips", "is_pairwise", "pools_runs", "models_in_workers"):
        _check_truth(name, getattr(plan, name))
    _check_together(plan)


def _check_together(plan: Plan) -> None:
    if plan.primary and plan.protocol is not None:
        raise RequestError(
            "--primary orders the findings of an audit, which a protocol does not print: drop one of the two."
        )
    if plan.ordered and (plan.measures or plan.protocol):
        named = "a protocol brings its own measures" if plan.protocol else "measures are named"
        raise RequestError(
            f"--ordered has no effect where {named}: it adds measures of position to those that the input allows. Drop it."
        )
    if plan.models_in_workers and plan.workers == 1 and plan.engine in ("", "here"):
        raise RequestError(
            "There are no workers that could hold models: say how many with --workers N, or where with --engine."
        )


def check_slice(names: Sequence[str]) -> None:
    """Raise RequestError for a slice by one attribute twice."""
    if len(set(names)) < len(names):
        raise RequestError(f"A slice by {', '.join(names)} names an attribute twice: name each once.")


def _check_truth(name: str, given: Any) -> None:
    if given not in (True, False, None):
        raise RequestError(f"{name}={given!r}: wanted True or False.")


def _check_list(name: str, given: Any) -> None:
    if isinstance(given, str):
        raise RequestError(f"{name}={given!r} is one text: write {name}=[{given!r}].")
    if inspect.isclass(given) or not hasattr(given, "__iter__"):
        raise RequestError(f"{name}={given!r}: wanted a list.")


def _check_count(name: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise RequestError(f"{name}={given!r}: wanted a whole number, not {_kind(given)}.")
    if given < 0:
        raise RequestError(f"{name}={given}: wanted 0 or more.")


def _check_share(name: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, Real):
        raise RequestError(f"{name}={given!r}: wanted a number between 0 and 1, not {_kind(given)}.")
    share = float(given)
    if not 0 < share < 1:
        meant = f" Did you mean {share / 100:g}?" if 1 < share < 100 else ""
        raise RequestError(f"{name}={share:g}: wanted a number above 0 and below 1.{meant}")


def _check_measure(measure: Any) -> None:
    if inspect.isclass(measure):
        raise RequestError(
            f"measures holds the class {measure.__name__}: give an instance, {measure.__name__}(…), or its name "
            f"{getattr(measure, 'name', '…')!r}."
        )
    if not isinstance(measure, str) and not hasattr(measure, "observation"):
        raise RequestError(f"measures holds {_kind(measure)}: wanted names, measure specs or measures.")


def _kind(given: Any) -> str:
    return f"a text ({given!r})" if isinstance(given, str) else type(given).__name__
