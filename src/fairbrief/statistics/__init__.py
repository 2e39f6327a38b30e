"""Statistics over arrays: resampling, label permutations, intervals, distances, regression, agreement.

This package works on numbers only, not on records, measures or texts. Undefined values are nan; the caller gives the reason.
"""

from fairbrief.statistics.arrays import TIE, ratio

__all__ = ["TIE", "ratio"]
