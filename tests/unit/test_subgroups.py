"""Slices from the per-record statistics of an audit, without scoring again, and gaps that cancel over the whole."""

import random
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import printed
from tests.sample_cases import MEASURES, cases_of

import fairbrief
from fairbrief.auditing import Plan, audit
from fairbrief.auditing.estimating import NEEDS_TEXTS
from fairbrief.auditing.per_record import attributes_in
from fairbrief.errors import DataError, RequestError
from fairbrief.reports import json_file
from fairbrief.reports.audit_folder import load
from fairbrief.reports.first_answers import answers
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context
from fairbrief.saved import saved_inputs
from fairbrief.saved.subgroups import subgroup_audit
from fairbrief.types import Case, Document, Estimate, Record, Summary

BY = (("size",), ("size", "side"))
PLAN = Plan(
    measures=MEASURES, n_resamples=99, n_extracts=5, sanity_baselines=("exchanged",), primary=("uer@party",)
)
OF_LABELS = ("p", "p_adjusted", "permutation_mean", "testable", "smallest_p", "detectable")
"""What permuted labels alone tell."""

Key = tuple[str, str, str, str, tuple[tuple[str, str], ...]]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Records of all families: some vary one seed document, some systems say nothing."""
    return cases_of(32)


@pytest.fixture(scope="module")
def by_subgroup(cases: list[Case]) -> Result:
    """What the per-record statistics of their audit without slices tell of the slices."""
    return subgroup_audit(audit(cases, PLAN), BY)


@pytest.fixture(scope="module")
def small(cases: list[Case]) -> Result:
    """An audit by one measure."""
    return audit(cases, Plan(measures=["uer@party"], n_resamples=99, n_extracts=5))


@pytest.fixture(scope="module")
def wanted(cases: list[Case]) -> Result:
    """Their audit with slices."""
    return audit(cases, replace(PLAN, by=BY))


def by_key(estimates: Iterable[Estimate]) -> dict[Key, Estimate]:
    """The estimates by what each is of."""
    return {(e.measure, e.quantity, e.system, e.baseline, tuple(e.subgroup.items())): e for e in estimates}


FAMILY = ("label_p", "family_p", "family_size", "family_low", "family_high")
"""The family of the first screen is of the audit as it was asked, before it was sliced."""


def same(ours: Estimate, theirs: Estimate, without: Iterable[str] = ()) -> bool:
    """Whether two estimates say the same, in numbers to 1e-12."""
    return all(
        getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-12, abs=1e-12)
        if isinstance(getattr(theirs, name), float)
        else getattr(ours, name) == getattr(theirs, name)
        for name in Estimate.__struct_fields__
        if name not in (*without, *FAMILY)
    )


def test_subgroups_are_those_of_an_audit_that_was_by_subgroup(by_subgroup: Result, wanted: Result) -> None:
    """Values, intervals, counts and reasons are the audit's; and wherever p is told it is the audit's, too."""
    found, known = by_key(by_subgroup.estimates), by_key(wanted.estimates)
    assert list(found) == list(known)
    told = 0
    for key, theirs in known.items():
        ours = found[key]
        if NEEDS_TEXTS in ours.notes:
            assert theirs.permutation_mean is not None or theirs.testable is not None or theirs.p is None
            is_hidden = ours.kind == "unsigned_disparity" and ours.low is None
            hidden = ("low", "high", "low_is_open") if is_hidden else ()
            assert same(ours, theirs, (*OF_LABELS, *hidden, "notes")), key
        else:
            told += ours.p is not None
            assert same(ours, theirs, ("p_adjusted", "notes", "permutation_mean", "testable")), key
    assert told  # some contrasts lie between records, so that no label was permuted


def test_differences_of_systems_are_whole(by_subgroup: Result, wanted: Result) -> None:
    """Differences of systems turn signs, or are held to random sentences by the rows: nothing is absent from them."""
    found, known = by_key(by_subgroup.differences), by_key(wanted.differences)
    assert list(found) == list(known)
    for key, theirs in known.items():
        assert same(found[key], theirs), key
    assert any(e.subgroup and e.is_primary and None not in (e.p, e.extract_p) for e in found.values())


def test_runs_that_were_pooled_are_by_subgroup_together() -> None:
    """An audit that pooled runs is sliced as pooled: its runs share the clusters of their records."""
    words = (("alder", "L"), ("talc", "R"), ("shale", "R"))
    documents = tuple(Document(f"{word} grows.", {"side": side}) for word, side in words)
    cases = []
    for i in range(24):
        record = Record(f"r{i}", documents, attributes={"kind": "ab"[i % 2]})
        for run in (1, 2):
            text = f"alder birch {'talc' if (i + run) % 3 else 'shale'}."
            cases.append(Case(record, Summary(record.id, f"s#{run}", text)))
    plan = Plan(measures=["uer@side"], n_resamples=99, pools_runs=True)
    found = subgroup_audit(audit(cases, plan), [("kind",)])
    known = audit(cases, replace(plan, by=[("kind",)]))
    assert set(by_key(found.estimates)) == set(by_key(known.estimates))
    (ours,) = (e for e in found.estimates if e.subgroup == {"kind": "a"} and e.quantity == "difference[L]")
    (theirs,) = (e for e in known.estimates if e.subgroup == {"kind": "a"} and e.quantity == "difference[L]")
    assert (ours.value, ours.low, ours.high, ours.clusters) == (theirs.value, theirs.low, theirs.high, 12)


def test_attributes_that_are_not_kept_are_told(small: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt attribute is told with its neighbours; one of too many values is not kept."""
    said = r"'sise' of the records. Did you mean 'size'\? It has: .*side.*--by sise"
    with pytest.raises(RequestError, match=said):
        subgroup_audit(small, [("sise",)])
    with pytest.raises(RequestError, match="names an attribute twice"):
        subgroup_audit(small, [("size", "size")])
    monkeypatch.setattr(sys.modules[attributes_in.__module__], "MOST_VALUES", 1)
    few = audit(cases_of(8), Plan(measures=["uer@party"], n_resamples=0))
    assert attributes_in(few.rows) == []


def test_an_audit_of_an_older_version_is_refused(small: Result) -> None:
    """Without word of whose labels were permuted, p could be taken for what it is not."""
    made = {name: value for name, value in small.made.items() if name != "permuted"}
    with pytest.raises(DataError, match=r"from an older version.* Run it again"):
        subgroup_audit(replace(small, made=made), BY)


def test_settings_that_an_older_audit_does_not_record_have_their_default(small: Result) -> None:
    """An audit of before an option existed was made as if it had its default."""
    made = {name: value for name, value in small.made.items() if name != "confidence_level"}
    assert subgroup_audit(replace(small, made=made), BY).estimates == subgroup_audit(small, BY).estimates


def test_the_command_writes_what_the_function_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`fairbrief subgroups DIR --by A --out` leaves an audit that loads, says which columns are absent, and shows its texts."""
    saved, out = tmp_path / "saved", tmp_path / "deep" / "by_subgroup"
    printed(*f"audit examples/reviews.jsonl --measure uer@sentiment --resamples 99 --out {saved}".split())
    said = printed("subgroups", str(saved), "--by", "kind", "--out", str(out))
    assert re.search("rosy +food +negative", said)
    said = " ".join(said.split())
    assert "in subgroups of kind" in said
    assert "p: test against random, Holm over 30 comparisons" in said
    assert "Subgroups are not tested against label permutations, which need the texts" in said
    found = load(out)
    assert found.made["by"] == [["kind"]]
    known = fairbrief.subgroups(saved, "kind").result
    assert json_file.identity(replace(found, rows=known.rows)) == json_file.identity(known)
    monkeypatch.chdir(saved)
    printed("subgroups", ".", "--by", "kind", "--out", str(tmp_path / "from_inside"))
    for folder in (out, tmp_path / "from_inside"):
        inputs = saved_inputs.read(folder, str(json_file.read(folder / "results.json").audit))
        assert saved_inputs.faults_of(folder, inputs) == {}


def rows(n: int, *, by_city: bool) -> list[dict[str, Any]]:
    """Records of two positive and two negative texts; in one city only the positive are summarized, in the other only the
    negative (``by_city``), or one of each.
    """
    rng, found = random.Random(0), []
    sentence = "The {} item{} was near item{}."
    for i in range(n):
        texts = [
            (tone, [sentence.format(tone, rng.randrange(80), rng.randrange(80)) for _ in range(3)])
            for tone in ("positive", "positive", "negative", "negative")
        ]
        city, wanted = (("Rome", "positive"), ("Oslo", "negative"))[i % 2]
        documents = [{"text": " ".join(text), "attributes": {"tone": tone}} for tone, text in texts]
        summary = " ".join(text[0] for tone, text in texts if tone == wanted or not by_city)
        found.append({"id": str(i), "documents": documents, "attributes": {"city": city}, "summary": summary})
    return found


def told(by_city: bool) -> dict[str, str]:
    """The first screen's answers."""
    audit = fairbrief.audit(rows(80, by_city=by_city), attributes="tone", n_resamples=400)
    return {asked: " ".join(lines) for asked, lines in answers(Context(audit.result)).items()}


@pytest.mark.parametrize("by_city", [True, False])
def test_gaps_that_cancel_are_told_with_where_they_part(by_city: bool) -> None:
    """Two cities with opposite gaps are named with the group that is below in each; a system that is even is not."""
    found = told(by_city)
    assert found["Finding"].startswith("No group is significantly below random sentences.")
    assert ("gaps in opposite directions cancel across city" in found["Finding"]) == by_city
    if by_city:
        text = found["Finding"]
        assert "city Rome: tone negative −" in text
        assert "city Oslo: tone positive −" in text
        assert "--by city" in text
