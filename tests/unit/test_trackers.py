"""Audits as metrics: what the clients of experiment trackers are handed, and the head of a model card, read by the hub's own client."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests import sample_results
from tests.cli.command import printed

from fairbrief.errors import BackendError, MissingExtra, RequestError
from fairbrief.reports import load, trackers, write_all


@dataclass
class Taken:
    """What a client was handed."""

    parameters: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    fault: Exception | None = None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved audit."""
    write_all(sample_results.make(), tmp_path / "audit")
    return tmp_path / "audit"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Stand-ins for both clients, with the calls that are documented of them."""
    told = Taken()

    @contextmanager
    def run(**_: Any) -> Any:
        if told.fault is not None:
            raise told.fault
        yield SimpleNamespace(
            id="w1",
            info=SimpleNamespace(run_id="m1"),
            summary=told.metrics,
            log_artifact=lambda kept: told.files.extend(kept.files),
        )

    @contextmanager
    def init(*, config: dict[str, Any], **rest: Any) -> Any:
        told.parameters.update(config)
        with run(**rest) as found:
            yield found

    class Artifact:
        def __init__(self, name: str, type: str) -> None:  # noqa: A002 - as the client calls it
            self.files: list[str] = []
            assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."), type

        def add_file(self, path: str) -> None:
            self.files.append(Path(path).name)

    mlflow = SimpleNamespace(
        start_run=run, log_params=told.parameters.update, log_metrics=told.metrics.update, set_tag=told.tags.__setitem__,
        log_artifact=lambda path, _: told.files.append(Path(path).name),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init, Artifact=Artifact))
    return told


@pytest.mark.parametrize(("tracker", "run"), [("mlflow", "m1"), ("wandb", "w1")])
def test_a_tracker_gets_parameters_metrics_and_the_report(
    folder: Path, taken: Taken, tracker: str, run: str
) -> None:
    """The command says which run was made; main values come with bounds, p and records, and the files of the report."""
    assert f"Sent to {tracker}: run {run}" in printed("report", str(folder), "--to", tracker)
    assert taken.metrics == trackers.metrics(load(folder))
    assert taken.files == ["report.html", "results.json", "estimates.csv"]
    assert "seed" in taken.parameters
    main_value = next(e for e in load(folder).estimates if e.quantity == "bur" and not e.subgroup)
    name = f"{main_value.system}.{main_value.measure.replace('@', '_')}"
    assert taken.metrics[name] == main_value.value
    assert taken.metrics[f"{name}.records"] == main_value.n


def test_names_hold_what_every_tracker_takes_and_none_is_lost() -> None:
    """Markup, brackets and signs become underscores; two names that would be one stay two metrics."""
    result = sample_results.hostile()
    found = trackers.metrics(result)
    assert all(not trackers.NOT_IN_NAMES.search(name) and len(name) <= trackers.LONGEST for name in found)
    told = [
        e
        for e in result.estimates
        if e.value is not None and not e.subgroup and e.quantity == e.measure.partition("@")[0]
    ]
    assert sum(name.endswith(".records") for name in found) >= len(told) > 5
    (e,) = [e for e in sample_results.make().estimates if e.quantity == "bur" and not e.subgroup][:1]
    twins = replace(
        result,
        estimates=type(result.estimates)((e.replace(system="a<"), e.replace(system="a>", value=0.9))),
    )
    kept = {
        n: v
        for n, v in trackers.metrics(twins).items()
        if not n.endswith((".low", ".high", ".p", ".records"))
    }
    assert sorted(kept.values()) == sorted([e.value or 0.0, 0.9])


def test_what_goes_wrong_is_said(folder: Path, taken: Taken, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown tracker, a client that is not installed and one that fails each say what to do."""
    result = load(folder)
    with pytest.raises(RequestError, match="Trackers: mlflow, wandb"):
        trackers.send(result, folder, "comet")
    taken.fault = OSError("no route")
    with pytest.raises(BackendError, match=r"mlflow did not store the audit completely: OSError: no route"):
        trackers.send(result, folder, "mlflow")
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtra, match=r"fairbrief\[wandb\]"):
        trackers.send(result, folder, "wandb")


def test_the_hubs_client_reads_every_system_and_value() -> None:
    """Each main value stands in it with its value, whatever the names hold."""
    yaml = pytest.importorskip("yaml")
    data = pytest.importorskip("huggingface_hub.repocard_data")
    for result in (sample_results.make(), sample_results.hostile()):
        text = trackers.model_card(result)
        assert text.startswith("---\n")
        assert text.endswith("\n---\n")
        assert text.count("\n---\n") == 1
        head = yaml.safe_load(text.strip().strip("-"))
        found = []
        for model in head["model-index"]:
            name, results = data.model_index_to_eval_results([model])
            assert name == model["name"]
            found += [(one.metric_type, one.metric_value) for one in results]
        told = [
            e
            for e in result.estimates
            if e.value is not None and not e.subgroup and e.quantity == e.measure.partition("@")[0]
        ]
        assert len(found) == len(told) > 5
        assert all(math.isfinite(value) for _, value in found)
        assert {kind for kind, _ in found} >= {"bur", "uer"}


def test_the_command_prints_the_model_card(tmp_path: object) -> None:
    """``fairbrief report DIR --format model-card`` goes to standard output."""
    write_all(sample_results.make(), str(tmp_path))
    assert printed("report", str(tmp_path), "--format", "model-card").startswith("---\nmodel-index: [")
