"""The label permutations of one record, as `LabelDraws` gives them for many."""

from __future__ import annotations

from typing import Any

from fairbrief.statistics.arrays import Integers
from fairbrief.statistics.label_permutations import Choice, LabelDraws, Relabelled


def observed_and_choice(
    draws: LabelDraws,
    key: str,
    labels: Integers,
    *,
    items: Integers | None = None,
    cyclic: bool = False,
    **given: Any,
) -> tuple[Integers, Choice, bool]:
    """Its label permutations (R, n), which of them each draw takes (draws,), and whether they are all that there are."""
    ((found,),) = draws.of_many([Relabelled(key, labels, items, cyclic)], **given)
    assert found.choices is not None
    return found.permutations[0], found.choices[0], found.is_exact
