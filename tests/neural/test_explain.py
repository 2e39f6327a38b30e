"""Explaining a value that a model judged: no pair of texts goes through the model twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.cli.input_options import cached
from fairbrief.saved.explanations import explain
from fairbrief.scorers.entailment import Entailment
from fairbrief.types import Case, Document, Record, Summary


def test_an_explanation_after_an_audit_runs_no_model(
    classifier_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the audit's cache every effect is told from scores that are there; the model is not even loaded."""
    documents = tuple(
        Document(f"The {word} was {how}.", {"side": side})
        for word, how, side in (("soup", "cold", "L"), ("view", "fine", "R"), ("bread", "warm", "L"))
    )
    cases = [
        Case(Record(f"r{i}", documents[: 3 - i % 2]), Summary(f"r{i}", "s", "Cold soup. A fine view."))
        for i in range(3)
    ]
    measure = f"equal_coverage(scorer=entailment(model='{classifier_folder}'))@side"
    kept = tmp_path / "scores.sqlite"
    audit(cases, Plan(measures=[measure], n_resamples=0, wrap=cached(kept)))
    with closing(sqlite3.connect(kept)) as database:
        (before,) = database.execute("SELECT count(*) FROM arrays").fetchone()

    def refuse(*scored: object) -> None:
        raise AssertionError(f"scored again: {scored}")

    monkeypatch.setattr(Entailment, "compute", refuse)
    (found,) = explain(cases, measure, wrap=cached(kept))
    assert before == 3 * 2
    assert len(found.opened) == 3
    effects = [p.own.effect for opened in found.opened for p in opened.parts if p.own.effect is not None]
    assert any(effects)
