"""Objects by name, through entry points: built-ins and plug-ins are loaded in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, Literal

from fairbrief import specs
from fairbrief.errors import BackendError, FairbriefError, RequestError, first_line
from fairbrief.readers.messages import did_you_mean
from fairbrief.scorers.calibrated import Calibrated, uses_in

Kind = Literal["measure", "scorer", "classifier", "scorer or classifier", "summarizer", "protocol", "engine"]
"""Kinds of objects. A scorer compares texts with texts, a classifier labels single texts; observations use both by spec."""


@cache
def _installed() -> Callable[..., EntryPoints]:
    """A function from group to the entry points of all packages; packages are searched once."""
    return entry_points().select


@cache
def declared(kind: Kind) -> dict[str, tuple[EntryPoint, ...]]:
    """Every declared name of a kind with its entry points; several of one name exclude each other."""
    result: dict[str, dict[str, EntryPoint]] = {}
    groups = [f"fairbrief.{one}s" for one in kind.split(" or ")]
    for point in sorted((p for group in groups for p in _installed()(group=group)), key=lambda p: p.name):
        result.setdefault(point.name, {}).setdefault(point.value, point)
    return {name: tuple(points.values()) for name, points in result.items()}


def names(kind: Kind) -> list[str]:
    """All declared names of a kind, sorted."""
    return list(declared(kind))


def load(kind: Kind, name: str) -> Any:
    """The object with this name: a dataclass, not instantiated, or the object itself.

    Raises RequestError if no package declares it, or two do; BackendError if its package cannot be loaded.
    """
    known = declared(kind)
    if name not in known:
        near = did_you_mean(name, known)
        raise RequestError(f"No {kind} named '{name}'.{near} Known: {', '.join(known) or 'none'}.")
    point, *others = known[name]
    if others:
        raise RequestError(
            f"Two packages declare the {kind} '{name}': {point.value} and {others[0].value}. Uninstall one."
        )
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        # Python 3.11 wraps one that comes while a class is made.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        package = point.dist.name if point.dist is not None else point.value
        raise BackendError(
            f"The {kind} '{name}' of the package {package} cannot be loaded: {type(error).__name__}: "
            f"{first_line(error)}. Fix that package, or uninstall it."
        ) from error


def broken(kind: Kind) -> dict[str, str]:
    """Name → error, for declared names that cannot be loaded; they affect only users of that name."""
    result = {}
    for name in names(kind):
        try:
            load(kind, name)
        except FairbriefError as error:
            result[name] = str(error)
    return result


def make(kind: Kind, text: str, settings: Mapping[str, str] | None = None) -> Any:
    """The object of a spec; ``settings`` are added to those of the spec and override them
    (``over`` is the attribute after the @).

    ``NAME:MODEL`` means ``NAME(model=MODEL)``: ``chat:llama3:8b(temperature=0.3)``. Every scorer has the setting
    ``calibrated`` (or ``checked``): a file of 'fairbrief calibrate'.
    """
    parsed, more = specs.parse(text), dict(settings or {})
    name, over = parsed.name, more.pop("over", parsed.over)
    given = {**parsed.settings, **more}
    before_colon, colon, model = name.partition(":")
    if colon and name not in declared(kind):
        name, given = before_colon, {"address" if kind == "engine" else "model": model, **given}
    files = {use: given.pop(use) for use in uses_in(given)} if "scorer" in kind else {}
    if len(files) > 1:
        raise RequestError(f"'{text}': calibrated=FILE includes the check; drop checked.")
    target = load(kind, name)
    if isinstance(target, type) and is_dataclass(target):
        made = specs.build(target, specs.Spec(name, given, over))
    elif given or over:
        raise RequestError(f"The {kind} '{name}' has no settings: write only {name}.")
    else:
        made = target() if isinstance(target, type) else target
    for use, file in files.items():
        made = Calibrated(made, file, use)
    return made


def loaded(kind: Kind) -> Iterator[tuple[str, Any]]:
    """Every declared name of a kind with its object, except those that are `broken`."""
    for name in names(kind):
        with suppress(FairbriefError):
            yield name, load(kind, name)
