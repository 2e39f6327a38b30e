"""Records that all measures without a model can be taken of, and what two audits of them have in common."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from fairbrief.registry import make
from fairbrief.reports.result import Result
from fairbrief.scorers import pairs
from fairbrief.types import Ask, Case, Document, Entity, Estimate, Record, Scores, Summary

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
    """Records in fours: two pairs of one seed document, with exchanged genders, and every tenth varies nothing."""
    seed_document, place = divmod(number, 4)
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
        seed_document=None if seed_document % 10 == 9 else f"o{seed_document}",
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


def documents_of(
    labels: Sequence[str], texts: Sequence[str], attribute: str = "side"
) -> tuple[Document, ...]:
    """Documents with a label each, as many as there are labels."""
    return tuple(Document(text, {attribute: label}) for label, text in zip(labels, texts, strict=False))


def of(result: Result, quantity: str, system: str | None = None, baseline: str = "", **told: Any) -> Estimate:
    """The only estimate of this quantity, of this system if it is named, and of what else is told."""
    wanted = {"quantity": quantity, "baseline": baseline, **told}
    wanted |= {} if system is None else {"system": system}
    every = (*result.estimates, *result.differences)
    (found,) = [e for e in every if all(getattr(e, name) == value for name, value in wanted.items())]
    return found


def assert_same(ours: Result, theirs: Result) -> None:
    """Equal to the last bit, in everything but the seconds."""
    assert list(ours.estimates) == list(theirs.estimates)
    assert list(ours.differences) == list(theirs.differences)
    assert ours.per_record.equals(theirs.per_record)
    assert ours.per_record.schema.equals(theirs.per_record.schema, check_metadata=True)
    assert ours.tables == theirs.tables
    assert ours.not_measured == theirs.not_measured
    assert {**ours.made, "seconds": 0, "ended": ""} == {**theirs.made, "seconds": 0, "ended": ""}


@dataclass(repr=False)
class Supported:
    """A scorer that answers each pair by a function of the source's text and the unit's."""

    support: Callable[[str, str], float]
    name: ClassVar[str] = "supported"
    fingerprint: ClassVar[str] = "supported"

    def __repr__(self) -> str:
        return self.name

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            matrix = np.array([[self.support(row, column) for column in ask.columns] for row in ask.rows])
            owners = np.arange(len(ask.columns))
            yield Scores(matrix.reshape(len(ask.rows), len(owners)), owners, np.ones(len(ask.rows)))


class Pairwise(pairs.KeyedScorer):
    """A scorer whose answers are kept by pair, as a model's: by a function of both texts. It notes every pair that it ever scored."""

    name: ClassVar[str] = "pairwise"
    computed_by: ClassVar[str] = "pairwise/1"
    support: Callable[[str, str], float]
    scored: list[pairs.Key] = field(default_factory=list, compare=False)

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        self.scored.extend(keys)
        yield {(row, column): np.array([self.support(row, column)]) for row, column in keys}


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
