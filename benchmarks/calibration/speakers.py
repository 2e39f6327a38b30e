"""Do the measures of speakers keep their promises? Size, coverage and power in debates whose writers are known.

Run: python -m benchmarks.calibration.speakers [OUT.json] [--audits N] [--bank N]

Prints the table of docs/how-to/minutes-and-debates.md. Audits are drawn from a bank as in `benchmarks.calibration.inference`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from benchmarks.calibration.inference import run, table
from benchmarks.calibration.worlds import Rng, World
from benchmarks.recording import markdown, options, write_json

from fairbrief.types import Case, Document, Record, Summary

NAMES = (
    "Abel Brandt", "Berta Colin", "Carlo Dietz", "Dora Engel", "Edgar Funke", "Fatma Gross", "Gustav Hirsch",
    "Helga Irving", "Igor Jansen", "Judith Krause", "Kamal Lorenz", "Lena Mahler",
)  # fmt: skip
LANGUAGES, SHARES = ("en", "de", "fr"), (0.6, 0.28, 0.12)
BY_LANGUAGE = tuple(
    f"{name}@language" for name in ("speaker_inclusion", "speaker_coverage", "misattribution")
)
BY_ORDER = tuple(f"{name}(by=order)" for name in ("speaker_inclusion", "speaker_coverage", "misattribution"))


class Debate(NamedTuple):
    """Speakers in the order of their first turns, the language of each, and the sentences of each of their turns."""

    names: list[str]
    languages: list[str]
    turns: list[list[list[str]]]


def debate(rng: Rng, talkative: float = 1.0) -> Debate:
    """Five to nine speakers with one to ten turns each; those who speak German have ``talkative`` times as many."""
    many = int(rng.integers(5, 10))
    names = [str(name) for name in rng.choice(NAMES, many, replace=False)]
    while True:
        languages = [str(x) for x in rng.choice(LANGUAGES, many, p=SHARES)]
        if len(set(languages)) > 1:
            break
    turns = []
    for language in languages:
        more = talkative if language == "de" else 1.0
        count = int(np.clip(round(more * rng.geometric(0.4)), 1, 10))
        turns.append([[sentence(rng) for _ in range(int(rng.integers(1, 4)))] for _ in range(count)])
    return Debate(names, languages, turns)


def sentence(rng: Rng) -> str:
    return " ".join(f"w{rng.integers(0, 400)}" for _ in range(7)).capitalize()


def record(name: str, of: Debate, rng: Rng) -> Record:
    """The turns as documents: first everybody's first turn, in order; then the others in random order."""
    first = [(i, turns[0]) for i, turns in enumerate(of.turns)]
    rest = [(i, turn) for i, turns in enumerate(of.turns) for turn in turns[1:]]
    order = [*first, *(rest[k] for k in rng.permutation(len(rest)))]
    documents = (
        Document(". ".join(turn) + ".", {"speaker": of.names[i], "language": of.languages[i]})
        for i, turn in order
    )
    return Record(name, tuple(documents))


def written(
    chance: Callable[[Debate, int], float], swapped: Callable[[Debate, int], float]
) -> Callable[[Rng, int], list[Case]]:
    """A writer who reports one sentence of each speaker with some probability, two words of it changed.

    With the probability ``swapped`` of the speaker named, the sentence is somebody else's.
    """

    def make(rng: Rng, number: int) -> list[Case]:
        of = debate(rng)
        claims = []
        for i, name in enumerate(of.names):
            if rng.random() >= chance(of, i):
                continue
            others = [k for k in range(len(of.names)) if k != i]
            whose = int(rng.choice(others)) if rng.random() < swapped(of, i) else i
            turn = of.turns[whose][int(rng.integers(len(of.turns[whose])))]
            words = str(rng.choice(turn)).lower().split()
            for k in rng.choice(7, 2, replace=False):
                words[k] = f"v{rng.integers(0, 400)}"
            claims.append(f"{name} said that {' '.join(words)}.")
        held = record(f"r{number}", of, rng)
        return [Case(held, Summary(held.id, "x", " ".join(claims) or "Nothing was decided."))]

    return make


def random_writer(rng: Rng, number: int) -> list[Case]:
    """Five random sentences of a debate in which those who speak German talk three times as much."""
    of = debate(rng, talkative=3.0)
    held = record(f"r{number}", of, rng)
    every = [s for turns in of.turns for turn in turns for s in turn]
    chosen = rng.choice(len(every), min(5, len(every)), replace=False)
    return [Case(held, Summary(held.id, "x", " ".join(every[i] + "." for i in chosen)))]


def is_middle(of: Debate, i: int) -> bool:
    """Whether a speaker is in the middle third of the order."""
    return (2 * i + 1) * 3 // (2 * len(of.names)) == 1


def worlds() -> Iterator[World]:
    """All worlds."""
    fair = written(lambda *_: 0.5, lambda *_: 0.1)
    says = "half of the speakers reported, 10 % swapped, whoever they are"
    yield World("fair", says, fair, (*BY_LANGUAGE, *BY_ORDER))
    yield World(
        "random", "random sentences, one group talks three times as much", random_writer, BY_LANGUAGE[:2],
        tested="extract_p", n_extracts=50,
    )  # fmt: skip
    yield World(
        "middle", "the middle third reported with 0.25, others with 0.6",
        written(lambda of, i: 0.25 if is_middle(of, i) else 0.6, lambda *_: 0.1), BY_ORDER[:2], is_fair=False,
    )  # fmt: skip
    yield World(
        "swap", "sentences of others for 50 % of the claims that name somebody who speaks French, else 10 %",
        written(lambda *_: 0.5, lambda of, i: 0.5 if of.languages[i] == "fr" else 0.1), BY_LANGUAGE[2:], is_fair=False,
    )  # fmt: skip


def summary(found: Sequence[Mapping[str, Any]], sizes: Sequence[int] = (20, 50, 200)) -> str:
    """A line per world and kind of group difference: the ranges over its groups, or the numbers of the planted group."""
    planted = {"middle": "[middle]", "swap": "[fr]"}
    lines = []
    by: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in found:
        measure, _, quantity = row["quantity"].partition(":")
        group = planted.get(row["world"], "]")
        if row["kind"] == "group_difference" and quantity.endswith(group):
            stem = f"{measure}:{quantity.partition('[')[0]}{group if group != ']' else ''}"
            by.setdefault((row["world"], stem), []).append(row)
    for (world, stem), rows in by.items():
        cells = []
        for n in sizes:
            of = [row for row in rows if row["n"] == n]
            cells.append(" / ".join(span([row[key] for row in of]) for key in ("rejected", "covered")))
        lines.append((world, f"`{stem}`", *cells))
    return markdown(("debates", "estimate", *(f"n = {n}" for n in sizes)), lines)


def span(numbers: Sequence[float]) -> str:
    low, high = f"{min(numbers):.2f}", f"{max(numbers):.2f}"
    return low if low == high else f"{low}–{high}"


def main() -> None:
    asked = options(__doc__, "out?", audits=1000, bank=4000).parse_args()
    known = {world.name: world for world in worlds()}
    found = [
        row for world in known.values() for row in run(world, asked.audits, asked.bank, (10, 20, 50, 200))
    ]
    print(table(found, known), summary(found), sep="\n\n")
    if asked.out:
        write_json({"audits": asked.audits, "bank": asked.bank, "rows": found}, asked.out)


if __name__ == "__main__":
    main()
