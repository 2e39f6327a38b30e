"""Write the speed section of docs/contributing/benchmarks.md from benchmarks/results/speed-*.json: no figure is typed.

Run: python -m benchmarks.table
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.recording import RESULTS, with_section

DOCS = RESULTS.parent.parent / "docs" / "contributing" / "benchmarks.md"
MARKERS = ("<!-- speed: begin -->", "<!-- speed: end -->")
SHOWN = {
    "audit": (
        "20,000 short records: {synthetic[seconds]} s, {synthetic[largest_memory_gib]} GiB; {synthetic[without_extracts][seconds]} s without random sentences, "
        "{synthetic[other_commit][times_faster_without_extracts]:.1f} times as fast as commit 9220077; "
        "4,000 records as long as reviews: {longer[seconds]} s; without random sentences {longer[other_commit][times_faster_without_extracts]:.1f} times as fast as that commit; "
        "1,500 real records: {real[seconds]:.1f} s; two workers on short records: {synthetic[by_workers][times_faster]} times as fast as one"
    ),
    "growth": (
        "without random sentences: 1,000 records {1,000 records[seconds]} s, 100,000 {100,000 records[seconds]} s, "
        "a million {1,000,000 records[seconds]} s and {1,000,000 records[largest_memory_gib]:.2f} GiB; "
        "a million with random sentences: {1,000,000 records, random extracts[seconds]:.0f} s; commit 9220077: {1,000,000 records, other commit[seconds]:,.0f} s"
    ),
    "growth-again": (
        "a million records: {1,000,000 records[seconds]} s, with two workers {1,000,000 records, 2 workers[seconds]} s; "
        "two separate audits at once: {1,000,000 records, 2 audits at once[times_faster]} times as fast as one after the other"
    ),
    "hard_cases": (
        "200 groups: {200 groups[seconds]} s, {200 groups[memory_mib]} MiB; 1,000 subgroups: {1,000 subgroups[seconds]} s; "
        "30 systems: {30 systems[seconds]} s; 10 systems × 1,000 subgroups: {10 systems × 1,000 subgroups[seconds]:.0f} s"
    ),
    "model_audit": (
        "share of processor time in the model's forward pass: one process {one process[share of the forward]:.1%}, two workers {two workers[share of the forward]:.1%}, Ray {Ray[share of the forward]:.1%}"
    ),
    "neural": (
        "same pairs, times as fast as the release's loop: articles {articles[same pairs, times faster than][published]}, reviews {reviews[same pairs, times faster than][published]} ({products}); "
        "same summaries, default cutting: articles {articles[same summaries by default, times faster than published]}, reviews {reviews[same summaries by default, times faster than published]}; "
        "bf16: articles {articles[same pairs in bf16, times faster than published]}, reviews {reviews[same pairs in bf16, times faster than published]}"
    ),
    "padding": (
        "share of padding: on a CPU {xsum__lead3[share of padding][on a CPU]:.1%} or less, on an accelerator {xsum__lead3[share of padding][on an accelerator]:.1%} or less"
    ),
    "page": (
        "report of 100,000 records, 20 systems, 12 subgroups: {seconds to write:.1f} s to write, {bytes of the page:,} bytes, {seconds to open:.1f} s to open"
    ),
    "passages": (
        "embedding of {pairs:,} pairs: {first run, times faster than[bare loop]} times as fast as a plain loop; with a cache {cached run, times faster than the first:.0f} times as fast as the first run; {cache, KiB per sentence} KiB per sentence"
    ),
    "people": (
        "times as fast as a transcription of the release: word lists {word_list_inclusion[ratio]:.0f}, distinguishability {distinguishability[ratio]:.0f}, 1,000 resamples of inclusion {interval_of_entity_inclusion_1000_draws[ratio]:.0f}"
    ),
    "position": (
        "mapping of {articles} articles: {mapping_fitted_on_the_article[seconds]:.2f} s, {mapping_fitted_on_the_article[times_faster]:.0f} times as fast as scikit-learn per article"
    ),
    "profile": (
        "percent of the time: scoring {percent of the time[scored]:.0f}, observing {percent of the time[observed: rows]:.0f} and {percent of the time[observed: steps from unit to unit]:.0f} between units, "
        "reading and checking {percent of the time[read, checked and written down]:.0f}, permutations {percent of the time[rows summed under drawn labels]:.0f} and {percent of the time[labels drawn]:.0f}, "
        "reports {percent of the time[reports and files]:.0f}, estimating {percent of the time[estimated]:.0f}"
    ),
    "representation": (
        "{records} records: {seconds[words]:.2f} s, {ratio[words]:.0f} times as fast as a transcription of the release; with its NLTK tokenizer {ratio[nltk]:.0f} times"
    ),
    "resampling": (
        "times as fast as plain loops: bootstrap {bootstrap_1000_records_2000_draws_10_columns[times_faster]:.0f}, permutation test {relabelling_test_300_records_of_8_documents[times_faster]:.0f}"
    ),
    "rouge": (
        "times as fast as rouge-score: {as_they_stand[times_faster]:.0f}, with stems {as_they_stand_stemmed[times_faster]:.0f}; largest difference {as_they_stand[largest_difference]:g}"
    ),
    "saved_audits": (
        "200,000 records: power {200,000 records[power][seconds]} s, compare {200,000 records[compare][seconds]} s, gate with a baseline {200,000 records[gate with a baseline][seconds]} s, "
        "subgroups {200,000 records[subgroups][seconds]} s, agree {200,000 records[agree][seconds]} s and {200,000 records[agree][memory_mib]} MiB"
    ),
    "view": (
        "{records:,} records, processor time: {first page of the list[seconds]:.1f} s for the first page, {first record[seconds]:.1f} s for the first record, {another record[seconds]:.2f} s for another, {search in all texts[seconds]:.0f} s to search all texts"
    ),
}  # fmt: skip
"""Benchmark → what the page says of it, filled in from its results."""


def section(folder: Path = RESULTS) -> str:
    """The figures of all benchmarks of speed in a folder, as a table."""
    lines = ["| benchmark | figures | commit |", "|---|---|---|"]
    for name, text in SHOWN.items():
        path = folder / f"speed-{name}.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            lines.append(
                f"| `{name}` | {text.format_map(record['found'])} | {record['commit'] or 'unknown'} |"
            )
    return "\n".join(lines)


def put(page: str, text: str) -> str:
    """The page with the text between its markers."""
    return with_section(page, MARKERS, text)


if __name__ == "__main__":
    DOCS.write_text(put(DOCS.read_text(encoding="utf-8"), section()), encoding="utf-8")
