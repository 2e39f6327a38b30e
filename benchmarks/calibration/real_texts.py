"""Do writers who never see a group pass on real texts? Audits of planted systems on real inputs, against random extracts.

Run: python -m benchmarks.calibration.real_texts INPUTS [OUT.json] [--audits N] [--only NAME,…] [--docs benchmarks/calibration/README.md]

INPUTS is the folder of the real inputs. Each audit draws records; each record has summaries of its own by every system:
three random sentences, one whole random document, the lead, and LexRank. For random sentences every contrast is 0 in
truth, so that about 5 % of the audits may find one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.calibration.inference import run
from benchmarks.calibration.worlds import Rng, World
from benchmarks.recording import markdown, options, write_json, write_section

from fairbrief.people.build_people import build
from fairbrief.people.filling import PeopleOptions
from fairbrief.readers import read
from fairbrief.readers.corefud import read_corefud
from fairbrief.types import Case, Record, Summarizer, Summary
from fairbrief.workbench.summarizers.extractive import Lead, LexRank, RandomSentences

MARKERS = ("<!-- real texts: begin -->", "<!-- real texts: end -->")
BANK = 3000
"""Summaries of each system, of which audits draw."""
Cluster = Sequence[Record]
Write = Callable[[Rng, Record], Summary]


def _by(summarizer: Summarizer, record: Record) -> Summary:
    (summary,) = summarizer.summarize([record])
    return replace(summary, system="x")


def _one_document(rng: Rng, record: Record) -> Summary:
    return Summary(record.id, "x", record.documents[int(rng.integers(len(record.documents)))].text)


SYSTEMS: Mapping[str, Write] = {
    "random sentences": lambda rng, record: _by(RandomSentences(3, int(rng.integers(2**31))), record),
    "one random document": _one_document,
    "lead": lambda _, record: _by(Lead(3), record),
    "lexrank": lambda _, record: _by(LexRank(3), record),
}


def _with_groups(path: Path, attribute: str) -> list[Cluster]:
    """The records that have documents of several groups."""
    records = (case.record for case in read(path))
    return [(r,) for r in records if len({d.attributes.get(attribute) for d in r.documents} - {None}) > 1]


def _people(folder: Path) -> list[Cluster]:
    """Two pairs of filled documents of each seed document."""
    filled, _ = build(list(read_corefud(folder)), PeopleOptions(per_seed_document=4))
    return [tuple(several) for _, several in groupby(filled, key=lambda r: r.cluster)]


def inputs(folder: Path) -> Iterator[tuple[str, Callable[[], list[Cluster]], tuple[str, ...], str, int]]:
    """Name, clusters, measures, the p that is held to 5 %, clusters of an audit."""
    coverage = ("coverage_parity@{}", "uer@{}")
    for name, path, attribute in (
        ("Yelp", "reviews/yelp__gpt-4.jsonl", "sentiment"),
        ("Claritin", "tweets/claritin__alpaca-7b.jsonl", "gender"),
    ):
        measures = tuple(m.format(attribute) for m in coverage)
        yield name, partial(_with_groups, folder / path, attribute), measures, "extract_p", 100
    xsum = folder / "news/xsum__lead1.jsonl"
    yield "XSum", lambda: [(case.record,) for case in read(xsum)], ("position_from_uniform",), "p", 100
    yield "GUM", lambda: _people(folder / "gum/conllu"), ("entity_inclusion@gender",), "p", 50


def _world(
    name: str, clusters: list[Cluster], measures: tuple[str, ...], tested: str, system: str, write: Write
) -> World:
    def make(rng: Rng, number: int) -> list[Case]:
        return [Case(record, write(rng, record)) for record in clusters[number % len(clusters)]]

    return World(name, system, make, measures, tested=tested, n_extracts=200 if tested == "extract_p" else 0)


def simulate(folder: Path, audits: int, only: Iterable[str]) -> Iterator[dict[str, Any]]:
    """One row per input, system and signed contrast."""
    for name, load, measures, tested, n in inputs(folder):
        if only and name not in only:
            continue
        clusters = cache(load)()
        for system, write in SYSTEMS.items():
            if system == "one random document" and len(clusters[0][0].documents) == 1:
                continue
            is_drawn = system in ("random sentences", "one random document")
            world = _world(name, clusters, measures, tested, system, write)
            for row in run(world, audits, BANK if is_drawn else len(clusters), [n]):
                if row["kind"] == "group_difference" and row["tested"]:
                    yield {"system": system, **row}


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Markdown: a line per input and contrast, the systems across."""
    rejected: dict[tuple[str, str, int], dict[str, str]] = {}
    for row in rows:
        place = (row["world"], row["quantity"], row["n"])
        rejected.setdefault(place, {})[row["system"]] = f"{row['rejected']:.2f}"
    head = ("input", "group difference", "records", *SYSTEMS)
    lines = [
        (name, f"`{quantity}`", n, *(found.get(system, "–") for system in SYSTEMS))
        for (name, quantity, n), found in rejected.items()
    ]
    return markdown(head, lines, range(2, len(head)))


def main() -> None:
    told = options(__doc__, "inputs", "--docs", "out?", audits=1000, only="").parse_args()
    rows = list(simulate(told.inputs, told.audits, [name for name in told.only.split(",") if name]))
    write_json(rows, told.out)
    if told.docs:
        write_section(told.docs, MARKERS, table(rows))


if __name__ == "__main__":
    main()
