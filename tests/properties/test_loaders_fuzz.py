"""Damaged files end with one of our errors, in little memory; `make fuzz` tries a million and times them."""

from __future__ import annotations

import os
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest
from benchmarks.fuzz.loaders import fuzz
from benchmarks.fuzz.targets import COREFUD
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.engines.score_cache import Store
from fairbrief.errors import BackendError, DataError
from fairbrief.readers.corefud import read_corefud


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_are_refused_or_read(seed: int) -> None:
    """Every reader and loader, each with files damaged in several ways: no other error, none large."""
    report = fuzz(98, inf, seed, slow=inf)
    assert report.faults == []
    assert len(report.inputs) >= 48


def test_a_word_without_a_number_is_refused(tmp_path: Path) -> None:
    """CorefUD whose word is numbered 0, or as one before it, is a data error."""
    for number in (b"0", b"1"):
        (tmp_path / "x.conllu").write_bytes(COREFUD.replace(b"4\t.\t", number + b"\t.\t"))
        with pytest.raises(DataError, match="expected consecutive numbers"):
            list(read_corefud(tmp_path / "x.conllu"))


def test_a_cache_whose_own_words_are_damaged_is_refused(tmp_path: Path) -> None:
    """Where SQLite cannot even name what is wrong in UTF-8, the error names the file all the same."""
    store = Store(tmp_path / "cache")
    with pytest.raises(BackendError, match="cache cannot be used"), store._naming_the_file():
        raise UnicodeDecodeError("utf-8", b"\xb8", 0, 1, "invalid start byte")


def test_inputs_that_reach_new_lines_are_refused_or_read(tmp_path: Path) -> None:
    """Some hundred inputs that atheris finds by the lines they reach: no error but ours."""
    pytest.importorskip("atheris", reason="atheris has wheels for Linux on x86-64 alone")
    command = [sys.executable, "-m", "benchmarks.fuzz.guided", "--runs", "200", "--seconds", "60"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "stat::number_of_executed_units" in done.stderr
