"""Why a number is what it is: the records behind it, and in each the documents and sentences behind it.

An effect is the value with something less the value without it: positive raises it, negative lowers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from fairbrief.types import Estimate

Kind = Literal["record", "variant", "document", "sentence", "unit"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a value is ``without`` something, and the ``effect`` of having it: the value less that.

    Where either value is undefined there is no effect, and where there is none without, ``reason`` says why.
    """

    without: float | None
    effect: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Influence:
    """One record (all variants of one original, or records of one cluster, together), and what it does to the value of the whole.

    ``rank`` 1 moves it most; ``rows`` counts those of the evidence that go with the record.
    """

    cluster: str
    rank: int
    rows: int
    whole: Effect


@dataclass(frozen=True, slots=True)
class Part:
    """One thing left out of a record: a document, a sentence or unit of the summary; of a cluster a record or a variant.

    ``number`` counts its kind from 1; ``text`` is what was left out, of a record or variant its id. ``own`` is what that does to the record's own value, ``whole`` what to that of all records;
    ``beside`` are effects on the record's other quantities.
    """

    kind: Kind
    number: int
    text: str
    attributes: Mapping[str, str]
    own: Effect
    whole: Effect
    beside: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A record looked into. ``value`` is its own; where it has none, ``reason`` says why.

    ``story`` is the measure's own sentence on it; empty of several records together. ``influence`` is None for a record that the value of the
    whole does not rest on. ``quantities`` names those of ``Part.beside`` that tell most, most telling first.
    """

    record: str
    influence: Influence | None
    value: float | None
    reason: str
    story: str
    parts: tuple[Part, ...]
    quantities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """One system's value of a measure, taken apart.

    ``influences`` holds every record: first those without which there is no value, then the largest effects; ``opened`` those that were looked into;
    ``together`` what leaving all of these out at once does. ``excluded`` counts what had no value, by reason.
    ``estimate`` is the value with what stands beside it: permuted labels, random extracts.
    """

    measure: str
    quantity: str
    system: str
    value: float | None
    influences: tuple[Influence, ...]
    opened: tuple[Opened, ...]
    together: Effect
    excluded: Mapping[str, int] = field(default_factory=dict)
    estimate: Estimate | None = None
