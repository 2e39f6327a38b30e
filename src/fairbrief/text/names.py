"""Parts of written names, and tables of names to draw from."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from fairbrief.errors import DataError, MissingExtra
from fairbrief.text.name_words import commonest_last_names, genders, shares
from fairbrief.text.vocabulary import words as words_of

SUFFIXES: Final = words_of("names", "postnominals", "more_postnominals")
PARTICLES: Final = words_of("names", "particles", "more_particles")
"""Particles inside a known name; in running text some of these are mostly other words."""
_ROMAN: Final = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split())


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a name, at characters ``start`` to ``end``.

    ``part`` is ``given``, ``initial``, ``particle``, ``last`` or ``suffix``.
    """

    start: int
    end: int
    part: str


def divide(name: str, last: str | None = None, alone: str = "last") -> tuple[Piece, ...]:
    """The words of a name without title, each with its part.

    ``last``, if known, is the last name ("Long" in "Long Lee"); otherwise it is the last word before a suffix (Jr.,
    III), or the first one of an East Asian name (Kim Jong-un). Lower-case particles before it (de la) are part of it;
    capitalised ones (Van) too, unless they begin the name. A single letter is an initial. A single word has the part
    ``alone``, unless it is ``last``. Anything after a comma is a suffix.
    """
    words = list(_words(name))
    parts = ["given"] * len(words)
    end = _before_suffixes(words)
    for i in range(end, len(words)):
        parts[i] = "suffix"
    known = _find([w for _, _, w in words[:end]], last.split()) if last else None
    if known is None and last is None and _is_family_first([w for _, _, w in words[:end]]):
        known = (0, 1)
    if known is None:
        known = (end - 1, end) if end > 1 or alone == "last" else (end, end)
    low, high = known
    for i in range(max(low, 0), high):
        parts[i] = "last"
    i = low - 1
    while i > 0 and _is_particle(words[i][2]):
        parts[i] = "particle"
        i -= 1
    if i == 0 and words[0][2].islower() and _is_particle(words[0][2]):
        parts[0] = "particle"
    for i, (_, _, word) in enumerate(words):
        if parts[i] == "given" and (is_initial(word) or _is_run_of_initials(word, words[-1][2])):
            parts[i] = "initial"
    return tuple(Piece(a, b, part) for (a, b, _), part in zip(words, parts, strict=True))


def is_initial(word: str) -> bool:
    """Whether a word is an initial or several run together: ``L.``, ``J.R.``, ``W``."""
    letters = word.replace(".", "")
    return (len(letters) == 1 and letters.isupper()) or (
        letters.isupper() and len(letters) <= 3 and word.count(".") == len(letters)
    )


def _is_run_of_initials(word: str, final: str) -> bool:
    """Whether capitals without stops are initials, as in "AS Heagle"; names in all capitals have no recognisable initials."""
    return word.isupper() and 2 <= len(word) <= 3 and not final.isupper()


def _is_family_first(words: list[str]) -> bool:
    """Whether a name of two words begins with the family name.

    Either the second word is two syllables joined by a hyphen (Kim Jong-un), or it is rare in the census and the
    first is not a given name there (Deng Xiaoping).
    """
    if len(words) != 2 or words[0].lower() not in words_of("names", "family_first"):
        return False
    if re.fullmatch(r"[A-Z][a-z]{0,5}-[A-Za-z][a-z]{0,5}", words[1]) is not None:
        return True
    first, second = (_frequency(word, "male.first", "female.first") for word in words)
    return first < 3 and not second and _frequency(words[1], "all.last") < 3


def _frequency(word: str, *lists: str) -> int:
    """The largest share of a name in lists of the census; 0 without the census."""
    try:
        return max(shares(which).get(word.capitalize(), 0) for which in lists)
    except MissingExtra:
        return 0


def is_suffix(word: str) -> bool:
    """Whether a word follows a last name without being part of it: ``Jr.``, ``III``, ``Ph.D.``."""
    low = word.lower().replace(".", "").strip(",")
    return low in SUFFIXES or (word.strip(",.").isupper() and low in _ROMAN)


def _is_particle(word: str) -> bool:
    return word.lower().rstrip(".") in PARTICLES


def _words(name: str) -> Iterator[tuple[int, int, str]]:
    position = 0
    for word in name.split():
        start = name.index(word, position)
        position = start + len(word)
        kept = word.rstrip(",")
        if kept:
            yield start, start + len(kept), kept


def _before_suffixes(words: list[tuple[int, int, str]]) -> int:
    end = len(words)
    while end > 1 and is_suffix(words[end - 1][2]):
        end -= 1
    return end


def _find(words: list[str], wanted: list[str]) -> tuple[int, int] | None:
    """The last position where the wanted words are consecutive, in any case."""
    low, want = [w.lower() for w in words], [w.lower() for w in wanted]
    for i in range(len(low) - len(want), -1, -1):
        if want and low[i : i + len(want)] == want:
            return i, i + len(want)
    return None


# ------------------------------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of a table of names.

    ``part`` is ``first`` or ``last``; ``gender`` ``male``, ``female`` or empty; ``group`` any word or
    empty; ``weight`` its frequency, in any unit that is the same for the whole table.
    """

    name: str
    part: str
    gender: str = ""
    group: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Names:
    """A table of names to draw from; results of a seed depend on the order of its rows."""

    rows: tuple[Listed, ...]
    source: str

    def groups(self) -> tuple[str, ...]:
        """The groups with both first and last names, in the order of the table."""
        first = dict.fromkeys(r.group for r in self.rows if r.part == "first" and r.group)
        last = {r.group for r in self.rows if r.part == "last"}
        return tuple(g for g in first if g in last)

    def pool(self, part: str, gender: str = "", group: str = "") -> tuple[Listed, ...]:
        """The names of a part, a gender and a group (empty: any); each name once, its weights summed."""
        found: dict[str, Listed] = {}
        for row in self.rows:
            if (
                row.part == part
                and (not gender or row.gender == gender)
                and (not group or row.group == group)
            ):
                weight = row.weight + (found[row.name].weight if row.name in found else 0.0)
                found[row.name] = Listed(row.name, part, row.gender, row.group, weight)
        return tuple(found.values())


def read_names(lines: Iterable[str], where: str) -> Names:
    """A table of names: comma-separated, with the columns ``name,part,gender,group`` and optionally ``weight``.

    Other columns are ignored. Raises `DataError` with the line of an invalid row.
    """
    reader = csv.DictReader(lines)
    missing = {"name", "part"} - set(reader.fieldnames or ())
    if missing:
        raise DataError(
            f"{where}:1: no column {' and '.join(sorted(missing))}. Wanted name,part,gender,group in the first line."
        )
    return Names(tuple(_listed(row, f"{where}:{reader.line_num}") for row in reader), where)


def _listed(row: dict[str, str | None], where: str) -> Listed:
    name, part = (row["name"] or "").strip(), (row["part"] or "").strip()
    gender, group = (row.get("gender") or "").strip(), (row.get("group") or "").strip()
    if not name:
        raise DataError(f"{where}: the name is empty. Add it, or remove the line.")
    if part not in ("first", "last"):
        raise DataError(f"{where}: part is '{part}'. Wanted first or last.")
    if gender not in ("", "male", "female"):
        raise DataError(f"{where}: gender is '{gender}'. Wanted male, female or nothing.")
    try:
        weight = float(row.get("weight") or 1.0)
    except ValueError:
        weight = -1.0
    if not 0 < weight < float("inf"):
        raise DataError(f"{where}: weight is '{row.get('weight')}'. Wanted a number above zero.")
    return Listed(name, part, gender, group, weight)


@cache
def census(top: int = 200) -> Names:
    """The ``top`` most frequent names of the 1990 US census for either gender, and the ``top`` last names.

    The names come with the package ``names``; frequencies are percentages of people of that gender. A name of both
    genders belongs to one of them only if it is at least twice as frequent there (Steen & Markert, Appendix F), and
    to neither otherwise.
    """
    known = genders()
    first = [
        Listed(name, "first", gender, "", own[name] / 1000)
        for gender in ("male", "female")
        for own in (shares(f"{gender}.first"),)
        for name in [n for n in own if known.get(n.lower()) == gender][:top]
    ]
    last = [Listed(n, "last", "", "", s / 1000) for n, s in commonest_last_names(top).items()]
    return Names((*first, *last), "1990 US census")


@cache
def is_given_name(word: str) -> bool:
    """Whether a single word for a person is more likely a first name (Alice) than a last name (Clark).

    True if its share among the first names of a gender is more than ten times its share among the last names, in the
    1990 US census: people with one name throughout a text are more often called by the last one (Clinton).
    """
    key = word.capitalize()
    first = max(shares("male.first").get(key, 0), shares("female.first").get(key, 0))
    return first > 10 * shares("all.last").get(key, 0)
