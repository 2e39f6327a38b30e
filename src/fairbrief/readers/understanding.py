"""Proposes how ``audit`` reads files: the likely role of each field, by its name and its values in the first rows.

All of it is in this module, since the role of a field depends on those of all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files
from fairbrief.readers.fields import ABSENT, ENDS, OWN, Several, find, list_of_path, parse_cell
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import FileOptions, Source, find_sources, no_record, not_a_row
from fairbrief.readers.json_lines import Row
from fairbrief.readers.labelling import written
from fairbrief.readers.layouts import LAYOUTS, lists_of, load
from fairbrief.readers.messages import at

HEAD = 1_000
"""Rows of a file that are inspected."""
WORDS = 4
"""A field whose values have at least this many words on average is a text."""
MOST_GROUPS = 20
DISTINCT_NUMBERS = 10
"""An attribute with more different numbers is proposed in three bins, each with a third of them."""
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
UNEQUAL = "not an attribute: in some records it has more or fewer values than there are documents"


@dataclass(slots=True)
class Column:
    """A field, or a path to one, with its values in the first rows, without absent and blank ones."""

    name: str
    values: list[Any]
    is_list: bool = field(init=False)
    is_number: bool = field(init=False)
    length: float = field(init=False)
    """The mean number of characters of its texts."""
    has_sentences: bool = field(init=False)
    """Whether its values are sentences rather than names."""
    is_text: bool = field(init=False)
    """Whether they are sentences that seldom repeat."""
    groups: set[str] = field(init=False)
    """Its distinct values."""
    has_groups: bool = field(init=False)
    """Whether its values could be groups: few, each in several rows; or numbers, for bins."""

    def __post_init__(self) -> None:
        """Describe the values; the parts of those that are lists count one by one."""
        lists = (value if isinstance(value, list) else [value] for value in self.values)
        cells = [cell for cells in lists for cell in cells if cell is not None]
        texts = [cell for cell in cells if isinstance(cell, str)]
        self.is_list = any(isinstance(value, list) for value in self.values)
        self.is_number = bool(cells) and all(map(_is_number, cells))
        self.length = sum(map(len, texts)) / max(1, len(texts))
        words = sum(len(text.split()) for text in texts) / max(1, len(texts))
        self.has_sentences = not self.is_number and (words >= WORDS or self.length >= 8 * WORDS)
        self.is_text = self.has_sentences and len(set(texts)) > len(texts) / 4
        self.groups = {str(cell) for cell in cells if not isinstance(cell, (list, dict))}
        many = len(self.groups)
        is_measured = (
            self.is_number and not self.is_called("id") and (self.is_list or many > DISTINCT_NUMBERS)
        )
        is_few = not self.is_text and 2 <= many <= min(MOST_GROUPS, len(cells) / 2 + 1)
        self.has_groups = is_few or is_measured

    def is_called(self, what: str) -> bool:
        """Whether its name is usual for this content: the last part of its path, or for texts any part."""
        parts = [part for part in re.split(r"[.\[\]]", self.name.lower()) if part.strip()] or [""]
        compared = parts if what in ("summary", "documents") else parts[-1:]
        return any(re.fullmatch(NAMES[what], part.strip()) for part in compared)

    def lengths(self, separator: str | None) -> list[int]:
        """The number of values in each row: of a list, or of a text that is split."""
        return [
            len(v) if isinstance(v, list) else len(str(v).split(separator)) if separator else 1
            for v in self.values
        ]


Columns = Mapping[str, Column]


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """The fields of some rows; nested ones by their paths."""
    values: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in _flat(row, ""):
            known = values.setdefault(name, [])
            if value is not None and not (isinstance(value, str) and not value.strip()):
                known.append(value)
    return {name: Column(name, known) for name, known in values.items()}


def _flat(holder: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for key, given in holder.items():
        name, value = f"{before}{key}", parse_cell(given)
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
            for inner in dict.fromkeys(path for part in value for path, _ in _flat(part, "")):
                result = find(value, f"[*].{inner}")
                yield f"{name}[*].{inner}", list(result.values()) if isinstance(result, Several) else None
        else:
            yield name, value


def _numbered(columns: Columns) -> dict[str, list[Column]]:
    """Fields whose names differ only in a number, by their pattern: ``review_*``."""
    result: dict[str, list[Column]] = {}
    for name, column in columns.items():
        if (match := LAST_NUMBER.search(name)) is not None and match.start():
            result.setdefault(f"{name[: match.start()]}*{match[1]}", []).append(column)
    return {pattern: fitting for pattern, fitting in result.items() if len(fitting) > 1}


def _is_same_within(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], name: str) -> bool:
    """Whether a field has the same value in all rows with the same keys."""
    known: dict[tuple[str, ...], str] = {}
    for row in rows:
        value = find(row, name)
        if value not in (ABSENT, None, ""):
            text = known.setdefault(tuple(str(find(row, key)) for key in keys), str(value))
            if text != str(value):
                return False
    return True


# ------------------------------------------------------------------------------------- files


class InspectedFile(NamedTuple):
    """A file, its first rows, and the format that ``audit`` must be given to read them (None: it detects it)."""

    path: str
    source: Source
    format: str | None
    rows: list[Mapping[str, Any]]
    columns: Columns

    @property
    def is_of_a_tool(self) -> bool:
        """Whether it is a file of another tool, whose rows are converted to ours."""
        return self.source.kind in LAYOUTS and self.source.kind != "json-list"

    def has_documents(self, *, named: bool) -> bool:
        """Whether it has documents; ``named``: in a field with a usual name."""
        if self.is_of_a_tool:
            return any(name.startswith("documents") for name in self.columns)
        return bool(_documents(self.columns, named=named))


def inspect_file(path: str, form: str | None = None) -> InspectedFile:
    """The first rows of a file. Raises as an audit does if there is no readable row."""
    source = find_sources(path, FileOptions(form))[0]
    try:
        rows = list(islice(source.rows(Meter()), HEAD))
    except RequestError as error:
        if (advice := re.search("give --format (ssv|tsv)", str(error))) is None:
            raise
        return inspect_file(path, advice[1])
    if form is None and _is_around_records(source, rows):
        return inspect_file(path, "json-list")
    readable = [row for _, row in rows if isinstance(row, Mapping)]
    if not rows:
        raise no_record(source.name)
    if not readable:
        number, row = rows[0]
        raise at(f"{source.name}:{number}", row if isinstance(row, DataError) else not_a_row(row))
    return InspectedFile(path, source, form, readable, columns_of(readable))


def _is_around_records(source: Source, rows: Sequence[Row]) -> bool:
    """Whether a file is one object around its records, as the format json-list reads it."""
    objects = [row for _, row in rows if isinstance(row, Mapping)]
    if source.kind not in ("json", "jsonl") or source.path is None or len(objects) > 1:
        return False
    try:
        whole = objects[0] if objects else load(source.path, source.name, source.encoding)
    except DataError:
        return False  # the reader of its lines reports the error
    lists = list(lists_of(whole).values())
    records = list(whole.values()) if not lists else lists[0] if len(lists) == 1 else []
    if not records or not all(isinstance(record, Mapping) for record in records):
        return False
    return any(
        name.startswith("documents") or c.is_called("summary") for name, c in columns_of(records).items()
    )


def is_plain(path: str) -> bool:
    """Whether a file has one summary per line and no fields."""
    return Path(path).is_file() and files.endings(Path(path))[0] in ("txt", "out", "hyp", "pred")


# ------------------------------------------------------------------------------------- the proposal


@dataclass(slots=True)
class Understanding:
    """Settings that equal options of ``audit``, and the role of each field."""

    settings: dict[str, Any]
    roles: dict[str, str] = field(default_factory=dict)

    def take(self, key: str, value: Any, column: str, role: str) -> None:
        """Add a setting, unless it is the default (None), and the role of its field."""
        if value is not None:
            self.settings[key] = value
        self.roles[column] = role


def understand(inspected: Sequence[InspectedFile], plain: Sequence[str] = ()) -> Understanding:
    """Settings for some files; ``plain`` are those with one summary per line.

    The files with documents are the input; those without are summaries, matched by shared ids. Raises RequestError if
    no file seems to have documents.
    """
    sources = [one for one in inspected if one.has_documents(named=True)]
    sources = sources or [one for one in inspected if one.has_documents(named=False)]
    if not sources:
        raise _without_documents(inspected)
    if len({frozenset(one.columns) for one in sources}) > 1 and not all(one.is_of_a_tool for one in sources):
        sources = [max(sources, key=lambda one: len(one.rows))]  # the others have fewer texts: summaries
    summary_files = [one for one in inspected if one not in sources]
    first = sources[0]
    result = Understanding({"files": [one.path for one in sources]})
    if first.format is not None:
        result.settings["format"] = first.format
    if not first.is_of_a_tool:
        _describe(first, result, has_summaries=not summary_files and not plain)
    if summary_files or plain:
        result.settings["summaries"] = [*(one.path for one in summary_files), *plain]
    for one in summary_files[:1]:
        _match(first, one, result)
    return result


def _without_documents(inspected: Sequence[InspectedFile]) -> RequestError:
    for one in inspected:
        if one.is_of_a_tool:
            return RequestError(
                f"{one.source.name} is {LAYOUTS[one.source.kind].title}, and has no documents. Add the file with the "
                f"documents: fairbrief init RECORDS {one.path}"
            )
    return RequestError(
        f"No file seems to have documents: {', '.join(one.path for one in inspected)}. Give the field: "
        "fairbrief audit FILE --documents-field FIELD"
    )


def _describe(one: InspectedFile, proposal: Understanding, *, has_summaries: bool) -> None:
    columns = one.columns
    documents = _documents(columns, named=False) or ""
    systems = _summaries(columns, documents) if has_summaries else []
    key = _id(one, documents, systems, is_alone=has_summaries)
    is_long = key is not None and documents in columns and not _is_same_within(one.rows, [key], documents)
    if key is not None and is_long:
        proposal.take("group-by", key, key, "the record's id; each row is one document")
    elif key is not None:
        proposal.take("id-field", None if key == "id" else key, key, "the record's id")
    usual = documents == "documents" or documents.startswith("documents[*].text")
    role = "its text" if is_long else "the documents"
    proposal.take("documents-field", None if usual else [documents], documents, role)
    text = columns.get(documents)
    if text is not None and not text.is_list and not is_long and (mark := _most_contain(text, SEPARATORS)):
        proposal.settings["separator"] = mark
    if has_summaries:
        _take_summaries(columns, systems, proposal)
    for column in columns.values():
        if column.is_called("reference") and column.has_sentences and column.name not in systems:
            usual = column.name == "references"
            proposal.take(
                "references-field", None if usual else column.name, column.name, "a summary by people"
            )
            break
    _take_attributes(one, documents, key if is_long else None, proposal)


def _most_contain(column: Column, marks: Sequence[str]) -> str | None:
    """The first mark that most of a column's texts contain."""
    texts = [str(value) for value in column.values]
    return next((mark for mark in marks if sum(mark in text for text in texts) > len(texts) / 2), None)


def _documents(columns: Columns, *, named: bool) -> str | None:
    """The field, or the pattern, of the documents; ``named``: only one with a usual name."""
    if "documents" in columns:
        return "documents"
    for pattern, fitting in _numbered(columns).items():
        if all(c.is_text or not c.values for c in fitting) and not fitting[0].is_called("summary"):
            return pattern
    likely = [
        c for c in columns.values()
        if c.has_sentences and not (c.is_called("reference") or c.is_called("summary") or _is_own(c))
    ]  # fmt: skip
    called = [c for c in likely if c.is_called("documents")]
    texts = [c for c in called if c.is_text]
    if (
        not texts and not named
    ):  # texts that are repeated in the rows of several systems, or have another name
        texts = called or [c for c in likely if c.is_text]
    if not texts:
        return None
    return max(texts, key=lambda c: (c.is_list, c.length)).name


def _is_own(column: Column) -> bool:
    """Whether it is inside a field with a fixed name, such as ``entities``."""
    head = ENDS.split(column.name, maxsplit=1)[0]
    return head in OWN and head != column.name


def _id(one: InspectedFile, documents: str, systems: Sequence[str], *, is_alone: bool) -> str | None:
    """The field with the record's id: repeated in rows with different documents, or with a usual name."""
    rows, columns = one.rows, one.columns
    rest = [
        c for name, c in columns.items()
        if name not in (documents, *systems) and len(c.values) == len(rows) and not (c.is_list or c.is_text)
    ]  # fmt: skip
    named = [c for c in rest if c.is_called("id")]
    if documents in columns and not columns[documents].is_list:
        writer = _system(columns, systems) if systems else None
        repeated = [
            c for c in rest
            if c.name != writer and 1 < len(c.groups) <= len(rows) / 1.5
            and not _is_same_within(rows, [c.name], documents)
            and all(_is_same_within(rows, [c.name, *([writer] if writer else [])], system) for system in systems)
        ]  # fmt: skip
        if repeated and systems and all(2 * len(columns[name].values) > len(rows) for name in systems):
            # Rows with the same summary are one record, or a part of one.
            return min(repeated, key=lambda c: (len(c.groups), c not in named, c.is_number)).name
        has_unique = any(len(c.groups) == len(rows) for c in named)
        likely = [c for c in repeated if c in named]
        if not likely and (systems or not is_alone or not has_unique):
            likely = [c for c in repeated if not c.is_number]
        if likely:
            return max(likely, key=lambda c: len(c.groups)).name
    return max(named, key=lambda c: (c.name == "id", len(c.groups))).name if named else None


def _summaries(columns: Columns, documents: str) -> list[str]:
    """The fields with summaries of systems, or the references if there are none."""
    named = [
        c.name for c in columns.values()
        if c.name != documents and c.is_called("summary") and (c.has_sentences or c.name == "summary")
        and not c.is_called("reference") and not _is_own(c)
    ]  # fmt: skip
    return named or [c.name for c in columns.values() if c.is_called("reference") and c.has_sentences]


def _take_summaries(columns: Columns, systems: Sequence[str], proposal: Understanding) -> None:
    for name in systems:
        proposal.take("summary-field", None, name, "a summary")
    systems = [name.replace("[*]", "[0]") for name in systems]
    begin = commonprefix(list(systems))  # noqa: RUF071 - of any texts
    begin = begin[: max(begin.rfind(mark) for mark in "_-:. ") + 1]
    if len(systems) > 1:
        proposal.settings["summary-field"] = [f"{begin}*"] if begin else list(systems)
    elif systems and systems[0] != "summary":
        proposal.settings["summary-field"] = [systems[0]]
    if (writer := _system(columns, systems)) is not None:
        proposal.take("system-field", None if writer == "system" else writer, writer, "the system")


def _system(columns: Columns, systems: Sequence[str]) -> str | None:
    """The field with the system, if the summaries are in one field."""
    named = (
        c.name for c in columns.values()
        if c.is_called("system") and c.values and not (c.is_text or c.is_list or _is_own(c))
    )  # fmt: skip
    return next(named, None) if len(systems) <= 1 else None


def _take_attributes(one: InspectedFile, documents: str, key: str | None, proposal: Understanding) -> None:
    """Add the attributes: of documents if they differ within a record, otherwise of the record."""
    columns = dict(one.columns)
    if "*" in documents and "[*]" not in documents:  # fields numbered like those of the documents: stars_*
        for pattern, fitting in _numbered(columns).items():
            columns[pattern] = Column(pattern, [[value] for c in fitting for value in c.values])
            columns = {name: c for name, c in columns.items() if c not in fitting}
    text, inside, separator = (
        columns.pop(documents, None),
        list_of_path(documents),
        proposal.settings.get("separator"),
    )
    fixed = (f"{inside}.attributes.", f"{inside}.text", f"{inside}.id")
    attributes: list[tuple[Column, bool]] = []
    for name, column in columns.items():
        if name in proposal.roles or name in OWN or _is_own(column) or name.startswith(fixed):
            continue
        mark = _most_contain(column, [separator.strip(), "|"]) if separator and not column.is_list else None
        if mark is None and not column.has_groups:
            continue
        if (inside and name.startswith(f"{inside}.")) or "*" in name.replace("[*]", ""):
            attributes.append((column, True))
        elif not column.is_list and mark is None:
            is_one_text = text is not None and not text.is_list and separator is None
            differs = key is not None and not _is_same_within(one.rows, [key], name)
            attributes.append((column, is_one_text if key is None else differs))
        elif text is not None and text.lengths(separator) == column.lengths(mark):
            attributes.append((column, True))
        else:
            proposal.roles[name] = UNEQUAL
    for column, is_of_documents in sorted(attributes, key=lambda pair: not pair[1]):
        _take_attribute(column, proposal, is_of_documents=is_of_documents)


def _take_attribute(column: Column, proposal: Understanding, *, is_of_documents: bool) -> None:
    """Add an attribute under its last name, or under its path if another has that name; many numbers in bins."""
    settings, path = proposal.settings, column.name
    taken = [
        given.partition("=")[0]
        for kind in ("attribute", "record-attribute")
        for given in settings.get(kind, ())
    ]
    last = path.rpartition(".")[2].replace("*", "").strip("_- ")
    name = path if last in taken else last
    source = name if path.startswith("documents[*].") else path
    kind, role = (
        ("attribute", "an attribute of documents")
        if is_of_documents
        else ("record-attribute", "an attribute of the record")
    )
    settings.setdefault(kind, []).append(name if name == source else f"{name}={source}")
    proposal.roles[path] = role
    if column.is_number and len(column.groups) > DISTINCT_NUMBERS:
        numbers = sorted(set(map(float, column.groups)))
        cuts = (written(numbers[len(numbers) * i // 3 - 1]) for i in (1, 2))
        settings.setdefault("bin", []).append(f"{name}={','.join(cuts)}")


def _match(first: InspectedFile, summary_file: InspectedFile, proposal: Understanding) -> None:
    """Add the field that matches a file of summaries, and its fields of summaries and systems."""
    if summary_file.is_of_a_tool:
        return
    key = proposal.settings.get("group-by") or proposal.settings.get("id-field") or "id"
    known = {str(find(row, key)) for row in first.rows}
    shares = {
        name: sum(str(value) in known for value in column.values) / len(column.values)
        for name, column in summary_file.columns.items() if column.values
    }  # fmt: skip
    if shares and max(shares.values()) >= 0.5:
        name = max(shares, key=lambda n: (shares[n], n == key))
        role = f"{name} ({summary_file.path})"
        proposal.take("summaries-id-field", None if name == key else name, role, "the record's id")
    texts = [c.name for c in summary_file.columns.values() if c.is_text]
    _take_summaries(summary_file.columns, _summaries(summary_file.columns, "") or texts[:1], proposal)
