"""How reports speak: what a measure reads, what harm a gap would mean, and what the columns are.

A sentence says what was measured and how it stands to chance. It gives no verdict on a system: a
number tells how far one property departs from one standard, on these records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from fairbrief import specs
from fairbrief.declarations import Declaration
from fairbrief.errors import RequestError
from fairbrief.reports import contrast_words, number_format
from fairbrief.reports.note_words import worded
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

ALPHA = 0.05

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("value", "What the measure reads on all records that it could use, taken together."),
    (
        "interval",
        (
            "A confidence interval: a range computed so that, over repeated samples of records, 95% of such ranges (or what "
            "--confidence says) contain the true value. It comes from how far the value moves when each record is left out, "
            "all variants of one original together. An interval is not a test: a disparity that cannot be negative lies above "
            "zero by noise alone."
        ),
    ),
    (
        "within originals",
        (
            "The same interval from drawing again the variants inside each original, and not the originals: how much "
            "depends on which names and people were put in."
        ),
    ),
    (
        "chance level",
        (
            "What the same measure reads on the same texts with permuted labels: the groups of each record's documents are "
            "exchanged, as they could be if groups made no difference. Read the value against this number, not against zero."
        ),
    ),
    (
        "random extracts",
        (
            "What the same measure reads when the summary is replaced by sentences of the sources picked at random, as many "
            "words as it has. A value beyond permuted labels and not beyond random extracts is uneven as any pick of "
            "sentences is; it shows nothing of the system's own."
        ),
    ),
    (
        "p",
        (
            "How often permuted labels read at least as far from chance as the real ones. A small p says that permuted "
            "labels rarely do so; a large one does not show that groups are treated alike."
        ),
    ),
    (
        "Holm",
        (
            "The same p, raised for the number of tests of one kind that were made together, so that one of many is not "
            "taken for a finding by luck."
        ),
    ),
    (
        "not testable",
        (
            "So few labels can be exchanged that even the most extreme exchange could not have been significant, by itself "
            "or among all tests that were made together. This is an absence of evidence in either direction."
        ),
    ),
    ("n", "The records, or units, behind the value."),
    ("left out", "Records that the measure could not use; the reasons are listed with their counts."),
    ("system", "Whatever wrote the summaries: a model, a setting of it, a person."),
    (
        "difference",
        "One system's value minus another's on the records that both answered.",
    ),
)


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
    """What an audit recorded of a measure's declaration in ``made['declared']``; else its name alone."""
    name = name_of(measure)
    found = made.get("declared")
    told = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(told, Mapping):
        return Declaration(family=name.replace("_", " ").capitalize())
    return Declaration(
        family=str(told.get("family", name)),
        question=str(told.get("question", "")),
        harm=str(told.get("harm", "")),
        figures=tuple(map(str, told.get("figures", ()))),
        contrast=contrast_words.read(told.get("contrast")),
        by_meaning=str(told.get("by_meaning", "")),
    )


def is_headline(estimate: Estimate) -> bool:
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
    """One plain sentence: the value, its interval, and which of the two references it beats."""
    if estimate.value is None:
        why = (
            note.arguments["reason"] if note.code == "undefined" else worded(note) for note in estimate.notes
        )
        return f"No value: {'; '.join(why) or 'undefined on these records'}."
    reads = number_format.value(estimate)
    if estimate.low is not None:
        reads += f" {number_format.interval(estimate)}"
    if estimate.testable is not False and estimate.p is None and estimate.blind is None:
        return (
            f"{reads}, without a chance level: labels were not exchanged, or do not speak to this quantity."
        )
    return f"{reads}. {references(estimate, alpha)}"


def references(estimate: Estimate, alpha: float = ALPHA) -> str:
    """How a value stands to permuted labels and to random extracts, with the numbers; "" where neither was read."""
    return " ".join(filter(None, (_permuted(estimate, alpha), _extracts(estimate, alpha))))


def _permuted(estimate: Estimate, alpha: float) -> str:
    """Whether permuted labels were beaten."""
    if estimate.testable is False:
        among = next((worded(note) for note in estimate.notes if note.code == "not_testable_among"), "")
        return (
            f"{among[0].upper()}{among[1:]}."
            if among
            else "Not testable: no exchange of labels reads far enough from the rest to be significant."
        )
    p = estimate.p if estimate.p_adjusted is None else estimate.p_adjusted
    if p is None:
        return ""
    level = "" if estimate.null_mean is None else f"they read {number_format.chance(estimate)} on average, "
    told = f"({level}p\u00a0{_equals(p)}{' after Holm' if estimate.p_adjusted is not None else ''})"
    if p <= alpha:
        return f"Further from chance than permuted labels explain {told}."
    if _is_small(estimate.p, alpha):
        return (
            f"Permuted labels rarely read as much (p\u00a0{_equals(estimate.p or 0.0)}), but among so many tests one may "
            f"by luck {told}; this neither shows a gap nor that there is none."
        )
    return f"Permuted labels often read as much {told}; this neither shows a gap nor that there is none."


def _extracts(estimate: Estimate, alpha: float) -> str:
    """Whether random extracts were beaten: of signed contrasts; other values stand beside what extracts read."""
    if estimate.blind is None:
        return ""
    places = number_format.decimals(estimate)
    reads = number_format.number(estimate.blind, places)
    p = estimate.blind_p if estimate.blind_p_adjusted is None else estimate.blind_p_adjusted
    if estimate.blind_difference is None or p is None:
        return (
            f"Random extracts of the same length read {reads}; a size without direction is not tested against them, signed "
            "contrasts are."
        )
    gap = f"{number_format.number(abs(estimate.blind_difference), places)} {'less' if estimate.blind_difference < 0 else 'more'}"
    told = f"{gap}, p\u00a0{_equals(p)}{' after Holm' if estimate.blind_p_adjusted is not None else ''}"
    if p <= alpha:
        return f"Beyond random extracts of the same length, which read {reads} ({told})."
    return f"Random extracts of the same length read {reads}, and are not clearly beaten ({told})."


def standing(estimate: Estimate, alpha: float = ALPHA) -> str:
    """`finding` in a few words, for a table of many systems."""
    if estimate.value is None:
        return "no value"
    if estimate.testable is False:
        return "not testable"
    p = estimate.p if estimate.p_adjusted is None else estimate.p_adjusted
    if p is None:
        return "no chance level"
    if p <= alpha:
        return "further than chance"
    return "unclear after Holm" if _is_small(estimate.p, alpha) else "not clearly further"


def _is_small(p: float | None, alpha: float) -> bool:
    """Whether p was small before it was raised for the number of tests."""
    return p is not None and p <= alpha


COMPARED = (
    "Compared are, on the records that both answered: the excess over permuted labels of means of records, the signed "
    "contrasts of groups, and levels. Sizes without direction differ by noise alone, and are no evidence."
)
"""What differences of systems are made of, said once below them."""


def pair(difference: Estimate) -> str:
    """Whose difference it is: the first less the second; of one system in two audits, the second in the baseline."""
    again = " (baseline)" if difference.system == difference.baseline else ""
    return f"{difference.system} − {difference.baseline}{again}"


def compared(difference: Estimate) -> str:
    """What was compared with what: ``excess over permuted labels, a − b, on 40 records that both answered``."""
    if difference.quantity == "excess":
        what = "excess over permuted labels"
    elif difference.group:
        what = f"signed contrast of {difference.group}"
    elif difference.leads:
        what = "size (permuted labels do not move it)" if is_headline(difference) else "signed contrast"
    else:
        what = "level"
    return f"{what}, {pair(difference)}, on {counted(difference.clusters or difference.n, 'record')} that both answered"


def _equals(p: float) -> str:
    text = number_format.probability(p)
    return f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"
