"""The same digits from one input in any order, any cut and any engine: one digest of ``results.json``."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_workers import MEASURES, cases_of

from fairbrief import auditing
from fairbrief.auditing import Plan, audit, observing, run
from fairbrief.errors import RequestError
from fairbrief.readers import json_lines, read
from fairbrief.reports import json_file
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case

RECORDS = 24
PLAN = Plan(
    measures=MEASURES,
    n_resamples=40,
    slices=[("size",)],
    controls=("exchanged", "random_sentences"),
)
"""All families, slices, controls; the variants of an original lie apart in a shuffled input."""


def digest(cases: Any, plan: Plan = PLAN) -> str:
    """Of all that is written, but for how long it took and on which lines records stood."""
    said = json.loads(json_file.render(audit(cases, plan))[0])
    said["made"].pop("seconds")
    said.pop("audit")  # a hash of all, lines included
    text = re.sub(r'"where": "[^"]*"', "", json.dumps(said))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Two systems' summaries of four records of each of six originals."""
    return cases_of(RECORDS)


@pytest.fixture(scope="module")
def rows(cases: list[Case]) -> list[dict[str, Any]]:
    """The same as lines of a file."""
    return [case_line(case) for case in cases]


@pytest.fixture(scope="module")
def wanted(cases: list[Case]) -> str:
    """The digest of the cases in one process, in one shard."""
    return digest(cases)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many parts and shards of few records."""
    monkeypatch.setattr(json_lines, "PART", 4_000)
    monkeypatch.setattr(run, "SHARD", 16)


def shuffled(things: Sequence[Any], seed: int) -> list[Any]:
    """In another order."""
    return random.Random(seed).sample(things, len(things))


@pytest.mark.parametrize(("seed", "shard", "batch"), [(1, 256, 256), (2, 16, 7), (3, 5, 1)])
def test_the_order_of_the_input_changes_no_bit(
    seed: int, shard: int, batch: int, cases: list[Case], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shuffled lines, shards of any size, any number of units scored at once."""
    monkeypatch.setattr(run, "SHARD", shard)
    monkeypatch.setattr(observing, "BATCH", batch)
    assert digest(shuffled(cases, seed)) == wanted


@pytest.mark.usefixtures("small")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("engine", ["here", "processes(workers=2)", "processes(workers=3)", "ray"])
def test_the_engine_and_the_cut_change_no_bit(
    engine: str, rows: list[dict[str, Any]], wanted: str, tmp_path: Path
) -> None:
    """A shuffled file in many parts, whoever audits them."""
    if engine == "ray":
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    path = tmp_path / "reviews.jsonl"
    write_lines(shuffled(rows, 4), path)
    assert len(read(path).ranges or ()) > 6
    assert digest(read(path), replace(PLAN, engine=engine)) == wanted


@pytest.fixture
def three_machines() -> Iterator[str]:
    """The address of a cluster of three simulated machines."""
    ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    nodes.add_node(num_cpus=1)
    yield nodes.address
    ray.shutdown()
    nodes.shutdown()


@pytest.mark.usefixtures("small")
@pytest.mark.filterwarnings("ignore")
def test_three_machines_change_no_bit(
    three_machines: str, rows: list[dict[str, Any]], wanted: str, tmp_path: Path
) -> None:
    """Parts on a cluster."""
    path = tmp_path / "reviews.jsonl"
    write_lines(shuffled(rows, 5), path)
    assert digest(read(path), replace(PLAN, engine=f"ray:{three_machines}")) == wanted


def test_variants_that_come_late_are_of_their_originals_cluster(
    cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the first cases vary nothing, and so none of them waited; a stream that is gone cannot be read again."""
    ours = [replace(c, record=replace(c.record, original=None)) for c in cases[:24]]
    late = [replace(c, record=replace(c.record, id=f"v{c.record.id}", original=c.record.id)) for c in ours]
    late = [replace(c, summary=replace(c.summary, record=c.record.id)) for c in late]
    plan = replace(PLAN, measures=["equal_coverage@party", "uer@party"], has_clusters=True)
    wanted = digest([*late, *ours], plan)
    monkeypatch.setattr(auditing, "HEAD", 24)
    assert digest([*ours, *late], replace(plan, has_clusters=False)) == wanted
    with pytest.raises(RequestError, match="read only once: say has_clusters=True"):
        audit(iter([*ours, *late]), replace(plan, has_clusters=False, controls=()))
