"""Value distributions under many label permutations: scores of documents to shares of values, and who falls short.

Shapes throughout: R label permutations, n documents, K values, u units of a scorer. The values' documents are
in ``members`` (R, K, n), true where the label permutation gives document n to value K.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce

import numpy as np

from fairbrief import types as t
from fairbrief.score_tables import ScoredUnits, ScoreTable
from fairbrief.statistics import TIE

Fold = Callable[[t.Booleans, t.Floats], t.Floats]

TABLE_SIZE = 12
"""With up to 12 documents all their 4,096 subsets are folded at most once, then looked up."""
BLOCK = 1 << 20
"""Numbers held at once while folding."""
UNSHARED = 1 << 18
"""Multiplications of a product that a library does not share among threads: for so few, waiting costs more than they do."""


def members_of(labels: t.Integers, values: int) -> t.Booleans:
    """Which documents each label permutation gives to each value. Shape (…, R, n) → (…, R, K, n)."""
    found: t.Booleans = labels[..., np.newaxis, :] == np.arange(values)[:, np.newaxis]
    return found


def count_union(members: t.Booleans, matrix: t.Floats) -> t.Floats:
    """How many units occur in some document of the set: ``members`` (S, n), ``matrix`` (n, u) → (S,)."""
    held = (matrix > 0).astype(np.float32)
    parts = np.array_split(members, 1 + len(members) * held.size // UNSHARED)
    return np.concatenate([(some.astype(np.float32) @ held > 0).sum(axis=1, dtype=float) for some in parts])


def count_unions(members: t.Booleans, table: ScoreTable, places: t.Integers) -> t.Floats:
    """`count_union` of every value's documents under every label permutation, for several records of as many documents.

    Shapes: ``members`` (N, R, K, n); ``places`` (N,), where each record's matrix (n, u) stands in the table → (N, R, K). Records of few documents are
    counted together: how many of their units occur in just which documents, then in documents of which sets alone.
    """
    n = members.shape[-1]
    if n > TABLE_SIZE:
        return folded_each(count_union, members, table, places)
    bits, records = 1 << np.arange(n), len(places)
    patterns = bits @ (table.beside(places) > 0)
    whose = np.repeat(np.arange(records) << n, table.shapes[places, 1])
    alone = np.bincount(whose + patterns, minlength=records << n).reshape(records, -1)
    for document in range(n):
        halves = alone.reshape(records, -1, 2, 1 << document)
        halves[:, :, 1] += halves[:, :, 0]
    others = (~members @ bits).reshape(records, -1)
    counts = alone[:, -1:] - np.take_along_axis(alone, others, axis=1)
    return counts.reshape(members.shape[:-1]).astype(np.float64)


def mean_of_best(members: t.Booleans, matrix: t.Floats) -> t.Floats:
    """Mean over units of the best document of the set; −inf for an empty set. (S, n), (n, u) → (S,)."""
    best = np.full((len(members), matrix.shape[1]), -np.inf)
    for document, scores in enumerate(matrix):
        inside = members[:, document]
        best[inside] = np.maximum(best[inside], scores)
    return np.asarray(best.mean(axis=1)) if matrix.shape[1] else np.full(len(members), -np.inf)


COUNTING = ("ngram",)
"""Scorers whose folded scores are counts, and are divided by their sum. All others are folded by
`mean_of_best` and go through a softmax: BERTScore's units are the summary's tokens, so that this is
its precision against all text of the value; an entailment, embedding or BARTScore scorer has the summary's sentences
as its units, so that this is the mean over them of the value's best document."""


def folded(fold: Fold, members: t.Booleans, matrix: t.Floats) -> t.Floats:
    """A fold of every value's documents under every label permutation. (R, K, n), (n, u) → (R, K)."""
    r, k, n = members.shape
    if n <= TABLE_SIZE and (1 << n) <= r * k:
        return np.asarray(fold(_subsets(n), matrix)[members @ (1 << np.arange(n))])
    sets = members.reshape(r * k, n)
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    parts = [fold(sets[i : i + step], matrix) for i in range(0, len(sets), step)]
    return np.concatenate(parts).reshape(r, k)


def folded_each(fold: Fold, members: t.Booleans, table: ScoreTable, places: t.Integers) -> t.Floats:
    """`folded` for several records, whose matrices stand at these places. (N, R, K, n) → (N, R, K)."""
    matrices = [table[i].matrix for i in places.tolist()]
    return np.stack([folded(fold, *record) for record in zip(members, matrices, strict=True)])


@lru_cache(maxsize=TABLE_SIZE + 1)
def _subsets(n: int) -> t.Booleans:
    return (np.arange(1 << n)[:, np.newaxis] >> np.arange(n) & 1).astype(bool)


def shares(counts: t.Floats, kept: t.Booleans) -> t.Floats:
    """Counts divided by their sum over the kept values; uniform where the sum is zero. (R, K) → (R, K)."""
    counts = np.where(kept, counts, 0.0)
    total = counts.sum(axis=-1, keepdims=True)
    if (total > 0).all():
        return np.asarray(counts / total)
    uniform = kept / np.maximum(kept.sum(axis=-1, keepdims=True), 1)
    return np.asarray(np.where(total > 0, counts / np.where(total > 0, total, 1.0), uniform))


def softmax(scores: t.Floats, temperature: float, kept: t.Booleans) -> t.Floats:
    """exp(s/T) over its sum, among the kept values. (R, K) → (R, K)."""
    scores = np.where(kept, scores, -np.inf)
    best = scores.max(axis=-1, keepdims=True)
    best = np.where(np.isfinite(best), best, 0.0)
    return shares(np.exp((scores - best) / temperature), kept)


def is_under(summary: t.Floats, wanted: t.Floats, kept: t.Booleans, tau: float, slack: float) -> t.Booleans:
    """Which kept values get less than tau of what is wanted, or up to ``slack`` more. (R, K)."""
    below: t.Booleans = summary < tau * wanted + slack
    return below & kept


def area_over_tau(summary: t.Floats, wanted: t.Floats, points: int, slack: float) -> t.Floats:
    """∫ BUR dτ of one record: 1 − the least p_y/p_g, at most 1; or the mean over ``points`` values of τ. (…, K) → (…)."""
    scale = np.where(wanted > 0, wanted, 1.0)
    # Value by value: along so short an axis numpy takes long.
    quotients = np.moveaxis(np.where(wanted > 0, summary / scale, 1.0), -1, 0)
    least = np.asarray(reduce(np.minimum, quotients, 1.0))
    if not points:
        return np.asarray(1.0 - least)
    limits = np.arange(1, points + 1) / points + slack
    return np.asarray((least[..., np.newaxis] < limits).mean(axis=-1))


def area_over_cutoff(
    source: t.Floats, summary: t.Floats, wanted: t.Floats, tau: float, slack: float
) -> t.Floats:
    """Area under BUR over the long-tail cut-off 0, 0.1 … 1, by trapezoids, as the tables were made. (…, K) → (…).

    Of equal sources, the one with the smallest share of the summary is the largest: names of groups decide nothing.
    """
    order = np.lexsort((wanted, summary, -source), axis=-1)
    source, summary, wanted = (np.take_along_axis(of, order, axis=-1) for of in (source, summary, wanted))
    unfair = [np.zeros(source.shape[:-1], dtype=bool)]
    for count in range(1, source.shape[-1] + 1):
        kept = (np.arange(source.shape[-1]) < count) & (source > 0)
        under = is_under(shares(summary, kept), shares(wanted, kept), kept, tau, slack)
        unfair.append(np.asarray(under.any(axis=-1)))
    before = np.cumsum(source, axis=-1)[..., :-1, np.newaxis]
    # How many of the largest values it takes to hold each share of the source, at least one.
    many = 1 + (before < np.arange(11) / 10 - TIE).sum(axis=-2)
    heights = np.take_along_axis(np.stack(unfair, axis=-1), many, axis=-1).astype(np.float64)
    return np.asarray((heights[..., 1:] + heights[..., :-1]).mean(axis=-1) / 2)


def unfound_share(units: ScoredUnits, counts: t.Floats) -> t.Floats:
    """Share of the summary's n-grams that occur in no document, among these and all that were counted. (N, R, K) → (N, R, 1)."""
    whose = np.repeat(np.arange(len(units)), units.table.shapes[units.first, 1])
    in_none = ~(units.table.beside(units.first) > 0).any(axis=0)
    many = np.bincount(whose, weights=in_none, minlength=len(units))[:, np.newaxis, np.newaxis]
    return np.asarray(many / np.maximum(many + counts.sum(axis=2, keepdims=True), 1.0))


def grams_of_sentences(units: ScoredUnits, members: t.Booleans) -> t.Floats:
    """How many of each sentence's n-grams occur in some document of a value. ``members`` (N, K, n) → (N, sentences, K)."""
    sentences = len(units.extracts[0][0].sentences)
    table, first = units.table, units.first
    held = table.beside(first) > 0
    whose = np.repeat(np.arange(len(units)), table.shapes[first, 1])
    place = whose * sentences + table.owner_beside(first)
    is_in_some = [(held & own[whose].T).any(axis=0) for own in members.transpose(1, 0, 2)]
    found = [np.bincount(place[is_in], minlength=len(units) * sentences) for is_in in is_in_some]
    return np.stack(found, axis=1, dtype=np.float64).reshape(len(units), sentences, -1)


def read_target(text: str) -> dict[str, float]:
    """The shares of ``neg:0.5+pos:0.5``, none of ``ratio`` and ``equal``; ValueError where it is malformed.

    >>> read_target("neg:1+pos:3")
    {'neg': 1.0, 'pos': 3.0}
    """
    given: dict[str, float] = {}
    for part in () if text in ("ratio", "equal") else text.split("+"):
        value, colon, share = part.rpartition(":")
        try:
            given[value.strip()] = float(share)
        except ValueError:
            colon = ""
        if not colon or not 0 <= given[value.strip()] < float("inf"):
            raise ValueError("is not ratio, equal or VALUE:SHARE+VALUE:SHARE (shares ≥ 0)")
    return given
