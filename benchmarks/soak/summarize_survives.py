"""10,000 requests at concurrency 64, faults injected, killed with -9 five times: what is left, as JSON.

Run from the repository's root: python -m benchmarks.soak.summarize_survives [RECORDS [KILLS]]
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.survival import survive


def main(records: int = 10_000, kills: int = 5, concurrency: int = 64) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = survive(Path(folder), records, kills, concurrency)
    report = {**found, "paid_twice_allowed": kills * concurrency}
    report["final_line"] = found["final_line"].partition(": ")[2]
    print(json.dumps(report, indent=2))
    is_whole = found["lines"] == records and found["in_order"] and not found["wrong"]
    holds = is_whole and found["paid_twice"] <= kills * concurrency and not found["asked_after_the_end"]
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
