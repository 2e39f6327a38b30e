"""Labels of documents made usable: numbers in bins, and what is done where a document has none."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.readers.messages import at, fault, names
from fairbrief.text.counted import counted
from fairbrief.types import Document, Mention, Record

Missing = Literal["refuse", "drop", "group"]
CHOICES = ("refuse", "drop", "group")
MISSING_GROUP = "missing"
"""The group of documents without a label, where they are one."""
HEAD = 200
"""Records that are looked at for attributes, where none is named."""
MOST_GROUPS = 20
WATCHED = 1_000
"""Different values of an attribute that are counted to see whether they are nearly unique."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Cuts between groups of numbers (a number equal to a cut belongs below it), or how many equal shares to cut."""

    cuts: tuple[float, ...] = ()
    shares: int = 0

    def label(self, number: float) -> str:
        """The group of a number.

        >>> [Bins((3.0, 7.0)).label(x) for x in (3, 5, 8)]
        ['up to 3', 'over 3 to 7', 'over 7']
        """
        place = bisect_left(self.cuts, number)
        if place == 0:
            return f"up to {self.cuts[0]:g}"
        over = f"over {self.cuts[place - 1]:g}"
        return over if place == len(self.cuts) else f"{over} to {self.cuts[place]:g}"


def bins_of(text: str) -> Bins:
    """Cuts (``3,7``) or equal shares (``q3``); RequestError for anything else.

    >>> bins_of("3,7"), bins_of("q3").shares
    (Bins(cuts=(3.0, 7.0), shares=0), 3)
    """
    if text[:1] == "q" and text[1:].isdecimal() and 2 <= int(text[1:]) <= MOST_GROUPS:
        return Bins(shares=int(text[1:]))
    try:
        cuts = tuple(float(part) for part in text.split(","))
    except ValueError:
        cuts = ()
    if not cuts or not all(map(math.isfinite, cuts)) or list(cuts) != sorted(set(cuts)):
        raise RequestError(
            f"'{text}' makes no bins: write rising cuts, as in --bin rating=3,7, or equal shares, as in --bin rating=q3."
        )
    return Bins(cuts)


@dataclass(slots=True)
class Labelling:
    """What is done with the labels of each record as it is read."""

    bins: dict[str, Bins]
    missing: Missing
    named: tuple[str, ...]
    """Attributes that were named; where none was, those of the first records that could be groups are meant."""
    lacking: dict[str, dict[str, int]] = field(default_factory=dict)
    """Per attribute, how many documents of each record have none."""
    values: dict[str, Counter[str]] = field(default_factory=dict)
    binned: set[str] = field(default_factory=set)

    @property
    def changes_records(self) -> bool:
        """Whether a record may leave other than it came."""
        return bool(self.bins) or self.missing != "refuse"

    @property
    def looks_ahead(self) -> bool:
        """Whether the records must be read once before."""
        unnamed = self.missing != "refuse" and not self.named
        return unnamed or any(bins.shares for bins in self.bins.values())

    def look(self, records: Iterable[Record]) -> None:
        """Find the cuts of equal shares, and the attributes that are meant."""
        stream = iter(records)
        head = list(islice(stream, HEAD))
        if self.missing != "refuse" and not self.named:
            self.named = _groups(head)
        shared = {name: array("d") for name, bins in self.bins.items() if bins.shares}
        for record in (*head, *(stream if shared else ())):
            for name, numbers in shared.items():
                numbers.extend(_number(v, name, record) for v in _values(record, name))
        for name, numbers in shared.items():
            self.bins[name] = _cut(numbers, self.bins[name].shares, name)

    def applied(self, record: Record) -> Record | None:
        """The record with its labels as asked for; None where no document of it has one."""
        for name, bins in self.bins.items():
            record = self._in_bins(record, name, bins)
        for name in self.named if self.missing != "refuse" else ():
            found = self._without_missing(record, name)
            if found is None:
                return None
            record = found
        self._watch(record)
        return record

    def notes(self) -> list[str]:
        """What was done, and which attributes are hardly groups."""
        done = "left out" if self.missing == "drop" else f"in the group '{MISSING_GROUP}'"
        said = [
            f"{counted(sum(of.values()), 'document')} of {counted(len(of), 'record')} without {name!r} {done}, as asked."
            for name, of in self.lacking.items()
        ]
        for name, known in self.values.items():
            if len(known) > MOST_GROUPS and len(known) > known.total() / 3:
                said.append(
                    f"{name!r} has {len(known):,} different values in {counted(known.total(), 'document')}: groups of one or two say "
                    f"little. If they are numbers, --bin {name}=q3 makes three groups of them, --bin {name}=CUT,CUT others."
                )
        return said

    def check(self) -> None:
        """RequestError for bins of an attribute that nothing has."""
        for name in self.bins:
            if name not in self.binned:
                raise RequestError(
                    f"--bin {name}: no document and no record has the attribute {name!r}. Name its field: --attribute {name}=FIELD."
                )

    def _in_bins(self, record: Record, name: str, bins: Bins) -> Record:
        if not any(True for _ in _values(record, name)):
            return record
        self.binned.add(name)

        def relabelled(attributes: Mapping[str, str]) -> Mapping[str, str]:
            if name not in attributes:
                return attributes
            return {**attributes, name: bins.label(_number(attributes[name], name, record))}

        documents = tuple(replace(d, attributes=relabelled(d.attributes)) for d in record.documents)
        entities = tuple(replace(e, attributes=relabelled(e.attributes)) for e in record.entities)
        return replace(
            record, documents=documents, entities=entities, attributes=relabelled(record.attributes)
        )

    def _without_missing(self, record: Record, name: str) -> Record | None:
        lacking = [i for i, d in enumerate(record.documents) if name not in d.attributes]
        if not lacking or (len(lacking) == len(record.documents) and name in record.attributes):
            return record
        if len(lacking) == len(record.documents) and self.missing == "drop":
            return None
        self.lacking.setdefault(name, {})[record.id] = len(lacking)
        if self.missing == "drop":
            return _without(record, set(lacking))
        documents = tuple(
            replace(d, attributes={**d.attributes, name: MISSING_GROUP}) if i in lacking else d
            for i, d in enumerate(record.documents)
        )
        return replace(record, documents=documents)

    def _watch(self, record: Record) -> None:
        for name in self.named:
            if (known := self.values.get(name)) is None:
                known = self.values[name] = Counter()
            if len(known) < WATCHED:
                for document in record.documents:
                    if (value := document.attributes.get(name)) is not None:
                        known[value] += 1


def _groups(head: Sequence[Record]) -> tuple[str, ...]:
    """Attributes of documents with few enough values to be groups."""
    known: dict[str, set[str]] = {}
    for record in head:
        for document in record.documents:
            for name, value in document.attributes.items():
                known.setdefault(name, set()).add(value)
    return tuple(name for name, values in known.items() if 2 <= len(values) <= MOST_GROUPS)


def _values(record: Record, name: str) -> Iterable[str]:
    own = [
        record.attributes,
        *(d.attributes for d in record.documents),
        *(e.attributes for e in record.entities),
    ]
    return (attributes[name] for attributes in own if name in attributes)


def _number(value: str, name: str, record: Record) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise at(
            record.where,
            fault(
                f"{value!r} as {name!r}",
                "a number, since it is put in bins",
                f"mend it, or drop --bin {name}",
            ),
            record.id,
        )
    return number


def _cut(numbers: Sequence[float], shares: int, name: str) -> Bins:
    """Cuts into equal shares, as far as equal numbers allow; the highest number is no cut."""
    if not numbers:
        return Bins((0.0,))  # `check` says that nothing has the attribute
    found = np.quantile(np.asarray(numbers), np.arange(1, shares) / shares, method="inverted_cdf")
    cuts = tuple(sorted({float(cut) for cut in found} - {max(numbers)}))
    if not cuts:
        raise RequestError(
            f"--bin {name}=q{shares}: nearly all of its numbers are equal, so that there is nothing to cut. Name cuts "
            f"({names([f'--bin {name}=3,7'])}), or drop it."
        )
    return Bins(cuts)


def _without(record: Record, lacking: set[int]) -> Record:
    """The record without some documents, and without what is said of people in them."""
    kept: list[Document] = []
    place: dict[int, int] = {}
    for i, document in enumerate(record.documents):
        if i not in lacking:
            place[i] = len(kept)
            kept.append(document)

    def moved(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        return tuple(replace(m, document=place[m.document]) for m in mentions if m.document in place)

    entities = tuple(replace(e, mentions=moved(e.mentions)) for e in record.entities)
    return replace(record, documents=tuple(kept), entities=entities)
