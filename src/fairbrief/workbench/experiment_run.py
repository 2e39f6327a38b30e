"""An experiment from its first step to its page; what was answered and scored before is not asked or scored again.

data → summaries of every cell → claims → audit and comparisons → gate → page. Everything is checked before
anything is asked: the file, the data, the measures, every prompt of every record, the limits of the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fairbrief import readers, registry
from fairbrief.auditing import Plan, check
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError
from fairbrief.readers import Reading
from fairbrief.reports import write_all
from fairbrief.reports.audit_folder import place
from fairbrief.reports.html import render_experiment
from fairbrief.reports.result import Result
from fairbrief.saved import gate
from fairbrief.saved.examples import with_examples
from fairbrief.saved.gate_rules import Check
from fairbrief.text.counted import counted
from fairbrief.types import Scorer
from fairbrief.workbench import sweep
from fairbrief.workbench.claims import Outcome, Splitter, instruction_in, split_file
from fairbrief.workbench.experiment_file import Experiment
from fairbrief.workbench.summarizing import Count, Forecast, Job, Spending
from fairbrief.workbench.sweep import Cell, axes_of, tidy_rows, write_tidy

DATA, CLAIMS, AUDIT, NUMBERS, PAGE = "data.jsonl", "claims", "audit", "results.csv", "experiment.html"
Watching = Callable[[Spending, int | None], AbstractContextManager[Callable[[Count], None]]]
"""A context that shows what is spent, and the progress of so many calls."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What an experiment found: the audit of all cells, the gate's checks, and how much has no answer yet."""

    result: Result
    checks: tuple[Check, ...]
    missing: Count


@dataclass
class Run:
    """One experiment in one folder.

    ``build`` runs ``fairbrief build`` with arguments; ``say`` is told each step; ``wrap`` is put before scorers.
    """

    experiment: Experiment
    folder: Path
    build: Callable[[list[str]], None]
    watching: Watching
    say: Callable[[str], None] = lambda _: None
    wrap: Callable[[Scorer], Scorer] | None = None
    spending: Spending = field(init=False)
    steps: list[tuple[str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        log = self.folder / sweep.ANSWERS / sweep.SPENT
        self.spending = Spending(self.experiment.budget.budget(log))

    def foresee(self) -> Forecast:
        """Make the data, if they are built, and say what would be asked; raises whatever cannot be done."""
        self._data()
        for limit in self.experiment.limits:
            registry.make("measure", limit.measure)
        if self.splitter is not None:
            self.splitter.budget.most(self.splitter.question(""))
        records = self.reading.records
        forecast = sweep.foresee(records, self.cells, self.folder, self.plan, self.spending.budget)
        summaries = sum(1 for _ in records()) * sum(cell.runs for cell in self.cells)
        if self.splitter is not None:
            forecast.later.append(
                f"then {self.splitter.endpoint.model} splits {counted(summaries, 'summary', 'summaries')} into claims, a call "
                "each, and more if a reply has no list"
            )
        for name in sweep.judges(check(records(), self.plan), self.plan):
            forecast.later.append(f"then {name} has {counted(summaries, 'summary', 'summaries')} judged")
        return forecast

    def go(self, forecast: Forecast) -> Finished:
        """All steps that are left; what `foresee` found is needed for the progress."""
        missing = self._summaries(forecast)
        answers = self._claims(missing)
        result = self._audit(answers)
        missing.stopped = missing.stopped or str(result.made.get(sweep.STOPPED, ""))
        limits = self.experiment.limits
        checks = tuple(gate.hold_audit(self.folder / AUDIT, limits)) if limits else ()
        self._page(result, checks)
        return Finished(result, checks, missing)

    # --------------------------------------------------------------------------------- what is asked

    @cached_property
    def cells(self) -> list[Cell]:
        """The grid."""
        return self.experiment.cells()

    @cached_property
    def jobs(self) -> list[Job]:
        """The files of answers, and who writes them."""
        return [job for cell in self.cells for job in cell.jobs(self.folder / sweep.ANSWERS)]

    @cached_property
    def plan(self) -> Plan:
        """The audit."""
        charging = sweep.charging(self.spending, self.experiment.budget.pace, self.wrap)
        return Plan(attributes=tuple(self.experiment.attributes), wrap=charging, **self.experiment.audit)

    @cached_property
    def splitter(self) -> Splitter | None:
        """Who splits summaries into claims, if anybody does."""
        claims = self.experiment.claims
        if claims is None:
            return None
        chat = registry.make("summarizer", claims.model, self.experiment.budget.pace)
        instruction = instruction_in(Path(claims.prompt) if claims.prompt else None)
        decoding = chat.decoding(default=0.0)
        return Splitter(chat.endpoint(), instruction, decoding, self.spending.tally, self.spending.budget)

    @cached_property
    def reading(self) -> Reading:
        """The records."""
        files = (
            [str(self.folder / DATA)] if self.experiment.build is not None else list(self.experiment.files)
        )
        settings = {**self.experiment.reading, "attributes": self.experiment.attributes}
        return readers.read(files if len(files) > 1 else files[0], **settings)

    # --------------------------------------------------------------------------------- the steps

    def _data(self) -> None:
        build = self.experiment.build
        if build is None:
            self._report_step("data", ", ".join(self.experiment.files), "read as they are")
            return
        out = self.folder / DATA
        for source in build.sources:
            if not Path(source).exists():
                raise DataError(
                    f"{self.experiment.path}: [build] from: there is no {source} beside the file."
                )
        self.build([*build.arguments, "--out", str(out)])
        self._report_step("data", DATA, f"built: fairbrief build {build.command}")

    def _summaries(self, forecast: Forecast) -> Count:
        with self.watching(self.spending, forecast.calls or None) as watch:
            counts = sweep.ask(self.reading.records, self.jobs, self.folder, watch, self.spending)
        whole = Count.of_all(counts)
        self._report_step(
            "summaries", f"{sweep.ANSWERS}/ ({counted(len(self.jobs), 'file')})", _what_came(whole)
        )
        return whole

    def _claims(self, missing: Count) -> Mapping[str, Path]:
        """The files to audit by the names of their systems: with claims, where there is somebody who splits."""
        answers = {job.system: job.out for job in self.jobs}
        if self.splitter is None:
            return answers
        outcomes = []
        for system, path in answers.items():
            answers[system] = self.folder / CLAIMS / path.name
            outcomes.append(self._split(self.splitter, path, answers[system]))
            missing.stopped = missing.stopped or outcomes[-1].count.stopped
            missing.unanswered += outcomes[-1].count.unanswered
            missing.not_asked += outcomes[-1].count.not_asked
        split, unread = sum(o.split for o in outcomes), sum(o.unparsed_count for o in outcomes)
        told = (
            f"{counted(sum(o.claims for o in outcomes), 'claim')} of {counted(split, 'summary', 'summaries')}"
        )
        self._report_step(
            "claims",
            f"{CLAIMS}/",
            told + (f", {counted(unread, 'reply', 'replies')} without a list" if unread else ""),
        )
        return answers

    def _split(self, splitter: Splitter, path: Path, out: Path) -> Outcome:
        with self.watching(self.spending, None) as watch:
            return split_file(
                splitter,
                lambda: readers.read(path),
                out,
                watch,
                kept_in=self.folder / CLAIMS / "claims.journal",
            )

    def _audit(self, answers: Mapping[str, Path]) -> Result:
        folder = self.folder / AUDIT
        result = sweep.audited(self.cells, answers, self.folder, self.plan)
        result = replace(result, made={**result.made, "experiment": self.experiment.title})
        cases = sweep.cases_of(self.cells, answers)
        result = with_examples(result, cases, Scorers(wrap=self.plan.wrap))
        write_all(result, folder)
        self._report_step(
            "audit",
            f"{AUDIT}/",
            f"{counted(len(result.estimates), 'estimate')}, {counted(len(result.differences), 'difference')}",
        )
        return result

    def _page(self, result: Result, checks: Sequence[Check]) -> None:
        write_tidy(result, self.cells, self.folder / NUMBERS)
        if checks:
            self._report_step("gate", "on this page", gate.overall(checks))
        text = render_experiment(
            self.experiment.title,
            self.experiment.about,
            self.experiment.source,
            self.steps,
            tidy_rows(result, self.cells),
            axes_of(self.cells),
            result,
            [(c.name, c.outcome, c.message) for c in checks],
        )
        place(self.folder / PAGE, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))

    def _report_step(self, step: str, where: str, what: str) -> None:
        self.steps.append((step, where, what))
        self.say(f"{step}: {where}: {what}")


def _what_came(count: Count) -> str:
    told = f"{counted(count.wanted, 'summary', 'summaries')}, {count.from_journal:,} of them from before"
    parts = (
        (count.refused, "refused"), (count.empty, "empty"), (count.unanswered, "without an answer"), (count.not_asked, "not asked"),
    )  # fmt: skip
    return told + "".join(f", {n:,} {name}" for n, name in parts if n)
