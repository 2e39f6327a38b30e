"""What a choice among candidates has changed: chosen against random, in fairness and in length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing import Plan, audit
from fairbrief.errors import DataError
from fairbrief.reports.result import Result
from fairbrief.statistics import Bootstrap, percentile_interval
from fairbrief.types import Case, Table
from fairbrief.workbench.candidates.choose import (
    CHOSEN,
    NOT_ALLOWED,
    NOT_MEASURED,
    RANDOM,
    Choice,
    as_systems,
)

FEWEST = 3
"""Records from which their lengths have an interval."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Mean words per summary of the chosen and the random ones, and their paired difference with interval.

    ``low`` and ``high`` are None where there is none: without resamples, or with fewer than three records.
    """

    chosen: float
    drawn: float
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float:
        """Chosen minus random, in words."""
        return self.chosen - self.drawn


def against_random(choices: Sequence[Choice], plan: Plan) -> Result:
    """An audit of the chosen summaries and of a random candidate each, with what was chosen from as a table.

    ``plan.seed`` decides which candidates are the random ones, and all draws.
    """
    cases = list(as_systems(choices, plan.seed))
    if not cases:
        raise DataError(
            f"There is nothing to choose: of {len(choices)} records, none has a candidate that could be measured."
        )
    result = audit(cases, replace(plan, baseline=RANDOM))
    lengths = lengths_of(cases, plan)
    return replace(
        result,
        tables=(_table(choices, lengths, plan), *result.tables),
        made={**result.made, "choice": _made(choices, lengths)},
    )


def lengths_of(cases: Sequence[Case], plan: Plan) -> Lengths:
    """Lengths of the two systems that `as_systems` makes, in words between blanks."""
    words = {
        name: np.array([len(c.summary.text.split()) for c in cases if c.summary.system == name], dtype=float)
        for name in (CHOSEN, RANDOM)
    }
    gap = words[CHOSEN] - words[RANDOM]
    found = Lengths(float(words[CHOSEN].mean()), float(words[RANDOM].mean()))
    if len(gap) >= FEWEST and plan.n_resamples > 1:
        drawn = Bootstrap(len(gap), plan.n_resamples, plan.seed).totals(gap[:, np.newaxis])[:, 0] / len(gap)
        bounds = percentile_interval(drawn, plan.confidence_level)
        return replace(found, low=float(bounds[0]), high=float(bounds[1]))
    return found


def _made(choices: Sequence[Choice], lengths: Lengths) -> dict[str, object]:
    reasons = Counter(choice.reason for choice in choices)
    return {
        "records": len(choices),
        "candidates": sum(len(c.candidates) for c in choices),
        "no candidate keeps the floors": reasons[NOT_ALLOWED],
        "no candidate could be measured": reasons[NOT_MEASURED],
        "pairs": sum(c.rejected is not None and not c.reason for c in choices),
        "words": {
            "chosen": lengths.chosen,
            "random": lengths.drawn,
            "difference": [lengths.difference, lengths.low, lengths.high],
        },
    }


def _table(choices: Sequence[Choice], lengths: Lengths, plan: Plan) -> Table:
    made = _made(choices, lengths)
    each = sorted({len(c.candidates) for c in choices})
    pool = sum(len(c.pool) for c in choices) / len(choices)
    rows = (
        ("records", f"{len(choices):,}"),
        ("candidates of each", str(each[0]) if len(each) == 1 else f"{each[0]} to {each[-1]}"),
        ("of them measurable and of like length, on average", f"{pool:.2f}"),
        ("records of which no candidate keeps the floors", f"{made[NOT_ALLOWED]:,}"),
        ("records of which no candidate could be measured", f"{made[NOT_MEASURED]:,}"),
        ("records with a worse candidate (preference pairs)", f"{made['pairs']:,}"),
        ("mean words, chosen", f"{lengths.chosen:.2f}"),
        ("mean words, random candidate", f"{lengths.drawn:.2f}"),
        _difference(lengths, plan.confidence_level),
    )
    return Table("What was chosen from", ("", ""), rows)


def _difference(lengths: Lengths, confidence_level: float) -> tuple[str, str]:
    if lengths.low is None or lengths.high is None:
        return "difference in words", f"{lengths.difference:+.2f}"
    interval = f"[{lengths.low:+.2f}, {lengths.high:+.2f}]"
    return (
        f"difference in words [{100 * confidence_level:g}% interval]",
        f"{lengths.difference:+.2f} {interval}",
    )
