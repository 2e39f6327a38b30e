"""Fairbrief from Python: `score` on lists, and `read`, `audit`, `explain`, `compare`, `power`, `gate`, `trend` and `load`, with the names of the command line."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from fairbrief.auditing import audit as _audit
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.conclusions import conclusion
from fairbrief.errors import DataError, RequestError
from fairbrief.plan import Plan, plan_from
from fairbrief.readers import Reading, ReadingSettings
from fairbrief.readers import read as _read
from fairbrief.readers.messages import did_you_mean
from fairbrief.readers.reading_settings import options_in
from fairbrief.reports.audit_object import Audit
from fairbrief.reports.frames import Estimates
from fairbrief.saved.compare import compare as _compare
from fairbrief.saved.compare import result_of
from fairbrief.saved.examples import with_examples
from fairbrief.saved.explanations import explain as _explain
from fairbrief.saved.gate import gate as _gate
from fairbrief.saved.power import power as _power
from fairbrief.saved.subgroups import subgroup_audit as _subgroup_audit
from fairbrief.saved.trend import Order
from fairbrief.saved.trend import trend as _trend
from fairbrief.scoring import CLUSTER, Score, of_main_values, over_groups, record_rows
from fairbrief.settings import Names, as_list, has_type, refused
from fairbrief.types import Case, Document, Record, Summary

__all__ = [
    "Audit", "Case", "Document", "Plan", "Record", "Summary",
    "audit", "compare", "explain", "gate", "load", "power", "read", "score", "subgroups", "trend", "conclusion",
]  # fmt: skip

if TYPE_CHECKING:
    from typing import Unpack

    from fairbrief.keywords import PlanKeywords
    from fairbrief.readers.summary_files import Given
    from fairbrief.reports.explanation import Explanation
    from fairbrief.types import Measure

P = ParamSpec("P")
R = TypeVar("R")
CHECKED = {
    "Names": Names,
    "int": int,
    "float": float,
    "int | None": int | None,
    "float | None": float | None,
    "Order": Order,
}
"""The types of keywords that are checked here; others have their own checks."""


def _check_types(settings: Mapping[str, Any], types: Mapping[str, str]) -> None:
    """RequestError for the first value of a type in `CHECKED` that has another type."""
    for name, value in settings.items():
        kind: Any = CHECKED.get(types.get(name, ""))
        if kind and not has_type(value, kind):
            raise refused(name, value, kind)


def _explained(function: Callable[P, R], kind: type = Plan) -> Callable[P, R]:
    """Check the types of keywords, and add advice to errors: for an unknown keyword, the known ones or the function that
    has it; for options of the command line, their names in Python. In place of ``**settings``, the signature has those of ``kind``, except measures.
    """
    given = signature(function)
    positional = [p for p in given.parameters.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    keywords = [p for p in given.parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    if any(p.kind is Parameter.VAR_KEYWORD for p in given.parameters.values()):
        keywords = [*(p for name, p in signature(kind).parameters.items() if name != "measures"), *keywords]
    names, known = [p.name for p in positional], {p.name: p.annotation for p in keywords}
    called = f"fairbrief.{function.__name__}"

    @functools.wraps(function)
    def checked(*args: P.args, **settings: P.kwargs) -> R:
        if name := next((name for name in settings if name not in (*names, *known)), None):
            near = did_you_mean(name, known)
            if not near and names[0] == "records":
                for other in difflib.get_close_matches(name, [f.name for f in fields(ReadingSettings)], n=1):
                    near = (
                        f" fairbrief.read has {other!r}: write {called}(fairbrief.read(records, {other}=…))."
                    )
            raise RequestError(f"{called} has no setting '{name}'.{near} Its settings: {', '.join(known)}.")
        _check_types(settings, known)
        try:
            return function(*args, **settings)
        except (RequestError, DataError) as error:
            if not (advised := [f"{name}=…" for name in options_in(str(error)).values()]):
                raise
            text, advice = str(error), f"From Python: fairbrief.read(records, {', '.join(advised)})."
            if "groups" in names:  # of `score`, whose lists have no fields
                text, advice = text.partition(" To read it from")[0], "Give it in groups={NAME: …}."
            raise type(error)(f"{text} {advice}") from error

    checked.__signature__ = given.replace(parameters=[*positional, *keywords])  # type: ignore[attr-defined] # shown by `help` and editors
    return checked


read = _explained(_read, ReadingSettings)
power = _explained(_power)
gate = _explained(_gate)
trend = _explained(_trend)


@_explained
def audit(
    records: Any,
    measures: str | Measure | Sequence[str | Measure] = (),
    *,
    summaries: Given = None,
    **settings: Unpack[PlanKeywords],
) -> Audit:
    """Audit summaries.

    ``records`` is any input of `read` (a path, a data frame, dictionaries, cases), or its result. ``measures`` are
    specs or objects, or a single one; by default all that apply. ``summaries`` are separate from the records: files,
    data frames or rows with ``id`` and ``summary``, by the system's name, or with a field ``system``. All other
    settings are the fields of `fairbrief.Plan`. Raises RequestError for unknown and invalid settings.

    >>> import fairbrief
    >>> found = fairbrief.audit("examples/reviews.jsonl", ["bur@sentiment"], n_resamples=200)
    >>> [(e.system, e.value) for e in found.estimates if e.quantity == "bur"]
    [('balanced', 0.25), ('rosy', 1.0)]
    """
    plan = plan_from(measures=measures, **settings)
    # An iterator cannot be read again for the examples.
    reading = _reading(list(records) if isinstance(records, Iterator) else records, summaries)
    result = _audit(reading, plan)
    return Audit(result, lambda found: with_examples(found, reading, Scorers(plan.scorers, plan.wrap)))


@_explained
def score(
    documents: Any,
    summaries: Any,
    groups: Any = None,
    *,
    measure: str | Measure | Sequence[str | Measure],
    references: Any = None,
    ids: Any = None,
    clusters: Any = None,
    **settings: Unpack[PlanKeywords],
) -> Score:
    """Score summaries in lists: the main values and primary group differences that `audit` would return for them.

    ``documents`` has a list of texts per record. ``summaries`` has a text per record, or is a dictionary of such lists by
    system. ``groups`` has for each record a list of one group per document, or one group for measures that compare
    records; a dictionary of such lists names several attributes. ``references`` has a text or a list of texts per
    record, ``ids`` and ``clusters`` (records that are resampled together) one value. Each may be a list, a tuple, an array,
    or a column of pandas, polars, Arrow or `datasets`. All other settings are those of `audit`. Raises DataError for
    lists of unequal lengths and for missing texts and groups, RequestError for unknown settings and groups.

    >>> import fairbrief
    >>> documents = [["The pool is clean.", "The bar is loud."], ["Trams are on time.", "Buses are full."]] * 6
    >>> summaries = [texts[0] for texts in documents]
    >>> groups = [["fan", "critic"]] * 12
    >>> score = fairbrief.score(documents, summaries, groups, measure="coverage_parity", n_resamples=200)
    >>> [(row["quantity"], round(row["value"], 2)) for row in score.to_dicts()]
    [('coverage_parity', 0.43), ('relative_difference[critic]', -0.75), ('relative_difference[fan]', 0.75)]
    >>> round(float(score), 2)
    0.43
    """
    measures = over_groups(list(as_list(measure)), groups)
    rows = record_rows(documents, summaries, groups, references, ids, clusters, measures)
    reading = _read(rows, cluster_by=None if clusters is None else CLUSTER)
    return of_main_values(_audit(reading, plan_from(measures=measures, **settings)).estimates)


@_explained
def explain(
    records: Any,
    measure: str | Measure,
    *,
    quantity: str | None = None,
    systems: Names = (),
    ids: Names = (),
    top: int = 5,
    summaries: Given = None,
    **settings: Unpack[PlanKeywords],
) -> list[Explanation]:
    """Leave-one-out influence on an estimate, for each system: of records, and in them documents and sentences.

    ``records`` and ``summaries`` are as in `audit`. ``quantity`` is one of the measure's values, by default its
    main value; ``systems`` are those to explain, by default all; ``ids`` are the records to explain, by default the
    ``top`` ones. All other settings are those of `audit`: each ``estimate`` compares the value with label permutations
    and random sentences.

    >>> import fairbrief
    >>> (found,) = fairbrief.explain("examples/reviews.jsonl", "uer@sentiment", systems=["rosy"], top=1)
    >>> (opened,) = found.opened
    >>> opened.record, round(opened.value, 3), opened.parts[0].kind
    ('zoo-willow', 0.116, 'document')
    """
    if top < 1:
        raise RequestError(f"top={top}: give a whole number, at least 1.")
    reading, plan = _reading(records, summaries), plan_from(**settings)
    return _explain(
        reading, measure, plan, quantity=quantity, systems=as_list(systems), ids=as_list(ids), top=top
    )


def load(folder: Path | str) -> Audit:
    """A saved audit (`Audit.save`, or ``fairbrief audit --out``). Raises DataError if there is none."""
    return Audit(result_of(folder))


def compare(candidate: Audit | Path | str, baseline: Audit | Path | str) -> Estimates:
    """Paired differences, candidate minus baseline, of every measure that two audits (or saved ones' folders) have.

    A system of both audits is called ``candidate: SYSTEM`` and ``baseline: SYSTEM``. Raises RequestError if they have no measure,
    system or record in common.
    """
    return Estimates(_compare(result_of(candidate), result_of(baseline)))


def subgroups(
    audit: Audit | Path | str, by: Names | Sequence[Sequence[str]], *, measures: Sequence[Measure] = ()
) -> Audit:
    """An audit, or a saved one's folder, with estimates and differences of each subgroup of the records.

    ``by`` are attributes, or lists of attributes that are crossed. Nothing is scored again, so the subgroups have no
    permutation tests: see `fairbrief subgroups`. ``measures`` are your measures in the audit that no package declares.

    >>> import fairbrief
    >>> found = fairbrief.audit("examples/reviews.jsonl", ["bur@sentiment"], n_resamples=200)
    >>> divided = fairbrief.subgroups(found, "kind")
    >>> sorted({e.subgroup["kind"] for e in divided.estimates if e.subgroup})
    ['food', 'service', 'shop', 'travel']
    """
    groupings = tuple(map(tuple, map(as_list, as_list(by))))
    return Audit(_subgroup_audit(result_of(audit), groupings, {repr(m): m for m in measures}))


def _reading(records: Any, summaries: Given) -> Reading:
    if not isinstance(records, Reading):
        return _read(records, summaries=summaries)
    if summaries is not None:
        raise RequestError("These records are read already: give summaries= to fairbrief.read, not here.")
    return records
