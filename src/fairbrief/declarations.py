"""Declarations of measures and observations, for the audit and the reports.

Plug-ins declare the same as built-ins; `fairbrief.types` has the protocols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

Scope = Literal["case", "block", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationDeclaration:
    """The declaration of an observation.

    ``scope`` is the unit: ``case`` (each case), ``cluster`` (all counterfactuals of one seed document) or ``block`` (the counterfactuals
    of one seed document with the same record attribute ``sample``, such as a pair with exchanged groups; a record without it
    is a block). ``version`` rises when the numbers change.
    ``tests_units`` names the column, if any, that is also tested in each unit, upper tail, over all its
    label permutations; the audit then adds the columns ``("testable",)``, ``("significant",)`` and
    ``("expected_significant",)`` to the unit's row. ``tests_within`` names a statistic of 0 and 1 by whose values these
    three are counted as well: ``("testable", value)``. With ``tests_strictly`` a unit's p is the share of its label
    permutations with a larger value, without ties, and every unit counts as testable. ``chance_means`` are columns whose
    mean over a unit's permutations is stored with its row, as ``("by chance", *column)``. A unit with a score that is not
    finite is excluded, unless ``reads_unstated`` is set: then the observation handles nan, a reply without a score.
    Random extracts are drawn for units that ask scorers; with ``draws_unscored`` also for those that ask none.
    """

    scope: Scope = "case"
    version: int = 1
    tests_units: tuple[str, ...] | None = None
    tests_within: str = ""
    tests_strictly: bool = False
    chance_means: tuple[tuple[str, ...], ...] = ()
    reads_unstated: bool = False
    draws_unscored: bool = False

    def replace(self, **changes: Any) -> Self:
        """The same with other values in some fields."""
        return replace(self, **changes)


Direction = Literal["less", "more", "nearer zero"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerCheck:
    """How a measure's scorer is checked: the measure of scorer bias and its settings.

    ``given`` maps settings of the check to fields of the measure; ``fixed`` are constant settings.
    """

    measure: str
    given: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)

    def settings_for(self, measure: object) -> dict[str, str]:
        """The settings of the check of this measure."""
        return {**{key: str(getattr(measure, name)) for key, name in self.given.items()}, **self.fixed}


ContrastUnit = Literal["percent", "points", "odds", "plain"]
"""The format of a group difference: percent, percentage points, a ratio of odds, or a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastWords:
    """How a measure's group differences are worded for readers who do not know the measure.

    ``{size}`` is replaced by the size, ``{system}`` by the system, ``{group}`` by the group with its attribute
    ("2 stars", "gender female"), and ``{first}`` and ``{second}`` by the two groups that are compared.
    """

    title: str = ""
    """What the numbers of a table are, "coverage relative to the average document"; empty: the measure's family."""
    question: str = "Which groups have lower values, which have higher ones?"
    unit: ContrastUnit = "plain"
    below: str = "{size} below"
    """The words for a difference below zero; ``above`` has those for one above zero."""
    above: str = "{size} above"
    even: str = "no difference"
    """What zero means."""
    sentence: str = "In summaries by {system}, {group} is {difference}"
    """The whole finding; ``{difference}`` is replaced by ``below`` or ``above``."""
    worse_below: str = "{group}"
    """Who gets less where a difference is below zero; empty: nobody."""
    worse_above: str = ""
    rates: str = ""
    """The quantity that is the plain rate of each group (``inclusion``), shown with odds; empty: none."""
    rate: str = "{rate} {group}"
    """One group's plain rate; ``{rate}`` is ``42 of 100``."""
    baseline: str = "the permutation mean"
    """What a difference is tested against where there is no random-sentence baseline."""

    def replace(self, **changes: Any) -> Self:
        """The same with other values in some fields."""
        return replace(self, **changes)

    @property
    def worse_side(self) -> Literal["below", "above"]:
        """On which side of the baseline groups are worse off: above it if only those are."""
        return "above" if self.worse_above and not self.worse_below else "below"


TEXTS_OF_TWO_GROUPS = ContrastWords(
    sentence="In summaries by {system}, {difference}",
    worse_below="{first} texts",
    worse_above="{second} texts",
)
"""The common words of differences between texts of two groups; a measure replaces the others."""


SHARES_OF_TEXTS = ContrastWords(
    title="share of the summary minus share of the sources",
    question="What gets less room in the summaries than in the sources?",
    unit="points",
    below="{size} less of the summary than of the sources",
    above="{size} more of the summary than of the sources",
    even="as much of the summary as of the sources",
    sentence="In summaries by {system}, {group} gets {difference}",
)
"""The words of differences between shares of the summary and of the sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(ObservationDeclaration):
    """The declaration of a measure, for selection, tests, figures and reports.

    A measure that is its own observation also sets the fields of `ObservationDeclaration`; otherwise those of its observation count.
    ``family`` heads its section of a report. ``question`` is what it measures, as the end of a sentence
    ("how far …"); ``harm`` what a gap would mean for people. ``attribute_of`` is the holder of the attribute
    ``over``. ``on_request`` is empty, or the reason why the measure is computed only if named.
    ``better`` is the better direction, if the main value's tail does not show it (a number that should be
    small). ``figures`` names the figures that a report draws of it (`fairbrief.reports.figures.KINDS`).
    ``scorer_checks`` have the audit check its scorers on sources that differ only in the group;
    ``checks_scorer`` is True for the measures that do that. ``contrast`` has the words of its group differences, with which a
    report begins. ``needs_order`` is True for measures of position, which need an order of a record's documents.
    ``judges_support`` is True if the scorer decides which documents support a summary: reports show the scorer's card.
    ``items`` is what `Value.present` counts: ``documents``, ``people``, ``texts``, or ``records``. ``groups_from`` are settings that
    bring groups of their own: if one is given, the input need not have the attribute ``over``. ``scorer_kind`` limits the setting
    ``scorer`` to scorers of pairs of texts, or to classifiers of single ones.
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
    groups_from: tuple[str, ...] = ()
    scorer_kind: Literal["scorer", "classifier", "scorer or classifier"] = "scorer or classifier"
