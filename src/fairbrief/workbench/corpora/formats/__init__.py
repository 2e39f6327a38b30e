"""Published data sets as their authors released them -> records.

Texts that are to be mixed (tweets, reviews) come as records of one document each; sets and conversations
as records of many. A text's id stands in the record, what is known of it in the document's attributes, and
what it belongs to (a product, a target) in the record's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairbrief.errors import RequestError
from fairbrief.types import Record
from fairbrief.workbench.corpora.formats import dialogue_formats, review_formats, tweet_formats
from fairbrief.workbench.corpora.formats.text_lines import Encoding, first_line

__all__ = ["FORMATS", "Format", "format_of", "read_published"]


class Reads(Protocol):
    """Reads a file or folder of one format."""

    def __call__(self, path: Path, encoding: Encoding) -> Iterator[Record]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A published format: what reads it, the words for it, and the attribute its labels are given."""

    read: Reads
    line: str
    encoding: Encoding = "utf-8"


FORMATS: Mapping[str, Format] = {
    "labelled": Format(tweet_formats.read_labelled, "one text a line: id<||>label<||>text", "mixed"),
    "semeval": Format(tweet_formats.read_semeval, "SemEval-2016 Task 6: ID, Target, Tweet, Stance by tabs", "latin-1"),
    "fewsum": Format(review_formats.read_fewsum, "FewSum: a table by tabs, or a folder of them, reviews or gold sets"),
    "amazon": Format(review_formats.read_amazon, "Amazon reviews, JSON Lines (also .gz): reviewText, overall, asin"),
    "court": Format(dialogue_formats.read_court, "Cornell Supreme Court conversations, plain: fields by +++$+++", "mixed"),
    "convokit": Format(dialogue_formats.read_convokit, "ConvoKit's utterances.jsonl"),
    "iq2": Format(dialogue_formats.read_iq2, "the IQ2 debates, one JSON object of debates with transcripts"),
}  # fmt: skip


def read_published(path: Path, name: str, encoding: Encoding | None = None) -> Iterator[Record]:
    """The records of a file (or folder) in a published format.

    ``encoding`` is ``utf-8``, ``latin-1`` or ``mixed`` (UTF-8, and Latin-1 for each line that is not); by
    default what the format was published in.

    Raises: RequestError for an unknown format or a file that is not there, DataError with the line where
    the file is not as it must be.
    """
    if name not in FORMATS:
        raise RequestError(f"There is no format '{name}'. Known: {', '.join(FORMATS)}.")
    if not path.exists():
        raise RequestError(f"There is no file or folder '{path}'.")
    found = FORMATS[name]
    return found.read(path, encoding or found.encoding)


def format_of(path: Path) -> str | None:
    """The published format that a file begins like, or None.

    Raises: RequestError if there is no such file.
    """
    if not path.exists():
        raise RequestError(f"There is no file or folder '{path}'.")
    if path.is_dir():
        return "fewsum" if any(path.glob("**/*.csv")) else None
    begins = first_line(path)
    if "+++$+++" in begins:
        return "court"
    if "<||>" in begins:
        return "labelled"
    columns = [cell.strip().lower() for cell in begins.split("\t")]
    if {"id", "target", "tweet", "stance"} <= set(columns):
        return "semeval"
    if "group_id" in columns or {"rev1", "rev2"} <= set(columns):
        return "fewsum"
    if '"reviewText"' in begins:
        return "amazon"
    if '"conversation_id"' in begins and '"speaker"' in begins:
        return "convokit"
    return "iq2" if path.suffix == ".json" and '"transcript"' in begins else None
