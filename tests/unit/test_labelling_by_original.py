"""Words that no variant changes are one witness, however many variants repeat them."""

from __future__ import annotations

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.types import Case, Document, Record, Summary


def _cases(originals: int, samples: int) -> list[Case]:
    """Every original speaks of a mother and a son, every summary of the mother alone."""
    return [
        Case(
            Record(
                f"{o}-{s}",
                (Document("The mother met the son."),),
                attributes={"sample": str(s)},
                original=str(o),
            ),
            Summary(f"{o}-{s}", "keeps_mothers", "The mother came."),
        )
        for o in range(originals)
        for s in range(samples)
    ]


@pytest.mark.parametrize("spec", ["word_list_inclusion", "word_list_inclusion(words=published)"])
def test_variants_of_one_original_take_one_labelling(spec: str) -> None:
    """Twenty variants of four originals can be relabelled in 16 ways, not in 2 to the 80: not testable."""
    result = audit(_cases(4, 20), Plan(measures=(spec,), n_resamples=200))
    headline = result.estimates[0]
    assert headline.value == pytest.approx(0.5)
    assert headline.testable is False
    assert headline.p is None


def test_many_originals_are_many_witnesses() -> None:
    """The same shift in each of twelve originals is testable and rare by chance."""
    headline = audit(_cases(12, 3), Plan(measures=("word_list_inclusion",), n_resamples=2000)).estimates[0]
    assert headline.testable is True
    assert headline.p is not None
    assert headline.p < 0.01
