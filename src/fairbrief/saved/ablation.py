"""A record without each of its documents, sentences or claims in turn; a cluster without each of its records.

The rest of a text stays unchanged, letter by letter, so that a scorer of pairs has no new pair to score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import isnan
from types import MappingProxyType

import numpy as np

from fairbrief.auditing.grouping import units_of
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.observing import LEFT_OUT, Observer
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.reports.explanation import Effect, Influence, Kind, Opened, Part
from fairbrief.serialization import EMPTY
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.text.sentences import sentence_spans, split
from fairbrief.types import Case, Cases, Column, Entity, Measure, Observation, Reason, ShowsDetails, Totals

ALONE = "undefined for a single record"

PerRecord = Mapping[Column, float]
"""A row, or a sum of rows, by name."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A record to open: ``members`` are its cases, or all records of one cluster (e.g. counterfactuals of a seed document).

    ``focus`` is the case whose documents and sentences are removed; None if there are several and none was named: then each is
    removed as a whole. ``rest`` are the sums of all other records.
    """

    name: str
    members: tuple[Case, ...]
    focus: Case | None
    rest: PerRecord
    influence: Influence | None


@dataclass(frozen=True, slots=True)
class Omission:
    """The removed item, and the remaining cases."""

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    left: tuple[Case, ...]


def open_record(measure: Measure, quantity: str, subject: Subject, scorers: Scorers) -> Opened:
    """The contribution of each item to the value of the record and of all records."""
    left_out = list(_omissions(subject))
    rows = observed(
        measure.observation, [subject.members, *(omission.left for omission in left_out)], scorers
    )
    row, without = rows[0], rows[1:]
    left_out, without = _of_what_is_read(left_out, row, without)
    now, whole = values_of(measure, row), values_of(measure, subject.rest, row)
    value = now.get(quantity)
    parts = [
        _part(omission, quantity, (now, whole), (values_of(measure, left), values_of(measure, subject.rest, left)), left)
        for omission, left in zip(left_out, without, strict=True)
    ]  # fmt: skip
    parts.sort(key=lambda p: _size((p.own if value is not None else p.whole).effect))
    reason = "" if value is not None else row.text if isinstance(row, Reason) else ALONE
    # A measure explains one row; rows of a cluster are summed.
    is_one = len(units_of(subject.members, measure.observation.declaration.scope)) == 1
    story = story_of(measure, subject.members, row, scorers) if is_one else ""
    return Opened(subject.name, subject.influence, value, reason, story, tuple(parts))


def _size(effect: float | None) -> float:
    """A key that sorts the largest contributions first, undefined ones last."""
    return 1.0 if effect is None else -abs(effect)


# ------------------------------------------------------------------------------------ removed items


def _omissions(subject: Subject) -> Iterator[Omission]:
    if subject.focus is None:
        for i, case in enumerate(subject.members):
            left = subject.members[:i] + subject.members[i + 1 :]
            kind: Kind = "record" if case.record.seed_document is None else "counterfactual"
            yield Omission(kind, i + 1, case.record.id, case.record.attributes, left)
    elif not subject.focus.summary.reason:
        yield from omissions(subject.focus, subject.members)


def omissions(case: Case, members: Cases) -> Iterator[Omission]:
    """One of the members without each of its documents, claims and sentences, and the other members."""

    def with_case(reduced: Case) -> tuple[Case, ...]:
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


def _of_what_is_read(
    omissions: Sequence[Omission], row: PerRecord | Reason, without: Sequence[PerRecord | Reason]
) -> tuple[list[Omission], list[PerRecord | Reason]]:
    """Of claims and sentences, those that the measure uses: removing a used claim changes the row."""
    reads_claims = any(t.kind == "claim" and left != row for t, left in zip(omissions, without, strict=True))
    unread = "sentence" if reads_claims else "claim"
    kept = [i for i, omission in enumerate(omissions) if omission.kind != unread]
    return [omissions[i] for i in kept], [without[i] for i in kept]


# ------------------------------------------------------------------------------------ observing


@dataclass
class _Noted(Ledger):
    """A ledger that stores every row unchanged, with its own columns."""

    found: list[PerRecord | Reason] = field(default_factory=list)

    def write(
        self,
        origins: Sequence[Origin],
        blocks: Iterable[Sequence[RowBlock]],
        left_out: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        found: dict[int, PerRecord | Reason] = {}
        for block in chain.from_iterable(blocks):
            rows = (dict(zip(block.columns, row, strict=True)) for row in block.values[:, 0].tolist())
            found |= dict(zip(block.units.tolist(), rows, strict=True))
        found |= {i: Reason(reason.removeprefix(LEFT_OUT)) for i, reason in left_out.items()}
        self.found += [found[i] for i in range(len(origins))]


def observed(observation: Observation, groups: Sequence[Cases], scorers: Scorers) -> list[PerRecord | Reason]:
    """The summed rows of each group of cases, all scored at once; or the reason why a group has none."""
    units = [units_of(group, observation.declaration.scope) for group in groups]
    ledger = _Noted(observation, n_resamples=0)
    together = [
        (unit, Origin(unit[0].summary.system, unit[0].record.id, unit[0].record.cluster))
        for several in units
        for unit in several
    ]
    Observer(scorers, LabelDraws(1, 0), skips=True, at_once=len(together)).observe(ledger, together)
    found = iter(ledger.found)
    return [_summed([next(found) for _ in several]) for several in units]


def _summed(rows: Sequence[PerRecord | Reason]) -> PerRecord | Reason:
    """The sum, as in an audit: units without a row add nothing. The first reason if none has a row."""
    total: dict[Column, float] = {}
    for row in rows:
        if not isinstance(row, Reason):
            for column, value in row.items():
                total[column] = total.get(column, 0.0) + value
    return total or next((row for row in rows if isinstance(row, Reason)), total)


def story_of(measure: Measure, cases: Cases, row: PerRecord | Reason, scorers: Scorers) -> str:
    """The measure's explanation of one unit's row, with the observation's details, one per line; empty without a row."""
    if isinstance(row, Reason):
        return ""
    lines, observation = [measure.explain(totals_of(row))], measure.observation
    if isinstance(observation, ShowsDetails):
        answered = tuple(case for case in cases if not case.summary.reason)
        scores = [next(iter(scorers[ask.scorer].answer([ask]))) for ask in observation.asks(answered)]
        lines += observation.details(answered, scores)
    return "\n".join(" ".join(line.split()) for line in lines)


# -------------------------------------------------------------------------------------- values


def values_of(measure: Measure, *rows: PerRecord | Reason) -> dict[str, float]:
    """The quantities of summed rows that are defined."""
    total = _summed([*rows, Reason("")])
    if isinstance(total, Reason):
        return {}
    found = {name: float(value.array) for name, value in measure.value(totals_of(total)).items()}
    return {name: value for name, value in found.items() if not isnan(value)}


def totals_of(row: PerRecord) -> Totals:
    """A row as the input of a measure."""
    return Totals({column: i for i, column in enumerate(row)}, np.array(list(row.values())))


def effect(now: float | None, then: float | None, reason: str) -> Effect:
    """The contribution of an item to a value that is ``now``, and ``then`` without it."""
    if then is None:
        return Effect(None, None, reason)
    return Effect(then, None if now is None else 0.0 if now == then else now - then)


def _part(
    omission: Omission,
    quantity: str,
    now: tuple[Mapping[str, float], Mapping[str, float]],
    then: tuple[Mapping[str, float], Mapping[str, float]],
    left: PerRecord | Reason,
) -> Part:
    """``now`` and ``then`` are the values of the record, and of all records."""
    reason = left.text if isinstance(left, Reason) else ALONE
    own, whole = (effect(a.get(quantity), b.get(quantity), reason) for a, b in zip(now, then, strict=True))
    return Part(omission.kind, omission.number, omission.text, omission.attributes, own, whole)


def without_document(case: Case, number: int) -> Case:
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


def without_sentence(case: Case, number: int) -> Case:
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
        left = "\n\n".join(kept)
    reason = "" if left.strip() else EMPTY
    return replace(case, summary=replace(case.summary, text=left, reason=reason))


def without_claim(case: Case, number: int) -> Case:
    """The case without one claim (from 0) of its summary; the text stays."""
    claims = case.summary.claims or ()
    return replace(case, summary=replace(case.summary, claims=claims[:number] + claims[number + 1 :]))


def _without_mentions(person: Entity, document: int) -> Entity | None:
    left = tuple(
        replace(m, document=m.document - (m.document > document))
        for m in person.mentions
        if m.document != document
    )
    return None if person.mentions and not left else replace(person, mentions=left)
