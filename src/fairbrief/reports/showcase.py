"""The worst records of each measure with their texts, cut to what a page can carry, and said so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fairbrief.nouns import Document
from fairbrief.reports import numerals
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Exhibit, Result

MOST_EXHIBITS = 10
MOST_DOCUMENTS = 60
MOST_REFERENCES = 5
MOST_CHARACTERS = 5_000
PAGE_CHARACTERS = 3_000_000
"""All texts of one page together; what comes after is named and not shown."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as shown: what it is, its badges, and how many characters were cut from its end."""

    title: str
    badges: tuple[str, ...]
    text: str
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """One exhibit, ready to print."""

    record: str
    value: str
    p: str
    story: str
    badges: tuple[str, ...]
    summary: Passage
    references: tuple[Passage, ...]
    more_references: int
    documents: tuple[Passage, ...]
    more_documents: int


@dataclass(frozen=True, slots=True)
class Group:
    """The exhibits of one measure and system, largest value first."""

    measure: str
    system: str
    shown: tuple[Shown, ...]
    more: int


def groups(result: Result) -> tuple[Group, ...]:
    """Exhibits by measure and system, within the limits of a page."""
    found: dict[tuple[str, str], list[Exhibit]] = {}
    for exhibit in result.exhibits:
        found.setdefault((exhibit.measure, exhibit.system), []).append(exhibit)
    made, room = [], PAGE_CHARACTERS
    for (measure, system), members in found.items():
        shown: list[Shown] = []
        for exhibit in sorted(members, key=lambda x: -abs(x.value))[:MOST_EXHIBITS]:
            if room <= 0:
                break
            shown.append(_show(exhibit))
            room -= _size(shown[-1])
        made.append(Group(measure, system, tuple(shown), len(members) - len(shown)))
    return tuple(made)


def _show(exhibit: Exhibit) -> Shown:
    record, summary = exhibit.case.record, exhibit.case.summary
    return Shown(
        record=record.id,
        value=numerals.number(exhibit.value),
        p="" if exhibit.p is None else numerals.probability(exhibit.p),
        story=exhibit.story,
        badges=_badges(record.attributes),
        summary=_passage("Summary", summary.text or f"(no text: {summary.reason or 'empty'})"),
        references=tuple(
            _passage(f"Reference {i}", r) for i, r in enumerate(record.references[:MOST_REFERENCES], 1)
        ),
        more_references=max(len(record.references) - MOST_REFERENCES, 0),
        documents=tuple(_document(i, d) for i, d in enumerate(record.documents[:MOST_DOCUMENTS], 1)),
        more_documents=max(len(record.documents) - MOST_DOCUMENTS, 0),
    )


def _document(i: int, document: Document) -> Passage:
    return _passage(f"Document {i}", document.text, document.attributes)


def _passage(title: str, text: str, attributes: Mapping[str, str] | None = None) -> Passage:
    kept = printable(text[:MOST_CHARACTERS], lines=True)
    return Passage(title, _badges(attributes or {}), kept, max(len(text) - MOST_CHARACTERS, 0))


def _badges(attributes: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in attributes.items())


def _size(shown: Shown) -> int:
    passages: Iterable[Passage] = (shown.summary, *shown.references, *shown.documents)
    return sum(len(p.text) for p in passages)
