"""A result as the ``model-index`` of a model card: what model hubs read from the head of a README."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fairbrief.reports import wording
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate


def render(result: Result) -> str:
    """The YAML of a model card's head, between its lines of dashes: one model for each system.

    Headlines and leading contrasts on whole data are its metrics, each with interval, p and baselines in its ``args``.
    Written as JSON inside YAML, whose texts need no quoting rules of their own.
    """
    dataset = ", ".join(map(str, result.made.get("files", ()))) or "records"
    systems = list(dict.fromkeys(e.system for e in result.estimates if not e.slice))
    models = [_model(s, dataset, [e for e in result.estimates if e.system == s]) for s in systems]
    text = json.dumps([m for m in models if m["results"]], ensure_ascii=False, indent=1, allow_nan=False)
    return f"---\nmodel-index: {text}\n---\n"


def _model(system: str, dataset: str, estimates: Iterable[Estimate]) -> dict[str, Any]:
    metrics = [_metric(e) for e in estimates if _is_told(e)]
    results = [
        {
            "task": {"type": "summarization"},
            "dataset": {"name": printable(dataset), "type": "fairbrief-audit"},
            "metrics": metrics,
        }
    ]
    return {"name": printable(system), "results": results if metrics else []}


def _is_told(e: Estimate) -> bool:
    return e.value is not None and not e.slice and (e.leads or wording.is_headline(e))


def _metric(e: Estimate) -> dict[str, Any]:
    name = e.measure if wording.is_headline(e) else f"{e.measure}: {e.quantity}"
    told: Mapping[str, Any] = {
        "low": e.low, "high": e.high, "p": e.p_adjusted if e.p_adjusted is not None else e.p,
        "chance_level": e.null_mean, "random_extract": e.blind, "records": e.n,
    }  # fmt: skip
    args = {key: value for key, value in told.items() if value is not None}
    return {"type": wording.name_of(e.measure), "name": printable(name), "value": e.value, "args": args}
