"""Models in worker processes: each holds its own, on its share of the machine; the scores are those of one process."""

import multiprocessing
import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.neural.tiny_models import MODEL_SCORE_TOLERANCE, TEXTS

from fairbrief import pretrained
from fairbrief.auditing import Plan, audit
from fairbrief.auditing.scorer_lookup import NeedsModel, Scorers
from fairbrief.cli.input_options import cached
from fairbrief.errors import RequestError
from fairbrief.scorers import entailment, models
from fairbrief.types import Case, Document, Record, Summary


@pytest.fixture
def cases() -> list[Case]:
    """Eight records of two sides."""
    found = []
    for i in range(8):
        sides = ("abab"[j] for j in range(2 + i % 3))
        documents = tuple(Document(TEXTS[(i + j) % 5], {"side": side}) for j, side in enumerate(sides))
        found.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", TEXTS[i % 2])))
    return found


@pytest.fixture
def plan(classifier_folder: Path) -> Plan:
    """One measure by a model, in two workers that hold it."""
    measure = f"coverage_parity(scorer=entailment(model={classifier_folder}))@side"
    return Plan(measures=[measure], n_resamples=50, workers=2, models_in_workers=True)


def unreached(*_: object) -> None:
    """Stands where a model would be loaded in this process."""
    raise AssertionError("a model is loaded here")


def test_workers_score_as_one_process(cases: list[Case], plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded in the process that asks, and every estimate is that of a single process."""
    alone = audit(cases, replace(plan, workers=1, models_in_workers=False))
    models.load.cache_clear()
    monkeypatch.setattr(models, "load", unreached)
    shared = audit(cases, plan)
    assert len(shared.estimates) == len(alone.estimates)
    for one, other in zip(shared.estimates, alone.estimates, strict=True):
        assert (one.quantity, one.n) == (other.quantity, other.n)
        assert one.value == pytest.approx(other.value, abs=MODEL_SCORE_TOLERANCE)
    assert {e.signature for e in shared.estimates} == {e.signature for e in alone.estimates}
    with pytest.raises(AssertionError, match="a model is loaded here"):
        audit(cases, replace(plan, models_in_workers=False))


def test_workers_share_one_file_of_scores(
    cases: list[Case], plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What workers scored is in the file: a process that could load no model audits from it, and bit for bit alike."""
    plan = replace(plan, wrap=cached(tmp_path / "scores"))
    shared = audit(cases, plan)
    monkeypatch.setattr(entailment.Entailment, "compute", unreached)
    alone = audit(cases, replace(plan, workers=1, models_in_workers=False))
    told = [[(e.quantity, e.value, e.p) for e in result.estimates] for result in (alone, shared)]
    assert told[0] == told[1]


def test_chat_services_are_asked_by_one_process_alone(classifier_folder: Path) -> None:
    """Whoever counts requests and holds the budget asks; a model of this machine may be made by each worker."""
    sent = pickle.loads(pickle.dumps(Scorers().elsewhere(makes_models=True)))
    with pytest.raises(NeedsModel):
        sent["judge(model=m)"]
    model = f"entailment(model={classifier_folder})"
    assert sent.holds_model(model)
    with pytest.raises(NeedsModel):
        pickle.loads(pickle.dumps(Scorers().elsewhere(makes_models=False)))[model]


def test_without_workers_there_is_nowhere_to_hold_models() -> None:
    """The setting would have no effect."""
    with pytest.raises(RequestError, match="--models-in-workers needs workers"):
        Plan(measures=["bur@side"], models_in_workers=True)


@pytest.mark.parametrize(
    ("name", "device"),
    [("MainProcess", "cuda"), ("fairbrief worker 0 of 3", "cuda:0"), ("fairbrief worker 2 of 3", "cuda:0"),
     ("fairbrief worker 1 of 3", "cuda:1")],
)  # fmt: skip
def test_workers_go_round_the_devices(name: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three workers on a machine with two GPUs: the third shares the first's."""
    cuda = SimpleNamespace(is_available=lambda: True, device_count=lambda: 2)
    monkeypatch.setattr(pretrained, "library", lambda *_: SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(multiprocessing, "current_process", partial(SimpleNamespace, name=name))
    assert pretrained.device_of("auto", "entailment") == device


@pytest.mark.parametrize(("name", "threads"), [("fairbrief worker 1 of 2", [2]), ("MainProcess", [])])
def test_workers_divide_the_cores(name: str, threads: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers whose libraries take four threads each have two; one alone keeps all."""
    torch = pytest.importorskip("torch")
    changed: list[int] = []
    monkeypatch.setattr(multiprocessing, "current_process", partial(SimpleNamespace, name=name))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    monkeypatch.setattr(torch, "set_num_threads", changed.append)
    pretrained._share_cores.cache_clear()
    try:
        pretrained.library("torch", "a model")
    finally:
        pretrained._share_cores.cache_clear()
    assert changed == threads
