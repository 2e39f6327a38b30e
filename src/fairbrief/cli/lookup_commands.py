"""``fairbrief report`` prints a saved audit, ``measures`` lists what can be measured, ``protocol`` a paper's results, ``doctor`` what is installed; ``prefetch`` downloads
models.
"""

from __future__ import annotations

import dataclasses
import inspect
import platform
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from rich.console import Console

from fairbrief import pretrained, registry, specs
from fairbrief.cli import options as o
from fairbrief.errors import BackendError, RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports import audit_folder, exports
from fairbrief.reports.plain import printable
from fairbrief.reports.terminal import Place, print_labelled, print_result, print_tables, print_text
from fairbrief.scorers import cards
from fairbrief.types import Table

if TYPE_CHECKING:
    from fairbrief.protocols.published_results import PublishedResult

app = o.new_app()


KINDS: tuple[registry.Kind, ...] = ("measure", "scorer", "classifier", "summarizer", "protocol")
"""In the order of the list."""
STYLES = {"ok": "green", "fails": "red", "absent": "dim"}
Finding = tuple[str, str, str]
"""One line: ok, fails or absent (not needed); the name of the item; and a description."""


@app.command()
def report(
    folder: Path = o.SAVED_AUDIT,
    format_: Literal["terminal", "markdown", "latex", "csv"] = o.option(
        "terminal", "terminal, markdown, latex or csv.", "FORMAT", "--format"
    ),
    details: bool = o.DETAILS,
) -> None:
    """Print the report of a saved audit, or export it.

    Examples:
        fairbrief report demo --details
        fairbrief report demo --format markdown
    """
    result = audit_folder.load(folder)
    if format_ == "terminal":
        print_result(result, details=details, place=Place(folder))
    else:
        typer.echo(exports.TEXTS[format_](result).removesuffix("\n"))


@app.command()
def doctor() -> None:
    """Show what is installed, which extras and models are usable, and the device.

    Examples:
        fairbrief doctor
    """
    sections = {"Installed": installed(), "Plug-ins": plugins(), "Device": device(), "Models": models()}
    for title, findings in sections.items():
        typer.echo()
        print_text(title, "bold")
        for mark, name, words in findings:
            print_labelled(mark, (f"{name}: {words}",), STYLES[mark])


def installed() -> Iterator[Finding]:
    """Fairbrief, Python, the required libraries, and those of each extra with the command that installs missing ones."""
    yield "ok", "fairbrief", metadata.version("fairbrief")
    yield "ok", "python", f"{platform.python_version()} on {platform.platform(terse=True)}"
    for extra, library in requirements():
        name = f"{extra}, {library}" if extra else library
        if version := _version(library):
            yield "ok", name, version
        elif extra:
            yield "absent", name, f"not installed: pip install 'fairbrief[{extra}]'"
        else:
            yield "fails", name, "not installed"


def requirements() -> list[tuple[str, str]]:
    """(extra, library) of all declared requirements; the extra is empty for required libraries."""
    lines = metadata.requires("fairbrief") or ()
    found = [re.match(r"([\w.-]+)(?:.*extra\s*==\s*['\"]([\w.-]+))?", line) for line in lines]
    return sorted({(match[2] or "", match[1]) for match in found if match})


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def plugins() -> Iterator[Finding]:
    """The declared measures, scorers, classifiers, summarizers and protocols, and those that cannot be loaded."""
    for kind in KINDS:
        known = registry.names(kind)
        yield "ok" if known else "absent", f"{kind}s", ", ".join(known) or "none"
        for name, why in registry.broken(kind).items():
            yield "fails", f"{kind} {name}", printable(why)


def device() -> Iterator[Finding]:
    """The device and precision for models."""
    if _version("torch") is None:
        yield "absent", "models", "need the extra 'neural'; the default measures do not"
        return
    torch = pretrained.library("torch", "doctor")
    chosen = pretrained.place("auto", "auto", "auto", "doctor")
    name = platform.processor() or platform.machine()
    if chosen.device == "cuda":
        free, total = torch.cuda.mem_get_info()
        name = f"{torch.cuda.get_device_name()}, {free / 2**30:.0f} of {total / 2**30:.0f} GiB free"
    words = f"{name}; {chosen.dtype}, {chosen.batch_tokens:,} word pieces per batch, {torch.get_num_threads()} CPU threads"
    yield "ok", chosen.device, words


def models() -> Iterator[Finding]:
    """Each scorer's model, and whether it is in the hub's cache."""
    if _version("huggingface_hub") is None:
        yield "absent", "hub", "needs the extra 'neural'"
        return
    named: dict[str, list[str]] = {}
    for name, kind in registry.loaded("scorer or classifier"):
        default = getattr(getattr(kind, "__dataclass_fields__", {}).get("model"), "default", None)
        if isinstance(default, str):
            named.setdefault(default, []).append(name)
    for model, scorers in named.items():
        here = pretrained.cached(model, "doctor")
        state = f"revision {here.name[:12]}" if here else f"not downloaded: fairbrief prefetch {model}"
        yield "ok" if here else "absent", model, f"default of {', '.join(scorers)}; {state}"


@app.command()
def prefetch(models: list[str] = o.argument("Models of Hugging Face, or scorers.", "MODEL…")) -> None:
    """Download models, so that they work without a network.

    Examples:
        fairbrief prefetch entailment
        fairbrief prefetch facebook/bart-large-cnn
    """
    failures = []
    for model in dict.fromkeys(map(model_of, models)):
        typer.echo(f"{model} …")
        known = pretrained.cached(model, "prefetch")
        try:
            folder = pretrained.download(model, "prefetch", say=lambda of: typer.echo(f"  downloading {of}"))
            if foundation := pretrained.foundation_of(folder):
                pretrained.folder_of(foundation, "prefetch", weights=False)
        except BackendError as error:
            if known is None:
                failures.append(str(error))
                typer.echo("  not downloaded")
                continue
            typer.echo("  the hub could not be reached for a newer revision")
            folder = known
        size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
        typer.echo(f"  in {folder} ({size / 1e6:,.0f} MB)")
    if failures:
        raise BackendError(" ".join(failures))


def model_of(name: str) -> str:
    """The model of a scorer's spec; any other name is the name of a model."""
    try:
        parsed = specs.parse(name)
    except RequestError:
        return name
    if parsed.name not in registry.names("scorer or classifier"):
        return name
    model = getattr(registry.make("scorer or classifier", name), "model", None)
    if not isinstance(model, str):
        raise RequestError(f"The scorer '{name}' needs no model, so there is nothing to download: drop it.")
    return model


WIDEST = 100
"""Longest line, in characters."""
LABEL = re.compile(r"^([A-Z][\w ]*): {2,}", re.MULTILINE)
"""The start of an entry of a docstring: ``Source:   …``."""
NESTED = re.compile(r"^ {8,}- ", re.MULTILINE)
"""The start of a part of such an entry."""
CODE = re.compile(r"``([^`]+)``|`([^`]+)`")


@app.command()
def measures(name: str | None = o.argument("Measure, scorer or another plug-in.", "NAME", None)) -> None:
    """List all measures, scorers, classifiers, summarizers and protocols, or explain one.

    Examples:
        fairbrief measures
        fairbrief measures coverage_parity
    """
    if name is not None:
        from rich.markdown import Markdown

        console = Console()
        console.print(Markdown(explanation(specs.parse(name).name)), width=min(console.width, WIDEST))
        return
    known_as = names_of_classes()
    tables = []
    for kind in KINDS:
        rows = []
        for known, thing in registry.loaded(kind):
            over = "@ATTRIBUTE" if specs.needs_over(thing) else ""
            line = CODE.sub(lambda m: f"'{m[1] or known_as.get(m[2], m[2])}'", first_line(thing))
            card = f" Card: {cards.summary(known)}." if kind == "scorer" else ""
            rows.append((f"{known}{over}", f"{line}{card}"))
        rows += [(known, printable(why)) for known, why in registry.broken(kind).items()]
        tables.append(Table(f"{kind}s", ("name", "what it is"), tuple(rows)))
    print_tables(tables)
    typer.echo("\nfairbrief measures NAME explains one.")


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    text = inspect.getdoc(thing if inspect.isclass(thing) or callable(thing) else type(thing)) or ""
    return " ".join(text.split("\n\n")[0].split())


def names_of_classes() -> dict[str, str]:
    """Class → the name under which it is declared."""
    return {
        (thing if inspect.isclass(thing) else type(thing)).__name__: name
        for kind in reversed(KINDS)
        for name, thing in registry.loaded(kind)
    }


def observation_of(owner: Any) -> type:
    """The class of a measure's observation; the attribute and required settings are filled with placeholders."""
    fields = [f for f in dataclasses.fields(owner) if f.init]
    needed = [f for f in fields if f.name == "over" or f.default is f.default_factory is dataclasses.MISSING]
    return type(owner(**{f.name: f.name for f in needed}).observation)


def explanation(name: str) -> str:
    """A plug-in's docstring, its observation and its settings, in Markdown."""
    kind = next((kind for kind in KINDS if name in registry.names(kind)), None)
    if kind is None:
        near = did_you_mean(name, [known for kind in KINDS for known in registry.names(kind)])
        raise RequestError(f"Unknown name '{name}'.{near} 'fairbrief measures' lists all names.")
    thing = registry.load(kind, name)
    owner = thing if inspect.isclass(thing) else type(thing)
    parts = [f"{name} ({kind})", inspect.getdoc(owner) or ""]
    if kind == "scorer":
        parts.append(f"Card: {cards.summary(name)}.")
    if dataclasses.is_dataclass(owner):
        if kind == "measure" and (seen := observation_of(owner)) is not owner:
            parts += [f"{seen.__name__}, the observation of each summary:", inspect.getdoc(seen) or ""]
        hints: dict[str, Any] = {}
        with suppress(NameError):  # a plug-in's types may be known only to type checkers
            hints = get_type_hints(owner, include_extras=True)
        settings = [_setting(f, hints.get(f.name)) for f in specs.settings_of(owner)]
        parts += ["Settings:", "\n".join(settings) or "none"]
    known_as = names_of_classes()
    text = NESTED.sub("  - ", LABEL.sub(r"\n- **\1:** ", "\n\n".join(parts)))
    return CODE.sub(lambda m: f"`{m[1] or known_as.get(m[2], m[2])}`", text)


def _setting(f: dataclasses.Field[Any], hint: Any) -> str:
    """A setting with its type, its default, and the values that it allows."""
    kind, allowed = str(f.type), ""
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        kind, allowed = type(choices[0]).__name__, f", one of {', '.join(map(str, choices))}"
    elif get_origin(hint) is Annotated:
        number, check = get_args(hint)
        kind, allowed = inspect.formatannotation(number), f", in {check}" if isinstance(check, str) else ""
    default = "" if f.default is dataclasses.MISSING else f" = {f.default!r}"
    return f"- `{f.name}: {kind}{default}`{allowed}"


# -------------------------------------------------------------------------------------- protocols


@app.command()
def protocol(
    name: str = o.argument("Protocol, e.g. li-coverage.", "NAME"),
    number: str | None = o.argument("One result, e.g. 'Table 3'.", "NUMBER", None),
) -> None:
    """List a paper's tables and figures, or show one with its commands and published numbers.

    'fairbrief audit FILE --protocol NAME' prints the tables for your own file.

    Examples:
        fairbrief protocol li-coverage
        fairbrief protocol li-coverage 'Table 3'
    """
    made = registry.make("protocol", name)
    if not hasattr(made, "results"):
        raise RequestError(f"'{name}' has no list of results. Run it: fairbrief audit FILE --protocol {name}")
    results: dict[str, PublishedResult] = {result.number: result for result in made.results()}
    if number is None:
        rows = tuple((r.number, "command" if r.commands else "none", r.title) for r in results.values())
        notes = (getattr(made, "released", ""), f"'fairbrief protocol {name} NUMBER' shows one.")
        print_tables([Table(made.paper, ("number", "how", "title"), rows, tuple(filter(None, notes)))])
        return
    shown = next((r for key, r in results.items() if key.casefold() == number.casefold()), None)
    if shown is None:
        raise RequestError(f"The paper of {name} has no {number}. It has: {', '.join(results)}.")
    more = {"Inputs": shown.inputs, "Not available": shown.absent, "Note": shown.note}
    lines = [shown.heading, f"Section: {shown.section}", *(f"$ {command}" for command in shown.commands)]
    typer.echo("\n".join([*lines, *(f"{label}: {text}" for label, text in more.items() if text)]))
    if shown.figures:
        print_tables([shown.table], is_below_text=True)
    for figure in shown.obtained:
        numbers = f"{figure.cell}: {figure.obtained} (published: {figure.published}). {figure.reason}"
        typer.echo(f"Obtained, {numbers.strip()}\n  from: {figure.input}\n  $ {figure.command}")
