"""Where does the time of an audit of small records go?

An audit by the command line, of one process, is looked at many times a second by py-spy (``pip install py-spy``); each
look is counted for the step of the audit that the process was in. The start of Python, before py-spy looks, is not counted.

Run: python -m benchmarks.speed.profile [--records N] [--extracts N] [--out FILE]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.recording import options, refuse_plug_ins, write_down
from benchmarks.speed.audit import write_records

LOOKS = 200
"""A second."""
STEPS = {
    "Work.of_part": "read, checked and written down",
    "Work.batches": "read, checked and written down",
    "Observer.observe": "observed: steps from unit to unit",
    "Observer._asked": "asked",
    "Tfidf.answer": "scored",
    "Ngram.answer": "scored",
    "Containment.answer": "scored",
    "ExtractDraws.extracts_of": "random extracts drawn",
    "LabelDraws.of_many": "labels drawn",
    "Observer._observed": "observed: rows",
    "_of_extracts": "observed: random extracts",
    "Ledger._sum": "rows summed under drawn labels",
    "Run.estimates": "estimated",
    "replace_all": "reports and files",
    "with_examples": "reports and files",
}
"""By function the step that it takes; of several that a process is in, the innermost counts."""
REST = "start, and all else"


def steps_of(stacks: Sequence[str]) -> dict[str, float]:
    """Percent of the looks by step. A stack is py-spy's: functions from the outermost, and how many looks found it."""
    looks = Counter[str]()
    for line in stacks:
        stack, _, times = line.rpartition(" ")
        inside = [name for frame in stack.split(";") if (name := frame.partition(" (")[0]) in STEPS]
        looks[STEPS[inside[-1]] if inside else REST] += int(times)
    return {step: round(100 * times / looks.total(), 1) for step, times in looks.most_common()}


def functions_of(stacks: Sequence[str], most: int) -> dict[str, float]:
    """Percent of the looks that found each of our functions innermost; the largest of them."""
    looks = Counter[str]()
    for line in stacks:
        stack, _, times = line.rpartition(" ")
        own = [frame.partition(" (")[0] for frame in stack.split(";") if "(fairbrief/" in frame]
        looks[own[-1] if own else REST] += int(times)
    return {name: round(100 * times / looks.total(), 1) for name, times in looks.most_common(most)}


def profiled(records: int, extracts: int) -> list[str]:
    """What py-spy saw of the audit of so many records."""
    with tempfile.TemporaryDirectory() as folder:
        file, seen = Path(folder) / "records.jsonl", Path(folder) / "stacks.txt"
        write_records(file, records, 0)
        command = [sys.executable, "-m", "fairbrief", "audit", str(file), "--attribute", "party", "--quiet"]
        options = ["--extracts", str(extracts), "--out", f"{folder}/audit"]
        with subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL) as audit:
            spy = Path(sys.executable).with_name("py-spy")
            look = f"record --rate {LOOKS} --format raw --pid {audit.pid} --output".split()
            subprocess.run([spy, *look, seen], check=True, capture_output=True)
        return seen.read_text(encoding="utf-8").splitlines()


def main() -> None:
    given = options(__doc__, "--out", records=60_000, extracts=0).parse_args()
    refuse_plug_ins()
    stacks = profiled(given.records, given.extracts)
    found = {
        "records": given.records,
        "percent of the time": steps_of(stacks),
        "percent, innermost function": functions_of(stacks, 8),
    }
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
