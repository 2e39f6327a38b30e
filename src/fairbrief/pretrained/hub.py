"""Models on disk: a local folder, or a snapshot in the hub's cache, with the revision that a signature names; and what surrounds their loading."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import BackendError, RequestError, first_line
from fairbrief.pretrained.placement import library
from fairbrief.text.counted import counted

WEIGHTS = "*.safetensors"
PICKLES = "*.bin", "*.pt", "*.pth", "*.ckpt"
DECIDING = (".json", ".safetensors", ".txt", ".model", ".jinja")
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
        _refuse_pickles(model, [path.name for path in folder.iterdir()], reader)
        return Snapshot(folder.resolve(), f"folder@{_folder_digest(folder.resolve())}")
    if model.startswith((".", "/", "~")):
        raise BackendError(f"{reader}(model={model}): there is no such folder.")
    found = cached(model, reader) or download(model, reader)
    return Snapshot(found, f"{model}@{found.name[:12]}")


def tokenizer_of(model: str, reader: str) -> Path:
    """The folder of a model's configuration and tokenizer, of a hub name or a local folder; its weights are not fetched."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    found = cached(model, reader, weights=False)
    return found or download(model, reader, weights=False)


def cached(model: str, reader: str, *, weights: bool = True) -> Path | None:
    """The folder of a model in the hub's cache, complete with ``weights`` unless they are not needed; else None. No network."""
    hub = library("huggingface_hub", reader)
    try:
        folder = Path(hub.snapshot_download(model, local_files_only=True))
    except hub.errors.HFValidationError:
        raise RequestError(
            f"{reader}(model={model}): this is neither a folder here nor a name on the hub (owner/name)."
        ) from None
    except hub.errors.LocalEntryNotFoundError:
        return None
    return folder if has_weights(folder) or (not weights and (folder / "config.json").exists()) else None


def repositories() -> list[str]:
    """The names of all models in the hub's cache, whole or in part."""
    root = Path(library("huggingface_hub.constants", "the list of models").HF_HUB_CACHE)
    if not root.is_dir():
        return []
    names = [p.name.removeprefix("models--") for p in root.iterdir() if p.name.startswith("models--")]
    return sorted(name.replace("--", "/") for name in names)


def has_weights(folder: Path) -> bool:
    """Whether a folder has a configuration and weights that transformers reads."""
    return (folder / "config.json").exists() and any(True for _ in folder.rglob(WEIGHTS))


def foundation_of(folder: Path) -> str | None:
    """The model whose configuration and tokenizer a model of HHEM's kind takes; None for any other model."""
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if not str(config.get("model_type", "")).startswith("HHEM"):
        return None
    return str(config.get("foundation", "google/flan-t5-base"))


def _refuse_pickles(model: str, names: Iterable[str], reader: str) -> None:
    """BackendError where a model's only weights are pickles, which can run code when they are opened."""
    known = list(names)
    pickles = sorted(name for name in known if any(Path(name).match(p) for p in PICKLES))
    if pickles and not any(Path(name).match(WEIGHTS) for name in known):
        raise BackendError(
            f"{reader}: the weights of '{model}' are a pickle ({pickles[0]}), which can run code when it is opened; only "
            "safetensors are read. Choose another model, or, where you trust this one, convert it: load it with "
            "transformers, call save_pretrained(FOLDER) on the model and on its tokenizer, and give model=FOLDER."
        )


def download(
    model: str, reader: str, *, weights: bool = True, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Fetch a model into the hub's cache and return its folder; without ``weights``, its configuration and tokenizer alone.

    ``say`` is told what will be fetched, and how large it is, before it is.
    """
    hub = library("huggingface_hub", reader)
    try:
        info = hub.HfApi().model_info(model, files_metadata=True)
        sizes = {file.rfilename: getattr(file, "size", None) or 0 for file in info.siblings or ()}
        _refuse_pickles(model, sizes, reader)
        wanted = [n for n in wanted_files(list(sizes)) if weights or not n.endswith(".safetensors")]
        say(f"{counted(len(wanted), 'file')}, {sum(sizes[name] for name in wanted) / 1e6:,.0f} MB")
        return Path(hub.snapshot_download(model, revision="main", allow_patterns=wanted))
    except hub.errors.HFValidationError:
        raise RequestError(f"'{model}' is not a name on the hub. Write owner/name.") from None
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
    foreign = ("onnx/", "openvino/", "coreml/", "runs/")
    return [name for name in names if name.endswith(DECIDING) and not name.startswith(foreign)]


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
