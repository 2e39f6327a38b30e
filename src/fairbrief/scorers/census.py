"""First names of the 1990 United States census, as the package ``names`` carries them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from fairbrief.errors import MissingExtra
from fairbrief.text.gender import census_genders


@cache
def first_names(gender: Literal["male", "female"]) -> dict[str, float]:
    """Lower-case first name → per cent of the people of that gender who bear it."""
    try:
        import names
    except ImportError as error:
        raise MissingExtra("names", "people", "The census of first names") from error
    lines = Path(names.FILES[f"first:{gender}"]).read_text(encoding="ascii").splitlines()
    rows = (line.split() for line in lines if line.strip())
    return {row[0].lower(): float(row[1]) for row in rows}


@cache
def genders(*, strictly: bool = False) -> dict[str, str]:
    """Lower-case first name → gender, where the census leaves no doubt."""
    return census_genders(first_names("male"), first_names("female"), strictly=strictly)


@cache
def given_names() -> frozenset[str]:
    """All first names of the census, lower-case."""
    return frozenset(first_names("male")) | frozenset(first_names("female"))
