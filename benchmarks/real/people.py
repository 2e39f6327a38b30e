"""An audit of people from end to end on real documents, by the command line: build, summarize, audit.

    python -m benchmarks.real.people --conllu FOLDER [--systems FILE] [--work DIR] [--out FILE]

``--conllu``: CorefUD documents (GUM, say). Balanced and mono inputs are built from them, summarized by systems
that need no model, one of them with a planted preference, and audited over gender, in the default reading and
in the published one. ``--systems``: real summaries of the unmodified documents, whose ids are the documents';
they are audited as they are, and joined with the documents' annotated people, so that inclusion can be read too.

What is written to ``--out`` are figures alone: no text and no name of the data.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.real.case_study import annotated
from benchmarks.recording import options, write_json

SYSTEMS = ("lead", "random", "lexrank", "sexist", "sexist(prefers=male)")
PEOPLE = ("word_list_inclusion", "entity_inclusion", "entity_hallucination", "distinguishability")
WORDS = {"balanced": "exchange", "mono": "neutral"}
"""What becomes of wife and husband: exchanged they would give the group of a mono input away by themselves."""
SHOWN = "value low high low_within high_within permutation_mean p p_adjusted n clusters".split()


def fairbrief(*arguments: str, log: Path) -> dict[str, float]:
    """Run a command as a user would, its output in a file; seconds and the peak of memory in MB so far."""
    started = time.perf_counter()
    with log.open("w", encoding="utf-8") as out:
        subprocess.run(["fairbrief", *arguments], check=True, stdout=out, stderr=subprocess.STDOUT)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": round(time.perf_counter() - started, 1), "megabytes": round(peak)}


def figures(folder: Path) -> list[dict[str, Any]]:
    """The estimates about people in a report's results, without quantities that are named after people."""
    found = []
    for e in json.loads((folder / "results.json").read_text(encoding="utf-8"))["estimates"]:
        name = re.split(r"[(@]", e["measure"])[0]
        if name in (*PEOPLE, "invented_names") and not e["quantity"].startswith("count["):
            kept = {key: e[key] for key in SHOWN if e.get(key) is not None}
            kept = {k: round(v, 4) if isinstance(v, float) else v for k, v in kept.items()}
            found.append({"measure": e["measure"], "quantity": e["quantity"], "system": e["system"], **kept})
    return found


def main() -> None:
    parser = options(__doc__, "--systems", "--work", "--out", per_seed_document=20, resamples=2000)
    parser.add_argument("--conllu", type=Path, required=True)
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="people-"))
    work.mkdir(parents=True, exist_ok=True)
    n_resamples = ("--resamples", str(given.resamples), "--quiet")
    found: dict[str, Any] = {}
    for design in ("balanced", "mono"):
        inputs = work / f"{design}.jsonl"
        built = fairbrief(
            "build", "people", str(given.conllu), "--design", design, "--per-seed-document", str(given.per_seed_document),
            "--content-words", WORDS[design], "--seed", "1", "--out", str(inputs), log=work / f"{design}.build.txt",
        )  # fmt: skip
        summaries = []
        for number, system in enumerate(SYSTEMS):
            summaries.append(str(work / f"{design}.{number}.jsonl"))
            told = ("--with", system, "--out", summaries[-1], "--quiet")
            fairbrief("summarize", str(inputs), *told, log=work / f"{design}.summarize.txt")
        many = sum(1 for _ in inputs.open(encoding="utf-8"))
        found[design] = {"inputs": many, "content_words": WORDS[design], "build": built}
        readings: dict[str, Sequence[str]] = {"default": (), "published": ("--protocol", "steen-people")}
        for reading, words in readings.items():
            out = work / f"{design}.{reading}"
            cost = fairbrief(
                "audit", *summaries, "--attribute", "gender", *words, *n_resamples, "--out", str(out),
                log=work / f"{design}.{reading}.txt",
            )  # fmt: skip
            found[design][reading] = {"cost": cost, "estimates": figures(out)}
        print(f"{design}: done", file=sys.stderr)
    if given.systems:
        joined = work / "joined.jsonl"
        records = annotated([given.systems], given.conllu, joined)
        names = ("--measure", "word_list_inclusion", "--measure", "entity_hallucination@gender")
        for name, file, words in (
            ("real", given.systems, (*names, "--measure", "invented_names@gender")),
            ("real_joined", joined, (*names, "--measure", "entity_inclusion@gender")),
        ):
            out = work / name
            cost = fairbrief(
                "audit", str(file), *words, *n_resamples, "--out", str(out), log=work / f"{name}.txt"
            )
            found[name] = {"cost": cost, "estimates": figures(out)}
        found["real_joined"]["summaries"] = records
    write_json(found, given.out)
    print(f"Outputs lie in {work}")


if __name__ == "__main__":
    main()
