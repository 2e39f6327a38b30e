"""``fairbrief build``: inputs from texts, reviews, transcripts and annotated documents."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fairbrief.atomic_files import write_text
from fairbrief.cli import options as o
from fairbrief.cli.input_options import attribute_and_field, comma_separated, pair
from fairbrief.errors import DataError, RequestError
from fairbrief.people.build_people import build as build_people
from fairbrief.people.filling import PeopleOptions
from fairbrief.serialization import record_line, write_lines
from fairbrief.settings import setting
from fairbrief.text.counted import counted
from fairbrief.workbench.corpora import sets as set_builders
from fairbrief.workbench.corpora.page_pronouns import page_genders
from fairbrief.workbench.corpora.text_sources import Tokens, gather, limits, read_people, read_texts

if TYPE_CHECKING:
    from fairbrief.types import Record

app = o.new_app("Build inputs for audits.")
shared = partial(setting, panel="Sources and sets")
ANNOTATED = "Annotated documents: .conllu, *conll, .coref (with .name and .parse), a folder of them, or .jsonl with mentions."
SOURCE = o.argument("File with the texts (of FewSum, a folder).", "SOURCE")
OUT = o.output_file(..., "File to write.", "FILE.jsonl", "--out")
ATTRIBUTE = o.option(..., "Attribute; NAME=FIELD reads another field.", "NAME[=FIELD]", "--attribute")


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which texts a builder uses, and the attributes of its sets. Each field is an option."""

    # fmt: off
    min_tokens: int = shared(0, "Exclude shorter texts.", "N", least=0)
    max_tokens: int | None = shared(None, "Exclude longer texts.", "N", least=1)
    tokens: Tokens = shared("words", "Unit of lengths: words, nltk (tokens) or characters.", "RULE")
    distinct: bool = shared(False, "Use repeated texts only once.")
    seed: int = shared(0, "Seed; the same seed gives the same file.", "N")
    set_: list[str] | None = shared(None, "Attribute of every set, e.g. topic=buses.", "NAME=TEXT")
    format_: str | None = shared(
        None, "labelled, semeval, mitweet, fewsum, amazon, court, convokit, iq2 or records; by default detected.",
        "NAME",
    )
    # fmt: on

    def admits(self) -> Callable[[str], bool]:
        """Whether a text is within the limits of length."""
        return limits(self.min_tokens, self.max_tokens, self.tokens)

    def records(self, source: Path, attributes: Mapping[str, str]) -> Iterator[Record]:
        """The records of a source; ``attributes`` maps attributes to fields."""
        return read_texts(source, attributes, self.format_)

    def write(self, records: Iterable[Record], out: Path, left_out: Mapping[str, int], *notes: str) -> None:
        """Write the sets, with the attributes of ``--set``, and print their number and what was excluded."""
        added = dict(pair("--set", text) for text in self.set_ or ())
        count = _write_any((replace(r, attributes={**r.attributes, **added}) for r in records), out)
        if not count:
            reasons = f"Excluded: {_reasons(left_out)}. Relax the limits, or name other fields."
            raise DataError(f"No set could be made. {reasons}")
        typer.echo(f"{counted(count, 'set')} in {out}")
        for note in notes:
            typer.echo(f"  {note}")
        for reason, times in sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0])):
            typer.echo(f"  excluded: {times:,} × {reason}")


def _write_any(records: Iterator[Record], out: Path) -> int:
    """Write the records, unless there are none; return their number."""
    first = next(records, None)
    return 0 if first is None else write_lines(map(record_line, chain((first,), records)), out)


def _reasons(excluded: Mapping[str, int]) -> str:
    return ", ".join(f"{times:,} × {reason}" for reason, times in sorted(excluded.items())) or "nothing"


@app.command(short_help="Inputs that differ only in who their people are.")
def people(
    source: Path = o.argument(ANNOTATED, "SOURCE"), out: Path = OUT, options: PeopleOptions = o.all_but()
) -> None:
    """Build inputs that differ only in who their people are.

    Examples:
        fairbrief build people examples/people.jsonl --groups gender --out people.jsonl
        fairbrief build people ontonotes --groups race --names names.csv --design mono --out named.jsonl
    """
    made, report = build_people(read_people(source), options)
    if not _write_any(made, out):
        firsts = {c.reason: f"{c.seed_document}: {c.reason}: {c.detail}" for c in reversed(report.refused)}
        more = "".join(f"\n{line}" for line in (*firsts.values(), *report.advice()))
        raise DataError(f"No input could be made. Excluded: {_reasons(report.reasons())}.{more}")
    built = f"{counted(len(report) - len(report.refused), 'seed document')} (of {len(report):,})"
    typer.echo(f"{counted(report.written, 'input')} of {built} in {out}")
    if report.refused:
        typer.echo(f"excluded, with all of their inputs: {_reasons(report.reasons())}")
    for capacity in report.refused:
        varied = f"{capacity.varied} of {capacity.people} people vary"
        typer.echo(f"  excluded: {capacity.seed_document}: {capacity.reason} ({varied}): {capacity.detail}")
    for line in report.advice():
        typer.echo(line)


@app.command(short_help="A table of people's genders from a dump of Wikipedia.")
def pages(
    source: Path = o.argument("A MediaWiki XML dump, also .bz2 or .gz.", "DUMP"),
    out: Path = o.output_file(..., "Table to write, with name and gender.", "FILE.csv"),
) -> None:
    """Build a table of people's genders from the pronouns on their pages, for names(pages=FILE).

    Examples:
        fairbrief build pages enwiki-articles.xml.bz2 --out genders.csv
    """
    genders = page_genders(source)
    if not genders:
        raise DataError(f"{source}: no page has a person's full name as its title. Give a dump of articles.")
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("name", "gender"), *sorted(genders.items())])
    write_text(out, table.getvalue())
    typer.echo(f"{counted(len(genders), 'name')} in {out}: {_counts(Counter(genders.values()))}")


@app.command(short_help="Sets of labelled texts, by size and by mix.")
def perspectives(
    source: Path = SOURCE,
    out: Path = OUT,
    attribute: str = ATTRIBUTE,
    counts: str = o.option(..., "Texts per set, e.g. 10,30,50.", "N,N…"),
    mix: list[str] = o.option(..., "Shares of values, e.g. male=.2,female=.8; repeat per mix.", "V=S,V=S"),
    samples: int = o.option(150, "Sets per size and mix.", "N", min=1),
    unit: str = o.option("texts", "Name of the attribute for a set's size, e.g. tweets.", "NAME"),
    options: SourceOptions = o.all_but(),
) -> None:
    """Build sets of labelled texts: every size and mix, with several samples of each.

    By default, the samples of one size and mix share a text only after all texts have been used.

    Examples:
        fairbrief build perspectives examples/reviews.jsonl --attribute sentiment --counts 4 --mix positive=.5,negative=.5 --samples 2 --out mixed.jsonl
    """
    name, field = attribute_and_field(attribute)
    sizes, mixes = whole_numbers(counts), [set_builders.parse_mix(text) for text in mix]
    records, left_out = options.records(source, {name: field}), Counter[str]()
    topics = gather(records, name, left_out, admits=options.admits(), distinct=options.distinct)
    texts = topics.get("", [])
    has = Counter(document.attributes[name] for document in texts)
    made = set_builders.mixtures(texts, name, sizes, mixes, samples, unit, options.seed)
    options.write(made, out, left_out, f"drawn from {_counts(has)}")


def whole_numbers(text: str) -> list[int]:
    """Numbers of documents from ``10,30,50``."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"--counts {text}: write whole numbers, e.g. 10,30,50.") from None


def _counts(values: Counter[str]) -> str:
    return ", ".join(f"{value} {n:,}" for value, n in sorted(values.items())) or "none"


@app.command(short_help="Sets of texts, equally many dominated by each value.")
def stratified(
    source: Path = SOURCE,
    out: Path = OUT,
    attribute: str = ATTRIBUTE,
    sets: int = o.option(300, "Number of sets, equally many dominated by each value.", "N", min=1),
    size: str | None = o.option(
        None, "Texts per set, e.g. 20 or 4-8; by default the records of the source are the sets.", "N|N-N"
    ),
    similar: float = o.option(
        0.0, "First cluster each topic's texts at this TF-IDF cosine, e.g. 0.1.", "X", min=0
    ),
    topic: str = o.option("", "Attribute shared by a set's texts, e.g. target.", "ATTRIBUTE"),
    values: str | None = o.option(None, "Values that dominate; others are excluded.", "V,V…"),
    options: SourceOptions = o.all_but(),
) -> None:
    """Build sets of texts, so that each value dominates the same number of sets.

    Examples:
        fairbrief build stratified examples/reviews.jsonl --attribute sentiment --sets 3 --size 4 --out sets.jsonl
    """
    name, field = attribute_and_field(attribute)
    more = {topic: topic} if topic else {}
    order = comma_separated(values) if values else None
    if size is None and any((similar, topic, options.distinct, options.min_tokens, options.max_tokens)):
        needs = "--similar, --topic, --distinct, --min-tokens and --max-tokens need --size"
        raise RequestError(f"{needs}: without it, the records of the source are the sets.")
    records, left_out = options.records(source, {**more, name: field}), Counter[str]()
    if size is not None:
        least, most = _sizes(size)
        how: dict[str, Any] = {"admits": options.admits(), "distinct": options.distinct}
        topics = gather(records, name, left_out, values=order, topic=topic, **how)
        records = set_builders.cut_sets(topics, least, options.seed, most=most, similar=similar)
    made = set_builders.stratify(records, name, sets, values=order, seed=options.seed)
    by = Counter(record.attributes["dominated_by"] for record in made)
    options.write(made, out, left_out, f"dominated by {_counts(by)}")


def _sizes(text: str) -> tuple[int, int]:
    """The least and the largest size from ``20`` or ``4-8``."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    least, most = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= least <= most:
        raise RequestError(f"--size {text}: write a number of texts, or the smallest and largest, e.g. 4-8.")
    return least, most


@app.command(short_help="Segments of conversations.")
def transcripts(
    source: Path = SOURCE,
    out: Path = OUT,
    most: int = o.option(..., "Most tokens per segment.", "K", "--tokens", min=1),
    count: Tokens = o.option("words", "Unit of lengths: words, nltk (tokens) or characters.", "RULE"),
    no_names: bool = o.switch("--no-names", "Omit the speaker's name from the texts."),
    speaker: str | None = o.option(None, "Field with the speaker; by default 'speaker'.", "FIELD"),
    options: SourceOptions = o.all_but("min_tokens", "max_tokens", "tokens", "distinct", "seed"),
) -> None:
    """Cut conversations into segments; each turn is a document.

    A turn that is longer than --tokens is split at sentences, then at words.

    Examples:
        fairbrief build transcripts examples/transcripts.jsonl --tokens 60 --out segments.jsonl
    """
    counts = Counter[str]()
    records = options.records(source, {"speaker": speaker} if speaker else {})
    made = list(set_builders.segments(records, most, counts, rule=count, names=not no_names))
    split = counts.pop(set_builders.SPLIT, 0)
    options.write(made, out, counts)
    if split:
        typer.echo(f"  longer than {counted(most, 'token')}, and split: {counted(split, 'turn')}")


@app.command(short_help="Sets of reviews of one product.")
def reviews(
    source: Path = SOURCE,
    out: Path = OUT,
    size: int = o.option(8, "Reviews per set.", "N", min=1),
    per_product: int = o.option(1, "Most sets per product; 0: all.", "N", min=0),
    sentiment: Literal["rating", "vader_argmax", "none"] = o.option(
        "rating", "rating; vader_argmax (as published); or none.", "RULE"
    ),
    negative: float = o.option(2, "Ratings up to this are negative.", "X"),
    positive: float = o.option(4, "Ratings from this are positive.", "X"),
    analyser: Literal["vader", "nltk"] = o.option("vader", "Library of VADER: vader or nltk.", "vader|nltk"),
    rating: str | None = o.option(None, "Field with the rating; by default 'rating'.", "FIELD"),
    product: str | None = o.option(None, "Field with the product; by default 'product'.", "FIELD"),
    options: SourceOptions = o.all_but("distinct"),
) -> None:
    """Build sets of reviews of one product, each review with its sentiment.

    Examples:
        fairbrief build reviews reviews.csv --product asin --rating stars --out sets.jsonl
        fairbrief build reviews fewsum --format fewsum --sentiment vader_argmax --out sets.jsonl
    """
    label = set_builders.labeller(sentiment, negative=negative, positive=positive, analyser=analyser)
    fields = {name: field for name, field in (("rating", rating), ("product", product)) if field is not None}
    left_out = Counter[str]()
    records = options.records(source, fields)
    how: dict[str, Any] = {
        "seed": options.seed,
        "admits": options.admits(),
        "per_product": per_product or None,
    }
    made = list(set_builders.review_sets(records, size, label, left_out, **how))
    labelled = (d.attributes.get("sentiment") for record in made for d in record.documents)
    values = Counter(value for value in labelled if value is not None)
    options.write(made, out, left_out, *([f"sentiment: {_counts(values)}"] if values else []))
