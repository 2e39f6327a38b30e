"""Matrix products of resident models, on the library that is fast on this processor."""

from __future__ import annotations

import os
import platform
import sys
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from fairbrief.errors import RequestError
from fairbrief.pretrained.placement import DTYPES, library, worker

PROCESSOR = Path("/proc/cpuinfo")
SWITCH = "FAIRBRIEF_ONEDNN"
"""Environment variable: ``off`` leaves all products to torch, ``on`` takes oneDNN on every processor, ``auto`` where it pays."""
TIMED = 256, 768, 3
"""Of the product that is timed: word pieces, width of the layer (roberta-base's), how often (the least time counts)."""


def speed_up(model: Any, device: str, dtype: str) -> Any:
    """The model, its linear layers on oneDNN where that pays; elsewhere as it was given.

    Results differ in rounding alone. Layer by layer the weights are laid out for oneDNN and those that torch
    read are let go, so no weight is held twice but one that an embedding shares. (While other weights of
    the model are used, torch keeps their file mapped: pages that the system takes back when it needs them.)
    """
    if dtype == "fp32" and product_library(device) == "oneDNN":
        _replace(model, WeakKeyDictionary())
    return model


def product_library(device: str) -> str:
    """What single-precision products of a resident model run on: ``oneDNN``, or ``torch`` as it comes."""
    wanted = os.environ.get(SWITCH, "auto")
    if wanted not in ("auto", "on", "off"):
        raise RequestError(f"{SWITCH}={wanted}: none of auto, on, off. Set it to one of them, or unset it.")
    if device != "cpu" or wanted == "off":
        return "torch"
    pays = wanted == "on" or onednn_pays(processor())
    return "oneDNN" if pays and _is_usable() else "torch"


def processor() -> str:
    """What the system says of the processor, its maker among it."""
    if PROCESSOR.is_file():
        return PROCESSOR.read_text(encoding="utf-8", errors="replace")
    return platform.processor()


def onednn_pays(processor: str) -> bool:
    """Whether torch multiplies with a library that leaves half of this processor idle.

    MKL, which most builds of torch come with, chooses its code by the processor's maker, and gives
    AMD's no AVX-512: half the rate, where the processor has it. oneDNN, which is built into torch too,
    asks what the processor can do. Decided by what is there and never by a measurement, so that two runs
    on a machine cannot differ. `SWITCH`, or ``torch.backends.mkldnn.enabled = False``, keeps oneDNN out. On Intel's
    processors both libraries take the same time (measured on a Xeon with AMX: 0.92 to 1.03 of torch's speed).
    """
    backends = library("torch", "a model").backends
    return (
        "AuthenticAMD" in processor
        and backends.cpu.get_cpu_capability() == "AVX512"
        and backends.mkl.is_available()
        and backends.mkldnn.is_available()
        and getattr(backends.mkldnn, "enabled", True)  # older torch has no such switch
    )


@cache
def speed_in(dtype: str) -> float:
    """How many times as fast as in fp32 the CPU multiplies in another precision: measured once, in a tenth of a second.

    That a processor has instructions for bf16 does not say that products in it are faster. Only what is said depends on
    this, never a setting or a score.
    """
    return _seconds("fp32") / _seconds(dtype)


@cache
def note_if_slower(device: str, dtype: str) -> None:
    """Say once on standard error where the precision that is asked for slows the CPU down; of several workers one says it."""
    if device == "cpu" and dtype != "fp32" and worker()[0] == 0 and speed_in(dtype) < 1:
        sys.stderr.write(
            f"fairbrief: on this processor products in {dtype} take {1 / speed_in(dtype):.1f} times as long as in fp32: "
            "drop the setting dtype, unless memory is short.\n"
        )


def _seconds(dtype: str) -> float:
    """Processor time of one product of a layer's size, with the library that a resident model's run on."""
    torch = library("torch", "a model")
    pieces, width, times = TIMED
    like = getattr(torch, DTYPES[dtype])
    with torch.inference_mode():
        # skip_init draws no random number
        layer = torch.nn.utils.skip_init(torch.nn.Linear, width, width, dtype=like)
        torch.nn.init.ones_(layer.weight)
        torch.nn.init.ones_(layer.bias)
        layer = speed_up(torch.nn.Sequential(layer), "cpu", dtype)
        given = torch.ones(pieces, width, dtype=like)
        taken = []
        for _ in range(times):
            began = time.process_time()
            layer(given)
            taken.append(time.process_time() - began)
    return max(min(taken), 1e-9)


@lru_cache(maxsize=1)
def _is_usable() -> bool:
    """Whether this torch's operators are there and answer as they are taken to: they are not public ones."""
    torch = library("torch", "a model")
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 3, 5, dtype=torch.float32)  # draws no random number
    try:
        from fairbrief.pretrained.onednn import OneDnnLinear

        with torch.no_grad():
            layer.weight.copy_(torch.linspace(-2, 1, 15).reshape(5, 3))
            layer.bias.copy_(torch.arange(5))
            given = torch.linspace(-1, 1, 12).reshape(2, 2, 3)
            return bool(torch.allclose(OneDnnLinear(layer)(given), layer(given), atol=1e-5))
    except (AttributeError, RuntimeError, TypeError):
        return False


def _replace(module: Any, doubles: WeakKeyDictionary[Any, Any]) -> None:
    """Each plain linear layer within by its double; a layer that stands in several places stays one."""
    from fairbrief.pretrained.onednn import OneDnnLinear

    for place, child in list(module._modules.items()):  # named_children() passes over a second place
        if _is_plain(child):
            if child not in doubles:
                doubles[child] = OneDnnLinear(child)
            setattr(module, place, doubles[child])
        elif child is not None:
            _replace(child, doubles)


def _is_plain(module: Any) -> bool:
    """Whether a module is a linear layer and nothing more: no subclass, no hook, no weight made of others."""
    torch = library("torch", "a model")
    return (
        type(module) is torch.nn.Linear
        and "weight" in module._parameters
        and module.weight.dtype == torch.float32
        and not module._forward_hooks
        and not module._forward_pre_hooks
    )
