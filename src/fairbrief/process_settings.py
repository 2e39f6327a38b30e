"""What the commands and their workers set of the process that they run in. Whoever imports fairbrief keeps their own."""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import os
import sys
from contextlib import suppress

NEW_OBJECTS = 100_000
"""Looking for unreachable cycles after every 700 new objects takes a twentieth of an audit."""
MMAP_THRESHOLD, TRIM_THRESHOLD = (-3, 4 << 20), (-1, 64 << 20)
"""Of `mallopt`: parameter and bytes."""
ARROW_ALLOCATOR = "ARROW_DEFAULT_MEMORY_POOL"
"""Environment variable, read when Arrow is loaded."""
IDLE_THREADS, CYCLES = "OPENBLAS_THREAD_TIMEOUT", "20"
"""Environment variable, read when numpy is loaded: for 2 to the power of so many cycles a thread waits for work awake."""


def settle() -> None:
    """Look for cycles seldom, never at the end, and give memory of large arrays back as soon as they are let go.

    Else glibc keeps much of it: an audit of 100,000 records holds a tenth more. So does Arrow, which would have an
    allocator of its own and share nothing that was let go with all others: 60 MiB in an audit of 20,000.

    At the end all goes at once, and to look for cycles in it takes 0.15 s of processor time. The threads that multiply
    matrices wait awake for a third of a millisecond, which lies between two products, and not for 20, which every
    start would take on every core.
    """
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)
    os.environ.setdefault(IDLE_THREADS, CYCLES)
    if sys.platform == "linux":
        os.environ.setdefault(ARROW_ALLOCATOR, "system")
        with suppress(OSError, AttributeError):  # other C libraries have no mallopt
            libc = ctypes.CDLL(None)
            for parameter, size in (MMAP_THRESHOLD, TRIM_THRESHOLD):
                libc.mallopt(parameter, size)


def settle_streams() -> None:
    """Let what cannot be shown be shown as ?, and what nobody takes go nowhere: neither is a fault of what is said."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the caller has closed it
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")


def keep_loaded() -> None:
    """Look for cycles no more in what there is now: the modules of a command, which stay."""
    gc.freeze()
