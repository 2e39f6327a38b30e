"""Whole audits of planted and fair systems of benchmarks/calibration/speakers.py."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.calibration.speakers import BY_LANGUAGE, BY_ORDER, worlds, written
from benchmarks.calibration.worlds import Rng

import fairbrief
from fairbrief.types import Case

KNOWN = {world.name: world for world in worlds()}


def finding(make: Callable[[Rng, int], list[Case]], measures: tuple[str, ...], seed: int) -> str:
    """The finding of an audit of 60 debates."""
    rng = np.random.default_rng(seed)
    cases = [make(rng, i)[0] for i in range(60)]
    audit = fairbrief.audit(cases, measures, n_resamples=999, check_scorers=False)
    return re.sub(r"\s+", " ", str(audit).partition("FINDING")[2].partition("CAUTION")[0])


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_system_is_named_first_and_a_fair_one_is_not(seed: int) -> None:
    """Whoever leaves out the middle, or gives some speakers the words of others, is named with the right group and direction."""
    middle = finding(KNOWN["middle"].clusters, BY_ORDER[:1], seed)
    assert re.match(
        r" In summaries by x, speakers \(middle\) are included \d+ percentage points less often", middle
    )
    swaps = written(lambda *_: 0.6, lambda of, i: 0.8 if of.languages[i] == "fr" else 0.05)
    swap = finding(swaps, (BY_LANGUAGE[0], BY_LANGUAGE[2]), seed)
    who = r" In summaries by x, claims that name speakers \(language fr\) are misattributed \d+ percentage points more often"
    assert re.match(who, swap)
    assert re.match(
        " No group is significantly (below|above)", finding(KNOWN["fair"].clusters, BY_LANGUAGE, seed)
    )
