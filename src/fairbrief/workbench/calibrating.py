"""Calibration from labelled pairs: a map from scores to probabilities of support, and agreement with people, with intervals.

The resampling unit is the text: pairs of one text are held out together and resampled together.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, text_of
from fairbrief.measures.record_texts import claims_of
from fairbrief.scorers.calibrated import CHANCE, Calibration, Measured, ScoreMap, features_of
from fairbrief.statistics.agreement import balanced_accuracy, best_cut, isotonic, roc_auc
from fairbrief.statistics.keyed_random import keys_of
from fairbrief.statistics.regression import fit_logistic
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.text import languages
from fairbrief.text.hashes import digest_of
from fairbrief.types import Ask, Case, Floats, Integers, Table
from fairbrief.workbench.sheets import csv_text, sheet_rows

MAPS = 25
"""Number of maps of resampled texts in a calibration."""
FOLDS, DRAWS = 5, 1000
FEWEST = 20
"""Minimum number of pairs per label for a calibration."""


@dataclass(frozen=True)
class Fitting:
    """A scorer's features of labelled pairs, and the models fitted to them. Shapes: (pairs, features), (pairs,), (pairs,)."""

    features: Floats
    labels: Integers
    text: Integers
    seed: int = 0
    groups: tuple[str, ...] = ()
    """The group of each pair's text; empty if unknown."""

    def by_fold(self, function: Callable[[NDArray[np.bool_]], Any]) -> Floats:
        """A number of each pair, by a function of the pairs of one fold of texts, from the pairs of the others. Shape (pairs,)."""
        texts = int(self.text.max()) + 1
        folds = np.asarray(np.random.default_rng([self.seed, 1]).permutation(texts) % FOLDS)[self.text]
        result = np.zeros(len(self.labels))
        for fold in range(FOLDS):
            out = folds == fold
            result[out] = function(out)
        return result

    def draws(self, many: int, stream: int = 0) -> Integers:
        """The count of each pair in each resample of texts. Shape (draws, pairs)."""
        weights = Bootstrap(int(self.text.max()) + 1, many, self.seed + stream).weights()
        return np.concatenate(list(weights))[:, self.text].astype(np.int64)

    def weights(self, counts: Integers) -> tuple[float, Floats]:
        """Intercept and weights of the features, fitted to the pairs, each repeated by its count; a single feature is the score."""
        if self.features.shape[1] == 1:
            return 0.0, np.ones(1)
        chosen = np.repeat(np.arange(len(self.labels)), counts)
        return fit_logistic(self.features[chosen], self.labels[chosen].astype(np.float64))

    def held_out(self, counts: Integers) -> Floats:
        """The score of each pair with weights from the other folds. Shape (pairs,)."""

        def scores(out: NDArray[np.bool_]) -> Floats:
            intercept, weights = self.weights(np.where(out, 0, counts))
            return np.asarray(intercept + self.features[out] @ weights)

        return self.by_fold(scores)

    def map(self, counts: Integers | None = None, ends: Sequence[float] = (0.5, 0.5)) -> ScoreMap:
        """The map of the pairs or of resampled pairs: isotonic in scores with weights fitted without the pair.

        A pair with a label of ``ends`` is added at the lowest and at the highest score, so that equal labels never
        give a probability of exactly 0 or 1.
        """
        counts = np.ones_like(self.labels) if counts is None else counts
        intercept, weights = self.weights(counts)
        scores = self.held_out(counts)
        scores, counts = np.append(scores, [scores.min(), scores.max()]), np.append(counts, [1, 1])
        places, shares = isotonic(scores, np.append(self.labels, ends), counts)
        return ScoreMap.of(weights, places - intercept, shares)

    @cached_property
    def scores(self) -> Floats:
        """Held-out scores. Shape (pairs,)."""
        return self.held_out(np.ones_like(self.labels))

    @cached_property
    def hits(self) -> Floats:
        """1 if a pair's score is at least the best cut-off of the other folds, else 0. Shape (pairs,)."""
        return self.by_fold(lambda out: self.scores[out] >= best_cut(self.scores[~out], self.labels[~out]))

    @cached_property
    def probabilities(self) -> Floats:
        """The probability of each pair by the map of the other folds. Shape (pairs,)."""

        def probabilities(out: NDArray[np.bool_]) -> Floats:
            text = np.unique(self.text[~out], return_inverse=True)[1]
            others = Fitting(self.features[~out], self.labels[~out], text, self.seed)
            return others.map().probabilities(self.features[out])

        return self.by_fold(probabilities)

    def agreement(self) -> tuple[Measured, Measured, Measured]:
        """ROC-AUC, balanced accuracy and the best cut-off with 95 % intervals."""
        counts = self.draws(DRAWS)

        def measured(of: Callable[..., Floats], *given: Any) -> Measured:
            return _measured(of(*given), of(*given, counts))

        auc, cut = (measured(of, self.scores, self.labels) for of in (roc_auc, best_cut))
        return auc, measured(balanced_accuracy, self.hits, self.labels, CHANCE), cut


def _measured(value: Floats, drawn: Floats) -> Measured:
    low, high, _ = percentile_interval(drawn, 0.95)
    return float(value), float(low), float(high)


def fitted(scorer: Any, pairs: Sequence[Labelled], seed: int = 0) -> Fitting:
    """The scorer's features of the pairs for which it has some. DataError for too few pairs of either label, or too few texts."""
    _check_number(pairs)
    if not languages.given():
        languages.suppose(languages.language_of_input(dict.fromkeys(pair.text for pair in pairs)))
    features = features_of(scorer, [Ask(repr(scorer), (pair.text,), (pair.claim,)) for pair in pairs])
    is_known = np.asarray(np.isfinite(features).all(axis=1))
    if is_known.mean() < 0.5:
        raise DataError(
            f"{scorer!r} has no number for most pairs, so it cannot be calibrated. Use another model."
        )
    pairs = list(compress(pairs, is_known))
    _check_number(pairs)
    known = {text: i for i, text in enumerate(dict.fromkeys(pair.text for pair in pairs))}
    labels, text = np.array([(pair.supported, known[pair.text]) for pair in pairs], dtype=np.int64).T
    return Fitting(features[is_known], labels, text, seed, tuple(pair.group for pair in pairs))


def _check_number(pairs: Sequence[Labelled]) -> None:
    texts, supported = len({pair.text for pair in pairs}), sum(pair.supported for pair in pairs)
    if min(supported, len(pairs) - supported) < FEWEST or texts < 2 * FOLDS:
        found = f"Found {len(pairs):,} labelled pairs of {texts:,} texts, {supported:,} supported"
        wanted = f"at least {FEWEST} supported, {FEWEST} not supported and {2 * FOLDS} texts"
        raise DataError(f"{found}; expected {wanted}, better 300 pairs; label more, or give more files.")


def calibration(scorer: Any, pairs: Sequence[Labelled], fitting: Fitting) -> Calibration:
    """The calibration as a file stores it; each map of resampled texts has ends drawn from Jeffreys' Beta(½, ½)."""
    texts = [text for pair in pairs for text in (pair.text, pair.claim, str(pair.supported))]
    auc, accuracy, cut = fitting.agreement()
    ends = np.random.default_rng([fitting.seed, 3]).beta(0.5, 0.5, size=(MAPS, 2)).tolist()
    resampled = tuple(map(fitting.map, fitting.draws(MAPS, stream=1), ends))
    return Calibration(
        scorer=repr(scorer), fingerprint=scorer.fingerprint, pairs=len(fitting.labels), texts=int(fitting.text.max()) + 1,
        supported=int(fitting.labels.sum()), labels=digest_of(texts).hex(), auc=auc, balanced_accuracy=accuracy, cut=cut,
        map=fitting.map(), resampled=resampled,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ tables


def tables(made: Calibration, fitting: Fitting) -> Iterator[Table]:
    """Tables of the agreement, and of the map."""
    of_pairs = f"{made.pairs:,} pairs of {made.texts:,} texts, {made.supported:,} supported"
    rows = [("ROC-AUC", *_cells(made.auc)), ("balanced accuracy", *_cells(made.balanced_accuracy))]
    if len(made.map.weights) == 1:
        rows.append(("cut-off", *_cells(made.cut)))
    title = f"Agreement of {made.scorer} with people: {of_pairs}"
    note = f"By text: held out in {FOLDS} folds, resampled {DRAWS:,} times. Random scores give {CHANCE:g} for both."
    yield Table(title, ("", "value", "95 % interval"), tuple(rows), (note,))
    yield _map(made, fitting)
    if len(set(fitting.groups)) > 1:
        yield _by_group(fitting)


def _map(made: Calibration, fitting: Fitting) -> Table:
    """The probabilities of nine pairs, from the lowest score to the highest."""
    scores = fitting.features @ made.map.weights
    chosen = np.argsort(scores, kind="stable")[np.linspace(0, len(scores) - 1, 9).astype(np.int64)]
    features = fitting.features[chosen]
    drawn = np.stack([one.probabilities(features) for one in made.resampled])
    lows, highs = np.quantile(drawn, [0.025, 0.975], axis=0)
    numbers = np.stack([scores[chosen], made.map.probabilities(features), lows, highs]).T
    rows = ((f"{place:.3f}", f"{p:.2f}", f"[{low:.2f}, {high:.2f}]") for place, p, low, high in numbers)
    columns = ("score", "probability", "95 % interval")
    return Table("Probability of support by score", columns, tuple(rows))


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
        shown = "–" if np.isnan(area) else f"{area:.3f}"
        rows.append((group or "–", f"{is_in_group.sum():,}", *shares, *cells, shown))
    header = ("group", "pairs", "supported", "probability", "difference", "95 % interval", "ROC-AUC")
    note = "Difference: mean held-out probability minus the share of supported labels. Above 0, the scorer finds more support than people."
    return Table("Does the calibration hold for every group?", header, tuple(rows), (note,))


def _cells(measured: Measured) -> tuple[str, str]:
    value, low, high = measured
    return f"{value:z.3f}", f"[{low:z.3f}, {high:z.3f}]"


# ---- Pairs that people labelled as supported or not, and sheets for labelling pairs


COLUMNS = ("record", "system", "group", "claim", "text", "supported", "note")
YES = "yes", "y", "true", "1", "supported"
NO = "no", "n", "false", "0", "not_supported", "partially_supported"
LEVELS = 5
"""Number of score levels from which pairs are drawn."""


class Labelled(NamedTuple):
    """A text, a claim, and people's label of whether the text supports it; the text's group, or several, if known."""

    text: str
    claim: str
    supported: bool
    group: str = ""


class Labels(NamedTuple):
    """All distinct labelled pairs, in order of their texts; the number of blank labels, and of pairs with evenly divided labels."""

    pairs: tuple[Labelled, ...]
    blank: int
    undecided: int


def read_labels(paths: Sequence[Path]) -> Labels:
    """The pairs in files: ``.csv`` sheets, or JSON lines of Fairbrief's, QAGS's or WiCE's form. Several labels of a
    pair count by majority.

    Raises DataError with file and line for any other content.
    """
    votes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    blank = 0
    for where, row in chain.from_iterable(map(_rows, paths)):
        for text, claim, label, group in _pairs_of(where, row):
            word = "" if label is None else str(label).strip().lower()
            if not word:
                blank += 1
            elif word in (*YES, *NO):
                votes[text, claim].append(word in YES)
                groups[text, claim].add(group)
            else:
                raise DataError(f"{where}: found the label {word[:40]!r}; expected yes or no; correct it.")
    decided = {pair: sum(labels) * 2 - len(labels) for pair, labels in votes.items()}
    named = {pair: ", ".join(sorted(of_pair - {""})) for pair, of_pair in groups.items()}
    pairs = [Labelled(*pair, lead > 0, named[pair]) for pair, lead in decided.items() if lead]
    return Labels(tuple(sorted(pairs)), blank, len(decided) - len(pairs))


def _rows(path: Path) -> Iterable[tuple[str, str | Mapping[str, str]]]:
    """The rows of a sheet, or the lines of any other file, with their positions."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return sheet_rows(path)
    lines = enumerate(text_of(path).splitlines(), 1)
    return ((f"{path.name}:{number}", line) for number, line in lines if line.strip())


def _pairs_of(where: str, given: str | Mapping[str, str]) -> list[tuple[str, str, Any, str]]:
    """Text, claim, label and group of the pairs in a row of a sheet, or in a line of JSON in Fairbrief's, QAGS's or WiCE's form."""
    try:
        row: Mapping[str, Any] = json.loads(given) if isinstance(given, str) else given
        if "text" in row:
            return [(_text(row["text"]), _text(row["claim"]), row["supported"], str(row.get("group", "")))]
        if "summary_sentences" in row:
            article, several = _text(row["article"]), row["summary_sentences"]
            labels = ((_text(one["sentence"]), one["responses"]) for one in several)
            return [(article, claim, one["response"], "") for claim, given in labels for one in given]
        return [(" ".join(map(_text, row["evidence"])), _text(row["claim"]), row["label"], "")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{where}: found no labelled pair ({type(error).__name__}: {error}); expected text, claim and supported (columns of a "
            "sheet, or a line of JSON), or a line of QAGS (article, summary_sentences) or WiCE (evidence, claim, label); "
            "correct it, or write a sheet with 'fairbrief calibrate SCORER FILE --label-sheet SHEET.csv'."
        ) from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not text")
    return value


# ---------------------------------------------------------------------------- sheets for labelling


def pairs_to_label(
    cases: Iterable[Case], spec: str, over: str, scorers: Scorers, many: int, seed: int
) -> tuple[list[Mapping[str, str]], int]:
    """``many`` pairs of a claim and a document of its record, by column of the sheet, and the number of all pairs.

    Pairs are drawn as evenly as possible from the levels of the score and the documents' groups, the values of
    ``over``. Seed and texts determine the selection and its order, which is unrelated to both.
    """
    scorer = scorers[spec]
    pairs: list[Mapping[str, str]] = []
    scores: list[float] = []
    for case in cases:
        claims, documents = claims_of(case.summary, "auto"), case.record.documents
        if case.summary.reason or not claims:
            continue
        ask = Ask(spec, tuple(document.text for document in documents), claims)
        scores += features_of(scorer, [ask])[:, 0].tolist()
        names = {"record": case.record.id, "system": case.summary.system}
        for document in documents:
            about = {**names, "group": document.attributes.get(over, ""), "text": document.text}
            pairs += [{**about, "claim": claim} for claim in claims]
    if not pairs:
        return [], 0
    ends = np.unique(np.quantile(scores, np.linspace(0, 1, LEVELS + 1)[1:-1]))
    levels = np.searchsorted(ends, scores, side="right").tolist()
    keys = keys_of([f"{pair['text']}\0{pair['claim']}" for pair in pairs], seed, "pairs to label")
    cells: dict[tuple[int, str], list[int]] = defaultdict(list)
    for i in np.argsort(keys, kind="stable").tolist():
        cells[levels[i], pairs[i]["group"]].append(i)
    in_turn = chain(*zip_longest(*(own for _, own in sorted(cells.items()))))
    chosen: dict[tuple[str, str], int] = {}
    for i in in_turn:
        if i is not None:
            chosen.setdefault((pairs[i]["text"], pairs[i]["claim"]), i)
    first = sorted(list(chosen.values())[:many], key=keys.__getitem__)
    return [pairs[i] for i in first], len(pairs)


def pair_sheet(pairs: Iterable[Mapping[str, str]]) -> str:
    """A sheet (CSV) with one pair per row and an empty column ``supported``."""
    return csv_text(COLUMNS, ([pair.get(name, "") for name in COLUMNS] for pair in pairs))
