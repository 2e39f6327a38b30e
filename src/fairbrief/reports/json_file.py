"""``results.json``: every estimate, difference, table and exhibit of an audit, in a versioned schema.

The schema is ``results.schema.json`` beside this module. Numbers that are not finite never leave:
an undefined number is null. Lone surrogates, which JSON can spell and UTF-8 cannot, are escaped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairbrief.errors import DataError
from fairbrief.nouns import Case, Document, Entity, Estimate, Mention, Record, Summary, Table, Unit
from fairbrief.reports.result import Exhibit, LeftOut, Result

SCHEMA = "fairbrief.results/1"


def dump(result: Result) -> dict[str, Any]:
    """The result without its evidence, as plain JSON values."""
    return {
        "schema": SCHEMA,
        "made": _plain(result.made),
        "estimates": [_plain(e) for e in result.estimates],
        "differences": [_plain(e) for e in result.differences],
        "tables": [_plain(t) for t in result.tables],
        "left_out": [_plain(m) for m in result.left_out],
        "skipped": [str(line) for line in result.skipped],
        "exhibits": [_plain(x) for x in result.exhibits],
    }


def render(result: Result) -> str:
    """The text of ``results.json``."""
    return _written(dump(result))


def text_of(thing: Any) -> str:
    """Anything made of dataclasses, mappings, sequences, texts and numbers, as the text of a JSON file."""
    return _written(_plain(thing))


def _written(plain: Any) -> str:
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1)
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text) + "\n"


def write(result: Result, path: Path | str) -> None:
    """Write ``results.json``."""
    Path(path).write_text(render(result), encoding="utf-8", newline="\n")


def read(path: Path | str) -> Result:
    """Read ``results.json``; the evidence, which stands in its own file, is empty.

    Raises DataError where the file is not one that this version can read.
    """
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{path}: not a results file: {error}. Run the audit again.") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise DataError(
            f"{path}: its schema is {schema!r}; this version reads '{SCHEMA}'. Run the audit again."
        )
    try:
        return _result(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: does not follow '{SCHEMA}': {error!r}. Run the audit again.") from error


def _plain(thing: Any) -> Any:
    """Dataclasses and mappings to objects, sequences to arrays, numbers as they are if finite, else null."""
    if thing is None or isinstance(thing, (bool, str)):
        return thing
    if is_dataclass(thing):
        return {f.name: _plain(getattr(thing, f.name)) for f in fields(thing)}
    if isinstance(thing, Mapping):
        return {str(key): _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [_plain(item) for item in (sorted(thing) if isinstance(thing, (set, frozenset)) else thing)]
    if hasattr(thing, "item"):  # a numpy scalar
        thing = thing.item()
    if isinstance(thing, int):
        return thing
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None
    return str(thing)


def _result(found: Mapping[str, Any]) -> Result:
    return Result(
        estimates=tuple(_estimate(e) for e in found["estimates"]),
        differences=tuple(_estimate(e) for e in found["differences"]),
        evidence=pa.table({}),
        exhibits=tuple(_exhibit(x) for x in found["exhibits"]),
        tables=tuple(
            Table(t["title"], tuple(t["header"]), tuple(map(tuple, t["rows"])), tuple(t["notes"]))
            for t in found["tables"]
        ),
        left_out=tuple(LeftOut(m["measure"], m["reason"]) for m in found["left_out"]),
        skipped=tuple(found["skipped"]),
        made=found["made"],
    )


def _estimate(e: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**_known(Estimate, e), "notes": tuple(e["notes"])})


def _exhibit(x: Mapping[str, Any]) -> Exhibit:
    case = Case(_record(x["case"]["record"]), _summary(x["case"]["summary"]))
    return Exhibit(**{**_known(Exhibit, x), "case": case})


def _record(r: Mapping[str, Any]) -> Record:
    parts = {
        "documents": tuple(Document(d["text"], d["attributes"]) for d in r["documents"]),
        "references": tuple(r["references"]),
        "entities": tuple(_entity(e) for e in r["entities"]),
    }
    return Record(**{**_known(Record, r), **parts})


def _entity(e: Mapping[str, Any]) -> Entity:
    mentions = tuple(Mention(**_known(Mention, m)) for m in e["mentions"])
    return Entity(**{**_known(Entity, e), "mentions": mentions})


def _summary(s: Mapping[str, Any]) -> Summary:
    units = s["units"]
    if units is not None:
        units = tuple(Unit(u["text"], {a: tuple(v) for a, v in u["values"].items()}) for u in units)
    return Summary(**{**_known(Summary, s), "units": units})


def _known(kind: type[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that this version knows; a later minor one may have written more."""
    names = {f.name for f in fields(kind)}
    return {key: value for key, value in found.items() if key in names}
