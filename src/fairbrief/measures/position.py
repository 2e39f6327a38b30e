"""Position: which parts of the article does a summary draw on?

`position_bias` compares with references, `position_from_uniform` with no preference for any position;
`position_heights` is the order-blind number that was published. All read `Positions`.
Source: Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large
Language Models from the Perspective of Position Bias. NAACL 2024.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import ClassVar

import numpy as np

from fairbrief.declarations import ContrastWords, Declaration
from fairbrief.measures.computed_values import ComputedValues
from fairbrief.measures.measure_settings import shared
from fairbrief.measures.position_evidence import Positions, PositionSettings, segment_names
from fairbrief.specs import spell
from fairbrief.statistics import kl_divergence, ratio, wasserstein_heights, wasserstein_positions
from fairbrief.types import SHARE_DIFFERENCE, Floats, Totals, Value

__all__ = ["PositionBias", "PositionFromUniform", "PositionHeights", "Positions", "segment_names"]


LATE = "Facts would be kept or dropped for where they stand rather than for what they say; whoever is quoted late in a text would be heard less."


class _PositionMeasure(PositionSettings):
    """What all measures do alike."""

    @property
    def observation(self) -> Positions:
        return Positions(**shared(self, Positions))

    __repr__ = spell

    def _distribution(self, totals: Totals, side: str) -> Floats:
        return totals.stack(side, segment_names(self.segments))

    def _levels(self, totals: Totals, side: str, prefix: str) -> dict[str, Callable[[], Value]]:
        """Mean position, lead share, segment shares, matches and unmapped share of one side's texts."""

        @cache
        def mass() -> Floats:
            return np.asarray(self._distribution(totals, side).sum(axis=-1))

        def share(column: tuple[str, ...]) -> Value:
            return Value(ratio(totals[column], mass()), is_share=True)

        values: dict[str, Callable[[], Value]] = {
            f"{prefix}mean_position": partial(share, (f"{side} positions",)),
            f"{prefix}lead_share": partial(share, (f"{side} lead",)),
            **{f"{prefix}segment[{k}]": partial(share, (side, k)) for k in segment_names(self.segments)},
        }
        if side == "even":
            return values
        return {
            **values,
            f"{prefix}matches": lambda: Value(np.where(totals["one"] > 0, totals[f"{side} matches"], np.nan)),
            f"{prefix}unmapped_share": lambda: Value(
                ratio(totals[f"{side} unmapped"], totals[f"{side} sentences"]), is_share=True
            ),
        }


@dataclass(frozen=True, repr=False)
class PositionBias(_PositionMeasure):
    """How far the parts of articles that summaries draw on are from those that references draw on.

    With P and Q the shares of the sources of summary and reference sentences in K segments of the article,
    the value is the first Wasserstein distance Σ_{k<K} |P_1 + … + P_k − Q_1 − … − Q_k|: how many segments
    sources must move on average.

    Reads:      references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 when summaries draw on the same parts as references. Positive
                by chance: read with its null. ``position_bias_share`` is the same as a share of the article
                (÷ K); ``position_kl`` = Σ P ln(P/Q) in nats, undefined where summaries draw on a segment
                that no reference does; ``mean_position_shift`` = the summaries' mean position minus the
                references' (shares of the article; negative = earlier); then, for both sides,
                ``mean_position``, ``lead_share`` (from the first three sentences), ``segment[k]``, ``matches``
                and ``unmapped_share`` (sentences that resemble nothing), the references' prefixed ``reference_``.
    Undefined:  as `Positions`; headline nan where nothing was mapped.
    Source:     Chhabra et al., section 3.2. Departs from their code: distance over positions, not heights;
                every article weighs the same; repeated sources count; short articles by relative position.
    """

    name: ClassVar[str] = "position_bias"
    declaration: ClassVar[Declaration] = Declaration(
        family="Position",
        question="how far summaries draw on other places of the text than the standard they are held to",
        harm=LATE,
        needs_order=True,
        figures=("segments",),
        contrast=ContrastWords(
            question="Do the summaries draw on earlier parts of the texts than people do?",
            below="{size} of the text closer to the start than people's summaries",
            above="{size} of the text closer to the end than people's summaries",
            even="the same places as in people's summaries",
            sentence="On average, {system} takes its content from {said}",
            unit="percent",
            worse_below="what is late in a text",
            worse_above="what is early in a text",
            baseline="people's summaries",
        ),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        system, reference = self._distribution(totals, "generated"), self._distribution(totals, "reference")
        distance = cache(lambda: wasserstein_positions(system, reference))
        levels = self._levels(totals, "generated", "") | self._levels(totals, "reference", "reference_")

        def shift() -> Value:
            own, other = (levels[f"{prefix}mean_position"]().array for prefix in ("", "reference_"))
            return Value(own - other, "both", limits=SHARE_DIFFERENCE, leads=True)

        return ComputedValues(
            {
                "position_bias": lambda: Value(distance(), "upper"),
                "position_bias_share": lambda: Value(distance() / self.segments, "upper"),
                "position_kl": lambda: Value(_finite(kl_divergence(system, reference)), "upper"),
                "mean_position_shift": shift,
                **levels,
            }
        )

    def explain(self, totals: Totals) -> str:
        """Where one summary and its reference draw on the article."""
        values = self.value(totals)
        return (
            f"sources lie {float(values['position_bias'].array):.2f} of {self.segments} segments apart: "
            f"summary {_places(self._distribution(totals, 'generated'))}; "
            f"reference {_places(self._distribution(totals, 'reference'))}; "
            f"{int(totals['generated unmapped'])} summary sentences resemble nothing in the article"
        )


@dataclass(frozen=True, repr=False)
class PositionFromUniform(_PositionMeasure):
    """How far the parts of articles that summaries draw on are from no preference for any part.

    As `position_bias`, with Q what a summary expects whose sources are article sentences drawn evenly:
    each segment's share of the article's sentences, averaged over articles.

    Reads:      no references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 when sources are spread as the sentences are. Large by chance
                for short summaries: read with its null, which moves all sources along together, around the article's end.
                ``mean_position_shift`` and ``lead_share_shift``: ``mean_position`` and ``lead_share`` (from the first
                three sentences) less what no preference expects (a half, ``even_lead_share``);
                ``position_from_uniform_share`` (÷ K), ``position_kl``, ``segment[k]``, ``matches``, ``unmapped_share``.
    Undefined:  as `Positions`; headline nan where nothing was mapped.
    Source:     Chhabra et al., section 3, without references.
    """

    name: ClassVar[str] = "position_from_uniform"
    declaration: ClassVar[Declaration] = Declaration(
        family="Position",
        question="how far the places that summaries draw on are from an even spread over the text",
        harm=LATE,
        needs_order=True,
        figures=("segments",),
        contrast=ContrastWords(
            question="Do the summaries draw on one part of the texts more than on others?",
            below="{size} of the text closer to the start than an even spread",
            above="{size} of the text closer to the end than an even spread",
            even="all of the text evenly",
            sentence="On average, {system} takes its content from {said}",
            unit="percent",
            worse_below="what is late in a text",
            worse_above="what is early in a text",
            baseline="an even spread",
        ),
    )
    against: str = field(default="uniform", init=False)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        system, even = self._distribution(totals, "generated"), self._distribution(totals, "even")
        distance = cache(lambda: wasserstein_positions(system, even))
        levels, expected = self._levels(totals, "generated", ""), self._levels(totals, "even", "")

        def shift(name: str) -> Value:
            moved = levels[name]().array - expected[name]().array
            return Value(moved, "both", limits=SHARE_DIFFERENCE, leads=name == "mean_position")

        def beside_blind(name: str) -> Value:
            return replace(levels[name](), blind=expected[name]().array)

        both = ("mean_position", "lead_share")
        return ComputedValues(
            {
                "position_from_uniform": lambda: Value(distance(), "upper"),
                "position_from_uniform_share": lambda: Value(distance() / self.segments, "upper"),
                "position_kl": lambda: Value(_finite(kl_divergence(system, even)), "upper"),
                **{f"{name}_shift": partial(shift, name) for name in both},
                **levels,
                **{name: partial(beside_blind, name) for name in both},
                "even_lead_share": expected["lead_share"],
            }
        )

    def explain(self, totals: Totals) -> str:
        """Where one summary draws on the article."""
        values = self.value(totals)
        return (
            f"summary draws on {_places(self._distribution(totals, 'generated'))}; "
            f"mean position {float(values['mean_position'].array):.0%} of the article, "
            f"{float(values['lead_share'].array):.0%} from its first three sentences; "
            f"{int(totals['generated unmapped'])} summary sentences resemble nothing in it"
        )


@dataclass(frozen=True, repr=False)
class PositionHeights(_PositionMeasure):
    """How unequal the shares of article parts are in summaries and references, in whatever order they stand.

    The number that was published, which is blind to order.
    Mean |sort P − sort Q| over the segments' shares: the Wasserstein distance with bar heights passed as
    the samples. A system that draws on articles' ends where references draw on their beginnings scores 0.
    No distance over positions: it is here to read published tables by, beside `position_bias`.

    Value:      share of mass per segment, from 0; as `position_bias` otherwise.
    Source:     released code of Chhabra et al. (its figures and Table 1).
    """

    name: ClassVar[str] = "position_heights"
    declaration: ClassVar[Declaration] = Declaration(
        family="Position",
        question="the published reading, which compares the heights of bars and not their places",
        harm=LATE,
        needs_order=True,
        on_request="blind to order; position_bias is the distance over positions",
        figures=("segments",),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        heights = wasserstein_heights(
            self._distribution(totals, "generated"), self._distribution(totals, "reference")
        )
        return {"position_heights": Value(heights, "upper")}

    def explain(self, totals: Totals) -> str:
        """The two histograms, whose order the number does not see."""
        return (
            f"heights differ by {float(self.value(totals)['position_heights'].array):.3f} on average, in any "
            f"order: summary {_places(self._distribution(totals, 'generated'))}; "
            f"reference {_places(self._distribution(totals, 'reference'))}"
        )


def _places(histogram: Floats) -> str:
    """The segments with mass, with their shares: "1 (67%), 4 (33%)"."""
    total = float(histogram.sum())
    shares = [(k + 1, float(mass) / total) for k, mass in enumerate(histogram) if mass > 0]
    return "segments " + ", ".join(f"{k} ({share:.0%})" for k, share in shares) if shares else "no segment"


def _finite(array: Floats) -> Floats:
    return np.where(np.isfinite(array), array, np.nan)
