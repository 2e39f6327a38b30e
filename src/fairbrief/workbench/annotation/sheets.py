"""Sheets and pages with one question per line, and the answers in returned files."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.reports.pages import digest
from fairbrief.types import Case
from fairbrief.workbench.annotation.items import NONE, TASKS, Item

COLUMNS = ("task", "record", "system", "part", "check", "annotator", "question", "about", "choices", "answer", "note", "summary", "documents")  # fmt: skip
ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet treat a text as a formula."""
SHOWN = ("task", "part", "check", "question", "about", "choices", "several")
"""The fields of an item that the page gets."""
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


# ----------------------------------------------------------------------------------------- the page


def page(
    cases: Iterable[tuple[Case, Sequence[Item]]], task: str, annotator: str = "", attribute: str = ""
) -> str:
    """The text of the page. It saves answers in the browser if that is allowed, and exports them as CSV or JSON."""
    here = files("fairbrief.workbench.annotation")
    style, script, frame = (
        (here / name).read_text(encoding="utf-8") for name in ("page.css", "page.js", "page.html")
    )
    data = {
        "task": task,
        "title": TASKS[task],
        "annotator": annotator,
        "cases": [_case(case, items, attribute) for case, items in cases],
    }
    parts = {
        "STYLE_HASH": digest(style),
        "SCRIPT_HASH": digest(script),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _data(data),
    }
    before, *rest = frame.split("%%")
    return before + "".join(parts.get(piece, piece) for piece in rest)


def _case(case: Case, items: Sequence[Item], attribute: str) -> dict[str, Any]:
    documents = [
        {"text": d.text, "value": d.attributes.get(attribute, "") if attribute else ""}
        for d in case.record.documents
    ]
    return {
        "record": case.record.id,
        "system": items[0].system,
        "summary": case.summary.text,
        "documents": documents,
        "items": [{name: getattr(item, name) for name in SHOWN} for item in items],
    }


def _data(data: Any) -> str:
    """JSON that cannot close the surrounding element."""
    text = json.dumps(data, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


# ---- Answers in returned sheets and files


Key = tuple[str, str, str, str]
NEEDED = ("task", "record", "system", "part", "answer")
MAY_LACK = ("annotator", "note")


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
    """The answers in sheets (CSV) and in the page's exports (JSON).

    The annotator is the one in the row, else the file's name. Case and surrounding spaces are ignored; the values of
    a claim are separated by ``|``, ``,`` or ``;``.

    Raises: DataError, with file and line, for a question that the records do not have, a summary that has changed
    since, an answer outside the choices, and a question that one annotator answered twice.
    """
    answers, seen = Answers(), dict[tuple[str, Key], str]()
    for path in paths:
        for where, row in sheet_rows(path):
            _check_texts(where, row)
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


def _check_texts(where: str, row: Mapping[str, Any]) -> None:
    for name in NEEDED:
        if not isinstance(row.get(name), str):
            raise DataError(f"{where}: found no '{name}'; wanted a line of an exported sheet; export again.")
    for name in MAY_LACK:
        if not isinstance(row.get(name) or "", str):
            raise DataError(
                f"{where}: found {str(row[name])[:40]!r} under '{name}'; wanted text; write it in quotes."
            )


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


def sheet_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a sheet (CSV) or of a page's export (JSON), each with its position for messages; texts as before
    `protect`.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RequestError(f"'{path}' cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name}: found a byte that is not UTF-8; save the sheet as CSV UTF-8."
        ) from error
    yield from _json_rows(path, text) if path.suffix == ".json" else _csv_rows(path, text)


def _csv_rows(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
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


def _json_rows(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path.name}: found what is not JSON ({error}); wanted the page's file.") from None
    rows: Iterable[Any] = content.get("answers", ()) if isinstance(content, dict) else ()
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{path.name}: found no answers; wanted the file that the page gave.")
    for i, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise DataError(f"{path.name} (answer {i}): found no object; wanted the file that the page gave.")
        yield f"{path.name} (answer {i})", row
