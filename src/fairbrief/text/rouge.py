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

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, filterfalse, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from fairbrief.errors import MissingExtra
from fairbrief.text import vocabulary
from fairbrief.text.languages import ENGLISH, language_of, name_of, stop_words
from fairbrief.text.segmentation import ascii_table, ascii_words, words_of
from fairbrief.text.vocabulary import CLOSED_CLASSES

STOP_WORDS = CLOSED_CLASSES | vocabulary.words("function_words", "tokens", "contractions", "halves")
"""The closed classes, with contractions and the halves into which some tokenizers split them.

The remaining words of a text are its content words. Frozen: a change would change numbers.
"""


def words(text: str, language: str = ENGLISH, *, stem: bool = False) -> list[str]:
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
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise MissingExtra("nltk", "nltk", "Porter's stems (stem=true)") from error
    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
PARTS = ("precision", "recall", "f")

_TOKEN = re.compile("[a-z0-9]+")
_PLAIN = ascii_table(str.isalnum)
Floats = NDArray[np.float64]


def rouge_scores(pairs: Sequence[tuple[str, str]], *, stem: bool = False) -> Floats:
    """Scores of (reference, candidate) pairs. Shape (pairs, 4, 3): by `TYPES` and `PARTS`.

    ``stem`` reduces words of more than three letters to their Porter stems first.
    A text without tokens scores 0 in all.
    """
    found = [_scores_of(reference, candidate, stem=stem) for reference, candidate in pairs]
    return np.array(found, dtype=np.float64).reshape(-1, len(TYPES), len(PARTS))


def _scores_of(reference: str, candidate: str, *, stem: bool) -> list[tuple[float, float, float]]:
    is_plain = not stem and reference.isascii() and candidate.isascii()
    language = ENGLISH if is_plain else language_of(reference, candidate)
    lines = [[tokens(line, language, stem) for line in text.split("\n")] for text in (reference, candidate)]
    a, b = (list(chain.from_iterable(of_text)) for of_text in lines)
    longest = LCSseq.similarity(a, b)
    # With one line each the union is a single LCS, in which no token can be counted twice.
    union = longest if max(map(len, lines)) == 1 else _union(*lines)
    overlaps = (_overlap(a, b), 1), (_overlap(pairwise(a), pairwise(b)), 2), (longest, 1), (union, 1)
    return [_parts(overlap, len(a) - n + 1, len(b) - n + 1) for overlap, n in overlaps]


def _parts(overlap: int, in_reference: int, in_candidate: int) -> tuple[float, float, float]:
    """Precision, recall and F."""
    if not overlap:
        return 0.0, 0.0, 0.0
    precision, recall = overlap / in_candidate, overlap / in_reference
    return precision, recall, 2 * precision * recall / (precision + recall)


def _overlap(reference: Iterable[Hashable], candidate: Iterable[Hashable]) -> int:
    """Σ min(a, b) over what occurs a and b times in the two."""
    times = Counter(candidate)
    return sum(min(many, times[one]) for one, many in Counter(reference).items() if one in times)


def tokens(text: str, language: str = ENGLISH, stem: bool = False) -> list[str]:
    """The words that ROUGE compares: in English runs of ``[a-z0-9]``, in other languages words."""
    if language != ENGLISH:
        words = words_of(text.lower())
        return stems(words, language) if stem else words
    is_plain = text.isascii()
    found = ascii_words(text.lower(), _PLAIN) if is_plain else _TOKEN.findall(text.lower())
    return list(map(_stem, found)) if stem else found


def _union(reference: Sequence[Sequence[str]], candidate: Sequence[Sequence[str]]) -> int:
    """The number of tokens in the union of each reference line's LCSs with all candidate lines, at most as often as
    in both texts.
    """
    counts = Counter(chain.from_iterable(candidate))
    left = {
        word: min(times, counts[word])
        for word, times in Counter(chain.from_iterable(reference)).items()
        if word in counts
    }
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
