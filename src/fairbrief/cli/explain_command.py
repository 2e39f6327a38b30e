"""``fairbrief explain``: the records, documents and sentences that a value comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    in_language,
    progress_bar,
    reading_options,
    suppose_language,
    tell_left_out,
)
from fairbrief.cli.option_types import AuditedAttribute, Cache, Permutations, Quiet
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.errors import RequestError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Files = Annotated[
    list[str],
    typer.Argument(help="Files or folders with records and summaries, or hf:NAME.", metavar="FILE…"),
]
MeasureOption = Annotated[
    str, typer.Option(help="Measure to explain, e.g. equal_coverage@sentiment.", metavar="SPEC")
]
Quantity = Annotated[
    str | None,
    typer.Option(help="One of the measure's other values, e.g. 'difference[female]'.", metavar="NAME"),
]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--id", help="Record to look into; without it, those that move the value most.", metavar="ID"
    ),
]
Systems = Annotated[
    list[str] | None, typer.Option("--system", help="System to explain; without it, each.", metavar="NAME")
]
Top = Annotated[int, typer.Option(help="How many records to look into.", min=1, metavar="N")]
Out = Annotated[
    Path | None,
    typer.Option(help="Also write all of it: FILE.json, FILE.md or FILE.html.", metavar="FILE"),
]
FORMS = (".json", ".md", ".html")


@app.command()
@in_language
@reading_options("system")
def explain(
    files: Files,
    measure: MeasureOption,
    attribute: AuditedAttribute = None,
    quantity: Quantity = None,
    id_: Ids = None,
    system: Systems = None,
    top: Top = 5,
    n_resamples: Permutations = 2000,
    out: Out = None,
    cache: Cache = None,
    quiet: Quiet = False,
    *,
    options: ReadingOptions,
) -> None:
    """Say why a value is what it is: what it would be without a record, a document or a sentence."""
    from rich.console import Console

    from fairbrief.reports import explanation_page, explanation_tables
    from fairbrief.saved import explanations

    if out is not None and out.suffix.lower() not in FORMS:
        raise RequestError(f"--out {out}: its name ends in {', '.join(FORMS[:-1])} or {FORMS[-1]}.")
    reading = options.read(files, attribute)
    suppose_language(reading)
    refuse_overwriting(out, reading.files)
    with progress_bar(reading, quiet=quiet) as progress:
        found = explanations.explain(
            reading,
            measure,
            attributes=[text.partition("=")[0] for text in attribute or ()],
            quantity=quantity,
            systems=system or (),
            ids=id_ or (),
            top=top,
            wrap=cached(cache),
            skips=options.skips,
            progress=progress,
            n_resamples=n_resamples,
        )
    explanation_tables.print_all(found, Console())
    tell_left_out(reading)
    if out is None:
        return
    form = {
        ".json": explanation_tables.as_json,
        ".md": explanation_tables.as_markdown,
        ".html": explanation_page.render,
    }
    from fairbrief.reports.audit_folder import place

    text = form[out.suffix.lower()](found)
    place(out, lambda part: part.write_text(text, encoding="utf-8", newline="\n"))
    typer.echo(f"\nExplanation: {out}")
