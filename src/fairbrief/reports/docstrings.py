"""A docstring as a person reads it on a terminal: paragraphs filled to the width, no marks of a markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from types import MappingProxyType

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
