"""Several summaries of each record from one summarizer, seed by seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.types import Case, Record


def sampled(records: Sequence[Record], summarizer: str, samples: int) -> Iterator[Case]:
    """``samples`` summaries of every record, made with the summarizer's seeds 0, 1, 2 …

    Raises RequestError for a summarizer without a setting ``seed``: its samples would be one text.
    """
    if samples < 2:
        raise RequestError(f"--samples is 2 or more, not {samples}: there must be something to choose from.")
    built = registry.make("summarizer", summarizer)
    settable = [f.name for f in dataclasses.fields(built)] if dataclasses.is_dataclass(built) else []
    if "seed" not in settable:
        raise RequestError(
            f"'{summarizer}' has no setting 'seed', so that all its samples would be alike. Use one that has, as "
            "'random', or bring the candidates in a file."
        )
    for seed in range(samples):
        writer = registry.make("summarizer", summarizer, {"seed": str(seed)})
        for record, summary in zip(records, writer.summarize(records), strict=True):
            yield Case(record, dataclasses.replace(summary, system=f"{summarizer}#{seed}"))
