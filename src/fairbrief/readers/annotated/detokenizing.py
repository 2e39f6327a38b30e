"""Words set into a text, where the source of the words has lost the spacing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from fairbrief.readers.annotated.annotated_text import Token

Spacing = Literal["natural", "tokens"]

_ESCAPES: Final = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "-AMP-": "&",
    "-LAB-": "<", "-RAB-": ">",
    "``": '"', "''": '"', "/.": ".", "/?": "?", "/-": "-",
}  # fmt: skip
_NO_BLANK_BEFORE: Final = frozenset(
    [
        ",",
        ";",
        ":",
        "%",
        ")",
        "]",
        "}",
        "'s",
        "'",
        "n't",
        "'re",
        "'ve",
        "'ll",
        "'d",
        "'m",
        "'S",
        "N'T",
    ]
)
_NO_BLANK_AFTER: Final = frozenset(["(", "[", "{", "$", "#", "£", "€"])


def set_words(
    words: Sequence[str], tags: Sequence[str], sentences: Sequence[int], spacing: Spacing
) -> tuple[str, list[Token]]:
    """A text of the words, and where each of them stands in it.

    ``sentences`` holds the number of words of each sentence; a blank parts sentences. ``natural``
    spacing also turns the treebank's signs (``-LRB-``, ``-AMP-``, two back quotes) into what they stand for.
    """
    natural = spacing == "natural"
    pieces: list[str] = []
    tokens: list[Token] = []
    at = 0
    index = 0
    for size in sentences:
        glued = False
        for i in range(size):
            raw, tag = words[index], tags[index]
            form = _ESCAPES.get(raw, raw) if natural else raw
            if pieces and not (natural and i > 0 and (glued or _closes(raw, form, tag))):
                pieces.append(" ")
                at += 1
            glued = form in _NO_BLANK_AFTER or raw == "``" or tag == "``"
            pieces.append(form)
            tokens.append(Token(form, tag, at, at + len(form)))
            at += len(form)
            index += 1
    return "".join(pieces), tokens


def _closes(raw: str, form: str, tag: str) -> bool:
    is_stop = form.strip(".!?") == ""
    return is_stop or form in _NO_BLANK_BEFORE or raw == "''" or tag in ("''", "POS")
