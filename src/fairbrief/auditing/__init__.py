"""The one run: cases in, estimates with their per-record statistics out.

Read it top down: choose the measures, carry cases through ask → score → observe,
then turn the summed rows into estimates. The other modules of this package hold one step each.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fairbrief import __version__, registry
from fairbrief.auditing import extracts, measure_selection, scorer_checks, sensitivity
from fairbrief.auditing.finding_checks import findings_without, opposite_gaps
from fairbrief.auditing.ledger import Ledger, sort
from fairbrief.auditing.multiple_tests import check_primary
from fairbrief.auditing.notes import length_notes, spelling_notes, with_notes
from fairbrief.auditing.observing import Observer, by_observation, refuse_unscored
from fairbrief.auditing.origins import Origin, Unit, units_of
from fairbrief.auditing.per_record import rows_from
from fairbrief.auditing.run import PartedClusters, Run, no_baseline
from fairbrief.auditing.sanity_baselines import OF_SYSTEMS, SANITY_PREFIX, Exchange, named_baselines
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.system_runs import RUN, Pooled, of_runs, with_spreads
from fairbrief.auditing.watchers import (
    CHARACTERS,
    ITEMS_OF_PEOPLE,
    SOURCES,
    GroupPeople,
    GroupPlaces,
    InputProfile,
    OtherLanguages,
    Sources,
    TextHashes,
    Watchers,
)
from fairbrief.engines import Engine, ThisProcess, cores
from fairbrief.errors import DataError, MissingExtra, RequestError
from fairbrief.plan import Plan, check_subgroup
from fairbrief.protocols import PaperProtocol
from fairbrief.ranges import grouped
from fairbrief.readers import Reading, ReadingSettings
from fairbrief.readers.fields import PATIENCE
from fairbrief.readers.messages import did_you_mean
from fairbrief.readers.messages import names as quoted
from fairbrief.reports.result import NotMeasured, Result
from fairbrief.reports.wording import name_of
from fairbrief.scorers import cards
from fairbrief.settings import as_list
from fairbrief.text import languages
from fairbrief.text.counted import counted
from fairbrief.types import Case, ExtractObservation, Measure, Record, Summary, over_of

HEAD, TRIED = 200, 25
"""The number of first cases that decide which measures apply; and the number on which each measure is tried first."""
UNREAD = ReadingSettings()
"""The settings of cases that were not read."""

__all__ = ["Plan", "audit", "check"]


def audit(cases: Iterable[Case], plan: Plan) -> Result:
    """Audit summaries. Raises RequestError or DataError for requests or data that cannot be audited."""
    scorers, baselines = sensitivity.resolved(plan.compared_scorers), named_baselines(plan.sanity_baselines)
    plan = replace(plan, compared_scorers=scorers, sanity_baselines=baselines)
    with languages.using(plan.language or languages.setting()):
        result = (_audit_pooled if plan.pools_runs else _audit)(cases, plan)
    return result if plan.keeps_texts else result.without_texts()


def _audit_pooled(cases: Iterable[Case], plan: Plan) -> Result:
    """The audit of systems whose runs are pooled; RequestError where no system has runs."""
    asked = [tuple(names) for names in plan.by]
    subgroups = asked if (RUN,) in asked else [*asked, (RUN,)]
    pooled = Pooled(cases)
    result = _audit(iter(pooled) if isinstance(cases, Iterator) else pooled, replace(plan, by=subgroups))
    if not any(RUN in e.subgroup for e in result.estimates):
        raise RequestError(
            f"No system is called NAME#1, NAME#2 …: there are no runs to pool. Systems: {', '.join(result.made['systems'])}."
        )
    is_asked = any(RUN in names for names in asked)
    gaps = tuple(e for e in result.differences if is_asked or RUN not in e.subgroup)
    estimates, made = tuple(with_spreads(of_runs(result.estimates))), {**result.made, "pools_runs": True}
    return replace(result, estimates=estimates, differences=gaps, made=made)


def _audit(cases: Iterable[Case], plan: Plan) -> Result:
    started, engine = time.monotonic(), chosen_engine(plan.engine, plan.workers)
    try:
        audited = _Audit(cases, plan)  # which tries measures on the first cases
        audited.walk(engine)
    except PartedClusters:
        if isinstance(cases, Iterator):
            raise RequestError(
                f"Records that vary others come after the first {HEAD} summaries, and this input can be read only once: "
                "say has_clusters=True, or give the cases as a list."
            ) from None
        audited = _Audit(cases, replace(plan, has_clusters=True))
        audited.walk(engine)
    return audited.result(started)


class _Audit:
    """One audit. Its constructor decides what is measured, `walk` reads all cases, and `result` estimates from their rows."""

    def __init__(self, cases: Iterable[Case], plan: Plan) -> None:
        exchange = None
        if "exchanged" in plan.sanity_baselines:  # a record may borrow from any other: all are read first
            cases = list(cases) if isinstance(cases, Iterator) else cases
            exchange = Exchange(cases, plan.seed)
        _check_baseline(cases, plan.baseline)
        cases_once = iter(cases)
        head = list(itertools.islice(cases_once, HEAD))
        if not head:
            raise DataError("There is no summary to audit: no record of the input has one.")
        languages.suppose(measure_selection.language_of(head))
        stream: Iterator[Case] = itertools.chain(head, cases_once)
        with _naming_fields(cases):
            asked, protocol = _asked(plan, head, getattr(cases, "settings", UNREAD))
            chosen = asked or _allowed(plan, head, stream)
        choice = sensitivity.under(chosen, plan.compared_scorers, plan.scorers or {})
        plan = replace(
            plan,
            by=_with_subgroups_of(protocol, plan.by, head),
            intervals=plan.intervals or (protocol.declaration.intervals if protocol else "jackknife"),
            has_clusters=plan.has_clusters or any(case.record.cluster != case.record.id for case in head),
        )
        _refuse_large_records(head, plan, choice.measures)
        check_primary(plan.primary, choice.measures)
        self.cases, self.plan, self.protocol, self.head, self.stream = cases, plan, protocol, head, stream
        scorers = Scorers(plan.scorers, plan.wrap)
        wanted = plan.check_scorers
        self.checks, unchecked = scorer_checks.plan_checks(choice.measures, head, scorers, wanted=wanted)
        self.left_out = (*choice.left_out, *unchecked)
        longest = math.inf if self.checks else scorer_checks.LONGEST
        sources = Sources(SOURCES, plan.seed, math.inf if wanted else CHARACTERS, longest)
        places = GroupPlaces(measure_selection.watched_attributes(head, choice.measures))
        compared = dict.fromkeys(filter(None, map(over_of, choice.measures)))
        of_people = {over_of(m) for m in choice.measures if m.declaration.items in ITEMS_OF_PEOPLE}
        hashes, people = TextHashes(tuple(compared)), GroupPeople(tuple(of_people))
        profile = InputProfile(measure_selection.profiled_attributes(head))
        watchers = Watchers(sources, OtherLanguages(languages.usual()), hashes, places, people, profile)
        self._new_run = partial(Run, plan, choice.measures, scorers, watchers, exchange)
        self.run = self._new_run()

    def walk(self, engine: Engine) -> None:
        """Read all cases into the ledgers: in parts where the input has parts, else in one pass.

        Sanity baselines made from records must see all systems of a record, so they need one pass.
        """
        cases, from_records = self.cases, {*self.plan.sanity_baselines} - {*OF_SYSTEMS}
        if isinstance(cases, Reading) and not from_records and len(parts := cases.ranges) > 1:
            if self.run.walk_parts(cases, parts, engine):
                return
            # Reading from the beginning names the bad line, or skips it.
            self.run, self.stream = self._new_run(), iter(self.cases)
        self.run.walk(self.stream, engine)

    def result(self, started: float) -> Result:
        """The estimates with their per-record statistics, and what must be known to read them."""
        run, watchers, checks, plan = self.run, self.run.watchers, self.checks, self.plan
        assert watchers is not None
        sort(run.ledgers)
        refuse_unscored(run.ledgers)
        settings = run.settings()
        estimates, gaps = run.estimates(settings)
        if self.protocol is not None and all(e.value is None for e in estimates):
            reasons = _reasons((reason, name_of(e.measure)) for e in estimates for reason in e.excluded)
            raise RequestError(
                f"--protocol {plan.protocol} has no numbers for this input: {reasons or 'all are undefined'}. If the input has what is missing, name its field: fairbrief audit --help."
            )
        checked = scorer_checks.take(checks, watchers.sources, run.scorers, settings)
        notes = [scorer_checks.bias_notes(checks, checked, plan.alpha)]
        retrieved, reach = scorer_checks.Checked(), list[dict[str, Any]]()
        if self.protocol is None and plan.n_resamples and plan.check_scorers is not False:
            sample = run.measures, watchers.sources, run.scorers
            reach = scorer_checks.reach_of(*sample, wanted=plan.check_scorers)
            if plan.check_scorers:
                retrieved, notes_of = scorer_checks.retrieve(*sample, settings)
                notes.append(notes_of)
        by_spec = {repr(measure): measure for measure in run.measures}
        notes += length_notes(estimates, plan.alpha), spelling_notes(estimates)
        notes += (w.notes(by_spec) for w in (watchers.places, watchers.people))
        notes.append(watchers.profile.claim_notes(by_spec))
        estimates = with_notes(estimates, *notes)
        rows = rows_from([*run.ledgers, *checked.ledgers], {**run.measures_of, **checked.measures_of})
        if self.protocol is None:
            tables = sensitivity.tables(estimates, run.measures, plan.alpha)
        else:
            tables = [*self.protocol.tables(estimates)]
            if hasattr(self.protocol, "per_record_tables"):
                tables += self.protocol.per_record_tables(rows.table())
        result = Result(
            estimates=(*estimates, *checked.estimates, *retrieved.estimates),
            differences=tuple(gaps),
            rows=rows,
            tables=tuple(tables),
            not_measured=(*self.left_out, *checked.left_out, *retrieved.left_out),
            skipped=tuple(getattr(self.cases, "skipped", ())),
            sources=watchers.hashes.table(),
            made=self._made(started, watchers, (checked, retrieved)),
        )
        if self.protocol is not None or not plan.n_resamples:
            return result
        found = {"reach": reach, "opposite_gaps": opposite_gaps(result, by_spec)}
        more = {name: entries for name, entries in found.items() if entries}
        return replace(result, made={**result.made, **findings_without(result, watchers, by_spec), **more})

    def _made(
        self, started: float, watchers: Watchers, checks: Sequence[scorer_checks.Checked]
    ) -> dict[str, Any]:
        run, profile = self.run, watchers.profile
        known, systems = measure_selection.attributes_of(self.head), run.systems()
        checking = (m for checked in checks for several in checked.measures_of.values() for m in several)
        return {
            "version": __version__,
            "records": profile.records(),
            "summaries": run.cases,
            "summaries_by_system": profile.summaries(),
            "without_text": profile.without_text(),
            "systems": [s for s, kind in systems.items() if kind == "system"],
            "sanity_baselines": [s for s, kind in systems.items() if kind == "sanity_baseline"],
            "attributes": {
                holder: {n: sorted(v)[:20] for n, v in found.items()}
                for holder, found in known.items()
                if found
            },
            "measures": [repr(m) for m in run.measures],
            "declared": {m.name: declared_words(m) for m in (*run.measures, *checking)},
            "language": measure_selection.described(self.head),
            "permuted": run.permuted(),
            "scorers": {
                spec: cards.summary(spec)
                for spec in sorted(run.scorers)
                if spec.partition("(")[0] not in registry.names("classifier")
            },
            **self.plan.record(),
            "inputs": profile.described(),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - started, 3),
            **getattr(self.cases, "record", lambda: {"read": {}, "skipped": 0, "excluded_by": {}})(),
        }


def check(records: Reading | Iterable[Record], plan: Plan) -> Sequence[Measure]:
    """Refuse, before summaries of the records are made, what `audit` would refuse of any summaries of them.

    Returns the measures that it would take. Raises RequestError for unknown measures, attributes, scorers, subgroups,
    sanity baselines or protocols, and for very large records.
    """
    cases = records.records() if isinstance(records, Reading) else records
    head = [Case(record, Summary(record.id, "", "")) for record in itertools.islice(cases, HEAD)]
    named_baselines(plan.sanity_baselines)
    with _naming_fields(records):
        asked, _ = _asked(plan, head, getattr(records, "settings", UNREAD))
        choice = asked or measure_selection.fitting(head, plan.attributes, is_ordered=plan.ordered)
    _refuse_large_records(head, plan, choice.measures)
    return choice.measures


@contextmanager
def _naming_fields(cases: object) -> Iterator[None]:
    """Add the unused fields of the input to the error about an unknown attribute, which may be one of them."""
    try:
        yield
    except measure_selection.UnknownAttribute as error:
        if not (unused := cases.unused() if isinstance(cases, Reading) else []):
            raise
        near = did_you_mean(error.name, [field.partition(" (of the ")[0] for field in unused])
        raise RequestError(f"{error} Unused fields: {quoted(unused)}.{near}") from error


# ------------------------------------------------------------------------------------- the steps


def chosen_engine(name: str, workers: int) -> Engine:
    """The engine with that name (and settings), or the engine for ``workers`` processes: 0 is one per core, 1 this process.

    RequestError if both are given.
    """
    if name and workers != 1:
        raise RequestError(
            f"--workers {workers} and --engine {name} exclude each other: drop one, or write --engine 'processes(workers={workers})'."
        )
    if name:
        engine: Engine = registry.make("engine", name)
        return engine
    if (workers or cores()) == 1:
        return ThisProcess()
    from fairbrief.engines.processes import Processes

    return Processes(workers)


def _check_baseline(cases: Iterable[Case], baseline: str | None) -> None:
    """RequestError where the baseline is none of the systems: finding it first costs less than scoring in vain."""
    if baseline is None or baseline.startswith(SANITY_PREFIX) or isinstance(cases, Iterator):
        return
    systems: dict[str, None] = {}
    for case in cases:
        systems[case.summary.system] = None
        if baseline in systems:
            return
    if systems:
        raise no_baseline(baseline, list(systems))


def _check_subgroups(plan: Plan, head: Sequence[Case]) -> None:
    """RequestError for a subgroup that is named twice, or by an attribute that the first cases lack: it is probably misspelt."""
    known = {name for case in head for name in case.record.attributes} | ({RUN} if plan.pools_runs else set())
    asked: list[set[str]] = []
    for names in plan.by:
        check_subgroup(names)
        if set(names) in asked:
            raise RequestError(f"The subgroup by {', '.join(names)} is asked for twice: ask for it once.")
        asked.append(set(names))
        if unknown := [name for name in names if name not in known]:
            advice = (
                "" if known else f" To read it from a field, write --record-attribute {unknown[0]}=FIELD."
            )
            raise RequestError(
                f"No record of the first {counted(len(head), 'summary', 'summaries')} has the attribute '{unknown[0]}' to subgroup by."
                f"{did_you_mean(unknown[0], known)} Found: {', '.join(sorted(known)) or 'none'}.{advice}"
            )


def _with_subgroups_of(
    protocol: PaperProtocol | None, subgroups: Sequence[Sequence[str]], head: Sequence[Case]
) -> tuple[tuple[str, ...], ...]:
    """The requested subgroups. If a protocol distinguishes sets of inputs: those sets, and each subgroup within each set."""
    known = {name for case in head for name in case.record.attributes}
    asked = [tuple(names) for names in subgroups]
    own = tuple(name for name in (protocol.declaration.sets_apart if protocol else ()) if name in known)
    within = [(*names, *(name for name in own if name not in names)) for names in asked]
    return tuple(filter(None, dict.fromkeys([*asked, own, *within])))


def _asked(
    plan: Plan, head: Sequence[Case], settings: ReadingSettings
) -> tuple[measure_selection.Choice | None, PaperProtocol | None]:
    """The requested measures, None if none are named; or the protocol's, and the protocol.

    RequestError if they do not fit the input, or if a protocol compares no groups of an attribute and the reading of the input does
    not use it either.
    """
    protocol = registry.make("protocol", plan.protocol) if plan.protocol else None
    _check_subgroups(plan, head)
    if plan.ordered:
        measure_selection.check_ordered(head)
    attributes, holders = tuple(plan.attributes), measure_selection.HOLDERS
    spelled: Sequence[str] = [m for m in plan.measures if isinstance(m, str)]
    built = [m for m in plan.measures if not isinstance(m, str)]
    if protocol is not None:
        holders = (protocol.declaration.attribute_of,)
        of_its_kind = tuple(measure_selection.attributes_of(head)[holders[0]])
        spelled = protocol.measures(attributes or of_its_kind)
        if not spelled:
            raise measure_selection.without_attribute(f"--protocol {plan.protocol}", holders[0], of_its_kind)
    elif not plan.measures:
        return None, None
    measures = (*measure_selection.named(spelled, attributes, head).measures, *built)
    measure_selection.check_scorers(measures, plan.scorers or {})
    over = set(map(over_of, measures))
    idle = [n for n in attributes if n not in (*over, *as_list(settings.require), settings.sample_by)]
    if protocol is not None and idle:
        raise RequestError(f"--attribute {idle[0]} has no effect with --protocol {plan.protocol}: drop it.")
    # Names tell the gender of people in inputs without it.
    asked = [name for name in attributes if name != measure_selection.GENDER] if protocol else idle
    measure_selection.check_attributes(asked, head, holders)
    return measure_selection.Choice(measures), protocol


def _allowed(plan: Plan, head: Sequence[Case], stream: Iterator[Case]) -> measure_selection.Choice:
    """All measures that the input allows, and that can be computed for at least one of its first cases.

    If there are none, more of the input is read, as far as a reader looks for a field: its error names the missing field.
    """
    choice = measure_selection.fitting(head, tuple(plan.attributes), is_ordered=plan.ordered)
    _refuse_large_records(head, plan, choice.measures)  # before the measures are tried on them
    doubted = list(_unread(plan, choice.measures, head[:TRIED]))
    dropped = _unread(plan, doubted, head) if doubted else {}
    kept = tuple(m for m in choice.measures if m not in dropped)
    left_out = [NotMeasured(repr(measure), reason) for measure, reason in dropped.items()]
    if not kept:
        for _ in itertools.islice(stream, PATIENCE + 1):
            pass
        reasons = _reasons(
            (o.reason, o.measure) for o in (*left_out, *choice.left_out) if not o.is_on_request
        )
        which, advice = "this input", ""
        if len(head) == HEAD:
            which = f"any of the first {HEAD} summaries"
            advice = " If later ones are different, name measures (--measure)."
        elif not measure_selection.attributes_of(head)["document"]:
            advice = " Is a field an attribute of the documents? 'fairbrief init FILE' proposes which one; name it with --attribute."
        raise RequestError(f"No measure can be computed from {which}: {reasons}.{advice}")
    return measure_selection.Choice(kept, (*left_out, *choice.left_out))


def _reasons(measures: Iterable[tuple[str, str]]) -> str:
    """Reasons, each with the measures that it concerns."""
    by_reason = grouped(dict.fromkeys(measures)).items()
    return "; ".join(f"{reason} ({', '.join(names)})" for reason, names in by_reason)


def _refuse_large_records(head: Sequence[Case], plan: Plan, measures: Sequence[Measure]) -> None:
    """Refuse random extracts of a very large record unless the user requested them."""
    reads = any(isinstance(measure.observation, ExtractObservation) for measure in measures)
    if reads and plan.n_extracts is None and plan.n_resamples:
        extracts.refuse_too_large({case.record.id: case.record for case in head}.values())


def _unread(plan: Plan, measures: Sequence[Measure], cases: Sequence[Case]) -> dict[Measure, str]:
    """The measures that cannot be computed for any of some cases, each with the most frequent reason."""
    scorers, found = Scorers(plan.scorers, plan.wrap), dict[Measure, str]()
    for observation, several in by_observation(measures).items():
        units: list[Unit] = [
            (unit, Origin(unit[0].summary.system, unit[0].record.id, unit[0].record.cluster))
            for unit in units_of(cases, observation.declaration.scope)
        ]
        ledger = Ledger(observation, n_resamples=0)
        try:
            Observer(scorers, skips=True).observe(ledger, units)
        except MissingExtra as error:
            found |= dict.fromkeys(several, str(error))
            continue
        if not (ledger.reasons == 0).any():
            reasons = Counter(ledger.reasons.tolist()).most_common(1)
            found |= dict.fromkeys(several, list(ledger.known_reasons)[reasons[0][0]])
    return {measure: found[measure] for measure in measures if measure in found}


def declared_words(measure: Measure | type[Measure]) -> dict[str, Any]:
    """What reports need to describe and plot a measure, so that they know no measure by name. ``scorer``: the default scorer, if
    it judges support.
    """
    declaration = measure.declaration
    default = getattr(measure, "__dataclass_fields__", {}).get("scorer")
    return {
        "family": declaration.family, "question": declaration.question, "harm": declaration.harm,
        "figures": list(declaration.figures), "contrast": asdict(declaration.contrast),
        "items": declaration.items,
        "scorer": default.default if declaration.judges_support and default is not None else "",
    }  # fmt: skip
