"""From similarities to positions: which article sentences a text draws on, and where they stand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.types import Floats, Integers

DECIMALS = 12
"""Similarities that agree to so many decimals are tied."""
COPIED = 0.9
"""A sentence at least this similar to its source has no second one (Chhabra et al., Appendix I)."""
MOVED_TOGETHER = 64
"""Sentences up to which articles are moved together."""
LEAD = 3
"""Article sentences that make the lead."""


def mass_of_sources(
    similarity: Floats, top: int, *, once: bool, shares_ties: bool
) -> tuple[Floats, Integers]:
    """How often each article sentence is the source of a sentence of the text, and how many have none.

    ``similarity`` has shape (…, article sentences, sentences of the text). A sentence's source is the article
    sentence most similar to it; several equally similar ones share it (``shares_ties``), or the earliest is.
    With ``top`` > 1 one below `COPIED` has so many sources, the most similar ones, the earliest of equals. What resembles nothing (similarity 0) has none. ``once`` counts an article
    sentence once however many sentences it is the source of. Shapes: the mass (…, article sentences); how many (…).
    """
    n, m = similarity.shape[-2:]
    if not n or not m:
        return np.zeros(similarity.shape[:-1]), np.full(similarity.shape[:-2], m)
    rounded = np.round(similarity, DECIMALS)
    best = rounded.max(axis=-2, keepdims=True)
    is_like = best > 0
    if top == 1 and shares_ties:
        tied = (rounded == best) & is_like
        mass = (tied / np.maximum(tied.sum(axis=-2, keepdims=True), 1)).sum(axis=-1)
    else:
        ranked = np.argsort(-rounded, axis=-2, kind="stable")[..., :top, :]
        counts = np.take_along_axis(rounded, ranked, axis=-2) > 0
        counts[..., 1:, :] &= best < COPIED
        articles = np.arange(rounded.size // (n * m)).reshape(*rounded.shape[:-2], 1, 1)
        places = (articles * n + ranked)[counts]
        mass = np.bincount(places, minlength=articles.size * n).reshape(rounded.shape[:-1]).astype(np.float64)
    unlike = (~is_like).sum(axis=(-1, -2))
    return np.minimum(mass, 1.0) if once else mass, unlike


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


@lru_cache(maxsize=256)
def describe(sentences: int, segments: int, *, fills_first: bool) -> Floats:
    """What one match of each article sentence adds: its segments, its position, whether it is in the lead.

    Position is the middle of the sentence as a share of the article, (j + ½)/n. Shape (sentences, segments + 2).
    """
    place = np.arange(sentences, dtype=np.float64)
    traits = np.column_stack(
        [
            membership(sentences, segments, fills_first=fills_first),
            (place + 0.5) / max(sentences, 1),
            place < LEAD,
        ]
    )
    traits.flags.writeable = False  # shared by all articles of so many sentences
    return traits


def moved(mass: Floats, traits: Floats, labels: NDArray[np.signedinteger[Any]]) -> Floats:
    """The traits' sums if sentence j stood at place labels[r, j]. Shapes: ``mass`` (N, sentences) → (N, labellings, traits)."""
    n, r, k = mass.shape[1], len(labels), traits.shape[1]
    if n <= MOVED_TOGETHER:
        # A product for each article: in one of all, an article's last digits could go by those beside it.
        found = mass[:, np.newaxis] @ traits[labels].transpose(1, 0, 2).reshape(n, r * k)
        return np.asarray(found.reshape(len(mass), r, k))
    held = [np.flatnonzero(own) for own in mass]
    return np.stack(
        [np.einsum("j,rjk->rk", own[h], traits[labels[:, h]]) for own, h in zip(mass, held, strict=True)]
    )
