"""What the commands and their workers set of their process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from fairbrief.engines.processes import Processes

MEMORY = """
import sys
from pathlib import Path
import numpy as np
from fairbrief import process_settings

def held():
    told = Path("/proc/self/status").read_text()
    return int(told.split("VmRSS:")[1].split()[0]) / 1024

if "settled" in sys.argv:
    process_settings.settle()
for megabytes in (8, 16, 31):
    np.ones(megabytes << 17)  # glibc keeps what is as large as an array that was let go
before, arrays, between = held(), [], []
for _ in range(20):
    arrays.append(np.ones(8 << 17))
    between.append(bytearray(1 << 20))
arrays.clear()
print(held() - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries give memory back by rules of their own"
)
def test_memory_of_large_arrays_goes_back_to_the_system() -> None:
    """Of 180 MB, 20 of which are in use, little more than these is held after the settings, and nearly all without."""
    kept, settled = (
        float(
            subprocess.run(
                [sys.executable, "-c", MEMORY, how], capture_output=True, text=True, check=True
            ).stdout
        )
        for how in ("", "settled")
    )
    assert settled < 40
    assert kept > 100


def collected_after(_: int) -> int:
    """In a worker: how many new objects there may be before cycles are looked for."""
    import gc

    return gc.get_threshold()[0]


def test_workers_look_for_unreachable_objects_as_seldom_as_commands() -> None:
    """A worker sets of its process what a command does."""
    assert [made for _, made in Processes(2).map(collected_after, range(3))] == [100_000] * 3


ARROW = """
from fairbrief import process_settings
process_settings.settle()
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Arrow keeps its own allocator")
@pytest.mark.parametrize(
    ("asked", "taken"), [({}, "system"), ({"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}, "mimalloc")]
)
def test_tables_share_what_memory_is_let_go(asked: dict[str, str], taken: str) -> None:
    """Arrow takes its memory where all else does, but for whoever asks for an allocator."""
    told = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    found = subprocess.run(
        [sys.executable, "-c", ARROW], capture_output=True, text=True, check=True, env={**told, **asked}
    )
    assert found.stdout.strip() == taken
