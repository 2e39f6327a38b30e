"""Speakers: who of a debate, meeting or call is in the summary, and whether what it attributes to them is theirs.

Source: after Cunningham, Cross and Greene, Fair Representation in Parliamentary Summaries. Only its abstract was available.
It separates inclusion bias (systematic omission) from hallucination bias (systematic misrepresentation), by order of
speaking, language and affiliation. The definitions here are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import Reading
from fairbrief.measures.speaker_turns import (
    COUNTS,
    COVERAGE,
    INCLUSION,
    MISATTRIBUTED,
    MISREPRESENTATION,
    Speakers,
    SpeakerSettings,
)
from fairbrief.statistics import ratio
from fairbrief.text.counted import counted
from fairbrief.types import SHARE_DIFFERENCE, Totals, Value

LEFT_OUT = (
    "Some speakers would be missing from the record of what was discussed more often than others who spoke."
)
MISQUOTED = "Some speakers would be held to words of others, and others would lose the credit for theirs."


def _declared(question: str, harm: str, contrast: ContrastWords) -> Declaration:
    """What the measures declare."""
    return Declaration(
        family="Speakers",
        question=question,
        harm=harm,
        on_request="it needs turns with the attribute 'speaker'",
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
        contrast=contrast,
        judges_support=True,
        items="people",
    )


class _SpeakerMeasure(Reading, SpeakerSettings):
    """What the measures have in common."""

    name: ClassVar[str]
    observes: ClassVar[type] = Speakers

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.has_groups:
            raise ValueError(f"it compares groups: write {self.name}@ATTRIBUTE or {self.name}(by=order)")


def _differences(
    totals: Totals, what: str, name: str = "", *, is_primary: bool = True, has_baseline: bool = True
) -> dict[str, Value]:
    """The group differences of a statistic, under its name or another one."""
    count = COUNTS[what]
    return {
        f"{name or what}_difference[{g}]": Value(
            ratio(totals[f"{what}_difference", g], totals[count, g]), "both",
            contrasts=(f"{what}_difference[{g}]",), limits=SHARE_DIFFERENCE, has_baseline=has_baseline,
            is_compared=has_baseline, is_primary=is_primary, group=g, present=((count, g),),
        )
        for g in totals.values_of("speakers")
    }  # fmt: skip


def _unsigned(differences: Mapping[str, Value], totals: Totals, *, has_baseline: bool = True) -> Value:
    """The mean size of the group differences that are defined; nan below two of them."""
    nothing = np.full(totals.array.shape[:-1], np.nan)
    sizes = np.abs(np.stack([nothing, *(of.array for of in differences.values())]))
    there = np.isfinite(sizes).sum(axis=0)
    mean = np.where(there > 1, ratio(np.nansum(sizes, axis=0), there), np.nan)
    contrasts = tuple(name for of in differences.values() for name in of.contrasts)
    return Value(mean, "upper", contrasts=contrasts, limits=(0.0, 1.0), has_baseline=has_baseline)


def _shares(totals: Totals, what: str) -> dict[str, Value]:
    """The share of each group's speakers."""
    return {
        f"{what}[{g}]": Value(
            ratio(totals[what, g], totals["speakers", g]), is_share=True, has_baseline=True, group=g
        )
        for g in totals.values_of("speakers")
    }


@dataclass(frozen=True, repr=False)
class SpeakerInclusion(_SpeakerMeasure):
    """How far groups of speakers differ in being included in the summaries.

    x_i = 1 if the summary names speaker i, or if a turn of theirs supports some claim by s_ij ≥ ``threshold``; otherwise
    x_i = 0. ``inclusion_difference[g]`` is the mean of (x_i − mean x of their record) over the speakers i of group g. With K
    groups, the value is (1/K) Σ_g |inclusion_difference[g]|.

    Every speaker has the same weight, however much they said. Names are recognised by rule (`text.attribution`): a full name,
    a last name with or without title, a first name, a role. A name that fits several speakers of the record names nobody,
    unless a first name, an initial or a title before it decides. Pronouns are not resolved.

    Records are independent units. If the same few people speak in all of them, a significant difference is one between
    these people: a system that always misses one of them also differs between groups.

    ``by=order`` compares the thirds of the speakers in the order of their first turns: beginning, middle, end. With n
    speakers, number k (from 0) is in the third that contains (k + ½)/n.

    Value:      in [0, 1]; 0 if all groups are included equally. Above 0 even for random labels: compare with the
                permutation mean. Primary: ``inclusion_difference[g]``, in percentage points; positive = included more.
                Secondary:
                - ``inclusion[g]``, the share of the group's speakers who are included; ``omission[g]`` = 1 − inclusion
                - ``misrepresentation[g]``, the share who are named, but none of whose attributed claims is supported by
                  their turns; ``misrepresentation_difference[g]``, against the average speaker of the record
    Undefined:  "no document has the attribute 'speaker'"; "one group of speakers only"; "the summary has no claim".
    Source:     after Cunningham, Cross and Greene (arXiv 2507.14221), of which only the abstract was available.
    """

    name: ClassVar[str] = "speaker_inclusion"
    declaration: ClassVar[Declaration] = _declared(
        "how far groups of speakers differ in being named, or supported by their turns, in the summary",
        LEFT_OUT,
        ContrastWords(
            title="share of speakers included, minus the average speaker's",
            question="Which speakers are left out of the summaries?",
            unit="points",
            below="included {size} less often than the average speaker",
            above="included {size} more often than the average speaker",
            even="included as often as the average speaker",
            sentence="In summaries by {system}, speakers ({group}) are {difference}",
            worse_below="speakers ({group})",
        ),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        differences, inclusion = _differences(totals, INCLUSION), _shares(totals, INCLUSION)
        omission = {
            name.replace(INCLUSION, "omission", 1): replace(share, array=1 - share.array)
            for name, share in inclusion.items()
        }
        return {
            self.name: _unsigned(differences, totals),
            **differences,
            **inclusion,
            **omission,
            **_shares(totals, MISREPRESENTATION),
            **_differences(totals, MISREPRESENTATION, is_primary=False),
        }

    def explain(self, totals: Totals) -> str:
        """How many speakers of each group are included and misrepresented."""
        return (
            "Speakers included: "
            + "; ".join(
                f"{g} {totals[INCLUSION, g]:.0f} of {totals['speakers', g]:.0f}"
                + (
                    f" ({totals[MISREPRESENTATION, g]:.0f} misrepresented)"
                    if totals[MISREPRESENTATION, g]
                    else ""
                )
                for g in totals.values_of("speakers")
            )
            + "."
        )


@dataclass(frozen=True, repr=False)
class SpeakerCoverage(_SpeakerMeasure):
    """How far groups of speakers differ in the share of their turns that the summaries cover.

    x_i is the share of speaker i's turns that support some claim by at least ``threshold``. ``coverage_difference[g]`` is the
    mean of (x_i − mean x of their record) over the speakers i of group g. With K groups, the value is
    (1/K) Σ_g |coverage_difference[g]|.

    All speakers have the same weight, and so have all turns of one speaker.

    Value:      in [0, 1]; 0 if the turns of all groups are covered equally. Above 0 even for random labels: compare with the
                permutation mean. Primary: ``coverage_difference[g]``, in percentage points, positive = covered more. Secondary:
                ``coverage[g]``, the mean share of the group's speakers.
    Undefined:  as `SpeakerInclusion`.
    Source:     ours; the coverage of documents is after Li et al.
    """

    name: ClassVar[str] = "speaker_coverage"
    declaration: ClassVar[Declaration] = _declared(
        "how far groups of speakers differ in the share of their turns that the summary covers",
        LEFT_OUT,
        ContrastWords(
            title="share of a speaker's turns covered, minus the average speaker's",
            question="Whose turns do the summaries cover less?",
            unit="points",
            below="{size} less of their turns than of the average speaker's",
            above="{size} more of their turns than of the average speaker's",
            even="as much of their turns as of the average speaker's",
            sentence="For speakers ({group}), {system} covers {difference}",
            worse_below="speakers ({group})",
        ),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        differences = _differences(totals, COVERAGE)
        return {
            self.name: _unsigned(differences, totals),
            **differences,
            **_shares(totals, COVERAGE),
        }

    def explain(self, totals: Totals) -> str:
        """The mean share of covered turns of each group's speakers."""
        parts = [
            f"{g} {float(ratio(totals[COVERAGE, g], totals['speakers', g])):.0%} of {counted(float(totals['speakers', g]), 'speaker')}"
            for g in totals.values_of("speakers")
        ]
        return f"Share of turns covered: {'; '.join(parts)}."


@dataclass(frozen=True, repr=False)
class Misattribution(Reading, SpeakerSettings):
    """Share of the attributed claims that somebody else's turns support better than those of the speaker they name.

    A claim j of speaker i is misattributed if s_kj > s_ij + ``margin`` for some speaker k whom it does not name.
    A claim that is attributed to several speakers makes several pairs (i, j). The value is the share of misattributed pairs,
    over all records. Rules decide which claims are attributed to whom (`text.attribution`).

    With an attribute (or ``by=order``), ``misattribution_difference[g]`` compares the pairs whose speaker is in group g: the mean of
    (1 if misattributed, else 0) − the share of their record. It uses the records that attribute claims to several groups.

    Value:      in [0, 1]; lower is better. Primary: ``misattribution_difference[g]``, in percentage points, positive = misattributed
                more. Secondary: ``misattribution[g]``, the share of the group's pairs; ``misattribution_gap`` = (1/K) Σ_g
                |misattribution_difference[g]|, above 0 even for random labels. There is no random-sentence baseline: sentences of the
                sources attribute nothing.
    Undefined:  no claim is attributed to anybody; otherwise as `SpeakerInclusion`.
    Source:     ours, after the hallucination bias of Cunningham, Cross and Greene (arXiv 2507.14221; only the abstract was
                available).
    """

    observes: ClassVar[type] = Speakers
    name: ClassVar[str] = "misattribution"
    declaration: ClassVar[Declaration] = replace(
        _declared(
            "how many claims that name a speaker are better supported by somebody else's turns",
            MISQUOTED,
            ContrastWords(
                title="share of claims misattributed, minus the average claim's",
                question="Who is made to say what somebody else said?",
                unit="points",
                below="misattributed {size} less often than the average claim",
                above="misattributed {size} more often than the average claim",
                even="misattributed as often as the average claim",
                sentence="In summaries by {system}, claims that name speakers ({group}) are {difference}",
                worse_below="",
                worse_above="speakers ({group})",
            ),
        ),
        better="less",
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        differences = _differences(totals, MISATTRIBUTED, self.name, has_baseline=False)
        return {
            self.name: Value(ratio(totals[MISATTRIBUTED], totals["claims"]), is_share=True),
            **differences,
            "misattribution_gap": _unsigned(differences, totals, has_baseline=False),
            **{
                f"{self.name}[{g}]": Value(
                    ratio(totals[MISATTRIBUTED, g], totals["claims", g]), is_share=True, group=g
                )
                for g in totals.values_of("speakers")
            },
        }

    def explain(self, totals: Totals) -> str:
        """How many attributed claims are misattributed, by the group of the speaker whom they name."""
        parts = [
            f"{g} {totals[MISATTRIBUTED, g]:.0f} of {totals['claims', g]:.0f}"
            for g in totals.values_of("speakers")
        ]
        whole = f"{totals[MISATTRIBUTED]:.0f} of {totals['claims']:.0f}"
        return f"Claims misattributed: {'; '.join(parts) or whole}."
