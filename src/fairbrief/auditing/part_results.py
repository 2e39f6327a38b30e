"""What a run over a part of the input found, on its way into the run over all of it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fairbrief.auditing.examples import Exhibits
from fairbrief.auditing.ledger import Sheet
from fairbrief.auditing.origins import Origin, OriginTable, Places
from fairbrief.auditing.shards import Shard
from fairbrief.types import Case, Measure, Observation


@dataclass(frozen=True, slots=True)
class PartResult:
    """Rows and sums of a part, and all else that its cases add to an audit.

    ``places`` are those of each sheet's units in ``placed``. ``aside`` are cases that are observed together with others, maybe
    of other parts; ``unscored`` the shards of observations (by number) that need a model, which the receiver has.
    """

    sheets: tuple[Sheet, ...]
    places: tuple[Places, ...]
    exhibits: Exhibits
    placed: OriginTable
    """Where all units come from that were there to be observed."""
    aside: tuple[tuple[Case, Origin], ...]
    unscored: tuple[tuple[int, Shard], ...]
    cases: int
    summaries: Counter[str]
    without_text: dict[str, Counter[str]]
    ids: array[int]
    digest: int
    scorers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """What one observation adds to the result of a part, apart from all others.

    ``places`` are those of its origins among all that were placed; ``unscored`` names the shards that need a model.
    """

    sheet: Sheet
    places: Places
    exhibits: Exhibits
    unscored: tuple[str, ...]
    scorers: tuple[str, ...]


def parted(
    result: PartResult, readers: Mapping[Observation, Sequence[Measure]]
) -> tuple[PartResult, dict[Observation, Observed], dict[str, Shard]]:
    """What no observation adds to a result, what each one adds, and the shards that need a model, by name.

    ``readers`` are the observations that were made, in their order, and the measures that read each.
    """
    shards = {_name_of(shard): shard for _, shard in result.unscored if shard.units}
    found = {
        observation: Observed(
            sheet,
            places,
            result.exhibits.of(measures),
            tuple(_name_of(shard) for n, shard in result.unscored if n == i and shard.units),
            tuple(sorted(sheet.asked)),
        )
        for i, ((observation, measures), sheet, places) in enumerate(
            zip(readers.items(), result.sheets, result.places, strict=True)
        )
    }
    rest = replace(result, sheets=(), places=(), exhibits=Exhibits({}), unscored=(), scorers=())
    return rest, found, shards


def joined(rest: PartResult, observed: Sequence[Observed], shards: Mapping[str, Shard]) -> PartResult:
    """The result that was `parted`, with these observations in this order."""
    exhibits = Exhibits({})
    for one in observed:
        exhibits.merge(one.exhibits)
    return replace(
        rest,
        sheets=tuple(one.sheet for one in observed),
        places=tuple(one.places for one in observed),
        exhibits=exhibits,
        unscored=tuple((i, shards[name]) for i, one in enumerate(observed) for name in one.unscored),
        scorers=tuple(dict.fromkeys(name for one in observed for name in one.scorers)),
    )


def _name_of(shard: Shard) -> str:
    """A name for a shard that no other shard of its part has."""
    origin = shard.units[0][1] if shard.units else None
    return "" if origin is None else f"{origin.system}\0{origin.record}"
