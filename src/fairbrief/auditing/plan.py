"""What an audit is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fairbrief.auditing.plan_checks import check_plan
from fairbrief.engines.engine import cores
from fairbrief.types import Measure, Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an audit is asked to do; every field that decides a number is recorded in the result.

    ``measures`` are specs or objects; empty: all that the input allows. ``slices`` are groupings
    by record attributes, ``("tweets",)`` or ``("tweets", "ratio")``. ``controls`` names the texts
    that are audited beside the systems. ``n_resamples`` counts resamples and permutations alike; 0
    gives estimates alone. ``is_pairwise`` compares each two systems on what these two answered, instead of on what all
    did. ``skips`` leaves a case that a measure cannot read out, counted, instead of
    ending the audit. ``check_scorers`` lets the scorers read counterfactual sources, which differ only in
    the group, beside the audit: None those that hold no model, True all, False none (see `auditing.scorer_bias`).
    ``ordered`` says that the documents of a record stand in an order that means something (turns, posts by date): then measures of position
    are among those that the input allows; else they are where every record has one document.
    ``n_extracts`` counts the random extracts of each record's sources that are observed beside the summaries; None:
    200 where the scorer holds no model; 0: none.
    ``compared_scorers`` are scorers under each of which coverage and representation are taken, so that the audit's ``tables``
    say whether a finding hangs on one of them (see `auditing.sensitivity`).
    ``intervals``: ``jackknife`` (Student's t over clusters) or ``bootstrap`` (percentiles over resampled clusters, as papers
    have it); None: what the protocol says, else the jackknife.
    ``primary`` names in advance the group differences that the audit is about (``MEASURE@ATTRIBUTE``, ``MEASURE@ATTRIBUTE:QUANTITY``,
    with ``{SYSTEM}`` of one system): reports lead with them, and correct them for multiple comparisons among themselves.
    ``pools_runs`` takes the systems ``NAME#1``, ``NAME#2`` for runs of one system, ``NAME``: their records are resampled
    together, and how far the runs differ is told apart (see `auditing.system_runs`).
    ``language`` is that of the texts (``de``); empty: each text is looked at (see `text.languages`).
    ``workers`` counts the processes that ask, score and observe: 1 is this one alone, 0 stands for one a
    core; they change no digit. Observations that need a model stay here, unless
    ``models_in_workers`` has each worker hold its own (scores then repeat to 1e-5; those of chat services stay here). ``engine`` says where else they may be:
    ``processes``, ``ray``, ``ray:ADDRESS``, or what a plug-in declares; empty: as many ``workers``.
    """

    measures: Sequence[str | Measure] = ()
    attributes: Sequence[str] = ()
    protocol: str | None = None
    slices: Sequence[Sequence[str]] = ()
    controls: Sequence[str] = ()
    ordered: bool = False
    baseline: str | None = None
    is_pairwise: bool = False
    seed: int = 0
    n_resamples: int = 2000
    confidence_level: float = 0.95
    alpha: float = 0.05
    n_extracts: int | None = None
    has_clusters: bool = False
    """Whether records share clusters, so that all wait until their cluster was read; `audit` looks at the first."""
    intervals: Literal["jackknife", "bootstrap"] | None = None
    pools_runs: bool = False
    primary: Sequence[str] = ()
    skips: bool = False
    check_scorers: bool | None = None
    compared_scorers: Sequence[str] = ()
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    wrap: Callable[[Scorer], Scorer] | None = None
    progress: Callable[[int], None] | None = None
    language: str = ""
    workers: int = 1
    engine: str = ""
    models_in_workers: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_plan(self)

    @property
    def threads(self) -> int:
        """How many threads this process may use when the workers are done."""
        return self.workers or cores()
