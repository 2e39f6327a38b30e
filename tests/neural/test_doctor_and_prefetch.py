"""What a machine can do, and bringing models to it."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import COMMIT
from typer.testing import CliRunner

from fairbrief import pretrained
from fairbrief.cli import lookup_commands
from fairbrief.errors import BackendError, RequestError


@pytest.mark.usefixtures("hub_cache")
def test_models_are_listed_with_what_to_do() -> None:
    """Each scorer's model is said to be here or how to fetch it."""
    found = {name: (mark, words) for mark, name, words in lookup_commands.models()}
    assert found["roberta-large-mnli"][0] == "ok"
    assert COMMIT[:12] in found["roberta-large-mnli"][1]
    assert "entailment" in found["roberta-large-mnli"][1]
    assert found["roberta-large"][1].endswith("fairbrief prefetch roberta-large")


def test_extras_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of an extra is shown with its version, or with the command that installs it."""
    required = [("", "numpy"), ("neural", "torch"), ("magic", "no-such-thing")]
    monkeypatch.setattr(lookup_commands, "requirements", lambda: required)
    found = {name: (mark, words) for mark, name, words in lookup_commands.installed()}
    assert found["neural, torch"][0] == "ok"
    assert found["magic, no-such-thing"][1] == "not installed: pip install 'fairbrief[magic]'"
    assert found["numpy"][1] == np.__version__


@pytest.mark.usefixtures("hub_cache")
def test_doctor_prints_all_sections() -> None:
    """The command prints every section on a machine with and without models."""
    result = CliRunner().invoke(lookup_commands.app, ["doctor"])
    assert result.exit_code == 0, result.output
    for title in ("Installed", "Plug-ins", "Device", "Models"):
        assert title in result.output


def test_without_torch_the_doctor_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without the extra the device and the models are no error."""
    monkeypatch.setattr(lookup_commands, "_version", lambda _: None)
    marks = [mark for mark, *_ in (*lookup_commands.device(), *lookup_commands.models())]
    assert marks == ["absent", "absent"]


def test_prefetch_offline_says_what_is_missing(hub_cache: Path) -> None:
    """Offline, a model that is here is reported; one that is not is an error that names it."""
    result = CliRunner().invoke(lookup_commands.app, ["prefetch", "roberta-large-mnli", "some-lab/absent"])
    assert isinstance(result.exception, BackendError)
    assert "some-lab/absent" in str(result.exception)
    assert str(hub_cache / "snapshots" / COMMIT) in result.output


def test_prefetch_without_a_network_says_what_to_do(tmp_path: Path) -> None:
    """The client of the hub is loaded only by the first request; its errors are no bug either."""
    away = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "fairbrief", "prefetch", "some-lab/absent"]
    result = subprocess.run(command, env={**os.environ, **away}, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "the hub did not answer" in result.stderr
    assert "'fairbrief prefetch some-lab/absent'" in result.stderr


def test_prefetch_one_format(hub_cache: Path, encoder_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of the hub are the files that the scorers read, nothing twice; a pickle alone is refused."""
    files = {
        "config.json": 1_000, "model.safetensors": 438_000_000, "pytorch_model.bin": 438_000_000, "tf_model.h5": 9,
        "onnx/model.onnx": 9, "merges.txt": 999_000,
    }  # fmt: skip
    asked: dict[str, Any] = {}

    def snapshot(model: str, **more: Any) -> str:
        asked.update(more, model=model)
        return str(encoder_folder)

    def repository(*_: Any, **__: Any) -> SimpleNamespace:
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=n, size=s) for n, s in files.items()])

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", repository)
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    result = CliRunner().invoke(lookup_commands.app, ["prefetch", "bertscore"])
    assert result.exit_code == 0, result.output
    assert "downloading 3 files, 439 MB" in result.output
    assert asked["model"] == "roberta-large"
    assert asked["allow_patterns"] == ["config.json", "model.safetensors", "merges.txt"]
    assert hub_cache.is_dir()
    del files["model.safetensors"]
    with pytest.raises(BackendError, match="pickle"):
        pretrained.download("some-lab/old", "prefetch")


def test_scorers_may_be_named_for_their_models() -> None:
    """A scorer's spec stands for its model; a scorer without one is refused."""
    assert lookup_commands.model_of("entailment") == "roberta-large-mnli"
    assert lookup_commands.model_of("entailment(model=some/other)") == "some/other"
    assert lookup_commands.model_of("facebook/bart-large-cnn") == "facebook/bart-large-cnn"
    with pytest.raises(RequestError, match="needs no model"):
        lookup_commands.model_of("containment")
