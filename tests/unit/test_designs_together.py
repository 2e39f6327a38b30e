"""Counterfactuals of one seed document: of several designs in one audit, in subgroups, and with words that none of them changes."""

from itertools import product

import pytest

from fairbrief import explain
from fairbrief.auditing import Plan, audit
from fairbrief.types import Case, Document, Estimate, Record, Summary

SPELLED = "distinguishability(similarity=counts)@group"


def variants(genders: str, *, tells: bool) -> list[Case]:
    """Six originals, four variants each; where the summary ``tells``, it differs by group."""
    cases = []
    for seed_document, sample, group in product("abcdef", "01", ("black", "white")):
        name = f"{seed_document}.mono-{genders}.{sample}.{group}"
        made = {"group": group, "design": "mono", "genders": genders, "sample": sample}
        record = Record(name, (Document("Somebody sang."),), attributes=made, seed_document=seed_document)
        text = f"{group} bird" if tells else "a bird"
        cases.append(Case(record, Summary(name, "s", text)))
    return cases


def value(estimates: tuple[Estimate, ...], **part: str) -> tuple[float | None, int]:
    """The main value in a subgroup, and how many units it was taken over."""
    found = next(e for e in estimates if e.quantity == "distinguishability" and e.subgroup == part)
    return found.value, found.n


def test_counterfactuals_of_different_designs_are_not_told_apart_from_each_other() -> None:
    """Each design is its own unit within the original: one table of both has what each has alone."""
    told, same = variants("tied", tells=True), variants("random", tells=False)
    both = audit([*same, *told], Plan(measures=(SPELLED,), by=(("genders",),), n_resamples=50)).estimates
    alone = audit(told, Plan(measures=(SPELLED,), n_resamples=50)).estimates
    assert value(both, genders="tied") == value(alone) == (1.0, 6)
    assert value(both, genders="random") == (0.0, 6)
    assert value(both) == (0.5, 12)
    assert next(e for e in both if e.quantity == "distinguishability" and not e.subgroup).clusters == 6


def test_an_explanation_keeps_the_designs_of_a_seed_document_apart() -> None:
    """Each variant is left out of its own design's unit, as an audit of the other variants would have it."""
    cases = [*variants("random", tells=False), *variants("tied", tells=True)]
    (opened,) = explain(cases, SPELLED, ids=["a"])[0].opened

    def plain(left: list[Case]) -> float | None:
        return value(audit(left, Plan(measures=(SPELLED,), n_resamples=0)).estimates)[0]

    of_original = [case for case in cases if case.record.seed_document == "a"]
    assert opened.value == plain(of_original) == 0.5
    assert len(opened.parts) == len(of_original) == 8
    for part in opened.parts:
        gone = [case for case in cases if case.record.id != part.text]
        assert part.whole.without == pytest.approx(plain(gone))
        assert part.own.without == pytest.approx(plain([c for c in of_original if c in gone]))


@pytest.mark.parametrize("by", ["sample", "group"])
def test_a_unit_belongs_to_a_subgroup_only_if_all_of_its_counterfactuals_do(by: str) -> None:
    """A subgroup that cuts through originals holds none of the units made of all their variants, not those of its first."""
    plan = Plan(measures=(SPELLED,), by=((by,),), n_resamples=20)
    estimates = audit(variants("tied", tells=True), plan).estimates
    assert value(estimates) == (1.0, 6)
    assert not [e for e in estimates if e.subgroup and e.value is not None]
