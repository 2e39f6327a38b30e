"""The help page of a command: usage, description, panels of options, examples."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

from fairbrief.settings import INPUTS, MACHINE, MEASURED, MODELS, OUTPUT, STATISTICS

OPTIONS = "Options"
PANELS = ("Arguments", OPTIONS, INPUTS, MEASURED, STATISTICS, OUTPUT, MODELS, MACHINE)
"""In the order in which a page shows them; panels of single commands follow."""
EXPLAINED_BY = "audit"
"""The command whose page explains the options of `INPUTS`; the other pages only list them."""
WIDEST = 26
"""Characters of the first column; longer options have a line for themselves."""
NEGATION = re.compile(r"--([a-z]+(?:-[a-z]+)*) / --no-\1")
NOTE = re.compile(r"default: [^;\]]+|required")
"""What typer says of an option besides its range."""
EXAMPLES = "\n\nExamples:\n"
"""The heading at the end of a command's docstring, above command lines."""
UNBROKEN = "\xa0"
"""A space at which no line ends."""
Entry = tuple[str, str]
"""An option as it is typed, and its description."""


class CommandWithPage(TyperCommand):
    """A command with this help page."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.help, self.examples = split_examples(self.help or "")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The usage: options, then arguments; those that may be absent in brackets."""
        arguments: list[Any] = [p for p in self.params if p.param_type_name == "argument"]
        return ["[OPTIONS]", *(a.metavar if a.required else f"[{a.metavar}]" for a in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options by panel."""
        panels: dict[str, list[Entry]] = {panel: [] for panel in PANELS}
        parameters: list[Any] = self.params
        for parameter in parameters:
            is_argument = parameter.param_type_name == "argument"
            panel = "Arguments" if is_argument else parameter.rich_help_panel or OPTIONS
            panels.setdefault(panel, []).append(_entry(parameter, ctx))
        for panel, entries in panels.items():
            if entries and panel == INPUTS and self.name != EXPLAINED_BY:
                _write_list(panel, entries, formatter)
            elif entries:
                write_section(panel, entries, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """The examples."""
        formatter.write("\nExamples:\n")
        for line in self.examples:
            bound = re.sub(r" (--\S+) (?!-)", rf" \1{UNBROKEN}", line)
            lines = _wrapped(bound, formatter.width - 4, subsequent_indent="    ")
            formatter.write("  " + " \\\n  ".join(lines) + "\n")


def split_examples(text: str) -> tuple[str, list[str]]:
    """The description in a command's docstring, and its examples."""
    description, _, examples = text.partition(EXAMPLES)
    return description, [line.strip() for line in examples.splitlines()]


def _entry(parameter: Any, ctx: Any) -> Entry:
    if parameter.param_type_name == "argument":
        return parameter.metavar, parameter.help
    typed, text = parameter.get_help_record(ctx)
    note = NOTE.search(text.removeprefix(parameter.help))
    shown = f" [{note[0].replace(' ', UNBROKEN)}]" if note else ""
    return NEGATION.sub(r"--[no-]\1", typed), f"{parameter.help}{shown}"


def write_section(title: str, entries: Sequence[Entry], formatter: Any) -> None:
    """A title, and below it what is typed beside its description."""
    first = min(max(len(typed) for typed, _ in entries), WIDEST)
    formatter.write(f"\n{title}:\n")
    for typed, text in entries:
        if len(typed) > first:
            formatter.write(f"  {typed}\n")
            typed = ""
        for line in _wrapped(text, formatter.width - first - 4):
            formatter.write(f"  {typed:{first}}  {line}\n")
            typed = ""


def _write_list(title: str, entries: Sequence[Entry], formatter: Any) -> None:
    """Options by name only: another page explains them."""
    typed = ", ".join(typed.split(" ")[0] for typed, _ in entries)
    formatter.write(f"\n{title} (explained by 'fairbrief {EXPLAINED_BY} --help'):\n")
    formatter.write("".join(f"  {line}\n" for line in _wrapped(typed, formatter.width - 2)))


def _wrapped(text: str, width: int, **layout: Any) -> list[str]:
    lines = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False, **layout)
    return [line.replace(UNBROKEN, " ") for line in lines]
