"""Personal data in texts, replaced by typed placeholders.

Patterns are linear in the text: each repetition is bounded. Card numbers and IBANs are replaced if their checksums are
right. Phone numbers are replaced in international form, with a leading 0, and in groups of 3, 3 and 4 digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from ipaddress import ip_address

from fairbrief.text.names import given_names, without_titles
from fairbrief.text.recognition import accept, choose, propose
from fairbrief.text.segmentation import replaced

NAME = "[NAME]"
SHORTEST = 2
"""Words of a name up to this length, such as initials, are not replaced without the other words."""
EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}\b")


def has_email(text: str) -> bool:
    """Whether an e-mail address is in the text."""
    return "@" in text and EMAIL.search(text) is not None


def without_identifiers(text: str) -> str:
    """The text with e-mail addresses, users in URLs, IBANs, card and phone numbers and IP addresses replaced.

    >>> without_identifiers("Ask ann@example.org or +49 30 1234567; card 4111 1111 1111 1111.")
    'Ask [EMAIL] or [PHONE]; card [CARD].'
    """
    for kind, pattern, is_valid in KINDS:
        text = pattern.sub(lambda match: f"[{kind}]" if is_valid(match[0]) else match[0], text)  # noqa: B023 # used at once
    return text


def names_in(text: str) -> set[str]:
    """The names of people in an English text, as the built-in recognizer finds them, and their words."""
    names = accept(text, given_names())
    parts = (word for name in names for word in without_titles(name.split()))
    return names.keys() | {word for word in parts if len(word) > SHORTEST}


def without_names(text: str, names: Collection[str]) -> str:
    """The text with these names replaced."""
    return replaced(text, ((span.start, span.end, NAME) for span in choose(propose(text), names)))


def _is_iban(text: str) -> bool:
    """Whether the remainder by 97 is 1, with letters as numbers from 10 (ISO 13616)."""
    plain = text.replace(" ", "")
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    """Whether the sum by Luhn is divisible by 10: every second digit from the right counts twice."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    return sum(digits[-1::-2]) % 10 == -sum(sum(divmod(2 * d, 10)) for d in digits[-2::-2]) % 10


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("USER", re.compile(r"(?<=://)[^/?#\s'\"@]{1,300}(?=@)"), bool),
    ("EMAIL", EMAIL, bool),
    ("IBAN", re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), _is_iban),
    ("CARD", re.compile(r"(?<![\w.-])[2-6][0-9](?:[ -]?[0-9]){11,17}(?![\w-])"), _is_card),
    ("IP", re.compile(r"(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|(?=[0-9A-Fa-f:]{4})[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:]|\.[0-9])"), _is_address),
    ("PHONE", re.compile(
        r"(?<![\w.+/-])(?:(?:\+|00)[1-9](?:[ ()./-]{0,2}[0-9]){6,14}|\(?0[1-9](?:[ ()./-]{0,2}[0-9]){6,11}"
        r"|(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4})(?![\w-])"
    ), bool),
)  # fmt: skip
"""Placeholder, pattern, and the check of what the pattern finds; earlier kinds are replaced first."""
