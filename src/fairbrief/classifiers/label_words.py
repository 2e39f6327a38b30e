"""Labels by words: a label applies to a text that has one of the words that a file lists for it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.specs import spell
from fairbrief.text.hashes import digest_of
from fairbrief.text.segmentation import words_of
from fairbrief.types import Ask, Scores

WANTED = "wanted a CSV table with the columns label and word, and a word or phrase per line"
Lists = Mapping[str, Sequence[tuple[tuple[str, ...], str]]]
"""By the last word of an entry, which may end with * for any ending: the words before it, and its label. In lower case."""


@dataclass(frozen=True, repr=False)
class LabelWords:
    """1 for each label of which a text has a listed word or phrase, otherwise 0.

    Rows are texts, columns are labels of ``file``: a CSV table with the columns ``label`` and ``word``. Case is ignored.
    Whole words count; an entry that ends with * counts any ending (``refund*``).

    Errors:     DataError for a malformed file, with its line; RequestError for a label that the file lacks.
    """

    name: ClassVar[str] = "words"
    file: str

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        """A digest of the lists."""
        listed = (
            " ".join((*before, last, "=", label))
            for last, entries in self._lists().items()
            for before, label in entries
        )
        return f"words/1 {digest_of(sorted(listed)).hex()}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One row per text: 1 in the columns of its labels."""
        lists = self._lists()
        known = {label for entries in lists.values() for _, label in entries}
        endings = max((len(last) for last in lists if last.endswith("*")), default=0)
        for ask in asks:
            if unknown := [column for column in ask.columns if column not in known]:
                raise RequestError(
                    f"{self.file} has no words for the label '{unknown[0]}'. Its labels: {', '.join(sorted(known))}."
                )
            labels = [labels_of(row, lists, endings) for row in ask.rows]
            applies = [[column in applied for column in ask.columns] for applied in labels]
            yield Scores.of_whole_texts(ask, np.array(applies, dtype=np.float64))

    def _lists(self) -> Lists:
        path = Path(self.file)
        return read_lists(self.file, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=8)
def read_lists(file: str, changed: int) -> Lists:  # noqa: ARG001 # a changed file is read again
    """The entries of a file of word lists. Raises DataError with file and line."""
    lists: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    try:
        with reading_text(file), Path(file).open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            if not {"label", "word"} <= set(rows.fieldnames or ()):
                raise DataError(f"{file}, line 1: found the columns {rows.fieldnames or 'none'}; {WANTED}.")
            for row in rows:
                label, text = ((row[name] or "").strip() for name in ("label", "word"))
                words = words_of(text.removesuffix("*").lower())
                if not label or not words:
                    raise DataError(
                        f"{file}, line {rows.line_num}: found the label '{label}' and the word '{text}'; {WANTED}."
                    )
                last = words[-1] + "*" * text.endswith("*")
                lists.setdefault(last, []).append((tuple(words[:-1]), label))
    except OSError as error:
        raise RequestError(f"The word lists '{file}' cannot be read: {error.strerror}; {WANTED}.") from error
    if not lists:
        raise DataError(f"{file}: found no word; {WANTED}.")
    return lists


def labels_of(text: str, lists: Lists, endings: int) -> set[str]:
    """The labels of a text. An entry with any ending has at most ``endings`` characters."""
    words = words_of(text.lower())
    labels: set[str] = set()
    for end, last in enumerate(words):
        for form in (last, *(last[:i] + "*" for i in range(1, min(len(last) + 1, endings)))):
            for before, label in lists.get(form, ()):
                if tuple(words[max(0, end - len(before)) : end]) == before:
                    labels.add(label)
    return labels
