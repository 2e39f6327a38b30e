"""Does a summary give each group the room that it should: BUR, UER, AUC and SOF over value distributions.

All read one observation, `Representation`; its docstring says what the settings mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief import specs
from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.measure_settings import check_known, check_uncut, shared
from fairbrief.measures.representation_evidence import (
    WITHOUT_ASK,
    Representation,
    RepresentationSettings,
    read_target,
)
from fairbrief.statistics import ratio
from fairbrief.types import SHARE_DIFFERENCE, Floats, Totals, Value

UNHEARD = "Readers who see only the summary would meet some views less often than the sources hold them, and could take a partial picture for the whole."
SHARES = ContrastWords(
    question="Who gets less room in the summaries than in the sources?",
    unit="points",
    below="{size} less of the summary than of the sources",
    above="{size} more of the summary than of the sources",
    even="as much of the summary as of the sources",
    sentence="In summaries by {system}, documents with {group} get {said}",
    random="would give them {reads}",
    worse_below="documents with {group}",
)


BY_DOCUMENTS, WORDS_LESS_DOCUMENTS = "by_documents", "words_less_documents"
CHOICES = {
    "ties": ("fair", "under"),
    "no_match": ("leave_out", "uniform"),
    "single": ("leave_out", "fair"),
    "texts": ("documents", "values"),
}


class _RepresentationMeasure(RepresentationSettings):
    """What all measures do alike."""

    def __post_init__(self) -> None:
        if not 0 < self.tau <= 1:
            raise ValueError(f"tau={self.tau} is not in (0, 1]")
        if self.temperature <= 0:
            raise ValueError(f"temperature={self.temperature} is not above 0")
        check_uncut("scorer", self.scorer)
        check_uncut("tokens", self.tokens or "ngram")
        for key, known in CHOICES.items():
            check_known(key, getattr(self, key), known)
        if self.target not in ("ratio", "equal"):
            read_target(self.target)
        if self.texts == "values" and specs.parse(self.scorer).name in WITHOUT_ASK:
            raise ValueError(f"texts=values is for scorers that read texts; {self.scorer} reads none")

    @property
    def observation(self) -> Representation:
        """The distributions under these settings; equal settings make equal observations."""
        return Representation(**shared(self, type(self)))

    __repr__ = specs.spell

    def explain(self, totals: Totals) -> str:
        """The three distributions in words, and which values fall below tau."""
        values = [v for v in totals.values_of("present") if totals["present", v] > 0]
        parts = [
            f"{v} has {_percent(totals['source', v])} of the source and {_percent(totals['summary', v])} of the summary"
            + ("" if self.target == "ratio" else f", {_percent(totals['wanted', v])} is wanted")
            for v in values
        ]
        below = [
            f"{v} gets {_below(totals['summary', v] / totals['wanted', v])} of its share"
            for v in values
            if totals["under", v] > 0 and totals["wanted", v] > 0
        ]
        verdict = (
            f"below {self.tau:g}: {', '.join(below)}"
            if below
            else f"no value is below {self.tau:g} of its share"
        )
        return f"{'; '.join(parts)}. {verdict[0].upper()}{verdict[1:]}."


@dataclass(frozen=True, repr=False)
class Bur(_RepresentationMeasure):
    """Share of records whose summary under-represents at least one group.

    The mean over records of 1[∃k: p_y(k) < τ·p_g(k)], with p_y(k) the share of group k in the summary and
    p_g(k) the share it should have.

    Value:      ``bur`` in [0, 1], 0 = none; positive by chance: read with its null. Beside it
                ``share_under[g]``, among the records that have g.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 2. Departs from the authors' code: ``<`` for its ``<=`` (``ties=under``);
                records with one group are left out (``single=fair`` counts them as fair), so are records
                without a match (``no_match=uniform``).
    """

    name: ClassVar[str] = "bur"
    declaration: ClassVar[Declaration] = Declaration(
        family="Representation",
        question="the share of summaries in which at least one group falls below its due share",
        harm=UNHEARD,
        figures=("kept_shares",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → shares (…)."""
        mean = ratio(totals["unfair"], totals["one"])
        found = {
            "bur": Value(mean, "upper", mean_of=(("unfair",), ("one",)), is_share=True, has_baseline=True)
        }
        for v in totals.values_of("present"):
            share = ratio(totals["under", v], totals["present", v])
            found[f"share_under[{v}]"] = Value(share, is_share=True, has_baseline=True, group=v)
        return found


@dataclass(frozen=True, repr=False)
class Uer(_RepresentationMeasure):
    """How much share of the summary groups lack, averaged over groups and records.

    The mean over records of (1/r) Σ_k max(0, p_g(k) − p_y(k)), with p_y(k) the share of group k in the
    summary, p_g(k) the share it should have, and r groups. Since p_g and p_y both sum to one over the same r
    groups this is their total variation over r, so it shrinks with r: comparable only between records with
    equally many groups.

    Value:      ``uer`` in [0, 1/2); 0 = as wanted; positive by chance: read with its null. Beside it
                ``difference[g]``, the mean of p_y(g) − p_g(g) (positive = over-represented), and the mean
                shares ``source[g]``, ``summary[g]``, ``wanted[g]``, all among the records that have g. Where documents
                differ in length: ``by_documents[g]``, the mean of p_y(g) − the share of g among the documents, each
                counted alike however long; ``words_less_documents[g]``, the share of g among the source's words less
                that among its documents.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 3, whose printed sign is turned; the sum is the same.
    """

    name: ClassVar[str] = "uer"
    declaration: ClassVar[Declaration] = Declaration(
        family="Representation",
        question="how much of the due shares is missing, averaged over the groups of a record",
        harm=UNHEARD,
        figures=("kept_shares",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
        contrast=SHARES,
        matches_words=True,
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → mean rates (…)."""
        mean = ratio(totals["uer"], totals["one"])
        found = {"uer": Value(mean, "upper", mean_of=(("uer",), ("one",)), is_share=True, has_baseline=True)}
        for v in totals.values_of("present"):
            found |= _difference(totals, v) | _by_documents(totals, v)
            for share in ("source", "summary", "wanted"):
                mean = ratio(totals[share, v], totals["present", v])
                found[f"{share}[{v}]"] = Value(mean, is_share=True, has_baseline=True, group=v)
        return found


@dataclass(frozen=True, repr=False)
class Auc(_RepresentationMeasure):
    """How far the worst represented group falls short of its share, averaged over records.

    The area under `Bur` over all thresholds τ: the mean over records of
    ∫₀¹ 1[∃k: p_y(k) < τ·p_g(k)] dτ = 1 − min_k min(1, p_y(k)/p_g(k)).
    ``points=10`` takes the mean over τ = 0.1, 0.2 … 1 instead, the paper's text. Its tables were made by
    another sweep: `AucCutoff`.

    Value:      ``auc`` in [0, 1], 0 = every group has its share; positive by chance: read with its null.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 4; the closed form is ours.
    """

    points: int = 0
    name: ClassVar[str] = "auc"
    declaration: ClassVar[Declaration] = Declaration(
        family="Representation",
        question="how far the worst-represented group falls short of its due share",
        harm=UNHEARD,
        figures=("kept_shares",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.points < 0:
            raise ValueError(f"points={self.points} is negative")

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → areas (…)."""
        mean = ratio(totals["auc"], totals["one"])
        return {"auc": Value(mean, "upper", mean_of=(("auc",), ("one",)), is_share=True, has_baseline=True)}


@dataclass(frozen=True, repr=False)
class AucCutoff(_RepresentationMeasure):
    """Share of under-representing summaries, averaged over how many of the smaller groups are left out.

    For c = 0, 0.1 … 1 only the largest groups that together hold c of the source are kept, both
    distributions rescaled; the area under BUR(c) is taken by trapezoids. At c = 0 one group is left and
    none can fall short.

    Value:      ``auc_cutoff`` in [0, 0.95]; positive by chance: read with its null.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., the authors' code behind the AUC table; the paper's text describes `Auc`.
    """

    name: ClassVar[str] = "auc_cutoff"
    declaration: ClassVar[Declaration] = Declaration(
        family="Representation",
        question="the share of under-represented summaries, over a sweep of the long-tail cut-off",
        harm=UNHEARD,
        on_request="it is the sweep behind one paper's table; auc is what the paper describes",
        figures=("kept_shares",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    )

    @property
    def observation(self) -> Representation:
        """The distributions with the sweep."""
        return Representation(**shared(self, RepresentationSettings), cutoff=True)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → areas (…)."""
        mean = ratio(totals["auc_cutoff"], totals["one"])
        return {"auc_cutoff": Value(mean, "upper", mean_of=(("auc_cutoff",), ("one",)), is_share=True)}


@dataclass(frozen=True, repr=False)
class Sof(_RepresentationMeasure):
    """How unequally under-representation is spread over the groups.

    Mean absolute deviation (1/R) Σ |e_k − mean e| over R groups, where e_k is the mean of
    max(0, p_g(k) − p_y(k)) over the records that have group k.

    Value:      ``sof`` in [0, 1/2]; 0 = all groups alike; positive by chance: read with its null. Beside
                it ``deficit[g]`` = e_g, and ``difference[g]`` of `Uer`, the signed contrasts by which it is
                tested and systems are compared.
    Undefined:  with fewer than two groups; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 5, which prints p_g − p_x (zero under the ratio target); the code has this.
    """

    name: ClassVar[str] = "sof"
    declaration: ClassVar[Declaration] = Declaration(
        family="Representation",
        question="how unevenly shortfalls are spread over the groups",
        harm=UNHEARD,
        figures=("kept_shares",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
        contrast=SHARES,
        matches_words=True,
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → deviations (…)."""
        values = totals.values_of("present")
        means = {v: ratio(totals["deficit", v], totals["present", v]) for v in values}
        contrasts = tuple(f"difference[{v}]" for v in values)
        folded = _mean_absolute_deviation(totals, means)
        found = {"sof": Value(folded, "upper", contrasts=contrasts, has_baseline=True)}
        for v, mean in means.items():
            found |= _difference(totals, v)
            found[f"deficit[{v}]"] = Value(mean, is_share=True, has_baseline=True, group=v)
        return found


def _difference(totals: Totals, v: str) -> dict[str, Value]:
    """A group's mean share of the summary less the wanted one: positive = over-represented."""
    signed = ratio(totals["surplus", v] - totals["deficit", v], totals["present", v])
    name = f"difference[{v}]"
    return {
        name: Value(
            signed,
            "both",
            contrasts=(name,),
            limits=SHARE_DIFFERENCE,
            has_baseline=True,
            is_compared=True,
            leads=True,
            group=v,
            present=(("present", v),),
        )
    }


def _by_documents(totals: Totals, v: str) -> dict[str, Value]:
    """The contrast if every document counted alike; and how much more of the words than of the documents a group has."""
    there = totals["present", v]
    read = ratio(totals["summary", v] - totals["documents", v], there)
    longer = ratio(totals["source", v] - totals["documents", v], there)
    return {
        f"{BY_DOCUMENTS}[{v}]": Value(
            read, limits=SHARE_DIFFERENCE, has_baseline=True, is_compared=True, is_tested_by_t=True, group=v
        ),
        f"{WORDS_LESS_DOCUMENTS}[{v}]": Value(longer, limits=SHARE_DIFFERENCE, group=v),
    }


def _mean_absolute_deviation(totals: Totals, means: Mapping[str, Floats]) -> Floats:
    if not means:
        return np.full(totals.array.shape[:-1], np.nan)
    stacked = np.stack(list(means.values()), axis=-1)
    known = ~np.isnan(stacked)
    count = known.sum(axis=-1)
    center = ratio(np.where(known, stacked, 0.0).sum(axis=-1), count)
    spread = np.where(known, np.abs(stacked - center[..., np.newaxis]), 0.0)
    return np.where(count > 1, ratio(spread.sum(axis=-1), count), np.nan)


def _percent(share: Floats) -> str:
    return f"{float(share):.0%}"


def _below(part: Floats) -> str:
    """Two places, rounded down: 0.798 is below 0.8, which 0.80 is not."""
    return f"{np.floor(100 * float(part) + 1e-9) / 100:.2f}"
