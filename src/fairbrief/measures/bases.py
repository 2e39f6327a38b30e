"""Bases of measures and observations, checks of their settings, and batches of units of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, replace
from functools import wraps
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ObservationDeclaration
from fairbrief.ranges import batches
from fairbrief.score_tables import Alike, ObservedUnits, ScoredUnits
from fairbrief.specs import CheckedSettings, parse, spell

Kind = TypeVar("Kind", bound="BaseObservation")

AT_ONCE = 1 << 18
"""The most numbers of units in one array."""
FEW = 6
"""Up to this many sentences, documents and units, extracts of the same sentences are computed once."""


class NotObserved(Exception):
    """Raised by any method of a `BaseObservation` with the reason why a unit has no row."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = t.Reason(reason)


class Unique(NamedTuple):
    """The distinct extracts of records, and how often each was drawn.

    Shapes: ``kept`` (N, distinct, sentences), ``times`` (N, distinct).
    """

    kept: t.Floats
    times: t.Integers

    def summed(self, rows: t.Floats) -> t.Floats:
        """The sums over all extracts of the rows of the distinct ones. (N, distinct, columns) → (N, columns)."""
        return np.asarray(np.einsum("nd,ndc->nc", self.times, rows))


def unique(kept: t.Floats, others: int) -> Unique:
    """The distinct ones of the extracts ``kept`` (N, extracts, sentences).

    Few sentences have as distinct extracts all their subsets; of more sentences, every extract counts as distinct.

    ``others`` is the number of documents or units that they are compared with. In products of few numbers, the order of
    summation is always the same.
    """
    n, extracts, sentences = kept.shape
    if max(sentences, others) > FEW or 1 << sentences > extracts:
        return Unique(kept, np.broadcast_to(1, (n, extracts)))
    bits = np.arange(sentences)
    subsets = (np.arange(1 << sentences)[:, np.newaxis] >> bits & 1).astype(np.float64)
    which = (kept @ (1 << bits)).astype(np.int64) + (np.arange(n) << sentences)[:, np.newaxis]
    times = np.bincount(which.ravel(), minlength=n << sentences).reshape(n, -1)
    return Unique(np.broadcast_to(subsets, (n, *subsets.shape)), times)


CUTTING_SCORERS = ("tfidf", "rouge1", "rouge2")
"""Scorers that can cut whole texts themselves."""
Count = Annotated[int, "[1, inf)"]
Fraction = Annotated[float, "(0, 1]"]


def _check_uncut(scorer: str) -> None:
    """Raise ValueError for a scorer that would cut its texts: it would answer per sentence, not per text."""
    spec = parse(scorer or "none")
    how = spec.settings.get("sentences", "given")
    if spec.name in CUTTING_SCORERS and how != "given":
        raise ValueError(
            "would cut each text into sentences, but one score is read of each: "
            f"leave sentences={how} out of {spec.name}"
        )


TextScorer = Annotated[str, _check_uncut]
"""The spec of a scorer that answers per text; empty for none."""


OF_UNITS: Mapping[str, Any] = {"asks": (), "extract_asks": (), "details": (), "permutation_scheme": None}
"""Methods of observations, and what they return for a unit without a row."""


def _returning(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which returns instead of raising `NotObserved`; the reason unless `OF_UNITS` has something else."""

    @wraps(method)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except NotObserved as missing:
            return OF_UNITS.get(method.__name__, missing.reason)

    return called


class BaseObservation(CheckedSettings):
    """Base of observations. By default, no scorer is asked, and there are no labels to exchange within a unit.

    For a unit without a row, a method or what it calls raises `NotObserved` with the reason. Then nothing is asked, no labels
    are exchanged, there are no details, and the reason is counted.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in (*OF_UNITS, "observe", "observe_extracts"):
            if name in vars(cls):
                setattr(cls, name, _returning(vars(cls)[name]))

    def __repr__(self) -> str:
        settings = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__name__}({settings})"

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        return ()

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return None


class ManyAtOnce(BaseObservation):
    """Base of observations of many units at once. One unit is a batch of one, so its rows do not depend on the batch."""

    def kind_of(self, units: ScoredUnits, i: int) -> Hashable:
        """What units that are observed together have in common, beside the shape of their extracts. Raises `NotObserved` for a unit
        without a row.
        """
        raise NotImplementedError

    def observe_alike(self, kind: Any, units: ScoredUnits, labels: t.Integers) -> Alike:
        """The rows of units of one kind. ``labels`` (units, R, n): each unit's label permutations."""
        raise NotImplementedError

    def observe_many(self, units: ScoredUnits, labels: t.Integers) -> ObservedUnits:
        """The rows of the units, or of their extracts; of one kind in batches of bounded size."""
        alike: dict[tuple[Hashable, tuple[int, ...]], list[int]] = {}
        rows, reasons = list[t.AlikeRows](), dict[int, t.Reason]()
        for i in range(len(units)):
            try:
                shape = units.extracts[i][0].kept.shape if units.extracts else ()
                alike.setdefault((self.kind_of(units, i), shape), []).append(i)
            except NotObserved as missing:
                reasons[i] = missing.reason
        for (kind, _), members in alike.items():
            places = np.array(members)
            for start, end in batches(units.sizes[places], AT_ONCE):
                some = places[start:end]
                columns, values, why = self.observe_alike(kind, units.some(some.tolist()), labels[some])
                has_row = why == ""
                missing_rows = zip(some[~has_row].tolist(), why[~has_row].tolist(), strict=True)
                reasons |= {i: t.Reason(reason) for i, reason in missing_rows}
                if has_row.any():
                    own = values if has_row.all() else values[has_row]
                    rows.append(t.AlikeRows(some[has_row].tolist(), columns, own))
        return rows, reasons

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        """The unit's rows. Shape of ``labels``: (R, n)."""
        return self._observed(ScoredUnits.of([(cases, scores)]), labels)

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The unit's row with its random extracts in place of the summaries, under the real labels."""
        scheme = self.permutation_scheme(cases)
        labels = np.zeros(0, dtype=np.int64) if scheme is None else scheme.labels
        return self._observed(ScoredUnits.of([(cases, scores)], [extracts]), labels[np.newaxis])

    def _observed(self, unit: ScoredUnits, labels: t.Integers) -> t.Observed:
        rows, reasons = self.observe_many(unit, labels[np.newaxis])
        return reasons[0] if reasons else t.Rows(rows[0].columns, rows[0].values[0])


class BaseMeasure(BaseObservation):
    """Base of measures. The observation is of the class ``observes`` and has the measure's settings of the same names.

    Without ``observes``, the measure is its own observation. Measures that differ only in the settings ``of_value``, which
    the observation does not need, share it.
    """

    name: ClassVar[str]
    observes: ClassVar[type[Any] | None] = None
    of_value: ClassVar[tuple[str, ...]] = ()

    @property
    def observation(self) -> Any:
        """The observation with these settings; equal settings make equal observations."""
        if self.observes is not None:
            return self.observed_by(self.observes)
        known = {name: getattr(type(self), name) for name in self.of_value}
        return replace(self, **known) if known else self

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        """The values of summed rows, as in `fairbrief.types.Measure`."""
        raise NotImplementedError

    def observed_by(self, kind: type[Kind], **others: Any) -> Kind:
        """An observation of this class with the measure's settings of the same names, or others."""
        own = {f.name: getattr(self, f.name) for f in fields(kind) if f.init and hasattr(self, f.name)}
        return kind(**(own | others))

    __repr__ = spell


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
