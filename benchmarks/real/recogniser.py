"""How many names of people the built-in recogniser finds in annotated documents, and how many of its finds are people.

    python -m benchmarks.real.recogniser --conllu FOLDER [--people spacy:NAME] [--out FILE]

``--conllu``: CorefUD documents (GUM, say). A name is found if a span that the recogniser accepts overlaps it, and a span
is right if it overlaps a name that the annotation gives a person. The annotation leaves some out (families, people
named inside of other names), so the precision is a lower bound. The names found are also aligned with the annotated people, as those
of a summary are: by the release's rule and by ours. Half of the documents, by the check sum of their names, are
held back: the lists and rules were made looking at the other half alone.

What is written to ``--out`` are figures alone: no text and no name of the data.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recording import options, write_down

from fairbrief.classifiers.people import People
from fairbrief.people.groups import GENDERS
from fairbrief.readers.corefud import read_corefud
from fairbrief.text.names import gender_of_name, genders
from fairbrief.text.people import (
    Name,
    align,
    align_published,
    find_known,
    lowered_words_of,
    published_tokens,
)
from fairbrief.text.recognition import Span, choose, propose
from fairbrief.types import Ask, Record

NAMES = ("first", "last", "full")


def is_held_back(record: Record) -> bool:
    """Whether the rules were made without looking at this document."""
    return zlib.crc32(record.id.encode()) % 2 == 1


def found_in(text: str, people: People, known: Iterable[str] = ()) -> list[Span]:
    """The spans that the recogniser takes for people, and those with a ``known`` text."""
    spans = propose(text)
    rows = tuple(dict.fromkeys(span.text for span in spans))
    (scores,) = people.answer([Ask("people", rows, (text,))])
    accepted = {row for row, yes in zip(rows, scores.matrix[:, 0], strict=True) if yes > 0.5}
    return choose(spans, accepted.union(known))


def measure(records: Iterable[Record], people: People) -> dict[str, Any]:
    """Precision, recall and their harmonic mean over all names, and recall by the person's gender."""
    right, spans, hit, names = 0, 0, Counter[str](), Counter[str]()
    for record in records:
        found = found_in(record.documents[0].text, people)
        wanted = [
            (m.start, m.end, entity.attributes.get("gender", "unknown"))
            for entity in record.entities
            for m in entity.mentions
            if m.kind in NAMES
        ]
        spans += len(found)
        right += sum(any(a < s.end and s.start < b for a, b, _ in wanted) for s in found)
        names.update(gender for *_, gender in wanted)
        hit.update(g for a, b, g in wanted if any(a < s.end and s.start < b for s in found))
    precision, recall = right / spans, hit.total() / names.total()
    return {
        "names": names.total(),
        "found": spans,
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(2 * precision * recall / (precision + recall), 3),
        "recall_by_gender": {g: round(hit[g] / n, 3) for g, n in sorted(names.items())},
    }


def aligned(records: Iterable[Record], people: People) -> dict[str, dict[str, float]]:
    """By rule the precision of names aligned with one annotated person, and the recall of names of annotated people."""
    counts = {rule: Counter[str]() for rule in ("release", "ours")}
    for record in records:
        text, entities = record.documents[0].text, record.entities
        names = [Name.of(e.first_name, e.last_name, e.attributes.get("gender", "")) for e in entities]
        mentions = [(m, i) for i, entity in enumerate(entities) for m in entity.mentions if m.kind in NAMES]
        for span in found_in(text, people, (decision.text for decision in find_known(text, names, text))):
            there = {i for m, i in mentions if m.start < span.end and span.start < m.end}
            found = {
                "release": align_published(published_tokens(span.text), names).people,
                "ours": align(span.tokens, names, lowered_words_of(text)).people,
            }
            for rule, persons in found.items():
                is_one = len(persons) == 1
                counts[rule].update(aligned=is_one, named=bool(there), right=is_one and persons[0] in there)
    return {
        rule: {
            "precision": round(of["right"] / of["aligned"], 3),
            "recall": round(of["right"] / of["named"], 3),
        }
        for rule, of in counts.items()
    }


def by_person(records: Iterable[Record], people: People) -> list[str]:
    """How many people of each gender are found, and how the names and titles of those found are read: female, male or unknown.

    A person is found if a name overlaps one of the person's named mentions; other names are of nobody. People without an
    annotated gender are left out.
    """
    read, found, many = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for record in records:
        for number, document in enumerate(record.documents):
            spans, of_people = found_in(document.text, people), list[Span]()
            for entity in record.entities:
                own = [m for m in entity.mentions if m.document == number and m.kind in NAMES]
                names = [s for s in spans if any(m.start < s.end and s.start < m.end for m in own)]
                of_people += names
                group = entity.attributes.get("gender", "")
                many[group] += bool(own)
                found[group] += bool(names)
                read[_read_gender(names), group] += bool(names)
            others = {span.text: span for span in spans if span not in of_people}
            read.update((_read_gender([span]), "nobody") for span in others.values())
    result = [f"{g}: {found[g]} of {many[g]} people found ({found[g] / many[g]:.0%})" for g in GENDERS]
    for gender in (*GENDERS, "unknown"):
        shown = ", ".join(f"{read[gender, group]} {group}" for group in (*GENDERS, "nobody"))
        result.append(f"read as {gender}: {shown}")
    return result


def _read_gender(names: Sequence[Span]) -> str:
    """The gender of the first of a person's names that shows one; else ``unknown``."""
    known = (gender_of_name(name.tokens, {}, genders()) for name in names)
    return next(filter(None, known), "unknown")


def main() -> None:
    """Measure both halves and write the figures down."""
    parser = options(__doc__, "--out", people="builtin")
    parser.add_argument("--conllu", type=Path, required=True)
    given = parser.parse_args()
    records = list(read_corefud(given.conllu))
    people = People(given.people)
    found: dict[str, Any] = {}
    for name, held in (("development", False), ("held back", True)):
        own = [record for record in records if is_held_back(record) == held]
        of_names = {**measure(own, people), "aligned": aligned(own, people)}
        found[name] = {"documents": len(own), **of_names, "people": by_person(own, people)}
    write_down(__file__, {"recogniser": given.people, **found}, out=given.out)


if __name__ == "__main__":
    main()
