"""``fairbrief sweep``: one summarizer over a grid of settings, summarized, audited and compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli import spending_options as spend
from fairbrief.cli.input_options import OF_SUMMARIES, ReadingOptions, cached, reading_options, tell_left_out
from fairbrief.cli.option_types import AuditedAttribute, Cache, Confidence, Details, Over, Permutations, Quiet
from fairbrief.cli.output_folder import refuse_no_folder
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.workbench.answers import Count
    from fairbrief.workbench.summarizing import Spending

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[list[str], typer.Argument(help="Files with records to summarize.", metavar="FILE…")]
With = Annotated[
    str, typer.Option("--with", help="Summarizer, e.g. lead or chat:MODEL.", metavar="SUMMARIZER")
]
Out = Annotated[Path, typer.Option(help="Folder for the answers and the report.", metavar="DIR")]
Prompt = Annotated[str | None, typer.Option(help="Prompts: shipped names or files.", metavar="NAME|FILE,…")]
Samples = Annotated[
    int | None,
    typer.Option(
        help="Summaries per record and setting: runs, which are pooled; their spread is shown apart.",
        min=2,
        metavar="N",
    ),
]
Temperature = Annotated[str | None, typer.Option(help="Temperatures, e.g. 0,.3,.7,1.", metavar="T,…")]
Sentences = Annotated[str | None, typer.Option(help="Lengths in sentences, e.g. 1,3,5.", metavar="N,…")]
Instruction = Annotated[
    str | None, typer.Option(help="Named instructions, e.g. none,definition.", metavar="NAME,…")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Any other setting of the summarizer, e.g. words=20,40. Several seeds are runs of each setting.",
        metavar="NAME=V,…",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option("--measure", help="Measure to take. Without it: all that the file allows.", metavar="SPEC"),
]
Baseline = Annotated[
    str | None,
    typer.Option(help="Setting that others are compared with; without it, the first.", metavar="NAME"),
]
Seed = Annotated[int, typer.Option(help="Seed of the audit's random numbers.", min=0, metavar="N")]


@app.command()
@spend.spending_options
@reading_options(*OF_SUMMARIES)
def sweep(
    files: Files,
    with_: With,
    out: Out,
    prompt: Prompt = None,
    over: Over = None,
    temperature: Temperature = None,
    sentences: Sentences = None,
    instruction: Instruction = None,
    set_: Set = None,
    samples: Samples = None,
    measure: MeasureOption = None,
    attribute: AuditedAttribute = None,
    baseline: Baseline = None,
    seed: Seed = 0,
    n_resamples: Permutations = 2000,
    confidence_level: Confidence = 0.95,
    cache: Cache = None,
    details: Details = False,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
    asking: spend.SpendingOptions,
) -> None:
    """Summarize and audit over a grid of settings; each is compared, by record, with the first (or --baseline).

    All prompts are filled before anything is asked. Answers that are in the folder already are not asked for again.
    """
    from rich.console import Console

    from fairbrief.auditing import Plan
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports import terminal
    from fairbrief.reports.audit_folder import replace_all
    from fairbrief.reports.folder_claim import claimed
    from fairbrief.saved.examples import with_examples
    from fairbrief.workbench import sweep
    from fairbrief.workbench.answers import Count
    from fairbrief.workbench.grid import grid
    from fairbrief.workbench.sweep_tables import write_tidy

    spending = asking.spending(out / sweep.ANSWERS / sweep.JOURNAL)
    fixed = {name: str(value) for name, value in (("over", over), ("samples", samples)) if value is not None}
    axes = axes_of(
        (
            ("prompt", prompt),
            ("temperature", temperature),
            ("sentences", sentences),
            ("instruction", instruction),
        ),
        set_ or (),
    )
    cells = grid(with_, axes, fixed=fixed | asking.of_model())
    refuse_no_folder(out)
    reading = options.read(files, attribute)
    plan = Plan(
        measures=measure or (),
        attributes=[text.partition("=")[0] for text in attribute or ()],
        baseline=baseline,
        seed=seed,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        skips=options.skips,
        wrap=sweep.charging(spending, {}, cached(cache or out / sweep.ANSWERS / "scores.sqlite")),
    )
    forecast = sweep.foresee(reading.records, cells, out, plan, spending.budget)
    if asking.dry_run:
        spend.print_forecast(forecast, spending.budget)
        return
    jobs = [job for cell in cells for job in cell.jobs(out / sweep.ANSWERS)]
    result = None
    try:
        with claimed(out) as folder:
            with (
                spend.keeping(out, out / sweep.ANSWERS),
                spend.progress(spending, forecast.calls or None, quiet=quiet) as watch,
            ):
                counts = sweep.ask(reading.records, jobs, out, watch, spending)
            if not quiet:
                tell(zip([job.system for job in jobs], counts, strict=True), spending)
            answers = {job.system: job.out for job in jobs}
            result = sweep.audited(cells, answers, out, plan)
            result = with_examples(result, sweep.cases_of(cells, answers), Scorers(wrap=plan.wrap))
            replace_all(result, folder)
            write_tidy(result, cells, out / "results.csv")
    finally:  # what was computed is shown though it could not be written; and written before it is shown
        if result is not None:
            terminal.print_result(result, Console(), details=details)
    tell_left_out(reading)
    typer.echo(
        f"\nReport: {out / 'report.html'}   Numbers: {out / 'results.csv'}   Answers: {out / sweep.ANSWERS}"
    )
    whole = Count.of_all(counts)
    whole.stopped = whole.stopped or str(result.made.get(sweep.STOPPED, ""))
    spend.end_unfinished(whole, spending.tally.failures)


def tell(counts: Iterable[tuple[str, Count]], spending: Spending) -> None:
    """What became of each cell's summaries, what was sent in all, and why some failed; on standard error."""
    for name, count in counts:
        left = f", {count.not_asked:,} not asked" if count.not_asked else ""
        typer.echo(
            f"{name}: {counted(count.wanted, 'summary', 'summaries')}, {count.from_journal:,} on disk already, "
            f"{count.refused:,} refused, {count.empty:,} empty, {count.unanswered:,} unanswered{left}",
            err=True,
        )
    if spending.tally.requests:
        sent = [
            counted(spending.tally.requests, "request"),
            *spend.charged(spending.tally, spending.budget.price),
        ]
        typer.echo(", ".join(sent), err=True)
    spend.tell_failures(spending.tally)


def axes_of(named: Sequence[tuple[str, str | None]], others: Sequence[str]) -> dict[str, list[str]]:
    """Setting → values, from the options and from ``--set NAME=V,…``; RequestError if one is told twice."""
    axes: dict[str, list[str]] = {}
    told = [(name, values) for name, values in named if values is not None]
    for text in others:
        name, equals, values = text.partition("=")
        if not (name.strip() and equals):
            raise RequestError(f"--set {text}: write --set NAME=VALUE,VALUE.")
        told.append((name.strip(), values))
    for name, values in told:
        if name in axes:
            raise RequestError(f"The setting '{name}' is swept twice: give all its values at once.")
        axes[name] = [value.strip() for value in values.split(",")]
        if "" in axes[name]:
            raise RequestError(f"An empty value of '{name}': write values with commas between them.")
    return axes
