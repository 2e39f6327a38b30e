"""Worlds for audits as a whole: several systems, several attributes, writers who never saw a label and writers who did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from benchmarks.calibration.worlds import (
    BAD,
    FEMALE,
    GOOD,
    GROUPS,
    LAST,
    MALE,
    Rng,
    Sentences,
    labels,
    random_summary,
    words,
)

from fairbrief.text.sentences import split
from fairbrief.types import Case, Document, Entity, Record, Summarizer, Summary
from fairbrief.workbench.summarizers.extractive import Lead, LexRank

Write = Callable[[Rng, Record, Sentences, np.ndarray], str]
"""What a system writes of a record, whose sentences and first labels it may look at."""
ATTRIBUTES = ("side", "tone", "place", "age")
HALF, THIRDS, MOSTLY = (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3), (0.8, 0.2)
LEFT_OUT = 0.3
"""Share of the records that every second system does not answer."""


@dataclass(frozen=True)
class Cell:
    """An audit's attributes, systems, and clusters of each kind."""

    attributes: Sequence[str]
    systems: Sequence[str]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class World:
    """Clusters of cases, and the audits that are made of them.

    ``asks`` is the table that the world is made for. ``planted`` are the systems that neglect a group: system, attribute,
    group. ``kind`` tells clusters apart that an audit draws in numbers of their own.
    """

    name: str
    says: str
    make: Callable[[Rng, int], list[Case]]
    cells: Sequence[Cell]
    asks: Literal["fair", "planted", "between records", "seen"] = "fair"
    planted: frozenset[tuple[str, str, str]] = frozenset()
    kind: Callable[[int], bool] = lambda _: False
    bank: int = 3000


def random_sentences(picked: int, skip: float = 0.0) -> Write:
    """Sentences at random; those of the first attribute's group b are kept with odds 1 − ``skip``."""
    return lambda rng, _, texts, of: random_summary(rng, texts, of, picked, skip)


def by(summarizer: Summarizer) -> Write:
    return lambda _, record, __, ___: next(iter(summarizer.summarize([record]))).text


def longest(_: Rng, record: Record, __: Sentences, ___: np.ndarray) -> str:
    """The two longest sentences."""
    sentences = [sentence for document in record.documents for sentence in split(document.text)]
    return " ".join(sorted(sentences, key=lambda s: -len(s))[:2])


def documents(
    writers: Mapping[str, Write],
    how: float,
    first: Sequence[float],
    *,
    copies: int = 1,
    left_out: float = LEFT_OUT,
) -> Callable[[Rng, int], list[Case]]:
    """Records of six documents whose words tell the label of the first attribute with probability ``how``.

    ``copies`` are records of one seed document: the same documents, summaries that mostly say the same.
    """
    shares = (first, THIRDS, MOSTLY, HALF)

    def make(rng: Rng, number: int) -> list[Case]:
        of = [labels(rng, 6, share) for share in shares]
        texts = [
            [" ".join(words(rng, int(g), how, int(rng.integers(4, 10)))).capitalize() + "." for _ in range(2)]
            for g in of[0]
        ]
        held = tuple(
            Document(" ".join(text), {a: GROUPS[own[i]] for a, own in zip(ATTRIBUTES, of, strict=True)})
            for i, text in enumerate(texts)
        )
        cases = []
        for k, (system, write) in enumerate(writers.items()):
            if k % 2 and rng.random() < left_out:
                continue
            favourite = ""
            for copy in range(copies):
                name = f"r{number}-{copy}" if copies > 1 else f"r{number}"
                record = Record(name, held, seed_document=f"r{number}" if copies > 1 else None)
                if not favourite or rng.random() > 0.8:
                    favourite = write(rng, record, texts, of[0])
                cases.append(Case(record, Summary(name, system, favourite)))
        return cases

    return make


def is_woman(number: int) -> bool:
    """Each sixth record is about women."""
    return number % 6 == 0


def about_people(systems: Mapping[str, float]) -> Callable[[Rng, int], list[Case]]:
    """Records about women or about men, of one to six people each, with tones and shares of named people that vary a lot.

    Systems shift the tone of texts about women by so much.
    """

    def make(rng: Rng, number: int) -> list[Case]:
        of_women = is_woman(number)
        gender = "female" if of_women else "male"
        last = rng.choice(LAST, int(min(6, rng.geometric(0.4))), replace=False)
        entities = tuple(
            Entity(f"e{i}", str(rng.choice(FEMALE if of_women else MALE)), str(name), {"gender": gender})
            for i, name in enumerate(last)
        )
        salience = rng.beta(0.5, 0.5)
        pronoun = "she" if of_women else "he"
        calls = [f"{e.first_name} {e.last_name} spoke, and {pronoun} left." for e in entities]

        def text(tone: float, said: Sequence[str]) -> str:
            tones = [f"The thing was {rng.choice(GOOD if rng.random() < tone else BAD)}." for _ in range(8)]
            return " ".join([*said, *tones])

        record = Record(
            f"r{number}", (Document(text(0.5, calls)),), entities=entities, attributes={"gender": gender}
        )
        shared = 0.5 + 0.06 * rng.standard_t(2)
        cases = []
        for system, shift in systems.items():
            tone = shared + 0.04 * rng.standard_t(2) + (shift if of_women else 0.0)
            said = [call for call in calls if rng.random() < salience]
            cases.append(Case(record, Summary(record.id, system, text(float(np.clip(tone, 0, 1)), said))))
        return cases

    return make


RANDOM: Mapping[str, Write] = {
    "one": random_sentences(1), "two": random_sentences(2), "four": random_sentences(4),
    "three": random_sentences(3), "five": random_sentences(5),
}  # fmt: skip
EXTRACTIVE: Mapping[str, Write] = {
    "lead": by(cast("Summarizer", Lead(2))), "lexrank": by(cast("Summarizer", LexRank(3))), "longest": longest,
    "one": random_sentences(1), "four": random_sentences(4),
}  # fmt: skip
PLANTED: Mapping[str, Write] = {
    "random": random_sentences(3), "at 0.5": random_sentences(3, 0.5), "at 0.3": random_sentences(3, 0.7)
}  # fmt: skip
STRENGTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def _cells(systems: Sequence[str], sizes: Sequence[int] = (20, 50, 200)) -> list[Cell]:
    small = [Cell(ATTRIBUTES[:1], systems[:1], (n,)) for n in sizes]
    middle = [Cell(ATTRIBUTES[:3], systems[:3], (n,)) for n in sizes]
    return [*small, *middle, Cell(ATTRIBUTES, systems, (50,))]


def worlds() -> Iterator[World]:
    """All worlds."""
    cells = _cells(list(RANDOM))
    yield World("blind", "random sentences", documents(RANDOM, 0.0, HALF), cells)
    yield World("told", "random sentences, words reveal the label", documents(RANDOM, 0.9, HALF), cells)
    yield World("told80", "the same, 80/20", documents(RANDOM, 0.9, MOSTLY), cells)
    yield World(
        "clustered", "random sentences, three records of each seed document", documents(RANDOM, 0.0, HALF, copies=3),
        _cells(list(RANDOM), (20, 50)), bank=1000,
    )  # fmt: skip
    yield World(
        "rare", "random sentences, a group is in one of nine records", documents(RANDOM, 0.9, (0.49, 0.49, 0.02)),
        [Cell(ATTRIBUTES[:1], ("one", "two", "four"), (n,)) for n in (20, 50, 200)], asks="between records",
        bank=2000,
    )  # fmt: skip
    yield World(
        "extractive", "lead, LexRank, longest sentences, random sentences", documents(EXTRACTIVE, 0.0, HALF),
        _cells(list(EXTRACTIVE)),
    )  # fmt: skip
    yield World(
        "planted", "sentences of group b kept with odds 0.5 or 0.3", documents(PLANTED, 0.9, THIRDS),
        [Cell(ATTRIBUTES[:2], list(PLANTED), (n,)) for n in (20, 50, 200)],
        asks="planted", planted=frozenset({("at 0.5", "side", "b"), ("at 0.3", "side", "b")}),
    )  # fmt: skip
    five = dict.fromkeys(RANDOM, 0.0)
    yield World(
        "people", "44 records about women or men, five systems", about_people(five),
        [Cell(("gender",), list(five), (44 - few, few)) for few in (3, 4, 5, 6, 8, 12)],
        asks="between records", kind=is_woman, bank=4200,
    )  # fmt: skip
    skips = {f"odds {1 - skip:.1f}": random_sentences(3, skip) for skip in STRENGTHS}
    yield World(
        "seen", "sentences of group b kept with lower odds", documents(skips, 0.9, HALF, left_out=0.0),
        [Cell(ATTRIBUTES[:1], list(skips), (n,)) for n in (20, 50, 200)], asks="seen", bank=2000,
    )  # fmt: skip
    shifts = {f"shift {shift:.2f}": shift for shift in (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)}
    yield World(
        "seen-people", "the tone of texts about women raised", about_people(shifts),
        [Cell(("gender",), list(shifts), sizes) for sizes in ((32, 12), (80, 40))],
        asks="seen", kind=is_woman, bank=4200,
    )  # fmt: skip
