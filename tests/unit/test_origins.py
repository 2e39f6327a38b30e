"""Where rows come from: what is held by column reads back as it came, and is put in order as strings are."""

from __future__ import annotations

import pickle
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.auditing.origins import WHOLE, Origin, Origins, OriginTable, places_of, shifted, systems_of

NAMES = st.sampled_from(["", "a", "b", "ä", "\ud800", "\uffff", "😀", "aa", "a\0"])
SLICES = st.sampled_from([(), ((("topic", "t"),),), ((("topic", "t"),), (("topic", "t"), ("year", "1")))])


@st.composite
def origins(draw: st.DrawFn) -> Origin:
    """Of a record by itself, or of a cluster of several."""
    record = draw(NAMES)
    return Origin(
        draw(NAMES),
        record,
        record if draw(st.booleans()) else draw(NAMES),
        draw(SLICES),
        draw(NAMES),
        draw(st.booleans()),
        draw(st.sampled_from(["system", "control"])),
        draw(SLICES.map(lambda parts: parts[-1] if parts else WHOLE)),
    )


SEVERAL = st.lists(origins(), max_size=12)


def held(given_: list[Origin]) -> Origins:
    """These origins by column."""
    found = Origins()
    found.extend(given_)
    return found


@given(SEVERAL, SEVERAL)
def test_origins_read_back_as_they_came_whichever_table_they_are_moved_to(
    first: list[Origin], second: list[Origin]
) -> None:
    """Through a file, and beside those of another part, whose names have other numbers there."""
    ours, theirs = held(first), pickle.loads(pickle.dumps(held(second).table))
    assert (list(ours), len(ours)) == (first, len(first))
    places = ours.table.merge(theirs)
    assert list(Origins(ours.table, array("i", places))) == second
    ours.extend(Origins(ours.table, array("i", places)))
    assert list(ours) == first + second
    assert len(ours.table) == len(first) + len(second)


@given(SEVERAL)
def test_origins_are_ordered_as_their_names_are(given_: list[Origin]) -> None:
    """By cluster, record, system and block; equals stay as they stand."""
    wanted = sorted(
        range(len(given_)),
        key=lambda i: (given_[i].cluster, given_[i].record, given_[i].system, given_[i].block),
    )
    found = held(given_)
    assert found.order().tolist() == wanted
    assert list(found.of(found.order())) == [given_[i] for i in wanted]


@pytest.mark.parametrize("several", [3, 200, 40_000])
def test_columns_hold_numbers_of_any_size(several: int) -> None:
    """Of as many systems, clusters and blocks as there are: a column grows wider when it must."""
    given_ = [Origin(f"s{i}", "r", f"c{i}", block=f"b{i}") for i in range(several)]
    found = held(given_[:2])
    found.extend(given_[2:])
    assert list(found) == given_
    assert found.kinds()[0].tolist() == found.blocks()[0].tolist() == list(range(several))
    assert found.table.kinds.itemsize == {3: 1, 200: 2, 40_000: 4}[several]


def test_places_one_after_another_take_no_room() -> None:
    """Of parts that come one after another; others are listed."""
    found = held([Origin("s", f"r{i}", "") for i in range(6)])
    kept = Origins(found.table)
    for places, wanted in (([0, 1], range(2)), ([2, 3], range(4)), ([5], array("i", [0, 1, 2, 3, 5]))):
        kept.extend(Origins(found.table, places_of(places)))
        assert kept.places == wanted
    assert [o.record for o in kept] == ["r0", "r1", "r2", "r3", "r5"]
    assert list(shifted(kept.places, 2)) == [2, 3, 4, 5, 7]


@given(SEVERAL)
def test_what_origins_have_in_common_is_numbered_as_it_is_met(given_: list[Origin]) -> None:
    """Systems, blocks and clusters; names are those of the strings."""
    found = held(given_)
    kinds, known = found.kinds()
    assert [known[k].system for k in kinds.tolist()] == [o.system for o in given_]
    assert [known[k].slices for k in kinds.tolist()] == [o.slices for o in given_]
    blocks, names = found.blocks()
    assert [names[b] for b in blocks.tolist()] == [o.block for o in given_]
    assert names == list(dict.fromkeys(o.block for o in given_))
    assert list(found.records()) == [o.record for o in given_]
    clusters = found.clusters()
    assert list(clusters) == [clusters[i] for i in range(len(given_))] == [o.cluster for o in given_]
    codes = clusters.codes()
    assert len(dict(zip(clusters, codes.tolist(), strict=True))) == len(set(codes.tolist()))
    assert len({*zip(clusters, codes.tolist(), strict=True)}) == len(set(clusters))
    if list(clusters) == sorted(clusters):
        assert codes.tolist() == sorted(codes.tolist())
    assert found.are_clusters == all(o.cluster == o.record for o in given_)


def test_only_what_some_origins_have_is_told_of_them() -> None:
    """A table is shared: of its other rows nothing is known here."""
    table = OriginTable()
    table.add([Origin("b", "r", "r"), Origin("a", "q", "q"), Origin("c", "p", "p", system_kind="control")])
    some = Origins(table, array("i", [1, 0]))
    assert list(systems_of([some])) == ["a", "b"]
    assert list(systems_of([some, Origins(table, array("i", [2]))])) == ["a", "b", "c"]
    assert some.of(np.array([False, True])) == held([Origin("b", "r", "r")])
    assert some != Origins(table, array("i", [0, 1]))


def test_half_characters_are_question_marks_in_tables() -> None:
    """Arrow's text cannot hold them."""
    found = held([Origin("s", "a\ud800", "a\ud800"), Origin("s", "b", "b")])
    assert found.records().texts().to_pylist() == ["a?", "b"]
