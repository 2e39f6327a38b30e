"""Any scorer of pairs with a calibration: scores become probabilities of support, or are only reported with their agreement.

`fairbrief calibrate` writes a calibration from pairs that people labelled. ``SCORER(calibrated=FILE)`` answers
P(the row supports the column); ``SCORER(checked=FILE)`` keeps the scorer's own numbers. Both refuse a file of another scorer, and one
by which the scorer agrees with people no better than chance.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from fairbrief.errors import DataError, RequestError
from fairbrief.ranges import numbers_within
from fairbrief.score_tables import ScorerAround, ScoreTable
from fairbrief.specs import quoted
from fairbrief.text.hashes import digest_of
from fairbrief.types import Ask, Cacheable, Floats, Scorer

Use = Literal["calibrated", "checked"]
USES: tuple[Use, ...] = ("calibrated", "checked")
CHANCE = 0.5
"""ROC-AUC and balanced accuracy of a scorer that knows nothing."""
Measured = tuple[float, float, float]
"""A value and its 95 % interval."""


def uses_in(settings: Collection[str]) -> list[Use]:
    """The uses of a calibration that a spec's settings name."""
    return [use for use in USES if use in settings]


def spec_with(scorer: str, use: Use, path: str) -> str:
    """The spec of a scorer with its calibration.

    >>> spec_with("containment", "calibrated", "made.json"), spec_with("judge(model=m)", "checked", "made.json")
    ('containment(calibrated=made.json)', 'judge(model=m, checked=made.json)')
    """
    setting = f"{use}={quoted(path)}"
    return f"{scorer[:-1]}, {setting})" if scorer.endswith(")") else f"{scorer}({setting})"


class ScoreMap(msgspec.Struct, frozen=True):
    """From the features of pairs to the probability of support: a weighted sum, then a non-decreasing piecewise linear map.

    ``weights`` has one number per feature, [1] of a scorer that gives one number; ``places`` and ``shares`` one per knot.
    """

    weights: tuple[float, ...]
    places: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, weights: Floats, places: Floats, shares: Floats) -> ScoreMap:
        """The map with these numbers, to nine digits."""
        return cls(*(tuple(float(f"{x:.9g}") for x in part.tolist()) for part in (weights, places, shares)))

    def __post_init__(self) -> None:
        if not self.places or len(self.places) != len(self.shares):
            raise ValueError("a map has as many places as shares")

    def probabilities(self, features: Floats) -> Floats:
        """The probabilities; nan where a feature is. Shapes: (pairs, features) → (pairs,)."""
        return np.asarray(np.interp(features @ np.array(self.weights), self.places, self.shares))


class Calibration(msgspec.Struct, frozen=True, tag_field="schema", tag="fairbrief.calibration/1"):
    """What labelled pairs say of a scorer: its map, the maps of resampled texts, and how well it tells support from none.

    ``labels`` is a digest of the labelled pairs. ``auc`` and ``balanced_accuracy`` are of texts that were held out; ``cut`` is the
    probability from which a pair counts as supported.
    """

    scorer: str
    fingerprint: str
    pairs: int
    texts: int
    supported: int
    labels: str
    auc: Measured
    balanced_accuracy: Measured
    cut: Measured
    map: ScoreMap
    resampled: tuple[ScoreMap, ...]

    @property
    def agreement(self) -> str:
        """How far the scorer agrees with people, in a few words."""
        (auc, low, high), (accuracy, least, most) = self.auc, self.balanced_accuracy
        return (
            f"ROC-AUC {auc:.2f} [{low:.2f}, {high:.2f}], balanced accuracy {accuracy:.2f} [{least:.2f}, {most:.2f}] "
            f"on {self.pairs:,} labelled pairs of {self.texts:,} texts"
        )

    def to_json(self) -> str:
        """The calibration as the text of a file."""
        return msgspec.json.encode(self).decode() + "\n"


def read(path: str) -> Calibration:
    """The calibration in a file; RequestError where there is none, DataError where it is something else or damaged."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Calibration)
    except OSError as error:
        raise RequestError(
            f"The calibration '{path}' cannot be read: {error.strerror}. Write one with 'fairbrief calibrate SCORER LABELS --out {path}'."
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(
            f"{path}: found no calibration of this version ({error}); expected what 'fairbrief calibrate' writes; run it again."
        ) from error


@dataclass(frozen=True, slots=True, repr=False)
class Calibrated(ScorerAround):
    """A scorer with its calibration: answers probabilities of support, matrix (rows, columns); or, checked, as the scorer does.

    A pair's probability does not depend on the rows beside it, as it did not when people's labels were compared with it: a scorer whose
    weights come from all rows of an ask is asked about one row at a time. Of one that cuts its columns into units the mean over them
    counts.

    Errors:  RequestError where the calibration is of another scorer, or shows no agreement above chance.
    """

    scorer: Any
    path: str
    use: Use = "calibrated"
    calibration: Calibration = field(init=False, compare=False)

    def __post_init__(self) -> None:
        calibration = read(self.path)
        object.__setattr__(self, "calibration", calibration)
        if calibration.scorer.partition("(")[0] != self.scorer.name:
            raise RequestError(self._of_another(f"'{calibration.scorer}'"))
        if calibration.auc[2] <= CHANCE:
            raise RequestError(
                f"{self!r}: on the labelled pairs it agrees with people no better than chance ({calibration.agreement}). "
                "Check that the labels and the texts belong together; else take another scorer (see 'fairbrief measures'), "
                "another model, or 'lexical', and calibrate that."
            )

    def wrapped(self, scorer: Scorer) -> Calibrated:
        """The same around a scorer that is, say, behind a cache."""
        return replace(self, scorer=scorer)

    def __repr__(self) -> str:
        return spec_with(repr(self.scorer), self.use, self.path)

    @property
    def model(self) -> str | None:
        """The scorer's model, if it has one."""
        return getattr(self.scorer, "model", None)

    @property
    def fingerprint(self) -> str:
        """The scorer's, with the calibration's digest and the agreement."""
        digest = digest_of((self.calibration.to_json(),)).hex()[:12]
        return f"{self.scorer.fingerprint} {self.use} {digest} ({self.calibration.agreement})"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask."""
        return next(self.tables(asks))

    def tables(self, asks: Sequence[Ask]) -> Iterator[ScoreTable]:
        """The answers; and where these are probabilities, those by each map of resampled texts. The scorer is asked once."""
        if self.calibration.fingerprint != self.scorer.fingerprint:
            which = f"{self.calibration.fingerprint!r}, and this one is {self.scorer.fingerprint!r}"
            raise RequestError(self._of_another(which))
        _report(repr(self), self.calibration.agreement)
        if self.use == "checked":
            yield ScoreTable.of(self.scorer.answer(asks))
            return
        features = features_of(self.scorer, asks)
        shapes = np.array([(len(ask.rows), len(ask.columns)) for ask in asks], dtype=np.int64).reshape(-1, 2)
        owner, sizes = numbers_within(shapes[:, 1]), np.zeros(int(shapes[:, 0].sum()))
        for one in (self.calibration.map, *self.calibration.resampled):
            yield ScoreTable(shapes, one.probabilities(features), owner, sizes)

    def _of_another(self, which: str) -> str:
        return (
            f"The calibration '{self.path}' is of another scorer: {which}. Name the scorer as it was calibrated, or run "
            f"'fairbrief calibrate {quoted(repr(self.scorer))} LABELS --out FILE.json'."
        )


@lru_cache(maxsize=64)
def _report(spec: str, agreement: str) -> None:
    """Say once on standard error how far a scorer agrees with people, before its numbers."""
    sys.stderr.write(f"fairbrief: {spec}: {agreement}\n")


def features_of(scorer: Any, asks: Sequence[Ask]) -> Floats:
    """What a scorer gives for every pair of every ask, each ask's row by row: its features, or its one number.

    A scorer that has no keys, also behind a cache, is asked about each row alone. Shape (pairs, features). RequestError for a scorer that cuts its rows.
    """
    if hasattr(scorer, "features_of"):
        return np.asarray(scorer.features_of(asks), dtype=np.float64)
    if not isinstance(scorer.scorer if isinstance(scorer, ScorerAround) else scorer, Cacheable):
        asks = [msgspec.structs.replace(ask, rows=(row,)) for ask in asks for row in ask.rows]
    table = ScoreTable.of(scorer.answer(asks))
    n_columns = np.array([len(ask.columns) for ask in asks], dtype=np.int64)
    if not np.array_equal(table.shapes[:, 0], [len(ask.rows) for ask in asks]):
        raise RequestError(f"{scorer!r} cuts texts into sentences of its own: leave that setting out.")
    has_whole_texts = np.array_equal(table.owner, numbers_within(n_columns))
    if has_whole_texts and np.array_equal(table.shapes[:, 1], n_columns):
        return np.asarray(table.cells).reshape(-1, 1)
    means = [scores.by_column(n).ravel() for scores, n in zip(table, n_columns.tolist(), strict=True)]
    return np.concatenate([np.zeros(0), *means]).reshape(-1, 1)
