"""The position paper's protocol."""

from __future__ import annotations

import pytest

from fairbrief import registry
from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.protocols import PaperProtocol
from fairbrief.types import Case, Document, Estimate, Record, Summary

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
    """Every spec is that of a measure, in the release's reading, whatever the attributes."""
    assert isinstance(PROTOCOL, PaperProtocol)
    for spelled in PROTOCOL.measures(("party",)):
        assert repr(registry.make("measure", spelled)) == spelled
    observation = registry.make("measure", BIAS).observation
    assert observation == registry.make("measure", HEIGHTS).observation
    assert (observation.sentences, observation.short, observation.duplicates) == ("punkt", "first", "once")


def test_both_distances_stand_side_by_side() -> None:
    """Figure 2 counts sources by tenth; Figures 3 and 4 have ROUGE, heights, distance and its chance level."""
    counts, first, second = PROTOCOL.tables(estimates_of("a", 0.3, 0.0, 8.7))
    assert [t.title.partition(":")[0] for t in (counts, first, second)] == [
        "Figure 2",
        "Figure 3",
        "Figure 4",
    ]
    assert counts.rows[0] == ("a", "summaries", "15", *["–"] * 8, "5", "20")
    assert first.rows == (("a", "0.3000", "0.0000", "8.7000", "–", "–", "0.2500", "7"),)
    assert second.rows[0][:4] == ("a", "0.3000", "0.3000", "0.0000")
    assert all(len(row) == len(t.header) for t in (counts, first, second) for row in t.rows)


def test_figures_6_and_9_are_asked_for() -> None:
    """``mapping=both`` sets the released ROUGE-1 rule beside the one by sentence, ``top=3`` adds more matches."""
    protocol = registry.make("protocol", "chhabra-position(mapping=both, top=3)")
    asked = protocol.measures(())
    assert [repr(registry.make("measure", spec)) for spec in asked] == list(asked)
    assert len(asked) == len(set(asked)) == 2 * (3 + 2) + 3
    heights = [spec for spec in asked if spec.startswith("position_heights")]
    made = {
        t.title.partition(":")[0]: t
        for t in protocol.tables([Estimate(spec, "position_heights", "a", 0.1) for spec in heights])
    }
    assert [row[1] for row in made["Figure 6"].rows] == [
        "TF-IDF",
        "ROUGE-1, mean over sentences (as published)",
        "ROUGE-1, each sentence",
    ]
    assert [row[1] for row in made["Figure 9"].rows] == ["top-1", "top-2", "top-3"]
    with pytest.raises(RequestError, match="tfidf or both"):
        registry.make("protocol", "chhabra-position(mapping=cosine)")


def test_a_text_mapped_by_the_mean_has_one_source() -> None:
    """With match=mean a summary of two sentences has the one source that resembles both most, as the release maps."""
    words = [f"w{i}" for i in range(1, 11)]
    article = " ".join(f"Only {w} here." for w in words[:9]) + " Both w1 and w9 here."
    case = Case(
        Record("1", (Document(article),), references=("Only w1 here.",)),
        Summary("1", "a", "Here is w1 and. Here is w9 and."),
    )
    counts = {}
    for match in ("each", "mean"):
        spec = f"position_bias(mapping=rouge1, match={match}, short=first, weights=pooled)"
        result = audit([case], Plan(measures=[spec], n_resamples=0))
        counts[match] = {e.quantity: e.value for e in result.estimates}["matches"]
    assert counts == {"each": 2, "mean": 1}


def test_ranks_need_three_systems() -> None:
    """Spearman's correlation of ROUGE with each distance is printed from three systems on."""
    found = [
        *estimates_of("a", 0.3, 0.3, 1.0),
        *estimates_of("b", 0.2, 0.2, 2.0),
        *estimates_of("c", 0.1, 0.1, 3.0),
    ]
    ranks = PROTOCOL.tables(found)[-1]
    assert ranks.rows[0] == ("heights (as published)", "1.000", "1.000", "1.000")
    assert ranks.rows[1] == ("segments", "−1.000", "−1.000", "−1.000")


def test_estimates_of_other_measures_are_passed_over() -> None:
    """Slices, differences and other readings fill no cell."""
    assert PROTOCOL.tables([Estimate("position_bias", "position_bias", "a", 1.0)]) == ()
    assert PROTOCOL.tables([Estimate("rouge1", "rouge1", "a", 1.0, baseline="b")]) == ()
    assert PROTOCOL.tables([Estimate("rouge1", "rouge1", "a", 1.0, slice={"genre": "news"})]) == ()
