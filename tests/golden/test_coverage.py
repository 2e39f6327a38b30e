"""Coverage against matrices and texts that the authors' released code was run on.

Source: golden/coverage/fixtures.json (the release's arithmetic recomputed by an independent plain
reference and checked against the unmodified release to 1.1e-16).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import tested_rows
from tests.rows_by_hand import added

from fairbrief import types as t
from fairbrief.measures import coverage
from fairbrief.text.sentences import sentence_groups, sentence_windows

EXACT = {"rel": 0, "abs": 1e-9}
READINGS = {
    # The paper's formula counts a record that nothing covers as a gap of zero; the release drops it.
    "paper_denominator_all_units": {"denominator": "all", "unsupported": "zero"},
    "released_denominator_covered_units": {"denominator": "covered"},
}


@pytest.fixture(scope="module")
def fixtures(golden: Path) -> dict[str, Any]:
    """The fixtures by name."""
    return json.loads((golden / "coverage" / "fixtures.json").read_text())


def fold_chunks(matrix: t.Floats, owner: t.Integers, documents: int) -> t.Floats:
    """Best support of each unit by any chunk of a document (Li et al., Eq. 2), as scorers give it for whole documents.

    Shapes: ``matrix`` (chunks, claims), ``owner`` (chunks,) document indices → (documents, claims).
    A document without a chunk supports nothing.
    """
    folded = np.zeros((documents, matrix.shape[-1]))
    np.maximum.at(folded, owner, matrix)
    return folded


def observed(sample: dict[str, Any], values: Sequence[str], reading: dict[str, Any]) -> t.Rows | t.Reason:
    """One sample's rows under all of its labellings, the matrix standing in for a scorer's answer."""
    # Two digits keep the order of the values in their sorted names.
    named = [f"{i:02d} {values[i]}" for i in sample["labels"]]
    return tested_rows.rows_of(named, sample["matrix"], **reading)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("reading", READINGS)
def test_every_sample_has_the_expected_gap_and_p(fixtures: dict[str, Any], which: int, reading: str) -> None:
    """Level, difference by value, EC and the exact p (with ≥) come out for each record, and so do the exclusions."""
    fixture = fixtures["fixtures"][which]
    expected = fixture["expected"][reading]
    skipped = {index for index, _ in expected["skipped"]}
    for i, sample in enumerate(fixture["samples"]):
        rows = observed(sample, fixture["values"], READINGS[reading])
        if i in skipped:
            assert isinstance(rows, t.Reason)
            continue
        assert isinstance(rows, t.Rows)
        wanted, totals = expected["per_sample"][str(i)], added(rows)
        assert float(totals["gap"]) == pytest.approx(wanted["ec"], **EXACT)
        assert float(totals["level"]) == pytest.approx(wanted["overall"], **EXACT)
        for k, value in enumerate(fixture["values"]):
            if wanted["count_by_value"][k]:
                shift = float(totals["shift", f"{k:02d} {value}"])
                assert shift == pytest.approx(wanted["diff_by_value"][k], **EXACT)
                assert float(totals["documents", f"{k:02d} {value}"]) == wanted["count_by_value"][k]
        _, p = tested_rows.with_test(rows, ("gap",))
        assert len(rows.values) == wanted["exact_permutation"]["arrangements"]
        assert p == pytest.approx(wanted["exact_permutation"]["p_ge"], **EXACT)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("reading", READINGS)
def test_the_whole_input_has_the_expected_values(fixtures: dict[str, Any], which: int, reading: str) -> None:
    """Mean EC, CP both ways with over and under, and R_EC with exact tests come out for the input."""
    fixture = fixtures["fixtures"][which]
    expected, values = fixture["expected"][reading], fixture["values"]
    rows = [
        tested_rows.with_test(r, ("gap",))[0]
        for s in fixture["samples"]
        if isinstance(r := observed(s, values, READINGS[reading]), t.Rows)
    ]
    totals = added(*rows)
    equal = coverage.EqualCoverage("a").value(totals)
    assert float(equal["equal_coverage"].array) == pytest.approx(expected["mean_ec_over_valid"], **EXACT)
    unfair = float(totals["significant"]) / len(rows)
    assert unfair == pytest.approx(expected["r_ec_exact_ge"], **EXACT)
    for name, extremes in (("cp_released", False), ("cp_paper", True)):
        parity = coverage.CoverageParity("a", extremes=extremes).value(totals)
        wanted = expected[name]
        names = {k: f"difference[{k:02d} {v}]" for k, v in enumerate(values)}
        means = {k: float(parity[name].array) for k, name in names.items() if name in parity}
        present = [k for k, n in enumerate(wanted["n"]) if n]
        for k in present:
            assert means[k] == pytest.approx(wanted["mean"][k], **EXACT)
        if name == "cp_released":
            assert max(means, key=lambda k: means[k]) == wanted["over"]
            assert min(means, key=lambda k: means[k]) == wanted["under"]
        if len(present) == len(values):
            assert float(parity["coverage_parity"].array) == pytest.approx(wanted["cp"], **EXACT)


def test_sentences_become_the_expected_windows_and_groups(fixtures: dict[str, Any]) -> None:
    """Both cuts are the ones that the release and the paper's text make."""
    for sample in fixtures["pipeline"]["samples"]:
        expected = sample["expected"]
        windows = [sentence_windows(d, 100) for d in sample["documents"]]
        assert list(dict.fromkeys(w for ws in windows for w in ws)) == expected["chunks"]
        groups = [sentence_groups(d, 100) for d in sample["documents"]]
        assert groups == expected["disjoint_chunks_paper_reading"]


def pipeline(sample: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Gated support by chunk, mutual entailment, and which chunks each document has (copies included)."""
    nli = np.array(sample["nli_unit_by_chunk_contradiction_neutral_entailment"])
    gated = np.where(nli.argmax(axis=2) == 2, nli[:, :, 2], 0.0).T
    place = {chunk: i for i, chunk in enumerate(sample["expected"]["chunks"])}
    owned = [[place[w] for w in sentence_windows(d, 100)] for d in sample["documents"]]
    return gated, np.array(sample["self_entailment_unit_j_entailed_by_unit_k"]), owned


def test_the_release_comes_out_from_sentences_to_gap_but_for_lost_copies(fixtures: dict[str, Any]) -> None:
    """With the release's own chunk owners EC is the release's; its defect is that a copy owns no chunk."""
    for sample in fixtures["pipeline"]["samples"]:
        expected = sample["expected"]
        gated, between, _ = pipeline(sample)
        support = fold_chunks(gated, np.array(expected["doc_of_chunk"]), len(sample["documents"]))
        merged = coverage.merge_mutual(support, between.T, 0.95)
        np.testing.assert_allclose(merged, expected["released_matrix_docs_by_cluster"], atol=1e-9)
        rows = tested_rows.rows_of([str(k) for k in sample["labels"]], merged.tolist(), denominator="covered")
        assert float(added(rows)["gap"]) == pytest.approx(expected["ec_released"], **EXACT)


def test_a_word_for_word_copy_is_covered_like_its_seed_document(fixtures: dict[str, Any]) -> None:
    """Identical text counts for every document that holds it: the release credits only the first."""
    for sample in fixtures["pipeline"]["samples"]:
        gated, _, owned = pipeline(sample)
        rows = [i for chunks in owned for i in chunks]
        owner = np.repeat(np.arange(len(owned)), [len(chunks) for chunks in owned])
        support, each = fold_chunks(gated[rows], owner, len(owned)), [str(i) for i in range(len(owned))]
        totals = added(tested_rows.rows_of(each, support.tolist()))
        assert totals["shift", each[-1]] == totals["shift", "0"] > -totals["level"]
