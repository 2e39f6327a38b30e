"""ROUGE-1, -2, -L and -Lsum: a fast implementation with the numbers of the ``rouge-score`` package.

Tokens are runs of ``[a-z0-9]`` of the lower-cased text; in languages other than English they are words, with
``stem`` their Snowball stems. With c(g) the occurrences of an n-gram,
``overlap = Σ_g min(c_ref(g), c_can(g))``; for L it is the length of the longest common subsequence
(LCS), for Lsum the size of the union of the LCSs of each reference line with every candidate line,
no token counted more often than it occurs in either text. Precision is overlap / n-grams of the
candidate, recall overlap / n-grams of the reference, F their harmonic mean. All in [0, 1].

Source: Lin, ROUGE: A Package for Automatic Evaluation of Summaries (2004), sections 2 and 3; if
several LCSs exist the union depends on the choice, which is that of ``rouge-score``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from fairbrief.errors import optional_library
from fairbrief.ranges import batches, changes, ordered, sums
from fairbrief.text import vocabulary
from fairbrief.text.languages import ENGLISH, language_of, name_of, stop_words
from fairbrief.text.segmentation import Rule, Words, numbered, parted, runs_of, words_of
from fairbrief.text.vocabulary import CLOSED_CLASSES

STOP_WORDS = CLOSED_CLASSES | vocabulary.words("function_words", "tokens", "contractions", "halves")
"""The closed classes, with contractions and the halves into which some tokenizers split them.

The remaining words of a text are its content words. Frozen: a change would change numbers.
"""


def words(text: str, language: str = ENGLISH, stem: bool = False) -> list[str]:
    """The content words of a text, in order: lower-cased, without punctuation and the language's function words.

    ``stem`` reduces them to their Snowball stems, if the language has a stemmer.

    >>> words("The soup wasn’t hot, but we'd come back for the soup!")
    ['soup', 'hot', 'come', 'back', 'soup']
    """
    stop = STOP_WORDS if language == ENGLISH else stop_words(language)
    found = list(filterfalse(stop.__contains__, words_of(text.lower().replace("’", "'"))))
    return stems(found, language) if stem else found


def stems(words: Sequence[str], language: str) -> list[str]:
    """Snowball stems of lower-cased words; the words unchanged if the language has no stemmer."""
    stemmer = _stemmer(name_of(language).lower())
    return list(words) if stemmer is None else stemmer.stemWords(words)


@cache
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


LONGEST_WORD = 256
"""Maximum characters of a word that is stemmed: NLTK's time grows faster than the length."""


def porter_stem(word: str) -> str:
    """The stem of a word by NLTK's version of Porter's rules, in lower case: ``porter_stem("Relational") == "relat"``.

    Not cached: callers with repeated words should cache. Raises MissingExtra without NLTK.
    """
    return _porter()(word) if len(word) <= LONGEST_WORD else word.lower()


@cache
def _porter() -> Callable[[str], str]:
    porter = optional_library("nltk.stem.porter", "nltk", "Porter's stems (stem=true)")
    stem: Callable[[str], str] = porter.PorterStemmer().stem
    return stem


TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
PARTS = ("precision", "recall", "f")
TOGETHER = 120_000
"""Characters of the pairs that are compared at once."""

_tokens = runs_of("[a-z0-9]")
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def rouge_scores(pairs: Sequence[tuple[str, str]], *, stem: bool = False) -> Floats:
    """Scores of (reference, candidate) pairs. Shape (pairs, 4, 3): by `TYPES` and `PARTS`.

    ``stem`` reduces words of more than three letters to their Porter stems first.
    A text without tokens scores 0 in all.
    """
    characters = np.array([len(a) + len(b) for a, b in pairs], dtype=np.int64)
    counts = [_counts(pairs[start:end], stem=stem) for start, end in batches(characters, TOGETHER)]
    counts.append(np.zeros((0, len(TYPES), len(PARTS))))
    overlap, reference, candidate = np.moveaxis(np.concatenate(counts), -1, 0)
    precision, recall = overlap / np.maximum(candidate, 1), overlap / np.maximum(reference, 1)
    both = precision + recall
    return np.stack([precision, recall, 2 * precision * recall / np.where(both > 0, both, 1)], axis=-1)


def _counts(pairs: Sequence[tuple[str, str]], *, stem: bool) -> Floats:
    """Overlap, size of the reference and of the candidate. Shape (pairs, 4, 3)."""
    lines, n_lines = _lines(pairs, stem=stem)
    sizes = sums(lines.many, n_lines)
    text, words = np.repeat(np.arange(len(sizes)), sizes), len(lines.names)
    ones, is_shared = _overlap(text, lines.numbers, words, len(pairs))
    neighbours = np.flatnonzero(text[:-1] == text[1:])
    both = lines.numbers[neighbours] * words + lines.numbers[neighbours + 1]
    twos, _ = _overlap(text[neighbours], both, words * words, len(pairs))
    longest = _longest(lines.numbers[is_shared], text[is_shared], ones)
    # With one line each the union is a single LCS, in which no token can be counted twice.
    union = longest.copy()
    several = np.flatnonzero((ones > 0) & (n_lines.reshape(-1, 2) > 1).any(axis=1)).tolist()
    apart = lines.apart() if several else []
    first = [0, *np.cumsum(n_lines).tolist()]
    for i in several:
        start, middle, end = first[2 * i : 2 * i + 3]
        union[i] = _union(apart[start:middle], apart[middle:end])
    overlaps = np.column_stack([ones, twos, longest, union])
    of_types = sizes.reshape(-1, 1, 2) - np.array([0, 1, 0, 0])[:, np.newaxis]
    return np.concatenate([overlaps[..., np.newaxis], of_types], axis=-1).astype(np.float64)


def _lines(pairs: Sequence[tuple[str, str]], *, stem: bool) -> tuple[Words, Integers]:
    """The tokens of all lines, for each pair the reference's first; and the number of lines of each text, (2 · pairs,)."""
    texts = list(chain.from_iterable(pairs))
    cut = [[line for line in text.split("\n") if line] if "\n" in text else [text] for text in texts]
    lines, n_lines = list(chain.from_iterable(cut)), np.fromiter(map(len, cut), dtype=np.int64)
    if not stem and all(map(str.isascii, texts)):
        return parted(tuple(lines)).words(Rule(tokens)), n_lines
    languages = [ENGLISH if not stem and a.isascii() and b.isascii() else language_of(a, b) for a, b in pairs]
    of_lines = np.repeat(np.repeat(languages, 2), n_lines).tolist()
    return numbered(list(map(tokens, lines, of_lines, repeat(stem)))), n_lines


def tokens(text: str, language: str = ENGLISH, stem: bool = False) -> list[str]:
    """The words that ROUGE compares: in English runs of ``[a-z0-9]``, in other languages words."""
    if language != ENGLISH:
        words = words_of(text.lower())
        return stems(words, language) if stem else words
    found = _tokens(text.lower())
    return list(map(_stem, found)) if stem else found


def _overlap(
    text: Integers, number: Integers, numbers: int, pairs: int
) -> tuple[Integers, NDArray[np.bool_]]:
    """Σ min(a, b) of each pair over the numbers that occur a and b times in its two texts; and whether each token is in both.

    Shapes: ``text`` and ``number`` (tokens,); the texts of a pair have an even number and the next one, ``number`` is
    below ``numbers``. Returned: (pairs,) and (tokens,).
    """
    # A pair's equal tokens are adjacent after sorting, the reference's first.
    key = ((text >> 1) * numbers + number) << 1 | text & 1
    places = ordered(key, 2 * pairs * numbers)
    kind = key[places]
    first = np.flatnonzero(changes(kind))
    times = np.diff(first, append=len(kind))
    kind = kind[first]
    left = np.flatnonzero((np.diff(kind) == 1) & (kind[:-1] & 1 == 0))
    least = np.minimum(times[left], times[left + 1])
    found = np.bincount((kind[left] >> 1) // numbers, least, minlength=pairs).astype(np.int64)
    is_shared = np.zeros(len(kind), dtype=bool)
    is_shared[left] = is_shared[left + 1] = True
    of_tokens = np.zeros(len(text), dtype=bool)
    of_tokens[places] = np.repeat(is_shared, times)
    return found, of_tokens


def _longest(shared: Integers, text: Integers, ones: Integers) -> Integers:
    """Length of each pair's LCS; their overlap if that is at most one word. Shapes: ``shared`` and ``text`` (tokens
    in both texts,).
    """
    characters = shared.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    ends = [0, *np.cumsum(np.bincount(text, minlength=2 * len(ones))).tolist()]
    longest = ones.copy()
    for i in np.flatnonzero(ones > 1).tolist():
        start, middle, end = ends[2 * i : 2 * i + 3]
        longest[i] = LCSseq.similarity(characters[start:middle], characters[middle:end])
    return longest


def _union(reference: Sequence[Sequence[int]], candidate: Sequence[Sequence[int]]) -> int:
    """The number of tokens in the union of each reference line's LCSs with all candidate lines, at most as often as
    in both texts.
    """
    shared = Counter(chain.from_iterable(reference)) & Counter(chain.from_iterable(candidate))
    found = Counter[int]()
    for line in reference:
        where: dict[int, int] = {}
        for i, word in enumerate(line):
            if word in shared:
                where[word] = where.get(word, 0) | 1 << i
        union = 0
        for other in candidate if where else ():
            union |= _chosen(len(line), where, other)
        found.update(word for i, word in enumerate(line) if union >> i & 1)
    return (found & shared).total()


def _chosen(length: int, where: Mapping[int, int], other: Sequence[int]) -> int:
    """Positions, as bits, of the LCS with ``other`` found by tracing the LCS table back from its end.

    ``where`` maps a word to its positions in a line of ``length`` words. Bit-parallel (Hyyrö 2004): after
    each word of ``other``, a bit of ``rises`` is set where the LCS table grows by one at that position. The
    trace takes a match if it is on one, else leaves the column if the table rises there, else steps up.
    Words that are not in the line change no bit, so a run of them is one column.
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
    return porter_stem(word) if len(word) > 3 else word
