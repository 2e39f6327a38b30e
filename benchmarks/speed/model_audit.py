"""What share of an audit by a model is the model's own forward: in one process, in two workers, on Ray.

    python -m benchmarks.speed.model_audit [--records N] [--out FILE]

Records of eight documents and five statements, forty pairs each, are audited by an entailment model with random
weights (six layers, 384 wide: the smaller a model, the more all else weighs), one thread a process. A plug-in of this
benchmark is the scorer `timed`: entailment that notes the processor time of every call of its model, and ten times a
second that of its process. All processes count, from the first pair on: starting them, importing and loading do not,
and stand apart.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.recording import options, write_down
from benchmarks.speed.audit import run_command
from benchmarks.speed.neural_inputs import Record, reviews, save_model

from fairbrief.serialization import write_lines

ENGINES = {
    "one process": (),
    "two workers": ("--workers", "2", "--models-in-workers"),
    "Ray": ("--engine", "ray", "--models-in-workers"),
}
PLUGIN = """
import os, threading, time
from pathlib import Path

import torch  # here, so that importing it is part of starting in every process

from fairbrief.scorers import entailment, models

FILE = Path(__file__).parent / f"{os.getpid()}.times"
first = forward = 0.0


def note():
    while True:
        with FILE.open("a") as file:
            print(time.time(), time.process_time(), first, forward, file=file)
        time.sleep(0.1)


class Timed(entailment.Entailment):
    name = "timed"


def before(*_):
    global began, first
    first = first or time.process_time()
    began = time.thread_time()


def after(*_):
    global forward
    forward += time.thread_time() - began


load = models.load


def loaded(*given):
    resident = load(*given)
    if not resident.model._forward_hooks:
        resident.model.register_forward_pre_hook(before)
        resident.model.register_forward_hook(after)
    return resident


models.load = loaded
threading.Thread(target=note, daemon=True).start()
"""
"""The module of the plug-in. With one thread, a call's processor time is its thread's."""


def write_plugin(folder: Path) -> None:
    """A package as an installer leaves it: a module, and what it declares."""
    (folder / "timed_entailment.py").write_text(PLUGIN, encoding="utf-8")
    declared = folder / "timed_entailment-1.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: timed-entailment\nVersion: 1\n")
    (declared / "entry_points.txt").write_text("[fairbrief.scorers]\ntimed = timed_entailment:Timed\n")


def write_records(path: Path, records: list[Record]) -> None:
    """The records as an audit reads them; documents of two sides."""
    rows = []
    for i, record in enumerate(records):
        documents = [
            {"text": " ".join(sentences), "attributes": {"side": "ab"[j % 2]}}
            for j, sentences in enumerate(record.documents)
        ]
        rows.append({"id": f"r{i}", "system": "s", "documents": documents, "summary": " ".join(record.units)})
    write_lines(rows, path)


def spent(folder: Path) -> dict[str, Any]:
    """Processor seconds of the processes that left their times in a folder, from the first pair on and before it.

    Their times are lines of four numbers: the clock, the process's seconds, those at its first pair (0 before
    it) and those of its model's calls.
    """
    told = [
        [[float(word) for word in line.split()] for line in path.read_text().splitlines()]
        for path in folder.glob("*.times")
    ]
    begun = min(clock for times in told for clock, _, first, _ in times if first)
    forward = rest = before = 0.0
    each = []
    for times in told:
        _, end, first, called = times[-1]
        start = first or max(
            seconds for clock, seconds, _, _ in times if clock <= begun or times[0][0] == clock
        )
        before += start
        forward += called
        rest += end - start - called
        if called:
            each.append(round(called, 1))
    return {
        "forward, s": round(forward, 2),
        "by process": each,
        "all else, s": round(rest, 2),
        "share of the forward": round(forward / (forward + rest), 4),
        "starting, s": round(before, 2),
    }


def audited(folder: Path, model: Path, options: tuple[str, ...]) -> dict[str, Any]:
    """One audit by the command line."""
    for old in folder.glob("*.times"):
        old.unlink()
    measure = f"coverage_parity(scorer=timed(model={model}))@side"
    words = ["audit", "in.jsonl", "--attribute", "side", "--measure", measure, "--quiet", "--out", "audit"]
    run_command([*words, *options], folder, OMP_NUM_THREADS="1", PYTHONPATH=str(folder))
    return spent(folder)


def main() -> None:
    given = options(__doc__, "--out", records=200).parse_args()
    made = reviews(given.records)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "model"
        save_model(
            model, "middle", [text for r in made for text in (*(s for d in r.documents for s in d), *r.units)]
        )
        write_plugin(folder)
        write_records(folder / "in.jsonl", made)
        found: dict[str, Any] = {"records": given.records, "pairs": sum(8 * len(r.units) for r in made)}
        for engine, words in ENGINES.items():
            found[engine] = audited(folder, model, words)
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
