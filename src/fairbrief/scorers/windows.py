"""Texts longer than a model's window: cut into windows whose union is the whole text."""

from __future__ import annotations

import itertools
from typing import NamedTuple


class Span(NamedTuple):
    """Word pieces ``start`` to ``stop`` of a text; ``keep`` to ``kept`` are those that no other span keeps."""

    start: int
    stop: int
    keep: int
    kept: int


def parts(length: int, size: int) -> list[slice]:
    """Disjoint parts of at most ``size`` pieces that make up 0 … length, as equally long as can be.

    >>> parts(20, 8)
    [slice(0, 7, None), slice(7, 13, None), slice(13, 20, None)]
    """
    if size < 1:
        raise ValueError(f"no part has {size} pieces")
    count = max(1, -(-length // size))
    borders = [round(i * length / count) for i in range(count + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(borders)]


def spans(length: int, size: int, overlap: int) -> list[Span]:
    """Windows of at most ``size`` pieces that cover 0 … length; neighbours share at least ``overlap``.

    The windows are as equally long as can be, so that none is a mere stub. A shared stretch is kept
    half by either side. A text that fits, even an empty one, is one window.

    >>> spans(5, 8, 2)
    [Span(start=0, stop=5, keep=0, kept=5)]
    >>> [(s.start, s.stop) for s in spans(20, 8, 2)]
    [(0, 8), (6, 14), (12, 20)]
    """
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"no window of {size} pieces can overlap by {overlap}")
    if length <= size:
        return [Span(0, length, 0, length)]
    count = -(-(length - overlap) // (size - overlap))
    starts = [round(i * (length - size) / (count - 1)) for i in range(count)]
    stops = [start + size for start in starts]
    borders = [0, *((stops[i] + starts[i + 1]) // 2 for i in range(count - 1)), length]
    return [Span(starts[i], stops[i], borders[i], borders[i + 1]) for i in range(count)]


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """How many pieces of a pair stay when the longer text is cut until both fit: what tokenizers do.

    >>> longest_first(900, 20, 508), longest_first(400, 300, 508), longest_first(100, 20, 508)
    ((488, 20), (254, 254), (100, 20))
    """
    if first + second <= room:
        return first, second
    short = min(first, second)
    if 2 * short > room:
        short = room // 2
    long = room - short
    return (short, long) if first <= second else (long, short)
