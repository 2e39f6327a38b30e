"""Words in names: titles, particles, suffixes, given names; and gender by title, a table of pages and the 1990 census."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from fairbrief.errors import MissingExtra
from fairbrief.text.vocabulary import words

GENDERED_TITLES = {
    title: gender
    for gender, titles in (("male", "male"), ("female", "female"), ("", "of_neither"))
    for title in words("titles", titles)
}
"""Title, lower-case and without full stop → ``female``, ``male``, or nothing for a neutral one."""
TITLES = words("titles", "male", "female", "of_neither", "offices")
POSTNOMINALS = words("names", "postnominals")
SUFFIXES = POSTNOMINALS | words("names", "generations")
"""Words after a name that do not help to distinguish people."""
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
    core = without_titles(tokens)
    full = " ".join(core).lower()
    if by_title := next(filter(None, map(gender_of_title, tokens)), ""):
        return by_title
    if len(core) > 1 and full in pages:
        return pages[full] if pages[full] in ("female", "male") else ""
    is_titled = len(core) < len(tokens) and len(core) == 1
    has_given = core and not is_titled and len(bare(core[0])) > 1
    return census.get(core[0].lower(), "") if has_given else ""


def text_gender(tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str]) -> str:
    """The gender of an unknown person by Steen & Markert's Appendix F.

    A page with exactly this name decides, unless the name is a single word; for a page of neither gender the gender
    is unknown. Without a page *any* token is looked up, and a name with tokens of both genders is unknown.

    >>> text_gender(["Mary", "James"], {}, {"mary": "female", "james": "male"})
    ''
    """
    page = pages.get(" ".join(tokens).lower()) if len(tokens) > 1 else None
    return _gender_of_any(tokens, census) if page is None else page if page in ("female", "male") else ""


def published_gender(tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str]) -> str:
    """The gender of an unknown person by the rules of the paper's release.

    Titles are ignored; an undecided page has no effect; *any* token, including last names, is looked up, and a name
    with tokens of both genders is unknown.
    """
    page = pages.get(" ".join(tokens).lower(), "")
    if page in ("female", "male") and len(tokens) > 1:
        return page
    return _gender_of_any(tokens, census)


def _gender_of_any(tokens: Sequence[str], census: Mapping[str, str]) -> str:
    """The common gender of all tokens in the census; empty if it has none of them, or both genders."""
    found = {census[token.lower()] for token in tokens if token.lower() in census}
    return found.pop() if len(found) == 1 else ""


def genders_of(values: Iterable[str]) -> dict[str, str]:
    """The input's words for women and men → ``female`` and ``male``; empty unless there is one of each.

    >>> genders_of(["F", "M", "unknown"])
    {'F': 'female', 'M': 'male'}
    """
    found: dict[str, str] = {}
    for value in values:
        gender = GENDER_WORDS.get(value.lower())
        if gender is not None and gender not in found.values():
            found[value] = gender
    return found if len(found) == 2 else {}


def _plain(word: str) -> str:
    """The word without accents: François is also written Francois."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


@cache
def shares(which: str) -> dict[str, int]:
    """Name → its share in thousandths of a per cent of all people of the list; whole numbers compare exactly.

    ``which``: ``male.first``, ``female.first`` or ``all.last``, the files of the package ``names``.
    """
    return dict(_rows(which))


def commonest_last_names(top: int) -> dict[str, int]:
    """The ``top`` most frequent last names with their `shares`; the rest of the file is not read."""
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
    """Lower-case first name → gender, if one share is at least twice the other; other shared names are excluded.

    ``strictly`` requires *more* than twice, as the release does (nine names have exactly twice).
    """
    male, female = _lowered("male"), _lowered("female")
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
    return frozenset(_lowered("male")) | frozenset(_lowered("female")) | world | frozenset(map(_plain, world))


def _lowered(gender: str) -> dict[str, int]:
    return {name.lower(): share for name, share in shares(f"{gender}.first").items()}
