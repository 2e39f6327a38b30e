"""Filled inputs laid out for reading: every change of a text in its surroundings, to be judged by eye.

    python -m benchmarks.real.fills --conllu FOLDER [--fills 60] [--seed 0] [--around 5] > fills.txt

One fill of every document that can be filled, in turn mono (everyone of one gender) and balanced, then the other way
round, until there are enough. A change is shown as ``[old→new]`` with some words on either side. What was found by
reading is recorded in ``fills.json``: errors by document and kind, no text of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Literal

from benchmarks.recording import options

from fairbrief.people.build_people import build
from fairbrief.people.filling import PeopleOptions
from fairbrief.readers.corefud import read_corefud
from fairbrief.types import Record

DESIGNS: tuple[Literal["mono", "balanced"], ...] = ("mono", "balanced")


def fills(folder: Path, seed: int) -> Iterator[tuple[Record, Record]]:
    """Originals with one input each."""
    originals = list(read_corefud(folder))
    for turn in (0, 1):
        for place, record in enumerate(originals):
            design = DESIGNS[(place + turn) % 2]
            options = PeopleOptions(design=design, per_seed_document=2, content_words="exchange", seed=seed)
            made = list(build([record], options)[0])
            if made:
                yield record, made[(place // 2) % 2]


def changes(old: Record, new: Record, around: int) -> Iterator[str]:
    """The changed places of a text, each with the words around it; places that are near stand in one line."""
    before, after = (record.documents[0].text.replace("\n", " | ").split(" ") for record in (old, new))
    pieces: list[tuple[str, bool]] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces += [(word, False) for word in before[a:b]]
        else:
            pieces.append((f"[{' '.join(before[a:b])}→{' '.join(after[c:d])}]", True))
    near = {
        j for i, (_, is_change) in enumerate(pieces) if is_change for j in range(i - around, i + around + 1)
    }
    line: list[str] = []
    for i, (word, _) in enumerate(pieces):
        if i in near:
            line.append(word)
        elif line:
            yield " ".join(line)
            line = []
    if line:
        yield " ".join(line)


def main() -> None:
    """Print the fills."""
    parser = options(__doc__, fills=60, seed=0, around=5)
    parser.add_argument("--conllu", type=Path, required=True)
    given = parser.parse_args()
    for number, (old, new) in enumerate(islice(fills(given.conllu, given.seed), given.fills), 1):
        told = new.attributes.get("group") or new.attributes["design"]
        print(f"\n## {number} {old.id} ({told})")
        for line in changes(old, new, given.around):
            print(f"  {line}")


if __name__ == "__main__":
    main()
