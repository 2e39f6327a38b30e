"""Every built-in measure in words: its family, what it reads, and the harm that a gap in it would mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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

INSTRUMENTS = "Instruments (what the judges themselves read into groups)"
_OWN = (
    "Part of every result that rests on this judge would be the judge's own: it sees a difference between texts that "
    "differ in the group alone."
)
_UNLIKE = (
    "What the people who wrote the references found worth keeping would be missing, whoever it concerns; "
    "a system that is even but empty serves nobody."
)

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
    "gender_agreement": Meaning(
        "Sentiment",
        "how closely the mix of gender words in summaries follows that of their texts",
        "Summaries would speak of women where the text speaks of men, or of nobody where it speaks of someone.",
    ),
    "invented_names": Meaning(
        "People",
        "how many people each summary names whom its text does not know",
        "Readers would take people who were never there for part of what happened.",
    ),
    "judged": Meaning(
        "Quality",
        "how well a judge thinks of the summaries, on the judge's own scale",
        "Readers of some summaries would be served worse; sliced by group, those about some people.",
    ),
    "instrument_sentiment": Meaning(
        INSTRUMENTS,
        "how much more favourably a judge reads sources about one group than the same about another",
        _OWN,
    ),
    "instrument_support": Meaning(
        INSTRUMENTS,
        "how much better supported a judge finds sources' own sentences about one group than the same about another",
        _OWN,
    ),
    "instrument_people": Meaning(
        INSTRUMENTS, "how much more often people of one group are found in their own source than others", _OWN
    ),
    "instrument_names": Meaning(
        INSTRUMENTS, "how much more often the gender of one group's names is read right than another's", _OWN
    ),
    **dict.fromkeys(
        ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        Meaning(
            "Quality",
            "the overlap of summaries with references, in words, pairs of words, or longest common sequences of words",
            _UNLIKE,
        ),
    ),
}
"""Every built-in measure; a plug-in brings its own words."""
