"""Sources of the builders' texts: published formats, and every file that the readers support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.readers.corefud import read_corefud
from fairbrief.readers.messages import did_you_mean
from fairbrief.readers.treebanks import read_conll, read_ontonotes
from fairbrief.readers.understanding import inspect_file
from fairbrief.text.segmentation import word_count
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.published_formats import FORMATS, format_of

Count = Callable[[str], int]
RULES = ("words", "nltk", "characters")


def counter(rule: str) -> Count:
    """A counter of a text's tokens: ``words`` (separated by white space; in scripts without it, segmented words),
    ``nltk`` (its ``word_tokenize``), ``characters``.

    Raises: RequestError for another rule; MissingExtra for ``nltk`` without NLTK.
    """
    if rule == "words":
        return word_count
    if rule == "characters":
        return len
    if rule == "nltk":
        from fairbrief.text.published_nltk import tokenize

        return lambda text: len(tokenize(text))
    raise RequestError(f"Unknown way to count '{rule}'. Known: {', '.join(RULES)}.")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Limits of length: ``least`` to ``most`` tokens (inclusive)."""

    least: int = 0
    most: int | None = None
    rule: str = "words"

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise RequestError(f"No text has at least {self.least} and at most {self.most} tokens.")

    def admit(self) -> Callable[[str], bool]:
        """Whether a text is within the limits."""
        count, least, most = counter(self.rule), self.least, self.most
        if not least and most is None:
            return lambda _: True
        return lambda text: least <= (n := count(text)) <= (n if most is None else most)


# ---- The labelled texts from which sets are drawn


@dataclass(slots=True)
class Pool:
    """Texts by topic, in the input's order, and the number of excluded texts by reason.

    Without a topic field all texts have the topic ``""``.
    """

    topics: dict[str, list[Document]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def texts(self) -> list[Document]:
        """All texts of all topics."""
        return [document for documents in self.topics.values() for document in documents]


def gather(
    records: Iterable[Record],
    attribute: str,
    *,
    values: Iterable[str] | None = None,
    topic: str = "",
    lengths: Lengths = Lengths(),  # frozen
    distinct: bool = False,
) -> Pool:
    """The documents with the attribute and a length within the limits.

    Only ``values`` are used; ``topic`` is an attribute of the document or its record, and texts of different topics
    are kept separate; ``distinct`` drops repeated texts. A text keeps only the attribute, so that no other attribute
    becomes a group by accident.
    """
    pool, admit, seen = Pool(), lengths.admit(), set[str]()
    wanted = None if values is None else set(values)
    for record in records:
        for document in record.documents:
            text, value = document.text, document.attributes.get(attribute)
            about = document.attributes.get(topic, record.attributes.get(topic)) if topic else ""
            if not text.strip():
                reason = "no text"
            elif value is None:
                reason = f"no '{attribute}'"
            elif wanted is not None and value not in wanted:
                reason = f"another '{attribute}'"
            elif distinct and text in seen:
                reason = "the same text again"
            elif not admit(text):
                reason = "not of the wanted length"
            elif about is None:
                reason = f"no '{topic}'"
            else:
                seen.add(text)
                pool.topics.setdefault(about, []).append(Document(text, {attribute: value}))
                continue
            pool.left_out[reason] += 1
    return pool


PEOPLE_FORMATS = {".conllu": "corefud", ".coref": "ontonotes", "conll": "conll"}
"""File name endings of annotated people, and their formats."""


def read_texts(source: Path, attributes: Mapping[str, str], form: str | None = None) -> Iterator[Record]:
    """The records of a source: in a published format, by default detected from the file, or in any supported file;
    ``attributes`` maps the wanted attributes to their fields.
    """
    name = form or format_of(source) or "records"
    if name == "records":
        fields = inspect_file(str(source)).columns
        is_single = "text" in fields and not any(name.startswith("documents") for name in fields)
        field = "text" if is_single else "documents"
        yield from read(source, documents_field=field, attributes=attributes).records()
        return
    if name not in FORMATS:
        raise RequestError(f"There is no format '{name}'. Known: {', '.join(FORMATS)}, records.")
    for record in FORMATS[name](source):
        yield _renamed(record, attributes)


def _renamed(record: Record, fields: Mapping[str, str]) -> Record:
    """The record with the wanted attributes under their names; a single ``label`` is the wanted attribute."""
    documents = []
    for document in record.documents:
        given = dict(document.attributes)
        for name, column in fields.items():
            source = "label" if column == name and "label" in given else column
            if source in given:
                given[name] = given[source]
        documents.append(replace(document, attributes=given))
    return replace(record, documents=tuple(documents))


def read_people(source: Path) -> Iterator[Record]:
    """The records of annotated documents, in the format given by the file names."""
    kinds = {"corefud": read_corefud, "ontonotes": read_ontonotes, "conll": read_conll}
    if source.is_file() and source.name.endswith((".jsonl", ".json", ".jsonl.gz", ".parquet")):
        return read(source).records()
    files = [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file())
    found = {kind for p in files for ending, kind in PEOPLE_FORMATS.items() if p.name.endswith(ending)}
    if len(found) != 1:
        seen = f"files of {len(found)} formats ({', '.join(sorted(found))})" if found else "none of these"
        raise DataError(
            f"{source}: {seen}. Wanted .conllu, .coref (with .name and .parse) or *conll files, "
            "or one .jsonl file of records with entities and their mentions."
        )
    return kinds[found.pop()](source)


def with_values(records: Iterable[Record], attribute: str, wanted: Sequence[str]) -> Iterable[Record]:
    """The records. RequestError if no document has one of the wanted values, which is probably misspelt."""
    if not wanted:
        return records
    listed = list(records)
    known = {d.attributes[attribute] for r in listed for d in r.documents if attribute in d.attributes}
    for value in wanted:
        if value not in known:
            raise RequestError(
                f"--values {value}: no text has this value of '{attribute}'.{did_you_mean(value, known)} "
                f"Found: {', '.join(sorted(known)) or 'none'}."
            )
    return listed


def with_attributes(
    rows: Iterable[Mapping[str, Any]], texts: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    """The rows with the attributes NAME=TEXT; RequestError if a row already has one."""
    added = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value):
            raise RequestError(f"--set {text}: write --set NAME=TEXT.")
        added[name.strip()] = value
    for row in rows:
        attributes = row.get("attributes", {})
        if taken := sorted(attributes.keys() & added.keys()):
            raise RequestError(
                f"--set {taken[0]}: the sets have an attribute of that name, {attributes[taken[0]]!r}."
            )
        yield {**row, "attributes": {**attributes, **added}} if added else row


def composition(records: Iterable[Record], attribute: str, counts: Counter[str]) -> Iterator[Record]:
    """The records unchanged, while their documents' values are counted."""
    for record in records:
        counts.update(d.attributes[attribute] for d in record.documents if attribute in d.attributes)
        yield record
