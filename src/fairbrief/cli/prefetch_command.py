"""``fairbrief prefetch``: bring models to this machine, so that it can go offline."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Models = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...",
        help="Names on the hub (facebook/bart-large-cnn), or scorers (entailment) for their models.",
    ),
]


@app.command()
def prefetch(models: Models) -> None:
    """Download models into the hub's cache; they are then found there without a network."""
    from fairbrief.errors import BackendError
    from fairbrief.pretrained import hub

    failures = []
    for model in dict.fromkeys(model_of(name) for name in models):
        typer.echo(f"{model} …")
        try:
            folder = hub.download(model, "prefetch")
        except BackendError as error:
            known = hub.cached(model, "prefetch")
            if known is None:
                failures.append(str(error))
                typer.echo("  not fetched")
                continue
            typer.echo("  the hub was not asked for a newer revision")
            folder = known
        size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
        typer.echo(f"  here: {folder} ({size / 1e6:,.0f} MB)")
    if failures:
        raise BackendError("\n".join(failures))


def model_of(name: str) -> str:
    """The model that a scorer's spec names; any other name is a model's own."""
    from fairbrief import registry, specs
    from fairbrief.errors import RequestError

    try:
        parsed = specs.parse(name)
    except RequestError:
        return name
    if parsed.name not in registry.names("scorer or tagger"):
        return name
    model = getattr(registry.make("scorer or tagger", name), "model", None)
    if not isinstance(model, str):
        raise RequestError(f"The scorer '{name}' needs no model: there is nothing to fetch.")
    return model
