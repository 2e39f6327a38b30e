"""Sheets (CSV) with one question per row, and the answers in returned sheets."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairbrief.errors import DataError, RequestError
from fairbrief.types import Case
from fairbrief.workbench.annotation.items import NONE, Item

COLUMNS = ("task", "record", "system", "part", "check", "annotator", "question", "about", "choices", "answer", "note", "summary", "documents")  # fmt: skip
ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet treat a text as a formula."""
CELL = 30_000
"""Maximum characters per cell: a spreadsheet allows 32,767."""


def sheet(cases: Iterable[tuple[Case, Sequence[Item]]], annotator: str = "", attribute: str = "") -> str:
    """The text of a sheet. The first line of each case has the summary and the documents.

    A text that a spreadsheet would treat as a formula gets a leading apostrophe. The columns task, record, system,
    part and check are protected in the same way and restored when the sheet is read.
    """
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    for case, items in cases:
        for i, item in enumerate(items):
            context = (case.summary.text, documents_text(case, attribute)) if i == 0 else ("", "")
            row = (
                *item.key,
                item.check,
                annotator,
                item.question,
                item.about,
                " | ".join(item.choices),
                "",
                "",
            )
            writer.writerow([protect(cell) for cell in (*row, *context)])
    return lines.getvalue()


def documents_text(case: Case, attribute: str) -> str:
    """The documents, one per line, each after its value."""
    lines = (
        f"[{document.attributes.get(attribute, '')}] {document.text}" if attribute else document.text
        for document in case.record.documents
    )
    whole = "\n".join(lines)
    return whole if len(whole) <= CELL else f"{whole[:CELL]} … (cut: see the record)"


def protect(cell: str) -> str:
    """The cell as a text that no spreadsheet evaluates."""
    return f"'{cell}" if cell.startswith((*ACTIVE, "'")) else cell


def free(cell: str) -> str:
    """The cell as it was before `protect`."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in (*ACTIVE, "'") else cell


# ---- Answers in returned sheets


Key = tuple[str, str, str, str]
NEEDED = ("task", "record", "system", "part", "answer")


@dataclass(frozen=True, slots=True)
class Answer:
    """One annotator's answer to one item: several values, a single choice, or () for ``none``."""

    annotator: str
    key: Key
    chosen: tuple[str, ...]
    note: str = ""


@dataclass(slots=True)
class Answers:
    """All answers, and the number of blank questions, by annotator."""

    given: list[Answer] = field(default_factory=list)
    blank: Counter[str] = field(default_factory=Counter)


def read_answers(paths: Sequence[Path], items: Mapping[Key, Item]) -> Answers:
    """The answers in sheets.

    The annotator is the one in the row, else the file's name. Case and surrounding spaces are ignored; the values of
    a claim are separated by ``|``, ``,`` or ``;``.

    Raises: DataError, with file and line, for a question that the records do not have, a summary that has changed
    since, an answer outside the choices, and a question that one annotator answered twice.
    """
    answers, seen = Answers(), dict[tuple[str, Key], str]()
    for path in paths:
        for where, row in sheet_rows(path):
            if missing := [column for column in NEEDED if column not in row]:
                raise DataError(
                    f"{where}: found no '{missing[0]}'; wanted a line of an exported sheet; export again."
                )
            name = (row.get("annotator") or "").strip() or path.stem
            key: Key = (row["task"], row["record"], row["system"], row["part"])
            item = items.get(key)
            if item is None:
                raise DataError(
                    f"{where}: found the question {'/'.join(key)!r}, which these records do not give rise to; "
                    "wanted the records that were exported; name them with --records (and the same --attribute)."
                )
            if not row["answer"].strip():
                answers.blank[name] += 1
                continue
            if row.get("check") not in (None, "", item.check):
                raise DataError(
                    f"{where}: found an answer to another summary of record '{key[1]}'; wanted "
                    "the text that was judged; name the records as they were exported."
                )
            if (first := seen.get((name, key))) is not None:
                raise DataError(
                    f"{where}: found a second answer of '{name}' to one question, after {first}; remove one of them."
                )
            seen[name, key] = where
            chosen = _chosen(where, row["answer"], item)
            answers.given.append(Answer(name, key, chosen, (row.get("note") or "").strip()))
    if not answers.given:
        raise DataError("There is no answer in these sheets: wanted the column 'answer' to be filled in.")
    return answers


def _chosen(where: str, text: str, item: Item) -> tuple[str, ...]:
    known = {choice.strip().lower(): choice for choice in item.choices}
    whole = known.get(text.strip().lower())
    parts = [text] if whole is not None or not item.several else _parts(text)
    chosen = []
    for part in parts:
        choice = known.get(part.strip().lower())
        if choice is None:
            raise DataError(
                f"{where}: found the answer {part.strip()[:40]!r}; wanted {' or '.join(item.choices)}; correct it."
            )
        chosen.append(choice)
    if not item.several:
        return (chosen[0],)
    if NONE in chosen and len(chosen) > 1:
        raise DataError(f"{where}: found '{NONE}' beside values; wanted the one or the others; correct it.")
    return tuple(sorted({choice for choice in chosen if choice != NONE}))


def _parts(text: str) -> list[str]:
    for mark in "|;,":
        if mark in text:
            return [part for part in text.split(mark) if part.strip()]
    return [text]


def sheet_rows(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a sheet, each with its position for messages; texts as before `protect`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RequestError(f"'{path}' cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name}: found a byte that is not UTF-8; save the sheet as CSV UTF-8."
        ) from error
    head = text.partition("\n")[0]
    mark = max(",;\t", key=head.count)  # spreadsheets in some countries separate by semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    columns: list[str] = []
    line = 1
    try:
        for cells in reader:
            if not columns:
                columns = [cell.strip().lower() for cell in cells]
            elif any(cell.strip() for cell in cells):
                row = {name: free(cell) for name, cell in zip(columns, cells, strict=False)}
                yield f"{path.name}:{line}", row
            line = reader.line_num + 1  # the first line of the next question: a cell may have several lines
    except csv.Error as error:
        raise DataError(
            f"{path.name}:{reader.line_num}: found what is not CSV ({error}); mend the sheet."
        ) from error
