"""Settings of the process for commands and their workers; not changed by importing fairbrief."""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import os
import sys
from contextlib import suppress

NEW_OBJECTS = 100_000
"""New objects per garbage collection; the default of 700 takes a twentieth of an audit."""
MMAP_THRESHOLD, TRIM_THRESHOLD = (-3, 4 << 20), (-1, 64 << 20)
"""Parameters and bytes of `mallopt`."""
ARROW_ALLOCATOR = "ARROW_DEFAULT_MEMORY_POOL"
"""Environment variable that Arrow reads on import."""
IDLE_THREADS, CYCLES = "OPENBLAS_THREAD_TIMEOUT", "20"
"""Environment variable that numpy reads on import: idle threads spin for 2 to this power cycles."""


def configure() -> None:
    """Collect garbage seldom, not at exit, and return memory of large arrays at once.

    Otherwise glibc keeps a tenth more memory in an audit of 100,000 records, and Arrow's allocator 60 MiB in one of
    20,000. Garbage collection at exit takes 0.15 s of processor time. Idle threads of numpy spin for a third of a
    millisecond, the time between two products, not for 20 ms, which every start would take on every core.
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


def configure_streams() -> None:
    """Print ? for characters that the terminal cannot show, and discard the output of closed streams."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the caller has closed it
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")
