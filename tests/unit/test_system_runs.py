"""Several runs of one system: pooled over the records, their spread told apart from that of the records."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import printed

import fairbrief
from fairbrief.auditing import Plan, audit
from fairbrief.cli.input_options import ReadingOptions
from fairbrief.errors import RequestError
from fairbrief.registry import make
from fairbrief.reports import load
from fairbrief.reports.wording import worded
from fairbrief.saved.view import open_audit
from fairbrief.serialization import record_line, write_lines
from fairbrief.types import Case, Document, Record
from fairbrief.workbench import sweep
from fairbrief.workbench.summarizing import Spending
from fairbrief.workbench.sweep import grid

UER = "uer@side"
WORDS = {"L": ("alder", "birch", "cedar"), "R": ("quartz", "shale", "talc")}


def records(n: int) -> list[Record]:
    """Records of three words a side."""
    documents = tuple(Document(f"{w} grows.", {"side": side}) for side, words in WORDS.items() for w in words)
    return [Record(f"r{i}", documents) for i in range(n)]


def written(folder: Path, n: int = 20, runs: int = 3) -> list[str]:
    """Files of summaries: those of one system without runs, and of the runs of another."""
    write_lines(map(record_line, records(n)), folder / "records.jsonl")
    files = {"lead": "lead", **{f"random#{i}": f"random(seed={i})" for i in range(1, runs + 1)}}
    for i, (system, spec) in enumerate(files.items()):
        printed("summarize", str(folder / "records.jsonl"), "--with", spec, "--system", system, "--out", str(folder / f"{i}.jsonl"))  # fmt: skip
    return [str(folder / f"{i}.jsonl") for i in range(len(files))]


def test_audit_pools_runs_as_a_sweep_does(tmp_path: Path) -> None:
    """Value, interval, p and spread of the runs are those of the sweep's cell; as many clusters as records."""
    printed("audit", *written(tmp_path), "--measure", UER, "--pool-runs", "--resamples", "99", "--out", str(tmp_path / "a"))  # fmt: skip
    result = load(tmp_path / "a")
    cells = grid("random", {"seed": ["1", "2", "3"]})
    plan = Plan(measures=[UER], n_resamples=99)
    sweep.ask(lambda: records(20), cells, tmp_path / "s", lambda _: None, Spending())
    swept = sweep.audited(cells, tmp_path / "s", plan)
    (pooled,) = (e for e in result.estimates if (e.quantity, e.system, e.subgroup) == ("uer", "random", {}))
    (of_cell,) = (e for e in swept.estimates if e.quantity == "uer" and not e.subgroup)
    assert (pooled.value, pooled.low, pooled.high, pooled.n, pooled.clusters) == (
        of_cell.value, of_cell.low, of_cell.high, 60, 20,
    )  # fmt: skip
    assert pooled.notes[-1].arguments | {"system": of_cell.system} == of_cell.notes[-1].arguments
    assert "3 runs" in worded(pooled.notes[-1])
    assert result.made["records"] == swept.made["records"] == 20
    assert {e.system for e in result.estimates if "run" in e.subgroup} == {"random"}
    assert {(e.system, e.baseline) for e in result.differences} == {("lead", "random")}


def test_all_measures_are_tried_on_runs_beside_a_system_without_runs(tmp_path: Path) -> None:
    """Runs of a record belong to one cluster, and so does the summary of a system that has no runs."""
    printed("audit", *written(tmp_path, runs=2), "--pool-runs", "--resamples", "0", "--out", str(tmp_path / "a"))  # fmt: skip
    result = load(tmp_path / "a")
    assert {e.measure for e in result.estimates} > {UER, "coverage_parity@side"}
    assert {(e.n, e.clusters) for e in result.estimates if e.system == "random" and not e.subgroup} == {
        (40, 20)
    }


def test_an_audit_that_does_not_pool_says_what_would(tmp_path: Path) -> None:
    """Systems that are named like runs are audited one by one, and a note names the option that pools them."""
    told = printed("audit", *written(tmp_path), "--measure", UER, "--resamples", "0")
    assert "random#1, random#2, random#3 look like runs of one system" in told
    assert "--pool-runs" in told


def test_the_texts_of_pooled_runs_can_be_viewed(tmp_path: Path) -> None:
    """A record of the per-record statistics opens with the summary of the run that it stands for."""
    files = written(tmp_path)
    printed("audit", *files, "--measure", UER, "--pool-runs", "--resamples", "0", "--out", str(tmp_path / "a"))  # fmt: skip
    opened = open_audit(
        tmp_path / "a", lambda files, told: ReadingOptions(**told.options).read(files, told.attributes)
    )
    assert opened.texts is not None
    wanted = {case.record.id: case.summary.text for case in fairbrief.read(files[2])}
    assert opened.texts.case("r4#2", "random").summary.text == wanted["r4"]
    assert opened.texts.case("r4", "lead").summary.system == "lead"


def test_runs_may_come_after_many_other_cases() -> None:
    """More cases of a system without runs than are looked at first do not hide them."""
    cases = [
        Case(r, s)
        for r, s in zip(records(250), make("summarizer", "lead").summarize(records(250)), strict=True)
    ]
    for i in (1, 2):
        runs = make("summarizer", f"random(seed={i})").summarize(records(250))
        cases += [Case(r, type(s)(r.id, f"random#{i}", s.text)) for r, s in zip(records(250), runs, strict=True)]  # fmt: skip
    result = audit(cases, Plan(measures=[UER], n_resamples=20, pools_runs=True))
    assert {e.clusters for e in result.estimates if e.quantity == "uer" and not e.subgroup} == {250}


def test_pooling_without_runs_is_refused(tmp_path: Path) -> None:
    """No system is named like a run, and it is said."""
    files = written(tmp_path, runs=0)
    with pytest.raises(RequestError, match="no runs to pool"):
        fairbrief.audit(files, [UER], n_resamples=0, pools_runs=True)
