"""A gate as tests: ``pytest --fairbrief-gate DIR --fairbrief-max RULE`` adds a test item for every check.

Inert unless ``--fairbrief-gate`` is given: nothing of the package is imported before.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fairbrief.reports.junit import Check


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, all empty unless given."""
    group = parser.getgroup("fairbrief", "hold a saved audit of summaries to limits")
    group.addoption("--fairbrief-gate", metavar="DIR", help="Saved audit whose checks are added as tests.")
    group.addoption(
        "--fairbrief-max",
        metavar="RULE",
        action="append",
        default=[],
        help="MEASURE<=NUMBER; may be repeated.",
    )
    group.addoption(
        "--fairbrief-min",
        metavar="RULE",
        action="append",
        default=[],
        help="MEASURE>=NUMBER; may be repeated.",
    )
    group.addoption(
        "--fairbrief-baseline", metavar="DIR", help="Saved audit that this one must not be worse than."
    )
    group.addoption(
        "--fairbrief-measure",
        metavar="SPEC",
        action="append",
        default=[],
        help="Measure to compare with the baseline; without it, all of them.",
    )
    group.addoption(
        "--fairbrief-both-directions",
        action="store_true",
        help="Hold group differences to the margin where they shrink, too.",
    )
    group.addoption(
        "--fairbrief-allow-missing",
        metavar="NAME",
        action="append",
        default=[],
        help="What the baseline has and the audit need not.",
    )
    group.addoption(
        "--fairbrief-max-left-out",
        metavar="SHARE",
        type=float,
        default=0.05,
        help="How much of the input may be left out before nothing is decided.",
    )
    group.addoption(
        "--fairbrief-margin", metavar="NUMBER", type=float, default=0.0, help="By how much it may be worse."
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the gate's checks behind the collected tests."""
    folder = config.getoption("--fairbrief-gate")
    if not folder:
        return
    from fairbrief.errors import FairbriefError
    from fairbrief.saved import gate, gate_rules

    baseline = config.getoption("--fairbrief-baseline")
    try:
        limits = gate_rules.rules(config.getoption("--fairbrief-max"), config.getoption("--fairbrief-min"))
        checks = gate.hold_audit(
            Path(folder),
            limits,
            Path(baseline) if baseline else None,
            config.getoption("--fairbrief-margin"),
            measures=config.getoption("--fairbrief-measure"),
            both_directions=config.getoption("--fairbrief-both-directions"),
            allow_missing=config.getoption("--fairbrief-allow-missing"),
            max_left_out=config.getoption("--fairbrief-max-left-out"),
        )
    except FairbriefError as error:
        raise pytest.UsageError(str(error)) from None
    items += [GateItem.from_parent(session, name=check.name, check=check) for check in checks]


class GateItem(pytest.Item):
    """One check: passes, fails, or is skipped where the data cannot tell."""

    def __init__(self, *, check: Check, **given: Any) -> None:
        super().__init__(**given)
        self.check = check

    def runtest(self) -> None:
        """The outcome of the check."""
        if self.check.outcome == "inconclusive":
            pytest.skip(f"inconclusive: {self.check.message}")
        if self.check.outcome == "fail":
            raise GateError(self.check.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reason alone: there is no code to trace."""
        if isinstance(excinfo.value, GateError):
            return f"{self.check.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """What a failure's heading says."""
        return self.path, None, f"fairbrief gate: {self.name}"


class GateError(Exception):
    """A check that failed."""
