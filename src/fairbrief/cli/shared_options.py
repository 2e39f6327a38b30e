"""Options that several commands share, declared once: as the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import update_wrapper
from inspect import Parameter, signature
from typing import Any, get_type_hints

Command = Callable[..., None]


def with_options_of(kind: type[Any], name: str, *without: str) -> Callable[[Command], Command]:
    """Give a command the options that are the fields of ``kind``, but for some, in place of its parameter ``name``.

    Typer reads a command's options from its signature, so that is what is made anew.
    """
    hints = get_type_hints(kind, include_extras=True)
    own = [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(kind)
        if f.name not in without
    ]

    def extended(command: Command) -> Command:
        def run(**given: Any) -> None:
            told = {parameter.name: given.pop(parameter.name) for parameter in own}
            command(**given, **{name: kind(**told)})

        return with_signature(run, command, own, without=name)

    return extended


def with_signature(
    run: Command, command: Command, own: list[Parameter], *, without: str | None = None
) -> Command:
    """``run`` in the place of a command, with its parameters but for ``without``, and others behind them."""
    found = signature(command, eval_str=True)
    parameters = [*(p for name, p in found.parameters.items() if name != without), *own]
    made: Any = update_wrapper(run, command)
    made.__signature__ = found.replace(parameters=parameters)
    made.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
