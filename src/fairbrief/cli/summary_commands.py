"""Commands that make summaries: ``fairbrief summarize``, ``claims`` (of summaries), ``sweep`` (a grid of settings) and ``choose``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

import typer

from fairbrief import registry
from fairbrief.chat.client import Asker
from fairbrief.chat.endpoint import EMPTY, REFUSED, UNANSWERED, LimitReached, Tally
from fairbrief.chat.journal import journal_of, keys_in
from fairbrief.cli import input_options as inputs
from fairbrief.cli import options as o
from fairbrief.cli.command_line import INCOMPLETE
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.plan import Plan
from fairbrief.readers import Reading, ReadingSettings, read
from fairbrief.reports.plain import printable
from fairbrief.serialization import case_line, write_lines
from fairbrief.text.counted import counted
from fairbrief.workbench.claims import LISTED, Splitter, Splitting, instruction_in
from fairbrief.workbench.summarizers.prompts import find, prompt_of
from fairbrief.workbench.summarizing import (
    NOT_ASKED,
    Count,
    Forecast,
    Items,
    Job,
    Price,
    foresee,
    summarize_all,
)

app = o.new_app()


def price_of(text: str | None) -> Price | None:
    """The price in ``IN,OUT``; None without a text."""
    if text is None:
        return None
    try:
        prompt, answer = map(float, text.split(","))
    except ValueError:
        prompt = answer = -1.0
    if not (0 <= prompt < inf and 0 <= answer < inf):
        raise RequestError(f"--price {text}: give the price per million tokens of prompt,answer: 0.15,0.6.")
    return Price(prompt, answer)


def print_forecast(forecast: Forecast, price: Price | None) -> None:
    """Print the planned requests, and one prompt of each kind."""
    for line in forecast.lines(price):
        typer.echo(line)
    for text, asked_by in forecast.examples.items():
        typer.echo(f"\n── {printable(asked_by)}\n{printable(text, lines=True)}")
    typer.echo("\nNothing was sent.")


REJECTED = ("400", "413", "422")
"""Kinds of failure that repeat if the same question is sent again."""


class Run:
    """A run that asks models: its jobs, the records or cases, its requests, and the journal that stores the answers."""

    def __init__(
        self, jobs: Sequence[Job], items: Items, journal: Path, asking: o.SpendingOptions, *, quiet: bool
    ) -> None:
        """Fill in all prompts; with ``--dry-run``, print the forecast and end the command."""
        self.jobs, self.items, self.journal, self.quiet = jobs, items, journal, quiet
        self.price = price_of(asking.price)
        self.tally = Tally(asking.max_requests)
        forecast = foresee(jobs, items, keys_in(journal))
        self.calls = forecast.calls
        if asking.dry_run:
            print_forecast(forecast, self.price)
            raise typer.Exit

    def answers(self) -> list[Count]:
        """Ask for the answers that the journal lacks, with a line of progress on a terminal's standard error; one count per job.

        If the work is interrupted or fails, print where the answers are stored.
        """
        try:
            with inputs.bar("asking", self.calls, quiet=self.quiet) as update:

                def watch(count: Count) -> None:
                    update(completed=count.asked, description=", ".join([counts(count), *self._charged()]))

                return summarize_all(self.jobs, self.items, self.journal, watch, self.tally)
        except (KeyboardInterrupt, FairbriefError) as error:
            if self.journal.exists() and not isinstance(error, LimitReached):  # whose message says so
                again = "run the same command to continue"
                typer.echo(f"fairbrief: the answers so far are stored in {self.journal}: {again}.", err=True)
            raise

    def _charged(self) -> list[str]:
        """The tokens of all requests, and their cost if the price is known."""
        prompt, answer = self.tally.prompt_tokens, self.tally.completion_tokens
        tokens = f"{prompt:,} + {counted(answer, 'token')}"
        return [tokens] if self.price is None else [tokens, f"cost {self.price.of(prompt, answer):,.4f}"]

    def requests(self) -> list[str]:
        """The number of requests, why some failed, their tokens and cost; nothing without a request."""
        failed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(self.tally.failures.items()))
        sent = counted(self.tally.requests, "request") + (f" (of which failed: {failed})" if failed else "")
        return [sent, *self._charged()] if self.tally.requests else []

    def end(self, count: Count, reading: Reading, lines: Sequence[str] = ()) -> None:
        """Print the output of the only job and the cost, the ``lines``, excluded rows and failures; exit with the run's code."""
        typer.echo(f"{self.jobs[0].out}: {', '.join([counts(count), *self.requests()])}")
        for line in lines:
            typer.echo(line)
        inputs.print_excluded(reading)
        self.print_failures()
        self.end_unfinished([count])

    def print_failures(self) -> None:
        """Print the first reason of each kind of failure to standard error."""
        for kind, reason in sorted(self.tally.first_reasons.items()):
            many = f"{self.tally.failures[kind]:,} × {kind}"
            typer.echo(f"  {many}, the first: {printable(reason) or '–'}", err=True)

    def end_unfinished(self, outcome: Sequence[Count]) -> None:
        """Print what to do about unanswered questions, and exit with the code of an incomplete run if there are any."""
        unanswered = sum(count.reasons[UNANSWERED] for count in outcome)
        if stopped := next((count.stopped for count in outcome if count.stopped), ""):
            advice = f"{stopped} Run the same command to continue. The answers so far can be audited."
        elif not unanswered:
            return
        elif set(self.tally.failures) <= set(REJECTED):
            many = counted(unanswered, "question")
            advice = f"The server rejected {many}: shorten the documents, or change the prompt or the model."
        else:
            advice = "Some questions have no answer: run the same command again to ask only those."
        typer.echo(advice, err=True)
        raise typer.Exit(INCOMPLETE)


def counts(count: Count) -> str:
    """The outcome of requests in one line."""
    reasons = count.reasons
    named = {
        "wanted": count.wanted, "asked": count.asked, "from the journal": count.from_journal,
        "refused": reasons[REFUSED], "empty": reasons[EMPTY], "unanswered": reasons[UNANSWERED],
    }  # fmt: skip
    named |= {NOT_ASKED: reasons[NOT_ASKED]} if reasons[NOT_ASKED] else {}
    return ", ".join(f"{n:,} {what}" for what, n in named.items())


@app.command()
def summarize(
    files: list[str] = o.argument("Files with records, saved data sets, or hf:NAME.", "RECORDS…"),
    with_: str = o.option(
        ..., "chat:MODEL, transformers:MODEL, lead … (all: 'fairbrief measures').", "SUMMARIZER", "--with"
    ),
    out: Path = o.output_file(..., "File of summaries. FILE.jsonl.journal stores answers.", "FILE.jsonl"),
    prompt: str | None = o.option(None, "Built-in prompt, or a file with {documents}.", "NAME|FILE"),
    over: str | None = o.OVER,
    instruction: str | None = o.option(None, "Instruction: none, fair, definition, ratio, coverage.", "NAME"),
    role: str | None = o.option(None, "Role of the model: a built-in name or your text.", "NAME|TEXT"),
    samples: int | None = o.option(None, "Summaries per record.", "N", min=1),
    temperature: float | None = o.option(None, "Sampling temperature.", "X", min=0),
    sentences: int | None = o.option(
        None, "Sentences to ask for; of a longer answer, this many are drawn at random.", "N", min=1
    ),
    words: int | None = o.option(None, "Words to ask for.", "N", min=1),
    seed: int | None = o.option(None, "Seed for the model.", "N"),
    system: str | None = o.option(None, "Name of the system; by default the model's.", "NAME"),
    quiet: bool = o.QUIET,
    asking: o.SpendingOptions = o.all_but(),
    options: ReadingSettings = o.all_but(*inputs.OF_SUMMARIES, "cluster_by"),
) -> None:
    """Summarize records with a model or a built-in summarizer.

    All prompts are checked before the first request. You may interrupt: the same command continues and asks
    only for missing summaries.

    Examples:
        fairbrief summarize examples/reviews.jsonl --with lead --sentences 2 --out lead.jsonl
        fairbrief summarize examples/reviews.jsonl --with chat:gpt-4o-mini --out gpt.jsonl --max-tokens 200 --price 0.15,0.6 --dry-run
    """
    given = {
        "prompt": prompt, "over": over, "instruction": instruction, "role": role, "samples": samples,
        "temperature": temperature, "sentences": sentences, "words": words, "seed": seed,
    }  # fmt: skip
    settings = {name: str(value) for name, value in given.items() if value is not None} | asking.of_model()
    summarizer = registry.make("summarizer", with_, settings)
    for option, limit in (("--max-requests", asking.max_requests), ("--price", asking.price)):
        if limit is not None and not isinstance(summarizer, Asker):
            raise RequestError(f"{option} has no effect, since no chat model is asked: drop it.")
    reading = options.read(files)
    job = Job(summarizer, out, system or "")
    run = Run([job], reading.records, journal_of(out), asking, quiet=quiet)
    (count,) = run.answers()
    run.end(count, reading)


@app.command()
def claims(
    files: list[str] = o.argument("Files with records and summaries.", "FILE…"),
    with_: str = o.option(..., "Chat model that splits summaries.", "chat:MODEL", "--with"),
    out: Path = o.output_file(..., "File to write.", "FILE.jsonl"),
    prompt: Path | None = o.option(None, "Your own instruction: a file that contains {summary}.", "FILE"),
    quiet: bool = o.QUIET,
    asking: o.SpendingOptions = o.all_but(),
    options: ReadingSettings = o.all_but("cluster_by"),
) -> None:
    """Split summaries into claims (atomic statements) with a chat model.

    You may interrupt: the same command continues.

    Examples:
        fairbrief claims examples/reviews.jsonl --with chat:gpt-4o-mini --out claims.jsonl --dry-run
    """
    if not with_.startswith(("chat:", "chat(")):
        raise RequestError(f"--with {with_}: only chat models split summaries. Write --with chat:MODEL.")
    chat = registry.make("summarizer", with_, asking.of_model())
    job = Splitting(Splitter(chat, instruction_in(prompt)), out)
    reading = options.read(files)
    run = Run([job], lambda: reading, journal_of(out), asking, quiet=quiet)
    (count,) = run.answers()
    split = (
        f"{counted(sum(job.claims), 'claim')} of {counted(len(job.claims), 'summary', 'summaries')}, "
        f"{counted(len(job.unparsed), 'reply', 'replies')} unparsed"
    )
    advice = ["To ask for these again, give another --prompt or --with."] if job.unparsed else []
    lines = [split, *(f"  {line}" for line in job.unparsed[:LISTED]), *advice]
    run.end(count, reading, lines)


@app.command()
def sweep(
    files: list[str] = o.argument("Files with records to summarize.", "FILE…"),
    with_: str = o.option(..., "Summarizer, e.g. lead or chat:MODEL.", "SUMMARIZER", "--with"),
    out: Path = o.output_folder(..., "Folder for the answers and the report."),
    prompt: str | None = o.option(None, "Prompts: built-in names or files.", "NAME|FILE,…"),
    over: str | None = o.OVER,
    temperature: str | None = o.option(None, "Temperatures, e.g. 0,.3,.7,1.", "T,…"),
    sentences: str | None = o.option(None, "Lengths in sentences, e.g. 1,3,5.", "N,…"),
    instruction: str | None = o.option(None, "Fairness instructions, e.g. none,definition.", "NAME,…"),
    set_: list[str] = o.several("Another setting of the summarizer, e.g. words=20,40.", "NAME=V,…", "--set"),
    samples: int | None = o.option(None, "Summaries per record and setting, pooled as runs.", "N", min=2),
    cache: Path | None = o.CACHE,
    details: bool = o.DETAILS,
    quiet: bool = o.QUIET,
    asking: o.SpendingOptions = o.all_but(),
    plan: Plan = o.only("measures", "baseline", "n_resamples", "n_extracts", "seed", "confidence_level"),
    options: ReadingSettings = o.all_but(*inputs.OF_SUMMARIES),
) -> None:
    """Summarize and audit over a grid of settings, and compare each with the first (or --baseline) by record.

    All prompts are checked before the first request. Answers that are already in the folder are reused.

    Examples:
        fairbrief sweep examples/reviews.jsonl --with lead --sentences 1,2 --out lengths
        fairbrief sweep reviews.jsonl --with chat:gpt-4o-mini --temperature 0,.7 --out sweep
    """
    from fairbrief.auditing import audit, check
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports.audit_folder import claimed, replace_all
    from fairbrief.reports.terminal import Place, print_result
    from fairbrief.saved.examples import with_examples
    from fairbrief.scorers.chat_judge import within
    from fairbrief.workbench import sweep

    answers = out / sweep.ANSWERS
    fixed = {name: str(value) for name, value in (("over", over), ("samples", samples)) if value is not None}
    named = {
        "prompt": prompt, "temperature": temperature, "sentences": sentences, "instruction": instruction,
    }  # fmt: skip
    jobs = sweep.grid(with_, axes_of(named, set_), out, fixed=fixed | asking.of_model())
    reading = options.read(files)
    plan = sweep.plan_of(jobs, replace(plan, **inputs.plan_settings(options)))
    check(reading, plan)
    if asking.dry_run:
        typer.echo("Requests for summaries (judges in --measure, if any, send more):")
    run = Run(jobs, reading.records, answers / sweep.JOURNAL, asking, quiet=quiet)
    then = inputs.cached(cache or answers / "scores.sqlite")
    plan = replace(plan, wrap=partial(within, run.tally, then=then))
    result = None
    try:
        with claimed(out):
            outcome = run.answers()
            if not quiet:
                for job, count in zip(jobs, outcome, strict=True):
                    typer.echo(f"{job.system}: {counts(count)}", err=True)
                run.print_failures()
            answered = read([job.out for job in jobs])
            result = audit(answered, plan)
            result = with_examples(result, answered, Scorers(wrap=plan.wrap))
            replace_all(result, out.resolve())
    finally:  # print the result even if it could not be written
        if not quiet and (sent := run.requests()):
            typer.echo(", ".join(sent), err=True)
        if result is not None:
            print_result(result, details=details, place=Place(out, tables_first="differences"))
    inputs.print_excluded(reading)
    typer.echo(f"\nReport: {out / 'report.html'}   Answers: {answers}")
    run.end_unfinished(outcome)


def axes_of(named: dict[str, str | None], others: Sequence[str]) -> dict[str, list[str]]:
    """Setting → values, from the options and from ``--set NAME=V,…``; RequestError if one is given twice."""
    axes: dict[str, list[str]] = {}
    given = [(name, values) for name, values in named.items() if values is not None]
    for name, values in [*given, *(inputs.pair("--set", text) for text in others)]:
        if name in axes:
            raise RequestError(f"The setting '{name}' is given twice: write all values at once, {name}=1,2.")
        axes[name] = inputs.comma_separated(values)
        if "" in axes[name]:
            raise RequestError(f"The setting '{name}' has an empty value: write {name}=1,2.")
    return axes


@app.command()
def choose(
    files: list[str] = o.argument("Files with several systems' summaries of each record.", "FILE…"),
    by: str = o.option(..., "Measure that decides, e.g. coverage_parity@sentiment.", "MEASURE"),
    floor: list[str] = o.several("Rule that a candidate must keep, e.g. 'rouge1>=0.2'.", "RULE"),
    length_within: float | None = o.option(
        None, "Largest relative distance from the median length in words, e.g. 0.1.", "X", min=0
    ),
    out: Path | None = o.output_file(None, "Chosen summaries, with their records.", "FILE.jsonl"),
    pairs: Path | None = o.output_file(
        None, "File for preference pairs (prompt, chosen, rejected), as TRL reads them.", "FILE.jsonl"
    ),
    prompt: str | None = o.option(None, "Prompt of the pairs: a name, or a file.", "NAME|FILE"),
    cache: Path | None = o.CACHE,
    plan: Plan = o.only("seed", "language"),
    options: ReadingSettings = o.all_but("system", "cluster_by"),
) -> None:
    """Choose the fairest of several summaries of each record.

    Takes the summary whose largest group difference is nearest to the random-sentence baseline; if --by has none, that
    with the smallest unsigned score, or the best quality. To see whether the chosen summaries are fairer by another
    standard, audit them with another measure or scorer.

    Examples:
        fairbrief choose examples/reviews.jsonl --by coverage_parity@sentiment --out best.jsonl
        fairbrief choose samples.jsonl --by uer@party --floor 'rouge1>=0.2' --pairs pairs.jsonl
    """
    from fairbrief.auditing import check
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports.terminal import print_tables
    from fairbrief.saved import gate_rules
    from fairbrief.workbench import choose

    if prompt is not None:
        if pairs is None:
            raise RequestError("--prompt needs --pairs FILE, the file of the pairs.")
        find(prompt)
    floors = [gate_rules.rule(text) for text in floor]
    reading = inputs.read_in_language(options, files)
    measures = list(dict.fromkeys([by, *(rule.measure for rule in floors)]))
    plan = replace(plan, **inputs.plan_settings(options), measures=measures, wrap=inputs.cached(cache))
    check(reading, replace(plan, n_resamples=0))
    scorers = Scorers(wrap=plan.wrap)
    choices = list(choose.choose(reading, by, floors, length_within=length_within, scorers=scorers))
    if all(len(choice.candidates) < 2 for choice in choices):
        raise RequestError(
            "No record has more than one candidate. Give several summaries of each record, e.g. those of: "
            "fairbrief summarize RECORDS --with chat:MODEL --samples 8 --out FILE.jsonl"
        )
    if not any(choice.pool for choice in choices):
        raise RequestError(f"No candidate has a value of {by}, so none can be chosen. Give another --by.")
    written = []
    if out is not None:
        count = write_lines((case_line(choose.chosen_case(c, by)) for c in choices), out)
        written.append(f"Chosen: {out} ({counted(count, 'summary', 'summaries')})")
    if pairs is not None:
        several = (choose.preference(c, prompt_of(c.candidates[c.chosen], prompt)) for c in choices)
        count = write_lines(filter(None, several), pairs)
        written.append(f"Preference pairs: {pairs} ({count:,} of {counted(len(choices), 'record')})")
    print_tables([choose.table(choices)])
    inputs.print_excluded(reading)
    for line in ("", *written) if written else ():
        typer.echo(line)
