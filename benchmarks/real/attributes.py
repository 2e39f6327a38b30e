"""Precision and recall of the recogniser of age, sex, ethnicity and place: on marked sentences, and on GUM.

The sentences are those of ``tests/files/attribute_sentences.txt``. A recognised mention is correct if it overlaps a marked one of
the same kind and value. In GUM (CorefUD) a marked place is a run of proper nouns whose innermost entity is of type *place*; a
recognised place is correct if it overlaps one. For sexes, recognised nouns and titles inside a mention of a *person* whose chain
has he- or she-pronouns of one gender are compared with that gender. GUM marks neither ages nor ethnicities.

Run: python -m benchmarks.real.attributes GUM_FOLDER
It writes benchmarks/real/attributes.json, from which ``docs.generate`` writes the table of the page.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from fairbrief.text.attributes import KINDS, Mention, mentions_of
from fairbrief.text.gendered_words import pronoun_gender

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "tests" / "files" / "attribute_sentences.txt"
RESULT = Path(__file__).with_suffix(".json")
MARK = re.compile(r"\[(\w+)=([^|\]]+)\|([^\]]+)\]")
Counts = dict[str, Counter[str]]


def marked(line: str) -> tuple[str, list[Mention]]:
    """A sentence without its marks, and what they mark."""
    text, mentions, at = "", [], 0
    for match in MARK.finditer(line):
        text += line[at : match.start()]
        mentions.append(Mention(match[1], match[2], len(text), len(text) + len(match[3])))
        text, at = text + match[3], match.end()
    return text + line[at:], mentions


def parts() -> dict[str, list[tuple[str, list[Mention]]]]:
    """The marked sentences of each part of the file."""
    found: dict[str, list[tuple[str, list[Mention]]]] = {}
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("=="):
            found[line.strip("= ")] = []
        elif not line.startswith("#"):
            found[list(found)[-1]].append(marked(line))
    return found


def compare(sentences: Iterable[tuple[str, list[Mention]]]) -> Counts:
    """By kind: marked and recognised mentions, and how many of each are matched."""
    counts: Counts = {kind: Counter() for kind in KINDS}
    for text, gold in sentences:
        known = mentions_of(text)
        for kind in KINDS:
            ours, theirs = ([m for m in ms if m.kind == kind] for ms in (known, gold))
            counts[kind]["recognised"] += len(ours)
            counts[kind]["marked"] += len(theirs)
            counts[kind]["correct"] += sum(any(_same(m, g) for g in theirs) for m in ours)
            counts[kind]["recalled"] += sum(any(_same(m, g) for m in ours) for g in theirs)
    return counts


def _same(one: Mention, other: Mention) -> bool:
    return one.value == other.value and one.start < other.end and other.start < one.end


# ---- GUM

ENTITY = re.compile(r"\((\d+)-(\w+)[^()]*|(\d+)\)")


def documents(path: Path) -> Iterator[tuple[str, list[tuple[int, int, str, list[tuple[str, str]]]]]]:
    """A document's text, and its words: start, end, tag, and the entities (id, type) around it, the innermost last."""
    text, rows, around = "", [], list[tuple[str, str]]()
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) < 10 or not cells[0].isdigit():
            text += "\n" if not line and text else ""
            continue
        closing = []
        for match in ENTITY.finditer(_entity(cells[9])):
            if match[1]:
                around.append((match[1], match[2]))
                if _entity(cells[9])[match.end() : match.end() + 1] == ")":
                    closing.append(match[1])
            else:
                closing.append(match[3])
        rows.append((len(text), len(text) + len(cells[1]), cells[3], list(around)))
        for one in closing:
            for k in range(len(around) - 1, -1, -1):
                if around[k][0] == one:
                    del around[k]
                    break
        text += cells[1] + ("" if "SpaceAfter=No" in cells[9] else " ")
    yield text, rows


def _entity(misc: str) -> str:
    return next((part.removeprefix("Entity=") for part in misc.split("|") if part.startswith("Entity=")), "")


def gum(folder: Path) -> dict[str, dict[str, int]]:
    """Places and sexes of all documents."""
    place, sex = Counter[str](), Counter[str]()
    for path in sorted(folder.glob("*.conllu")):
        for text, words in documents(path):
            gold = list[list[int]]()
            last = None
            genders = defaultdict[str, set[str]](set)
            for start, end, tag, around in words:
                here = around[-1] if around and around[-1][1] == "place" and tag == "PROPN" else None
                if here is not None and here == last:
                    gold[-1][1] = end
                elif here is not None:
                    gold.append([start, end])
                last = here
                if around and around[-1][1] == "person" and (gender := pronoun_gender(text[start:end])):
                    genders[around[-1][0]].add(gender)
            ours = [m for m in mentions_of(text) if m.kind == "place"]
            place["recognised"] += len(ours)
            place["marked"] += len(gold)
            place["correct"] += sum(any(m.start < b and a < m.end for a, b in gold) for m in ours)
            place["recalled"] += sum(any(m.start < b and a < m.end for m in ours) for a, b in gold)
            for m in mentions_of(text):
                if m.kind != "sex" or pronoun_gender(text[m.start : m.end]):
                    continue
                around = next(a for s, e, _, a in words if s < m.end and m.start < e)
                chain = genders.get(around[-1][0], set()) if around and around[-1][1] == "person" else set()
                if len(chain) == 1:
                    sex["recognised"] += 1
                    sex["correct"] += m.value in chain
    return {"place": dict(place), "sex": dict(sex)}


def main() -> None:
    result: dict[str, object] = {name: compare(sentences) for name, sentences in parts().items()}
    result["sentences"] = {name: len(sentences) for name, sentences in parts().items()}
    result["GUM"] = gum(Path(sys.argv[1]))
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(RESULT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
