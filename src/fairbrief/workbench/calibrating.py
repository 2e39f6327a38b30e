"""Calibration from labelled pairs: a map from scores to probabilities of support, and agreement with people, with intervals.

The resampling unit is the text: pairs of one text are held out together and resampled together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairbrief.errors import DataError
from fairbrief.scorers.calibrated import CHANCE, Calibration, Measured, ScoreMap, features_of
from fairbrief.statistics.agreement import balanced_accuracy, best_cut, isotonic, roc_auc
from fairbrief.statistics.regression import fit_logistic
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.text import languages
from fairbrief.text.hashes import digest_of
from fairbrief.types import Ask, Cacheable, Floats, Integers, Table
from fairbrief.workbench.labelled_pairs import Labelled

MAPS = 25
"""Number of maps of resampled texts in a calibration."""
FOLDS, DRAWS = 5, 1000
FEWEST = 20
"""Minimum number of pairs per label for a calibration."""
SIZES = (100, 200, 300, 500, 1000, 2000)
"""Numbers of pairs for which the expected precision is reported."""


@dataclass(frozen=True)
class Fitting:
    """A scorer's features of labelled pairs, and the models fitted to them. Shapes: (pairs, features), (pairs,), (pairs,)."""

    features: Floats
    labels: Integers
    text: Integers
    seed: int = 0
    groups: tuple[str, ...] = ()
    """The group of each pair's text; empty if unknown."""

    @property
    def is_weighed(self) -> bool:
        """Whether the scorer has several features, which need weights."""
        return bool(self.features.shape[1] > 1)

    @cached_property
    def folds(self) -> Integers:
        """The fold in which each pair is held out. Shape (pairs,)."""
        texts = int(self.text.max()) + 1
        return np.asarray(np.random.default_rng([self.seed, 1]).permutation(texts) % FOLDS)[self.text]

    def draws(self, many: int, stream: int = 0, texts: int | None = None) -> Integers:
        """The count of each pair in each resample of texts; ``texts`` is the number drawn (default: all). Shape
        (draws, pairs).
        """
        there = int(self.text.max()) + 1
        if texts is None:
            return np.concatenate(list(Bootstrap(there, many, self.seed + stream).weights()))[
                :, self.text
            ].astype(np.int64)
        rng = np.random.default_rng([self.seed, 2, texts])
        return np.asarray(rng.multinomial(texts, np.full(there, 1 / there), size=many))[:, self.text]

    def weights(self, chosen: Integers) -> tuple[float, Floats]:
        """Intercept and weights of the features, fitted to the chosen pairs (with repetition)."""
        if not self.is_weighed:
            return 0.0, np.ones(1)
        return fit_logistic(self.features[chosen], self.labels[chosen].astype(np.float64))

    def held_out(self, counts: Integers | None = None) -> Floats:
        """The score of each pair with weights from the other folds. Shape (pairs,)."""
        if not self.is_weighed:
            return np.asarray(self.features[:, 0])
        many = np.ones(len(self.labels), dtype=np.int64) if counts is None else counts
        scores = np.zeros(len(self.labels))
        for fold in range(FOLDS):
            inside = np.repeat(np.flatnonzero(self.folds != fold), many[self.folds != fold])
            intercept, weights = self.weights(inside)
            out = self.folds == fold
            scores[out] = intercept + self.features[out] @ weights
        return scores

    def map(self, counts: Integers | None = None, ends: Sequence[float] = (0.5, 0.5)) -> ScoreMap:
        """The map of the pairs or of resampled pairs: isotonic in scores with weights fitted without the pair.

        A pair with a label of ``ends`` is added at the lowest and at the highest score, so that equal labels never
        give a probability of exactly 0 or 1.
        """
        every = np.arange(len(self.labels))
        intercept, weights = self.weights(every if counts is None else np.repeat(every, counts))
        scores, many = (
            self.held_out(counts),
            np.ones(len(every), dtype=np.int64) if counts is None else counts,
        )
        places, shares = isotonic(
            np.append(scores, [scores.min(), scores.max()]),
            np.append(self.labels, ends),
            np.append(many, [1, 1]),
        )
        return ScoreMap(weights, places - intercept, shares)

    def resampled_maps(self) -> Iterator[ScoreMap]:
        """Maps of resampled texts, each with ends drawn from Jeffreys' Beta(½, ½)."""
        ends = np.random.default_rng([self.seed, 3]).beta(0.5, 0.5, size=(MAPS, 2))
        for counts, pair in zip(self.draws(MAPS, stream=1), ends.tolist(), strict=True):
            yield self.map(counts, pair)

    @cached_property
    def scores(self) -> Floats:
        """Held-out scores. Shape (pairs,)."""
        return self.held_out()

    @cached_property
    def hits(self) -> Floats:
        """1 if a pair's score is at least the best cut-off of the other folds, else 0. Shape (pairs,)."""
        found = np.zeros(len(self.labels))
        for fold in range(FOLDS):
            out = self.folds == fold
            found[out] = self.scores[out] >= best_cut(self.scores[~out], self.labels[~out])
        return found

    @cached_property
    def probabilities(self) -> Floats:
        """The probability of each pair by the map of the other folds. Shape (pairs,)."""
        found = np.zeros(len(self.labels))
        for fold in range(FOLDS):
            out = self.folds == fold
            text = np.unique(self.text[~out], return_inverse=True)[1]
            others = Fitting(self.features[~out], self.labels[~out], text, self.seed)
            found[out] = others.map().of(self.features[out])
        return found

    def agreement(self, texts: int | None = None) -> tuple[Measured, Measured, Measured]:
        """ROC-AUC, balanced accuracy and the best cut-off with 95 % intervals, for ``texts`` resampled texts (default: all)."""
        counts = self.draws(DRAWS, texts=texts)
        return (
            _measured(roc_auc(self.scores, self.labels), roc_auc(self.scores, self.labels, counts)),
            _measured(
                balanced_accuracy(self.hits, self.labels, CHANCE),
                balanced_accuracy(self.hits, self.labels, CHANCE, counts),
            ),
            _measured(best_cut(self.scores, self.labels), best_cut(self.scores, self.labels, counts)),
        )


def _measured(value: Floats, drawn: Floats) -> Measured:
    low, high, _ = percentile_interval(drawn, 0.95)
    return float(value), float(low), float(high)


def fitted(scorer: Any, pairs: Sequence[Labelled], seed: int = 0) -> Fitting:
    """The scorer's features of the pairs. DataError for too few pairs of either label, or too few texts."""
    known = {text: i for i, text in enumerate(dict.fromkeys(pair.text for pair in pairs))}
    supported = sum(pair.supported for pair in pairs)
    if min(supported, len(pairs) - supported) < FEWEST or len(known) < 2 * FOLDS:
        raise DataError(
            f"Found {len(pairs):,} labelled pairs of {len(known):,} texts, {supported:,} of them supported; wanted at least {FEWEST} "
            f"supported, {FEWEST} not supported and {2 * FOLDS} texts, better 300 pairs; label more, or give more files."
        )
    if not languages.given():
        languages.suppose(languages.language_of_input(known))
    asks = [Ask(repr(scorer), (pair.text,), (pair.claim,)) for pair in pairs]
    features = features_of(scorer, asks, by_row=not isinstance(scorer, Cacheable))
    labels, text = (
        np.array(of, dtype=np.int64)
        for of in zip(*((p.supported, known[p.text]) for p in pairs), strict=True)
    )
    is_known = np.asarray(np.isfinite(features).all(axis=1))
    if is_known.mean() < 0.5:
        raise DataError(
            f"{scorer!r} gives no number for most of the pairs, so it cannot be calibrated. Use another model."
        )
    text = np.unique(text[is_known], return_inverse=True)[1]
    groups = tuple(pair.group for pair, one in zip(pairs, is_known.tolist(), strict=True) if one)
    return Fitting(features[is_known], labels[is_known], text, seed, groups)


def calibration(scorer: Any, pairs: Sequence[Labelled], fitting: Fitting) -> Calibration:
    """The calibration as a file stores it."""
    texts = [
        t
        for pair in sorted(pairs, key=lambda p: (p.text, p.claim))
        for t in (pair.text, pair.claim, str(pair.supported))
    ]
    auc, accuracy, cut = fitting.agreement()
    return Calibration(
        scorer=repr(scorer), fingerprint=scorer.fingerprint, pairs=len(fitting.labels), texts=int(fitting.text.max()) + 1,
        supported=int(fitting.labels.sum()), labels=digest_of(texts).hex(), auc=auc, balanced_accuracy=accuracy, cut=cut,
        map=fitting.map(), resampled=tuple(fitting.resampled_maps()),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ tables


def tables(made: Calibration, fitting: Fitting) -> Iterator[Table]:
    """Tables of the agreement, the map, and the precision for other numbers of labels."""
    of_pairs = f"{made.pairs:,} pairs of {made.texts:,} texts, {made.supported:,} supported"
    rows = [("ROC-AUC", *_cells(made.auc)), ("balanced accuracy", *_cells(made.balanced_accuracy))]
    if not fitting.is_weighed:
        rows.append(("cut-off", *_cells(made.cut)))
    yield Table(
        f"Agreement of {made.scorer} with people: {of_pairs}", ("", "value", "95 % interval"), tuple(rows),
        (f"By text: held out in {FOLDS} folds, resampled {DRAWS:,} times. Random scores give {CHANCE:g} for both.",),
    )  # fmt: skip
    yield _map(made, fitting)
    if len(set(fitting.groups)) > 1:
        yield _by_group(fitting)
    yield _precision(fitting, made)


def _map(made: Calibration, fitting: Fitting) -> Table:
    """The probabilities of nine pairs, from the lowest score to the highest."""
    scores = fitting.features @ made.map.weights
    chosen = np.argsort(scores, kind="stable")[np.linspace(0, len(scores) - 1, 9).astype(np.int64)]
    features = fitting.features[chosen]
    drawn = np.stack([one.of(features) for one in made.resampled])
    columns = (scores[chosen], made.map.of(features), *np.quantile(drawn, [0.025, 0.975], axis=0))
    return Table(
        "Probability of support by score",
        ("score", "probability", "95 % interval"),
        tuple(
            (f"{score:.3f}", f"{share:.2f}", f"[{low:.2f}, {high:.2f}]")
            for score, share, low, high in zip(*(column.tolist() for column in columns), strict=True)
        ),
    )


def _by_group(fitting: Fitting) -> Table:
    """Whether the map is accurate for each group: the difference of mean probability and share of supported labels."""
    rows, counts = [], fitting.draws(DRAWS)
    chance_adjusted = fitting.probabilities - fitting.labels
    for group in sorted(set(fitting.groups)):
        is_in_group = np.array([name == group for name in fitting.groups])
        with np.errstate(invalid="ignore"):
            drawn = counts[:, is_in_group] @ chance_adjusted[is_in_group] / counts[:, is_in_group].sum(axis=1)
        cells = _cells(_measured(chance_adjusted[is_in_group].mean(), drawn))
        shares = (f"{of[is_in_group].mean():.3f}" for of in (fitting.labels, fitting.probabilities))
        area = float(roc_auc(fitting.scores[is_in_group], fitting.labels[is_in_group]))
        rows.append(
            (
                group or "–",
                f"{is_in_group.sum():,}",
                *shares,
                *cells,
                "–" if np.isnan(area) else f"{area:.3f}",
            )
        )
    return Table(
        "Does the calibration hold for every group?",
        ("group", "pairs", "supported", "probability", "difference", "95 % interval", "ROC-AUC"),
        tuple(rows),
        (
            "Difference: mean held-out probability minus the share of supported labels. Above 0, the scorer finds more support than people.",
        ),
    )


def _precision(fitting: Fitting, made: Calibration) -> Table:
    rows = []
    for size in SIZES:
        several = fitting.agreement(max(2 * FOLDS, round(size * made.texts / made.pairs)))
        rows.append((f"{size:,}", *(f"± {(high - low) / 2:.3f}" for _, low, high in several[:2])))
    return Table(
        "Half width of the 95 % interval by the number of labelled pairs",
        ("pairs", "ROC-AUC", "balanced accuracy"),
        tuple(rows),
        ("Resamples of these labels; intervals of ± 0.05 are enough to choose between scorers.",),
    )


def precision_expected(share: float = 0.5) -> Table:
    """The expected half width of the interval of ROC-AUC before labelling, by the number of pairs, a ``share`` of
    them supported.

    Source: Hanley & McNeil, Radiology 143 (1982).
    """
    areas = (0.6, 0.7, 0.8, 0.9)
    rows = []
    for size in SIZES:
        true, false = size * share, size * (1 - share)
        halves = []
        for a in areas:
            q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
            variance = (a * (1 - a) + (true - 1) * (q1 - a * a) + (false - 1) * (q2 - a * a)) / (true * false)
            halves.append(f"± {1.96 * variance**0.5:.3f}")
        rows.append((f"{size:,}", *halves))
    return Table(
        "Half width of the 95 % interval of ROC-AUC by the number of labelled pairs",
        ("pairs", *(f"ROC-AUC {a:g}" for a in areas)), tuple(rows),
        (f"Expected, where {share:.0%} are supported. 300 pairs are enough for most uses.",),
    )  # fmt: skip


def _cells(measured: Measured) -> tuple[str, str]:
    value, low, high = measured
    return f"{value:z.3f}", f"[{low:z.3f}, {high:z.3f}]"
