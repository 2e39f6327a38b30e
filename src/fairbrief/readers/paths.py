"""Where a value stands in a row: a name, or a path such as ``choices[0].text``, ``reviews[*].text``, ``review_*``.

A dot looks inside an object, ``[0]`` takes one part of a list and ``[*]`` all of them; a star in a name stands
for anything, and all fields whose names fit are taken, in the order of their numbers. A field that has just
this name is taken before any path; text that holds JSON is looked into.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ABSENT = object()
"""What a field that is not there holds; null is there."""
ENDS = re.compile(r"[.\[]")


class Several(dict[tuple[str, ...], Any]):
    """The values that a path with stars leads to, by what each star stood for."""


def find(holder: Any, path: str) -> Any:
    """The value at a path; `Several` values where it has stars; ABSENT where there is none.

    >>> find({"choices": [{"text": "Hi."}]}, "choices[0].text")
    'Hi.'
    >>> find({"review_10": "b", "review_2": "a"}, "review_*")
    {('2',): 'a', ('10',): 'b'}
    """
    if not path:
        return holder
    holder = parse_cell(holder)
    if isinstance(holder, Mapping) and path in holder:
        return holder[path]
    if path[0] == "[":
        return _part(holder, *_index(path))
    if not isinstance(holder, Mapping):
        return ABSENT
    for key, rest in _heads(path):
        if key in holder and (found := find(holder[key], rest)) is not ABSENT:
            return found
    return _fitting(holder, path)


def is_pattern(path: str) -> bool:
    """Whether a path has stars, so that several values may stand there."""
    return "*" in path


def list_of_path(path: str) -> str:
    """The path to the parts of the list that a path takes values from; nothing where it takes them from no list.

    >>> list_of_path("meta.reviews[*].tone"), list_of_path("stars_*")
    ('meta.reviews[*]', '')
    """
    return path[: path.rfind("[*]") + 3] if "[*]" in path else ""


def used_by(row: Mapping[str, Any], path: str) -> Iterator[str]:
    """The fields of the row itself that a path leads into."""
    if path in row:
        yield path
        return
    yield from (key for key, _ in _heads(path) if key in row)
    fits = _pattern(_first(path)[0])
    yield from (key for key in row if fits is not None and fits.fullmatch(key))


def parse_cell(value: Any) -> Any:
    """A list or object out of the text of a table's cell, where it holds one as JSON; else the value."""
    if not (isinstance(value, str) and value[:1] in ("[", "{") and value[-1:] in ("]", "}")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _heads(path: str) -> Iterator[tuple[str, str]]:
    """The ways to cut a path into a name and the rest, the longest name first."""
    for match in reversed(list(ENDS.finditer(path))):
        yield path[: match.start()], path[match.start() :].removeprefix(".")


def _first(path: str) -> tuple[str, str]:
    match = ENDS.search(path)
    return (path, "") if match is None else (path[: match.start()], path[match.start() :].removeprefix("."))


def _index(path: str) -> tuple[str, str]:
    index, _, rest = path[1:].partition("]")
    return index, rest.removeprefix(".")


def _part(holder: Any, index: str, rest: str) -> Any:
    if hasattr(holder, "tolist"):
        holder = holder.tolist()
    if not isinstance(holder, (list, tuple)):
        return ABSENT
    if index == "*":
        return _several((str(i), find(part, rest)) for i, part in enumerate(holder))
    try:
        return find(holder[int(index)], rest)
    except (ValueError, IndexError):
        return ABSENT


def _fitting(holder: Mapping[str, Any], path: str) -> Any:
    name, rest = _first(path)
    fits = _pattern(name)
    if fits is None:
        return ABSENT
    found = [(match[1], find(holder[key], rest)) for key in holder if (match := fits.fullmatch(str(key)))]
    if all(part.isdecimal() for part, _ in found):
        found.sort(key=lambda pair: int(pair[0]))
    return _several(found)


def _pattern(name: str) -> re.Pattern[str] | None:
    if "*" not in name:
        return None
    before, _, after = name.partition("*")
    return re.compile(re.escape(before) + "(.*)" + re.escape(after).replace(r"\*", ".*"), re.DOTALL)


def _several(found: Iterable[tuple[str, Any]]) -> Any:
    values = Several()
    for part, value in found:
        if isinstance(value, Several):
            values.update({(part, *inner): v for inner, v in value.items()})
        elif value is not ABSENT:
            values[part,] = value
    return values or ABSENT
