"""Is a summary that was chosen of eight fairer than a random one of them, at equal length?

Candidates are eight seeded ``random`` extracts of three sentences a record; only those within a tenth of
the record's median length take part. Whether the choice holds is read with a scorer that did not choose.
Run: python -m benchmarks.real.choose RECORDS… [--out FILE.json] [--attribute NAME]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairbrief.readers import read
from fairbrief.reports import load
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case
from fairbrief.workbench.summarizers.extractive import RandomSentences

CANDIDATES = "candidates.jsonl"


def write_candidates(records: Path, out: Path) -> None:
    """Eight extracts of each record, those of each seed under a system of their own."""
    known = list(read(records).records())
    cases = (
        Case(record, replace(summary, system=f"random#{seed}"))
        for seed in range(8)
        for record, summary in zip(known, RandomSentences(seed=seed).summarize(known), strict=True)
    )
    write_lines(map(case_line, cases), out)


def chosen(records: Path, attribute: str, folder: Path) -> dict[str, Any]:
    """One run of the command on one file, and what it found."""
    by, also = f"equal_coverage@{attribute}", f"equal_coverage(scorer=ngram)@{attribute}"
    arguments = ["choose", CANDIDATES, "--by", by, "--measure", also, "--length-within", "0.1", "--seed", "0"]
    write_candidates(records, folder / CANDIDATES)
    asked = [*arguments, "--report", str(folder / "report")]
    asked[1] = str(folder / CANDIDATES)
    command = [sys.executable, "-c", "from fairbrief.cli import main; main()", *asked]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    result = load(folder / "report")
    found: dict[str, Any] = {
        "command": " ".join(["fairbrief", *(f"'{a}'" if "(" in a else a for a in arguments)]),
        "choice": result.made["choice"],
    }
    for e in (*result.estimates, *result.differences):
        if e.quantity == "equal_coverage":
            what = f"{e.system} minus {e.baseline}" if e.baseline else e.system
            told = {"value": e.value, "low": e.low, "high": e.high, "p": e.p, "n": e.n}
            found.setdefault(e.measure, {})[what] = told
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--attribute", default="sentiment")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    found = {}
    for records in asked.records:
        with tempfile.TemporaryDirectory() as folder:
            found[records.name] = chosen(records, asked.attribute, Path(folder))
    text = json.dumps(found, indent=1)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
