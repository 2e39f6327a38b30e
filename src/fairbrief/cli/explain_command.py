"""``fairbrief explain``: the records, documents and sentences that a value comes from."""

from __future__ import annotations

from pathlib import Path

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
from fairbrief.cli.output import refuse_overwriting, write_text
from fairbrief.errors import RequestError
from fairbrief.plan import Plan

app = o.new_app()
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
