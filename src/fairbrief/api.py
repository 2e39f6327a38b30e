"""The same road from Python: `read` and `audit`, with the words of the command line."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairbrief.auditing import Plan
from fairbrief.auditing import audit as _audit
from fairbrief.auditing.explaining import explain as _explain
from fairbrief.errors import RequestError
from fairbrief.readers import Reading, read
from fairbrief.readers.places import did_you_mean
from fairbrief.reports import write_all
from fairbrief.reports.frames import Estimates, Evidence
from fairbrief.reports.result import Result

__all__ = ["Audit", "audit", "explain", "read"]

if TYPE_CHECKING:
    from fairbrief.nouns import Measure, Table
    from fairbrief.reports.explanation import Explanation


SEVERAL = ("attributes", "slices", "controls", "systems", "ids")
"""Settings that hold several names."""


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """What an audit found, ready for a data frame, a folder, or the screen."""

    result: Result

    @property
    def estimates(self) -> Estimates:
        """Every estimate; ``.to_pandas()``, ``.to_polars()``, ``.to_arrow()``."""
        return Estimates(self.result.estimates)

    @property
    def differences(self) -> Estimates:
        """Paired differences between systems; frames as above."""
        return Estimates(self.result.differences)

    @property
    def evidence(self) -> Evidence:
        """The rows under the estimates; frames as above."""
        return Evidence(self.result.evidence)

    @property
    def tables(self) -> tuple[Table, ...]:
        """A protocol's tables."""
        return self.result.tables

    def save(self, folder: Path | str) -> Path:
        """Write results.json, evidence.parquet, report.html and the tables; return the folder."""
        write_all(self.result, folder)
        return Path(folder)

    def __repr__(self) -> str:
        from rich.console import Console

        from fairbrief.reports import terminal

        page = io.StringIO()
        rest = terminal.Rest(hint="", place="in .estimates and .differences")
        terminal.print_result(self.result, Console(width=100, file=page), rest=rest)
        return page.getvalue()


def audit(records: Any, measures: Sequence[str | Measure] = (), **settings: Any) -> Audit:
    """Audit summaries.

    ``records`` is whatever `read` takes (a path, a data frame, dictionaries, cases), or what it gave.
    ``measures`` are spellings or objects, or a single spelling; none: all that the input allows. ``settings`` are the fields
    of `fairbrief.auditing.Plan`: ``attributes``, ``protocol``, ``slices``, ``controls``, ``seed``, …
    Raises RequestError for a setting that it has not.

    >>> import fairbrief
    >>> found = fairbrief.audit("examples/reviews.jsonl", ["bur@sentiment"], draws=200)
    >>> [(e.system, e.value) for e in found.estimates if e.quantity == "bur"]
    [('even', 1.0), ('rosy', 1.0)]
    """
    plan = Plan(measures=_listed(measures), **_settings("audit", settings, Plan))
    reading = records if isinstance(records, Reading) else read(records)
    return Audit(_audit(reading, plan))


def explain(records: Any, measure: str | Measure, **settings: Any) -> list[Explanation]:
    """What a measure's value rests on, for each system: records, and in them documents and sentences.

    ``records`` is whatever `read` takes, or what it gave. ``settings`` are those of
    `fairbrief.auditing.explaining.explain`: ``attributes``, ``quantity``, ``systems``, ``ids``, ``top``, …

    >>> import fairbrief
    >>> (found,) = fairbrief.explain("examples/reviews.jsonl", "uer@sentiment", systems=["rosy"], top=1)
    >>> (opened,) = found.opened
    >>> opened.record, round(opened.value, 3), opened.parts[0].kind
    ('museum-tides', 0.125, 'document')
    """
    told = _settings("explain", settings, _explain)
    reading = records if isinstance(records, Reading) else read(records)
    return _explain(reading, measure, **told)


def _settings(what: str, settings: Mapping[str, Any], target: Callable[..., Any]) -> dict[str, Any]:
    """Settings that ``target`` knows; one name where several may stand is a list of one."""
    known = [name for name in signature(target).parameters if name not in ("cases", "measure", "measures")]
    for name in settings:
        if name not in known:
            raise RequestError(
                f"fairbrief.{what} has no setting '{name}'.{did_you_mean(name, known)} "
                f"Its settings: {', '.join(known)}."
            )
    told = {name: _listed(value) if name in SEVERAL else value for name, value in settings.items()}
    if "slices" in told:
        told["slices"] = tuple(map(_listed, told["slices"]))
    return told


def _listed(value: Any) -> Any:
    """A single name as a list of one: a string would be read as its letters."""
    return (value,) if isinstance(value, str) else value
