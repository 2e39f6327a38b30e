"""How fast is ROUGE? Ratios against the ``rouge-score`` package in the same run.

Run: python -m benchmarks.speed.rouge FILE.jsonl [FILE.jsonl …] [--out OUT.json]

Scores ROUGE-1, -2, -L and -Lsum of every summary against its references, as they stand and with one
sentence per line, with and without stems; both must agree to 1e-6. The memo of stems is emptied
before every round. ``whole_audit`` is an audit of the same summaries by the four measures, with their intervals, beside the
package's bare loop. CPU seconds of one core, the least of several rounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.recording import best_seconds, options, times_faster, write_down
from rouge_score.rouge_scorer import RougeScorer

import fairbrief
from fairbrief.text import rouge
from fairbrief.text.rouge import TYPES, rouge_scores
from fairbrief.text.sentences import split

ROUNDS = 3
Pairs = list[tuple[str, str]]


def compared(ours: Callable[[], object], plain: Callable[[], object]) -> dict[str, float]:
    """The least seconds of both, with an empty memo of stems."""

    def fresh(work: Callable[[], object]) -> None:
        rouge._stem.cache_clear()
        work()

    return times_faster(*best_seconds(partial(fresh, ours), partial(fresh, plain), rounds=ROUNDS))


def read(path: Path) -> Pairs:
    with path.open(encoding="utf-8") as lines:
        return [(r, line["summary"]) for line in map(json.loads, lines) for r in line["references"]]


def by_package(pairs: Pairs, *, stem: bool) -> np.ndarray:
    scorer = RougeScorer(list(TYPES), use_stemmer=stem)
    found = []
    for reference, candidate in pairs:
        scores = scorer.score(reference, candidate)
        found.append([[scores[t].precision, scores[t].recall, scores[t].fmeasure] for t in TYPES])
    return np.array(found)


def compare(pairs: Pairs, *, stem: bool) -> dict[str, float]:
    gap = np.abs(by_package(pairs, stem=stem) - rouge_scores(pairs, stem=stem)).max()
    if gap > 1e-6:
        raise SystemExit(f"the two differ by {gap}")
    found = compared(lambda: rouge_scores(pairs, stem=stem), lambda: by_package(pairs, stem=stem))
    return {**found, "largest_difference": float(gap)}


def of_audit(paths: list[Path], pairs: Pairs) -> dict[str, float]:
    """A whole audit, from cases in memory to estimates, and the package's loop with its Python lists."""
    cases = [case for path in paths for case in fairbrief.read(path)]
    return compared(
        lambda: fairbrief.audit(cases, measures=list(TYPES)), lambda: by_package(pairs, stem=False)
    )


def main() -> None:
    parser = options(__doc__, "--out")
    parser.add_argument("files", nargs="+", type=Path)
    asked = parser.parse_args()
    pairs = [pair for path in asked.files for pair in read(path)]
    on_lines = [("\n".join(split(a)), "\n".join(split(b))) for a, b in pairs]
    found = {
        "pairs": len(pairs),
        "as_they_stand": compare(pairs, stem=False),
        "as_they_stand_stemmed": compare(pairs, stem=True),
        "one_sentence_per_line": compare(on_lines, stem=False),
        "one_sentence_per_line_stemmed": compare(on_lines, stem=True),
        "whole_audit": of_audit(asked.files, pairs),
    }
    write_down(__file__, found, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
