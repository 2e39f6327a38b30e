"""How long does a whole audit take, and how much memory?

``real``: every default measure, with intervals and chance levels, of a file of reviews.
``synthetic``: a stream of small records (three short documents, a summary, a reference) through the
command line, in a process of its own whose largest resident memory is read when it ends: all default measures,
or those that are named. With ``--workers`` it runs once more with so many processes; the ratio of the two times
is of the same run, and the memory is that of all processes together, at most.
With ``--against`` it runs once more without random extracts, and by another Python, in whose environment another
commit is installed; the ratios are those of processor times. Measures of plug-ins are audited, too, where any is
installed: compare in environments without.
``longer``: the same with a fifth as many records, each of nine documents as long as reviews, and a summary.
``small``: the example with its report, in a process of its own; the least processor time of several.

Run: python -m benchmarks.speed.audit [--file FILE --attribute NAME] [--records N] [--workers N] [--against PYTHON]
     [--measures all | --measure SPEC …] [--small] [--out FILE]
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.recording import options, refuse_plug_ins, write_down

from fairbrief.serialization import write_lines

WORDS = (
    "river stone lamp garden window paper bread cloud road music table forest winter letter market "
    "bridge silver morning engine harbour"
).split()
PARTIES = ("LLR", "LRR", "LRL")
COMMON = "the of and to in a is was it for with on but they at so we had not this that from very".split()
TELLING = "she he her his woman man good bad great terrible love hate friendly slow".split()
UNKNOWN = ["".join(part) for part in product("bcdfglmnprst", "aeiou", "lmnrst", ("ak", "en", "or", "il"))]
"""Words that nobody knows, of a vocabulary as large as that of reviews."""
LIMIT_SECONDS, LIMIT_GIB = 15, 1.5
EXAMPLE = Path(__file__).parents[2] / "examples" / "reviews.jsonl"
SMALL_ROUNDS, SMALL_LIMIT_SECONDS = 5, 2
WITHOUT_EXTRACTS = ("--extracts", "0")
TOLD = ("seconds", "processor_seconds", "largest_memory_gib")
"""What is told of a second audit of the same records."""
COMMAND = """
import atexit, json, resource, sys
from fairbrief.cli import main
@atexit.register
def tell():
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu, all_cpu = own.ru_utime + own.ru_stime, sum(u.ru_utime + u.ru_stime for u in (own, others))
    used = {"own": own.ru_maxrss, "other": others.ru_maxrss, "cpu": all_cpu, "own_cpu": cpu}
    print(json.dumps(used), file=sys.stderr)
main()
"""
"""The command; at its end it tells the largest memory (KiB) of itself and of a worker, all processor time, and its own."""


def run_command(
    words: Sequence[str],
    folder: Path,
    *,
    python: str = sys.executable,
    codes: Sequence[int] = (0,),
    **environment: str,
) -> dict[str, Any]:
    """Run a command of fairbrief in a folder: its exit code, what it said, its seconds, and what `COMMAND` tells."""
    start = time.perf_counter()
    ended = subprocess.run(
        [python, "-c", COMMAND, *words], cwd=folder, env=os.environ | environment, check=False, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    *said, last = ended.stderr.splitlines()
    if ended.returncode not in codes:
        raise SystemExit(f"fairbrief {' '.join(words)}: {ended.stderr[-2000:]}")
    return {"code": ended.returncode, "said": "\n".join(said), "seconds": seconds, **json.loads(last)}


def of_file(file: Path, attribute: str) -> dict[str, Any]:
    """Seconds of wall and processor time that the audit of a file takes in this process."""
    import fairbrief

    wall, processor = time.perf_counter(), time.process_time()
    found = fairbrief.audit(fairbrief.read(file), attributes=[attribute])
    seconds = time.perf_counter() - wall
    return {
        "records": found.result.made["records"],
        "measures": found.result.made["measures"],
        "estimates": len(found.estimates),
        "n_resamples": found.result.made["n_resamples"],
        "seconds": round(seconds, 2),
        "processor_seconds": round(time.process_time() - processor, 2),
        "limit_seconds": LIMIT_SECONDS,
    }


def sentence(rng: random.Random) -> str:
    return "The {} and the {} are {}.".format(*rng.choices(WORDS, k=3))


def write_records(path: Path, records: int, seed: int) -> None:
    """Small records, written one by one."""
    rng = random.Random(seed)

    def row(i: int) -> dict[str, Any]:
        documents = [{"text": sentence(rng), "attributes": {"party": p}} for p in rng.choice(PARTIES)]
        return {
            "id": f"r{i}",
            "documents": documents,
            "summary": sentence(rng),
            "references": [sentence(rng)],
        }

    write_lines(map(row, range(records)), path)


def long_text(rng: random.Random, sentences: int) -> str:
    """Sentences of eight to twenty words: half are common, some tell a gender or an opinion."""
    found = []
    for _ in range(sentences):
        words = [
            rng.choice(COMMON) if (kind := rng.random()) < 0.5
            else rng.choice(TELLING) if kind < 0.55
            else UNKNOWN[int(len(UNKNOWN) * rng.random() ** 3)]
            for _ in range(rng.randint(8, 20))
        ]  # fmt: skip
        found.append(f"{' '.join(words).capitalize()}.")
    return " ".join(found)


def write_longer_records(path: Path, records: int, seed: int) -> None:
    """Records as long as reviews, written one by one: nine documents of two to four sentences, a summary, no reference."""
    rng = random.Random(seed)

    def row(i: int) -> dict[str, Any]:
        documents = [
            {"text": long_text(rng, rng.randint(2, 4)), "attributes": {"party": rng.choice("LRR")}}
            for _ in range(9)
        ]
        return {"id": f"r{i}", "documents": documents, "summary": long_text(rng, 5)}

    write_lines(map(row, range(records)), path)


def of_stream(
    records: int,
    measures: list[str],
    seed: int,
    workers: int,
    against: str,
    write: Callable[[Path, int, int], None] = write_records,
) -> dict[str, Any]:
    """Time and largest memory of the command over so many synthetic records, by one process and by several."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "records.jsonl"
        write(file, records, seed)
        found = of_command(file, measures, 1)
        if against:
            found |= compared(file, measures, found, against)
        if workers < 2:
            return found
        several = of_command(file, measures, workers)
        faster = found["seconds"] / several["seconds"]
        alike = {name: several[name] for name in TOLD}
        return {**found, "by_workers": {"workers": workers, "times_faster": round(faster, 2), **alike}}


def compared(file: Path, measures: list[str], ours: dict[str, Any], python: str) -> dict[str, Any]:
    """The same audit without random extracts, and by another commit, which draws none."""
    plain = of_command(file, measures, 1, options=WITHOUT_EXTRACTS)
    other = of_command(file, measures, 1, python=python)
    seconds = other["processor_seconds"]
    return {
        "without_extracts": {name: plain[name] for name in TOLD},
        "other_commit": {
            **{name: other[name] for name in TOLD},
            "times_faster": round(seconds / ours["processor_seconds"], 2),
            "times_faster_without_extracts": round(seconds / plain["processor_seconds"], 2),
        },
    }


def of_example() -> dict[str, Any]:
    """The example with its report."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("audit", str(EXAMPLE), "--quiet", "--out")
        runs = [run_command([*words, str(i)], Path(folder)) for i in range(SMALL_ROUNDS)]
    processor, seconds, memory = min((run["cpu"], run["seconds"], run["own"]) for run in runs)
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
        "largest_memory_gib": round(memory / 2**20, 3),
        "limit_seconds": SMALL_LIMIT_SECONDS,
    }


def of_command(
    file: Path,
    measures: list[str],
    workers: int,
    *,
    python: str = sys.executable,
    options: Sequence[str] = (),
) -> dict[str, Any]:
    """One audit of a file by the command line."""
    out = Path(tempfile.mkdtemp(dir=file.parent)) / "audit"
    words = ["audit", str(file), "--attribute", "party", "--quiet", *options]
    words += ["--out", str(out), "--workers", str(workers)]
    words += [part for measure in measures for part in ("--measure", measure)]
    used = run_command(words, file.parent, python=python)
    made = json.loads((out / "results.json").read_text(encoding="utf-8"))["made"]
    apart, everywhere = {}, used["own"]
    if workers > 1:
        apart = {"memory_of_the_parent_gib": used["own"], "memory_of_a_worker_gib": used["other"]}
        everywhere += workers * used["other"]
    return {
        "records": made["records"],
        "measures": made["measures"],
        "n_resamples": made.get("n_resamples", made.get("draws")),
        "seconds": round(used["seconds"], 1),
        "processor_seconds": round(used["cpu"], 1),
        "largest_memory_gib": round(everywhere / 2**20, 3),
        **{name: round(kib / 2**20, 3) for name, kib in apart.items()},
        "limit_gib": LIMIT_GIB,
        "file_mb": round(file.stat().st_size / 1e6),
        "per_record_mb": round(sum(path.stat().st_size for path in _per_record_in(out)) / 1e6),
    }


def _per_record_in(out: Path) -> list[Path]:
    """The files of per-record statistics; older commits have one."""
    return [*out.glob("evidence.parquet"), *out.glob("per_record/*.parquet")]


def main() -> None:
    parser = options(
        __doc__, "--file", "--out", records=100_000, workers=1, seed=0, attribute="sentiment", against=""
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--measure", action="append", default=[])
    parser.add_argument("--measures", choices=["all"], help="all default measures, as without --measure")
    given = parser.parse_args()
    refuse_plug_ins()
    found: dict[str, Any] = {}
    if given.records:
        alike = given.measure, given.seed, given.workers, given.against
        found["synthetic"] = of_stream(given.records, *alike)
        found["longer"] = of_stream(given.records // 5, *alike, write=write_longer_records)
    if given.small:
        found["small"] = of_example()
    if given.file is not None:  # last: what is started by a large process is counted as large from its start
        found["real"] = of_file(given.file, given.attribute)
    write_down(__file__, found, seed=given.seed, out=given.out)


if __name__ == "__main__":
    main()
