"""An experiment as a TOML file says it, checked: every table and key is known, every value of its kind."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

from fairbrief import readers
from fairbrief.chat.spending import Limits
from fairbrief.errors import DataError, RequestError
from fairbrief.plan import Plan
from fairbrief.readers.messages import did_you_mean
from fairbrief.saved.gate_rules import Rule, rules
from fairbrief.settings import MEASURED, STATISTICS, name_of
from fairbrief.workbench.sweep import Cell, grid, refuse_twice

READING = tuple(
    name for name in inspect.signature(readers.read).parameters if name not in ("source", "attributes")
)
"""Keys of ``[data]`` that say how its files are read: those of `fairbrief.readers.read`."""


@dataclass(frozen=True, slots=True)
class Build:
    """``[build]``: a command of ``fairbrief build``, the files that it takes, and its options."""

    command: str
    sources: tuple[str, ...]
    options: Mapping[str, Any]

    @property
    def arguments(self) -> list[str]:
        """The command line behind ``fairbrief build``, but for ``--out``."""
        told = [self.command, *self.sources]
        for name, value in self.options.items():
            option = f"--{name.replace('_', '-')}"
            for one in value if isinstance(value, list) else [value]:
                told += [option] if one is True else [] if one is False else [option, str(one)]
        return told


@dataclass(frozen=True, slots=True)
class System:
    """One of ``[[systems]]``: a summarizer; settings with a list of values are axes of the grid, others hold for all."""

    summarizer: str
    name: str
    axes: Mapping[str, tuple[str, ...]]
    fixed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claims:
    """``[claims]``: the chat model that splits summaries into statements, and its instruction's file, if any."""

    model: str
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a file asks for; paths in it are seen from the file's folder."""

    path: Path
    title: str
    about: str
    source: str
    build: Build | None
    files: tuple[str, ...]
    attributes: Mapping[str, str | None]
    reading: Mapping[str, Any]
    systems: tuple[System, ...]
    claims: Claims | None
    audit: Mapping[str, Any]
    """Settings of a `Plan`: what is measured of every cell, and which cell the others are compared with."""
    limits: tuple[Rule, ...]
    budget: Limits

    def cells(self) -> list[Cell]:
        """The grid of all systems; RequestError for a setting that one does not have, or a cell that is named twice."""
        several = len(self.systems) > 1
        found = [
            cell
            for system in self.systems
            for cell in grid(
                system.summarizer,
                system.axes,
                fixed={**(self.budget.pace if _is_chat(system.summarizer) else {}), **system.fixed},
                label=system.name or (system.summarizer if several else ""),
            )
        ]
        refuse_twice(found)
        return found


TABLES = ("title", "about", "source", "build", "data", "systems", "claims", "audit", "gate", "budget")


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file; DataError with the table and key that is not as it must be."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RequestError(f"There is no file {path}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path}: found what is not TOML ({error}).") from None
    table = _Table(path, "", told)
    table.know(TABLES)
    data = table.inner("data")
    data.know(("files", "attributes", *READING))
    build = _build(table.inner("build")) if "build" in told else None
    files = data.texts("files")
    if bool(files) == (build is not None):
        raise table.wrong("data", "either files in [data], or a [build] that makes them")
    return Experiment(
        path=path,
        title=table.text("title", path.stem),
        about=table.text("about"),
        source=table.text("source"),
        build=build,
        files=files,
        attributes={
            name: field or None for name, _, field in (t.partition("=") for t in data.texts("attributes"))
        },
        reading={name: value for name, value in data.content.items() if name in READING},
        systems=_systems(table),
        claims=_claims(table.inner("claims")) if "claims" in told else None,
        audit=_audit(table.inner("audit")),
        limits=_limits(table.inner("gate")),
        budget=_budget(table.inner("budget")),
    )


# ------------------------------------------------------------------------------------- the tables


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the file, and where it stands."""

    path: Path
    name: str
    content: Mapping[str, Any]

    def wrong(self, key: str, wanted: str) -> DataError:
        where = f"[{self.name}] {key}" if self.name else key
        found = f"found {self.content[key]!r}, " if key in self.content else ""
        return DataError(f"{self.path}: {where}: {found}wanted {wanted}.")

    def know(self, keys: Sequence[str]) -> None:
        for key in self.content:
            if key not in keys:
                where = f"[{self.name}] has the key" if self.name else "There is no table or key"
                raise DataError(
                    f"{self.path}: {where} '{key}'.{did_you_mean(key, keys)} Known: {', '.join(keys)}."
                )

    def inner(self, key: str) -> _Table:
        content = self.content.get(key, {})
        if not isinstance(content, dict):
            raise self.wrong(key, f"a table [{key}]")
        return _Table(self.path, key, content)

    def text(self, key: str, default: str = "") -> str:
        value = self.content.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.content.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, "a text or a list of texts")
        return tuple(value)

    def settings(self, known: Iterable[Field[Any]]) -> dict[str, Any]:
        """The settings that the table has, by the names of their fields."""
        keys = {name_of(f): f for f in known}
        self.know(tuple(keys))
        return {f.name: self.setting(key, f) for key, f in keys.items() if key in self.content}

    def setting(self, key: str, f: Field[Any]) -> Any:
        """The value of a setting, of the type and in the range that it is declared with."""
        default: Any = f.default
        kind, least, parse = str(f.type), f.metadata["least"] or 0, f.metadata["parse"]
        if isinstance(default, tuple):
            return self.texts(key) if parse is None else parse(self.texts(key))
        if kind.startswith("bool"):
            return self.truth(key)
        if kind.startswith("int"):
            return self.whole(key, default, least)
        return self.number(key, default, least) if kind.startswith("float") else self.text(key) or default

    def truth(self, key: str) -> bool:
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def number(self, key: str, default: float | None, least: float) -> Any:
        value = self.content.get(key, default)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < float("inf")
        ):
            raise self.wrong(key, f"a number of at least {least:g}")
        return value

    def whole(self, key: str, default: int | None, least: int) -> Any:
        value = self.number(key, default, least)
        if isinstance(value, float):
            raise self.wrong(key, "a whole number")
        return value


def _build(table: _Table) -> Build:
    command, sources = table.text("command"), table.texts("from")
    if not command:
        raise table.wrong("command", "a command of fairbrief build, e.g. perspectives")
    options = {key: value for key, value in table.content.items() if key not in ("command", "from")}
    if "out" in options:
        raise table.wrong("out", "nothing: built data go to the experiment's own folder")
    return Build(command, sources, options)


def _systems(table: _Table) -> tuple[System, ...]:
    listed = table.content.get("systems", [])
    if not (isinstance(listed, list) and listed and all(isinstance(one, dict) for one in listed)):
        raise table.wrong("systems", "one table [[systems]] or more")
    return tuple(_system(_Table(table.path, "systems", one)) for one in listed)


def _system(table: _Table) -> System:
    summarizer = table.text("with")
    if not summarizer:
        raise table.wrong("with", "a summarizer, e.g. lead or chat:MODEL")
    settings = {key: value for key, value in table.content.items() if key not in ("with", "name")}
    axes = {key: tuple(map(_written, value)) for key, value in settings.items() if isinstance(value, list)}
    for key, values in axes.items():
        if not values:
            raise table.wrong(key, "at least one value")
    fixed = {key: _written(value) for key, value in settings.items() if key not in axes}
    return System(summarizer, table.text("name"), axes, fixed)


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _claims(table: _Table) -> Claims:
    table.know(("with", "prompt"))
    if not _is_chat(model := table.text("with")):
        raise table.wrong("with", "a chat model, chat:MODEL")
    return Claims(model, table.text("prompt"))


def _audit(table: _Table) -> Mapping[str, Any]:
    settings = table.settings(f for f in fields(Plan) if f.metadata["panel"] in (MEASURED, STATISTICS))
    try:
        Plan(**settings)
    except RequestError as error:
        raise DataError(f"{table.path}: [audit]: {error}") from error
    return settings


def _limits(table: _Table) -> tuple[Rule, ...]:
    table.know(("max", "min"))
    return tuple(rules(table.texts("max"), table.texts("min")))


def _budget(table: _Table) -> Limits:
    price = table.content.get("price")
    if price is not None and not (
        isinstance(price, list) and len(price) == 2 and all(isinstance(p, int | float) for p in price)
    ):
        raise table.wrong("price", "[IN, OUT], the price per million tokens of prompts and of answers")
    content = {**table.content, **({} if price is None else {"price": ",".join(map(str, price))})}
    return Limits(**replace(table, content=content).settings(fields(Limits)))


def _is_chat(summarizer: str) -> bool:
    return summarizer.startswith(("chat:", "chat("))
