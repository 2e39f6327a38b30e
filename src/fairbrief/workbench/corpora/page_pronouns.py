"""A table of people and the gender of their pages' pronouns, from a dump of Wikipedia.

Source: Steen & Markert, Bias in News Summarization, Appendix F and Table 14.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from fairbrief.errors import DataError
from fairbrief.people.groups import GENDERS
from fairbrief.readers.input_sources import check_file
from fairbrief.text.gendered_words import pronoun_gender
from fairbrief.workbench.corpora.sets import dominating

UNKNOWN = "unknown"
PACKED: Mapping[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open}
_CATEGORY = re.compile(r"\[\[\s*category\s*:([^\]|]*)", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"\b(births|deaths|people)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def page_genders(dump: Path) -> dict[str, str]:
    """Name → male, female or unknown, for the people with pages in a MediaWiki XML dump (also .bz2 or .gz).

    People are pages with a category that names births, deaths or people, and a title of at least two words, ignoring
    brackets at its end; redirects to them count. The gender of a page is that of its more frequent pronouns, unknown
    for a tie; a name with pages of different genders is unknown. Raises DataError if the file is not a dump.
    """
    genders: dict[str, str] = {}
    of_title: dict[str, str] = {}
    redirects: list[tuple[str, str]] = []
    for title, target, text in _pages(dump):
        if target:
            redirects.append((title, target))
        elif any(_OF_PEOPLE.search(category) for category in _CATEGORY.findall(text)):
            of_title[title] = _gender(text)
            _add(genders, title, of_title[title])
    for title, target in redirects:
        if target in of_title:
            _add(genders, title, of_title[target])
    return genders


def _add(genders: dict[str, str], title: str, gender: str) -> None:
    before, bracket, after = title.rpartition("(")
    is_bracketed = bracket and after.endswith(")") and after.count(")") == 1
    name = (before if is_bracketed else title).strip().lower()
    if " " in name:
        genders[name] = gender if genders.get(name, gender) == gender else UNKNOWN


def _gender(text: str) -> str:
    """The gender of most pronouns in a text (Table 14)."""
    return dominating(filter(None, map(pronoun_gender, _WORD.findall(text))), GENDERS) or UNKNOWN


def _pages(dump: Path) -> Iterator[tuple[str, str, str]]:
    """Title, the title that it redirects to (or nothing), and text of each article."""
    check_file(dump)
    with PACKED.get(dump.suffix, open)(dump, "rb") as content:
        try:
            events = ET.iterparse(content, events=("start", "end"))  # noqa: S314 # expat limits the growth of entities
            _, root = next(events)
            for event, page in events:
                if event == "start" or page.tag.rpartition("}")[2] != "page":
                    continue
                title, redirect = page.findtext("{*}title"), page.find("{*}redirect")
                if title is not None and page.findtext("{*}ns", "0") == "0":
                    target = "" if redirect is None else redirect.get("title", "")
                    yield title, target, page.findtext("{*}revision[last()]/{*}text", "")
                root.clear()
        except (ET.ParseError, StopIteration, OSError, EOFError) as error:
            raise DataError(
                f"{dump.name}: found what is not XML ({error}); expected a MediaWiki dump (pages-articles.xml, also .bz2)."
            ) from None
