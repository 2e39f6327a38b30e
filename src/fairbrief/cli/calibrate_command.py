"""``fairbrief calibrate``: a scorer's calibration from labelled pairs, and the sheet of pairs to label."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    print_excluded,
    reading_options,
    set_default_language,
)
from fairbrief.cli.output import print_tables, refuse_overwriting, write_text
from fairbrief.errors import RequestError
from fairbrief.plan import Plan

app = o.new_app()


@app.command()
@o.in_language
@o.plan_options("seed")
@reading_options("references_field")
def calibrate(
    scorer: str = o.argument("Scorer of pairs, e.g. containment, embedding or lexical.", "SCORER"),
    labels: list[str] = o.argument(
        "Labelled pairs: sheets .csv, or .jsonl with text, claim and supported (also QAGS, WiCE). "
        "With --label-sheet: files with records and summaries.",
        "LABELS…",
    ),
    out: Path | None = o.option(None, "Calibration to write.", "FILE.json"),
    label_sheet: Path | None = o.option(
        None,
        "Write a sheet of pairs to label, drawn evenly over scores and groups.",
        "SHEET.csv",
    ),
    pairs: int = o.option(300, "Number of pairs in the sheet.", "N", least=1),
    cache: Path | None = o.CACHE,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Calibrate a scorer on labelled pairs: measure its agreement with people, and map scores to probabilities.

    Audits use the file as SCORER(calibrated=FILE.json): scores become probabilities, and intervals include the
    uncertainty of the calibration. SCORER(checked=FILE.json) only reports the agreement.
    """
    if (out is None) == (label_sheet is None):
        raise RequestError(
            "Give --out FILE.json to calibrate, or --label-sheet SHEET.csv to write a sheet of pairs to label."
        )
    refuse_overwriting(out or label_sheet, labels)
    if label_sheet is not None:
        _write_sheet(scorer, labels, label_sheet, pairs, cache, plan.seed, options)
        return
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.scorers.calibrated import spec_with
    from fairbrief.workbench import calibrating

    assert out is not None
    if given := options.given():
        raise RequestError(
            f"--{next(iter(given)).replace('_', '-')} has an effect only with --label-sheet: drop it."
        )
    read = calibrating.read_labels([Path(file) for file in labels])
    made = Scorers(wrap=cached(cache))[_plain(scorer)]
    fitting = calibrating.fitted(made, read.pairs, plan.seed)
    calibration = calibrating.calibration(made, read.pairs, fitting)
    write_text(out, calibration.to_json())
    print_tables(calibrating.tables(calibration, fitting))
    for count, why in (
        (read.blank, "left blank"),
        (read.undecided, "labelled yes as often as no, and excluded"),
    ):
        if count:
            typer.echo(f"{count:,} pairs were {why}.")
    typer.echo(f"{out}: use it in an audit as {spec_with(calibration.scorer, 'calibrated', str(out))}")


def _plain(scorer: str) -> str:
    """The spec; RequestError for one that is calibrated already."""
    from fairbrief import specs
    from fairbrief.scorers.calibrated import uses_in

    if uses_in(specs.parse(scorer).settings):
        raise RequestError(f"'{scorer}' already has a calibration: drop that setting to make a new one.")
    return scorer


def _write_sheet(
    scorer: str,
    files: list[str],
    sheet: Path,
    pairs: int,
    cache: Path | None,
    seed: int,
    options: ReadingOptions,
) -> None:
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.workbench import calibrating

    if sheet.suffix != ".csv":
        raise RequestError(f"--label-sheet {sheet}: give a name that ends in .csv.")
    if sheet.exists():
        raise RequestError(f"{sheet} exists and may contain labels: give another name, or remove it.")
    reading = options.read(files)
    set_default_language(reading)
    spec = _plain(scorer)
    # Scores only decide how evenly pairs are drawn.
    spec = "containment" if spec == "lexical" else spec
    over = (options.attributes or [""])[0]
    result = list(calibrating.candidates(reading, spec, over, Scorers(wrap=cached(cache))))
    if not result:
        raise RequestError(
            f"No summary of {', '.join(files)} has both a claim and documents, so no pair can be labelled. Give a file with summaries."
        )
    chosen = calibrating.drawn(result, pairs, seed)
    write_text(sheet, calibrating.pair_sheet(chosen), newline="")
    print_excluded(reading)
    typer.echo(
        f"{sheet}: {len(chosen):,} pairs of {len(result):,}. Fill in the column 'supported' with yes or no: does the text state or "
        f"clearly imply the claim? Then run: fairbrief calibrate {shlex.quote(scorer)} {shlex.quote(str(sheet))} --out calibration.json"
    )
