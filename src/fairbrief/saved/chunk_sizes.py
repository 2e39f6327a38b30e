"""How large may a piece of a document be, that a judge still finds a summary's statement in it?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.measure_selection import check_over
from fairbrief.auditing.observing import finite
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.record_texts import chunks_by_document, known, owner_of, units_of
from fairbrief.reports.number_format import number
from fairbrief.saved.intervals import Resampling
from fairbrief.text.counted import counted
from fairbrief.text.sentences import Cut
from fairbrief.types import Ask, Case, Floats, Scores, Table

SIZES = ("sentence", "50", "100", "200", "400")
"""What Li et al. tried, in words."""
BATCH = 256


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """What a judge finds of one system's units when documents are cut into pieces of one size.

    ``identified`` is the share of units that some piece of some document supports above the threshold,
    in [0, 1], with its interval (records resampled); ``by_value`` that of some document of the value,
    over records that have the value. ``chunks`` is the mean number of pieces of a document.
    """

    size: str
    system: str
    identified: float
    low: float | None
    high: float | None
    by_value: Mapping[str, float]
    chunks: float
    units: int
    records: int


@dataclass
class _Found:
    """Rows of one size and system, one per record: (identified, units, chunks, documents), and by value."""

    rows: list[tuple[float, float, float, float]] = field(default_factory=list)
    by_value: dict[str, list[float]] = field(default_factory=dict)

    def add(self, found: NDArray[np.bool_], chunks: int, values: Sequence[str]) -> None:
        """``found`` (documents, units): whether a piece of the document supports the unit."""
        self.rows.append(
            (float(found.any(axis=0).sum()), float(found.shape[1]), float(chunks), float(len(found)))
        )
        for value in dict.fromkeys(values):
            of_value = found[[v == value for v in values]]
            sums = self.by_value.setdefault(value, [0.0, 0.0])
            sums[0] += float(of_value.any(axis=0).sum())
            sums[1] += of_value.shape[1]


def chunk_sizes(
    cases: Iterable[Case],
    scorer: str = "containment",
    *,
    sizes: Sequence[str] = SIZES,
    over: str | None = None,
    threshold: float = 0.5,
    units: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
    confidence_level: float = 0.95,
    scorers: Scorers | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[ChunkSize]:
    """The share of units whose source is identified, for every system and size.

    A unit is identified where a piece of a document supports it above ``threshold`` (for an entailment
    model: entails it). ``sizes`` are ``sentence`` or numbers of words; ``over`` adds shares by value.
    Raises RequestError for a size that is neither, DataError where no summary has a unit.
    Source: Li et al., Coverage-based Fairness in MDS, Table 7.
    """
    cuts = {size: read_size(size) for size in sizes}
    made = scorers if scorers is not None else Scorers()
    found: dict[tuple[str, str], _Found] = {}
    stream, seen = iter(cases), 0
    while batch := list(itertools.islice(stream, BATCH)):
        if over and not seen:
            check_over(over, batch)
        usable = [case for case in batch if not case.summary.reason and units_of(case.summary, units)]
        for size, (cut, words) in cuts.items() if usable else ():
            asks = [
                Ask(scorer, chunks_by_document(known(case.record), cut, words)[0], units_of(case.summary, units))
                for case in usable
            ]  # fmt: skip
            for case, scores in zip(usable, finite(asks, made[scorer].answer(asks)), strict=True):
                supported = _by_document(case, scores, cut, words) > threshold
                values = case.record.values_of(over) if over else []
                of_system = found.setdefault((size, case.summary.system), _Found())
                of_system.add(supported, len(scores.matrix), values)
        seen += len(batch)
        if progress is not None:
            progress(seen)
    if not found:
        raise DataError("No summary has a unit to look for: every one is empty, or none is there.")
    resampling = Resampling(n_resamples, seed, confidence_level)
    return [_made(size, system, rows, resampling) for (size, system), rows in found.items()]


def read_size(size: str) -> tuple[Cut, int]:
    """``sentence`` or a number of words, as a cut of documents."""
    if size == "sentence":
        return "sentences", 0
    if size.isascii() and size.isdigit() and int(size) > 0:
        return "groups", int(size)
    raise RequestError(f"'{size}' is no size of a piece: write sentence, or a number of words.")


def _by_document(case: Case, scores: Scores, cut: Cut, words: int) -> Floats:
    """The best support of each unit by any piece of a document; −inf for a document without a piece."""
    _, chunks = chunks_by_document(known(case.record), cut, words)
    best = np.full((len(chunks), scores.matrix.shape[1]), -np.inf)
    np.maximum.at(best, owner_of(chunks), scores.matrix)
    return best


def _made(size: str, system: str, found: _Found, resampling: Resampling) -> ChunkSize:
    rows = np.array(found.rows)
    identified, units, chunks, documents = rows.sum(axis=0)
    share, bootstrap = float(identified / units), resampling.bootstrap(len(rows))
    drawn = None if bootstrap is None else bootstrap.totals(rows)
    bounds = resampling.interval(share, None if drawn is None else drawn[:, 0] / drawn[:, 1])
    by_value = {v: part / whole for v, (part, whole) in sorted(found.by_value.items())}
    return ChunkSize(
        size, system, share, bounds.low, bounds.high, by_value, float(chunks / documents), int(units), len(rows)
    )  # fmt: skip


def tables(
    found: Sequence[ChunkSize], scorer: str, threshold: float, confidence_level: float = 0.95
) -> list[Table]:
    """The printed tables: one for each system, a row for each size."""
    return [
        _table(system, [row for row in found if row.system == system], scorer, threshold, confidence_level)
        for system in dict.fromkeys(row.system for row in found)
    ]


def _table(
    system: str, found: Sequence[ChunkSize], scorer: str, threshold: float, confidence_level: float
) -> Table:
    values = sorted({value for row in found for value in row.by_value})
    rows = tuple(
        (
            row.size,
            number(row.identified),
            "–" if row.low is None else f"[{number(row.low)}, {number(row.high)}]",
            *(number(row.by_value.get(value)) for value in values),
            number(row.chunks, 1),
            f"{row.units:,}",
        )
        for row in found
    )
    note = (
        f"Identified: a piece of so many words supports the unit above {threshold:g} by {scorer}; "
        f"{counted(found[0].records, 'record')}, resampled. Pieces: of a document, on average."
    )
    header = (
        "words",
        "identified",
        f"{confidence_level:.0%} interval",
        *(f"by {v}" for v in values),
        "pieces",
        "units",
    )
    return Table(f"Units whose source document is identified · {system}", header, rows, (note,))
