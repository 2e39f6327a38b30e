"""The sentences of reports on single estimates: the value, its comparison with both baselines, and the text of each note.

A sentence gives no verdict on a system: it states how far one property of these records is from one standard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import ValidationError, convert

from fairbrief import specs
from fairbrief.conclusions import FEWEST_IN_A_GROUP
from fairbrief.declarations import Declaration
from fairbrief.errors import RequestError
from fairbrief.reports import number_format
from fairbrief.text.counted import counted, listed
from fairbrief.types import Estimate, Note

ALPHA = 0.05


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
    "Systems are compared on the records that both answered. Group differences are compared after subtracting each system's "
    "random-sentence baseline, if there is one; label-independent scores are compared directly. Differences of unsigned "
    "scores have no p, because unsigned scores depend on the length of the summaries."
)
"""How systems are compared, as a note below their differences."""


def pair(difference: Estimate) -> str:
    """The names of the two systems, ``a − b``; for one system in two audits the second is marked as the baseline."""
    again = " (baseline)" if difference.system == difference.baseline else ""
    return f"{difference.system} − {difference.baseline}{again}"


def compared(difference: Estimate) -> str:
    """What was compared: ``group difference of neutral, a − b, on 40 records that both answered``."""
    what = "group difference" if difference.is_primary or difference.group else "label-independent score"
    of = f" of {difference.group}" if difference.group else ""
    random = " from the random baseline" if difference.extract_difference is not None else ""
    many = counted(difference.clusters or difference.n, "record")
    return f"{what}{of}{random}, {pair(difference)}, on {many} that both answered"


def from_random(estimate: Estimate) -> Estimate:
    """The estimate that is tested: the difference from the random-sentence baseline, or the estimate itself without one."""
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


def sides(group: str, number: int = 2) -> list[str]:
    """The group, or the two groups that are compared; a slash beside `` − `` belongs to a name.

    >>> sides("female/male"), sides("Asian/Pacific − White"), sides("billing/refund", 1)
    (['female', 'male'], ['Asian/Pacific', 'White'], ['billing/refund'])
    """
    return group.split(" − " if " − " in group else "/", number - 1)


def worded(note: Note) -> str:
    """The note as a sentence; for an unknown code, the code and its arguments.

    >>> worded(Note("undefined", {"reason": "one group only"}))
    'undefined: one group only'
    """
    words = WORDS.get(note.code)
    if words is None:
        return ", ".join([note.code, *(f"{name} {value}" for name, value in note.arguments.items())])
    return words.format_map(note.arguments) if isinstance(words, str) else words(note.arguments)


def joined(notes: Iterable[Note]) -> str:
    """Notes separated by semicolons."""
    return "; ".join(map(worded, notes))


def _few_in_group(a: Arguments) -> str:
    clusters = dict(zip(sides(a["group"], len(a["clusters"])), a["clusters"], strict=False))
    few = {name: n for name, n in clusters.items() if n < FEWEST_IN_A_GROUP}
    each = listed(
        [f"{counted(n, 'record') if not i else n} with {name}" for i, (name, n) in enumerate(few.items())]
    )
    return f"only {each}: a comparison of two groups needs {FEWEST_IN_A_GROUP} records of each"


def _undefined_resamples(a: Arguments) -> str:
    up_to = "up to " if a.get("is_largest") else ""
    return (
        f"undefined in {up_to}{number_format.share(a['share'])} of the resamples, which the interval excludes"
    )


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
    so = (
        "part of this difference may come from the scorer"
        if a["explains"]
        else "this difference has the opposite direction"
    )
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


def _without_length(how: str) -> Callable[[Arguments], str]:
    def words(a: Arguments) -> str:
        readings = a["readings"]
        both = (
            f"{group} {_reading(of['free'])} (unadjusted for length {_reading(of['as_it_is'])})"
            for group, of in readings.items()
        )
        return f"{a['system']} {how}: {', '.join(both)}{_tested(a)}"

    return words


def _tested(a: Arguments) -> str:
    """The baseline of both p-values, and the groups that are no longer significant."""
    baselines = sorted({of["baseline"] for of in a["readings"].values()})
    lost = [
        group
        for group, of in a["readings"].items()
        if of["survives"] is False and (p := of["as_it_is"]["p"]) is not None and p <= a["alpha"]
    ]
    gone = f"; no longer significant: {', '.join(lost)}" if lost else ""
    return f"; p unadjusted, against {' or '.join(baselines)}{gone}"


def _reading(of: Arguments) -> str:
    """A value with its interval and p, if it has them."""
    e = Estimate("", "", "", of["value"], low=of["low"], high=of["high"])
    interval = f" {number_format.interval(e)}" if e.low is not None else ""
    p = of.get("p")
    return f"{number_format.value(e)}{interval}{'' if p is None else f', p {_equals(p)}'}"


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
    "undefined_resamples": _undefined_resamples,
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
    "length_held_equal": _without_length("at equal document lengths"),
    "documents_alike": _without_length("with equal weight per document"),
    "length_is_group": (
        "length and group cannot be separated: no record has two documents of one group that differ in length"
    ),
    "place_is_group": _place_is_group,
    "scores_uncertain": lambda a: (
        f"the interval {'includes' if a['is_contained'] else 'excludes'} the uncertainty of the scorer's calibration"
    ),
}
"""The sentence of each note's code with places for the arguments, or a function from the arguments to the sentence."""
