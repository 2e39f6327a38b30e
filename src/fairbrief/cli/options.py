"""How commands declare options: as parameters, or, where they share them, as fields of a class of settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import partial, update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from fairbrief.cli.command_line import CheckedCommand
from fairbrief.settings import MACHINE, MODELS, OUTPUT, UNLOADED, option_of, setting

Command = Callable[..., None]


class App(typer.Typer):
    """A typer app with checked commands, whose parameters may be settings (`Chosen`)."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:  # type: ignore[override] # typer lists them
        """Add a command."""
        register = super().command(name, cls=CheckedCommand, **settings)
        return lambda command: register(_with_options(command))


def new_app(help: str | None = None, cls: type[TyperGroup] | None = None) -> App:  # noqa: A002 # typer's word
    """A typer app; with ``help``, a group of subcommands, maybe of a class."""
    return App(
        cls=cls,
        no_args_is_help=help is not None,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help=help,
    )


def argument(help: str, metavar: str, default: Any = ...) -> Any:  # noqa: A002 # typer's word
    """A positional argument, as the default of a parameter."""
    return typer.Argument(default, help=help, metavar=metavar)


def option(default: Any, help: str, metavar: str | None = None, *flags: str, **more: Any) -> Any:  # noqa: A002 # typer's word
    """An option, as the default of a parameter; a flag is its name if it differs from the parameter's."""
    is_shown = default not in (None, "", [])
    return typer.Option(default, *flags, help=help, metavar=metavar, show_default=is_shown, **more)


several = partial(option, [])
"""An option that may be repeated."""
output_file = partial(option, dir_okay=False)
"""An option for a file that the command writes."""
output_folder = partial(option, metavar="DIR", file_okay=False)
"""An option for a folder that the command writes."""


def switch(flag: str, help: str, panel: str | None = None) -> Any:  # noqa: A002 # typer's word
    """An option without a value."""
    return option(False, help, None, flag, rich_help_panel=panel)


AUDIT_FOLDER = output_folder(
    None, "Folder for results, report.html and per-record statistics.", rich_help_panel=OUTPUT
)
CACHE = option(
    None, "File that stores the scores of models between runs.", "FILE", "--cache", rich_help_panel=MACHINE
)
DETAILS = switch("--details", "Print all estimates and tables.", OUTPUT)
OVER = option(None, "Attribute whose groups the prompt names.", "ATTRIBUTE", "--over")
QUIET = switch("--quiet", "Print only errors.", OUTPUT)
SAVED_AUDIT = argument("Saved audit: the folder of 'fairbrief audit --out'.", "DIR")

asking = partial(setting, panel=MODELS)


@dataclass(frozen=True, slots=True)
class SpendingOptions:
    """The rate and limits of requests, by default those of the model. Each field is an option."""

    # fmt: off
    concurrency: int | None = asking(None, "Most requests at the same time.", "N", least=1)
    per_minute: int | None = asking(None, "Most requests per minute.", "N", least=1)
    timeout: float | None = asking(None, "Seconds until a request times out.", "X", least=0)
    retries: int | None = asking(None, "Retries of a failed request.", "N", least=0)
    max_requests: int | None = asking(None, "Most requests of this run, counting retries.", "N", least=1)
    price: str | None = asking(None, "Price of a million prompt and answer tokens, e.g. 0.15,0.6.", "IN,OUT")
    max_tokens: int | None = asking(None, "Most tokens per answer.", "N", least=1)
    base_url: str | None = asking(None, "Address of the server; by default $OPENAI_BASE_URL.", "URL")
    key: str | None = asking(None, "Environment variable with the key; by default OPENAI_API_KEY.", "NAME")
    dry_run: bool = asking(False, "Show the prompts, calls, tokens and cost; send nothing.")
    # fmt: on

    def of_model(self) -> dict[str, str]:
        """The given options that are settings of the model."""
        names = ("concurrency", "per_minute", "timeout", "retries", "max_tokens", "base_url", "key")
        return {name: str(value) for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Chosen:
    """The default of a parameter of a class of settings: a command has options for some of the fields with a panel in its place."""

    is_chosen: Callable[[str], bool]


def only(*names: str) -> Any:
    """Options for these settings of the parameter's class."""
    return Chosen(lambda name: name in names)


def all_but(*names: str) -> Any:
    """Options for all settings of the parameter's class, except some."""
    return Chosen(lambda name: name not in names)


def _with_options(command: Command) -> Command:
    """The command with options in place of parameters with `Chosen` settings.

    While it runs, texts have the language of the option ``--language``, if it has one. ``--seed`` is also that of a sample.
    """
    parameters: list[Parameter] = []
    shared: dict[str, tuple[type[Any], list[Field[Any]]]] = {}
    for p in signature(command, eval_str=True).parameters.values():
        if isinstance(p.default, Chosen):
            known = {parameter.name for parameter in parameters}  # --seed may already be the model's
            chosen = [f for f in fields(p.annotation) if f.metadata["panel"] and p.default.is_chosen(f.name)]
            chosen = [f for f in chosen if f.name not in known]
            shared[p.name] = p.annotation, chosen
            hints = get_type_hints(p.annotation, localns=UNLOADED)
            parameters += [_parameter(f, hints[f.name]) for f in chosen]
        else:
            parameters.append(p.replace(kind=Parameter.KEYWORD_ONLY))

    def run(**given: Any) -> None:
        from fairbrief.text import languages

        with languages.using(given.get("language") or languages.setting()):
            for name, (kind, chosen) in shared.items():
                given[name] = kind(**{f.name: _value(f, given.pop(f.name)) for f in chosen})
            if shared.keys() >= {"plan", "options"}:
                given["options"] = replace(given["options"], seed=given["plan"].seed)
            command(**given)

    # Typer reads options from the signature.
    made: Any = update_wrapper(run, command)
    made.__signature__ = Signature(parameters)
    made.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameter(f: Field[Any], hint: Any) -> Parameter:
    """The parameter from which typer makes a setting's option."""
    about = f.metadata
    is_list = isinstance(f.default, tuple) or get_origin(hint) is Sequence
    default = ... if f.default is MISSING else None if is_list else f.default
    limits = {"min": about["least"], "max": about["most"]}
    shown = option(
        default, about["help"], about["metavar"], option_of(f), rich_help_panel=about["panel"], **limits
    )
    kind = str | None if hint is Any else hint  # any object in Python
    annotation = list[str] | None if is_list else kind
    return Parameter(f.name, Parameter.KEYWORD_ONLY, default=shown, annotation=annotation)


def _value(f: Field[Any], given: Any) -> Any:
    """The setting's value, parsed from the option's."""
    if given is None:
        return f.default
    parse = f.metadata["parse"]
    return given if parse is None else parse(given)
