"""How long do inputs of an awkward shape take, and how much memory?

Each is made, and audited by the command line in a process of its own, with all default measures: one record of 200
documents of 200 groups; 1,000 subgroups of two records each; 30 systems; 10 systems × 1,000 subgroups; one record of
20,000 documents. A case that is refused before work says why.

Run: python -m benchmarks.speed.hard_cases [--case NAME …] [--out FILE]
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.recording import options, refuse_plug_ins, write_down
from benchmarks.speed.audit import run_command, sentence

from fairbrief.serialization import write_lines

Row = dict[str, object]
LIMITS = {
    "200 groups": (20, 1.0),
    "1,000 subgroups": (20, 1.0),
    "30 systems": (20, 1.0),
    "10 systems × 1,000 subgroups": (60, 1.5),
    "20,000 documents": (20, 1.0),
}
"""Seconds and GB that each may take."""


def rows_of(case: str, rng: random.Random) -> Iterator[Row]:
    """The input of a case."""
    if case == "200 groups":
        yield record(rng, "r0", [f"g{i}" for i in range(200)])
    elif case == "20,000 documents":
        yield record(rng, "r0", ["LR"[i % 2] for i in range(20_000)])
    else:
        records, systems, subgroups = {
            "1,000 subgroups": (2_000, 1, 1_000),
            "30 systems": (200, 30, 1),
            "10 systems × 1,000 subgroups": (2_000, 10, 1_000),
        }[case]
        for i in range(records):
            row = record(rng, f"r{i}", ["LLRR", "LLLR", "LRRR"][rng.randrange(3)])
            for system in range(systems):
                of_subgroup = {"topic": f"t{i % subgroups}"}
                yield {**row, "system": f"s{system}", "summary": sentence(rng), "attributes": of_subgroup}


def record(rng: random.Random, name: str, groups: list[str] | str) -> Row:
    """Short documents, each of a group, and a summary of one sentence."""
    documents = [{"text": sentence(rng), "attributes": {"party": group}} for group in groups]
    return {"id": name, "documents": documents, "summary": sentence(rng)}


def of_case(case: str, seed: int) -> dict[str, object]:
    """Seconds, processor seconds and memory of one case; or why it was refused."""
    seconds_allowed, memory_allowed = LIMITS[case]
    with tempfile.TemporaryDirectory() as folder:
        write_lines(rows_of(case, random.Random(seed)), Path(folder) / "records.jsonl")
        by = ["--by", "topic"] if "subgroups" in case else []
        words = ["audit", "records.jsonl", "--attribute", "party", "--quiet", "--out", "audit", *by]
        used = run_command(words, Path(folder), codes=range(256))
    return {
        "seconds": round(used["seconds"], 1),
        "processor_seconds": round(used["cpu"], 1),
        "memory_mib": round(used["own"] / 1024),
        "limits": {"seconds": seconds_allowed, "gb": memory_allowed},
        **({"refused": used["said"]} if used["code"] else {}),
    }


def main() -> None:
    parser = options(__doc__, "--out", seed=0)
    parser.add_argument("--case", action="append", choices=list(LIMITS), default=[])
    given = parser.parse_args()
    refuse_plug_ins()
    found = {case: of_case(case, given.seed) for case in given.case or LIMITS}
    write_down(__file__, found, seed=given.seed, out=given.out)


if __name__ == "__main__":
    main()
