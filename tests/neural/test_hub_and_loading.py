"""Finding models: folders, the hub's cache, and clear words where there is none."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import COMMIT, TEXTS

from fairbrief import pretrained
from fairbrief.errors import BackendError, RequestError
from fairbrief.scorers.entailment import Entailment
from fairbrief.types import Ask


@pytest.mark.usefixtures("hub_cache")
def test_a_cached_model_works_offline(classifier_folder: Path) -> None:
    """A hub name whose snapshot is in the cache answers without a network, and is named with its commit."""
    scorer = Entailment(model="roberta-large-mnli")
    (found,) = scorer.answer([Ask("", TEXTS[:2], TEXTS[2:3])])
    (wanted,) = Entailment(model=str(classifier_folder)).answer([Ask("", TEXTS[:2], TEXTS[2:3])])
    np.testing.assert_array_equal(found.matrix, wanted.matrix)
    assert f"roberta-large-mnli@{COMMIT[:12]}" in scorer.fingerprint


@pytest.mark.usefixtures("hub_cache")
def test_an_absent_model_says_how_to_fetch_it() -> None:
    """Offline, a model that was never fetched is an error that names it and the command."""
    said = r"some-lab/other.*switched off.*fairbrief prefetch some-lab/other"
    with pytest.raises(BackendError, match=said):
        list(Entailment(model="some-lab/other").answer([Ask("", ("a",), ("b",))]))


def test_a_half_fetched_model_counts_as_absent(hub_cache: Path) -> None:
    """A snapshot without weights is fetched again rather than failing inside a library."""
    (hub_cache / "snapshots" / COMMIT / "model.safetensors").unlink()
    assert pretrained.cached("roberta-large-mnli", "entailment") is None
    with pytest.raises(BackendError, match="prefetch"):
        pretrained.find("roberta-large-mnli", "entailment")


@pytest.mark.parametrize(("settings", "error", "said"), [
    ({"model": "not a/valid/name"}, RequestError, "neither a local folder"),
    ({"model": "./nowhere"}, BackendError, "no such folder"),
    ({"device": "gpu"}, RequestError, "no such device"), ({"device": "cuda:3"}, BackendError, "sees 1 CUDA"),
])  # fmt: skip
def test_models_and_devices_that_are_not_there_are_refused(
    settings: dict[str, str], error: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A malformed name is the request's fault, an absent folder the operator's; so are devices that torch does not know, or of
    which there are fewer.
    """
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    with pytest.raises(error, match=said):
        _ = Entailment(**settings).loading


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    """A folder that transformers cannot load is an error with its path, not a library's traceback."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BackendError, match=tmp_path.name):
        list(Entailment(model=str(tmp_path)).answer([Ask("", ("a",), ("b",))]))


@pytest.mark.parametrize(("gpu", "settings", "wanted"), [
    (None, {}, ("cpu", "fp32", pretrained.CPU_TOKENS)), (None, {"dtype": "bf16", "batch_tokens": 77}, ("cpu", "bf16", 77)),
    ("bf16", {}, ("cuda", "bf16", pretrained.ACCELERATOR_TOKENS)), ("old", {}, ("cuda", "fp16", pretrained.ACCELERATOR_TOKENS)),
])  # fmt: skip
def test_placement_is_automatic_and_can_be_overridden(
    gpu: str | None, settings: dict[str, Any], wanted: tuple[str, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Auto means a GPU in bf16, in fp16 if it knows no bf16, or else the CPU in fp32; a setting wins over auto."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: gpu is not None)
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda: gpu == "bf16")
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    found = Entailment(**settings).placement
    assert (found.device, found.dtype, found.batch_tokens) == wanted


def test_a_new_commit_is_another_fingerprint(hub_cache: Path) -> None:
    """When the hub's main moves on, kept scores of the old revision are not taken for the new one's."""
    before = Entailment(model="roberta-large-mnli").fingerprint
    shutil.copytree(hub_cache / "snapshots" / COMMIT, hub_cache / "snapshots" / COMMIT[::-1])
    (hub_cache / "refs" / "main").write_text(COMMIT[::-1])
    assert Entailment(model="roberta-large-mnli").fingerprint != before


def test_progress_bars_are_after_loading_as_before(tmp_path: Path) -> None:
    """Bars of huggingface_hub that are shown while those of transformers are off stay as they are."""
    from huggingface_hub import utils as hub
    from transformers.utils import logging

    for shows in (True, False):
        (logging.enable_progress_bar if shows else logging.disable_progress_bar)()
        hub.enable_progress_bars()
        with pretrained.loading(tmp_path, "x"):
            assert not logging.is_progress_bar_enabled()
        assert (logging.is_progress_bar_enabled(), hub.are_progress_bars_disabled()) == (shows, False)
    logging.enable_progress_bar()
