"""Readers of published data sets in the formats of their authors' releases.

Texts for mixing (tweets, reviews) become records of one document each; sets and conversations become records of many.
The record has the text's id, the document has the text's attributes, and the record has the attributes of the topic
(a product, a target). Each turn of a conversation is a document with the attributes ``speaker`` and, if known,
``side``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from fairbrief.errors import DataError
from fairbrief.readers.files import File, check
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record

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

    def fault(self, found: str, wanted: str, remedy: str = "mend the line") -> DataError:
        """An error about the line: position, what was found, what was expected, and a remedy."""
        return DataError(f"{self.where}: found {found}; wanted {wanted}; {remedy}.")

    def row(self, *needed: str) -> Mapping[str, Any]:
        """The JSON object in the line, which has the needed fields."""
        try:
            row = json.loads(self.text)
        except (ValueError, RecursionError) as error:
            remedy = "mend the line (single quotation marks are Python's, not JSON's)"
            raise self.fault(f"what is not JSON ({error})", "one JSON object", remedy) from None
        if not isinstance(row, dict):
            raise self.fault(f"a {type(row).__name__}", "one JSON object")
        for name in needed:
            if name not in row:
                known = ", ".join(map(repr, row)) or "none"
                raise self.fault(
                    f"the fields {known}", f"a field {name!r}", "add it, or choose another format"
                )
        return row


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
            raise line.fault(
                counted(len(cells), "field"), wanted, "mend the line (fields are separated by tabs)"
            )
        else:
            yield line, dict(zip(columns, cells, strict=True))


def check_columns(head: Line, columns: Sequence[str], needed: Sequence[str]) -> None:
    """DataError if one of the needed columns is missing."""
    for name in needed:
        if name not in columns:
            raise head.fault(
                f"no column {name}", f"the columns {', '.join(needed)}", "name the right --format"
            )


def whole(path: Path) -> str:
    """A file's whole text."""
    with _content(path) as content:
        return "".join(map(_decode, content))


def first_line(path: Path) -> str:
    """The beginning of a file of any kind."""
    with _content(path) as content:
        return content.readline(PEEK).decode("utf-8", "replace")


@contextmanager
def _content(path: Path) -> Iterator[IO[bytes]]:
    """A file's bytes, decompressed, without a byte order mark."""
    check(path)
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
    for line, cells in table_rows(path, "id", "target", "tweet", "stance"):
        row = {name: cell.strip() for name, cell in cells.items()}
        ident, target, tweet = row.pop("id"), row.pop("target"), row.pop("tweet")
        about = {name: value for name, value in row.items() if value}
        attributes = {"target": target}
        yield Record(f"{target}-{ident}", (Document(tweet, about),), attributes=attributes, where=line.where)


FACET = re.compile(r"I\d+")
IDEOLOGIES = {"0": "left", "1": "center", "2": "right"}


def read_mitweet(path: Path) -> Iterator[Record]:
    """The tweets of MITweet, with the attribute ``ideology`` and the record's ``topic``.

    A tweet is left or right if more than half of its labelled facets (``I1`` … ``I12``) are, otherwise center;
    without a labelled facet it has no ideology (Li et al., Appendix A.3: "left on most facets").
    """
    rows = csv.DictReader(io.StringIO(whole(path), newline=""))
    columns = rows.fieldnames or []
    facets = [name for name in columns if FACET.fullmatch(name)]
    check_columns(Line(path, 1, ""), columns, ("topic", "tweet", *(facets or ["I1"])))
    for i, row in enumerate(rows, 1):
        line = Line(path, rows.line_num, "")
        labels = [(row[name] or "").strip() for name in facets]
        if wrong := set(labels).difference(("", "-1", *IDEOLOGIES)):
            raise line.fault(f"the facet label {min(wrong)!r}", "-1, 0, 1 or 2")
        known = [IDEOLOGIES[label] for label in labels if label in IDEOLOGIES]
        side = next((s for s in ("left", "right") if 2 * known.count(s) > len(known)), "center")
        topic, tweet = ((row[name] or "").strip() for name in ("topic", "tweet"))
        document = Document(tweet, {"ideology": side} if known else {})
        yield Record(f"{topic}-{i}", (document,), attributes={"topic": topic}, where=line.where)


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
        raise DataError(f"{path}: found no .csv file; wanted FewSum's tables; name the folder they are in.")
    for file in files:
        yield from _fewsum_file(file)


def read_amazon(path: Path) -> Iterator[Record]:
    """Amazon's reviews: one record each, with the attribute ``rating`` and the record's ``product`` (asin).

    A review without text becomes an empty document.
    """
    for line in text_lines(path):
        row = line.row("asin", "overall")
        product, rating = str(row["asin"]), rating_text(line, row["overall"])
        document = Document(_plain(str(row.get("reviewText") or "")), {"rating": rating})
        yield Record(
            f"{product}-{line.number}", (document,), attributes={"product": product}, where=line.where
        )


def rating_text(line: Line, value: Any) -> str:
    """A rating as text: ``5`` for 5, 5.0 and "5.0"."""
    try:
        rating = float(value)
    except (TypeError, ValueError):
        rating = math.nan
    if not math.isfinite(rating):
        raise line.fault(f"{value!r} as the rating", "a finite number")
    return f"{rating:g}"


def _fewsum_file(path: Path) -> Iterator[Record]:
    rows = list(table_rows(path))
    columns = rows[0][1] if rows else {}
    if any(REVIEW.fullmatch(name) for name in columns):
        yield from (_gold(line, row) for line, row in rows)
        return
    check_columns(Line(path, 1, ""), list(columns), ["review_text"])
    for product, group in groupby(rows, lambda row: row[1].get("group_id", "").strip() or path.stem):
        reviews = list(group)
        line, first = reviews[0]
        category = first.get("category", "").strip()
        attributes = {"product": product, **({"category": category} if category else {})}
        ratings = [row.get("rating", "").strip() for _, row in reviews]
        documents = tuple(
            Document(_plain(row["review_text"]), {"rating": rating_text(line, rating)} if rating else {})
            for (line, row), rating in zip(reviews, ratings, strict=True)
        )
        yield Record(product, documents, attributes=attributes, where=line.where)


def _gold(line: Line, row: Mapping[str, str]) -> Record:
    reviews = [text for name, text in row.items() if REVIEW.fullmatch(name) and text.strip()]
    summaries = [text for name, text in row.items() if SUMMARY.fullmatch(name) and text.strip()]
    product, category = (row.get("group_id") or row.get("prod_id") or "").strip(), row.get("cat", "").strip()
    # In the published Yelp gold sets the group_id column contains the category, the same for many rows.
    return Record(
        f"{line.path.stem}-{line.number}" + (f"-{product}" if product else ""),
        tuple(Document(_plain(text)) for text in reviews),
        tuple(map(_plain, summaries)),
        attributes={"category": category} if category else {},
        where=line.where,
    )


def _plain(text: str) -> str:
    """The text without the NUL characters in some scraped reviews."""
    return text.replace("\0", "").strip()


# ---- Conversations: the Supreme Court's oral arguments (plain and ConvoKit's), and the IQ2 debates


MARK = " +++$+++ "
NO_SIDE = ("NA", "")
"""Values for an unknown side or gender."""
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
    case, place, count, turns = "", "", 0, list[Document]()
    for line in text_lines(path):
        parts = line.text.split(MARK, 7)
        if len(parts) == 7 and line.text.rstrip().endswith(MARK.strip()):
            parts = [*parts[:6], parts[6].removesuffix(MARK.rstrip()), ""]  # an utterance without words
        if len(parts) != 8:
            raise line.fault(counted(len(parts), "field"), f"8 with{MARK}between them")
        name, _, follows, speaker, justice, _, side, text = (part.strip() for part in parts)
        if turns and (follows == "FALSE" or name != case):
            count += 1
            yield Record(f"{case}-{count}", tuple(turns), where=place)
            turns = []
        if name != case:
            count = 0
        if not turns:
            case, place = name, line.where
        side = "justice" if justice == "JUSTICE" else side.lower()
        turns.append(_turn(text, speaker, side, genders.get(speaker, "")))
    if turns:
        yield Record(f"{case}-{count + 1}", tuple(turns), where=place)


def read_convokit(path: Path) -> Iterator[Record]:
    """ConvoKit's ``utterances.jsonl``: the utterances of each conversation, in the file's order.

    In the Supreme Court corpora the side of a justice is ``justice``, that of an advocate the side represented. The
    utterances of one conversation must be consecutive, as in every published corpus.
    """
    done = set[str]()
    rows = ((line, line.row("conversation_id")) for line in text_lines(path))
    for ident, group in groupby(rows, lambda found: str(found[1]["conversation_id"])):
        utterances = list(group)
        first = utterances[0][0]
        if ident in done:
            remedy = "sort the file by conversation"
            raise first.fault(f"the conversation {ident!r} again", "its utterances together", remedy)
        done.add(ident)
        turns = tuple(_utterance(line, row) for line, row in utterances)
        yield Record(ident, turns, where=first.where)


def _utterance(line: Line, row: Mapping[str, Any]) -> Document:
    text, speaker = row.get("text"), row.get("speaker", row.get("user"))
    if not isinstance(text, str) or speaker is None:
        raise line.fault("an utterance without text or speaker", "both")
    known = speaker.get("id") if isinstance(speaker, Mapping) else speaker
    return _turn(text, str(known), _side(row.get("meta")))


def read_iq2(path: Path) -> Iterator[Record]:
    """The IQ2 debates: the side is the speaker's type (for, against, mod, host, audience …).

    Each turn's paragraphs are joined by a space; the debate's title is the record's attribute ``title``.
    """
    try:
        debates = json.loads(whole(path))
        if not isinstance(debates, dict):
            raise TypeError(f"a {type(debates).__name__} instead of an object")  # noqa: TRY301
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"{path.name}: found no debates ({error}); wanted one JSON object of debates."
        ) from None
    for name, debate in debates.items():
        where = f"{path.name} (debate {name!r})"
        try:
            turns = []
            for turn in debate["transcript"]:
                if not isinstance(turn["paragraphs"], list):
                    raise TypeError("paragraphs that are not a list")  # noqa: TRY301
                turns.append(
                    _turn(" ".join(turn["paragraphs"]), turn.get("speaker"), turn.get("speakertype"))
                )
        except (TypeError, KeyError, AttributeError) as error:
            wanted = "a list 'transcript' of turns with a list of texts 'paragraphs'"
            raise DataError(
                f"{where}: found no transcript ({error}); wanted {wanted}; mend the debate."
            ) from None
        attributes = {"title": str(debate["title"])} if debate.get("title") else {}
        yield Record(name, tuple(turns), attributes=attributes, where=where)


def _turn(text: str, speaker: Any, side: Any, gender: str = "") -> Document:
    given = {"speaker": speaker, "side": side, "gender": gender}
    known = {name: str(value or "").strip() for name, value in given.items()}
    return Document(
        _plain(text), {name: value for name, value in known.items() if value.upper() not in NO_SIDE}
    )


def _side(meta: Any) -> str:
    if not isinstance(meta, Mapping):
        return ""
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
    begins = first_line(path)
    if "+++$+++" in begins:
        return "court"
    if "<||>" in begins:
        return "labelled"
    columns = [cell.strip().lower() for cell in begins.split("\t")]
    if {"id", "target", "tweet", "stance"} <= set(columns):
        return "semeval"
    cells = {cell.strip().strip('"') for cell in begins.split(",")}
    if {"topic", "tweet", "I1"} <= cells:
        return "mitweet"
    if "group_id" in columns or {"rev1", "rev2"} <= set(columns):
        return "fewsum"
    if '"reviewText"' in begins:
        return "amazon"
    if '"conversation_id"' in begins and '"speaker"' in begins:
        return "convokit"
    return "iq2" if path.suffix == ".json" and '"transcript"' in begins else None
