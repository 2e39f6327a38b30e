"""Commands for saved audits: ``fairbrief subgroups``, ``view``, ``compare``, ``power``, ``gate``, ``trend`` and ``rank``; and ``explain``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import typer

from fairbrief.atomic_files import write_text
from fairbrief.cli import input_options as inputs
from fairbrief.cli import options as o
from fairbrief.conclusions import MAX_LEFT_OUT
from fairbrief.errors import RequestError
from fairbrief.plan import Plan, crossed
from fairbrief.readers import ReadingSettings
from fairbrief.reports import explanation, exports, json_file, trend_page
from fairbrief.reports.audit_folder import claimed, load, replace_all
from fairbrief.reports.plain import printable
from fairbrief.reports.terminal import Place, print_labelled, print_result, print_tables, print_text
from fairbrief.text.counted import counted, listed
from fairbrief.types import Table

app = o.new_app()
SHOWN = 5
"""How many records with changed documents are named."""
STYLES = {"pass": "green", "fail": "bold red", "inconclusive": "yellow"}


@app.command()
def subgroups(
    folder: Path = o.SAVED_AUDIT,
    by: list[str] = o.option(..., "Attribute of the records; A,B crosses two.", "NAME[,NAME]", "--by"),
    out: Path | None = o.output_folder(None, "Folder for the audit with its subgroups."),
    details: bool = o.DETAILS,
) -> None:
    """Estimate each subgroup of the records of a saved audit; nothing is scored again.

    The values, intervals and differences of systems equal those of 'audit --by'. The permutation tests,
    and the intervals of unsigned scores, need the texts and are missing.

    Examples:
        fairbrief subgroups demo --by kind
        fairbrief subgroups audit --by topic --by topic,year --out by_topic
    """
    from fairbrief.saved import saved_inputs
    from fairbrief.saved.subgroups import subgroup_audit

    saved = load(folder)
    result = subgroup_audit(saved, crossed(by))
    if out is not None:
        with claimed(out) as place:
            now = replace_all(result, place)
            saved_inputs.copy(folder, json_file.identity(saved), place, now)
    print_result(result, details=details, place=Place(out, tables_first="subgroups"))


@app.command()
def view(
    folders: list[Path] = o.argument("Saved audits; two are shown side by side.", "DIR…"),
    port: int = o.option(0, "Port on this machine; 0: any free one.", "N", min=0, max=65535),
) -> None:
    """Browse all records of a saved audit, or of two, in a browser.

    Prints an address that works on this machine only, until Ctrl-C. The address contains a secret: anybody with it can
    read the texts.

    Examples:
        fairbrief view demo
        fairbrief view before after
    """
    from fairbrief.saved.compare import names_of
    from fairbrief.saved.view import Answers, OpenAudit, Server

    audits = [OpenAudit(folder, name) for folder, name in zip(folders, names_of(folders), strict=True)]
    for saved in audits:
        if saved.fault:
            typer.echo(f"{saved.name}: {saved.fault}", err=True)
    try:
        server = Server(Answers(audits), port)
    except OSError as error:
        raise RequestError(f"--port {port}: {error.strerror}. Give another port.") from error
    typer.echo(f"{server.address}\nPress Ctrl-C to stop.")
    with server:
        server.serve_forever()


@app.command()
def compare(
    first: Path = o.SAVED_AUDIT,
    second: Path = o.argument("Saved audit that is subtracted.", "BASELINE"),
    system: str | None = o.option(None, "System of the first audit, if it has several.", "NAME"),
    against: str | None = o.option(None, "System of the baseline; by default that of the same name.", "NAME"),
    details: bool = o.DETAILS,
) -> None:
    """Compare two saved audits on the records that both have: paired differences with interval and p.

    Examples:
        fairbrief compare demo demo --system rosy --against balanced
        fairbrief compare after before
    """
    from fairbrief.saved import compare as compared

    ours, theirs = load(first), load(second)
    candidate, baseline = compared.names_of((first, second))
    found = tuple(compared.compare(ours, theirs, system=system, against=against, names=(candidate, baseline)))
    if refused := compared.refused_settings(ours, theirs):
        print_text(f"The settings of the two audits differ: {refused}.", "yellow")
        typer.echo()
    typer.echo(f"Differences: {printable(candidate)} minus {printable(baseline)}\n")
    result = replace(ours, differences=found, estimates=(), tables=(), not_measured=(), skipped=())
    print_result(result, details=details, place=Place(can_save=False))
    for what, changed in compared.changed_sources(ours, theirs).items():
        records, named = counted(len(changed), "record"), listed([*map(printable, changed)], SHOWN)
        where = f"The {what} of {records} differ between the two audits: {named}"
        typer.echo(f"{where}. Differences may come from the {what}.", err=True)


@app.command()
def power(
    folder: Path = o.argument("Saved audit, e.g. of a pilot.", "DIR"),
    disparity: float | None = o.option(None, "Smallest group difference that matters to you, e.g. 0.2.", "X"),
    records: int | None = o.option(None, "Number of records; by default that of the audit.", "N"),
    measure: list[str] = o.several("Measure of the audit; by default all.", "SPEC"),
    quantity: list[str] = o.several("Number of a measure; by default group differences.", "NAME"),
    alpha: float = o.option(0.05, "Significance level, two-sided.", "X"),
    with_power: float = o.option(0.8, "Probability of detecting the difference.", "X", "--power"),
) -> None:
    """Show how many records detect a group difference, and which difference a number of records detects.

    Uses the standard errors of a saved audit.

    Examples:
        fairbrief power demo --disparity 0.2
        fairbrief power demo --records 200
    """
    from fairbrief.saved import power as prospects

    found = prospects.power(
        folder,
        disparity=disparity,
        records=records,
        measures=measure,
        quantities=quantity,
        alpha=alpha,
        power=with_power,
    )
    print_text(prospects.answer(found))
    print_tables(prospects.tables(found), is_below_text=True)


@app.command()
def gate(
    folder: Path = o.SAVED_AUDIT,
    most: list[str] = o.several("Upper limit, e.g. 'uer@sentiment:difference-random<=0.1'.", "RULE", "--max"),
    least: list[str] = o.several("Lower limit, e.g. 'rouge1>=0.3'.", "RULE", "--min"),
    baseline: Path | None = o.option(None, "Saved audit to compare with.", "DIR"),
    margin: float = o.option(0.0, "How much worse than the baseline a value may be.", "X"),
    measure: list[str] = o.several("Measure to compare by; by default all.", "SPEC"),
    allow_missing: list[str] = o.several("System or measure that may be missing, or 'records'.", "NAME"),
    max_left_out: float = o.option(
        MAX_LEFT_OUT, "Largest share of the input that may be skipped, refused, empty or unanswered.", "SHARE"
    ),
    junit: Path | None = o.output_file(None, "Also write the checks as JUnit XML.", "FILE"),
    markdown: Path | None = o.output_file(None, "Also write a summary in Markdown.", "FILE"),
) -> None:
    """Check a saved audit: exit status 0 if all checks pass, 1 if one fails, 3 if none fails but one is inconclusive.

    A RULE is MEASURE<=NUMBER or MEASURE>=NUMBER. MEASURE:QUANTITY limits another number of the measure, for every
    group unless [GROUP] follows. MEASURE:QUANTITY-random limits its difference from the random-sentence baseline.
    MEASURE{SYSTEM} limits one system only.

    A check passes if the whole confidence interval keeps the limit, fails if the whole interval breaks it, and is
    inconclusive otherwise. With --baseline, no group difference may be further than before from its random-sentence
    baseline by more than --margin, no quality may be lower, and no system, measure or record may be missing.

    Examples:
        fairbrief gate demo --max 'uer@sentiment:difference-random<=0.1'
        fairbrief gate demo --min 'rouge1{rosy}>=0.3'
        fairbrief gate after --baseline before --margin 0.1 --junit gate.xml
    """
    from fairbrief.saved import gate as checking
    from fairbrief.saved.gate_rules import junit_xml

    checks = checking.gate(
        folder,
        most=most,
        least=least,
        baseline=baseline,
        margin=margin,
        measures=measure,
        allow_missing=allow_missing,
        max_left_out=max_left_out,
    )
    outcome = checking.overall(checks)
    if junit is not None:
        write_text(junit, junit_xml(checks))
    if markdown is not None:
        rows = tuple((check.name, check.outcome, check.message) for check in checks)
        table = Table(f"Fairness gate: {outcome}", ("check", "outcome", "why"), rows)
        write_text(markdown, exports.markdown_table(table) + "\n")
    for check in checks:
        print_labelled(check.outcome, (check.name, check.message), STYLES[check.outcome])
    print_text(outcome, STYLES[outcome])
    raise typer.Exit(checking.EXIT[outcome])


@app.command()
def trend(
    folders: list[Path] = o.argument("Saved audits, or a folder of them.", "DIR…"),
    reference: int = o.option(28, "Number of first audits: the reference for later ones.", "N", min=7),
    baseline: list[Path] = o.several("Audits, or a folder of them, to use as the reference.", "DIR"),
    most: list[str] = o.several("Upper limit, as for 'fairbrief gate'.", "RULE", "--max"),
    least: list[str] = o.several("Lower limit, as for 'fairbrief gate'.", "RULE", "--min"),
    order: Literal["time", "given"] = o.option("time", "Order of the audits: by time, or as given.", "ORDER"),
    out: Path | None = o.output_file(None, "Also write a page.", "FILE.html"),
    markdown: Path | None = o.output_file(None, "Also write the answer in Markdown.", "FILE"),
    json: Path | None = o.output_file(None, "Also write all numbers in JSON.", "FILE"),
    details: bool = o.DETAILS,
) -> None:
    """Show which group differences drift, and since when: exit status 0 if none gets worse, 1 if one does, 3 if inconclusive.

    At most 5 % of years without a change raise an alarm, over all group differences together. The exit status is 1 if a
    group difference moved away from 0, or broke a limit of --max or --min. If inputs changed, too (lengths, shares of
    groups, languages), a move away from 0 is inconclusive.

    Examples:
        fairbrief trend nightly --out trend.html --markdown trend.md
        fairbrief trend nightly --baseline release --json trend.json
        fairbrief trend nightly --min 'coverage_parity@sentiment:relative_difference-random>=-0.15'
    """
    from fairbrief.saved.gate import EXIT
    from fairbrief.saved.trend import trend

    found = trend(folders, baseline=baseline, most=most, least=least, reference=reference, order=order)
    for asked, texts in trend_page.sentences(found).items():
        print_labelled(asked, texts)
    if details:
        print_tables(trend_page.tables(found), is_below_text=True)
    renders = (trend_page.as_page, trend_page.as_markdown, trend_page.as_json)
    for file, render in zip((out, markdown, json), renders, strict=True):
        if file is not None:
            write_text(file, render(found))
    typer.echo(found.outcome)
    raise typer.Exit(EXIT[found.outcome])


@app.command()
def rank(
    folders: list[Path] = o.argument("Saved audits, one per data set.", "DIR…"),
    system: list[str] = o.several("System to rank; by default all in every audit.", "NAME"),
    published: bool = o.switch("--published", "Rank by unsigned scores, without a baseline, as published."),
    plan: Plan = o.only("n_resamples", "seed", "confidence_level"),
) -> None:
    """Rank systems over several data sets, with intervals.

    The rank follows the mean over data sets of each measure's largest group difference, less the random-sentence
    baseline, scaled from 0 to 1.

    Examples:
        fairbrief rank reviews tweets news
        fairbrief rank reviews tweets --system lead --system chat
    """
    from fairbrief.saved import compare, ranking, saved_values

    compare.check_distinct(folders)
    audits = {name: load(folder) for name, folder in zip(compare.names_of(folders), folders, strict=True)}
    resampling = saved_values.Resampling(plan.n_resamples, plan.seed, plan.confidence_level)
    orders = ranking.overall(audits, system, resampling, published=published)
    print_tables([ranking.table(order, plan.confidence_level) for order in orders])


FORMS = {".json": explanation.as_json, ".html": explanation.as_page}


@app.command()
def explain(
    files: list[str] = o.argument("Files with records and summaries, or hf:NAME.", "FILE…"),
    measure: str = o.option(..., "Measure to explain, e.g. equal_coverage@sentiment.", "SPEC"),
    quantity: str | None = o.option(None, "Another number, e.g. 'difference[female]'.", "NAME"),
    id_: list[str] = o.several("Record to explain; by default the --top ones.", "ID", "--id"),
    system: list[str] = o.several("System to explain; by default all.", "NAME"),
    top: int = o.option(5, "Number of records to explain.", "N", min=1),
    out: Path | None = o.output_file(None, "Also write all to FILE.json or FILE.html.", "FILE"),
    cache: Path | None = o.CACHE,
    quiet: bool = o.QUIET,
    plan: Plan = o.only("n_resamples", "seed", "language"),
    options: ReadingSettings = o.all_but("system"),
) -> None:
    """Show which records, documents and sentences move a value: what it would be without each.

    Examples:
        fairbrief explain examples/reviews.jsonl --measure uer@sentiment --top 1
        fairbrief explain reviews.jsonl --measure uer@sentiment --id shop-12 --out why.html
    """
    from fairbrief.saved.explanations import explain

    if out is not None and out.suffix.lower() not in FORMS:
        raise RequestError(f"--out {out}: give a name that ends in {listed([*FORMS], conjunction='or')}.")
    reading = inputs.read_in_language(options, files)
    with inputs.progress_bar(reading, quiet=quiet) as progress:
        plan = replace(plan, **inputs.plan_settings(options), wrap=inputs.cached(cache), progress=progress)
        result = explain(reading, measure, plan, quantity=quantity, systems=system, ids=id_, top=top)
    print_tables([table for one in result for table in explanation.tables(one)], is_below_text=True)
    typer.echo()
    print_text(explanation.LEGEND, "dim")
    inputs.print_excluded(reading)
    if out is not None:
        write_text(out, FORMS[out.suffix.lower()](result))
        typer.echo(f"\nExplanation: {out}")
