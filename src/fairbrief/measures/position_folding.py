"""From similarities to positions: which article sentences a text draws on, and where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.nouns import Floats

DECIMALS = 12
"""Similarities that agree to so many decimals are tied."""
COPIED = 0.9
"""A sentence at least this similar to its source has no second one (Chhabra et al., Appendix I)."""
LEAD = 3
"""Article sentences that make the lead."""


def mass_of_sources(similarity: Floats, top: int, *, once: bool) -> tuple[Floats, int]:
    """How often each article sentence is the source of a sentence of the text, and how many have none.

    ``similarity`` has shape (article sentences, sentences of the text). A sentence's source is the article
    sentence most similar to it, the earliest of equals; with ``top`` > 1 one below `COPIED` has so many
    sources, the most similar ones. What resembles nothing (similarity 0) has none. ``once`` counts an article
    sentence once however many sentences it is the source of. Shape of the mass: (article sentences,).
    """
    n, m = similarity.shape
    if not n or not m:
        return np.zeros(n), m
    rounded = np.round(similarity, DECIMALS)
    best = rounded.max(axis=0)
    if top == 1:
        mass = np.bincount(rounded.argmax(axis=0)[best > 0], minlength=n).astype(np.float64)
    else:
        ranked = np.argsort(-rounded, axis=0, kind="stable")[:top]
        counts = np.take_along_axis(rounded, ranked, axis=0) > 0
        counts[1:] &= best < COPIED
        mass = np.bincount(ranked[counts], minlength=n).astype(np.float64)
    return np.minimum(mass, 1.0) if once else mass, int((best <= 0).sum())


def membership(sentences: int, segments: int, *, fills_first: bool) -> Floats:
    """How much of each article sentence lies in each segment. Shape (sentences, segments), rows sum to 1.

    Segments are as equal as possible, the first ``sentences % segments`` one sentence longer (Chhabra et
    al., Appendix A). An article with fewer sentences than segments: sentence j of n covers the share from
    j/n to (j + 1)/n of the article and is split over the segments that it spans; with ``fills_first``
    it is segment j, as released.
    """
    if sentences >= segments or fills_first:
        size, longer = divmod(sentences, segments)
        of = np.repeat(np.arange(segments), size + (np.arange(segments) < longer))
        return np.asarray(of[:, np.newaxis] == np.arange(segments), dtype=np.float64)
    starts = np.arange(sentences)[:, np.newaxis] / max(sentences, 1)
    ends = (np.arange(sentences)[:, np.newaxis] + 1) / max(sentences, 1)
    edges = np.arange(segments + 1) / segments
    overlap = np.minimum(ends, edges[1:]) - np.maximum(starts, edges[:-1])
    return np.asarray(np.maximum(overlap, 0.0) * sentences)


def describe(sentences: int, segments: int, *, fills_first: bool) -> Floats:
    """What one match of each article sentence adds: its segments, its position, whether it is in the lead.

    Position is the middle of the sentence as a share of the article, (j + ½)/n. Shape (sentences, segments + 2).
    """
    place = np.arange(sentences, dtype=np.float64)
    return np.column_stack(
        [
            membership(sentences, segments, fills_first=fills_first),
            (place + 0.5) / max(sentences, 1),
            place < LEAD,
        ]
    )


def moved(mass: Floats, traits: Floats, labels: NDArray[np.signedinteger[Any]]) -> Floats:
    """The traits' sums if sentence j stood at place labels[r, j]. Shape (labellings, traits)."""
    held = np.flatnonzero(mass)
    return np.asarray(np.einsum("j,rjk->rk", mass[held], traits[labels[:, held]]))
