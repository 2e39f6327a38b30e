"""Checks of the scorers: do they judge groups equally, find paraphrases of each group's sentences, and find summaries' claims at all?

All use a sample of records. `take` lets scorers score counterfactual sources, which differ only in the group: a difference is
due to the scorer, and is noted at the results that use it. Nothing is subtracted, because the effect of a scorer's bias on a
measure is unknown. `retrieve` looks for paraphrased sentences of each group in their document. `reach_of` scores claims of
systems and people, and sentences of the sources, against the record's documents and against another record's.
Scorers with a model are checked only on request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from fairbrief import registry
from fairbrief import types as t
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.ledger import Ledger, sort
from fairbrief.auditing.measure_selection import GENDER, MOST_VALUES, attributes_of
from fairbrief.auditing.notes import NotesOf
from fairbrief.auditing.observing import by_observation
from fairbrief.auditing.run import Run
from fairbrief.auditing.sanity_baselines import rng_of, sanity_baseline_name
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.sensitivity import SUPPORT
from fairbrief.auditing.watchers import SOURCES, Sources
from fairbrief.conclusions import decisive
from fairbrief.declarations import ScorerCheck
from fairbrief.engines import ThisProcess
from fairbrief.errors import DataError, MissingExtra
from fairbrief.measures.record_texts import claims_of, known
from fairbrief.measures.representation import WITHOUT_ASK
from fairbrief.measures.scorer_bias import ScorerBias, ScorerBiasRetrieval, long_sentences
from fairbrief.reports import wording
from fairbrief.reports.result import NotMeasured
from fairbrief.text import languages
from fairbrief.text.names import genders_of
from fairbrief.text.paraphrase import why_not
from fairbrief.text.sentences import sentences_of

if TYPE_CHECKING:
    from fairbrief.people.counterfactual import Counterfactuals

EXCHANGED, PARAPHRASED = map(sanity_baseline_name, ("counterfactual sources", "paraphrased sources"))
KIND: t.SystemKind = "counterfactual source"


@dataclass(slots=True)
class Checked:
    """The results of checks: estimates with their ledgers, and what could not be checked."""

    estimates: list[t.Estimate] = field(default_factory=list)
    ledgers: list[Ledger] = field(default_factory=list)
    measures_of: dict[t.Observation, list[t.Measure]] = field(default_factory=dict)
    left_out: list[NotMeasured] = field(default_factory=list)

    def audit(
        self, measures: Iterable[t.Measure], cases: Iterable[t.Case], scorers: Scorers, settings: Settings
    ) -> list[t.Estimate]:
        """The measures' estimates of texts in the place of summaries, adjusted among themselves. Their ledgers are stored."""
        run = Run(replace(settings, skips=True, n_extracts=0), list(measures), scorers)
        run.walk(iter(cases), ThisProcess())
        sort(run.ledgers)
        self.ledgers += run.ledgers
        self.measures_of |= run.measures_of
        return run.estimates(settings)[0]


# ------------------------------------------------------------------------ the scorers of measures


def checks_of(measure: t.Measure) -> tuple[ScorerCheck, ...]:
    """The declared checks, without checks of counted values."""
    checks = measure.declaration.scorer_checks
    return tuple(check for check in checks if check.settings_for(measure).get("scorer") not in WITHOUT_ASK)


def support_scorer_of(measure: t.Measure) -> str:
    """The scorer by which a measure decides whether documents support claims; empty if it decides otherwise."""
    checks = [check for check in checks_of(measure) if check.measure == SUPPORT]
    return checks[0].settings_for(measure)["scorer"] if checks else str(getattr(measure, "mapping", ""))


# ------------------------------------------------------------------------ counterfactual sources


NO_EXCHANGE = (
    "the scorers are not checked: no text can be rewritten from one of these groups to another, "
    "as it can for genders and for groups that the names of annotated people show"
)
A_MODEL = f"its scorer holds a model: --check-scorers lets it read up to {SOURCES} sources, once per group"


@dataclass(frozen=True, slots=True)
class Check:
    """The scorer bias measures over one attribute, and its groups.

    ``genders`` maps the input's words for women and men; empty if the ``values`` follow from names.
    ``serves`` gives the checks that concern a measure (by spec), those that are not made as well.
    """

    over: str
    values: tuple[str, ...]
    genders: Mapping[str, str]
    measures: tuple[ScorerBias, ...]
    serves: Mapping[str, Sequence[ScorerBias]]

    def exchange(self, records: Sequence[t.Record], seed: int) -> Counterfactuals:
        from fairbrief.people.counterfactual import exchange_genders, exchange_names

        if self.genders:
            return exchange_genders(records, self.over, self.genders, seed)
        return exchange_names(records, self.over, self.values, seed)


def plan_checks(
    measures: Sequence[t.Measure], head: Sequence[t.Case], scorers: Scorers, *, wanted: bool | None
) -> tuple[tuple[Check, ...], tuple[NotMeasured, ...]]:
    """The checks that the measures' scorers allow, one per attribute, and why others are not made.

    ``wanted``: True checks every scorer, False none, None those that hold no model.
    """
    if wanted is False:
        return (), ()
    known = attributes_of(head)
    checks, left_out = [], []
    for over, members in groupby(sorted(filter(checks_of, measures), key=_over), key=_over):
        genders, entities = _genders(over, known), known["entity"].get(over, ())
        if not genders and not 2 <= len(entities) <= MOST_VALUES:
            left_out.append(NotMeasured(f"scorer bias@{over}", NO_EXCHANGE))
            continue
        serves: dict[str, list[ScorerBias]] = {}
        for measure in members:
            pairs = [(c.measure, {**c.settings_for(measure), "over": over}) for c in checks_of(measure)]
            serves[repr(measure)] = [registry.make("measure", *pair) for pair in pairs]
        kept = []
        for check in {repr(check): check for several in serves.values() for check in several}.values():
            scorer = check.checked_scorer
            if wanted is None and scorer and ("spacy:" in scorer or scorers.holds_model(scorer)):
                left_out.append(NotMeasured(repr(check), A_MODEL))
            else:
                kept.append(check)
        if kept:
            checks.append(Check(over, tuple(sorted(genders or entities)), genders, tuple(kept), serves))
    return tuple(checks), tuple(left_out)


def take(checks: Sequence[Check], sample: Sources, scorers: Scorers, settings: Settings) -> Checked:
    """Let the scorers read the counterfactual sources of the sample."""
    read = f"counterfactual sources:{sample.most}, {sample.characters:g} characters"
    signed = replace(settings, signature=f"{settings.signature}|{read}")
    records, checked = sample.records(), Checked()
    for check in checks:
        try:
            made = check.exchange(records, settings.seed)
            why = "" if made.records else f"no source could be exchanged: {made.refused.most_common(1)[0][0]}"
            cases = (_source(r, EXCHANGED, known(r).source) for r in made.records)
            found = [] if why else checked.audit(check.measures, cases, scorers, signed)
        except MissingExtra as error:
            why = str(error)
        if why:
            checked.left_out.append(NotMeasured(f"scorer bias@{check.over}", why))
            continue
        for e in found:
            if wording.is_main_value(e):
                # What was exchanged in how many seed documents, and why not in others.
                alike = (t.Note("scorer_alike"),) if e.value == e.low == e.high == 0 else ()
                notes = (*e.notes, t.Note("exchanged", {"sources": dict(made.ways)}), *alike)
                e = e.replace(notes=notes, excluded={**made.refused, **e.excluded})
            checked.estimates.append(e)
    return checked


def bias_notes(checks: Sequence[Check], checked: Checked, alpha: float) -> NotesOf:
    """At main values: that a scorer of theirs by itself scores the groups differently."""
    own = {e.measure: e for e in checked.estimates if wording.is_main_value(e)}
    notes: dict[str, list[t.Note]] = {}
    for check in checks:
        for measure, served in check.serves.items():
            pairs = [(own[repr(made)], made) for made in served if repr(made) in own]
            notes[measure] = [note for e, made in pairs for note in _difference(e, made, check, alpha)]
    return lambda e: notes.get(e.measure, ()) if wording.is_main_value(e) else ()


def _source(record: t.Record, system: str, text: str) -> t.Case:
    """A text of a record in the place of a summary; only versions of one seed document belong together."""
    return t.Case(replace(record, cluster_by=None), t.Summary(record.id, system, text, system_kind=KIND))


def _over(measure: t.Measure) -> str:
    """The attribute of a measure's groups; where they are in the words of a text, gender."""
    return t.over_of(measure) or GENDER


def _genders(over: str, known: Mapping[str, Mapping[str, Counter[str]]]) -> dict[str, str]:
    """The attribute's words for women and men, whoever has it, the commonest first; empty where it has none."""
    tally = sum((found.get(over, Counter()) for found in known.values()), Counter[str]())
    if over == GENDER and not tally:
        return {"female": "female", "male": "male"}
    return genders_of(value for value, _ in tally.most_common())


def _difference(e: t.Estimate, made: ScorerBias, check: Check, alpha: float) -> Sequence[t.Note]:
    """The note at a measure whose scorer by itself scores the groups differently; none if it does not.

    Two groups differ if the interval of their signed difference excludes zero, several if p is small.
    """
    if e.value is None or e.low is None or e.high is None:
        return ()
    value, low, high = e.value, e.low, e.high
    differs, says = low > 0 or high < 0, f"scores the groups of {check.over} differently, by up to"
    if len(check.values) > 2:
        differs = e.p is not None and e.p <= alpha
    else:
        first, second = check.values
        if value < 0:
            first, second, value, low, high = second, first, -value, -high, -low
        says = f"{made.finding.format(first=first, second=second)}, by"
    arguments = {"scorer": made.checked_scorer, "says": says, "value": value, "low": low, "high": high}
    return (t.Note("scorer_differs", {**arguments, "sources": e.n}),) if differs else ()


# -------------------------------------------------------------------------- self-retrieval


SENTENCES, MOST_OF_ONE = 200, 5
"""One sentence per document in this many records; up to five per document in fewer records."""


def retrieve(
    measures: Sequence[t.Measure], sample: Sources, scorers: Scorers, settings: Settings
) -> tuple[Checked, NotesOf]:
    """How often scorers of support find paraphrased sentences of each group in their document; with notes for primary group
    differences whose scorer finds sentences of the group more or less often than others, since this may explain them.

    Empty if sentences cannot be paraphrased. No per-record statistics are stored.
    """
    checked, serves = Checked(), dict[str, ScorerBiasRetrieval]()
    records, why = sample.records(), why_not(languages.usual())
    for measure in measures if records else ():
        scorer, over = support_scorer_of(measure), t.over_of(measure)
        if not (scorer and over) or measure.declaration.attribute_of != "document":
            continue
        if why:
            checked.left_out.append(NotMeasured(f"self-retrieval@{over}", why.removesuffix(".")))
            continue
        each = min(MOST_OF_ONE, max(1, SENTENCES // len(records)))
        serves[repr(measure)] = ScorerBiasRetrieval(over, scorer, each)
    checked.left_out = list(dict.fromkeys(checked.left_out))
    signed = replace(settings, signature=f"{settings.signature}|paraphrased sources:{len(records)}")
    cases = (_source(replace(record, seed_document=None), PARAPHRASED, "") for record in records)
    checked.estimates = checked.audit(dict.fromkeys(serves.values()), cases, scorers, signed)
    by_quantity = {(e.measure, e.quantity): e for e in checked.estimates}

    def notes_of(e: t.Estimate) -> Sequence[t.Note]:
        check = serves.get(e.measure)
        gap, mean = (by_quantity.get((repr(check), f"{of}[{e.group}]")) for of in ("difference", "mean"))
        if check is None or not e.is_primary or e.baseline or gap is None or mean is None:
            return ()
        # Of two groups the difference of one is that of the other: one test, which is the headline's.
        main_value = by_quantity[repr(check), check.name]
        p = main_value.p_adjusted if main_value.kind == "group_difference" else gap.p_adjusted
        if gap.value is None or mean.value is None or p is None or p > settings.alpha:
            return ()
        arguments = {
            "scorer": check.scorer, "group": e.group, "share": mean.value, "others": mean.value - gap.value,
            "value": gap.value, "low": gap.low, "high": gap.high, "p": p,
            "explains": gap.value * decisive(e)[1] > 0,
        }  # fmt: skip
        return (t.Note("scorer_retrieves", arguments),)

    return checked, notes_of


# -------------------------------------------------------------------- what a scorer finds


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


def reach_of(
    measures: Sequence[t.Measure], sample: Sources, scorers: Scorers, *, wanted: bool | None
) -> list[dict[str, Any]]:
    """What each scorer of support finds: by author the ``claims``, the mean ``support`` by the best document, and ``share_found``.

    A claim is found if its best document supports it more than the ``cutoff``, which 95 % of the systems' claims do not reach in
    another record's documents. Fewer than `FEWEST` records have no entry, nor has a scorer that holds a model or was given as
    an object unless it is ``wanted``.
    """
    entries: dict[tuple[str, type], dict[str, Any]] = {}
    for observation, several in by_observation(measures).items():
        scorer = support_scorer_of(several[0])
        if not scorer or (not scorers.is_cheap(scorer) and not wanted):
            continue
        key, names = (scorer, type(observation)), [repr(measure) for measure in several]
        if key in entries:
            entries[key]["measures"] += names
        elif entry := _entry(observation, sample, scorers):
            entries[key] = {"scorer": scorer, "measures": names, **entry}
    return list(entries.values())


def _entry(observation: t.Observation, sample: Sources, scorers: Scorers) -> dict[str, Any]:
    """The authors of a sample of records; nothing where there are too few of these."""
    found = [(record, _ask(observation, sample.cases(record))) for record in sample.records()]
    records = [(record, ask, _claims(observation, record, sample)) for record, ask in found if ask]
    if len(records) < FEWEST:
        return {}
    asks = []
    for i, (_, ask, claims) in enumerate(records):
        columns = tuple(text for _, text in claims)
        for_both = (ask.rows, records[i - 1][1].rows)
        asks += [msgspec.structs.replace(ask, rows=rows, columns=columns) for rows in for_both]
    answers = iter(scorers[asks[0].scorer].answer(asks))
    authors: dict[str, list[tuple[float, str, str]]] = {}
    """Claims by author: how well the best document supports each, record, and text."""
    for record, _, claims in records:
        here, there = (next(answers).by_column(len(claims)).max(axis=0).tolist() for _ in range(2))
        for (author, text), support, other in zip(claims, here, there, strict=True):
            authors.setdefault(author, []).append((support, record.id, text))
            if author not in BESIDE:
                authors.setdefault(ELSEWHERE, []).append((other, record.id, text))
    cutoff = float(np.quantile([support for support, *_ in authors[ELSEWHERE]], LEVEL))
    last = [author for author in (*BESIDE, ELSEWHERE) if author in authors]
    rows = []
    for author in [*sorted(authors.keys() - set(last)), *last]:
        supports = np.array([support for support, *_ in authors[author]])
        # The examples are those that are supported least.
        missing = sorted(claim for claim in authors[author] if claim[0] <= cutoff)
        shown = missing[: 0 if author == ELSEWHERE else EXAMPLES]
        rows.append({
            "author": author, "claims": len(supports), "support": float(supports.mean()),
            "share_found": float((supports > cutoff).mean()),
            "examples": [{"record": record, "text": text, "support": support} for support, record, text in shown],
        })  # fmt: skip
    return {"records": len(records), "cutoff": cutoff, "authors": rows}


def _ask(observation: t.Observation, cases: Sequence[t.Case]) -> t.Ask | None:
    """How the observation scores a summary against the documents; None if it does not."""
    for case in cases:
        try:
            asks = observation.asks((case,))
        except DataError:
            continue
        if asks and asks[0].rows:
            return asks[0]
    return None


def _claims(observation: t.Observation, record: t.Record, sample: Sources) -> list[tuple[str, str]]:
    """The claims of all authors and of the sources, each with its author."""
    cases = sample.cases(record)
    units = str(getattr(observation, "claims", "sentences"))
    claims = [(case.summary.system, text) for case in cases for text in claims_of(case.summary, units)]
    if not any(case.summary.system.startswith(f"{t.REFERENCE} ") for case in cases):
        claims += [(REFERENCES, text) for reference in record.references for text in sentences_of(reference)]
    long = [text for document in record.documents for text in long_sentences(document.text)]
    chosen = rng_of(sample.seed, "reach", record.id).permutation(len(long))[:FROM_SOURCES]
    return [*claims, *((OF_SOURCES, long[i]) for i in sorted(chosen.tolist()))]
