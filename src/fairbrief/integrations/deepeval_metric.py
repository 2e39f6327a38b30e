"""A metric of DeepEval: collects test cases without judging any, and audits all of them together in `GroupScore.result`."""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

import fairbrief
from fairbrief.scoring import Score


class GroupScore(BaseMetric):  # type: ignore[misc]
    """A measure of all test cases together, by `fairbrief.score`.

    A test case has the summary in ``actual_output``, the documents in ``context`` and ``groups`` in its ``metadata``. DeepEval copies
    metrics, so ``cases`` is a list that the copies share. ``settings`` are those of `fairbrief.score`.
    """

    def __init__(
        self, spec: str = "coverage_parity", cases: list[LLMTestCase] | None = None, **settings: Any
    ) -> None:
        self.spec = spec
        self.cases = [] if cases is None else cases
        self.options = settings
        self.threshold = 0.0

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> None:
        """Collect a test case. It gets no score, since a single one has no disparity."""
        self.cases.append(test_case)
        self.skipped = True

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> None:
        """Collect a test case."""
        self.measure(test_case)

    def result(self) -> Score:
        """The score of all collected test cases."""
        documents = [case.context for case in self.cases]
        summaries = [case.actual_output for case in self.cases]
        groups = [(case.metadata or {}).get("groups") for case in self.cases]
        return fairbrief.score(documents, summaries, groups, measure=self.spec, **self.options)

    @property
    def __name__(self) -> str:
        return f"Fairbrief {self.spec}"
