"""The lists of words in `vocabularies`, a file for each topic, and the function words of English."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def vocabulary(topic: str) -> Mapping[str, Any]:
    """The lists of a topic by name. A list of words is a text with blanks between the words."""
    file = files("fairbrief.text") / "vocabularies" / f"{topic}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def words(topic: str, *lists: str) -> frozenset[str]:
    """The words of some lists of a topic."""
    return frozenset(word for name in lists for word in vocabulary(topic)[name].split())


CLOSED_CLASSES = words(
    "function_words", "pronouns", "articles", "conjunctions", "prepositions", "auxiliaries", "adverbs"
)
"""Lower-case closed-class words of English: what a comparison of contents leaves out."""
FUNCTION_WORDS = CLOSED_CLASSES | words("function_words", "no_names")
"""Those, and more that are no part of a name: compounds of -body, -one and -thing, linking adverbs."""
CALENDAR = words("function_words", "calendar")
"""Words of the calendar, which English writes with a capital."""
