"""Saved audits of nights, with made-up estimates: two groups of one system."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.held import held

from fairbrief.declarations import ContrastWords
from fairbrief.reports import json_file
from fairbrief.reports.result import Result
from fairbrief.types import Estimate

SPEC = "coverage_parity@tone"
SIGNATURE = f"{SPEC}|v4|fairbrief:0.1.0|inputs:abc|resamples:2000|seed:0"
GROUPS = ("calm", "cross")


def estimate(group: str, value: float, error: float, records: int, system: str, signature: str) -> Estimate:
    """A leading group difference that equals its difference from random sentences."""
    return Estimate(
        measure=SPEC, quantity=f"relative_difference[{group}]", system=system, value=value, low=value - 2 * error,
        high=value + 2 * error, n=records, clusters=records, over="tone", kind="group_difference", group=group, se=error,
        is_primary=True, group_clusters=records, extract_baseline=0.0, extract_difference=value,
        extract_difference_low=value - 2 * error, extract_difference_high=value + 2 * error, extract_se=error,
        signature=signature,
    )  # fmt: skip


def night(
    folder: Path, number: int, shift: float = 0.0, *, cross: float = 0.5, records: int = 40,
    system: str = "writer", signature: str = SIGNATURE, error: float = 0.05,
    groups: tuple[str, ...] = GROUPS, made: dict[str, Any] | None = None, prompt: str = "v1",
) -> Path:  # fmt: skip
    """Save one night: group `cross` is shifted, and has this share of the documents."""
    rng = np.random.default_rng(number)
    values = dict(zip(GROUPS, rng.normal(0, 0.05, 2), strict=True))
    values["cross"] += shift
    documents = 5 * records
    of_cross = round(documents * min(max(cross + rng.normal(0, 0.02), 0), 1))
    inputs = {
        system: {
            "records": records, "documents": documents, "characters": int(documents * rng.normal(200, 5)),
            "summaries": records, "summary_characters": int(records * rng.normal(80, 2)),
            "document": {"tone": {"calm": documents - of_cross, "cross": of_cross}},
            "record": {"date": {str(number): records}},
            "summary": {"prompt": {prompt: records}},
        }
    }  # fmt: skip
    words = ContrastWords(title="coverage relative to the average document", unit="percent")
    when = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
    result = Result(
        tuple(estimate(g, values[g], error, records, system, signature) for g in groups),
        (),
        held(pa.table({})),
        made={
            "version": "0.1.0", "records": records, "systems": [system], "measures": [SPEC], "inputs": inputs,
            "declared": {"coverage_parity": {"family": "Coverage", "contrast": json_file.plain(words)}},
            "ended": when.isoformat(timespec="seconds"), **(made or {}),
        },
    )  # fmt: skip
    place = folder / when.date().isoformat()
    place.mkdir(parents=True)
    json_file.write(result, place / "results.json")
    return place
