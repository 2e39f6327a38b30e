"""A score that is not a number is left out and counted, or ends the work; it never becomes a plausible value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import BackendError
from fairbrief.saved import label_agreement
from fairbrief.scorers.shared_words import Ngram
from fairbrief.types import Ask, Case, Claim, Document, Record, Scores, Summary


@dataclass(frozen=True)
class Broken:
    """Scores that are right, but for texts with the word: one of theirs is not finite."""

    value: float
    word: str = "bad"
    in_sizes: bool = False
    name: str = "ngram"
    fingerprint: str = "broken"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One answer per ask, in order."""
        for ask, right in zip(asks, Ngram().answer(asks), strict=True):
            matrix, sizes = right.matrix.copy(), right.sizes.copy()
            if any(self.word in text for text in ask.columns):
                (sizes if self.in_sizes else matrix).flat[0] = self.value
            yield replace(right, matrix=matrix, sizes=sizes)


def cases(bad: int, n: int = 30) -> Iterator[Case]:
    """Cases of two sides; the summaries of the first ``bad`` hold the word."""
    for i in range(n):
        documents = tuple(Document(f"{w} stone {i} {w}", {"side": w}) for w in ("left", "right", "left"))
        word = "bad" if i < bad else "good"
        units = (Claim(f"left stone {word}"), Claim("right stone", {"side": ("right",)}))
        yield Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", f"left stone {i} {word}", claims=units))


@pytest.mark.parametrize(
    "scorer", [Broken(np.nan), Broken(np.inf), Broken(-np.inf), Broken(np.nan, in_sizes=True)]
)
def test_a_record_with_such_a_score_is_left_out_and_counted(scorer: Broken) -> None:
    """The value is that of the other records, and the reason names the scorer."""
    plan = Plan(
        measures=["bur@side", "uer@side"], n_resamples=50, scorers={"ngram": scorer}, check_scorers=False
    )
    found = audit(list(cases(4)), plan)
    without = audit(list(cases(4))[4:], replace(plan, scorers={}))
    for e, other in zip(found.estimates, without.estimates, strict=True):
        assert (e.measure, e.quantity, e.n) == (other.measure, other.quantity, 26)
        assert e.excluded == {"a score that is not a number, from ngram": 4}
        assert e.value == other.value


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_audit_without_any_usable_score_is_refused(value: float) -> None:
    """Where every record has such a score there is nothing to report: the error names the scorer."""
    plan = Plan(measures=["bur@side"], n_resamples=50, scorers={"ngram": Broken(value)})
    with pytest.raises(BackendError, match="The scorer ngram gives scores that are not numbers"):
        audit(list(cases(30)), plan)


def test_agreement_and_sizes_of_chunks_refuse_such_scores() -> None:
    """Where units are compared with each other a score that is not a number ends the work."""
    broken = Scorers({"ngram": Broken(np.nan)})
    with pytest.raises(BackendError, match="not numbers"):
        label_agreement.agreement(list(cases(1)), "side", "ngram", scorers=broken)
    with pytest.raises(BackendError, match="not numbers"):
        label_agreement.chunk_sizes(list(cases(1)), "ngram", sizes=["2"], scorers=broken)
