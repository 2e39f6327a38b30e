"""Copies under other ids and documents of another language are counted, and what is found without them is told."""

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.sample_cases import MEASURES, cases_of

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.finding_checks import leading_without
from fairbrief.reports.audit_folder import load
from fairbrief.reports.audit_object import Audit
from fairbrief.reports.result import Result
from fairbrief.text.sentences import split
from fairbrief.types import Case, Claim, Document, Record, Summary

PLAN = Plan(measures=["uer@party"], n_resamples=99, n_extracts=5)
FRENCH = "Le service est bon, mais la soupe est froide et les serveurs ne sont pas dans la salle."
WORDS = "bridge bus tax school park road river harbour market winter garden paper".split()


def _case(number: int) -> Case:
    rng = random.Random(number)

    def text(party: str) -> str:
        said = " and the ".join(rng.choice(WORDS) for _ in range(4))
        return f"The {party} says that the {said} number {number} {rng.random():.6f} was good."

    documents = tuple(Document(text(party), {"party": party}) for party in ("left", "left", "right", "right"))
    record = Record(f"r{number:03}", documents)
    kept = documents[0].text if rng.random() < 0.7 else documents[3].text
    return Case(record, Summary(record.id, "even", f"{kept} By even."))


def _renamed(case: Case, name: str, **more: Any) -> Case:
    """The case under another id; its summary differs."""
    summary = replace(case.summary, record=name, text=f"{case.summary.text} {name}")
    return Case(replace(case.record, id=name, **more), summary)


def _with_document(case: Case, place: int, text: str) -> Case:
    documents = list(case.record.documents)
    documents[place] = replace(documents[place], text=text)
    return Case(replace(case.record, documents=tuple(documents)), case.summary)


CASES = [_case(number) for number in range(30)]
COPIES = [_renamed(case, f"{case.record.id}-{k}") for case in CASES[:10] for k in range(3)]


def _same_as_audit(told: Sequence[dict[str, Any]], wanted: Result) -> None:
    """Every contrast that is told is the one of an audit of the records that are left."""
    by_key = {(e.measure, e.quantity, e.system): e for e in wanted.estimates if not e.subgroup}
    assert told
    for one in told:
        e = by_key[one["measure"], one["quantity"], one["system"]]
        for name in ("value", "low", "high", "extract_baseline", "extract_difference", "extract_p"):
            assert one[name] == pytest.approx(getattr(e, name), rel=1e-9, abs=1e-12), name
        assert (one["n"], one["clusters"]) == (e.n, e.clusters)


def test_copies_are_counted_and_told_without() -> None:
    """Of 10 records with 3 copies each, 40 records in 10 groups are told, and the contrasts as of one of each group."""
    made = audit([*CASES, *COPIES], PLAN).made
    assert made["copies"] == {"records": 40, "groups": 10, "examples": ["r000", "r000-0", "r000-1"]}
    _same_as_audit(made["without"]["copies"], audit(CASES, PLAN))
    assert {"same_summaries", "other_languages"}.isdisjoint(made)


def test_nothing_is_told_where_nothing_is_repeated() -> None:
    """An input of distinct texts in one language says nothing of copies or languages."""
    made = audit(CASES, PLAN).made
    assert {"copies", "same_summaries", "other_languages", "without"}.isdisjoint(made)


def test_counterfactuals_of_one_seed_document_and_records_of_one_cluster_are_no_copies() -> None:
    """Records that say what they vary, or that are resampled together, are no copies of each other."""
    variants = [_renamed(case, f"{case.record.id}-b", seed_document=case.record.id) for case in CASES]
    assert "copies" not in audit([*CASES, *variants], replace(PLAN, has_clusters=True)).made
    clustered = [
        Case(replace(case.record, attributes={"shop": case.record.id[:4]}, cluster_by="shop"), case.summary)
        for case in [*CASES, *COPIES]
    ]
    assert "copies" not in audit(clustered, replace(PLAN, has_clusters=True)).made
    checked = [_with_document(case, 0, "She was happy, and he was not.") for case in clustered]
    tone = Plan(measures=["sentiment_shift"], n_resamples=99, has_clusters=True)
    assert (
        "copies" not in audit(checked, tone).made
    )  # the check of its scorer observes them in other clusters


OF_CLAIMS = ("label_gap@party", "unsupported_claims@party")
REPEATABLE = [*MEASURES, *OF_CLAIMS, "unsupported_by_place"]
REPEATABLE.remove("entity_inclusion@gender")  # adds ½ to counts


@pytest.mark.parametrize("measure", REPEATABLE)
def test_equal_runs_are_no_more_evidence(measure: str) -> None:
    """Three equal runs in a record's cluster leave the tests and means of label permutations as they are: they are permuted alike."""

    def tests_of(runs: int) -> dict[str, float | None]:
        cases = []
        for k, case in itertools.product(range(runs), cases_of(60, seed=3)):
            whole = case.record.seed_document or case.record.id
            named = {**case.record.attributes, "run": str(k), "whole": whole}
            record = replace(case.record, id=f"{case.record.id} {k}", attributes=named, cluster_by="whole")
            texts = split(case.summary.text) if measure in OF_CLAIMS else ()
            claims = tuple(Claim(text, {"party": ("LR"[len(text) % 2],)}) for text in texts) or None
            cases.append(Case(record, replace(case.summary, record=record.id, claims=claims)))
        plan = Plan(measures=[measure], n_resamples=99, n_extracts=0, has_clusters=True, check_scorers=False)
        estimates = [e for e in audit(cases, plan).estimates if e.system == "a"]
        return {e.quantity: e.p for e in estimates} | {
            f"{e.quantity}, mean": e.permutation_mean for e in estimates
        }

    once = tests_of(1)
    assert any(once.values()) or measure in MEASURES
    assert tests_of(3) == pytest.approx(once)


def test_one_summary_of_different_sources_is_told() -> None:
    """A text that a system wrote for 3 different records is told with them; empty summaries are not."""
    said = [Case(c.record, replace(c.summary, text="The bridge and the bus.")) for c in CASES[:3]]
    silent = [Case(c.record, replace(c.summary, text="", reason="empty summary")) for c in CASES[3:6]]
    made = audit([*said, *silent, *CASES[6:]], PLAN).made
    assert made["same_summaries"] == {"records": 3, "groups": 1, "examples": ["r000", "r001", "r002"]}
    _same_as_audit(made["without"]["same_summaries"], audit([said[0], *CASES[6:]], PLAN))
    assert "copies" not in made


def test_documents_in_another_language_are_counted_and_told_without() -> None:
    """Three French documents of two records are told with their records, and the contrasts without these records."""
    mixed = [*CASES]
    for record, place in ((4, 0), (4, 2), (7, 1)):
        mixed[record] = _with_document(mixed[record], place, f"{FRENCH} {record}{place}")
    made = audit(mixed, PLAN).made
    assert made["other_languages"] == {"fr": {"documents": 3, "records": 2, "examples": ["r004", "r007"]}}
    others = [c for i, c in enumerate(CASES) if i not in (4, 7)]
    _same_as_audit(made["without"]["other_languages"], audit(others, PLAN))


def test_saved_audits_keep_what_was_told_and_can_be_asked_again(tmp_path: Path) -> None:
    """results.json gives back what was told, and a saved audit can be estimated without any of its records."""
    result = audit([*CASES, *COPIES], PLAN)
    saved = load(Audit(result).save(tmp_path / "audit"))
    for name in ("copies", "without"):
        assert saved.made[name] == result.made[name]
    ids = [case.record.id for case in CASES]
    told = leading_without(saved, lambda rows: ~np.isin(rows["record"].to_pylist(), ids), {})
    _same_as_audit(told, audit(CASES, PLAN))
