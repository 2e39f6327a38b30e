"""Titles, particles and suffixes around a name, and the gender that some titles give away."""

from __future__ import annotations

GENDERED_TITLES = {
    "mr": "male", "mister": "male", "sir": "male", "lord": "male", "king": "male", "prince": "male",
    "duke": "male", "monsieur": "male", "señor": "male", "herr": "male",
    "mrs": "female", "ms": "female", "miss": "female", "mx": "", "madam": "female", "ma'am": "female",
    "lady": "female", "dame": "female", "queen": "female", "princess": "female", "duchess": "female",
    "madame": "female", "mme": "female", "mademoiselle": "female", "mlle": "female", "señora": "female", "frau": "female",
}  # fmt: skip
"""Title, lower-case and without full stop → ``female``, ``male``, or nothing for a neutral one."""

OFFICES = frozenset(
    "dr doctor prof professor judge justice president chancellor minister senator sen representative rep "
    "governor gov mayor general gen colonel col major maj captain capt lieutenant lt sergeant sgt officer "
    "detective inspector father sister brother reverend rev bishop pope saint coach chairman chairwoman "
    "chairperson director secretary ambassador attorney counsel aunt uncle st hon".split()
)
"""Offices and callings that English writes before a name with a capital."""

TITLES = frozenset(GENDERED_TITLES) | OFFICES
POSTNOMINALS = frozenset("jr sr esq phd md".split())
SUFFIXES = POSTNOMINALS | {"ii", "iii", "iv"}
"""Words after a name that are no part of it for telling people apart."""

PARTICLES = frozenset("de la del della da di du van von der den ten bin ibn al el le y e dos das".split())
"""Small words inside a name that are taken for its parts in running text."""

DOTTED = frozenset("mr mrs ms mx dr prof sen rep gov gen col maj capt lt sgt rev st hon jr sr".split())
"""Abbreviations whose full stop does not end a sentence."""


def bare(token: str) -> str:
    """A token in lower case, without full stop."""
    return token.lower().rstrip(".")


def is_title(token: str) -> bool:
    """Whether a token is a title, of either gender or none."""
    return bare(token) in TITLES


def gender_of_title(token: str) -> str:
    """``female``, ``male``, or nothing where the token tells neither.

    >>> gender_of_title("Mrs."), gender_of_title("Dr.")
    ('female', '')
    """
    return GENDERED_TITLES.get(bare(token), "")
