"""``fairbrief protocol``: what a paper shows, under its own numbers, and how to obtain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from rich.console import Console

    from fairbrief.protocols.published_results import PublishedResult

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Name = Annotated[str, typer.Argument(help="Protocol, e.g. li-coverage.", metavar="NAME")]
Number = Annotated[
    str | None,
    typer.Argument(help="One result, e.g. 'Table 3', with its published figures.", metavar="NUMBER"),
]


@app.command()
def protocol(name: Name, number: Number = None) -> None:
    """List a paper's experiments, tables and figures, or show one with its command and published figures.

    The tables themselves are printed by 'fairbrief audit FILE --protocol NAME', under the same numbers.
    """
    from rich.console import Console

    from fairbrief import registry

    made = registry.make("protocol", name)
    results = _results(made, name)
    console = Console()
    if number is None:
        _list(console, made.paper, name, results)
    else:
        _show(console, _numbered(results, number, name))


def _results(made: Any, name: str) -> Sequence[PublishedResult]:
    if not hasattr(made, "results"):
        raise RequestError(f"The protocol '{name}' does not say what its paper shows.")
    results: Sequence[PublishedResult] = made.results()
    return results


def _numbered(results: Sequence[PublishedResult], number: str, name: str) -> PublishedResult:
    found = [r for r in results if r.number.casefold() == number.casefold()]
    if not found:
        raise RequestError(
            f"The paper of {name} has no {number}. It has: {', '.join(r.number for r in results)}."
        )
    return found[0]


def _list(console: Console, paper: str, name: str, results: Sequence[PublishedResult]) -> None:
    from fairbrief.reports import terminal
    from fairbrief.types import Table

    rows = tuple((r.number, "command" if r.commands else "absent", r.title) for r in results)
    note = f"fairbrief protocol {name} 'NUMBER' shows one."
    terminal.print_table(Table(paper, ("number", "how", "title"), rows, (note,)), console)


def _show(console: Console, result: PublishedResult) -> None:
    from fairbrief.reports import terminal

    for line in _lines(result):
        console.print(line, markup=False, highlight=False)
    if result.rows:
        terminal.print_table(result.table, console)
    for figure in result.obtained:
        reason = f": {figure.reason}" if figure.reason else ""
        console.print(
            f"obtained, {figure.cell}: {figure.obtained} where {figure.published} was published{reason} ({figure.input})",
            markup=False,
            highlight=False,
        )


def _lines(result: PublishedResult) -> list[str]:
    told = [
        result.heading,
        f"Section: {result.section}",
        f"Inputs: {result.inputs}" if result.inputs else "",
        *(f"$ {command}" for command in result.commands),
        f"Absent: {result.absent}" if result.absent else "",
        f"Note: {result.note}" if result.note else "",
    ]
    return [line for line in told if line]
