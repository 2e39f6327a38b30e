"""The command ``fairbrief``. The module of a subcommand is loaded only when the subcommand is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from fairbrief import __version__, process_settings
from fairbrief.cli.command_line import ended_by
from fairbrief.cli.help_pages import write_section
from fairbrief.cli.options import new_app

GROUPS = {
    "Audit": {
        "audit": ("audit_command", "Audit summaries: tables on the screen, and a report."),
        "init": ("input_commands", "Inspect files and write the settings that audit them."),
    },
    "Saved audits": {
        "report": ("lookup_commands", "Print or export the report."),
        "view": ("saved_commands", "Browse all records, of one audit or of two side by side."),
        "subgroups": ("saved_commands", "Estimate each subgroup of records, without new scores."),
        "explain": ("saved_commands", "Show which records and sentences move a value."),
        "compare": ("saved_commands", "Compare two audits, paired by record."),
        "gate": ("saved_commands", "Check an audit against limits or a baseline, e.g. in CI."),
        "trend": ("saved_commands", "Show whether nightly audits drift, and since when."),
        "power": ("saved_commands", "Show how many records you need."),
        "rank": ("saved_commands", "Rank systems over several data sets."),
    },
    "Inputs and summaries": {
        "stats": ("input_commands", "Count records, documents, lengths and groups."),
        "words": ("input_commands", "Show the words that are typical of each group."),
        "build": ("build_command", "Build inputs: people, mixtures, segments, reviews."),
        "summarize": ("summary_commands", "Summarize records with a model or a built-in summarizer."),
        "claims": ("summary_commands", "Split summaries into claims with a chat model."),
        "sweep": ("summary_commands", "Summarize and audit over a grid of settings."),
        "choose": ("summary_commands", "Choose the fairest of several summaries of each record."),
    },
    "Scorers and people": {
        "agree": ("scorer_commands", "Measure how far two scorers, or a scorer and people, agree."),
        "calibrate": ("scorer_commands", "Calibrate a scorer on labelled pairs."),
        "chunks": ("scorer_commands", "Find the best size of pieces of documents for a scorer."),
        "annotate": ("annotate_command", "Ask people about summaries, and use their answers."),
    },
    "Look up": {
        "measures": ("lookup_commands", "List measures, scorers and summarizers, or explain one."),
        "protocol": ("lookup_commands", "List a paper's tables and figures, and their commands."),
        "doctor": ("lookup_commands", "Show what is installed, and what is missing."),
        "prefetch": ("lookup_commands", "Download models for work without a network."),
    },
}
"""Headings of the list of commands → commands → their module, and one line of help."""
COMMANDS = {name: about for commands in GROUPS.values() for name, about in commands.items()}


def loaded(name: str) -> Any:
    """A command, or a group of subcommands; imports its module."""
    module, _ = COMMANDS[name]
    command = typer.main.get_command(import_module(f"fairbrief.cli.{module}").app)
    return getattr(command, "commands", {}).get(name, command)


class LazyGroup(TyperGroup):
    """Imports a command's module only when the command is called, so that ``--help`` is fast."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = dict.fromkeys(COMMANDS)
        """Only the names, in the order of `GROUPS`: the error for an unknown command suggests the nearest ones."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command; imports its module."""
        if cmd_name not in COMMANDS:
            return None
        command = loaded(cmd_name)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """The list of commands, by group."""
        width = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            lines = [(name.ljust(width), line) for name, (_, line) in commands.items()]
            write_section(heading, lines, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """What to type next."""
        formatter.write(
            "\nBegin with:\n  fairbrief audit examples/reviews.jsonl --out demo\n"
            "'fairbrief COMMAND --help' has options and examples.\n"
        )


app = new_app("Audit how fairly summaries represent who and what they summarize.", LazyGroup)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Audit how fairly summaries represent who and what they summarize."""
    if version:
        typer.echo(f"fairbrief {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command and exit with its code: see `fairbrief.cli.command_line`."""
    process_settings.configure()
    process_settings.configure_streams()
    try:
        code = app(prog_name="fairbrief", standalone_mode=False)
        sys.stdout.flush()  # a full disk or a closed pipe must raise here, not at exit
    except BaseException as error:  # noqa: BLE001 - no caller above to report it
        code = ended_by(error)
    sys.exit(code if isinstance(code, int) else 0)
