"""Scorer bias checks of a scorer that holds a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.neural.tiny_models import MODEL_SCORE_TOLERANCE

from fairbrief.auditing import Plan, audit
from fairbrief.engines.score_cache import Cached, is_cacheable
from fairbrief.types import Case, Document, Record, Scorer, Summary

TEXTS = ("She said that her room was clean.", "He thanked his host. The view pleased him.")


def cases() -> list[Case]:
    """Reviews whose writers have a gender."""
    return [
        Case(
            Record(
                f"r{i}",
                tuple(Document(f"{TEXTS[k % 2]} Room {i}.", {"gender": "MF"[k % 2]}) for k in range(4)),
            ),
            Summary(f"r{i}", "s", "The room was clean."),
        )
        for i in range(6)
    ]


def test_a_model_is_checked_on_request_with_a_cache_or_without(
    classifier_folder: Path, tmp_path: Path
) -> None:
    """An entailment model reads both versions of every source when that is asked for, and else is named."""
    scorer = f"entailment(model={classifier_folder}, device=cpu, dtype=fp32)"
    measure = f"equal_coverage(scorer={scorer})@gender"

    def wrap(made: Scorer) -> Scorer:
        return Cached(made, tmp_path / "kept.sqlite") if is_cacheable(made) else made

    values = []
    for kept in (None, wrap):
        quiet = audit(cases(), Plan(measures=[measure], n_resamples=50, wrap=kept))
        assert [e.measure for e in quiet.estimates if e.quantity == "scorer_bias_support"] == []
        assert "--check-scorers" in quiet.not_measured[-1].reason
        asked = audit(cases(), Plan(measures=[measure], n_resamples=50, wrap=kept, check_scorers=True))
        (own,) = (e for e in asked.estimates if e.quantity == "scorer_bias_support")
        assert (own.n, asked.not_measured) == (6, ())
        assert scorer.partition("(")[0] in own.measure
        values.append(own.value)
    assert values[0] == pytest.approx(values[1], abs=MODEL_SCORE_TOLERANCE)
    assert abs(values[0]) > MODEL_SCORE_TOLERANCE
