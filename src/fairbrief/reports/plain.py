"""Untrusted text made safe to print: control characters become visible, invalid ones are replaced.

Names, values and texts of the input are untrusted. Terminals obey escape sequences, editors obey bidirectional overrides,
and XML and UTF-8 refuse NUL and lone surrogates. Reports print only text that went through `printable`; each format then
escapes its own special characters.
"""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
"""C0 controls and the Unicode characters that picture them: an escape character is shown as ␛."""
WITH_LINES = {code: picture for code, picture in PICTURES.items() if code != 0x0A}
"""The same for a text that keeps its lines."""

UNWRITABLE = re.compile(
    "[\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufff9-\ufffb"  # C1, surrogates, non-characters, annotation
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"  # bidirectional controls: they reorder their neighbours
    "\U000e0000-\U000e007f]"  # tags: invisible text
)


ONE_FOR_ONE = {0x0D: " ", 0x09: " ", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
"""White space that a page does not show as a space or a new line."""

BLANKS = re.compile(r"(?<! ) *[\t\n][ \t\n]*")
"""White space with a tab or a line break, which becomes one space."""
NAME = 120
"""The most characters of a name in a sentence or table; ``results.json`` has the whole name."""


def printable(text: object, *, lines: bool = False) -> str:
    """The text with controls shown as pictures (␛, ␀) and unwritable characters as U+FFFD.

    Line breaks and tabs become single spaces, unless ``lines`` keeps them. Right-to-left letters and
    joiners stay: they are language, not control.
    """
    shown = str(text)
    if shown.isprintable():  # as most are; nothing below is
        return shown
    shown = re.sub("\r\n|[\r\u2028\u2029\x85]", "\n", shown)
    shown = shown.replace("\t", "    ") if lines else BLANKS.sub(" ", shown)
    shown = UNWRITABLE.sub(REPLACEMENT, shown)
    return shown.translate(WITH_LINES if lines else PICTURES)


def visible(text: str) -> str:
    r"""The same with each character replaced by exactly one, so that positions in the text stay valid.

    >>> visible("a\x1bb\tc")
    'a␛b c'
    """
    shown = UNWRITABLE.sub(REPLACEMENT, text.translate(ONE_FOR_ONE))
    return shown.translate(WITH_LINES)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters; a text that was cut ends with an ellipsis."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def named(text: str, limit: int = NAME) -> str:
    """A printable name or text of at most ``limit`` characters."""
    return shorten(printable(text), limit)
