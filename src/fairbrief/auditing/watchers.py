"""What looks at the cases of an audit while they pass, and touches none of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fairbrief.auditing.counterfactual_sources import Sources
from fairbrief.auditing.group_places import GroupPlaces
from fairbrief.auditing.other_languages import OtherLanguages
from fairbrief.auditing.repeated_texts import SummaryHashes
from fairbrief.auditing.source_hashes import SourceHashes
from fairbrief.auditing.unit_fallback import UnitFallback
from fairbrief.types import Case

AT_ONCE = 32
"""Cases that are looked at together."""


@dataclass(slots=True)
class Watchers:
    """A sample of the sources, where it is wanted; hashes of all of them and of all summaries; documents in other languages
    than the rest; counts of summaries without units; places of groups.
    """

    sources: Sources | None
    languages: OtherLanguages
    hashes: SourceHashes = field(default_factory=SourceHashes)
    summaries: SummaryHashes = field(default_factory=SummaryHashes)
    fallback: UnitFallback = field(default_factory=UnitFallback)
    places: GroupPlaces = field(default_factory=GroupPlaces)

    def empty(self) -> Watchers:
        """Watchers of the same kind that have seen nothing."""
        sources = None if self.sources is None else self.sources.empty()
        return Watchers(sources, self.languages.empty(), places=self.places.empty())

    def watch(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases as they come, some at once."""
        seen = self._noted(iter(cases))
        return seen if self.sources is None else self.sources.watch(seen)

    def _noted(self, cases: Iterator[Case]) -> Iterator[Case]:
        while some := list(itertools.islice(cases, AT_ONCE)):
            self.hashes.note(some)
            self.summaries.note(some)
            self.languages.note(some)
            self.fallback.note(some)
            self.places.note(some)
            yield from some

    def merge(self, other: Watchers) -> None:
        """Take in what was seen of other cases."""
        self.hashes.merge(other.hashes)
        self.summaries.merge(other.summaries)
        self.languages.merge(other.languages)
        self.fallback.merge(other.fallback)
        self.places.merge(other.places)
        if self.sources is not None and other.sources is not None:
            self.sources.merge(other.sources)
