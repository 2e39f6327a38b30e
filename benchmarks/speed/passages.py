"""How fast `embedding` scores sentences against claims, beside a bare loop of sentence-transformers.

    python -m benchmarks.speed.passages [FILE] [--model FOLDER] [--records N] [--threads N] [--rounds N] [--out FILE]

Of a file of records, or of synthetic reviews; with a model of its own, or random weights of MiniLM's size. In fp32 on the
CPU, in turns, the best of several rounds:

- bare loop: what a script does, record by record: encode the sentences of the documents and of the summary, take cosines,
  and the best of each document;
- bare, all at once: the same, but every different sentence of the whole file is encoded in one call;
- tool, first run: `Embedding.answer` on the documents, with an empty score cache;
- tool, cached run: again, with the cache that the first run filled;
- tool, without a cache.

All give the same scores, and the largest difference is printed. Pairs are those of a sentence and a claim. Memory is the
largest resident memory of a process that does the one or the other, and of one that only loads the model.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recording import options, peak, write_down
from benchmarks.speed.neural import best_of, texts_of
from benchmarks.speed.neural_inputs import reviews, save_model

import fairbrief
from fairbrief.engines.score_cache import Cached
from fairbrief.scorers.pairs import cut
from fairbrief.scorers.vectors import Embedding
from fairbrief.text.sentences import split
from fairbrief.types import Ask, Floats, Scorer

MODES = ("model alone", "bare loop", "bare, all at once", "tool")


def asks_of(file: Path | None, count: int) -> list[Ask]:
    """A record's documents, and the sentences of its summary."""
    if file is not None:
        cases = islice(fairbrief.read(file), count)
        found = [(tuple(d.text for d in c.record.documents), tuple(split(c.summary.text))) for c in cases]
    else:
        found = [
            (tuple(" ".join(s.capitalize() for s in d) for d in r.documents), tuple(r.units))
            for r in reviews(count)
        ]
    return [Ask("", documents, claims) for documents, claims in found]


def bare(model: Any, asks: list[Ask], *, at_once: bool) -> list[Floats]:
    """The best cosine of a sentence of each document, by sentence-transformers alone."""
    known: dict[str, Floats] = {}
    cut_up = [[split(document) for document in ask.rows] for ask in asks]

    def encode(texts: list[str]) -> None:
        new = list(dict.fromkeys(texts))
        known.update(zip(new, model.encode(new, normalize_embeddings=True), strict=True))

    if at_once:
        encode(
            [s for a, ds in zip(asks, cut_up, strict=True) for s in (*(s for d in ds for s in d), *a.columns)]
        )
    found = []
    for ask, documents in zip(asks, cut_up, strict=True):
        if not at_once:
            encode([*(s for document in documents for s in document), *ask.columns])
        claims = np.stack([known[claim] for claim in ask.columns])
        found.append(np.stack([(np.stack([known[s] for s in d]) @ claims.T).max(axis=0) for d in documents]))
    return found


def tool(scorer: Scorer, asks: list[Ask]) -> list[Floats]:
    """The same by the tool."""
    return [scores.matrix for scores in scorer.answer(asks)]


def loaded(folder: Path) -> Any:
    """The model as sentence-transformers loads it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def of_model(folder: Path, asks: list[Ask], rounds: int) -> dict[str, Any]:
    """Seconds and pairs per second of each way, and their ratios."""
    scorer, model = Embedding(model=str(folder), device="cpu", dtype="fp32"), loaded(folder)
    with tempfile.TemporaryDirectory() as kept:
        caches = [Path(kept) / f"{i}.sqlite" for i in range(rounds + 1)]
        first, again = iter(caches[:-1]), caches[-1]
        wanted, given = bare(model, asks, at_once=True), tool(Cached(scorer, again), asks)
        acts: dict[str, Callable[[], Any]] = {
            "bare loop": lambda: bare(model, asks, at_once=False),
            "bare, all at once": lambda: bare(model, asks, at_once=True),
            "tool, first run": lambda: tool(Cached(scorer, next(first)), asks),
            "tool, cached run": lambda: tool(Cached(scorer, again), asks),
            "tool, without a cache": lambda: tool(scorer, asks),
        }
        seconds = best_of(rounds, acts)
        size = again.stat().st_size
    parts, _ = cut(asks, scorer.by)
    pairs = sum(len(part.rows) * len(part.columns) for part in parts)
    mine = seconds["tool, first run"]
    return {
        "records": len(asks),
        "different sentences": len(list(scorer.keys(asks))),
        "pairs": pairs,
        "largest difference": max(float(np.abs(a - b).max()) for a, b in zip(wanted, given, strict=True)),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "pairs per second": {name: round(pairs / value) for name, value in seconds.items()},
        "first run, times faster than": {
            n: round(seconds[n] / mine, 2) for n in acts if n.startswith("bare")
        },
        "cached run, times faster than the first": round(mine / seconds["tool, cached run"], 1),
        "cache, KiB per sentence": round(size / 1024 / max(1, len(list(scorer.keys(asks)))), 2),
    }


def memory(mode: str, folder: Path, asks: list[Ask]) -> float:
    """The largest resident memory of this process, in MiB, after it did one of `MODES`."""
    if mode == "tool":
        tool(Embedding(model=str(folder), device="cpu", dtype="fp32"), asks)
    else:
        model = loaded(folder)
        if mode != "model alone":
            bare(model, asks, at_once="once" in mode)
    return peak()


def main() -> None:
    import torch

    parser = options(__doc__, "--model", "--out", "file?", records=100, threads=1, rounds=3)
    parser.add_argument("--memory-of", choices=MODES, help="print the memory of one way, in MiB, and end")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    asks = asks_of(given.file, given.records)
    if given.memory_of:
        print(memory(given.memory_of, given.model, asks))
        return
    with tempfile.TemporaryDirectory() as made:
        folder = given.model or Path(made)
        if given.model is None:
            save_model(folder, "middle", texts_of(reviews(given.records)))
        found = {"threads": given.threads, **of_model(folder, asks, given.rounds)}
        told = [f"--records={given.records}", f"--threads={given.threads}", f"--model={folder}"]
        files = [str(given.file)] if given.file else []
        command = [sys.executable, "-m", "benchmarks.speed.passages", *files, *told]
        found["largest memory, MiB"] = memory_of = {}
        for mode in MODES:
            said = subprocess.run(
                [*command, "--memory-of", mode], check=True, capture_output=True, text=True
            ).stdout
            memory_of[mode] = round(float(said.split()[-1]))
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
