"""How commands declare options: as parameters, or, where commands share them, as fields of a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from functools import partial, update_wrapper
from inspect import Parameter, signature
from typing import Any, Literal, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from fairbrief.plan import Plan
from fairbrief.settings import MACHINE, OUTPUT, UNLOADED, option_of

Command = Callable[..., None]
Tokens = Literal["words", "nltk", "characters"]


def new_app(help: str | None = None, cls: type[TyperGroup] | None = None) -> typer.Typer:  # noqa: A002 # typer's word
    """A typer app; with ``help``, a group of subcommands, maybe of a class."""
    return typer.Typer(
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


def option(
    default: Any,
    help: str,  # noqa: A002 # typer's word
    metavar: str | None = None,
    flag: str = "",
    *,
    panel: str = "",
    least: float | None = None,
    most: float | None = None,
    **path: Any,
) -> Any:
    """An option, as the default of a parameter; ``flag`` is its name if it differs from the parameter's."""
    return typer.Option(
        default,
        *([flag] if flag else []),
        help=help,
        metavar=metavar,
        min=least,
        max=most,
        rich_help_panel=panel or None,
        show_default=default not in (None, "", []),
        **path,
    )


def several(help: str, metavar: str, flag: str = "") -> Any:  # noqa: A002 # typer's word
    """An option that may be repeated."""
    return option([], help, metavar, flag)


output_file = partial(option, dir_okay=False)
"""An option for a file that the command writes."""
output_folder = partial(option, metavar="DIR", file_okay=False)
"""An option for a folder that the command writes."""


def switch(flag: str, help: str, panel: str = "") -> Any:  # noqa: A002 # typer's word
    """An option without a value."""
    return option(False, help, None, flag, panel=panel)


AUDIT_FOLDER = output_folder(None, "Folder for results, report.html and per-record statistics.", panel=OUTPUT)
CACHE = option(None, "File that stores the scores of models between runs.", "FILE", "--cache", panel=MACHINE)
DETAILS = switch("--details", "Print all estimates and tables.", OUTPUT)
OVER = option(None, "Attribute whose groups the prompt names.", "ATTRIBUTE", "--over")
QUIET = switch("--quiet", "Print only errors.", OUTPUT)
ANNOTATED = "Annotated documents: .conllu, *conll, .coref (with .name and .parse), a folder of them, or .jsonl with mentions."
SAVED_AUDIT = argument("Saved audit: the folder of 'fairbrief audit --out'.", "DIR")


def options_of(
    kind: type[Any], name: str, *, only: Sequence[str] = (), without: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """Replace a command's parameter ``name`` by options: all fields of ``kind``, or some.

    While the command runs, texts have the language of the option ``--language``, if it is one of them.
    """
    hints = get_type_hints(kind, localns=UNLOADED)
    chosen = [
        f for f in fields(kind) if f.metadata["panel"] and f.name not in without and (f.name in only or not only)
    ]  # fmt: skip

    def extended(command: Command) -> Command:
        def run(**given: Any) -> None:
            from fairbrief.text import languages

            settings = {f.name: _value(f, given.pop(f.name)) for f in chosen}
            with languages.using(settings.get("language") or languages.setting()):
                command(**given, **{name: kind(**settings)})

        # Typer reads options from the signature.
        known = signature(command, eval_str=True)
        others = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in known.parameters.values() if p.name != name]
        parameters = [*(_parameter(f, hints[f.name]) for f in chosen), *others]
        made: Any = update_wrapper(run, command)
        made.__signature__ = known.replace(parameters=parameters)
        made.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return extended


def plan_options(*only: str) -> Callable[[Command], Command]:
    """Replace a command's parameter ``plan`` by the options of a `Plan`, all or some."""
    return options_of(Plan, "plan", only=only)


def _parameter(f: Field[Any], hint: Any) -> Parameter:
    """The parameter from which typer makes a setting's option."""
    about = f.metadata
    is_list = isinstance(f.default, tuple) or get_origin(hint) is Sequence
    default = ... if f.default is MISSING else None if is_list else f.default
    shown = option(
        default, about["help"], about["metavar"], option_of(f), panel=about["panel"], least=about["least"], most=about["most"],
    )  # fmt: skip
    kind = str | None if hint is Any else hint  # any object in Python
    annotation = list[str] | None if is_list else kind
    return Parameter(f.name, Parameter.KEYWORD_ONLY, default=shown, annotation=annotation)


def _value(f: Field[Any], given: Any) -> Any:
    """The setting's value, parsed from the option's."""
    given = f.default if given is None else given
    parse = f.metadata["parse"]
    return given if parse is None else parse(given)
