"""Texts tokenized apart and framed by us are what the tokenizer makes of them together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.neural.tiny_models import TEXTS

from fairbrief.scorers.pieces import frame, pieces


def bert_tokenizer() -> Any:
    """A word-level tokenizer with BERT's frame, and the type ids of its two texts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    own = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    own.pre_tokenizer = pre_tokenizers.Whitespace()
    own.train_from_iterator(
        TEXTS, trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    )
    own.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=own,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


@pytest.mark.parametrize("kind", ["roberta", "bert"])
@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 3), (None, 1), (1, None), (None, None)])
def test_framed_pieces_are_the_tokenizers_input(
    classifier_folder: Path, kind: str, first: int | None, second: int | None
) -> None:
    """Word pieces, special pieces and type ids of a pair, and of a text alone, come out as the tokenizer's own."""
    from transformers import AutoTokenizer

    tokenizer = bert_tokenizer() if kind == "bert" else AutoTokenizer.from_pretrained(classifier_folder)
    a, b = ("" if i is None else TEXTS[i] for i in (first, second))
    ids = pieces(tokenizer, [a, b])
    pair, types = frame(tokenizer, pair=True).around(ids[a], ids[b])
    wanted = {
        key: found[0] for key, found in tokenizer([a], [b]).items()
    }  # a lone empty pair would be dropped
    assert pair.tolist() == wanted["input_ids"]
    assert (None if types is None else types.tolist()) == wanted.get("token_type_ids")
    alone, types = frame(tokenizer, pair=False).around(ids[a])
    assert alone.tolist() == tokenizer(a)["input_ids"]
    assert (None if types is None else types.tolist()) == tokenizer(a).get("token_type_ids")
    assert frame(tokenizer, pair=True).size == tokenizer.num_special_tokens_to_add(pair=True)
