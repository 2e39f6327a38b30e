"""Which proposed spans of a text name a person: the built-in judge, or a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from fairbrief.errors import BackendError, MissingExtra
from fairbrief.specs import spell
from fairbrief.text import names
from fairbrief.text.recognition import accept, propose
from fairbrief.types import Ask, Scores

PERSON_LABELS = frozenset({"PERSON", "PER"})


@dataclass(frozen=True, repr=False)
class People:
    """Which spans of a text name a person: 1 for a span that does, otherwise 0.

    Rows are spans proposed from the one column, a text. ``recogniser=builtin`` uses titles, given names of the census
    and of the world, initials, what the text says of people, and lists of words that are not people. ``spacy:NAME``
    uses any installed pipeline or a folder. An entity counts through the longest proposed span within it, and one
    without a capitalised word is not detected.
    """

    name: ClassVar[str] = "people"
    recogniser: str = "builtin"

    def __post_init__(self) -> None:
        if self.recogniser != "builtin" and not self.recogniser.removeprefix("spacy:").strip():
            raise ValueError("recogniser=spacy: names no pipeline")
        if self.recogniser != "builtin" and not self.recogniser.startswith("spacy:"):
            raise ValueError(f"recogniser={self.recogniser} is neither builtin nor spacy:NAME")

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        if self.recogniser == "builtin":
            return "people(builtin) version=3"
        meta: Mapping[str, Any] = _pipeline(self.recogniser.removeprefix("spacy:")).meta
        made = f"{meta.get('lang')}_{meta.get('name')}-{meta.get('version')}"
        return f"people({self.recogniser} {made} spacy{meta.get('spacy_version', '')}) version=1"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One column per text, one row per proposed span."""
        texts = list(dict.fromkeys(column for ask in asks for column in ask.columns))
        found = dict(zip(texts, self._people(texts), strict=True))
        for ask in asks:
            named = [[row in found[column] for column in ask.columns] for row in ask.rows]
            yield Scores.of_whole_texts(ask, np.array(named, dtype=np.float64))

    def accepted(self, text: str) -> set[str]:
        """The strings of a text that name people."""
        (found,) = self._people([text])
        return found

    def _people(self, texts: Sequence[str]) -> Iterable[set[str]]:
        if self.recogniser == "builtin":
            given = names.given_names()
            return (set(accept(text, propose(text), given)) for text in texts)
        pipeline = _pipeline(self.recogniser.removeprefix("spacy:"))
        return (_spans_within(doc) for doc in pipeline.pipe(texts))


def _spans_within(doc: Any) -> set[str]:
    """The longest proposed span within each person that a pipeline found in a text."""
    spans = propose(doc.text)
    found: set[str] = set()
    for entity in doc.ents:
        if entity.label_ in PERSON_LABELS:
            inside = [s for s in spans if entity.start_char <= s.start and s.end <= entity.end_char]
            if inside:
                found.add(max(inside, key=lambda s: s.end - s.start).text)
    return found


@cache
def _pipeline(name: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtra("spacy", "spacy", f"people(recogniser=spacy:{name})") from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise BackendError(
            f"spaCy finds no pipeline '{name}'. Install it with: python -m spacy download {name}"
        ) from error
