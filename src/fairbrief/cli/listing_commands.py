"""``fairbrief measures``: what can be measured; ``fairbrief protocol``: what a paper shows, under its own numbers."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from fairbrief.cli import options as o
from fairbrief.cli.output import print_tables
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.protocols.published_results import PublishedResult

app = o.new_app()

KINDS: tuple[Literal["measure", "scorer", "tagger", "summarizer", "protocol"], ...] = (
    "measure",
    "scorer",
    "tagger",
    "summarizer",
    "protocol",
)
"""What can be named, in the order that it is listed."""


@app.command()
def measures(
    name: str | None = o.argument(
        "Measure, scorer, tagger, summarizer or protocol to explain.", "NAME", None
    ),
) -> None:
    """List all measures, scorers, taggers, summarizers and protocols, or explain one of them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fairbrief import registry, specs
    from fairbrief.reports.plain import printable

    console = Console()
    if name is not None:
        console.print(Text(explanation(name, console.width)))
        return
    known_as = names_of_classes()
    for kind in KINDS:
        table = Table(title=f"{kind}s", title_justify="left", title_style="bold", box=None, pad_edge=False)
        table.add_column("name", no_wrap=True)
        table.add_column("what it is")
        for known, thing in registry.loaded(kind):
            over = "@ATTRIBUTE" if specs.needs_over(thing) else ""
            table.add_row(f"{known}{over}", Text(unmarked(first_line(thing), known_as)))
        for known, why in registry.broken(kind).items():
            table.add_row(Text(known, style="red"), Text(printable(why), style="red"))
        console.print(table)
        console.print()
    console.print("fairbrief measures NAME explains one.")


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    text = inspect.getdoc(thing if inspect.isclass(thing) or callable(thing) else type(thing)) or ""
    return " ".join(text.split("\n\n")[0].split())


def names_of_classes() -> dict[str, str]:
    """The class behind each name that can be asked for → that name."""
    from fairbrief import registry

    return {
        (thing if inspect.isclass(thing) else type(thing)).__name__: name
        for kind in reversed(KINDS)
        for name, thing in registry.loaded(kind)
    }


def observation_of(owner: Any) -> type:
    """The class of a measure's observation; settings that must be given are given their own names."""
    fields = [f for f in dataclasses.fields(owner) if f.init]
    needed = [f for f in fields if f.default is f.default_factory is dataclasses.MISSING]
    return type(owner(**{f.name: f.name for f in needed}).observation)


def explanation(name: str, width: int = 80) -> str:
    """A plug-in's docstring, what its observation tells of the settings, and the settings."""
    from fairbrief import registry
    from fairbrief.readers.messages import did_you_mean

    known_as = names_of_classes()
    for kind in KINDS:
        if name in registry.names(kind):
            thing = registry.load(kind, name)
            owner = thing if inspect.isclass(thing) else type(thing)
            lines = [f"{name} ({kind})", "", filled(inspect.getdoc(owner) or "", width, known_as)]
            if kind == "measure" and dataclasses.is_dataclass(owner):
                seen = observation_of(owner)
                lines += ["", f"{seen.__name__}, what is written down of each summary:", ""]
                lines += [filled(inspect.getdoc(seen) or "", width, known_as)]
            if dataclasses.is_dataclass(owner):
                lines += ["", "Settings:", *(f"  {text}" for text in _settings(owner))]
            return "\n".join(lines)
    known = [known for kind in KINDS for known in registry.names(kind)]
    raise RequestError(f"Nothing is named '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}.")


def _settings(owner: Any) -> list[str]:
    from fairbrief import specs

    found = []
    for f in specs.settings_of(owner):
        default = "" if f.default is dataclasses.MISSING else f" = {f.default!r}"
        found.append(f"{f.name}: {f.type}{default}")
    return found or ["none"]


# ------------------------------------------------------------------------- docstrings on a terminal


WIDEST = 100
"""Characters of a line, on a terminal however wide."""
LABEL = re.compile(r"[A-Z][\w ]*: {2,}|- ")
"""How an entry begins (``Source:   …``, ``- …``); its further lines are indented as far."""
CODE = re.compile(r"``([^`]+)``|`([^`]+)`")
STRESS = re.compile(r"\*(\w+)\*")
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def unmarked(text: str, names: Mapping[str, str] = NO_NAMES) -> str:
    """The text without marks; what stood between backquotes is quoted, a class called by its name in ``names``.

    >>> unmarked("``limit`` as in `Rouge1`", {"Rouge1": "rouge1"})
    "'limit' as in 'rouge1'"
    """
    plain = CODE.sub(lambda m: f"'{m[1] if m[1] is not None else names.get(m[2], m[2])}'", text)
    return STRESS.sub(r"\1", plain)


def filled(text: str, width: int, names: Mapping[str, str] = NO_NAMES) -> str:
    """The docstring in lines of at most ``width`` characters; indented lines of no entry stay as they are."""
    blocks = (_block(block.splitlines(), min(width, WIDEST), names) for block in text.split("\n\n"))
    return "\n\n".join(blocks)


def _block(lines: list[str], width: int, names: Mapping[str, str]) -> str:
    parts: list[tuple[int, list[str]]] = []
    hang = -1  # of the part that goes on: 0 of a paragraph, −1 of none
    for line in lines:
        label = LABEL.match(line)
        indent = len(line) - len(line.lstrip())
        if label is None and indent == hang:
            parts[-1][1].append(line.strip())
            continue
        hang = label.end() if label is not None else -1 if indent else 0
        parts.append((max(hang, 0), [line]))
    return "\n".join(_part(hang, of_part, width, names) for hang, of_part in parts)


def _part(hang: int, lines: list[str], width: int, names: Mapping[str, str]) -> str:
    text = unmarked(" ".join(lines), names)
    return textwrap.fill(
        text, width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )


# -------------------------------------------------------------------------------------- protocols


@app.command()
def protocol(
    name: str = o.argument("Protocol, e.g. li-coverage.", "NAME"),
    number: str | None = o.argument(
        "One result, e.g. 'Table 3', with its published figures.", "NUMBER", None
    ),
) -> None:
    """List a paper's experiments, tables and figures, or show one with its command and published figures.

    The tables themselves are printed by 'fairbrief audit FILE --protocol NAME', under the same numbers.
    """
    from rich.console import Console

    from fairbrief import registry
    from fairbrief.types import Table

    made = registry.make("protocol", name)
    if not hasattr(made, "results"):
        raise RequestError(f"The protocol '{name}' does not say what its paper shows.")
    results: Sequence[PublishedResult] = made.results()
    if number is None:
        rows = tuple((r.number, "command" if r.commands else "absent", r.title) for r in results)
        note = f"fairbrief protocol {name} 'NUMBER' shows one."
        print_tables([Table(made.paper, ("number", "how", "title"), rows, (note,))])
        return
    shown = next((r for r in results if r.number.casefold() == number.casefold()), None)
    if shown is None:
        raise RequestError(
            f"The paper of {name} has no {number}. It has: {', '.join(r.number for r in results)}."
        )
    console = Console(highlight=False)
    for line in _lines(shown):
        console.print(line, markup=False)
    if shown.rows:
        print_tables([shown.table])
    for figure in shown.obtained:
        reason = f": {figure.reason}" if figure.reason else ""
        console.print(
            f"obtained, {figure.cell}: {figure.obtained} where {figure.published} was published{reason} ({figure.input})",
            markup=False,
        )


def _lines(result: PublishedResult) -> list[str]:
    lines = [
        result.heading,
        f"Section: {result.section}",
        f"Inputs: {result.inputs}" if result.inputs else "",
        *(f"$ {command}" for command in result.commands),
        f"Absent: {result.absent}" if result.absent else "",
        f"Note: {result.note}" if result.note else "",
    ]
    return [line for line in lines if line]
