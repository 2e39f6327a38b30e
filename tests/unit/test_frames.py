"""Arrow tables looked through by their texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from fairbrief.reports import frames
from fairbrief.reports.frames import first_of_each, rows_with, texts


def table_of(*columns: list[str | None], chunks: int = 3) -> pa.Table:
    """Columns a, b, …, the second as a dictionary; in chunks."""
    step = -(-len(columns[0]) // chunks) or 1
    parts = []
    for start in range(0, max(1, len(columns[0])), step):
        arrays = [texts(column[start : start + step]) for column in columns]
        arrays[1:] = [array.dictionary_encode() for array in arrays[1:]]
        parts.append(pa.table(dict(zip("abc", arrays, strict=False))))
    return pa.concat_tables(parts)


@pytest.mark.parametrize("small", [1, 4, 1 << 16])
def test_the_first_row_of_each_combination_is_found(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a set of those that came before, with absent texts, whether combinations are few or many."""
    monkeypatch.setattr(frames, "SMALL", small)
    rng = np.random.default_rng(0)
    for rows in (0, 1, 11, 40):
        a, b = ([(None, "x", "y", "é")[i] for i in rng.integers(0, 4, rows)] for _ in range(2))
        pairs = list(zip(a, b, strict=True))
        wanted = [i for i, pair in enumerate(pairs) if pair not in pairs[:i]]
        assert first_of_each(table_of(a, b), ("a", "b")).tolist() == wanted


@pytest.mark.parametrize("held", ["xxyy", "yxxy", "xyxy", "yyyy", "xxxx", ""])
@pytest.mark.parametrize("name", ["a", "b"])
def test_rows_with_a_text_are_found_wherever_they_stand(held: str, name: str) -> None:
    """In one piece, scattered, nowhere, everywhere; the other columns come along."""
    column: list[str | None] = list(held)
    table = table_of(column, column).append_column("n", pa.array(range(len(held)), pa.int64()))
    found = rows_with(table, name, "x")
    assert found["n"].to_pylist() == [i for i, text in enumerate(held) if text == "x"]
    assert found["a"].to_pylist() == ["x"] * len(found)
