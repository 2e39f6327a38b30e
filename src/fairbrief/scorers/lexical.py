"""What words of a claim a text holds, seen in many ways: features that labels of one's own weigh."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import log1p
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.score_tables import ScoreTable
from fairbrief.specs import CheckedSettings
from fairbrief.text import rouge
from fairbrief.text.languages import described, language_of
from fairbrief.text.segmentation import words_of
from fairbrief.text.sentences import sentences_of
from fairbrief.types import Ask, Floats

VERSION = 2
FEATURES = (
    "words", "stems", "pairs of stems", "numbers", "names", "best sentence", "best sentence's pairs", "best two sentences",
    "longest run", "parts of words", "missing numbers", "missing names", "length of claim", "length of text",
)  # fmt: skip
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z]\w+")
REMEMBERED = 20_000
"""Texts that are read once while they are met."""


class Lexical(CheckedSettings):
    """P(the row supports the column), from shared words, with weights that `fairbrief calibrate` fits on labelled pairs.

    A logistic regression weights the features of a pair:

    - shares of the column that are in the row: content words, stems, pairs of neighbouring stems, numbers, names,
      runs of four characters;
    - the largest shares that are in one sentence of the row (stems, pairs of stems), and in two neighbouring ones
      (stems);
    - the longest shared run of words, as a share;
    - logarithms: how many numbers and names are missing, and the lengths of both texts.

    There are no default weights, since weights for one kind of text are wrong for another.

    Errors:     RequestError where it is not calibrated.
    """

    name: ClassVar[str] = "lexical"
    features: ClassVar[tuple[str, ...]] = FEATURES

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{VERSION} {len(FEATURES)} features, {described()}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:  # noqa: ARG002
        """Refused: there are features, and no score before they are weighed."""
        run = "'fairbrief calibrate lexical LABELS.jsonl --out FILE.json'"
        advice = f"Label some hundred pairs, run {run}, and name it lexical(calibrated=FILE.json)."
        raise RequestError(f"The scorer 'lexical' has no weights of its own. {advice}")

    def features_of(self, asks: Sequence[Ask]) -> Floats:
        """The features of every pair of every ask, each ask's row by row. Shape (pairs, features)."""
        found: list[tuple[float, ...]] = []
        for ask in asks:
            language = language_of(*ask.rows, *ask.columns)
            columns = [_read(column, language) for column in ask.columns]
            found += [_features(row, c) for row in (_read(r, language) for r in ask.rows) for c in columns]
        return np.array(found, dtype=np.float64).reshape(len(found), len(FEATURES))


class _Text(NamedTuple):
    """What is compared of a text: its words in order, sets of its parts by kind, and the stems of each sentence, and pairs of them."""

    run: tuple[str, ...]
    sets: Mapping[str, frozenset[Any]]
    sentences: Sequence[tuple[frozenset[str], frozenset[tuple[str, str]]]]


@lru_cache(maxsize=REMEMBERED)
def _read(text: str, language: str) -> _Text:
    run = tuple(words_of(text.lower().replace("’", "'")))
    stems = [rouge.words(sentence, language, stem=True) for sentence in sentences_of(text)]
    sentences = [(frozenset(each), frozenset(pairwise(each))) for each in stems]
    sets: dict[str, frozenset[Any]] = {
        "words": frozenset(rouge.words(text, language)),
        "stems": frozenset(chain.from_iterable(stems)),
        "pairs": frozenset(chain.from_iterable(pairs for _, pairs in sentences)),
        "parts": frozenset(word[i : i + 4] for word in run if len(word) > 3 for i in range(len(word) - 3)),
        "numbers": frozenset(word for word in run if any(c.isdigit() for c in word)),
        "names": frozenset(name.lower() for name in _NAME.findall(text)),
        "all": frozenset(run),
    }
    return _Text(run, sets, sentences)


def _features(row: _Text, claim: _Text) -> tuple[float, ...]:
    size = {kind: len(parts) or 1 for kind, parts in claim.sets.items()}
    share = {kind: len(parts & row.sets[kind]) / size[kind] for kind, parts in claim.sets.items()}
    numbers, names = (len(claim.sets[kind] - row.sets["all"]) for kind in ("numbers", "names"))
    held = [claim.sets["stems"] & own for own, _ in row.sentences] or [frozenset()]
    return (
        share["words"],
        share["stems"],
        share["pairs"],
        1 - numbers / size["numbers"],
        1 - names / size["names"],
        max(map(len, held)) / size["stems"],
        max((len(claim.sets["pairs"] & own) for _, own in row.sentences), default=0) / size["pairs"],
        max((len(a | b) for a, b in pairwise(held)), default=len(held[0])) / size["stems"],
        _longest_run(row, claim.run) / (len(claim.run) or 1),
        share["parts"],
        log1p(numbers),
        log1p(names),
        log1p(len(claim.run)),
        log1p(len(row.run)),
    )


def _longest_run(row: _Text, words: Sequence[str]) -> int:
    """How many words in a row of these the text holds at most."""
    best = start = 0
    every = f" {' '.join(row.run)} "
    for end, word in enumerate(words, 1):
        if word not in row.sets["all"]:
            start = end
        while end - start > best and f" {' '.join(words[start:end])} " not in every:
            start += 1
        best = max(best, end - start)
    return best
