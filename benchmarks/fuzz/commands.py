"""Commands on small random inputs, of groups, people, references and clusters of any sizes, under random options: an internal error is a bug.

Run: python -m benchmarks.fuzz.commands [--inputs N] [--first SEED]
Prints how often each command ended with which exit code, and each internal error with the seed that shows it. An input takes
about a second.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairbrief import cli, registry
from fairbrief.cli.command_line import UNEXPECTED

FIRST, LAST = ("Anna", "Maria", "Susan", "James", "John", "David"), ("Smith", "Jones", "Miller", "Davis")
SENTENCES = (
    "The soup was cold.", "Service was friendly and quick.", "She said the plan is good.", "He lost his wallet.",
    "Dr. {first} {last} spoke about taxes.", "{first} {last} criticised the council.", "It was awful, dirty and sad.",
    "A great, happy evening!", "The old man needs daily care.", "The woman lives alone.", "Parking is free.", "Mr {last} agreed.",
)  # fmt: skip
OPTIONS: Sequence[tuple[float, Sequence[Sequence[str]]]] = (
    (1.0, [("--resamples", n) for n in ("0", "1", "19", "99", "99", "99")]),
    (0.4, [("--extracts", n) for n in ("0", "1", "20")]),
    (0.3, [("--by", "kind")]),
    (0.2, [("--sanity-baseline", name) for name in ("all", "whole_source", "exchanged", "random_sentences")]),
    (0.15, [("--no-texts",)]),
    (0.15, [("--references",)]),
    (0.1, [("--check-scorers",)]),
    (0.15, [("--scorers", "containment,ngram")]),
    (0.1, [("--confidence", "0.8")]),
)
"""How often an option is given, and with which values."""


def rows_of(rng: random.Random, systems: int = 0) -> list[dict[str, Any]]:
    """Records with summaries by some systems, one to three where their number is not given, some of them refused or empty."""

    def sentence() -> str:
        return rng.choice(SENTENCES).format(first=rng.choice(FIRST), last=rng.choice(LAST))

    names = rng.sample(["side", "tone", "speaker", "stars"], rng.choice([0, 1, 1, 2]))
    values = {name: [str(i) for i in range(rng.choice([1, 2, 3, 5]))] for name in names}
    has_kinds, has_people, has_references, has_clusters = (rng.random() < 0.35 for _ in range(4))
    systems, made = systems or rng.choice([1, 1, 2, 3]), list[dict[str, Any]]()
    for i in range(rng.choice([1, 2, 3, 5, 8, 12, 20])):
        documents: list[dict[str, Any]] = [
            {"text": " ".join(sentence() for _ in range(rng.choice([1, 1, 2, 4]))),
             "attributes": {name: rng.choice(values[name]) for name in names}}
            for _ in range(rng.choice([1, 2, 3, 6]))
        ]  # fmt: skip
        row: dict[str, Any] = {"id": f"r{i}", "documents": documents}
        row |= {"attributes": {"kind": rng.choice("ab"), "about": rng.choice("fm")}} if has_kinds else {}
        row |= {"references": [sentence()]} if has_references else {}
        row |= {"seed_document": f"d{i // 2}"} if has_clusters else {}
        if has_people:
            row["entities"] = [
                {"id": str(k), "first_name": rng.choice(FIRST), "last_name": rng.choice(LAST),
                 "attributes": {"gender": rng.choice(["female", "male"]), "leaning": rng.choice(["left", "right"])}}
                for k in range(rng.choice([0, 1, 2, 3]))
            ]  # fmt: skip
        for system in range(systems):
            texts = [
                rng.choice(documents)["text"] if rng.random() < 0.8 else sentence()
                for _ in range(rng.choice([0, 1, 2]))
            ]
            reason = {} if texts else {"reason": rng.choice(["refused", "empty summary"])}
            made += [{**row, "system": f"s{system}", "summary": " ".join(texts), **reason}]
    return made


def options_of(rng: random.Random, measures: Sequence[str]) -> list[str]:
    """Options of an audit."""
    words = [word for often, values in OPTIONS if rng.random() < often for word in rng.choice(values)]
    chosen = rng.sample(measures, rng.choice([1, 2, 3])) if rng.random() < 0.35 else ()
    return [*words, *(word for name in chosen for word in ("--measure", name))]


def ended(words: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command, and what it printed about an error."""
    printed, code = io.StringIO(), 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(printed):
        sys.argv = ["fairbrief", *words]
        try:
            cli.main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return code, printed.getvalue()


def commands_on(folder: Path, rng: random.Random, measures: Sequence[str]) -> list[list[str]]:
    """Two audits of an input, and questions about them."""
    file, one, other = folder / "in.jsonl", folder / "one", folder / "other"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of(rng)), encoding="utf-8")
    audits = [["audit", str(file), "--out", str(out), *options_of(rng, measures)] for out in (one, other)]
    explained = ["explain", str(file), "--measure", rng.choice(measures), "--top", "1"]
    pair = [str(one), str(other)]
    return [
        *audits, ["report", str(one), "--details"], ["power", str(one)], ["subgroups", str(one), "--by", "kind"],
        ["compare", *pair], ["gate", str(one), "--baseline", str(other), "--margin", "0.05"], ["rank", *pair], explained,
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    measures = [name for name, _ in registry.loaded("measure")]
    codes: Counter[tuple[str, int]] = Counter()
    for seed in range(asked.first, asked.first + asked.inputs):
        with tempfile.TemporaryDirectory() as folder:
            for words in commands_on(Path(folder), random.Random(seed), measures):
                code, message = ended(words)
                codes[words[0], code] += 1
                if code == UNEXPECTED:
                    print(f"seed {seed}: fairbrief {' '.join(words)}\n{message}")
    for (command, code), times in sorted(codes.items()):
        print(f"{command}: exit code {code} {times} times")
    sys.exit(any(code == UNEXPECTED for _, code in codes))


if __name__ == "__main__":
    main()
