"""``fairbrief build reviews``: sets of reviews of one product, with their sentiment."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Annotated

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.errors import RequestError

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
    from fairbrief.corpora.review_sets import Sets, Told, labeller, review_sets
    from fairbrief.serialization import record_line

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
