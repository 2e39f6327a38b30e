"""What a saved audit is held to: the settings of ``fairbrief gate``, of `fairbrief.gate` and of pytest, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.settings import setting

if TYPE_CHECKING:
    from fairbrief.reports.junit import Check
    from fairbrief.reports.result import Result

limit = partial(setting, panel="Limits")
MAX_LEFT_OUT = 0.05
"""Share of an input that may be left out as broken, refused, empty or unanswered before nothing is decided."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Limits, and what the audit may not be worse than."""

    # fmt: off
    most: Sequence[str] = limit(
        (), "Upper limit, e.g. 'uer@sentiment:difference-random<=0.1'.", "RULE", flag="--max",
    )
    least: Sequence[str] = limit(
        (), "Lower limit, e.g. 'coverage_parity@sentiment:relative_difference-random>=-0.15' or "
        "'rouge1>=0.3'.", "RULE", flag="--min",
    )
    baseline: Path | None = limit(None, "Saved audit that this one must not be worse than.", "DIR")
    margin: float = limit(
        0.0, "How much larger than in the baseline a group difference may be, or how much smaller a quality.",
        "X",
    )
    measures: Sequence[str] = limit(
        (), "Measure to compare with the baseline; by default all of them.", "SPEC", flag="--measure",
    )
    both_directions: bool = limit(False, "Hold group differences to --margin where they shrink, too.")
    allow_missing: Sequence[str] = limit(
        (), "System or measure of the baseline that need not be there, or 'records'.", "NAME",
    )
    max_left_out: float = limit(
        MAX_LEFT_OUT, "Share of the input that may be skipped, refused, empty or unanswered; above it "
        "nothing is decided.", "SHARE",
    )
    # fmt: on

    def checks(self, audited: Path | Result, baseline: Result | None = None) -> list[Check]:
        """The checks of an audit, or of a saved one's folder; ``baseline`` is in the place of a saved one.

        Raises RequestError for a question that cannot be put.
        """
        from fairbrief.saved import gate, gate_rules

        return gate.hold_audit(
            audited,
            gate_rules.rules(self.most, self.least),
            baseline or self.baseline,
            self.margin,
            measures=self.measures,
            both_directions=self.both_directions,
            allow_missing=self.allow_missing,
            max_left_out=self.max_left_out,
        )
