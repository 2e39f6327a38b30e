"""What the commands and their workers set of their process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

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
