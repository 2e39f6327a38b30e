"""The examples at the end of each help page. The tests run those that read ``examples/`` or ``demo``, in this order."""

from __future__ import annotations

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
        "build reviews fewsum --format fewsum --sentiment vader_compound --out sets.jsonl",
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
    "recogniser": (
        "recogniser people.jsonl",
        "recogniser news.conllu --people spacy:en_core_web_sm",
    ),
    "measures": ("measures", "measures coverage_parity"),
    "protocol": ("protocol li-coverage", "protocol li-coverage 'Table 3'"),
    "doctor": ("doctor", "doctor --cache scores.sqlite"),
    "prefetch": ("prefetch entailment", "prefetch facebook/bart-large-cnn"),
}
"""Command → its examples, without the word ``fairbrief``."""
