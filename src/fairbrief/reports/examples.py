"""Records that a reader should see, with what the page's record viewer shows of them: texts, values, links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as shown, its attributes, and how many characters were cut from its end."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Texts:
    """One record's texts; ``summaries`` by system. ``more`` counts the documents that are not shown."""

    id: str
    attributes: Mapping[str, str]
    documents: tuple[Passage, ...]
    references: tuple[Passage, ...]
    summaries: Mapping[str, Passage]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A sentence of a document (characters ``start`` to ``end``) that supports unit ``unit`` of the summary."""

    unit: int
    document: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Support:
    """Which sentences of the sources support which units of one summary, by which rule.

    ``units`` are spans of the summary's text, or (start = end = −1) texts of their own in ``unit_texts``.
    """

    record: str
    system: str
    rule: str
    units: tuple[tuple[int, int], ...]
    unit_texts: tuple[str, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One record as one measure reads it.

    ``values`` holds the headline and the groups' signed contrasts; ``without`` by kind (``document``, ``sentence``, ``unit``), what
    each one does to the headline: the value less the value without it, null where there is none without.
    """

    measure: str
    system: str
    record: str
    values: Mapping[str, float]
    p: float | None
    story: str
    without: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Examples:
    """All that the record viewer shows of an audit.

    ``rules`` says of each measure by which rule its links are made; ``of`` is how many summaries were audited.
    """

    texts: tuple[Texts, ...] = ()
    rows: tuple[Row, ...] = ()
    supports: tuple[Support, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    of: int = 0
