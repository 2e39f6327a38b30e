"""Tiny models with random weights: real architectures, tokenizers and files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairbrief.types import Ask

MODEL_SCORE_TOLERANCE = 1e-5
"""How far two runs of one model may differ in a score: fp32 kernels depend on batch shape, machine and library."""

TEXTS = (
    "The room was clean and the staff was kind to every guest.",
    "Breakfast came late, and the coffee was cold.",
    "I would stay again; the view over the harbour is worth the price!",
    "Nobody answered the phone for two days.",
    "Parking is free behind the house, but the lift is out of order.",
)
LONG = " ".join(TEXTS * 3)
"""More word pieces than a tiny model reads at once."""
ASKS = [
    Ask("", TEXTS[:2], TEXTS[2:4]),
    Ask("", ("", LONG), (TEXTS[0], "")),
    Ask("", TEXTS[:2], ()),
    Ask("", (), TEXTS[:1]),
    Ask("", (), ()),
]
"""What the clauses of a scorer are tried on: empty texts and asks, and long ones."""


def matrix(scorer: Any, rows: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """The scores of one ask."""
    (scores,) = scorer.answer([Ask("", rows, columns, whole=True)])
    return scores.matrix


HHEM_PROMPT = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {}\n\nHypothesis: {}"
"""As the model's card writes it."""


def save_tokenizer(vocabulary: Any, folder: Path, limit: int) -> None:
    """The vocabulary with RoBERTa's frame, as a fast tokenizer."""
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    own = Tokenizer.from_str(vocabulary.to_str())
    own.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    PreTrainedTokenizerFast(
        tokenizer_object=own, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>", model_max_length=limit,
    ).save_pretrained(folder)  # fmt: skip


def roberta_config(size: int, **more: Any) -> Any:
    """Three narrow layers; positions for 64 word pieces."""
    from transformers import RobertaConfig

    return RobertaConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=66, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        initializer_range=0.5, **more,
    )  # fmt: skip


def save_encoder(vocabulary: Any, folder: Path, **changes: Any) -> Path:
    """A RoBERTa encoder."""
    import torch
    from transformers import RobertaModel

    config = roberta_config(vocabulary.get_vocab_size())
    config.update(changes)
    torch.manual_seed(5)
    RobertaModel(config).save_pretrained(folder)
    save_tokenizer(vocabulary, folder, 64)
    return folder


def save_bart(folder: Path, seed: int, **settings: Any) -> None:
    """A BART of two layers a side."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(seed)
    config = BartConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, eos_token_id=2, forced_eos_token_id=2, **settings,
    )  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)


def save_classifier(vocabulary: Any, folder: Path, labels: Mapping[int, str]) -> Path:
    """A RoBERTa classifier with these classes; the weights are the same whatever they are called."""
    import torch
    from transformers import RobertaForSequenceClassification

    torch.manual_seed(3)
    config = roberta_config(
        vocabulary.get_vocab_size(), num_labels=len(labels), id2label=dict(labels),
        label2id={v: k for k, v in labels.items()},
    )  # fmt: skip
    RobertaForSequenceClassification(config).save_pretrained(folder)
    save_tokenizer(vocabulary, folder, 64)
    return folder


def save_hhem(root: Path) -> Path:
    """A tiny model with HHEM's config, names of weights and tokenizer: spaces part words, as in T5."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForTokenClassification

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Replace("\n", " ")  # type: ignore[assignment]
    parts = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts)  # type: ignore[assignment]
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=220, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator([*TEXTS, HHEM_PROMPT[6:]] * 4, trainer)
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])  # type: ignore[assignment]
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        model_max_length=512,
    ).save_pretrained(root / "base")  # fmt: skip
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, num_labels=2,
        initializer_factor=2.0,
    )  # fmt: skip
    config.save_pretrained(root / "base")
    torch.manual_seed(11)
    model = T5ForTokenClassification(config)
    model.classifier.weight.data *= 0.2  # probabilities that differ, none near 0 or 1
    named = model.state_dict().items()
    weights = {f"t5.{name}": w.contiguous() for name, w in named if "embed_tokens" not in name}
    (root / "model").mkdir()
    save_file(weights, root / "model" / "model.safetensors")
    told = {"model_type": "HHEMv2Config", "foundation": str(root / "base")}
    (root / "model" / "config.json").write_text(json.dumps(told))
    return root / "model"


COMMIT = "fedcba9876543210fedcba9876543210fedcba98"
"""A commit of the hub, as which a folder is put into a cache."""
