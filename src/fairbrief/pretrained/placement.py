"""The device, precision and batch size of a model."""

from __future__ import annotations

import importlib
import multiprocessing
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from fairbrief.errors import BackendError, MissingExtra, RequestError

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
WINDOWS = ("fold", "truncate")

# Word pieces of one batch, padding included. On a CPU larger batches do not fit its caches; on an accelerator this
# size suits a model of roberta-large's size, and batches that do not fit are halved.
CPU_TOKENS = 2048
ACCELERATOR_TOKENS = 65536
WORKER = "fairbrief worker"


class Settings(Protocol):
    """The settings that all scorers with a model share."""

    @property
    def model(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def batch_tokens(self) -> int | str: ...
    @property
    def windows(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Placement:
    """A device (``cpu``, ``cuda:1``), a dtype class (``fp32``, ``bf16``, ``fp16``), word pieces per batch."""

    device: str
    dtype: str
    batch_tokens: int


def check(settings: Settings, name: str) -> None:
    """Raise RequestError for a setting that is invalid on every machine."""
    if not settings.model.strip():
        raise RequestError(f"{name}(model=…) is empty. Give a hub model or a local folder.")
    choose(name, "dtype", settings.dtype, ("auto", *DTYPES))
    choose(name, "windows", settings.windows, WINDOWS)
    if settings.batch_tokens != "auto":
        tokens(settings.batch_tokens, name)


def choose(name: str, setting: str, given: str, known: tuple[str, ...]) -> None:
    """Raise RequestError unless the setting has one of the known values."""
    if given not in known:
        raise RequestError(f"{name}({setting}={given}): '{given}' is not one of {', '.join(known)}.")


def tokens(given: int | str, name: str) -> int:
    """The setting as a positive number."""
    try:
        number = int(given)
    except ValueError:
        number = 0
    if number < 1:
        raise RequestError(f"{name}(batch_tokens={given}): wanted a positive number of word pieces, or auto.")
    return number


def place(settings: Settings, name: str) -> Placement:
    """The device, dtype and batch size to use; ``auto`` gives the best available one."""
    device = device_of(settings.device, name)
    dtype = dtype_of(settings.dtype, device, name)
    given = settings.batch_tokens
    return Placement(device, dtype, automatic_tokens(device) if given == "auto" else tokens(given, name))


def automatic_tokens(device: str) -> int:
    """The number of word pieces per batch on a device without a setting."""
    return ACCELERATOR_TOKENS if device.startswith("cuda") else CPU_TOKENS


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
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingExtra(module, "neural", name) from None
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
        raise BackendError(
            f"{name}(device={given}): torch sees {found} CUDA devices here. Use device=auto or cpu."
        )
    return given


def dtype_of(given: str, device: str, name: str) -> str:
    """The requested dtype class; ``auto`` gives half precision only on CUDA."""
    if given != "auto":
        return given
    if not device.startswith("cuda"):
        return "fp32"
    return "bf16" if library("torch", name).cuda.is_bf16_supported() else "fp16"
