"""Where the rows of an audit come from, held by column, so that millions of them take little room."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairbrief.auditing.number_columns import as_numbers, extended
from fairbrief.data import Data
from fairbrief.reports.frames import numbers, plain_numbers, texts
from fairbrief.types import Integers, SystemKind

Slice = tuple[tuple[str, str], ...]
"""A part of the data: pairs of record attribute and value; empty for the whole."""

WHOLE: Slice = ()
OWN = -1
"""In place of a cluster's number: the cluster is the record by itself."""
BETWEEN = b"\xff"
"""Stands between names, none of which holds it: it is no part of UTF-8."""
DECODED = 4096
"""Names that are decoded together."""
LOOKED_AT = 1 << 16
"""Rows whose numbers are looked at together."""

T = TypeVar("T", bound=Hashable)
Codes = Sequence[int] | NDArray[np.signedinteger[Any]]
Places: TypeAlias = "range | array[int]"
"""Where some origins stand in a table; a range takes no room, and nearly always they stand one after another."""


class Origin(Data, frozen=True):
    """Where a row comes from."""

    system: str
    record: str
    cluster: str
    slices: tuple[Slice, ...] = ()
    block: str = ""
    """Which sampled variant of its original this is; rows of one block are resampled together."""
    is_shared: bool = False
    """Whether other units may belong to its cluster."""
    system_kind: SystemKind = "system"
    attributes: Slice = ()
    """All attributes of the record, by name."""


class Kind(Data, frozen=True):
    """What many origins have in common."""

    system: str
    slices: tuple[Slice, ...]
    is_shared: bool
    system_kind: SystemKind
    attributes: Slice


@dataclass(slots=True)
class Numbered(Generic[T]):
    """Things by number, in the order in which they were first met."""

    things: list[T] = field(default_factory=list)
    numbers: dict[T, int] = field(default_factory=dict)

    def of(self, thing: T) -> int:
        """The number of a thing."""
        number = self.numbers.setdefault(thing, len(self.things))
        if number == len(self.things):
            self.things.append(thing)
        return number


class Names(Sequence[str]):
    """Texts that lie side by side in memory, and are made into strings when they are asked for."""

    def __init__(self, encoded: pa.Array) -> None:
        """``encoded`` is an array of binary: UTF-8 in which lone surrogates may stand."""
        self.encoded = encoded

    def __len__(self) -> int:
        return len(self.encoded)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> Names: ...

    def __getitem__(self, i: int | slice) -> str | Names:
        if isinstance(i, slice):
            return Names(self.encoded[i])
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
        """A number for each, equal for equal ones; where they stand in order, ascending as they do. Shape (n,)."""
        before, after = self.encoded[:-1], self.encoded[1:]
        if not pc.all(pc.less_equal(before, after), min_count=0).as_py():
            codes = self.encoded.dictionary_encode().indices
            return np.frombuffer(codes.buffers()[1], dtype=np.int32, count=len(self)).astype(np.int64)
        found = np.zeros(len(self), dtype=np.int64)
        steps = pc.less(before, after).cast(pa.uint8())
        np.cumsum(np.frombuffer(steps.buffers()[1], dtype=np.uint8, count=len(steps)), out=found[1:])
        return found

    def places_in(self, others: Names) -> Integers:
        """Where each stands among others, which are distinct; -1 where it does not. Shape (n,)."""
        if self.encoded.equals(others.encoded):
            return np.arange(len(self))
        found = pc.index_in(self.encoded, value_set=others.encoded)
        return np.asarray(plain_numbers(pa.chunked_array([found]), null=-1), dtype=np.int64)

    def texts(self) -> pa.Array:
        """The names as Arrow's text, in which question marks stand for lone surrogates."""
        try:
            return self.encoded.cast(pa.string())
        except pa.ArrowInvalid:
            return texts(self)


def united(several: Sequence[Names]) -> Names:
    """The distinct names of several lists, of each of which the names are distinct: the first, then what the others add."""
    found, *others = several
    for names in others:
        added = np.flatnonzero(names.places_in(found) < 0)
        if len(added):
            found = Names(pa.concat_arrays([found.encoded, names.of(added).encoded]))
    return found


def names_of(given: Iterable[str]) -> Names:
    """Texts as names."""
    return Names(_binary(given))


def side_by_side(*several: Names) -> Names:
    """Lists of as many names as one, to be compared, not to be read: two are equal where they are in every list."""
    between = _laid_out(np.array([0, len(BETWEEN)]), pa.py_buffer(BETWEEN))
    between = between.take(numbers(np.zeros(len(several[0]), dtype=np.int8)))
    return Names(pc.binary_join_element_wise(*(names.encoded for names in several), between))


@dataclass(slots=True)
class OriginTable:
    """Origins in the order in which they came. Several ledgers choose from one (`Origins`).

    A record's name is UTF-8 in ``records`` up to ``ends``; ``clusters``, ``blocks`` and ``kinds`` are numbers of those below.
    """

    records: bytearray = field(default_factory=bytearray)
    ends: array[int] = field(default_factory=lambda: array("q", (0,)))
    clusters: array[int] = field(default_factory=lambda: array("b"))
    blocks: array[int] = field(default_factory=lambda: array("b"))
    kinds: array[int] = field(default_factory=lambda: array("b"))
    cluster_names: Numbered[str] = field(default_factory=Numbered)
    block_names: Numbered[str] = field(default_factory=Numbered)
    known_kinds: Numbered[Kind] = field(default_factory=Numbered)

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, origins: Iterable[Origin]) -> range:
        """Add origins; the places that they have now."""
        first, encoded = len(self), list[bytes]()
        clusters, blocks, kinds = list[int](), list[int](), list[int]()
        known: dict[tuple[object, ...], int] = {}  # to make and compare a kind takes longer
        for o in origins:
            encoded.append(_encoded(o.record))
            clusters.append(OWN if o.cluster == o.record else self.cluster_names.of(o.cluster))
            blocks.append(self.block_names.of(o.block))
            key = o.system, o.slices, o.is_shared, o.system_kind, o.attributes
            kind = known.get(key)
            if kind is None:
                kind = known[key] = self.known_kinds.of(Kind(*key))
            kinds.append(kind)
        ends = itertools.accumulate(map(len, encoded), initial=len(self.records))
        self.ends.extend(itertools.islice(ends, 1, None))
        self.records += b"".join(encoded)
        self._extend(clusters, blocks, kinds)
        return range(first, len(self))

    def merge(self, other: OriginTable) -> range:
        """Add the origins of another table; the places that they have now."""
        first, start = len(self), len(self.records)
        self.records += other.records
        self.ends.extend(array("q", (as_numbers(other.ends)[1:] + start).tobytes()))
        clusters = [self.cluster_names.of(name) for name in other.cluster_names.things]
        self._extend(
            _renumbered(other.clusters, [*clusters, OWN]),  # OWN is the place of the last
            _renumbered(other.blocks, [self.block_names.of(b) for b in other.block_names.things]),
            _renumbered(other.kinds, [self.known_kinds.of(k) for k in other.known_kinds.things]),
        )
        return range(first, len(self))

    def add_columns(
        self, records: pa.Array, clusters: Integers, blocks: Integers, kinds: Integers, expected: int
    ) -> range:
        """The places of origins by column; they are added, unless they stand from the expected place on.

        ``records`` are binary, the others numbers as the table has them. Shapes: (n,).
        """
        _, offsets, content = records.buffers()
        ends = np.frombuffer(offsets, dtype=np.int64)[records.offset : records.offset + len(records) + 1]
        names = memoryview(content or b"")[ends[0] : ends[-1]]
        there = range(expected, expected + len(records))
        if there.stop <= len(self) and self._has(there, ends, names, clusters, blocks, kinds):
            return there
        first, start = len(self), len(self.records)
        self.records += names
        self.ends.extend(array("q", (ends[1:] - ends[0] + start).tobytes()))
        self._extend(clusters, blocks, kinds)
        return range(first, len(self))

    def _extend(self, clusters: Codes, blocks: Codes, kinds: Codes) -> None:
        self.clusters = extended(self.clusters, clusters)
        self.blocks = extended(self.blocks, blocks)
        self.kinds = extended(self.kinds, kinds)

    def _has(self, there: range, ends: Integers, names: memoryview, *numbers: Integers) -> bool:
        """Whether these origins stand at these places."""
        columns = (self.clusters, self.blocks, self.kinds)
        own = as_numbers(self.ends)[there.start : there.stop + 1]
        return bool(
            (np.diff(own) == np.diff(ends)).all()
            and self.records[own[0] : own[-1]] == names
            and all(
                (as_numbers(column)[there.start : there.stop] == given).all()
                for column, given in zip(columns, numbers, strict=True)
            )
        )

    def origin(self, i: int) -> Origin:
        """The origin at a place."""
        kind, cluster = self.known_kinds.things[self.kinds[i]], self.clusters[i]
        record = _decoded(bytes(self.records[self.ends[i] : self.ends[i + 1]]))
        return Origin(
            kind.system,
            record,
            record if cluster == OWN else self.cluster_names.things[cluster],
            kind.slices,
            self.block_names.things[self.blocks[i]],
            kind.is_shared,
            kind.system_kind,
            kind.attributes,
        )


@dataclass(eq=False)
class Origins(Sequence[Origin]):
    """The origins of a ledger's entries: their ``places`` in a table, which other ledgers choose from, too."""

    table: OriginTable = field(default_factory=OriginTable)
    places: Places = range(0)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, i: int) -> Origin: ...

    @overload
    def __getitem__(self, i: slice) -> Origins: ...

    def __getitem__(self, i: int | slice) -> Origin | Origins:
        if isinstance(i, slice):
            return Origins(self.table, self.places[i])
        return self.table.origin(self.places[i])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Origins):
            return NotImplemented
        if self.table is other.table and self.places == other.places:
            return True
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def extend(self, origins: Iterable[Origin]) -> None:
        """Add origins; of those that stand in the same table the places alone."""
        if isinstance(origins, Origins) and origins.table is self.table:
            self.places = joined(self.places, origins.places)
        else:
            self.places = joined(self.places, self.table.add(origins))

    def of(self, chosen: Integers) -> Origins:
        """Some of them. Shape: (n,) numbers, or (len,) of truths."""
        return Origins(self.table, places_of(_numbered_places(self.places)[chosen]))

    def kinds(self) -> tuple[Integers, Sequence[Kind]]:
        """Of each the number of its kind, shape (n,); and the kinds, in the order in which they are first met here."""
        return _met(self._of(self.table.kinds), self.table.known_kinds.things)

    def blocks(self) -> tuple[Integers, Sequence[str]]:
        """Of each the number of its block, and their names."""
        return _met(self._of(self.table.blocks), self.table.block_names.things)

    def records(self) -> Names:
        """The names of the records."""
        # The bytes as they lie in the table, which cannot grow until some are taken out of them.
        ends, records = as_numbers(self.table.ends), pa.py_buffer(self.table.records)
        return Names(_laid_out(ends, records).take(numbers(_numbered_places(self.places))))

    @property
    def are_clusters(self) -> bool:
        """Whether each record is a cluster by itself."""
        return bool((self._of(self.table.clusters) == OWN).all())

    def clusters(self) -> Names:
        """The names of the clusters."""
        if self.are_clusters:
            return self.records()
        shared = self._of(self.table.clusters).astype(np.int64)
        every = pa.concat_arrays([self.records().encoded, _binary(self.table.cluster_names.things)])
        return Names(every.take(numbers(np.where(shared == OWN, np.arange(len(self)), len(self) + shared))))

    def order(self) -> Integers:
        """The order by cluster, record, system and block; equals stay as they stand. Shape (n,)."""
        kinds, known = self.kinds()
        blocks, names = self.blocks()
        keys = {"record": self.records().encoded}
        if len(known) > 1:
            keys["system"] = numbers(_ranks([kind.system for kind in known])[kinds])
        if len(names) > 1:
            keys["block"] = numbers(_ranks(names)[blocks])
        if not self.are_clusters:
            keys = {"cluster": self.clusters().encoded, **keys}
        del kinds, blocks
        order = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
        return np.frombuffer(order.buffers()[1], dtype=np.int64, count=len(self))

    def _of(self, column: array[int]) -> NDArray[np.signedinteger[Any]]:
        """What a column of the table says of them."""
        if isinstance(self.places, range):
            return as_numbers(column)[self.places.start : self.places.stop]
        return np.asarray(as_numbers(column)[as_numbers(self.places)])


def slices_of(attributes: Mapping[str, str], by: Sequence[tuple[str, ...]]) -> tuple[Slice, ...]:
    """The slices that a record belongs to: one per grouping all of whose attributes it has."""
    return tuple(
        tuple((name, attributes[name]) for name in names)
        for names in by
        if all(n in attributes for n in names)
    )


def systems_of(several: Iterable[Origins]) -> dict[str, SystemKind]:
    """All systems by name, and their kinds; what the input did not name comes last."""
    kinds = {kind.system: kind.system_kind for origins in several for kind in origins.kinds()[1]}
    return {system: kinds[system] for system in sorted(kinds, key=lambda s: (kinds[s] != "system", s))}


def first_met(numbers: Integers) -> tuple[Integers, Integers]:
    """Where each distinct number is first met, ascending; and of each number which of these it is. Shapes: (distinct,), (n,)."""
    _, first, code = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[code]


def _met(
    codes: NDArray[np.signedinteger[Any]], things: Sequence[T]
) -> tuple[NDArray[np.signedinteger[Any]], Sequence[T]]:
    """The numbers of things, anew in the order in which they are first met; and these things."""
    first = np.full(len(things), len(codes))
    for start in range(0, len(codes), LOOKED_AT):
        met, place = np.unique(codes[start : start + LOOKED_AT], return_index=True)
        first[met] = np.minimum(first[met], start + place)
    known = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(codes)))]
    number = np.zeros(len(things), dtype=np.min_scalar_type(-1 - len(things)))
    number[known] = np.arange(len(known))
    return number[codes], [things[i] for i in known.tolist()]


def joined(first: Places, then: Places) -> Places:
    """Places one after another."""
    if isinstance(first, range) and isinstance(then, range) and (not first or first.stop == then.start):
        return range(first.start, then.stop) if first else then
    column = array("i", first) if isinstance(first, range) else first
    column.extend(then)
    return column


def places_of(numbers: Sequence[int] | Integers) -> Places:
    """Numbers as places."""
    found = np.asarray(numbers, dtype=np.int32)
    if len(found) and (np.diff(found) == 1).all():
        return range(int(found[0]), int(found[-1]) + 1)
    return array("i", found.tobytes())


def shifted(places: Places, by: int) -> Places:
    """The same places in a table in which the first is this one."""
    if isinstance(places, range):
        return range(places.start + by, places.stop + by)
    return array("i", (as_numbers(places) + by).tobytes())


def _numbered_places(places: Places) -> NDArray[np.signedinteger[Any]]:
    if isinstance(places, range):
        return np.arange(places.start, places.stop, dtype=np.int32)
    return as_numbers(places)


def _ranks(keys: Sequence[Any]) -> Integers:
    """The place of each key among the sorted distinct ones."""
    place = {key: i for i, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _binary(names: Iterable[str]) -> pa.Array:
    encoded = [_encoded(name) for name in names]
    return _laid_out(np.cumsum([0, *map(len, encoded)], dtype=np.int64), pa.py_buffer(b"".join(encoded)))


def _laid_out(ends: Integers, content: pa.Buffer) -> pa.Array:
    """Texts that stand one after another. Shape of ``ends``: (texts + 1,), the first of which is 0."""
    return pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, [None, pa.py_buffer(ends), content])


def _renumbered(column: array[int], numbers: Sequence[int]) -> Codes:
    return np.asarray(np.array(numbers, dtype=np.int64)[as_numbers(column)])


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")
