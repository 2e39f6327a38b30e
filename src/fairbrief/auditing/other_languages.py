"""Documents that are in another language than the rest of the input."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairbrief.auditing.source_hashes import distinct_pairs
from fairbrief.text.hashes import hash_of_name
from fairbrief.text.languages import NAMES, other_language
from fairbrief.types import Case

SHOWN = 3
"""Ids that are kept to be shown."""
REMEMBERED = 4_096
"""Records that are known to have been looked at: the systems that summarized one mostly come close together."""
CODES = tuple(NAMES)


@dataclass(slots=True)
class OtherLanguages:
    """Counts documents whose language is surely another than the ``usual`` one.

    Sixteen bytes are kept of such a document (its record's hash, and language and place), nothing of others.
    """

    usual: str
    _found: array[int] = field(default_factory=lambda: array("q"))
    _examples: dict[str, list[str]] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    def empty(self) -> OtherLanguages:
        """One that has seen nothing."""
        return OtherLanguages(self.usual)

    def note(self, cases: Sequence[Case]) -> None:
        """Look at the documents of some cases."""
        for case in cases:
            record = case.record
            number = hash_of_name(record.id)
            if number in self._seen:
                continue
            if len(self._seen) >= REMEMBERED:
                self._seen.clear()
            self._seen.add(number)
            for i, document in enumerate(record.documents):
                if code := other_language(document.text, self.usual):
                    self._found.extend((number, CODES.index(code) << 32 | i))
                    self._show(code, [record.id])

    def merge(self, other: OtherLanguages) -> None:
        """Take in what was found in other cases."""
        self._found.extend(other._found)
        for code, ids in other._examples.items():
            self._show(code, ids)

    def told(self) -> dict[str, dict[str, Any]]:
        """By language how many documents of how many records are in it, and the first of these by their ids."""
        found = distinct_pairs(self._found)
        languages = found[:, 1] >> 32
        counts: dict[str, dict[str, Any]] = {}
        for code in sorted(self._examples):
            own = found[languages == CODES.index(code), 0]
            counts[code] = {
                "documents": len(own),
                "records": len(np.unique(own)),
                "examples": self._examples[code],
            }
        return counts

    def records(self) -> frozenset[int]:
        """The hashes of the records with such documents."""
        return frozenset(distinct_pairs(self._found)[:, 0].tolist())

    def _show(self, code: str, ids: Sequence[str]) -> None:
        self._examples[code] = sorted({*self._examples.get(code, ()), *ids})[:SHOWN]
