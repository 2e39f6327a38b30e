"""Equal Coverage and Coverage Parity of human and FewSum summaries of reviews; writes benchmarks/real/coverage.json.

Run: python -m benchmarks.real.coverage REVIEWS [--model FOLDER] [--cache FILE] [--docs docs/contributing/benchmarks.md]

REVIEWS holds yelp_gold__human-1.jsonl, yelp_gold__fewsum.jsonl and amazon_gold__human-{1,2}.jsonl. The model
is all-MiniLM-L6-v2 from the hub, or a folder. ``--docs`` writes the table between its markers there; with
``--docs`` alone (no REVIEWS) the table is made again from the JSON. No text of a review is written.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

from benchmarks.recording import markdown, options, write_section

from fairbrief.auditing import Plan, audit
from fairbrief.engines.score_cache import Cached
from fairbrief.readers import read
from fairbrief.scorers.shared_words import Containment
from fairbrief.scorers.vectors import Embedding
from fairbrief.types import Cacheable, Estimate, Scorer

HERE = Path(__file__).resolve().parent
OUT = HERE / "coverage.json"
DATASETS = {
    "Yelp gold": ("sentiment", ("yelp_gold__human-1.jsonl", "yelp_gold__fewsum.jsonl")),
    "Amazon gold": ("rating", ("amazon_gold__human-1.jsonl", "amazon_gold__human-2.jsonl")),
}
"""No FewSum summaries of the Amazon records are at hand: two people are compared there."""
SCORERS = ("containment", "embedding")
MEASURES = ("equal_coverage", "coverage_parity")
QUANTITIES = (*MEASURES, "level", "uneven_share", "uneven_share_by_chance", "testable_share")
MARKERS = ("<!-- coverage: begin -->", "<!-- coverage: end -->")


def run(folder: Path, model: str, cache: Path | None, n_resamples: int) -> dict[str, Any]:
    """All estimates and paired differences, without texts."""
    embedding = Embedding(model=model, device="cpu", dtype="fp32")
    given: dict[str, Scorer] = {"containment": Containment(), "embedding": embedding}
    found = []
    for name, (over, files) in DATASETS.items():
        plan = Plan(
            measures=[f"{m}(scorer={s})@{over}" for s in SCORERS for m in MEASURES],
            scorers=given,
            wrap=None if cache is None else (lambda s: Cached(s, cache) if isinstance(s, Cacheable) else s),
            n_resamples=n_resamples,
        )
        result = audit(read([str(folder / file) for file in files]), plan)
        found += [row(name, e) for e in (*result.estimates, *result.differences) if kept(e)]
    return {
        "model": "all-MiniLM-L6-v2", "fingerprint": embedding.fingerprint, "draws": n_resamples, "seed": 0,
        "python": platform.python_version(), "estimates": found,
    }  # fmt: skip


def kept(e: Estimate) -> bool:
    return e.quantity in QUANTITIES or e.quantity.startswith(("difference[", "between["))


def row(dataset: str, e: Estimate) -> dict[str, Any]:
    return {
        "dataset": dataset, "over": e.over, "scorer": "embedding" if "scorer=embedding" in e.measure else "containment",
        "quantity": e.quantity, "system": e.system, "baseline": e.baseline, "value": e.value, "low": e.low,
        "high": e.high, "permutation_mean": e.permutation_mean, "p": e.p, "p_adjusted": e.p_adjusted, "testable": e.testable,
        "n": e.n, "left_out": dict(e.excluded),
    }  # fmt: skip


def table(found: dict[str, Any]) -> str:
    """The section of docs/contributing/benchmarks.md, as Markdown."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for e in found["estimates"]:
        if e["quantity"] in MEASURES:
            name = f"{e['system']} − {e['baseline']}" if e["baseline"] else e["system"]
            mean = "" if e["baseline"] else f", {number(e['permutation_mean'])}"
            interval = f"[{number(e['low'])}, {number(e['high'])}]"
            told = f"{name} {number(e['value'])} {interval}{mean}, {probability(e['p_adjusted'])}"
            rows.setdefault((e["dataset"], e["scorer"], e["quantity"]), []).append(told)
    head = ("data", "scorer", "measure", "summaries: value, interval, permutation mean, p (Holm)")
    lines = markdown(head, [(*key, "; ".join(texts)) for key, texts in rows.items()])
    sizes = {(e["dataset"], e["system"]): e["n"] for e in found["estimates"] if not e["baseline"]}
    counts = ", ".join(f"{data} {system} {n}" for (data, system), n in sizes.items())
    made = (
        f"`embedding` is {found['model']} (CPU, fp32); {found['draws']} resamples, seed {found['seed']}. Records of one group are excluded. "
        f"Records: {counts}. Differences are paired on the records that both summarized."
    )
    return f"{lines}\n\n{made}"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".replace("-", "−")


def probability(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


if __name__ == "__main__":
    model = "sentence-transformers/all-MiniLM-L6-v2"
    told = options(__doc__, "--cache", "--docs", "reviews?", resamples=2000, model=model).parse_args()
    if told.reviews is not None:
        made = run(told.reviews, told.model, told.cache, told.resamples)
        OUT.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if told.docs is not None:
        write_section(told.docs, MARKERS, table(json.loads(OUT.read_text(encoding="utf-8"))))
