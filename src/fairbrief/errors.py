"""What can go wrong, by who must act. The command line prints these four without a traceback."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike


class FairbriefError(Exception):
    """Any failure that a person can mend; never a bug of ours."""


class DataError(FairbriefError):
    """The input is not as it must be: whoever made the file must act.

    The message says where (file, line, id), what was found, what was wanted, and what to do.
    """


class RequestError(FairbriefError):
    """The request cannot be met as it was put: whoever typed it must act."""


class MissingExtra(FairbriefError):
    """An optional library is not installed: whoever runs the machine must act."""

    def __init__(self, library: str, extra: str, reader: str) -> None:
        super().__init__(
            f"{reader} needs the library '{library}', which is not installed. "
            f"Install it with: pip install 'fairbrief[{extra}]'"
        )
        self.library = library
        self.extra = extra
        self.reader = reader

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        """From one process to another it travels as what it was made of."""
        return MissingExtra, (self.library, self.extra, self.reader)


class BackendError(FairbriefError):
    """A model, a server or a device failed: whoever operates it must act."""


@contextmanager
def reading_text(path: PathLike[str] | str) -> Iterator[None]:
    """Say which file it is that is no text in UTF-8, or no table."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: found the byte 0x{error.object[error.start]:02x}, which is not UTF-8; save the file with that encoding."
        ) from error
    except csv.Error as error:
        raise DataError(f"{path}: found what is no CSV ({error}); save the table again.") from error


def first_line(error: BaseException, most: int = 200) -> str:
    """The first line of what a library's error says, or its type where it says nothing; at most so many characters."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:most]
