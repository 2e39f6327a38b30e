"""No random change makes a gate pass that should not, and each answer names the cause."""

from __future__ import annotations

from random import Random

import pytest
from tests.adversary import CHANGES, N, World, honest, is_worse


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Audits that are made once."""
    return World(tmp_path_factory.mktemp("world"), sizes=(8,), shifts=1)


@pytest.mark.parametrize("name", CHANGES)
def test_the_gate_is_not_fooled(world: World, name: str) -> None:
    """A harmful change never passes and is named; a harmless one changes nothing; `benchmarks.adversary` tries many more."""
    rng = Random(name)
    for _ in range(3):
        tried = CHANGES[name](world, rng)
        assert not tried.fault(*tried.answer())
        if tried.audit.parent == world.folder and not tried.audit.name.startswith("copy"):
            break  # no copy was changed: another try is an audit like this one


def test_the_expected_answer_to_changed_summaries_is_computed_from_the_texts() -> None:
    """Two words more of one side in half of the records shift its share by 2/6 · 1/2 = 0.17; in a tenth by 0.033."""
    for records, worse in ((N // 2, True), (N // 10, False)):
        rows = [
            new if int(new["id"][1:]) < records else old
            for new, old in zip(honest(lean=2), honest(), strict=True)
        ]
        assert is_worse(rows, honest()) == worse
