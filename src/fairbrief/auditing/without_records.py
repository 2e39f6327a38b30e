"""The leading contrasts of an audit again without some of its records, from the evidence: nothing is scored again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from fairbrief.auditing import estimating
from fairbrief.auditing.evidence_ledgers import ledgers_from
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.repeated_texts import copied_sources, same_summaries
from fairbrief.auditing.watchers import Watchers
from fairbrief.reports import arrangement
from fairbrief.reports.evidence import EvidenceRows, Wanted, all_columns
from fairbrief.reports.frames import rows_where
from fairbrief.reports.result import Result
from fairbrief.text.hashes import hash_of_name
from fairbrief.types import Measure

IsOut = Callable[[str, str], bool]
"""Whether the row of a system and a record is left out."""
TOLD = (
    "measure", "quantity", "over", "group", "system", "value", "low", "high", "p", "blind", "blind_difference",
    "blind_difference_low", "blind_difference_high", "blind_p", "n", "clusters",
)  # fmt: skip
"""What is told of each contrast: fields of an `Estimate`. ``p`` and ``blind_p`` are not corrected for their number."""


@dataclass(frozen=True, slots=True)
class Without(EvidenceRows):
    """Evidence without the rows of some systems and records."""

    rows: EvidenceRows
    is_out: IsOut

    def __len__(self) -> int:
        return sum(len(self.of(observation)) for observation in dict.fromkeys(self.measures().values()))

    def measures(self) -> Mapping[str, str]:
        """The measures by spec, and the observation that each reads."""
        return self.rows.measures()

    def column_names(self) -> Sequence[str]:
        """The columns, which stay."""
        return self.rows.column_names()

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of`, some rows at a time."""
        for table in self.rows.each_of(
            observation, lambda name: name in ("system", "record") or wanted(name)
        ):
            whose = zip(table["system"].to_pylist(), table["record"].to_pylist(), strict=True)
            stays = np.array([not self.is_out(*row) for row in whose], dtype=np.bool_)
            kept = table if stays.all() else rows_where(table, stays)
            yield kept.select([name for name in kept.column_names if wanted(name)])


def told_without(result: Result, watchers: Watchers, given: Mapping[str, Measure]) -> dict[str, Any]:
    """What ``made`` says of copies and of documents in other languages, and of the leading contrasts without them.

    Nothing where there are none. ``given`` are the measures by spec.
    """
    assert result.sources is not None
    told: dict[str, Any] = {}
    without: dict[str, list[dict[str, Any]]] = {}
    for name, repeats in (
        ("copies", copied_sources(result.sources, result.rows)),
        ("same_summaries", same_summaries(watchers.summaries, result.sources, result.rows)),
    ):
        if repeats is not None:
            told[name] = repeats.told()
            without[name] = leading_without(result, repeats.is_extra, given)
    if others := watchers.languages.told():
        records = watchers.languages.records()
        told["other_languages"] = others
        without["other_languages"] = leading_without(
            result, lambda _, record: hash_of_name(record) in records, given
        )
    return {**told, "without": without} if told else {}


def leading_without(
    result: Result, is_out: IsOut, given: Mapping[str, Measure] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The leading contrasts of a result on all its records, estimated again without some rows: `TOLD` of each.

    What only sums under permuted labels tell is None, as where a saved audit is sliced. ``given`` are measures by spec
    that need not be declared anywhere.
    """
    rows, made = result.rows, result.made
    settings = estimating.Settings.of(made)
    leading = [e for of in arrangement.leading(result.estimates).values() for e in of]
    wanted = {(e.measure, e.quantity, e.system): i for i, e in enumerate(leading)}
    specs = {e.measure for e in leading}
    by_observation: dict[str, list[str]] = {}
    for spec, observation in rows.measures().items():
        if spec in specs:
            by_observation.setdefault(observation, []).append(spec)
    found: dict[int, dict[str, Any]] = {}
    for spelled in by_observation.values():  # one at a time, which takes less memory
        for ledger, measures in ledgers_from(Without(rows, is_out), given, (), spelled):
            ledger.lacks_null = not {*map(repr, measures)}.isdisjoint(made["permuted"])
            parts = [
                part for part in parts_of(ledger, (), settings.seed).values() if part.system_kind == "system"
            ]
            for _, own in estimating.estimates(measures, parts, settings):
                for e in own:
                    if (place := wanted.get((e.measure, e.quantity, e.system))) is not None:
                        found[place] = {name: getattr(e, name) for name in TOLD}
    return [found[i] for i in sorted(found)]
