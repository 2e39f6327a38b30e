"""What an audit costs as it grows, measured up to a million records, and a plan for 10⁸ records and 10⁹ pairs: a section of docs/contributing/benchmarks.md.

Run: python -m benchmarks.scale [--records N …] [--out FILE] [--page PAGE]

Every audit runs in a process of its own; its processor time and largest memory, and those of its workers, are read when it
ends. The three sizes are done by two processes. Costs by family and engine are differences of two runs, so that starting is
not counted, each the least of three. Takes some six minutes on two idle cores; with --records 100 200 300, to try the script, three minutes. With --page the
section is written from FILE, which is measured first if it is absent.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.recording import RESULTS, markdown, options, refuse_plug_ins, write_down, write_section
from benchmarks.speed.audit import run_command, sentence
from fairbrief.serialization import write_lines

MARKERS = ("<!-- scale: begin -->", "<!-- scale: end -->")
SIZES = (10_000, 100_000, 1_000_000)
MEASURES = ("uer@party", "rouge1")
"""Of the three sizes: representation, and a measure beside it."""
FAMILIES = {
    "representation": "uer@party",
    "coverage": "equal_coverage@party",
    "position": "position_bias",
    "quality": "rouge1",
    "sentiment": "sentiment_shift(scorer=vader)",
    "people": "word_list_inclusion",
}
ENGINES = {"here": (), "two processes": ("--workers", "2"), "Ray, one machine": ("--engine", "ray")}
GROWTH: Mapping[str, tuple[int, ...]] = {
    "documents": (4, 16, 64),
    "groups": (2, 8, 32),
    "systems": (1, 2, 4),
    "subgroups": (1, 10, 100),
    "resamples": (200, 2_000, 8_000),
    "records in a cluster": (1, 4, 16),
}
FEW, MORE = 1_000, 11_000
"""Records of the two runs whose difference is a cost; each is done so often, and its least time counts."""
ROUNDS = 3
GROWING = 500
"""Records of the audits that grow in other ways."""
PLANNED, PAIRS = 10**8, 10**9
MACHINES, CORES = 16, 16
"""Of the plan."""


@dataclass(frozen=True)
class Shape:
    """Records of an input."""

    documents: int = 6
    groups: int = 2
    systems: int = 1
    subgroups: int = 1
    resamples: int = 2_000
    together: int = 1
    """Records in a cluster."""


class Used(NamedTuple):
    """What a command took: seconds of all its processes, of its own and by the clock, MiB at most of itself and of a worker."""

    seconds: float
    own_seconds: float
    clock: float
    mib: float
    worker_mib: float


def write_records(path: Path, records: int, shape: Shape, seed: int) -> None:
    """Records of two sentences a document, and summaries of two."""
    rng = random.Random(seed)

    def rows() -> Iterator[dict[str, Any]]:
        for i in range(records):
            documents = [
                {"text": f"{sentence(rng)} {sentence(rng)}", "attributes": {"party": f"g{j % shape.groups}"}}
                for j in range(shape.documents)
            ]
            for system in range(shape.systems):
                yield {
                    "id": f"r{i}", "system": f"s{system}", "documents": documents, "references": [sentence(rng)],
                    "summary": f"{sentence(rng)} {sentence(rng)}", "attributes": {"kind": f"k{i % shape.subgroups}"},
                    **({"topic": f"t{i // shape.together}"} if shape.together > 1 else {}),
                }  # fmt: skip

    write_lines(rows(), path)


def command(folder: Path, *words: str) -> Used:
    """A command of fairbrief in a folder."""
    told = run_command(words, folder)
    seconds = (round(told[name], 2) for name in ("cpu", "own_cpu", "seconds"))
    return Used(*seconds, *(round(told[name] / 1024) for name in ("own", "other")))


def asked(measures: Sequence[str], shape: Shape, *more: str) -> list[str]:
    """The words of an audit of ``in.jsonl``."""
    by = ["--by", "kind"] if shape.subgroups > 1 else []
    by += ["--cluster-by", "topic"] if shape.together > 1 else []
    named = [word for measure in measures for word in ("--measure", measure)]
    words = f"audit in.jsonl --attribute party --quiet --resamples {shape.resamples}".split()
    return [*words, *by, *named, *more]


# ------------------------------------------------------------------------------------- measuring


def of_size(records: int, seed: int) -> dict[str, Any]:
    """An audit by two processes: seconds, memory, and what stands on the disk."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_records(folder / "in.jsonl", records, Shape(), seed)
        used = command(folder, *asked(MEASURES, Shape(), "--workers", "2", "--out", "audit"))
        return {
            "records": records,
            "input_mb": _megabytes(folder / "in.jsonl"),
            **used._asdict(),
            "audit_mb": sum(_megabytes(path) for path in (folder / "audit").rglob("*") if path.is_file()),
        }


def cost(measures: Sequence[str], shape: Shape, seed: int, *more: str) -> dict[str, float]:
    """Milliseconds of processor time and by the clock a record, and the larger run's memory."""
    used = []
    with tempfile.TemporaryDirectory() as made:
        for records in (FEW, MORE):
            write_records(Path(made) / "in.jsonl", records, shape, seed)
            used.append(_least(Path(made), asked(measures, shape, *more)))
    few, many = used
    per_record = 1000 / (MORE - FEW)
    return {
        "ms": round((many.seconds - few.seconds) * per_record, 3),
        "clock_ms": round((many.clock - few.clock) * per_record, 3),
        "mib": many.mib,
        "worker_mib": many.worker_mib,
    }


def _least(folder: Path, words: Sequence[str]) -> Used:
    """The least time and the most memory of a command that is done several times, each from its beginning."""
    seconds, own_seconds, clock, mib, worker_mib = zip(
        *(command(folder, *words) for _ in range(ROUNDS)), strict=True
    )
    return Used(min(seconds), min(own_seconds), min(clock), max(mib), max(worker_mib))


def whole(measures: Sequence[str], shape: Shape, seed: int) -> Used:
    """What an audit of a few records takes, its start too."""
    with tempfile.TemporaryDirectory() as made:
        write_records(Path(made) / "in.jsonl", GROWING, shape, seed)
        return command(Path(made), *asked(measures, shape))


def pairs_of(shape: Shape) -> int:
    """Pairs of a unit of a summary and a document that a record has."""
    return 2 * shape.documents


def measured(sizes: Sequence[int], seed: int) -> Iterator[tuple[str, Any]]:
    """Everything, one finding after another."""
    yield "shape", asdict(Shape())
    yield "families", {name: {"measure": m, **cost([m], Shape(), seed)} for name, m in FAMILIES.items()}
    yield "engines", {name: cost(MEASURES, Shape(), seed, *words) for name, words in ENGINES.items()}
    growth: dict[str, dict[str, Any]] = {}
    for name, values in GROWTH.items():
        # As many documents as there are groups, at least.
        field = {"records in a cluster": "together"}.get(name, name)
        shapes = {v: Shape(**({"documents": 32} if name == "groups" else {}) | {field: v}) for v in values}
        growth[name] = {
            str(v): whole(["uer@party", "equal_coverage@party"], s, seed)._asdict() for v, s in shapes.items()
        }
    yield "growth", growth
    yield "sizes", [of_size(records, seed) for records in sizes]


def _megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


# ------------------------------------------------------------------------------------- telling


def section(record: Mapping[str, Any], neural: Mapping[str, Any]) -> str:
    """The section of the page, from the findings, and from those of `benchmarks.speed.neural`."""
    found, machine = record["found"], record["machine"]
    shape = Shape(**found["shape"])
    return f"""Python {machine["python"]}, {machine["processors"]} × {machine["processor"]}, load {machine["load"]} at the end; commit {record["commit"]}.
Seconds are processor time of all processes. A record has {shape.documents} documents of {shape.groups} groups, of two sentences each, one summary of two sentences and a reference; {shape.resamples:,} resamples.

{_table(("family", "measure", "ms per record", "µs per pair", "MiB"), [(name, f"`{f['measure']}`", f"{f['ms']:.2f}", f"{1000 * f['ms'] / pairs_of(shape):.0f}", f"{f['mib']:.0f}") for name, f in found["families"].items()])}

A pair is a sentence of a summary with a document ({pairs_of(shape)} per record). These scorers use no model.

{_table(("engine", "ms per record, wall clock", "MiB of the main process", "MiB of a worker, at most"), [(name, f"{f['clock_ms']:.2f}", f"{f['mib']:.0f}", f"{f['worker_mib']:.0f}" if f["worker_mib"] > 1 else "–") for name, f in found["engines"].items()])}

Growth of `uer@party` and `equal_coverage@party` on {GROWING:,} records, in seconds of the whole audit:

{_growth(found["growth"])}

Three sizes of `{"`, `".join(MEASURES)}` with `--workers 2`:

{_sizes(found["sizes"])}

{_checked(found["sizes"])}

**Plan for {PLANNED:,} records.** {_plan(found["sizes"])}

**Plan for {PAIRS:,} entailment pairs.** {_pairs(neural)}"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return markdown(head, rows, range(1, len(head)))


def _growth(growth: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    rows = []
    for name, of in growth.items():
        (first, *_, last) = of
        times = of[last]["seconds"] / of[first]["seconds"]
        seconds, mib = (
            [f"{f[key]:.{digits}f}" for f in of.values()] for key, digits in (("seconds", 1), ("mib", 0))
        )
        ratio = f"{int(last) / int(first):.0f} → {times:.1f}"
        rows.append((name, " → ".join(of), " → ".join(seconds), ratio, " → ".join(mib)))
    return _table(("what grows", "from → to", "seconds", "times as many → times as long", "MiB"), rows)


def _sizes(sizes: Sequence[Mapping[str, Any]]) -> str:
    columns = {
        "records": "{records:,}",
        "input, MB": "{input_mb:,.1f}",
        "seconds": "{seconds:,.1f}",
        "of the main process": "{own_seconds:,.1f}",
        "its MiB": "{mib:,.0f}",
        "MiB of a worker": "{worker_mib:,.0f}",
        "audit, MB": "{audit_mb:,.1f}",
    }
    return _table(tuple(columns), [[cell.format_map(size) for cell in columns.values()] for size in sizes])


QUANTITIES = {
    "seconds": "seconds",
    "of the main process": "own_seconds",
    "its MiB": "mib",
    "audit, MB": "audit_mb",
}
"""What the plan extrapolates, by its name in a size's findings."""


def slope(sizes: Sequence[Mapping[str, Any]], name: str) -> float:
    """How much a record adds, between the last two sizes."""
    before, last = sizes[-2:]
    return float((last[name] - before[name]) / (last["records"] - before["records"]))


def _checked(sizes: Sequence[Mapping[str, Any]]) -> str:
    """The line through two sizes, held against the next."""
    told = []
    last, before = sizes[-1], sizes[-2]
    for name, key in QUANTITIES.items():
        expected = before[key] + slope(sizes[:-1], key) * (last["records"] - before["records"])
        told.append(
            (name, f"{expected:,.0f}", f"{last[key]:,.0f}", f"{100 * (expected / last[key] - 1):+.0f} %")
        )
    names = " and ".join(f"{s['records']:,}" for s in sizes[:-1])
    return (
        f"The line through {names} records, extrapolated to {sizes[-1]['records']:,}, and what these took "
        f"(the plan uses the line through the two largest):\n\n"
        f"{_table(('what', 'extrapolated', 'measured', 'error'), told)}"
    )


def _plan(sizes: Sequence[Mapping[str, Any]]) -> str:
    last = sizes[-1]
    work, reading, mib, audit = (slope(sizes, name) for name in QUANTITIES.values())
    cores, hours = MACHINES * CORES, PLANNED * (work - reading) / 3600
    rows = [
        ("workers", f"{hours:,.0f} hours of one core", f"{60 * hours / cores:,.1f} minutes on {MACHINES} machines of {CORES} cores", f"{CORES * last['worker_mib'] / 1024:,.0f} GiB a machine"),
        ("main process", f"{PLANNED * reading / 3600:,.1f} hours of one core", "at the same time, on one machine", f"{PLANNED * mib / 1024:,.0f} GiB"),
    ]  # fmt: skip
    return (
        f"{PLANNED / last['records']:,.0f} times the largest measured size, with the same records and measures.\n\n"
        f"{_table(('step', 'work', 'time', 'memory'), rows)}\n\n"
        f"On the shared disk: {PLANNED * last['input_mb'] / last['records'] / 1e3:,.0f} GB of input, "
        f"{PLANNED * audit / 1e3:,.0f} GB of the audit.\n"
        "Run `fairbrief audit FILE --engine ray:auto --out audit` on a machine of the cluster. If the main process does not fit into "
        "one machine, audit the files separately and compare them, or take a sample. Intervals narrow with the square root of the records."
    )


def _pairs(neural: Mapping[str, Any]) -> str:
    found = neural["found"]
    kinds = {
        "reviews": "a small model, pairs of {:.0f} pieces",
        "articles": "a small model, pairs of {:.0f} pieces",
        "articles, model of roberta-base's size": "one of roberta-base's size, pairs of {:.0f} pieces",
    }
    rows = []
    for name, words in kinds.items():
        f = found[name]
        rate = f["pairs as published"] / f["seconds"]["ours"]
        hours = PAIRS / rate / 3600
        numbers = (rate, hours, hours / (MACHINES * CORES))
        rows.append((words.format(f["mean pieces of a pair"]), *(f"{number:,.0f}" for number in numbers)))
    return (
        f"From `speed-neural.json` (commit {neural['commit']}, {found['threads']} thread, {found.get('products', 'torch')}; random weights, which cost as much as trained ones).\n\n"
        f"{_table(('model', 'pairs per second and core', 'hours of one core', f'hours on {MACHINES} machines of {CORES} cores'), rows)}\n\n"
        "A GPU replaces as many cores as its pairs per second: `python -m benchmarks.speed.neural` measures them. Score a sample first; "
        "`fairbrief power` shows whether its intervals need more records."
    )


def main() -> None:
    """Measure, write down, and write the section."""
    parser = options(__doc__, "--page", seed=0, out=RESULTS / "scale.json")
    parser.add_argument("--records", type=int, nargs=3, default=SIZES, help="the three sizes")
    given = parser.parse_args()
    if given.page is None or not given.out.exists():
        refuse_plug_ins()
        started, found = time.monotonic(), {}
        for name, value in measured(given.records, given.seed):
            found[name] = value
            print(f"{time.monotonic() - started:.0f} s: {name}", file=sys.stderr, flush=True)
        write_down(__file__, found, seed=given.seed, out=given.out)
    if given.page is not None:
        record, neural = (
            json.loads(path.read_text(encoding="utf-8"))
            for path in (given.out, RESULTS / "speed-neural.json")
        )
        write_section(given.page, MARKERS, section(record, neural))


if __name__ == "__main__":
    main()
