"""What ``fair_reviews.yaml`` calls: prompts, and an audit of all summaries together as the metric."""

import json
from math import nan
from pathlib import Path
from typing import Any

import fairbrief

RECORDS = Path(__file__).parents[1] / "reviews.jsonl"
ATTRIBUTE = "sentiment"


def dataset(**_: Any) -> dict[str, Any]:
    """One row a record, whatever systems the file has; as the harness takes a data set of one's own."""
    from datasets import Dataset

    return {"test": Dataset.from_list(records())}


def records() -> list[dict[str, Any]]:
    """The example's records, without its summaries."""
    rows = map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())
    return [{"id": i, "documents": d} for i, d in {row["id"]: row["documents"] for row in rows}.items()]


def prompt(doc: dict[str, Any]) -> str:
    """What the model is asked."""
    return (
        "Summarize these reviews in one sentence:\n\n"
        + "\n".join(d["text"] for d in doc["documents"])
        + "\n\nSummary:"
    )


def kept(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """One record with its summary, for the metric."""
    return {"largest_contrast": {"id": doc["id"], "documents": doc["documents"], "summary": results[0]}}


def largest_contrast(rows: list[dict[str, Any]]) -> float:
    """How far the group lies from the average document that lies furthest, as a share of it; nan where nothing is covered."""
    found = fairbrief.audit(rows, [f"coverage_parity@{ATTRIBUTE}"])
    return max((abs(e.value) for e in found.estimates if e.is_primary and e.value is not None), default=nan)
