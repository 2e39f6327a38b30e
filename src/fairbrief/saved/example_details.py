"""Details of one record in the viewer: links between sources and summary, and the contribution of each item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite

import numpy as np

from fairbrief import specs
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import FairbriefError
from fairbrief.reports.result import Link, Row, Support
from fairbrief.saved.ablation import PerRecord, observed, omissions, story_of
from fairbrief.text.sentences import sentence_spans
from fairbrief.types import Ask, Case, Cases, Column, Floats, Measure, Observation, Reason, Totals

LEXICAL = "containment"
OF_WHOLE_TEXTS = ("containment", "ngram", "tfidf", "rouge1", "rouge2")
"""Scorers without a model that score how far one sentence contains another."""
LEAST = 0.2
"""The least support of a link."""
MOST_SENTENCES = 400
"""The most sentences of a record's sources that are scored."""
MOST_LINKS = 12
"""The most links of one claim, the strongest first."""
ELSEWHERE = (-1, -1)
"""The span of a claim whose words are not in the summary."""


def scorer_for(observation: Observation, scorers: Scorers) -> tuple[str, str]:
    """The scorer of the links, and the rule in words."""
    own = str(getattr(observation, "scorer", ""))
    name = specs.parse(own).name if own else ""
    rule = f"Links: in each document the sentence with the most support by {{}}, at least {LEAST:g}"
    if name in OF_WHOLE_TEXTS and not scorers.holds_model(own):
        return own, f"{rule.format(own)} (the scorer of the measure)."
    if not own:
        return LEXICAL, f"{rule.format(LEXICAL)} (shared words). The measure does not use these links."
    return LEXICAL, f"{rule.format(LEXICAL)} (shared words). The measure uses {own}."


def support_of(case: Case, scorer: str, rule: str, scorers: Scorers, *, reads_claims: bool) -> Support:
    """The links of one summary."""
    summary, record = case.summary, case.record
    spans, texts = _claims(case, reads_claims=reads_claims)
    places = [
        (i, start, end)
        for i, document in enumerate(record.documents)
        for start, end in sentence_spans(document.text)
    ][:MOST_SENTENCES]
    support = Support(record.id, summary.system, rule, spans, texts, ())
    if not places or not texts:
        return support
    rows = tuple(record.documents[i].text[start:end] for i, start, end in places)
    try:
        (scores,) = scorers[scorer].answer([Ask(scorer, rows, texts, whole=True)])
    except FairbriefError:  # a library or its data is missing: no links
        return support
    links = _links(scores.by_column(len(texts)), places)
    return Support(record.id, summary.system, rule, spans, texts, links, scorer)


def _claims(case: Case, *, reads_claims: bool) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Spans and texts of the summary's sentences, or of its claims if the measure uses them."""
    text = case.summary.text
    if not reads_claims or not case.summary.claims:
        spans = sentence_spans(text)
        return spans, tuple(text[start:end] for start, end in spans)
    texts = tuple(claim.text for claim in case.summary.claims)
    starts = [text.find(claim) for claim in texts]
    return tuple(
        (start, start + len(claim)) if start >= 0 else ELSEWHERE
        for start, claim in zip(starts, texts, strict=True)
    ), texts


def _links(support: Floats, places: Sequence[tuple[int, int, int]]) -> tuple[Link, ...]:
    """The best sentence per claim and document, if it is good enough."""
    found = []
    documents = np.array([document for document, _, _ in places])
    for claim in range(support.shape[1]):
        best = [_best(support[:, claim], documents == d) for d in np.unique(documents)]
        good = sorted((b for b in best if support[b, claim] >= LEAST), key=lambda b: -support[b, claim])
        found += [Link(claim, *places[b], round(float(support[b, claim]), 3)) for b in good[:MOST_LINKS]]
    return tuple(found)


def _best(scores: Floats, inside: np.ndarray) -> int:
    return int(np.argmax(np.where(inside, scores, -1.0)))


MOST_PARTS = 40
"""The most documents, sentences and claims of a record that are removed in turn; with more, none is."""

Key = tuple[str, str]
"""System and record."""
Observed = PerRecord | Reason


def explained(
    rows: Sequence[Row], units: Mapping[Key, Cases], measures: Mapping[str, Measure], scorers: Scorers
) -> list[Row]:
    """The rows with their stories, and with the contribution of each item of the record to the main value.

    ``measures`` share one observation, so that each case, complete and without each item, is observed once. If the
    observation uses a model, or several counterfactuals, no item is removed; ``fairbrief explain`` does that.
    """
    observation = next(iter(measures.values())).observation
    kept = {(row.system, row.record): units[row.system, row.record] for row in rows}
    firsts = [cases[0] for cases in kept.values()]
    leaves = observation.declaration.scope == "case" and not holds_model(observation, firsts, scorers)
    parts = {key: _parts(cases[0]) if leaves else {} for key, cases in kept.items()}
    groups = [
        left
        for key, cases in kept.items()
        for left in (cases, *(left for lefts in parts[key].values() for left in lefts))
    ]
    try:
        found = iter(observed(observation, groups, scorers))
    except FairbriefError:  # a scorer lacks something that the audit had
        return list(rows)
    seen = {
        key: (next(found), {kind: [next(found) for _ in lefts] for kind, lefts in parts[key].items()})
        for key in kept
    }
    return [
        _with_contributions(
            row, measures[row.measure], kept[row.system, row.record], *seen[row.system, row.record], scorers
        )
        for row in rows
    ]


def _with_contributions(
    row: Row,
    measure: Measure,
    cases: Cases,
    whole: Observed,
    left: Mapping[str, Sequence[Observed]],
    scorers: Scorers,
) -> Row:
    now, *then = _main_values(measure, [whole, *(o for lefts in left.values() for o in lefts)])
    effects = iter([None if now is None or x is None else round(now - x, 4) for x in then])
    without = {kind: tuple(next(effects) for _ in lefts) for kind, lefts in left.items()}
    # Without the kinds that the measure does not use, whose contributions are all zero.
    without = {kind: effects for kind, effects in without.items() if any(effects)}
    return replace(row, story=story_of(measure, cases, whole, scorers), without=without)


def _main_values(measure: Measure, rows: Sequence[Observed]) -> list[float | None]:
    """The measure's main value of each row; rows with the same columns are evaluated at once."""
    found: list[float | None] = [None] * len(rows)
    same_columns: dict[tuple[Column, ...], list[tuple[int, PerRecord]]] = {}
    for i, row in enumerate(rows):
        if row and not isinstance(row, Reason):
            same_columns.setdefault(tuple(row), []).append((i, row))
    for columns, members in same_columns.items():
        array = np.array([list(row.values()) for _, row in members])
        values = measure.value(Totals({column: k for k, column in enumerate(columns)}, array))
        read = np.broadcast_to(values[measure.name].array, len(members)).tolist()
        for (i, _), value in zip(members, read, strict=True):
            found[i] = value if isfinite(value) else None
    return found


def holds_model(observation: Observation, cases: Iterable[Case], scorers: Scorers) -> bool:
    """Whether any scorer of the observation is a model or a service."""
    try:
        asks = [ask for case in islice(cases, 1) for ask in observation.asks((case,))]
    except FairbriefError:
        return True
    return any(scorers.holds_model(ask.scorer) for ask in asks)


def _parts(case: Case) -> dict[str, list[Cases]]:
    """The case without each of its items, by kind; empty if there are too many items."""
    claims = case.summary.claims or ()
    many = len(case.record.documents) + len(sentence_spans(case.summary.text)) + len(claims)
    if many > MOST_PARTS or case.summary.reason:
        return {}
    found: dict[str, list[Cases]] = {}
    for omission in sorted(omissions(case, (case,)), key=lambda omission: omission.kind):
        found.setdefault(omission.kind, []).append(omission.left)
    return found
