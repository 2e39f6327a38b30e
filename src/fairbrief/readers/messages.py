"""Error messages: where, what was found, what was expected, what to do."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.fields import Several
from fairbrief.text.counted import counted

SHOWN = 40
"""Characters of a value that a message shows."""


def fault(found: str, expected: str, remedy: str) -> DataError:
    """An error of one row, without its place; `at` adds the place."""
    return DataError(f"found {found}; expected {expected}; {remedy}.")


def not_utf8(byte: int, where: str) -> DataError:
    """An error of a row with a byte that is not UTF-8; ``where`` names its position."""
    remedy = "save the file as UTF-8, or give its encoding, as in --encoding cp1252"
    return fault(f"the byte 0x{byte:02x} {where}, which is not UTF-8", "UTF-8 text", remedy)


def at(where: str, error: DataError, ident: Any = None) -> DataError:
    """The same error with its place, and with the record's id if it is known.

    >>> str(at("reviews.jsonl:214", DataError("found null."), "yelp-031"))
    "reviews.jsonl:214 (id 'yelp-031'): found null."
    """
    known = isinstance(ident, str) or (isinstance(ident, int) and ident.bit_length() <= 64)
    named = f" (id {_clip(repr(str(ident)))})" if known else ""
    return DataError(f"{where}{named}: {error}")


def show(value: Any) -> str:
    """A value for a message: short, on one line and printable.

    >>> show(5), show(None), show([1, 2]), show("a text")
    ('the number 5', 'null', 'a list of 2', "the text 'a text'")
    >>> show(Several({("0",): "what a path with stars", ("1",): "leads to"}))
    '2 values'
    """
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return f"the number {value}" if value.bit_length() <= 64 else "a number of many digits"
        case float():
            return f"the number {value}" if math.isfinite(value) else f"the number {value} (not finite)"
        case str() if not value:
            return "an empty text"
        case str():
            return f"the text {_clip(repr(value[:SHOWN]), cut=len(value) > SHOWN)}"
        case Several():
            return counted(len(value), "value")
        case Mapping():
            return f"an object with {fields_of(value)}" if value else "an empty object"
        case list() | tuple():
            return f"a list of {len(value)}" if value else "an empty list"
        case _:
            return f"a {type(value).__name__}"


def names(known: Iterable[Any], most: int = 20) -> str:
    """Field or file names for a message, quoted so that any of them can be printed."""
    listed = [_clip(repr(str(name))) for name in known]
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return (", ".join(listed[:most]) or "none") + more


def fields_of(row: Iterable[Any]) -> str:
    """The fields of a row for a message."""
    return f"the fields {names(row)}" if row else "no fields"


def did_you_mean(name: str, known: Iterable[Any]) -> str:
    """The nearest known name as the end of a message; empty if none is near."""
    near = difflib.get_close_matches(name, [str(k) for k in known], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown(fault: str, name: str, known: Collection[str]) -> RequestError:
    """The error about an unknown name: the fault, the nearest known name, and all known ones."""
    return RequestError(f"{fault}{did_you_mean(name, known)} It has: {', '.join(dict.fromkeys(known))}.")


def _clip(text: str, *, cut: bool = False) -> str:
    return f"{text[: 2 * SHOWN]}…" if cut or len(text) > 2 * SHOWN else text
