"""``fairbrief build``: inputs made from texts, reviews, transcripts and annotated documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fairbrief.cli import options as o
from fairbrief.cli.input_options import refuse_other
from fairbrief.cli.output import refuse_overwriting
from fairbrief.errors import DataError, RequestError
from fairbrief.settings import setting
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.people.build_people import Report
    from fairbrief.types import Record
    from fairbrief.workbench.corpora.text_sources import Lengths

app = o.new_app("Build inputs for audits.")
shared = partial(setting, panel="Sources and sets")
SOURCE = o.argument("File (or folder, for FewSum) with the texts.", "SOURCE")
OUT = o.option(..., "Where to write the sets, as JSON Lines.", "FILE", "--out")
ATTRIBUTE = o.option(
    ...,
    "Attribute that the texts are labelled with; NAME=FIELD reads it from a field.",
    "NAME[=FIELD]",
    "--attribute",
)


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a builder takes of its source, and puts on its sets. Each field is an option: see `source_options`."""

    # fmt: off
    min_tokens: int = shared(0, "Leave out shorter texts.", "N", least=0)
    max_tokens: int | None = shared(None, "Leave out longer texts.", "N", least=1)
    tokens: str = shared("words", "What a token is: words, nltk or characters.", "RULE")
    min_characters: int = shared(0, "Leave out texts of fewer characters.", "N", least=0)
    distinct: bool = shared(False, "Take a text that occurs several times only once.")
    seed: int = shared(0, "The same seed gives the same file, to the byte.", "N")
    set_: list[str] | None = shared(
        None, "Attribute of every set, e.g. topic=buses, which prompts may name.", "NAME=TEXT",
    )
    format_: str | None = shared(
        None, "labelled, semeval, mitweet, fewsum, amazon, court, convokit, iq2, or records; by default detected "
        "from the file.", "NAME",
    )
    encoding: str | None = shared(None, "utf-8, latin-1, or mixed (line by line).", "NAME")
    # fmt: on

    def lengths(self) -> Lengths:
        """How long a text may be."""
        from fairbrief.workbench.corpora.text_sources import Lengths

        return Lengths(self.min_tokens, self.max_tokens, self.tokens, self.min_characters)

    def records(self, source: Path, attributes: Mapping[str, str]) -> Iterator[Record]:
        """The records of a source; ``attributes`` maps those that are wanted to their fields."""
        from fairbrief.workbench.corpora.text_sources import read_texts

        return read_texts(source, attributes, self.format_, self.encoding)

    def write(self, records: Iterable[Record], out: Path, left_out: Mapping[str, int], *notes: str) -> None:
        """Write the sets, with the attributes of ``--set``, and print how many there are and what was left out."""
        from fairbrief.serialization import record_line, write_lines
        from fairbrief.workbench.corpora import text_sources

        stream = text_sources.with_attributes(map(record_line, records), self.set_ or ())
        first = next(stream, None)
        if first is None:
            why = ", ".join(f"{times:,} × {reason}" for reason, times in sorted(left_out.items()))
            raise DataError(f"No set could be made, and nothing is written. Left out: {why or 'nothing'}.")
        count = write_lines(chain((first,), stream), out)
        typer.echo(f"{counted(count, 'set')} in {out}")
        for note in notes:
            typer.echo(f"  {note}")
        for reason, times in sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0])):
            typer.echo(f"  left out: {times:,} × {reason}")


def source_options(*without: str) -> Callable[[o.Command], o.Command]:
    """Give a builder the options of `SourceOptions`, but for some, in place of its parameter ``options``."""
    return o.options_of(SourceOptions, "options", without=without)


def pairs(text: str) -> dict[str, str]:
    """An attribute and the field it stands in, from ``NAME`` or ``NAME=FIELD``."""
    name, _, field = text.partition("=")
    if not name:
        raise RequestError(f"'{text}' names no attribute: write NAME or NAME=FIELD.")
    return {name: field or name}


@app.callback()
def build() -> None:
    """Build inputs for audits."""


@app.command(short_help="Make inputs that differ only in who their people are.")
def people(
    source: Path = o.argument(o.ANNOTATED, "SOURCE"),
    out: Path = o.option(..., "Where to write the inputs, as JSON Lines.", "FILE"),
    groups: str = o.option(
        "gender", "gender, race, race=A+B, gender*race, or gender*race=male:A+female:B.", "GROUPS"
    ),
    design: str = o.option(
        "balanced",
        "balanced: half of the people in each group, in pairs; mono: one group per input; original: the seed documents that could be filled, unchanged.",
        "balanced|mono|original",
    ),
    per_seed_document: int | None = o.option(
        None, "How many inputs to make from each seed document; by default 20.", "N"
    ),
    names: str = o.option(
        "census", "census, or a table with the columns name, part, gender, group.", "census|FILE"
    ),
    last_names: str | None = o.option(
        None,
        "Keep or replace last names; by default they are replaced where --groups includes race.",
        "keep|replace",
    ),
    content_words: str = o.option(
        "keep",
        "Words such as wife and husband: keep them; exchange: they follow the person's gender; neutral: spouse.",
        "keep|exchange|neutral",
    ),
    no_pronouns: bool = o.switch("--no-pronouns", "Leave pronouns as they are."),
    weights: str = o.option("uniform", "Draw names uniformly or by their frequency.", "uniform|frequency"),
    genders: str = o.option(
        "keep", "In groups by race: keep genders, or draw them at random.", "keep|random"
    ),
    woman: str = o.option("Ms.", "What Mr. becomes for a woman: Ms. or Mrs.", "TITLE"),
    seed: int = o.option(0, "The same seed gives the same file, to the byte.", "N"),
) -> None:
    """Make inputs that differ in who their people are, and in nothing else."""
    from fairbrief.people.build_people import build as build_people
    from fairbrief.serialization import record_line, write_lines
    from fairbrief.workbench.corpora.text_sources import read_people

    refuse_overwriting(out, [source])
    if last_names is not None:
        refuse_other("--last-names", last_names, ("keep", "replace"))
    refuse_other("--content-words", content_words, ("keep", "exchange", "neutral"))
    refuse_other("--woman", woman, ("Ms.", "Mrs."))
    refuse_other("--genders", genders, ("keep", "random"))
    words: dict[str, bool | Literal["neutral"]] = {"keep": False, "exchange": True, "neutral": "neutral"}
    choices: dict[str, Any] = {
        "groups": groups, "design": design, "per_seed_document": per_seed_document, "names": names, "last_names": last_names,
        "content_words": words[content_words], "pronouns": not no_pronouns, "weights": weights, "genders": genders,
        "woman": woman, "seed": seed,
    }  # fmt: skip
    made, report = build_people(read_people(source), **choices)
    stream = iter(made)
    first = next(stream, None)
    if first is None:
        advice = "".join(f"\n{line}" for line in report.advice())
        raise DataError(
            f"No input could be made, and nothing is written. Left out: {_reasons(report) or 'nothing'}.{advice}"
        )
    write_lines((record_line(record) for record in chain((first,), stream)), out)
    originals = len(report.capacities)
    typer.echo(
        f"{counted(report.written, 'input')} of {counted(len(report.built), 'seed document')} (of {originals:,}) in {out}"
    )
    if report.refused:
        typer.echo(f"left out, with all of their inputs: {_reasons(report)}")
    for capacity in report.refused:
        varied = f"{capacity.varied} of {capacity.people} people vary"
        typer.echo(f"  left out: {capacity.seed_document}: {capacity.reason} ({varied}): {capacity.detail}")
    for line in report.advice():
        typer.echo(line)


@app.command(short_help="Make a table of people's genders from a dump of Wikipedia.")
def pages(
    source: Path = o.argument("A MediaWiki XML dump, also .bz2 or .gz.", "DUMP"),
    out: Path = o.option(..., "Table to write, CSV with name and gender.", "FILE"),
) -> None:
    """Make a table of people's genders from the pronouns of their pages, for names(pages=FILE)."""
    import csv

    from fairbrief.workbench.corpora.page_pronouns import page_genders

    refuse_overwriting(out, [source])
    found = page_genders(source)
    if not found:
        raise DataError(
            f"{source}: no page of a person with a title of two words or more; nothing is written."
        )
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("name", "gender"))
        table.writerows(sorted(found.items()))
    typer.echo(f"{counted(len(found), 'name')} in {out}: {_counts(Counter(found.values()))}")


def _reasons(report: Report) -> str:
    return ", ".join(f"{times:,} × {reason}" for reason, times in sorted(report.reasons().items()))


@app.command(short_help="Mix labelled texts, by size and by mix.")
@source_options()
def perspectives(
    source: Path = SOURCE,
    out: Path = OUT,
    attribute: str = ATTRIBUTE,
    counts: str = o.option(..., "How many texts a set has, e.g. 10,30,50.", "N,N…"),
    mix: list[str] = o.option(..., "Shares of the values, e.g. male=.2,female=.8; once per mix.", "V=S,V=S"),
    samples: int = o.option(150, "How many sets of each size and mix.", "N", least=1),
    disjoint: bool = o.switch(
        "--disjoint", "No text in two sets of one size and mix; refused if there are too few texts."
    ),
    with_replacement: bool = o.switch(
        "--with-replacement", "Draw every set from all texts (none twice in a set)."
    ),
    unit: str = o.option("texts", "Attribute that carries a set's size, e.g. tweets.", "NAME"),
    *,
    options: SourceOptions,
) -> None:
    """Mix labelled texts: every size × every mix × so many samples.

    By default the samples of a size and mix share a text only once all have been used.
    """
    from fairbrief.workbench.corpora.labelled_sets import Design, mixtures, parse_mix
    from fairbrief.workbench.corpora.text_sources import gather

    refuse_overwriting(out, [source])
    if disjoint and with_replacement:
        raise RequestError("--disjoint and --with-replacement exclude each other.")
    fields = pairs(attribute)
    (name,) = fields
    design = Design(
        name,
        whole_numbers(counts, "--counts"),
        [parse_mix(text) for text in mix],
        samples,
        "disjoint" if disjoint else "independent" if with_replacement else "rounds",
        unit,
        options.seed,
    )
    texts = options.records(source, fields)
    pool = gather(texts, name, lengths=options.lengths(), distinct=options.distinct)
    has = Counter(document.attributes[name] for document in pool.texts)
    options.write(mixtures(pool.texts, design), out, pool.left_out, f"drawn from {_counts(has)}")


def whole_numbers(text: str, option: str) -> list[int]:
    """Numbers from ``10,30,50``."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"{option} '{text}': write whole numbers, e.g. 10,30,50.") from None


def _counts(values: Counter[str]) -> str:
    return ", ".join(f"{value} {n:,}" for value, n in sorted(values.items())) or "none"


@app.command(short_help="Make sets that each value dominates equally often.")
@source_options()
def stratified(
    source: Path = SOURCE,
    out: Path = OUT,
    attribute: str = ATTRIBUTE,
    sets: int = o.option(300, "How many sets in all; each value dominates equally many.", "N", least=1),
    size: str | None = o.option(
        None, "Texts in a set, e.g. 20 or 4-8. By default the records of the source are the sets.", "N|N-N"
    ),
    topic: str = o.option("", "Attribute that a set's texts share, e.g. target.", "ATTRIBUTE"),
    similar: float = o.option(
        0.0,
        "Cluster the texts of a topic first: cosine of TF-IDF vectors that joins a text to a cluster, e.g. 0.1.",
        "X",
        least=0,
    ),
    values: str | None = o.option(
        None, "Values that are to dominate, in order; others are left out.", "V,V…"
    ),
    ties: str = o.option(
        "drop",
        "Sets in which several values are most frequent: drop them, or count them for the lowest.",
        "drop|lowest",
    ),
    *,
    options: SourceOptions,
) -> None:
    """Choose or make sets of texts such that each value dominates equally many."""
    from fairbrief.workbench.corpora.labelled_sets import cut_sets, stratify
    from fairbrief.workbench.corpora.text_sources import gather, with_values

    refuse_overwriting(out, [source])
    refuse_other("--ties", ties, ("drop", "lowest"))
    fields = pairs(attribute)
    (name,) = fields
    if topic and topic != name and size is not None:
        fields[topic] = topic
    order = values.split(",") if values else None
    records = with_values(options.records(source, fields), name, order or ())
    how: dict[str, Any] = {"values": order, "ties": ties, "seed": options.seed}
    left_out = Counter[str]()
    if size is None:
        made = stratify(records, name, sets, **how)
    else:
        limits = options.lengths()
        pool = gather(records, name, values=order, topic=topic, lengths=limits, distinct=options.distinct)
        left_out = pool.left_out
        least, most = _sizes(size)
        made = stratify(
            cut_sets(pool.topics, least, options.seed, most=most, similar=similar), name, sets, **how
        )
    by = Counter(record.attributes["dominated_by"] for record in made)
    options.write(made, out, left_out, f"dominated by {_counts(by)}")


def _sizes(text: str) -> tuple[int, int]:
    """The least and the largest size from ``20`` or ``4-8``."""
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most:
        raise RequestError(
            f"--size '{text}': write a number of texts, or the smallest and largest, e.g. 4-8."
        )
    return least, most


@app.command(short_help="Cut conversations into segments.")
@source_options("min_tokens", "max_tokens", "tokens", "min_characters", "distinct", "seed")
def transcripts(
    source: Path = SOURCE,
    out: Path = OUT,
    most: int = o.option(..., "Tokens that a segment has at most.", "K", "--tokens", least=1),
    count: str = o.option("words", "What a token is: words, nltk or characters.", "RULE"),
    no_names: bool = o.switch("--no-names", "Leave the speaker's name out of the texts."),
    min_turns: int = o.option(1, "Leave out segments of fewer turns.", "N", least=1),
    first: int | None = o.option(None, "Take only the first N conversations.", "N", least=1),
    speaker: str | None = o.option(None, "Field with the speaker, if it is no attribute 'speaker'.", "FIELD"),
    *,
    options: SourceOptions,
) -> None:
    """Cut conversations into segments of at most k tokens; each turn is a document.

    A turn that is longer than k is split at sentences, then at words.
    """
    from fairbrief.workbench.corpora.transcript_segments import Cut, TurnCounts, segments

    refuse_overwriting(out, [source])
    told = TurnCounts()
    records = islice(options.records(source, {"speaker": speaker} if speaker else {}), first)
    cut = Cut(most, count, not no_names, min_turns)
    options.write(segments(records, cut, told), out, told.left_out)
    if told.split:
        typer.echo(f"  longer than {counted(most, 'token')}, and split: {counted(told.split, 'turn')}")


@app.command(short_help="Make sets of reviews of one product.")
@source_options("distinct")
def reviews(
    source: Path = SOURCE,
    out: Path = OUT,
    size: int = o.option(8, "Reviews in a set.", "N", least=1),
    per_product: int = o.option(1, "Sets of one product at most; 0 for all that it has.", "N", least=0),
    draw: str = o.option("random", "Draw a product's reviews at random, or take the first.", "random|first"),
    sentiment: str = o.option(
        "rating",
        "rating; vader_argmax (the published rule: the larger of neg and pos); vader_compound (±0.05); none.",
        "RULE",
    ),
    negative: float = o.option(2, "Ratings up to this are negative.", "X"),
    positive: float = o.option(4, "Ratings from this on are positive.", "X"),
    analyser: str = o.option("vader", "VADER's library: vader or nltk.", "vader|nltk"),
    rating: str | None = o.option(
        None, "Field with the rating, if it is no attribute of that name.", "FIELD"
    ),
    product: str | None = o.option(
        None, "Field with the product, if it is no attribute of that name.", "FIELD"
    ),
    first: int | None = o.option(None, "Take only the first N records.", "N", least=1),
    *,
    options: SourceOptions,
) -> None:
    """Make sets of reviews of one product, each review with its sentiment."""
    from fairbrief.workbench.corpora.review_sets import Sets, labeller, review_sets
    from fairbrief.workbench.corpora.text_sources import composition

    refuse_overwriting(out, [source])
    refuse_other("--draw", draw, ("random", "first"))
    label = labeller(sentiment, negative=negative, positive=positive, analyser=analyser)
    fields = {name: field for name, field in (("rating", rating), ("product", product)) if field is not None}
    left_out, values = Counter[str](), Counter[str]()
    records = islice(options.records(source, fields), first)
    sets = Sets(size, per_product or None, "random" if draw == "random" else "first", options.seed)
    made = review_sets(records, sets, label, left_out, lengths=options.lengths())
    options.write(composition(made, "sentiment", values), out, left_out)
    if values:
        typer.echo(f"  sentiment: {_counts(values)}")
