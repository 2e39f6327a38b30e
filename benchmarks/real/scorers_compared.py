"""Which findings on reviews and tweets depend on the scorer: writes a section of ``docs/how-to/scorers.md``.

    python -m benchmarks.real.scorers_compared --minilm FOLDER [--data DIR] [--records N] [--work DIR] [--page FILE]

Coverage by four scorers, and representation by n-grams, of the first records of each data set. For each scorer also the share of
claims that it detects in the sources, and of each group's paraphrased sentences that it detects in their document. Needs
WordNet (NLTK_DATA). ``--minilm``: weights of all-MiniLM-L6-v2. Only figures are written into the page.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.real.case_study import fairbrief
from benchmarks.recording import options, show

from fairbrief.conclusions import conclusion, decisive, leading
from fairbrief.declarations import ContrastUnit
from fairbrief.reports import number_format
from fairbrief.reports.audit_folder import load
from fairbrief.reports.result import Result
from fairbrief.reports.wording import group_name, signed
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scorers.md"
MARKERS = "<!-- four scorers: begin -->", "<!-- four scorers: end -->"
INPUTS = {
    "reviews (Yelp, GPT-4)": ("reviews/yelp__gpt-4.jsonl", "sentiment"),
    "tweets (Claritin, Alpaca)": ("tweets/claritin__alpaca-7b.jsonl", "gender"),
}
SCORERS = ("containment", "ngram", "tfidf", "embedding")
EXTRACTS = "20"


def audited(file: Path, over: str, minilm: Path, records: int, work: Path) -> Result:
    """The audit of the first records."""
    some, out = work / f"{file.stem}.jsonl", work / file.stem
    with file.open(encoding="utf-8") as lines:
        some.write_text("".join(islice(lines, records)), encoding="utf-8")
    scorers = ("containment", "ngram", "tfidf", f"embedding(model={minilm})")
    measures = [f"coverage_parity(scorer={scorer})@{over}" for scorer in scorers] + [f"uer@{over}"]
    asked = [word for measure in measures for word in ("--measure", measure)]
    fairbrief("audit", some, *asked, "--check-scorers", "--extracts", EXTRACTS, "--quiet", "--out", out)
    return load(out)


def scorer_of(measure: str) -> str:
    """The scorer's name in a measure's spec."""
    known = next((scorer for scorer in SCORERS if f"scorer={scorer}" in measure), "")
    return known or ("ngram" if measure.startswith("uer") else "containment")


def findings(result: Result, over: str) -> str:
    """A row for each measure and group, and a column for each scorer."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for e in leading(result.estimates):
        p, tested = decisive(e)
        unit: ContrastUnit = "points" if e.measure.startswith("uer") else "percent"
        random = "–" if e.extract_baseline is None else signed(e.extract_baseline, unit)
        difference = signed(tested, unit)
        if conclusion(e, 0.05) in ("below", "above"):
            difference = f"**{difference}**"
        row = e.measure.partition("(")[0].partition("@")[0], group_name(over, e.group)
        cell = f"{difference} ({number_format.probability(p)})<br>{signed(e.value or 0.0, unit)} vs {random}"
        cells.setdefault(row, {})[scorer_of(e.measure)] = cell
    rows = (
        f"| `{measure}` | {group} | {' | '.join(by_scorer.get(scorer, '–') for scorer in SCORERS)} |"
        for (measure, group), by_scorer in cells.items()
    )
    return "\n".join(
        (f"| measure | group | {' | '.join(SCORERS)} |\n|---|---|{'---|' * len(SCORERS)}", *rows)
    )


def reached(result: Result) -> Iterator[str]:
    """A row for each scorer and use: shares of claims that it detects."""
    for one in result.made["reach"]:
        shares = [row["share_found"] for row in one["authors"]]
        system, sources, others = shares[0], *shares[-2:]
        by = "representation" if any(m.startswith("uer") for m in one["measures"]) else "coverage"
        yield f"| {scorer_of(one['measures'][0])} | {by} | {system:.0%} | {sources:.0%} | {others:.0%} |"


def retrieved(result: Result) -> Iterator[str]:
    """A row for each scorer: the share of each group's paraphrased sentences that it detects, and p of the largest difference."""
    of: dict[str, list[Estimate]] = {}
    for e in result.estimates:
        if e.measure.startswith("scorer_bias_retrieval"):
            of.setdefault(e.measure, []).append(e)
    for measure, members in of.items():
        means = [e for e in members if e.quantity.startswith("mean[")]
        shares = ", ".join(f"{e.group} {e.value:.2f}" for e in means if e.value is not None)
        (main_value,) = (e for e in members if e.quantity == "scorer_bias_retrieval")
        yield f"| {scorer_of(measure)} | {shares} | {number_format.probability(main_value.p)} |"


def section(results: Sequence[tuple[str, str, Result]]) -> str:
    """The text between the markers."""
    parts = []
    for name, over, result in results:
        n = counted(int(result.made["records"]), "record")
        parts += [
            f"### {name[0].upper()}{name[1:]}, by {over}: {n}",
            findings(result, over),
            "Share of claims that a scorer detects:",
            "| scorer | use | system's claims | sources' sentences | claims in another record |\n|---|---|--:|--:|--:|\n"
            + "\n".join(reached(result)),
            "Share of paraphrased sentences that a scorer detects in their document, by group:",
            "| scorer | detected | p of the difference |\n|---|---|--:|\n" + "\n".join(retrieved(result)),
        ]
    return "\n\n".join(parts)


def main() -> None:
    parser = options(__doc__, "--work", "--page", records=60, data=Path("../shared/data"))
    parser.add_argument("--minilm", type=Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        results = [
            (name, over, audited(given.data / path, over, given.minilm, given.records, work))
            for name, (path, over) in INPUTS.items()
        ]
    show(section(results), given.page, MARKERS)


if __name__ == "__main__":
    main()
