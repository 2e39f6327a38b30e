"""Where rows come from: what is held by column reads back as it came, and is put in order as strings are."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.auditing.origins import WHOLE, Origin, Origins

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


@given(SEVERAL, SEVERAL)
def test_origins_read_back_as_they_came(first: list[Origin], second: list[Origin]) -> None:
    """Through a file, one after another, and as a part."""
    ours, theirs = Origins.by_column(first), pickle.loads(pickle.dumps(Origins.by_column(second)))
    assert (list(ours), len(ours), list(theirs)) == (first, len(first), second)
    both = Origins.joined([ours, theirs])
    assert list(both) == first + second
    assert list(both[len(first) :]) == second
    assert both[len(first) :] == theirs
    assert (both == ours) == (not second)


@given(SEVERAL)
def test_origins_are_ordered_as_their_names_are(given_: list[Origin]) -> None:
    """By cluster, record, system and block; equals stay as they stand."""
    wanted = sorted(
        range(len(given_)),
        key=lambda i: (given_[i].cluster, given_[i].record, given_[i].system, given_[i].block),
    )
    found = Origins.by_column(given_)
    assert found.order().tolist() == wanted
    assert list(found.of(found.order())) == [given_[i] for i in wanted]


@pytest.mark.parametrize("several", [3, 200, 40_000])
def test_columns_hold_numbers_of_any_size(several: int) -> None:
    """Of as many systems, clusters and blocks as there are."""
    given_ = [Origin(f"s{i}", "r", f"c{i}", block=f"b{i}") for i in range(several)]
    found = Origins.joined([Origins.by_column(given_[:2]), Origins.by_column(given_[2:])])
    assert list(found) == given_
    assert found.kinds()[0].tolist() == found.blocks()[0].tolist() == list(range(several))


@given(SEVERAL)
def test_what_origins_have_in_common_is_numbered_as_it_is_met(given_: list[Origin]) -> None:
    """Systems, blocks and clusters; names are those of the strings."""
    found = Origins.by_column(given_)
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


def test_half_characters_are_question_marks_in_tables() -> None:
    """Arrow's text cannot hold them."""
    found = Origins.by_column([Origin("s", "a\ud800", "a\ud800"), Origin("s", "b", "b")])
    assert found.records().texts().to_pylist() == ["a?", "b"]
