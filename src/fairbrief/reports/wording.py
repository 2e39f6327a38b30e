"""How reports speak: what a measure asks, what harm a gap would mean, how a value compares with its baselines, and the sentence
of each note.

A sentence says what was measured and how it compares with its baselines. It gives no verdict on a system: a number tells how far one property
departs from one standard, on these records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from msgspec import ValidationError, convert

from fairbrief import specs
from fairbrief.conclusions import FEWEST_IN_A_GROUP
from fairbrief.declarations import Declaration
from fairbrief.errors import RequestError
from fairbrief.reports import number_format
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Note, NoteCode

ALPHA = 0.05


@lru_cache(maxsize=1 << 10)
def name_of(measure: str) -> str:
    """The bare name in a measure's spec: ``bur`` of ``bur(tau=0.5)@party``."""
    try:
        return specs.parse(measure).name
    except RequestError:
        return measure


def without_over(estimate: Estimate) -> str:
    """The measure's spec without its attribute, which the section's title names."""
    if not estimate.over:
        return estimate.measure
    head = estimate.measure.removesuffix(f"@{specs.quoted(estimate.over)}")
    return head if head != estimate.measure else estimate.measure.rpartition("@")[0] or estimate.measure


def declared(measure: str, made: Mapping[str, Any]) -> Declaration:
    """What an audit recorded of a measure's declaration in ``made['declared']``; its name and plain words where it is not readable."""
    name = name_of(measure)
    family = name.replace("_", " ").capitalize()
    try:
        return convert({"family": family, **made["declared"][name]}, Declaration)
    except (KeyError, TypeError, ValidationError):
        return Declaration(family=family)


def is_main_value(estimate: Estimate) -> bool:
    """Whether this is the measure's own value, not one of those beside it."""
    return estimate.quantity in (name_of(estimate.measure), estimate.measure)


def interval_name(made: Mapping[str, Any]) -> str:
    """The interval's column: ``95% interval``, at the confidence level that was asked for."""
    level = made.get("confidence_level")
    return f"{100 * level:g}% interval" if isinstance(level, (int, float)) else "95% interval"


def alpha_of(made: Mapping[str, Any]) -> float:
    """The level at which a p-value counts as small."""
    alpha = made.get("alpha")
    return float(alpha) if isinstance(alpha, (int, float)) else ALPHA


def testing(estimate: Estimate) -> str:
    """The p-value in a table: ``not testable`` where no exchange could be significant."""
    return "not testable" if estimate.testable is False else number_format.probability(estimate.p)


def finding(estimate: Estimate, alpha: float = ALPHA) -> str:
    """One plain sentence: the value, its interval, and how it compares with label permutations and random sentences."""
    if estimate.value is None:
        why = (
            note.arguments["reason"] if note.code == "undefined" else worded(note) for note in estimate.notes
        )
        return f"No value: {'; '.join(why) or 'undefined on these records'}."
    reads = number_format.value(estimate)
    if estimate.low is not None:
        reads += f" {number_format.interval(estimate)}"
    if estimate.testable is not False and estimate.p is None and estimate.extract_baseline is None:
        return f"{reads}. No label permutation applies to it."
    return f"{reads}. {references(estimate, alpha)}"


def references(estimate: Estimate, alpha: float = ALPHA) -> str:
    """How a value compares with label permutations and random sentences; "" where neither was observed."""
    return " ".join(filter(None, (_permuted(estimate, alpha), _random(estimate, alpha))))


def _permuted(estimate: Estimate, alpha: float) -> str:
    """Whether the value differs from label permutations."""
    if estimate.testable is False:
        among = next((worded(note) for note in estimate.notes if note.code == "not_testable_among"), "")
        return (
            f"{among[0].upper()}{among[1:]}."
            if among
            else "Not testable: the smallest p that the labels allow exceeds the significance level."
        )
    p = estimate.p if estimate.p_adjusted is None else estimate.p_adjusted
    if p is None:
        return ""
    mean = "" if estimate.permutation_mean is None else f"permutation mean {number_format.chance(estimate)}, "
    told = f"({mean}p\u00a0{_equals(p)}{' (Holm)' if estimate.p_adjusted is not None else ''})"
    if p <= alpha:
        return f"Label permutations rarely produce so large a value {told}."
    if _is_small(estimate.p, alpha):
        return (
            f"Not significant after Holm's adjustment {told}; p\u00a0{_equals(estimate.p or 0.0)} on its own."
        )
    return f"Not significantly different from label permutations {told}; this does not show that there is no gap."


def _random(estimate: Estimate, alpha: float) -> str:
    """Whether a group difference differs from random sentences; of other values what these give."""
    if estimate.extract_baseline is None:
        return ""
    places = number_format.decimals(estimate)
    reads = number_format.number(estimate.extract_baseline, places)
    p = estimate.extract_p if estimate.extract_p_adjusted is None else estimate.extract_p_adjusted
    if estimate.extract_difference is None or p is None:
        return f"Random sentences of the same length: {reads}; an unsigned score is not tested against them."
    gap = number_format.number(estimate.extract_difference, places)
    told = f"(difference {gap}, p\u00a0{_equals(p)}{' (Holm)' if estimate.extract_p_adjusted is not None else ''})"
    if p <= alpha:
        return f"Significantly different from random sentences of the same length, {reads} {told}."
    return f"Not significantly different from random sentences of the same length, {reads} {told}."


def _is_small(p: float | None, alpha: float) -> bool:
    """Whether p was small before it was raised for the number of tests."""
    return p is not None and p <= alpha


COMPARED = (
    "Systems are compared on the records that both answered: by group differences, each less its own random-sentence "
    "baseline where it has one, and by label-independent scores. Unsigned scores differ with the length of the summaries "
    "alone: their differences have no p."
)
"""What differences of systems are made of, said once below them."""


def pair(difference: Estimate) -> str:
    """Whose difference it is: the first less the second; of one system in two audits, the second in the baseline."""
    again = " (baseline)" if difference.system == difference.baseline else ""
    return f"{difference.system} − {difference.baseline}{again}"


def compared(difference: Estimate) -> str:
    """What was compared with what: ``group difference of neutral, a − b, on 40 records that both answered``."""
    what = "group difference" if difference.is_primary or difference.group else "label-independent score"
    of = f" of {difference.group}" if difference.group else ""
    random = " from the random baseline" if difference.extract_difference is not None else ""
    many = counted(difference.clusters or difference.n, "record")
    return f"{what}{of}{random}, {pair(difference)}, on {many} that both answered"


def from_random(estimate: Estimate) -> Estimate:
    """The estimate as it is decided on: its difference from the random-sentence baseline, or itself where it has none."""
    if estimate.extract_difference is None:
        return estimate
    return estimate.replace(
        value=estimate.extract_difference,
        low=estimate.extract_difference_low,
        high=estimate.extract_difference_high,
        p=estimate.extract_p,
        p_adjusted=estimate.extract_p_adjusted,
        permutation_mean=0.0,
        testable=estimate.testable if estimate.extract_p is None else True,
    )


def _equals(p: float) -> str:
    text = number_format.probability(p)
    return f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"


Arguments = Mapping[str, Any]
SIDES = re.compile(r" − |/")
"""Between the two groups of a contrast that speaks of two."""
OF_THE_SCORER: tuple[NoteCode, ...] = ("scorer_differs", "scorer_alike", "scorer_retrieves")
"""Notes on how the scorer of a measure scores the groups by itself."""


def worded(note: Note) -> str:
    """The note as a sentence; of a code that this version does not know, the code and its arguments.

    >>> worded(Note("undefined", {"reason": "one group only"}))
    'undefined: one group only'
    """
    words = WORDS.get(note.code)
    if words is None:
        return ", ".join([note.code, *(f"{name} {value}" for name, value in note.arguments.items())])
    return words if isinstance(words, str) else words(note.arguments)


def told(estimate: Estimate) -> str:
    """All notes of an estimate, parted by semicolons; "" where there is none."""
    return joined(estimate.notes)


def joined(notes: Iterable[Note]) -> str:
    """Notes parted by semicolons; "" where there is none."""
    return "; ".join(map(worded, notes))


def _few_in_group(a: Arguments) -> str:
    sides = dict(zip(SIDES.split(a["group"], maxsplit=1), a["clusters"], strict=False))
    few = [f"{name} ({n:,})" for name, n in sides.items() if n < FEWEST_IN_A_GROUP]
    return (
        f"too few with {' and '.join(few)}: two groups are compared if each is in {FEWEST_IN_A_GROUP} records"
    )


def _undefined_resamples(a: Arguments) -> str:
    up_to = "up to " if a.get("is_largest") else ""
    return f"undefined in {up_to}{number_format.share(a['share'])} of the resamples, which the interval leaves out"


def _not_testable_among(a: Arguments) -> str:
    return (
        f"not testable among {a['tests']} tests: so few label permutations allow no p below {a['smallest']:.2g}, and none "
        f"below {a['adjusted']:.2g} when adjusted. Alone p = {a['alone']:.2g}; more records or fewer tests would tell"
    )


def _tests_need_resamples(a: Arguments) -> str:
    tests = a["tests"]
    who = "one comparison needs" if tests == 1 else f"{tests:,} comparisons corrected together need"
    return f"{who} more resamples before any can be significant: --resamples {a['resamples']}"


def _runs(a: Arguments) -> str:
    return (
        f"{a['system']}: {a['runs']} runs, whose values lie between {a['least']:.3g} and {a['most']:.3g} "
        f"(standard deviation between runs {a['deviation']:.2g})"
    )


def _without_claims(a: Arguments) -> str:
    return (
        f"{a['system']}: {a['absent']:,} of {counted(a['summaries'], 'summary', 'summaries')} "
        f"{'has' if a['absent'] == 1 else 'have'} no claims and are cut into sentences; (claims=given) leaves them out"
    )


def _scorer_differs(a: Arguments) -> str:
    return (
        f"the scorer itself ({a['scorer']}) {a['says']} {_reading(a)} on {counted(a['sources'], 'source')} "
        "whose versions differ only in the group: part of this value may be its own"
    )


def _scorer_retrieves(a: Arguments) -> str:
    less = "less" if a["value"] < 0 else "more"
    so = (
        "part of this difference may be the scorer's"
        if a["explains"]
        else "this difference goes the other way"
    )
    return (
        f"the scorer itself ({a['scorer']}) finds sentences of {a['group']} documents {less} often in their own document "
        f"({a['share']:.2f} against {a['others']:.2f} of others, paraphrased alike; difference {_reading(a)}): {so}"
    )


def _names(a: Arguments) -> str:
    return ", ".join(f"'{group}'" for group in a["groups"])


def _exchanged(a: Arguments) -> str:
    return "; ".join(f"{way} were exchanged in {counted(n, 'source')}" for way, n in a["sources"].items())


def _documents_longer(a: Arguments) -> str:
    times = ", ".join(f"{group} {factor:.2f} times" for group, factor in a["times"].items())
    return (
        f"documents differ in length ({times} their record's mean), and longer ones hold more of any summary"
    )


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
        f"documents by {a['attribute']} nearly always come in the same order: {', '.join(groups)}; position and "
        f"{a['attribute']} cannot be told apart"
    )


def _without_length(how: str) -> Callable[[Arguments], str]:
    def words(a: Arguments) -> str:
        readings = a["readings"]
        both = (
            f"{group} {_reading(of['free'])} (as it is {_reading(of['as_it_is'])})"
            for group, of in readings.items()
        )
        return f"{a['system']} {how}: {', '.join(both)}{_tested(a)}"

    return words


def _tested(a: Arguments) -> str:
    """What both p of each group are held against, and which findings there are no more; "" of an older version's note."""
    baselines = sorted({of["baseline"] for of in a["readings"].values() if "baseline" in of})
    if not baselines:
        return ""
    lost = [
        group
        for group, of in a["readings"].items()
        if of["survives"] is False and (p := of["as_it_is"]["p"]) is not None and p <= a["alpha"]
    ]
    gone = f"; not significant then: {', '.join(lost)}" if lost else ""
    return f"; p is unadjusted, against {' or '.join(baselines)}{gone}"


def _reading(of: Arguments) -> str:
    """A value with its interval and p, if it has them, in the digits that this allows."""
    read = Estimate("", "", "", of["value"], low=of["low"], high=of["high"])
    interval = f" {number_format.interval(read)}" if read.low is not None else ""
    p = of.get("p")
    tested = f", p {'' if p < 0.001 else '= '}{number_format.probability(p)}" if p is not None else ""
    return f"{number_format.value(read)}{interval}{tested}"


WORDS: Mapping[NoteCode, str | Callable[[Arguments], str]] = MappingProxyType(
    {
        "undefined": lambda a: f"undefined: {a['reason']}",
        "infinite": "infinite, so that there is no test",
        "few_answered": "one of the two answered fewer than half of the records: compared on what both answered",
        "few_in_group": _few_in_group,
        "few_clusters": "no interval: fewer than three clusters",
        "needs_texts": "p, and what permuted labels read, need the texts: audit them with --by",
        "one_cluster_decides": "no interval: without one of its clusters it is undefined",
        "clusters_alike": "no interval: all clusters say exactly the same",
        "no_resample_defined": "no interval: undefined in the resamples",
        "undefined_resamples": _undefined_resamples,
        "raw_magnitude": (
            "unsigned scores of two systems differ with the length of their summaries alone: compare group differences"
        ),
        "few_resamples": lambda a: f"needs {a['resamples']} resamples: fewer allow no p below {a['alpha']:g}",
        "not_testable_among": _not_testable_among,
        "tests_need_resamples": _tests_need_resamples,
        "runs": _runs,
        "without_claims": _without_claims,
        "groups_alike": lambda a: (
            f"the groups {_names(a)} of {a['attribute']} are spelled differently and read alike: if they are one, write them alike"
        ),
        "groups_missing": lambda a: (
            f"{_names(a)} is a group of {a['attribute']}: if it says that a value is missing, leave the cell empty"
        ),
        "scorer_differs": _scorer_differs,
        "scorer_retrieves": _scorer_retrieves,
        "scorer_alike": "the scorer scores the versions of every source exactly alike",
        "exchanged": _exchanged,
        "documents_longer": _documents_longer,
        "words_unlike_documents": _words_unlike_documents,
        "length_held_equal": _without_length("with length held equal"),
        "documents_alike": _without_length("if each document counted alike"),
        "length_is_group": (
            "length cannot be told from group: no record has two documents of one group that differ in length"
        ),
        "place_is_group": _place_is_group,
        "scores_uncertain": lambda a: (
            f"the interval {'contains' if a['is_contained'] else 'leaves out'} the uncertainty of the scorer's calibration"
        ),
    }
)
"""By code the sentence, or what makes it of the arguments."""
