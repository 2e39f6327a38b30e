"""A gate as tests: ``pytest --fairbrief-gate DIR --fairbrief-max RULE`` adds a test for every check.

Without ``--fairbrief-gate`` it does nothing, and imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fairbrief.plan import option_of
from fairbrief.saved.gate_rules import GateSettings

if TYPE_CHECKING:
    from fairbrief.saved.gate_rules import Check


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, empty by default."""
    group = parser.getgroup("fairbrief", "check a saved audit of summaries")
    group.addoption("--fairbrief-gate", metavar="DIR", help="Saved audit; its checks are added as tests.")
    for f in fields(GateSettings):
        option: dict[str, Any] = {"action": "store", "default": f.default, "metavar": f.metadata["metavar"]}
        if isinstance(f.default, tuple):
            option |= {"action": "append", "default": []}
        elif isinstance(f.default, float):
            option |= {"type": float}
        elif f.default is False:
            option = {"action": "store_true"}
        group.addoption(f"--fairbrief{option_of(f)[1:]}", help=f.metadata["help"], **option)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the gate's checks after the collected tests."""
    folder = config.getoption("--fairbrief-gate")
    if not folder:
        return
    from fairbrief.errors import FairbriefError

    given = {f.name: config.getoption(f"--fairbrief{option_of(f)[1:]}") for f in fields(GateSettings)}
    given["baseline"] = Path(given["baseline"]) if given["baseline"] else None
    try:
        checks = GateSettings(**given).checks(Path(folder))
    except FairbriefError as error:
        raise pytest.UsageError(str(error)) from None
    items += [GateItem.from_parent(session, name=check.name, check=check) for check in checks]


class GateItem(pytest.Item):
    """One check: passes, fails, or is skipped if inconclusive."""

    def __init__(self, *, check: Check, **given: Any) -> None:
        super().__init__(**given)
        self.check = check

    def runtest(self) -> None:
        """Pass, skip or fail, as the check."""
        if self.check.outcome == "inconclusive":
            pytest.skip(f"inconclusive: {self.check.message}")
        if self.check.outcome == "fail":
            raise GateError(self.check.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Only the reason, without a traceback."""
        if isinstance(excinfo.value, GateError):
            return f"{self.check.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The heading of a failure."""
        return self.path, None, f"fairbrief gate: {self.name}"


class GateError(Exception):
    """A failed check."""
