"""Numbers with their nouns."""

from __future__ import annotations

from collections.abc import Sequence


def counted(many: float, one: str, several: str = "") -> str:
    """A whole number and its noun, with thousands separators; ``several`` if the plural is not ``one`` with an s.

    >>> counted(1, "set"), counted(0, "set"), counted(1204, "summary", "summaries")
    ('1 set', '0 sets', '1,204 summaries')
    """
    return f"{many:,.0f} {one if many == 1 else several or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
