"""Models that write, loaded once: encoder-decoders and decoders, from a folder or the hub's cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError
from fairbrief.pretrained import hub, placement
from fairbrief.pretrained.loading import explained, quiet
from fairbrief.text.counted import counted
from fairbrief.text.sentences import split
from fairbrief.types import Record

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


# --------------------------------------------------------------------------- what fits into a model


Fits = Callable[[Record], bool]


def truncated(record: Record, fits: Fits) -> tuple[Record, int]:
    """The record with its longest documents cut to one common length, and the words that were cut off.

    The largest number of words a document at which the record fits. So short documents stay whole and no
    voice is lost because it stands last. Raises DataError where not even one word of each fits.
    """
    words = [document.text.split() for document in record.documents]
    low, high = 0, max(map(len, words), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_capped(record, words, middle)):
            low = middle
        else:
            high = middle - 1
    if low == 0 and not fits(_capped(record, words, 1)):
        raise DataError(
            f"{record.where or 'input'} (id '{record.id}'): the prompt and one word of each of "
            f"{counted(len(words), 'document')} are more than the model takes. Use fewer documents, or another model."
        )
    low = max(low, 1)
    return _capped(record, words, low), sum(max(0, len(w) - low) for w in words)


def parts(record: Record, fits: Fits) -> list[Record]:
    """The record's sentences, in order, in as few records as can be filled one after the other.

    Each part keeps the documents (with their attributes) that its sentences come from. A sentence that does
    not fit alone is halved until it does, so that no word is lost; DataError where one word does not fit.
    """
    found: list[Record] = []
    current: list[tuple[int, str]] = []
    for number, document in enumerate(record.documents):
        for sentence in split(document.text) or [document.text]:
            for piece in _halved(record, number, sentence, fits):
                if current and not fits(_of(record, [*current, (number, piece)])):
                    found.append(_of(record, current))
                    current = []
                current.append((number, piece))
    return [*found, _of(record, current)]


def _halved(record: Record, number: int, text: str, fits: Fits) -> list[str]:
    """A sentence in pieces that fit."""
    if fits(alone := _of(record, [(number, text)])):
        return [text]
    words = text.split()
    if len(words) < 2:
        truncated(alone, fits)  # says what is wrong
        return [text]
    half = len(words) // 2
    return [
        *_halved(record, number, " ".join(words[:half]), fits),
        *_halved(record, number, " ".join(words[half:]), fits),
    ]


def _capped(record: Record, words: list[list[str]], most: int) -> Record:
    documents = [
        document if len(w) <= most else replace(document, text=" ".join(w[:most]))
        for document, w in zip(record.documents, words, strict=True)
    ]
    return replace(record, documents=tuple(documents), entities=())


def _of(record: Record, sentences: list[tuple[int, str]]) -> Record:
    texts: dict[int, list[str]] = {}
    for number, sentence in sentences:
        texts.setdefault(number, []).append(sentence)
    documents = tuple(
        replace(record.documents[number], text=" ".join(found)) for number, found in texts.items()
    )
    return replace(record, documents=documents, entities=())
