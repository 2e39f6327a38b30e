"""Fairbrief from Python: `read`, `audit`, `explain`, `compare`, `power`, `gate` and `load`, with the words of the command line."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from fairbrief.auditing import Plan
from fairbrief.auditing import audit as _audit
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.system_runs import Pooled
from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading
from fairbrief.readers import read as _read
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports import load as _load
from fairbrief.reports.audit_object import Audit
from fairbrief.reports.frames import Estimates
from fairbrief.reports.result import Result
from fairbrief.saved import gate_rules
from fairbrief.saved.compare import compare as _compare
from fairbrief.saved.examples import with_examples
from fairbrief.saved.explanations import explain as _explain
from fairbrief.saved.gate import MAX_LEFT_OUT, hold_audit
from fairbrief.saved.power import Power, Question, planned
from fairbrief.saved.power import power as _power
from fairbrief.saved.slicing import slice_audit as _slice_audit
from fairbrief.standings import standing
from fairbrief.types import Case, Document, Record, Summary

__all__ = [
    "Audit", "Case", "Document", "Plan", "Record", "Summary",
    "audit", "compare", "explain", "gate", "load", "power", "read", "slice_audit", "standing",
]  # fmt: skip

if TYPE_CHECKING:
    from fairbrief.readers.summary_files import Given
    from fairbrief.reports.explanation import Explanation
    from fairbrief.reports.junit import Check
    from fairbrief.types import Measure, Scorer

P = ParamSpec("P")
R = TypeVar("R")
Names = str | Sequence[str]
"""One name, or several."""


OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
OF_READING = [name for name, p in signature(_read).parameters.items() if p.kind is p.KEYWORD_ONLY]
"""The settings of `read`."""


def _explained(function: Callable[P, R]) -> Callable[P, R]:
    """Let a keyword that there is not be answered with those that there are, or with the function that has it; and an
    error that names options of the command with what they are called here.
    """
    known = [name for name, p in signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY]
    positional = [name for name in signature(function).parameters if name not in known]
    called = f"fairbrief.{function.__name__}"

    @functools.wraps(function)
    def checked(*args: P.args, **settings: P.kwargs) -> R:
        for name in settings:
            if name in known or name in positional:
                continue
            near = did_you_mean(name, known)
            if name in OF_READING and not near and positional[:1] == ["records"]:
                raise RequestError(
                    f"{called} has no setting '{name}': it says how records are read. Give it to fairbrief.read, and what that "
                    f"returns to {called}: {called}(fairbrief.read(records, {name}=…))."
                )
            raise RequestError(f"{called} has no setting '{name}'.{near} Its settings: {', '.join(known)}.")
        try:
            return function(*args, **settings)
        except (RequestError, DataError) as error:
            if not (told := _from_python(str(error))):
                raise
            raise type(error)(f"{error} {told}") from error

    return checked


def _from_python(message: str) -> str:
    """What the options of a message are called here, where they say how records are read; else nothing."""
    named = [name.replace("-", "_") for name in dict.fromkeys(OPTION.findall(message))]
    settings = [f"{name}=…" for name in named if name in OF_READING]
    return f"From Python: fairbrief.read(records, {', '.join(settings)})." if settings else ""


read = _explained(_read)


@_explained
def audit(
    records: Any,
    measures: str | Measure | Sequence[str | Measure] = (),
    *,
    attributes: Names = (),
    protocol: str | None = None,
    slices: Names | Sequence[Sequence[str]] = (),
    controls: Names = (),
    ordered: bool = False,
    baseline: str | None = None,
    primary: Names = (),
    is_pairwise: bool = False,
    seed: int = 0,
    n_resamples: int = 2000,
    n_extracts: int | None = None,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    pools_runs: bool = False,
    skips: bool = False,
    check_scorers: bool | None = None,
    compared_scorers: Names = (),
    scorers: Mapping[str, Scorer] | None = None,
    wrap: Callable[[Scorer], Scorer] | None = None,
    progress: Callable[[int], None] | None = None,
    language: str = "",
    intervals: Literal["jackknife", "bootstrap"] | None = None,
    has_clusters: bool = False,
    workers: int = 1,
    engine: str = "",
    models_in_workers: bool = False,
    summaries: Given = None,
) -> Audit:
    """Audit summaries.

    ``records`` is whatever `read` takes (a path, a data frame, dictionaries, cases), or what it gave.
    ``measures`` are measure specs or objects, or a single one; none: all that the input allows. ``summaries``
    are those of systems that stand apart from the records: files, data frames or rows with ``id`` and ``summary``, by the
    system's name, or with a field ``system``. All other settings are the fields of `fairbrief.Plan`.
    Raises RequestError for a setting that it has not, or that cannot be.

    >>> import fairbrief
    >>> found = fairbrief.audit("examples/reviews.jsonl", ["bur@sentiment"], n_resamples=200)
    >>> [(e.system, e.value) for e in found.estimates if e.quantity == "bur"]
    [('balanced', 0.25), ('rosy', 1.0)]
    """
    plan = Plan(
        measures=_listed(measures),
        attributes=_listed(attributes),
        protocol=protocol,
        slices=tuple(map(_listed, _listed(slices))),
        controls=_listed(controls),
        ordered=ordered,
        baseline=baseline,
        primary=_listed(primary),
        is_pairwise=is_pairwise,
        seed=seed,
        n_resamples=n_resamples,
        n_extracts=n_extracts,
        confidence_level=confidence_level,
        alpha=alpha,
        pools_runs=pools_runs,
        skips=skips,
        check_scorers=check_scorers,
        compared_scorers=_listed(compared_scorers),
        scorers={} if scorers is None else scorers,
        wrap=wrap,
        progress=progress,
        language=language,
        intervals=intervals,
        has_clusters=has_clusters,
        workers=workers,
        engine=engine,
        models_in_workers=models_in_workers,
    )
    reading = _reading(records, summaries)
    result = _audit(reading, plan)
    # What was read to its end has left a few cases behind.
    is_gone = isinstance(records, Iterator)
    cases = [x.case for x in result.exhibits] if is_gone else Pooled(reading) if pools_runs else reading
    return Audit(result, lambda found: with_examples(found, cases, Scorers(plan.scorers, plan.wrap)))


@_explained
def explain(
    records: Any,
    measure: str | Measure,
    *,
    attributes: Names = (),
    quantity: str | None = None,
    systems: Names = (),
    ids: Names = (),
    top: int = 5,
    scorers: Mapping[str, Scorer] | None = None,
    wrap: Callable[[Scorer], Scorer] | None = None,
    skips: bool = False,
    progress: Callable[[int], None] | None = None,
    n_resamples: int = 2000,
    n_extracts: int | None = None,
    summaries: Given = None,
) -> list[Explanation]:
    """Leave-one-out influence on an estimate, for each system: of records, and in them documents and sentences.

    ``records`` and ``summaries`` are as in `audit`. ``quantity`` is one of the measure's values, its headline if
    not told; ``systems`` those to explain; ``ids`` the records to look into, else the ``top`` ones.
    ``n_resamples`` and ``n_extracts`` are as in `audit`: each ``estimate`` says how the value stands to permuted labels and
    to random extracts.

    >>> import fairbrief
    >>> (found,) = fairbrief.explain("examples/reviews.jsonl", "uer@sentiment", systems=["rosy"], top=1)
    >>> (opened,) = found.opened
    >>> opened.record, round(opened.value, 3), opened.parts[0].kind
    ('zoo-willow', 0.116, 'document')
    """
    return _explain(
        _reading(records, summaries),
        measure,
        attributes=_listed(attributes),
        quantity=quantity,
        systems=_listed(systems),
        ids=_listed(ids),
        top=top,
        scorers=scorers,
        wrap=wrap,
        skips=skips,
        progress=progress,
        n_resamples=n_resamples,
        n_extracts=n_extracts,
    )


def load(folder: Path | str) -> Audit:
    """A saved audit (`Audit.save`, or ``fairbrief audit --out``). Raises DataError where there is none."""
    return Audit(_load(folder))


def compare(candidate: Audit | Path | str, baseline: Audit | Path | str) -> Estimates:
    """Paired differences, candidate minus baseline, of every measure that two audits took; audits or folders.

    Raises RequestError where they have no measure, system or record in common.
    """
    return Estimates(_compare(_result(candidate), _result(baseline)))


@_explained
def power(
    audited: Audit | Path | str | None = None,
    *,
    disparity: float | None = None,
    records: int | None = None,
    measures: Names = (),
    quantities: Names = (),
    se: float | None = None,
    clusters: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[Power]:
    """How many records would show a ``disparity``, and which one so many ``records`` would show.

    ``audited`` is an audit or its folder, a pilot's say: the answer is given for every signed contrast that leads, held
    against permuted labels and against random extracts, or for the ``quantities`` named. Without an audit, give a standard
    error and the clusters that it was seen in. ``alpha`` is of one two-sided test, ``power`` the probability to see it.
    Raises RequestError for numbers out of their range and for what the audit does not have.

    >>> import fairbrief
    >>> (found,) = fairbrief.power(se=0.05, clusters=100, disparity=0.1)
    >>> found.needs, round(found.shows, 3)
    (199, 0.141)
    """
    question = Question(disparity, records, alpha, power)
    if audited is not None and se is None and clusters is None:
        return _power(_result(audited), question, _listed(measures), _listed(quantities))
    if audited is None and se is not None and clusters is not None:
        return [planned(se, clusters, question)]
    raise RequestError("Give an audit (or its folder), or without one both se= and clusters=.")


@_explained
def gate(
    audited: Audit | Path | str,
    *,
    most: Names = (),
    least: Names = (),
    baseline: Audit | Path | str | None = None,
    margin: float = 0.0,
    measures: Names = (),
    both_directions: bool = False,
    allow_missing: Names = (),
    max_left_out: float = MAX_LEFT_OUT,
) -> list[Check]:
    """The checks of an audit, or of a saved one's folder, decided on the interval: each ``outcome`` is pass, fail or inconclusive.

    ``most`` and ``least`` are limits as of ``fairbrief gate --max`` and ``--min``
    (``"coverage_parity@party:relative_difference-random>=-0.1"``);
    ``baseline`` is an audit, or its folder, that this one may not be worse than by more than ``margin``: by ``measures``,
    if some are named; with ``both_directions``, group differences may not shrink by more, either.
    Raises RequestError where the question cannot be put.
    """
    return hold_audit(
        _result(audited),
        gate_rules.rules(_listed(most), _listed(least)),
        None if baseline is None else _result(baseline),
        margin,
        measures=_listed(measures),
        both_directions=both_directions,
        allow_missing=_listed(allow_missing),
        max_left_out=max_left_out,
    )


def slice_audit(
    audit: Audit | Path | str, by: Names | Sequence[Sequence[str]], *, measures: Sequence[Measure] = ()
) -> Audit:
    """An audit, or a saved one's folder, with estimates and differences by attributes of the records as well.

    ``by`` are attributes, each alone, or lists of those that are crossed. Nothing is scored again, so that p against
    permuted labels, and what needs it, is absent from the slices: see `fairbrief slice`. ``measures`` are objects of your own that
    the audit took, which are declared nowhere.

    >>> import fairbrief
    >>> found = fairbrief.audit("examples/reviews.jsonl", ["bur@sentiment"], n_resamples=200)
    >>> sliced = fairbrief.slice_audit(found, "kind")
    >>> sorted({e.slice["kind"] for e in sliced.estimates if e.slice})
    ['food', 'service', 'shop', 'travel']
    """
    groupings = tuple(map(tuple, map(_listed, _listed(by))))
    return Audit(_slice_audit(_result(audit), groupings, {repr(m): m for m in measures}))


def _reading(records: Any, summaries: Given) -> Reading:
    if not isinstance(records, Reading):
        return _read(records, summaries=summaries)
    if summaries is not None:
        raise RequestError("summaries= belongs to fairbrief.read where the records were read by it.")
    return records


def _result(given: Audit | Path | str) -> Result:
    return given.result if isinstance(given, Audit) else _load(given)


def _listed(given: Any) -> Any:
    """A single name or measure as a list of one: a string would be read as its letters."""
    return (given,) if isinstance(given, str) or not hasattr(given, "__iter__") else given
