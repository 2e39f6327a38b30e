"""How settings are declared: each once, as a field with its help. Options, keywords and records are derived from the fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, field
from typing import Any

Names = str | Sequence[str]
"""One name or text, or several."""
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
    parse: Callable[[Sequence[str]], Any] | None = None,
) -> Any:
    """A field of settings with its metadata.

    A setting with a ``panel`` is an option in that panel of the help, named ``flag`` or like the field. ``recorded``:
    whether results.json contains it, or under which name. ``parse`` computes the value from the texts of an option.
    """
    about = {
        "help": help, "metavar": metavar, "flag": flag, "panel": panel, "least": least, "most": most,
        "recorded": recorded, "parse": parse,
    }  # fmt: skip
    return field(default=default, metadata=about)


def option_of(f: Field[Any]) -> str:
    """The option of a setting, ``--resamples``; with ``/--no-…`` if it can be negated."""
    return f.metadata["flag"] or f"--{f.name.strip('_').replace('_', '-')}"


def key_of(f: Field[Any]) -> str:
    """The name of a setting's option without dashes at its start, and with underscores in it."""
    return option_of(f).strip("-").replace("-", "_")


def listed(given: Any) -> Any:
    """A list; a single name or measure becomes a list of one, None an empty one."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not hasattr(given, "__iter__") else given
