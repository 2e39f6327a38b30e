"""Time to build 20 controlled inputs of each of GUM's 56 documents, against a plain transcription.

The transcription does one input at a time: it makes the template anew, fills slot by slot by slicing the
text, and searches each person's names one by one.
Prints JSON. Needs ``shared/data/gum`` beside the project.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from benchmarks.recording import options, write_down

from fairbrief.people.build_people import build
from fairbrief.people.filling import PeopleOptions
from fairbrief.people.template import make_template
from fairbrief.readers.corefud import read_corefud
from fairbrief.text.names import is_given_name
from fairbrief.types import Record

GUM = Path(__file__).resolve().parents[3] / "shared" / "data" / "gum" / "conllu"


def plainly(records: list[Record], texts: dict[str, list[Record]]) -> int:
    """Fill every slot of every text by slicing, and search each old name in each text; how many slots were filled."""
    filled = 0
    for record in records:
        for made in texts.get(record.id, []):
            template = make_template(record, is_given=is_given_name)
            text = record.documents[0].text
            for slot in reversed(template.slots):
                text = text[: slot.start] + slot.surface + text[slot.end :]
                filled += 1
            for person in template.people:
                for name in (person.first, person.last):
                    if name:
                        re.compile(rf"\b{re.escape(name)}\b").search(made.documents[0].text)
    return filled


def main() -> None:
    asked = options(__doc__, "--out").parse_args()
    started = time.perf_counter()
    records = list(read_corefud(GUM))
    read = time.perf_counter() - started
    result: dict[str, object] = {"documents": len(records), "read_s": round(read, 2)}
    for design in ("balanced", "mono"):
        started = time.perf_counter()
        rows, report = build(records, PeopleOptions(design=design, per_seed_document=20))
        texts: dict[str, list[Record]] = {}
        for row in rows:
            texts.setdefault(row.seed_document or "", []).append(row)
        ours = time.perf_counter() - started
        started = time.perf_counter()
        plainly(records, texts)
        plain = time.perf_counter() - started
        result[design] = {
            "inputs": report.written,
            "originals": len([c for c in report if c.written]),
            "left_out": report.reasons(),
            "build_s": round(ours, 2),
            "plain_s": round(plain, 2),
            "ratio": round(plain / ours, 1),
            "within_20_s": ours < 20,
        }
    write_down(__file__, result, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
