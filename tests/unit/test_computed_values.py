"""Values that are computed when they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from fairbrief.measures.position import ComputedValues
from fairbrief.types import Value


def test_a_value_is_computed_once_and_only_when_it_is_asked_for() -> None:
    """One of two is asked for, twice; then all are, as of any mapping."""
    asked: list[str] = []

    def made(name: str) -> Value:
        asked.append(name)
        return Value(np.array([float(len(name))]))

    values = ComputedValues({"a": lambda: made("a"), "bb": lambda: made("bb")})
    assert list(values) == ["a", "bb"]
    assert len(values) == 2
    assert not asked
    assert values["bb"] is values["bb"]
    assert asked == ["bb"]
    both = values | {"c": Value(np.zeros(1))}
    assert list(both) == ["a", "bb", "c"]
    assert asked == ["bb", "a"]
    with pytest.raises(KeyError):
        values["c"]
