"""``fairbrief sweep``: one summarizer over a grid of settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairbrief.cli import options as o
from fairbrief.cli import spending_options as spend
from fairbrief.cli.input_options import OF_SUMMARIES, ReadingOptions, cached, print_excluded, reading_options
from fairbrief.cli.output import print_audit, refuse_no_folder
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.types import Case
    from fairbrief.workbench.summarizing import Count, Spending

app = o.new_app()


@app.command()
@spend.spending_options
@o.plan_options("measures", "baseline", "n_resamples", "seed", "confidence_level")
@reading_options(*OF_SUMMARIES)
def sweep(
    files: list[str] = o.argument("Files with records to summarize.", "FILE…"),
    with_: str = o.option(..., "Summarizer, e.g. lead or chat:MODEL.", "SUMMARIZER", "--with"),
    out: Path = o.option(..., "Folder for the answers and the report.", "DIR"),
    prompt: str | None = o.option(None, "Prompts: built-in names or files.", "NAME|FILE,…"),
    over: str | None = o.OVER,
    temperature: str | None = o.option(None, "Temperatures, e.g. 0,.3,.7,1.", "T,…"),
    sentences: str | None = o.option(None, "Lengths in sentences, e.g. 1,3,5.", "N,…"),
    instruction: str | None = o.option(None, "Fairness instructions, e.g. none,definition.", "NAME,…"),
    set_: list[str] | None = o.option(
        None,
        "Another setting of the summarizer, e.g. words=20,40. Seeds are pooled as runs.",
        "NAME=V,…",
        "--set",
    ),
    samples: int | None = o.option(
        None,
        "Summaries per record and setting, pooled as runs.",
        "N",
        least=2,
    ),
    cache: Path | None = o.CACHE,
    details: bool = o.DETAILS,
    quiet: bool = o.QUIET,
    *,
    plan: Plan,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Summarize and audit over a grid of settings, and compare each with the first (or --baseline) by record.

    All prompts are checked before the first request. Answers that are already in the folder are reused.
    """
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.auditing.system_runs import Pooled
    from fairbrief.reports.audit_folder import claimed, replace_all
    from fairbrief.saved.examples import with_examples
    from fairbrief.scorers.chat_judge import within
    from fairbrief.workbench import sweep
    from fairbrief.workbench.summarizing import Count

    answers = out / sweep.ANSWERS
    spending = asking.spending(answers / sweep.JOURNAL)
    fixed = {name: str(value) for name, value in (("over", over), ("samples", samples)) if value is not None}
    named = {
        "prompt": prompt, "temperature": temperature, "sentences": sentences, "instruction": instruction,
    }  # fmt: skip
    cells = sweep.grid(with_, axes_of(named, set_ or ()), fixed=fixed | asking.of_model())
    refuse_no_folder(out)
    reading = options.read(files)
    plan = replace(
        plan,
        attributes=options.attributes,
        skips=options.skips,
        wrap=partial(
            within, spending.budget, spending.tally, then=cached(cache or answers / "scores.sqlite")
        ),
    )
    forecast = sweep.foresee(reading.records, cells, out, plan, spending.budget)
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    result = None
    try:
        with claimed(out) as folder, spend.keeping(out, answers):
            with spend.progress(spending, forecast.calls or None, quiet=quiet) as watch:
                counts = sweep.ask(reading.records, cells, out, watch, spending)
            if not quiet:
                systems = [job.system for job in sweep.jobs_of(cells, out)]
                print_counts(zip(systems, counts, strict=True), spending)
            result = sweep.audited(cells, out, plan)
            cases: Iterable[Case] = sweep.answers_of(cells, out)
            cases = Pooled(cases) if result.made.get("pools_runs") else cases
            result = with_examples(result, cases, Scorers(wrap=plan.wrap))
            replace_all(result, folder)
    finally:  # print the result even if it could not be written
        if result is not None:
            print_audit(result, details=details, folder=out, first="differences")
    print_excluded(reading)
    typer.echo(f"\nReport: {out / 'report.html'}   Answers: {answers}")
    spend.end_unfinished(Count.of_all(counts), spending.tally.failures)


def print_counts(counts: Iterable[tuple[str, Count]], spending: Spending) -> None:
    """Print to standard error each cell's counts, all requests, and why some failed."""
    for name, count in counts:
        left = f", {count.not_asked:,} not asked" if count.not_asked else ""
        typer.echo(
            f"{name}: {counted(count.wanted, 'summary', 'summaries')}, {count.from_journal:,} on disk already, "
            f"{count.refused:,} refused, {count.empty:,} empty, {count.unanswered:,} unanswered{left}",
            err=True,
        )
    if spending.tally.requests:
        charged = spend.charged(spending.tally, spending.budget.price)
        typer.echo(", ".join([counted(spending.tally.requests, "request"), *charged]), err=True)
    spend.print_failures(spending.tally)


def axes_of(named: dict[str, str | None], others: Sequence[str]) -> dict[str, list[str]]:
    """Setting → values, from the options and from ``--set NAME=V,…``; RequestError if one is given twice."""
    axes: dict[str, list[str]] = {}
    given = [(name, values) for name, values in named.items() if values is not None]
    for text in others:
        name, equals, values = text.partition("=")
        if not (name.strip() and equals):
            raise RequestError(f"--set {text}: write --set NAME=VALUE,VALUE.")
        given.append((name.strip(), values))
    for name, values in given:
        if name in axes:
            raise RequestError(
                f"The setting '{name}' is given twice: give all its values at once, as in {name}=1,2."
            )
        axes[name] = [value.strip() for value in values.split(",")]
        if "" in axes[name]:
            raise RequestError(
                f"The setting '{name}' has an empty value: separate values by commas, as in {name}=1,2."
            )
    return axes
