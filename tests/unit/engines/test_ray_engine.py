"""Work on Ray: in order, and whole however workers and machines end."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.sample_cases import MEASURES, assert_same, cases_of
from tests.unit.engines.test_processes import Counting, dies, dies_at_first, late_and_early, raises

from fairbrief.auditing import Plan, audit
from fairbrief.engines.ray_engine import Ray
from fairbrief.errors import BackendError, DataError, MissingExtra
from fairbrief.readers import json_lines, read
from fairbrief.serialization import case_line, write_lines

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("cluster")]  # warnings of Ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three machines, simulated: one with this process, two that can be taken away."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    nodes.add_node(num_cpus=1)
    ray.init(nodes.address, log_to_driver=False, logging_level="error")
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def test_a_worker_keeps_the_work_from_item_to_item() -> None:
    """What it builds for itself is built once a worker, not once an item."""
    counts = [calls for _, (_, calls) in Ray().map(Counting(), range(20))]
    assert max(counts) > 1
    assert counts.count(1) <= 6


def test_errors_are_raised_in_their_places() -> None:
    """Of the work as they were raised there, of the stream after all before it."""
    with pytest.raises(MissingExtra, match="torch"):
        list(Ray().map(raises, ["extra"]))

    def stream() -> Iterator[int]:
        yield from range(3)
        raise DataError("x.jsonl:6: broken")

    answers = Ray().map(late_and_early, stream())
    assert [item for item, _ in (next(answers) for _ in range(3))] == [0, 1, 2]
    with pytest.raises(DataError, match=r"x\.jsonl:6"):
        next(answers)


def test_machines_change_no_bit(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit of the parts of a file on a cluster is that of one process."""
    monkeypatch.setattr(json_lines, "PART", 5_000)
    path = tmp_path / "reviews.jsonl"
    write_lines(map(case_line, cases_of(24)), path)
    assert len(read(path).ranges) > 4
    plan = Plan(measures=MEASURES, n_resamples=10, n_extracts=5)
    assert_same(audit(read(path), replace(plan, engine=f"ray:{cluster.address}")), audit(read(path), plan))


def test_what_a_killed_worker_had_in_hand_is_done_by_another(tmp_path: Path) -> None:
    """Every item is answered, in order."""
    folders = [tmp_path / str(i) for i in range(2)]
    for folder in folders:
        folder.mkdir()
    assert [answer for _, answer in Ray().map(dies_at_first, folders)] == ["0", "1"]


def slowly(number: int) -> int:
    """Itself, after a while."""
    time.sleep(0.2)
    return number


def test_a_machine_that_goes_away_loses_nothing(cluster: Any) -> None:
    """Its items are done by those that are left."""
    leaving = cluster.list_all_nodes()[-1]
    found = []
    for item, answer in Ray().map(slowly, range(16)):
        found.append((item, answer))
        if item == 2:
            cluster.remove_node(leaving, allow_graceful=False)
    assert found == [(n, n) for n in range(16)]


def test_an_item_that_kills_every_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some tries it is the item, or the machine, and not chance."""
    monkeypatch.setattr("fairbrief.engines.ray_engine.KILLS", 1)
    with pytest.raises(BackendError, match="out of memory"):
        list(Ray().map(dies, [1]))


@pytest.mark.parametrize(("address", "asked"), [("", "local"), ("auto", "auto")])
def test_no_unnamed_cluster_is_joined(address: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an address Ray would join any cluster that somebody runs on this machine; ours starts its own."""
    addresses: list[str] = []
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda address, **_: addresses.append(address))
    Ray(address)._connected()
    assert addresses == [asked]
