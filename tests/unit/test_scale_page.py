"""The page on what an audit costs as it grows: written from what was measured."""

from __future__ import annotations

import json
from typing import Any

from benchmarks import scale
from benchmarks.recording import RESULTS

PAGE = RESULTS.parent.parent / "docs" / "contributing" / "benchmarks.md"
NEURAL = json.loads((RESULTS / "speed-neural.json").read_text(encoding="utf-8"))


def size(records: int) -> dict[str, Any]:
    """Findings that lie on lines: two seconds and a millisecond a record, a tenth of that in the process that reads."""
    return {
        "records": records,
        "input_mb": records / 1000,
        "seconds": 2 + records / 1000,
        "own_seconds": 1 + records / 10_000,
        "mib": 100 + records / 1024,
        "worker_mib": 128,
        "audit_mb": records / 2000,
    }


def record() -> dict[str, Any]:
    """What a run might have found."""
    cost = {"ms": 1.2, "clock_ms": 0.6, "mib": 130, "worker_mib": 0}
    return {
        "machine": {"python": "3.11", "processors": 2, "processor": "X", "load": 0.1},
        "commit": "abc",
        "found": {
            "shape": {"documents": 6, "groups": 2, "systems": 1, "subgroups": 1, "resamples": 2000},
            "families": {"quality": {"measure": "rouge1", **cost}},
            "engines": {"here": cost},
            "growth": {"systems": {"1": {"seconds": 1.0, "mib": 100}, "4": {"seconds": 3.0, "mib": 120}}},
            "sizes": [size(n) for n in (1_000, 10_000, 100_000)],
        },
    }


def test_costs_are_told_a_record_and_a_pair() -> None:
    """1.2 ms a record of twelve pairs are 100 µs a pair; four systems take three times as long as one."""
    told = scale.section(record(), NEURAL)
    assert "| quality | `rouge1` | 1.20 | 100 | 130 |" in told
    assert "| systems | 1 → 4 | 1.0 → 3.0 | 4 → 3.0 | 100 → 120 |" in told


def test_the_plan_goes_by_the_line_through_the_sizes() -> None:
    """0.9 ms a record in workers are 25 hours of a core for 10⁸ records, 5.9 minutes of 256 cores; 0.1 ms in the process that reads 2.8 hours."""
    told = scale.section(record(), NEURAL)
    assert (
        "| workers | 25 hours of one core | 5.9 minutes on 16 machines of 16 cores | 2 GiB a machine |"
        in told
    )
    assert "| main process | 2.8 hours of one core | at the same time, on one machine | 95 GiB |" in told
    assert "100 GB of input, 50 GB of the audit" in told


def test_the_plan_says_how_far_it_was_off() -> None:
    """The line through two sizes is held against the third."""
    found = record()
    assert "| seconds | 102 | 102 | +0 % |" in scale.section(found, NEURAL)
    found["found"]["sizes"][-1]["seconds"] = 204
    assert "| seconds | 102 | 204 | -50 % |" in scale.section(found, NEURAL)


def test_the_page_shows_what_the_script_makes_of_its_findings() -> None:
    """No figure is typed: the section is what the script writes from its results."""
    told = json.loads((RESULTS / "scale.json").read_text(encoding="utf-8"))
    assert scale.section(told, NEURAL) in PAGE.read_text(encoding="utf-8")
