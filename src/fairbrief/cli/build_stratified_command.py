"""``fairbrief build stratified``: sets that each value dominates equally often."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.output_folder import refuse_overwriting
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
    size: Size = None,
    topic: Topic = "",
    values: Values = None,
    ties: Ties = "drop",
    with_replacement: Replace = False,
    *,
    options: sources.SourceOptions,
) -> None:
    """Choose or make sets of texts such that each value dominates equally many."""
    from fairbrief.corpora.pools import gather
    from fairbrief.corpora.stratified_sets import cut_sets, draw_sets, stratify
    from fairbrief.serialization import record_line

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
