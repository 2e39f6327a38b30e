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

UNWRITABLE = re.compile(
    "[\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufff9-\ufffb"  # C1, surrogates, non-characters, annotation
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"  # bidirectional controls: they reorder their neighbours
    "\U000e0000-\U000e007f]"  # tags: invisible text
)


def printable(text: object, *, lines: bool = False) -> str:
    """The text with controls shown as pictures (␛, ␀) and unwritable characters as U+FFFD.

    Line breaks and tabs become single spaces, unless ``lines`` keeps them. Right-to-left letters and
    joiners stay: they are language, not control.
    """
    shown = re.sub("\r\n|[\r\u2028\u2029\x85]", "\n", str(text))
    shown = shown.replace("\t", "    ") if lines else re.sub(r"[ \t\n]*[\t\n][ \t\n]*", " ", shown)
    shown = UNWRITABLE.sub(REPLACEMENT, shown)
    pictures = {code: picture for code, picture in PICTURES.items() if not (lines and code == 0x0A)}
    return shown.translate(pictures)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, the last of which is an ellipsis if any were cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"
