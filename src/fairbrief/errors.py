"""Errors, by who must act. The command line prints these four without a traceback."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any


class FairbriefError(Exception):
    """Any failure that a user can fix; never a bug."""


class DataError(FairbriefError):
    """Invalid input: the author of the file must act.

    The message names the place (file, line, id), what was found, what was expected, and what to do.
    """


class RequestError(FairbriefError):
    """An invalid request: the caller must act."""


class MissingExtra(FairbriefError):
    """A missing optional library: the administrator of the machine must act."""


class BackendError(FairbriefError):
    """A failure of a model, a server or a device: its operator must act."""


@contextmanager
def reading_text(path: PathLike[str] | str) -> Iterator[None]:
    """Turn errors of decoding and of CSV into DataError, and a file that cannot be read into RequestError, with its name."""
    try:
        yield
    except OSError as error:
        raise RequestError(f"'{path}' cannot be read: {error.strerror}. Give another file.") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: found the byte 0x{error.object[error.start]:02x}, which is not UTF-8; expected UTF-8 text; save the file as "
            "UTF-8, a spreadsheet as CSV UTF-8."
        ) from error
    except csv.Error as error:
        raise DataError(f"{path}: found invalid CSV ({error}); expected a table; save it again.") from error


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, without a byte order mark; the errors of `reading_text`."""
    with reading_text(path):
        return path.read_text(encoding="utf-8-sig")


def optional_library(module: str, extra: str, reader: str) -> Any:
    """A module of an optional library, imported on first use; MissingExtra without the library, which ``reader`` needs."""
    library = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != library:
            raise
        name = {"sklearn": "scikit-learn"}.get(library, library)
        raise MissingExtra(
            f"{reader} needs the library '{name}', which is not installed. Install it with: pip install 'fairbrief[{extra}]'"
        ) from None


def first_line(error: BaseException, most: int = 200) -> str:
    """The first line of an error's message, or its type if the message is empty; at most ``most`` characters."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:most]
