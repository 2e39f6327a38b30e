"""What is said where half precision is slower on a processor than single precision."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.neural.tiny_models import TEXTS

from fairbrief.pretrained import placement
from fairbrief.scorers import models
from fairbrief.scorers.entailment import Entailment
from fairbrief.types import Ask

torch = pytest.importorskip("torch")


@pytest.fixture
def taking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Sets how long a product in half precision takes, where one in fp32 takes a second."""

    def forget() -> None:
        placement.speed_in.cache_clear()
        placement.note_if_slower.cache_clear()

    def choose(seconds: float) -> None:
        forget()
        monkeypatch.setattr(placement, "_seconds", {"fp32": 1.0, "bf16": seconds, "fp16": seconds}.get)

    yield choose
    forget()


@pytest.mark.parametrize(
    ("seconds", "device", "dtype", "process", "says"),
    [
        (4.0, "cpu", "bf16", "MainProcess", "products in bf16 take 4.0 times as long as in fp32"),
        (9.5, "cpu", "fp16", "fairbrief worker 0 of 2", "products in fp16 take 9.5 times as long as in fp32"),
        (4.0, "cpu", "bf16", "fairbrief worker 1 of 2", ""),
        (4.0, "cpu", "fp32", "MainProcess", ""),
        (4.0, "cuda", "bf16", "MainProcess", ""),
        (0.5, "cpu", "bf16", "MainProcess", ""),
    ],
)
def test_a_precision_that_slows_the_processor_down_is_told_once(
    seconds: float,
    device: str,
    dtype: str,
    process: str,
    says: str,
    taking: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One note where half precision is asked for on a CPU that is slower in it; none where it is not, and none of a second worker."""
    taking(seconds)
    monkeypatch.setattr(multiprocessing, "current_process", lambda: SimpleNamespace(name=process))
    placement.note_if_slower(device, dtype)
    placement.note_if_slower(device, dtype)
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == bool(says)


def test_loading_a_model_in_a_slower_precision_is_told(
    taking: Callable[[float], None], classifier_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks a scorer for bf16 reads the note, and gets bf16."""
    taking(3.0)
    models._load.cache_clear()
    scorer = Entailment(model=str(classifier_folder), device="cpu", dtype="bf16")
    list(scorer.answer([Ask("", TEXTS[:1], TEXTS[1:2])]))
    assert "bf16 take 3.0 times as long" in capsys.readouterr().err
    assert scorer.computed_by.endswith("bf16 windows=fold")


def test_a_product_is_timed_without_a_random_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of three times counts, and what a caller draws from torch stays the same."""
    before = torch.get_rng_state()
    ticks = iter([0.0, 5.0, 5.0, 7.0, 7.0, 10.0])
    monkeypatch.setattr(placement.time, "process_time", lambda: next(ticks))
    assert placement._seconds("bf16") == 2.0
    assert torch.equal(torch.get_rng_state(), before)
