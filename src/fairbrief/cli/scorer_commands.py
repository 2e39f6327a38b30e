"""Commands for scorers: ``fairbrief agree`` (with each other, or with people), ``calibrate`` and ``chunks`` (sizes of pieces)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

import typer

from fairbrief import registry, specs
from fairbrief.atomic_files import write_text
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.cli import input_options as inputs
from fairbrief.cli import options as o
from fairbrief.cli.command_line import check_sheet
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.readers import ReadingSettings
from fairbrief.reports.audit_folder import load
from fairbrief.reports.terminal import print_tables
from fairbrief.saved import agreement, saved_values
from fairbrief.scorers.calibrated import spec_with, uses_in
from fairbrief.text.counted import counted
from fairbrief.workbench import calibrating

app = o.new_app()


@app.command()
def agree(
    sources: list[str] = o.argument(
        "Saved audits, to compare two scorers; or files whose claims people labelled.", "DIR…|FILE…"
    ),
    scorer: str = o.option("ngram", "Scorer to compare with the labels.", "SPEC"),
    measure: list[str] = o.several("For saved audits: two or more measures to compare.", "SPEC"),
    relative_change: tuple[str, str] | None = o.option(
        None, "For saved audits: compare changes of measures from one system to the other.", "PLAIN FAIR"
    ),
    cache: Path | None = o.CACHE,
    plan: Plan = o.only("n_resamples", "seed", "confidence_level", "language"),
    options: ReadingSettings = o.all_but("references_field"),
) -> None:
    """Measure the agreement of two scorers or measures in saved audits, or of a scorer with labelled claims.

    With labelled claims, --attribute is the attribute that the labels name. For people who filled in sheets, see
    'fairbrief annotate agree'.

    Examples:
        fairbrief agree examples/labelled_claims.jsonl --attribute sentiment --scorer ngram
        fairbrief agree audit_containment audit_entailment
    """
    resampling = saved_values.Resampling(plan.n_resamples, plan.seed, plan.confidence_level)
    saved = [(Path(source) / "results.json").is_file() for source in sources]
    if any(saved):
        if not all(saved):
            other = sources[saved.index(False)]
            raise RequestError(
                f"{other} is not the folder of a saved audit: give either such folders or files of records, not both."
            )
        _refuse(["attribute"] if options.attributes else options.given(), "no effect on saved audits")
        audits = [load(source) for source in sources]
        if relative_change is None:
            found = agreement.correlations(audits, measure, resampling)
            print_tables([agreement.correlation_table(found, resampling)])
        else:
            changes = agreement.change_comparisons(audits, *relative_change, measure, resampling)
            print_tables([agreement.change_table(changes, *relative_change, resampling)])
        return
    if measure or relative_change:
        raise RequestError("--measure and --relative-change need saved audits: give their folders.")
    attributes = list(options.attribute_fields)
    if len(attributes) != 1:
        raise RequestError("Give one --attribute NAME, the attribute that the labels of claims name.")
    scorers = Scorers({scorer: registry.make("scorer", scorer)}, inputs.cached(cache))
    reading = inputs.read_in_language(options, sources)
    with inputs.progress_bar(reading) as progress:
        with_people = agreement.agreement(
            reading, attributes[0], scorer, resampling=resampling, scorers=scorers, progress=progress
        )
    print_tables([agreement.label_table(with_people, resampling)])
    inputs.print_excluded(reading)


@app.command()
def chunks(
    files: list[str] = o.argument("Files or saved data sets with records and summaries.", "FILE…"),
    scorer: str = o.option("containment", "Scorer of support, e.g. entailment.", "SPEC"),
    sizes: str = o.option("sentence,50,100,200,400", "Sizes of pieces: sentence, or words.", "SIZES"),
    threshold: float = o.option(0.5, "Support above X identifies a claim's source.", "X"),
    cache: Path | None = o.CACHE,
    plan: Plan = o.only("n_resamples", "seed", "language"),
    options: ReadingSettings = o.all_but(
        "attributes", "record_attributes", "missing", "bins", "speakers", "references_field"
    ),
) -> None:
    """Find the best size of pieces: the share of claims whose source document is identified, for each size.

    Examples:
        fairbrief chunks examples/labelled_claims.jsonl
    """
    scorers = Scorers({scorer: registry.make("scorer", scorer)}, inputs.cached(cache))
    reading = inputs.read_in_language(options, files)
    with inputs.progress_bar(reading) as progress:
        result = agreement.chunk_sizes(
            reading,
            scorer,
            sizes=inputs.comma_separated(sizes),
            threshold=threshold,
            resampling=saved_values.Resampling(plan.n_resamples, plan.seed),
            scorers=scorers,
            progress=progress,
        )
    print_tables(agreement.chunk_tables(result, scorer, threshold))
    inputs.print_excluded(reading)


@app.command()
def calibrate(
    scorer: str = o.argument("Scorer of pairs, e.g. containment, embedding or lexical.", "SCORER"),
    labels: list[str] = o.argument(
        "Labelled pairs: sheets .csv, or .jsonl with text, claim and supported (also QAGS, WiCE). "
        "With --label-sheet: files with records and summaries.",
        "LABELS…",
    ),
    out: Path | None = o.output_file(None, "Calibration to write.", "FILE.json"),
    label_sheet: Path | None = o.output_file(
        None, "Write a sheet of pairs to label, drawn evenly over scores and groups.", "SHEET.csv"
    ),
    pairs: int = o.option(300, "Number of pairs in the sheet.", "N", min=1),
    cache: Path | None = o.CACHE,
    plan: Plan = o.only("seed", "language"),
    options: ReadingSettings = o.all_but("references_field"),
) -> None:
    """Calibrate a scorer on labelled pairs: measure its agreement with people, and map scores to probabilities.

    Audits use the file as SCORER(calibrated=FILE.json): scores become probabilities, and intervals include the
    uncertainty of the calibration. SCORER(checked=FILE.json) only reports the agreement.

    Examples:
        fairbrief calibrate containment examples/reviews.jsonl --label-sheet pairs.csv
        fairbrief calibrate containment pairs.csv --out calibration.json
    """
    if (out is None) == (label_sheet is None):
        raise RequestError("Give --out FILE.json to calibrate, or --label-sheet SHEET.csv to get pairs.")
    if uses_in(specs.parse(scorer).settings):
        raise RequestError(f"'{scorer}' already has a calibration: drop that setting to make a new one.")
    scorers = Scorers(wrap=inputs.cached(cache))
    if label_sheet is not None:
        check_sheet(label_sheet)
        reading = inputs.read_in_language(options, labels)
        # Scores only decide how evenly pairs are drawn.
        spec = "containment" if scorer == "lexical" else scorer
        over = next(iter(options.attribute_fields), "")
        chosen, total = calibrating.pairs_to_label(reading, spec, over, scorers, pairs, plan.seed)
        if not chosen:
            raise RequestError(
                f"No summary of {', '.join(labels)} has both a claim and documents, so no pair can be labelled. Give a file with summaries."
            )
        write_text(label_sheet, calibrating.pair_sheet(chosen))
        inputs.print_excluded(reading)
        typer.echo(
            f"{label_sheet}: {len(chosen):,} pairs of {total:,}. Fill in the column 'supported' with yes or no: does the text state "
            f"or clearly imply the claim? Then run: fairbrief calibrate {shlex.quote(scorer)} {shlex.quote(str(label_sheet))} --out "
            "calibration.json"
        )
        return
    assert out is not None
    _refuse(options.given(), "an effect only with --label-sheet")
    read = calibrating.read_labels([Path(file) for file in labels])
    made = scorers[scorer]
    fitting = calibrating.fitted(made, read.pairs, plan.seed)
    calibration = calibrating.calibration(made, read.pairs, fitting)
    write_text(out, calibration.to_json())
    print_tables([*calibrating.tables(calibration, fitting)])
    lost = len(read.pairs) - calibration.pairs
    left = {"left blank": read.blank, "labelled yes as often as no": read.undecided, "without a score": lost}
    for why, count in left.items():
        if count:
            typer.echo(f"Excluded: {counted(count, 'pair')} {why}.")
    typer.echo(f"{out}: use it in an audit as {spec_with(calibration.scorer, 'calibrated', str(out))}")


def _refuse(given: Iterable[str], has: str) -> None:
    """RequestError about the first of the given settings, which has no effect or another one."""
    for name in given:
        raise RequestError(f"--{name.replace('_', '-')} has {has}: drop it.")
