"""Chhabra et al., position bias of zero-shot summarizers: measures, and the figures as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from fairbrief.measures.position import PositionBias, PositionHeights
from fairbrief.measures.quality import Rouge1, Rouge2, RougeL
from fairbrief.protocols.published_results import Reproduced, cells, decimal, find, systems_of
from fairbrief.statistics.agreement import spearman
from fairbrief.types import Estimate, Table

RELEASED = {
    "sentences": "punkt", "short": "first", "duplicates": "once", "weights": "pooled", "ties": "earliest",
}  # fmt: skip
MAPPINGS = {
    "TF-IDF": {"mapping": "tfidf(fitted=pair)"},
    "ROUGE-1, mean over sentences (as published)": {"mapping": "rouge1", "match": "mean"},
    "ROUGE-1, each sentence": {"mapping": "rouge1"},
}
"""Rules that map sentences to sources: what they are called, and their settings."""
SEGMENTS = 10
ROUGE = (Rouge1, Rouge2, RougeL)
DISTANCES = ("position_heights", "position_bias", "position_kl")
SYSTEMS_FOR_RANKS = 3
"""Fewer systems have no rank correlation worth a number."""


Variants = dict[str, tuple[str, str]]
"""By name of a way to map sentences to sources, the specs of its two measures."""


def specs_of(**settings: Any) -> tuple[str, str]:
    """The specs of both measures, in the release's settings but for these."""
    values = {**RELEASED, **settings}
    return repr(PositionBias(**values)), repr(PositionHeights(**values))


class ChhabraPosition(Reproduced):
    """Positional distributions, their distances, and ROUGE, with the release's arithmetic.

    Punkt sentences; TF-IDF fitted on each article and summary together; one source per sentence, counted
    once; articles under ten sentences fill the first segments; matches pooled over articles; ROUGE without
    stemming. Departs from the release: an article that it could not map got ten random counts, here it is
    excluded with its reason; ROUGE is the mean, not the median of an unseeded bootstrap.

    ``mapping=both`` adds Figure 6: ROUGE-1 as in the release, which maps a summary as one by the mean over its
    sentences, and sentence by sentence. ``top=3`` adds Figure 9: one, two and three sources per sentence, but one for a
    sentence that is at least 0.9 similar to it, as released; ``version=text`` has no such rule, as the paper's Appendix I.

    ``limit=N`` counts N sentences of each longer output, for position and ROUGE: sampled uniformly at random, as the
    paper's text has it (``choose=random``), or the first ones, as the release does (``choose=first``).
    """

    name: ClassVar[str] = "chhabra-position"
    mapping: Literal["tfidf", "both"] = "tfidf"
    top: Annotated[int, "[1, 3]"] = 1
    version: Literal["published", "text"] = "published"
    limit: Annotated[int | None, "[1, inf)"] = None
    choose: Literal["first", "random"] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_effect("version", self.top > 1, "with top=1: add top=2 or top=3")
        self.check_effect("choose", self.limit is not None, "without limit: add limit=N")

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 - position has no groups
        """Both distances by each mapping and number of matches, and ROUGE."""
        variants = (*self._mappings().values(), *self._tops().values())
        return (*dict.fromkeys(spec for specs in variants for spec in specs), *self._rouge())

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Figures 2 to 4, 6 and 9 as tables, and Table 1 over three systems or more; none without a system."""
        mappings, tops = self._mappings(), self._tops()
        main = self._of(mappings["TF-IDF"], estimates)
        made = [self.published("Figure 2").printed(_distributions(main))]
        made += [self.published(number).filled(main, 4) for number in ("Figure 3", "Figure 4")]
        made += [self._compared(estimates, mappings, "Figure 6")] if len(mappings) > 1 else []
        if len(systems_of(main)) >= SYSTEMS_FOR_RANKS:
            over = f"Over {len(systems_of(main))} systems."
            made.append(self.published("Table 1").printed(_ranks(main), notes=(over,)))
        made += [self._compared(estimates, tops, "Figure 9")] if len(tops) > 1 else []
        return self.with_version(made, self.version)

    def _of(self, specs: tuple[str, str], estimates: Sequence[Estimate]) -> list[Estimate]:
        """The estimates of one mapping for whole systems, and ROUGE."""
        asked = {*specs, *self._rouge()}
        return [e for e in estimates if e.measure in asked and not e.subgroup and not e.baseline]

    def _compared(self, estimates: Sequence[Estimate], variants: Variants, number: str) -> Table:
        """Figures 6 and 9: distances and distributions by mapping, or by number of matches."""
        own = {name: self._of(specs, estimates) for name, specs in variants.items()}
        rows = [
            (system, name, *cells(mine, system, DISTANCES, 4), *_counts(mine, system)[:-1])
            for system in systems_of(estimates)
            for name, mine in own.items()
        ]
        return self.published(number).printed(rows)

    def _mappings(self) -> Variants:
        wanted = list(MAPPINGS) if self.mapping == "both" else ["TF-IDF"]
        return {name: specs_of(**MAPPINGS[name], **self._sampling()) for name in wanted}

    def _tops(self) -> Variants:
        copied = {"copied": "once"} if self.version == "published" else {}
        settings = {**MAPPINGS["TF-IDF"], **self._sampling()}
        more = {f"top-{k}": specs_of(top=k, **copied, **settings) for k in range(2, self.top + 1)}
        return {"top-1": specs_of(**settings), **more}

    def _sampling(self) -> dict[str, Any]:
        return {} if self.limit is None else {"limit": self.limit, "choose": self.choose}

    def _rouge(self) -> tuple[str, ...]:
        """The specs of ROUGE-1, -2 and -L."""
        return tuple(repr(measure(**self._sampling())) for measure in ROUGE)


def _value(own: Sequence[Estimate], system: str, quantity: str) -> float:
    """A value; nan where there is none."""
    found = find(own, system, quantity)
    return np.nan if found is None or found.value is None else found.value


def _distributions(own: Sequence[Estimate]) -> Iterator[tuple[str, ...]]:
    """Figure 2: how many sources are in each tenth of the article, for each system and its references."""
    for system in systems_of(own):
        yield system, "summaries", *_counts(own, system)
        yield system, "references", *_counts(own, system, "reference_")


def _counts(own: Sequence[Estimate], system: str, prefix: str = "") -> tuple[str, ...]:
    total = _value(own, system, f"{prefix}matches")
    shares = [_value(own, system, f"{prefix}segment[{k:02d}]") for k in range(1, SEGMENTS + 1)]
    return (*(decimal(total * share, 0) for share in shares), decimal(total, 0))


def _ranks(own: Sequence[Estimate]) -> Iterator[tuple[str, ...]]:
    """Table 1: Spearman's ρ between distance and ROUGE over systems."""
    systems = systems_of(own)
    for label, distance in (("heights (as published)", "position_heights"), ("segments", "position_bias")):
        far = np.array([_value(own, system, distance) for system in systems])
        found = []
        for measure in ROUGE:
            good = np.array([_value(own, system, measure.name) for system in systems])
            known = np.isfinite(far) & np.isfinite(good)
            is_enough = int(known.sum()) >= SYSTEMS_FOR_RANKS
            found.append(decimal(float(spearman(far[known], good[known])) if is_enough else None))
        yield label, *found
