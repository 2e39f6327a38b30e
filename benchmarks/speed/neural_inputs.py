"""Synthetic records, models with random weights, and the release's way of cutting documents: for `neural.py`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

SIZES = {  # width, layers, heads, inner width
    "middle": (384, 6, 6, 1536),
    "base": (768, 12, 12, 3072),
    "large": (1024, 24, 16, 4096),
}
SYLLABLES = "ba ke li mo nu ra se ti vo zu pra ste lin gor wal dem".split()
WORDS = 100
"""A piece of a document has fewer words than this in the release."""


class Record(NamedTuple):
    """Documents, each as its sentences, and the units of a summary of them."""

    documents: list[list[str]]
    units: list[str]


def records(
    count: int, documents: int, sentences: tuple[int, int], words: tuple[int, int], units: int, seed: int
) -> list[Record]:
    """Records whose documents have so many sentences of so many words each; units of 5 to 20 words."""
    rng = random.Random(seed)
    lexicon = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(2000)]

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(lexicon, k=rng.randint(low, high))) + "."

    found = []
    for _ in range(count):
        made = [[text(*words) for _ in range(rng.randint(*sentences))] for _ in range(documents)]
        found.append(Record(made, [text(5, 20) for _ in range(units)]))
    return found


def articles(count: int, documents: int, units: int, seed: int = 0) -> list[Record]:
    """Documents as long as news: about 20 sentences and 440 words."""
    return records(count, documents, (17, 23), (10, 34), units, seed)


def reviews(count: int, seed: int = 0) -> list[Record]:
    """Eight documents as long as reviews: about 3 sentences and 40 words, against five units."""
    return records(count, 8, (2, 4), (6, 20), 5, seed)


def published_windows(record: Record) -> list[list[str]]:
    """Each document's windows as the release cuts them: one around every sentence, under 100 words.

    A text that an earlier window of the record has is left out, as the release does.
    """
    seen: set[str] = set()
    found: list[list[str]] = []
    for document in record.documents:
        found.append([])
        for centre in range(len(document)):
            window = " ".join(_grown(document, centre))
            if window not in seen:
                seen.add(window)
                found[-1].append(window)
    return found


def _grown(document: list[str], centre: int) -> list[str]:
    window = [document[centre]]
    filled = len(document[centre].split())
    for distance in range(1, len(document)):
        places = [i for i in (centre - distance, centre + distance) if 0 <= i < len(document)]
        for place in sorted(places, key=lambda i: len(document[i].split())):
            length = len(document[place].split())
            if filled + length >= WORDS:
                return window
            filled += length
            window = [document[place], *window] if place < centre else [*window, document[place]]
    return window


def save_model(folder: Path, size: str, texts: list[str]) -> None:
    """A classifier with random weights and a byte-level BPE trained on the texts."""
    from tokenizers import Tokenizer, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForSequenceClassification

    own = Tokenizer(kinds.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=8000,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    own.train_from_iterator(texts, trainer)
    own.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    named = {"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=own, pad_token="<pad>", unk_token="<unk>", model_max_length=512, **named
    ).save_pretrained(folder)
    width, layers, heads, inner = SIZES[size]
    config = RobertaConfig(
        vocab_size=own.get_vocab_size(),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=inner,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        initializer_range=0.05,  # wide enough that the answers differ from pair to pair
        id2label={0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"},
        label2id={"CONTRADICTION": 0, "NEUTRAL": 1, "ENTAILMENT": 2},
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)
