"""How well scorers recognise the claims of summaries: agreement of group shares with human labels of claims, and the effect of
the size of the pieces into which documents are cut.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.observing import finite
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.distributions import COUNTING
from fairbrief.measures.record_texts import claims_of, is_blank, known
from fairbrief.measures.representation import Representation
from fairbrief.reports.number_format import number
from fairbrief.saved.saved_values import DRAWS, Interval, Resampling
from fairbrief.statistics import TIE
from fairbrief.statistics.agreement import alpha_of_two, kappa_of_two, pearson, spearman
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
    kappa = kappa_of_two(_largest(people), _largest(judged), people.shape[-1])
    return alpha_of_two(*flat), pearson(*flat), spearman(*flat), kappa


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
    records resampled). ``chunks`` is the mean number of pieces per document.
    """

    size: str
    system: str
    identified: Interval
    chunks: float
    claims: int
    records: int


def chunk_sizes(
    cases: Iterable[Case],
    scorer: str = "containment",
    *,
    sizes: Sequence[str] = SIZES,
    threshold: float = 0.5,
    resampling: Resampling = DRAWS,
    scorers: Scorers | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[ChunkSize]:
    """The share of claims whose source is identified, for every system and size.

    A claim is identified if a piece of a document supports it above ``threshold`` (for an entailment model: entails it).
    ``sizes`` are ``sentence`` or numbers of words. Raises RequestError for another size, DataError if no summary has a claim.
    Source: Li et al., Coverage-based Fairness in MDS, Table 7.
    """
    cuts = {size: read_size(size) for size in sizes}
    made = scorers if scorers is not None else Scorers()
    counts: dict[tuple[str, str], list[tuple[int, int, int, int]]] = {}
    """By size and system, of each record: claims that are identified, claims, pieces and documents."""
    for batch in _batches(cases, progress):
        usable = [case for case in batch if not case.summary.reason and claims_of(case.summary, "auto")]
        for size, by in cuts.items() if usable else ():
            texts = [known(case.record).texts for case in usable]
            asks = [
                Ask(
                    scorer,
                    tuple(
                        piece for text in documents if not is_blank(text) for piece in passages_of(text, by)
                    ),
                    claims_of(case.summary, "auto"),
                    whole=True,
                )
                for case, documents in zip(usable, texts, strict=True)
            ]
            answers = finite(asks, made[scorer].answer(asks))
            for case, documents, ask, scores in zip(usable, texts, asks, answers, strict=True):
                identified = int((scores.matrix > threshold).any(axis=0).sum())
                row = identified, len(ask.columns), len(ask.rows), len(documents)
                counts.setdefault((size, case.summary.system), []).append(row)
    if not counts:
        raise DataError("No summary has a claim: all are empty or missing.")
    found = []
    for (size, system), rows in counts.items():
        totals = resampling.totals(np.array(rows, dtype=np.float64))
        _, claims, pieces, documents = totals[0].tolist()
        share = resampling.interval(totals[:, 0] / totals[:, 1])
        found.append(ChunkSize(size, system, share, pieces / documents, int(claims), len(rows)))
    return found


def read_size(size: str) -> str:
    """``sentence`` or a number of words, as a scorer's setting ``by``."""
    if size == "sentence":
        return size
    if size.isascii() and size.isdigit() and int(size) > 0:
        return f"{int(size)}words"
    raise RequestError(f"'{size}' is not a valid size of pieces: write sentence, or a number of words.")


def chunk_tables(found: Sequence[ChunkSize], scorer: str, threshold: float) -> list[Table]:
    """A table per system with a row per size."""
    header = ("words", "identified", "pieces", "claims")
    note = (
        f"Identified, with {DRAWS.confidence_level:.0%} interval: a piece of so many words supports the claim above "
        f"{threshold:g} by {scorer}; {counted(found[0].records, 'record')}, resampled. Pieces: mean per document."
    )
    return [
        Table(
            f"Claims whose source document is identified · {system}",
            header,
            tuple(
                (row.size, str(row.identified), number(row.chunks, 1), f"{row.claims:,}")
                for row in found
                if row.system == system
            ),
            (note,),
        )
        for system in dict.fromkeys(row.system for row in found)
    ]
