"""An audit by several processes: the same to the last bit, whatever goes wrong."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from fairbrief import auditing
from fairbrief.auditing import Plan, audit, observing, run
from fairbrief.errors import BackendError, DataError, FairbriefError, MissingExtra, RequestError
from fairbrief.measures.representation import Bur
from fairbrief.registry import make
from fairbrief.reports.result import Result
from fairbrief.types import Ask, Case, Document, Entity, Record, Scores, Summary

FIRST = {"female": ("Mary", "Susan"), "male": ("Frank", "Peter")}
LAST = ("Smith", "Jones")
WORDS = ("soup", "garden", "waiter", "mother", "street", "view", "cold", "son", "loud", "lovely")

MEASURES = [
    "bur@party", "uer@party", "sof@party", "auc@party", "auc_cutoff@party", "opening_gap@party",
    "coverage_parity@party", "equal_coverage@party", "bur(scorer=tfidf)@party",
    "position_bias", "position_from_uniform", "position_heights", "rouge1", "rouge2", "rougeL", "rougeLsum",
    "sentiment_shift(scorer=vader)", "gender_agreement", "word_list_inclusion",
    "word_list_inclusion(words=published)", "entity_inclusion@gender", "entity_inclusion(odds=published)@gender",
    "entity_hallucination@gender", "entity_hallucination(unit=sample)@gender", "invented_names@gender",
    "distinguishability@side",
]  # fmt: skip
"""Every measure that needs no model: of single cases, of blocks and of clusters, with every kind of null."""


def record(number: int, rng: np.random.Generator) -> Record:
    """Records in fours: two pairs of one original, with exchanged genders, and every tenth varies nothing."""
    original, place = divmod(number, 4)
    genders = ("female", "male") if place % 2 else ("male", "female")
    people = tuple(Entity(str(i), FIRST[g][i], LAST[i], {"gender": g}) for i, g in enumerate(genders))
    said = [f"{p.first_name} {p.last_name} sang of the {rng.choice(WORDS)}." for p in people]
    documents = tuple(
        Document(f"{text} The {rng.choice(WORDS)} was {rng.choice(WORDS)}. It rained.", {"party": party})
        for text, party in zip([*said, *said], rng.permutation([*"LLRR"]), strict=True)
    )
    return Record(
        f"r{number}",
        documents[: rng.integers(2, 5)],
        references=(f"The {rng.choice(WORDS)} was {rng.choice(WORDS)}.",),
        entities=people,
        attributes={
            "sample": str(place // 2),
            "size": "small" if number % 3 else "large",
            "side": genders[0],
        },
        original=None if original % 10 == 9 else f"o{original}",
    )


def cases_of(records: int, seed: int = 0) -> list[Case]:
    """Two systems; some texts empty."""
    rng = np.random.default_rng(seed)
    cases = []
    for number in range(records):
        r = record(number, rng)
        for system in ("a", "b"):
            kept = [s for d in r.documents for s in d.text.split(". ") if rng.random() < 0.4]
            text = ". ".join(kept) + (" Mr. Karl Zork left." if rng.random() < 0.3 else "")
            text = "" if rng.random() < 0.1 else text
            cases.append(Case(r, Summary(r.id, system, text, reason="" if text.strip() else "empty summary")))
    return cases


def assert_same(ours: Result, theirs: Result) -> None:
    """Equal to the last bit, in everything but the seconds."""
    assert list(ours.estimates) == list(theirs.estimates)
    assert list(ours.differences) == list(theirs.differences)
    assert ours.evidence.equals(theirs.evidence)
    assert ours.evidence.schema.equals(theirs.evidence.schema, check_metadata=True)
    assert ours.exhibits == theirs.exhibits
    assert ours.tables == theirs.tables
    assert ours.left_out == theirs.left_out
    assert {**ours.made, "seconds": 0} == {**theirs.made, "seconds": 0}


PLAN = Plan(
    measures=MEASURES,
    n_resamples=40,
    slices=[("size",)],
    controls=("exchanged", "random_sentences"),
)


@pytest.fixture(scope="module")
def small_shards() -> Iterator[None]:
    """Shards of sixteen cases, so that few records make many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "SHARD", 16)
        yield


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Records in two systems: six shards, the last open, and three of gathered variants."""
    return cases_of(44)


@pytest.fixture(scope="module")
def here(cases: list[Case], small_shards: None) -> Result:  # noqa: ARG001
    """The audit by this process, seven units scored at once; workers score as many as there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observing, "BATCH", 7)
        return audit(cases, PLAN)


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_no_bit(workers: int, cases: list[Case], here: Result) -> None:
    """All measures, scopes, slices and controls, however many workers carry and units are scored at once."""
    assert_same(audit(cases, replace(PLAN, workers=workers)), here)
    assert here.exhibits
    assert {e.quantity for e in here.estimates if e.p is not None}


@pytest.mark.usefixtures("small_shards")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("engine", ["threads(workers=3)", "ray"])
def test_engines_change_no_bit(engine: str, cases: list[Case], here: Result) -> None:
    """Named engines give what this process gives; threads are those of a stranger's package, one file that declares them."""
    if engine == "ray":
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    assert_same(audit(cases, replace(PLAN, engine=engine)), here)
    if engine == "ray":
        import ray

        ray.shutdown()


def test_an_engine_and_workers_are_not_both_given(cases: list[Case]) -> None:
    """One of them would be without effect; and an engine that nobody declares is told."""
    with pytest.raises(RequestError, match="--workers 3 speaks of processes"):
        audit(cases, replace(PLAN, workers=3, engine="ray"))
    with pytest.raises(RequestError, match=r"No engine named 'rya'\. Did you mean 'ray'"):
        audit(cases, replace(PLAN, engine="rya"))
    assert make("engine", "ray:ray://head:10001").address == "ray://head:10001"


@pytest.mark.usefixtures("small_shards")
def test_the_default_measures_are_chosen_alike(cases: list[Case]) -> None:
    """What the input allows does not depend on who carries it."""
    plan = Plan(attributes=["party"], n_resamples=10)
    assert_same(audit(cases[:40], replace(plan, workers=2)), audit(cases[:40], plan))


def broken(cases: Sequence[Case], *numbers: int) -> list[Case]:
    """The cases, in some of which one document has lost its party."""
    found = list(cases)
    for number in numbers:
        r = found[number].record
        first, *rest = r.documents
        where = f"reviews.jsonl:{number + 1}"
        found[number] = replace(
            found[number], record=replace(r, documents=(replace(first, attributes={}), *rest), where=where)
        )
    return found


def said(cases: Iterator[Case] | Sequence[Case], plan: Plan) -> str:
    """What an audit that must fail says."""
    with pytest.raises(FairbriefError) as error:
        audit(cases, plan)
    return f"{type(error.value).__name__}: {error.value}"


@pytest.mark.usefixtures("small_shards")
def test_the_first_bad_line_is_told_whoever_met_one_first(
    cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same error as by one process, with its place; also where the file itself breaks off later."""
    monkeypatch.setattr(auditing, "HEAD", 16)
    plan = Plan(measures=["rouge1", "bur@party"], n_resamples=10)
    # Records that share a cluster wait until all of it was read: what is wrong with them is told later.
    alone = [replace(case, record=replace(case.record, original=None)) for case in cases]
    bad = broken(alone, 44, 70, 85)

    def stream() -> Iterator[Case]:
        yield from bad[:80]
        raise DataError("reviews.jsonl:81: not JSON")

    for source in (lambda: bad, stream):
        told = said(source(), plan)
        assert "reviews.jsonl:45" in told
        assert said(source(), replace(plan, workers=2)) == told


@pytest.mark.usefixtures("small_shards")
def test_skipped_lines_are_counted_alike(cases: list[Case]) -> None:
    """Left out on request, with the reason."""
    plan = Plan(measures=["bur@party", "uer@party"], n_resamples=10, skips=True)
    bad = broken(cases, 44, 70, 85)
    here = audit(bad, plan)
    assert_same(audit(bad, replace(plan, workers=2)), here)
    assert any("left out on request" in reason for e in here.estimates for reason in e.excluded)


@dataclass
class Modelled:
    """A scorer whose parts are kept, as those of models are; it notes in which process it worked."""

    pids: list[int]
    name: ClassVar[str] = "modelled"
    fingerprint: ClassVar[str] = "modelled 1"
    computed_by: ClassVar[str] = "modelled 1"

    def __reduce__(self) -> Any:
        raise pickle.PicklingError("a model is not sent")

    def keys(self, asks: Sequence[Ask]) -> list[tuple[str, ...]]:
        return [(text,) for ask in asks for text in (*ask.rows, *ask.columns)]

    def compute(self, keys: Sequence[tuple[str, ...]]) -> Iterator[dict[tuple[str, ...], np.ndarray]]:
        yield {key: np.array([len(key[0])]) for key in keys}

    def assemble(self, asks: Sequence[Ask], arrays: Any) -> Iterator[Scores]:  # noqa: ARG002
        yield from make("scorer", "tfidf").answer([replace(ask, scorer="tfidf") for ask in asks])

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        self.pids.append(os.getpid())
        yield from self.assemble(asks, {})


@pytest.mark.usefixtures("small_shards")
def test_models_stay_in_this_process(cases: list[Case]) -> None:
    """Observations that ask one are made here, beside those of the workers, in the order of the file."""
    plan = Plan(
        measures=["rouge1", "equal_coverage(scorer=modelled)@party", "bur@party"], n_resamples=20,
        scorers={"modelled": Modelled([])},
    )  # fmt: skip
    here = audit(cases, plan)
    model = Modelled([])
    assert_same(audit(cases, replace(plan, scorers={"modelled": model}, workers=2)), here)
    assert set(model.pids) == {os.getpid()}
    assert "modelled:modelled 1" in here.estimates[0].signature
    bad = broken(cases, 44, 70)
    assert said(bad, replace(plan, workers=2)) == said(bad, plan)


@dataclass(frozen=True)
class Failing:
    """A scorer that fails in a worker alone, and there only after some shards."""

    how: str
    name: ClassVar[str] = "failing"
    fingerprint: ClassVar[str] = "failing 1"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise MissingExtra("torch", "neural", "failing")
        yield asks


@pytest.mark.parametrize(("how", "error"), [("killed", BackendError), ("extra", MissingExtra)])
def test_what_ends_a_worker_is_told(how: str, error: type[Exception], cases: list[Case]) -> None:
    """A kill as a failure of the machine; a missing library as ever."""
    plan = Plan(measures=["bur(scorer=failing)@party"], scorers={"failing": Failing(how)}, workers=2)
    with pytest.raises(error, match="out of memory" if how == "killed" else "neural"):
        audit(cases, plan)


def test_what_cannot_be_sent_is_named(cases: list[Case]) -> None:
    """A measure, a scorer or a wrapping that other processes cannot know: which, and what to do."""

    @dataclass(frozen=True, repr=False)
    class Local(Bur):
        @property
        def observation(self) -> Any:
            return replace(super().observation, scorer=lambda: None)

    plan = Plan(measures=["rouge1"], workers=2)
    mine = Failing("")
    object.__setattr__(mine, "how", lambda: None)
    with pytest.raises(RequestError, match=r"The measure bur@party cannot be sent.*top of a module"):
        audit(cases, replace(plan, measures=[Local("party")]))
    with pytest.raises(RequestError, match="The scorer mine cannot be sent"):
        audit(cases, replace(plan, scorers={"mine": mine}))
    with pytest.raises(RequestError, match="wraps the scorers cannot be sent"):
        audit(cases, replace(plan, wrap=lambda scorer: scorer))
