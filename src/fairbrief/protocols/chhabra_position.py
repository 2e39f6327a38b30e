"""Chhabra et al., position bias of zero-shot summarizers: measures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fairbrief.measures.position import PositionBias, PositionHeights
from fairbrief.protocols import ProtocolDeclaration, chhabra_tables
from fairbrief.protocols.chhabra_tables import ROUGE, Variant
from fairbrief.protocols.published_results import PublishedResult, published_results
from fairbrief.specs import spell
from fairbrief.types import Estimate, Table

RELEASED = {
    "sentences": "punkt",
    "short": "first",
    "duplicates": "once",
    "weights": "pooled",
    "ties": "earliest",
}
MAPPINGS = {
    "TF-IDF": {"mapping": "tfidf(fitted=pair)"},
    "ROUGE-1, mean over sentences (as published)": {"mapping": "rouge1", "match": "mean"},
    "ROUGE-1, each sentence": {"mapping": "rouge1"},
}
"""Rules that map sentences to sources: what they are called, and their settings."""


@dataclass(frozen=True, repr=False)
class ChhabraPosition:
    """Positional distributions, their distances, and ROUGE, with the release's arithmetic.

    Punkt sentences; TF-IDF fitted on each article and summary together; one source per sentence, counted
    once; articles under ten sentences fill the first segments; matches pooled over articles; ROUGE without
    stemming. Departs from the release: an article that it could not map got ten random counts, here it is
    left out with its reason; ROUGE is the mean, not the median of an unseeded bootstrap; "randomly chosen"
    sentences of over-long outputs were always the first (``limit=1, choose=first`` or ``random``).

    ``mapping=both`` adds Figure 6: ROUGE-1 as in the release, which maps a summary as one by the mean over its
    sentences, and sentence by sentence. ``top=3`` adds Figure 9: one, two and three sources per sentence.
    """

    name: ClassVar[str] = "chhabra-position"
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()
    paper: ClassVar[str] = (
        "Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large Language "
        "Models from the Perspective of Position Bias. NAACL 2024."
    )
    mapping: str = "tfidf"
    top: int = 1

    def __post_init__(self) -> None:
        if self.mapping not in ("tfidf", "both"):
            raise ValueError(f"mapping is tfidf or both, not '{self.mapping}'")
        if not 1 <= self.top <= 3:
            raise ValueError(f"top is 1 to 3, not {self.top}")

    __repr__ = spell

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 - position has no groups
        """Both distances by each mapping and number of matches, and ROUGE."""
        variants = [*self._mappings(), *self._tops()]
        return (*dict.fromkeys(m for v in variants for m in (v.bias, v.heights)), *ROUGE)

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Figures 2 to 4, 6 and 9 as tables, and Table 1 over three systems or more."""
        found = chhabra_tables.found_in(estimates, self.measures(()))
        mappings = self._mappings()
        return chhabra_tables.tables(found, mappings[0], mappings, self._tops())

    def _mappings(self) -> list[Variant]:
        wanted = list(MAPPINGS) if self.mapping == "both" else ["TF-IDF"]
        return [_variant(name, **MAPPINGS[name]) for name in wanted]

    def _tops(self) -> list[Variant]:
        return [_variant(f"top-{k}", top=k, **MAPPINGS["TF-IDF"]) for k in range(1, self.top + 1)]


def _variant(name: str, **settings: Any) -> Variant:
    told = {**RELEASED, **settings}
    return Variant(name, repr(PositionBias(**told)), repr(PositionHeights(**told)))
