"""``results.json``: every estimate, difference, table and exhibit of an audit, in a versioned schema.

The schema is ``results.schema.json`` beside this module. Numbers that are not finite never leave:
an undefined number is null. Lone surrogates, which JSON can spell and UTF-8 cannot, are escaped.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec import ValidationError, convert

from fairbrief.errors import DataError, first_line
from fairbrief.reports.note_words import worded
from fairbrief.reports.result import Exhibit, LeftOut, Result
from fairbrief.types import Estimate, Table

SCHEMA = "fairbrief.results/3"
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
LONGEST_INTEGER = 20
"""Digits; a float of whatever length is one that can be counted with."""


def dump(result: Result) -> dict[str, Any]:
    """The result without its evidence, as plain JSON values."""
    return {
        "schema": SCHEMA,
        "audit": "",
        "made": plain(result.made),
        "estimates": [_plain_estimate(e) for e in result.estimates],
        "differences": [_plain_estimate(e) for e in result.differences],
        "tables": [plain(t) for t in result.tables],
        "left_out": [plain(m) for m in result.left_out],
        "skipped": [str(line) for line in result.skipped],
        "exhibits": [plain(x) for x in result.exhibits],
    }


def _plain_estimate(e: Estimate) -> dict[str, Any]:
    """The estimate's fields; its notes with their words, too."""
    return {**plain(e), "notes": [{**plain(note), "text": worded(note)} for note in e.notes]}


def render(result: Result) -> tuple[str, str]:
    """The text of ``results.json``, where what is listed has a line each; and its identity, which stands in it."""
    parts = {name: _on_lines(value) for name, value in dump(result).items()}
    timeless = {name: value for name, value in result.made.items() if name != "seconds"}
    told = _together({**parts, "made": _on_lines(plain(timeless))})
    audit = hashlib.blake2b(told.encode(), digest_size=8).hexdigest()
    return _together({**parts, "audit": _compact(audit)}), audit


def _together(parts: Mapping[str, str]) -> str:
    lines = ",\n".join(f"{_compact(name)}: {text}" for name, text in parts.items())
    return _escaped("{\n" + lines + "\n}\n")


def text_of(thing: Any) -> str:
    """Anything made of dataclasses, mappings, sequences, texts and numbers, as the text of a JSON file."""
    return _escaped(json.dumps(plain(thing), ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def _on_lines(value: Any) -> str:
    """A list with each item on its line. Without indents the standard library writes ten times as fast."""
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(_compact(item) for item in value) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    return _ENCODER.encode(value)


def _escaped(text: str) -> str:
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)


def identity(result: Result) -> str:
    """Sixteen hex digits of a hash of all that a result says, but for how long it took."""
    return render(result)[1]


def read(path: Path | str) -> Result:
    """Read ``results.json``; the evidence, which stands in its own file, is empty.

    Raises DataError where the file is not one that this version can read.
    """
    return result_of(parsed(Path(path)), Path(path))


def parsed(path: Path) -> dict[str, Any]:
    """The content of ``results.json``, which follows the schema; DataError where it does not."""
    found = content(path)
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise DataError(
            f"{path}: its schema is {str(schema)[:60]!r}; this version reads '{SCHEMA}'. Run the audit again{_command(found, path)}."
        )
    try:
        _validator()(found)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: does not follow '{SCHEMA}': {first_line(error)}. Run the audit again."
        ) from None
    whole: dict[str, Any] = found
    return whole


def content(path: Path) -> Any:
    """What a file of ours holds as JSON: finite numbers, none longer than any that we write; else DataError."""
    try:
        return json.loads(
            path.read_text(encoding="utf-8"), parse_constant=_no_number, parse_float=_float, parse_int=_int
        )
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON of ours: {first_line(error)}. Run the audit again.") from error


def result_of(found: Mapping[str, Any], path: Path) -> Result:
    """The result in a file's content; DataError where it is none."""
    try:
        return _result(found)
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise DataError(f"{path}: does not follow '{SCHEMA}': {error!r}. Run the audit again.") from error


def _command(found: Any, path: Path) -> str:
    """The command line of an audit that an older version saved, as far as its file tells."""
    made = found.get("made") if isinstance(found, dict) else None
    if not isinstance(made, dict) or not isinstance(made.get("files"), list):
        return ""
    try:
        return f": {shlex.join(_words(made, path))}"
    except TypeError:  # what stands where lists should is damaged
        return ""


def _words(made: Mapping[str, Any], path: Path) -> list[str]:
    words = ["fairbrief", "audit", *map(str, made["files"])]
    if made.get("protocol"):
        words += ["--protocol", str(made["protocol"])]
    else:
        words += [word for spec in made.get("measures") or () for word in ("--measure", str(spec))]
    for by in made.get("slices") or ():
        words += ["--slice", ",".join(map(str, by))]
    for option, names in (("--seed", ("seed",)), ("--resamples", ("n_resamples", "draws"))):
        words += [word for name in names if name in made for word in (option, str(made[name]))]
    return [*words, "--out", str(path.parent)]


@cache
def _validator() -> Callable[[Any], Any]:
    import fastjsonschema

    text = (resources.files("fairbrief.reports") / "results.schema.json").read_text(encoding="utf-8")
    compiled: Callable[[Any], Any] = fastjsonschema.compile(json.loads(text))
    return compiled


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _float(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is no finite number")
    return number


def _int(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise ValueError(f"an integer of {len(text):,} digits")
    return int(text)


def plain(thing: Any) -> Any:
    """Dataclasses and mappings to objects, sequences to arrays, numbers as they are if finite, else null."""
    if thing is None or isinstance(thing, (bool, str)):
        return thing
    kind: Any = type(thing)
    if kind is float:
        return thing if math.isfinite(thing) else None
    if names := _fields_of(kind):
        values = ((name, getattr(thing, name)) for name in names)
        return {name: value if type(value) in _PLAIN else plain(value) for name, value in values}
    if isinstance(thing, Mapping):
        return {str(key): plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [plain(item) for item in (sorted(thing) if isinstance(thing, (set, frozenset)) else thing)]
    if hasattr(thing, "item"):  # a numpy scalar
        thing = thing.item()
    if isinstance(thing, int):
        return thing
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None
    return str(thing)


_PLAIN = frozenset({str, bool, int, type(None)})


@cache
def _fields_of(kind: type[Any]) -> tuple[str, ...]:
    """The names of a dataclass's fields; none of any other class."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _result(found: Mapping[str, Any]) -> Result:
    return Result(
        estimates=convert(found["estimates"], tuple[Estimate, ...]),
        differences=convert(found["differences"], tuple[Estimate, ...]),
        evidence=pa.table({}),
        exhibits=convert(found["exhibits"], tuple[Exhibit, ...]),
        tables=convert(found["tables"], tuple[Table, ...]),
        left_out=convert(found["left_out"], tuple[LeftOut, ...]),
        skipped=tuple(found["skipped"]),
        made=found["made"],
    )
