"""How near the neural scorers come to their model's own speed, and how far they leave published loops behind.

    python -m benchmarks.speed.neural [--out FILE] [--threads N]

RoBERTa classifiers with random weights answer for synthetic records of two shapes: articles (20 sentences a
document) and reviews (40 words a document). In one run, interleaved and best of several rounds, in fp32:

- published: the coverage release's loop, in file order: per document and unit one call of tokenizer and model
  on all windows of the document (overlapping, one around every sentence, under 100 words), padded to the
  longest. (Its second loop, over all pairs of units, is left out.)
- ours: `Entailment.answer` on exactly these pairs, from texts to matrices;
- ours, default pieces: the same summaries and documents, cut as an audit does if nothing else is said;
- model alone: the model as transformers runs it, on the same pairs tokenized, sorted and padded beforehand;
- our model alone: the same with the model as it is resident here;
- other loops in file order: a pair a call; eight pairs a call; a pair a call padded to the model's maximum;
- ours in bf16, an option on a CPU.

Where there is a GPU, a classifier of roberta-large's size in bf16 beside the bound that its matrix products
set: pairs/s if the model's multiplications ran at the rate of one large product, measured in the same run.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recording import best_seconds, options, write_down
from benchmarks.speed.neural_inputs import Record, articles, published_windows, reviews, save_model

from fairbrief import pretrained
from fairbrief.scorers import models
from fairbrief.scorers.entailment import Entailment
from fairbrief.scorers.pieces import frame, padded, pieces
from fairbrief.types import Ask

Pair = tuple[str, str]
PADDED = "a pair a call, padded to 512"


def texts_of(found: list[Record]) -> list[str]:
    """Every text, to train a tokenizer on."""
    return [text for r in found for text in (*(s for d in r.documents for s in d), *r.units)]


def same_pairs(found: list[Record]) -> list[Ask]:
    """What the published loop computes, as asks."""
    return [
        Ask("", tuple(w for windows in published_windows(r) for w in windows), tuple(r.units), whole=True)
        for r in found
    ]


def default_pairs(found: list[Record]) -> list[Ask]:
    """What an audit asks for the same records if nothing else is said: every sentence."""
    return [Ask("", tuple(s for d in r.documents for s in d), tuple(r.units), whole=True) for r in found]


def prepared(scorer: Entailment, asks: list[Ask]) -> tuple[models.Resident, list[dict[str, Any]], int]:
    """The model, and all pairs of the asks as tensors: sorted, in batches of the scorer's own budget."""
    placed = scorer.placement
    found = pretrained.find(scorer.model, scorer.name)
    resident = models.load("AutoModelForSequenceClassification", found, placed, scorer.name)
    around = frame(resident.tokenizer, pair=True)
    keys = list(scorer.keys(asks))
    ids = pieces(resident.tokenizer, (text for key in keys for text in key))
    inputs = sorted((around.around(ids[r], ids[c])[0] for r, c in keys), key=len, reverse=True)
    batches, start = [], 0
    while start < len(inputs):
        count = max(1, placed.batch_tokens // len(inputs[start]))
        made, mask = padded(inputs[start : start + count], 1)
        batches.append({"input_ids": resident.tensor(made), "attention_mask": resident.tensor(mask)})
        start += count
    return resident, batches, sum(map(len, inputs))


def forward_only(model: Any, batches: list[dict[str, Any]]) -> None:
    """The model alone."""
    import torch

    with torch.inference_mode():
        for batch in batches:
            model(**batch).logits.float().cpu()


def entailed(tokenizer: Any, model: Any, batch: list[Pair], padding: str | bool) -> list[float]:
    """One call, as a script makes it."""
    import torch

    premises, hypotheses = map(list, zip(*batch, strict=True))
    given = tokenizer(premises, hypotheses, padding=padding, truncation=True, return_tensors="pt")
    given.pop("token_type_ids", None)
    with torch.inference_mode():
        found: list[float] = model(**given).logits.softmax(-1)[:, 2].tolist()
        return found


def published_batches(found: list[Record]) -> Iterator[list[Pair]]:
    """Per record, document and unit: all windows of the document against the unit."""
    for record in found:
        for windows in published_windows(record):
            for unit in record.units:
                if windows:
                    yield [(window, unit) for window in windows]


def published(tokenizer: Any, model: Any, found: list[Record]) -> dict[Pair, float]:
    """The release's loop."""
    answers: dict[Pair, float] = {}
    for batch in published_batches(found):
        answers.update(zip(batch, entailed(tokenizer, model, batch, padding=True), strict=True))
    return answers


def loop(tokenizer: Any, model: Any, pairs: list[Pair], size: int, padding: str | bool) -> None:
    """Pairs in file order, ``size`` at a time."""
    for start in range(0, len(pairs), size):
        entailed(tokenizer, model, pairs[start : start + size], padding)


def best_of(rounds: int, acts: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Each act's best time by the clock."""
    times = best_seconds(*acts.values(), rounds=rounds, clock=time.perf_counter)
    return dict(zip(acts, times, strict=True))


def on_cpu(folder: Path, size: str, found: list[Record], rounds: int, *, loops: bool) -> dict[str, Any]:
    """One shape of records, one size of model, on the CPU."""
    from transformers import AutoModelForSequenceClassification

    save_model(folder, size, texts_of(found))
    scorer = Entailment(model=str(folder), device="cpu", dtype="fp32")
    narrow = Entailment(model=str(folder), device="cpu", dtype="bf16")
    asks = same_pairs(found)
    resident, batches, tokens = prepared(scorer, asks)
    tokenizer = resident.tokenizer
    plain = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pairs = [pair for batch in published_batches(found) for pair in batch]
    few = pairs[:: max(1, len(pairs) // 20)]  # padded to 512 every pair costs the same: a sample, scaled up
    acts: dict[str, Callable[[], Any]] = {
        "published": lambda: published(tokenizer, plain, found),
        "ours": lambda: list(scorer.answer(asks)),
        "ours, default pieces": lambda: list(scorer.answer(default_pairs(found))),
        "model alone": lambda: forward_only(plain, batches),
        "our model alone": lambda: forward_only(resident.model, batches),
        "ours in bf16": lambda: list(narrow.answer(asks)),
    }
    if loops:
        acts |= {
            "a pair a call": lambda: loop(tokenizer, plain, pairs, 1, padding=False),
            "8 a call": lambda: loop(tokenizer, plain, pairs, 8, padding=True),
            PADDED: lambda: loop(tokenizer, plain, few, 1, padding="max_length"),
        }
    for name in ("ours, default pieces", "ours in bf16"):
        acts[name]()  # a warm-up
    apart = difference(scorer, asks, published(tokenizer, plain, found))
    taken = best_of(rounds, acts)
    if loops:
        taken[PADDED] *= len(pairs) / len(few)
    mine, theirs = taken["ours"], taken["published"]
    return {
        "pairs as published": len(pairs),
        "mean pieces of a pair": round(tokens / len(pairs), 1),
        "pairs by default": len(list(scorer.keys(default_pairs(found)))),
        "largest difference": apart,
        "seconds": {name: round(value, 3) for name, value in taken.items()},
        "same pairs, times faster than": {
            name: round(taken[name] / mine, 2)
            for name in ("published", "a pair a call", "8 a call", PADDED)
            if name in taken
        },
        "same summaries by default, times faster than published": round(
            theirs / taken["ours, default pieces"], 2
        ),
        "of the model alone": round(taken["model alone"] / mine, 3),
        "of our model alone": round(taken["our model alone"] / mine, 3),
        "same pairs in bf16, times faster than published": round(theirs / taken["ours in bf16"], 2),
    }


def difference(scorer: Entailment, asks: list[Ask], wanted: dict[Pair, float]) -> float:
    """The largest difference of a probability from the published loop's."""
    return max(
        float(np.abs(scores.matrix - [[wanted[r, c] for c in ask.columns] for r in ask.rows]).max())
        for ask, scores in zip(asks, scorer.answer(asks), strict=True)
    )


def on_gpu(
    folder: Path, count: int, rounds: int, size: str = "large", device: str = "cuda"
) -> dict[str, Any]:
    import torch

    made = articles(max(1, count // 100), documents=8, units=5)
    save_model(folder, size, texts_of(made))
    asks = same_pairs(made)
    scorer = Entailment(model=str(folder), device=device, dtype="bf16")
    resident, batches, tokens = prepared(scorer, asks)
    forward_only(resident.model, batches[:2])
    found = best_of(
        rounds,
        {"bound": lambda: forward_only(resident.model, batches), "ours": lambda: list(scorer.answer(asks))},
    )
    n = 8192 if device == "cuda" else 512
    left = torch.randn(n, n, device=device, dtype=torch.bfloat16)

    def product() -> None:
        for _ in range(10):
            left @ left
        if device == "cuda":
            torch.cuda.synchronize()

    product()
    rate = 10 * 2 * n**3 / best_of(3, {"product": product})["product"]
    inner = sum(
        p.numel() for name, p in resident.model.named_parameters() if p.ndim == 2 and "embeddings" not in name
    )
    pairs = len(list(scorer.keys(asks)))
    work = 2 * inner * tokens  # the products with weights alone: attention's own would only lower the bound
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else device,
        "pairs": pairs,
        "mean_tokens": tokens / pairs,
        "pairs_per_second": {name: round(pairs / s, 1) for name, s in found.items()},
        "ours_of_bound": round(found["bound"] / found["ours"], 3),
        "product_tflops": round(rate / 1e12, 2),
        "matrix_product_bound_pairs_per_second": round(pairs * rate / work, 1),
        "of_matrix_product_bound": round(work / rate / found["ours"], 3),
    }


def main() -> None:
    import torch

    parser = options(__doc__, "--out", threads=1, rounds=3, gpu_records=600)
    parser.add_argument("--trial", action="store_true", help="run the GPU part small, on the CPU")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    shapes = {
        "articles": ("middle", articles(1, documents=2, units=4), True),
        "reviews": ("middle", reviews(5), True),
        "articles, model of roberta-base's size": ("base", articles(1, documents=1, units=2), False),
    }
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = {"threads": given.threads}
        for number, (name, (size, made, loops)) in enumerate(shapes.items()):
            found[name] = on_cpu(Path(folder) / str(number), size, made, given.rounds, loops=loops)
        if torch.cuda.is_available():
            found["gpu"] = on_gpu(Path(folder) / "gpu", given.gpu_records, given.rounds)
        elif given.trial:
            found["trial"] = on_gpu(Path(folder) / "gpu", 4, 1, "middle", "cpu")
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
