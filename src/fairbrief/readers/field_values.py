"""The values of a row: texts, ids, attributes, lists, entities with their mentions, and the claims of a summary."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, TypeGuard

from fairbrief.readers.messages import fault, show
from fairbrief.serialization import EMPTY, MISSING
from fairbrief.types import Claim, Document, Entity, Mention, Summary

NOTHING: Mapping[str, Any] = {}
"""No attributes: one shared empty mapping, never modified."""
WHOLE = 2**53
"""Floats without a fraction below this are exact whole numbers."""
_INVISIBLE = re.compile("[\u00ad\u2060\ufeff]|\u200b(?!\\w)|(?<!\\w)\u200b")
"""Soft hyphens, joiners, byte order marks, and spaces of no width that do not separate two words."""
_UNBROKEN = re.compile("[\u00a0\u2007\u202f]")
"""Spaces at which no line is broken."""


def is_plain(value: Any) -> TypeGuard[str]:
    """Whether a value is ASCII text without NUL, which needs no further check."""
    return value.__class__ is str and value.isascii() and "\0" not in value


def is_plain_and_filled(value: Any) -> TypeGuard[str]:
    """Whether a value is such a text, and not blank."""
    return (
        value.__class__ is str
        and value.isascii()
        and "\0" not in value
        and value != ""
        and not value.isspace()
    )


def text_of(value: Any, what: str) -> str:
    """Text in its usual form, so that equal words are equal."""
    return usual(_text(value, what))


def usual(text: str) -> str:
    """A text with composed characters (Unicode's NFC) and plain spaces, without invisible characters.

    >>> usual("Zoe\u0308 paid\u00a03\u202f€.")
    'Zoë paid 3 €.'
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _UNBROKEN.sub(" ", _INVISIBLE.sub("", text)))


def _text(value: Any, what: str) -> str:
    """Text without NUL and without lone surrogates, which Arrow and HTML cannot represent."""
    if not isinstance(value, str):
        raise fault(f"{show(value)} as {what}", "text", "write it in quotation marks, or name another field")
    if "\0" in value:
        raise fault(f"a NUL character in {what}, at position {value.index(chr(0))}", "text", "remove it")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            half = f"half a character (\\u{ord(value[error.start]):04x}, a lone surrogate) in {what}, at position {error.start}"
            raise fault(half, "Unicode text", "write the whole character, or remove it") from None
    return value


def id_of(value: Any, what: str = "the id") -> str:
    """An id or a name: text that is not blank, or a number as text."""
    if is_plain_and_filled(value):
        return value
    number = None if isinstance(value, (str, bool)) else _number(value)
    text = number if number is not None else _text(value, what)
    if not text.strip():
        raise fault(f"an empty text as {what}", "text or a number", "add it")
    return text


def value_of(value: Any, what: str) -> str | None:
    """The value of an attribute as text; None if it is absent (null or blank).

    Numbers lose a zero fraction (5.0 is ``5``), truth values become ``true`` or ``false``, dates ISO form.
    """
    if value is None:
        return None
    if isinstance(value, str):
        text = text_of(value, what)
        return text if text.strip() else None
    if isinstance(value, date):
        return value.isoformat()
    number = _number(value)
    if number is None:
        raise fault(f"{show(value)} as {what}", "text, a number, true or false", "write null if it is absent")
    return number


id_of_name = lru_cache(maxsize=1_000)(id_of)
"""`id_of` for names of attributes, which rows repeat."""


def attributes_of(value: Any, what: str) -> Mapping[str, str]:
    """An object of attributes, without those that are absent."""
    if not value and (value is None or isinstance(value, (Mapping, list))):
        return NOTHING
    if isinstance(value, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        value = dict(value)  # Arrow's form of a map
    if value.__class__ is not dict and not isinstance(value, Mapping):
        raise fault(f"{show(value)} as {what}", "an object (name to value)", "write {} if there are none")
    result: dict[str, str] = {}
    for name, given in value.items():
        id_of_name(name, "the name of an attribute")
        if is_plain_and_filled(given):
            result[name] = given
        elif (text := value_of(given, f"{name!r} in {what}")) is not None:
            result[name] = text
    return result


def list_of(value: Any, what: str) -> Sequence[Any]:
    """A list of parts; also from an array, or from an object of parallel lists."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, Mapping) and value and all(isinstance(v, (list, tuple)) for v in value.values()):
        if len({len(v) for v in value.values()}) > 1:
            sizes = ", ".join(f"{len(part):,} in {name!r}" for name, part in value.items())
            found = f"lists of different lengths in {what}: {sizes}"
            raise fault(found, "one value per document in each list, in the same order", "correct the lists")
        return [dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=True)]
    if hasattr(value, "tolist") and isinstance(as_list := value.tolist(), list):
        return as_list
    raise fault(f"{show(value)} as {what}", "a list", "put [] around it")


def object_of(value: Any, what: str) -> Mapping[str, Any]:
    """An object with named fields."""
    if not isinstance(value, Mapping):
        raise fault(f"{show(value)} as {what}", "an object", "write it as {…}")
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


def read_entities(
    value: Any, documents: Sequence[Document], written: Mapping[int, str]
) -> tuple[Entity, ...]:
    """Entities from ``{"id", "first_name", "last_name", "attributes", "mentions"}``; ids are unique per record.

    The numbers in mentions count blank documents, and the characters of documents as they were ``written`` in the input;
    those of the result do not.
    """
    entities: dict[str, Entity] = {}
    for i, given in enumerate(list_of(value, "the entities"), 1):
        what = f"entity {i}"
        entity = object_of(given, what)
        ident, mentions = id_of(entity.get("id"), f"the id of {what}"), entity.get("mentions")
        if ident in entities:
            raise fault(f"two entities with the id {ident!r}", "each id once", "merge them into one")
        first, last = (
            text_of(entity[name], f"the {name} of {what}") if entity.get(name) not in (None, "") else None
            for name in ("first_name", "last_name")
        )
        attributes = attributes_of(entity.get("attributes"), f"the attributes of {what}")
        listed = [] if mentions is None else list_of(mentions, f"the mentions of {what}")
        spans = (_mention(m, f"mention {j} of {what}", documents, written) for j, m in enumerate(listed, 1))
        entities[ident] = Entity(ident, first, last, attributes, tuple(spans))
    return tuple(entities.values())


def _mention(given: Any, what: str, documents: Sequence[Document], written: Mapping[int, str]) -> Mention:
    mention = {"document": 0, **object_of(given, what)}
    for name in ("document", "start", "end"):
        number = mention.get(name)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < WHOLE:
            raise fault(f"{show(number)} as the {name} of {what}", "a whole number from 0", "correct it")
    place, start, end = mention["document"], mention["start"], mention["end"]
    text = documents[place].text if place < len(documents) else ""
    if not text.strip():
        found = f"document {place}{' (blank)' if place < len(documents) else ''} in {what}"
        raise fault(found, "the number of a document with text", "count the record's documents from 0")
    text = written.get(place, text)
    if not start < end <= len(text):
        found, wanted = f"characters {start} to {end} in {what}", f"a span inside its {len(text)} characters"
        raise fault(found, wanted, "count characters, not bytes or words; the end is one after the last")
    if place in written:
        start, end = len(usual(text[:start])), len(usual(text[:end]))
    before = sum(bool(other.text.strip()) for other in documents[:place])
    return Mention(before, start, end, id_of(mention.get("kind"), f"the kind of {what}"))


def read_claims(value: Any) -> tuple[Claim, ...]:
    """The claims of a summary: texts, or ``{"text", "values": {attribute: [value, …]}}``."""
    claims = []
    for i, given in enumerate(list_of(value, "the claims"), 1):
        fields = {"text": given} if isinstance(given, str) else object_of(given, f"claim {i}")
        values = fields.get("values")
        labelled: dict[str, tuple[str, ...]] = {}
        for name, entailed in object_of({} if values is None else values, f"the values of claim {i}").items():
            parts = entailed if isinstance(entailed, (list, tuple)) else [entailed]
            texts = (value_of(part, f"the values of {name!r} in claim {i}") for part in parts)
            known = tuple(text for text in texts if text is not None)
            labelled[id_of(name, f"an attribute of claim {i}")] = known
        claims.append(Claim(text_of(fields.get("text"), f"the text of claim {i}"), labelled or NOTHING))
    return tuple(claims)


def read_summary(ident: str, system: str, text: Any, claims: Any = None) -> Summary:
    """A summary from the value of its field: blank is empty, null is missing."""
    cut = read_claims(claims) if claims is not None else None
    if text is None:
        return Summary(ident, system, "", cut, MISSING, NOTHING)
    if not is_plain(text):
        text = text_of(text, f"the summary of {system!r}")
    return Summary(ident, system, text, cut, "" if text and not text.isspace() else EMPTY, NOTHING)
