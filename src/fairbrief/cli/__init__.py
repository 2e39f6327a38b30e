"""The command ``fairbrief``: each command in a room of its own, loaded when it is called."""

from __future__ import annotations

import difflib
import signal
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from fairbrief import __version__
from fairbrief.errors import FairbriefError

COMMANDS = {
    "audit": (
        "fairbrief.cli.audit",
        "From a file of summaries to numbers that can be defended, and a report.",
    ),
    "report": ("fairbrief.cli.report", "Print or rewrite the report of a saved audit."),
    "explain": ("fairbrief.cli.explain", "Say which records, documents and sentences a value rests on."),
    "compare": ("fairbrief.cli.compare", "Compare two saved audits, paired by record."),
    "gate": ("fairbrief.cli.gate", "Hold a saved audit to limits and a baseline; for pipelines."),
    "summarize": ("fairbrief.cli.summarize", "Have records summarized by a model or a shipped summarizer."),
    "sweep": ("fairbrief.cli.sweep", "Summarize and audit over a grid of settings, as one experiment."),
    "choose": ("fairbrief.cli.choose", "Choose the fairest of several candidates; write preference pairs."),
    "build": ("fairbrief.cli.build", "Build inputs: people, mixtures, stratified sets, segments, reviews."),
    "units": ("fairbrief.cli.units", "Split summaries into atomic statements with a chat model."),
    "annotate": ("fairbrief.cli.annotate", "Ask people about summaries, and hold measures against them."),
    "agree": ("fairbrief.cli.agree", "Compare judges: two scorers, or a scorer and people."),
    "rank": ("fairbrief.cli.rank", "Order systems over several data sets, from saved audits."),
    "chunks": ("fairbrief.cli.chunks", "Find how large the pieces of documents may be for a scorer."),
    "words": ("fairbrief.cli.words", "Show which words of the inputs tell groups of documents apart."),
    "measures": ("fairbrief.cli.measures", "List what can be measured, or explain one measure."),
    "doctor": ("fairbrief.cli.doctor", "Say what this machine can do, and what is missing for the rest."),
    "prefetch": ("fairbrief.cli.prefetch", "Bring models to this machine, so that it can go offline."),
}
"""Command → module and one line of help. The module's ``app`` holds the command (or its subcommands)."""


UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises where a command line cannot be read, from whichever click it carries."""


class LazyGroup(TyperGroup):
    """Loads a command's module when the command is called: ``--help`` need not import what it lists."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """All commands: the main job first, then what comes before and after it."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command, its module loaded now."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command = typer.main.get_command(import_module(module).app)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was named; a misspelt one is told with its neighbour."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            error.message += f" Did you mean '{near[0]}'?" if near else ""  # type: ignore[attr-defined] # of click's UsageError
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """The list of commands, from the table alone: help loads nothing."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Audit how fairly summaries represent who and what they summarize.",
)


@app.callback(invoke_without_command=True)
def root(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),  # noqa: FBT003
) -> None:
    """Audit how fairly summaries represent who and what they summarize."""
    if version:
        typer.echo(f"fairbrief {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; print what a person can mend without a traceback, exit code 2."""
    try:
        code = app(prog_name="fairbrief", standalone_mode=False)
    except UsageError as error:
        sys.exit(_refuse(error))
    except FairbriefError as error:
        sys.stderr.write(f"fairbrief: {printable(str(error))}\n")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(_unread())
    except SystemExit as error:
        # Rich ends a program whose output nobody reads with 1, which a gate says of a limit that is broken.
        sys.exit(_unread() if isinstance(error.__context__, BrokenPipeError) else error.code)
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f"fairbrief: {printable(str(error.filename))}: {error.strerror}.\n")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _unread() -> int:
    """The reader of our output has gone, as with `| head`: what a shell says of a program that ends so."""
    sys.stdout = None  # nothing is left to be flushed
    return 128 + signal.SIGPIPE


def _refuse(error: Any) -> int:
    """One line about a command or an option that cannot be; the help where nothing was asked."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        command = error.ctx.command_path if error.ctx is not None else "fairbrief"
        said = " ".join(error.format_message().split())
        end = "" if said.endswith((".", "?")) else "."
        sys.stderr.write(f"fairbrief: {printable(said)}{end} Try '{command} --help'.\n")
    return 2


def printable(text: str) -> str:
    """Text that cannot drive a terminal: control characters and lone surrogates are shown, not sent."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
