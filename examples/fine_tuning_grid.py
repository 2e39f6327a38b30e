"""Does position bias come from the training set? A model per training set, evaluated on every set, audited as a grid.

    pip install 'fairbrief[neural]' accelerate
    python examples/fine_tuning_grid.py

The design is that of Chhabra et al. The models are tiny and start at random weights, so that the script takes a minute and its
numbers mean nothing: replace ``new_model`` by ``from_pretrained`` and ``sets`` by your data. The report in ``grid`` has a table of all cells.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
)

import fairbrief
from fairbrief.types import Case, Document, Record, Summary

STEPS = 150
WORDS = "river bridge market school garden harbour tower mill bakery library station forge".split()
PIECES = ["<s>", "<pad>", "</s>", "<unk>", ".", *WORDS]


def article(seed: int, *, first: bool) -> Record:
    """An article of six sentences, whose human summary is its first or its last one."""
    rng = random.Random(seed)
    sentences = [" ".join(rng.sample(WORDS, 4)) + " ." for _ in range(6)]
    documents = tuple(Document(sentence) for sentence in sentences)
    return Record(f"r{seed}", documents, references=(sentences[0 if first else -1],))


def text(record: Record) -> str:
    """The article."""
    return " ".join(document.text for document in record.documents)


def new_tokenizer() -> PreTrainedTokenizerFast:
    """One piece per word."""
    spelled = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(PIECES)}, unk_token="<unk>"))
    spelled.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    spelled.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=spelled, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def new_model() -> BartForConditionalGeneration:
    """A small BART with random weights."""
    torch.manual_seed(0)
    layers = {f"{part}_layers": 1 for part in ("encoder", "decoder")}
    heads = {f"{part}_attention_heads": 2 for part in ("encoder", "decoder")}
    widths = {f"{part}_ffn_dim": 64 for part in ("encoder", "decoder")}
    config = BartConfig(
        vocab_size=len(PIECES), d_model=32, max_position_embeddings=64, forced_bos_token_id=None,
        forced_eos_token_id=None, **layers, **heads, **widths,
    )  # fmt: skip
    return BartForConditionalGeneration(config)


def trained(records: Sequence[Record], tokenizer: PreTrainedTokenizerFast) -> BartForConditionalGeneration:
    """A model that is trained to write the records' human summaries."""
    model = new_model()
    settings = Seq2SeqTrainingArguments(
        "checkpoints", max_steps=STEPS, per_device_train_batch_size=8, learning_rate=5e-3, save_strategy="no",
        report_to=[], disable_tqdm=True, use_cpu=True, seed=0,
    )  # fmt: skip
    rows = [
        {
            **tokenizer(text(record), return_token_type_ids=False),
            "labels": tokenizer(record.references[0])["input_ids"],
        }
        for record in records
    ]
    collator = DataCollatorForSeq2Seq(tokenizer, model=model)
    Seq2SeqTrainer(model, settings, train_dataset=rows, data_collator=collator).train()
    return model.eval()


def summary(model: BartForConditionalGeneration, record: Record, tokenizer: PreTrainedTokenizerFast) -> str:
    """The model's summary of a record."""
    asked = tokenizer(text(record), return_tensors="pt", return_token_type_ids=False)
    written = model.generate(**asked, max_new_tokens=8, min_new_tokens=4, num_beams=1, do_sample=False)
    return tokenizer.decode(written[0], skip_special_tokens=True)


def main() -> None:
    """Train a model per set, let each summarize every set, and audit all cells of the grid."""
    sets = {
        "news": [article(i, first=True) for i in range(60)],
        "talks": [article(i, first=False) for i in range(1000, 1060)],
    }
    tokenizer = new_tokenizer()
    models_of = {name: trained(records[:40], tokenizer) for name, records in sets.items()}
    # Both sets of a cell are attributes of its records. `seed_document` says that an article is in several cells.
    cases = [
        Case(
            replace(
                record, id=f"{record.id} by {trained_on}", seed_document=record.id,
                attributes={"train": trained_on, "eval": evaluated_on},
            ),
            Summary(f"{record.id} by {trained_on}", "tiny-bart", summary(model, record, tokenizer)),
        )
        for trained_on, model in models_of.items()
        for evaluated_on, records in sets.items()
        for record in records[40:]
    ]  # fmt: skip
    audit = fairbrief.audit(
        cases, ["position_bias", "position_from_uniform"], by=[("train", "eval")], n_resamples=500
    )
    audit.save("grid")
    for e in audit.estimates:
        if e.subgroup and e.quantity == "position_bias":
            print(e.subgroup["train"], "→", e.subgroup["eval"], e.value, e.low, e.high)


if __name__ == "__main__":
    main()
