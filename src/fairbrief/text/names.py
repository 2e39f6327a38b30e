"""Words in names (titles, particles, given names), the parts of written names, tables of names, and gender by name."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from sys import float_info
from typing import Annotated, Final, NamedTuple

import msgspec

from fairbrief.errors import DataError
from fairbrief.text.vocabulary import words

GENDERED_TITLES = {title: gender for gender in ("male", "female") for title in words("titles", gender)}
"""Title, lower-case and without full stop → ``female`` or ``male``; without neutral ones."""
TITLES = words("titles", "male", "female", "of_neither", "offices")
SUFFIXES = words("names", "postnominals", "generations")
"""Words after a name that do not help to distinguish people."""
KNOWN_SUFFIXES = words("names", "postnominals", "more_postnominals")
OFFICES = TITLES | words("names", "callings") | words("titles", "unchanged", "roles", "more_offices")
"""Words that end what is before a name and no part of it: ``Prime Minister``, ``Labour MP``."""
PARTICLES = words("names", "particles")
"""Small words inside a name that count as its parts in running text."""
DOTTED = words("titles", "dotted")
"""Abbreviations whose full stop does not end a sentence."""


def bare(token: str) -> str:
    """A token in lower case, without full stop."""
    return token.lower().rstrip(".")


def is_title(token: str) -> bool:
    """Whether a token is a title, gendered or not."""
    return bare(token) in TITLES


def without_titles(tokens: Iterable[str]) -> list[str]:
    """A name's tokens without titles and suffixes."""
    return [token for token in tokens if not is_title(token) and bare(token) not in SUFFIXES]


def with_last(tokens: Sequence[str]) -> list[str]:
    """A name's tokens without titles and suffixes, but with a last name that is also a title (Stephen King)."""
    own = [token for token in tokens if bare(token) not in SUFFIXES] or tokens
    return [*without_titles(own[:-1]), *own[-1:]]


def without_office(tokens: Sequence[str]) -> tuple[str, ...]:
    """A name's tokens without an office before it, whatever its other words are, and without letters of honour after it.

    >>> without_office("Shadow Home Secretary Ann Smith MP".split()), without_office("Mary King Smith".split())
    (('Ann', 'Smith'), ('Mary', 'King', 'Smith'))
    """
    end = len(tokens)
    while end > 1 and bare(tokens[end - 1]) in KNOWN_SUFFIXES:
        end -= 1
    low = [bare(token) for token in tokens[: end - 1]]
    parts = [{word.removesuffix("s"), *word.split("-")} for word in low]
    start = max((i for i, own in enumerate(parts, 1) if own & OFFICES), default=0)
    return tuple(tokens[start:end] if clear_given_names().isdisjoint(low[:start]) else tokens[:end])


def gender_of_title(token: str) -> str:
    """``female`` or ``male`` for a gendered title, empty for other tokens.

    >>> gender_of_title("Mrs."), gender_of_title("Dr.")
    ('female', '')
    """
    return GENDERED_TITLES.get(bare(token), "")


GENDER_WORDS = {
    "female": "female", "f": "female", "woman": "female", "women": "female", "girl": "female",
    "male": "male", "m": "male", "man": "male", "men": "male", "boy": "male",
}  # fmt: skip
"""Words for a gender in inputs, lower-case → ``female`` or ``male``."""


def gender_of_name(tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str]) -> str:
    """``female``, ``male`` or empty: the gender of an unknown person, from the name's tokens.

    A title decides first. Then ``pages``: full lower-case name of at least two words → gender; for a page with
    neither ``female`` nor ``male`` the gender is unknown. Then ``census``, only for the given name: the first of
    several tokens if it is not an initial, or the only token.

    >>> gender_of_name(["Mrs.", "Smith"], {}, {})
    'female'
    >>> gender_of_name(["Mary", "James"], {}, {"mary": "female", "james": "male"})
    'female'
    """
    if by_title := next(filter(None, map(gender_of_title, tokens)), ""):
        return by_title
    core = without_titles(tokens)
    if len(core) > 1 and (page := pages.get(" ".join(core).lower())) is not None:
        return page if page in ("female", "male") else ""
    is_titled = len(core) < len(tokens) and len(core) == 1
    has_given = core and not is_titled and len(bare(core[0])) > 1
    return census.get(core[0].lower(), "") if has_given else ""


def gender_of_any(
    tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str], *, page_decides: bool
) -> str:
    """The gender of an unknown person by the page with exactly this name, else by *any* token, without titles.

    A page of a single word is ignored. One of neither gender means unknown where ``page_decides`` (Steen & Markert's
    Appendix F), and has no effect otherwise (the paper's release). A name with tokens of both genders is unknown.

    >>> gender_of_any(["Mary", "James"], {}, {"mary": "female", "james": "male"}, page_decides=True)
    ''
    """
    page = pages.get(" ".join(tokens).lower()) if len(tokens) > 1 else None
    if page in ("female", "male"):
        return page
    if page is not None and page_decides:
        return ""
    found = {census[token.lower()] for token in tokens if token.lower() in census}
    return found.pop() if len(found) == 1 else ""


def genders_of(values: Iterable[str]) -> dict[str, str]:
    """The input's words for women and men → ``female`` and ``male``; empty unless there is one of each.

    >>> genders_of(["F", "M", "unknown"])
    {'F': 'female', 'M': 'male'}
    """
    first: dict[str, str] = {}
    for value in values:
        if gender := GENDER_WORDS.get(value.lower()):
            first.setdefault(gender, value)
    return {value: gender for gender, value in first.items()} if len(first) == 2 else {}


def without_accents(word: str) -> str:
    """The word without accents: François is also written Francois."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


@cache
def shares(which: str) -> dict[str, int]:
    """Lower-case name → its share in thousandths of a per cent of all people of the list; whole numbers compare exactly.

    ``which``: ``male.first``, ``female.first`` or ``all.last``, the files of the package ``names``.
    """
    import names

    text = files(names).joinpath(f"dist.{which}").read_text(encoding="ascii")
    rows = (line.split() for line in text.splitlines() if line.strip())
    return {name.lower(): round(float(share) * 1000) for name, share, *_ in rows}


@cache
def genders(*, strictly: bool = False) -> dict[str, str]:
    """Lower-case first name → gender, if one share is at least twice the other; other shared names are excluded.

    ``strictly`` requires *more* than twice, as the release does (nine names have exactly twice).
    """
    male, female = shares("male.first"), shares("female.first")
    found = {}
    for name in male | female:
        m, f = male.get(name, 0), female.get(name, 0)
        if max(m, f) > 2 * min(m, f) or (not strictly and max(m, f) == 2 * min(m, f)):
            found[name] = "male" if m > f else "female"
    return found


@cache
def given_names() -> frozenset[str]:
    """All first names of the census, and some that are common elsewhere, with and without accents; lower-case."""
    world = words("names", "europe", "asia_africa_oceania")
    return world.union(map(without_accents, world), shares("male.first"), shares("female.first"))


@cache
def clear_given_names() -> frozenset[str]:
    """Given names that are no title, and hardly ever a place, a people or a common word."""
    others = words("not_people", "plain_words", "countries", "regions", "cities", "also_names", "peoples")
    return given_names() - TITLES - others


# ---- The parts of written names


KNOWN_PARTICLES: Final = words("names", "particles", "more_particles")
"""Particles inside a known name; in running text some of these are mostly other words."""
_ROMAN: Final = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split())


class Piece(NamedTuple):
    """A word of a name, which begins at character ``start``.

    ``part`` is ``given``, ``initial``, ``particle``, ``last`` or ``suffix``.
    """

    start: int
    word: str
    part: str

    @property
    def end(self) -> int:
        return self.start + len(self.word)


def divide(name: str, last: str | None = None, alone: str = "last") -> tuple[Piece, ...]:
    """The words of a name without title, each with its part.

    ``last``, if known, is the last name ("Long" in "Long Lee"); otherwise it is the last word before a suffix (Jr.,
    III), or the first one of an East Asian name (Kim Jong-un). Lower-case particles before it (de la) are part of it;
    capitalised ones (Van) too, unless they begin the name. A single letter is an initial. A single word has the part
    ``alone``, unless it is ``last``. Anything after a comma is a suffix.
    """
    written = ((match.start(), match[0].rstrip(",")) for match in re.finditer(r"\S+", name))
    words = [(start, word) for start, word in written if word]
    if not words:
        return ()
    tokens = [word for _, word in words]
    end = len(words)
    while end > 1 and is_suffix(tokens[end - 1]):
        end -= 1
    parts = ["given"] * end + ["suffix"] * (len(words) - end)
    low, high = (end - 1, end) if end > 1 or alone == "last" else (end, end)
    if last:
        wanted, known = last.lower().split(), [word.lower() for word in tokens[:end]]
        if places := [i for i in range(end) if known[i : i + len(wanted)] == wanted]:
            low, high = places[-1], places[-1] + len(wanted)
    elif last is None and _is_family_first(tokens[:end]):
        low, high = 0, 1
    parts[low:high] = ["last"] * (high - low)
    i = low - 1
    while i >= 0 and bare(tokens[i]) in KNOWN_PARTICLES and (i > 0 or tokens[0].islower()):
        parts[i] = "particle"
        i -= 1
    # Capitals without stops are initials, as in "AS Heagle", unless the whole name is in capitals.
    is_shouted = tokens[-1].isupper()
    for i, word in enumerate(tokens):
        is_run = word.isupper() and 2 <= len(word) <= 3 and not is_shouted
        if parts[i] == "given" and (is_run or is_initial(word)):
            parts[i] = "initial"
    return tuple(Piece(*word, part) for word, part in zip(words, parts, strict=True))


def is_initial(word: str) -> bool:
    """Whether a word is an initial or several run together: ``L.``, ``J.R.``, ``W``."""
    letters = word.replace(".", "")
    has_stops = len(letters) <= 3 and word.count(".") == len(letters)
    return letters.isupper() and (len(letters) == 1 or has_stops)


def _is_family_first(tokens: list[str]) -> bool:
    """Whether a name of two words begins with the family name.

    Either the second word is two syllables joined by a hyphen (Kim Jong-un), or it is rare in the census and the
    first is not a given name there (Deng Xiaoping).
    """
    if len(tokens) != 2 or tokens[0].lower() not in words("names", "family_first"):
        return False
    if re.fullmatch(r"[A-Z][a-z]{0,5}-[A-Za-z][a-z]{0,5}", tokens[1]) is not None:
        return True
    first, second = (_frequency(token, "male.first", "female.first") for token in tokens)
    return first < 3 and not second and _frequency(tokens[1], "all.last") < 3


def _frequency(word: str, *lists: str) -> int:
    """The largest share of a name in lists of the census; 0 if none has it."""
    return max(shares(which).get(word.lower(), 0) for which in lists)


def is_suffix(word: str) -> bool:
    """Whether a word follows a last name without being part of it: ``Jr.``, ``III``, ``Ph.D.``."""
    low = word.lower().replace(".", "").strip(",")
    return low in KNOWN_SUFFIXES or (word.strip(",.").isupper() and low in _ROMAN)


# ------------------------------------------------------------------------------------- tables


class Listed(msgspec.Struct, frozen=True):
    """One row of a table of names.

    ``part`` is ``first`` or ``last``; ``gender`` ``male``, ``female`` or empty; ``group`` any word or
    empty; ``weight`` its frequency, in any unit that is the same for the whole table.
    """

    name: str
    part: Annotated[str, msgspec.Meta(pattern="^(first|last)$")]
    gender: Annotated[str, msgspec.Meta(pattern="^(male|female|)$")] = ""
    group: str = ""
    weight: Annotated[float, msgspec.Meta(gt=0, le=float_info.max)] = 1.0


class Names(NamedTuple):
    """A table of names to draw from; results of a seed depend on the order of its rows."""

    rows: tuple[Listed, ...]
    source: str

    def groups(self) -> tuple[str, ...]:
        """The groups with both first and last names, in the order of the table."""
        first = dict.fromkeys(r.group for r in self.rows if r.part == "first" and r.group)
        last = {r.group for r in self.rows if r.part == "last"}
        return tuple(g for g in first if g in last)

    def pool(self, part: str, gender: str = "", group: str = "") -> dict[str, float]:
        """The names of a part, a gender and a group (empty: any), with the sums of their weights."""
        weights: dict[str, float] = {}
        for row in self.rows:
            if row.part == part and gender in ("", row.gender) and group in ("", row.group):
                weights[row.name] = weights.get(row.name, 0.0) + row.weight
        return weights


def read_names(lines: Iterable[str], where: str) -> Names:
    """A table of names: comma-separated, with the columns ``name,part,gender,group`` and optionally ``weight``.

    Other columns are ignored. Raises `DataError` with the line of an invalid row.
    """
    reader = csv.DictReader(lines)
    return Names(tuple(_listed(row, f"{where}:{reader.line_num}") for row in reader), where)


def _listed(row: dict[str, str | None], where: str) -> Listed:
    found = {column: (value or "").strip() for column, value in row.items() if column}
    known: dict[str, str | float] = {column: value for column, value in found.items() if value}
    try:
        return msgspec.convert(known | {"weight": float(known.get("weight", 1))}, Listed)
    except (ValueError, msgspec.ValidationError):
        shown = ", ".join(f"{column} '{value}'" for column, value in found.items())
        raise DataError(
            f"{where}: found {shown}. Wanted the columns name; part, first or last; gender, male, female or nothing; "
            "weight, if any, a number above zero."
        ) from None


MOST_FREQUENT = 200


@cache
def census() -> Names:
    """The `MOST_FREQUENT` names of the 1990 US census for either gender, and as many last names.

    The names come with the package ``names``; weights are percentages of people of that gender. A name of both
    genders belongs to one of them only if it is at least twice as frequent there (Steen & Markert, Appendix F), and
    to neither otherwise.
    """
    rows = []
    for gender in ("male", "female"):
        own = [item for item in shares(f"{gender}.first").items() if genders().get(item[0]) == gender]
        rows += [Listed(n.capitalize(), "first", gender, "", s / 1000) for n, s in own[:MOST_FREQUENT]]
    last = islice(shares("all.last").items(), MOST_FREQUENT)
    rows += [Listed(n.capitalize(), "last", "", "", s / 1000) for n, s in last]
    return Names(tuple(rows), "the 1990 US census")


@cache
def is_given_name(word: str) -> bool:
    """Whether a single word for a person is more likely a first name (Alice) than a last name (Clark).

    True if its share among the first names of a gender is more than ten times its share among the last names, in the
    1990 US census: people with one name throughout a text are more often called by the last one (Clinton).
    """
    return _frequency(word, "male.first", "female.first") > 10 * _frequency(word, "all.last")
