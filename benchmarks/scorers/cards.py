"""How far can each scorer be trusted? Writes the cards, src/fairbrief/scorers/cards.json, from public data.

Run: python -m benchmarks.scorers.cards LABELS REVIEWS --model FOLDER [--only SCORER …] [--records 250]

LABELS is a folder with QAGS and WiCE under the names in `benchmarks.scorers.labels`, REVIEWS a file of review sets in
Fairbrief's format (documents with the attribute sentiment), FOLDER all-MiniLM-L6-v2. Each scorer runs in a process of its own,
on one core. What is known of scorers without running them (languages, published figures with their sources) is in known.json
beside this file. No text is written. Takes about ten minutes on one core; ``--only`` replaces the cards of some scorers.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
from concurrent.futures import ProcessPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.recording import machine, options, versions
from benchmarks.scorers import labels, trials

from fairbrief import registry
from fairbrief.errors import FairbriefError
from fairbrief.types import Scorer

OUT = Path(str(resources.files("fairbrief.scorers"))) / "cards.json"
KNOWN = Path(__file__).with_name("known.json")
RUN_HERE = ("containment", "ngram", "tfidf", "rouge1", "rouge2", "counts", "embedding")
CUTS = ("sentence", "document")
MODEL = "all-MiniLM-L6-v2"


class Data(NamedTuple):
    """Where the data are, and how much of the reviews is taken."""

    labels: Path
    reviews: Path
    model: str
    records: int


def scorer_of(name: str, by: str, data: Data) -> Scorer | None:
    """A scorer that cuts documents so; None where it does not let that be chosen, and this is not how it reads them."""
    kind = registry.load("scorer", name)
    settings = {"model": data.model, "device": "cpu", "dtype": "fp32"} if name == "embedding" else {}
    if "by" in kind.__dataclass_fields__:
        settings["by"] = by
    elif by != "document":
        return None
    scorer: Scorer = registry.make("scorer", name, settings)
    return scorer


class Inputs(NamedTuple):
    """What every scorer is tried on."""

    claims: dict[str, list[labels.Claim]]
    asked: list[trials.Query]
    made: trials.Planted
    truth: dict[tuple[float, float, str], float]


def inputs(data: Data) -> Inputs:
    """The labels, the sentences to be found, and the planted summaries with their true contrasts."""
    claims = {source.name: labels.read(data.labels, source) for source in labels.SOURCES}
    records = trials.reviews(data.reviews, data.records)
    made = trials.planted(records)
    truth = trials.contrasts("truth", trials.Truth(made.sources_of), made)
    return Inputs(claims, trials.queries(records), made, truth)


def tried(name: str, data: Data, on: Inputs) -> dict[str, Any]:
    """The figures of one scorer: for each way to cut documents, and the memory that its process took."""
    found: dict[str, Any] = {"by": {}}
    for by in CUTS:
        scorer = scorer_of(name, by, data)
        if scorer is None:
            continue
        found["by"][by] = {
            "support": {source: trials.support(scorer, claims) for source, claims in on.claims.items()},
            "source": trials.sources(scorer, on.asked),
            "version": scorer.fingerprint.replace(data.model, MODEL),
            "planted": trials.recovered(trials.contrasts(name, scorer, on.made), on.truth),
        }
    found["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def cards(data: Data, only: list[str], old: dict[str, Any]) -> dict[str, Any]:
    """All cards: those that are asked for are made, others stay as they were."""
    known, on = json.loads(KNOWN.read_text(encoding="utf-8")), inputs(data)
    made = dict(old.get("scorers", {}))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as worker:
        for name in RUN_HERE:
            if not only or name in only:
                print(f"{name} …", flush=True)
                made[name] = {"model": MODEL} if name == "embedding" else {}
                made[name] |= worker.submit(tried, name, data, on).result()
    measured = ("model", "memory_mb", "by")
    return {
        "made": {
            "with": "python -m benchmarks.scorers.cards",
            "machine": machine(),
            "versions": versions(),
            "resamples": trials.DRAWS,
            "reviews": {"file": data.reviews.name, "records": data.records, "group": trials.UNDER},
            "labels": {
                source.name: {"kind": source.kind, "origin": source.origin} for source in labels.SOURCES
            },
        },
        "scorers": {
            name: {**told, **{key: made[name][key] for key in measured if key in made.get(name, {})}}
            for name, told in sorted(known.items())
        },
    }


def main() -> None:
    parser = options(__doc__, "labels", "reviews", records=250, out=OUT)
    parser.add_argument("--model", required=True)
    parser.add_argument("--only", nargs="*", default=[], choices=RUN_HERE)
    given = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    data = Data(given.labels, given.reviews, given.model, given.records)
    old = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    try:
        found = cards(data, given.only, old)
    except FairbriefError as error:
        raise SystemExit(str(error)) from error
    given.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
