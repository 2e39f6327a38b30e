"""Commands for saved audits: ``fairbrief subgroups``, ``report``, ``view``, ``compare``, ``power``, ``gate`` and ``rank``; and ``explain``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    progress_bar,
    reading_options,
    suppose_language,
    tell_left_out,
)
from fairbrief.cli.output import (
    held,
    print_audit,
    print_tables,
    refuse_no_folder,
    refuse_overwriting,
    write_text,
)
from fairbrief.errors import DataError, RequestError
from fairbrief.plan import Plan, crossed
from fairbrief.saved.gate_rules import GateSettings, junit_xml

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.saved.saved_inputs import Inputs

app = o.new_app()
SHOWN = 5
"""Records that are named where their documents changed."""
STYLES = {"pass": "green", "fail": "bold red", "inconclusive": "yellow"}


@app.command()
def subgroups(
    folder: Path = o.SAVED_AUDIT,
    by: list[str] = o.option(
        ..., "Attribute of the records to estimate by; A,B crosses two.", "NAME[,NAME]", "--by"
    ),
    out: Path | None = o.option(
        None, "Folder for the audit with its subgroups, as 'audit --out' writes it.", "DIR"
    ),
    details: bool = o.DETAILS,
) -> None:
    """Estimate a saved audit by attributes of its records, from its evidence: nothing is scored again.

    Values, differences of systems, chance-adjusted scores and their intervals are those of 'audit --by'. The
    permutation test, its chance level, and the intervals of unsigned scores, which depend on it, need the texts and
    are left out.
    """
    from fairbrief.reports import load
    from fairbrief.reports.audit_folder import replace_all
    from fairbrief.reports.json_file import identity
    from fairbrief.saved import saved_inputs
    from fairbrief.saved.subgroups import subgroup_audit

    refuse_no_folder(out)
    saved = load(folder)
    result = subgroup_audit(saved, crossed(by))
    with held(out) as place:
        if place is not None:
            _, now = replace_all(result, place)
            saved_inputs.copy(folder, identity(saved), place, now)
    print_audit(result, details=details, folder=out, first="subgroups")


@app.command()
def report(
    folder: Path = o.SAVED_AUDIT,
    format_: str = o.option(
        "terminal",
        "terminal, markdown, latex, csv, model-card, or html (rewrites report.html).",
        "FORMAT",
        "--format",
    ),
    to: str | None = o.option(
        None, "Send it to an experiment tracker, mlflow or wandb, with its client's own settings.", "TRACKER"
    ),
    details: bool = o.DETAILS,
) -> None:
    """Print the report of a saved audit, write it again, or send it to an experiment tracker."""
    from fairbrief.reports import exports, html, load, trackers
    from fairbrief.reports.audit_folder import place

    result = load(folder)
    if to is not None:
        typer.echo(f"Sent to {trackers.send(result, folder, to)}")
        return
    match format_:
        case "terminal":
            print_audit(result, details=details, folder=folder)
        case "markdown":
            typer.echo(exports.markdown(result))
        case "latex":
            typer.echo(exports.latex(result))
        case "csv":
            typer.echo(exports.csv_text(result), nl=False)
        case "model-card":
            typer.echo(trackers.model_card(result), nl=False)
        case "html":
            place(folder / "report.html", lambda page: html.write(result, page))
            typer.echo(f"Written: {folder / 'report.html'}")
        case other:
            raise RequestError(
                f"No format '{other}'. Formats: terminal, markdown, latex, csv, model-card, html."
            )


@app.command()
def view(
    folders: list[Path] = o.argument("Folders that audits wrote with --out; two are compared.", "DIR…"),
    port: int = o.option(0, "Port on this machine; 0: any that is free.", "N", least=0, most=65535),
) -> None:
    """Serve a page with all records of saved audits, to this machine only, until it is interrupted.

    The address holds a secret: whoever has it can read the texts. They are read from the inputs of the audit.
    """
    from fairbrief.saved.compare import names_of
    from fairbrief.saved.view_answers import Answers, open_audit
    from fairbrief.saved.view_server import Server

    names = names_of(folders)
    audits = [open_audit(folder, read_inputs, name) for folder, name in zip(folders, names, strict=True)]
    for saved in audits:
        if saved.fault:
            typer.echo(f"{saved.name}: {saved.fault}", err=True)
    try:
        server = Server(Answers(audits), port)
    except OSError as error:
        raise RequestError(
            f"Port {port} cannot be used ({error.strerror}). Name another with --port, or none."
        ) from error
    typer.echo(f"{server.address}\nCtrl-C ends it.")
    with server:
        server.serve_forever()


def read_inputs(files: Sequence[str], inputs: Inputs) -> Reading:
    """The files, read with the options that the audit read its inputs with."""
    from fairbrief.cli.input_options import ReadingOptions

    try:
        options = ReadingOptions(**inputs.options)
    except TypeError as error:
        raise DataError(f"inputs.json is of another version: {error}. Run the audit again.") from error
    return options.read(files, inputs.attributes)


@app.command()
def compare(
    first: Path = o.SAVED_AUDIT,
    second: Path = o.argument("Folder of the audit that is subtracted.", "BASELINE"),
    system: str | None = o.option(None, "System of the first audit, if it holds several.", "NAME"),
    against: str | None = o.option(
        None, "System of the baseline, if it holds several and none has that name.", "NAME"
    ),
    details: bool = o.DETAILS,
) -> None:
    """Compare two saved audits on the records that both answered: paired differences with interval and p."""
    from fairbrief.reports import load
    from fairbrief.reports.plain import printable
    from fairbrief.saved.compare import changed_sources, names_of
    from fairbrief.saved.compare import compare as differences
    from fairbrief.text.counted import counted

    ours, theirs = load(first), load(second)
    candidate, baseline = names_of((first, second))
    found = tuple(differences(ours, theirs, system=system, against=against, names=(candidate, baseline)))
    typer.echo(f"Differences: candidate {printable(candidate)} minus baseline {printable(baseline)}\n")
    result = replace(
        ours, differences=found, estimates=(), top_cases=(), tables=(), not_measured=(), skipped=()
    )
    print_audit(result, details=details, can_save=False)
    if changed := changed_sources(ours, theirs):
        named = ", ".join(printable(ident) for ident in changed[:SHOWN])
        typer.echo(
            f"The documents of {counted(len(changed), 'record')} are not the same in the two audits: "
            f"{named}{'…' if len(changed) > SHOWN else ''}. There the difference is that of the documents as well.",
            err=True,
        )


@app.command()
def power(
    folder: Path | None = o.argument("Folder that an audit wrote with --out, e.g. of a pilot.", "DIR", None),
    disparity: float | None = o.option(
        None, "Size of the disparity that is to be shown, in the contrast's own units.", "X"
    ),
    records: int | None = o.option(
        None, "Say what N records would show; by default what those of the audit show.", "N"
    ),
    measure: list[str] | None = o.option(None, "Measure of the audit; by default each.", "SPEC"),
    quantity: list[str] | None = o.option(
        None, "Quantity of a measure, e.g. chance-adjusted score; by default the signed contrasts.", "NAME"
    ),
    se: float | None = o.option(None, "Without an audit: a standard error that is known.", "X"),
    clusters: int | None = o.option(None, "Number of clusters behind --se.", "N"),
    alpha: float = o.option(0.05, "Level of significance, two-sided.", "X"),
    with_power: float = o.option(
        0.8, "Probability that the disparity is shown, if there is one.", "X", "--power"
    ),
) -> None:
    """Say how many records would show a disparity, and how large a disparity a number of records would show.

    The standard errors are those of a saved audit's signed contrasts, or one given by --se.
    """
    from fairbrief.reports import load
    from fairbrief.saved import power as prospects

    question = prospects.Question(disparity, records, alpha, with_power)
    if folder is not None and se is None and clusters is None:
        found = prospects.power(load(folder), question, measure or (), quantity or ())
    elif folder is None and se is not None and clusters is not None:
        if measure or quantity:
            raise RequestError("--measure and --quantity choose from an audit: with --se there is none.")
        found = [prospects.planned(se, clusters, question)]
    else:
        raise RequestError(
            "Give the folder of an audit, or, without one, a standard error with its clusters: --se X --clusters N."
        )
    typer.echo(prospects.answer(found, question))
    print_tables(prospects.tables(found, question))


@app.command()
@o.options_of(GateSettings, "limits")
def gate(
    folder: Path = o.SAVED_AUDIT,
    junit: Path | None = o.option(None, "Write the checks as JUnit XML.", "FILE"),
    markdown: Path | None = o.option(None, "Write a summary in Markdown.", "FILE"),
    *,
    limits: GateSettings,
) -> None:
    """Hold a saved audit to limits: exit 0 if all pass, 1 if one fails, 3 if one is inconclusive.

    The interval decides: a check passes if the whole interval keeps the limit, fails if the whole
    interval breaks it, and is inconclusive if the limit is inside the interval. MEASURE:QUANTITY-random limits a group
    difference less its random-sentence baseline; without [GROUP], the limit holds for every group. With
    --baseline, no group difference may be further from its random-sentence baseline than before by more than --margin,
    no quality lower, and no system, measure or record of the baseline may be missing.
    """
    from rich.console import Console
    from rich.text import Text

    from fairbrief.reports.exports import markdown_table
    from fairbrief.saved import gate
    from fairbrief.types import Table

    refuse_overwriting(junit, (), "--junit")
    refuse_overwriting(markdown, (), "--markdown")
    checks = limits.checks(folder)
    outcome = gate.overall(checks)
    if junit is not None:
        write_text(junit, junit_xml(checks))
    if markdown is not None:
        rows = tuple((check.name, check.outcome, check.message) for check in checks)
        table = Table(f"Fairness gate: {outcome}", ("check", "outcome", "why"), rows)
        write_text(markdown, markdown_table(table) + "\n")
    console = Console()
    for check in checks:
        console.print(Text.assemble((f"{check.outcome:13}", STYLES[check.outcome]), check.name))
        console.print(Text(f"{'':13}{check.message}", style="dim"))
    console.print(Text(outcome, style=STYLES[outcome]))
    raise typer.Exit(gate.EXIT[outcome])


@app.command()
@o.plan_options("n_resamples", "seed", "confidence_level")
def rank(
    folders: list[Path] = o.argument("Folders that audits wrote with --out, one per data set.", "DIR…"),
    system: list[str] | None = o.option(None, "System to rank; by default all that every audit has.", "NAME"),
    published: bool = o.switch(
        "--published", "The published order: by unsigned scores, without the random-sentence baseline."
    ),
    *,
    plan: Plan,
) -> None:
    """Overall order of systems: mean over data sets of min–max-normalised disparities, with intervals.

    Ordered by each measure's largest group difference, less the system's own random-sentence baseline.
    """
    from fairbrief.reports import load
    from fairbrief.saved.ranking import overall, table
    from fairbrief.saved.saved_values import Resampling

    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        raise RequestError(f"Two of the folders have one name: {', '.join(names)}. It names the data set.")
    orders = overall(
        {name: load(folder) for name, folder in zip(names, folders, strict=True)},
        system or (),
        Resampling(plan.n_resamples, plan.seed, plan.confidence_level),
        published=published,
    )
    tables = [table(order, plan.confidence_level) for order in orders]
    for this, after in zip(tables, [*tables[1:], None], strict=True):
        again = () if after is None else after.notes  # printed below the last table that they hold for
        print_tables([replace(this, notes=tuple(n for n in this.notes if n not in again))])


FORMS = (".json", ".md", ".html")


@app.command()
@o.in_language
@o.plan_options("n_resamples")
@reading_options("system")
def explain(
    files: list[str] = o.argument("Files or folders with records and summaries, or hf:NAME.", "FILE…"),
    measure: str = o.option(..., "Measure to explain, e.g. equal_coverage@sentiment.", "SPEC"),
    quantity: str | None = o.option(
        None, "One of the measure's other values, e.g. 'difference[female]'.", "NAME"
    ),
    id_: list[str] | None = o.option(
        None, "Record to look into; by default those that move the value most.", "ID", "--id"
    ),
    system: list[str] | None = o.option(None, "System to explain; by default each.", "NAME"),
    top: int = o.option(5, "How many records to look into.", "N", least=1),
    out: Path | None = o.option(None, "Also write all of it: FILE.json, FILE.md or FILE.html.", "FILE"),
    cache: Path | None = o.CACHE,
    quiet: bool = o.QUIET,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Show why a value is what it is: what it would be without a record, a document or a sentence."""
    from rich.console import Console

    from fairbrief.reports import explanation
    from fairbrief.saved import explanations

    if out is not None and out.suffix.lower() not in FORMS:
        raise RequestError(f"--out {out}: its name ends in {', '.join(FORMS[:-1])} or {FORMS[-1]}.")
    reading = options.read(files)
    suppose_language(reading)
    refuse_overwriting(out, reading.files)
    with progress_bar(reading, quiet=quiet) as progress:
        found = explanations.explain(
            reading,
            measure,
            attributes=options.attributes,
            quantity=quantity,
            systems=system or (),
            ids=id_ or (),
            top=top,
            wrap=cached(cache),
            skips=options.skips,
            progress=progress,
            n_resamples=plan.n_resamples,
        )
    explanation.print_all(found, Console())
    tell_left_out(reading)
    if out is not None:
        renders = (explanation.as_json, explanation.as_markdown, explanation.as_page)
        write_text(out, dict(zip(FORMS, renders, strict=True))[out.suffix.lower()](found))
        typer.echo(f"\nExplanation: {out}")
