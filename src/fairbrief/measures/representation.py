"""Does a summary give each group the room that it should: BUR, UER, AUC and SOF over value distributions.

All read one observation, `Representation`; its docstring says what the settings mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief import spelling
from fairbrief.measures.distributions import COUNTING
from fairbrief.measures.perspectives import WITHOUT_ASK, Representation, RepresentationSettings, read_target
from fairbrief.measures.settings import check_known, shared
from fairbrief.nouns import Floats, Totals, Value
from fairbrief.statistics import ratio

CHOICES = {
    "ties": ("fair", "under"),
    "no_match": ("leave_out", "uniform"),
    "single": ("leave_out", "fair"),
    "texts": ("documents", "values"),
}


class _RepresentationMeasure(RepresentationSettings):
    """What all measures do alike."""

    reads: ClassVar[str] = "document"

    def __post_init__(self) -> None:
        if not 0 < self.tau <= 1:
            raise ValueError(f"tau={self.tau} is not in (0, 1]")
        if self.temperature <= 0:
            raise ValueError(f"temperature={self.temperature} is not above 0")
        for key, known in CHOICES.items():
            check_known(key, getattr(self, key), known)
        if self.target not in ("ratio", "equal"):
            read_target(self.target)
        if self.texts == "values" and spelling.parse(self.scorer).name in (*COUNTING, *WITHOUT_ASK):
            raise ValueError(f"texts=values is for scorers of whole texts; {self.scorer} is none")

    @property
    def observation(self) -> Representation:
        """The distributions under these settings; equal settings make equal observations."""
        return Representation(**shared(self, type(self)))

    def __repr__(self) -> str:
        return spelling.spell(self)

    @property
    def instruments(self) -> Mapping[str, Mapping[str, str]]:
        """The measures that check the judges it relies on, with their settings."""
        return {} if self.scorer in WITHOUT_ASK else {"instrument_support": {"scorer": self.scorer}}

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
    """Share of records in which some value is under-represented: mean of 1[∃k: p_y(k) < τ·p_g(k)].

    Value:      ``bur`` in [0, 1], 0 = none; positive by chance: read with its null. Beside it
                ``share_under[v]``, among the records that have v.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 2. Departs from the authors' code: ``<`` for its ``<=`` (``ties=under``);
                records with one value are left out (``single=fair`` counts them as fair), so are records
                without a match (``no_match=uniform``).
    """

    name: ClassVar[str] = "bur"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → shares (…)."""
        found = {"bur": Value(ratio(totals["unfair"], totals["one"]), "upper")}
        for v in totals.values_of("present"):
            found[f"share_under[{v}]"] = Value(ratio(totals["under", v], totals["present", v]))
        return found


@dataclass(frozen=True, repr=False)
class Uer(_RepresentationMeasure):
    """Mean under-representation of a value: mean of (1/r) Σ_k max(0, p_g(k) − p_y(k)).

    Since p_g and p_y both sum to one over the same r values this is their total variation over r, so it
    shrinks with r: comparable only between records with equally many values.

    Value:      ``uer`` in [0, 1/2); 0 = as wanted; positive by chance: read with its null. Beside it
                ``difference[v]``, the mean of p_y(v) − p_g(v) (positive = over-represented), and the mean
                shares ``source[v]``, ``summary[v]``, ``wanted[v]``, all among the records that have v.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 3, whose printed sign is turned; the sum is the same.
    """

    name: ClassVar[str] = "uer"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → mean rates (…)."""
        found = {"uer": Value(ratio(totals["uer"], totals["one"]), "upper")}
        for v in totals.values_of("present"):
            signed = totals["surplus", v] - totals["deficit", v]
            found[f"difference[{v}]"] = Value(ratio(signed, totals["present", v]), "both")
            for share in ("source", "summary", "wanted"):
                found[f"{share}[{v}]"] = Value(ratio(totals[share, v], totals["present", v]))
        return found


@dataclass(frozen=True, repr=False)
class Auc(_RepresentationMeasure):
    """BUR over all thresholds: mean of ∫₀¹ 1[∃k: p_y(k) < τ·p_g(k)] dτ = 1 − min_k min(1, p_y(k)/p_g(k)).

    ``points=10`` takes the mean over τ = 0.1, 0.2 … 1 instead, the paper's text. Its tables were made by
    another sweep: `AucCutoff`.

    Value:      ``auc`` in [0, 1], 0 = every value has its share; positive by chance: read with its null.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 4; the closed form is ours.
    """

    points: int = 0
    name: ClassVar[str] = "auc"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.points < 0:
            raise ValueError(f"points={self.points} is negative")

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → areas (…)."""
        return {"auc": Value(ratio(totals["auc"], totals["one"]), "upper")}


@dataclass(frozen=True, repr=False)
class AucCutoff(_RepresentationMeasure):
    """BUR over the long-tail cut-off: which of the largest values are looked at, not how strictly.

    For c = 0, 0.1 … 1 only the largest values that together hold c of the source are kept, both
    distributions rescaled; the area under BUR(c) is taken by trapezoids. At c = 0 one value is left and
    nothing can be unfair.

    Value:      ``auc_cutoff`` in [0, 0.95]; positive by chance: read with its null.
    Undefined:  without records; the reasons of `Representation`.
    Source:     Zhang et al., the authors' code behind the AUC table; the paper's text describes `Auc`.
    """

    name: ClassVar[str] = "auc_cutoff"
    on_request: ClassVar[str] = "it is the sweep behind one paper's table; auc is what the paper describes"

    @property
    def observation(self) -> Representation:
        """The distributions with the sweep."""
        return Representation(**shared(self, RepresentationSettings), cutoff=True)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → areas (…)."""
        return {"auc_cutoff": Value(ratio(totals["auc_cutoff"], totals["one"]), "upper")}


@dataclass(frozen=True, repr=False)
class Sof(_RepresentationMeasure):
    """How unequally the values bear under-representation: mean absolute deviation of e_k over the R values.

    e_k is the mean of max(0, p_g(k) − p_y(k)) over the records that have k; SOF = (1/R) Σ |e_k − mean e|.

    Value:      ``sof`` in [0, 1/2]; 0 = all values alike; positive by chance: read with its null. Beside
                it ``deficit[v]`` = e_v.
    Undefined:  with fewer than two values; the reasons of `Representation`.
    Source:     Zhang et al., Eq. 5, which prints p_g − p_x (zero under the ratio target); the code has this.
    """

    name: ClassVar[str] = "sof"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """Totals (…, columns) → deviations (…)."""
        values = totals.values_of("present")
        means = {v: ratio(totals["deficit", v], totals["present", v]) for v in values}
        found = {"sof": Value(_mean_absolute_deviation(totals, means), "upper")}
        return found | {f"deficit[{v}]": Value(mean) for v, mean in means.items()}


def _mean_absolute_deviation(totals: Totals, means: Mapping[str, Floats]) -> Floats:
    if not means:
        return np.full(totals.array.shape[:-1], np.nan)
    stacked = np.stack(list(means.values()), axis=-1)
    known = ~np.isnan(stacked)
    count = known.sum(axis=-1)
    center = ratio(np.where(known, stacked, 0.0).sum(axis=-1), count)
    spread = np.where(known, np.abs(stacked - np.where(count > 0, center, 0.0)[..., np.newaxis]), 0.0)
    return np.where(count > 1, ratio(spread.sum(axis=-1), count), np.nan)


def _percent(share: Floats) -> str:
    return f"{float(share):.0%}"


def _below(part: Floats) -> str:
    """Two places, rounded down: 0.798 is below 0.8, which 0.80 is not."""
    return f"{np.floor(100 * float(part) + 1e-9) / 100:.2f}"
