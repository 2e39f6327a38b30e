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
    process_settings.configure()
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


SETTINGS = """
import os
from fairbrief import process_settings
process_settings.configure()
import pyarrow
print(pyarrow.default_memory_pool().backend_name, os.environ["OPENBLAS_THREAD_TIMEOUT"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Arrow keeps its own allocator")
@pytest.mark.parametrize(("asked", "taken"), [((), "system 20"), (("mimalloc", "26"), "mimalloc 26")])
def test_libraries_share_memory_and_sleep_unless_asked_otherwise(asked: tuple[str, ...], taken: str) -> None:
    """Arrow uses the system's allocator, and idle threads of numpy soon sleep; environment variables go first."""
    names = ("ARROW_DEFAULT_MEMORY_POOL", "OPENBLAS_THREAD_TIMEOUT")
    known = {name: value for name, value in os.environ.items() if name not in names}
    found = subprocess.run(
        [sys.executable, "-c", SETTINGS], capture_output=True, text=True, check=True,
        env={**known, **dict(zip(names, asked, strict=False))},
    )  # fmt: skip
    assert found.stdout.strip() == taken


ENDING = """
import gc
from fairbrief import process_settings
process_settings.configure()
kept = [[] for _ in range(10_000)]
gc.callbacks.append(lambda phase, told: print(len(gc.get_objects())))
"""


def test_no_cycles_are_looked_for_when_a_command_ends() -> None:
    """What is left goes with the process: of 10,000 objects and all modules nothing is searched once more."""
    found = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True)
    assert all(int(searched) < 1000 for searched in found.stdout.split())


LOADED = """
import gc
from fairbrief import process_settings
process_settings.configure()
kept = [[] for _ in range(10_000)]
process_settings.freeze_loaded()
gc.callbacks.append(lambda phase, told: print(len(gc.get_objects())))
kept = [[] for _ in range(200_000)]
"""


def test_cycles_are_not_looked_for_in_what_a_command_loaded() -> None:
    """What was there when all was loaded is not among the objects that are searched while the command works."""
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert found.stdout.split()
    assert 100_000 <= int(found.stdout.split()[0]) < 105_000
