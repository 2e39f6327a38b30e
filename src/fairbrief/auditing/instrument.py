"""Can the scorers judge these texts? How often they find summaries' claims in the sources, and paraphrases of each group's sentences.

Both use a sample of records, and scorers without a model unless requested. `reach_of` scores claims of systems and people,
and sentences of the sources, against the record's documents and against another record's. `retrieve` looks for
paraphrased sentences of each group in their document, and adds notes to findings that this may explain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from fairbrief.auditing import estimating
from fairbrief.auditing.grouping import by_observation
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.notes import NotesOf
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.sanity_baselines import rng_of, sanity_baseline_name
from fairbrief.auditing.scorer_bias import KIND, Checked, checks_of, estimates_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.sensitivity import SUPPORT
from fairbrief.auditing.watchers import Sources
from fairbrief.conclusions import decisive
from fairbrief.errors import DataError
from fairbrief.measures.record_texts import claims_of
from fairbrief.measures.scorer_bias import ScorerBiasRetrieval, long_sentences
from fairbrief.reports.result import NotMeasured
from fairbrief.statistics import LabelDraws
from fairbrief.text import languages
from fairbrief.text.paraphrase import why_not
from fairbrief.text.sentences import sentences_of
from fairbrief.types import REFERENCE, Ask, Case, Estimate, Measure, Note, Observation, Record, Summary

LONGEST = 1 << 17
"""Characters of the longest record that is looked at, so that a sample of them takes little memory."""
FEWEST = 8
"""The fewest records for which the reach of a scorer is reported."""
FROM_SOURCES = 5
"""Sentences of a record's sources that are held against them, of those that are long enough to be looked for."""
LEVEL = 0.95
"""A claim counts as matched if its best document supports it more than another record's documents support this share of the claims."""
EXAMPLES = 3
"""Claims of an author that are not found and are shown."""
REFERENCES, OF_SOURCES = BESIDE = ("references", "sentences of the sources")
"""Authors other than the systems."""
ELSEWHERE = "claims in another record"
"""The systems' claims, held against the documents of another record."""
SENTENCES, MOST_OF_ONE = 200, 5
"""One sentence per document in this many records; up to five per document in fewer records."""
SYSTEM = sanity_baseline_name("paraphrased sources")


def scorer_of(measure: Measure) -> str:
    """The scorer by which a measure holds claims against documents; empty where it does not."""
    checks = [check for check in checks_of(measure) if check.measure == SUPPORT]
    return checks[0].settings_for(measure)["scorer"] if checks else str(getattr(measure, "mapping", ""))


# ------------------------------------------------------------------------------- what a scorer finds


@dataclass(slots=True)
class _Claims:
    """The claims of one author: record, text, and how well its best document supports it."""

    supported: list[tuple[str, str, float]] = field(default_factory=list)

    def row(self, author: str, cutoff: float) -> dict[str, Any]:
        """What results keep of them; the examples are those that are supported least."""
        support = np.array([best for *_, best in self.supported])
        missing = sorted((claim for claim in self.supported if claim[2] <= cutoff), key=lambda c: (c[2], c))
        return {
            "author": author, "claims": len(support), "support": float(support.mean()),
            "share_found": float((support > cutoff).mean()),
            "examples": [{"record": record, "text": text, "support": best} for record, text, best in missing[:EXAMPLES]],
        }  # fmt: skip


def reach_of(
    measures: Sequence[Measure], sample: Sources, scorers: Scorers, *, wanted: bool | None
) -> list[dict[str, Any]]:
    """What each scorer of support finds: by author the ``claims``, the mean ``support`` by the best document, and ``share_found``.

    A claim is found if its best document supports it more than the ``cutoff``, which 95 % of the systems' claims do not reach in
    another record's documents. Fewer than `FEWEST` records have no entry, nor has a scorer that holds a model or was given as
    an object unless it is ``wanted``.
    """
    entries: dict[tuple[str, type], dict[str, Any]] = {}
    for observation, readers in by_observation(measures).items():
        scorer = scorer_of(readers[0])
        if not scorer or (not scorers.is_cheap(scorer) and not wanted):
            continue
        key, names = (scorer, type(observation)), [repr(measure) for measure in readers]
        if key in entries:
            entries[key]["measures"] += names
        elif entry := _entry(observation, sample, scorers):
            entries[key] = {"scorer": scorer, "measures": names, **entry}
    return list(entries.values())


def _entry(observation: Observation, sample: Sources, scorers: Scorers) -> dict[str, Any]:
    """The authors of a sample of records; nothing where there are too few of these."""
    records = [
        (record, ask) for record in sample.records() if (ask := _ask(observation, sample.cases(record)))
    ]
    if len(records) < FEWEST:
        return {}
    claims = [_claims(observation, record, sample) for record, _ in records]
    asks = []
    for i, (of_record, (_, ask)) in enumerate(zip(claims, records, strict=True)):
        columns = tuple(text for _, text in of_record)
        for_both = (ask.rows, records[i - 1][1].rows)
        asks += [msgspec.structs.replace(ask, rows=rows, columns=columns) for rows in for_both]
    answers = iter(scorers[asks[0].scorer].answer(asks))
    authors: dict[str, _Claims] = {}
    elsewhere = _Claims()
    for (record, _), of_record in zip(records, claims, strict=True):
        here, there = (next(answers).by_column(len(of_record)).max(axis=0).tolist() for _ in range(2))
        for (author, text), support, other in zip(of_record, here, there, strict=True):
            authors.setdefault(author, _Claims()).supported.append((record.id, text, support))
            if author not in BESIDE:
                elsewhere.supported.append((record.id, text, other))
    cutoff = float(np.quantile([support for *_, support in elsewhere.supported], LEVEL))
    systems = [author for author in authors if author not in BESIDE]
    rows = [
        authors[author].row(author, cutoff) for author in (*sorted(systems), *BESIDE) if author in authors
    ]
    last = {**elsewhere.row(ELSEWHERE, cutoff), "examples": []}
    return {"records": len(records), "cutoff": cutoff, "authors": [*rows, last]}


def _ask(observation: Observation, cases: Sequence[Case]) -> Ask | None:
    """How the observation scores a summary against the documents; None if it does not."""
    for case in cases:
        try:
            asks = observation.asks((case,))
        except DataError:
            continue
        if asks and asks[0].rows:
            return asks[0]
    return None


def _claims(observation: Observation, record: Record, sample: Sources) -> list[tuple[str, str]]:
    """The claims of all authors and of the sources, each with its author."""
    cases = sample.cases(record)
    units = str(getattr(observation, "claims", "sentences"))
    claims = [(case.summary.system, text) for case in cases for text in claims_of(case.summary, units)]
    if not any(case.summary.system.startswith(f"{REFERENCE} ") for case in cases):
        claims += [(REFERENCES, text) for reference in record.references for text in sentences_of(reference)]
    long = [text for document in record.documents for text in long_sentences(document.text)]
    chosen = rng_of(sample.seed, "reach", record.id).permutation(len(long))[:FROM_SOURCES]
    return [*claims, *((OF_SOURCES, long[i]) for i in sorted(chosen.tolist()))]


# ------------------------------------------------------------------------------- self-retrieval


def retrieve(
    measures: Sequence[Measure],
    sample: Sources,
    scorers: Scorers,
    settings: estimating.Settings,
) -> tuple[Checked, NotesOf]:
    """How often scorers of support find paraphrased sentences of each group in their document, with notes for findings that
    this may explain. Empty if sentences cannot be paraphrased. No per-record statistics are stored.
    """
    checked, serves = Checked(), dict[str, ScorerBiasRetrieval]()
    records, why = sample.records(), why_not(languages.usual())
    for measure in measures if records else ():
        scorer, over = scorer_of(measure), str(getattr(measure, "over", ""))
        if not (scorer and over) or measure.declaration.attribute_of != "document":
            continue
        if why:
            checked.left_out.append(NotMeasured(f"self-retrieval@{over}", why.removesuffix(".")))
            continue
        each = min(MOST_OF_ONE, max(1, SENTENCES // len(records)))
        serves[repr(measure)] = ScorerBiasRetrieval(over, scorer, each)
    checked.left_out = list(dict.fromkeys(checked.left_out))
    checked.readers = by_observation(list(dict.fromkeys(serves.values())))
    signed = replace(settings, signature=f"{settings.signature}|paraphrased sources:{len(records)}")
    checked.ledgers = [_ledger(observation, records, scorers, signed) for observation in checked.readers]
    checked.estimates = estimates_of(checked.ledgers, checked.readers, signed, SYSTEM)
    return checked, retrieval_notes(checked.estimates, serves, settings.alpha)


def _ledger(
    observation: Observation, records: Sequence[Record], scorers: Scorers, settings: estimating.Settings
) -> Ledger:
    ledger = Ledger(observation, settings.n_resamples)
    units = [
        (
            (Case(record, Summary(record.id, SYSTEM, "", system_kind=KIND)),),
            Origin(SYSTEM, record.id, record.id, system_kind=KIND),
        )
        for record in records
    ]
    draws = LabelDraws(max(settings.n_resamples, 1), settings.seed)
    Observer(scorers, draws, skips=True, trial=True).observe(ledger, units)
    return ledger


def retrieval_notes(
    estimates: Sequence[Estimate], serves: Mapping[str, ScorerBiasRetrieval], alpha: float
) -> NotesOf:
    """Notes for primary group differences whose scorer finds sentences of the group more or less often than other sentences.

    ``serves`` maps measures, by spec, to the check of their scorer, whose estimates are given.
    """
    by_quantity = {(e.measure, e.quantity): e for e in estimates}

    def notes_of(e: Estimate) -> Sequence[Note]:
        check = serves.get(e.measure)
        gap, mean = (by_quantity.get((repr(check), f"{of}[{e.group}]")) for of in ("difference", "mean"))
        if check is None or not e.is_primary or e.baseline or gap is None or mean is None:
            return ()
        # Of two groups the difference of one is that of the other: one test, which is the headline's.
        main_value = by_quantity[repr(check), check.name]
        p = main_value.p_adjusted if main_value.kind == "group_difference" else gap.p_adjusted
        if gap.value is None or mean.value is None or p is None or p > alpha:
            return ()
        arguments = {
            "scorer": check.scorer, "group": e.group, "share": mean.value, "others": mean.value - gap.value,
            "value": gap.value, "low": gap.low, "high": gap.high, "p": p,
            "explains": gap.value * decisive(e)[1] > 0,
        }  # fmt: skip
        return (Note("scorer_retrieves", arguments),)

    return notes_of
