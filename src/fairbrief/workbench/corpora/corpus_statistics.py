"""What a file of records holds: how many texts of which length, and which groups in which mixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fairbrief.types import Case, Record, Table

Count = Callable[[str], int]
MIXED = "no single group"
"""Records in which two groups or more have the most documents."""


@dataclass(slots=True)
class Spread:
    """Number, mean, least and most of what was counted."""

    n: int = 0
    total: int = 0
    least: int = 0
    most: int = 0

    def add(self, number: int) -> None:
        """Take in one more."""
        self.least = min(self.least, number) if self.n else number
        self.most = max(self.most, number)
        self.n += 1
        self.total += number

    def cells(self) -> tuple[str, ...]:
        """Number, mean, least, most."""
        return (f"{self.n:,}", f"{self.total / self.n:.2f}", f"{self.least:,}", f"{self.most:,}")


@dataclass(slots=True)
class GroupCounts:
    """One attribute: documents and records of each group, what dominates a record, and groups per record."""

    documents: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    dominated: Counter[str] = field(default_factory=Counter)
    per_record: Spread = field(default_factory=Spread)
    words: Counter[str] = field(default_factory=Counter)
    unlabelled: int = 0

    def add(self, record: Record, attribute: str, count: Count) -> None:
        """Take in a record; its documents without the attribute are counted apart."""
        own: Counter[str] = Counter()
        for document in record.documents:
            if (group := document.attributes.get(attribute)) is None:
                self.unlabelled += 1
                continue
            own[group] += 1
            self.words[group] += count(document.text)
        self.documents += own
        self.records.update(own.keys())
        if own:
            self.per_record.add(len(own))
            most = [group for group, n in own.items() if n == max(own.values())]
            self.dominated[most[0] if len(most) == 1 else MIXED] += 1


class CorpusStatistics:
    """Counts over records, and over summaries of them.

    ``unit`` names what ``count`` counts. ``sentences`` cuts texts, and without it they are not cut.
    ``attributes`` are those whose groups are counted; without any, all that documents have.
    """

    def __init__(
        self,
        count: Count,
        unit: str = "words",
        *,
        attributes: Sequence[str] = (),
        sentences: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self._count, self._unit, self._attributes, self._cut = count, unit, attributes, sentences
        self.lengths: dict[str, Spread] = {}
        self.groups: dict[str, GroupCounts] = {}
        self.unanswered: Counter[str] = Counter()

    def add_summary(self, case: Case) -> None:
        """Take in a summary of a record."""
        if case.summary.reason or not case.summary.text.strip():
            self.unanswered[case.summary.system] += 1
        else:
            self._text(f"per summary by {case.summary.system}", case.summary.text)

    def add_record(self, record: Record) -> None:
        """Take in a record, once."""
        sizes = [self._count(document.text) for document in record.documents]
        self._put("documents per record", len(sizes))
        for size in sizes:
            self._put(f"{self._unit} per document", size)
        self._put(f"{self._unit} per record", sum(sizes))
        if self._cut is not None:
            for document in record.documents:
                self._put("sentences per document", len(self._cut(document.text)))
        for text in record.references:
            self._text("per reference", text)
        for name in self._attributes or sorted({a for d in record.documents for a in d.attributes}):
            self.groups.setdefault(name, GroupCounts()).add(record, name, self._count)

    def _text(self, per: str, text: str) -> None:
        self._put(f"{self._unit} {per}", self._count(text))
        if self._cut is not None:
            self._put(f"sentences {per}", len(self._cut(text)))

    def _put(self, what: str, number: int) -> None:
        self.lengths.setdefault(what, Spread()).add(number)

    def tables(self) -> tuple[Table, ...]:
        """Spread, then the groups of each attribute."""
        missing = tuple(
            f"{system}: {n:,} without a summary." for system, n in sorted(self.unanswered.items())
        )
        rows = tuple((what, *found.cells()) for what, found in self.lengths.items())
        lengths = Table("Texts and their lengths", ("", "n", "mean", "least", "most"), rows, missing)
        return (lengths, *(_group_table(name, found, self._unit) for name, found in self.groups.items()))


def _group_table(name: str, found: GroupCounts, unit: str) -> Table:
    total = sum(found.documents.values())
    rows = tuple(
        (
            group,
            f"{n:,}",
            f"{n / total:.1%}",
            f"{found.records[group]:,}",
            f"{found.dominated[group]:,}",
            f"{found.words[group] / n:.1f}",
        )
        for group, n in found.documents.most_common()
    )
    header = (name, "documents", "share", "records", "dominates", f"{unit} per document")
    per = found.per_record
    notes = [
        f"A group dominates a record in which it has the most documents; {found.dominated[MIXED]:,} records have none."
    ]
    if per.n:
        notes.append(f"Groups per record: {per.least} to {per.most}, mean {per.total / per.n:.2f}.")
    if found.unlabelled:
        notes.append(f"{found.unlabelled:,} documents have no {name}.")
    return Table(f"Groups of {name}", header, rows, tuple(notes))
