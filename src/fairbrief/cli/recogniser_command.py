"""``fairbrief recogniser``: how a recogniser of people errs on annotated documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Source = Annotated[
    Path,
    typer.Argument(
        help="Annotated documents: .conllu, *conll, .coref with .name and .parse, or a folder of them; or .jsonl with mentions.",
        metavar="ANNOTATED",
    ),
]
People = Annotated[
    str, typer.Option("--people", help="builtin, or any spaCy pipeline.", metavar="builtin|spacy:NAME")
]


@app.command()
def recogniser(source: Source, people: People = "builtin") -> None:
    """Say how many women and men a recogniser finds and how it reads their gender, and print the setting for found_inclusion."""
    from fairbrief.cli.build_command import read_people
    from fairbrief.people.recogniser_trial import try_recogniser
    from fairbrief.taggers.people_tagger import People as Recogniser
    from fairbrief.text.recogniser_errors import GROUPS, spell_errors

    errors = try_recogniser(read_people(source), Recogniser(people).accepted)
    for group in GROUPS:
        hit, many = errors.found[group]
        typer.echo(f"{group}: {hit} of {many} people found ({errors.recall(group):.0%})")
    typer.echo(f"errors='{spell_errors(errors)}'")
