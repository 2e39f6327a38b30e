"""What the commands and their workers set of their process."""

import os
import subprocess
import sys

import pytest

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
    env, command = {**known, **dict(zip(names, asked, strict=False))}, [sys.executable, "-c", SETTINGS]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert found.stdout.strip() == taken
