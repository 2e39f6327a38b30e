"""What the record viewer of a page reads: the examples as JSON that no page takes for markup."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert

from fairbrief.errors import DataError
from fairbrief.reports import wording
from fairbrief.reports.contrast_words import ordered_groups
from fairbrief.reports.evidence_file import mixed
from fairbrief.reports.json_file import content, plain
from fairbrief.reports.plain import visible
from fairbrief.reports.result import Examples
from fairbrief.types import Estimate

SCHEMA = "fairbrief.examples/1"


def embedded(examples: Examples, estimates: Iterable[Estimate], first: Sequence[str] = ()) -> str:
    """The text of a data block; characters that could end it, or that a reader cannot see, are gone.

    ``first`` names the measures that are offered first, in their order.
    """
    over = {e.measure: e.over for e in estimates}
    found = visible_all(plain(examples))
    place = {spec: i for i, spec in enumerate(first)}
    told = [
        _measure(spec, over.get(spec, ""), examples)
        for spec in dict.fromkeys(r.measure for r in examples.rows)
    ]
    # First what the page begins with, then what tells who is above and who below.
    found["measures"] = sorted(
        told, key=lambda one: (place.get(one["spec"], len(place)), len(one["quantities"]) < 2)
    )
    found["groups"] = {visible(a): [visible(g) for g in of] for a, of in _groups(examples).items()}
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def write(examples: Examples, path: Path | str, audit: str) -> None:
    """Write ``examples.json``."""
    text = json.dumps(
        {"schema": SCHEMA, "audit": audit, **plain(examples)}, ensure_ascii=True, allow_nan=False, indent=1
    )
    Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")


def read(path: Path | str, audit: str) -> Examples:
    """Read ``examples.json``; none where there is no such file. DataError where it is not one of this audit."""
    path = Path(path)
    if not path.exists():
        return Examples()
    found = content(path)
    try:
        if found["schema"] != SCHEMA:
            raise DataError(
                f"{path}: its schema is {found['schema']!r}; this version reads '{SCHEMA}'. Run the audit again."
            )
        if found["audit"] != audit:
            raise DataError(mixed(path))
        return convert(found, Examples)
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise DataError(f"{path}: does not follow '{SCHEMA}': {error!r}. Run the audit again.") from error


def _measure(spec: str, over: str, examples: Examples) -> dict[str, Any]:
    rows = [row for row in examples.rows if row.measure == spec]
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    label = spec.removesuffix(f"@{over}") + (f" by {over}" if over else "")
    told = {
        "spec": spec,
        "over": over,
        "label": label,
        "headline": wording.name_of(spec),
        "quantities": names,
    }
    found: dict[str, Any] = visible_all({**told, "rule": examples.rules.get(spec, "")})
    return found


def _groups(examples: Examples) -> dict[str, list[str]]:
    """The groups of each attribute of the documents, in natural order."""
    found: dict[str, dict[str, None]] = {}
    for texts in examples.texts:
        for document in texts.documents:
            for name, value in document.attributes.items():
                found.setdefault(name, {})[value] = None
    return {name: ordered_groups(values) for name, values in found.items()}


def visible_all(thing: Any) -> Any:
    """Every text made harmless to read, letter for letter, so that spans still fit."""
    if isinstance(thing, str):
        return visible(thing)
    if isinstance(thing, Mapping):
        return {visible(key): visible_all(value) for key, value in thing.items()}
    return [visible_all(item) for item in thing] if isinstance(thing, list) else thing
