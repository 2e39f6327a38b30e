"""The settings of an audit and of reading as keywords. Written by ``make docs`` from their declarations: do not edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from fairbrief.settings import Named, Names, SummaryFields
from fairbrief.types import Scorer


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


class ReadingSettingsKeywords(TypedDict, total=False):
    """The settings of `fairbrief.read`: the fields of `ReadingSettings`."""

    attributes: Named
    summary_field: SummaryFields
    documents_field: Names
    group_by: str | None
    id_field: str | None
    system_field: str
    references_field: str
    cluster_by: str | None
    speakers: Any
    separator: str | None
    summaries: Any
    summaries_id_field: str | None
    record_attributes: Named
    system: str | None
    format: str | None
    encoding: str | None
    require: Names
    missing: Literal["refuse", "drop", "group"]
    bins: Named
    sample: float | None
    sample_by: str | None
    seed: int
    redact: Names
    on_error: Literal["stop", "skip"]
