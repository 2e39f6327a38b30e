"""ROUGE-1, -2, -L and -Lsum: the numbers of the ``rouge-score`` package, fast.

Tokens are runs of ``[a-z0-9]`` of the lower-cased text; where reference and candidate are in another language
than English, its words, and with ``stem`` their Snowball stems. With c(g) the occurrences of an n-gram,
``overlap = Σ_g min(c_ref(g), c_can(g))``; for L it is the length of the longest common subsequence
(LCS), for Lsum the size of the union of the LCSs of each reference line with every candidate line,
no token counted more often than it occurs in either text. Precision is overlap / n-grams of the
candidate, recall overlap / n-grams of the reference, F their harmonic mean. All in [0, 1].

Source: Lin, ROUGE: A Package for Automatic Evaluation of Summaries (2004), sections 2 and 3; where
several LCSs exist the union depends on the choice, which is that of ``rouge-score``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from fairbrief.text import porter
from fairbrief.text.languages import ENGLISH, language_of
from fairbrief.text.segmentation import ascii_table, ascii_words, words_of
from fairbrief.text.tokens import stems

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
PARTS = ("precision", "recall", "f")

_TOKEN = re.compile("[a-z0-9]+")
_PLAIN = ascii_table(str.isalnum)
_Lines = list[list[str]]


def rouge_scores(pairs: Sequence[tuple[str, str]], *, stem: bool = False) -> NDArray[np.float64]:
    """Scores of (reference, candidate) pairs. Shape (pairs, 4, 3): by `TYPES` and `PARTS`.

    ``stem`` reduces words of more than three letters to their Porter stems first.
    A text without tokens scores 0 in all.
    """
    known: dict[tuple[str, str], _Lines] = {}
    counts = []
    for a, b in pairs:
        language = ENGLISH if a.isascii() and b.isascii() and not stem else language_of(a, b)
        counts.append(_count(*(_lines(text, language, known, stem=stem) for text in (a, b))))
    return _parts(np.array(counts, dtype=np.float64).reshape(-1, len(TYPES), len(PARTS)))


def _lines(text: str, language: str, known: dict[tuple[str, str], _Lines], *, stem: bool) -> _Lines:
    """A text's lines as tokens. Neighbouring pairs often share a text: a few are ``known``."""
    key = text, language
    if key not in known:
        if len(known) >= 16:
            known.clear()
        known[key] = [tokens(line, language, stem=stem) for line in text.split("\n") if line]
    return known[key]


def tokens(text: str, language: str = ENGLISH, *, stem: bool = False) -> list[str]:
    """The words that ROUGE compares: in English runs of ``[a-z0-9]``, elsewhere the language's words."""
    if language != ENGLISH:
        words = words_of(text.lower())
        return stems(words, language) if stem else words
    is_plain = text.isascii()
    found = ascii_words(text.lower(), _PLAIN) if is_plain else _TOKEN.findall(text.lower())
    return list(map(_stem, found)) if stem else found


def _parts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """(overlap, n-grams of the reference, of the candidate) to (precision, recall, F), along the last axis."""
    overlap, reference, candidate = np.moveaxis(counts, -1, 0)
    precision = overlap / np.maximum(candidate, 1)
    recall = overlap / np.maximum(reference, 1)
    both = precision + recall
    f = 2 * precision * recall / np.where(both > 0, both, 1)
    return np.stack([precision, recall, f], axis=-1)


def _count(reference: _Lines, candidate: _Lines) -> tuple[int, ...]:
    """Overlap, size of the reference and of the candidate, for each of `TYPES` in turn."""
    a = [word for line in reference for word in line]
    b = [word for line in candidate for word in line]
    count_a, count_b = Counter(a), Counter(b)
    ones = _shared(count_a, count_b)
    if not ones:
        return (0, len(a), len(b), 0, len(a) - 1, len(b) - 1, 0, len(a), len(b), 0, len(a), len(b))
    twos = _shared(Counter(pairwise(a)), Counter(pairwise(b)))
    longest = _longest(a, b, count_a.keys() & count_b.keys())
    # One line each: the union is that of a single LCS, none of whose tokens can be counted twice.
    is_plain = len(reference) == len(candidate) == 1
    union = longest if is_plain else _union(reference, candidate, count_a, count_b)
    return (
        *(ones, len(a), len(b)),
        *(twos, len(a) - 1, len(b) - 1),
        *(longest, len(a), len(b)),
        *(union, len(a), len(b)),
    )


def _shared(a: Mapping[Any, int], b: Mapping[Any, int]) -> int:
    """Σ min(a, b) over the keys of both."""
    return sum(min(a[key], b[key]) for key in a.keys() & b.keys())


def _longest(a: Iterable[str], b: Iterable[str], shared: Iterable[str]) -> int:
    """Length of the LCS; tokens of one side only cannot be in it, the others become characters."""
    code = {word: chr(i) for i, word in enumerate(shared)}
    return LCSseq.similarity(
        "".join([code[word] for word in a if word in code]),
        "".join([code[word] for word in b if word in code]),
    )


def _union(reference: _Lines, candidate: _Lines, count_a: Counter[str], count_b: Counter[str]) -> int:
    left = {word: min(count, count_b[word]) for word, count in count_a.items() if word in count_b}
    hits = 0
    for line in reference:
        where: dict[str, int] = {}
        for i, word in enumerate(line):
            if word in left:
                where[word] = where.get(word, 0) | 1 << i
        union = 0
        for other in candidate if where else ():
            union |= _chosen(len(line), where, other)
        while union:
            word = line[union.bit_length() - 1]
            union ^= 1 << (union.bit_length() - 1)
            if left[word]:
                hits += 1
                left[word] -= 1
    return hits


def _chosen(length: int, where: Mapping[str, int], other: Sequence[str]) -> int:
    """Positions, as bits, of the LCS with ``other`` that walking the LCS table back from its end finds.

    ``where`` maps a word to its positions in a line of ``length`` words. Bit-parallel (Hyyrö 2004): after
    each word of ``other``, a bit of ``rises`` tells that the LCS table grows by one at that position. The
    walk takes a match where it stands on one, else leaves the column where the table rises, else steps up.
    Words found nowhere in the line change no bit, so a run of them is one column.
    """
    full = (1 << length) - 1
    flat, columns = full, []
    for word in other:
        match = where.get(word, 0)
        if match:
            moved = flat & match
            flat = ((flat + moved) | (flat - moved)) & full
            columns.append((match, full & ~flat))
        elif columns and columns[-1][0]:
            columns.append((0, full & ~flat))
    chosen, below = 0, full
    for match, rises in reversed(columns):
        taken, left = (match & below).bit_length(), (rises & below).bit_length()
        if taken and taken >= left:
            chosen |= 1 << (taken - 1)
            below = (1 << (taken - 1)) - 1
        else:
            below = (1 << left) - 1
    return chosen


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    return porter.stem(word) if len(word) > 3 else word
