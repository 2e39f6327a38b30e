"""Readers of published data sets in the formats of their authors' releases.

Texts for mixing (tweets, reviews) become records of one document each; sets and conversations become records of many.
The record has the text's id, the document has the text's attributes, and the record has the attributes of the topic
(a product, a target). Each turn of a conversation is a document with the attributes ``speaker`` and, if known,
``side``.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from fairbrief.errors import DataError, reading_text
from fairbrief.readers.files import File
from fairbrief.readers.input_sources import check_file
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record

T = TypeVar("T")
PEEK = 1 << 18
"""Characters at the beginning that identify a format; the first debate in IQ2's single line fits."""


@dataclass(frozen=True, slots=True)
class Line:
    """A non-blank line of a file: its number, from 1, and its text without the line ending."""

    path: Path
    number: int
    text: str

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path.name}:{self.number}"

    def fault(self, found: str, wanted: str, remedy: str = "correct the line") -> DataError:
        """An error about the line: position, what was found, what was expected, and a remedy."""
        return DataError(f"{self.where}: found {found}; expected {wanted}; {remedy}.")

    def decoded(self, kind: type[T]) -> T:
        """The JSON object in the line, with the fields of a type."""
        try:
            return msgspec.json.decode(self.text, type=kind, strict=False)
        except (msgspec.DecodeError, RecursionError) as error:
            remedy = "correct the line (JSON has double quotation marks), or name the right --format"
            raise self.fault(f"no such object ({error})", "one JSON object per line", remedy) from None


def text_lines(path: Path) -> Iterator[Line]:
    """Each non-blank line; a byte order mark is skipped.

    Lines end only at a line feed (with or without a carriage return before it): the other characters at which Python
    ends lines occur inside published texts.
    """
    with _content(path) as lines:
        for number, raw in enumerate(lines, 1):
            text = _decode(raw.rstrip(b"\r\n"))
            if text.strip():
                yield Line(path, number, text)


def table_rows(path: Path, *needed: str) -> Iterator[tuple[Line, dict[str, str]]]:
    """The rows of an unquoted tab-separated table, by the names in its first line, in lower case."""
    columns: list[str] = []
    for line in text_lines(path):
        cells = line.text.split("\t")
        if not columns:
            columns = [cell.strip().lower() for cell in cells]
            check_columns(line, columns, needed)
        elif len(cells) != len(columns):
            wanted = f"{len(columns)}, as many as the columns"
            raise line.fault(counted(len(cells), "field"), wanted, "correct the line (tabs separate fields)")
        else:
            yield line, dict(zip(columns, map(str.strip, cells), strict=True))


def check_columns(head: Line, columns: Sequence[str], needed: Sequence[str]) -> None:
    """DataError if one of the needed columns is missing."""
    for name in needed:
        if name not in columns:
            wanted = f"the columns {', '.join(needed)}"
            raise head.fault(f"no column {name}", wanted, "name the right --format")


@contextmanager
def _content(path: Path) -> Iterator[IO[bytes]]:
    """A file's bytes, decompressed, without a byte order mark."""
    check_file(path)
    with File(path, path.name).text() as (_, content):
        yield content


def _decode(data: bytes) -> str:
    """UTF-8, or Latin-1 where a line is not: the published files are one, the other, or mix them."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


BARS = "<||>"
LABEL = "label"
"""The attribute for a text's label if the file does not name one."""


def read_labelled(path: Path) -> Iterator[Record]:
    """The texts of a file of lines ``id<||>label<||>text``, with the attribute ``label``.

    The published files (of Claritin, the US election, #MeToo) are UTF-8 with some doubly encoded lines; such a line is read
    as Latin-1, which gives the published lengths.
    """
    for line in text_lines(path):
        parts = [part.strip() for part in line.text.split(BARS, 2)]
        if len(parts) < 3 or not parts[0] or not parts[1]:
            found = f"{counted(len(parts), 'part')}, the first {parts[0][:30]!r}"
            raise line.fault(found, f"an id, a label and a text with {BARS} between them")
        ident, label, text = parts
        yield Record(ident, (Document(text, {LABEL: label}),), where=line.where)


def read_semeval(path: Path) -> Iterator[Record]:
    """The tweets of SemEval-2016 Task 6, with the attribute ``stance`` and the record's ``target``.

    The stance is as published: ``FAVOR``, ``AGAINST`` or ``NONE``. Further columns (opinion towards,
    sentiment) become attributes of the tweet.
    """
    for line, row in table_rows(path, "id", "target", "tweet", "stance"):
        ident, target, tweet = row.pop("id"), row.pop("target"), row.pop("tweet")
        document, attributes = Document(tweet, _given(**row)), {"target": target}
        yield Record(f"{target}-{ident}", (document,), attributes=attributes, where=line.where)


FACET = re.compile(r"I\d+")
IDEOLOGIES = {"0": "left", "1": "center", "2": "right"}


def read_mitweet(path: Path) -> Iterator[Record]:
    """The tweets of MITweet, with the attribute ``ideology`` and the record's ``topic``.

    A tweet is left or right if more than half of its labelled facets (``I1`` … ``I12``) are, otherwise center;
    without a labelled facet it has no ideology (Li et al., Appendix A.3: "left on most facets").
    """
    with reading_text(path), _content(path) as content:
        rows = csv.DictReader(map(_decode, content))
        columns = rows.fieldnames or []
        facets = [name for name in columns if FACET.fullmatch(name)]
        check_columns(Line(path, 1, ""), columns, ("topic", "tweet", *(facets or ["I1"])))
        for i, row in enumerate(rows, 1):
            line, cells = Line(path, rows.line_num, ""), {name: (row[name] or "").strip() for name in columns}
            labels = [cells[name] for name in facets]
            if wrong := set(labels).difference(("", "-1", *IDEOLOGIES)):
                raise line.fault(f"the facet label {min(wrong)!r}", "-1, 0, 1 or 2")
            known = [IDEOLOGIES[label] for label in labels if label in IDEOLOGIES]
            side = next((s for s in ("left", "right") if 2 * known.count(s) > len(known)), "center")
            document = Document(cells["tweet"], {"ideology": side} if known else {})
            attributes = {"topic": cells["topic"]}
            yield Record(f"{cells['topic']}-{i}", (document,), attributes=attributes, where=line.where)


# ---- Reviews of products: FewSum's tables, and Amazon's JSON Lines


REVIEW, SUMMARY = re.compile(r"rev\d+"), re.compile(r"summ\d*")


def read_fewsum(path: Path) -> Iterator[Record]:
    """FewSum's sets of reviews: each product is a record, its reviews the documents with their ``rating``.

    A file of reviews (``group_id``, ``review_text``, ``category``, ``rating``) gives one record per group; a file of
    gold sets (``rev1`` …, ``summ1`` …) one per line, with the summaries as references. The files of a folder are read
    in the order of their names (the published selection used the file system's order). Fields are separated by tabs
    and not quoted, as in FewSum's own reader.
    """
    files = [path] if path.is_file() else sorted(path.glob("**/*.csv"))
    if not files:
        raise DataError(f"{path}: found no .csv file; expected FewSum's tables; name the folder they are in.")
    for file in files:
        rows = list(table_rows(file))
        columns = list(rows[0][1]) if rows else []
        if any(REVIEW.fullmatch(name) for name in columns):
            yield from (_gold_set(line, row) for line, row in rows)
            continue
        check_columns(Line(file, 1, ""), columns, ["review_text"])
        for product, reviews in groupby(rows, lambda row: row[1].get("group_id", "")):
            lines, cells = zip(*reviews, strict=True)
            attributes = {"product": product or file.stem, **_given(category=cells[0].get("category"))}
            documents = tuple(map(_review, lines, cells))
            yield Record(attributes["product"], documents, attributes=attributes, where=lines[0].where)


class Review(msgspec.Struct):
    """A line of Amazon's files."""

    asin: str
    overall: float
    reviewText: str | None = None  # noqa: N815 # as in the files


def read_amazon(path: Path) -> Iterator[Record]:
    """Amazon's reviews: one record each, with the attribute ``rating`` and the record's ``product`` (asin).

    A review without text becomes an empty document.
    """
    for line in text_lines(path):
        review = line.decoded(Review)
        document = Document(_plain(review.reviewText or ""), {"rating": f"{review.overall:g}"})
        ident, attributes = f"{review.asin}-{line.number}", {"product": review.asin}
        yield Record(ident, (document,), attributes=attributes, where=line.where)


def _gold_set(line: Line, row: Mapping[str, str]) -> Record:
    """A line of the gold sets: the reviews of a product, and their summaries."""
    texts, summaries = (
        tuple(_plain(text) for name, text in row.items() if kind.fullmatch(name) and text.strip())
        for kind in (REVIEW, SUMMARY)
    )
    # In the published Yelp gold sets the group_id column contains the category, the same for many rows.
    product = row.get("group_id") or row.get("prod_id") or ""
    ident = "-".join(filter(None, (line.path.stem, str(line.number), product)))
    attributes = _given(category=row.get("cat"))
    return Record(ident, tuple(map(Document, texts)), summaries, attributes=attributes, where=line.where)


def _review(line: Line, row: Mapping[str, str]) -> Document:
    """A review with its rating, if there is one: ``5`` for "5" and "5.0"."""
    given = row.get("rating", "")
    try:
        rating = float(given or 0)
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise line.fault(f"{given!r} as the rating", "a finite number")
    return Document(_plain(row["review_text"]), {"rating": f"{rating:g}"} if given else {})


def _plain(text: str) -> str:
    """The text without the NUL characters in some scraped reviews."""
    return text.replace("\0", "").strip()


# ---- Conversations: the Supreme Court's oral arguments (plain and ConvoKit's), and the IQ2 debates


MARK = " +++$+++ "
UNKNOWN = "NA"
"""An unknown side or gender."""
SIDES = {0: "respondent", 1: "petitioner"}
"""ConvoKit's codes; 2 (amicus curiae), 3 (unknown) and null give no side."""


def read_court(path: Path) -> Iterator[Record]:
    """The plain Cornell file: case, utterance, after previous, speaker, justice, vote, side, text.

    An utterance without a predecessor (``FALSE`` in the third field) begins a conversation. The side is the one that
    the speaker represents; a justice has the side ``justice``. The ``gender`` of speakers comes from the corpus's
    supreme.gender.txt, if it is in the same folder.
    """
    known = path.with_name("supreme.gender.txt")
    lines = (line.text.rpartition(MARK) for line in text_lines(known)) if known.exists() else ()
    genders = {speaker.strip(): gender.strip() for speaker, _, gender in lines}

    def turns() -> Iterator[tuple[str, Line, Document]]:
        case, count = "", 0
        for line in text_lines(path):
            # The blank completes the mark before an utterance without words.
            parts = [part.strip() for part in f"{line.text} ".split(MARK, 7)]
            if len(parts) != 8:
                raise line.fault(counted(len(parts), "field"), f"8 with{MARK}between them")
            name, _, follows, speaker, justice, _, side, text = parts
            if name != case:
                case, count = name, 1
            elif follows == "FALSE":
                count += 1
            side = "justice" if justice == "JUSTICE" else side.lower()
            yield f"{case}-{count}", line, _turn(text, speaker, side, genders.get(speaker, ""))

    return _conversations(turns())


class Utterance(msgspec.Struct):
    """A line of ConvoKit's files."""

    conversation_id: str | int
    text: str
    speaker: Any = None
    meta: dict[str, Any] | None = None


def read_convokit(path: Path) -> Iterator[Record]:
    """ConvoKit's ``utterances.jsonl``: the utterances of each conversation, in the file's order.

    In the Supreme Court corpora the side of a justice is ``justice``, that of an advocate the side represented.
    """

    def turns() -> Iterator[tuple[str, Line, Document]]:
        for line in text_lines(path):
            one = line.decoded(Utterance)
            speaker = one.speaker.get("id") if isinstance(one.speaker, Mapping) else one.speaker
            if speaker is None:
                raise line.fault("an utterance without speaker", "one")
            yield str(one.conversation_id), line, _turn(one.text, speaker, _side(one.meta or {}))

    return _conversations(turns())


def _conversations(turns: Iterable[tuple[str, Line, Document]]) -> Iterator[Record]:
    """The conversations of turns, each with its conversation's id and its line, as they follow each other.

    Raises DataError if the turns of one conversation are not consecutive, as they are in every published corpus.
    """
    done = set[str]()
    for ident, group in groupby(turns, key=lambda turn: turn[0]):
        _, lines, documents = zip(*group, strict=True)
        if ident in done:
            remedy = "sort the file by conversation"
            raise lines[0].fault(f"the conversation {ident!r} again", "its utterances together", remedy)
        done.add(ident)
        yield Record(ident, documents, where=lines[0].where)


class Part(msgspec.Struct):
    """A turn of a debate."""

    paragraphs: list[str]
    speaker: Any = None
    speakertype: Any = None


class Debate(msgspec.Struct):
    """A debate of IQ2."""

    transcript: list[Part]
    title: Any = None


def read_iq2(path: Path) -> Iterator[Record]:
    """The IQ2 debates: the side is the speaker's type (for, against, mod, host, audience …).

    Each turn's paragraphs are joined by a space; the debate's title is the record's attribute ``title``.
    """
    where = path.name
    try:
        with _content(path) as content:
            debates = msgspec.json.decode(content.read(), type=dict[str, msgspec.Raw])
        for name, debate in debates.items():
            where = f"{path.name} (debate {name!r})"
            read = msgspec.json.decode(debate, type=Debate)
            turns = (_turn(" ".join(t.paragraphs), t.speaker, t.speakertype) for t in read.transcript)
            yield Record(name, tuple(turns), attributes=_given(title=read.title), where=where)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        wanted = "one JSON object of debates, each with a list 'transcript' of turns with a list of texts 'paragraphs'"
        raise DataError(f"{where}: found no debate ({error}); expected {wanted}; correct it.") from None


def _turn(text: str, speaker: Any, side: Any, gender: str = "") -> Document:
    known = _given(speaker=speaker, side=side, gender=gender)
    return Document(_plain(text), {name: value for name, value in known.items() if value.upper() != UNKNOWN})


def _given(**attributes: Any) -> dict[str, str]:
    """The attributes with a value, as texts."""
    texts = {name: str(value or "").strip() for name, value in attributes.items()}
    return {name: text for name, text in texts.items() if text}


def _side(meta: Mapping[str, Any]) -> str:
    if meta.get("speaker_type") == "J" or meta.get("is-justice") in (True, "JUSTICE"):
        return "justice"
    side = meta.get("side", meta.get("side-presented"))
    return SIDES.get(side, "") if isinstance(side, int) else str(side or "").lower()


# ---- The published formats, by name


FORMATS: Mapping[str, Callable[[Path], Iterator[Record]]] = {
    "labelled": read_labelled,
    "semeval": read_semeval,
    "mitweet": read_mitweet,
    "fewsum": read_fewsum,
    "amazon": read_amazon,
    "court": read_court,
    "convokit": read_convokit,
    "iq2": read_iq2,
}


def format_of(path: Path) -> str | None:
    """The published format of a file, from its beginning; None if there is none. RequestError if there is no such file."""
    if path.is_dir():
        return "fewsum" if any(path.glob("**/*.csv")) else None
    with _content(path) as content:
        begins = content.readline(PEEK).decode("utf-8", "replace")
    columns = {cell.strip().lower() for cell in begins.split("\t")}
    signs = {
        "court": "+++$+++" in begins,
        "labelled": BARS in begins,
        "semeval": {"id", "target", "tweet", "stance"} <= columns,
        "mitweet": {"topic", "tweet", "I1"} <= {cell.strip().strip('"') for cell in begins.split(",")},
        "fewsum": "group_id" in columns or {"rev1", "rev2"} <= columns,
        "amazon": '"reviewText"' in begins,
        "convokit": '"conversation_id"' in begins and '"speaker"' in begins,
        "iq2": path.suffix == ".json" and '"transcript"' in begins,
    }
    return next((name for name, has_sign in signs.items() if has_sign), None)
