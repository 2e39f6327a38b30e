"""``fairbrief build stratified``: sets that each value dominates equally often."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.outputs import refuse_overwriting
from fairbrief.errors import RequestError

SetsOption = Annotated[
    int, typer.Option(help="How many sets in all; each value dominates equally many.", min=1, metavar="N")
]
Size = Annotated[
    int | None,
    typer.Option(
        help="Texts in a set. Without it, the records of the source are the sets.", min=1, metavar="N"
    ),
]
Topic = Annotated[
    str, typer.Option(help="Attribute that a set's texts share, e.g. target.", metavar="ATTRIBUTE")
]
Values = Annotated[
    str | None, typer.Option(help="The values that shall dominate, in order; others are left out.", metavar="V,V…")
]  # fmt: skip
Ties = Annotated[
    str, typer.Option(help="Sets without a unique commonest value: drop, or count for the lowest.", metavar="drop|lowest")
]  # fmt: skip
Replace = Annotated[
    bool, typer.Option("--with-replacement", help="Draw every set anew: sets may share texts.")
]


def stratified(
    source: sources.SourceFile,
    out: sources.Out,
    attribute: sources.Attribute,
    sets: SetsOption = 300,
    size: Size = None,
    topic: Topic = "",
    values: Values = None,
    ties: Ties = "drop",
    with_replacement: Replace = False,
    min_tokens: sources.MinTokens = 0,
    max_tokens: sources.MaxTokens = None,
    tokens: sources.Tokens = "words",
    min_characters: sources.MinCharacters = 0,
    distinct: sources.Distinct = False,
    seed: sources.Seed = 0,
    format_: sources.FormatOption = None,
    encoding: sources.EncodingOption = None,
) -> None:
    """Choose or make sets of texts, dominated by each value equally often."""
    from fairbrief.corpora.lengths import Lengths
    from fairbrief.corpora.pools import gather
    from fairbrief.corpora.stratified import cut_sets, draw_sets, stratify
    from fairbrief.lines import record_line

    refuse_overwriting(out, [source])
    if ties not in ("drop", "lowest"):
        raise RequestError(f"--ties is drop or lowest, not '{ties}'.")
    rule: Literal["drop", "lowest"] = "drop" if ties == "drop" else "lowest"
    fields = sources.pairs(attribute)
    (name,) = fields
    if topic and topic != name and size is not None:
        fields[topic] = topic
    order = values.split(",") if values else None
    records = sources.records_of(source, format_, encoding, fields)
    left_out = Counter[str]()
    if size is None:
        found = stratify(records, name, sets, values=order, ties=rule, seed=seed)
    else:
        pool = gather(
            records,
            name,
            values=order,
            topic=topic,
            lengths=Lengths(min_tokens, max_tokens, tokens, min_characters),
            distinct=distinct,
        )
        left_out = pool.left_out
        if with_replacement:
            found = draw_sets(pool.topics, name, size, sets, values=order, ties=rule, seed=seed)
        else:
            cut = cut_sets(pool.topics, size, seed)
            found = stratify(cut, name, sets, values=order, ties=rule, seed=seed)
    by = Counter(record.attributes["dominated_by"] for record in found)
    told = ", ".join(f"{value} {n}" for value, n in sorted(by.items()))
    sources.write((record_line(r) for r in found), out, left_out, f"dominated by {told}")
