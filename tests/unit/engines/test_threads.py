"""Two things at once in this process."""

from __future__ import annotations

import threading

import pytest

from fairbrief.engines.threads import meanwhile
from fairbrief.text import languages

WAIT = 20
"""Seconds after which a test that waits for another thread fails."""


def test_both_are_done_at_once() -> None:
    """Each waits until the other has begun."""
    both = threading.Barrier(2)
    assert meanwhile(lambda: both.wait(WAIT), lambda: both.wait(WAIT), 2) in (0, 1)


def test_one_thread_does_both_itself() -> None:
    """What stands beside before the work."""
    done: list[tuple[str, int]] = []

    def do(name: str) -> str:
        done.append((name, threading.get_ident()))
        return name

    assert meanwhile(lambda: do("beside"), lambda: do("work"), 1) == "work"
    assert done == [("beside", threading.get_ident()), ("work", threading.get_ident())]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_is_raised(threads: int) -> None:
    """When both are done."""

    def fail(i: int) -> int:
        raise ValueError(i)

    with pytest.raises(ValueError, match=r"^7$"):
        meanwhile(lambda: None, lambda: fail(7), threads)
    with pytest.raises(ValueError, match=r"^8$"):
        meanwhile(lambda: fail(8), lambda: 1, threads)


def test_the_other_thread_knows_the_language_that_was_told() -> None:
    """What is set for whoever asks holds there, too."""
    told: list[str] = []
    with languages.using("de"):
        assert meanwhile(lambda: told.append(languages.given()), languages.given, 2) == "de"
    assert told == ["de"]
