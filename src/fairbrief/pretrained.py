"""Local models: where their weights are, with the revision that a signature names; their device, precision and batch size; and what surrounds their loading."""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import multiprocessing
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import BackendError, RequestError, first_line, optional_library
from fairbrief.text.counted import counted

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}

# Word pieces of one batch, padding included. On a CPU larger batches do not fit its caches; on an accelerator this
# size suits a model of roberta-large's size, and batches that do not fit are halved.
CPU_TOKENS = 2048
ACCELERATOR_TOKENS = 65536
WORKER = "fairbrief worker"


@dataclass(frozen=True, slots=True)
class Placement:
    """A device (``cpu``, ``cuda:1``), a dtype class (``fp32``, ``bf16``, ``fp16``), word pieces per batch."""

    device: str
    dtype: str
    batch_tokens: int = field(compare=False)


def place(device: str, dtype: str, batch_tokens: int | str, name: str) -> Placement:
    """The device, dtype and batch size to use; ``auto`` gives the best available one, half precision only on CUDA."""
    device = device_of(device, name)
    is_cuda = device.startswith("cuda")
    if dtype == "auto":
        half = "bf16" if is_cuda and library("torch", name).cuda.is_bf16_supported() else "fp16"
        dtype = half if is_cuda else "fp32"
    if batch_tokens == "auto":
        batch_tokens = ACCELERATOR_TOKENS if is_cuda else CPU_TOKENS
    return Placement(device, dtype, int(batch_tokens))


def worker_name(number: int, workers: int) -> str:
    """The name of one of several processes, from which it derives its share of the machine."""
    return f"{WORKER} {number} of {workers}"


def worker() -> tuple[int, int]:
    """The index of this worker process and the number of workers; (0, 1) outside worker processes."""
    found = re.fullmatch(rf"{WORKER} (\d+) of (\d+)", multiprocessing.current_process().name)
    return (int(found[1]), int(found[2])) if found else (0, 1)


@cache
def _share_cores() -> None:
    """Divide the cores of a machine among its workers; otherwise each would use all of them."""
    _, workers = worker()
    if workers > 1:
        torch = importlib.import_module("torch")
        torch.set_num_threads(max(1, torch.get_num_threads() // workers))


def library(module: str, name: str) -> Any:
    """A heavy library, imported on first use."""
    found = optional_library(module, "neural", name)
    if module == "torch":
        _share_cores()
    return found


def device_of(given: str, name: str) -> str:
    """The requested device; RequestError or BackendError for one that does not exist."""
    torch = library("torch", name)
    if given == "auto":
        if torch.cuda.is_available():
            number, workers = worker()
            return "cuda" if workers == 1 else f"cuda:{number % torch.cuda.device_count()}"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(given)
    except RuntimeError:
        raise RequestError(
            f"{name}(device={given}): no such device. Write cpu, cuda, cuda:1, mps or auto."
        ) from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        found = torch.cuda.device_count()
        raise BackendError(f"{name}(device={given}): torch sees {found} CUDA devices. Use auto or cpu.")
    return given


# ------------------------------------------------------------------------------------------ weights


WEIGHTS = "*.safetensors"
PICKLES = "*.bin", "*.pt", "*.pth", "*.ckpt"
DECIDING = (".json", ".safetensors", ".txt", ".model", ".jinja")
"""Suffixes of the files that decide a model's numbers: weights, configurations, vocabularies."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A model's folder; ``identity`` names the model and its revision, wherever the folder is."""

    folder: Path
    identity: str


def find(model: str, reader: str) -> Snapshot:
    """The snapshot of a hub name or a local folder; downloads it if it is absent and the hub is reachable.

    Raises BackendError with the model and the command that fetches it if neither is possible.
    """
    folder = folder_of(model, reader)
    if Path(model).expanduser() != folder:
        return Snapshot(folder, f"{model}@{folder.name[:12]}")
    _refuse_pickles(model, [path.name for path in folder.iterdir()], reader)
    return Snapshot(folder.resolve(), f"folder@{_folder_digest(folder.resolve())}")


def folder_of(model: str, reader: str, *, weights: bool = True) -> Path:
    """The folder of a hub name, which is fetched if need be, or the local folder; without ``weights`` if they are not needed."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if model.startswith((".", "/", "~")):
        raise BackendError(f"{reader}(model={model}): there is no such folder.")
    return cached(model, reader, weights=weights) or download(model, reader, weights=weights)


def cached(model: str, reader: str, *, weights: bool = True) -> Path | None:
    """The folder of a model in the hub's cache, complete with ``weights`` unless they are not needed; else None. No
    network access.
    """
    hub = library("huggingface_hub", reader)
    try:
        folder = Path(hub.snapshot_download(model, local_files_only=True))
    except hub.errors.HFValidationError:
        raise RequestError(
            f"{reader}(model={model}): this is neither a local folder nor a name on the hub (owner/name)."
        ) from None
    except hub.errors.LocalEntryNotFoundError:
        return None
    is_whole = (folder / "config.json").exists() and (not weights or any(folder.rglob(WEIGHTS)))
    return folder if is_whole else None


def foundation_of(folder: Path) -> str | None:
    """The foundation model that provides configuration and tokenizer of an HHEM model; None for any other model."""
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
            "safetensors are read. Choose another model, or, if you trust this one, convert it: load it with "
            "transformers, call save_pretrained(FOLDER) on the model and on its tokenizer, and give model=FOLDER."
        )


def download(
    model: str, reader: str, *, weights: bool = True, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Fetch a model into the hub's cache and return its folder; without ``weights``, only its configuration and tokenizer.

    ``say`` is called with the number of files and their size before the download.
    """
    hub = library("huggingface_hub", reader)
    service = hub.HfApi()
    # Besides OSError: the errors of the hub's client, that is, of the httpx that the line above has imported.
    clients = tuple(sys.modules[name].TransportError for name in ("httpx", "httpx2") if name in sys.modules)
    try:
        info = service.model_info(model, files_metadata=True)
        sizes = {file.rfilename: getattr(file, "size", None) or 0 for file in info.siblings or ()}
        _refuse_pickles(model, sizes, reader)
        wanted = [n for n in wanted_files(list(sizes)) if weights or not n.endswith(".safetensors")]
        say(f"{counted(len(wanted), 'file')}, {sum(sizes[name] for name in wanted) / 1e6:,.0f} MB")
        return Path(hub.snapshot_download(model, revision="main", allow_patterns=wanted))
    except hub.errors.GatedRepoError:
        raise BackendError(
            f"The model '{model}' is gated: accept its terms on the hub, log in with 'hf auth login', "
            f"then run: fairbrief prefetch {model}"
        ) from None
    except hub.errors.RepositoryNotFoundError:
        raise BackendError(
            f"The hub has no model '{model}'. Check the name, or give a local folder."
        ) from None
    except (hub.errors.HfHubHTTPError, hub.errors.OfflineModeIsEnabled, OSError, *clients) as error:
        why = f"the hub did not answer ({first_line(error)})"
        if hub.constants.HF_HUB_OFFLINE:
            why = "the hub is switched off (HF_HUB_OFFLINE)"
        raise BackendError(
            f"The model '{model}' is not on this machine, and {why}. On a machine with network access, run "
            f"'fairbrief prefetch {model}' and copy the cache folder, or give a local folder: model=FOLDER."
        ) from error


def wanted_files(names: list[str]) -> list[str]:
    """The files of a repository that are needed, without second copies of the weights in other formats.

    >>> wanted_files(["config.json", "model.safetensors", "pytorch_model.bin", "onnx/model.onnx", "vocab.txt"])
    ['config.json', 'model.safetensors', 'vocab.txt']
    """
    foreign = ("onnx/", "openvino/", "coreml/", "runs/")
    return [name for name in names if name.endswith(DECIDING) and not name.startswith(foreign)]


def _folder_digest(folder: Path) -> str:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in DECIDING)
    stats = [(str(p), p.stat()) for p in files]
    return _digest(tuple((p, stat.st_size, stat.st_mtime_ns) for p, stat in stats), str(folder))


@lru_cache(maxsize=32)
def _digest(files: tuple[tuple[str, int, int], ...], folder: str) -> str:
    """A hash of the files' relative names and bytes, independent of the folder."""
    digest = hashlib.blake2b(digest_size=6)
    for name, size, _ in files:
        digest.update(f"{Path(name).relative_to(folder).as_posix()}\0{size}\0".encode())
        with Path(name).open("rb") as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    return digest.hexdigest()


@contextmanager
def loading(folder: Path, reader: str) -> Iterator[None]:
    """Suppress load reports and progress bars: an unused head does not matter, and a missing one is an error.

    Exceptions about an unusable model become a BackendError that names the folder.
    """
    logger = logging.getLogger("transformers")
    verbosity = library("transformers", "a model").utils.logging
    with ExitStack() as undo:
        undo.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.ERROR)
        if verbosity.is_progress_bar_enabled():  # both functions also switch the bars of huggingface_hub
            undo.callback(verbosity.enable_progress_bar)
            verbosity.disable_progress_bar()
        try:
            yield
        except (OSError, ValueError, KeyError) as error:
            raise BackendError(
                f"{reader}: the model in {folder} cannot be loaded: {first_line(error, 300)}. Fetch it again with "
                "'fairbrief prefetch MODEL', or give a folder that transformers can load."
            ) from error
