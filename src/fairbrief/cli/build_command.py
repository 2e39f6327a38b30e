"""``fairbrief build``: inputs made from texts, reviews, transcripts and annotated documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.cli.build_sets_commands import perspectives, reviews, stratified, transcripts
from fairbrief.cli.build_sources import Seed
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.errors import DataError, RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.people.build_people import Report
    from fairbrief.types import Record

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Build inputs for audits.",
)

FORMATS = {".conllu": "corefud", ".coref": "ontonotes", "conll": "conll"}
"""How a file's name ends, and the format it is in."""


@app.callback()
def build() -> None:
    """Build inputs for audits."""


@app.command(short_help="Make inputs that differ only in who their people are.")
def people(
    source: Annotated[
        Path,
        typer.Argument(
            help="Annotated documents: .conllu, *conll, .coref with .name and .parse, or a folder of them; or .jsonl with mentions.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Where to write the inputs, as JSON Lines.", metavar="FILE")
    ],
    groups: Annotated[
        str,
        typer.Option(
            help="gender, race, race=A+B, gender*race, or gender*race=male:A+female:B.", metavar="GROUPS"
        ),
    ] = "gender",
    design: Annotated[
        str,
        typer.Option(
            help="balanced: half of the people in each group, in pairs; mono: one group per input; original: the originals that could be filled, as they are.",
            metavar="balanced|mono|original",
        ),
    ] = "balanced",
    per_original: Annotated[
        int | None,
        typer.Option(help="How many inputs to make from each original; without it, 20.", metavar="N"),
    ] = None,
    names: Annotated[
        str,
        typer.Option(
            help="census, or a table with the columns name, part, gender, group.", metavar="census|FILE"
        ),
    ] = "census",
    last_names: Annotated[
        str | None,
        typer.Option(
            help="Keep or replace last names; without it, they are replaced where --groups speaks of race.",
            metavar="keep|replace",
        ),
    ] = None,
    content_words: Annotated[
        str,
        typer.Option(
            help="Words such as wife and husband: keep them; exchange: they follow the person's gender; neutral: spouse.",
            metavar="keep|exchange|neutral",
        ),
    ] = "keep",
    no_pronouns: Annotated[bool, typer.Option("--no-pronouns", help="Leave pronouns as they are.")] = False,
    weights: Annotated[
        str, typer.Option(help="Draw names uniformly or by their frequency.", metavar="uniform|frequency")
    ] = "uniform",
    genders: Annotated[
        str,
        typer.Option(help="In groups by race: keep genders, or draw them at random.", metavar="keep|random"),
    ] = "keep",
    woman: Annotated[
        str, typer.Option(help="What Mr. becomes for a woman: Ms. or Mrs.", metavar="TITLE")
    ] = "Ms.",
    seed: Seed = 0,
) -> None:
    """Make inputs that differ in who their people are, and in nothing else."""
    from fairbrief.people.build_people import build as build_people
    from fairbrief.serialization import record_line, write_lines

    refuse_overwriting(out, [source])
    _one_of("--last-names", last_names, (None, "keep", "replace"))
    _one_of("--content-words", content_words, ("keep", "exchange", "neutral"))
    _one_of("--woman", woman, ("Ms.", "Mrs."))
    _one_of("--genders", genders, ("keep", "random"))
    words = {"keep": False, "exchange": True, "neutral": "neutral"}[content_words]
    choices: dict[str, Any] = {
        "groups": groups,
        "design": design,
        "per_original": per_original,
        "names": names,
        "last_names": last_names,
        "content_words": words,
        "pronouns": not no_pronouns,
        "weights": weights,
        "genders": genders,
        "woman": woman,
        "seed": seed,
    }
    made, report = build_people(read_people(source), **choices)
    stream = iter(made)
    first = next(stream, None)
    if first is None:
        said = ", ".join(f"{times:,} × {reason}" for reason, times in sorted(report.reasons().items()))
        told = "".join(f"\n{line}" for line in report.advice())
        raise DataError(
            f"No input could be made, and nothing is written. Left out: {said or 'nothing'}.{told}"
        )
    write_lines((record_line(record) for record in chain((first,), stream)), out)
    tell(report, out)


def read_people(source: Path) -> Iterator[Record]:
    """The records of annotated documents, in the format that the files' names tell."""
    from fairbrief.readers.annotated.conll import read_conll
    from fairbrief.readers.annotated.corefud import read_corefud
    from fairbrief.readers.annotated.ontonotes import read_ontonotes

    readers = {"corefud": read_corefud, "ontonotes": read_ontonotes, "conll": read_conll}
    if source.is_file() and source.name.endswith((".jsonl", ".json", ".jsonl.gz", ".parquet")):
        from fairbrief.readers import read

        return read(source).records()
    files = [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file())
    found = {kind for p in files for ending, kind in FORMATS.items() if p.name.endswith(ending)}
    if len(found) != 1:
        seen = f"files of {len(found)} formats ({', '.join(sorted(found))})" if found else "none of these"
        raise DataError(
            f"{source}: {seen}. Wanted .conllu, .coref (with .name and .parse) or *conll files, "
            "or one .jsonl file of records with entities and their mentions."
        )
    return readers[found.pop()](source)


def tell(report: Report, out: Path) -> None:
    """What was written, and which originals were left out and why."""
    originals = len(report.capacities)
    typer.echo(
        f"{counted(report.written, 'input')} of {counted(len(report.built), 'original')} (of {originals:,}) in {out}"
    )
    if report.refused:
        reasons = ", ".join(f"{times:,} × {reason}" for reason, times in sorted(report.reasons().items()))
        typer.echo(f"left out, with all of their inputs: {reasons}")
    for capacity in report.refused:
        people_ = f"{capacity.varied} of {capacity.people} people vary"
        typer.echo(f"  left out: {capacity.original}: {capacity.reason} ({people_}): {capacity.detail}")
    for line in report.advice():
        typer.echo(line)


def _one_of(option: str, value: str | None, known: tuple[str | None, ...]) -> None:
    if value not in known:
        raise RequestError(f"{option} is '{value}'. Wanted {' or '.join(k for k in known if k)}.")


app.command(short_help="Mix labelled texts, by size and by mix.")(perspectives)
app.command(short_help="Make sets that each value dominates equally often.")(stratified)
app.command(short_help="Cut conversations into segments.")(transcripts)
app.command(short_help="Make sets of reviews of one product.")(reviews)
