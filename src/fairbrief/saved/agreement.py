"""Agreement of two scorers or two measures over records and systems, of a scorer with human labels of claims, and relative changes of
measures between systems; also how the size of the pieces of documents affects which claims a scorer recognises.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from fairbrief import registry, specs
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer, finite, refuse_unscored
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.distributions import COUNTING, softmax
from fairbrief.measures.record_texts import claims_of, is_blank, known
from fairbrief.measures.representation import Representation
from fairbrief.ranges import grouped
from fairbrief.readers.messages import unknown
from fairbrief.reports.number_format import number
from fairbrief.reports.result import Result
from fairbrief.saved.saved_values import DRAWS, Interval, Resampling, SavedValues, saved_values, specs_in
from fairbrief.statistics import TIE, ratio
from fairbrief.statistics import agreement as statistics
from fairbrief.text.counted import counted
from fairbrief.text.sentences import passages_of
from fairbrief.types import Ask, Case, Data, Floats, Table, Totals

FEWEST_SYSTEMS = 3


class Correlation(Data, frozen=True):
    """Spearman's ρ of two values of the same summaries: one measure by two scorers, or two measures.

    ``records`` is over single summaries, ``systems`` over systems, each on all records that both could measure. Intervals
    resample records; that over fewer than three systems is undefined.
    """

    first: str
    second: str
    records: Interval
    summaries: int
    systems: Interval
    named: tuple[str, ...]


def correlations(
    results: Sequence[Result], measures: Sequence[str] = (), resampling: Resampling = DRAWS
) -> list[Correlation]:
    """ρ of every pair of ``measures``; without any, of each measure that the audits have in two or more specs.

    Raises RequestError if the audits lack a measure, have none twice, or measured no summary by both.
    Source: Li et al., Coverage-based Fairness in MDS, Table 2 (scorers), Table 8 (measures).
    """
    known = specs_in(results)
    named = itertools.combinations(named_measures(known, measures), 2) if measures else _of_one_measure(known)
    pairs = list(named)
    saved = saved_values(results, {spec for pair in pairs for spec in pair})
    every = (_correlation(saved[first], saved[second], resampling) for first, second in pairs)
    found = [correlation for correlation in every if correlation is not None]
    if not found:
        raise RequestError("The two measures have no record in common. Audit the same file with both.")
    return found


def _of_one_measure(known: Iterable[str]) -> list[tuple[str, str]]:
    parsed = ((specs.parse(spec), spec) for spec in known)
    kinds = grouped(((measure.name, measure.over), spec) for measure, spec in parsed)
    pairs = [pair for of_kind in kinds.values() for pair in itertools.combinations(of_kind, 2)]
    if not pairs:
        raise RequestError(
            "These audits have no measure with two scorers. Audit the same file twice with "
            "--measure 'NAME(scorer=…)', or name two measures to compare: --measure A --measure B."
        )
    return pairs


def named_measures(known: Collection[str], measures: Sequence[str]) -> list[str]:
    """The canonical specs of at least two known measures."""
    wanted = list(dict.fromkeys(repr(registry.make("measure", text)) for text in measures))
    if len(wanted) < 2:
        raise RequestError("Name two different measures to compare: --measure A --measure B.")
    if absent := [spec for spec in wanted if spec not in known]:
        raise unknown(f"The set of audits has no measure {absent[0]}.", absent[0], sorted(known))
    return wanted


def _correlation(first: SavedValues, second: SavedValues, resampling: Resampling) -> Correlation | None:
    both = first.in_common(second)
    x, y = (saved.values(saved.rows) for saved in both)
    if len(x) < 2:
        return None
    draws, places = resampling.draws(both[0].origins.clusters.codes()), both[0].places
    records = resampling.interval(statistics.spearman_of_draws(x, y, draws))
    systems = Interval(None)
    if len(places) >= FEWEST_SYSTEMS:
        systems = resampling.interval(statistics.spearman(*(s.of_systems(places, resampling) for s in both)))
    n, of, against = int(np.isfinite(x + y).sum()), repr(first.measure), repr(second.measure)
    return Correlation(of, against, records, n, systems, tuple(places))


def correlation_table(found: Sequence[Correlation], resampling: Resampling) -> Table:
    """One row per pair."""
    rows = tuple(
        (c.first, c.second, str(c.records), f"{c.summaries:,}", str(c.systems), str(len(c.named)))
        for c in found
    )
    header = ("first", "second", "over summaries", "n", "over systems", "systems")
    fewest = f"{resampling.note} A rank correlation over systems needs {FEWEST_SYSTEMS} systems."
    return Table("Agreement (Spearman)", header, rows, (fewest,))


# ------------------------------------------------------------------------- relative changes compared


class Changes(Data, frozen=True):
    """The relative changes of two measures, and the difference, first minus second.

    A relative change is (M(plain) − M(fair)) / M(plain): positive if the measure falls. ``n`` is the number of records that both systems
    summarized and both measures could use.
    """

    first: str
    second: str
    changes: tuple[Interval, Interval]
    difference: Interval
    n: int


def change_comparisons(
    results: Sequence[Result], plain: str, fair: str, measures: Sequence[str], resampling: Resampling = DRAWS
) -> list[Changes]:
    """The difference of relative changes for each pair of measures; intervals resample records.

    Raises RequestError for a measure or system that the audits lack, and if they have no common record.
    Source: Li et al., Coverage-based Fairness in MDS, Section 5.8, Table 6.
    """
    audited = specs_in(results)
    named = named_measures(audited, measures or audited)
    saved = saved_values(results, named)
    known = {system for spec in named for system in saved[spec].places}
    if absent := [system for system in (plain, fair) if system not in known]:
        raise unknown(f"The set of audits has no system '{absent[0]}'.", absent[0], sorted(known))
    pairs = itertools.combinations(named, 2)
    return [_comparison(saved[a], saved[b], plain, fair, resampling) for a, b in pairs]


def _comparison(a: SavedValues, b: SavedValues, plain: str, fair: str, resampling: Resampling) -> Changes:
    a, b = a.in_common(b)
    one, other = (a.places.get(system, np.zeros(0, dtype=np.int64)) for system in (plain, fair))
    place = a.records.of(one).places_in(a.records.of(other))
    both = np.concatenate([one[place >= 0], other[place[place >= 0]]])
    if not len(both):
        raise RequestError(f"'{plain}' and '{fair}' have no record in common that both measures could use.")
    values = (saved.of(both).of_systems((plain, fair), resampling) for saved in (a, b))
    x, y = (ratio(of[:, 0] - of[:, 1], of[:, 0]) for of in values)
    first, second, difference = map(resampling.interval, (x, y, x - y))
    return Changes(repr(a.measure), repr(b.measure), (first, second), difference, len(both) // 2)


def change_table(found: Sequence[Changes], plain: str, fair: str, resampling: Resampling = DRAWS) -> Table:
    """One row per pair of measures."""
    rows = tuple((c.first, c.second, *map(str, c.changes), str(c.difference), f"{c.n:,}") for c in found)
    header = ("first", "second", "change of first", "of second", "difference", "n")
    note = "Change: the share by which a value falls. A difference above 0: the first falls more."
    return Table(f"Relative changes from {plain} to {fair}", header, rows, (note, resampling.note))


# ----------------------------------------------------------------------- agreement with labels of claims


TEMPERATURES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
BATCH = 256


class Shares(Data, frozen=True):
    """Agreement of p_y by a scorer at one temperature with p_y by human labels of claims.

    Items are the groups of the records. ``alpha`` is Krippendorff's (interval scale: absolute shares, not only their
    order), ``kappa`` is Randolph's on which group has the largest share (without ties).
    """

    temperature: float | None
    alpha: Interval
    pearson: Interval
    spearman: Interval
    kappa: Interval


class Agreement(Data, frozen=True):
    """The agreement of a scorer with human labels. ``clusters`` counts the resampling units of its ``summaries``."""

    scorer: str
    over: str
    shares: tuple[Shares, ...]
    summaries: int
    clusters: int
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

    Intervals resample clusters, each with all its summaries. Raises DataError if no claim has a label.
    Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, the choice of T by α.
    """
    made = scorers if scorers is not None else Scorers()
    made[scorer]  # refuses an unknown scorer before anything is read
    judge = Representation(over, scorer, temperature=1.0)
    by_people, by_scorer = (Ledger(r, n_resamples=0) for r in (Representation(over, "claims"), judge))
    observer, names = Observer(made), list[str]()
    for batch in _batches(cases, progress):
        units = [((case,), Origin(case.summary.system, case.record.id, "")) for case in batch]
        observer.observe(by_people, units)
        labelled = list(itertools.compress(units, by_people.reasons[-len(units) :] == 0))
        observer.observe(by_scorer, labelled)
        names += [case.record.cluster for (case,), _ in labelled]
    refuse_unscored([by_scorer])
    excluded = Counter[str]()
    for ledger in (by_people, by_scorer):
        reasons = list(ledger.known_reasons)
        excluded.update(reasons[why] for why in ledger.reasons if why)
    is_judged = by_scorer.reasons == 0
    if not is_judged.any():
        left = f" Excluded: {_counted(excluded)}." if excluded else ""
        raise DataError(
            f"No summary has claims with labels for '{over}'. A label of a claim is "
            f'{{"text": …, "values": {{"{over}": ["VALUE"]}}}}.{left}'
        )
    people = by_people.totals(by_people.matrix()[is_judged])
    groups = [group for group in people.values_of("present") if people["present", group].any()]
    judged = _shares(by_scorer.totals(by_scorer.matrix()), groups)
    by_temperature = {None: judged} if judge.kind in COUNTING else {t: _at(t, judged) for t in TEMPERATURES}
    shares = ((t, [_shares(people, groups), of_scorer]) for t, of_scorer in by_temperature.items())
    cluster = np.unique(list(itertools.compress(names, is_judged)), return_inverse=True)[1]
    found = tuple(Shares(t, *resampling.intervals(_of_shares, both, cluster)) for t, both in shares)
    clusters = len(np.unique(cluster))
    return Agreement(scorer, over, found, len(judged), clusters, dict(sorted(excluded.items())))


def _batches(cases: Iterable[Case], progress: Callable[[int], None] | None) -> Iterator[list[Case]]:
    """The cases in batches; ``progress`` is called with the number of finished cases."""
    stream, seen = iter(cases), 0
    while batch := list(itertools.islice(stream, BATCH)):
        yield batch
        seen += len(batch)
        if progress is not None:
            progress(seen)


def _shares(rows: Totals, groups: Sequence[str]) -> Floats:
    """p_y of each record, nan for a group that it lacks. Shape (records, groups)."""
    return np.where(rows.stack("present", groups) > 0, rows.stack("summary", groups), np.nan)


def _at(temperature: float, shares: Floats) -> Floats:
    """Shares at temperature 1 as shares at another one: their logarithms are scores, but for a constant per record."""
    is_present = ~np.isnan(shares)
    with np.errstate(divide="ignore"):  # a share may be 0
        scores = np.log(shares)
    return np.where(is_present, softmax(scores, temperature, is_present), np.nan)


# --------------------------------------------------------------------------------- the statistics


def _of_shares(people: Floats, judged: Floats) -> Sequence[Floats]:
    """α, Pearson, Spearman and κ. Shapes (…, n, K) → (…)."""
    flat = [array.reshape(*array.shape[:-2], -1) for array in (people, judged)]
    largest = np.stack([_largest(people), _largest(judged)], axis=-2)
    kappa = statistics.randolph_kappa(largest, people.shape[-1])
    alpha = statistics.krippendorff_alpha(np.stack(flat, axis=-2), "interval")
    return alpha, statistics.pearson(*flat), statistics.spearman(*flat), kappa


def _largest(shares: Floats) -> Floats:
    """The group with the largest share; nan for a tie. (…, n, K) → (…, n)."""
    known = np.where(np.isnan(shares), -np.inf, shares)
    alone = (known >= known.max(axis=-1, keepdims=True) - TIE).sum(axis=-1) == 1
    return np.where(alone, known.argmax(axis=-1), np.nan)


# -------------------------------------------------------------------------------------- the tables


def label_table(found: Agreement, resampling: Resampling = DRAWS) -> Table:
    """The agreement of shares, by temperature if the scorer's scores need one to become shares."""
    left = f" Excluded: {_counted(found.excluded)}." if found.excluded else ""
    units = counted(found.summaries, "record")
    if found.clusters < found.summaries:
        units = f"{counted(found.summaries, 'summary', 'summaries')} in {counted(found.clusters, 'cluster')}"
    notes = [
        f"{units}, resampled for the {resampling.confidence_level:.0%} intervals.{left}",
        "α: Krippendorff's, interval scale, over the groups of all records. κ: Randolph's, on the group with the largest share.",
    ]
    header: tuple[str, ...] = ("α", "Pearson", "Spearman", "κ")
    rows = [tuple(map(str, (s.alpha, s.pearson, s.spearman, s.kappa))) for s in found.shares]
    temperatures = [s.temperature for s in found.shares if s.temperature is not None]
    if temperatures:
        notes.append("T: temperature at which scores become shares (softmax).")
        header, rows = ("T", *header), [(f"{t:g}", *row) for t, row in zip(temperatures, rows, strict=True)]
    title = f"Shares of {found.over} in summaries: {found.scorer} and people"
    return Table(title, header, tuple(rows), tuple(notes))


def _counted(excluded: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {n:,}" for reason, n in excluded.items())


SIZES = ("sentence", "50", "100", "200", "400")
"""The sizes of Li et al., in words."""


class ChunkSize(Data, frozen=True):
    """How many of a system's claims a scorer recognises if documents are cut into pieces of one size.

    ``identified`` is the share of claims that a piece of a document supports above the threshold, in [0, 1] (interval:
    clusters resampled). ``chunks`` is the mean number of pieces per document.
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
    counts: dict[tuple[str, str], dict[str, Floats]] = {}
    """By size and system, of each cluster: claims that are identified, claims, pieces, documents and records."""
    for batch in _batches(cases, progress):
        usable = [case for case in batch if not case.summary.reason and claims_of(case.summary, "auto")]
        for size, by in cuts.items() if usable else ():
            asks = [_ask(case, scorer, by) for case in usable]
            for case, ask, scores in zip(usable, asks, finite(asks, made[scorer].answer(asks)), strict=True):
                support = scores.by_column(len(ask.columns))
                identified = int((support > threshold).any(axis=0).sum())
                row = identified, len(ask.columns), len(ask.rows), len(case.record.documents), 1
                of_size = counts.setdefault((size, case.summary.system), defaultdict(lambda: np.zeros(5)))
                of_size[case.record.cluster] += row
    if not counts:
        raise DataError("No summary has a claim: all are empty or missing.")
    found = []
    for (size, system), rows in counts.items():
        totals = resampling.totals(np.stack(list(rows.values())))
        _, claims, pieces, documents, records = totals[0].tolist()
        share = resampling.interval(totals[:, 0] / totals[:, 1])
        found.append(ChunkSize(size, system, share, pieces / documents, int(claims), int(records)))
    return found


def _ask(case: Case, scorer: str, by: str) -> Ask:
    """The support of each claim by each piece of a document."""
    texts = (text for text in known(case.record).texts if not is_blank(text))
    pieces = tuple(piece for text in texts for piece in passages_of(text, by))
    return Ask(scorer, pieces, claims_of(case.summary, "auto"), whole=True)


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
    title, made = "Claims whose source document is identified", []
    for system, several in grouped((one.system, one) for one in found).items():
        rows = [(s.size, str(s.identified), number(s.chunks, 1), f"{s.claims:,}") for s in several]
        made.append(Table(f"{title} · {system}", header, tuple(rows), (note,)))
    return made
