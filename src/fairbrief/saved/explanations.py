"""The contributions of records, and of documents, sentences and claims in them, to a value: each is removed in turn.

Records are removed from the sums, so nothing is scored again. Inside a record, the case without an item is observed again; the
rest of a text stays unchanged, letter by letter. A scorer of pairs then has no new pair to score, and with a cache nothing at
all. A scorer of all texts of a record (idf weights, tf-idf), or of a summary as one text, scores again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from fairbrief import types as t
from fairbrief.auditing import HEAD, Plan, audit, observing, per_record, system_runs
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import WHOLE, Origin, names_of, units_of
from fairbrief.auditing.parts import Part as SystemPart
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.readers.messages import did_you_mean, unknown
from fairbrief.reports.explanation import Effect, Explanation, Influence, Kind, Opened, Part
from fairbrief.reports.frames import encodable
from fairbrief.serialization import EMPTY
from fairbrief.statistics.jackknife import leave_one_out
from fairbrief.text.sentences import BLANK_LINE, sentence_spans, split

ALONE = "undefined for a single record"

Observed = t.Totals | t.Reason
"""A row, or a sum of rows; or why there is none."""
Columns = Mapping[t.Column, int]
NOTHING = "no data remains"
TOP = 5


def explain(
    cases: Iterable[t.Case],
    measure: str | t.Measure,
    plan: Plan,
    *,
    quantity: str | None = None,
    systems: Sequence[str] = (),
    ids: Sequence[str] = (),
    top: int = TOP,
) -> list[Explanation]:
    """The contributions to a measure's value, for each system: of records, and in them of documents and sentences.

    ``plan`` has the settings of the audit, but for its measures. ``quantity`` is one of the measure's values (default: the main
    value); ``systems`` are those to explain (default: all). ``ids`` are the records (or seed documents, whose counterfactuals
    are removed together) to open; without them, the ``top`` ones with the largest contributions. ``cases`` are read more than
    once. All contributions are leave-one-out: of two similar documents, neither has a large one.

    Raises RequestError for a measure over several attributes, and for an unknown quantity, system or record; DataError for an
    input without a record, and for one that the measure cannot use, unless the plan ``skips`` it.
    """
    held = system_runs.Pooled(cases) if plan.pools_runs else cases
    n_extracts = plan.n_extracts if plan.n_resamples else 0
    plan = replace(plan, measures=[measure], n_extracts=n_extracts, check_scorers=False)
    named: defaultdict[str, dict[str, str]] = defaultdict(dict)
    found = audit(_noted(held, frozenset(map(encodable, systems)), frozenset(ids), named), plan)
    if len(taken := found.made["measures"]) > 1:
        raise RequestError(
            f"'{measure}' is possible by several attributes: {', '.join(spec.rpartition('@')[2] for spec in taken)}. "
            f"Name one: --attribute NAME, or {measure}@NAME."
        )
    given = {} if isinstance(measure, str) else {repr(measure): measure}
    ((ledger, (built,)),) = per_record.ledgers_from(found.rows, given)
    parts = parts_of(ledger, ())
    wanted = quantity or built.name
    estimates = {e.system: e for e in found.estimates if e.quantity == wanted}
    ranked: dict[str, tuple[Influence, ...]] = {}
    opened: dict[str, dict[str, str]] = {}
    """By system the names of the records to open, and their clusters."""
    for system in map(encodable, found.made["systems"]):
        clusters = {name: named[system][name] for name in ids if name in named[system]}
        if clusters or not ids:
            ranked[system] = _influences(built, wanted, parts[system, WHOLE])
            opened[system] = clusters or {one.cluster: one.cluster for one in ranked[system][:top]}
    members: dict[tuple[str, str], list[t.Case]] = {
        (system, cluster): [] for system, of in opened.items() for cluster in of.values()
    }
    for case in held:
        if (key := (encodable(case.summary.system), encodable(case.record.cluster))) in members:
            members[key].append(case)
    scorers = Scorers(plan.scorers, plan.wrap)
    explanations = []
    for system, influences in ranked.items():
        part, clusters = parts[system, WHOLE], opened[system]
        sums = [_without(part, ()), _without(part, clusters.values())]
        value, left = values_of(built, wanted, sums)
        each = (
            _opened(built, wanted, part, name, cluster, tuple(members[system, cluster]), influences, scorers)
            for name, cluster in clusters.items()
        )
        estimate = estimates.get(system)
        if estimate is not None:  # of one value: its p without adjustment for the other systems
            estimate = estimate.replace(p_adjusted=None, extract_p_adjusted=None)
        explanations.append(
            Explanation(
                repr(built), wanted, system, value, influences, tuple(each), effect(value, left, NOTHING),
                ledger.excluded.get((system, WHOLE), {}), estimate,
            )
        )  # fmt: skip
    return explanations


def _noted(
    cases: Iterable[t.Case],
    systems: frozenset[str],
    ids: frozenset[str],
    named: defaultdict[str, dict[str, str]],
) -> Iterator[t.Case]:
    """The cases of these systems, by default of all; adds to ``named``, by system, the cluster of each of the ``ids``.

    RequestError at the end for a system or id that no case has.
    """
    known: dict[str, None] = {}
    near: dict[str, None] = {}
    for case in cases:
        system, record = encodable(case.summary.system), case.record
        known[system] = None
        if systems and system not in systems:
            continue
        for name in {record.id, record.cluster} & ids:
            named[system].setdefault(name, encodable(record.cluster))
        if ids and len(near) < HEAD:
            near[record.id] = None
        yield case
    if missing := sorted(systems - known.keys()):
        raise RequestError(f"No system named '{missing[0]}'. Systems: {', '.join(known)}.")
    if missing := sorted(ids.difference(*named.values())):
        raise RequestError(
            f"No record has the id '{missing[0]}'.{did_you_mean(missing[0], near)} "
            f"The first ones are {', '.join(list(near)[:3])}."
        )


def _influences(measure: t.Measure, quantity: str, part: SystemPart) -> tuple[Influence, ...]:
    """The contribution of each cluster, the largest first; before them those without which there is no value."""
    clusters, cluster_of = tuple(part.clusters), part.members.cluster
    if not clusters:
        return ()
    without = measure.value(t.Totals(part.ledger.columns, leave_one_out(part.sums)))
    if quantity not in without:
        raise unknown(f"'{measure!r}' has no quantity '{quantity}'.", quantity, without)
    rows = [1] * len(clusters) if cluster_of is None else np.bincount(cluster_of).tolist()
    values = np.broadcast_to(without[quantity].array, len(clusters)).tolist()
    (now,) = values_of(measure, quantity, [_without(part, ())])
    effects = [effect(now, None if isnan(v) else v, NOTHING) for v in values]
    # Ties keep the order of the input.
    order = sorted(range(len(effects)), key=lambda i: _order(effects[i].effect, -np.inf))
    return tuple(Influence(clusters[i], rank, rows[i], effects[i]) for rank, i in enumerate(order, 1))


def _without(part: SystemPart, clusters: Iterable[str]) -> t.Totals:
    """The sums of all clusters except these, without the values that only these have."""
    place = names_of(clusters).places_in(part.clusters)
    return _summed(part.ledger.columns, np.delete(part.sums, place[place >= 0], axis=0))


def _opened(
    measure: t.Measure,
    quantity: str,
    part: SystemPart,
    name: str,
    cluster: str,
    members: t.Cases,
    influences: Sequence[Influence],
    scorers: Scorers,
) -> Opened:
    """A record, or all records of a cluster, and what each item contributes to their value and to that of all records.

    Of several records, the documents and sentences of the named one are removed; if none is named, each record.
    """
    named = [case for case in members if case.record.id == name]
    focus = members[0] if len(members) == 1 else named[0] if named else None
    left_out = list(_each_record(members) if focus is None else omissions(focus, members))
    rows = observed(measure.observation, [members, *(one.left for one in left_out)], scorers)
    row, others = rows[0], _without(part, [cluster])
    value, *own = values_of(measure, quantity, rows)
    of_all, *whole = values_of(measure, quantity, [_added(others, left) for left in rows])
    # Of claims and sentences, those that the measure uses: removing a used claim changes the row.
    items = list(zip(left_out, rows[1:], own, whole, strict=True))
    uses_claims = any(one.kind == "claim" and _differ(left, row) for one, left, *_ in items)
    parts = []
    for one, left, alone, with_others in items:
        if one.kind != ("sentence" if uses_claims else "claim"):
            effects = effect(value, alone, _why(left)), effect(of_all, with_others, _why(left))
            parts.append(Part(one.kind, one.number, one.text, one.attributes, *effects))
    parts.sort(key=lambda part: _order((part.own if value is not None else part.whole).effect))
    # A measure explains one row; rows of a cluster are summed.
    is_one = len(units_of(members, measure.observation.declaration.scope)) == 1
    story = story_of(measure, members, row, scorers) if is_one else ""
    influence = next((one for one in influences if one.cluster == cluster), None)
    return Opened(name, influence, value, "" if value is not None else _why(row), story, tuple(parts))


# ---- Removed items


class Omission(t.Data, frozen=True):
    """The removed item, and the remaining cases."""

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    left: tuple[t.Case, ...]


def _order(effect: float | None, undefined: float = 1.0) -> float:
    """A key that sorts the largest contributions first, undefined ones by default last."""
    return undefined if effect is None else -abs(effect)


def _each_record(members: t.Cases) -> Iterator[Omission]:
    for i, case in enumerate(members):
        others = (*members[:i], *members[i + 1 :])
        yield Omission("record", i + 1, case.record.id, case.record.attributes, others)


def omissions(case: t.Case, members: t.Cases) -> Iterator[Omission]:
    """One of the members without each of its documents, claims and sentences, and the other members; none without a summary."""
    if case.summary.reason:
        return

    def with_case(reduced: t.Case) -> tuple[t.Case, ...]:
        return tuple(reduced if member is case else member for member in members)

    documents = case.record.documents
    # A record needs a document: the contribution of an only document is that of the record.
    for i, document in enumerate(documents if len(documents) > 1 else ()):
        left = with_case(without_document(case, i))
        yield Omission("document", i + 1, document.text, document.attributes, left)
    for i, unit in enumerate(case.summary.claims or ()):
        yield Omission("claim", i + 1, unit.text, {}, with_case(without_claim(case, i)))
    for i, sentence in enumerate(split(case.summary.text)):
        yield Omission("sentence", i + 1, sentence, {}, with_case(without_sentence(case, i)))


# ---- Rows of the remaining cases


def observed(observation: t.Observation, groups: Sequence[t.Cases], scorers: Scorers) -> list[Observed]:
    """The summed rows of each group of cases, all scored at once; or the reason why a group has none."""
    units = [units_of(group, observation.declaration.scope) for group in groups]
    firsts = ((unit, unit[0]) for several in units for unit in several)
    together = [(unit, Origin(c.summary.system, c.record.id, c.record.cluster)) for unit, c in firsts]
    ledger = Ledger(observation, n_resamples=0)
    observing.Observer(scorers, skips=True).observe(ledger, together)
    reasons, names = ledger.reasons, list(ledger.known_reasons)
    rows = np.zeros((len(ledger), len(ledger.columns)))
    rows[reasons == 0] = ledger.matrix()
    found: list[Observed] = []
    for own in np.split(np.arange(len(ledger)), np.cumsum([len(several) for several in units])[:-1]):
        if (reasons[own] > 0).all() and len(own):
            found.append(t.Reason(names[reasons[own[0]]].removeprefix(observing.LEFT_OUT)))
        else:  # as in an audit, units without a row add nothing
            found.append(_summed(ledger.columns, rows[own[reasons[own] == 0]]))
    return found


def _summed(columns: Columns, rows: t.Floats) -> t.Totals:
    """The sum of rows, without the columns that are zero in all of them, such as those of groups that only other rows have."""
    kept = {column: i for column, i in columns.items() if rows[:, i].any()}
    return t.Totals({column: k for k, column in enumerate(kept)}, rows.sum(axis=0)[[*kept.values()]])


def _why(row: Observed) -> str:
    """Why a row has no value."""
    return row.text if isinstance(row, t.Reason) else ALONE


def _differ(a: Observed, b: Observed) -> bool:
    """Whether two rows of one observation differ."""
    if isinstance(a, t.Reason) or isinstance(b, t.Reason):
        return a != b
    return a.columns != b.columns or not np.array_equal(a.array, b.array)


def story_of(measure: t.Measure, cases: t.Cases, row: Observed, scorers: Scorers) -> str:
    """The measure's explanation of one unit's row, with the observation's details, one per line; empty without a row."""
    if isinstance(row, t.Reason):
        return ""
    lines, observation = [measure.explain(row)], measure.observation
    if isinstance(observation, t.ShowsDetails):
        answered = tuple(case for case in cases if not case.summary.reason)
        scores = [next(iter(scorers[ask.scorer].answer([ask]))) for ask in observation.asks(answered)]
        lines += observation.details(answered, scores)
    return "\n".join(" ".join(line.split()) for line in lines)


# ---- Values of rows


def values_of(measure: t.Measure, quantity: str, rows: Sequence[Observed]) -> list[float | None]:
    """A quantity of each row; None if it is undefined. Rows with the same columns are evaluated at once."""
    found: list[float | None] = [None] * len(rows)
    known = ((i, row) for i, row in enumerate(rows) if not isinstance(row, t.Reason) and row.columns)
    alike = grouped((tuple(row.columns.items()), (i, row.array)) for i, row in known)
    for columns, members in alike.items():
        values = measure.value(t.Totals(dict(columns), np.array([array for _, array in members])))
        if quantity in values:
            read = np.broadcast_to(values[quantity].array, len(members)).tolist()
            for (i, _), value in zip(members, read, strict=True):
                found[i] = None if isnan(value) else value
    return found


def _added(a: t.Totals, b: Observed) -> t.Totals:
    """The sum of two rows."""
    if isinstance(b, t.Reason):
        return a
    columns = dict.fromkeys([*a.columns, *b.columns])
    sums = np.array([a[column] + b[column] for column in columns])
    return t.Totals({column: i for i, column in enumerate(columns)}, sums)


def effect(now: float | None, then: float | None, reason: str) -> Effect:
    """The contribution of an item to a value that is ``now``, and ``then`` without it."""
    if then is None:
        return Effect(None, None, reason)
    return Effect(then, None if now is None else 0.0 if now == then else now - then)


def without_document(case: t.Case, number: int) -> t.Case:
    """The case without one document (from 0) of its record.

    Mentions in it are removed, and those in later documents move up by one. A person mentioned only in this document is removed,
    too; a person without any mention stays.
    """
    record = case.record
    people = (_without_mentions(person, number) for person in record.entities)
    reduced = replace(
        record,
        documents=record.documents[:number] + record.documents[number + 1 :],
        entities=tuple(person for person in people if person is not None),
    )
    return replace(case, record=reduced)


def without_sentence(case: t.Case, number: int) -> t.Case:
    """The case without one sentence (from 0) of its summary; given claims stay.

    Without its only sentence, the summary is empty, with that reason.
    """
    text = case.summary.text
    spans = sentence_spans(text)
    start, end = spans[number]
    # Remove the gap after it, or before it if it is the last, so that other gaps stay.
    if number + 1 < len(spans):
        left = text[:start] + text[spans[number + 1][0] :]
    else:
        left = text[: spans[number - 1][1] if number else start] + text[end:]
    kept = [text[a:b] for i, (a, b) in enumerate(spans) if i != number]
    if split(left) != kept:  # the end of a sentence can depend on the next one; an empty line always ends it
        left = BLANK_LINE.join(kept)
    reason = "" if left.strip() else EMPTY
    return replace(case, summary=replace(case.summary, text=left, reason=reason))


def without_claim(case: t.Case, number: int) -> t.Case:
    """The case without one claim (from 0) of its summary; the text stays."""
    claims = case.summary.claims or ()
    return replace(case, summary=replace(case.summary, claims=claims[:number] + claims[number + 1 :]))


def _without_mentions(person: t.Entity, document: int) -> t.Entity | None:
    others = (mention for mention in person.mentions if mention.document != document)
    left = tuple(replace(m, document=m.document - (m.document > document)) for m in others)
    return None if person.mentions and not left else replace(person, mentions=left)
