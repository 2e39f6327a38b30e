"""Metrics of a task of the lm-evaluation-harness: records are collected, and their aggregation audits all together.

A task's file of functions has one line per metric, and its YAML names these functions:

    from fairbrief.integrations.lm_eval_task import aggregation, collected

    process_results = collected("coverage_parity", "coverage_parity.p")
    value = aggregation("coverage_parity", "coverage_parity")
    p = aggregation("coverage_parity", "coverage_parity.p")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

from fairbrief.integrations import numbers


def collected(*metrics: str) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, Any]]:
    """A task's ``process_results``, for a ``doc`` with ``documents`` and ``groups``; every metric gets the record."""

    def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
        return dict.fromkeys(metrics, (doc["documents"], results[0], doc["groups"]))

    return process_results


def aggregation(measure: str, number: str, **settings: Any) -> Callable[[Sequence[Any]], float]:
    """A metric's ``aggregation``: one of the measure's `numbers` for all records together; nan if it is undefined.

    ``settings`` are those of `fairbrief.score`.
    """

    def audited(records: Sequence[Any]) -> float:
        documents, summaries, groups = zip(*records, strict=True)
        return numbers(documents, summaries, groups, measure, **settings).get(number, nan)

    return audited
