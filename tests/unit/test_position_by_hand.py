"""Where sources stand, on articles of a few sentences."""

from __future__ import annotations

import numpy as np
import pytest

from fairbrief.measures.position import Positions, describe, membership


@pytest.mark.parametrize("segments", [2, 99])
def test_an_article_has_two_to_ninety_nine_segments(segments: int) -> None:
    """The names of segments have two digits, and of one segment nothing could differ."""
    assert Positions(segments=segments).segments == segments
    with pytest.raises(ValueError, match="segments is 2 to 99"):
        Positions(segments=1 if segments == 2 else 100)


@pytest.mark.parametrize("count", [3, 10, 49])
def test_as_many_sentences_as_segments_lie_each_in_its_own(count: int) -> None:
    """No rounding splits a sentence: 10 · (3/10 - 2/10) is not 1."""
    assert (membership(count, count, fills_first=False) == np.eye(count)).all()


def test_what_articles_share_cannot_be_written_to() -> None:
    """Traits are made once for all articles of so many sentences."""
    with pytest.raises(ValueError, match="read-only"):
        describe(4, 2, fills_first=False)[0] = 1.0
