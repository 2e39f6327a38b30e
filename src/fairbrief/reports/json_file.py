"""``results.json``: every estimate, difference, table and exhibit of an audit, in a versioned schema.

The schema is ``results.schema.json`` beside this module. Numbers that are not finite never leave:
an undefined number is null. Lone surrogates, which JSON can spell and UTF-8 cannot, are escaped.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
from msgspec import ValidationError, convert

from fairbrief.errors import DataError, first_line
from fairbrief.reports.evidence import Held
from fairbrief.reports.evidence_file import files_of
from fairbrief.reports.frames import of_each
from fairbrief.reports.note_words import worded
from fairbrief.reports.result import Exhibit, LeftOut, Result
from fairbrief.types import Estimate, Note, Table

SCHEMA = "fairbrief.results/5"
_ENCODER = msgspec.json.Encoder()
LINES = 1_000
"""Lines that are written together."""
LONGEST_INTEGER = 20
"""Digits; a float of whatever length is one that can be counted with."""


def render(result: Result) -> tuple[str, str]:
    """The text of ``results.json``; and its identity, which stands in it."""
    out = io.BytesIO()
    audit = _write(result, out)
    return out.getvalue().decode(), audit


def write(result: Result, path: Path) -> str:
    """Write ``results.json``, where what is listed has a line each; its identity."""
    with path.open("wb") as out:
        return _write(result, out)


def identity(result: Result) -> str:
    """Sixteen hex digits of a hash of all that a result says, but for how long it took."""
    return _write(result, None)


def _write(result: Result, out: BinaryIO | None) -> str:
    """Some lines at a time, so that the text is never held as a whole; the identity is put into the head at the end."""
    timeless = {name: value for name, value in result.made.items() if name != "seconds"}
    digest = hashlib.blake2b(_head(timeless, ""), digest_size=8)
    if out is not None:
        out.write(_head(result.made, "0" * 2 * digest.digest_size))
    for text in _texts(result):
        digest.update(text)
        if out is not None:
            out.write(text)
    if out is not None:
        out.seek(0)
        out.write(_head(result.made, digest.hexdigest()))
    return digest.hexdigest()


def _head(made: Mapping[str, Any], audit: str) -> bytes:
    told = {"schema": SCHEMA, "audit": audit, "made": plain(made)}
    return b"{\n" + b",\n".join(_compact(name) + b": " + _compact(value) for name, value in told.items())


def _texts(result: Result) -> Iterator[bytes]:
    """What follows the head: lists, each with an item a line; so many lines at a time."""
    listed: Mapping[str, Iterator[bytes]] = {
        "estimates": _estimates(result.estimates),
        "differences": _estimates(result.differences),
        **{
            name: (_compact(plain(item)) for item in items)
            for name, items in (
                ("tables", result.tables), ("left_out", result.left_out),
                ("skipped", map(str, result.skipped)), ("exhibits", result.exhibits), ("evidence", files_of(result.rows)),
            )
        },
    }  # fmt: skip
    for name, pieces in listed.items():
        yield b",\n" + _compact(name) + b": ["
        between, end = b"\n", b"]"
        for piece in pieces:
            yield between + piece
            between, end = b",\n", b"\n]"
        yield end
    yield b"\n}\n"


def _estimates(estimates: Sequence[Estimate]) -> Iterator[bytes]:
    """The fields of estimates, a line each; their notes with the words, too."""
    for start in range(0, len(estimates), LINES):
        some = estimates[start : start + LINES]
        try:
            notes = of_each(_notes, [e.notes for e in some])
            told = (e.replace(notes=of_one) for e, of_one in zip(some, notes, strict=True))
            # No text holds a line break as such.
            yield _ENCODER.encode_lines(told).removesuffix(b"\n").replace(b"\n", b",\n")
        except (TypeError, ValueError):  # a number that is not Python's own, or a text that is not UTF-8
            yield b",\n".join(
                [_compact(plain(e.replace(notes=list(map(_plain_note, e.notes))))) for e in some]
            )


def _notes(notes: Sequence[Note]) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode(list(map(_plain_note, notes))))


def _plain_note(note: Note) -> dict[str, Any]:
    return {**plain(note), "text": worded(note)}


def text_of(thing: Any) -> str:
    """Anything made of dataclasses, mappings, sequences, texts and numbers, as the text of a JSON file."""
    return _escaped(json.dumps(plain(thing), ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def _compact(value: Any) -> bytes:
    """On one line; the standard library writes lone surrogates, which msgspec cannot."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _escaped(text).encode()


def _escaped(text: str) -> str:
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)


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
    """Dataclasses, estimates and mappings to objects, sequences to arrays, numbers as they are if finite, else null."""
    if thing is None or isinstance(thing, bool):
        return thing
    if isinstance(thing, str):
        return str(thing)  # numpy has texts of its own
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
    """The names of the fields of a dataclass or an estimate; none of any other class."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _result(found: Mapping[str, Any]) -> Result:
    return Result(
        estimates=convert(found["estimates"], tuple[Estimate, ...]),
        differences=convert(found["differences"], tuple[Estimate, ...]),
        rows=Held(pa.table({})),
        exhibits=convert(found["exhibits"], tuple[Exhibit, ...]),
        tables=convert(found["tables"], tuple[Table, ...]),
        left_out=convert(found["left_out"], tuple[LeftOut, ...]),
        skipped=tuple(found["skipped"]),
        made=found["made"],
    )
