"""Rows of measures in tests: by column, added, and their values as plain numbers; and answers of scorers."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairbrief.types import Cases, Column, Measure, Observation, Reason, Rows, Scores, Totals, Value

NO_LABELS = np.zeros((1, 0), dtype=np.int64)


def by_column(rows: Rows | Reason, row: int = 0) -> dict[Column, float]:
    """One row by column."""
    assert isinstance(rows, Rows), rows
    return dict(zip(rows.columns, rows.values[row].tolist(), strict=True))


def observed(
    observation: Observation, cases: Cases, scores: Sequence[Scores], labels: Sequence[int] | None = None
) -> Rows | Reason:
    """What is observed under these labels, or the real ones."""
    scheme = observation.permutation_scheme(cases)
    real = np.zeros(0, dtype=np.int64) if scheme is None else scheme.labels
    return observation.observe(cases, scores, np.array([real if labels is None else labels]))


def added(*several: Rows | Reason | Mapping[Column, float]) -> Totals:
    """The sum of first rows."""
    sums: dict[Column, float] = {}
    for rows in several:
        for column, number in (rows if isinstance(rows, Mapping) else by_column(rows)).items():
            sums[column] = sums.get(column, 0.0) + number
    return Totals({column: i for i, column in enumerate(sums)}, np.array(list(sums.values()), dtype=float))


def numbers(values: Mapping[str, Value]) -> dict[str, float]:
    """The values as plain numbers."""
    return {name: float(value.array) for name, value in values.items()}


def values_of(measure: Measure, *several: Rows | Reason | Mapping[Column, float]) -> dict[str, float]:
    """The values of the sum of first rows, as plain numbers."""
    return numbers(measure.value(added(*several)))


def answer(matrix: Sequence[Sequence[float]]) -> Scores:
    """A scorer's answer with one unit per column."""
    array = np.array(matrix, dtype=float)
    return Scores(array, np.arange(array.shape[1]), np.ones(len(array)))


def tones(sentiments: Sequence[float], sizes: Sequence[float] = ()) -> tuple[Scores]:
    """A sentiment scorer's answer; every text has words of known sentiment unless ``sizes`` says otherwise."""
    of_texts = np.array(sizes or [1] * len(sentiments), dtype=float)
    return (Scores(np.array(sentiments, dtype=float)[:, np.newaxis], np.zeros(1, dtype=np.int64), of_texts),)
