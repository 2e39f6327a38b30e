"""One unit's rows with its own test, as an observation that tests its units has them."""

import numpy as np

from fairbrief.auditing.observing import with_unit_tests
from fairbrief.types import AlikeRows, Column, Rows


def with_test(rows: Rows, column: Column, *, within: str = "") -> tuple[Rows, float]:
    """Rows of all label permutations with the columns of the test, and the p of the real one."""
    block = AlikeRows([0], rows.columns, rows.values[np.newaxis])
    columns, values, ps = with_unit_tests(block, column, exact=True, within=within)
    return Rows(columns, values[0]), float(ps[0])
