"""One case from file to paragraph, GUM's documents in eight genres: writes the figures of ``docs/explanation/case-study.md``.

    python -m benchmarks.real.case_study --systems gum_systems.jsonl --conllu FOLDER [--work DIR] [--page FILE]

Summaries by people and by models are audited together with two random sentences of each document as one more system.
``--conllu``: the same documents with annotated people, for the counts of who is named. Only figures are written
into the page, between its markers: no text of the data.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.recording import RESULTS, options, write_section

from fairbrief.conclusions import NAMED, WORDS, conclusion, decisive
from fairbrief.readers.corefud import read_corefud
from fairbrief.reports import number_format, wording
from fairbrief.reports.audit_folder import load
from fairbrief.reports.result import Result
from fairbrief.reports.tables import group_counts
from fairbrief.serialization import record_line, write_lines
from fairbrief.types import Estimate

PAGE = RESULTS.parent.parent / "docs" / "explanation" / "case-study.md"
RANDOM, PEOPLE = "two random sentences", "reference 1"
RESAMPLES = "20000"
FEW = 20
"""A system with fewer records than this is in no table."""
CALLED = {PEOPLE: "people"}


def fairbrief(*arguments: str | Path) -> None:
    """Run a command as a user would."""
    command = [sys.executable, "-c", "from fairbrief.cli import main; main()", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def annotated(files: Iterable[Path], conllu: Path, out: Path) -> int:
    """The summaries of documents whose people are annotated, with the document as the annotation has it; how many."""
    documents = {record.id: record_line(record) for record in read_corefud(conllu)}
    rows = (json.loads(line) for path in files for line in path.open(encoding="utf-8"))
    joined = (
        {**documents[row["id"]], **{key: row[key] for key in ("system", "summary", "references")}}
        for row in rows
        if row["id"] in documents
    )
    return write_lines(joined, out)


def audits(systems: Path, conllu: Path, work: Path) -> tuple[Result, Result]:
    """All documents, and those with annotated people."""
    extract_baseline, joined = work / "random.jsonl", work / "annotated.jsonl"
    named = ("--with", "random(sentences=2)", "--system", RANDOM, "--out", extract_baseline)
    fairbrief("summarize", systems, *named, "--quiet")
    fairbrief(
        "audit", systems, extract_baseline, "--references", "--by", "genre", "--measure", "position_from_uniform",
        "--measure", "sentiment_shift", "--resamples", RESAMPLES, "--out", work / "all", "--quiet",
    )  # fmt: skip
    annotated([systems, extract_baseline], conllu, joined)
    fairbrief(
        "audit", joined, "--references", "--attribute", "gender", "--measure", "entity_inclusion@gender",
        "--measure", "entity_hallucination@gender", "--out", work / "people", "--quiet",
    )  # fmt: skip
    return load(work / "all"), load(work / "people")


def of(result: Result, quantity: str, by: str = "") -> list[Estimate]:
    """The estimates of one quantity, on all records or by the genre."""
    found = [e for e in result.estimates if e.quantity == quantity and e.subgroup.get("genre", "") == by]
    return [e for e in found if not e.baseline and not e.system.startswith("control:")]


def called(system: str) -> str:
    return CALLED.get(system, system)


def ordered(estimates: Sequence[Estimate]) -> list[Estimate]:
    """People first, random sentences last, without systems that have too few records."""
    shown = [e for e in estimates if e.n >= FEW]
    return sorted(shown, key=lambda e: (e.system != PEOPLE, e.system == RANDOM))


def table(result: Result, quantity: str) -> str:
    """A row per system: the group difference, its interval, the random-sentence baseline, p, and the records of each group."""
    rows = [
        "| summaries by | value | 95% interval | random baseline | p (Holm) | records |",
        "|---|---|---|--:|--:|---|",
    ]
    for e in ordered(of(result, quantity)):
        declared = wording.declared(e.measure, result.made)
        words = declared.contrast
        records = group_counts([e], declared.items) or str(e.n)
        if e.value is None:
            missing = f"no value: {wording.joined(e.notes)}"
            rows.append(f"| {called(e.system)} | {missing} | – | – | – | {records} |")
            continue
        ranged = "–" if e.low is None or e.high is None else wording.between(e.low, e.high, words.unit)
        random = "–" if e.extract_baseline is None else wording.signed(e.extract_baseline, words.unit)
        p, _ = decisive(e)
        kind = conclusion(e, result.made["alpha"])
        shown = kind if kind in ("too few", "not testable") else number_format.probability(p)
        rows.append(
            f"| {called(e.system)} | {wording.described(e, words)} | {ranged} | {random} | {shown} | {records} |"
        )
    return "\n".join(rows)


def in_words(result: Result, quantity: str) -> str:
    """Which systems differ significantly from their baseline, and which do not."""
    alpha = result.made["alpha"]
    kinds: dict[str, list[str]] = {}
    for e in ordered(of(result, quantity)):
        kind = conclusion(e, alpha)
        name = WORDS[kind]
        if e.extract_p is not None:
            name = name.replace("its baseline", "random sentences")
        kinds.setdefault(name, []).append(called(e.system))
    told = [f"{', '.join(systems)}: {name}." for name, systems in kinds.items()]
    return " ".join(f"{text[0].upper()}{text[1:]}" for text in told)


def significant(result: Result, quantity: str) -> str:
    """The systems whose difference is significant, or why nothing was tested."""
    found = ordered(of(result, quantity))
    if all(conclusion(e, result.made["alpha"]) == "too few" for e in found):
        return f"Not tested: {wording.joined(found[0].notes)}."
    names = [called(e.system) for e in found if conclusion(e, result.made["alpha"]) in NAMED]
    return f"Significant: {', '.join(names) or 'none'}."


def by_genre(result: Result, quantity: str) -> str:
    """Genres × systems: the value, with its interval."""
    genres = sorted({e.subgroup["genre"] for e in result.estimates if "genre" in e.subgroup})
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
    ranged = "" if e.low is None or e.high is None else f" [{wording.between(e.low, e.high, unit)}]"
    return wording.signed(e.value, unit) + ranged


def invented(result: Result) -> str:
    """Of the people whom summaries name, the share who are in no source."""
    known = ((e.system, e.value) for e in ordered(of(result, "invented")) if e.value is not None)
    shares = [f"{called(system)} {100 * value:.1f}%" for system, value in known]
    return f"People named in the summaries who are not in the source: {', '.join(shares)}."


def paragraph(whole: Result, people: Result) -> str:
    """What to write in a report."""
    at = ordered(of(whole, "mean_position_shift"))
    models = [e for e in at if e.system not in (PEOPLE, RANDOM)]
    told = "; ".join(
        f"{called(e.system)} {cell(e, whole)}" for e in (*models, *(e for e in at if e.system == PEOPLE))
    )
    named = ordered(of(people, pair_of(people)))
    who = "; ".join(f"{called(e.system)} {cell(e, people)}" for e in named if e.value is not None)
    left = sorted({e.system for e in of(whole, "mean_position_shift") if e.n < FEW})
    return (
        f"> We audited {whole.made['records']} GUM documents of eight genres with Fairbrief {whole.made['version']}. "
        f"Compared with an even spread, the mean position of the summaries' content was shifted by (in per cent of the "
        f"text's length, with {wording.interval_name(whole.made)}; negative: earlier) {told}. {significant(whole, 'mean_position_shift')} On the {people.made['records']} documents whose people are "
        f"annotated, the odds that a woman is named differed from those for a man by {who}. {significant(people, pair_of(people))} "
        f"We also planned to compare the change of tone in documents about women and about men. {significant(whole, tone_of(whole))} p-values are adjusted by Holm's "
        f"procedure. {', '.join(left)} answered fewer than {FEW} documents and is excluded."
    )


def tone_of(whole: Result) -> str:
    return next(e.quantity for e in whole.estimates if e.quantity.startswith("difference["))


def pair_of(people: Result) -> str:
    return next(e.quantity for e in people.estimates if e.quantity.startswith("log_odds["))


def section(whole: Result, people: Result) -> str:
    """The figures of the page."""
    tone = tone_of(whole)
    n = people.made["records"]
    return "\n\n".join(
        (
            "## Who is named?",
            f"{n} of the documents have annotated people. The odds that a summary names a woman, compared with those for a man:",
            table(people, pair_of(people)),
            in_words(people, pair_of(people)),
            invented(people),
            "## Does the tone change?",
            "How the tone changes from document to summary, in documents about women compared with documents about men, on a scale from −1 to 1:",
            table(whole, tone),
            in_words(whole, tone),
            "## Which parts are used?",
            "Where in a document the summaries' content comes from, on average, compared with sentences from all over the text:",
            table(whole, "mean_position_shift"),
            in_words(whole, "mean_position_shift"),
            "By genre (with the number of documents; not tested):",
            by_genre(whole, "mean_position_shift"),
            "## The paragraph",
            paragraph(whole, people),
        )
    )


MARKERS = ("<!-- case study: begin -->", "<!-- case study: end -->")


def main() -> None:
    """Audit, and put the figures into the page."""
    parser = options(__doc__, "--work", page=PAGE)
    parser.add_argument("--systems", type=Path, required=True)
    parser.add_argument("--conllu", type=Path, required=True)
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="case-study-"))
    work.mkdir(parents=True, exist_ok=True)
    text = section(*audits(given.systems, given.conllu, work))
    write_section(given.page, MARKERS, text)
    print(f"Reports are in {work}")


if __name__ == "__main__":
    main()
