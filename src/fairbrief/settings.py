"""Settings: fields of dataclasses, from which options, keywords and records are derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, field
from typing import Any, Literal

Decides = Literal["rows", "estimates", "machine"]
"""What a setting affects: the rows of an audit, the estimates from them, or only the computation."""
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
    decides: Decides = "estimates",
    recorded: str | bool = True,
    parse: Callable[[Sequence[str]], Any] | None = None,
) -> Any:
    """A field of settings with its metadata.

    A setting with a ``panel`` is an option in that panel of the help, named ``flag`` or like the field. ``recorded``:
    whether results.json contains it, or under which name. ``parse`` computes the value from the texts of an option.
    """
    about = {
        "help": help, "metavar": metavar, "flag": flag, "panel": panel, "least": least, "most": most,
        "decides": decides, "recorded": recorded, "parse": parse,
    }  # fmt: skip
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=about)
    return field(default=default, metadata=about)


def option_of(f: Field[Any]) -> str:
    """The option of a setting, ``--resamples``; with ``/--no-…`` if it can be negated."""
    return f.metadata["flag"] or f"--{f.name.strip('_').replace('_', '-')}"
