"""Runs commands as a reader of the pages would, in this process: built-ins only, 80 columns, no colour."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from unittest.mock import patch

from typer.testing import CliRunner

from fairbrief import cli, registry
from fairbrief.errors import FairbriefError
from fairbrief.reports.plain import printable

KINDS: tuple[registry.Kind, ...] = ("measure", "scorer", "classifier", "summarizer", "protocol")
TERMINAL = {"COLUMNS": "80", "LINES": "50", "NO_COLOR": "1", "TERM": "xterm"}


@contextmanager
def built_ins_only() -> Iterator[None]:
    """Plug-ins of other packages are not seen: what the pages say holds for Fairbrief alone."""
    own = metadata.distribution("fairbrief").entry_points.select
    registry.declared.cache_clear()
    try:
        with patch.object(registry, "_installed", lambda: own):
            yield
    finally:
        registry.declared.cache_clear()


def run(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit status and all that is printed, as in ``fairbrief ARGUMENTS``."""
    # The command line looks at sys.argv to see whether only help is wanted.
    with (
        built_ins_only(),
        patch.object(sys, "argv", ["fairbrief", *arguments]),
        patch.dict(os.environ, TERMINAL),
    ):
        done = CliRunner().invoke(cli.app, list(arguments), prog_name="fairbrief")
    if isinstance(done.exception, FairbriefError):
        return 2, f"{done.output}fairbrief: {printable(str(done.exception), lines=True)}\n"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def help_of(arguments: Sequence[str] = ()) -> str:
    """The help text of a command."""
    status, text = run([*arguments, "--help"])
    if status:
        raise RuntimeError(f"fairbrief {' '.join(arguments)} --help ended with {status}: {text}")
    return text.rstrip()
