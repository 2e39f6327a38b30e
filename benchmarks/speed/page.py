"""The page of a large audit: ``python -m benchmarks.speed.page [RECORDS] [--systems N] [--out RESULTS]``.

Bytes, seconds to write, and seconds until Chromium has opened it and run its script. The estimates are those of a small
audit of all measures with as many systems, sliced; its per-record statistics on coverage is repeated under new ids, so that no audit
of that size is waited for.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.recording import options, write_down
from benchmarks.speed.repeated_per_record import repeat

import fairbrief
from fairbrief.reports import html
from fairbrief.reports.audit_folder import load

EXAMPLE = Path("examples/reviews.jsonl")
TOWNS = 12


def audited(folder: Path, systems: int) -> None:
    """A small audit of many systems, sliced by town."""
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    rows = []
    for number in range(systems):
        for place, line in enumerate(
            line for line in lines if line["system"] == ("balanced", "rosy")[number % 2]
        ):
            for town in range(TOWNS):
                told = {
                    "id": f"{place}-{town}",
                    "system": f"model {number + 1}",
                    "attributes": {"town": f"town {town}"},
                }
                rows.append({**line, **told})
    fairbrief.audit(rows, by=["town"], n_resamples=20).save(folder)


def opened(page: Path, profile: Path) -> float:
    """Seconds until Chromium has the page; nan where there is no Chromium."""
    browser = shutil.which("chromium")
    if browser is None:
        return float("nan")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom")
    command = [browser, *flags, page.as_uri()]
    subprocess.run(
        [*command[:-1], "about:blank"], check=True, capture_output=True
    )  # the first start is no page's
    began = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - began


def main() -> None:
    """Make it, measure it."""
    parser = options(__doc__, "--out", systems=20)
    parser.add_argument("records", type=int, nargs="?", default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "audit"
        audited(folder, given.systems)
        repeat(folder / "per_record" / "coverage.parquet", given.records)
        began = time.monotonic()
        result = load(folder)
        (folder / "report.html").write_text(html.render(result), encoding="utf-8")
        found = {
            "records": given.records,
            "systems": given.systems,
            "subgroups": TOWNS,
            "rows of per-record statistics": len(result.per_record),
            "seconds to write": round(time.monotonic() - began, 2),
            "bytes of the page": (folder / "report.html").stat().st_size,
            "seconds to open": round(opened(folder / "report.html", Path(name) / "profile"), 2),
        }
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
