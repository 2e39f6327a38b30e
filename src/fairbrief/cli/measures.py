"""``fairbrief measures``: what can be measured, from the docstrings of what is installed."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, Any

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Name = Annotated[str | None, typer.Argument(help="Measure, scorer, summarizer or protocol to explain.")]


@app.command()
def measures(name: Name = None) -> None:
    """List all measures, scorers, summarizers and protocols, or explain one of them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fairbrief import registry, spelling

    console = Console()
    if name is not None:
        console.print(Text(explanation(name)))
        return
    kinds: tuple[registry.Kind, ...] = ("measure", "scorer", "summarizer", "protocol")
    for kind in kinds:
        table = Table(title=f"{kind}s", title_justify="left", title_style="bold", box=None, pad_edge=False)
        table.add_column("name", no_wrap=True)
        table.add_column("what it is")
        for known, thing in registry.loaded(kind):
            over = "@ATTRIBUTE" if spelling.needs_over(thing) else ""
            table.add_row(f"{known}{over}", first_line(thing))
        console.print(table)
        console.print()
    console.print("fairbrief measures NAME explains one.")


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    text = inspect.getdoc(thing if inspect.isclass(thing) or callable(thing) else type(thing)) or ""
    return " ".join(text.split("\n\n")[0].split())


def explanation(name: str) -> str:
    """A plug-in's docstring and settings."""
    from fairbrief import registry
    from fairbrief.errors import RequestError

    kinds: tuple[registry.Kind, ...] = ("measure", "scorer", "summarizer", "protocol")
    for kind in kinds:
        if name in registry.names(kind):
            thing = registry.load(kind, name)
            owner = thing if inspect.isclass(thing) else type(thing)
            lines = [f"{name} ({kind})", "", inspect.getdoc(owner) or ""]
            if dataclasses.is_dataclass(owner):
                lines += ["", "Settings:", *(f"  {text}" for text in _settings(owner))]
            return "\n".join(lines)
    known = ", ".join(known for kind in kinds for known in registry.names(kind))
    raise RequestError(f"Nothing is named '{name}'. Known: {known}.")


def _settings(owner: Any) -> list[str]:
    found = []
    for f in dataclasses.fields(owner):
        if f.init and not f.name.startswith("_"):
            default = "" if f.default is dataclasses.MISSING else f" = {f.default!r}"
            found.append(f"{f.name}: {f.type}{default}")
    return found or ["none"]
