"""What measures and observations declare of themselves, for whoever carries, chooses, tests, draws and words them.

Plug-ins fill these in like built-ins; `fairbrief.types` has what they implement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Scope = Literal["case", "block", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationDeclaration:
    """What an observation is, for the audit that carries it; plug-ins fill it in like built-ins.

    ``scope`` is ``case`` (each case is a unit), ``cluster`` (all counterfactuals of one seed document are) or ``block``: the
    counterfactuals of one seed document that share the record attribute ``sample`` are (a pair filled with exchanged
    groups, say); a record without it is a block by itself. ``version`` rises when the numbers change.
    ``tests_units`` names the column, if any, that is also tested in each unit alone, upper tail, over all its
    label permutations; the audit then adds the columns ``("testable",)``, ``("significant",)`` and
    ``("expected_significant",)`` to the unit's row. ``tests_within`` names a statistic of 0 and 1 by whose values these
    three are counted as well: ``("testable", value)``. With ``tests_strictly`` a unit's p is the share of its label
    permutations that score higher, without those that score the same, and every unit counts as testable. ``chance_means`` are columns whose mean over a unit's
    permutations is kept beside its row, as ``("by chance", *column)``. A unit with a score that is not finite is left
    out, unless ``reads_unstated`` says that nan, a reply without a score, is for the observation to name.
    """

    scope: Scope
    version: int
    tests_units: tuple[str, ...] | None = None
    tests_within: str = ""
    tests_strictly: bool = False
    chance_means: tuple[tuple[str, ...], ...] = ()
    reads_unstated: bool = False


Direction = Literal["less", "more", "nearer zero"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerCheck:
    """How a measure has one of its scorers checked: which measure of scorer bias, with which settings.

    ``given`` maps a setting of the check to the field of the measure that it takes its value from;
    ``fixed`` holds settings that are always the same.
    """

    measure: str
    given: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)

    def settings_for(self, measure: object) -> dict[str, str]:
        """The settings with which this measure is checked."""
        return {**{key: str(getattr(measure, name)) for key, name in self.given.items()}, **self.fixed}


ContrastUnit = Literal["percent", "points", "odds", "plain"]
"""How the size of a contrast is written: a share as per cent or in points, a logarithm of odds as times, or a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastWords:
    """How a measure's signed contrasts are said to readers who know nothing of it.

    In these texts ``{size}`` stands for the size, ``{system}`` for the system, ``{group}`` for the group with its
    attribute ("2 stars", "gender female"), and ``{first}`` and ``{second}`` for the sides of a contrast of two groups.
    """

    question: str = "Which groups lie below, which above?"
    unit: ContrastUnit = "plain"
    below: str = "{size} below"
    """What a contrast below zero says of its group; ``above`` likewise."""
    above: str = "{size} above"
    even: str = "no difference"
    """What zero means."""
    sentence: str = "In summaries by {system}, {group} is {said}"
    """The whole finding; ``{said}`` stands for ``below`` or ``above``."""
    random: str = "would give {reads}"
    """What a random pick of sentences does; ``{reads}`` stands for its size and direction."""
    worse_below: str = "{group}"
    """Who is worse off where a contrast lies below zero; empty: nobody."""
    worse_above: str = ""
    rates: str = ""
    """The quantity that has a plain rate for every group (``inclusion``), said beside odds; empty: none."""
    rate: str = "{rate} {group}"
    """One group's plain rate; ``{rate}`` is ``42 of 100``."""
    baseline: str = "the permutation mean"
    """What a contrast is tested against where no random sentences are observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a measure is, for whoever chooses, tests, draws and reports it; plug-ins fill it in like built-ins.

    ``family`` heads its section of a report. ``question`` is what it measures, as the end of a sentence
    ("how far …"); ``harm`` what a gap would mean for people. ``attribute_of`` says whose attribute ``over``
    is. ``on_request`` is empty, or says why the measure is taken only when it is asked for by name.
    ``better`` says which way is better where the headline's tail does not tell (a level that should be
    small). ``figures`` names the figures that a report draws of it (`fairbrief.reports.figures.KINDS`).
    ``scorer_checks`` have the audit check its scorers on sources that differ only in the group;
    ``checks_scorer`` is True of the measures that do that. ``contrast`` words its signed contrasts, which begin a
    report. ``needs_order`` is True of measures of where in the sources something stands, which say nothing where a record's
    documents have no order. ``judges_support`` says that its scorer decides which documents support what a summary says: reports
    show what the scorer's card says of that.
    ``items`` is what `Value.present` counts: ``documents``, ``people``, ``texts``, or ``records``.
    """

    family: str
    question: str = ""
    harm: str = ""
    attribute_of: Literal["document", "record", "entity"] = "document"
    on_request: str = ""
    better: Direction | None = None
    figures: tuple[str, ...] = ()
    scorer_checks: tuple[ScorerCheck, ...] = ()
    checks_scorer: bool = False
    contrast: ContrastWords = ContrastWords()
    needs_order: bool = False
    judges_support: bool = False
    items: str = "records"
