"""The position paper's protocol."""

from __future__ import annotations

from fairbrief import registry
from fairbrief.nouns import Estimate
from fairbrief.protocols import PaperProtocol

PROTOCOL = registry.make("protocol", "chhabra-position")
BIAS, HEIGHTS = PROTOCOL.measures(())[:2]


def estimates_of(system: str, rouge: float, heights: float, distance: float) -> list[Estimate]:
    """What an audit of one system would hold."""
    found = [Estimate(kind, kind, system, rouge) for kind in ("rouge1", "rouge2", "rougeL")]
    found += [
        Estimate(HEIGHTS, "position_heights", system, heights),
        Estimate(BIAS, "position_bias", system, distance, null_mean=0.25, n=7),
        Estimate(BIAS, "position_kl", system, None),
        Estimate(BIAS, "matches", system, 20.0),
        Estimate(BIAS, "segment[01]", system, 0.75),
        Estimate(BIAS, "segment[10]", system, 0.25),
    ]
    return found


def test_its_measures_exist_as_spelled() -> None:
    """Every spelling is that of a measure, in the release's reading, whatever the attributes."""
    assert isinstance(PROTOCOL, PaperProtocol)
    for spelled in PROTOCOL.measures(("party",)):
        assert repr(registry.make("measure", spelled)) == spelled
    observation = registry.make("measure", BIAS).observation
    assert observation == registry.make("measure", HEIGHTS).observation
    assert (observation.sentences, observation.short, observation.duplicates) == ("punkt", "first", "once")


def test_both_distances_stand_side_by_side() -> None:
    """One row per system: ROUGE, heights, distance, its chance level; an undefined value is a dash."""
    overview, counts, *rest = PROTOCOL.tables(estimates_of("a", 0.3, 0.0, 8.7))
    (row,) = overview.rows
    assert row == ("a", "0.3000", "0.3000", "0.3000", "0.0000", "8.7000", "–", "–", "0.2500", "7")
    assert len(row) == len(overview.header)
    assert counts.rows[0] == ("summaries", "15", *["–"] * 8, "5", "20")
    assert len(counts.rows[0]) == len(counts.header)
    assert not rest


def test_ranks_need_three_systems() -> None:
    """Spearman's correlation of ROUGE with each distance is printed from three systems on."""
    found = [
        *estimates_of("a", 0.3, 0.3, 1.0),
        *estimates_of("b", 0.2, 0.2, 2.0),
        *estimates_of("c", 0.1, 0.1, 3.0),
    ]
    ranks = PROTOCOL.tables(found)[-1]
    assert ranks.rows[0] == ("heights (as published)", "1.000", "1.000", "1.000")
    assert ranks.rows[1] == ("distance (segments)", "−1.000", "−1.000", "−1.000")


def test_estimates_of_other_measures_are_passed_over() -> None:
    """Slices, differences and other readings fill no cell."""
    assert PROTOCOL.tables([Estimate("position_bias", "position_bias", "a", 1.0)]) == ()
    assert PROTOCOL.tables([Estimate("rouge1", "rouge1", "a", 1.0, baseline="b")]) == ()
    assert PROTOCOL.tables([Estimate("rouge1", "rouge1", "a", 1.0, slice={"genre": "news"})]) == ()
