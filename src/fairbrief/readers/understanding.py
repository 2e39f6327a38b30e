"""Proposes how to read files: the role of each field, as settings that equal options of ``audit``.

All of it is in this module, since the role of a field depends on those of all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files
from fairbrief.readers.columns import Column, columns_of, numbered, within
from fairbrief.readers.fields import ENDS, OWN, Fields, FieldUse, find, list_of_path
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import FileOptions, Source, find_sources, no_record, not_a_row
from fairbrief.readers.json_lines import Row
from fairbrief.readers.layouts import LAYOUTS, lists_of, load
from fairbrief.readers.messages import at, names
from fairbrief.readers.rows import RowReader
from fairbrief.text.counted import counted

HEAD = 1_000
"""Rows of a file that are inspected."""
DELIMITED = ("ssv", "tsv")


@dataclass(slots=True)
class InspectedFile:
    """An inspected file."""

    path: str
    source: Source
    options: dict[str, str]
    rows: list[Mapping[str, Any]]
    records_place: str = ""
    """The place of the records, if the file is one object around them."""
    columns: dict[str, Column] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = columns_of(self.rows)

    @property
    def is_of_a_tool(self) -> bool:
        """Whether it is a file of another tool, whose rows are converted to ours."""
        return self.source.kind in LAYOUTS and self.source.kind != "json-list"

    @property
    def is_bare(self) -> bool:
        """Whether it is a file of another tool without documents."""
        return self.is_of_a_tool and not any(name.startswith("documents") for name in self.columns)


def inspect_file(path: str) -> list[InspectedFile]:
    """The first rows of a file, or of each sheet of a spreadsheet.

    Raises as an audit does if there is no readable row, and RequestError for a JSON document whose records cannot be
    read.
    """
    options: dict[str, str] = {}
    source = find_sources(path)[0]
    try:
        rows = _head(source)
    except RequestError as error:
        if "--sheet" in str(error) and (sheets := _sheets(Path(path))):
            return [one for sheet in sheets for one in inspect_file(f"{path}#{sheet}")]
        options = {"format": _delimited(str(error))}
        if not options["format"]:
            raise
        source = find_sources(path, FileOptions(**options))[0]
        rows = _head(source)
    if (records_place := place_of_records(source, rows)) is not None:
        options = {"format": "json-list"}
        source = find_sources(path, FileOptions(**options))[0]
        rows = _head(source)
    return [InspectedFile(path, source, options, _objects(rows, source), records_place or "")]


def is_plain(path: str) -> bool:
    """Whether a file has one summary per line and no fields."""
    ending = files.endings(Path(path))[0]
    return Path(path).is_file() and ending in ("txt", "out", "hyp", "pred") and ending not in files.FORMATS


def _head(source: Source) -> list[tuple[int, Any]]:
    return list(islice(source.rows(Meter()), HEAD))


def _objects(rows: list[tuple[int, Any]], source: Source) -> list[Mapping[str, Any]]:
    """The readable rows; DataError if there is none."""
    result = [row for _, row in rows if isinstance(row, Mapping)]
    if result:
        return result
    if not rows:
        raise no_record(source.name)
    number, error = rows[0]
    raise at(f"{source.name}:{number}", error if isinstance(error, DataError) else not_a_row(error))


def _delimited(message: str) -> str:
    """The format for a table with another delimiter, from the message."""
    return next((name for name in DELIMITED if f"give --format {name}" in message), "")


def _sheets(path: Path) -> list[str]:
    """The sheets with a table: at least two rows and two columns."""
    from fairbrief.readers.tables import sheets_of

    return [title for title, (rows, columns) in sheets_of(path).items() if rows > 1 and columns > 1]


# -------------------------------------------------------------------- one object around the records


def place_of_records(source: Source, rows: Sequence[Row]) -> str | None:
    """A description of where the records are in a file that the format json-list reads; None for other files.

    ``rows`` are the file's first rows.
    """
    whole = _whole(source, rows)
    if whole is None:
        return None
    objects = [value for value in whole.values() if isinstance(value, Mapping)]
    if len(objects) == len(whole) > 1:
        shared = set.intersection(*(set(value) for value in objects))
        if _has_field("documents", shared):
            return f"one object with {counted(len(whole), 'record')} under their names: {names(whole, 3)}"
    for key, listed in lists_of(whole).items():
        fields = columns_of([value for value in listed if isinstance(value, Mapping)])
        is_alone = len(whole) == 1
        if (
            not _is_record(whole)
            and _has_field("documents", fields)
            and (is_alone or _has_field("summary", fields))
        ):
            return f"one object with {counted(len(listed), 'record')} under {key!r}"
    return None


def _whole(source: Source, rows: Sequence[Row]) -> Mapping[str, Any] | None:
    """The only object of a file, on one line or several; None if it is not one object."""
    if source.kind in ("json", "jsonl") and len(rows) == 1 and isinstance(rows[0][1], Mapping):
        return rows[0][1]
    if source.kind != "json" or source.path is None or any(isinstance(row, Mapping) for _, row in rows):
        return None
    try:
        return load(source.path, source.name, source.encoding)
    except DataError:
        return None  # the reader of its lines reports the error


def _is_record(whole: Mapping[str, Any]) -> bool:
    """Whether the object is itself a record, with documents or a summary."""
    fields = [Column(str(name), [value]) for name, value in whole.items()]
    return any(f.name in ("documents", "summary") or (f.is_called("summary") and f.is_text) for f in fields)


def _has_field(what: str, fields: Any) -> bool:
    return any(Column(str(name)).is_called(what) for name in fields)


SEPARATORS = (" ||||| ", "|||||", " || ", "||", "\n\n", "</s>", "<doc-sep>")
"""Separators of documents in one text; the first that most texts contain is used."""
MESSAGES = "body.messages[*].content"
"""The messages in a request to a chat service; the last contains the source."""
INSTRUCTS = frozenset(("system", "developer"))
"""The roles of messages with instructions."""
UNEQUAL = "not an attribute: in some records it has more or fewer values than there are documents"
DISTINCT_NUMBERS = 10
"""An attribute with more different numbers is proposed in three bins."""


@dataclass(slots=True)
class Understanding:
    """Settings, and the role of each field."""

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
    sources = [one for one in inspected if one.is_of_a_tool or _documents(one.columns)]
    summary_files = [one for one in inspected if one not in sources]
    bare = [one for one in sources if one.is_bare]
    if len(bare) < len(sources):
        sources, summary_files = [one for one in sources if one not in bare], [*summary_files, *bare]
    if not sources:
        raise RequestError(
            f"No file seems to have documents: {', '.join(one.path for one in inspected)}. Give the field: "
            "fairbrief audit FILE --documents-field FIELD"
        )
    if len(sources) > 1 and (parted := _parted(sources)) is not None:
        sources, more = parted
        summary_files = [*summary_files, *more]
    check_together(sources, summary_files)
    first = sources[0]
    result = Understanding({"files": [one.path for one in sources], **first.options})
    result.roles |= {one.source.name: one.records_place for one in sources if one.records_place}
    if not first.is_of_a_tool:
        _describe(first, result, has_summaries=not summary_files and not plain)
    if summary_files or plain:
        result.settings["summaries"] = [*(one.path for one in summary_files), *plain]
    for one in summary_files[:1]:
        _match(first, one, result)
    return result


# ------------------------------------------------------------------------------------- one file


def _describe(one: InspectedFile, proposal: Understanding, *, has_summaries: bool) -> None:
    columns = one.columns
    documents = _documents(columns) or ""
    systems = _summaries(columns, documents) if has_summaries else []
    key = _id(one, documents, systems, is_alone=has_summaries)
    is_long = key is not None and documents in columns and _is_long(one.rows, key, documents)
    if is_long:
        proposal.take("group-by", key, key or "", "the record's id; each row is one document")
    elif key is not None:
        proposal.take("id-field", None if key == "id" else key, key, "the record's id")
    usual = documents == "documents" or documents.startswith("documents[*].text")
    proposal.take(
        "documents-field",
        None if usual else [documents],
        documents,
        "the documents" if not is_long else "its text",
    )
    if (separator := _separator(columns.get(documents))) is not None and not is_long:
        proposal.settings["separator"] = separator
    if has_summaries:
        _take_summaries(columns, systems, proposal)
    _take_references(columns, systems, proposal)
    _take_attributes(one, documents, key if is_long else None, proposal)


def _documents(columns: Mapping[str, Column], *, strictly: bool = False) -> str | None:
    """The field, or the pattern, of the documents."""
    if "documents" in columns:
        return "documents"
    for pattern, fitting in numbered(columns).items():
        if all(c.is_text or not c.values for c in fitting) and not fitting[0].is_called("summary"):
            return pattern
    if MESSAGES in columns:
        return MESSAGES.replace("*", "-1")
    likely = [c for c in columns.values() if c.has_sentences and not (c.is_called("reference") or _is_own(c))]
    texts = [c for c in likely if c.is_text]
    named = [c for c in texts if c.is_called("documents") and not c.is_called("summary")]
    if not named and not strictly:  # repeated in the rows of several systems
        named = [c for c in likely if c.is_called("documents") and not c.is_called("summary")]
    if named:
        result = max(
            named, key=lambda c: (c.is_list, _is_labelled(c, columns), _length(c))
        )  # prefer texts with groups in the same lists
        return result.name.replace("[*]", "[-1]") if _is_request(result, columns) else result.name
    others = [] if strictly else [c for c in texts if not c.is_called("summary")]
    return max(others, key=_length).name if others else None


def _is_labelled(column: Column, columns: Mapping[str, Column]) -> bool:
    """Whether each text of a list has a group: in the same list, or in one of always equal length."""
    if not column.is_list or _is_request(column, columns):
        return False
    path, lengths = list_of_path(column.name), _lengths(column)
    return any(
        other is not column and _has_groups_in_lists(other)
        and (path == list_of_path(other.name) if path else _lengths(other) == lengths)
        for other in columns.values()
    )  # fmt: skip


def _is_request(column: Column, columns: Mapping[str, Column]) -> bool:
    """Whether it has the messages of a request to a chat service, of which only the last is a source."""
    roles = columns.get(f"{list_of_path(column.name)}.role")
    return roles is not None and any(INSTRUCTS & set(map(str, value)) for value in roles.values)


def _has_groups_in_lists(column: Column) -> bool:
    return column.is_list and not column.is_text and _looks_like_groups([_parts(column)])


def _parts(column: Column) -> Column:
    """The parts of a column's lists, as a column."""
    lists = [value for value in column.values if isinstance(value, list)]
    return Column(column.name, [part for parts in lists for part in parts if part is not None])


def _lengths(column: Column) -> dict[int, int]:
    """Row → length of its list."""
    return {
        row: len(value)
        for row, value in zip(column.rows, column.values, strict=True)
        if isinstance(value, list)
    }


def _is_own(column: Column) -> bool:
    """Whether it is inside a field with a fixed name, such as ``entities``."""
    head = ENDS.split(column.name, maxsplit=1)[0]
    return head in OWN and head != column.name


def _length(column: Column) -> float:
    texts = column.texts
    return sum(map(len, texts)) / len(texts)


def _summaries(columns: Mapping[str, Column], documents: str) -> list[str]:
    """The fields with summaries of systems, or the references if there are none."""
    named = [
        c.name for c in columns.values()
        if c.name != documents and c.is_called("summary") and (c.has_sentences or c.name == "summary")
        and not c.is_called("reference") and not _is_own(c)
    ]  # fmt: skip
    return named or [c.name for c in columns.values() if c.is_called("reference") and c.has_sentences]


def _take_summaries(columns: Mapping[str, Column], systems: Sequence[str], proposal: Understanding) -> None:
    for name in systems:
        proposal.take("summary-field", None, name, "a summary")
    systems = [name.replace("[*]", "[0]") for name in systems]
    begin = _common_beginning(systems)
    if len(systems) > 1:
        proposal.settings["summary-field"] = [f"{begin}*"] if begin else list(systems)
    elif systems and systems[0] != "summary":
        proposal.settings["summary-field"] = [systems[0]]
    if (writer := _system(columns, systems)) is not None:
        proposal.take("system-field", None if writer == "system" else writer, writer, "the system")


def _system(columns: Mapping[str, Column], systems: Sequence[str]) -> str | None:
    """The field with the system, if the summaries are in one field."""
    named = (
        c.name for c in columns.values()
        if c.is_called("system") and c.values and not (c.is_text or c.is_list or _is_own(c))
    )  # fmt: skip
    return next(named, None) if len(systems) <= 1 else None


def _take_references(columns: Mapping[str, Column], systems: Sequence[str], proposal: Understanding) -> None:
    for column in columns.values():
        if column.is_called("reference") and column.has_sentences and column.name not in systems:
            usual = column.name == "references"
            proposal.take(
                "references-field", None if usual else column.name, column.name, "a summary by people"
            )
            break


def _common_beginning(names: Sequence[str]) -> str:
    """The common beginning of all names, up to a mark: ``summary_`` of ``summary_a`` and ``summary_b``."""
    begin = commonprefix(list(names))  # noqa: RUF071 - of any texts
    return begin[: max(begin.rfind(mark) for mark in "_-:. ") + 1]


def _id(one: InspectedFile, documents: str, systems: Sequence[str], *, is_alone: bool) -> str | None:
    """The field with the record's id: repeated in rows with different documents, or with a usual name."""
    rest = [
        c for name, c in one.columns.items()
        if name != documents and name not in systems and len(c.values) == len(one.rows) and not c.is_list
        and not c.is_text and "[*]" not in name
    ]  # fmt: skip
    named = [c for c in rest if c.is_called("id")]
    if documents in one.columns and not one.columns[documents].is_list:
        repeated = [c for c in rest if _gathers(one, c, documents, systems)]
        is_likely = bool(systems) or not is_alone or not any(len(c.groups) == len(one.rows) for c in named)
        if repeated and _is_in_most_rows(
            one, systems
        ):  # rows with the same summary are one record, or a part of one
            return min(repeated, key=lambda c: (len(c.groups), c not in named, c.is_number)).name
        likely = [c for c in repeated if c in named] or [c for c in repeated if is_likely and not c.is_number]
        if likely:
            return max(likely, key=lambda c: len(c.groups)).name
    exact = [c for c in named if c.name == "id"]
    return (exact or sorted(named, key=lambda c: -len(c.groups)))[0].name if named else None


def _is_in_most_rows(one: InspectedFile, systems: Sequence[str]) -> bool:
    return bool(systems) and all(2 * len(one.columns[name].values) > len(one.rows) for name in systems)


def _gathers(one: InspectedFile, column: Column, documents: str, systems: Sequence[str]) -> bool:
    """Whether rows with the same value have several documents and one summary per system, as a record has."""
    if not 1 < len(column.groups) <= len(one.rows) / 1.5 or not _is_long(one.rows, column.name, documents):
        return False
    writer = _system(one.columns, systems) if systems else None
    keys = [column.name] if writer is None else [column.name, writer]
    return column.name != writer and all(within(one.rows, keys, system) for system in systems)


def _is_long(rows: Sequence[Mapping[str, Any]], key: str, documents: str) -> bool:
    """Whether rows with the same key have different documents."""
    return not within(rows, [key], documents)


def _separator(column: Column | None) -> str | None:
    texts = column.texts if column is not None and not column.is_list else []
    for separator in SEPARATORS:
        if texts and sum(separator in text for text in texts) > 0.5 * len(texts):
            return separator
    return None


ATTRIBUTES = ("attribute", "record-attribute")
"""The settings that name attributes."""
Attribute = tuple[str, str, list[Column]]
"""An attribute's name, its field, and its columns."""


def _take_attributes(one: InspectedFile, documents: str, key: str | None, proposal: Understanding) -> None:
    """Add the attributes: of documents if they differ within a record, otherwise of the record."""
    of_documents = _beside_numbered(one, documents)
    taken = {c.name for _, _, fitting in of_documents for c in fitting}
    taken |= {c.name for c in numbered(one.columns).get(documents, ())} | proposal.roles.keys()
    of_records: list[Attribute] = []
    for name, column in one.columns.items():
        if name not in taken and (attribute := _attribute(column, documents, proposal)) is not None:
            (of_records if _is_of_record(one, name, key, documents, proposal) else of_documents).append(
                attribute
            )
    if key is None:
        unequal = [path for _, path, _ in of_documents if not _is_parallel(one, documents, path, proposal)]
        proposal.roles.update(dict.fromkeys(unequal, UNEQUAL))
        of_documents = [attribute for attribute in of_documents if attribute[1] not in unequal]
    _put("attribute", of_documents, "an attribute of documents", proposal)
    _put("record-attribute", of_records, "an attribute of the record", proposal)


def _is_parallel(one: InspectedFile, documents: str, path: str, proposal: Understanding) -> bool:
    """Whether a field has one value per document in all rows that can be read without it."""
    plain = Fields(id=None, documents=(documents,), separator=proposal.settings.get("separator"))
    bare, labelled = (
        RowReader(fields, "", FieldUse(set()), cells=one.source.is_table)
        for fields in (plain, replace(plain, attributes={"it": path}))
    )
    return not any(_can_read(bare, row) and not _can_read(labelled, row) for row in one.rows)


def _can_read(reader: RowReader, row: Mapping[str, Any]) -> bool:
    try:
        reader.read(row, 1, "")
    except DataError:
        return False
    return True


def _beside_numbered(one: InspectedFile, documents: str) -> list[Attribute]:
    """Attributes in fields numbered like those of the documents: ``stars_*`` with ``review_*``."""
    if "*" not in documents or "[*]" in documents:
        return []
    return [
        (pattern.replace("*", "").strip("_-. "), pattern, fitting)
        for pattern, fitting in numbered(one.columns).items()
        if pattern != documents and _looks_like_groups(fitting)
    ]


def _attribute(column: Column, documents: str, proposal: Understanding) -> Attribute | None:
    """The attribute of a field; None if its values cannot be groups."""
    head = documents.rpartition("[*].")[0] or ("documents" if documents == "documents" else "")
    messages = documents.partition("[-1]")[0] if "[-1]" in documents else "body.messages"
    last = column.name.rpartition(".")[2]
    if (
        column.name.startswith((f"{head}[*].attributes.", f"{messages}[*]"))
        or column.name in OWN
        or _is_own(column)
    ):
        return None  # already an attribute, or a field with a fixed name
    if head and column.name.startswith(f"{head}[*]."):
        parts = _parts(column)
        is_plain = last not in ("text", "id") and _looks_like_groups([parts])
        return (last, last if documents == "documents" else column.name, [parts]) if is_plain else None
    many_numbers = column.is_number and len(column.groups) > DISTINCT_NUMBERS and not column.is_called("id")
    if column.is_group or many_numbers:
        return last, column.name, [column]
    if column.is_list and not column.is_text and documents != column.name:
        parts = _parts(column)
        return (last, column.name, [parts]) if _looks_like_groups([parts]) else None
    return (last, column.name, []) if _separator_of(column, proposal) is not None else None


def _is_of_record(
    one: InspectedFile, name: str, key: str | None, documents: str, proposal: Understanding
) -> bool:
    """Whether an attribute belongs to the record rather than to documents."""
    if "[*]" in name or one.columns[name].is_list or _separator_of(one.columns[name], proposal) is not None:
        return False
    if key is not None:
        return within(one.rows, [key], name)
    text = one.columns.get(documents)
    return text is None or text.is_list or "separator" in proposal.settings


def _put(key: str, listed: Sequence[Attribute], role: str, proposal: Understanding) -> None:
    taken = [text.partition("=")[0] for kind in ATTRIBUTES for text in proposal.settings.get(kind, ())]
    for last, path, fitting in listed:
        name = path if last in taken else last
        taken.append(name)
        proposal.roles[path] = role
        proposal.settings.setdefault(key, []).append(name if name == path else f"{name}={path}")
        is_many = len({group for column in fitting for group in column.groups}) > DISTINCT_NUMBERS
        if fitting and is_many and all(column.is_number for column in fitting):
            proposal.settings.setdefault("bin", []).append(f"{name}=q3")


def _looks_like_groups(fitting: Sequence[Column]) -> bool:
    joined = Column("", [value for column in fitting for value in column.values])
    return joined.is_group or joined.is_number


def _separator_of(column: Column, proposal: Understanding) -> str | None:
    separator = proposal.settings.get("separator")
    if separator is None or column.is_list or not column.values:
        return None
    marks = [separator.strip(), "|"]
    texts = [str(value) for value in column.values]
    return next((m for m in marks if m and sum(m in text for text in texts) > 0.5 * len(texts)), None)


# ------------------------------------------------------------------------------------- several files


def _parted(sources: Sequence[InspectedFile]) -> tuple[list[InspectedFile], list[InspectedFile]] | None:
    """Files of documents and files of summaries, which have no field with a name of documents; None if all files have the same fields."""
    if all(set(one.columns) == set(sources[0].columns) for one in sources):
        return None
    with_documents = [one for one in sources if one.is_of_a_tool or _documents(one.columns, strictly=True)]
    if not with_documents or len(with_documents) == len(sources):
        with_documents = [max(sources, key=lambda one: len(one.rows))]
    return with_documents, [one for one in sources if one not in with_documents]


def _match(first: InspectedFile, summary_file: InspectedFile, proposal: Understanding) -> None:
    """Add the field that matches a file of summaries, and its fields of summaries and systems."""
    key = proposal.settings.get("group-by") or proposal.settings.get("id-field") or "id"
    if summary_file.is_of_a_tool:
        return
    known = {str(find(row, key)) for row in first.rows}
    shares = {
        name: sum(str(value) in known for value in column.values) / len(column.values)
        for name, column in summary_file.columns.items() if column.values
    }  # fmt: skip
    if shares and max(shares.values()) >= 0.5:
        name = max(shares, key=lambda n: (shares[n], n == key))
        proposal.take(
            "summaries-id-field",
            None if name == key else name,
            f"{name} ({summary_file.path})",
            "the record's id",
        )
    texts = [c.name for c in summary_file.columns.values() if c.is_text]
    systems = _summaries(summary_file.columns, "") or texts[:1]
    _take_summaries(summary_file.columns, systems, proposal)


def check_together(sources: Sequence[InspectedFile], summary_files: Sequence[InspectedFile]) -> None:
    """RequestError for files that no settings of ``audit`` read together: several formats, tools' files without documents."""
    if any(one.options for one in sources) and len({one.source.kind for one in sources}) > 1:
        several = ", ".join(f"{one.source.name} ({one.source.kind})" for one in sources)
        raise RequestError(
            f"The files have several formats: {several}. One --format applies to all files: audit each separately."
        )
    for one in summary_files:
        if one.options:
            what = one.records_place or f"a table for --format {one.options['format']}"
            raise RequestError(
                f"{one.source.name} is {what}; files of summaries cannot have this format. Write its rows to a .jsonl file."
            )
    for one in sources:
        if one.is_bare:
            raise RequestError(
                f"{one.source.name} is {LAYOUTS[one.source.kind].title}, and has no documents. Add the file with the "
                f"documents: fairbrief init RECORDS {one.path}"
            )
