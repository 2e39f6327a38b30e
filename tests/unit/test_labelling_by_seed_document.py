"""Words that no variant changes are one witness, however many variants repeat them."""

from __future__ import annotations

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.types import Case, Document, Record, Summary


def _cases(originals: int, samples: int) -> list[Case]:
    """Every seed document speaks of a mother and a son, every summary of the mother alone."""
    return [
        Case(
            Record(
                f"{o}-{s}",
                (Document("The mother met the son."),),
                attributes={"sample": str(s)},
                seed_document=str(o),
            ),
            Summary(f"{o}-{s}", "keeps_mothers", "The mother came."),
        )
        for o in range(originals)
        for s in range(samples)
    ]


@pytest.mark.parametrize("spec", ["word_list_inclusion", "word_list_inclusion(words=published)"])
def test_counterfactuals_of_one_seed_document_take_one_labelling(spec: str) -> None:
    """Twenty variants of four originals can be relabelled in 16 ways, not in 2 to the 80: not testable."""
    result = audit(_cases(4, 20), Plan(measures=(spec,), n_resamples=200))
    main_value = result.estimates[0]
    assert main_value.value == pytest.approx(0.5)
    assert main_value.testable is False
    assert main_value.p is None


def test_many_seed_documents_are_many_witnesses() -> None:
    """The same shift in each of twelve originals is testable and rare by chance."""
    main_value = audit(_cases(12, 3), Plan(measures=("word_list_inclusion",), n_resamples=2000)).estimates[0]
    assert main_value.testable is True
    assert main_value.p is not None
    assert main_value.p < 0.01
