"""How reports speak: what a measure reads, what harm a gap would mean, and what the columns are.

A sentence says what was measured and how it stands to chance. It gives no verdict on a system: a
number tells how far one property departs from one standard, on these records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairbrief import spelling
from fairbrief.errors import RequestError
from fairbrief.nouns import Estimate
from fairbrief.reports import numerals
from fairbrief.reports.meanings import MEANINGS, Meaning

ALPHA = 0.05
OF_THE_JUDGE = "the judge"
"""How a note begins that tells what the judge of a measure reads by itself."""


GLOSSARY: tuple[tuple[str, str], ...] = (
    ("value", "What the measure reads on all records that it could use, taken together."),
    (
        "interval",
        (
            "Where the value would fall in most repetitions (95 of 100 at 95%) with other records of the same kind. Records are drawn again "
            "with replacement, all variants of one original together. An interval is not a test: a disparity that cannot "
            "be negative lies above zero by noise alone."
        ),
    ),
    (
        "within originals",
        (
            "The same interval from drawing again the variants inside each original, and not the originals: how much "
            "hangs on which names and people were put in."
        ),
    ),
    (
        "chance level",
        (
            "What the same measure reads on the same texts when the group labels are exchanged inside each record, as "
            "they could be if groups made no difference. Read the value against this number, not against zero."
        ),
    ),
    (
        "p",
        (
            "How often exchanged labels read at least as far from chance as the real ones. A small p says that chance "
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
            "So few labels can be exchanged that even the most extreme exchange could not have been significant. "
            "This is an absence of evidence in either direction."
        ),
    ),
    ("n", "The records, or units, behind the value."),
    ("left out", "Records that the measure could not use; the reasons are listed with their counts."),
    ("system", "Whatever wrote the summaries: a model, a setting of it, a person."),
    (
        "difference",
        "One system's value minus another's on the records that both answered, with shared draws.",
    ),
)


def name_of(measure: str) -> str:
    """The bare name in a measure's spelling: ``bur`` of ``bur(tau=0.5)@party``."""
    try:
        return spelling.parse(measure).name
    except RequestError:
        return measure


def without_over(estimate: Estimate) -> str:
    """The measure's spelling without its attribute, which the section's title names."""
    if not estimate.over:
        return estimate.measure
    head = estimate.measure.removesuffix(f"@{spelling.quoted(estimate.over)}")
    return head if head != estimate.measure else estimate.measure.rpartition("@")[0] or estimate.measure


def meaning_of(measure: str, made: Mapping[str, Any]) -> Meaning:
    """A measure in words. A plug-in's stand in ``made['words'][name]``: family, reads, harm."""
    name = name_of(measure)
    told = made.get("words")
    if isinstance(told, Mapping) and isinstance(told.get(name), Mapping):
        words = {key: str(text) for key, text in told[name].items() if key in ("family", "reads", "harm")}
        return Meaning(**{"family": name, **words})
    return MEANINGS.get(name, Meaning(name.replace("_", " ").capitalize()))


def is_headline(estimate: Estimate) -> bool:
    """Whether this is the measure's own value, not one of those beside it."""
    return estimate.quantity in (name_of(estimate.measure), estimate.measure)


def interval_name(made: Mapping[str, Any]) -> str:
    """The interval's column: ``95% interval``, at the level that was asked for."""
    level = made.get("level")
    return f"{100 * level:g}% interval" if isinstance(level, (int, float)) else "95% interval"


def alpha_of(made: Mapping[str, Any]) -> float:
    """The level at which a p-value counts as small."""
    alpha = made.get("alpha")
    return float(alpha) if isinstance(alpha, (int, float)) else ALPHA


def testing(estimate: Estimate) -> str:
    """The p-value in a table: ``not testable`` where no exchange could be significant."""
    return "not testable" if estimate.testable is False else numerals.probability(estimate.p)


def finding(estimate: Estimate, alpha: float = ALPHA) -> str:
    """One plain sentence: the value, its interval, and how it stands to chance."""
    if estimate.value is None:
        why = "; ".join(estimate.notes) or "undefined on these records"
        return f"No value: {why.removeprefix('undefined: ')}."
    reads = numerals.value(estimate)
    if estimate.low is not None:
        reads += f" {numerals.interval(estimate)}"
    if estimate.testable is False:
        return (
            f"{reads}. Not testable: no exchange of labels reads far enough from the rest to be significant."
        )
    p = estimate.p if estimate.p_adjusted is None else estimate.p_adjusted
    if p is None:
        return (
            f"{reads}, without a chance level: labels were not exchanged, or do not speak to this quantity."
        )
    chance = f"chance level {numerals.chance(estimate)}, p\u00a0{_equals(p)}"
    if estimate.p_adjusted is not None:
        chance += " after Holm"
    if p <= alpha:
        return f"{reads}. Further from chance than exchanged labels explain ({chance})."
    if _is_small(estimate.p, alpha):
        return (
            f"{reads}. Exchanged labels rarely read as much (p\u00a0{_equals(estimate.p or 0.0)}), but among so many tests "
            f"one may by luck ({chance}); this neither shows a gap nor that there is none."
        )
    return (
        f"{reads}. Exchanged labels often read as much ({chance}); "
        "this neither shows a gap nor that there is none."
    )


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


def contrast(difference: Estimate, alpha: float = ALPHA) -> str:
    """One plain sentence on the difference of two systems."""
    if difference.value is None:
        return (
            f"No difference: {'; '.join(difference.notes) or 'undefined on the records that both answered'}."
        )
    p = difference.p if difference.p_adjusted is None else difference.p_adjusted
    reads = f"{numerals.value(difference)} {numerals.interval(difference)}"
    if p is None:
        return f"{reads}."
    verb = "Exchanging the two systems rarely" if p <= alpha else "Exchanging the two systems often"
    return f"{reads}. {verb} gives as large a difference (p\u00a0{_equals(p)})."


def _equals(p: float) -> str:
    text = numerals.probability(p)
    return f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"
