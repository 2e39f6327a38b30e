"""The command ``fairbrief``: each command in a room of its own, loaded when it is called."""

from __future__ import annotations

import difflib
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from fairbrief import __version__, process_settings
from fairbrief.cli.command_line import UsageError, ended_by, watched

COMMANDS = {
    "audit": "Audit a file of summaries: every disparity with interval, chance level and p, and a report.",
    "init": "Look at files, show what they hold, and write the settings that audit them.",
    "subgroups": "Estimate by an attribute of the records from a saved audit, without scoring again.",
    "report": "Print or rewrite the report of a saved audit.",
    "view": "Look at all records of a saved audit, or compare two, in a browser.",
    "explain": "Say which records, documents and sentences a value comes from.",
    "compare": "Compare two saved audits, paired by record.",
    "power": "Say how many records would show a disparity, from a pilot audit.",
    "gate": "Hold a saved audit to limits and to a baseline, for pipelines.",
    "summarize": "Have records summarized by a model or a built-in summarizer.",
    "sweep": "Summarize and audit over a grid of settings, as one experiment.",
    "run": "Run a whole experiment from one file: data, summaries, claims, audit, gate, one page.",
    "choose": "Choose the fairest of several candidates; write preference pairs.",
    "build": "Build inputs: people, mixtures, stratified sets, segments, reviews.",
    "claims": "Split summaries into atomic statements with a chat model.",
    "annotate": "Ask people about summaries, and compare measures with their answers.",
    "calibrate": "Learn from labelled pairs what a scorer's numbers mean.",
    "agree": "Measure agreement: of two scorers, or of a scorer and people.",
    "rank": "Order systems over several data sets, from saved audits.",
    "chunks": "Find how large the pieces of documents may be for a scorer.",
    "stats": "Count the records, documents, lengths and groups of a file.",
    "words": "Show which words of the inputs tell groups of documents apart.",
    "recogniser": "Measure how often a recogniser misses people or misreads their gender.",
    "protocol": "List a paper's tables and figures, and how to obtain each.",
    "measures": "List what can be measured, or explain one measure.",
    "doctor": "Say what this machine can do, and what is missing for the rest.",
    "prefetch": "Download models, so that this machine can work offline.",
}
"""Command → one line of help."""
MODULES = {
    "saved_commands": ("subgroups", "report", "view", "compare", "power", "gate", "rank", "explain"),
    "summarize_commands": ("summarize", "claims"),
    "experiment_commands": ("sweep", "run"),
    "agreement_commands": ("agree", "chunks"),
    "corpus_commands": ("stats", "words", "recogniser"),
    "lookup_commands": ("protocol", "measures", "doctor", "prefetch"),
}
"""Module of several commands, or of subcommands → its commands; each other command is in its own module, ``NAME_command``."""


def loaded(name: str) -> Any:
    """A command (or the group of its subcommands), its module loaded now."""
    module = next((module for module, names in MODULES.items() if name in names), f"{name}_command")
    command = typer.main.get_command(import_module(f"fairbrief.cli.{module}").app)
    return getattr(command, "commands", {}).get(name, command)


class LazyGroup(TyperGroup):
    """Loads a command's module when the command is called: ``--help`` need not import what it lists."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """All commands: the main job first, then what comes before and after it."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command, its module loaded now."""
        if cmd_name not in COMMANDS:
            return None
        command = loaded(cmd_name)
        command.name = cmd_name
        return watched(command)

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
            formatter.write_dl(list(COMMANDS.items()))


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
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Audit how fairly summaries represent who and what they summarize."""
    if version:
        typer.echo(f"fairbrief {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command, and end with the code of what became of it: see `fairbrief.cli.command_line`."""
    process_settings.settle()
    process_settings.settle_streams()
    try:
        code = app(prog_name="fairbrief", standalone_mode=False)
        sys.stdout.flush()  # a full disk or a reader that has gone is noticed here, not after the end
    except BaseException as error:  # noqa: BLE001 - the last place that can say what it means
        code = ended_by(error)
    sys.exit(code if isinstance(code, int) else 0)
