"""``fairbrief doctor``: what this machine can do; ``fairbrief prefetch``: bring models to it, so that it can go offline."""

from __future__ import annotations

import importlib.util
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import typer

from fairbrief.cli import options as o
from fairbrief.text.counted import counted

app = o.new_app()


class Finding(NamedTuple):
    """One line: whether it is well (None: not needed), of what, and in words."""

    is_well: bool | None
    name: str
    words: str


@app.command()
def doctor(
    cache: Path | None = o.option(None, "A score cache to look into (read whole).", "PATH"),
) -> None:
    """Say what is installed, which extras and models can be used, the device, and a cache's state."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    sections = {
        "Installed": installed(),
        "Extras": extras(),
        "Plug-ins": plugins(),
        "Device": device(),
        "Models": models(),
        "Score cache": cached_scores(cache),
    }
    for title, findings in sections.items():
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False
        )
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in findings:
            mark, style = MARKS[finding.is_well]
            table.add_row(Text(mark, style=style), Text(finding.name), Text(finding.words))
        console.print(table)
        console.print()


MARKS: dict[bool | None, tuple[str, str]] = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}


def installed() -> Iterator[Finding]:
    """Fairbrief, Python, and the libraries that it always needs."""
    yield Finding(is_well=True, name="fairbrief", words=metadata.version("fairbrief"))
    yield Finding(
        is_well=True, name="python", words=f"{platform.python_version()} on {platform.platform(terse=True)}"
    )
    for extra, library in requirements():
        if not extra:
            yield _library(library)


def extras() -> Iterator[Finding]:
    """Each extra's libraries, with the command that installs what is missing."""
    for extra, library in requirements():
        if extra:
            found = _library(library)
            words = found.words if found.is_well else f"not installed: pip install 'fairbrief[{extra}]'"
            yield Finding(found.is_well or None, f"{extra}: {library}", words)


def requirements() -> list[tuple[str, str]]:
    """(extra, library) of everything that Fairbrief declares; the extra is empty for what it always needs."""
    found = []
    for line in metadata.requires("fairbrief") or ():
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", line)
        if name is not None:
            found.append((extra[1] if extra else "", name[0]))
    return sorted(dict.fromkeys(found))


def _library(name: str) -> Finding:
    try:
        return Finding(is_well=True, name=name, words=metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(is_well=False, name=name, words="not installed")


def plugins() -> Iterator[Finding]:
    """What measures, scorers, taggers, summarizers and protocols are declared, and which of them cannot be loaded."""
    from fairbrief import registry
    from fairbrief.reports.plain import printable

    kinds: tuple[registry.Kind, ...] = ("measure", "scorer", "tagger", "summarizer", "protocol")
    for kind in kinds:
        known = registry.names(kind)
        yield Finding(True if known else None, f"{kind}s", ", ".join(known) or "none")
        for name, why in registry.broken(kind).items():
            yield Finding(is_well=False, name=f"{kind} {name}", words=printable(why))


def device() -> Iterator[Finding]:
    """Where models would run, in which precision."""
    if not _has("torch"):
        yield Finding(None, "models", "need the extra 'neural'; the default measures do without")
        return
    from fairbrief.pretrained.placement import library, place
    from fairbrief.scorers.entailment import Entailment

    torch = library("torch", "doctor")
    chosen = place(Entailment(), "doctor")
    name = platform.processor() or platform.machine()
    if chosen.device == "cuda":
        free, total = torch.cuda.mem_get_info()
        name = f"{torch.cuda.get_device_name()}, {free / 2**30:.0f} of {total / 2**30:.0f} GiB free"
    words = f"{name}; {chosen.dtype}, {chosen.batch_tokens:,} word pieces a batch, {torch.get_num_threads()} CPU threads"
    yield Finding(is_well=True, name=chosen.device, words=words)


def models() -> Iterator[Finding]:
    """Each scorer's model, whether it is in the hub's cache, and what else is there."""
    if not _has("huggingface_hub"):
        yield Finding(None, "hub", "needs the extra 'neural'")
        return
    from fairbrief import registry
    from fairbrief.pretrained import hub

    named: dict[str, list[str]] = {}
    for name, kind in registry.loaded("scorer or tagger"):
        default = getattr(getattr(kind, "__dataclass_fields__", {}).get("model"), "default", None)
        if isinstance(default, str):
            named.setdefault(default, []).append(name)
    for model in dict.fromkeys([*named, *hub.repositories()]):
        here = hub.cached(model, "doctor")
        words = f"default of {', '.join(named[model])}; " if model in named else ""
        if here:
            words += f"here, revision {here.name[:12]}"
        elif model in named:
            words += f"not here: fairbrief prefetch {model}"
        else:
            words += "here in part: no weights of its main revision"
        yield Finding(True if here else None, model, words)


def cached_scores(path: Path | None) -> Iterator[Finding]:
    """A score cache's size and soundness."""
    from contextlib import closing

    from fairbrief.engines.score_cache import Store

    if path is None:
        yield Finding(None, "none named", "name one with --cache FILE")
        return
    if not path.exists():
        yield Finding(None, str(path), "not there yet; a run that names it begins it")
        return
    with closing(Store(path)) as store:
        problem = store.problem()
        words = f"damaged ({problem}); the next run sets it aside"
        if problem is None:
            words = f"{counted(store.count(), 'score')}, {path.stat().st_size / 1e6:,.1f} MB, sound"
        yield Finding(problem is None, str(path), words)


def _has(module: str) -> Any:
    try:
        return importlib.util.find_spec(module) is not None
    except ValueError:  # a module that was blocked by name
        return False


@app.command()
def prefetch(
    models: list[str] = o.argument(
        "Names on the hub (facebook/bart-large-cnn), or scorers (entailment) for their models.", "MODEL..."
    ),
) -> None:
    """Download models into the hub's cache; they are then found there without a network."""
    from fairbrief.errors import BackendError
    from fairbrief.pretrained import hub

    failures = []
    for model in dict.fromkeys(map(model_of, models)):
        typer.echo(f"{model} …")
        try:
            folder = hub.download(model, "prefetch", say=lambda words: typer.echo(f"  fetching {words}"))
            if foundation := hub.foundation_of(folder):
                hub.tokenizer_of(foundation, "prefetch")
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
