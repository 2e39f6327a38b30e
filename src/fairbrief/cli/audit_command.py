"""``fairbrief audit``: one command from a file to a report."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.cli import options as o
from fairbrief.cli.input_options import cached, plan_settings, print_notes, progress_bar
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.readers import ReadingSettings
from fairbrief.settings import MEASURED
from fairbrief.text.counted import listed

if TYPE_CHECKING:
    from fairbrief.types import Case, Scorer

app = o.new_app()

SHOWN_RUNS = 3


@app.command()
def audit(
    files: list[str] = o.argument(
        "Files with records and summaries (also s3://…, gs://…, abfs://…), data sets, or hf:NAME.", "FILE…"
    ),
    plan: Plan = o.all_but(),
    references: bool = o.switch("--references", "Also audit the references, as 'reference 1' …", MEASURED),
    out: Path | None = o.AUDIT_FOLDER,
    details: bool = o.DETAILS,
    quiet: bool = o.QUIET,
    cache: Path | None = o.CACHE,
    options: ReadingSettings = o.all_but(),
    asking: o.SpendingOptions = o.only("dry_run", "price"),
) -> None:
    """Audit how fairly summaries represent the groups in their sources.

    Prints each system's group differences with confidence interval and p-value, next to the random-sentence
    baseline; --out also writes a report. Without --measure, all measures run that apply to the file.

    Examples:
        fairbrief audit examples/reviews.jsonl --out demo
        fairbrief audit examples/reviews.jsonl --measure coverage_parity@sentiment
        fairbrief audit table.csv --documents-field 'review_*' --attribute tone='tone_*'
        fairbrief audit sources.jsonl --summaries lead.jsonl --summaries gpt.jsonl
    """
    from fairbrief.auditing import audit as run
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports.audit_folder import claimed, replace_all
    from fairbrief.saved import saved_inputs
    from fairbrief.saved.examples import with_examples

    gc.freeze()  # the modules of the command stay: garbage collection need not visit them
    plan = replace(plan, **plan_settings(options), wrap=cached(cache))
    reading = options.read(files)
    reading.audits_references = references
    if asking.dry_run:
        print_judges(reading, plan, cache, asking.price)
        return
    if asking.price is not None:
        raise RequestError("--price needs --dry-run, which prints the cost: add it, or drop --price.")
    result = None
    try:
        with nullcontext() if out is None else claimed(out) as folder:
            with progress_bar(reading, quiet=quiet) as progress:
                result = run(reading, replace(plan, progress=progress))
            notes = [*reading.notes, *_notes(plan, options, result.made["systems"])]
            each = saved_inputs.each(files, reading)
            names = [Path(file).name if isinstance(file, str) else file.name for file in each]
            print_notes(notes, quiet=quiet)
            result = replace(result, made={**result.made, "files": names, "notes": notes})
            if folder is not None:
                result = with_examples(result, reading, Scorers(wrap=plan.wrap))
                identity = replace_all(result, folder)
                saved_inputs.write(folder, files, reading, identity)
    finally:  # print the result even if it could not be written
        if result is not None and not quiet:
            from fairbrief.reports.terminal import Place, print_result

            print_result(result, details=details, place=Place(out))


def _notes(plan: Plan, options: ReadingSettings, systems: Sequence[str]) -> Iterator[str]:
    """Systems that look like runs of one, the recommended scorer, what was replaced in texts, and whether they are kept."""
    from fairbrief.auditing.system_runs import unpooled

    if runs := unpooled(systems):
        yield (
            f"{listed(runs, SHOWN_RUNS)} look like runs of one system; each was audited separately. Add --pool-runs to pool them and "
            "to see how far they differ."
        )
    if "recommended" in plan.compared_scorers:
        from fairbrief.scorers.entailment import recommended

        scorer, why = recommended()
        yield f"--scorers recommended: {scorer}, because {why}."
    if options.redacted:
        yield f"Replaced in all texts (--redact): {', '.join(options.redacted)}."
    if not plan.keeps_texts:
        yield "The audit keeps no texts (--no-texts); 'fairbrief view' reads them from the input."


def print_judges(cases: Iterable[Case], plan: Plan, cache: Path | None, price: str | None) -> None:
    """Run the audit with judges that answer nothing, and print the questions they would receive."""
    from fairbrief.auditing import audit
    from fairbrief.cli.summary_commands import price_of, print_forecast
    from fairbrief.scorers.chat_judge import ChatJudge
    from fairbrief.workbench.summarizing import Forecast, Foreseen

    forecast, charged = Forecast(), price_of(price)

    def wrap(scorer: Scorer) -> Scorer:
        return Foreseen(scorer, forecast, cache) if isinstance(scorer, ChatJudge) else scorer

    few = min(plan.n_resamples, 1)  # none: an audit draws no random sentences, and checks fewer scorers
    audit(cases, replace(plan, n_resamples=few, wrap=wrap, workers=1, engine="", models_in_workers=False))
    print_forecast(forecast, charged)
