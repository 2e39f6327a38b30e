"""First names of the 1990 United States census, as the scorers of people ask for them."""

from __future__ import annotations

from functools import cache

from fairbrief.text.gender import census_genders
from fairbrief.text.names import census_shares


@cache
def genders(*, strictly: bool = False) -> dict[str, str]:
    """Lower-case first name → gender, where the census leaves no doubt."""
    male, female = (_lowered(gender) for gender in ("male", "female"))
    return census_genders(male, female, strictly=strictly)


@cache
def given_names() -> frozenset[str]:
    """All first names of the census, lower-case."""
    return frozenset(_lowered("male")) | frozenset(_lowered("female"))


def _lowered(gender: str) -> dict[str, int]:
    return {name.lower(): share for name, share in census_shares(f"{gender}.first").items()}
