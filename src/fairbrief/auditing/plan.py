"""What an audit is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fairbrief.nouns import Measure, Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an audit is asked to do; every field that decides a number is recorded in the result.

    ``measures`` are spellings or objects; empty: all that the input allows. ``slices`` are groupings
    by record attributes, ``("tweets",)`` or ``("tweets", "ratio")``. ``controls`` names the texts
    that are audited beside the systems. ``draws`` counts resamples and chance labellings alike; 0
    gives values alone. ``skips`` leaves a case that a measure cannot read out, counted, instead of
    ending the audit. ``check_instruments`` lets the judges read counterfactual sources, alike but for the
    group, beside the audit: None those that hold no model, True all, False none (see `auditing.instruments`).
    ``workers`` counts the processes that ask, score and observe: 1 is this one alone, 0 stands for one a
    core; they change no digit. Observations that need a model stay here.
    """

    measures: Sequence[str | Measure] = ()
    attributes: Sequence[str] = ()
    protocol: str | None = None
    slices: Sequence[Sequence[str]] = ()
    controls: Sequence[str] = ()
    baseline: str | None = None
    seed: int = 0
    draws: int = 2000
    level: float = 0.95
    alpha: float = 0.05
    skips: bool = False
    check_instruments: bool | None = None
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    wrap: Callable[[Scorer], Scorer] | None = None
    progress: Callable[[int], None] | None = None
    workers: int = 1
