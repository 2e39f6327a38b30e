"""How near the neural scorers come to their model's own speed, and how far they leave a plain loop behind.

    python -m benchmarks.speed.neural [--out FILE] [--threads N]

A RoBERTa classifier with random weights answers for synthetic records (documents of unequal length, short
units). In one run, interleaved and best of three:

- bound: the model alone on the same inputs, tokenized, sorted and padded beforehand;
- ours: `Entailment.answer`, from texts to matrices;
- loops: one call after the other in file order, tokenizing as they go: a pair a call; eight pairs a call,
  padded to the longest; a pair a call, padded to the model's maximum.

Where there is a GPU, a classifier of roberta-large's size in bf16 beside the bound that its matrix products
set: pairs/s if the model's multiplications ran at the rate of one large product, measured in the same run.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.recording import write_down

from fairbrief.nouns import Ask
from fairbrief.pretrained import hub, placement
from fairbrief.scorers import models
from fairbrief.scorers.entailment import Entailment
from fairbrief.scorers.pieces import frame, padded, pieces

SIZES = {
    "middle": {
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 6,
        "intermediate_size": 1536,
    },
    "large": {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
}
SYLLABLES = [
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
    "pra",
    "ste",
    "lin",
    "gor",
    "wal",
    "dem",
]


def records(count: int, seed: int = 0) -> list[Ask]:
    """Per record: chunks of 10 to 100 words against units of 5 to 20 words, as coverage asks."""
    rng = random.Random(seed)
    lexicon = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(2000)]

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(lexicon, k=rng.randint(low, high))) + "."

    return [
        Ask("entailment", tuple(text(10, 100) for _ in range(8)), tuple(text(5, 20) for _ in range(5)))
        for _ in range(count)
    ]


def save_model(folder: Path, size: str, asks: list[Ask]) -> None:
    """A classifier with random weights and a byte-level BPE trained on the texts."""
    from tokenizers import Tokenizer, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForSequenceClassification

    own = Tokenizer(kinds.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    own.train_from_iterator([text for ask in asks for text in (*ask.rows, *ask.columns)], trainer)
    own.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    named = {"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token="<pad>", unk_token="<unk>", model_max_length=512, **named
    ).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=own.get_vocab_size(),
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        id2label={0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"},
        label2id={"CONTRADICTION": 0, "NEUTRAL": 1, "ENTAILMENT": 2},
        **SIZES[size],
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)


def prepared(scorer: Entailment, asks: list[Ask]) -> tuple[Any, list[dict[str, Any]], int]:
    """The model, and all pairs of the asks as tensors: sorted, in batches of the scorer's own budget."""
    placed = placement.place(scorer, scorer.name)
    resident = models.classifier(hub.find(scorer.model, scorer.name), placed, scorer.name)
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


def forward_only(resident: models.Resident, batches: list[dict[str, Any]]) -> None:
    import torch

    with torch.inference_mode():
        for batch in batches:
            resident.model(**batch).logits.float().cpu()


def loop(resident: models.Resident, asks: list[Ask], size: int, padding: str | bool) -> None:
    """Pairs in file order, ``size`` at a time, tokenized on the way."""
    import torch

    pairs = [(r, c) for ask in asks for c in ask.columns for r in ask.rows]
    for start in range(0, len(pairs), size):
        rows, columns = zip(*pairs[start : start + size], strict=True)
        given = resident.tokenizer(
            list(rows), list(columns), padding=padding, truncation=True, return_tensors="pt"
        )
        wanted = {k: v.to(resident.device) for k, v in given.items() if k != "token_type_ids"}
        with torch.inference_mode():
            resident.model(**wanted).logits.softmax(-1).float().cpu()


def seconds(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def best_of(rounds: int, acts: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Each act's best time, the acts taken in turns so that a busy machine hurts all alike."""
    times = [{name: seconds(act) for name, act in acts.items()} for _ in range(rounds)]
    return {name: min(t[name] for t in times) for name in acts}


def on_cpu(folder: Path, count: int, rounds: int) -> dict[str, Any]:
    asks = records(count)
    save_model(folder, "middle", asks)
    scorer = Entailment(model=str(folder), device="cpu", dtype="fp32")
    resident, batches, tokens = prepared(scorer, asks)
    few = asks[: max(1, count // 4)]  # the loops are slow: a quarter of the records, scaled
    share = len(asks) / len(few)
    found = best_of(
        rounds,
        {
            "bound": lambda: forward_only(resident, batches),
            "ours": lambda: list(scorer.answer(asks)),
            "loop_1": lambda: loop(resident, few, 1, padding=False),
            "loop_8": lambda: loop(resident, few, 8, padding=True),
            "loop_padded": lambda: loop(resident, few, 1, "max_length"),
        },
    )
    found |= {name: value * share for name, value in found.items() if name.startswith("loop")}
    pairs = len(list(scorer.keys(asks)))
    return {
        "device": "cpu",
        "pairs": pairs,
        "mean_tokens": tokens / pairs,
        "pairs_per_second": {name: round(pairs / s, 1) for name, s in found.items()},
        "ours_of_bound": round(found["bound"] / found["ours"], 3),
        "faster_than": {
            name: round(found[name] / found["ours"], 2) for name in found if name.startswith("loop")
        },
    }


def on_gpu(
    folder: Path, count: int, rounds: int, size: str = "large", device: str = "cuda"
) -> dict[str, Any]:
    import torch

    asks = records(count)
    save_model(folder, size, asks)
    scorer = Entailment(model=str(folder), device=device, dtype="bf16")
    resident, batches, tokens = prepared(scorer, asks)
    forward_only(resident, batches[:2])
    found = best_of(
        rounds, {"bound": lambda: forward_only(resident, batches), "ours": lambda: list(scorer.answer(asks))}
    )
    n = 8192 if device == "cuda" else 512
    left = torch.randn(n, n, device=device, dtype=torch.bfloat16)

    def product() -> None:
        for _ in range(10):
            left @ left
        if device == "cuda":
            torch.cuda.synchronize()

    product()
    rate = 10 * 2 * n**3 / min(seconds(product) for _ in range(3))
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

    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--records", type=int, default=12)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--trial", action="store_true", help="run the GPU part small, on the CPU")
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        found = {"threads": given.threads, "cpu": on_cpu(Path(folder) / "cpu", given.records, given.rounds)}
        if torch.cuda.is_available():
            found["gpu"] = on_gpu(Path(folder) / "gpu", 50 * given.records, given.rounds)
        elif given.trial:
            found["trial"] = on_gpu(Path(folder) / "gpu", given.records, 1, "middle", "cpu")
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
