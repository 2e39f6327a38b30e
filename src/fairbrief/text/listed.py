"""The items of a list that a model wrote: numbered, bulleted or one a line; with words around it or not."""

from __future__ import annotations

import json
import re
from typing import Any

FENCED = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)
NUMBERED = re.compile(
    r"""\s*(?:[*_]{2})?            # bold numbers: **1.** x
    (?:\(\s*(\d{1,3})\s*\)         # (1) x
    |(\d{1,3})\s*\)                # 1) x
    |(\d{1,3})\s*[.:,](?!\d)       # 1. x, 1.The …, 1: x; no decimal: 2.5 percent, 1,000 people
    )(?:[*_]{2})?\s*""",
    re.VERBOSE,
)
NUMBER = re.compile(r"[-−]?\d")
BULLET = re.compile(r"\s*(?:[-–—•‣▪◦·]|\*(?!\*))\s+(?=\S)|\s*[-•‣▪◦](?=[^\W\d])")


def items(reply: str) -> tuple[str, ...]:
    r"""The items of the list in a reply, without their marks; empty where there is no list.

    Marks are ``1.``, ``1)``, ``(1)``, ``1:`` and bullets. A number that is part of the sentence is no mark:
    not ``2.5 percent …`` and not ``2020 saw …``. Among marked lines, one without a mark is an item of its own
    if it begins with a number or stands between two items; goes on with the item before it if it is indented;
    and is left out before the first and after the last mark, where it introduces or closes the list. A reply
    without any mark is a list only if it has several lines, each of which is then an item.

    >>> items("Here are the units:\n1. It is red.\n2.The strap broke.\n(3) 2.5 percent liked it.")
    ('It is red.', 'The strap broke.', '2.5 percent liked it.')
    """
    lines = [line.rstrip() for line in reply.splitlines() if line.strip()]
    marked = [_unmarked(line) for line in lines]
    if all(text is None for text in marked):
        return tuple(_clean(line) for line in lines) if len(lines) > 1 else ()
    last = max(i for i, text in enumerate(marked) if text is not None)
    found: list[str] = []
    for i, (line, text) in enumerate(zip(lines, marked, strict=True)):
        if text is not None:
            found.append(text)
        elif NUMBER.match(line):
            found.append(line)
        elif found and line[0].isspace():
            found[-1] = f"{found[-1]} {line.strip()}"
        elif found and i < last:
            found.append(line)
    return tuple(text for item in found if (text := _clean(item)))


def json_items(reply: str) -> tuple[str, ...]:
    r"""The texts of the JSON list in a reply, with words or a fence around it or not; empty where there is none.

    Also read are an object that holds one list, and a list of objects that hold one text each.

    >>> json_items('Sure:\n```json\n{"units": ["It is red.", "It broke."]}\n```')
    ('It is red.', 'It broke.')
    """
    fenced = FENCED.search(reply)
    for text in (fenced[1] if fenced else "", reply, reply[reply.find("[") : reply.rfind("]") + 1]):
        try:
            found = _texts(json.loads(text))
        except (ValueError, RecursionError):
            continue
        if found:
            return found
    return ()


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        return _texts(lists[0]) if len(lists) == 1 else ()
    if not isinstance(value, list):
        return ()
    held = [list(item.values()) if isinstance(item, dict) else [item] for item in value]
    texts = [[text for text in several if isinstance(text, str)] for several in held]
    if any(len(several) != 1 for several in texts):
        return ()
    return tuple(text for (found,) in texts if (text := _clean(found)))


def _unmarked(line: str) -> str | None:
    """A line without its mark; None if it has none."""
    if match := NUMBERED.match(line):
        return line[match.end() :]
    if match := BULLET.match(line):
        rest = line[match.end() :]
        inner = NUMBERED.match(rest)
        return rest[inner.end() :] if inner else rest
    return None


def _clean(item: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\*\*(.+?)\*\*", r"\1", item)).strip()
