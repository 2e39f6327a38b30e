"""A name in a narrow column of a terminal: folded behind its joints, not in the middle of a word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

JOINTS = frozenset(" -_/:.,(=")
"""Behind these a name may be folded."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name for a cell of a grid, which says how wide it may be."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From one column to the whole name in a line."""
        return Measurement(1, max(cell_len(self.text), 1)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines of the name."""
        yield Text("\n".join(folded(self.text, options.max_width)), overflow="fold")


def folded(name: str, width: int) -> Iterator[str]:
    """Lines of at most so many columns, each ending behind a joint where the line has one in its second half.

    >>> list(folded("Llama-3.2-3B-Instruct", 16))
    ['Llama-3.2-3B-', 'Instruct']
    >>> list(folded("abcdefgh", 5))
    ['abcde', 'fgh']
    """
    while cell_len(name) > width:
        most = 1
        while most < len(name) and cell_len(name[: most + 1]) <= width:
            most += 1
        if name[most] == " ":
            cut = most
        else:
            joints = (i for i in range(most, most // 2, -1) if name[i - 1] in JOINTS)
            cut = next(joints, most)
        yield name[:cut].rstrip()
        name = name[cut:].lstrip()
    yield name
