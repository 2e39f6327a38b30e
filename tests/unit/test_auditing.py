"""What an audit promises whatever it measures: also of large records, of scores that are no numbers, and of the example."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from tests.sample_cases import of

from fairbrief.auditing import HEAD, TRIED, Plan, audit, extracts
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.sanity_baselines import SANITY_BASELINES
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import BackendError, DataError, RequestError
from fairbrief.saved import agreement
from fairbrief.saved.saved_values import Resampling
from fairbrief.scorers.shared_words import Ngram
from fairbrief.types import Ask, Case, Claim, Document, Record, Scores, Summary

PLAN = Plan(measures=["opening_gap@party"], n_resamples=300)
WORDS = ("taxes", "rain", "wages", "bread", "roads", "sun", "sea", "air")


def cases_of(n: int, *, systems: Sequence[str] = ("plain",)) -> list[Case]:
    """Records of eight documents, four a party; a summary repeats some openings."""
    rng = np.random.default_rng(0)
    cases = []
    for i in range(n):
        words = rng.permutation(WORDS)
        documents = tuple(Document(f"{w} text", {"party": "LR"[j % 2]}) for j, w in enumerate(words))
        record = Record(f"r{i}", documents, attributes={"size": "even" if i % 2 == 0 else "odd"})
        for system in systems:
            kept = [w for w in words if rng.random() < 0.5]
            cases.append(Case(record, Summary(record.id, system, " ".join(kept) or "nothing")))
    return cases


only = partial(of, quantity="opening_gap")
"""The one estimate of an audit."""


@pytest.mark.parametrize(("first", "is_taken"), [(TRIED, True), (HEAD, False)])
def test_a_measure_is_taken_that_can_read_one_of_the_first_cases(first: int, *, is_taken: bool) -> None:
    """Also where the very first have no reference; not where none of those that are looked at has one."""
    cases = cases_of(first + 5)
    with_one = [replace(c, record=replace(c.record, references=("rain and taxes",))) for c in cases[first:]]
    result = audit([*cases[:first], *with_one], Plan(n_resamples=0))
    assert ("rouge1" in {e.measure for e in result.estimates}) == is_taken
    assert ("rouge1" in {out.measure for out in result.not_measured}) == (not is_taken)


def test_the_same_seed_and_inputs_give_the_same_audit_and_signature() -> None:
    """Everything random is in the seed; the signature names the measure, and changes with any summary or reference."""
    cases = cases_of(20)
    first, again, other = (only(audit(cases, replace(PLAN, seed=seed))) for seed in (0, 0, 1))
    assert first == again
    assert other.value == first.value
    assert (other.low, other.p) != (first.low, first.p)
    last = cases[-1]
    summary = replace(last, summary=replace(last.summary, text="else"))
    reference = replace(last, record=replace(last.record, references=("else",)))
    for changed in (summary, reference):
        assert first.signature != only(audit([*cases[:-1], changed], PLAN)).signature
    assert first.signature.startswith("opening_gap@party|v1|fairbrief:")


def test_systems_are_compared_on_the_records_that_all_answered() -> None:
    """A system does not look better for having failed on hard records; one with few answers is compared only on these, with a note."""
    answered = {"a": 12, "b": 11, "rare": 2}
    every = cases_of(12, systems=("a", "b", "rare"))
    cases = [c for c in every if int(c.record.id[1:]) < answered[c.summary.system]]
    found = {(e.system, e.baseline): e for e in audit(cases, PLAN).differences}
    assert found["a", "b"].n == 11
    assert found["a", "b"].excluded == {"not answered by all compared": 1}
    assert found["a", "rare"].n == 2
    assert found["a", "rare"].notes[-1].code == "few_answered"


def test_counterfactuals_of_one_seed_document_are_resampled_together() -> None:
    """Copies of one seed document add rows but no clusters, and bring an interval within seed documents."""
    cases = []
    for c in cases_of(12):
        of_seed = replace(c.record, seed_document=c.record.id)
        for k in "012":
            cases.append(Case(replace(of_seed, id=f"{c.record.id}.{k}", attributes={"sample": k}), c.summary))
    estimate = only(audit(cases, PLAN))
    alone = only(audit(cases_of(12), PLAN))
    assert (estimate.n, estimate.clusters, alone.clusters) == (36, 12, 12)
    assert (estimate.low, estimate.high) == (alone.low, alone.high)
    assert estimate.low_within == estimate.high_within == estimate.value


def test_a_measure_without_an_attribute_is_taken_over_those_it_could_read() -> None:
    """A bare name means every attribute of documents that could be a group, or of those that are named."""
    for attributes in ([], ["size", "party"]):
        plan = Plan(measures=["opening_gap"], attributes=attributes, n_resamples=20)
        assert {e.measure for e in audit(cases_of(3), plan).estimates} == {"opening_gap@party"}


def test_sanity_baselines_are_named_by_kind_beside_their_systems() -> None:
    """They follow the systems, whoever has a summary to exclude; another system's are no baseline of this one."""
    cases = cases_of(6, systems=("a", "b"))
    cases[0] = Case(cases[0].record, Summary("r0", "a", "", reason="empty summary"))
    result = audit(cases, replace(PLAN, sanity_baselines=["whole_source", "exchanged"]))
    own = {system: (f"sanity:exchanged({system})", "sanity:whole_source") for system in "ab"}
    kinds = {"a": "system", "b": "system", **dict.fromkeys(sorted({*own["a"], *own["b"]}), "sanity_baseline")}
    assert list(dict.fromkeys((e.system, e.system_kind) for e in result.estimates)) == list(kinds.items())
    assert {(r["system"], r["system_kind"]) for r in result.per_record.to_pylist()} == set(kinds.items())
    gaps = [e for e in result.differences if e.baseline.startswith("sanity:")]
    assert {(e.system, e.baseline) for e in gaps} == {(s, c) for s in "ab" for c in own[s]}
    assert {(e.system_kind, e.baseline_kind) for e in gaps} == {("system", "sanity_baseline")}


def test_a_record_has_its_sanity_baselines_once_however_its_systems_stand() -> None:
    """One system after the other, or record by record: what is made from the records alone is counted once."""
    cases = cases_of(300, systems=("a", "b"))
    one_after_the_other = sorted(cases, key=lambda case: case.summary.system)
    for ordered in (cases, one_after_the_other):
        result = audit(ordered, replace(PLAN, sanity_baselines=["all"], n_resamples=0))
        (sanity_baseline,) = {e.n for e in result.estimates if e.system == "sanity:whole_source"}
        assert sanity_baseline == 300
        kinds = {name.removeprefix("sanity:").partition("(")[0] for name in result.made["sanity_baselines"]}
        assert kinds == set(SANITY_BASELINES)


def test_without_measures_all_that_the_input_allows_are_taken_and_the_rest_is_named() -> None:
    """Every measure is either taken or left out with a reason; scorer bias checks go with the measures that they check."""
    from fairbrief import registry

    result = audit(cases_of(6), Plan(n_resamples=50))
    taken = {e.measure.partition("@")[0].partition("(")[0] for e in result.estimates}
    left = {out.measure.partition("@")[0].partition("(")[0] for out in result.not_measured}
    assert "opening_gap" in taken
    asked = {n for n in registry.names("measure") if not n.startswith("scorer_bias_")}
    assert taken | left == asked | {"scorer bias"}
    assert all(out.reason for out in result.not_measured)


def test_an_attribute_that_a_measure_cannot_take_is_told() -> None:
    """The message names what was asked for and what there is; without a record it is this that is told."""
    plan = Plan(measures=["opening_gap"], attributes=["size"])
    with pytest.raises(RequestError, match=r"named size.*Found: party.*--attribute NAME"):
        audit(cases_of(2), plan)
    with pytest.raises(DataError, match="no record"):
        audit([], plan)


def test_extracts_of_a_large_record_are_refused_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the record, the limit and what to do, before measures are tried; each remedy that is named goes through."""
    monkeypatch.setattr(extracts, "MOST_PAIRS", 50)
    cases, plan = cases_of(2), Plan(measures=["equal_coverage@party"], n_resamples=20)
    for taken in (plan, Plan(attributes=["party"])):
        with monkeypatch.context() as patched:
            patched.setattr(Observer, "observe", lambda *_: pytest.fail("work was begun"))
            said = r"r0.*8 documents.*64 pairs.*--extracts 0.*--extracts 200.*cut the record"
            with pytest.raises(RequestError, match=said):
                audit(cases, taken)
    for remedy in (0, 200):
        assert audit(cases, replace(plan, n_extracts=remedy)).estimates


@dataclass(frozen=True)
class Broken:
    """Scores that are right, but for texts with the word bad: one of theirs is not finite."""

    value: float
    in_sizes: bool = False
    name: str = "ngram"
    fingerprint: str = "broken"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One answer per ask, in order."""
        for ask, right in zip(asks, Ngram().answer(asks), strict=True):
            matrix, sizes = right.matrix.copy(), right.sizes.copy()
            if any("bad" in text for text in ask.columns):
                (sizes if self.in_sizes else matrix).flat[0] = self.value
            yield replace(right, matrix=matrix, sizes=sizes)


def cases_with_bad_scores(bad: int) -> Iterator[Case]:
    """Thirty cases of two sides; the summaries of the first ``bad`` hold the word bad."""
    for i in range(30):
        documents = tuple(Document(f"{w} stone {i} {w}", {"side": w}) for w in ("left", "right", "left"))
        word = "bad" if i < bad else "good"
        units = (Claim(f"left stone {word}"), Claim("right stone", {"side": ("right",)}))
        yield Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", f"left stone {i} {word}", claims=units))


BROKEN = [Broken(np.nan), Broken(np.inf), Broken(-np.inf), Broken(np.nan, in_sizes=True)]


@pytest.mark.parametrize("scorer", BROKEN)
def test_a_record_with_such_a_score_is_left_out_and_counted(scorer: Broken) -> None:
    """The value is that of the other records, and the reason names the scorer."""
    measures = ["bur@side", "uer@side"]
    plan = Plan(measures=measures, n_resamples=50, scorers={"ngram": scorer}, check_scorers=False)
    found = audit(list(cases_with_bad_scores(4)), plan)
    without = audit(list(cases_with_bad_scores(4))[4:], replace(plan, scorers={}))
    for e, other in zip(found.estimates, without.estimates, strict=True):
        assert (e.measure, e.quantity, e.n) == (other.measure, other.quantity, 26)
        assert e.excluded == {"a score that is not a number, from ngram": 4}
        assert e.value == other.value


def test_an_audit_without_any_usable_score_is_refused() -> None:
    """Where every record has such a score there is nothing to report: the error names the scorer."""
    plan = Plan(measures=["bur@side"], n_resamples=50, scorers={"ngram": Broken(np.nan)})
    with pytest.raises(BackendError, match="The scorer ngram gives scores that are not numbers"):
        audit(list(cases_with_bad_scores(30)), plan)


def test_comparisons_with_people_exclude_or_refuse_such_scores() -> None:
    """Agreement with labels excludes such records, as audits do; sizes of pieces are refused."""
    broken, cases = Scorers({"ngram": Broken(np.nan)}), list(cases_with_bad_scores(1))
    found = agreement.agreement(cases, "side", "ngram", scorers=broken, resampling=Resampling(0))
    assert found.excluded == {"a score that is not a number, from ngram": 1}
    with pytest.raises(BackendError, match="not numbers"):
        agreement.agreement(cases[:1], "side", "ngram", scorers=broken)
    with pytest.raises(BackendError, match="not numbers"):
        agreement.chunk_sizes(cases, "ngram", sizes=["2"], scorers=broken)
