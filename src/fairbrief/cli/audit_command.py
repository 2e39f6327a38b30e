"""``fairbrief audit``: one command from a file to a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief import process_settings
from fairbrief.cli.input_options import ReadingOptions, cached, progress_bar, reading_options, tell_notes
from fairbrief.cli.option_types import (
    AuditedAttribute,
    AuditFolder,
    Cache,
    Confidence,
    Details,
    DryRun,
    Language,
    Permutations,
    PriceOption,
    Quiet,
)
from fairbrief.cli.output_folder import held, refuse_no_folder
from fairbrief.errors import RequestError

if TYPE_CHECKING:
    from fairbrief.auditing import Plan
    from fairbrief.chat.replies import Question
    from fairbrief.reports.result import Result
    from fairbrief.types import Case

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

SHOWN_RUNS = 3

Files = Annotated[
    list[str],
    typer.Argument(
        help="Files (also s3://…, gs://…, abfs://…) or saved data sets with records and summaries, or hf:NAME.",
        metavar="FILE…",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Measure to take, e.g. 'bur(tau=0.9)@sentiment'. Without it: all that the file allows.",
        metavar="SPEC",
    ),
]
Protocol = Annotated[
    str | None, typer.Option(help="Run a paper's whole protocol and print its tables.", metavar="NAME")
]
Ordered = Annotated[
    bool,
    typer.Option(
        "--ordered",
        help="A record's documents stand in an order that means something (turns, posts by date): take measures of position, too.",
    ),
]
SliceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slice", help="Also estimate by a record attribute; A,B crosses two.", metavar="NAME[,NAME]"
    ),
]
Control = Annotated[
    list[str] | None,
    typer.Option(help="Audit a control beside the systems, e.g. exchanged or whole_source.", metavar="NAME"),
]
Controls = Annotated[bool, typer.Option("--controls", help="Audit all controls beside the systems.")]
References = Annotated[
    bool,
    typer.Option("--references", help="Audit the references too, as systems 'reference 1', 'reference 2' …."),
]
PoolRuns = Annotated[
    bool,
    typer.Option(
        "--pool-runs",
        help="Treat NAME#1, NAME#2 … as runs of one system; their spread is reported apart.",
    ),
]
Baseline = Annotated[
    str | None, typer.Option(help="System that the others are compared with.", metavar="SYSTEM")
]
Primary = Annotated[
    list[str] | None,
    typer.Option(
        help="What the audit is about, named in advance, e.g. coverage_parity@sentiment: reports lead with it, and p-values are "
        "corrected among these only.",
        metavar="SPEC",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers; recorded.", min=0, metavar="N")]
CheckScorers = Annotated[
    bool | None,
    typer.Option(
        "--check-scorers/--no-check-scorers",
        help="Check scorers on sources that differ only in the group. Without it: only scorers without a model are checked.",
        show_default=False,
    ),
]
Scorers = Annotated[
    str,
    typer.Option(
        "--scorers",
        help="Take the measures of coverage and representation with each of these scorers, e.g. containment,ngram,embedding, and say "
        "whether a finding depends on the scorer.",
        metavar="NAME,NAME…",
        show_default=False,
    ),
]
Extracts = Annotated[
    int | None,
    typer.Option(
        help="Random extracts of each source, a baseline for the summaries; 0: none. Without it: 200 where the scorer needs no model.",
        min=0,
        metavar="N",
        show_default=False,
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        help="Processes that score and observe; 0: one per core. Results are the same with any number. Models stay in the main process, except with --models-in-workers.",
        min=0,
        metavar="N",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        help="Where the work is done: processes, ray (a cluster that runs here), ray:ADDRESS, or a plug-in's name. "
        "Results are the same on each.",
        metavar="NAME[:ADDRESS]",
        show_default=False,
    ),
]
ModelsInWorkers = Annotated[
    bool,
    typer.Option(
        "--models-in-workers",
        help="Let each worker hold its own models, on its own device where there are several, instead of the main "
        "process alone. Scores then repeat to 1e-5. Chat services are still asked from here.",
    ),
]


@app.command()
@reading_options()
def audit(
    files: Files,
    attribute: AuditedAttribute = None,
    measure: MeasureOption = None,
    protocol: Protocol = None,
    scorers: Scorers = "",
    ordered: Ordered = False,
    out: AuditFolder = None,
    slice_by: SliceOption = None,
    control: Control = None,
    controls: Controls = False,
    references: References = False,
    pool_runs: PoolRuns = False,
    baseline: Baseline = None,
    primary: Primary = None,
    seed: Seed = 0,
    n_resamples: Permutations = 2000,
    confidence_level: Confidence = 0.95,
    extracts: Extracts = None,
    language: Language = "",
    cache: Cache = None,
    workers: Workers = 1,
    engine: Engine = "",
    models_in_workers: ModelsInWorkers = False,
    check_scorers: CheckScorers = None,
    dry_run: DryRun = False,
    price: PriceOption = None,
    details: Details = False,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Audit summaries: value, interval, chance level and p of every measure that the file allows."""
    from dataclasses import replace

    from fairbrief.auditing import Plan
    from fairbrief.auditing import audit as run
    from fairbrief.auditing.control_systems import CONTROLS
    from fairbrief.auditing.scorer_lookup import Scorers as Lookup
    from fairbrief.auditing.sensitivity import listed as named_scorers
    from fairbrief.auditing.system_runs import Pooled
    from fairbrief.reports.audit_folder import ahead_in, replace_all
    from fairbrief.saved import saved_inputs
    from fairbrief.saved.examples import with_examples

    process_settings.keep_loaded()

    if protocol and measure:
        raise RequestError("--protocol brings its own measures: drop --measure, or run the two apart.")
    refuse_no_folder(out)
    plan = Plan(
        measures=measure or (),
        attributes=[text.partition("=")[0] for text in attribute or ()],
        protocol=protocol,
        compared_scorers=named_scorers(scorers),
        ordered=ordered,
        slices=[[name.strip() for name in text.split(",")] for text in slice_by or ()],
        controls=list(dict.fromkeys([*(control or ()), *(CONTROLS if controls else ())])),
        baseline=baseline,
        primary=primary or (),
        seed=seed,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        n_extracts=extracts,
        pools_runs=pool_runs,
        skips=options.skips,
        check_scorers=check_scorers,
        wrap=cached(cache),
        language=language,
        workers=workers,
        engine=engine,
        models_in_workers=models_in_workers,
    )
    if dry_run:
        print_judges(_reading(options, files, attribute, measure, references=references), plan, cache, price)
        return
    if price is not None:
        raise RequestError("--price is for --dry-run: without it an audit prints no cost.")
    result = None
    try:
        with held(out) as folder, ahead_in(folder, plan.threads) as ahead:
            reading = _reading(options, files, attribute, measure, references=references)
            with progress_bar(reading, quiet=quiet) as progress:
                settled = None if ahead is None else ahead.begin
                result = run(reading, replace(plan, progress=progress), settled)
            notes = [*reading.notes, *_notes_of_runs(result.made["systems"])]
            beneath = reading.reading if references else reading
            names = [
                Path(f).name if isinstance(f, str) else f.name for f in saved_inputs.each(files, beneath)
            ]
            made = {**result.made, "files": names, "notes": notes}
            tell_notes(notes, quiet=quiet)
            result = replace(result, made=made)
            if folder is not None:
                cases = Pooled(reading) if pool_runs else reading
                lookup = Lookup(wrap=cached(cache))
                _, identity = replace_all(
                    result, folder, lambda found: with_examples(found, cases, lookup), ahead
                )
                saved_inputs.write(folder, files, attribute or (), options.told(), beneath, identity)
    finally:  # what was computed is shown though it could not be written; and written before it is shown
        if result is not None and not quiet:
            _show(result, has_report=out is not None, details=details)
    if out is not None:
        typer.echo(
            f"\nReport: {out / 'report.html'}   Numbers: {out / 'results.json'}   Evidence: {out / 'evidence'}"
        )


def _show(result: Result, *, has_report: bool, details: bool) -> None:
    from rich.console import Console

    from fairbrief.reports import terminal

    rest = terminal.WITH_A_REPORT if has_report else terminal.Rest(place="in the report that --out writes")
    terminal.print_result(result, Console(), details=details, rest=rest)


def _reading(
    options: ReadingOptions,
    files: list[str],
    attribute: list[str] | None,
    measures: list[str] | None,
    *,
    references: bool,
) -> Any:
    """The cases of the files; with ``references`` those that people wrote, too."""
    reading = options.read(files, attribute, _overs(measures))
    if not references:
        return reading
    from fairbrief.readers.references import WithReferences

    return WithReferences(reading)


def _notes_of_runs(systems: Sequence[str]) -> list[str]:
    """That some systems look like runs of one, if they do."""
    from fairbrief.auditing.system_runs import unpooled

    found = unpooled(systems)
    if not found:
        return []
    shown = ", ".join(found[:SHOWN_RUNS]) + (" …" if len(found) > SHOWN_RUNS else "")
    told = f"{shown} are named like runs of one system, and each was audited by itself"
    return [f"{told}: --pool-runs pools them, and tells how far they differ."]


def _overs(measures: list[str] | None) -> list[str]:
    """The attributes that measures are asked for over."""
    from fairbrief import specs

    return [over for text in measures or () if (over := specs.parse(text).over) is not None]


# ----------------------------------------------------------------------- what judges would be asked


def print_judges(cases: Iterable[Case], plan: Plan, cache: Path | None, price: str | None) -> None:
    """Go the audit's whole way with judges that answer nothing, and print what they would have been asked."""
    from dataclasses import replace

    from fairbrief.auditing import audit
    from fairbrief.chat.spending import Budget, price_of
    from fairbrief.cli import spending_options as spend
    from fairbrief.engines.score_cache import Store
    from fairbrief.scorers.foreseen import foreseeing
    from fairbrief.workbench.summarizing import Forecast

    forecast = Forecast()
    shown: set[str] = set()

    def tell(name: str, question: Question) -> None:
        forecast.wanted += 1
        forecast.ask(question)
        if name not in shown:
            shown.add(name)
            forecast.show(name, question)

    def held(maker: str, keys: Sequence[tuple[str, ...]]) -> Collection[tuple[str, ...]]:
        if cache is None:
            return ()
        with closing(Store(cache)) as store:
            found = store.read(maker, keys)
        forecast.wanted += len(found)
        return found

    audit(
        cases,
        replace(
            plan, n_resamples=0, wrap=foreseeing(tell, held), workers=1, engine="", models_in_workers=False
        ),
    )
    spend.print_forecast(forecast, Budget(price=price_of(price)))
