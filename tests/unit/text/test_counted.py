"""Counts before nouns."""

from __future__ import annotations

import pytest

from fairbrief.text.counted import counted


@pytest.mark.parametrize(
    ("many", "said"), [(0, "0 replies"), (1, "1 reply"), (2.0, "2 replies"), (1204, "1,204 replies")]
)
def test_one_is_not_plural(many: float, said: str) -> None:
    """One thing is told in the singular, any other number in the plural, thousands apart."""
    assert counted(many, "reply", "replies") == said
