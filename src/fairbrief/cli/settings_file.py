"""A file of settings (TOML) in place of a command line: ``fairbrief audit reviews.toml``.

Its keys are the names of options without the dashes at their beginning, and ``files``.
Command-line options override the file. Paths are relative to the file's folder, also in specs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from fairbrief.errors import RequestError, text_of
from fairbrief.settings import as_list
from fairbrief.specs import quoted
from fairbrief.text.addresses import is_stored

ENDING = ".toml"
FILES = "files"
OF_FILES = ("summaries", "speakers", "out", "pairs", "cache")
"""Options that name files."""
IN_SPEC = re.compile(r"""(?<==)(['"]?)([^,()='"@]+)\1""")
"""The value of a setting in a spec, as in ``words(file=topics.toml)``."""


def is_one(file: str) -> bool:
    """Whether an input is a file of settings."""
    return Path(file).suffix.lower() == ENDING


def filled_in(ctx: Any, args: Sequence[str], files: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    """The arguments with the input files of a file of settings in its place; its options become defaults of the context.

    ``given`` are the parsed arguments.
    """
    from fairbrief.readers.messages import did_you_mean  # too slow for --help

    if len(files) > 1:
        raise RequestError("A file of settings names the input files: give only the file of settings.")
    path = Path(files[0])
    options = {_key(option): option for option in ctx.command.params if option.param_type_name == "option"}
    settings = read(path)
    for key in settings:
        if key not in options and key not in _all_options():
            near = did_you_mean(key, _all_options())
            raise RequestError(f"{path}: the key {key!r} is not an option.{near} Correct or remove it.")
    if FILES not in settings:
        raise RequestError(f'{path} has no input files: add files = ["reviews.csv"].')
    inputs = [_relative(path, file) for file in as_list(settings[FILES])]
    ctx.default_map = {
        option.name: _value(path, key, settings[key], option)
        for key, option in options.items()
        if key in settings and given.get(option.name) in (None, ())
    }
    place = list(args).index(files[0])
    return [*args[:place], *inputs, *args[place + 1 :]]


def read(path: Path) -> Mapping[str, Any]:
    """The settings of a file."""
    try:
        return tomllib.loads(text_of(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RequestError(
            f"{path} is not valid TOML: {error}. Correct it, or run fairbrief init."
        ) from error


def written(settings: Mapping[str, Any]) -> str:
    """The settings as the text of a file: texts, numbers and lists are written in TOML as in JSON."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in settings.items())


def _value(path: Path, key: str, value: Any, option: Any) -> Any:
    if option.is_flag:
        if not isinstance(value, bool):
            raise RequestError(f"{path}: {key} = {value!r}: write true or false.")
        return value
    if isinstance(value, (Mapping, bool)) or (isinstance(value, list) and not option.multiple):
        wanted = "a list of texts" if option.multiple else "one value"
        raise RequestError(f"{path}: {key} = {value!r}: write {wanted}.")
    texts = [str(one) for one in as_list(value)]
    if key in OF_FILES:
        texts = [_relative(path, text) for text in texts]
    else:  # only a spec has parentheses: attribute = "tone=mood" names a field, though there may be a file "mood"
        texts = [IN_SPEC.sub(partial(_in_spec, path), text) if "(" in text else text for text in texts]
    return texts if option.multiple else texts[0]


def _relative(path: Path, text: Any) -> str:
    """A file's path (or NAME=FILE), relative to the settings; names of data sets unchanged."""
    if not isinstance(text, str):
        raise RequestError(f"{path}: {FILES} has {text!r}: write a list of texts.")
    name, equals, file = text.partition("=")
    if text.startswith("hf:") or is_stored(text) or is_stored(file):
        return text
    if equals and not (path.parent / text).exists():
        return f"{name}={path.parent / file}"
    return str(path.parent / text)


def _in_spec(path: Path, value: re.Match[str]) -> str:
    """The value of a setting in a spec, relative to the settings if it is a file there."""
    file = path.parent / value[2]
    return quoted(str(file)) if file.is_file() else value[0]


def _key(option: Any) -> str:
    return str(max(option.opts, key=len)).lstrip("-")


@cache
def _all_options() -> tuple[str, ...]:
    """The options of ``audit``: a file may have more settings than another command uses."""
    from fairbrief import cli

    return (FILES, *(_key(option) for option in cli.loaded("audit").params if option.name != "help"))
