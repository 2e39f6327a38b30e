"""Which cases make a unit, of which there is one row; and the origins of rows, stored by column to keep millions of them small."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairbrief.auditing.system_runs import RUN
from fairbrief.ranges import grouped
from fairbrief.reports.frames import numbers, plain_numbers, texts
from fairbrief.statistics.jackknife import GroupNumbers, group_numbers
from fairbrief.types import Case, Cases, Data, Integers, SystemKind

Subgroup = tuple[tuple[str, str], ...]
"""A part of the data: pairs of record attribute and value; empty for the whole."""

WHOLE: Subgroup = ()
Key = tuple[str, Subgroup]
"""A system, and a part of its data."""
BETWEEN = b"\xff"
"""Separates names; it never occurs in UTF-8."""
DECODED = 4096
"""Names that are decoded together."""

T = TypeVar("T")
Codes = NDArray[np.integer[Any]]
"""Numbers of things of a list, as narrow as these allow."""


class Origin(Data, frozen=True):
    """The origin of a row."""

    system: str
    record: str
    cluster: str
    subgroups: tuple[Subgroup, ...] = ()
    block: str = ""
    """Which sampled variant of its seed document this is; rows of one block are resampled together."""
    is_shared: bool = False
    """Whether other units may belong to its cluster."""
    system_kind: SystemKind = "system"
    attributes: Subgroup = ()
    """All attributes of the record, by name."""


class Names(Sequence[str]):
    """Texts in one contiguous buffer; decoded on access."""

    def __init__(self, encoded: pa.Array) -> None:
        """``encoded`` is a binary array: UTF-8 that may contain lone surrogates."""
        self.encoded = encoded

    def __len__(self) -> int:
        return len(self.encoded)

    def __getitem__(self, i: Any) -> Any:
        return _decoded(self.encoded[i].as_py())

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), DECODED):
            yield from map(_decoded, self.encoded.slice(start, DECODED).to_pylist())

    def of(self, chosen: Integers) -> Names:
        """Some of them. Shape: (n,)."""
        if len(chosen) == len(self) and (chosen[1:] > chosen[:-1]).all():
            return self
        return Names(self.encoded.take(numbers(chosen)))

    def codes(self) -> Integers:
        """An integer code per name, equal for equal names, in the order in which they are first met. Shape (n,)."""
        return _places(self.encoded.dictionary_encode().indices)

    def places_in(self, others: Names) -> Integers:
        """The index of each name among distinct ``others``; -1 if absent. Shape (n,)."""
        if self.encoded.equals(others.encoded):
            return np.arange(len(self))
        return _places(pc.index_in(self.encoded, value_set=others.encoded))

    def texts(self) -> pa.Array:
        """The names as an Arrow string array; question marks replace lone surrogates."""
        try:
            return self.encoded.cast(pa.string())
        except pa.ArrowInvalid:
            return texts(self)


def united(several: Sequence[Names]) -> Names:
    """The distinct names of several lists, in order of first occurrence."""
    first = several[0].encoded
    if all(names.encoded.equals(first) for names in several):
        return several[0]
    return Names(pa.concat_arrays([names.encoded for names in several]).dictionary_encode().dictionary)


def names_of(given: Iterable[str]) -> Names:
    """Texts as names."""
    return Names(_laid_out([name.encode("utf-8", "surrogatepass") for name in given]))


def side_by_side(*several: Names) -> Names:
    """Lists of as many names as one, to be compared, not to be read: two are equal where they are in every list."""
    between = _laid_out([BETWEEN]).take(numbers(np.zeros(len(several[0]), dtype=np.int8)))
    return Names(pc.binary_join_element_wise(*(names.encoded for names in several), between))


@dataclass(eq=False)
class Origins(Sequence[Origin]):
    """The origins of rows, by column.

    ``clusters`` is the same object as ``records`` where each record is a cluster by itself. ``kind`` and ``block`` (n,) number
    ``known_kinds``, which are origins without names, and ``known_blocks``, in the order in which these are first met.
    """

    records: Names
    clusters: Names
    kind: Codes
    block: Codes
    known_kinds: Sequence[Origin]
    known_blocks: Sequence[str]
    _groups: dict[int, GroupNumbers] = field(default_factory=dict)

    @classmethod
    def by_column(cls, origins: Iterable[Origin]) -> Origins:
        """These origins."""
        several = list(origins)
        kinds: dict[tuple[Any, ...], int] = {}
        blocks: dict[str, int] = {}
        about = ((o.system, o.subgroups, o.is_shared, o.system_kind, o.attributes) for o in several)
        kind = narrowed([kinds.setdefault(one, len(kinds)) for one in about])
        block = narrowed([blocks.setdefault(o.block, len(blocks)) for o in several])
        records = names_of(o.record for o in several)
        are_clusters = all(o.cluster == o.record for o in several)
        clusters = records if are_clusters else names_of(o.cluster for o in several)
        known_kinds = [Origin(system, "", "", subgroups, "", *others) for system, subgroups, *others in kinds]
        return cls(records, clusters, kind, block, known_kinds, list(blocks))

    @classmethod
    def joined(cls, several: Sequence[Origins]) -> Origins:
        """Origins one after another."""
        if len(several) < 2:
            return several[0] if several else cls.by_column(())
        kinds: dict[Origin, int] = {}
        blocks: dict[str, int] = {}
        kind = narrowed(np.concatenate([_renumbered(o.kind, o.known_kinds, kinds) for o in several]))
        block = narrowed(np.concatenate([_renumbered(o.block, o.known_blocks, blocks) for o in several]))
        records = Names(pa.concat_arrays([o.records.encoded for o in several]))
        are_clusters = all(o.are_clusters for o in several)
        clusters = records if are_clusters else Names(pa.concat_arrays([o.clusters.encoded for o in several]))
        return cls(records, clusters, kind, block, list(kinds), list(blocks))

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, i: Any) -> Any:
        kind, block = self.known_kinds[self.kind[i]], self.known_blocks[self.block[i]]
        return replace(kind, record=self.records[i], cluster=self.clusters[i], block=block)

    def of(self, places: Integers) -> Origins:
        """Some of them. Shape: (n,)."""
        records = self.records.of(places)
        if records is self.records:
            return self
        clusters = records if self.are_clusters else self.clusters.of(places)
        kind, kinds = numbered(self.kind[places], self.known_kinds)
        block, blocks = numbered(self.block[places], self.known_blocks)
        return Origins(records, clusters, kind, block, kinds, blocks)

    def by_subgroup(self, chosen: Integers | None = None) -> dict[Key, Integers]:
        """The places of the rows of each system, whole and by subgroup, in order; ``chosen`` limits them, and counts only these."""
        kinds = self.kind if chosen is None else self.kind[chosen]
        order = np.argsort(kinds, kind="stable")
        met, first = np.unique(kinds[order], return_index=True)
        found: dict[Key, list[Integers]] = {}
        for number, places in zip(met.tolist(), np.split(order, first)[1:], strict=True):
            kind = self.known_kinds[number]
            for subgroup in (WHOLE, *kind.subgroups):
                found.setdefault((kind.system, subgroup), []).append(places)
        return {
            key: several[0] if len(several) == 1 else np.sort(np.concatenate(several))
            for key, several in found.items()
        }

    @property
    def are_clusters(self) -> bool:
        """Whether each record is a cluster by itself."""
        return self.clusters is self.records

    def groups(self, seed: int) -> GroupNumbers:
        """Of each the jackknife group of its cluster, where clusters are many. Shape (n,)."""
        if seed not in self._groups:
            first, code = first_met(self.clusters.codes())
            self._groups[seed] = group_numbers(self.clusters.of(first), seed)[code]
        return self._groups[seed]

    def order(self) -> Integers:
        """The stable sort order by cluster, record, system and block. Shape (n,)."""
        keys = {} if self.are_clusters else {"cluster": self.clusters.encoded}
        keys |= {
            "record": self.records.encoded,
            "system": numbers(_ranks([kind.system for kind in self.known_kinds])[self.kind]),
            "block": numbers(_ranks(self.known_blocks)[self.block]),
        }
        order = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
        return np.frombuffer(order.buffers()[1], dtype=np.int64, count=len(self))


# ---------------------------------------------------------------------------------------- units


Unit = tuple[Cases, Origin]
"""The cases that form one row, and its origin."""
Scope = Literal["case", "block", "cluster"]
DESIGN = ("design", "genders", "last_names", "content_words", RUN)
"""Record attributes that name the design of built inputs, or the run; counterfactuals that differ in one form separate units."""


def shared_by(case: Case, scope: Scope) -> tuple[str, ...] | None:
    """What the cases of its unit have in common; None where the case is a unit by itself."""
    record = case.record
    if scope == "case" or (scope == "block" and record.seed_document is None):
        return None
    source = record.seed_id if scope == "cluster" else record.block
    return (case.summary.system, record.cluster, source, *_design_of(case))


def _design_of(case: Case) -> tuple[str, ...]:
    """The design of the built inputs to which the record belongs; empty strings if unknown."""
    return tuple(case.record.attributes.get(name, "") for name in DESIGN)


def units_of(cases: Cases, scope: Scope) -> list[Cases]:
    """The units that an audit makes of some cases."""
    return [*_together(cases, cases, scope)]


def _together(items: Iterable[T], cases: Iterable[Case], scope: Scope) -> list[list[T]]:
    """The items whose cases form one unit, of which each has one case."""
    each = enumerate(zip(items, cases, strict=True))
    return list(grouped((shared_by(case, scope) or i, item) for i, (item, case) in each).values())


def merged(cases: Sequence[Unit], scope: Scope) -> list[Unit]:
    """The units of a scope that the cases of complete clusters make, by cluster, record and system.

    A unit is in the subgroups, and has the attributes, that all of its cases have. Of a cluster it is named after the seed
    document; of a further design of the same seed document after both.
    """
    designs: dict[str, tuple[str, ...]] = {}
    """By seed document the first design."""
    for unit in cases if scope == "cluster" else ():
        source, design = unit[0][0].record.seed_id, _design_of(unit[0][0])
        designs[source] = min(design, designs.get(source, design))
    made: list[Unit] = []
    for several in _together(cases, (of_unit[0] for of_unit, _ in cases), scope):
        units = sorted(several, key=place_of)
        origins = [origin for _, origin in units]
        first, origin, name = units[0][0][0], origins[0], origins[0].record
        if (source := first.record.seed_id) in designs:
            design = _design_of(first)
            name = source if design == designs[source] else " ".join((source, *design))
        subgroups = _of_all(other.subgroups for other in origins)
        attributes = _of_all(other.attributes for other in origins)
        members = tuple(case for cases_of, _ in units for case in cases_of)
        made.append((members, replace(origin, record=name, subgroups=subgroups, attributes=attributes)))
    return sorted(made, key=place_of)


def _of_all(several: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    """What all have, in the order of the first."""
    first, *others = several
    return tuple(one for one in first if all(one in other for other in others))


def place_of(unit: Unit) -> tuple[str, ...]:
    """The sort key of a unit, independent of the order of the input."""
    origin = unit[1]
    return origin.cluster, origin.record, origin.system, origin.block


def whole_clusters(units: Iterable[Unit], most: int) -> Iterator[list[Unit]]:
    """Lists of units, sorted by cluster, that never split a cluster: each ends with the one in which it exceeds ``most``."""
    found: list[Unit] = []
    for _, of_cluster in itertools.groupby(units, key=lambda unit: unit[1].cluster):
        found += of_cluster
        if len(found) >= most:
            yield found
            found = []
    if found:
        yield found


# ------------------------------------------------------------------------------------ kinds and names


def subgroups_of(attributes: Mapping[str, str], by: Sequence[Sequence[str]]) -> tuple[Subgroup, ...]:
    """The subgroups of a record: one per grouping whose attributes it all has."""
    complete = [names for names in by if all(name in attributes for name in names)]
    return tuple(tuple((name, attributes[name]) for name in names) for names in complete)


def systems_of(several: Iterable[Origins]) -> dict[str, SystemKind]:
    """All systems by name, and their kinds; what the input did not name comes last."""
    kinds = {kind.system: kind.system_kind for origins in several for kind in origins.known_kinds}
    return {system: kinds[system] for system in sorted(kinds, key=lambda s: (kinds[s] != "system", s))}


def first_met(codes: Codes) -> tuple[Integers, Integers]:
    """Where each distinct number is first met, ascending; and of each number which of these it is. Shapes: (distinct,), (n,)."""
    encoded = numbers(codes).dictionary_encode()
    place = _places(encoded.indices)
    first = np.zeros(len(encoded.dictionary), dtype=np.int64)
    first[place[::-1]] = np.arange(len(codes))[::-1]  # of equal ones the first comes last
    return first, place


def _places(indices: pa.Array) -> Integers:
    """Arrow's indices as numbers, -1 for null. Shape: (n,)."""
    return np.asarray(plain_numbers(pa.chunked_array([indices]), null=-1), dtype=np.int64)


def narrowed(codes: Sequence[int] | Codes) -> Codes:
    """Numbers from 0 on in as few bytes as they need. Shape: (n,)."""
    given = np.asarray(codes)
    return given.astype(np.min_scalar_type(int(given.max(initial=0))), copy=False)


def numbered(codes: Codes, things: Sequence[T]) -> tuple[Codes, list[T]]:
    """The things with these codes in the order in which they are first met, and each one's number among them. Shape: (n,)."""
    first, own = first_met(codes)
    return narrowed(own), [things[i] for i in codes[first].tolist()]


def _renumbered(codes: Codes, things: Sequence[T], known: dict[T, int]) -> Integers:
    """The codes of items in ``known``; new items are added."""
    return np.array([known.setdefault(thing, len(known)) for thing in things], dtype=np.int64)[codes]


def _ranks(keys: Sequence[str]) -> Integers:
    """The place of each key among the sorted distinct ones."""
    return np.unique(np.array(keys, dtype=object), return_inverse=True)[1]


def _laid_out(encoded: Sequence[bytes]) -> pa.Array:
    """Bytes side by side; not `pa.array`, which imports pandas."""
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_binary(), len(encoded), buffers)


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")
