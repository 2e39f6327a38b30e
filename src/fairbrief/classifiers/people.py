"""Who is named in a text, and the gender that a name gives away."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairbrief.errors import BackendError, DataError, RequestError, optional_library, reading_text
from fairbrief.specs import CheckedSettings
from fairbrief.text import names
from fairbrief.text.names import GENDER_WORDS, gender_of_any, gender_of_name
from fairbrief.text.people import published_tokens
from fairbrief.text.recognition import Recogniser, accept, propose
from fairbrief.types import Ask, Scores

PERSON_LABELS = frozenset({"PERSON", "PER"})


class People(CheckedSettings):
    """Which spans of a text name a person: 1 for a span that does, otherwise 0.

    Rows are spans proposed from the one column, a text. ``recogniser=builtin`` uses titles, given names of the census
    and of the world, initials, what the text says of people, and lists of words that are not people. ``spacy:NAME``
    uses any installed pipeline or a folder. An entity counts through the longest proposed span within it, and one
    without a capitalised word is not detected.
    """

    name: ClassVar[str] = "people"
    recogniser: Recogniser = "builtin"

    @property
    def fingerprint(self) -> str:
        if self.recogniser == "builtin":
            return "people(builtin) version=5"
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

    def _people(self, texts: Sequence[str]) -> Iterable[set[str]]:
        if self.recogniser == "builtin":
            given = names.given_names()
            return (set(accept(text, given)) for text in texts)
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
    spacy = optional_library("spacy", "spacy", f"people(recogniser=spacy:{name})")
    try:
        return spacy.load(name)
    except OSError as error:
        install = f"python -m spacy download {name}"
        raise BackendError(f"spaCy finds no pipeline '{name}'. Install it with: {install}") from error


class Names(CheckedSettings):
    """The presented gender of a name, from titles, tables of people and the census.

    Rows are names, columns are the groups ``female`` and ``male``: 1 for the group of the name, 0 in both if it is
    unknown. ``pages`` is a CSV table (header ``name,gender``) of people and the pronouns of their pages; later lines
    replace earlier ones. Names of a single word are not looked up there, since they may be anybody's.

    ``rule=recommended`` asks titles, then pages, then the census, where a first name must be at least twice as
    frequent for one gender. ``rule=text`` is the paper's Appendix F: without titles, and any token is looked up in
    the census. ``rule=published`` is the release's: as ``text``, but *more* than twice, and undecided pages continue
    with the census.

    Source: Steen & Markert, Appendix F.
    """

    name: ClassVar[str] = "names"
    pages: str = ""
    rule: Literal["recommended", "published", "text"] = "recommended"

    @property
    def fingerprint(self) -> str:
        known = "none"
        if self.pages:
            content = repr(sorted(read_pages(self.pages).items())).encode()
            known = f"{hashlib.sha256(content).hexdigest()[:16]} of two words or more"
        return f"names(rule={self.rule}, pages={known}) version=1"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One row per name: 1 in the column of its gender."""
        pages = read_pages(self.pages) if self.pages else {}
        for ask in asks:
            wanted = [_gender(column) for column in ask.columns]
            found = [self.classify(row, pages) for row in ask.rows]
            is_said = np.array([[g == w for w in wanted] for g in found], dtype=np.float64)
            yield Scores.of_whole_texts(ask, is_said)

    def classify(self, name: str, pages: Mapping[str, str]) -> str:
        """``female``, ``male``, or nothing where the name has neither."""
        if self.rule == "recommended":
            return gender_of_name(name.split(), pages, names.genders())
        is_text = self.rule == "text"
        census = names.genders(strictly=not is_text)
        return gender_of_any(published_tokens(name), pages, census, page_decides=is_text)


@cache
def read_pages(path: str) -> dict[str, str]:
    """A page-pronoun table: lower-case name → ``female``, ``male`` or another word of the table."""
    pages: dict[str, str] = {}
    with reading_text(path), Path(path).open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines)
        header = next(rows, [])
        if [cell.strip().lower() for cell in header[:2]] != ["name", "gender"]:
            raise DataError(f"{path}:1: found the header '{','.join(header)}'; expected 'name,gender'.")
        for row in filter(None, rows):
            if len(row) < 2:
                raise DataError(f"{path}:{rows.line_num}: '{row[0]}' has no gender. Write name,gender.")
            gender = row[1].strip().lower()
            pages[row[0].strip().lower()] = GENDER_WORDS.get(gender, gender)
    return pages


def _gender(group: str) -> str:
    if group.lower() not in GENDER_WORDS:
        raise RequestError(f"names knows the groups female and male; '{group}' was asked for.")
    return GENDER_WORDS[group.lower()]
