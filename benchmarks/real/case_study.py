"""One case from file to paragraph, GUM's documents in eight genres: writes ``docs/case-study.md``'s figures.

    python -m benchmarks.real.case_study --systems gum_systems.jsonl --conllu FOLDER [--work DIR] [--page FILE]

Summaries by people and by models are audited side by side with a random pick of sentences as one more system.
``--conllu``: the same documents with annotated people, by whom it is counted who is named. Only figures are written
into the page, between its markers: no text of the data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.recording import RESULTS, write_section

from fairbrief.readers.annotated.corefud import read_corefud
from fairbrief.reports import contrast_words, load, note_words, number_format, wording
from fairbrief.reports.result import Result
from fairbrief.serialization import record_line
from fairbrief.standings import WORDS, decisive, standing
from fairbrief.types import Estimate

PAGE = RESULTS.parent.parent / "docs" / "case-study.md"
BLIND, PEOPLE = "random pick", "reference 1"
FEW = 20
"""A system with fewer records than this stands in no table."""
CALLED = {PEOPLE: "people"}


def fairbrief(*arguments: str | Path) -> None:
    """Run a command as a user would."""
    command = [sys.executable, "-c", "from fairbrief.cli import main; main()", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def annotated(files: Iterable[Path], conllu: Path, out: Path) -> None:
    """The summaries of documents whose people are annotated, with the document as the annotation has it."""
    documents = {record.id: record_line(record) for record in read_corefud(conllu)}
    with out.open("w", encoding="utf-8") as file:
        for line in (line for path in files for line in path.open(encoding="utf-8")):
            row = json.loads(line)
            if row["id"] in documents:
                told = {key: row[key] for key in ("system", "summary", "references")}
                file.write(json.dumps({**documents[row["id"]], **told}, ensure_ascii=False) + "\n")


def audits(systems: Path, conllu: Path, work: Path) -> tuple[Result, Result]:
    """All documents, and those with annotated people."""
    blind, joined = work / "random.jsonl", work / "annotated.jsonl"
    fairbrief(
        "summarize", systems, "--with", "random(sentences=2)", "--system", BLIND, "--out", blind, "--quiet"
    )
    fairbrief(
        "audit", systems, blind, "--references", "--slice", "genre", "--measure", "position_from_uniform",
        "--measure", "sentiment_shift", "--out", work / "all", "--quiet",
    )  # fmt: skip
    annotated([systems, blind], conllu, joined)
    fairbrief(
        "audit", joined, "--references", "--attribute", "gender", "--measure", "entity_inclusion@gender",
        "--measure", "entity_hallucination@gender", "--out", work / "people", "--quiet",
    )  # fmt: skip
    return load(work / "all"), load(work / "people")


def of(result: Result, quantity: str, by: str = "") -> list[Estimate]:
    """The estimates of one quantity, on all records or by the genre."""
    found = [e for e in result.estimates if e.quantity == quantity and e.slice.get("genre", "") == by]
    return [e for e in found if not e.baseline and not e.system.startswith("control:")]


def called(system: str) -> str:
    return CALLED.get(system, system)


def ordered(estimates: Sequence[Estimate]) -> list[Estimate]:
    """People first, the random pick last; what has too few records stays out."""
    shown = [e for e in estimates if e.n >= FEW]
    return sorted(shown, key=lambda e: (e.system != PEOPLE, e.system == BLIND))


def table(result: Result, quantity: str) -> str:
    """A row a system: the contrast, its interval, the random extract, and how clear it is."""
    rows = [
        "| summaries by | found | 95% interval | random extract | p (Holm) | records |",
        "|---|---|---|--:|--:|--:|",
    ]
    for e in ordered(of(result, quantity)):
        words = wording.declared(e.measure, result.made).contrast
        if e.value is None:
            rows.append(f"| {called(e.system)} | no value: {note_words.told(e)} | – | – | – | {e.n} |")
            continue
        ranged = "–" if e.low is None or e.high is None else contrast_words.between(e.low, e.high, words.unit)
        blind = "–" if e.blind is None else contrast_words.signed(e.blind, words.unit)
        p, _ = decisive(e)
        shown = "not testable" if e.testable is False else number_format.probability(p)
        rows.append(
            f"| {called(e.system)} | {contrast_words.said(e, words)} | {ranged} | {blind} | {shown} | {e.n} |"
        )
    return "\n".join(rows)


def in_words(result: Result, quantity: str) -> str:
    """Which systems differ significantly from their baseline, and which do not."""
    alpha = wording.alpha_of(result.made)
    kinds: dict[str, list[str]] = {}
    for e in ordered(of(result, quantity)):
        kind = standing(e, alpha)
        name = WORDS[kind].replace(
            "its baseline", "random sentences" if e.blind_p is not None else "its baseline"
        )
        kinds.setdefault(name, []).append(called(e.system))
    return " ".join(f"{name[0].upper()}{name[1:]}: {', '.join(systems)}." for name, systems in kinds.items())


def by_genre(result: Result, quantity: str) -> str:
    """Genres × systems: the contrast, with its interval."""
    genres = sorted({e.slice["genre"] for e in result.estimates if "genre" in e.slice})
    systems = [e.system for e in ordered(of(result, quantity))]
    rows = [f"| genre | {' | '.join(map(called, systems))} |", "|---|" + "--:|" * len(systems)]
    for genre in genres:
        found = {e.system: e for e in of(result, quantity, genre)}
        cells = [cell(found.get(system), result) for system in systems]
        n = max((e.n for e in found.values()), default=0)
        rows.append(f"| {genre} ({n}) | {' | '.join(cells)} |")
    return "\n".join(rows)


def cell(e: Estimate | None, result: Result) -> str:
    if e is None or e.value is None:
        return "–"
    unit = wording.declared(e.measure, result.made).contrast.unit
    ranged = "" if e.low is None or e.high is None else f" [{contrast_words.between(e.low, e.high, unit)}]"
    return contrast_words.signed(e.value, unit) + ranged


def invented(result: Result) -> str:
    """Of the people whom summaries name, the share who are in no source."""
    shares = [
        f"{called(e.system)} {100 * e.value:.1f}%"
        for e in ordered(of(result, "invented"))
        if e.value is not None
    ]
    return f"Of the people named, the sources do not know: {', '.join(shares)}."


def paragraph(whole: Result, people: Result) -> str:
    """What would be written of it."""
    at = ordered(of(whole, "mean_position_shift"))
    models = [e for e in at if e.system not in (PEOPLE, BLIND)]
    told = "; ".join(
        f"{called(e.system)} {cell(e, whole)}" for e in (*models, *(e for e in at if e.system == PEOPLE))
    )
    named = ordered(of(people, pair_of(people)))
    who = "; ".join(f"{called(e.system)} {cell(e, people)}" for e in named if e.value is not None)
    left = sorted({e.system for e in of(whole, "mean_position_shift") if e.n < FEW})
    return (
        f"> We audited {whole.made['records']} GUM documents of eight genres with Fairbrief {whole.made['version']}. "
        f"Against sentences picked at random, the mean position of what summaries draw on was shifted by (in per cent of the "
        f"text's length, with {wording.interval_name(whole.made)}; negative: earlier) {told}. On the {people.made['records']} documents whose people are "
        f"annotated, the odds of women to be named differed from those of men by {who}. p-values are adjusted by Holm's "
        f"procedure. {', '.join(left)} answered fewer than {FEW} documents and is left out."
    )


def pair_of(people: Result) -> str:
    return next(e.quantity for e in people.estimates if e.quantity.startswith("log_odds["))


def section(whole: Result, people: Result) -> str:
    """The figures of the page."""
    tone = next(e.quantity for e in whole.estimates if e.quantity.startswith("difference["))
    n = people.made["records"]
    return "\n\n".join(
        (
            "## Who is left out?",
            f"{n} of the documents have annotated people. Odds of women to be named, against those of men:",
            table(people, pair_of(people)),
            in_words(people, pair_of(people)),
            invented(people),
            "## Whose tone is changed?",
            "Texts that speak of women against texts that speak of men, on a scale from −1 to 1:",
            table(whole, tone),
            in_words(whole, tone),
            "## Which parts are ignored?",
            "How much earlier the places lie that the summaries draw on than sentences from all over the text would:",
            table(whole, "mean_position_shift"),
            in_words(whole, "mean_position_shift"),
            "By genre (with its documents):",
            by_genre(whole, "mean_position_shift"),
            "## The paragraph",
            paragraph(whole, people),
        )
    )


MARKERS = ("<!-- case study: begin -->", "<!-- case study: end -->")


def main() -> None:
    """Audit, and put the figures into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--systems", type=Path, required=True)
    parser.add_argument("--conllu", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="case-study-"))
    work.mkdir(parents=True, exist_ok=True)
    text = section(*audits(given.systems, given.conllu, work))
    write_section(given.page, MARKERS, text)
    print(f"Reports lie in {work}")


if __name__ == "__main__":
    main()
