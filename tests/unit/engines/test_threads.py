"""Several things at once in this process."""

from __future__ import annotations

import threading

import pytest

from fairbrief.engines.threads import meanwhile, of_each
from fairbrief.text import languages

WAIT = 20
"""Seconds after which a test that waits for another thread fails."""


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_answers_come_in_the_order_of_the_items(threads: int) -> None:
    """Whoever is done first."""
    assert of_each(lambda i: i * i, iter(range(20)), threads) == [i * i for i in range(20)]
    assert of_each(str, [], threads) == []


def test_items_are_worked_on_at_once() -> None:
    """Each waits until the other has begun."""
    both = threading.Barrier(2)
    of_each(lambda _: both.wait(WAIT), range(2), 2)
    meanwhile(lambda: both.wait(WAIT), lambda: both.wait(WAIT), 2)


def test_one_thread_does_all_itself() -> None:
    """In this thread, what stands beside before the work."""
    done: list[tuple[str, int]] = []
    meanwhile(
        lambda: done.append(("beside", threading.get_ident())),
        lambda: done.append(("work", threading.get_ident())),
        1,
    )
    of_each(lambda i: done.append((i, threading.get_ident())), "ab", 1)
    assert done == [(name, threading.get_ident()) for name in ("beside", "work", "a", "b")]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_item_that_fails_is_raised(threads: int) -> None:
    """Whichever failed first."""

    def fail(i: int) -> int:
        if i > 1:
            raise ValueError(i)
        return i

    with pytest.raises(ValueError, match=r"^2$"):
        of_each(fail, range(5), threads)
    with pytest.raises(ValueError, match=r"^7$"):
        meanwhile(lambda: None, lambda: fail(7), threads)
    with pytest.raises(ValueError, match=r"^8$"):
        meanwhile(lambda: fail(8), lambda: 1, threads)


def test_threads_read_texts_in_the_language_that_was_told() -> None:
    """What is set for whoever asks holds in the threads that do the work."""
    with languages.using("de"):
        assert of_each(lambda _: languages.given(), range(3), 2) == ["de"] * 3
        assert meanwhile(lambda: None, languages.given, 2) == "de"
