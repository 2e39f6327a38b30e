"""Untrusted text made harmless to print: what cannot be seen becomes visible, what cannot be written is replaced.

Names, values and texts come from files that strangers wrote. A terminal obeys escape sequences, an
editor obeys bidirectional overrides, XML and UTF-8 refuse NUL and lone surrogates. Everything that
reports print goes through `printable` first; each format then escapes what is special to it.
"""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
"""C0 controls to Unicode's own pictures of them: an escape character is seen as ␛."""
WITH_LINES = {code: picture for code, picture in PICTURES.items() if code != 0x0A}
"""The same for a text that keeps its lines."""

UNWRITABLE = re.compile(
    "[\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufff9-\ufffb"  # C1, surrogates, non-characters, annotation
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"  # bidirectional controls: they reorder their neighbours
    "\U000e0000-\U000e007f]"  # tags: invisible text
)


ONE_FOR_ONE = {0x0D: " ", 0x09: " ", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
"""White space that a page draws otherwise than as a blank or a new line."""

NAME = 120
"""Characters of a name in a sentence or table."""


def printable(text: object, *, lines: bool = False) -> str:
    """The text with controls shown as pictures (␛, ␀) and unwritable characters as U+FFFD.

    Line breaks and tabs become single spaces, unless ``lines`` keeps them. Right-to-left letters and
    joiners stay: they are language, not control.
    """
    shown = str(text)
    if shown.isprintable():  # as most are; nothing below is
        return shown
    shown = re.sub("\r\n|[\r\u2028\u2029\x85]", "\n", shown)
    shown = shown.replace("\t", "    ") if lines else re.sub(r"[ \t\n]+", _one_line, shown)
    shown = UNWRITABLE.sub(REPLACEMENT, shown)
    return shown.translate(WITH_LINES if lines else PICTURES)


def _one_line(blanks: re.Match[str]) -> str:
    """A stretch of blanks, where it breaks the line or is a tab as one blank."""
    return " " if blanks[0].strip(" ") else blanks[0]


def visible(text: str) -> str:
    r"""The same for a text that places are told in: each character is replaced by one, so that they stay where they are.

    >>> visible("a\x1bb\tc")
    'a␛b c'
    """
    shown = UNWRITABLE.sub(REPLACEMENT, text.translate(ONE_FOR_ONE))
    return shown.translate(WITH_LINES)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, the last of which is an ellipsis if any were cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def named(text: str) -> str:
    """A name as sentences and tables carry it; the whole of it stands in ``results.json``."""
    return shorten(printable(text), NAME)
