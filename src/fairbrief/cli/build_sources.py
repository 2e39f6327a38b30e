"""Where the builders' texts come from: published formats as they are, and every file that the readers know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import refuse_other
from fairbrief.errors import DataError, RequestError
from fairbrief.settings import setting
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.types import Record
    from fairbrief.workbench.corpora.pools import Lengths
    from fairbrief.workbench.corpora.text_lines import Encoding

shared = partial(setting, panel="Sources and sets")
SOURCE = o.argument("File (or folder, for FewSum) with the texts.", "SOURCE")
OUT = o.option(..., "Where to write the sets, as JSON Lines.", "FILE", "--out")
ATTRIBUTE = o.option(
    ...,
    "Attribute that the texts are labelled with; NAME=FIELD reads it from a field.",
    "NAME[=FIELD]",
    "--attribute",
)
ANNOTATED = "Annotated documents: .conllu, *conll, .coref with .name and .parse, or a folder of them; or .jsonl with mentions."
PEOPLE_FORMATS = {".conllu": "corefud", ".coref": "ontonotes", "conll": "conll"}
"""How the name of a file with annotated people ends, and its format."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a builder takes of its source, and puts on its sets. Each field is an option: see `source_options`."""

    # fmt: off
    min_tokens: int = shared(0, "Leave out shorter texts.", "N", least=0)
    max_tokens: int | None = shared(None, "Leave out longer texts.", "N", least=1)
    tokens: str = shared("words", "What a token is: words, nltk or characters.", "RULE")
    min_characters: int = shared(0, "Leave out texts of fewer characters.", "N", least=0)
    distinct: bool = shared(False, "Take a text that occurs several times only once.")
    seed: int = shared(0, "The same seed gives the same file, to the byte.", "N")
    set_: list[str] | None = shared(
        None, "Attribute of every set, e.g. topic=buses, which prompts may name.", "NAME=TEXT",
    )
    format_: str | None = shared(
        None, "labelled, semeval, fewsum, amazon, court, convokit, iq2, or records; by default detected "
        "from the file.", "NAME",
    )
    encoding: str | None = shared(None, "utf-8, latin-1, or mixed (line by line).", "NAME")
    # fmt: on

    def lengths(self) -> Lengths:
        """How long a text may be."""
        from fairbrief.workbench.corpora.pools import Lengths

        return Lengths(self.min_tokens, self.max_tokens, self.tokens, self.min_characters)

    def records(self, source: Path, attributes: Mapping[str, str]) -> Iterator[Record]:
        """The records of a source; ``attributes`` maps those that are wanted to their fields."""
        from fairbrief.workbench.corpora.published_formats import FORMATS, format_of, read_published
        from fairbrief.workbench.corpora.text_lines import ENCODINGS

        known: dict[str, Encoding] = {name: name for name in ENCODINGS}
        if self.encoding is not None:
            refuse_other("--encoding", self.encoding, tuple(known))
        name = self.format_ or format_of(source) or "records"
        if name == "records":
            yield from _general(source, attributes)
            return
        if name not in FORMATS:
            raise RequestError(f"There is no format '{name}'. Known: {', '.join(FORMATS)}, records.")
        for record in read_published(source, name, known[self.encoding] if self.encoding else None):
            yield _renamed(record, attributes)

    def write(self, records: Iterable[Any], out: Path, left_out: Mapping[str, int], *notes: str) -> None:
        """Write the sets, with the attributes of ``--set``, and print how many there are and what was left out.

        ``records`` are records, or rows as they are to be written.
        """
        from fairbrief.serialization import record_line, write_lines

        rows = (row if isinstance(row, Mapping) else record_line(row) for row in records)
        stream = with_attributes(rows, self.set_ or ())
        first = next(stream, None)
        if first is None:
            why = ", ".join(f"{times:,} × {reason}" for reason, times in sorted(left_out.items()))
            raise DataError(f"No set could be made, and nothing is written. Left out: {why or 'nothing'}.")
        count = write_lines(chain((first,), stream), out)
        typer.echo(f"{counted(count, 'set')} in {out}")
        for note in notes:
            typer.echo(f"  {note}")
        for reason, times in sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0])):
            typer.echo(f"  left out: {times:,} × {reason}")


def source_options(*without: str) -> Callable[[o.Command], o.Command]:
    """Give a builder the options of `SourceOptions`, but for some, in place of its parameter ``options``."""
    return o.options_of(SourceOptions, "options", without=without)


def pairs(text: str) -> dict[str, str]:
    """An attribute and the field it stands in, from ``NAME`` or ``NAME=FIELD``."""
    name, _, field = text.partition("=")
    if not name:
        raise RequestError(f"'{text}' names no attribute: write NAME or NAME=FIELD.")
    return {name: field or name}


def with_attributes(
    rows: Iterable[Mapping[str, Any]], texts: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    """The rows with the attributes NAME=TEXT; RequestError for one that a row has already."""
    told = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value):
            raise RequestError(f"--set {text}: write --set NAME=TEXT.")
        told[name.strip()] = value
    for row in rows:
        own = row.get("attributes", {})
        if taken := sorted(own.keys() & told.keys()):
            raise RequestError(
                f"--set {taken[0]}: the sets have an attribute of that name, {own[taken[0]]!r}."
            )
        yield {**row, "attributes": {**own, **told}} if told else row


def with_values(records: Iterable[Record], attribute: str, wanted: Sequence[str]) -> Iterable[Record]:
    """The records; RequestError where no document has one of the wanted values, which is taken to be misspelt."""
    from fairbrief.readers.messages import did_you_mean

    if not wanted:
        return records
    held = list(records)
    known = {d.attributes[attribute] for r in held for d in r.documents if attribute in d.attributes}
    for value in wanted:
        if value not in known:
            raise RequestError(
                f"--values {value}: no text has this value of '{attribute}'.{did_you_mean(value, known)} "
                f"Found: {', '.join(sorted(known)) or 'none'}."
            )
    return held


def composition(records: Iterable[Record], attribute: str, told: Counter[str]) -> Iterator[Record]:
    """The records as they are, while their documents' values are counted."""
    for record in records:
        told.update(d.attributes[attribute] for d in record.documents if attribute in d.attributes)
        yield record


def _renamed(record: Record, fields: Mapping[str, str]) -> Record:
    """The record with the wanted attributes under their names; a lone ``label`` is the one that is asked for."""
    documents = record.documents
    for name, field in fields.items():
        source = "label" if field == name and all("label" in d.attributes for d in documents) else field
        if source != name:
            documents = tuple(
                replace(d, attributes={**d.attributes, name: d.attributes[source]})
                if source in d.attributes
                else d
                for d in documents
            )
    return replace(record, documents=documents)


def _general(source: Path, fields: Mapping[str, str]) -> Iterator[Record]:
    from fairbrief import readers

    return readers.read(source, documents_field=_documents_field(source), attributes=fields).records()


def _documents_field(source: Path) -> str:
    """``documents``, or ``text`` where a file of single texts has that instead."""
    from fairbrief.workbench.corpora.text_lines import first_line

    ending = source.name.removesuffix(".gz").rpartition(".")[2]
    if ending in ("jsonl", "ndjson"):
        try:
            row = json.loads(first_line(source))
        except (ValueError, RecursionError):
            return "documents"
        return "text" if isinstance(row, dict) and "documents" not in row and "text" in row else "documents"
    if ending in ("csv", "tsv"):
        header = [cell.strip(' "\r\n') for cell in first_line(source).split("\t" if ending == "tsv" else ",")]
        return "text" if "text" in header and "documents" not in header else "documents"
    return "documents"


def read_people(source: Path) -> Iterator[Record]:
    """The records of annotated documents, in the format that the files' names tell."""
    from fairbrief.readers.annotated.conll import read_conll
    from fairbrief.readers.annotated.corefud import read_corefud
    from fairbrief.readers.annotated.ontonotes import read_ontonotes

    readers = {"corefud": read_corefud, "ontonotes": read_ontonotes, "conll": read_conll}
    if source.is_file() and source.name.endswith((".jsonl", ".json", ".jsonl.gz", ".parquet")):
        from fairbrief.readers import read

        return read(source).records()
    files = [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file())
    found = {kind for p in files for ending, kind in PEOPLE_FORMATS.items() if p.name.endswith(ending)}
    if len(found) != 1:
        seen = f"files of {len(found)} formats ({', '.join(sorted(found))})" if found else "none of these"
        raise DataError(
            f"{source}: {seen}. Wanted .conllu, .coref (with .name and .parse) or *conll files, "
            "or one .jsonl file of records with entities and their mentions."
        )
    return readers[found.pop()](source)
