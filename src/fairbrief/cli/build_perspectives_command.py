"""``fairbrief build perspectives``: mixtures of labelled texts."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.errors import RequestError

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
    from fairbrief.corpora.perspective_sets import Design, joined, mixtures, parse_mix
    from fairbrief.corpora.pools import gather
    from fairbrief.serialization import record_line

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
