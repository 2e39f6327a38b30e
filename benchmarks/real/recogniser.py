"""How many names of people the built-in recogniser finds in annotated documents, and how many of its finds are people.

    python -m benchmarks.real.recogniser --conllu FOLDER [--people spacy:NAME] [--out FILE]

``--conllu``: CorefUD documents (GUM, say). A name is found if a span that the recogniser accepts overlaps it, and a span
is right if it overlaps a name that the annotation gives a person. The annotation leaves some out (families, people
named inside of other names), so the precision is a lower bound. Half of the documents, by the check sum of their names, are
held back: the lists and rules were made looking at the other half alone.

What is written to ``--out`` are figures alone: no text and no name of the data.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.recording import options, write_down

from fairbrief.classifiers.people import People
from fairbrief.people.build_people import try_recogniser
from fairbrief.readers.corefud import read_corefud
from fairbrief.text.recognition import Span, choose, propose
from fairbrief.types import Ask, Record

NAMES = ("first", "last", "full")


def is_held_back(record: Record) -> bool:
    """Whether the rules were made without looking at this document."""
    return zlib.crc32(record.id.encode()) % 2 == 1


def found_in(text: str, people: People) -> list[Span]:
    """The spans that the recogniser takes for people."""
    spans = propose(text)
    rows = tuple(dict.fromkeys(span.text for span in spans))
    (scores,) = people.answer([Ask("people", rows, (text,))])
    return choose(spans, {row for row, yes in zip(rows, scores.matrix[:, 0], strict=True) if yes > 0.5})


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
        by_person = try_recogniser(own, people.accepted)
        found[name] = {"documents": len(own), **measure(own, people), "people": by_person}
    write_down(__file__, {"recogniser": given.people, **found}, out=given.out)


if __name__ == "__main__":
    main()
