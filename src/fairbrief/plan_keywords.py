"""The settings of a plan as keywords. Written by ``make docs`` from `fairbrief.plan`: do not edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict

from fairbrief.types import Scorer

Names = str | Sequence[str]
"""One name, or several."""


class PlanKeywords(TypedDict, total=False):
    """The settings of `fairbrief.audit`: the fields of a `fairbrief.Plan`, but for its measures."""

    attributes: Names
    protocol: str | None
    by: Names | Sequence[Sequence[str]]
    sanity_baselines: Names
    ordered: bool
    baseline: str | None
    primary: Names
    is_pairwise: bool
    seed: int
    n_resamples: int
    confidence_level: float
    alpha: float
    n_extracts: int | None
    has_clusters: bool
    intervals: Literal["jackknife", "bootstrap"] | None
    pools_runs: bool
    skips: bool
    check_scorers: bool | None
    compared_scorers: Names
    scorers: Mapping[str, Scorer] | None
    wrap: Callable[[Scorer], Scorer] | None
    progress: Callable[[int], None] | None
    language: str
    keeps_texts: bool
    workers: int
    engine: str
    models_in_workers: bool
