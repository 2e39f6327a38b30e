"""Labels by words: a label applies to a text that has one of the words that a file lists for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.specs import CheckedSettings
from fairbrief.text.hashes import digest_of
from fairbrief.text.themes import count_entries, themes_of
from fairbrief.types import Ask, Scores


class LabelWords(CheckedSettings):
    """1 for each label of which a text has a listed word or phrase, otherwise 0.

    Rows are texts, columns are labels of ``file``: a TOML file like those of themes, with one line per label
    (``billing = "bill, direct debit, refund*"``). Case is ignored. Whole words count, of several entries at one place the longest;
    a word that ends with * counts any ending. Hyphens join words: *self-service* is one word, without *service*. The file is read
    once per process.

    Errors:     DataError for a malformed file; RequestError for a label that the file lacks.
    """

    name: ClassVar[str] = "words"
    file: str

    @property
    def fingerprint(self) -> str:
        """A digest of the lists."""
        lists = themes_of(self.file)
        listed = (f"{entry} = {label}" for label, entries in lists.items() for entry in entries)
        return f"words/3 {digest_of(sorted(listed)).hex()}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One row per text: 1 in the columns of its labels."""
        lists = themes_of(self.file)
        for ask in asks:
            if unknown := [column for column in ask.columns if column not in lists]:
                labels = ", ".join(sorted(lists))
                raise RequestError(f"{self.file} has no words for '{unknown[0]}'. Its labels: {labels}.")
            used = [count_entries(row, self.file) for row in ask.rows]
            applies = [[not lists[column].isdisjoint(entries) for column in ask.columns] for entries in used]
            yield Scores.of_whole_texts(ask, np.array(applies, dtype=np.float64))
