"""Names of the 1990 United States census: how frequent, and of which gender."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from fairbrief.errors import MissingExtra
from fairbrief.text.name_gender import census_genders
from fairbrief.text.world_given_names import WORLD_GIVEN_NAMES


@cache
def shares(which: str) -> dict[str, int]:
    """Name → its share in thousandths of a per cent of those who bear one; whole numbers compare exactly.

    ``which``: ``male.first``, ``female.first`` or ``all.last``, as the package ``names`` carries them.
    """
    return dict(_rows(which))


def commonest_last_names(top: int) -> dict[str, int]:
    """The ``top`` most frequent last names with their `shares`; the many others are not read."""
    return dict(islice(_rows("all.last"), top))


def _rows(which: str) -> Iterator[tuple[str, int]]:
    try:
        import names
    except ImportError as error:
        raise MissingExtra("names", "people", "The list of census names") from error
    from importlib.resources import files

    text = files(names).joinpath(f"dist.{which}").read_text(encoding="ascii")
    for line in filter(str.strip, text.splitlines()):
        name, share, *_ = line.split()
        yield name.capitalize(), round(float(share) * 1000)


@cache
def genders(*, strictly: bool = False) -> dict[str, str]:
    """Lower-case first name → gender, where the census leaves no doubt."""
    male, female = (_lowered(gender) for gender in ("male", "female"))
    return census_genders(male, female, strictly=strictly)


@cache
def given_names() -> frozenset[str]:
    """All first names of the census, and some that are common elsewhere; lower-case."""
    return frozenset(_lowered("male")) | frozenset(_lowered("female")) | WORLD_GIVEN_NAMES


def _lowered(gender: str) -> dict[str, int]:
    return {name.lower(): share for name, share in shares(f"{gender}.first").items()}
