"""``fairbrief measures``: what can be measured; ``fairbrief protocol``: what a paper shows, under its own numbers."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from fairbrief.cli import options as o
from fairbrief.cli.output import print_tables
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.protocols.published_results import PublishedResult

app = o.new_app()

KINDS: tuple[Literal["measure", "scorer", "tagger", "summarizer", "protocol"], ...] = (
    "measure", "scorer", "tagger", "summarizer", "protocol",
)  # fmt: skip
"""What can be named, in the order that it is listed."""
WIDEST = 100
"""Characters of a line, on a terminal however wide."""
LABEL = re.compile(r"^([A-Z][\w ]*): {2,}", re.MULTILINE)
"""How an entry of a docstring begins: ``Source:   …``."""
CODE = re.compile(r"``([^`]+)``|`([^`]+)`")


@app.command()
def measures(
    name: str | None = o.argument(
        "Measure, scorer, tagger, summarizer or protocol to explain.", "NAME", None
    ),
) -> None:
    """List all measures, scorers, taggers, summarizers and protocols, or explain one of them."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    from fairbrief import registry, specs
    from fairbrief.reports.plain import printable
    from fairbrief.scorers import cards

    console = Console()
    if name is not None:
        console.print(Markdown(explanation(name)), width=min(console.width, WIDEST))
        return
    known_as = names_of_classes()
    for kind in KINDS:
        table = Table(title=f"{kind}s", title_justify="left", title_style="bold", box=None, pad_edge=False)
        table.add_column("name", no_wrap=True)
        table.add_column("what it is")
        for known, thing in registry.loaded(kind):
            over = "@ATTRIBUTE" if specs.needs_over(thing) else ""
            told = CODE.sub(lambda m: f"'{m[1] or known_as.get(m[2], m[2])}'", first_line(thing))
            table.add_row(f"{known}{over}", Text(told))
            if kind == "scorer":
                table.add_row("", Text(cards.summary(known), style="dim"))
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


def explanation(name: str) -> str:
    """A plug-in's docstring, what its observation tells of the settings, and the settings, in Markdown."""
    from fairbrief import registry, specs
    from fairbrief.readers.messages import did_you_mean
    from fairbrief.scorers import cards

    kind = next((kind for kind in KINDS if name in registry.names(kind)), None)
    if kind is None:
        known = [known for kind in KINDS for known in registry.names(kind)]
        raise RequestError(
            f"Nothing is named '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
        )
    thing = registry.load(kind, name)
    owner = thing if inspect.isclass(thing) else type(thing)
    parts = [f"{name} ({kind})", inspect.getdoc(owner) or ""]
    if kind == "scorer":
        parts.append(f"Card: {cards.summary(name)}.")
    if dataclasses.is_dataclass(owner):
        if kind == "measure":
            seen = observation_of(owner)
            parts += [f"{seen.__name__}, the observation of each summary:", inspect.getdoc(seen) or ""]
        defaults = {
            f.name: "" if f.default is dataclasses.MISSING else f" = {f.default!r}"
            for f in specs.settings_of(owner)
        }
        settings = [f"- `{f.name}: {f.type}{defaults[f.name]}`" for f in specs.settings_of(owner)]
        parts += ["Settings:", "\n".join(settings) or "none"]
    known_as = names_of_classes()
    text = LABEL.sub(r"\n- **\1:** ", "\n\n".join(parts))
    return CODE.sub(lambda m: f"`{m[1] or known_as.get(m[2], m[2])}`", text)


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
