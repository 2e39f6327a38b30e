"""Labelled tweets: ``id<||>label<||>text``, and SemEval-2016 Task 6."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fairbrief.text.counted import counted
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.formats.text_lines import Encoding, fault, text_lines

MARK = "<||>"
LABEL = "label"
"""Attribute that a text's label is given where its file does not name one."""


def read_labelled(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The texts of a file of lines ``id<||>label<||>text``, with the attribute ``label``.

    The published files (of Claritin, the US election, #MeToo) are UTF-8 with lines that were encoded twice;
    ``mixed`` reads such a line as Latin-1, with which the published lengths come out.
    """
    for number, line in text_lines(path, encoding):
        parts = line.split(MARK, 2)
        if len(parts) < 3 or not parts[0].strip() or not parts[1].strip():
            raise fault(
                path,
                number,
                f"{counted(len(parts), 'part')}, the first {parts[0].strip()[:30]!r}",
                f"an id, a label and a text with {MARK} between them",
                "mend the line",
            )
        ident, label, text = (part.strip() for part in parts)
        yield Record(ident, (Document(text, {LABEL: label}),), where=f"{path.name}:{number}")


def read_semeval(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The tweets of SemEval-2016 Task 6, with the attribute ``stance`` and the record's ``target``.

    The stance is as published: ``FAVOR``, ``AGAINST`` or ``NONE``. Further columns (opinion towards,
    sentiment) become attributes of the tweet.
    """
    columns: list[str] = []
    for number, line in text_lines(path, encoding):
        cells = [cell.strip() for cell in line.split("\t")]
        if not columns:
            columns = [cell.lower() for cell in cells]
            missing = [name for name in ("id", "target", "tweet", "stance") if name not in columns]
            if missing:
                wanted = "the columns ID, Target, Tweet and Stance by tabs"
                raise fault(path, number, f"no column {missing[0]}", wanted, "name the right --format")
            continue
        if len(cells) != len(columns):
            raise fault(
                path,
                number,
                counted(len(cells), "field"),
                f"{len(columns)}, as many as the columns",
                "mend the line",
            )
        row = dict(zip(columns, cells, strict=True))
        ident, target, tweet = row.pop("id"), row.pop("target"), row.pop("tweet")
        attributes = {name: value for name, value in row.items() if value}
        yield Record(
            f"{target}-{ident}",
            (Document(tweet, attributes),),
            attributes={"target": target},
            where=f"{path.name}:{number}",
        )
