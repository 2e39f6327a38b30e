"""Tiny models that write, with random weights: an encoder-decoder and a decoder, with real files."""

from pathlib import Path
from typing import Any

from tests.neural.tiny_models import save_bart

WORDS = """
the a is was and but room staff coffee cold kind harbour view late clean price lift broken phone days again good bad would stay
nobody answered free worth here are texts write one summary of all them user assistant system above sum up what they say taken
together in text summarize following single
""".split()
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
TEMPLATE = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
    "<s> {{ m['role'] }} {{ m['content'] }} {% endfor %}{% if add_generation_prompt %}assistant {% endif %}"
)


def _tokenizer(folder: Path, limit: int, template: str | None) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *WORDS, *".,!?:0123456789"])}
    own = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    own.pre_tokenizer = pre_tokenizers.Whitespace()
    if template is None:
        own.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 2)])
    made = PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        model_max_length=limit,
    )  # fmt: skip
    made.chat_template = template
    made.save_pretrained(folder)
    return made


def save_encoder_decoder(folder: Path, limit: int = 64) -> Path:
    """A tiny BART."""
    tokenizer = _tokenizer(folder, limit, None)
    save_bart(
        folder, seed=1, vocab_size=len(tokenizer), max_position_embeddings=limit, init_std=0.6, pad_token_id=0,
        bos_token_id=1, decoder_start_token_id=1,
    )  # fmt: skip
    return folder


def save_pegasus(folder: Path, limit: int = 64) -> Path:
    """A tiny Pegasus, whose positions are sines."""
    import torch
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    tokenizer = _tokenizer(folder, limit, None)
    torch.manual_seed(3)
    config = PegasusConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=limit, init_std=0.6,
        pad_token_id=0, eos_token_id=2, decoder_start_token_id=0, forced_eos_token_id=2,
    )  # fmt: skip
    PegasusForConditionalGeneration(config).save_pretrained(folder)
    return folder


def remove_weights(folder: Path, part: str) -> None:
    """Remove the weights with this in their names from a model's file."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    kept = {name: weight for name, weight in load_file(path).items() if part not in name}
    save_file(kept, path, {"format": "pt"})


def save_decoder(folder: Path, limit: int = 128, template: str | None = TEMPLATE) -> Path:
    """A tiny Llama, with a chat template that knows no system turn."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(folder, limit, template)
    torch.manual_seed(2)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=limit, initializer_range=0.6,
        pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
