"""How reports speak: what a measure reads, what harm a gap would mean, and what the columns are.

A sentence says what was measured and how it stands to chance. It gives no verdict on a system: a
number tells how far one property departs from one standard, on these records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairbrief import spelling
from fairbrief.errors import RequestError
from fairbrief.nouns import Estimate
from fairbrief.reports import numerals

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Meaning:
    """A measure in words: its family, what it reads, and the harm that a gap would mean."""

    family: str
    reads: str = ""
    harm: str = ""


_UNHEARD = (
    "Readers who see only the summary would meet some views less often than the sources hold them, "
    "and could take a partial picture for the whole."
)
_UNCOVERED = (
    "What some groups wrote would go missing more often than what others wrote, "
    "so that decisions made from summaries would rest on some people's words more than on others'."
)
_LATE = (
    "Facts would be kept or dropped for where they stand rather than for what they say; "
    "whoever is quoted late in a text would be heard less."
)
_UNNAMED = "People of some groups would be left out of the record more often than others who did the same."

MEANINGS: Mapping[str, Meaning] = {
    "bur": Meaning(
        "Representation",
        "the share of summaries in which at least one value falls below its due share",
        _UNHEARD,
    ),
    "uer": Meaning(
        "Representation",
        "how much of the due shares is missing, averaged over the values of a record",
        _UNHEARD,
    ),
    "auc": Meaning(
        "Representation", "how far the worst-represented value falls short of its due share", _UNHEARD
    ),
    "auc_cutoff": Meaning(
        "Representation",
        "the share of under-represented summaries, over a sweep of the long-tail cut-off",
        _UNHEARD,
    ),
    "sof": Meaning("Representation", "how unevenly shortfalls are spread over the values", _UNHEARD),
    "equal_coverage": Meaning(
        "Coverage",
        "how far the groups of a record differ in how well the summary covers their documents",
        _UNCOVERED,
    ),
    "unfair_share": Meaning(
        "Coverage",
        "the share of testable records whose groups are covered more unequally than chance",
        _UNCOVERED,
    ),
    "coverage_parity": Meaning(
        "Coverage",
        "how far documents of each value are covered above or below their record's mean",
        _UNCOVERED,
    ),
    "position_bias": Meaning(
        "Position",
        "how far summaries draw on other places of the text than the standard they are held to",
        _LATE,
    ),
    "position_from_uniform": Meaning(
        "Position", "how far the places that summaries draw on are from an even spread over the text", _LATE
    ),
    "position_heights": Meaning(
        "Position", "the published reading, which compares the heights of bars and not their places", _LATE
    ),
    "mean_position": Meaning(
        "Position", "where in the text the summaries' content stands, on average", _LATE
    ),
    "lead_share": Meaning(
        "Position", "how much of the summaries comes from the beginning of the text", _LATE
    ),
    "word_list_inclusion": Meaning(
        "People",
        "how far the groups' shares of identifying words differ between summaries and sources",
        _UNNAMED,
    ),
    "entity_inclusion": Meaning(
        "People", "how unequal the odds are that people of each group are named", _UNNAMED
    ),
    "entity_hallucination": Meaning(
        "People",
        "how unevenly the people whom summaries invent fall on the groups",
        "Invented people would confirm who is expected to appear in such a text, and who is not.",
    ),
    "distinguishability": Meaning(
        "People",
        "how well one can tell a person's group from a summary without names and pronouns",
        "The same deeds would be told in other words for some groups than for others.",
    ),
    "sentiment_shift": Meaning(
        "Sentiment",
        "how the tone changes from text to summary, between groups",
        "People of some groups would be shown in a better or worse light than the text showed them.",
    ),
    "rouge": Meaning("Quality", "the overlap of the summaries' words with the references'"),
}
for _name in ("rouge1", "rouge2", "rougeL", "rougeLsum", "rouge_l", "rouge_lsum"):
    MEANINGS = {**MEANINGS, _name: MEANINGS["rouge"]}

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
    head, at, _ = estimate.measure.rpartition("@")
    return head if at and estimate.over else estimate.measure


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
        return f"{reads}. Not testable: too few labels can be exchanged for any outcome to be significant."
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
    return (
        f"{reads}. Exchanged labels often read as much ({chance}); "
        "this neither shows a gap nor that there is none."
    )


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
