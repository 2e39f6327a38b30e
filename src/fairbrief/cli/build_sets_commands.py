"""``fairbrief build perspectives``, ``reviews``, ``stratified`` and ``transcripts``: sets of texts that a file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.types import Record

Counts = Annotated[str, typer.Option(help="How many texts a set has, e.g. 10,30,50.", metavar="N,N…")]
Mixes = Annotated[
    list[str],
    typer.Option("--mix", help="Shares of the values, e.g. male=.2,female=.8; once per mix.", metavar="V=S,V=S"),
]  # fmt: skip
Samples = Annotated[int, typer.Option(help="How many sets of each size and mix.", min=1, metavar="N")]
Disjoint = Annotated[
    bool, typer.Option("--disjoint", help="No text in two sets of one size and mix; refused if there are too few texts.")
]  # fmt: skip
Independent = Annotated[
    bool,
    typer.Option("--with-replacement", help="Draw every set anew from all texts (none twice in a set)."),
]
Shape = Annotated[
    str, typer.Option("--as", help="documents, or joined into one text.", metavar="documents|joined")
]
Separator = Annotated[str, typer.Option(help="What stands between joined texts.", metavar="TEXT")]
UnitName = Annotated[
    str, typer.Option("--unit", help="Attribute that carries a set's size, e.g. tweets.", metavar="NAME")
]


@sources.source_options()
def perspectives(
    source: sources.SourceFile,
    out: sources.Out,
    attribute: sources.Attribute,
    counts: Counts,
    mix: Mixes,
    samples: Samples = 150,
    disjoint: Disjoint = False,
    with_replacement: Independent = False,
    shape: Shape = "documents",
    separator: Separator = " || ",
    unit: UnitName = "texts",
    *,
    options: sources.SourceOptions,
) -> None:
    """Mix labelled texts: every size × every mix × so many samples.

    By default the samples of a size and mix share a text only once all have been used.
    """
    from fairbrief.serialization import record_line
    from fairbrief.workbench.corpora.perspective_sets import Design, joined, mixtures, parse_mix
    from fairbrief.workbench.corpora.pools import gather

    refuse_overwriting(out, [source])
    if disjoint and with_replacement:
        raise RequestError("--disjoint and --with-replacement exclude each other.")
    if shape not in ("documents", "joined") or not separator:
        raise RequestError(f"--as is documents or joined (with a --separator), not '{shape}'.")
    fields = sources.pairs(attribute)
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
    pool = gather(
        options.records(source, fields),
        name,
        lengths=options.lengths(),
        distinct=options.distinct,
    )
    has = Counter(document.attributes[name] for document in pool.texts)
    used = Counter[str]()
    made = sources.composition(mixtures(pool.texts, design), name, used)
    rows = (joined(r, name, separator) if shape == "joined" else record_line(r) for r in made)
    texts = ", ".join(f"{value} {n:,}" for value, n in sorted(has.items())) or "none"
    options.write(rows, out, pool.left_out, f"drawn from {texts}")


def whole_numbers(text: str, option: str) -> list[int]:
    """Numbers from ``10,30,50``."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"{option} '{text}': write whole numbers, e.g. 10,30,50.") from None


# ---------------------------------------------------------------------------------- sets of reviews


Size = Annotated[int, typer.Option(help="Reviews in a set.", min=1, metavar="N")]
PerProduct = Annotated[
    int, typer.Option(help="Sets of one product at most; 0 for all that it has.", min=0, metavar="N")
]
Order = Annotated[
    str, typer.Option("--draw", help="Draw a product's reviews at random, or take the first.", metavar="random|first")
]  # fmt: skip
Sentiment = Annotated[
    str,
    typer.Option(
        help="rating; vader_argmax (the published rule: the larger of neg and pos); vader_compound (±0.05); none.",
        metavar="RULE",
    ),
]
Negative = Annotated[float, typer.Option(help="Ratings up to this are negative.", metavar="X")]
Positive = Annotated[float, typer.Option(help="Ratings from this on are positive.", metavar="X")]
Analyser = Annotated[str, typer.Option(help="VADER's library: vader or nltk.", metavar="vader|nltk")]
Rating = Annotated[
    str | None,
    typer.Option(help="Field with the rating, if it is no attribute of that name.", metavar="FIELD"),
]
Product = Annotated[
    str | None,
    typer.Option(help="Field with the product, if it is no attribute of that name.", metavar="FIELD"),
]
Products = Annotated[
    int | None, typer.Option("--first", help="Take only the first N records.", min=1, metavar="N")
]


@sources.source_options("distinct")
def reviews(
    source: sources.SourceFile,
    out: sources.Out,
    size: Size = 8,
    per_product: PerProduct = 1,
    draw: Order = "random",
    sentiment: Sentiment = "rating",
    negative: Negative = 2,
    positive: Positive = 4,
    analyser: Analyser = "vader",
    rating: Rating = None,
    product: Product = None,
    first: Products = None,
    *,
    options: sources.SourceOptions,
) -> None:
    """Make sets of reviews of one product, each review with its sentiment."""
    from fairbrief.serialization import record_line
    from fairbrief.workbench.corpora.review_sets import Sets, Told, labeller, review_sets

    refuse_overwriting(out, [source])
    if draw not in ("random", "first"):
        raise RequestError(f"--draw is random or first, not '{draw}'.")
    label = labeller(sentiment, negative=negative, positive=positive, analyser=analyser)
    fields = {name: field for name, field in (("rating", rating), ("product", product)) if field is not None}
    told, values = Told(), Counter[str]()
    records = islice(options.records(source, fields), first)
    sets = Sets(size, per_product or None, "random" if draw == "random" else "first", options.seed)
    made = sources.composition(
        review_sets(records, sets, label, told, lengths=options.lengths()), "sentiment", values
    )  # fmt: skip
    options.write((record_line(record) for record in made), out, told.left_out)
    if values:
        typer.echo("  sentiment: " + ", ".join(f"{value} {n:,}" for value, n in sorted(values.items())))


# -------------------------------------------------------------------------- segments of transcripts


Most = Annotated[int, typer.Option("--tokens", help="Tokens that a segment has at most.", min=1, metavar="K")]
Rule = Annotated[
    str, typer.Option("--count", help="What a token is: words, nltk or characters.", metavar="RULE")
]
NoNames = Annotated[bool, typer.Option("--no-names", help="Leave the speaker's name out of the texts.")]
LeastTurns = Annotated[
    int, typer.Option("--min-turns", help="Leave out segments of fewer turns.", min=1, metavar="N")
]
First = Annotated[int | None, typer.Option(help="Take only the first N conversations.", min=1, metavar="N")]
Speaker = Annotated[
    str | None, typer.Option(help="Field with the speaker, if it is no attribute 'speaker'.", metavar="FIELD")
]


@sources.source_options("min_tokens", "max_tokens", "tokens", "min_characters", "distinct", "seed")
def transcripts(
    source: sources.SourceFile,
    out: sources.Out,
    most: Most,
    count: Rule = "words",
    no_names: NoNames = False,
    min_turns: LeastTurns = 1,
    first: First = None,
    speaker: Speaker = None,
    *,
    options: sources.SourceOptions,
) -> None:
    """Cut conversations into segments of at most k tokens; each turn is a document.

    A turn that is longer than k is split at sentences, then at words.
    """
    from fairbrief.serialization import record_line
    from fairbrief.workbench.corpora.transcript_segments import Cut, Told, segments

    refuse_overwriting(out, [source])
    told = Told()
    fields = {"speaker": speaker} if speaker else {}
    records: Iterator[Record] = islice(options.records(source, fields), first)
    cut = Cut(most, count, not no_names, min_turns)
    rows = (record_line(record) for record in segments(records, cut, told))
    options.write(rows, out, told.left_out)
    if told.split:
        typer.echo(f"  longer than {counted(most or 0, 'token')}, and split: {counted(told.split, 'turn')}")


# ---------------------------------------------------------------------------------- stratified sets


SetsOption = Annotated[
    int, typer.Option(help="How many sets in all; each value dominates equally many.", min=1, metavar="N")
]
SetSize = Annotated[
    int | None,
    typer.Option(
        help="Texts in a set. Without it, the records of the source are the sets.", min=1, metavar="N"
    ),
]
Topic = Annotated[
    str, typer.Option(help="Attribute that a set's texts share, e.g. target.", metavar="ATTRIBUTE")
]
Values = Annotated[
    str | None, typer.Option(help="Values that are to dominate, in order; others are left out.", metavar="V,V…")
]  # fmt: skip
Ties = Annotated[
    str, typer.Option(help="Sets in which several values are most frequent: drop them, or count them for the lowest.", metavar="drop|lowest")
]  # fmt: skip
Replace = Annotated[
    bool, typer.Option("--with-replacement", help="Draw every set anew: sets may share texts.")
]


@sources.source_options()
def stratified(
    source: sources.SourceFile,
    out: sources.Out,
    attribute: sources.Attribute,
    sets: SetsOption = 300,
    size: SetSize = None,
    topic: Topic = "",
    values: Values = None,
    ties: Ties = "drop",
    with_replacement: Replace = False,
    *,
    options: sources.SourceOptions,
) -> None:
    """Choose or make sets of texts such that each value dominates equally many."""
    from fairbrief.serialization import record_line
    from fairbrief.workbench.corpora.pools import gather
    from fairbrief.workbench.corpora.stratified_sets import cut_sets, draw_sets, stratify

    refuse_overwriting(out, [source])
    if ties not in ("drop", "lowest"):
        raise RequestError(f"--ties is drop or lowest, not '{ties}'.")
    rule: Literal["drop", "lowest"] = "drop" if ties == "drop" else "lowest"
    fields = sources.pairs(attribute)
    (name,) = fields
    if topic and topic != name and size is not None:
        fields[topic] = topic
    order = values.split(",") if values else None
    records = sources.with_values(options.records(source, fields), name, order or ())
    left_out = Counter[str]()
    if size is None:
        found = stratify(records, name, sets, values=order, ties=rule, seed=options.seed)
    else:
        pool = gather(
            records,
            name,
            values=order,
            topic=topic,
            lengths=options.lengths(),
            distinct=options.distinct,
        )
        left_out = pool.left_out
        if with_replacement:
            found = draw_sets(pool.topics, name, size, sets, values=order, ties=rule, seed=options.seed)
        else:
            cut = cut_sets(pool.topics, size, options.seed)
            found = stratify(cut, name, sets, values=order, ties=rule, seed=options.seed)
    by = Counter(record.attributes["dominated_by"] for record in found)
    told = ", ".join(f"{value} {n}" for value, n in sorted(by.items()))
    options.write(
        (record_line(r) for r in found),
        out,
        left_out,
        f"dominated by {told}",
    )
