"""What a value would be without one of the records: exact, since evidence adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.jackknife import leave_one_out
from fairbrief.types import Column, Floats, Measure, Totals

Columns = Mapping[Column, int]


def values_without_each(measure: Measure, columns: Columns, sums: Floats) -> dict[str, Floats]:
    """Every quantity of the measure without each row in turn. Shape (n,) each; nan where it is undefined.

    A row that alone speaks of some value (the only one with that group, say) is looked at by itself: without
    it nobody would know of the value.
    """
    rest = leave_one_out(sums)
    found = {
        name: np.array(np.broadcast_to(value.array, (len(sums),)), dtype=np.float64)
        for name, value in measure.value(Totals(columns, rest)).items()
    }
    speaking = (sums != 0).sum(axis=0)
    for i in np.flatnonzero(_speaks_alone(columns, sums)):
        others = speaking - (sums[i] != 0)
        alone = measure.value(Totals(_spoken_of(columns, others > 0), rest[i]))
        for name, array in found.items():
            array[i] = float(alone[name].array) if name in alone else np.nan
    return found


def columns_elsewhere(columns: Columns, sums: Floats, left_out: Sequence[int]) -> dict[Column, int]:
    """The columns without those of a value of which no row but the ones left out says anything."""
    kept = np.ones(len(sums), dtype=bool)
    kept[list(left_out)] = False
    return _spoken_of(columns, (sums[kept] != 0).any(axis=0))


def _spoken_of(columns: Columns, spoken: NDArray[np.bool_]) -> dict[Column, int]:
    values = {c[1] for c, i in columns.items() if len(c) > 1 and spoken[i]}
    return {c: i for c, i in columns.items() if len(c) == 1 or c[1] in values}


def _speaks_alone(columns: Columns, sums: Floats) -> NDArray[np.bool_]:
    """The rows without which some value would be in no row. Shape (n,)."""
    places: dict[str, list[int]] = {}
    for c, i in columns.items():
        if len(c) > 1:
            places.setdefault(c[1], []).append(i)
    alone = np.zeros(len(sums), dtype=bool)
    for of_value in places.values():
        says = (sums[:, of_value] != 0).any(axis=1)
        if says.sum() == 1:
            alone |= says
    return alone
