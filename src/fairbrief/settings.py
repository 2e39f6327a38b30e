"""How a setting is declared: once, as a field of a dataclass, from which options, keywords and records are derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, field
from typing import Any, Literal

Decides = Literal["rows", "estimates", "machine"]
"""What a setting changes: the rows of an audit, what is estimated from them, or only how and where it is computed."""
INPUTS, MEASURED, STATISTICS, OUTPUT, MODELS, MACHINE = (
    "Inputs", "What to measure", "Statistics", "Output", "Asking models", "Machine",
)  # fmt: skip
"""Panels of a command's help, in their order."""


def setting(
    default: Any,
    help: str,  # noqa: A002 # the word of all who show it
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
    """A field of settings, with all that anybody needs to know of it.

    A setting with a ``panel`` is an option, listed there in the help: ``flag``, or else its name. ``recorded`` says whether
    results.json holds it, or under which name; ``parse`` makes the value of the texts that an option was given.
    """
    about = {
        "help": help, "metavar": metavar, "flag": flag, "panel": panel, "least": least, "most": most,
        "decides": decides, "recorded": recorded, "parse": parse,
    }  # fmt: skip
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=about)
    return field(default=default, metadata=about)


def option_of(f: Field[Any]) -> str:
    """The option of a setting, ``--resamples``; with ``/--no-…`` behind it where it has both."""
    return f.metadata["flag"] or f"--{f.name.strip('_').replace('_', '-')}"


def name_of(f: Field[Any]) -> str:
    """The key of a setting in an experiment's file: the name of its option, of a list its own."""
    return f.name if isinstance(f.default, tuple) else option_of(f).partition("/")[0][2:].replace("-", "_")
