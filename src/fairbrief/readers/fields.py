"""The place of a value in a row: a name, or a path such as ``choices[0].text``, ``reviews[*].text``, ``review_*``.

A dot enters an object, ``[0]`` is one part of a list and ``[*]`` all parts. A star in a name matches anything; all
matching fields count, in the order of their numbers. A field with exactly this name has priority over a path. Text
with JSON is parsed. `Fields` assigns fields to contents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from fairbrief.settings import as_list

if TYPE_CHECKING:
    from fairbrief.readers.input_sources import Source
    from fairbrief.readers.reading_settings import ReadingSettings

ABSENT = object()
"""The value of a missing field; null is not missing."""
ENDS = re.compile(r"[.\[]")


class Several(dict[tuple[str, ...], Any]):
    """The values of a path with stars, by the texts that the stars match."""


def find(holder: Any, path: str) -> Any:
    """The value at a path; `Several` values for a path with stars; ABSENT if there is none.

    >>> find({"choices": [{"text": "Hi."}]}, "choices[0].text")
    'Hi.'
    >>> find({"review_10": "b", "review_2": "a"}, "review_*")
    {('2',): 'a', ('10',): 'b'}
    """
    if not path:
        return holder
    is_object = holder.__class__ is dict
    if not is_object:
        holder = parse_cell(holder)
        is_object = isinstance(holder, Mapping)
    if is_object and (path in holder or not is_path(path)):
        return holder.get(path, ABSENT)
    if path[0] == "[":
        index, _, rest = path[1:].partition("]")
        return _part(holder, index, rest.removeprefix("."))
    if not is_object:
        return ABSENT
    for key, rest in _heads(path):
        if key in holder and (result := find(holder[key], rest)) is not ABSENT:
            return result
    result = [(match, find(holder[key], rest)) for key, match, rest in _matching(holder, path)]
    if all(match.isdecimal() for match, _ in result):
        result.sort(key=lambda pair: int(pair[0]))
    return _several(result)


def given(row: Any, path: str) -> Any:
    """The same, but None if there is no such field."""
    value = find(row, path)
    return None if value is ABSENT else value


def flat(holder: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of an object with their values; nested ones by their paths."""
    for key, cell in holder.items():
        name, value = f"{before}{key}", parse_cell(cell)
        if isinstance(value, Mapping):
            yield from flat(value, f"{name}.")
        elif isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
            for inner in dict.fromkeys(path for part in value for path, _ in flat(part)):
                result = find(value, f"[*].{inner}")
                yield f"{name}[*].{inner}", list(result.values()) if isinstance(result, Several) else None
        else:
            yield name, value


@cache
def is_path(name: str) -> bool:
    """Whether a name may be a path to another field."""
    return not {".", "[", "*"}.isdisjoint(name)


def list_of_path(path: str) -> str:
    """The path to the parts of the list in a path; empty if the path has no list.

    >>> list_of_path("meta.reviews[*].tone"), list_of_path("stars_*")
    ('meta.reviews[*]', '')
    """
    return path[: path.rfind("[*]") + 3] if "[*]" in path else ""


def used_by(names: Mapping[str, Any], path: str) -> list[str]:
    """Those of the rows' top-level fields that a path may use: a row may have ``a.b``, another one ``b`` in ``a``."""
    heads = (name for name, _ in _heads(path))
    return [name for name in (path, *heads) if name in names] + [name for name, *_ in _matching(names, path)]


def parse_cell(value: Any) -> Any:
    """The list or object in the text of a table's cell, if it is JSON; otherwise the value."""
    if isinstance(value, str) and value[:1] in ("[", "{") and value[-1:] in ("]", "}"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _heads(path: str) -> Iterator[tuple[str, str]]:
    """The ways to split a path into a name and the rest, the longest name first."""
    for match in reversed(list(ENDS.finditer(path))):
        yield path[: match.start()], path[match.start() :].removeprefix(".")


def _matching(holder: Mapping[str, Any], path: str) -> list[tuple[str, str, str]]:
    """The fields that match the first name of a path, if it has a star: field, what the first star matches, rest of the path."""
    name = ENDS.split(path, maxsplit=1)[0]
    if "*" not in name:
        return []
    before, _, after = name.partition("*")
    fits = re.compile(re.escape(before) + "(.*)" + re.escape(after).replace(r"\*", ".*"), re.DOTALL)
    rest = path[len(name) :].removeprefix(".")
    return [(key, match[1], rest) for key in holder if (match := fits.fullmatch(str(key)))]


def _part(holder: Any, index: str, rest: str) -> Any:
    if hasattr(holder, "tolist"):
        holder = holder.tolist()
    if not isinstance(holder, (list, tuple)):
        return ABSENT
    if index == "*":
        return _several((str(i), find(part, rest)) for i, part in enumerate(holder))
    with suppress(ValueError, IndexError):
        return find(holder[int(index)], rest)
    return ABSENT


def _several(pairs: Iterable[tuple[str, Any]]) -> Any:
    values = Several()
    for part, value in pairs:
        if isinstance(value, Several):
            values.update({(part, *inner): v for inner, v in value.items()})
        elif value is not ABSENT:
            values[part,] = value
    return values or ABSENT


PATIENCE = 1_000
"""A field that is missing in this many objects of a source counts as misspelt."""
ID = "id"
SPEAKER = "speaker"
NOWHERE = "\0"
"""The name of a field that is not read; no field has this name."""
OWN = ("attributes", "seed_document", "claims", "entities", "reason", "made")
"""Fields of a row that have fixed names."""
USED = {
    "": OWN,
    "documents": ("text", "attributes", "id"),
    "entities": ("id", "first_name", "last_name", "attributes", "mentions"),
}
"""The fields that are always used: of rows, of documents and of entities."""


class Fields:
    """The fields of a row, or columns of a table, by their content; names or paths (see `readers.fields`)."""

    def __init__(self, settings: ReadingSettings) -> None:
        cluster, attributes = settings.cluster_by, settings.attribute_fields
        if settings.speakers is not None:
            attributes.setdefault(SPEAKER, None)
        self.id = settings.group_by or settings.id_field or None
        """None numbers the rows; so does ``id`` if the first row has no such field."""
        self.summary = settings.summary_fields
        """Pairs of system and field; None: the row or the source names the system."""
        self.documents: tuple[str, ...] = tuple(as_list(settings.documents_field))
        self.system = settings.system_field or NOWHERE
        self.references = settings.references_field or NOWHERE
        self.attributes = attributes
        """None: the field of the attribute's name, if it exists."""
        of_cluster = {} if cluster is None or cluster in attributes else {cluster: cluster}
        self.record_attributes = {**of_cluster, **settings.record_attribute_fields}
        self.separator = settings.separator
        self.cluster = cluster
        """Field whose value names the record's cluster."""
        self.group_by = settings.group_by
        """Field with the record's id, for rows that are one document each."""

    def of_summaries(self, source: Source, system: str | None, id_field: str | None) -> Fields:
        """Those of a separate file of summaries, of one ``system`` unless its rows name theirs."""
        fields = copy(self)
        fields.id = id_field or self.id or ID
        if source.tool:  # converted to our fields
            fields.system, fields.summary = "system", ((None, "summary"),)
        if system is not None:
            fields.system = NOWHERE
        return fields

    @property
    def has_several_summaries(self) -> bool:
        """Whether a row may have the summaries of several systems, in one field each."""
        return len(self.summary) > 1 or self.summary[0][0] is not None or "*" in self.summary[0][1]

    @property
    def has_several_documents(self) -> bool:
        """Whether the documents of a record are in several fields, or in parts of one."""
        return len(self.documents) > 1 or "*" in self.documents[0]

    def summary_names(self) -> list[str]:
        """The fields with summaries."""
        return [name for _, name in self.summary]

    def named(self, *, is_table: bool, with_summaries: bool) -> set[str]:
        """The fields that must occur in the input: those that the caller named, of summaries, and in a table of documents."""
        usual = {ID, "references", "system", NOWHERE} | (set() if is_table else {"documents"})
        named = {self.id, self.references, *self.documents}
        if with_summaries:
            named |= {self.system, *self.summary_names()}
        wanted = {name for name in named - usual if name is not None}
        return wanted.union(filter(None, self.attributes.values()), self.record_attributes.values())

    def unused(self, names: Mapping[str, Mapping[str, None]], *, with_summaries: bool) -> list[str]:
        """The names that none of these fields uses, of those of rows, documents and entities (as in `USED`)."""
        of_documents = [*self.documents, *(path or name for name, path in self.attributes.items())]
        of_rows = [self.references, self.system, *self.record_attributes.values()]
        of_rows += [] if self.id is None else [self.id]
        of_rows += self.summary_names() if with_summaries else []
        used = {what: set(usual) for what, usual in USED.items()}
        used[""].update(key for path in (*of_documents, *of_rows) for key in used_by(names[""], path))
        used["documents"].update(path.rpartition(".")[2] for path in of_documents)
        unused = [(name, what) for what in names for name in names[what] if name and name not in used[what]]
        return [f"{name} (of the {what})" if what else name for name, what in unused]
