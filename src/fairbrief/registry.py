"""Names to objects, through entry points: ours and a stranger's come the same way."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from fairbrief import spelling
from fairbrief.errors import RequestError

Kind = Literal["measure", "scorer", "summarizer", "protocol"]


@cache
def points(kind: Kind) -> dict[str, EntryPoint]:
    """Every declared name of a kind, loaded or not; a name declared twice is an error."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=f"fairbrief.{kind}s"), key=lambda p: p.name):
        known = found.setdefault(point.name, point)
        if known.value != point.value:
            raise RequestError(
                f"Two packages declare the {kind} '{point.name}': {known.value} and {point.value}. Uninstall one."
            )
    return found


def names(kind: Kind) -> list[str]:
    """All declared names of a kind, sorted."""
    return list(points(kind))


def load(kind: Kind, name: str) -> Any:
    """What a name stands for, unbuilt: a dataclass, or the object itself."""
    known = points(kind)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise RequestError(f"No {kind} named '{name}'.{guess} Known: {', '.join(known) or 'none'}.")
    return known[name].load()


def make(kind: Kind, text: str, settings: Mapping[str, str] | None = None) -> Any:
    """Build the object that a spelling names; ``settings`` are added to its own, and win over them
    (``over`` among them is the attribute behind the @).

    ``NAME:MODEL`` stands for ``NAME(model=MODEL)``: ``chat:llama3:8b(temperature=0.3)``.
    """
    parsed = _with_model(kind, spelling.parse(text))
    if settings:
        more = dict(settings)
        over = more.pop("over", parsed.over)
        parsed = replace(parsed, settings={**parsed.settings, **more}, over=over)
    target = load(kind, parsed.name)
    if isinstance(target, type) and is_dataclass(target):
        return spelling.build(target, parsed)
    if parsed.settings or parsed.over:
        raise RequestError(f"The {kind} '{parsed.name}' has no settings.")
    return target() if isinstance(target, type) else target


def _with_model(kind: Kind, parsed: spelling.Spelling) -> spelling.Spelling:
    name, colon, model = parsed.name.partition(":")
    if not colon or parsed.name in points(kind):
        return parsed
    return replace(parsed, name=name, settings={"model": model, **parsed.settings})


def loaded(kind: Kind) -> Iterator[tuple[str, Any]]:
    """Every declared name of a kind with what it stands for."""
    for name in names(kind):
        yield name, load(kind, name)
