"""Ten thousand random changes of audits, inputs, settings, baselines and the clock: what the gate answered to each.

    python -m benchmarks.adversary [--changes N] [--seed N] [--out FILE] [--page docs/contributing/benchmarks.md]

FILE is gone on from: the counts of further changes, with another seed, are added to those in it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.adversary import CHANGES, UNDETECTED, World

from benchmarks.recording import markdown, options, show, write_down, written

MARKERS = ("<!-- adversary: begin -->", "<!-- adversary: end -->")
OUTCOMES = ("pass", "fail", "inconclusive", "refused")
Counts = dict[str, dict[str, int]]


def attack(changes: int, seed: int, counts: Mapping[str, Counter[str]]) -> None:
    """Try so many changes, of all kinds by turns, and count the answers; a wrong one is printed."""
    rng = Random(seed)
    with TemporaryDirectory() as folder:
        world = World(Path(folder), sizes=(1, 2, 3, 8, 20), shifts=4)
        for number in range(changes):
            name = list(CHANGES)[number % len(CHANGES)]
            tried = CHANGES[name](world, rng)
            outcome, text = tried.answer()
            counts[name][outcome] += 1
            if fault := tried.fault(outcome, text):
                counts[name]["wrong"] += 1
                print(f"{name}: {fault}", file=sys.stderr)


def table(counts: Counts) -> str:
    """The kinds of changes with their answers, as Markdown."""
    total = sum(of.get(outcome, 0) for of in counts.values() for outcome in OUTCOMES)
    wrong = sum(of.get("wrong", 0) for of in counts.values())
    forged = counts.get(UNDETECTED, {}).get("pass", 0)
    summary = (
        f"{total:,} changes. {wrong:,} wrong answers (a wrong pass or refusal, or an answer that does not name the cause). "
        f"{forged:,} of the changes, in the last row, pass, because only a signature detects them."
    )
    rows = []
    for name, of in counts.items():
        answers = [of.get(outcome, 0) for outcome in OUTCOMES]
        rows.append((name, sum(answers), *answers, of.get("wrong", 0)))
    head = ("change", "tried", "passed", "failed", "inconclusive", "refused", "wrong")
    return f"{summary}\n\n{markdown(head, rows, range(1, 7))}"


def main() -> None:
    """Attack, write down and print; exit 1 after a wrong answer."""
    given = options(__doc__, "--out", "--page", changes=10_000, seed=0).parse_args()
    known: Counts = written(given.out).get("counts", {})
    counts = {name: Counter(known.get(name, {})) for name in CHANGES}
    attack(given.changes, given.seed, counts)
    found = {name: dict(of) for name, of in counts.items()}
    write_down(__file__, {"counts": found}, seed=given.seed, out=given.out)
    show(table(found), given.page, MARKERS)
    raise SystemExit(any(of["wrong"] for of in counts.values()))


if __name__ == "__main__":
    main()
