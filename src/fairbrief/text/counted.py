"""Numbers with their nouns."""

from __future__ import annotations

from collections.abc import Sequence


def counted(many: float, one: str, several: str = "") -> str:
    """A whole number and its noun, with thousands separators; ``several`` if the plural is not ``one`` with an s.

    >>> counted(1, "set"), counted(0, "set"), counted(1204, "summary", "summaries")
    ('1 set', '0 sets', '1,204 summaries')
    """
    return f"{many:,.0f} {one if many == 1 else several or one + 's'}"


def listed(names: Sequence[str], most: int = 0, conjunction: str = "and") -> str:
    """Names in a sentence; those beyond ``most``, if that is given, are counted.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 2, "or")
    ('a', 'a, b and c', 'a, b or 2 more')
    """
    more = [f"{len(names) - most:,} more"] if 0 < most < len(names) else []
    *first, last = [*names[: most or None], *more]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
