"""Where the builders' texts come from: published formats as they are, and every file that the readers know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.cli.shared_options import Command, with_options_of
from fairbrief.errors import DataError, RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.types import Record
    from fairbrief.workbench.corpora.pools import Lengths
    from fairbrief.workbench.corpora.text_lines import Encoding

SourceFile = Annotated[
    Path, typer.Argument(help="File (or folder, for FewSum) with the texts.", metavar="SOURCE")
]
Out = Annotated[Path, typer.Option("--out", help="Where to write the sets, as JSON Lines.", metavar="FILE")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same file, to the byte.", metavar="N")]
Attribute = Annotated[
    str,
    typer.Option(help="Attribute that the texts are labelled with; NAME=FIELD reads it from a field.", metavar="NAME[=FIELD]"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a builder takes of its source, and puts on its sets. Each field is an option: see `source_options`."""

    min_tokens: Annotated[int, typer.Option(help="Leave out shorter texts.", min=0, metavar="N")] = 0
    max_tokens: Annotated[int | None, typer.Option(help="Leave out longer texts.", min=1, metavar="N")] = None
    tokens: Annotated[
        str, typer.Option(help="What a token is: words, nltk or characters.", metavar="RULE")
    ] = "words"
    min_characters: Annotated[
        int, typer.Option(help="Leave out texts of fewer characters.", min=0, metavar="N")
    ] = 0
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Take a text that occurs several times only once.")
    ] = False
    seed: Seed = 0
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Attribute of every set, e.g. topic=buses, which prompts may speak of.",
            metavar="NAME=TEXT",
        ),
    ] = None
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="labelled, semeval, fewsum, amazon, court, convokit, iq2, or records; by default told from the file.",
            metavar="NAME",
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="utf-8, latin-1, or mixed (line by line).", metavar="NAME"),
    ] = None

    def lengths(self) -> Lengths:
        """How long a text may be."""
        from fairbrief.workbench.corpora.pools import Lengths

        return Lengths(self.min_tokens, self.max_tokens, self.tokens, self.min_characters)

    def records(self, source: Path, fields: Mapping[str, str]) -> Iterator[Record]:
        """The records of a source; ``fields`` maps the attributes that are wanted to the fields they stand in."""
        return records_of(source, self.format_, self.encoding, fields)

    def write(
        self, rows: Iterable[Mapping[str, Any]], out: Path, left_out: Mapping[str, int], *notes: str
    ) -> None:
        """The sets with the attributes of all into the file, and what was left out on the terminal."""
        write(with_attributes(rows, self.set_ or ()), out, left_out, *notes)


def source_options(*without: str) -> Callable[[Command], Command]:
    """Give a builder the options of `SourceOptions`, but for some, in place of its parameter ``options``."""
    return with_options_of(SourceOptions, "options", *without)


def records_of(
    source: Path, format_: str | None, encoding: str | None, fields: Mapping[str, str]
) -> Iterator[Record]:
    """The records of a source; ``fields`` maps the attributes that are wanted to the fields they stand in."""
    from fairbrief.workbench.corpora.published_formats import FORMATS, format_of, read_published
    from fairbrief.workbench.corpora.text_lines import ENCODINGS

    known: dict[str, Encoding] = {name: name for name in ENCODINGS}
    if encoding is not None and encoding not in known:
        raise RequestError(f"--encoding is {', '.join(known)}, not '{encoding}'.")
    name = format_ or format_of(source) or "records"
    if name == "records":
        yield from _general(source, fields)
        return
    if name not in FORMATS:
        raise RequestError(f"There is no format '{name}'. Known: {', '.join(FORMATS)}, records.")
    for record in read_published(source, name, known[encoding] if encoding else None):
        yield _renamed(record, fields)


def pairs(text: str) -> dict[str, str]:
    """An attribute and the field it stands in, from ``NAME`` or ``NAME=FIELD``."""
    name, _, field = text.partition("=")
    if not name:
        raise RequestError(f"'{text}' names no attribute: write NAME or NAME=FIELD.")
    return {name: field or name}


def write(rows: Iterable[Mapping[str, object]], out: Path, left_out: Mapping[str, int], *notes: str) -> None:
    """Write the rows, and say how many there are and what was left out."""
    from fairbrief.serialization import write_lines

    stream = iter(rows)
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
