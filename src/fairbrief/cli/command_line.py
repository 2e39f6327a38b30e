"""Rules of every command: repeated options, settings from a file, ``--quiet``, output files; and the messages and exit codes of errors."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import typer

from fairbrief.cli import help_pages, settings_file
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.settings import as_list
from fairbrief.text.addresses import is_stored, redacted, refuse_secrets, refuse_stored
from fairbrief.text.counted import listed

FILES = ("files", "sources")
"""Names of the argument with the input files."""
INPUTS = ("records", "summaries", "speakers")
"""Options with input files."""
OUTPUTS = ("out", "junit", "markdown", "json", "pairs", "label_sheet")
"""Options with a file or folder that the command writes."""


class CheckedCommand(help_pages.CommandWithPage):
    """A command that refuses repeated options and unusable files before any work."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with those of a file of settings."""
        try:
            given, _, order = self.make_parser(ctx).parse_args(args=list(args))
            _check_repeated(ctx, order)
            for files in (given.get(name) or () for name in FILES):
                if any(map(settings_file.is_one, files)):
                    args = settings_file.filled_in(ctx, args, files, given)
            return super().parse_args(ctx, args)
        except UsageError as error:
            error.ctx = ctx  # type: ignore[attr-defined] # of click's UsageError: names the command
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command, with ``--quiet`` without output."""
        _check_paths(ctx)
        try:
            if not ctx.params.get("quiet"):
                return super().invoke(ctx)
            with Path(os.devnull).open("w", encoding="utf-8") as nothing, redirect_stdout(nothing):
                return super().invoke(ctx)
        except (DataError, RequestError) as error:
            from fairbrief.readers.reading_settings import options_in  # too slow for --help

            own = {name for option in ctx.command.params for name in option.opts}
            if not (lacking := [name for name in options_in(str(error)) if name not in own]):
                raise
            instead = "give it to 'fairbrief audit'" if ctx.info_name == "init" else "change the file"
            advice = f"'{ctx.command_path}' has no {listed(lacking, conjunction='or')}: {instead}."
            raise type(error)(f"{error} {advice}") from error


def _check_paths(ctx: Any) -> None:
    """RequestError for an output that cannot be written, is an input or has a wrong ending, and for addresses that are not allowed."""
    params, given = ctx.command.params, ctx.params
    inputs = [given.get(p.name) for p in params if p.name in INPUTS or p.param_type_name == "argument"]
    for option in params:
        value = given.get(option.name)
        name = max(option.opts, key=len)
        _check_addresses(value, name)
        if option.name in OUTPUTS and isinstance(value, Path):
            ending = Path(option.metavar or "").suffix
            if ending not in ("", value.suffix):
                raise RequestError(f"{name} {value}: give a name that ends in {ending}.")
            check_output(value, name, inputs)


def _check_addresses(value: Any, name: str) -> None:
    """RequestError for an object store where none is supported, and for an address with a key."""
    for one in as_list(value):
        if isinstance(one, Path):
            refuse_stored(one, name if name.startswith("-") else "")
        elif isinstance(one, str):
            address = one if is_stored(one) else one.partition("=")[2]
            if is_stored(address):
                refuse_secrets(address)


def _check_repeated(ctx: Any, order: Sequence[Any]) -> None:
    """RequestError for a repeated option that takes one value."""
    for option, many in Counter(order).items():
        takes_one = not (option.multiple or getattr(option, "is_flag", False) or option.nargs == -1)
        if many > 1 and option.param_type_name == "option" and takes_one:
            name = max(option.opts, key=len)
            raise UsageError(f"{name} is given {many} times, but takes one value: give it once.", ctx)


def check_output(out: Path, option: str, inputs: Iterable[object]) -> None:
    """RequestError if the output is one of the inputs, or cannot be written."""
    given = [str(file) for one in inputs for file in as_list(one)]
    # An input may be NAME=FILE.
    files = {Path(path).resolve() for text in given for path in (text, text.partition("=")[2])}
    if not out.is_dir() and out.resolve() in files:
        raise RequestError(f"{option} {out} is also an input: give another name.")
    there = next((place for place in (out, *out.absolute().parents) if place.exists()), Path.cwd())
    if not out.exists() and not there.is_dir():
        raise RequestError(f"{option} {out}: {there} is a file, not a folder: give another path.")
    if not os.access(there, os.W_OK):
        raise RequestError(f"{option} {out}: you cannot write to {there}: give another path.")


def check_sheet(sheet: Path) -> None:
    """RequestError if a new sheet exists: people's answers could not be recovered."""
    if sheet.exists():
        raise RequestError(f"{sheet} exists and may contain answers: give another name, or remove it.")


REFUSED = 2
"""The user can fix it; the message tells how."""
INCOMPLETE = 3
"""A gate is inconclusive, or a run has unanswered questions."""
UNEXPECTED = 70
"""A bug: BSD's EX_SOFTWARE."""
UNREAD = 128 + signal.SIGPIPE
"""The reader of the output has closed the pipe, as ``| head`` does: the code of a shell."""

DISK_ERRORS = {
    errno.ENOSPC: "the disk is full: free some space, then run the same command again",
    errno.EDQUOT: "your disk quota is used up: free some space, then run the same command again",
    errno.EROFS: "the disk is read-only: give another path",
    errno.EIO: "the disk failed to read or write: check the disk",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine: close other programs",
}

MEANT = {"--summarizer": "--with", "--model": "--with", "--output": "--out", "--file": "--records"}
"""Options that people type → the option that they mean, if the command has it."""
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Typer's error for an invalid command line, from the click that it contains."""


def ended_by(error: BaseException) -> int:
    """Print the error that ended the command; return the exit code."""
    is_unread = isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError)
    if is_unread or isinstance(error, OSError):
        sys.stdout = None  # do not write again when Python ends
    if is_unread:
        return UNREAD
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, UsageError):
        return _usage(error)
    message = _message(error)
    if message is None:
        trace = "".join(traceback.format_exception(error))
        bug = f"{trace}fairbrief: this is a bug in fairbrief. Please report it with the lines above."
        _print(bug, lines=True)
        return UNEXPECTED
    _print(f"fairbrief: {message}")
    return REFUSED


def _message(error: BaseException) -> str | None:
    """The message of an error that the user can fix; None for a bug."""
    if isinstance(error, FairbriefError):
        return str(error)
    if isinstance(error, MemoryError):
        return "the memory is full: use a smaller input, or a machine with more memory."
    if isinstance(error, OSError) and (error.errno in DISK_ERRORS or error.filename is not None):
        named = "" if error.filename is None else f"{error.filename}: "
        why = DISK_ERRORS.get(error.errno or 0) or error.strerror or os.strerror(error.errno or 0)
        return f"{named}{why}."
    return None


def _usage(error: Exception) -> int:
    """Print one line about an invalid command line, or the help if it is empty."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined] # of click's UsageError
        return REFUSED
    context = error.ctx  # type: ignore[attr-defined]
    message = " ".join(error.format_message().replace("Value error, ", "").split())  # type: ignore[attr-defined]
    typed = getattr(error, "option_name", "")
    meant = MEANT.get(typed)
    if context is not None and any(meant in option.opts for option in context.command.params):
        message = f"No such option: {typed}. Did you mean {meant}?"
    end = "" if message.endswith((".", "?")) else "."
    command = context.command_path if context is not None else "fairbrief"
    _print(f"fairbrief: {message}{end} Try '{command} --help'.")
    return REFUSED


def _print(text: str, *, lines: bool = False) -> None:
    try:
        from fairbrief.reports.plain import printable

        sys.stderr.write(printable(redacted(text), lines=lines) + "\n")
    except OSError:  # a closed pipe or a full disk: only the exit code remains
        sys.stderr = None
