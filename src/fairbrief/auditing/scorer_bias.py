"""Scorer bias checks: each scorer scores counterfactual sources, which differ only in the group.

A difference on them is due to the scorer, and is noted at the results that use it. Nothing is
subtracted, because the effect of a scorer's bias on a measure is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from fairbrief import registry
from fairbrief.auditing import estimating, multiple_tests
from fairbrief.auditing.grouping import by_observation
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.measure_selection import MOST_VALUES, attributes_of
from fairbrief.auditing.notes import NotesOf
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.origins import WHOLE, Origin
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.sanity_baselines import sanity_baseline_name
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.watchers import SOURCES, Sources
from fairbrief.declarations import ScorerCheck
from fairbrief.errors import MissingExtra
from fairbrief.measures.representation import WITHOUT_ASK
from fairbrief.measures.scorer_bias import ScorerBias
from fairbrief.reports import wording
from fairbrief.reports.result import NotMeasured
from fairbrief.statistics import LabelDraws
from fairbrief.text.names import genders_of
from fairbrief.types import Case, Estimate, Measure, Note, Observation, Record, Scorer, Summary, SystemKind

if TYPE_CHECKING:
    from fairbrief.people.counterfactual import Counterfactuals

SYSTEM = sanity_baseline_name("counterfactual sources")
KIND: SystemKind = "counterfactual source"
GENDER = "gender"
"""Names of groups that the input implies only by its words."""
NO_EXCHANGE = (
    "the scorers are not checked: no text can be rewritten from one of these groups to another, "
    "as it can for genders and for groups that the names of annotated people tell"
)
A_MODEL = (
    f"its scorer holds a model: --check-scorers lets it read up to {SOURCES} sources, each once per group"
)


@dataclass(frozen=True, slots=True)
class Check:
    """The scorer bias measures over one attribute, and its groups.

    ``genders`` maps the input's words for women and men; empty if the ``values`` follow from names.
    ``serves`` gives the checks that concern a measure (by spec).
    """

    over: str
    values: tuple[str, ...]
    genders: Mapping[str, str]
    measures: tuple[ScorerBias, ...]
    serves: Mapping[str, tuple[str, ...]]

    def exchange(self, records: Sequence[Record], seed: int) -> Counterfactuals:
        from fairbrief.people.counterfactual import exchange_genders, exchange_names

        if self.genders:
            return exchange_genders(records, self.over, self.genders, seed)
        return exchange_names(records, self.over, self.values, seed)


@dataclass(slots=True)
class Checked:
    """The results of checks: estimates with their ledgers, and what could not be checked."""

    estimates: list[Estimate] = field(default_factory=list)
    ledgers: list[Ledger] = field(default_factory=list)
    readers: dict[Observation, list[Measure]] = field(default_factory=dict)
    left_out: list[NotMeasured] = field(default_factory=list)


def plan_checks(
    measures: Sequence[Measure], head: Sequence[Case], scorers: Scorers, *, wanted: bool | None
) -> tuple[tuple[Check, ...], tuple[NotMeasured, ...]]:
    """The checks that the measures' scorers allow, one per attribute, and why others are not made.

    ``wanted``: True checks every scorer, False none, None those that hold no model.
    """
    if wanted is False:
        return (), ()
    known = attributes_of(head)
    checks, left_out = [], []
    told = [m for m in measures if checks_of(m)]
    for over, members in groupby(sorted(told, key=_over), key=_over):
        genders = _genders(over, known)
        if not genders and not 2 <= len(known["entity"].get(over, ())) <= MOST_VALUES:
            left_out.append(NotMeasured(f"scorer bias@{over}", NO_EXCHANGE))
            continue
        found, serves = _scorer_checks(members, over)
        heavy = [b for b in found.values() if wanted is None and _holds_model(b, scorers)]
        left_out += [NotMeasured(repr(b), A_MODEL) for b in heavy]
        kept = tuple(b for b in found.values() if b not in heavy)
        if kept:
            groups = tuple(genders) or tuple(sorted(known["entity"][over]))
            checks.append(Check(over, tuple(sorted(groups)), genders, kept, serves))
    return tuple(checks), tuple(left_out)


def take(
    checks: Sequence[Check], sample: Sources, scorers: Mapping[str, Scorer], settings: estimating.Settings
) -> Checked:
    """Let the scorers read the counterfactual sources of the sample."""
    signed = replace(
        settings,
        signature=f"{settings.signature}|counterfactual sources:{sample.most}, {sample.characters:g} characters",
    )
    records, checked = sample.records(), Checked()
    for check in checks:
        try:
            made = check.exchange(records, settings.seed)
        except MissingExtra as error:
            checked.left_out.append(NotMeasured(f"scorer bias@{check.over}", str(error)))
            continue
        if not made.records:
            ((reason, _),) = made.refused.most_common(1)
            reason = f"no source could be exchanged: {reason}"
            checked.left_out.append(NotMeasured(f"scorer bias@{check.over}", reason))
            continue
        readers = by_observation(check.measures)
        ledgers = _observed(list(readers), made.records, scorers, signed)
        checked.estimates += [_described(e, made) for e in estimates_of(ledgers, readers, signed)]
        checked.ledgers += ledgers
        checked.readers |= readers
    return checked


def bias_notes(checks: Sequence[Check], checked: Checked, alpha: float) -> NotesOf:
    """At main values: that a scorer of theirs by itself scores the groups differently."""
    built = {repr(m): m for check in checks for m in check.measures}
    own = {e.measure: e for e in checked.estimates if wording.is_main_value(e)}
    notes: dict[str, tuple[Note, ...]] = {}
    for check in checks:
        for measure, served in check.serves.items():
            differing = [own[s] for s in served if s in own and _differs(own[s], check, alpha)]
            notes[measure] = tuple(_beside(e, built[e.measure], check) for e in differing)
    return lambda e: notes.get(e.measure, ()) if wording.is_main_value(e) else ()


# ------------------------------------------------------------------------------------- the steps


def estimates_of(
    ledgers: Sequence[Ledger],
    readers: Mapping[Observation, Sequence[Measure]],
    settings: estimating.Settings,
    system: str = SYSTEM,
) -> list[Estimate]:
    """The scorer bias measures' estimates, adjusted among themselves."""
    found = [
        e
        for ledger in ledgers
        for e in estimating.estimate(
            readers[ledger.observation], parts_of(ledger, (), settings.seed)[system, WHOLE], settings
        )
    ]
    families = [
        multiple_tests.family_of(e, is_main_value=wording.is_main_value(e), is_sanity_baseline=True)
        for e in found
    ]
    return multiple_tests.with_holm(found, families, settings)


def checks_of(measure: Measure) -> tuple[ScorerCheck, ...]:
    """The declared checks, without checks of counted values."""
    checks = measure.declaration.scorer_checks
    return tuple(check for check in checks if check.settings_for(measure).get("scorer") not in WITHOUT_ASK)


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


def _scorer_checks(
    measures: Iterable[Measure], over: str
) -> tuple[dict[str, ScorerBias], dict[str, tuple[str, ...]]]:
    """The scorer bias measures that measures rely on, by spec; and which of them each measure does."""
    found: dict[str, ScorerBias] = {}
    serves: dict[str, tuple[str, ...]] = {}
    for measure in measures:
        built = [
            registry.make("measure", check.measure, {**check.settings_for(measure), "over": over})
            for check in checks_of(measure)
        ]
        serves[repr(measure)] = tuple(repr(b) for b in built)
        found |= {repr(b): b for b in built}
    return found, serves


def _holds_model(check_measure: ScorerBias, scorers: Scorers) -> bool:
    scorer = check_measure.checked_scorer
    return bool(scorer) and ("spacy:" in scorer or scorers.holds_model(scorer))


def _observed(
    observations: Sequence[Observation],
    records: Sequence[Record],
    scorers: Mapping[str, Scorer],
    settings: estimating.Settings,
) -> list[Ledger]:
    """The versions of each seed document into ledgers, together."""
    ledgers = [Ledger(observation, settings.n_resamples) for observation in observations]
    label_draws = LabelDraws(max(settings.n_resamples, 1), settings.seed)
    versions: dict[str, list[Case]] = {}
    for record in records:
        text = "\n".join(d.text for d in record.documents)
        versions.setdefault(record.seed_id, []).append(
            Case(record, Summary(record.id, SYSTEM, text, system_kind=KIND))
        )
    units = [(cases, Origin(SYSTEM, name, name, system_kind=KIND)) for name, cases in versions.items()]
    observer = Observer(scorers, label_draws, skips=True, trial=True, at_once=len(units))
    for ledger in ledgers:
        observer.observe(ledger, units if ledger.observation.declaration.scope == "cluster" else ())
    return ledgers


def _described(e: Estimate, made: Counterfactuals) -> Estimate:
    """The estimate with what was exchanged in how many seed documents, and why not in others."""
    if not wording.is_main_value(e):
        return e
    notes = (*e.notes, Note("exchanged", {"sources": dict(made.ways)}))
    if e.value == e.low == e.high == 0:
        notes = (*notes, Note("scorer_alike"))
    return e.replace(notes=notes, excluded={**made.refused, **e.excluded})


def _differs(e: Estimate, check: Check, alpha: float) -> bool:
    """Whether the interval of a signed difference excludes zero; of several groups, whether p is small."""
    if e.value is None or e.low is None or e.high is None:
        return False
    if len(check.values) > 2:
        return e.p is not None and e.p <= alpha
    return e.low > 0 or e.high < 0


def _beside(e: Estimate, check_measure: ScorerBias, check: Check) -> Note:
    """The note at a measure: how its scorer by itself scores the groups."""
    scorer = check_measure.checked_scorer
    if len(check.values) > 2:
        says = f"scores the groups of {check.over} differently, by up to"
    else:
        first, second = check.values
        if (e.value or 0) < 0:
            first, second = second, first
            e = e.replace(value=-(e.value or 0), low=-(e.high or 0), high=-(e.low or 0))
        says = f"{check_measure.told(first, second)}, by"
    told = {"scorer": scorer, "says": says, "value": e.value, "low": e.low, "high": e.high, "sources": e.n}
    return Note("scorer_differs", told)
