"""The check of instruments: each judge reads counterfactual sources, alike but for the group.

What it reads differently there is its own, and stands beside the results that rest on it. Nothing is subtracted:
how a judge's own reading enters a measure is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from fairbrief import registry
from fairbrief.auditing import adjusting, estimating
from fairbrief.auditing.choosing import MOST_VALUES, attributes_of
from fairbrief.auditing.ledger import CONTROL, WHOLE, Ledger, Origin
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.sources import SOURCES, Sources
from fairbrief.corpora.people import Counterfactuals, exchange_genders, exchange_names, genders_of
from fairbrief.engines.cache import Cached, is_cacheable
from fairbrief.errors import MissingExtra
from fairbrief.nouns import Case, Estimate, Measure, Observation, Record, Scorer, Summary
from fairbrief.reports import numerals, words
from fairbrief.reports.result import LeftOut
from fairbrief.statistics import LabelDraws
from fairbrief.text.counted import counted

SYSTEM = f"{CONTROL}counterfactual sources"
GENDER = "gender"
"""What a group is called that an input names by its words alone."""
ALIKE = f"{words.OF_THE_JUDGE} reads the versions of every source exactly alike"
NO_EXCHANGE = (
    "the judges are not checked: no text can be rewritten from one of these values to another, "
    "as it can for genders and for groups that the names of annotated people tell"
)
A_MODEL = (
    f"its judge holds a model: --check-instruments lets it read up to {SOURCES} sources, each once per group"
)


@dataclass(frozen=True, slots=True)
class Check:
    """The instruments that are checked over one attribute, and its groups.

    ``genders`` maps the input's words for women and men; empty where names alone tell the ``values``.
    ``serves`` says which instruments a measure (by its spelling) relies on.
    """

    over: str
    values: tuple[str, ...]
    genders: Mapping[str, str]
    measures: tuple[Measure, ...]
    serves: Mapping[str, tuple[str, ...]]

    def exchange(self, records: Sequence[Record], seed: int) -> Counterfactuals:
        if self.genders:
            return exchange_genders(records, self.over, self.genders, seed)
        return exchange_names(records, self.over, self.values, seed)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: estimates with their ledgers, and what could not be checked."""

    estimates: tuple[Estimate, ...] = ()
    ledgers: tuple[Ledger, ...] = ()
    readers: Mapping[Observation, Sequence[Measure]] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


def plan_checks(
    measures: Sequence[Measure], head: Sequence[Case], scorers: Mapping[str, Scorer], *, wanted: bool | None
) -> tuple[tuple[Check, ...], tuple[LeftOut, ...]]:
    """The checks that the measures' judges allow, one per attribute, and why others are not made.

    ``wanted``: True checks every judge, False none, None those that hold no model.
    """
    if wanted is False:
        return (), ()
    known = attributes_of(head)
    checks, left_out = [], []
    told = [m for m in measures if getattr(m, "instruments", None)]
    for over, members in groupby(sorted(told, key=_over), key=_over):
        genders = _genders(over, known)
        if not genders and not 2 <= len(known["entity"].get(over, ())) <= MOST_VALUES:
            left_out.append(LeftOut(f"instruments@{over}", NO_EXCHANGE))
            continue
        found, serves = _instruments(members, over)
        heavy = [b for b in found.values() if wanted is None and _holds_model(b, scorers)]
        left_out += [LeftOut(repr(b), A_MODEL) for b in heavy]
        kept = tuple(b for b in found.values() if b not in heavy)
        if kept:
            groups = tuple(genders) or tuple(sorted(known["entity"][over]))
            checks.append(Check(over, tuple(sorted(groups)), genders, kept, serves))
    return tuple(checks), tuple(left_out)


def take(
    checks: Sequence[Check], sample: Sources, scorers: Mapping[str, Scorer], settings: estimating.Settings
) -> Checked:
    """Let the judges read the counterfactual sources of the sample."""
    signed = replace(
        settings,
        signature=f"{settings.signature}|counterfactual sources:{sample.most}, {sample.characters:g} characters",
    )
    records = sample.records()
    taken = [_checked(check, records, scorers, signed) for check in checks]
    return Checked(
        tuple(e for one in taken for e in one.estimates),
        tuple(ledger for one in taken for ledger in one.ledgers),
        {observation: measures for one in taken for observation, measures in one.readers.items()},
        tuple(out for one in taken for out in one.left_out),
    )


def with_instruments(
    estimates: Iterable[Estimate], checks: Sequence[Check], checked: Checked, alpha: float
) -> list[Estimate]:
    """The estimates; a headline whose judge by itself reads the groups differently says so."""
    built = {repr(m): m for check in checks for m in check.measures}
    own = {e.measure: e for e in checked.estimates if words.is_headline(e)}
    notes: dict[str, tuple[str, ...]] = {}
    for check in checks:
        for measure, served in check.serves.items():
            differing = [own[s] for s in served if s in own and _differs(own[s], check, alpha)]
            notes[measure] = tuple(_beside(e, built[e.measure], check) for e in differing)
    return [
        replace(e, notes=(*e.notes, *notes[e.measure]))
        if words.is_headline(e) and notes.get(e.measure)
        else e
        for e in estimates
    ]


# ------------------------------------------------------------------------------------- the steps


def _checked(
    check: Check, records: Sequence[Record], scorers: Mapping[str, Scorer], settings: estimating.Settings
) -> Checked:
    """One attribute's check; or why none could be made."""

    def without(reason: str) -> Checked:
        return Checked(left_out=(LeftOut(f"instruments@{check.over}", reason),))

    try:
        made = check.exchange(records, settings.seed)
    except MissingExtra as error:
        return without(str(error))
    if not made.records:
        ((reason, _),) = made.refused.most_common(1)
        return without(f"no source could be exchanged: {reason}")
    readers: dict[Observation, list[Measure]] = {}
    for measure in check.measures:
        readers.setdefault(measure.observation, []).append(measure)
    ledgers = _observed(list(readers), made.records, scorers, settings)
    found = [
        e
        for ledger in ledgers
        for e in estimating.estimate(
            readers[ledger.observation], parts_of(ledger, ())[SYSTEM, WHOLE], settings
        )
    ]
    families = [adjusting.family_of(e, is_headline=words.is_headline(e), is_control=True) for e in found]
    adjusted = adjusting.with_holm(found, families, settings)
    return Checked(tuple(_described(e, made) for e in adjusted), tuple(ledgers), readers)


def _over(measure: Measure) -> str:
    """The attribute of a measure's groups; where they are in the words of a text, gender."""
    return str(getattr(measure, "over", "") or GENDER)


def _genders(over: str, known: Mapping[str, Mapping[str, Counter[str]]]) -> dict[str, str]:
    """The attribute's words for women and men, whoever has it, the commonest first; empty where it has none."""
    tally: Counter[str] = Counter()
    for found in known.values():
        tally.update(found.get(over, Counter()))
    if over == GENDER and not tally:
        return {"female": "female", "male": "male"}
    return genders_of(value for value, _ in tally.most_common())


def _instruments(
    measures: Iterable[Measure], over: str
) -> tuple[dict[str, Measure], dict[str, tuple[str, ...]]]:
    """The instruments that measures rely on, by spelling; and which of them each measure does."""
    found: dict[str, Measure] = {}
    serves: dict[str, tuple[str, ...]] = {}
    for measure in measures:
        built = [
            registry.make("measure", name, {**settings, "over": over})
            for name, settings in getattr(measure, "instruments", {}).items()
        ]
        serves[repr(measure)] = tuple(repr(b) for b in built)
        found |= {repr(b): b for b in built}
    return found, serves


def _holds_model(instrument: Any, scorers: Mapping[str, Scorer]) -> bool:
    judge = str(getattr(instrument, "judge", ""))
    if not judge:
        return False
    if "spacy:" in judge:
        return True
    return isinstance(scorers[judge], Cached) or is_cacheable(scorers[judge])


def _observed(
    observations: Sequence[Observation],
    records: Sequence[Record],
    scorers: Mapping[str, Scorer],
    settings: estimating.Settings,
) -> list[Ledger]:
    """The versions of each original into ledgers, together."""
    ledgers = [Ledger(observation, settings.draws) for observation in observations]
    draws = LabelDraws(max(settings.draws, 1), settings.seed)
    versions: dict[str, list[Case]] = {}
    for record in records:
        text = "\n".join(d.text for d in record.documents)
        versions.setdefault(record.cluster, []).append(Case(record, Summary(record.id, SYSTEM, text)))
    units = [(cases, Origin(SYSTEM, name, name)) for name, cases in versions.items()]
    observer = Observer(scorers, draws, skips=True, trial=True, at_once=len(units))
    for ledger in ledgers:
        observer.observe(ledger, units if ledger.observation.scope == "cluster" else ())
    return ledgers


def _described(e: Estimate, made: Counterfactuals) -> Estimate:
    """The estimate with what was exchanged in how many originals, and why not in others."""
    if not words.is_headline(e):
        return e
    ways = "; ".join(f"{way} were exchanged in {counted(n, 'source')}" for way, n in made.ways.items())
    notes = (*e.notes, ways)
    if e.value == e.low == e.high == 0:
        notes = (*notes, ALIKE)
    return replace(e, notes=notes, excluded={**made.refused, **e.excluded})


def _differs(e: Estimate, check: Check, alpha: float) -> bool:
    """Whether the interval of a signed difference excludes zero; of several groups, whether p is small."""
    if e.value is None or e.low is None or e.high is None:
        return False
    if len(check.values) > 2:
        return e.p is not None and e.p <= alpha
    return e.low > 0 or e.high < 0


def _beside(e: Estimate, instrument: Any, check: Check) -> str:
    """The note at a measure: what its judge reads by itself."""
    judge = getattr(instrument, "judge", "") or e.measure
    if len(check.values) > 2:
        says = f"reads the groups of {check.over} differently, by up to"
    else:
        first, second = check.values
        if (e.value or 0) < 0:
            first, second = second, first
            e = replace(e, value=-(e.value or 0), low=-(e.high or 0), high=-(e.low or 0))
        says = (
            f"{instrument.told(first, second)}, by"
            if hasattr(instrument, "told")
            else "reads the groups differently, by"
        )
    return (
        f"{words.OF_THE_JUDGE} itself ({judge}) {says} {numerals.value(e)} {numerals.interval(e)} on {counted(e.n, 'source')} "
        "whose versions differ in the group alone: part of this value may be its own"
    )
