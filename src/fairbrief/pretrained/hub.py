"""Models on disk: a local folder, or a snapshot in the hub's cache, with the revision that a signature names; and what surrounds their loading."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import BackendError, RequestError, first_line
from fairbrief.pretrained.placement import library

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
DECIDING = (".json", ".safetensors", ".bin", ".txt", ".model", ".jinja")
"""Suffixes of the files that decide a model's numbers: weights, configurations, vocabularies."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A model's folder; ``identity`` names the model and its revision wherever the folder lies."""

    folder: Path
    identity: str


def find(model: str, reader: str) -> Snapshot:
    """The snapshot of a hub name or a local folder; downloads it where it is absent and the hub is reachable.

    Raises BackendError, which names the model and the command that fetches it, where neither is so.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return Snapshot(folder.resolve(), f"folder@{_folder_digest(folder.resolve())}")
    if model.startswith((".", "/", "~")):
        raise BackendError(f"{reader}(model={model}): there is no such folder.")
    found = cached(model, reader) or download(model, reader)
    return Snapshot(found, f"{model}@{found.name[:12]}")


def cached(model: str, reader: str) -> Path | None:
    """The folder of a model in the hub's cache, complete with weights; None where there is none. No network."""
    hub = library("huggingface_hub", reader)
    try:
        folder = Path(hub.snapshot_download(model, local_files_only=True))
    except hub.errors.HFValidationError:
        raise RequestError(
            f"{reader}(model={model}): this is neither a folder here nor a name on the hub (owner/name)."
        ) from None
    except hub.errors.LocalEntryNotFoundError:
        return None
    return folder if has_weights(folder) else None


def repositories() -> list[str]:
    """The names of all models in the hub's cache, whole or in part."""
    hub = library("huggingface_hub", "the list of models")
    root = Path(hub.constants.HF_HUB_CACHE)
    if not root.is_dir():
        return []
    names = [p.name.removeprefix("models--") for p in root.iterdir() if p.name.startswith("models--")]
    return sorted(name.replace("--", "/") for name in names)


def has_weights(folder: Path) -> bool:
    """Whether a folder has a configuration and weights that transformers reads."""
    return (folder / "config.json").exists() and any(True for p in WEIGHTS for _ in folder.rglob(p))


def download(model: str, reader: str) -> Path:
    """Fetch a model into the hub's cache, one format of its weights only; return its folder."""
    hub = library("huggingface_hub", reader)
    try:
        info = hub.HfApi().model_info(model)
        names = [file.rfilename for file in info.siblings or ()]
        return Path(hub.snapshot_download(model, revision="main", allow_patterns=wanted_files(names)))
    except hub.errors.HFValidationError:
        raise RequestError(f"'{model}' is no name on the hub. Write owner/name.") from None
    except hub.errors.GatedRepoError:
        raise BackendError(
            f"The model '{model}' is gated: accept its terms on the hub, log in with 'hf auth login', "
            f"then run: fairbrief prefetch {model}"
        ) from None
    except hub.errors.RepositoryNotFoundError:
        raise BackendError(
            f"The hub has no model '{model}'. Check the name, or give a local folder."
        ) from None
    except (hub.errors.HfHubHTTPError, hub.errors.OfflineModeIsEnabled, OSError, *_network_errors()) as error:
        why = (
            "the hub is switched off (HF_HUB_OFFLINE)"
            if _is_offline(hub)
            else f"the hub did not answer ({first_line(error)})"
        )
        raise BackendError(
            f"The model '{model}' is not on this machine, and {why}. Where there is a network, run "
            f"'fairbrief prefetch {model}' and bring the cache folder along, or give a local folder: model=FOLDER."
        ) from error


def wanted_files(names: list[str]) -> list[str]:
    """The files of a repository that are read: no second copy of the weights in another format.

    >>> wanted_files(["config.json", "model.safetensors", "pytorch_model.bin", "onnx/model.onnx", "vocab.txt"])
    ['config.json', 'model.safetensors', 'vocab.txt']
    """
    safe = any(name.endswith(".safetensors") for name in names)
    foreign = ("onnx/", "openvino/", "coreml/", "runs/")
    found = [n for n in names if n.endswith(DECIDING) and not n.startswith(foreign)]
    return [
        n for n in found if not (n.endswith(".bin") and (safe or not Path(n).match("pytorch_model*.bin")))
    ]


def _is_offline(hub: Any) -> bool:
    return bool(hub.constants.HF_HUB_OFFLINE)


def _network_errors() -> tuple[type[BaseException], ...]:
    """What the hub's client raises without a network depends on its version: httpx's errors, or requests' (OSErrors)."""
    found = []
    for module in ("httpx", "httpx2"):
        try:
            found.append(library(module, "the hub").TransportError)
        except Exception:  # noqa: BLE001, S112 - a client that is not installed raises nothing
            continue
    return tuple(found)


def _folder_digest(folder: Path) -> str:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in DECIDING)
    stats = [(str(p), p.stat()) for p in files]
    return _digest(tuple((p, stat.st_size, stat.st_mtime_ns) for p, stat in stats), str(folder))


@lru_cache(maxsize=32)
def _digest(files: tuple[tuple[str, int, int], ...], folder: str) -> str:
    """A hash of the files' relative names and bytes: the same model in another place has the same."""
    digest = hashlib.blake2b(digest_size=6)
    for name, size, _ in files:
        digest.update(f"{Path(name).relative_to(folder).as_posix()}\0{size}\0".encode())
        with Path(name).open("rb") as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    return digest.hexdigest()


@contextmanager
def explained(folder: Path, reader: str) -> Iterator[None]:
    """What the libraries raise on a folder that is no usable model, as a BackendError that names it."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise BackendError(
            f"{reader}: the model in {folder} cannot be loaded: {first_line(error, 300)}. Fetch it again with "
            "'fairbrief prefetch MODEL', or give a folder that transformers can load."
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No load reports and no bars: a head that is not needed is not news, and a missing one is an error."""
    logger = logging.getLogger("transformers")
    level = logger.level
    hub = library("huggingface_hub", "a model").utils
    had_bars = not hub.are_progress_bars_disabled()
    verbosity = library("transformers", "a model").utils.logging
    bars = verbosity.is_progress_bar_enabled()
    hub.disable_progress_bars()
    verbosity.disable_progress_bar()
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        if had_bars:
            hub.enable_progress_bars()
        if bars:
            verbosity.enable_progress_bar()
