"""One value of a row: as text, as an id, as the value of an attribute, as a list of parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypeGuard

from fairbrief.readers.messages import fault, show

NOTHING: Mapping[str, Any] = {}
"""No attributes: one empty mapping for all that have none, never written to."""
WHOLE = 2**53
"""Below it, a float without a fraction is a whole number exactly."""


def is_plain(value: Any) -> TypeGuard[str]:
    """Whether a value is text that every later stage can carry, seen at a glance."""
    return value.__class__ is str and value.isascii() and "\0" not in value


def text_of(value: Any, what: str) -> str:
    """Text that Arrow and HTML can carry: neither NUL nor half a character (a lone surrogate) in it."""
    if not isinstance(value, str):
        raise fault(
            f"{show(value)} as {what}", "text", "write it in quotation marks, or name the right field"
        )
    if "\0" in value:
        raise fault(
            f"a NUL character in {what}, at position {value.index(chr(0))}", "text", "remove the character"
        )
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = f"\\u{ord(value[error.start]):04x}"
            raise fault(
                f"half a character ({code}, a lone surrogate) in {what}, at position {error.start}",
                "text that can be written as UTF-8",
                "write the whole character, or remove it",
            ) from None
    return value


def id_of(value: Any, what: str = "the id") -> str:
    """An id or a name: text that is not blank, or a number, which is taken as text."""
    if is_plain(value) and value and not value.isspace():
        return value
    number = None if isinstance(value, (str, bool)) else _number(value)
    text = number if number is not None else text_of(value, what)
    if not text.strip():
        raise fault(f"an empty text as {what}", "text or a number", "fill it in")
    return text


def value_of(value: Any, what: str) -> str | None:
    """The value of an attribute as text; None where it is absent.

    A number is written without a needless fraction (5 and 5.0 are ``5``), a truth value as ``true`` or
    ``false``, a date in ISO form. Null and blank text are absent.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return text_of(value, what) if value.strip() else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    number = _number(value)
    if number is None:
        raise fault(
            f"{show(value)} as {what}", "text, a number, true or false", "write null where it is absent"
        )
    return number


def attributes_of(value: Any, what: str) -> Mapping[str, str]:
    """An object of attributes, without those that are absent."""
    if not value and (value is None or isinstance(value, (Mapping, list))):
        return NOTHING
    if isinstance(value, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        value = dict(value)  # how Arrow gives out a map
    if not isinstance(value, Mapping):
        raise fault(f"{show(value)} as {what}", "an object (name to value)", "write {} where there are none")
    found: dict[str, str] = {}
    for name, given in value.items():
        if not (is_plain(name) and name):
            id_of(name, f"a name in {what}")
        if is_plain(given) and given and not given.isspace():
            found[name] = given
        elif (text := value_of(given, f"{name!r} in {what}")) is not None:
            found[name] = text
    return found


def list_of(value: Any, what: str) -> Sequence[Any]:
    """A list of parts; also an array, or an object of parallel lists, which is turned around."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, Mapping) and value and all(isinstance(v, (list, tuple)) for v in value.values()):
        lengths = {len(v) for v in value.values()}
        if len(lengths) > 1:
            told = ", ".join(f"{len(of):,} in {name!r}" for name, of in value.items())
            raise fault(
                f"lists of other lengths in {what}: {told}",
                "lists that have one value per document, in the same order",
                "mend the lists, or leave such records out with --on-error skip",
            )
        return [dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=True)]
    if hasattr(value, "tolist") and isinstance(as_list := value.tolist(), list):
        return as_list
    raise fault(f"{show(value)} as {what}", "a list", "write [] around it")


def object_of(value: Any, what: str) -> Mapping[str, Any]:
    """An object with named fields."""
    if not isinstance(value, Mapping):
        raise fault(f"{show(value)} as {what}", "an object", "write it as {…}")
    return value


def whole_of(value: Any, what: str) -> int:
    """A whole number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < WHOLE:
        raise fault(f"{show(value)} as {what}", "a whole number from 0 on", "count characters from 0")
    return value


def _number(value: Any) -> str | None:
    """A finite number as text; None for anything else."""
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 4096 else None
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE else repr(value)
    return None
