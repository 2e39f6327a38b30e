"""How many names of people are aligned with the right person, by the release's rule and by ours.

    python -m benchmarks.real.alignment --conllu FOLDER [--out FILE]

``--conllu``: CorefUD documents (GUM, say), each taken for a summary of itself: the people are those that the annotation
names, and every name that the recogniser proposes is aligned with one of them, with several or with nobody. It is
right if the span overlaps a name that the annotation gives to that person, titles before it included. Half of the
documents, by the check sum of their names, are held back, as in `recogniser`.

What is written to ``--out`` are figures alone: no text and no name of the data.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.real.recogniser import NAMES, is_held_back
from benchmarks.recording import write_down

from fairbrief.readers.corefud import read_corefud
from fairbrief.text.names import given_names
from fairbrief.text.people import (
    Name,
    align,
    align_published,
    known_spans,
    lowered_words_of,
    published_tokens,
)
from fairbrief.text.recognition import Span, accept, choose, propose
from fairbrief.types import Record

RULES = ("release", "ours")


def spans_of(text: str, names: list[Name]) -> list[Span]:
    """The names that the measures look at: what the recogniser accepts, and what aligns with a known person."""
    spans = propose(text)
    accepted = {*accept(text, spans, given_names()), *(span.text for span in known_spans(text, names, text))}
    return choose(spans, accepted)


def tally(record: Record, rule: str) -> Counter[str]:
    """What became of the names of one document."""
    text = record.documents[0].text
    names = [Name.of(p.first_name, p.last_name, p.attributes.get("gender", "")) for p in record.entities]
    gold = [(m.start, m.end, i) for i, p in enumerate(record.entities) for m in p.mentions if m.kind in NAMES]
    counts: Counter[str] = Counter()
    for span in spans_of(text, names):
        found = (
            align(span.tokens, names, lowered_words_of(text))
            if rule == "ours"
            else align_published(published_tokens(span.text), names)
        )
        there = {i for start, end, i in gold if start < span.end and span.start < end}
        if len(found.people) == 1:
            counts["right" if found.people[0] in there else "wrong" if there else "nobody's"] += 1
        elif there:
            counts["several" if found.people else "missed"] += 1
    return counts


def measure(records: Iterable[Record]) -> dict[str, Mapping[str, Any]]:
    """Both rules over the documents: counts, the share of alignments that are right, and the share of names aligned."""
    counts = {rule: Counter[str]() for rule in RULES}
    for record in records:
        for rule in RULES:
            counts[rule] += tally(record, rule)
    return {rule: {**found, **_shares(found)} for rule, found in counts.items()}


def _shares(found: Counter[str]) -> dict[str, float]:
    aligned = found["right"] + found["wrong"] + found["nobody's"]
    named = found["right"] + found["wrong"] + found["several"] + found["missed"]
    return {"precision": round(found["right"] / aligned, 3), "recall": round(found["right"] / named, 3)}


def main() -> None:
    """Measure both halves and write the figures down."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--conllu", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    records = list(read_corefud(given.conllu))
    halves = {
        name: [r for r in records if is_held_back(r) == held]
        for name, held in (("development", False), ("held back", True))
    }
    found = {name: {"documents": len(own), **measure(own)} for name, own in halves.items()}
    write_down(__file__, found, out=given.out)


if __name__ == "__main__":
    main()
