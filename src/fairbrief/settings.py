"""How settings are declared: each once, as a field with its help. Options, keywords and records are derived from the fields.

`check` is the check of their values, and of the settings of measures, scorers and summarizers.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import Field, field, fields
from functools import cache
from inspect import cleandoc
from math import inf
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from fairbrief.errors import RequestError

Names = str | Sequence[str] | None
"""One name or text, or several, or none."""
Named = Names | Mapping[str, str | None]
"""Texts such as NAME=VALUE, or the same as a mapping."""
SummaryFields = Names | Sequence[tuple[str | None, str]] | Mapping[str, str]
"""Fields with summaries, some of them with their systems."""
INPUTS, MEASURED, STATISTICS, OUTPUT, MODELS, MACHINE = (
    "Inputs", "What to measure", "Statistics", "Output", "Asking models", "Machine",
)  # fmt: skip
"""Panels of a command's help, in order."""


def setting(
    default: Any,
    help: str,  # noqa: A002 # the name that typer uses
    metavar: str | None = None,
    *,
    flag: str = "",
    panel: str = "",
    least: float | None = None,
    most: float | None = None,
    recorded: str | bool = True,
    signed: str = "",
    parse: Callable[[Sequence[str]], Any] | None = None,
) -> Any:
    """A field of settings with its metadata.

    A setting with a ``panel`` is an option in that panel of the help, named ``flag`` or like the field. ``recorded``:
    whether results.json contains it, or under which name. ``signed``: its name in signatures, if it decides numbers of
    estimates; audits with other values are not comparable. ``parse`` computes the value from the texts of an option.
    """
    about = {
        "help": help, "metavar": metavar, "flag": flag, "panel": panel, "least": least, "most": most,
        "recorded": recorded, "signed": signed, "parse": parse,
    }  # fmt: skip
    return field(default=default, metadata=about)


def option_of(f: Field[Any]) -> str:
    """The option of a setting, ``--resamples``; with ``/--no-…`` if it can be negated."""
    return f.metadata["flag"] or f"--{f.name.strip('_').replace('_', '-')}"


def key_of(f: Field[Any]) -> str:
    """The name of a setting's option without dashes at its start, and with underscores in it."""
    return option_of(f).strip("-").replace("-", "_")


def documented(text: str | None, kind: type) -> str:
    """A docstring, with a paragraph for each setting of a class: its name and its help."""
    return "\n\n".join([cleandoc(text or ""), *(f"{f.name}: {f.metadata['help']}" for f in fields(kind))])


def as_list(given: Any) -> Any:
    """A list; a single name or measure becomes a list of one, None an empty one."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not hasattr(given, "__iter__") else given


# ---- The check of values by declared type, range and choices.


UNLOADED = {"Measure": Any, "Scorer": Any}
"""Types of settings that only type checkers import."""
NUMBERS = {int: Integral, float: Real}
ONE: dict[Any, str] = {
    bool: "True or False", int: "a whole number", float: "a number", str: "a text", Callable: "a function", Mapping: "a mapping from names",
}  # fmt: skip
SEVERAL: dict[Any, str] = {
    int: "a list of whole numbers", float: "a list of numbers", str: "a list of texts", tuple: "a list of pairs",
    Sequence: "a list of lists",
}  # fmt: skip


def check(settings: Any, spec: str = "") -> None:
    """RequestError for a value that has another type than declared, is outside its range, or is not among its choices.

    A `Literal` has the choices. The range is ``least`` and ``most`` of a `setting`, or a text in an `Annotated` type, such as
    ``"(0, 1]"``; in its place may be a function that raises an error, such as ValueError("is no scorer"). ``spec`` names what has
    the settings.
    """
    whole: Any = type(settings)
    for name, kind, limits in _declared(whole):
        value = getattr(settings, name)
        if not has_type(value, kind) or not _is_within(value, limits):
            raise refused(name, value, kind, limits, spec)
        if callable(limits):
            try:
                limits(value)
            except ValueError as error:
                shown = value if re.fullmatch(r"[^\s,]+", str(value)) else repr(value)
                raise RequestError(f"{f'{spec}: ' if spec else ''}{name}={shown} {error}") from error


def refused(name: str, value: Any, kind: Any, limits: Any = None, spec: str = "") -> RequestError:
    """The error about a value: what was found, and what to give."""
    given, wanted = f"{name}={reprlib.repr(value)}", _in_words(kind)
    if isinstance(limits, str):
        low, high = map(str.strip, limits[1:-1].split(","))
        ends = (
            f"{'at least' if limits[0] == '[' else 'above'} {low}",
            f"{'at most' if limits[-1] == ']' else 'below'} {high}",
        )
        wanted += f", {' and '.join(end for end in ends if not end.endswith('inf'))}"
    if isinstance(value, str) and get_origin(kind) is Sequence:
        wanted += f", {name}=[{value!r}]"
    return RequestError(f"{f'{spec}({given})' if spec else given}: give {wanted}.")


@cache
def _declared(kind: Any) -> list[tuple[str, Any, Any]]:
    """Name, type and range (or function) of each field; None if any value of the type is allowed."""
    hints = get_type_hints(kind, localns=UNLOADED, include_extras=True)
    result: list[tuple[str, Any, Any]] = []
    for f in fields(kind):
        hint, limits = hints[f.name], None
        least, most = f.metadata.get("least"), f.metadata.get("most")
        if get_origin(hint) is Annotated:
            hint, limits = get_args(hint)
        elif (least, most) != (None, None):
            limits = f"[{-inf if least is None else least}, {inf if most is None else most}]"
        result.append((f.name, hint, limits))
    return result


def has_type(value: Any, kind: Any) -> bool:
    """Whether a value has a declared type. Types of objects are not checked."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(has_type(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, Hashable) and value in parts
    if origin is Callable:
        return callable(value)
    if origin is Mapping:
        of_key, of_value = parts
        return isinstance(value, Mapping) and all(
            has_type(key, of_key) and has_type(one, of_value) for key, one in value.items()
        )
    if origin in (Sequence, tuple):
        if not isinstance(value, Collection) or isinstance(value, (str, bytes, Mapping)):
            return False
        if origin is tuple and ... not in parts:
            return len(value) == len(parts) and all(map(has_type, value, parts))
        return all(has_type(one, parts[0]) for one in value)
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool)
    return isinstance(value, kind) if kind in (bool, str, NoneType) else True


def _is_within(value: Any, limits: Any) -> bool:
    """Whether a number is in an interval such as ``(0, 1]``; True for other values, and without limits."""
    if not isinstance(value, Real) or not isinstance(limits, str):
        return True
    number: Any = value  # not as a float, which cannot hold every whole number
    low, high = map(float, limits[1:-1].split(","))
    is_above: bool = number >= low if limits.startswith("[") else number > low
    is_below: bool = number <= high if limits.endswith("]") else number < high
    return is_above and is_below


def _in_words(kind: Any) -> str:
    """The declared type, or the choices."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Sequence, tuple):
        return SEVERAL.get(get_origin(parts[0]) or parts[0], "a list")
    words = [ONE.get(origin or kind, "an object")]
    if origin is Literal:
        words = [str(part) for part in parts]
    if origin in (Union, UnionType):
        words = [_in_words(part) for part in parts if part is not NoneType]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
