"""``results.json``: every estimate, difference and table of an audit in a versioned schema; and ``examples.json``.

The schema is ``results.schema.json`` in this folder. An undefined number is null. Infinity, which is not a JSON number, is the text
"Infinity" or "-Infinity" as a value or bound of an estimate, and null elsewhere. Lone surrogates, which JSON can write but
UTF-8 cannot, are escaped.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import convert

from fairbrief.errors import DataError
from fairbrief.ranges import grouped
from fairbrief.reports import wording
from fairbrief.reports.per_record import PerRecordFile, PerRecordRows, files_of, reading, refuse_other
from fairbrief.reports.plain import visible
from fairbrief.reports.result import Examples, NotMeasured, Result
from fairbrief.reports.wording import Context, ordered_groups, worded
from fairbrief.types import Estimate, Table

SCHEMA, EXAMPLES = "fairbrief.results/7", "fairbrief.examples/1"
INFINITIES = {math.inf: "Infinity", -math.inf: "-Infinity"}
UNBOUNDED = "value", "low", "high", "low_within", "high_within"
"""The fields of an estimate that may be infinite: published odds are where all people of a group are named, or nobody."""
_ENCODER = msgspec.json.Encoder()
TIMES = ("ended", "seconds")
"""Entries of ``made`` that differ between equal audits."""


NO_IDENTITY = "0" * 16
"""In the head while the lists after it are written."""


def write(result: Result, path: Path) -> str:
    """Write ``results.json``; return its identity."""
    with path.open("wb") as file:
        file.write(_head(result.made, NO_IDENTITY))
        audit = identity(result, file.write)
        file.seek(0)
        file.write(_head(result.made, audit))
    return audit


def identity(result: Result, write: Callable[[bytes], object] = lambda _: None) -> str:
    """Sixteen hex digits of a hash of the result, apart from when it was made and how long it took.

    ``write`` gets the text of its lists in pieces.
    """
    timeless = {name: value for name, value in result.made.items() if name not in TIMES}
    audit = hashlib.blake2b(_head(timeless, ""), digest_size=len(NO_IDENTITY) // 2)
    for piece in _lists(result):
        audit.update(piece)
        write(piece)
    return audit.hexdigest()


def _head(made: Mapping[str, Any], audit: str) -> bytes:
    head = {"schema": SCHEMA, "audit": audit, "made": plain(made)}
    return b"{\n" + b",\n".join(_compact(name) + b": " + _compact(value) for name, value in head.items())


def _lists(result: Result) -> Iterator[bytes]:
    """The lists after the head, with a line per item."""
    listed = {
        "estimates": map(_with_sentences, result.estimates),
        "differences": map(_with_sentences, result.differences),
        "tables": result.tables, "not_measured": result.not_measured, "skipped": map(str, result.skipped),
        "per_record": files_of(result.rows),
    }  # fmt: skip
    for name, items in listed.items():
        yield b",\n" + _compact(name) + b": ["
        between, end = b"\n", b"]"
        for item in items:
            yield between + _compact(item)
            between, end = b",\n", b"\n]"
        yield end
    yield b"\n}\n"


def _with_sentences(e: Estimate) -> Estimate:
    """The estimate with its notes also as text, and its infinite numbers as texts."""
    changes: dict[str, Any] = {f: INFINITIES[x] for f in UNBOUNDED if (x := getattr(e, f)) in INFINITIES}
    if e.notes:
        changes["notes"] = [{"code": n.code, "arguments": n.arguments, "text": worded(n)} for n in e.notes]
    return e.replace(**changes) if changes else e


def spelled(number: float | None) -> float | str | None:
    """A number as JSON: null if undefined, text if infinite.

    >>> spelled(0.5), spelled(-math.inf), spelled(math.nan)
    (0.5, '-Infinity', None)
    """
    return None if number is None or math.isnan(number) else INFINITIES.get(number, number)


def text_of(thing: Any) -> str:
    """Dataclasses, mappings, sequences, texts and numbers as the text of a JSON file."""
    return _escaped(json.dumps(plain(thing, spelled), ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def _compact(value: Any) -> bytes:
    """JSON on one line; the standard library writes numpy's numbers and lone surrogates, msgspec cannot."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError):
        text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _escaped(text).encode()


def _escaped(text: str) -> str:
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)


class ResultsFile(msgspec.Struct, frozen=True):
    """The content of ``results.json``: the fields of a `Result`, its identity, and the files of per-record statistics."""

    audit: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{16})?$")]
    made: dict[str, Any]
    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    tables: tuple[Table, ...]
    not_measured: tuple[NotMeasured, ...]
    skipped: tuple[str, ...]
    per_record: tuple[PerRecordFile, ...]

    def result(self, rows: PerRecordRows, examples: Examples, sources: pa.Table | None) -> Result:
        """The result with its per-record statistics, examples and sources."""
        return Result(
            self.estimates, self.differences, rows, self.tables, self.not_measured, self.skipped,
            examples, sources, self.made,
        )  # fmt: skip


def read(path: Path) -> ResultsFile:
    """Read ``results.json``; raises DataError if this version cannot read it."""
    found = _content(path, SCHEMA)
    numbers = {text: number for number, text in INFINITIES.items()}
    with suppress(AttributeError, KeyError, TypeError):  # what is no list of estimates is refused below
        for estimate in (*found["estimates"], *found["differences"]):
            estimate.update({f: numbers[x] for f in UNBOUNDED if (x := estimate.get(f)) in numbers})
    with reading(path):
        return convert(found, ResultsFile)


def read_examples(path: Path, audit: str) -> Examples:
    """Read ``examples.json``; empty if there is no file. Raises DataError if it is of another audit."""
    if not path.exists():
        return Examples()
    found = _content(path, EXAMPLES)
    refuse_other(path, found.get("audit"), audit)
    with reading(path):
        return convert(found, Examples)


def write_examples(examples: Examples, path: Path, audit: str) -> None:
    """Write ``examples.json``."""
    text = text_of({"schema": EXAMPLES, "audit": audit, **plain(examples)})
    path.write_text(text, encoding="utf-8", newline="\n")


def _content(path: Path, schema: str) -> dict[str, Any]:
    """The JSON of a file, with finite numbers; raises DataError if it is damaged or of another schema."""
    with reading(path):
        text = path.read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=_finite, parse_float=_finite, parse_int=_finite)
    known = found.get("schema") if isinstance(found, dict) else None
    if known != schema:
        raise DataError(f"{path}: its schema is {str(known)[:60]!r}, not '{schema}'. Run the audit again.")
    return dict(found)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return int(text) if text.removeprefix("-").isdigit() else number


def plain(thing: Any, number: Callable[[float], Any] = lambda x: x if math.isfinite(x) else None) -> Any:
    """Dataclasses, estimates and mappings as objects, sequences as arrays, numbers that are not finite as null.

    ``number`` can convert numbers otherwise (`spelled`).
    """
    if names := _fields_of(thing.__class__):
        return {name: plain(getattr(thing, name), number) for name in names}
    if isinstance(thing, Mapping):
        return {str(key): plain(value, number) for key, value in thing.items()}
    if isinstance(thing, (list, tuple, set, frozenset)):
        items = sorted(thing) if isinstance(thing, (set, frozenset)) else thing
        return [plain(item, number) for item in items]
    if isinstance(thing, np.generic):
        thing = thing.item()
    if isinstance(thing, float):
        return number(thing)
    return thing if thing is None or type(thing) in (bool, int, str) else str(thing)


@cache
def _fields_of(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a dataclass or an estimate; none of any other class."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


# ------------------------------------------------------------------------------------ the record viewer


def embedded(context: Context) -> str:
    """The record viewer's data: text without characters that could end its block or that are invisible."""
    result, examples = context.result, context.result.examples
    over = {e.measure: e.over for e in result.estimates}
    every = grouped((row.measure, name) for row in examples.rows for name in row.values)
    quantities = {spec: list(dict.fromkeys(names)) for spec, names in every.items()}
    # First the measures of the first screen, then those with group differences.
    first = list(dict.fromkeys(members[0].measure for members in context.panels))
    place = {spec: i for i, spec in enumerate(first)}
    order = sorted(quantities, key=lambda spec: (place.get(spec, len(place)), len(quantities[spec]) < 2))
    measures = [
        {
            "spec": spec,
            "over": over.get(spec, ""),
            "label": wording.measure_label(spec, over.get(spec, "")),
            "main_value": wording.name_of(spec),
            "quantities": quantities[spec],
            "rule": examples.rules.get(spec, ""),
        }
        for spec in order
    ]
    start = _start(examples, order, context.first if context.panels else None)
    block = {**plain(examples), "measures": measures, "start": start, "groups": _groups(examples)}
    text = json.dumps(visible_all(block), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _start(examples: Examples, measures: Sequence[str], lead: Estimate | None) -> dict[str, str]:
    """Measure, system and order at which the viewer opens."""
    for row in examples.rows:
        if lead and row.measure == lead.measure and row.system == lead.system and lead.quantity in row.values:
            way = "up" if (lead.value or 0.0) < 0 else "down"
            return {"measure": lead.measure, "system": lead.system, "order": f"{way}|{lead.quantity}"}
    systems = (row.system for row in examples.rows if row.measure == measures[0])
    return {"measure": measures[0], "system": next(systems), "order": ""} if measures else {}


def _groups(examples: Examples) -> dict[str, list[str]]:
    """The groups of each attribute of the documents, in natural order."""
    documents = (document for texts in examples.texts for document in texts.documents)
    values = grouped(item for document in documents for item in document.attributes.items())
    return {name: ordered_groups(of) for name, of in values.items()}


def visible_all(thing: Any) -> Any:
    """Every text without invisible characters, letter for letter, so that spans stay valid."""
    if isinstance(thing, str):
        return visible(thing)
    if isinstance(thing, Mapping):
        return {visible(key): visible_all(value) for key, value in thing.items()}
    return [visible_all(item) for item in thing] if isinstance(thing, list) else thing
