"""Models that write, loaded once: encoder-decoders and decoders, from a folder or the hub's cache."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import BackendError, MissingExtra, RequestError

RESIDENT = 2
"""How many models stay in memory."""
DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
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
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingExtra(module, "neural", "transformers:MODEL") from None


def folder_of(model: str) -> Path:
    """The folder of a model: a local one, or the hub's snapshot, fetched where it is absent and can be."""
    path = Path(model).expanduser()
    if path.is_dir():
        return path.resolve()
    if model.startswith((".", "/", "~")):
        raise BackendError(f"transformers(model={model}): there is no such folder.")
    hub = library("huggingface_hub")
    try:
        return Path(hub.snapshot_download(model, local_files_only=True))
    except hub.errors.HFValidationError:
        raise RequestError(
            f"transformers(model={model}): this is neither a folder here nor a name on the hub (owner/name)."
        ) from None
    except hub.errors.LocalEntryNotFoundError:
        pass
    try:
        return Path(hub.snapshot_download(model))
    except (hub.errors.HfHubHTTPError, hub.errors.LocalEntryNotFoundError, OSError) as error:
        raise BackendError(
            f"The model '{model}' is not on this machine, and the hub did not give it "
            f"({_line(error)}). Fetch it where there is a network, or give a local folder."
        ) from error


@lru_cache(maxsize=RESIDENT)
def identity(model: str) -> str:
    """The model and its revision: the hub's commit, or a hash of the folder's files (name, size, time)."""
    folder = folder_of(model)
    if folder.parent.name == "snapshots":
        return f"{model}@{folder.name[:12]}"
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        stat = path.stat()
        digest.update(f"{path.relative_to(folder)}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return f"folder@{digest.hexdigest()}"


@lru_cache(maxsize=RESIDENT)
def is_encoder_decoder(model: str) -> bool:
    """What kind of model it is, from its configuration alone."""
    folder = folder_of(model)
    with _explained(folder):
        config = library("transformers").AutoConfig.from_pretrained(folder, local_files_only=True)
    return bool(config.is_encoder_decoder)


def load(model: str, device: str, dtype: str) -> Writer:
    """The model on a device, ready to write."""
    torch = library("torch")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if dtype == "auto":
        dtype = "fp32" if not device.startswith("cuda") else "bf16"
    return _load(folder_of(model), device, dtype)


@lru_cache(maxsize=RESIDENT)
def _load(folder: Path, device: str, dtype: str) -> Writer:
    transformers, torch = library("transformers"), library("torch")
    with _explained(folder):
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
        model = getattr(transformers, kind).from_pretrained(folder, local_files_only=True)
        model = model.to(device=device, dtype=getattr(torch, DTYPES[dtype])).eval()
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


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """What the library raises on a folder that holds no such model, as a BackendError that names it."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise BackendError(
            f"The model in {folder} cannot be loaded for writing: {_line(error)}. Give an encoder-decoder or a "
            "decoder that transformers can load."
        ) from error


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
