"""Group differences in words: group names and their order, and a measure's `ContrastWords` filled with group, system and size.

A sentence states what was measured. It never states an intention of a system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import expm1, isinf
from typing import Any

from fairbrief import conclusions
from fairbrief.declarations import ContrastUnit, ContrastWords, Declaration
from fairbrief.reports import number_format, wording
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.reports.wording import sides
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

SCALES = (
    ("very negative", "negative", "mixed", "neutral", "positive", "very positive"),
    ("neg", "neu", "pos"),
    ("very low", "low", "medium", "high", "very high"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "excellent"),
    ("beginning", "middle", "end"),
)
"""Words with a natural order."""
LAST = frozenset(("unknown", "other", "others", "none", "n/a", "not stated", "mixed or unknown"))
GROUP_NUMBER = re.compile(r"[-−+]?\d+(?:[.,]\d+)?")
PLACE = re.compile(r"\{(\w+)\}")


def filled(text: str, **words: str) -> str:
    """A text with its placeholders replaced; an unknown placeholder is left unchanged.

    >>> filled("{system} covers {group} {less}", system="a {group}", group="b")
    'a {group} covers b {less}'
    """
    return PLACE.sub(lambda place: words.get(place[1], place[0]), text)


def names_of(e: Estimate) -> dict[str, str]:
    """The placeholders' words for one estimate: system, group with its attribute, and the two groups of a pair."""
    first, *second = sides(e.group)
    return {
        "system": named(e.system),
        "group": group_of(e),
        "first": named(first),
        "second": named("".join(second)),
    }


def group_of(e: Estimate) -> str:
    """The group with its attribute, for use outside its table: ``2 stars``, ``gender female``."""
    return group_with(e.over, e.group)


def group_with(attribute: str, group: str) -> str:
    """A group with its attribute, which is not repeated where the group's name has it.

    >>> group_with("stars", "1"), group_with("gender", "female"), group_with("party", "Party of Rome")
    ('1 star', 'gender female', 'Party of Rome')
    """
    name = group_name(attribute, group)
    is_complete = name != group or attribute.lower() in name.lower()
    return named(name if is_complete else f"{attribute} {name}")


def is_pair(words: ContrastWords) -> bool:
    """Whether each group difference of the measure compares two groups."""
    return "{first}" in words.below


def heading(e: Estimate, words: ContrastWords) -> str:
    """The group's name in a table; a pair as ``female against male``; of a measure without groups its quantity."""
    names = names_of(e)
    if is_pair(words) and names["second"]:
        return f"{names['first']} against {names['second']}"
    return named(group_name(e.over, e.group)) if e.group else ""


def described(e: Estimate, words: ContrastWords) -> str:
    """A group difference without its subject: ``16% less than the average document``."""
    assert e.value is not None
    if e.value == 0:
        return words.even
    text = words.below if e.value < 0 else words.above
    return filled(text, size=size(e.value, words.unit), **names_of(e))


def sentence(e: Estimate, words: ContrastWords) -> str:
    """The finding as a clause, without the random-sentence baseline."""
    return filled(words.sentence, difference=described(e, words), **names_of(e))


def worse(e: Estimate, words: ContrastWords) -> str:
    """Who gets less by this difference; "" where nobody does."""
    if not e.value:
        return ""
    return filled(words.worse_below if e.value < 0 else words.worse_above, **names_of(e))


def against(value: float, unit: ContrastUnit) -> str:
    """The random-sentence baseline's value in a sentence: ``5.0% less``."""
    if unit == "plain":
        return signed(value, unit)
    return f"{size(value, unit)} {'less' if value < 0 else 'more'}"


def size(value: float, unit: ContrastUnit) -> str:
    """The size of a difference without its sign; for log odds the percentage by which the odds are lower or higher.

    >>> size(-0.158, "percent"), size(0.031, "points"), size(-0.693, "odds"), size(0.012, "plain")
    ('16%', '3.1 percentage points', '50%', '0.012')
    >>> size(float("inf"), "odds"), size(float("-inf"), "odds")
    ('infinitely', '100%')
    """
    part = 100 * abs(expm1(value) if unit == "odds" else value)
    if isinf(part):
        return "infinitely"
    if unit == "plain":
        return f"{abs(value):.3f}"
    text = f"{part:,.0f}" if part >= 9.95 else f"{part:.1f}"
    return f"{text} percentage points" if unit == "points" else f"{text}%"


def signed(value: float, unit: ContrastUnit) -> str:
    """A difference with its sign; percentage points without their unit.

    >>> signed(-0.158, "percent"), signed(0.031, "points"), signed(0.693, "odds")
    ('−16%', '+3.1', '+100%')
    >>> signed(-0.0001, "points"), signed(float("inf"), "odds")
    ('0.0', '+∞')
    """
    text = size(value, unit).partition(" ")[0]
    if text == "infinitely":
        return ("+" if value > 0 else number_format.MINUS) + number_format.INFINITY
    is_zero = not re.search("[1-9]", text)
    return ("" if is_zero else number_format.MINUS if value < 0 else "+") + text


def cell(value: float | None, unit: ContrastUnit, places: int) -> str:
    """A difference in a table whose title has the unit: percentages as numbers, odds as logarithms.

    >>> cell(-0.842, "percent", 0), cell(-0.693, "odds", 2), cell(None, "plain", 3)
    ('−84', '−0.69', '–')
    """
    scale = 100 if unit in ("percent", "points") else 1
    return number_format.signed(None if value is None else scale * value, places)


def between(low: float, high: float, unit: ContrastUnit) -> str:
    """An interval in a sentence: ``−18% to −13%``."""
    return f"{signed(low, unit)} to {signed(high, unit)}"


def tick(value: float, unit: ContrastUnit) -> str:
    """A label of an axis, with its sign."""
    if unit == "plain":
        text = f"{value:+.3g}"
    elif unit == "odds":
        text = f"{100 * expm1(value):+z.0f}%"
    else:
        text = f"{100 * value:+.3g}" + ("%" if unit == "percent" else "")
    return "0" if value == 0 else text.replace("-", number_format.MINUS)


def group_or_part(e: Estimate) -> str:
    """The estimate's group with its attribute, or the quantity of an estimate without groups."""
    return group_of(e) if e.group else e.quantity.replace("_", " ")


def of_system(e: Estimate) -> str:
    """``gender female in summaries by rosy``"""
    return f"{group_or_part(e)} in summaries by {named(e.system)}"


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def p_of(e: Estimate) -> str:
    """The p that decides on an estimate, as `p_text`."""
    return p_text(conclusions.decisive(e)[0])


def p_text(p: float | None) -> str:
    r"""``p = 0.012`` or ``p < 0.001``, with spaces that no line breaks at.

    >>> p_text(0.0123), p_text(0.0001)
    ('p\xa0=\xa00.012', 'p\xa0<\xa00.001')
    """
    text = number_format.probability(p)
    return f"p\u00a0<\u00a0{text[1:]}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


# --------------------------------------------------------------------------------------------- groups


def ordered_groups(groups: Iterable[str]) -> list[str]:
    """The distinct groups in natural order.

    >>> ordered_groups(["10", "9", "unknown", "1"]), ordered_groups(["positive", "neutral", "negative"])
    (['1', '9', '10', 'unknown'], ['negative', 'neutral', 'positive'])
    """
    distinct = list(dict.fromkeys(groups))
    plain = {group.strip().lower() for group in distinct} - LAST
    scale = next((s for s in SCALES if plain <= set(s)), ())
    return sorted(distinct, key=lambda group: _place(group, scale))


def group_name(attribute: str, group: str) -> str:
    """A group's name in a table: a number with its attribute's name, ``2 stars``; words without it.

    >>> group_name("stars", "2"), group_name("stars", "1"), group_name("rating", "5"), group_name("party", "Green")
    ('2 stars', '1 star', 'rating 5', 'Green')
    """
    if not GROUP_NUMBER.fullmatch(group.strip()):
        return group
    if not (attribute.isalpha() and attribute.endswith("s")):
        return f"{attribute} {group}"
    return f"{group} {attribute.removesuffix('s') if group.strip() == '1' else attribute}"


def _place(group: str, scale: tuple[str, ...]) -> tuple[bool, int, list[tuple[int, float, str]]]:
    word = group.strip().lower()
    place = scale.index(word) if word in scale else 0
    return word in LAST, place, [_piece(part) for part in re.findall(r"\d+(?:\.\d+)?|\D+", word)]


def _piece(part: str) -> tuple[int, float, str]:
    return (0, float(part), "") if part[0].isdigit() else (1, 0.0, part)


# -------------------------------------------------------------------------------------- of one audit


@dataclass(frozen=True, slots=True)
class Context:
    """The settings of an audit that its sentences depend on."""

    made: Mapping[str, Any]
    alpha: float
    rates: Mapping[tuple[str, str, str], float]
    """Values on all records by system, measure and quantity."""
    notes: tuple[str, ...] = ()
    """Notes on measures that every reader must see."""
    variants: frozenset[str] = frozenset()
    """Measures with several settings in one audit: sentences about them name the measure."""

    def declared(self, e: Estimate) -> Declaration:
        return wording.declared(e.measure, self.made)

    def words(self, e: Estimate) -> ContrastWords:
        return self.declared(e).contrast

    def kind(self, e: Estimate) -> conclusions.Conclusion:
        return conclusions.conclusion(e, self.alpha)

    def rank(self, e: Estimate) -> tuple[Any, ...]:
        """A sorting key: comparisons named in advance first, then those of an attribute, then by significance; significant
        ones by their distance from the baseline, others by p.
        """
        scale = 4 if self.words(e).unit == "odds" else 1
        kind, (p, tested) = self.kind(e), conclusions.decisive(e)
        is_worse_above = kind == "above" == self.words(e).worse_side
        order = (
            -round(abs(tested) / scale, 6) if kind in conclusions.SIGNIFICANT or p is None else round(p, 6)
        )
        return (
            not e.is_named,
            not e.over,
            not is_worse_above and conclusions.ORDER.index(kind),
            not self.worse(e),
            not e.group,
            order,
        )

    def significant(self, members: Iterable[Estimate]) -> list[Estimate]:
        """The differences that are significantly below or above their baseline, the clearest first."""
        return sorted((e for e in members if self.kind(e) in conclusions.NAMED), key=self.rank)

    def clearest_first(self, panels: Iterable[Sequence[Estimate]]) -> list[Sequence[Estimate]]:
        """Panels (the group differences of one measure and attribute each), the one with the clearest difference first."""
        return sorted(panels, key=lambda members: min(map(self.rank, members)))

    def plain(self, e: Estimate) -> str:
        """The rates behind odds: ``25 of 100 female people are named, 40 of 100 male …``; "" where one is unknown."""
        parts, words = [], self.words(e)
        for group in sides(e.group) if words.rates else ():
            rate = self.rates.get((e.system, e.measure, f"{words.rates}[{group}]"))
            if rate is None:
                return ""
            parts.append(filled(words.rate, rate=f"{100 * rate:.0f} of 100", group=named(group)))
        return ", ".join(parts)

    def by(self, e: Estimate) -> str:
        """The measure's settings in parentheses, where the audit has it with several."""
        return f" (by {wording.without_over(e)})" if e.measure in self.variants else ""

    def counted(self, n: int) -> str:
        """A number of records, or of summaries where runs are pooled."""
        return counted(n, "summary", "summaries") if self.made.get("pools_runs") else counted(n, "record")

    def records(self, e: Estimate) -> str:
        """The number of records of an estimate, with the number of independent groups where they are clustered."""
        many = self.counted(e.n)
        return (
            many
            if not e.clusters or e.clusters == e.n
            else f"{counted(e.clusters, 'independent group')} of {many}"
        )

    def worse(self, e: Estimate) -> str:
        """Who gets less, judged by the difference from the baseline; "" where nobody does."""
        _, tested = conclusions.decisive(e)
        return worse(e.replace(value=tested), self.words(e))

    def baseline(self, e: Estimate) -> str:
        """The name of the baseline that an estimate is tested against."""
        return "random sentences" if e.extract_p is not None else self.words(e).baseline


def context_of(result: Result) -> Context:
    """The context of a result."""
    rates = {
        (e.system, e.measure, e.quantity): e.value
        for e in result.estimates
        if e.value is not None and not e.subgroup
    }
    specs: dict[tuple[str, str], set[str]] = {}
    for e in result.estimates:
        specs.setdefault((wording.name_of(e.measure), e.over), set()).add(e.measure)
    variants = frozenset[str]().union(*(members for members in specs.values() if len(members) > 1))
    notes = dict.fromkeys(
        wording.worded(note) for e in result.estimates for note in e.notes if note.code == "without_claims"
    )
    return Context(result.made, result.made.get("alpha") or wording.ALPHA, rates, tuple(notes), variants)
