"""``fairbrief build transcripts``: conversations in segments of at most k tokens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli import build_sources as sources
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.types import Record

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
    from fairbrief.corpora.transcript_segments import Cut, Told, segments
    from fairbrief.serialization import record_line

    refuse_overwriting(out, [source])
    told = Told()
    fields = {"speaker": speaker} if speaker else {}
    records: Iterator[Record] = islice(options.records(source, fields), first)
    cut = Cut(most, count, not no_names, min_turns)
    rows = (record_line(record) for record in segments(records, cut, told))
    options.write(rows, out, told.left_out)
    if told.split:
        typer.echo(f"  longer than {counted(most or 0, 'token')}, and split: {counted(told.split, 'turn')}")
