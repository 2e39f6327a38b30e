"""What estimates of a small audit say, where it can be told without counting."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.sample_cases import documents_of, of

import fairbrief
from fairbrief.auditing import Plan, audit, check
from fairbrief.errors import RequestError
from fairbrief.reports.result import Result
from fairbrief.types import Case, Document, Record, Summary

WORDS = ("cedar", "elm", "fir", "slate", "chalk", "marl")


def cases(systems: dict[str, int]) -> Iterator[Case]:
    """Eight records of three documents a side; a system copies as many of them as it is given, the first ones first."""
    for i in range(8):
        texts = [f"{word.title()} {word}{i} {word}s." for word in WORDS]
        record = Record(f"r{i}", documents_of("LLLRRR", texts))
        for system, many in systems.items():
            yield Case(record, Summary(record.id, system, " ".join(texts[:many])))


@pytest.fixture(scope="module")
def result() -> Result:
    """Two systems that copy two documents of the left, and one that copies all but one."""
    return audit(list(cases({"a": 2, "b": 2, "c": 5})), Plan(measures=["uer@side"], n_resamples=100))


def test_systems_that_write_the_same_differ_by_nothing(result: Result) -> None:
    """Equal systems have p = 1 beside any other tests, and do not count among these: the others' Holm p are over those that differ."""
    same, other = of(result, "difference[L]", "a", "b"), of(result, "difference[L]", "a", "c")
    assert (same.value, same.permutation_mean, same.smallest_p) == (0, 0, 1)
    assert (same.p, same.p_adjusted, same.testable) == (1, 1, True)
    assert other.p is not None
    assert other.p_adjusted == pytest.approx(4 * other.p)


def test_systems_that_differ_in_every_record_are_tested_by_turning_them(result: Result) -> None:
    """All eight clusters say the same: two of 2^8 ways are as extreme, of 2^7 sizes one."""
    e = of(result, "difference[L]", "a", "c")
    assert (e.value, e.p, e.testable, e.smallest_p) == (pytest.approx(1 - 3 / 5), 2 / 2**8, True, 1 / 2**7)
    assert e.is_primary
    assert e.excluded == {}


def test_a_difference_that_no_turning_could_show_has_no_detectable_size() -> None:
    """Four clusters have 2^3 sizes: the smallest p is 1/8, so there is no p, and no size at which it would be small."""
    apart = [*cases({"a": 2, "c": 5}), *cases({"a": 2, "c": 4})]
    few = [case for i, case in enumerate(apart) if i // 2 in (0, 1, 10, 11)]
    e = of(audit(few, Plan(measures=["uer@side"], n_resamples=100, n_extracts=0)), "difference[L]", "a", "c")
    assert (e.clusters, e.smallest_p, e.testable, e.p) == (4, 1 / 2**3, False, None)
    assert (e.se or 0) > 0
    assert e.low is not None
    assert e.detectable is None


def test_an_undefined_estimate_has_the_counts_of_its_group() -> None:
    """Eight texts have a woman each; a summary without any listed word has no share of women, alone or beside another system."""
    records = [Record(f"r{i}", (Document("She saw him. He left."),)) for i in range(8)]
    for texts in ({"z": "Nothing."}, {"z": "Nothing.", "a": "She left."}):
        some = [Case(record, Summary(record.id, s, text)) for record in records for s, text in texts.items()]
        e = of(audit(some, Plan(measures=["word_list_inclusion"], n_resamples=100)), "shift[female]", "z")
        assert (e.value, e.group_clusters, e.group_items) == (None, 8, 8)


def test_counterfactuals_of_a_seed_document_are_labelled_as_one() -> None:
    """Three originals, each beside a variant, with four documents in two groups: 6 label permutations each, of which two are as extreme."""
    varied = []
    for i in range(3):
        documents = documents_of("LLRR", [f"{word.title()}{i} {word}s." for word in WORDS])
        for record in (Record(f"o{i}", documents), Record(f"o{i}y", documents, seed_document=f"o{i}")):
            varied.append(Case(record, Summary(record.id, "a", documents[0].text)))
    found = audit(varied, Plan(measures=["uer@side"], n_resamples=100))
    e = of(found, "difference[L]", "a")
    assert (e.n, e.clusters) == (6, 3)
    assert e.smallest_p == pytest.approx(2 / 6**3)
    # Texts of whole groups have no labels to exchange: signs of the three clusters are turned instead.
    found = audit(varied, Plan(measures=["uer(texts=values)@side"], n_resamples=100))
    assert of(found, "difference[L]", "a").smallest_p == 1 / 2**2


def test_per_record_statistics_has_the_p_of_every_record_that_is_tested_alone() -> None:
    """A summary of one side of 4 and 4 documents is one of 70 label permutations, of which two are as uneven. With k of the four
    covered documents on one side, in C(4, k)² ways, the gap is |k - 2|/16: on average (2 · 2/16 + 2 · 16/16)/70.
    """
    documents = documents_of("LLLLRRRR", [f"{letter}lder {letter}lders." for letter in "abcdefgh"])
    one = Case(Record("r", documents), Summary("r", "a", " ".join(d.text for d in documents[:4])))
    found = audit([one], Plan(measures=["equal_coverage@side", "uer@side"], n_resamples=100))
    ps = {row["measures"]: row["p"] for row in found.per_record.to_pylist()}
    assert ps == {"equal_coverage@side": pytest.approx(2 / 70), "uer@side": None}
    one = replace(one, record=replace(one.record, seed_document="o"))
    per_record = audit([one], Plan(measures=["equal_coverage@side"], n_resamples=0)).per_record
    assert [(row["record"], row["cluster"]) for row in per_record.to_pylist()] == [("r", "o")]
    assert of(found, "uneven_share").value == 1
    main_value = of(found, "equal_coverage")
    assert main_value.value == 2 / 16
    assert main_value.chance_adjusted == pytest.approx(2 / 16 - 36 / 16 / 70)


def said(*counts: int, system: str = "a") -> list[Case]:
    """One record for each count, whose summary says 'first woman' so often."""
    records = [Record(f"r{i}", (Document("Somebody won."),)) for i in range(len(counts))]
    texts = [f"Won. {'First woman. ' * count}" for count in counts]
    return [Case(r, Summary(r.id, system, text)) for r, text in zip(records, texts, strict=True)]


COUNTS = (0, 0, 1, 2, 0, 3, 1, 1)
"""With a mean of 1, and squares of 1, 1, 0, 1, 1, 4, 0 and 0 about it: a variance of 8/7."""


def test_a_mean_of_records_has_students_interval() -> None:
    """1 ± 2.364624 · √(8/7/8), a t of seven degrees of freedom; without resamples there is only the value."""
    e = of(audit(said(*COUNTS), Plan(measures=["phrase_counts"], n_resamples=100)), "phrase_counts", "a")
    half = 2.364624 / 7**0.5
    assert (e.value, e.se, e.low, e.high) == pytest.approx((1, 1 / 7**0.5, 1 - half, 1 + half))
    assert (e.kind, e.p, e.testable, e.notes, e.is_primary) == ("label_independent", None, None, (), False)
    alone = of(audit(said(*COUNTS), Plan(measures=["phrase_counts"], n_resamples=0)), "phrase_counts", "a")
    assert (alone.value, alone.se, alone.low, alone.notes) == (1, None, None, ())


def test_an_interval_of_counts_does_not_go_below_0() -> None:
    """One phrase in eight summaries: 1/8 ± 2.364624/8, without the negative part."""
    e = of(audit(said(1, *[0] * 7), Plan(measures=["phrase_counts"], n_resamples=100)), "phrase_counts", "a")
    assert (e.low, e.high) == pytest.approx((0, (1 + 2.364624) / 8))


def test_means_of_shares_have_intervals_that_keep_to_them() -> None:
    """Two of eight summaries that repeat a word of their reference, and eight that draw only on the first sentence."""
    documents = documents_of("LR", ("Alpha one. Beta two. Gamma three. Delta four.", "Else."))
    texts = ["Alpha one.", *(f"Beta zzz{i}." for i in range(1, 8))]
    records = [Record(f"r{i}", documents, ("Alpha one.",)) for i in range(8)]
    given = [Case(r, Summary(r.id, "a", text)) for r, text in zip(records, texts, strict=True)]
    measures = ["rouge1", "position_from_uniform", "uer@side", "sof@side"]
    found = audit(given, Plan(measures=measures, n_resamples=20))
    names = {
        "rouge1", "rouge1_precision", "rouge1_recall", "lead_share", "mean_position", "segment[01]", "unmapped_share", "uer",
    }  # fmt: skip
    shares = [e for e in found.estimates if e.low is not None and e.quantity in names]
    assert {e.quantity for e in shares} == names
    for e in shares:
        assert 0 <= e.low <= e.value <= e.high <= 1, (e.quantity, e.low, e.value, e.high)
    rouge = of(found, "rouge1_recall")
    t2, n = 2.364624**2, (1 / 8) * (7 / 8) / (rouge.se or 1) ** 2
    middle = (1 / 8 + t2 / (2 * n)) / (1 + t2 / n)
    half = (t2 * ((1 / 8) * (7 / 8) / n + t2 / (4 * n * n))) ** 0.5 / (1 + t2 / n)
    assert (rouge.value, rouge.low, rouge.high) == pytest.approx((1 / 8, middle - half, middle + half))


def test_no_bound_lies_beyond_what_can_be() -> None:
    """Documents of a are covered in one record of eight: 0.875 ± 0.296 less, where nothing is covered less than not at all,
    nor further below random extracts than these are above that.
    """
    given = ("Alder birch cedar elm.", "Fir.", "Hazel ivy juniper larch maple.", "Oak pine.")
    documents = documents_of("aabb", given)
    texts = ["Fir. Hazel ivy juniper.", *["Hazel ivy juniper larch maple."] * 7]
    given = [Case(Record(f"r{i}", documents), Summary(f"r{i}", "a", text)) for i, text in enumerate(texts)]
    found = audit(given, Plan(measures=["coverage_parity@side"], n_resamples=100))
    e = of(found, "relative_difference[a]")
    assert (e.value, e.se, e.low, e.high) == pytest.approx((-0.875, 0.125, -1, -0.875 + 2.364624 * 0.125))
    assert e.extract_baseline is not None
    assert e.extract_difference - 2.2 * e.se < -1.1
    assert -1.05 < e.extract_difference_low < -1, "extracts may read a little more than 0"


def test_percentiles_of_resampled_clusters_are_asked_for() -> None:
    """Means of eight draws of the eight are multiples of 1/8, about as far from 1 as Student's; of one record there are none."""
    plan = Plan(measures=["phrase_counts"], n_resamples=100, intervals="bootstrap")
    e = of(audit(said(*COUNTS), plan), "phrase_counts", "a")
    assert 0 < e.low < 1 - 1 / 7**0.5 < 1 + 1 / 7**0.5 < e.high < 2.5
    assert e.notes == ()
    one = of(audit(said(3), plan), "phrase_counts", "a")
    assert (one.value, one.low, one.high) == (3, None, None)


def test_levels_of_two_systems_are_compared_record_by_record() -> None:
    """A system that says it once more in every other record does so ½ more: -½ ± 2.364624 · √(2/7/8). No level leads."""
    more = said(*(count + i % 2 for i, count in enumerate(COUNTS)), system="b")
    plan = Plan(measures=["phrase_counts"], n_resamples=100)
    e = of(audit([*said(*COUNTS), *more], plan), "phrase_counts", "a", "b")
    half = 2.364624 * (2 / 7 / 8) ** 0.5
    assert (e.value, e.low, e.high) == pytest.approx((-0.5, -0.5 - half, -0.5 + half))
    # Four clusters say something: of 2^3 sizes none is larger, but the bound counts all eight.
    assert (e.p, e.smallest_p, e.testable, e.is_primary) == (1 / 8, 1 / 2**7, True, False)
    assert audit([*said(1), *said(2, system="b")], plan).differences == ()
    few = of(audit([*said(1, 2), *said(2, 2, system="b")], plan), "phrase_counts", "a", "b")
    assert (few.value, few.low, few.p, few.testable) == (-0.5, None, None, False)
    assert [note.code for note in few.notes] == ["few_clusters"]


def test_an_interval_of_a_size_begins_at_zero_where_the_test_does_not_reject() -> None:
    """Systems that favour one side and the other by turns are no more uneven than chance."""
    by_turns = []
    for i, c in enumerate(cases({"a": 2})):
        documents = c.record.documents[:: 1 if i % 2 else -1]
        text = " ".join(d.text for d in documents[:2])
        by_turns.append(Case(replace(c.record, documents=documents), replace(c.summary, text=text)))
    e = of(audit(by_turns, Plan(measures=["coverage_parity@side"], n_resamples=100)), "coverage_parity", "a")
    assert (e.value, e.p) == (pytest.approx(0.0, abs=1e-12), 1.0)
    assert (e.low, e.low_is_open) == (0.0, False)


def test_the_reason_of_a_record_left_out_on_request_is_what_is_wrong_with_it() -> None:
    """Without its place, by which no two could be counted together, and without what to do about it."""
    one, *two = Document("One.", {"side": "L"}), Document("Two."), Document("Two.", {"side": "R"})
    given = [Case(Record(f"r{i}", (one, two[i > 1])), Summary(f"r{i}", "a", "One.")) for i in range(6)]
    result = audit(given, Plan(measures=["uer@side"], n_resamples=0, skips=True))
    assert dict(of(result, "uer", "a").excluded) == {
        "left out on request: found no attribute 'side', which other documents of the record have": 2,
        "one value only": 4,
    }


def test_so_few_resamples_that_they_hide_what_could_be_significant_are_said() -> None:
    """Ten give no p below 1/11: it is told all the same, with the number that would be enough, ten at 0.05."""
    e = of(audit(list(cases({"a": 2})), Plan(measures=["uer@side"], n_resamples=10)), "difference[L]", "a")
    assert e.p is not None
    assert e.testable
    (note,) = [note for note in e.notes if note.code == "few_resamples"]
    assert note.arguments == {"resamples": 199, "alpha": 0.05}


def test_a_system_without_a_record_in_a_subgroup_has_none_there() -> None:
    """Of two topics one system writes about the first alone: in the second its value is undefined, for want of records."""
    both = [
        replace(case, record=replace(case.record, attributes={"topic": "t" if i % 4 < 2 else "u"}))
        for i, case in enumerate(cases({"a": 2, "b": 2}))
    ]
    some = [c for c in both if c.summary.system == "a" or c.record.attributes["topic"] == "t"]
    found = audit(some, Plan(measures=["rouge1", "uer@side"], by=[("topic",)], n_resamples=20))
    lone = of(found, "uer", "b", subgroup={"topic": "u"})
    assert (lone.value, lone.n) == (None, 0)
    assert [dict(note.arguments) for note in lone.notes] == [{"reason": "no record"}]


def test_what_an_audit_would_refuse_is_refused_before_there_are_summaries() -> None:
    """A protocol that is none, too; an attribute that only the reading uses is not."""
    records = [case.record for case in cases({"a": 2})]
    with pytest.raises(RequestError, match="zhang"):
        check(records, Plan(protocol="zhang"))
    plan = Plan(protocol="chhabra-position", attributes=["side"])
    assert check(fairbrief.read(records, attributes="side", require="side"), plan)
    with pytest.raises(RequestError, match="--attribute side has no effect"):
        check(records, plan)


def test_sanity_baselines_are_a_holm_family_of_their_own() -> None:
    """The systems' adjusted p is the same whether sanity baselines stand beside them or not."""
    given, measures = list(cases({"a": 2, "c": 5})), ["uer@side", "bur@side"]
    alone = fairbrief.audit(given, measures, n_resamples=400)
    beside = fairbrief.audit(given, measures, n_resamples=400, sanity_baselines=["exchanged", "one_document"])
    adjusted = {(e.measure, e.quantity, e.system): e.p_adjusted for e in beside.estimates}
    assert any(e.p_adjusted is not None for e in alone.estimates)
    for e in alone.estimates:
        assert adjusted[e.measure, e.quantity, e.system] == e.p_adjusted
