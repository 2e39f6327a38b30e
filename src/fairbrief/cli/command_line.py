"""What holds for every command line: an option once where one counts, settings from a file, ``--quiet``; and what the command says, and
the code that it ends with, when something goes wrong.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import typer

from fairbrief.cli import settings_file
from fairbrief.cli.help_pages import with_help_page
from fairbrief.errors import FairbriefError
from fairbrief.text.addresses import is_stored, redacted, refuse_secrets, refuse_stored

FILES = ("files", "sources")
"""How the argument is called that takes the input files."""


def prepared(command: Any, name: str) -> Any:
    """The command, and its subcommands, with the rules of this module and their help pages."""
    for inner, subcommand in getattr(command, "commands", {}).items():
        prepared(subcommand, f"{name} {inner}")
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
        with_help_page(command, name)
    return command


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


LIMIT_BROKEN = 1
"""A gate's limit is broken: no other failure has this code."""
REFUSED = 2
"""A person can mend it: the message says what was found and what to do."""
INCOMPLETE = 3
"""A gate that cannot decide; a run of which some questions found no answer."""
UNEXPECTED = 70
"""A fault of the program itself: BSD's EX_SOFTWARE."""
UNREAD = 128 + signal.SIGPIPE
"""The reader of the output has gone, as with ``| head``: what a shell says of a program that ends so."""

OF_THE_DISK = {
    errno.ENOSPC: "the disk is full: free some of it, then run the same command again",
    errno.EDQUOT: "your quota of the disk is used up: free some of it, then run the same command again",
    errno.EROFS: "the disk can only be read: name another place",
    errno.EIO: "the disk failed to read or write: look after it",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`), or use fewer --workers",
    errno.ENFILE: "too many files are open on this machine",
}

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises where a command line cannot be read, from whichever click it carries."""


def ended_by(error: BaseException) -> int:
    """Print what a person must know of the error that ended the command; return the exit code."""
    is_unread = isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError)
    if is_unread or isinstance(error, OSError):
        sys.stdout = None  # what could not be written is not tried again when Python ends
    if is_unread:
        return UNREAD
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, UsageError):
        return _usage(error)
    said = _said(error)
    if said is None:
        told = "".join(traceback.format_exception(error))
        _tell(f"{told}fairbrief: this is a fault of fairbrief: please report it, with the lines above.")
        return UNEXPECTED
    _tell(f"fairbrief: {said}")
    return REFUSED


def _said(error: BaseException) -> str | None:
    """The message of an error that a person can mend; None for a fault of ours."""
    if isinstance(error, FairbriefError):
        return str(error)
    if isinstance(error, MemoryError):
        return "the memory is full: give less input at once, or use fewer --workers."
    if isinstance(error, OSError) and (error.errno in OF_THE_DISK or error.filename is not None):
        named = [str(name) for name in (error.filename,) if name is not None]
        why = OF_THE_DISK.get(error.errno or 0) or error.strerror or os.strerror(error.errno or 0)
        return ": ".join([*named, why]) + "."
    return None


def _usage(error: Exception) -> int:
    """One line about a command or an option that cannot be; the help where nothing was asked."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined] # of click's UsageError
        return REFUSED
    context = error.ctx  # type: ignore[attr-defined]
    said = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    end = "" if said.endswith((".", "?")) else "."
    command = context.command_path if context is not None else "fairbrief"
    _tell(f"fairbrief: {said}{end} Try '{command} --help'.")
    return REFUSED


def _tell(text: str) -> None:
    try:
        sys.stderr.write(printable(redacted(text)) + "\n")
    except OSError:  # nobody reads, or the disk that it goes to is full: the code must do
        sys.stderr = None


def printable(text: str) -> str:
    """Text that cannot drive a terminal: control characters and lone surrogates are shown, not sent."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
