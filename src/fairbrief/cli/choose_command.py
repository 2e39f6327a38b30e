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
    print_excluded,
    reading_options,
    set_default_language,
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
        "Files with several summaries of each record, by different systems.",
        "FILE…",
    ),
    by: str = o.option(
        ...,
        "Measure that decides, e.g. coverage_parity@sentiment.",
        "MEASURE",
    ),
    floor: list[str] | None = o.option(None, "Rule that a candidate must keep, e.g. 'rouge1>=0.2'.", "RULE"),
    length_within: float | None = o.option(
        None,
        "Largest relative distance from the median length in words, e.g. 0.1.",
        "X",
        least=0,
    ),
    out: Path | None = o.option(None, "File for the chosen summaries, with their records.", "FILE"),
    system: str = o.option("chosen", "Name of the chosen summaries' system in --out.", "NAME"),
    pairs: Path | None = o.option(
        None, "File for preference pairs (prompt, chosen, rejected), as TRL reads them.", "FILE"
    ),
    prompt: str | None = o.option(
        None, "Prompt of the pairs: a built-in name, or a file that contains {documents}.", "NAME|FILE"
    ),
    measure: list[str] | None = o.option(None, "Another measure to compare by.", "SPEC"),
    report: Path | None = o.option(None, "Folder for the audit of the comparison.", "DIR"),
    cache: Path | None = o.CACHE,
    details: bool = o.DETAILS,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Choose the fairest of several summaries of each record, and compare the choice with a random choice.

    The smallest value of --by wins; of group differences, the largest counts, less the random-sentence baseline.
    The chosen summaries have small values of --by because --by chose them. To see whether they are fairer by another
    standard, add --measure with another measure or scorer.
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
        raise RequestError("--system needs --out FILE, the file in which the name appears.")
    if prompt is not None:
        if pairs is None:
            raise RequestError("--prompt needs --pairs FILE, the file of the pairs.")
        find(prompt)
    floors = [gate_rules.rule(text) for text in floor or ()]
    reading = options.read(files)
    set_default_language(reading)
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
    try:  # write before printing: the reader of the print may stop, as `| head` does
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
    print_excluded(reading)
    for line in ("", *written) if written else ():
        typer.echo(line)


def _check_several(choices: list[Choice]) -> None:
    if all(len(choice.candidates) < 2 for choice in choices):
        raise RequestError(
            "No record has more than one candidate. Give several summaries of each record, e.g. those of: "
            "fairbrief summarize RECORDS --with chat:MODEL --samples 8 --out FILE"
        )


def _pairs(choices: list[Choice], prompt: str | None) -> Iterator[Mapping[str, object]]:
    from fairbrief.workbench.choose import preference
    from fairbrief.workbench.summarizers.prompts import prompt_of

    for choice in choices:
        pair = preference(choice, prompt_of(choice.candidates[choice.chosen].case, prompt))
        if pair is not None:
            yield pair
