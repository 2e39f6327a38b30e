"""The help page of a command: usage, description, panels of options, examples."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from fairbrief.plan import INPUTS, MACHINE, MEASURED, MODELS, OUTPUT, STATISTICS

OPTIONS = "Options"
PANELS = ("Arguments", OPTIONS, INPUTS, MEASURED, STATISTICS, OUTPUT, MODELS, MACHINE)
"""In the order in which a page shows them; panels of single commands follow."""
EXPLAINED_BY = "audit"
"""The command whose page explains the options of `INPUTS`; the other pages only list them."""
WIDEST = 26
"""Characters of the first column; longer options have a line for themselves."""
NEGATION = re.compile(r"--([a-z]+(?:-[a-z]+)*) / --no-\1")
UNBROKEN = "\xa0"
"""A space at which no line ends."""
Entry = tuple[str, str]
"""An option as it is typed, and its description."""


def with_help_page(command: Any, name: str) -> None:
    """Give a command its help page. ``name`` is what is typed, e.g. ``build people``."""
    command.collect_usage_pieces = lambda _: ["[OPTIONS]", *_arguments(command)]
    command.format_options = partial(_write_panels, command, name)
    command.format_epilog = lambda _, formatter: _write_examples(name, formatter)


def _arguments(command: Any) -> Iterator[str]:
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield parameter.metavar if parameter.required else f"[{parameter.metavar}]"


def _write_panels(command: Any, name: str, ctx: Any, formatter: Any) -> None:
    panels: dict[str, list[Entry]] = {panel: [] for panel in PANELS}
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        panel = "Arguments" if is_argument else parameter.rich_help_panel or OPTIONS
        panels.setdefault(panel, []).append(_entry(parameter, ctx))
    for panel, entries in panels.items():
        if entries and panel == INPUTS and name != EXPLAINED_BY:
            _write_list(panel, entries, formatter)
        elif entries:
            write_section(panel, entries, formatter)


def _entry(parameter: Any, ctx: Any) -> Entry:
    if parameter.param_type_name == "argument":
        return parameter.metavar, parameter.help
    typed, text = parameter.get_help_record(ctx)
    notes = [text.removeprefix(parameter.help).strip(" []")]
    notes = [note for note in notes[0].split("; ") if note.startswith("default: ") or note == "required"]
    notes = [note.replace(" ", UNBROKEN) for note in notes]
    typed = NEGATION.sub(r"--[no-]\1", typed)
    return typed, f"{parameter.help} [{notes[0]}]" if notes else parameter.help


def write_section(title: str, entries: Sequence[Entry], formatter: Any) -> None:
    """A title, and below it what is typed beside its description."""
    first = min(max(len(typed) for typed, _ in entries), WIDEST)
    formatter.write(f"\n{title}:\n")
    for typed, text in entries:
        if len(typed) > first:
            formatter.write(f"  {typed}\n")
            typed = ""
        for line in _wrapped(text, formatter.width - first - 4):
            formatter.write(f"  {typed:{first}}  {line}\n")
            typed = ""


def _write_list(title: str, entries: Sequence[Entry], formatter: Any) -> None:
    """Options by name only: another page explains them."""
    typed = ", ".join(typed.split(" ")[0] for typed, _ in entries)
    formatter.write(f"\n{title} (explained by 'fairbrief {EXPLAINED_BY} --help'):\n")
    formatter.write("".join(f"  {line}\n" for line in _wrapped(typed, formatter.width - 2)))


def _write_examples(name: str, formatter: Any) -> None:
    if name in EXAMPLES:
        formatter.write("\nExamples:\n")
    for line in EXAMPLES.get(name, ()):
        bound = re.sub(r" (--\S+) (?!-)", rf" \1{UNBROKEN}", f"fairbrief {line}")
        lines = _wrapped(bound, formatter.width - 4, subsequent_indent="    ")
        formatter.write("  " + " \\\n  ".join(lines) + "\n")


def _wrapped(text: str, width: int, **layout: Any) -> list[str]:
    lines = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False, **layout)
    return [line.replace(UNBROKEN, " ") for line in lines]


EXAMPLES: dict[str, tuple[str, ...]] = {
    "audit": (
        "audit examples/reviews.jsonl --out demo",
        "audit examples/reviews.jsonl --measure coverage_parity@sentiment",
        "audit table.csv --documents-field 'review_*' --attribute tone='tone_*'",
        "audit sources.jsonl --summaries lead.jsonl --summaries gpt.jsonl",
    ),
    "init": (
        "init examples/reviews.jsonl --out demo.toml",
        "init reviews.csv",
        "init sources.jsonl model_a.jsonl model_b.jsonl --out study.toml",
    ),
    "report": ("report demo --details", "report demo --format markdown"),
    "view": ("view demo", "view before after"),
    "subgroups": ("subgroups demo --by kind", "subgroups audit --by topic --by topic,year --out by_topic"),
    "explain": (
        "explain examples/reviews.jsonl --measure uer@sentiment --top 1",
        "explain reviews.jsonl --measure uer@sentiment --id shop-12 --out why.html",
    ),
    "compare": ("compare demo demo --system rosy --against balanced", "compare after before"),
    "power": (
        "power demo --disparity 0.2",
        "power demo --records 200",
        "power --se 0.05 --clusters 100 --disparity 0.1",
    ),
    "gate": (
        "gate demo --max 'uer@sentiment:difference-random<=0.1'",
        "gate demo --min 'rouge1{rosy}>=0.3'",
        "gate after --baseline before --margin 0.02 --junit gate.xml",
    ),
    "trend": (
        "trend nightly --out trend.html --markdown trend.md",
        "trend nightly --baseline release --json trend.json",
        "trend nightly --min 'coverage_parity@sentiment:relative_difference-random>=-0.15'",
    ),
    "rank": ("rank reviews tweets news", "rank reviews tweets --system lead --system chat"),
    "build people": (
        "build people examples/people.jsonl --groups gender --out people.jsonl",
        "build people ontonotes --groups race --design mono --out named.jsonl",
    ),
    "build pages": ("build pages enwiki-articles.xml.bz2 --out genders.csv",),
    "build perspectives": (
        "build perspectives examples/reviews.jsonl --attribute sentiment --counts 4 --mix positive=.5,negative=.5 --samples 2 --out mixed.jsonl",
    ),
    "build stratified": (
        "build stratified examples/reviews.jsonl --attribute sentiment --sets 3 --size 4 --out sets.jsonl",
    ),
    "build transcripts": ("build transcripts examples/transcripts.jsonl --tokens 60 --out segments.jsonl",),
    "build reviews": (
        "build reviews reviews.csv --product asin --rating stars --out sets.jsonl",
        "build reviews fewsum --format fewsum --sentiment vader_argmax --out sets.jsonl",
    ),
    "stats": ("stats examples/reviews.jsonl --attribute sentiment",),
    "words": ("words examples/reviews.jsonl --by sentiment --most 5",),
    "summarize": (
        "summarize examples/reviews.jsonl --with lead --sentences 2 --out lead.jsonl",
        "summarize examples/reviews.jsonl --with chat:gpt-4o-mini --out gpt.jsonl --max-tokens 200 --price 0.15,0.6 --dry-run",
    ),
    "claims": ("claims examples/reviews.jsonl --with chat:gpt-4o-mini --out claims.jsonl --dry-run",),
    "sweep": (
        "sweep examples/reviews.jsonl --with lead --sentences 1,2 --out lengths",
        "sweep reviews.jsonl --with chat:gpt-4o-mini --temperature 0,.7 --out sweep",
    ),
    "choose": (
        "choose examples/reviews.jsonl --by coverage_parity@sentiment --out best.jsonl",
        "choose samples.jsonl --by uer@party --floor 'rouge1>=0.2' --pairs pairs.jsonl",
    ),
    "agree": (
        "agree examples/labelled_claims.jsonl --attribute sentiment --scorer ngram",
        "agree audit_containment audit_entailment",
    ),
    "calibrate": (
        "calibrate containment examples/reviews.jsonl --label-sheet pairs.csv",
        "calibrate containment pairs.csv --out calibration.json",
    ),
    "chunks": ("chunks examples/labelled_claims.jsonl --attribute sentiment",),
    "annotate export": (
        "annotate export examples/reviews.jsonl --task rating --attribute sentiment --annotators ada,ben --out sheet.csv",
    ),
    "annotate import": (
        "annotate import sheet.ada.csv sheet.ben.csv --records reviews.jsonl --task rating --attribute sentiment",
    ),
    "annotate agree": (
        "annotate agree sheet.ada.csv --records reviews.jsonl --task rating --attribute sentiment --measure uer@sentiment",
    ),
    "recogniser": ("recogniser people.jsonl", "recogniser news.conllu --people spacy:en_core_web_sm"),
    "measures": ("measures", "measures coverage_parity"),
    "protocol": ("protocol li-coverage", "protocol li-coverage 'Table 3'"),
    "doctor": ("doctor",),
    "prefetch": ("prefetch entailment", "prefetch facebook/bart-large-cnn"),
}
"""Command → its examples, without the word ``fairbrief``."""
