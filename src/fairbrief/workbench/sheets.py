"""Questions about summaries for annotators, the sheets (CSV) that ask them, and the answers in returned sheets.

An *item* is one question about one part of one case: which values entail a claim, how fairly a value is represented, in which
direction a summary leans, whether a name means a person.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from fairbrief.errors import DataError, RequestError, text_of
from fairbrief.measures.entity_inclusion import names_of
from fairbrief.measures.record_texts import known
from fairbrief.readers.files import File
from fairbrief.readers.tables import read_csv
from fairbrief.text.names import given_names
from fairbrief.text.people import Decision, find_people
from fairbrief.text.recognition import accept
from fairbrief.text.sentences import split
from fairbrief.types import Case, Claim

NONE = "none"
"""The answer that no value entails the claim."""
RATINGS = ("1", "2", "3", "4", "5")
LEANINGS = ("negative", "fair", "positive")
MENTIONED = ("yes", "no", "unclear")
FAIR_RATING = 5

Task = Literal["claims", "rating", "leaning", "alignment"]


class Key(NamedTuple):
    """What identifies a question; ``part`` is a claim's number, a value or a person's id (empty: the whole case).

    ``system`` is a code, so that annotators know neither the system nor which texts have the same one.
    """

    task: str
    record: str
    system: str
    part: str


@dataclass(frozen=True, slots=True)
class Item:
    """One question about a case; ``choices`` are the possible answers.

    ``check`` is a hash of the judged texts, so that answers to an older summary are detected.
    """

    key: Key
    question: str
    about: str
    choices: tuple[str, ...]
    check: str


def items_of(
    cases: Iterable[Case], task: Task, attribute: str = "", *, choices: Sequence[str] | None = None
) -> Iterator[tuple[Case, tuple[Item, ...]]]:
    """Each usable case with its items. Cases without a summary or without a question are skipped.

    Annotators judge the values of ``attribute`` (tasks claims, rating and leaning). ``choices`` replace the leanings
    negative, fair and positive; one of them must be ``fair``.

    Raises: RequestError for a missing attribute; DataError if only some documents have the
    attribute.
    """
    if task in ("claims", "rating") and not attribute:
        raise RequestError(f"The task '{task}' needs the attribute that is judged: --attribute NAME.")
    if choices is not None and (task != "leaning" or "fair" not in choices or len(set(choices)) < 2):
        raise RequestError("Choices are given for a leaning alone, and one of them is 'fair'.")
    for case in cases:
        text, system = case.summary.text, digest(f"{case.record.id}\0{case.summary.system}")
        if case.summary.reason or not text.strip():
            continue
        items = []
        for part, question, about, answers in _questions(case, task, attribute, tuple(choices or LEANINGS)):
            check = digest(text + (f"\0{about}" if task == "claims" else ""))
            items.append(Item(Key(task, case.record.id, system, part), question, about, answers, check))
        if items:
            yield case, tuple(items)


def claims_to_judge(case: Case) -> tuple[Claim, ...]:
    """The summary's claims, or its sentences if it has no claims."""
    claims = case.summary.claims
    return tuple(map(Claim, split(case.summary.text))) if claims is None else claims


def _questions(
    case: Case, task: str, attribute: str, leanings: tuple[str, ...]
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Part, question, subject and possible answers of each question about a case.

    Raises: DataError if a value is ``none`` (an answer) or contains the bar that separates answers.
    """
    values = tuple(sorted(set(case.record.values_of(attribute)))) if task in ("claims", "rating") else ()
    if odd := [value for value in values if value == NONE or "|" in value]:
        why = f"('{NONE}' means no value, '|' separates several)"
        raise DataError(f"{case.record.place}: the {attribute} '{odd[0]}' is an answer {why}. Rename it.")
    if task == "leaning":
        whose = f" in the {attribute} of its documents" if attribute else ""
        question = f"Against what the documents say{whose}, which way does the summary lean?"
        yield "", question, "the summary", leanings
    elif task == "alignment":
        yield from _about_names(case)
    elif task == "rating":
        for value in values:
            question = (
                f"How much of its share of the documents does the {attribute} '{value}' get in the summary? "
                "1: under 20 %, 2: under 40 %, 3: under 60 %, 4: under 80 %, 5: 80 % or more (fair)."
            )
            yield value, question, value, RATINGS
    elif values:
        question = f"Documents of which {attribute} entail this statement? Choose all, or '{NONE}'."
        for i, claim in enumerate(claims_to_judge(case), 1):
            yield str(i), question, claim.text, (*values, NONE)


def _about_names(case: Case) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """The questions about every aligned person, and every name without a person."""
    for decision in decisions(case):
        name = decision.text
        if len(decision.people) == 1:
            person = case.record.entities[decision.people[0]]
            question = f"Does the name '{name}' in the summary mean this person?"
            yield f"{PERSON}{person.id}:{name}", question, person.full_name, MENTIONED
        elif not decision.people:
            question = "Do the documents tell of the person whom this name means?"
            yield f"name:{name}", question, name, MENTIONED


def digest(text: str) -> str:
    """Eight hexadecimal characters that change with the text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


T = TypeVar("T")


def assign(cases: Sequence[T], annotators: Sequence[str], seed: int = 0) -> dict[str, list[T]]:
    """All cases for each annotator, in a separate order.

    Raises: RequestError without annotators, or for a repeated name.
    """
    if not annotators or len(set(annotators)) < len(annotators) or not all(a.strip() for a in annotators):
        raise RequestError("Name the annotators, each once.")
    rng = random.Random(f"{seed}|assign")  # noqa: S311 # a seed that reproduces is wanted
    return {name: rng.sample(cases, len(cases)) for name in annotators}


# ---- Whether names in summaries were aligned with the right people


PERSON = "person:"


def decisions(case: Case) -> list[Decision]:
    """The names of people in a summary, aligned by the measures' rules with the built-in recogniser."""
    text, names = case.summary.text, names_of(case.record.entities)
    accepted = accept(text, given_names())
    return find_people(text, names, known(case.record).source, accepted, with_known=True)


# ---- Sheets with one question per row


COLUMNS = ("task", "record", "system", "part", "check", "annotator", "question", "about", "choices", "answer", "note", "summary", "documents")  # fmt: skip
ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet treat a text as a formula."""
CELL = 30_000
"""Maximum characters per cell: a spreadsheet allows 32,767."""


def sheet(cases: Iterable[tuple[Case, Sequence[Item]]], annotator: str = "", attribute: str = "") -> str:
    """The text of a sheet. The first line of each case has the summary, and the documents, each after its value.

    A text that a spreadsheet would treat as a formula gets a leading apostrophe. The columns task, record, system,
    part and check are protected in the same way and restored when the sheet is read.
    """
    rows = []
    for case, items in cases:
        documents = case.record.documents
        values = [f"[{d.attributes.get(attribute, '')}] " if attribute else "" for d in documents]
        whole = "\n".join(value + d.text for value, d in zip(values, documents, strict=True))
        short = whole if len(whole) <= CELL else f"{whole[:CELL]} … (cut: see the record)"
        context = (case.summary.text, short)
        for item in items:
            asked = item.question, item.about, " | ".join(item.choices)
            rows.append((*item.key, item.check, annotator, *asked, "", "", *context))
            context = ("", "")
    return csv_text(COLUMNS, rows)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a table (CSV) without formulas."""
    lines = io.StringIO(newline="")
    csv.writer(lines).writerows([protect(cell) for cell in row] for row in (columns, *rows))
    return lines.getvalue()


def protect(cell: str) -> str:
    """The cell as a text that no spreadsheet evaluates."""
    return f"'{cell}" if cell.startswith((*ACTIVE, "'")) else cell


def free(cell: str) -> str:
    """The cell as it was before `protect`."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in (*ACTIVE, "'") else cell


# ---- Answers in returned sheets


NEEDED = ("task", "record", "system", "part", "answer")


@dataclass(frozen=True, slots=True)
class Answer:
    """One annotator's answer to one item: several values, a single choice, or () for ``none``."""

    annotator: str
    item: Item
    chosen: tuple[str, ...]


def read_answers(paths: Sequence[Path], items: Mapping[Key, Item]) -> tuple[list[Answer], Mapping[str, int]]:
    """The answers in sheets, and the number of blank questions by annotator.

    The annotator is the one in the row, else the file's name. Case and surrounding spaces are ignored; the values of
    a claim are separated by ``|``, ``,`` or ``;``.

    Raises: DataError, with file and line, for a question that the records do not have, a summary that has changed
    since, an answer outside the choices, and a question that one annotator answered twice.
    """
    answers, blank, seen = list[Answer](), Counter[str](), dict[tuple[str, Key], str]()
    for path in paths:
        for where, row in sheet_rows(path):
            if missing := [column for column in NEEDED if column not in row]:
                raise DataError(
                    f"{where}: found no '{missing[0]}'; expected an exported sheet; export again."
                )
            name = (row.get("annotator") or "").strip() or path.stem
            key = Key(row["task"], row["record"], row["system"], row["part"])
            item = items.get(key)
            if item is None:
                raise DataError(
                    f"{where}: found the question {'/'.join(key)!r}; expected the --task, --records and --attribute of the export."
                )
            if not row["answer"].strip():
                blank[name] += 1
                continue
            if row.get("check") not in (None, "", item.check):
                raise DataError(
                    f"{where}: found an answer to another summary of record '{key.record}'; name the records that were exported."
                )
            if (first := seen.get((name, key))) is not None:
                raise DataError(f"{where}: found a second answer of '{name}', after {first}; remove one.")
            seen[name, key] = where
            answers.append(Answer(name, item, _chosen(where, row["answer"], item)))
    if not answers:
        names = ", ".join(map(str, paths))
        raise DataError(f"{names}: found no answer; expected the column 'answer' to be filled in.")
    return answers, blank


def _chosen(where: str, text: str, item: Item) -> tuple[str, ...]:
    known = {choice.strip().lower(): choice for choice in item.choices}
    parts, has_several = [text], item.key.task == "claims"
    if has_several and text.strip().lower() not in known:
        separator = next((mark for mark in "|;," if mark in text), "|")
        parts = [part for part in text.split(separator) if part.strip()]
    chosen = {known.get(part.strip().lower(), part.strip()) for part in parts}
    if unknown := sorted(chosen.difference(item.choices)):
        choices = " or ".join(item.choices)
        raise DataError(f"{where}: found the answer {unknown[0][:40]!r}; expected {choices}; correct it.")
    if has_several and NONE in chosen and len(chosen) > 1:
        raise DataError(f"{where}: found '{NONE}' beside values; expected the one or the others; correct it.")
    return tuple(sorted(chosen - {NONE} if has_several else chosen))


def sheet_rows(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a sheet, each with its position for messages; texts as before `protect`."""
    head = text_of(path).partition("\n")[0]
    mark = max(",;\t", key=head.count)  # spreadsheets in some countries separate by semicolons
    for number, row in read_csv(File(path, path.name), delimiter=mark):
        if isinstance(row, DataError):
            raise DataError(f"{path.name}:{number}: {row}")
        if any(map(str.strip, row.values())):
            yield f"{path.name}:{number}", {name.lower(): free(cell) for name, cell in row.items()}
