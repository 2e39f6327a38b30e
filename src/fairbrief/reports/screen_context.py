"""What sentences about an audit need to know of it: its level, its words, and which group differences come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief import standings
from fairbrief.declarations import ContrastWords, Declaration
from fairbrief.reports import contrast_words, wording
from fairbrief.reports.result import Result
from fairbrief.standings import SIGNIFICANT, Standing
from fairbrief.text.counted import counted
from fairbrief.types import Estimate


@dataclass(frozen=True, slots=True)
class Context:
    """What an audit says of how it was made, and at which level it tests."""

    made: Mapping[str, Any]
    alpha: float
    rates: Mapping[tuple[str, str, str], float]
    """Shares of the whole audit by system, measure and quantity."""
    variants: frozenset[str] = frozenset()
    """Measures that were taken with other settings, too: sentences about them name the measure."""

    def declared(self, e: Estimate) -> Declaration:
        return wording.declared(e.measure, self.made)

    def words(self, e: Estimate) -> ContrastWords:
        return self.declared(e).contrast

    def kind(self, e: Estimate) -> Standing:
        return standings.standing(e, self.alpha)

    def rank(self, e: Estimate) -> tuple[Any, ...]:
        """What was named in advance first, then what was asked of an attribute; of these the significant, by distance from
        the baseline; what is not significant by p.
        """
        scale = 4 if self.words(e).unit == "odds" else 1
        kind, (p, tested) = self.kind(e), standings.decisive(e)
        order = -round(abs(tested) / scale, 6) if kind in SIGNIFICANT or p is None else round(p, 6)
        return (
            not e.is_primary,
            not e.over,
            standings.ORDER.index(kind),
            not self.worse(e),
            not e.group,
            order,
        )

    def clearest_first(self, panels: Iterable[Sequence[Estimate]]) -> list[Sequence[Estimate]]:
        """Panels, each the group differences of a measure and attribute, in the order of their first."""
        return sorted(panels, key=lambda members: min(map(self.rank, members)))

    def plain(self, e: Estimate) -> str:
        """The plain rates behind odds: ``25 of 100 female people are named, 40 of 100 male people are named``."""
        return contrast_words.plain_rates(e, self.words(e), self.rates)

    def by(self, e: Estimate) -> str:
        """By which measure, where others ask the same."""
        return f" (by {wording.without_over(e)})" if e.measure in self.variants else ""

    def counted(self, n: int) -> str:
        """So many records; where runs are pooled each of them has several summaries."""
        return counted(n, "summary", "summaries") if self.made.get("pools_runs") else counted(n, "record")

    def records(self, e: Estimate) -> str:
        """The records behind an estimate, and in how many independent groups they come."""
        many = self.counted(e.n)
        return (
            many
            if not e.clusters or e.clusters == e.n
            else f"{counted(e.clusters, 'independent group')} of {many}"
        )

    def worse(self, e: Estimate) -> str:
        """Who gets less by a group difference: by its difference from the baseline; empty: nobody."""
        _, tested = standings.decisive(e)
        return contrast_words.worse(e.replace(value=tested), self.words(e))

    def baseline(self, e: Estimate) -> str:
        """What an estimate is tested against."""
        return "random sentences" if e.blind_p is not None else self.words(e).baseline


def context_of(result: Result) -> Context:
    """How the estimates of a result are told."""
    rates = {
        (e.system, e.measure, e.quantity): e.value
        for e in result.estimates
        if e.value is not None and not e.slice
    }
    specs: dict[tuple[str, str], set[str]] = {}
    for e in result.estimates:
        specs.setdefault((wording.name_of(e.measure), e.over), set()).add(e.measure)
    variants = frozenset[str]().union(*(members for members in specs.values() if len(members) > 1))
    return Context(result.made, wording.alpha_of(result.made), rates, variants)
