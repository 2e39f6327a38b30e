"""What the commands and their workers set of the process that they run in. Whoever imports fairbrief keeps their own."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

NEW_OBJECTS = 20_000
"""Looking for unreachable cycles after every 700 new objects takes a twentieth of an audit."""
MMAP_THRESHOLD, TRIM_THRESHOLD = (-3, 4 << 20), (-1, 64 << 20)
"""Of `mallopt`: parameter and bytes."""


def settle() -> None:
    """Look for cycles seldom, and give memory of large arrays back to the system as soon as they are let go.

    Else glibc keeps much of it: an audit of 100,000 records holds a tenth more.
    """
    gc.set_threshold(NEW_OBJECTS)
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other C libraries have no mallopt
            libc = ctypes.CDLL(None)
            for parameter, size in (MMAP_THRESHOLD, TRIM_THRESHOLD):
                libc.mallopt(parameter, size)
