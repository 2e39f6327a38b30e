"""Bases of measures and observations, checks of their settings, and batches of units of bounded size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from fairbrief.score_tables import ScoredUnits
from fairbrief.specs import parse, spell
from fairbrief.types import (
    AlikeRows,
    Ask,
    Cases,
    Extracts,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
)

Key = TypeVar("Key")
Item = TypeVar("Item")

AT_ONCE = 1 << 18
"""Numbers of units that are looked at together."""
FEW = 6
"""Sentences, documents and units up to which extracts that keep the same sentences are read once."""


class WithoutLabels:
    """An observation that has no labels to exchange."""

    __slots__ = ()

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - the protocol's signature
        """None: labels differ between records, not inside one."""
        return None


class WithoutScores:
    """An observation that asks no scorer."""

    __slots__ = ()

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002 - the protocol's signature
        """Nothing."""
        return ()

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:  # noqa: ARG002
        """Nothing."""
        return ()


class OneByOne(ABC):
    """An observation written as `observe_many`: one unit is a batch of one, so that its rows are the same in any company."""

    __slots__ = ()

    @abstractmethod
    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        """See `fairbrief.types.Observation`."""

    @abstractmethod
    def observe_many(
        self, units: ScoredUnits, labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """See `fairbrief.score_tables.BatchObservation`."""

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """The unit's rows. Shape of ``labels``: (R, n)."""
        return self._first(ScoredUnits.of([(cases, scores)]), labels)

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The unit's row with its random extracts in place of the summaries, under the real labels."""
        scheme = self.permutation_scheme(cases)
        labels = np.zeros(0, dtype=np.int64) if scheme is None else scheme.labels
        return self._first(ScoredUnits.of([(cases, scores)], [extracts]), labels[np.newaxis])

    def _first(self, unit: ScoredUnits, labels: Integers) -> Rows | Reason:
        rows, reasons = self.observe_many(unit, labels[np.newaxis])
        return reasons[0] if reasons else Rows(rows[0].columns, rows[0].values[0])


def in_parts(alike: Mapping[Key, list[Item]], size: Callable[[Key], int]) -> Iterator[tuple[Key, list[Item]]]:
    """The items of each kind, no more at a time than `AT_ONCE` numbers; ``size`` tells those of one item."""
    for kind, items in alike.items():
        step = max(1, AT_ONCE // max(1, size(kind)))
        for start in range(0, len(items), step):
            yield kind, items[start : start + step]


def different(kept: Floats, others: int) -> tuple[Floats, Integers]:
    """The different extracts of records, and which of them each is: of few sentences all subsets, else each its own.

    ``others`` are the documents or units that they are held against: in products of few numbers no sum's order changes.
    Shapes: ``kept`` (N, extracts, sentences) → (N, different, sentences), (N, extracts).
    """
    n, extracts, sentences = kept.shape
    if max(sentences, others) > FEW or 1 << sentences > extracts:
        return kept, np.broadcast_to(np.arange(extracts), (n, extracts))
    bits = np.arange(sentences)
    subsets = (np.arange(1 << sentences)[:, np.newaxis] >> bits & 1).astype(np.float64)
    return np.broadcast_to(subsets, (n, *subsets.shape)), (kept @ (1 << bits)).astype(np.int64)


def summed(rows: Floats, which: Integers) -> Floats:
    """The sums over all extracts of the rows of the `different` ones. (N, different, columns), (N, extracts) → (N, columns)."""
    places = np.arange(len(rows))[:, np.newaxis] * rows.shape[1] + which
    return np.asarray(rows.reshape(-1, rows.shape[2]).take(places.T, axis=0).sum(axis=0))


CUTTING_SCORERS = ("tfidf", "rouge1", "rouge2")
"""Scorers that can cut whole texts themselves."""


class Reading:
    """A measure whose observation, of the class ``observes``, has those of its settings that it knows."""

    __slots__ = ()
    observes: ClassVar[type[Any]]

    @property
    def observation(self) -> Any:
        """The observation with these settings; equal settings make equal observations."""
        return self.observes(**shared(self, self.observes))

    __repr__ = spell


def shared(settings: Any, kind: type) -> dict[str, Any]:
    """The values of those fields of ``settings`` that the dataclass ``kind`` has, too, by name."""
    return {f.name: getattr(settings, f.name) for f in fields(kind) if hasattr(settings, f.name)}


def check_known(setting: str, value: str, known: Sequence[str]) -> None:
    """Raise ValueError unless a setting has one of the known values."""
    if value not in known:
        raise ValueError(f"{setting}={value} is not one of {', '.join(known)}")


def check_uncut(setting: str, scorer: str) -> None:
    """Raise ValueError for a scorer that would cut what it is given: it answers by sentence, and not by text."""
    spec = parse(scorer)
    how = spec.settings.get("sentences", "given")
    if spec.name in CUTTING_SCORERS and how != "given":
        raise ValueError(
            f"{setting}={scorer} would cut each text into sentences, but one score is read of each: "
            f"leave sentences={how} out of {spec.name}"
        )


def check_version(setting: str, value: str) -> None:
    """Raise ValueError unless a setting is ``recommended`` or ``published``."""
    check_known(setting, value, ("recommended", "published"))


def check_people(people: str) -> None:
    """Raise ValueError unless ``people`` names a recogniser."""
    if people != "builtin" and not people.startswith("spacy:"):
        raise ValueError(f"people={people} is neither builtin nor spacy:NAME")


def check_given(reference: str, shares: Sequence[float], groups: Sequence[str]) -> None:
    """Raise ValueError unless shares are given where they are the reference, one non-negative share per
    group, summing to one.
    """
    if (reference == "given") != bool(shares):
        raise ValueError("reference=given and shares=… belong together")
    if not shares:
        return
    if len(shares) != len(groups):
        raise ValueError(f"{len(shares)} shares are given for {len(groups)} groups ({', '.join(groups)})")
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(f"the shares {'+'.join(map(str, shares))} are not shares that sum to 1")
