"""A sweep: the grid, resuming, paired differences, and the command; runs of one system that an audit pools."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from tests.cli.command import printed
from tests.sample_cases import documents_of
from tests.stub_chat import StubChat
from typer.testing import CliRunner

import fairbrief
from fairbrief.auditing import Plan, audit
from fairbrief.chat.endpoint import LimitReached
from fairbrief.cli import app
from fairbrief.cli.command_line import INCOMPLETE
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.readers import read
from fairbrief.registry import make
from fairbrief.reports.audit_folder import load
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.saved.view import OpenAudit
from fairbrief.serialization import record_line, write_lines
from fairbrief.specs import spell
from fairbrief.types import Case, Document, Record, Summary
from fairbrief.workbench.summarizing import Job, summarize_all
from fairbrief.workbench.sweep import JOURNAL, grid, plan_of

UER = "uer@side"
WORDS = {"L": ("alder", "birch", "cedar"), "R": ("quartz", "shale", "talc")}


@dataclass(frozen=True, repr=False)
class Told:
    """A summarizer that does as its instruction tells: half of the records are one-sided without one.

    With ``words``, every third record is one-sided, and two of eight are refused at every second setting.
    """

    name: ClassVar[str] = "told"
    instruction: str = "none"
    temperature: float = 0.0
    samples: int = 1
    words: int = 0
    sentences: int = 1

    def __repr__(self) -> str:
        return spell(self)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        every = 3 if self.words else {"none": 2, "fair": 4, "never": 1000}[self.instruction]
        refused = int(self.temperature * 2) + self.sentences - 1
        for record in records:
            i = int(record.id[1:])
            text = "alder birch" if (i + self.words) % every == 0 else "alder quartz"
            reason = "refused" if self.words and refused and i % 4 == refused else ""
            yield Summary(record.id, repr(self), "" if reason else text, reason=reason)


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the summarizer of this module known by its name."""
    from fairbrief import registry, specs

    known = registry.make

    def make(kind: registry.Kind, text: str, settings: dict[str, str] | None = None) -> object:
        if text.startswith(Told.name):
            given = {**specs.parse(text).settings, **(settings or {})}
            return specs.build(Told, specs.Spec(Told.name, given))
        return known(kind, text, settings)

    monkeypatch.setattr(registry, "make", make)


def records(n: int = 40) -> list[Record]:
    """Records of three words a side; none is numbered 0, which would be one-sided whatever is told."""
    documents = tuple(Document(w, {"side": side}) for side, words in WORDS.items() for w in words)
    return [Record(f"r{i}", documents) for i in range(1, n + 1)]


def of_jobs(jobs: Sequence[Job], many: int = 40, **plan: object) -> Result:
    """The audit of some settings."""
    made = plan_of(jobs, Plan(measures=[UER], n_resamples=300, **plan))
    summarize_all(jobs, lambda: records(many), jobs[0].out.with_name(JOURNAL))
    return audit(read([job.out for job in jobs]), made)


def swept(folder: Path, axes: dict[str, list[str]], **plan: object) -> Result:
    """A sweep of `Told`."""
    return of_jobs(grid("told", axes, folder), **plan)


def test_the_grid_holds_every_combination_named_as_it_is_read() -> None:
    """Axes are crossed in order, and ``.3`` is the temperature 0.3."""
    jobs = grid("told", {"temperature": ["0", ".3"], "instruction": ["none", "fair"]}, Path("x"))
    assert [job.system for job in jobs] == [
        "temperature=0.0, instruction=none", "temperature=0.0, instruction=fair",
        "temperature=0.3, instruction=none", "temperature=0.3, instruction=fair",
    ]  # fmt: skip
    assert [repr(job.summarizer) for job in jobs[:2]] == ["told", "told(instruction=fair)"]
    assert [job.system for job in grid("lead(sentences=2)", {}, Path("x"))] == ["lead(sentences=2)"]


def test_every_cell_is_paired_with_the_baseline(tmp_path: Path) -> None:
    """Differences are taken from the first cell, or from the one that is named; values are known exactly."""
    result = swept(tmp_path, {"instruction": ["none", "fair", "never"]})
    gaps = [e for e in result.differences if e.quantity == "uer"]
    assert [e.system for e in gaps] == ["instruction=fair", "instruction=never"]
    assert {e.baseline for e in gaps} == {"instruction=none"}
    # One-sided: one of two values lacks its half; 20 of 40 records, then 10.
    assert [e.value for e in gaps] == pytest.approx([-0.0625, -0.125])
    named = swept(tmp_path, {"instruction": ["none", "fair"]}, baseline="instruction=fair")
    (gap,) = (e for e in named.differences if e.quantity == "uer")
    assert (gap.system, gap.baseline) == ("instruction=none", "instruction=fair")


def test_a_cell_is_compared_on_the_records_that_it_and_the_baseline_answered(tmp_path: Path) -> None:
    """What other cells refused does not matter: the whole sweep gives the differences that each pair gives alone."""
    axes = {"words": ["1", "2"], "temperature": ["0", "1"], "sentences": ["1", "2"]}
    jobs = grid("told", axes, tmp_path / "all")
    whole = of_jobs(jobs, 8)
    gaps = {e.system: e for e in whole.differences if e.quantity == "uer"}
    assert len(gaps) == 7
    for number in range(1, len(jobs)):
        again = grid("told", axes, tmp_path / str(number))
        alone = of_jobs([again[0], again[number]], 8)
        (gap,) = (e for e in alone.differences if e.quantity == "uer")
        told = gaps[jobs[number].system]
        for name in ("value", "low", "high", "p", "n"):
            assert getattr(told, name) == getattr(gap, name)
    assert {e.n for e in gaps.values()} == {6, 8}


@pytest.mark.parametrize(("options", "says"), [
    (("--prompt", "plain,tweets"), "topic"),
    (("--set", "seed=1,2", "--temperature", "0"), "several seeds at temperature 0"),
    (("--baseline", "temperature=3"), "No setting is named"),
])  # fmt: skip
def test_nothing_is_paid_before_all_is_checked(tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    """A fault of the last cell or the last record is found while the server has had no request."""
    source = tmp_path / "records.jsonl"
    write_lines(map(record_line, records(5)), source)
    with StubChat() as server:
        chat = f"chat:stub-1(base_url='{server.url}')"
        with pytest.raises(FairbriefError, match=says):
            printed("sweep", source, "--with", chat, "--out", tmp_path / "o", *options)
        assert server.requests == 0


def test_a_grid_is_asked_as_one_and_a_dry_run_counts_it(tmp_path: Path) -> None:
    """All cells share one bound of open questions, one limit of requests and one journal, and are systems of one saved audit;
    --dry-run tells the calls of all. The same command asks only for the rest, then for nothing.
    """
    source, out = tmp_path / "records.jsonl", tmp_path / "out"
    write_lines(map(record_line, records(20)), source)
    with StubChat(answer=lambda _: "alder quartz", delay=0.01) as server:
        chat = f"chat:stub-1(base_url='{server.url}')"
        arguments = ["sweep", str(source), "--with", chat, "--temperature", "0,0.5,1", "--measure", UER]
        arguments += ["--resamples", "20", "--concurrency", "16", "--out", str(out)]
        told = printed(*arguments, "--dry-run", "--price", "1000000,0")
        assert "judges in --measure, if any, send more" in told
        assert "60 wanted, 0 already answered, 60 calls to make" in told
        assert server.requests == 0
        stopped = CliRunner().invoke(app, [*arguments, "--max-requests", "32"])
        assert (stopped.exit_code, server.requests) == (INCOMPLETE, 32)
        assert [e.n for e in load(out).estimates if e.quantity == "uer"] == [11, 11, 10]
        assert "32 requests" in stopped.output
        printed(*arguments)
        assert (server.requests, server.open_most <= 16) == (60, True)
        assert "temperature=0.5: 20 wanted, 0 asked, 20 from the journal" in printed(*arguments)
    assert load(out).made["systems"] == ["temperature=0.0", "temperature=0.5", "temperature=1.0"]
    assert (out / "report.html").is_file()


def test_judges_are_asked_within_the_limit(tmp_path: Path) -> None:
    """Their requests count and are reported; the limit is an error, and the next run asks only for the rest."""
    source, out = tmp_path / "records.jsonl", tmp_path / "out"
    several = [Record(f"r{i}", documents_of("LR", (f"alder {i}", f"quartz {i}"))) for i in range(12)]
    write_lines(map(record_line, several), source)
    with StubChat(answer=lambda _: "It is fine. Score: 4") as server:
        judged = f"judged(scorer='judge(model=stub-1, pause=0.01, base_url=\"{server.url}\")')"
        arguments = ["sweep", source, "--with", "lead", "--measure", UER, "--measure", judged]
        arguments += ["--resamples", 20, "--out", out, "--max-requests"]
        with pytest.raises(LimitReached, match="it asks only for what --cache FILE"):
            printed(*arguments, 5)
        assert server.requests == 5
        assert "7 requests, " in CliRunner().invoke(app, [*map(str, arguments), "12"]).stderr
        assert server.requests == 12
        printed(*arguments, 12)
        assert server.requests == 12
    estimate = next(e for e in load(out).estimates if e.quantity == "judged")
    assert (estimate.value, estimate.n) == (4.0, 12)


def written(folder: Path, runs: int = 3) -> list[str]:
    """Files of summaries: those of one system without runs, and of the runs of another."""
    write_lines(map(record_line, records(20)), folder / "records.jsonl")
    files = {"lead": "lead", **{f"random#{i}": f"random(seed={i})" for i in range(1, runs + 1)}}
    for i, (system, spec) in enumerate(files.items()):
        named = ("--with", spec, "--system", system, "--out", folder / f"{i}.jsonl")
        printed("summarize", folder / "records.jsonl", *named)
    return [str(folder / f"{i}.jsonl") for i in range(len(files))]


def test_runs_are_pooled_with_their_spread_apart(tmp_path: Path) -> None:
    """The value is the mean of the runs', over as many clusters as records; the spread is that of the runs' values."""
    files = written(tmp_path)
    printed("audit", *files, "--measure", UER, "--pool-runs", "--resamples", "99", "--out", str(tmp_path / "a"))  # fmt: skip
    result = load(tmp_path / "a")
    (pooled,) = (e for e in result.estimates if (e.quantity, e.system, e.subgroup) == ("uer", "random", {}))
    plan = Plan(measures=[UER], n_resamples=0)
    of_runs = [audit(fairbrief.read(file), plan).estimates for file in files[1:]]
    values = [e.value for run in of_runs for e in run if e.quantity == "uer"]
    assert pooled.value == pytest.approx(np.mean(values))
    assert (pooled.n, pooled.clusters, result.made["records"]) == (60, 20, 20)
    spread = worded(pooled.notes[-1])
    assert "3 runs" in spread
    assert f"(standard deviation between runs {np.std(values, ddof=1):.2g})" in spread
    assert {e.system for e in result.estimates if "run" in e.subgroup} == {"random"}
    assert {(e.system, e.baseline) for e in result.differences} == {("lead", "random")}


def test_an_audit_that_does_not_pool_says_what_would(tmp_path: Path) -> None:
    """Systems that are named like runs are audited one by one, and a note names the option that pools them."""
    told = printed("audit", *written(tmp_path), "--measure", UER, "--resamples", "0")
    assert "random#1, random#2 and random#3 look like runs of one system" in told
    assert "--pool-runs" in told


def test_the_texts_of_pooled_runs_can_be_viewed(tmp_path: Path) -> None:
    """A record of the per-record statistics opens with the summary of the run that it stands for."""
    files = written(tmp_path)
    printed("audit", *files, "--measure", UER, "--pool-runs", "--resamples", "0", "--out", str(tmp_path / "a"))  # fmt: skip
    opened = OpenAudit(tmp_path / "a")
    assert opened.texts is not None
    wanted = {case.record.id: case.summary.text for case in fairbrief.read(files[2])}
    assert opened.texts.unit("r4#2", "random")[0].summary.text == wanted["r4"]
    assert opened.texts.unit("r4", "lead")[0].summary.system == "lead"


def test_runs_may_come_after_many_other_cases() -> None:
    """More cases of a system without runs than are looked at first do not hide them."""
    cases, many = [], records(250)
    for system, spec in (("lead", "lead"), ("random#1", "random(seed=1)"), ("random#2", "random(seed=2)")):
        texts = [summary.text for summary in make("summarizer", spec).summarize(many)]
        cases += [Case(r, Summary(r.id, system, text)) for r, text in zip(many, texts, strict=True)]
    result = audit(cases, Plan(measures=[UER], n_resamples=20, pools_runs=True))
    assert {e.clusters for e in result.estimates if e.quantity == "uer" and not e.subgroup} == {250}


def test_pooling_without_runs_is_refused(tmp_path: Path) -> None:
    """No system is named like a run, and it is said."""
    files = written(tmp_path, runs=0)
    with pytest.raises(RequestError, match="no runs to pool"):
        fairbrief.audit(files, [UER], n_resamples=0, pools_runs=True)
