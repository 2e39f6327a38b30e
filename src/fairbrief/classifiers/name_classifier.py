"""The group that a name gives away: 1 where a name is a name of the group, else 0."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.specs import spell
from fairbrief.text import names
from fairbrief.text.names import GENDER_WORDS, gender_of_name, published_gender, text_gender
from fairbrief.text.people import published_tokens
from fairbrief.types import Ask, Scores


@dataclass(frozen=True, repr=False)
class Names:
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
    rule: str = "recommended"

    def __post_init__(self) -> None:
        if self.rule not in ("recommended", "published", "text"):
            raise ValueError(f"rule={self.rule} is not one of recommended, published, text")

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        known = f"{hash_of_pages(self.pages)} of two words or more" if self.pages else "none"
        return f"names(rule={self.rule}, pages={known}) version=1"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One row per name: 1 in the column of its gender."""
        pages = read_pages(self.pages) if self.pages else {}
        for ask in asks:
            wanted = [_gender(column) for column in ask.columns]
            found = [self.classify(row, pages) for row in ask.rows]
            yield Scores.of_whole_texts(
                ask, np.array([[g == w for w in wanted] for g in found], dtype=np.float64)
            )

    def classify(self, name: str, pages: Mapping[str, str]) -> str:
        """``female``, ``male``, or nothing where the name has neither."""
        if self.rule == "published":
            return published_gender(published_tokens(name), pages, names.genders(strictly=True))
        if self.rule == "text":
            return text_gender(published_tokens(name), pages, names.genders())
        return gender_of_name(name.split(), pages, names.genders())


@cache
def read_pages(path: str) -> dict[str, str]:
    """A page-pronoun table: lower-case name → ``female``, ``male`` or another word of the table."""
    pages: dict[str, str] = {}
    try:
        with reading_text(path), Path(path).open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines)
            header = next(rows, [])
            if [cell.strip().lower() for cell in header[:2]] != ["name", "gender"]:
                raise DataError(
                    f"{path}:1: the header is '{','.join(header)}'; a table of pages begins with 'name,gender'."
                )
            for row in rows:
                if not row:
                    continue
                if len(row) < 2:
                    raise DataError(f"{path}:{rows.line_num}: '{row[0]}' has no gender. Write name,gender.")
                gender = row[1].strip().lower()
                pages[row[0].strip().lower()] = GENDER_WORDS.get(gender, gender)
    except OSError as error:
        raise DataError(f"{path}: the table of pages cannot be read: {error.strerror}.") from error
    return pages


def hash_of_pages(path: str) -> str:
    """A short digest of a table's content, for the fingerprint."""
    import hashlib

    content = repr(sorted(read_pages(path).items())).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def _gender(group: str) -> str:
    if group.lower() not in GENDER_WORDS:
        raise RequestError(f"names knows the groups female and male; '{group}' was asked for.")
    return GENDER_WORDS[group.lower()]
