"""Jackknife units of systems on the clusters that all of them answered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.auditing import parts as parts_module
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.origins import WHOLE, Origin
from fairbrief.auditing.parts import CommonClusters, Part, parts_of
from fairbrief.measures.representation import Uer
from fairbrief.statistics import jackknife

COLUMNS = (("a",), ("b",))
CLUSTERS = st.lists(st.integers(0, 12), max_size=20)


def answers(system: str, clusters: list[int]) -> Part:
    """The rows of a system, one for each time that a cluster is named; each row is a number of its own."""
    ledger = Ledger(Uer(over="side").observation, 0)
    for i, cluster in enumerate(clusters):
        values = np.array([[2.0**i, cluster]])
        row = RowBlock(np.zeros(1, dtype=np.int64), COLUMNS, values[np.newaxis], None)
        ledger.write([Origin(system, f"r{i}", f"c{cluster:02}")], [[row]])
    return parts_of(ledger, (), 5)[system, WHOLE]


@pytest.mark.parametrize("one_by_one", [2, 1000])
@given(st.data())
def test_units_are_of_the_clusters_that_all_answered(one_by_one: int, data: st.DataObject) -> None:
    """Whether clusters are left out alone or in groups, whether a cluster has several rows, in the order of the first system."""
    several = [data.draw(CLUSTERS.filter(bool)) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts_module, "ONE_BY_ONE", one_by_one)
        patched.setattr(jackknife, "ONE_BY_ONE", one_by_one)
        parts = [answers(system, clusters) for system, clusters in zip("xyz", several, strict=True)]
        common = [c for c in dict.fromkeys(several[0]) if c in several[1] and c in several[2]]
        wanted = [f"c{c:02}" for c in common]
        answered = CommonClusters.of(parts)
        places = answered.by_all(range(3))
        assert [answered.clusters[i] for i in places.tolist()] == wanted
        for i, clusters in enumerate(several):
            found = answered.units([i], places, 5)[i]
            sums = np.zeros((len(common), 2))
            for i, cluster in enumerate(clusters):
                if cluster in common:
                    sums[common.index(cluster)] += [2.0**i, cluster]
            group = jackknife.groups_of(wanted, 5)
            by_unit = np.zeros((len(sums) if group is None else int(group.max()) + 1, 2))
            np.add.at(by_unit, np.arange(len(sums)) if group is None else group, sums)
            assert found.sums[0].tolist() == by_unit.tolist()
            assert bool(found.clusters) == (group is not None)
            if group is None:
                assert found.names == [tuple(wanted)]
