"""Sources of the builders' texts: published formats, and every file that the readers support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.readers.corefud import read_corefud
from fairbrief.readers.treebanks import read_conll, read_ontonotes
from fairbrief.readers.understanding import inspect_file
from fairbrief.text.published_nltk import tokenize
from fairbrief.text.segmentation import word_count
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.published_formats import FORMATS, format_of

Count = Callable[[str], int]
Tokens = Literal["words", "nltk", "characters"]


def counter(rule: Tokens) -> Count:
    """A counter of a text's tokens: ``words`` (separated by white space; in scripts without it, segmented words),
    ``nltk`` (its ``word_tokenize``; MissingExtra without NLTK), ``characters``.
    """
    if rule == "nltk":
        return lambda text: len(tokenize(text))
    return word_count if rule == "words" else len


def limits(least: int, most: int | None, rule: Tokens) -> Callable[[str], bool]:
    """Whether a text has ``least`` to ``most`` tokens (inclusive), counted by ``rule``: see `counter`."""
    if most is not None and most < least:
        raise RequestError(f"No text has at least {least} and at most {most} tokens.")
    count = counter(rule)
    return lambda text: least <= (n := count(text)) <= (n if most is None else most)


# ---- The labelled texts from which sets are drawn


def gather(
    records: Iterable[Record],
    attribute: str,
    left_out: Counter[str],
    *,
    values: Iterable[str] | None = None,
    topic: str = "",
    admits: Callable[[str], bool] = lambda _: True,
    distinct: bool = False,
) -> dict[str, list[Document]]:
    """The documents with the attribute, by topic, in the input's order; ``left_out`` counts excluded ones by reason.

    Only ``values`` and texts that ``admits`` accepts are used; ``topic`` is an attribute of the document or its record,
    without one all texts have the topic ``""``; ``distinct`` drops repeated texts. A text keeps only the attribute, so
    that no other attribute becomes a group by accident.
    """
    topics: dict[str, list[Document]] = {}
    seen = set[str]()
    wanted = None if values is None else set(values)
    for record in records:
        for document in record.documents:
            text, value = document.text, document.attributes.get(attribute)
            about = document.attributes.get(topic, record.attributes.get(topic)) if topic else ""
            if not text.strip():
                left_out["no text"] += 1
            elif value is None:
                left_out[f"no '{attribute}'"] += 1
            elif wanted is not None and value not in wanted:
                left_out[f"another '{attribute}'"] += 1
            elif distinct and text in seen:
                left_out["the same text again"] += 1
            elif not admits(text):
                left_out["not of the wanted length"] += 1
            elif about is None:
                left_out[f"no '{topic}'"] += 1
            else:
                seen.add(text)
                topics.setdefault(about, []).append(Document(text, {attribute: value}))
    return topics


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


ANNOTATED = {".conllu": read_corefud, ".coref": read_ontonotes, "conll": read_conll}
"""Readers of annotated people by the endings of file names."""


def read_people(source: Path) -> Iterator[Record]:
    """The records of annotated documents, in the format given by the file names."""
    if source.is_file() and source.name.endswith((".jsonl", ".json", ".jsonl.gz", ".parquet")):
        return read(source).records()
    if not source.exists():
        raise DataError(f"There is no file or folder {source}. Check the path.")
    names = [source.name] if source.is_file() else [p.name for p in source.rglob("*") if p.is_file()]
    endings = [ending for ending in ANNOTATED if any(name.endswith(ending) for name in names)]
    if len(endings) != 1:
        seen = f"files of {len(endings)} formats ({', '.join(endings)})" if endings else "no annotated texts"
        raise DataError(
            f"{source}: found {seen}; expected .conllu, .coref (with .name and .parse) or *conll files, "
            "or one .jsonl file of records with entities and their mentions; give another path."
        )
    return ANNOTATED[endings[0]](source)
