"""The words of the notes that stand at estimates: a sentence by code, in which the note's arguments stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from fairbrief.reports import number_format
from fairbrief.standings import FEWEST_IN_A_GROUP
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Note, NoteCode

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
        f"not testable among {a['tests']} tests: so few labellings allow no p below {a['smallest']:.2g}, and none "
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


def _without_units(a: Arguments) -> str:
    return (
        f"{a['system']}: {a['absent']:,} of {counted(a['summaries'], 'summary', 'summaries')} "
        f"{'has' if a['absent'] == 1 else 'have'} no units and are cut into sentences; (units=given) leaves them out"
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
        "few_answered": "one of the two answered fewer than half of the records: compared on what both answered",
        "few_in_group": _few_in_group,
        "few_clusters": "no interval: fewer than three clusters",
        "needs_texts": "p, and what permuted labels read, need the texts: audit them with --slice",
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
        "without_units": _without_units,
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
