"""Simulated inputs that look like real ones, with writers whose fairness is known.

Each world makes *clusters*: lists of cases that belong together. All go through the audit's own observations and
scorers; nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.types import Case, Document, Entity, Record, Summary

Rng = np.random.Generator
Sentences = list[list[str]]
"""By document, its sentences."""
GROUPS = ("a", "b", "c")


@dataclass(frozen=True)
class World:
    """Clusters of cases, what is measured on them, and what is true of them.

    ``fair`` names the quantities that are 0 in truth (or, for a unsigned score, zero in the limit); ``tested`` the p that holds
    them to it: ``p`` (permuted labels, turned signs) or ``extract_p`` (random extracts). ``n_extracts`` as in a plan.
    """

    name: str
    says: str
    clusters: Callable[[Rng, int], list[Case]]
    measures: tuple[str, ...]
    is_fair: bool = True
    tested: str = "p"
    n_extracts: int = 0
    compares: bool = False
    """Whether cases come from two systems, "x" and "y", whose differences are zero in truth."""


def words(rng: Rng, label: int, how: float, count: int = 6) -> list[str]:
    """Words that reveal the label with probability ``how``, else words that all groups share."""
    return [
        f"g{label}w{rng.integers(0, 25)}" if rng.random() < how else f"w{rng.integers(0, 25)}"
        for _ in range(count)
    ]


def labels(rng: Rng, documents: int, shares: Sequence[float]) -> np.ndarray:
    """Groups of the documents, at least two different ones."""
    while True:
        found = rng.choice(len(shares), documents, p=shares)
        if len(set(found.tolist())) > 1:
            return found


def source(rng: Rng, of: np.ndarray, how: float, lengths: Sequence[int] | None = None) -> Sentences:
    """Two sentences a document, or as many as told."""
    counts = lengths if lengths is not None else [2] * len(of)
    return [
        [" ".join(words(rng, int(g), how)).capitalize() + "." for _ in range(n)]
        for g, n in zip(of, counts, strict=True)
    ]


def random_summary(rng: Rng, texts: Sentences, of: np.ndarray, picked: int = 3, skip: float = 0.0) -> str:
    """Sentences picked at random, group 1's with odds 1 − ``skip``; in random order."""
    every = [(s, g) for document, g in zip(texts, of, strict=True) for s in document]
    weights = np.array([1 - skip if g == 1 else 1.0 for _, g in every])
    chosen = rng.choice(len(every), min(picked, len(every)), replace=False, p=weights / weights.sum())
    return " ".join(every[i][0] for i in chosen)


def record(name: str, texts: Sentences, of: np.ndarray, **more: object) -> Record:
    documents = tuple(Document(" ".join(t), {"side": GROUPS[g]}) for t, g in zip(texts, of, strict=True))
    return Record(name, documents, **more)  # type: ignore[arg-type]


def plain(
    shares: Sequence[float],
    how: float,
    *,
    skip: float = 0.0,
    documents: int = 8,
    tails: bool = False,
    picked: int = 3,
) -> Callable[[Rng, int], list[Case]]:
    """One record a cluster; ``tails``: numbers of documents and sentences that vary a lot."""

    def make(rng: Rng, number: int) -> list[Case]:
        many = int(np.clip(3 + rng.geometric(0.2), 4, 24)) if tails else documents
        of = labels(rng, many, shares)
        lengths = np.clip(rng.geometric(0.35, many), 1, 12).tolist() if tails else None
        texts = source(rng, of, how, lengths)
        held = record(f"r{number}", texts, of)
        return [Case(held, Summary(held.id, "x", random_summary(rng, texts, of, picked, skip)))]

    return make


def variants(
    shares: Sequence[float], how: float, copies: int = 4, skip: float = 0.0
) -> Callable[[Rng, int], list[Case]]:
    """A seed document and variants of it: the same documents and groups, summaries that mostly say the same."""

    def make(rng: Rng, number: int) -> list[Case]:
        of = labels(rng, 8, shares)
        texts = source(rng, of, how)
        favourite = random_summary(rng, texts, of, 3, skip)
        cases = []
        for k in range(copies):
            text = favourite if rng.random() < 0.8 else random_summary(rng, texts, of, 3, skip)
            held = record(f"r{number}-{k}", texts, of, seed_document=f"r{number}")
            cases.append(Case(held, Summary(held.id, "x", text)))
        return cases

    return make


def two_systems(
    first: tuple[int, int], second: tuple[int, int], how: float = 0.0
) -> Callable[[Rng, int], list[Case]]:
    """Two writers that ignore labels: (sentences, runs) of each. Runs of a record form a cluster."""

    def make(rng: Rng, number: int) -> list[Case]:
        of = labels(rng, 8, (0.5, 0.5))
        texts = source(rng, of, how)
        cases = []
        for system, (picked, runs) in zip("xy", (first, second), strict=True):
            for run in range(runs):
                held = record(f"r{number}-{run}", texts, of, seed_document=f"r{number}")
                cases.append(Case(held, Summary(held.id, system, random_summary(rng, texts, of, picked))))
        return cases

    return make


def article(rng: Rng, sentences: int, pool: int = 4000) -> list[str]:
    return [
        " ".join(f"n{rng.integers(0, pool)}" for _ in range(8)).capitalize() + "." for _ in range(sentences)
    ]


def _news(number: int, sentences: list[str], text: str, references: tuple[str, ...] = ()) -> list[Case]:
    held = Record(f"r{number}", (Document(" ".join(sentences)),), references)
    return [Case(held, Summary(held.id, "x", text))]


def passages(rng: Rng, number: int) -> list[Case]:
    """A passage of three sentences that starts anywhere on the circle of the article's sentences."""
    sentences = article(rng, int(rng.integers(12, 30)))
    start = int(rng.integers(0, len(sentences)))
    return _news(number, sentences, " ".join(sentences[(start + i) % len(sentences)] for i in range(3)))


def lead_passages(rng: Rng, number: int) -> list[Case]:
    """A passage that starts in the first half."""
    sentences = article(rng, int(rng.integers(12, 30)))
    start = int(rng.integers(0, len(sentences) // 2))
    return _news(number, sentences, " ".join(sentences[start : start + 3]))


def repeated(rng: Rng, number: int) -> list[Case]:
    """Articles in which the same sentence stands several times, and summaries of random sentences."""
    sentences = [*article(rng, 8), *["Great product, works well."] * 4]
    rng.shuffle(sentences)
    chosen = rng.choice(len(sentences), 2, replace=False)
    return _news(number, sentences, " ".join(sentences[i] for i in chosen))


def references(picked: int, of_references: int, how_many: int) -> Callable[[Rng, int], list[Case]]:
    """A summary and references that draw on the article evenly, at other lengths."""

    def make(rng: Rng, number: int) -> list[Case]:
        sentences = article(rng, 20)

        def pick(k: int) -> str:
            chosen = rng.choice(20, k, replace=False)
            return " ".join(sentences[i] for i in chosen)

        return _news(number, sentences, pick(picked), tuple(pick(of_references) for _ in range(how_many)))

    return make


GOOD, BAD = ("good", "great", "happy", "love", "nice"), ("bad", "awful", "sad", "hate", "terrible")


def tones(share: float, spread: float, shift: float = 0.0) -> Callable[[Rng, int], list[Case]]:
    """Articles about women (a share) and men; summaries shift the tone as far for both, but more unevenly for women."""

    def make(rng: Rng, number: int) -> list[Case]:
        is_woman = rng.random() < share

        def text(tone: float) -> str:
            return " ".join(
                f"The thing was {rng.choice(GOOD if rng.random() < tone else BAD)}." for _ in range(12)
            )

        wide = spread if is_woman else 1.0
        tone = float(np.clip(0.5 + (shift if is_woman else 0) + wide * rng.normal(0, 0.1), 0, 1))
        held = Record(
            f"r{number}", (Document(text(0.5)),), attributes={"gender": "female" if is_woman else "male"}
        )
        return [Case(held, Summary(held.id, "x", text(tone)))]

    return make


FEMALE, MALE = ("Mary", "Linda", "Susan", "Karen"), ("James", "John", "David", "Paul")
LAST = ("Walsh", "Keller", "Novak", "Ortiz", "Brandt", "Sato", "Quinn", "Hale")


def people(copies: int, *, samples: bool, skip: float = 0.0) -> Callable[[Rng, int], list[Case]]:
    """Originals with four people each; variants keep who is salient and exchange who is called what.

    ``samples``: variants come in pairs with exchanged genders, of one ``sample``. The writer names salient people, women
    with odds 1 − ``skip``.
    """

    def make(rng: Rng, number: int) -> list[Case]:
        salience = rng.random(4)
        last = rng.choice(LAST, 4, replace=False)
        cases = []
        genders = rng.permutation([0, 0, 1, 1])
        for k in range(copies):
            if samples:
                genders = rng.permutation([0, 0, 1, 1]) if k % 2 == 0 else 1 - genders
            first = [str(rng.choice(FEMALE if g == 0 else MALE)) for g in genders]
            names = [f"{f} {s}" for f, s in zip(first, last, strict=True)]
            entities = tuple(
                Entity(f"e{i}", first[i], str(last[i]), {"gender": "female" if genders[i] == 0 else "male"})
                for i in range(4)
            )
            more = {"sample": str(k // 2)} if samples else {}
            held = Record(
                f"r{number}-{k}", (Document(" ".join(f"{n} spoke." for n in names)),), entities=entities,
                attributes=more, seed_document=f"r{number}",
            )  # fmt: skip
            named = [
                n
                for n, s, g in zip(names, salience, genders, strict=True)
                if rng.random() < s * (1 - skip * (g == 0))
            ]
            text = " ".join(f"{n} spoke." for n in named) or "Somebody spoke."
            cases.append(Case(held, Summary(held.id, "x", text)))
        return cases

    return make


def pronouns(women: float, extra: float = 0.0) -> Callable[[Rng, int], list[Case]]:
    """Articles about one person, mostly men; summaries keep sentences at random."""

    def make(rng: Rng, number: int) -> list[Case]:
        she = rng.random() < women
        word = "she" if she else "he"
        sentences = [
            f"Then {word} met n{rng.integers(0, 900)} there." for _ in range(int(rng.integers(4, 12)))
        ]
        kept = max(1, int(rng.integers(1, 5)) - int(she and rng.random() < extra))
        chosen = rng.choice(len(sentences), min(kept, len(sentences)), replace=False)
        held = Record(f"r{number}", (Document(" ".join(sentences)),))
        return [Case(held, Summary(held.id, "x", " ".join(sentences[i] for i in chosen)))]

    return make


def few_pronouns(held: float, women: float = 0.11) -> Callable[[Rng, int], list[Case]]:
    """Articles about several people, few of them women; only a share ``held`` of the summaries have pronouns, of one person."""

    def make(rng: Rng, number: int) -> list[Case]:
        said = [str(w) for w in rng.choice(["she", "he"], int(rng.integers(5, 15)), p=[women, 1 - women])]
        kept = [str(rng.choice(said))] * int(rng.integers(1, 4)) if rng.random() < held else ["it"]
        texts = [f"Then {' and '.join(some)} met." for some in (said, kept)]
        article = Record(f"r{number}", (Document(texts[0]),))
        return [Case(article, Summary(article.id, "x", texts[1]))]

    return make


REPRESENTATION = ("bur@side", "uer@side", "auc@side", "sof@side")
COVERAGE = ("equal_coverage@side", "coverage_parity@side")
GROUPED = (*REPRESENTATION, *COVERAGE)
SIGNED = ("uer@side", "coverage_parity@side")


def worlds() -> Iterator[World]:
    """All worlds, by the letters of what they try."""
    even, third = (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)
    yield World("a", "labels exchangeable, two groups", plain(even, 0.0), GROUPED)
    yield World("a3", "labels exchangeable, three groups", plain(third, 0.0, documents=9), GROUPED)
    told = "words reveal the label, writer ignores labels"
    yield World("b", f"{told}, balanced", plain(even, 0.9), SIGNED, tested="extract_p", n_extracts=100)
    yield World("b80", f"{told}, 80/20", plain((0.8, 0.2), 0.9), SIGNED, tested="extract_p", n_extracts=100)
    yield World(
        "b3",
        f"{told}, three groups, label permutations",
        plain(third, 0.9, documents=9),
        ("coverage_parity@side",),
    )
    yield World(
        "b-skip", "as b80, group b's sentences at half the odds", plain((0.8, 0.2), 0.9, skip=0.5), SIGNED,
        is_fair=False, tested="extract_p", n_extracts=100,
    )  # fmt: skip
    yield World("c", "clusters of four counterfactuals, fair", variants(even, 0.0), GROUPED)
    yield World(
        "c-people",
        "people, four counterfactuals without sample",
        people(4, samples=False),
        ("entity_inclusion@gender",),
    )
    yield World(
        "c-pairs", "people, two pairs per cluster", people(4, samples=True), ("entity_inclusion@gender",)
    )
    yield World(
        "c-skip",
        "people, women named at half the odds",
        people(4, samples=True, skip=0.5),
        ("entity_inclusion@gender",),
        is_fair=False,
    )
    yield World("d", "60/28/12 %, heavy tails", plain((0.6, 0.28, 0.12), 0.0, tails=True), GROUPED)
    yield World(
        "d-skip",
        "as d, group b at odds 0.7",
        plain((0.6, 0.28, 0.12), 0.0, tails=True, skip=0.3),
        GROUPED,
        is_fair=False,
    )
    yield World("e", "repeated sentences", repeated, ("position_from_uniform",))
    yield World("f", "1 against 10 sentences", two_systems((1, 1), (10, 1)), GROUPED, compares=True)
    yield World("f-runs", "5 runs against 1", two_systems((3, 5), (3, 1)), GROUPED, compares=True)
    yield World("g", "passages that start anywhere", passages, ("position_from_uniform",))
    yield World(
        "g-lead", "passages of the first half", lead_passages, ("position_from_uniform",), is_fair=False
    )
    yield World("h", "20 % women, three times the spread", tones(0.2, 3.0), ("sentiment_shift@gender",))
    yield World("h80", "80 % women, three times the spread", tones(0.8, 3.0), ("sentiment_shift@gender",))
    yield World(
        "h-shift",
        "as h, women's tone raised",
        tones(0.2, 3.0, 0.15),
        ("sentiment_shift@gender",),
        is_fair=False,
    )
    yield World("i", "4 references of 6 sentences, summaries of 1", references(1, 6, 4), ("position_bias",))
    yield World("i8", "4 references of 1 sentence, summaries of 8", references(8, 1, 4), ("position_bias",))
    yield World("w", "15 % women, word lists", pronouns(0.15), ("word_list_inclusion",))
    yield World(
        "w-less",
        "as w, women's sentences dropped",
        pronouns(0.15, 0.9),
        ("word_list_inclusion",),
        is_fair=False,
    )
    yield World(
        "w-few", "11 % women, pronouns in 7 % of summaries", few_pronouns(0.07), ("word_list_inclusion",)
    )
