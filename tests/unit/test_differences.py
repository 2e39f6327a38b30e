"""Systems compared, each less its own random-sentence baseline, and two saved audits compared by the command."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from benchmarks.calibration.worlds import labels, random_summary, record, source
from scipy import stats
from tests.cli.command import printed, write

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import CommonClusters, parts_of
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.errors import RequestError
from fairbrief.readers import read
from fairbrief.reports import wording
from fairbrief.reports.result import Result
from fairbrief.saved.compare import compare
from fairbrief.saved.gate import gate
from fairbrief.saved.ranking import LARGEST, overall
from fairbrief.saved.saved_values import Resampling
from fairbrief.statistics.jackknife import ONE_BY_ONE, group_numbers
from fairbrief.types import Case, Document, Estimate, Record, Summary

MEASURES = ("bur@side", "uer@side", "auc@side", "sof@side", "equal_coverage@side", "coverage_parity@side")


def blind_writers(
    picked: Sequence[int], records: int = 24, seed: int = 0, whole: Sequence[int] = ()
) -> list[Case]:
    """Writers who see no label and pick so many sentences each; words tell the label, and one side is rare.

    The first writer copies the whole source in the records numbered ``whole``.
    """
    rng, cases = np.random.default_rng(seed), []
    for i in range(records):
        of = labels(rng, 8, (0.8, 0.2))
        texts = source(rng, of, 0.9)
        held = record(f"r{i:02}", texts, of)
        for k, many in enumerate(picked):
            copies = i in whole and not k
            text = " ".join(s for t in texts for s in t) if copies else random_summary(rng, texts, of, many)
            cases.append(Case(held, Summary(held.id, f"s{k}", text)))
    return cases


def audited(cases: list[Case], *measures: str) -> Result:
    """An audit of them; by all measures of the attribute, if none is named."""
    return audit(cases, Plan(measures=measures or MEASURES, n_resamples=199, n_extracts=50))


@pytest.fixture(scope="module")
def result() -> Result:
    """Three blind writers, of 1, 2 and 4 sentences."""
    return audited(blind_writers((1, 2, 4)))


def test_only_group_differences_lead_and_unsigned_scores_have_no_p(result: Result) -> None:
    """Neither an unsigned score nor its chance-adjusted score over label permutations is tested; one that folds differences has no interval."""
    unsigned = [e for e in result.differences if e.quantity == "chance_adjusted" or wording.is_main_value(e)]
    assert {e.quantity for e in unsigned} == {"chance_adjusted", *(m.partition("@")[0] for m in MEASURES)}
    assert not any(e.is_primary or e.p is not None or e.detectable is not None for e in unsigned)
    with_interval = {e.quantity for e in unsigned if e.low is not None}
    assert with_interval == {"chance_adjusted", "bur", "uer", "auc", "equal_coverage"}
    led = {(e.measure, e.quantity) for e in result.differences if e.is_primary}
    leading = {"uer@side": "difference", "coverage_parity@side": "relative_difference"}
    assert led == {(measure, f"{name}[{g}]") for measure, name in leading.items() for g in "ab"}


def test_a_difference_of_systems_is_that_of_their_differences_from_random_sentences(result: Result) -> None:
    """Each system's baseline is that of its own length; on the same records the numbers are those of the estimates."""
    own = {(e.system, e.measure, e.quantity): e for e in result.estimates}
    led = [e for e in result.differences if e.is_primary]
    assert len(led) == 12
    for e in led:
        a, b = (own[system, e.measure, e.quantity] for system in (e.system, e.baseline))
        assert e.extract_baseline == pytest.approx(a.extract_baseline - b.extract_baseline)
        assert e.extract_difference == pytest.approx(a.extract_difference - b.extract_difference)
        assert e.extract_difference_low < e.extract_difference < e.extract_difference_high
        assert (e.extract_p <= 0.05) == (not e.extract_difference_low <= 0 <= e.extract_difference_high)
        assert (e.detectable is not None) == (e.extract_p > 0.05)
        assert e.extract_p_adjusted >= e.extract_p


def test_records_where_one_system_has_no_random_sentences_are_not_paired() -> None:
    """A summary as long as its source has no baseline: the two are compared on the records where both have one."""
    cases = blind_writers((2, 4), whole=range(6))
    kept = [case for case in cases if int(case.record.id[1:]) >= 6]
    found, wanted = (leading(audited(some, "uer@side", "coverage_parity@side")) for some in (cases, kept))
    assert found.keys() == wanted.keys()
    for key, e in found.items():
        assert e.clusters == 24
        assert e.extract_difference == pytest.approx(wanted[key].extract_difference)
        assert e.extract_p == pytest.approx(wanted[key].extract_p)
        assert e.value != pytest.approx(wanted[key].value)
    few = leading(audited(blind_writers((2, 4), whole=range(23)), "uer@side"))
    assert all((e.extract_difference, e.extract_p) == (None, None) for e in few.values())


def leading(result: Result) -> dict[tuple[str, str], Estimate]:
    """The differences that lead, by measure and quantity."""
    return {(e.measure, e.quantity): e for e in result.differences if e.is_primary}


def test_systems_are_ranked_by_their_largest_difference_from_random_sentences(result: Result) -> None:
    """Without its squared error, if there are resamples. One order per measure with group differences; unsigned scores order them
    only where the published order is asked for.
    """
    for resampling, noise in ((Resampling(0), 0.0), (Resampling(2000), 1.0)):
        found = overall({"set": result}, resampling=resampling)
        assert {(o.measure, o.quantity) for o in found} == {("uer", LARGEST), ("coverage_parity", LARGEST)}
        for o in found:
            for system, value in zip(o.systems, o.values[0], strict=True):
                own = [e for e in result.estimates if (e.system, e.measure) == (system, f"{o.measure}@side")]
                errors = {e.extract_difference: noise * e.extract_se for e in own if e.is_primary}
                squares = max(d**2 - error**2 for d, error in errors.items())
                largest = max(error**2 for error in errors.values())
                assert value**2 == pytest.approx(max(0.0, squares), abs=0.2 * largest, rel=1e-6)
    published = {o.quantity for o in overall({"set": result}, resampling=Resampling(0), published=True)}
    assert {m.partition("@")[0] for m in MEASURES} <= published
    assert LARGEST not in published


def saved_audit(
    folder: Path, name: str, systems: dict[str, str], first: str = "Oak tree", seed: int = 0
) -> Path:
    """A saved audit of eight records by some systems; the first document of the first record can be told."""
    rows = []
    for i in range(8):
        sides = {"a": f"Oak tree {i}" if i else first, "b": f"Elm hedge {i}"}
        documents = [{"text": text, "attributes": {"side": side}} for side, text in sides.items()]
        row = {"id": f"r{i}", "documents": documents}
        rows += [{**row, "system": s, "summary": f"{text} {i}"} for s, text in systems.items()]
    write(folder / f"{name}.jsonl", rows)
    asked = ("--measure", "uer@side", "--resamples", 50, "--seed", seed)
    printed("audit", folder / f"{name}.jsonl", *asked, "--out", folder / name)
    return folder / name


def test_a_source_text_that_changed_under_its_id_is_named(tmp_path: Path) -> None:
    """The comparison of two audits says which records have other documents now; the same documents pass in silence."""
    before = saved_audit(tmp_path, "before", {"s": "Oak"})
    same = saved_audit(tmp_path, "same", {"s": "Elm"})
    other = saved_audit(tmp_path, "other", {"s": "Elm"}, first="Oak trees")
    assert "differ between" not in printed("compare", same, before)
    for pair in ((other, before), (before, other)):
        assert "The documents of 1 record differ between the two audits: r0." in printed("compare", *pair)


def test_references_beside_the_systems_are_no_other_references(tmp_path: Path) -> None:
    """An audit with ``--references`` has the sources of one without, and one row for each record."""
    documents = [{"text": f"{word} tree", "attributes": {"side": word}} for word in ("Oak", "Elm")]
    references = {"summary": "Oak tree", "references": ["Elm tree", "Oak"]}
    write(tmp_path / "in.jsonl", [{"id": f"r{i}", "documents": documents, **references} for i in range(8)])
    for folder, more in ((tmp_path / "with", ("--references",)), (tmp_path / "without", ())):
        printed("audit", tmp_path / "in.jsonl", "--measure", "uer@side", *more, "--out", folder)
    assert "differ between" not in printed("compare", tmp_path / "with", tmp_path / "without")


def test_settings_that_differ_are_named_before_the_differences(tmp_path: Path) -> None:
    """In the words of the gate, which refuses such audits."""
    before, after = (saved_audit(tmp_path, f"seed{seed}", {"s": "Oak"}, seed=seed) for seed in (0, 1))
    refused = "seed is 1, before 0. Audit both with the same settings"
    above, _, _ = printed("compare", after, before).partition("Differences:")
    assert refused in " ".join(above.split())
    assert refused in {check.message for check in gate(after, baseline=before)}
    assert printed("compare", before, before, "--system", "s", "--against", "s").startswith("Differences:")


def test_one_system_is_compared_with_one_of_several(tmp_path: Path) -> None:
    """--system and --against name a system of each audit; a chosen one is held against its rivals."""
    chosen = saved_audit(tmp_path, "chosen", {"chosen": "Oak Elm"})
    rivals = saved_audit(tmp_path, "rivals", {"one": "Oak", "two": "Elm"})
    with pytest.raises(RequestError, match="Name them with --system and --against"):
        printed("compare", chosen, rivals)
    assert "chosen − two" in printed("compare", chosen, rivals, "--against", "two")
    assert "two − one" in printed("compare", rivals, rivals, "--system", "two", "--against", "one")
    with pytest.raises(RequestError, match=r"no system 'tow'\. Did you mean 'two'"):
        printed("compare", chosen, rivals, "--against", "tow")
    with pytest.raises(RequestError, match="--against is not given, and the audit has no system 'chosen'"):
        printed("compare", chosen, rivals, "--system", "chosen")


def test_two_audits_of_a_system_each_have_the_p_of_one_audit_of_both() -> None:
    """Adjusted for all comparisons (Holm), against random sentences and label permutations."""
    cases = blind_writers((1, 4))
    both = audited(cases)
    alone = [audited([case for case in cases if case.summary.system == system]) for system in ("s0", "s1")]
    found = {(e.measure, e.quantity): e for e in compare(*alone)}
    primary = [e for e in both.differences if e.is_primary]
    assert min(e.family_size for e in primary) > 1
    for e in primary:
        other = found[e.measure, e.quantity]
        assert (other.system, other.baseline, other.family_size) == (e.system, e.baseline, e.family_size)
        assert other.family_p == pytest.approx(e.family_p)
        assert other.label_p == pytest.approx(e.label_p)


def test_the_same_summaries_are_equal_whatever_else_either_audit_measured() -> None:
    """Also if only one of the audits has random sentences or label permutations, which are further sums by record."""
    settings: list[dict[str, Any]] = [{"n_extracts": 50}, {"n_extracts": 0}, {"n_resamples": 0}]
    audits = [audit(blind_writers((1,)), Plan(measures=MEASURES, **own)) for own in settings]
    for pair in permutations(audits, 2):
        found = {e.quantity: e.value for e in compare(*pair) if e.value is not None}
        assert found == pytest.approx(dict.fromkeys(found, 0), abs=1e-12)


def test_records_of_a_cluster_that_one_system_refused_are_not_compared() -> None:
    """Two systems write the same, but one refuses a record of each product: no difference, in one audit or two."""
    cases = [
        Case(
            held,
            replace(case.summary, system=system, reason="refused" if system == "b" and i % 3 == 0 else ""),
        )
        for i, case in enumerate(blind_writers((1,), 36))
        for held in [replace(case.record, seed_document=f"p{i // 3}")]
        for system in ("a", "b")
    ]
    result = audited(cases)
    for found in (list(result.differences), compare(result, result, system="a", against="b")):
        assert {(e.clusters, e.n) for e in found} == {(12, 24)}
        assert [e.value for e in found] == pytest.approx([0] * len(found), abs=1e-12)


def test_a_difference_of_systems_is_no_more_certain_than_the_few_records_that_decide_it() -> None:
    """Both systems write the same of 30 men; of 7 women they differ, which has the t of seven numbers, not of 37."""
    tones = ["good", "good and nice", "awful", "good, great and happy", "sad", "sad", "nice, but sad"]
    rows = [
        {"id": str(i), "documents": ["It was good and bad."], "attributes": {"gender": "f" if i < 7 else "m"},
         "summary": {"x": f"It was {tones[i]}." if i < 7 else "It was bad.", "y": "It was bad."}}
        for i in range(37)
    ]  # fmt: skip
    result = audit(read(rows), Plan(measures=["sentiment_shift@gender"], n_resamples=999, n_extracts=0))
    of_women = result.per_record.filter(pc.field("one[f]") == 1)
    shifts = of_women["shift[f]"].to_numpy().reshape(7, 2)
    wanted = stats.ttest_1samp(shifts[:, 0] - shifts[:, 1], 0)
    [e] = [e for e in result.differences if e.quantity == "difference[f−m]"]
    assert (e.freedom, e.p) == (6, pytest.approx(wanted.pvalue))
    assert (e.low, e.high) == pytest.approx(wanted.confidence_interval(0.95))


def test_nothing_is_said_of_differences_that_shares_cannot_have() -> None:
    """Of four records, an interval would be wider than shares can differ, and only larger differences would be found."""
    rows = [
        {"id": str(i), "documents": ["She spoke to him. He spoke to her."],
         "summary": {"x": "She spoke." if i % 2 else "He spoke.", "y": "He spoke."}}
        for i in range(4)
    ]  # fmt: skip
    result = audit(read(rows), Plan(measures=["word_list_inclusion"], n_resamples=99, n_extracts=0))
    [e] = [e for e in result.differences if e.quantity == "summary_share[female]"]
    assert (e.value, e.high) == (0.5, 1)
    assert e.low < 0
    assert not any(e.detectable for e in result.estimates)


def test_the_other_way_round_a_difference_has_the_other_sign() -> None:
    """Its interval, too, where the systems write about different groups in the same records."""
    said = {"x": ("She spoke.", "He spoke."), "y": ("He spoke.", "She spoke to him.", "She spoke to him.")}
    rows = [
        {"id": str(i), "documents": ["She spoke to him. He spoke to her."], "summary": {s: of[i % len(of)] for s, of in said.items()}}
        for i in range(8)
    ]  # fmt: skip
    result = audit(read(rows), Plan(measures=["word_list_inclusion"], n_resamples=99))
    pairs = compare(result, result, system="x", against="y"), compare(result, result, system="y", against="x")
    (one, *_), (other, *_) = ([e for e in found if e.is_primary] for found in pairs)
    assert one.value
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_two_audits_are_compared_at_their_own_level_of_significance() -> None:
    """With 8 clusters, no p of flipped signs is below 1/128: significant at 0.05, but never at 0.001."""
    cases = blind_writers((1, 4), records=8)
    testable = {}
    for alpha in (0.05, 0.001):
        plan = Plan(measures=["uer@side"], n_resamples=199, n_extracts=10, alpha=alpha)
        alone = [audit([c for c in cases if c.summary.system == system], plan) for system in ("s0", "s1")]
        testable[alpha] = {e.testable for e in compare(*alone) if e.p is not None or e.testable is False}
    assert True in testable[0.05]
    assert testable[0.001] == {False}


def test_a_difference_counts_the_clusters_of_the_audit_with_fewer() -> None:
    """Where one audit knows the people of two records, another those of three, two records compare them, either way round."""
    people = [
        {"id": name, "first_name": name, "last_name": "Berg", "attributes": {"gender": gender}}
        for name, gender in (("Anna", "female"), ("Paul", "male"))
    ]
    row = {"documents": ["Anna Berg met Paul Berg."], "summary": "Anna Berg spoke."}
    plan = Plan(measures=["entity_inclusion@gender"], n_resamples=99)
    audits = [
        audit(
            read([{**row, "id": str(i), "entities": people if i < known else people[:1]} for i in range(4)]),
            plan,
        )
        for known in (2, 3)
    ]
    for pair in (audits, audits[::-1]):
        (e,) = (e for e in compare(*pair) if e.is_primary)
        assert (e.group_clusters, e.other_clusters, e.low) == (4, 2, None)


def test_many_common_clusters_keep_their_jackknife_groups() -> None:
    """Clusters are of two records. One system lacks every fiftieth record: with it, a cluster loses a record, or all that it has."""
    many = 2 * ONE_BY_ONE + 400
    cases = [
        Case(Record(f"r{i}", (Document("a"),), ("a b",), attributes={"of": str(i // 2)}, cluster_by="of"),
             Summary(f"r{i}", system, f"a {'c ' * (i % 5)}"))
        for i in range(many) for system in "ab" if system == "a" or (i % 50 and i % 90 > 1)
    ]  # fmt: skip
    ((ledger, _),) = ledgers_from(audit(cases, Plan(measures=["rouge1"], n_resamples=0)).rows)
    parts = parts_of(ledger, (), 3)
    both = CommonClusters.of([parts[system, WHOLE] for system in "ab"])
    assert ONE_BY_ONE + 100 < len(both.common) < many // 2
    for i, some in product(range(2), (both.common, both.common[100:])):
        units = both.units_of(i, some).sums[0]
        sums = np.zeros_like(units)
        np.add.at(sums, group_numbers(both.clusters.of(some), 3), both.parts[i].sums[both.places[i][some]])
        np.testing.assert_allclose(units, sums)
