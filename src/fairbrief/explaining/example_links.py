"""Which sentences of the sources support which sentences of a summary, by the scorer that a measure reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairbrief import specs
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import FairbriefError
from fairbrief.reports.result import Link, Support
from fairbrief.text.sentences import sentence_spans
from fairbrief.types import Ask, Case, Floats, Observation, Scores

LEXICAL = "containment"
OF_WHOLE_TEXTS = ("containment", "ngram", "tfidf", "rouge1", "rouge2")
"""Scorers that tell how far one sentence holds another, and need no model."""
LEAST = 0.2
"""Support below this is no link."""
MOST_SENTENCES = 400
"""Sentences of one record's sources that are looked at."""
MOST_LINKS = 12
"""Links of one sentence of a summary, the strongest first."""
ELSEWHERE = (-1, -1)
"""The span of a unit that does not stand in the summary in its own words."""


def scorer_for(observation: Observation, scorers: Scorers) -> tuple[str, str]:
    """The scorer that links are made with, and the rule in words."""
    own = str(getattr(observation, "scorer", ""))
    name = specs.parse(own).name if own else ""
    rule = f"In each document the sentence that holds most of it by {{}}, from {LEAST:g} on"
    if name in OF_WHOLE_TEXTS and not scorers.holds_model(own):
        return own, f"{rule.format(own)}: the scorer that the measure reads."
    if not own:
        return LEXICAL, f"{rule.format(LEXICAL)}: shared words. The measure reads no such links."
    return LEXICAL, f"{rule.format(LEXICAL)}: shared words. The measure itself reads {own}."


def support_of(case: Case, scorer: str, rule: str, scorers: Scorers, *, reads_units: bool) -> Support:
    """The links of one summary."""
    summary, record = case.summary, case.record
    spans, texts = _units(case, reads_units=reads_units)
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
        (scores,) = scorers[scorer].answer([Ask(scorer, rows, texts)])
    except FairbriefError:  # a library or its data is not here: there are no links to show
        return support
    links = _links(_by_unit(scores, len(texts)), places)
    return Support(record.id, summary.system, rule, spans, texts, links)


def _units(case: Case, *, reads_units: bool) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Spans and texts of the summary's sentences, or of its units where the measure reads those."""
    text = case.summary.text
    if not reads_units or not case.summary.units:
        spans = sentence_spans(text)
        return spans, tuple(text[start:end] for start, end in spans)
    texts = tuple(unit.text for unit in case.summary.units)
    starts = [text.find(unit) for unit in texts]
    return tuple(
        (start, start + len(unit)) if start >= 0 else ELSEWHERE
        for start, unit in zip(starts, texts, strict=True)
    ), texts


def _by_unit(scores: Scores, columns: int) -> Floats:
    """The mean over the tokens of each column, where the scorer looks at tokens. Shape (rows, columns)."""
    counts = np.bincount(scores.owner, minlength=columns)
    sums = np.zeros((len(scores.matrix), columns))
    np.add.at(sums.T, scores.owner, scores.matrix.T)
    return sums / np.maximum(counts, 1)


def _links(support: Floats, places: Sequence[tuple[int, int, int]]) -> tuple[Link, ...]:
    """Of each unit and document the best sentence, if it is good enough."""
    found = []
    documents = np.array([document for document, _, _ in places])
    for unit in range(support.shape[1]):
        best = [_best(support[:, unit], documents == d) for d in np.unique(documents)]
        good = sorted((b for b in best if support[b, unit] >= LEAST), key=lambda b: -support[b, unit])
        found += [Link(unit, *places[b], round(float(support[b, unit]), 3)) for b in good[:MOST_LINKS]]
    return tuple(found)


def _best(scores: Floats, inside: np.ndarray) -> int:
    return int(np.argmax(np.where(inside, scores, -1.0)))
