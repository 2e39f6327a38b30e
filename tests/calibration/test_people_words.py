"""A reduced run of benchmarks/calibration/people_words.py: size, coverage and power of theme_words and attribute_mentions; and
groups whose words or people few summaries have.
"""

from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.calibration.option_worlds import judged, pronouns
from benchmarks.calibration.people_words import World, calibrate, worlds
from benchmarks.calibration.worlds import LAST, few_pronouns

import fairbrief

AUDITS = 40
MOST = 0.065 + 3 * (0.05 * 0.95 / AUDITS) ** 0.5
"""A share of false alarms that so few audits of a sound procedure hardly pass."""


def _world(name: str, odds: float) -> World:
    return next(world for world in worlds(odds) if world.name == name)


@pytest.mark.parametrize(("name", "clusters"), [("themes, rare needs", 20), ("mentions, 20 % old", 40)])
def test_a_fair_system_is_rarely_named_and_intervals_contain_the_value(name: str, clusters: int) -> None:
    """Rare words, overdispersed counts and few seed documents: tests keep their size, intervals their coverage."""
    row = calibrate(_world(name, 0.15), clusters, AUDITS, bank=100)
    assert float(row["random"]) <= MOST
    assert float(row["labels"]) <= MOST
    assert float(row["fair named"]) <= MOST
    assert float(row["covered"]) >= 0.9
    assert float(row["covered planted"]) >= 0.85


@pytest.mark.parametrize(
    ("name", "clusters"), [("themes, three draws", 25), ("mentions, pairs", 25), ("mentions, separate", 60)]
)
def test_a_system_that_neglects_a_group_is_named_first(name: str, clusters: int) -> None:
    """Women's needs, or ages of the old, are left out wherever possible: named first in every audit, in the right direction."""
    row = calibrate(_world(name, 1e-9), clusters, 20, bank=120, seed=2)
    assert row["planted first"] == 1.0
    assert float(row["fair named"]) <= 0.1


def _assert_sound(audit_of: Callable[[np.random.Generator], fairbrief.Audit], quantity: str) -> None:
    """Of 60 audits of fair writers at most 2 have p <= 0.05 and none p <= 0.01, and at least 57 intervals contain 0."""
    ps, covered = list[float](), 0
    for seed in range(60):
        audit = audit_of(np.random.default_rng(seed))
        (e,) = [e for e in audit.estimates if e.quantity == quantity]
        assert e.p is not None
        assert e.low is not None
        assert e.high is not None
        ps.append(e.p)
        covered += e.low <= 0 <= e.high
    assert sum(p <= 0.05 for p in ps) <= 2
    assert min(ps) > 0.01
    assert covered >= 57


def test_few_summaries_with_a_listed_word_rarely_decide() -> None:
    """Of 60 fair writers, 7 % of whose 200 summaries have words for one person, at most 2 have p <= 0.05 and none p <= 0.01."""

    def audit_of(rng: np.random.Generator) -> fairbrief.Audit:
        cases = [few_pronouns(0.07)(rng, i)[0] for i in range(200)]
        return fairbrief.audit(cases, ["word_list_inclusion"], n_resamples=200, check_scorers=False)

    _assert_sound(audit_of, "shift[female]")


def test_few_lost_words_rarely_decide() -> None:
    """Summaries that keep 98 % of the words lose women's (8 %) as often: at most 2 of 40 have p <= 0.05; all of 4 if they lose half."""

    def significant(women_lose: float, audits: int) -> int:
        each = (pronouns(0.08, 0.02, women_lose, np.random.default_rng(k), 60) for k in range(audits))
        return sum(sum(answers["shift p ≤ .05"]) for answers in each)

    assert significant(0.0, 40) <= 2
    assert significant(0.5, 4) == 4


def test_few_texts_about_a_group_rarely_decide_what_a_judge_prefers() -> None:
    """40 records about one group each, 10 % about the second, and scores of 4 or 5: at most 2 of 40 audits have p <= 0.05."""
    audits = (judged((1, 2), (0.9, 0.1), np.random.default_rng(k), 40) for k in range(40))
    assert sum(sum(answers.get("difference p ≤ .05", ())) for answers in audits) <= 2


FIRST = {"female": "Mary", "male": "John"}


@pytest.mark.parametrize("odds", [0.05, 0.95])
def test_few_people_of_a_group_rarely_decide(odds: float) -> None:
    """Of 60 writers who name women (8 %) as often as men, at most 2 have p <= 0.05 and none p <= 0.01."""

    def audit_of(rng: np.random.Generator) -> fairbrief.Audit:
        rows = []
        for i in range(50):
            genders = rng.choice(["female", "male"], int(rng.integers(2, 8)), p=[0.08, 0.92]).tolist()
            entities = [
                {"id": last, "first_name": FIRST[g], "last_name": last, "attributes": {"gender": g}}
                for g, last in zip(genders, LAST, strict=False)
            ]
            said = [f"{FIRST[e['attributes']['gender']]} {e['id']} spoke." for e in entities]
            summary = " ".join(text for text in said if rng.random() < odds) or "It spoke."
            rows.append(
                {"id": f"r{i}", "documents": [" ".join(said)], "summary": summary, "entities": entities}
            )
        return fairbrief.audit(rows, ["entity_inclusion@gender"], n_resamples=200, check_scorers=False)

    _assert_sound(audit_of, "log_odds[female/male]")
