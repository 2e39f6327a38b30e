"""Models that write, loaded once: encoder-decoders and decoders, from a folder or the hub's cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.pretrained import hub, placement
from fairbrief.pretrained.loading import explained, quiet

READER = "transformers"
RESIDENT = 2
"""How many models stay in memory."""
UNLIMITED = 1_000_000
"""Word pieces; a tokenizer that has no limit names an astronomical one."""


@dataclass(frozen=True, slots=True, eq=False)
class Writer:
    """A model that writes. ``limit``: word pieces it takes, None for any number; a decoder's own included."""

    tokenizer: Any
    model: Any
    device: str
    limit: int | None
    is_encoder_decoder: bool

    @property
    def has_template(self) -> bool:
        """Whether the model was taught to converse."""
        return bool(getattr(self.tokenizer, "chat_template", None))


def library(module: str) -> Any:
    """A heavy library, imported when it is first needed."""
    return placement.library(module, "transformers:MODEL")


@lru_cache(maxsize=RESIDENT)
def identity(model: str) -> str:
    """The model and its revision: the hub's commit, or a hash of the folder's files. Looked up once."""
    return hub.find(model, READER).identity


@lru_cache(maxsize=RESIDENT)
def is_encoder_decoder(model: str) -> bool:
    """What kind of model it is, from its configuration alone."""
    folder = hub.find(model, READER).folder
    with explained(folder, READER):
        config = library("transformers").AutoConfig.from_pretrained(folder, local_files_only=True)
    return bool(config.is_encoder_decoder)


def load(model: str, device: str, dtype: str) -> Writer:
    """The model on a device, ready to write."""
    device = placement.device_of(device, READER)
    return _load(hub.find(model, READER).folder, device, placement.dtype_of(dtype, device, READER))


@lru_cache(maxsize=RESIDENT)
def _load(folder: Path, device: str, dtype: str) -> Writer:
    transformers, torch = library("transformers"), library("torch")
    with quiet(), explained(folder, READER):
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
        model = getattr(transformers, kind).from_pretrained(folder, local_files_only=True)
        model = model.to(device=device, dtype=getattr(torch, placement.DTYPES[dtype])).eval()
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    # A decoder goes on where its input ends, so padding stands before it; an encoder's stands behind.
    tokenizer.padding_side = "right" if config.is_encoder_decoder else "left"
    return Writer(tokenizer, model, device, _limit(tokenizer, config), bool(config.is_encoder_decoder))


def _limit(tokenizer: Any, config: Any) -> int | None:
    """How many word pieces tokenizer and positions allow; None where neither says."""
    said = [
        tokenizer.model_max_length,
        *(getattr(config, name, None) for name in ("max_position_embeddings", "n_positions")),
    ]
    return min((int(n) for n in said if n is not None and 0 < n < UNLIMITED), default=None)
