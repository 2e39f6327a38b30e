"""Tables of words that the package contains: word lists from `vocabularies`, one file per topic, and the function words of English."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


def packaged(package: str, *path: str) -> Mapping[str, Any]:
    """The tables of a TOML file in a package."""
    return tomllib.loads(files(package).joinpath(*path).read_text(encoding="utf-8"))


@cache
def vocabulary(topic: str) -> Mapping[str, Any]:
    """The lists of a topic by name. A list is a text of words separated by blanks."""
    return packaged("fairbrief.text", "vocabularies", f"{topic}.toml")


@cache
def words(topic: str, *lists: str) -> frozenset[str]:
    """The union of some lists of a topic."""
    return frozenset(word for name in lists for word in vocabulary(topic)[name].split())


CLOSED_CLASSES = words(
    "function_words", "pronouns", "articles", "conjunctions", "prepositions", "auxiliaries", "adverbs"
)
"""Lower-case closed-class words of English, which comparisons of content ignore."""
FUNCTION_WORDS = CLOSED_CLASSES | words("function_words", "no_names")
"""Closed classes and more words that are never part of a name: compounds of -body, -one and -thing, linking adverbs."""
CALENDAR = words("function_words", "calendar")
"""Words of the calendar, which English capitalises."""
