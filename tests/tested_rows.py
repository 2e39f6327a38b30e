"""Rows of coverage of one record under all label permutations, and with its own test, as an audit has them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tests.rows_by_hand import NO_LABELS, answer

from fairbrief.auditing.observing import with_unit_tests
from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.coverage import Coverage
from fairbrief.statistics.label_permutations import distinct_permutations
from fairbrief.types import AlikeRows, Case, Claim, Column, Document, Reason, Record, Rows, Summary


def case_of(sides: Sequence[str | None], claims: int = 2) -> Case:
    """A record whose documents are of these sides, and a summary of so many claims."""
    documents = tuple(Document(f"Text {i}.", {} if s is None else {"side": s}) for i, s in enumerate(sides))
    record = Record("r", documents, where="f.jsonl:3")
    return Case(record, Summary("r", "s", "Text.", tuple(Claim(f"u{j}") for j in range(claims))))


def rows_of(
    sides: Sequence[str | None], support: Sequence[Sequence[float]], **settings: Any
) -> Rows | Reason:
    """A record's rows under all label permutations, given the support of its claims by its documents."""
    observation, one = Coverage("side", **settings), (case_of(sides, len(support[0])),)
    scheme = observation.permutation_scheme(one)
    labels = NO_LABELS if scheme is None else distinct_permutations(scheme.labels)
    return observation.observe(one, (answer(support),), labels)


def with_test(rows: Rows, column: Column, *, within: str = "") -> tuple[Rows, float]:
    """Rows of all label permutations with the columns of the test, and the p of the real one."""
    block = AlikeRows([0], rows.columns, rows.values[np.newaxis])
    tested = ObservationDeclaration(tests_units=column, tests_within=within)
    columns, values, ps = with_unit_tests(block, tested, exact=True)
    return Rows(columns, values[0]), float(ps[0])
