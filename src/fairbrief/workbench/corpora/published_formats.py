"""Published data sets as their authors released them -> records.

Texts that are to be mixed (tweets, reviews) come as records of one document each; sets and conversations
as records of many. A text's id stands in the record, what is known of it in the document's attributes, and
what it belongs to (a product, a target) in the record's. Of a conversation each turn is a document with the
attributes ``speaker`` and, where it is known, ``side``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fairbrief.errors import DataError, RequestError
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.text_lines import (
    Encoding,
    fault,
    field,
    first_line,
    objects,
    text_lines,
    whole,
)

BARS = "<||>"
LABEL = "label"
"""Attribute that a text's label is given where its file does not name one."""


def read_labelled(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The texts of a file of lines ``id<||>label<||>text``, with the attribute ``label``.

    The published files (of Claritin, the US election, #MeToo) are UTF-8 with lines that were encoded twice;
    ``mixed`` reads such a line as Latin-1, with which the published lengths come out.
    """
    for number, line in text_lines(path, encoding):
        parts = line.split(BARS, 2)
        if len(parts) < 3 or not parts[0].strip() or not parts[1].strip():
            raise fault(
                path,
                number,
                f"{counted(len(parts), 'part')}, the first {parts[0].strip()[:30]!r}",
                f"an id, a label and a text with {BARS} between them",
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


# ---- Reviews of products: FewSum's tables, and Amazon's JSON Lines


REVIEW, SUMMARY = re.compile(r"rev\d+"), re.compile(r"summ\d*")


def read_fewsum(path: Path, encoding: Encoding) -> Iterator[Record]:
    """FewSum's sets of reviews: each product is a record, its reviews the documents with their ``rating``.

    A file of reviews (``group_id``, ``review_text``, ``category``, ``rating``) gives one record per group; a
    file of gold sets (``rev1`` …, ``summ1`` …) one per line, with the summaries as references. A folder is
    read file by file in the order of the names (the published selection took the file system's order).
    Fields stand between tabs and are not quoted, as FewSum itself reads them.
    """
    files = [path] if path.is_file() else sorted(path.glob("**/*.csv"))
    if not files:
        raise DataError(f"{path}: found no .csv file; wanted FewSum's tables; name the folder they are in.")
    for file in files:
        yield from _fewsum_file(file, encoding)


def read_amazon(path: Path, encoding: Encoding) -> Iterator[Record]:
    """Amazon's reviews: a record each, with the attribute ``rating`` and the record's ``product`` (asin).

    A review without a text (there are some) has an empty one.
    """
    for number, row in objects(path, encoding):
        product = str(field(path, number, row, "asin"))
        rating = rating_text(path, number, field(path, number, row, "overall"))
        text = row.get("reviewText") or ""
        if not isinstance(text, str):
            raise fault(path, number, "a reviewText that is no text", "text", "mend the line")
        yield Record(
            f"{product}-{number}",
            (Document(_plain(text), {"rating": rating}),),
            attributes={"product": product},
            where=f"{path.name}:{number}",
        )


def rating_text(path: Path, number: int, value: Any) -> str:
    """A rating as text: ``5`` for 5, 5.0 and "5.0"."""
    try:
        rating = float(value)
    except (TypeError, ValueError):
        raise fault(path, number, f"{value!r} as the rating", "a number", "mend the line") from None
    if rating != rating or abs(rating) == float("inf"):
        raise fault(path, number, f"{value!r} as the rating", "a finite number", "mend the line")
    return f"{rating:g}"


def _fewsum_file(path: Path, encoding: Encoding) -> Iterator[Record]:
    rows = _rows(path, encoding)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{path.name}: found no row; wanted a header and rows by tabs; remove the file.")
    if any(REVIEW.fullmatch(name) for name in first[1]):
        yield from (_gold(path, number, row) for number, row in _chain(first, rows))
    elif "review_text" in first[1]:
        yield from _groups(path, _chain(first, rows))
    else:
        known = ", ".join(map(repr, first[1]))
        raise fault(path, 1, f"the columns {known}", "'review_text', or 'rev1' …", "name the right --format")


def _chain(first: tuple[int, Any], rest: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    yield first
    yield from rest


def _rows(path: Path, encoding: Encoding) -> Iterator[tuple[int, Mapping[str, str]]]:
    columns: Sequence[str] = ()
    for number, line in text_lines(path, encoding):
        cells = line.split("\t")
        if not columns:
            columns = [cell.strip() for cell in cells]
        elif len(cells) != len(columns):
            wanted = f"{len(columns)}, as many as the columns"
            raise fault(
                path,
                number,
                counted(len(cells), "field"),
                wanted,
                "mend the line (fields stand between tabs)",
            )
        else:
            yield number, dict(zip(columns, cells, strict=True))


def _gold(path: Path, number: int, row: Mapping[str, str]) -> Record:
    reviews = [text for name, text in row.items() if REVIEW.fullmatch(name) and text.strip()]
    summaries = [text for name, text in row.items() if SUMMARY.fullmatch(name) and text.strip()]
    product, category = row.get("group_id") or row.get("prod_id") or "", row.get("cat") or ""
    # In the published Yelp gold sets the group_id column holds the category, the same for many rows.
    ident = f"{path.stem}-{number}" + (f"-{product.strip()}" if product.strip() else "")
    return Record(
        ident,
        tuple(Document(_plain(text)) for text in reviews),
        tuple(_plain(text) for text in summaries),
        attributes={"category": category.strip()} if category.strip() else {},
        where=f"{path.name}:{number}",
    )


def _groups(path: Path, rows: Iterator[tuple[int, Mapping[str, str]]]) -> Iterator[Record]:
    """Neighbouring rows of one group are one record."""
    group, start, category, documents = "", 0, "", list[Document]()
    for number, row in rows:
        name = row.get("group_id", "").strip() or path.stem
        if documents and name != group:
            yield _product(path, start, group, category, documents)
            documents = []
        if not documents:
            group, start, category = name, number, row.get("category", "").strip()
        given = row.get("rating", "").strip()
        rating = {"rating": rating_text(path, number, given)} if given else {}
        documents.append(Document(_plain(row["review_text"]), rating))
    if documents:
        yield _product(path, start, group, category, documents)


def _product(path: Path, line: int, group: str, category: str, documents: Sequence[Document]) -> Record:
    attributes = {"product": group, **({"category": category} if category else {})}
    return Record(group, tuple(documents), attributes=attributes, where=f"{path.name}:{line}")


def _plain(text: str) -> str:
    """The text without the NUL characters that some scraped reviews hold."""
    return text.replace("\0", "").strip()


# ---- Conversations: the Supreme Court's oral arguments (plain and ConvoKit's), and the IQ2 debates


MARK = " +++$+++ "
NO_SIDE = ("NA", "")
SIDES = {0: "respondent", 1: "petitioner"}
"""ConvoKit's codes; 2 (amicus curiae), 3 (unknown) and null say nothing of a side."""


def read_court(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The plain Cornell file: case, utterance, after previous, speaker, justice, vote, side, text.

    An utterance that follows no other (``FALSE`` in the third field) begins a conversation. The side is the
    one the speaker presents; a justice has the side ``justice``.
    """
    case, start, turns, count = "", 0, list[Document](), 0
    for number, line in text_lines(path, encoding):
        parts = line.split(MARK, 7)
        if len(parts) == 7 and line.rstrip().endswith(MARK.strip()):
            parts = [*parts[:6], parts[6].removesuffix(MARK.rstrip()), ""]  # an utterance without words
        if len(parts) != 8:
            raise fault(
                path, number, counted(len(parts), "field"), f"8 with{MARK}between them", "mend the line"
            )
        name, _, follows, speaker, justice, _, side, text = (part.strip() for part in parts)
        if turns and (follows == "FALSE" or name != case):
            count += 1
            yield _conversation(path, start, f"{case}-{count}", turns)
            turns = []
        if name != case:
            count = 0
        if not turns:
            case, start = name, number
        turns.append(_turn(text, speaker, "justice" if justice == "JUSTICE" else side.lower()))
    if turns:
        yield _conversation(path, start, f"{case}-{count + 1}", turns)


def read_convokit(path: Path, encoding: Encoding) -> Iterator[Record]:
    """ConvoKit's ``utterances.jsonl``: the utterances of a conversation, in the file's order.

    Of the Supreme Court corpora a justice has the side ``justice``, an advocate the side presented. The
    utterances of one conversation must stand together, as in every published corpus.
    """
    done, ident, start, turns = set[str](), "", 0, list[Document]()
    for number, row in objects(path, encoding):
        name = str(field(path, number, row, "conversation_id"))
        if turns and name != ident:
            yield _conversation(path, start, ident, turns)
            done.add(ident)
            turns = []
        if not turns:
            if name in done:
                remedy = "sort the file by conversation"
                raise fault(
                    path, number, f"the conversation {name!r} again", "its utterances together", remedy
                )
            ident, start = name, number
        text = row.get("text")
        speaker = row.get("speaker", row.get("user"))
        if not isinstance(text, str) or speaker is None:
            raise fault(path, number, "an utterance without text or speaker", "both", "mend the line")
        known = speaker.get("id") if isinstance(speaker, Mapping) else speaker
        turns.append(_turn(text, str(known), _side(row.get("meta"))))
    if turns:
        yield _conversation(path, start, ident, turns)


def read_iq2(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The IQ2 debates: the side is the speaker's type (for, against, mod, host, audience …).

    Each turn's paragraphs are joined by a space; the debate's title is the record's attribute ``title``.
    """
    try:
        debates = json.loads(whole(path, encoding))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path.name}: found what is not JSON ({error}); wanted one object of debates."
        ) from None
    if not isinstance(debates, dict):
        raise DataError(f"{path.name}: found a {type(debates).__name__}; wanted one object of debates.")
    for name, debate in debates.items():
        where = f"{path.name} (debate {name!r})"
        transcript = debate.get("transcript") if isinstance(debate, dict) else None
        if not isinstance(transcript, list):
            raise DataError(f"{where}: found no transcript; wanted a list of turns; mend the debate.")
        turns = [_debate_turn(where, i, turn) for i, turn in enumerate(transcript, 1)]
        title = debate.get("title")
        attributes = {"title": title} if isinstance(title, str) and title.strip() else {}
        yield Record(name, tuple(turns), attributes=attributes, where=where)


def _debate_turn(where: str, i: int, turn: Any) -> Document:
    paragraphs = turn.get("paragraphs") if isinstance(turn, dict) else None
    if not isinstance(paragraphs, list) or not all(isinstance(p, str) for p in paragraphs):
        raise DataError(f"{where}: found turn {i} without a list of paragraphs; wanted texts; mend the turn.")
    return _turn(" ".join(paragraphs), str(turn.get("speaker") or ""), str(turn.get("speakertype") or ""))


def _turn(text: str, speaker: str, side: str) -> Document:
    known = {"speaker": speaker.strip(), "side": "" if side in (*NO_SIDE, "na") else side}
    return Document(text.replace("\0", "").strip(), {name: value for name, value in known.items() if value})


def _conversation(path: Path, line: int, ident: str, turns: Sequence[Document]) -> Record:
    return Record(ident, tuple(turns), where=f"{path.name}:{line}")


def _side(meta: Any) -> str:
    if not isinstance(meta, Mapping):
        return ""
    if meta.get("speaker_type") == "J" or meta.get("is-justice") in (True, "JUSTICE"):
        return "justice"
    side = meta.get("side", meta.get("side-presented"))
    return SIDES.get(side, "") if isinstance(side, int) else str(side or "").lower()


# ---- Published data sets as their authors released them -> records


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
    "labelled": Format(read_labelled, "one text a line: id<||>label<||>text", "mixed"),
    "semeval": Format(read_semeval, "SemEval-2016 Task 6: ID, Target, Tweet, Stance by tabs", "latin-1"),
    "fewsum": Format(read_fewsum, "FewSum: a table by tabs, or a folder of them, reviews or gold sets"),
    "amazon": Format(read_amazon, "Amazon reviews, JSON Lines (also .gz): reviewText, overall, asin"),
    "court": Format(read_court, "Cornell Supreme Court conversations, plain: fields by +++$+++", "mixed"),
    "convokit": Format(read_convokit, "ConvoKit's utterances.jsonl"),
    "iq2": Format(read_iq2, "the IQ2 debates, one JSON object of debates with transcripts"),
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
