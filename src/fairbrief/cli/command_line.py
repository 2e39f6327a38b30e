"""What holds for every command line: an option once where one counts, settings from a file, ``--quiet``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from fairbrief.cli import settings_file
from fairbrief.cli.exit_codes import UsageError
from fairbrief.settings import INPUTS, MACHINE, MEASURED, MODELS, OUTPUT, STATISTICS
from fairbrief.text.addresses import is_stored, refuse_secrets, refuse_stored

REST = "Options"
PANELS = ("Arguments", REST, INPUTS, MEASURED, STATISTICS, OUTPUT, MODELS, MACHINE)
FILES = ("files", "sources")
"""How the argument is called that takes the input files."""


def watched(command: Any) -> Any:
    """The command, and its subcommands, with these rules."""
    for inner in getattr(command, "commands", {}).values():
        watched(inner)
    make_parser, invoke = command.make_parser, command.invoke

    def parser_of(ctx: Any) -> Any:
        parser = make_parser(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            told, rest, order = parse(args=args)
            _refuse_twice(ctx, order)
            for name in FILES:
                if any(settings_file.is_one(file) for file in told.get(name) or ()):
                    settings_file.fill_in(told, name, command)
            return told, rest, order

        parser.parse_args = parse_args
        return parser

    def run(ctx: Any) -> Any:
        for option in ctx.command.params:
            _check_addresses(ctx.params.get(option.name), max(option.opts, key=len))
        if not ctx.params.get("quiet"):
            return invoke(ctx)
        with Path(os.devnull).open("w", encoding="utf-8") as nothing, redirect_stdout(nothing):
            return invoke(ctx)

    command.make_parser, command.invoke = parser_of, run
    if not hasattr(command, "commands"):
        command.format_options = partial(_in_panels, command)
    return command


def _in_panels(command: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments and options into a command's help, in the panels that they belong to."""
    panels: dict[str, list[tuple[str, str]]] = {name: [] for name in PANELS}
    for parameter in command.get_params(ctx):
        shown = parameter.get_help_record(ctx)
        panel = "Arguments" if parameter.param_type_name == "argument" else parameter.rich_help_panel or REST
        if shown is not None:
            panels.setdefault(panel, []).append(shown)
    for name, shown_in in panels.items():
        if shown_in:
            with formatter.section(name):
                formatter.write_dl(shown_in)


def _check_addresses(value: Any, name: str) -> None:
    """RequestError for an object store where none can be read or written, and for an address that holds a key."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, Path):
            refuse_stored(one, name if name.startswith("-") else "")
        elif isinstance(one, str):
            address = one if is_stored(one) else one.partition("=")[2]
            if is_stored(address):
                refuse_secrets(address)


def _refuse_twice(ctx: Any, order: Sequence[Any]) -> None:
    """RequestError for an option of which the last alone would count."""
    for option, many in Counter(order).items():
        takes_one = not (option.multiple or getattr(option, "is_flag", False) or option.nargs == -1)
        if many > 1 and option.param_type_name == "option" and takes_one:
            name = max(option.opts, key=len)
            raise UsageError(f"{name} is given {many} times, and takes one value: name it once.", ctx)
