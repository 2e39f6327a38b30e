"""Signed contrasts in words: a measure's own `ContrastWords`, filled with group, system and size.

Every sentence tells what was measured, never what a system wants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from math import expm1
from typing import Any, get_args

from fairbrief.declarations import ContrastUnit, ContrastWords
from fairbrief.reports import groups, number_format
from fairbrief.reports.note_words import SIDES
from fairbrief.reports.plain import named
from fairbrief.types import Estimate

PLACE = re.compile(r"\{(\w+)\}")


def read(told: object) -> ContrastWords:
    """What a saved result says of a measure's contrasts; plain words for what it does not say."""
    if not isinstance(told, Mapping):
        return ContrastWords()
    known: dict[str, Any] = {f.name: str(told[f.name]) for f in fields(ContrastWords) if f.name in told}
    words = ContrastWords(**known)
    return words if words.unit in get_args(ContrastUnit) else replace(words, unit="plain")


def filled(text: str, **told: str) -> str:
    """A text with its places filled; one that is not known stays as it stands.

    >>> filled("{system} covers {group} {less}", system="a {group}", group="b")
    'a {group} covers b {less}'
    """
    return PLACE.sub(lambda place: told.get(place[1], place[0]), text)


def names_of(e: Estimate) -> dict[str, str]:
    """What the places of a text stand for in one estimate: system, group with its attribute, and the sides of a pair."""
    first, *second = SIDES.split(e.group, maxsplit=1)
    return {
        "system": named(e.system),
        "group": group_of(e),
        "first": named(first),
        "second": named("".join(second)),
    }


def group_of(e: Estimate) -> str:
    """The group with its attribute, as it is called away from its panel: ``2 stars``, ``gender female``."""
    return group_with(e.over, e.group)


def group_with(attribute: str, group: str) -> str:
    """A group with its attribute."""
    name = groups.named(attribute, group)
    return named(name if not attribute or attribute in name else f"{attribute} {name}")


def is_pair(words: ContrastWords) -> bool:
    """Whether the measure's contrasts are each of two groups."""
    return "{first}" in words.below


def heading(e: Estimate, words: ContrastWords) -> str:
    """The group above its rows: a pair as ``female against male``."""
    names = names_of(e)
    if is_pair(words) and names["second"]:
        return f"{names['first']} against {names['second']}"
    return named(groups.named(e.over, e.group))


def said(e: Estimate, words: ContrastWords) -> str:
    """A contrast without its subject: ``16% less than the average document``."""
    assert e.value is not None
    if e.value == 0:
        return words.even
    text = words.below if e.value < 0 else words.above
    return filled(text, size=size(e.value, words.unit), **names_of(e))


def plain_rates(e: Estimate, words: ContrastWords, rates: Mapping[tuple[str, str, str], float]) -> str:
    """The plain rates of a pair's groups, ``42 of 100 female people are named, 51 of 100 male …``; "" if unknown.

    ``rates`` are values by system, measure and quantity.
    """
    parts = []
    for group in SIDES.split(e.group) if words.rates else ():
        rate = rates.get((e.system, e.measure, f"{words.rates}[{group}]"))
        if rate is None:
            return ""
        parts.append(filled(words.rate, rate=f"{100 * rate:.0f} of 100", group=named(group)))
    return ", ".join(parts)


def sentence(e: Estimate, words: ContrastWords) -> str:
    """The whole finding, without what random sentences give."""
    return filled(words.sentence, said=said(e, words), **names_of(e))


def worse(e: Estimate, words: ContrastWords) -> str:
    """Who is worse off by this contrast; empty: nobody of whom it speaks."""
    if not e.value:
        return ""
    return filled(words.worse_below if e.value < 0 else words.worse_above, **names_of(e))


def against(value: float, unit: ContrastUnit) -> str:
    """What random sentences give, in a sentence: ``5.0% less``."""
    if unit == "plain":
        return signed(value, unit)
    return f"{size(value, unit)} {'less' if value < 0 else 'more'}"


def size(value: float, unit: ContrastUnit) -> str:
    """The size of a contrast, without its sign; odds by how many per cent they are lower or higher.

    >>> size(-0.158, "percent"), size(0.031, "points"), size(-0.693, "odds"), size(0.012, "plain")
    ('16%', '3.1 percentage points', '50%', '0.012')
    """
    if unit == "plain":
        return f"{abs(value):.3f}"
    part = 100 * abs(expm1(value) if unit == "odds" else value)
    text = f"{part:,.0f}" if part >= 9.95 else f"{part:.1f}"
    return f"{text} percentage points" if unit == "points" else f"{text}%"


def signed(value: float, unit: ContrastUnit) -> str:
    """A contrast with its sign, as in an interval; percentage points without their unit, which the sentence before names.

    >>> signed(-0.158, "percent"), signed(0.031, "points"), signed(0.693, "odds")
    ('−16%', '+3.1', '+100%')
    >>> signed(-0.0001, "points")
    '0.0'
    """
    text = size(value, unit).partition(" ")[0]
    is_zero = not re.search("[1-9]", text)
    return ("" if is_zero else number_format.MINUS if value < 0 else "+") + text


def cell(value: float | None, unit: ContrastUnit, places: int) -> str:
    """A contrast in a table, whose title names the unit: per cents as such, odds as logarithms.

    >>> cell(-0.842, "percent", 0), cell(-0.693, "odds", 2), cell(None, "plain", 3)
    ('−84', '−0.69', '–')
    """
    scale = 100 if unit in ("percent", "points") else 1
    text = number_format.number(None if value is None else scale * value, places)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.,") else text


def between(low: float, high: float, unit: ContrastUnit) -> str:
    """An interval: ``−18% to −13%``."""
    return f"{signed(low, unit)} to {signed(high, unit)}"


def tick(value: float, unit: ContrastUnit) -> str:
    """A value of the axis, with its sign."""
    if unit == "plain":
        text = f"{value:+.3g}"
    elif unit == "odds":
        text = f"{100 * expm1(value):+.0f}%"
    else:
        text = f"{100 * value:+.3g}" + ("%" if unit == "percent" else "")
    return "0" if value == 0 else text.replace("-", number_format.MINUS)


def group_or_part(e: Estimate) -> str:
    """The group that an estimate speaks of; of one without groups its quantity."""
    return group_of(e) if e.group else e.quantity.replace("_", " ")


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def p_text(p: float | None) -> str:
    """``p = 0.012`` or ``p <0.001``, unbroken."""
    text = number_format.probability(p)
    return f"p\u00a0{text}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"
