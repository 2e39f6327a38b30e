"""``fairbrief choose``: the fairest of several candidates, and preference pairs for training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    reading_options,
    suppose_language,
    tell_left_out,
)
from fairbrief.cli.output import print_audit, refuse_no_folder, refuse_overwriting
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.workbench.choose import Choice

app = o.new_app()


@app.command()
@o.in_language
@o.plan_options("n_resamples", "seed")
@reading_options("system", "cluster_by")
def choose(
    files: list[str] = o.argument(
        "Files with several summaries of each record, under different systems.",
        "FILE…",
    ),
    by: str = o.option(
        ...,
        "Measure that decides, e.g. coverage_parity@sentiment: the smallest group differences win.",
        "MEASURE",
    ),
    floor: list[str] | None = o.option(None, "Limit that a candidate must keep, e.g. 'rouge1>=0.2'.", "RULE"),
    length_within: float | None = o.option(
        None,
        "Only candidates whose words are within this share of the median candidate's, e.g. 0.1.",
        "X",
        least=0,
    ),
    out: Path | None = o.option(None, "Write the chosen summaries, as records.", "FILE"),
    system: str = o.option("chosen", "What the chosen summaries' system is called in --out.", "NAME"),
    pairs: Path | None = o.option(
        None, "Write prompt, chosen and rejected as JSON Lines, which TRL reads.", "FILE"
    ),
    prompt: str | None = o.option(
        None, "Prompt for the pairs: a name or a file with {documents}.", "NAME|FILE"
    ),
    measure: list[str] | None = o.option(
        None, "Another measure to compare the choice and a random one by.", "SPEC"
    ),
    report: Path | None = o.option(None, "Folder for the audit of the choice and a random one.", "DIR"),
    cache: Path | None = o.CACHE,
    details: bool = o.DETAILS,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Choose the fairest of several summaries of each record, and compare the choice with a random one.

    A measure with group differences decides by the largest of them, less the random-sentence baseline.
    The chosen ones have the smallest value because they were chosen by it. To see whether they are fairer
    by another standard, give --measure another measure or another scorer.
    """
    from fairbrief.auditing import check
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports import write_all
    from fairbrief.saved import gate_rules
    from fairbrief.serialization import case_line, write_lines
    from fairbrief.workbench import choose
    from fairbrief.workbench.choose import against_random
    from fairbrief.workbench.summarizers.prompts import find

    if system != choose.CHOSEN and out is None:
        raise RequestError("--system names the chosen summaries in a file: say which, with --out FILE.")
    if prompt is not None:
        if pairs is None:
            raise RequestError("--prompt is for the pairs: say where to write them, with --pairs FILE.")
        find(prompt)
    floors = [gate_rules.rule(text) for text in floor or ()]
    reading = options.read(files)
    suppose_language(reading)
    refuse_overwriting(out, reading.files)
    refuse_overwriting(pairs, reading.files, "--pairs")
    refuse_no_folder(report, "--report")
    measures = list(dict.fromkeys([by, *(rule.measure for rule in floors), *(measure or ())]))
    plan = replace(plan, measures=measures, skips=options.skips, wrap=cached(cache))
    check(reading.records(), plan)
    choices = list(
        choose.choose(
            reading,
            by,
            floors,
            length_within=length_within,
            scorers=Scorers(wrap=plan.wrap),
        )
    )
    _check_several(choices)
    result = against_random(choices, plan)
    written = []
    try:  # written first: who reads the print may stop reading, as `| head` does
        if out is not None:
            count = write_lines((case_line(choose.chosen_case(c, by, system)) for c in choices), out)
            written.append(f"Chosen: {out} ({counted(count, 'summary', 'summaries')})")
        if pairs is not None:
            count = write_lines(_pairs(choices, prompt), pairs)
            written.append(f"Preference pairs: {pairs} ({count:,} of {counted(len(choices), 'record')})")
        if report is not None:
            write_all(result, report)
            written.append(f"Report: {report / 'report.html'}")
    finally:
        print_audit(result, details=details, folder=report, can_save=False, first="differences")
    tell_left_out(reading)
    for line in ("", *written) if written else ():
        typer.echo(line)


def _check_several(choices: list[Choice]) -> None:
    if all(len(choice.candidates) < 2 for choice in choices):
        raise RequestError(
            "No record has more than one candidate: give lines of several systems for each id, for instance those of "
            "fairbrief summarize RECORDS --with chat:MODEL --samples 8."
        )


def _pairs(choices: list[Choice], prompt: str | None) -> Iterator[Mapping[str, object]]:
    from fairbrief.workbench.choose import preference
    from fairbrief.workbench.summarizers.prompts import prompt_of

    for choice in choices:
        pair = preference(choice, prompt_of(choice.candidates[choice.chosen].case, prompt))
        if pair is not None:
            yield pair
