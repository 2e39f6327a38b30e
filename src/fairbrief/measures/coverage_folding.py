"""How a matrix of support folds: chunks into documents, units that say the same into one, units into a mean."""

from __future__ import annotations

import numpy as np

from fairbrief.types import Floats, Integers


def fold_chunks(matrix: Floats, owner: Integers, documents: int) -> Floats:
    """Best support of each unit by any chunk of a document (Li et al., Eq. 2).

    Shapes: ``matrix`` (…, chunks, units), ``owner`` (chunks,) document indices, ascending → (…, documents, units).
    A document without a chunk supports nothing.
    """
    if np.array_equal(owner, np.arange(documents)):
        return np.maximum(matrix, 0.0)
    folded = np.zeros((*matrix.shape[:-2], documents, matrix.shape[-1]))
    held, first = np.unique(owner, return_index=True)
    if len(held):
        folded[..., held, :] = np.maximum(np.maximum.reduceat(matrix, first, axis=-2), 0.0)
    return folded


def merge_mutual(support: Floats, between: Floats, threshold: float) -> Floats:
    """Units that entail each other above ``threshold`` become one, transitively, with their best support.

    Shapes: ``support`` (documents, units), ``between`` (units, units): row as premise, column as
    hypothesis → (documents, merged units), in order of each one's first unit. A step of the authors'
    release that their paper does not name.
    """
    mutual = (between > threshold) & (threshold < between.T)
    component = np.arange(len(between))
    for _ in range(len(between)):
        # Each unit takes the smallest component among itself and its equals, until none changes.
        smallest = np.where(mutual | np.eye(len(between), dtype=bool), component, len(between)).min(axis=1)
        if (smallest == component).all():
            break
        component = smallest
    return np.column_stack([support[:, component == c].max(axis=1) for c in np.unique(component)])


def document_coverage(support: Floats, *, covered_only: bool) -> Floats:
    """Mean support of the units by each document. Shape (…, documents, units) → (…, documents).

    ``covered_only`` divides by the number of units that any document supports, as the release does.
    """
    units = (support > 0).any(axis=-2).sum(axis=-1, keepdims=True) if covered_only else support.shape[-1]
    covered: Floats = support.sum(axis=-1) / units
    return covered


def covered_share(support: Floats) -> Floats:
    """Share of units that any document supports. Shape (…, documents, units) → (…,)."""
    return np.asarray((support > 0).any(axis=-2).mean(axis=-1))
