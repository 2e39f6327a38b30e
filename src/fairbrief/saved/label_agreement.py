"""How well scorers recognise the claims of summaries: agreement of group shares with human labels of claims, and the effect of
the size of the pieces into which documents are cut.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.measure_selection import check_over
from fairbrief.auditing.observing import finite
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.distributions import COUNTING
from fairbrief.measures.record_texts import claims_of, is_blank, known
from fairbrief.measures.representation import Representation
from fairbrief.reports.number_format import number
from fairbrief.saved.saved_values import DRAWS, Interval, Resampling
from fairbrief.statistics import TIE
from fairbrief.statistics.agreement import krippendorff_alpha, pearson, randolph_kappa, spearman
from fairbrief.text.counted import counted
from fairbrief.text.sentences import passages_of
from fairbrief.types import Ask, Case, Floats, Reason, Scores, Table

TEMPERATURES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
BATCH = 256


@dataclass(frozen=True, slots=True)
class Shares:
    """Agreement of p_y by a scorer at one temperature with p_y by human labels of claims.

    Items are the groups of the records. ``alpha`` is Krippendorff's (interval scale: absolute shares, not only their
    order), ``kappa`` is Randolph's on which group has the largest share (without ties).
    """

    temperature: float | None
    alpha: Interval
    pearson: Interval
    spearman: Interval
    kappa: Interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a scorer with human labels."""

    scorer: str
    over: str
    shares: tuple[Shares, ...]
    records: int
    excluded: dict[str, int]


def agreement(
    cases: Iterable[Case],
    over: str,
    scorer: str = "ngram",
    *,
    resampling: Resampling = DRAWS,
    scorers: Scorers | None = None,
    progress: Callable[[int], None] | None = None,
) -> Agreement:
    """Agreement of ``scorer`` with the human labels of claims for the attribute ``over``.

    Intervals resample records. Raises DataError if no claim has a label.
    Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, the choice of T by α.
    """
    made = scorers if scorers is not None else Scorers()
    made[scorer]  # refuses an unknown scorer before anything is read
    by_people = Representation(over, "claims")
    plain = Representation(over, scorer)
    steps = [None] if plain.kind in COUNTING else list(TEMPERATURES)
    judges = [plain if t is None else replace(plain, temperature=t) for t in steps]
    by_record: list[list[dict[str, float]]] = []
    """The shares by people, then by the scorer at each temperature."""
    excluded = Counter[str]()
    for batch in _batches(cases, progress):
        usable = [case for case in batch if not case.summary.reason]
        excluded.update(case.summary.reason for case in batch if case.summary.reason)
        labelled = []
        for case in usable:
            shares = _shares(by_people, case, _answers(by_people.asks((case,)), made))
            if isinstance(shares, str):
                excluded[shares] += 1
            else:
                labelled.append((case, shares))
        asks = [judges[0].asks((case,))[0] for case, _ in labelled]
        answers = finite(asks, made[scorer].answer(asks) if asks else ())
        for (case, shares), scores in zip(labelled, answers, strict=True):
            # There may also be a request to the scorer that counts tokens of the source.
            sizes = _answers([ask for ask in judges[0].asks((case,)) if ask.scorer != scorer], made)
            judged = [_shares(judge, case, [scores, *sizes]) for judge in judges]
            if isinstance(judged[0], str):
                excluded[judged[0]] += 1
            else:
                by_record.append([shares, *(j for j in judged if not isinstance(j, str))])
    if not by_record:
        why = f" Excluded: {_counted(excluded)}." if excluded else ""
        raise DataError(
            f"No summary has claims with labels for '{over}'. A label of a claim is "
            f'{{"text": …, "values": {{"{over}": ["VALUE"]}}}}.{why}'
        )
    values = sorted({value for several in by_record for value in several[0]})
    # Shares of the groups, nan if a record lacks one. Shape of each: (records, groups).
    people, *judged_at = (
        np.array([[of_record.get(v, np.nan) for v in values] for of_record in shares])
        for shares in zip(*by_record, strict=True)
    )
    found = tuple(
        Shares(t, *resampling.intervals(_of_shares, [people, array]))
        for t, array in zip(steps, judged_at, strict=True)
    )
    return Agreement(scorer, over, found, len(by_record), dict(sorted(excluded.items())))


def _batches(cases: Iterable[Case], progress: Callable[[int], None] | None) -> Iterator[list[Case]]:
    """The cases in batches; ``progress`` is called with the number of finished cases."""
    stream, seen = iter(cases), 0
    while batch := list(itertools.islice(stream, BATCH)):
        yield batch
        seen += len(batch)
        if progress is not None:
            progress(seen)


def _answers(asks: Iterable[Ask], scorers: Scorers) -> list[Scores]:
    return [next(iter(scorers[ask.scorer].answer([ask]))) for ask in asks]


def _shares(observation: Representation, case: Case, scores: Sequence[Scores]) -> dict[str, float] | str:
    """p_y by group, or the reason why there is none."""
    rows = observation.observe((case,), scores, np.zeros((1, 0), dtype=np.int64))
    if isinstance(rows, Reason):
        return rows.text
    row = dict(zip(rows.columns, rows.values[0].tolist(), strict=True))
    return {c[1]: share for c, share in row.items() if c[0] == "summary" and row["present", c[1]]}


# --------------------------------------------------------------------------------- the statistics


def _of_shares(people: Floats, judged: Floats) -> Sequence[Floats]:
    """α, Pearson, Spearman and κ. Shapes (…, n, K) → (…)."""
    flat = [array.reshape(*array.shape[:-2], -1) for array in (people, judged)]
    kappa = randolph_kappa(np.stack([_largest(people), _largest(judged)], axis=-2), people.shape[-1])
    return krippendorff_alpha(np.stack(flat, axis=-2), "interval"), pearson(*flat), spearman(*flat), kappa


def _largest(shares: Floats) -> Floats:
    """The group with the largest share; nan for a tie. (…, n, K) → (…, n)."""
    known = np.where(np.isnan(shares), -np.inf, shares)
    best = known.max(axis=-1, keepdims=True)
    alone = (known >= best - TIE).sum(axis=-1) == 1
    return np.where(alone, known.argmax(axis=-1), np.nan)


# -------------------------------------------------------------------------------------- the tables


def table(found: Agreement, resampling: Resampling = DRAWS) -> Table:
    """The agreement of shares, by temperature."""
    left = f" Excluded: {_counted(found.excluded)}." if found.excluded else ""
    notes = (
        f"{counted(found.records, 'record')}, resampled for the {resampling.confidence_level:.0%} intervals.{left}",
        "α: Krippendorff's, interval scale, over the groups of all records. κ: Randolph's, on the group with the largest share.",
    )
    rows = tuple(
        (
            "any" if s.temperature is None else f"{s.temperature:g}",
            *map(str, (s.alpha, s.pearson, s.spearman, s.kappa)),
        )
        for s in found.shares
    )
    return Table(
        f"Shares of {found.over} in summaries: {found.scorer} and people", ("T", "α", "Pearson", "Spearman", "κ"), rows, notes
    )  # fmt: skip


def _counted(excluded: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {n:,}" for reason, n in excluded.items())


SIZES = ("sentence", "50", "100", "200", "400")
"""The sizes of Li et al., in words."""


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How many of a system's claims a scorer recognises if documents are cut into pieces of one size.

    ``identified`` is the share of claims that a piece of a document supports above the threshold, in [0, 1] (interval:
    records resampled); ``by_value`` the same by documents of a group, over records with that group. ``chunks`` is
    the mean number of pieces per document.
    """

    size: str
    system: str
    identified: Interval
    by_value: Mapping[str, float]
    chunks: float
    claims: int
    records: int


def chunk_sizes(
    cases: Iterable[Case],
    scorer: str = "containment",
    *,
    sizes: Sequence[str] = SIZES,
    over: str | None = None,
    threshold: float = 0.5,
    resampling: Resampling = DRAWS,
    scorers: Scorers | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[ChunkSize]:
    """The share of claims whose source is identified, for every system and size.

    A claim is identified if a piece of a document supports it above ``threshold`` (for an entailment model: entails it).
    ``sizes`` are ``sentence`` or numbers of words; ``over`` adds shares by group. Raises RequestError for another size,
    DataError if no summary has a claim.
    Source: Li et al., Coverage-based Fairness in MDS, Table 7.
    """
    cuts = {size: read_size(size) for size in sizes}
    made = scorers if scorers is not None else Scorers()
    found: dict[tuple[str, str], list[_Row]] = {}
    for batch in _batches(cases, progress):
        if over and not found:
            check_over(over, batch)
        usable = [case for case in batch if not case.summary.reason and claims_of(case.summary, "auto")]
        for size, by in cuts.items() if usable else ():
            cut = [[_pieces(text, by) for text in known(case.record).texts] for case in usable]
            asks = [
                Ask(scorer, tuple(itertools.chain.from_iterable(pieces)), claims_of(case.summary, "auto"), whole=True)
                for case, pieces in zip(usable, cut, strict=True)
            ]  # fmt: skip
            answers = finite(asks, made[scorer].answer(asks))
            for case, pieces, scores in zip(usable, cut, answers, strict=True):
                supported = _by_document(scores, list(map(len, pieces))) > threshold
                values = case.record.values_of(over) if over else []
                of_group = {v: supported[[v == value for value in values]].max(axis=0) for v in values}
                row = supported.max(axis=0), of_group, len(scores.matrix), len(pieces)
                found.setdefault((size, case.summary.system), []).append(row)
    if not found:
        raise DataError("No summary has a claim: all are empty or missing.")
    return [_made(size, system, rows, resampling) for (size, system), rows in found.items()]


_Row = tuple[NDArray[np.bool_], Mapping[str, NDArray[np.bool_]], int, int]
"""Of one record: whether each claim is identified, the same by group, and the numbers of pieces and documents."""


def read_size(size: str) -> str:
    """``sentence`` or a number of words, as a scorer's setting ``by``."""
    if size == "sentence":
        return size
    if size.isascii() and size.isdigit() and int(size) > 0:
        return f"{int(size)}words"
    raise RequestError(f"'{size}' is not a valid size of pieces: write sentence, or a number of words.")


def _pieces(text: str, by: str) -> tuple[str, ...]:
    return () if is_blank(text) else passages_of(text, by)


def _by_document(scores: Scores, pieces: Sequence[int]) -> Floats:
    """The best support of each claim by a piece of each document; −inf for a document without pieces."""
    best = np.full((len(pieces), scores.matrix.shape[1]), -np.inf)
    np.maximum.at(best, np.repeat(np.arange(len(pieces)), pieces), scores.matrix)
    return best


def _made(size: str, system: str, rows: Sequence[_Row], resampling: Resampling) -> ChunkSize:
    counts = np.array([(claims.sum(), len(claims)) for claims, _, _, _ in rows], dtype=np.float64)
    identified, claims = counts.sum(axis=0)
    bootstrap = resampling.bootstrap(len(rows))
    drawn = None if bootstrap is None else bootstrap.totals(counts)
    share = resampling.interval(identified / claims, None if drawn is None else drawn[:, 0] / drawn[:, 1])
    groups = sorted({value for _, of_group, _, _ in rows for value in of_group})
    of_each = {v: [of_group[v] for _, of_group, _, _ in rows if v in of_group] for v in groups}
    by_value = {v: float(np.concatenate(identified_by).mean()) for v, identified_by in of_each.items()}
    chunks = sum(pieces for _, _, pieces, _ in rows) / sum(documents for _, _, _, documents in rows)
    return ChunkSize(size, system, share, by_value, chunks, int(claims), len(rows))


def chunk_tables(
    found: Sequence[ChunkSize], scorer: str, threshold: float, resampling: Resampling = DRAWS
) -> list[Table]:
    """A table per system with a row per size."""
    values = sorted({value for row in found for value in row.by_value})
    header = ("words", "identified", *(f"by {value}" for value in values), "pieces", "claims")
    note = (
        f"Identified, with {resampling.confidence_level:.0%} interval: a piece of so many words supports the claim above "
        f"{threshold:g} by {scorer}; {counted(found[0].records, 'record')}, resampled. Pieces: mean per document."
    )
    tables = []
    for system in dict.fromkeys(row.system for row in found):
        rows = tuple(
            (
                row.size,
                str(row.identified),
                *(number(row.by_value.get(value), 2) for value in values),
                number(row.chunks, 1),
                f"{row.claims:,}",
            )
            for row in found
            if row.system == system
        )
        tables.append(Table(f"Claims whose source document is identified · {system}", header, rows, (note,)))
    return tables
