"""The words of reports: names of measures and groups, group differences as sentences, and the text of each note.

A sentence states what was measured: how far one property of these records is from one standard. It gives no verdict on a system,
and never states an intention of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from math import expm1, isinf
from typing import TYPE_CHECKING, Any, Literal

from msgspec import ValidationError, convert

from fairbrief import conclusions, specs
from fairbrief.declarations import ContrastUnit, ContrastWords, Declaration
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.reports import number_format
from fairbrief.reports.plain import named
from fairbrief.text.counted import counted, listed
from fairbrief.types import Estimate, Note

if TYPE_CHECKING:
    from fairbrief.reports.result import Result

ALPHA = 0.05
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


@lru_cache(maxsize=1 << 10)
def name_of(measure: str) -> str:
    """The bare name in a measure's spec: ``bur`` of ``bur(tau=0.5)@party``."""
    try:
        return specs.parse(measure).name
    except RequestError:
        return measure


def names_of(measures: Iterable[str]) -> str:
    """The bare names of measures in a sentence, each once."""
    return listed(list(dict.fromkeys(map(name_of, measures))))


def without_over(estimate: Estimate) -> str:
    """The measure's spec without its attribute."""
    if not estimate.over:
        return estimate.measure
    head = estimate.measure.removesuffix(f"@{specs.quoted(estimate.over)}")
    return head if head != estimate.measure else estimate.measure.rpartition("@")[0] or estimate.measure


def declared(measure: str, made: Mapping[str, Any]) -> Declaration:
    """The measure's declaration in ``made['declared']``; if that is unreadable, one with the measure's name only."""
    name = name_of(measure)
    family = name.replace("_", " ").capitalize()
    try:
        return convert({"family": family, **made["declared"][name]}, Declaration)
    except (KeyError, TypeError, ValidationError):
        return Declaration(family=family)


def is_main_value(estimate: Estimate) -> bool:
    """Whether the estimate is the measure's main value."""
    return estimate.quantity in (name_of(estimate.measure), estimate.measure)


def interval_name(made: Mapping[str, Any]) -> str:
    """The heading of the interval's column: ``95% interval``."""
    return f"{100 * (made.get('confidence_level') or 0.95):g}% interval"


COMPARED = (
    "Systems are compared on the records that count for both. Group differences are compared after subtracting each system's "
    "random-sentence baseline, if there is one; label-independent scores are compared directly. Differences of unsigned "
    "scores have no p, because unsigned scores depend on the length of the summaries. Holm counts equal or opposite differences "
    "of the same two systems as one comparison."
)
"""How systems are compared, as a note below their differences."""


def pair(difference: Estimate) -> str:
    """The names of the two systems, ``a − b``; for one system in two audits the second is marked as the baseline."""
    again = " (baseline)" if difference.system == difference.baseline else ""
    return f"{difference.system} − {difference.baseline}{again}"


def unit_of(*several: Estimate) -> str:
    """What their clusters are: ``record``, or ``independent group`` of records."""
    return "record" if all(e.clusters in (0, e.n) for e in several) else "independent group"


def from_random(estimate: Estimate) -> Estimate:
    """The estimate that is tested: the difference from the random-sentence baseline, or the estimate itself without one."""
    if estimate.extract_difference is None:
        return estimate
    return estimate.replace(
        value=estimate.extract_difference,
        low=estimate.extract_difference_low,
        high=estimate.extract_difference_high,
        se=estimate.extract_se,
        freedom=estimate.extract_freedom,
        p=estimate.extract_p,
        p_adjusted=estimate.extract_p_adjusted,
        permutation_mean=0.0,
        testable=estimate.testable if estimate.extract_p is None else True,
    )


# ---------------------------------------------------------------------------------- group differences


def filled(text: str, **words: str) -> str:
    """A text with its placeholders replaced; an unknown placeholder is left unchanged.

    >>> filled("{system} covers {group} {less}", system="a {group}", group="b")
    'a {group} covers b {less}'
    """
    return PLACE.sub(lambda place: words.get(place[1], place[0]), text)


def placeholders(e: Estimate) -> dict[str, str]:
    """The placeholders' words for one estimate: system, group with its attribute, and the two groups of a pair."""
    first, second = (named(group_name(e.over, side)) for side in (*sides(e.group), "")[:2])
    return {"system": named(e.system), "group": group_with(e.over, e.group), "first": first, "second": second}


def measure_label(spec: str, over: str) -> str:
    """A measure with its attribute: ``bur by party``, or its spec without one."""
    return f"{spec.removesuffix(f'@{over}')} by {over}" if over else spec


def group_with(attribute: str, group: str) -> str:
    """A group with its attribute, for use outside its table; the attribute is not repeated where the group's name has it.

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
    names = placeholders(e)
    if is_pair(words) and names["second"]:
        return f"{names['first']} against {names['second']}"
    return named(group_name(e.over, e.group)) if e.group else ""


def described(e: Estimate, words: ContrastWords) -> str:
    """A group difference without its subject: ``16% less than the average document``."""
    assert e.value is not None
    if e.value == 0:
        return words.even
    text = words.below if e.value < 0 else words.above
    return filled(text, size=size(e.value, words.unit), **placeholders(e))


def sentence(e: Estimate, words: ContrastWords) -> str:
    """The finding as a clause, without the random-sentence baseline."""
    return filled(words.sentence, difference=described(e, words), **placeholders(e))


def size(value: float, unit: ContrastUnit) -> str:
    """The size of a difference without its sign; for log odds the percentage by which the odds are lower or higher.

    >>> size(-0.158, "percent"), size(0.031, "points"), size(-0.693, "odds"), size(0.012, "plain")
    ('16%', '3.1 percentage points', '50%', '0.012')
    >>> size(float("inf"), "odds"), size(float("-inf"), "odds")
    ('infinitely', '100%')
    """
    part = abs(_scaled(value, unit))
    if isinf(part):
        return "infinitely"
    if unit == "plain":
        return f"{part:.3f}"
    text = f"{part:,.0f}" if part >= 9.95 else f"{part:.1f}"
    return f"{text} percentage points" if unit == "points" else f"{text}%"


UNITS = {"points": " percentage points", "odds": " in the odds"}
"""What follows a signed difference that its sign and number do not explain."""


def difference(value: float, unit: ContrastUnit) -> str:
    """``difference of 16%``; of odds, which are no shares, ``difference of 50% in the odds``."""
    return f"difference of {size(value, unit)}{UNITS['odds'] if unit == 'odds' else ''}"


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


def between(low: float | None, high: float | None, unit: ContrastUnit) -> str:
    """An interval in a sentence: ``−18% to −13%``; "" if it lacks a bound."""
    return "" if low is None or high is None else f"{signed(low, unit)} to {signed(high, unit)}"


def tick(value: float, unit: ContrastUnit) -> str:
    """A label of an axis, with its sign."""
    text = f"{_scaled(value, unit):{'+z.0f' if unit == 'odds' else '+.3g'}}"
    end = "%" if unit in ("percent", "odds") else ""
    return "0" if value == 0 else text.replace("-", number_format.MINUS) + end


def _scaled(value: float, unit: ContrastUnit) -> float:
    """A difference as sentences and axes have it: in percent, for log odds the change of the odds, or as it is."""
    if unit == "plain":
        return value
    return 100 * (expm1(value) if unit == "odds" else value)


def group_or_part(e: Estimate) -> str:
    """The estimate's group with its attribute, or the quantity of an estimate without groups."""
    return group_with(e.over, e.group) if e.group else e.quantity.replace("_", " ")


def of_system(e: Estimate) -> str:
    """``gender female in summaries by rosy``"""
    return f"{group_or_part(e)} in summaries by {named(e.system)}"


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


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
    >>> ordered_groups(["over 7", "over 3 to 7", "up to 3"]), ordered_groups(["over 3", "up to 3"])
    (['up to 3', 'over 3 to 7', 'over 7'], ['up to 3', 'over 3'])
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
    of_bin = re.sub(r"^over (\d.*)", r"\1 over", re.sub(r"^up to (?=\d)", "", word))
    parts = re.findall(r"\d+(?:\.\d+)?|\D+", of_bin)
    ordered = [(0, float(part), "") if part[0].isdigit() else (1, 0.0, part) for part in parts]
    return word in LAST, place, ordered


# -------------------------------------------------------------------------------------- of one audit


class Context:
    """What the sentences of a result depend on beside the estimates that they are about."""

    def __init__(self, result: Result) -> None:
        self.result, self.made = result, result.made
        self.alpha: float = result.made.get("alpha") or ALPHA
        self._declared = cache(partial(declared, made=result.made))

    @cached_property
    def whole(self) -> Mapping[tuple[str, str, str], Estimate]:
        """The estimates on all records by measure, quantity and system."""
        return {(e.measure, e.quantity, e.system): e for e in self.result.estimates if not e.subgroup}

    @cached_property
    def _variants(self) -> set[str]:
        """Measures with several settings in one audit: sentences about them name the measure."""
        known = {(e.measure, e.over) for e in self.result.estimates}
        specs = grouped(((name_of(measure), over), measure) for measure, over in known)
        return {measure for members in specs.values() if len(members) > 1 for measure in members}

    def leading(self, what: Literal["systems", "pairs", "subgroups"] = "systems") -> list[list[Estimate]]:
        """The primary group differences by measure and attribute: of systems, of pairs of systems, or of requested subgroups."""
        differences = self.result.differences
        estimates = map(from_random, differences) if what == "pairs" else self.result.estimates
        wanted = [set(names) for names in self.made.get("by") or ()] if what == "subgroups" else [set()]
        leading = conclusions.leading(estimates, by_subgroup=what == "subgroups")
        chosen = (e for e in leading if bool(e.baseline) == (what == "pairs") and set(e.subgroup) in wanted)
        return list(grouped(((e.measure, e.over, frozenset(e.subgroup)), e) for e in chosen).values())

    def declared(self, e: Estimate) -> Declaration:
        return self._declared(e.measure)

    def words(self, e: Estimate) -> ContrastWords:
        return self.declared(e).contrast

    def kind(self, e: Estimate) -> conclusions.Conclusion:
        return conclusions.conclusion(e, self.alpha)

    def rank(self, e: Estimate) -> tuple[Any, ...]:
        """A sorting key: comparisons named in advance first, then those of an attribute, then by significance; significant
        ones by their distance from the baseline, others by p.
        """
        kind, (p, tested) = self.kind(e), conclusions.decisive(e)
        distance = abs(tested) / (4 if self.words(e).unit == "odds" else 1)
        is_worse_above = kind == "above" == self.words(e).worse_side
        order = -round(distance, 6) if kind in conclusions.SIGNIFICANT or p is None else round(p, 6)
        return (
            not e.is_named,
            not e.over,
            not is_worse_above and list(conclusions.WORDS).index(kind),
            not self.worse(e),
            not e.group,
            order,
        )

    @cached_property
    def panels(self) -> list[Sequence[Estimate]]:
        """The leading group differences of systems, those with the clearest difference first."""
        return self.clearest_first(self.leading())

    @cached_property
    def first(self) -> Estimate:
        """The clearest of the leading group differences, with which a report begins; IndexError if there is none."""
        return min(self.panels[0], key=self.rank)

    def significant(self, members: Iterable[Estimate]) -> list[Estimate]:
        """The differences that are significantly below or above their baseline, the clearest first."""
        return sorted((e for e in members if self.kind(e) in conclusions.NAMED), key=self.rank)

    def clearest_first(self, panels: Iterable[Sequence[Estimate]]) -> list[Sequence[Estimate]]:
        """Panels (the group differences of one measure and attribute each), the one with the clearest difference first."""
        return sorted(panels, key=lambda members: min(map(self.rank, members)))

    def clearest(self, members: Iterable[Estimate], name: Callable[[Estimate], str], most: int) -> list[str]:
        """The names (systems or groups) with the clearest differences, the clearest first."""
        return list(dict.fromkeys(map(name, sorted(members, key=self.rank))))[:most]

    def plain(self, e: Estimate) -> str:
        """The rates behind odds: ``25 of 100 female people are named, 40 of 100 male …``; "" where one is unknown."""
        parts, words = [], self.words(e)
        for group in sides(e.group) if words.rates else ():
            of = self.whole.get((e.measure, f"{words.rates}[{group}]", e.system))
            if of is None or of.value is None:
                return ""
            parts.append(filled(words.rate, rate=f"{100 * of.value:.0f} of 100", group=named(group)))
        return ", ".join(parts)

    def by(self, e: Estimate) -> str:
        """The measure's settings in parentheses, where the audit has it with several."""
        return f" (by {without_over(e)})" if e.measure in self._variants else ""

    def counted(self, n: int) -> str:
        """A number of records, or of summaries where runs are pooled."""
        return counted(n, "summary", "summaries") if self.made.get("pools_runs") else counted(n, "record")

    def records(self, e: Estimate) -> str:
        """The number of records of an estimate, with the number of independent groups where they are clustered."""
        many = self.counted(e.n)
        return many if e.clusters in (0, e.n) else f"{many} in {counted(e.clusters, 'independent group')}"

    def worse(self, e: Estimate) -> str:
        """Who gets less, judged by the difference from the baseline; "" where nobody does."""
        words, (_, tested) = self.words(e), conclusions.decisive(e)
        who = words.worse_below if tested < 0 else words.worse_above
        return filled(who, **placeholders(e)) if tested else ""

    def baseline(self, e: Estimate) -> str:
        """The name of the baseline that an estimate is tested against."""
        return "random sentences" if e.extract_p is not None else self.words(e).baseline

    def concluded(self, e: Estimate) -> str:
        """The conclusion in words, with the name of the baseline."""
        return conclusions.WORDS[self.kind(e)].replace("its baseline", self.baseline(e))


# --------------------------------------------------------------------------------------------- notes


Arguments = Mapping[str, Any]


def sides(group: str, number: int = 2) -> list[str]:
    """The group, or the two groups that are compared; a slash beside `` − `` belongs to a name.

    >>> sides("female/male"), sides("Asian/Pacific − White"), sides("billing/refund", 1)
    (['female', 'male'], ['Asian/Pacific', 'White'], ['billing/refund'])
    """
    return group.split(" − " if " − " in group else "/", number - 1)


def sizes_of(e: Estimate) -> list[tuple[str, int, float | None]]:
    """The group, or the two groups that are compared, each with its number of clusters, if that is known, and of items."""
    names = sides(e.group, 1 if e.other_clusters is None else 2)
    sizes = ((e.group_clusters, e.group_items), (e.other_clusters, e.other_items))
    return [(name, n, items) for name, (n, items) in zip(names, sizes, strict=False) if n is not None]


def worded(note: Note) -> str:
    """The note as a sentence; for an unknown code, the code and its arguments.

    >>> worded(Note("undefined", {"reason": "one group only"}))
    'undefined: one group only'
    """
    words = WORDS.get(note.code)
    if words is None:
        return ", ".join([note.code, *(f"{name} {value}" for name, value in note.arguments.items())])
    return words.format_map(note.arguments) if isinstance(words, str) else words(note.arguments)


def noted(estimates: Iterable[Estimate], *codes: str) -> list[Note]:
    """The notes of the estimates that have one of these codes."""
    return [note for e in estimates for note in e.notes if note.code in codes]


def joined(notes: Iterable[Note]) -> str:
    """Notes separated by semicolons."""
    return "; ".join(map(worded, notes))


def _few_in_group(a: Arguments) -> str:
    clusters = dict(zip(sides(a["group"], len(a["clusters"])), a["clusters"], strict=False))
    few = {name: n for name, n in clusters.items() if n < conclusions.FEWEST_IN_A_GROUP}
    each = [f"{counted(n, 'record') if not i else n} with {name}" for i, (name, n) in enumerate(few.items())]
    return f"only {listed(each)}; a comparison of two groups needs {conclusions.FEWEST_IN_A_GROUP} records of each"


def _tests_need_resamples(a: Arguments) -> str:
    who = "the comparison" if a["tests"] == 1 else f"{a['tests']:,} comparisons with one Holm correction"
    return f"{who} can become significant only with more resamples: --resamples {a['resamples']}"


def _without_claims(a: Arguments) -> str:
    have = "has no claims and is" if a["absent"] == 1 else "have no claims and are"
    many = counted(a["summaries"], "summary", "summaries")
    return f"{a['absent']:,} of {many} by {a['system']} {have} split into sentences; (claims=given) excludes them"


def _scorer_differs(a: Arguments) -> str:
    return (
        f"the scorer {a['scorer']} {a['says']} {_reading(a)} on {counted(a['sources'], 'source')} "
        "whose versions differ only in the group: part of this value may come from the scorer"
    )


def _scorer_retrieves(a: Arguments) -> str:
    less = "less" if a["value"] < 0 else "more"
    so = "this difference has the opposite direction"
    if a["explains"]:
        so = "part of this difference may come from the scorer"
    return (
        f"the scorer {a['scorer']} finds equally paraphrased sentences of {a['group']} documents {less} often in their document "
        f"({a['share']:.2f}, others {a['others']:.2f}; difference {_reading(a)}): {so}"
    )


def _names(a: Arguments) -> str:
    return ", ".join(f"'{group}'" for group in a["groups"])


def _words_unlike_documents(a: Arguments) -> str:
    shares = (
        f"{group} has {of['words']:.0%} of the words and {of['documents']:.0%} of the documents"
        for group, of in a["shares"].items()
    )
    return f"documents differ in length: {'; '.join(shares)}"


def _place_is_group(a: Arguments) -> str:
    groups = (
        f"'{group}' {'before' if of['place'] == 'first' else 'after'} the others ({of['share']:.0%} of pairs, "
        f"{counted(of['records'], 'record')})"
        for group, of in a["groups"].items()
    )
    return (
        f"documents by {a['attribute']} nearly always have the same order: {', '.join(groups)}; position and "
        f"{a['attribute']} cannot be separated"
    )


def _few_people(a: Arguments) -> str:
    sizes = [
        f"{named(group) if i else group_with(a['attribute'], group)} {of['names']} in {of['records']:,}{'' if i else ' records'}"
        for i, (group, of) in enumerate(a["groups"].items())
    ]
    return f"the same few people recur: {', '.join(sizes)}; a difference may be theirs, not their group's"


def _without_length(how: str, a: Arguments) -> str:
    both = (
        f"{group} {_reading(of['free'])} (unadjusted for length {_reading(of['as_it_is'])})"
        for group, of in a["readings"].items()
    )
    baselines = sorted({of["baseline"] for of in a["readings"].values()})
    lost = [
        group
        for group, of in a["readings"].items()
        if of["survives"] is False and (p := of["as_it_is"]["p"]) is not None and p <= a["alpha"]
    ]
    gone = f"; no longer significant: {', '.join(lost)}" if lost else ""
    return f"{a['system']} {how}: {', '.join(both)}; p unadjusted, against {' or '.join(baselines)}{gone}"


def _reading(of: Arguments) -> str:
    """A value with its interval and p, if it has them."""
    e = Estimate("", "", "", of["value"], low=of["low"], high=of["high"])
    interval = f" {number_format.interval(e)}" if e.low is not None else ""
    p = of.get("p")
    return f"{number_format.value(e)}{interval}{'' if p is None else f', {p_text(p)}'}"


WORDS: Mapping[str, str | Callable[[Arguments], str]] = {
    "undefined": "undefined: {reason}",
    "infinite": "infinite, so that there is no test",
    "few_answered": "one system answered fewer than half of the records: compared on the records that both answered",
    "few_in_group": _few_in_group,
    "few_clusters": "no interval: fewer than three clusters",
    "needs_texts": "subgroups are not tested against label permutations, which need the texts: run the audit with --by",
    "one_cluster_decides": "no interval: without one of its clusters it is undefined",
    "clusters_alike": "no interval: all clusters have the same value",
    "no_resample_defined": "no interval: undefined in the resamples",
    "undefined_resamples": "undefined in some of the resamples, which the interval excludes",
    "raw_magnitude": ("unsigned scores depend on the length of the summaries: compare group differences"),
    "few_resamples": "needs {resamples} resamples: fewer allow no p below {alpha:g}",
    "not_testable_among": (
        "not testable among {tests} tests: the smallest attainable p is {smallest:.2g}, adjusted {adjusted:.2g}. "
        "Unadjusted p = {alone:.2g}; use more records or fewer tests"
    ),
    "tests_need_resamples": _tests_need_resamples,
    "runs": (
        "{system}: {runs} runs with values from {least:.3g} to {most:.3g} (standard deviation between runs {deviation:.2g})"
    ),
    "without_claims": _without_claims,
    "groups_alike": lambda a: (
        f"the groups {_names(a)} of {a['attribute']} differ only in spelling: if they are one group, use one spelling"
    ),
    "groups_missing": lambda a: (
        f"{_names(a)} is a group of {a['attribute']}: if it means a missing value, leave the cell empty"
    ),
    "scorer_differs": _scorer_differs,
    "scorer_retrieves": _scorer_retrieves,
    "scorer_alike": "the scorer gives all versions of a source the same score",
    "exchanged": lambda a: "; ".join(
        f"{way} were swapped in {counted(n, 'source')}" for way, n in a["sources"].items()
    ),
    "documents_longer": lambda a: (
        f"documents differ in length ({', '.join(f'{group} {factor:.2f} times' for group, factor in a['times'].items())} their "
        "record's mean), and longer documents cover more of any summary"
    ),
    "words_unlike_documents": _words_unlike_documents,
    "length_held_equal": partial(_without_length, "at equal document lengths"),
    "documents_alike": partial(_without_length, "with equal weight per document"),
    "length_is_group": (
        "length and group cannot be separated: no record has two documents of one group that differ in length"
    ),
    "place_is_group": _place_is_group,
    "few_people": _few_people,
    "scores_uncertain": lambda a: (
        f"the interval {'includes' if a['is_contained'] else 'excludes'} the uncertainty of the scorer's calibration"
    ),
}
"""The sentence of each note's code with places for the arguments, or a function from the arguments to the sentence."""
REASONS = (
    "undefined", "infinite", "few_in_group", "few_clusters", "needs_texts", "one_cluster_decides", "clusters_alike",
    "no_resample_defined", "few_resamples", "not_testable_among",
)  # fmt: skip
"""The codes of notes that say why an estimate has no interval or test."""
