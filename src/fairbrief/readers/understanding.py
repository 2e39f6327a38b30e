"""Proposes how ``audit`` reads files: the likely role of each field, by its name and its values in the first rows.

All of it is in this module, since the role of a field depends on those of all others. What is not obvious, such as bins of
numbers or the list of records inside a JSON document, is left to the options of ``audit``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from fairbrief.errors import RequestError
from fairbrief.readers import files
from fairbrief.readers.fields import ABSENT, ENDS, OWN, find, flat, list_of_path
from fairbrief.readers.formats import JSON_LIST
from fairbrief.readers.input_sources import Source, find_sources, no_record, not_a_row
from fairbrief.readers.messages import at

HEAD = 1_000
"""Rows of a file that are inspected."""
WORDS = 4
"""A value with at least this many words, or as many characters as eight times that, is a text."""
MOST_GROUPS = 20
USUAL = {"id-field": "id", "references-field": "references", "system-field": "system"}
"""Setting → its default."""
SEPARATORS = (" ||||| ", "|||||", " || ", "||", "\n\n", "</s>", "<doc-sep>")
"""Separators of documents in one text; the first that most texts contain is used."""
LAST_NUMBER = re.compile(r"(?<!\d)\d+(\D*)\Z")
NAMES = {
    "id": r"(.*[_\- .])?(id|ids|key|asin|sku|isbn|uuid|guid|nr|no|number|code)",
    "system": r"(system|model|engine|provider|llm|bot|generator|summarizer)([_\- ]?(id|name))?",
    "summary": r".*(summar|abstract|tl;?dr|headline|completion|generated|prediction|decoded|output|response|zusammenfassung).*",
    "reference": r"(human[_\- ])?(references?|gold|targets?|ground[_\- ]?truth|highlights)([_\- ]?(summary|text))?",
    "documents": r".*(document|review|article|source|text|body|comment|tweet|post|transcript|utterance|message|passage|"
    r"content|dialogue|feedback|opinion|speech|statement|story|report|bewertung).*",
}  # fmt: skip
"""Content → the usual names of fields with it."""


SUMMARY = "a summary"
"""The role of a field with summaries."""


class Column:
    """A field, or a path to one, with its values in the first rows, without absent and blank ones.

    ``is_text``: most of its values (or of their parts, if they are lists) are sentences rather than names. ``has_groups``:
    they could be groups, since there are few, each in several rows.
    """

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name, self.values = name, values
        self.is_list = any(isinstance(value, list) for value in values)
        lists = (value if isinstance(value, list) else [value] for value in values)
        cells = [cell for cells in lists for cell in cells if cell is not None]
        texts = [cell for cell in cells if isinstance(cell, str)]
        long = [text for text in texts if len(text.split()) >= WORDS or len(text) >= 8 * WORDS]
        self.is_text = len(long) > len(cells) / 2
        self.length = sum(map(len, texts)) / max(1, len(texts))
        self.groups = {str(cell) for cell in cells if not isinstance(cell, (list, dict))}
        self.has_groups = 2 <= len(self.groups) <= min(MOST_GROUPS, len(cells) / 2 + 1)
        self.is_number = all(re.fullmatch(r"-?\d+([.,]\d+)?", group) for group in self.groups)
        self.is_fixed = name not in OWN and ENDS.split(name, maxsplit=1)[0] in OWN
        """Whether it is inside a field with a fixed name, such as ``entities``."""

    def is_called(self, what: str) -> bool:
        """Whether its name is usual for this content: the last part of its path, or for texts any part."""
        parts = [part for part in re.split(r"[.\[\]]", self.name.lower()) if part.strip()] or [""]
        compared = parts if what in ("summary", "documents") else parts[-1:]
        return any(re.fullmatch(NAMES[what], part.strip()) for part in compared)

    def lengths(self, separator: str | None) -> list[int]:
        """The number of values in each row: of a list, or of a text that is split."""
        split = (str(v).split(separator) if separator and not isinstance(v, list) else v for v in self.values)
        return [len(parts) if isinstance(parts, list) else 1 for parts in split]

    def mark(self, marks: Sequence[str]) -> str | None:
        """The first mark that most of its texts contain; None for lists."""
        texts = [] if self.is_list else [str(value) for value in self.values]
        return next((mark for mark in marks if sum(mark in text for text in texts) > len(texts) / 2), None)


Columns = Mapping[str, Column]


class InspectedFile(NamedTuple):
    """A file and its first rows."""

    path: str
    source: Source
    rows: list[Mapping[str, Any]]
    columns: Columns

    @property
    def is_of_a_tool(self) -> bool:
        """Whether it is a file of another tool, whose rows are converted to ours."""
        return bool(self.source.tool) and self.source.format is not JSON_LIST

    @property
    def documents(self) -> str | None:
        """The field, or the pattern, of the documents."""
        columns = self.columns
        if usual := next((name for name in ("documents", "documents[*].text") if name in columns), None):
            return usual
        if self.is_of_a_tool:
            return next((name for name in columns if name.startswith("documents")), None)
        for pattern, fitting in _numbered(columns).items():
            if all(c.is_text or not c.values for c in fitting) and not fitting[0].is_called("summary"):
                return pattern
        texts = [
            c for c in columns.values()
            if c.is_text and not (c.is_fixed or c.is_called("reference") or c.is_called("summary"))
        ]  # fmt: skip
        best = max(texts, key=lambda c: (c.is_called("documents"), c.is_list, c.length), default=None)
        return None if best is None else best.name

    def is_same_within(self, keys: Sequence[str], name: str) -> bool:
        """Whether a field has the same value in all rows with the same keys."""
        known: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for row in self.rows:
            if (value := find(row, name)) not in (ABSENT, None, ""):
                known[tuple([str(find(row, key)) for key in keys])].add(str(value))
        return all(len(values) == 1 for values in known.values())


def inspect_file(path: str) -> InspectedFile:
    """The first rows of a file. Raises as an audit does if there is no readable row, and for one object around a list."""
    source = find_sources(path)[0]
    rows = list(islice(source.read(), HEAD))
    readable = [row for _, row in rows if isinstance(row, Mapping)]
    if not rows:
        raise no_record(source.name)
    if not readable:
        number, row = rows[0]
        raise at(f"{source.name}:{number}", not_a_row(row))
    if len(rows) == 1 and [*map(type, readable[0].values())] == [list]:
        what = f"one object with the list {next(iter(readable[0]))!r}"
        raise RequestError(f"{source.name}: found {what}. If these are records, give --format json-list.")
    values: dict[str, list[Any]] = defaultdict(list)
    for row in readable:
        for name, value in flat(row):
            is_blank = value is None or (isinstance(value, str) and not value.strip())
            values[name] += [] if is_blank else [value]
    return InspectedFile(path, source, readable, {name: Column(name, v) for name, v in values.items()})


def _numbered(columns: Columns) -> dict[str, list[Column]]:
    """Fields whose names differ only in a number, by their pattern: ``review_*``."""
    result: dict[str, list[Column]] = defaultdict(list)
    for name, column in columns.items():
        if (match := LAST_NUMBER.search(name)) is not None and match.start():
            result[f"{name[: match.start()]}*{match[1]}"].append(column)
    return {pattern: fitting for pattern, fitting in result.items() if len(fitting) > 1}


def is_plain(path: str) -> bool:
    """Whether a file has one summary per line and no fields."""
    return Path(path).is_file() and files.endings(Path(path))[0] in ("txt", "out", "hyp", "pred")


# ------------------------------------------------------------------------------------- the proposal


@dataclass(slots=True)
class Understanding:
    """Settings that equal options of ``audit``, and the role of each field."""

    settings: dict[str, Any]
    roles: dict[str, str] = field(default_factory=dict)

    def take(self, key: str, column: str, role: str) -> None:
        """Add the role of a field, and its setting unless the field is its default."""
        if column != USUAL.get(key):
            self.settings[key] = column
        self.roles[column] = role


def understand(inspected: Sequence[InspectedFile], plain: Sequence[str] = ()) -> Understanding:
    """Settings for some files; ``plain`` are those with one summary per line.

    The files with documents are the input; those without are summaries, matched by shared ids. Raises RequestError if
    no file seems to have documents.
    """
    sources = [one for one in inspected if one.documents]
    sources = [one for one in sources if Column(one.documents or "", []).is_called("documents")] or sources
    if not sources:
        for one in inspected:
            if one.is_of_a_tool:
                what = f"{one.source.name} is {one.source.tool}, and has no documents."
                raise RequestError(f"{what} Add the file with them: fairbrief init RECORDS {one.path}")
        paths = ", ".join(one.path for one in inspected)
        name_it = "Name their field: fairbrief audit FILE --documents-field FIELD"
        raise RequestError(f"No file seems to have documents: {paths}. {name_it}")
    if len({frozenset(one.columns) for one in sources}) > 1 and not all(one.is_of_a_tool for one in sources):
        sources = [max(sources, key=lambda one: len(one.rows))]  # the others have fewer texts: summaries
    first, summary_files = sources[0], [one for one in inspected if one not in sources]
    beside = [*(one.path for one in summary_files), *plain]
    result = Understanding({"files": [one.path for one in sources]})
    if not first.is_of_a_tool:
        _describe(first, result, has_summaries=not beside)
    if beside:
        result.settings["summaries"] = beside
    if summary_files and not summary_files[0].is_of_a_tool:
        _match(first, summary_files[0], result)
    return result


def _describe(one: InspectedFile, proposal: Understanding, *, has_summaries: bool) -> None:
    """Add the fields of records: ids, documents, summaries, references and attributes."""
    columns, documents = one.columns, one.documents or ""
    systems = _summaries(columns, documents) if has_summaries else []
    key, is_long = _id(one, documents, systems, is_alone=has_summaries)
    if key is not None and is_long:
        proposal.take("group-by", key, "the record's id; each row is one document")
    elif key is not None:
        proposal.take("id-field", key, "the record's id")
    if documents != "documents" and not documents.startswith("documents[*].text"):
        proposal.settings["documents-field"] = [documents]
    proposal.roles[documents] = "its text" if is_long else "the documents"
    if documents in columns and not is_long and (mark := columns[documents].mark(SEPARATORS)):
        proposal.settings["separator"] = mark
    if has_summaries:
        _take_summaries(columns, systems, proposal)
    others = [c for c in columns.values() if c.name not in systems]
    references = [c.name for c in others if c.is_called("reference") and c.is_text]
    if references:
        proposal.take("references-field", references[0], "a summary by people")
    _take_attributes(one, documents, key if is_long else None, proposal)


def _id(one: InspectedFile, documents: str, systems: list[str], *, is_alone: bool) -> tuple[str | None, bool]:
    """The field with the record's id, and whether it is repeated in rows of one document each."""
    rows, columns = one.rows, one.columns
    rest = [
        c for name, c in columns.items()
        if name not in (documents, *systems) and len(c.values) == len(rows) and not (c.is_list or c.is_text)
    ]  # fmt: skip
    named = [c for c in rest if c.is_called("id")]
    if documents in columns and not columns[documents].is_list:
        writer = [c.name for c in rest if c.is_called("system")][:1] if systems else []
        repeated = [
            c for c in rest
            if c.name not in writer and 1 < len(c.groups) <= len(rows) / 1.5
            and not one.is_same_within([c.name], documents)
            and all(one.is_same_within([c.name, *writer], system) for system in systems)
        ]  # fmt: skip
        if repeated and systems:  # rows with the same summary are one record, or a part of one
            return min(repeated, key=lambda c: (len(c.groups), c not in named, c.is_number)).name, True
        has_unique = is_alone and any(len(c.groups) == len(rows) for c in named)
        others = [] if has_unique else [c for c in repeated if not c.is_number]
        if likely := [c for c in repeated if c in named] or others:
            return max(likely, key=lambda c: len(c.groups)).name, True
    if not named:  # of a record's documents, repeated for each system
        same, repeated = one.is_same_within, [c for c in rest if len(c.groups) < len(rows)]
        named = [c for c in repeated if same([c.name], documents) and same([documents], c.name)]
    return max(named, key=lambda c: (c.name == "id", len(c.groups))).name if named else None, False


def _summaries(columns: Columns, documents: str) -> list[str]:
    """The fields with summaries of systems, or the references if there are none."""
    named = [
        c.name for c in columns.values()
        if c.name != documents and c.is_called("summary") and (c.is_text or c.name == "summary")
        and not (c.is_called("reference") or c.is_fixed)
    ]  # fmt: skip
    return named or [c.name for c in columns.values() if c.is_called("reference") and c.is_text]


def _take_summaries(columns: Columns, systems: Sequence[str], proposal: Understanding) -> None:
    """Add the fields of summaries, and the field with the system if the summaries are in one field."""
    proposal.roles |= dict.fromkeys(systems, SUMMARY)
    systems = [name.replace("[*]", "[0]") for name in systems]
    if len(systems) > 1:
        begin = commonprefix(list(systems))  # noqa: RUF071 - of any texts
        begin = begin[: max(begin.rfind(mark) for mark in "_-:. ") + 1]
        proposal.settings["summary-field"] = [f"{begin}*"] if begin else systems
        return
    if systems and systems[0] != "summary":
        proposal.settings["summary-field"] = systems
    named = [c for c in columns.values() if c.is_called("system") and c.values]
    names = [c.name for c in named if not (c.is_text or c.is_list or c.is_fixed)]
    if names:
        proposal.take("system-field", names[0], "the system")


def _take_attributes(one: InspectedFile, documents: str, key: str | None, proposal: Understanding) -> None:
    """Add the attributes: of documents if they differ within a record, otherwise of the record.

    Fields with more or fewer values than there are documents are none.
    """
    columns = dict(one.columns)
    if "*" in documents and "[*]" not in documents:  # fields numbered like those of the documents: stars_*
        for pattern, fitting in _numbered(columns).items():
            columns[pattern] = Column(pattern, [[value] for c in fitting for value in c.values])
            columns = {name: c for name, c in columns.items() if c not in fitting}
    text, separator = columns.pop(documents, None), proposal.settings.get("separator")
    inside = list_of_path(documents)
    fixed = (f"{inside}.attributes.", f"{inside}.text", f"{inside}.id")
    names = {"attribute": list[str](), "record-attribute": list[str]()}
    for path, c in columns.items():
        mark = c.mark([separator.strip(), "|"]) if separator else None
        is_other = path in proposal.roles or path in OWN or c.is_fixed or path.startswith(fixed)
        if is_other or not (mark or c.has_groups):
            continue
        if (inside and path.startswith(f"{inside}.")) or "*" in path.replace("[*]", ""):
            is_of_documents = True
        elif c.is_list or mark is not None:
            is_of_documents = True
            if text is None or text.lengths(separator) != c.lengths(mark):
                continue
        elif key is not None:
            is_of_documents = not one.is_same_within([key], path)
        else:
            is_of_documents = text is not None and not text.is_list and separator is None
        # Under its last name, or under its path if another has that name.
        last = path.rpartition(".")[2].replace("*", "").strip("_- ")
        taken = [given.partition("=")[0] for several in names.values() for given in several]
        name, source = path if last in taken else last, path.removeprefix("documents[*].")
        kind = "attribute" if is_of_documents else "record-attribute"
        names[kind].append(name if name == source else f"{name}={source}")
        proposal.roles[path] = f"an attribute of {'documents' if is_of_documents else 'the record'}"
    proposal.settings |= {kind: several for kind, several in names.items() if several}


def _match(first: InspectedFile, summary_file: InspectedFile, proposal: Understanding) -> None:
    """Add the field that matches a file of summaries, and its fields of summaries and systems."""
    columns = summary_file.columns
    key = proposal.settings.get("group-by") or proposal.settings.get("id-field") or "id"
    known = {str(find(row, key)) for row in first.rows}
    shared = [c for c in columns.values() if sum(str(v) in known for v in c.values) > len(c.values) / 2]
    if shared:
        name = max(shared, key=lambda c: (c.name == key, len(c.groups))).name
        if name != key:
            proposal.settings["summaries-id-field"] = name
        proposal.roles[f"{name} ({summary_file.path})"] = "the record's id"
    texts = [c.name for c in columns.values() if c.is_text]
    _take_summaries(columns, _summaries(columns, "") or texts[:1], proposal)
