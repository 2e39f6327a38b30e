"""How well a text sums up another, as a chat model judges it: first a reason, then a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.chat.endpoint import Endpoint
from fairbrief.errors import RequestError
from fairbrief.scorers import pairs
from fairbrief.scorers.chat_judge import ChatJudge
from fairbrief.text.replies import score

DIMENSIONS: Mapping[str, str] = {
    "relevance": "Relevance asks whether the summary has picked what matters in the source: does it get the main "
    "message across, and is it free of what is minor or beside the point?",
    "consistency": "Consistency asks whether all that the summary states is borne out by the source.",
    "coherence": "Coherence asks whether the sentences of the summary belong together and follow from each other.",
    "fluency": "Fluency asks whether the sentences of the summary are well formed and easy to read.",
}

TEMPLATE = """Judge the {dimension} of a summary of a source.
{explained}

Source: {source}

Summary: {summary}

First give your reason in one sentence. Then write, on a line of its own, "Score: N", where N is a whole number from 1 (worst) to 5 (best)."""


@dataclass(frozen=True, slots=True, repr=False)
class Judge(ChatJudge):
    """Reason-then-score: a chat model says in a sentence why, then gives a score from 1 to 5.

    Rows are sources, columns their summaries. Matrix (rows, columns) in [1, 5], higher is better; nan where
    the reply states no score of the scale, counted on standard error. ``dimension`` is relevance (the
    paper's), consistency, coherence or fluency. A scorer of whole texts; its answers are kept by a cache.

    Errors:  BackendError where pairs find no answer; the rest is kept by the cache.
    Source:  Steen & Markert, Bias in News Summarization, App. I; how replies are read and the
             temperature are not described there: here the last score stated, and temperature 0.
    """

    name: ClassVar[str] = "judge"
    dimension: str = "relevance"

    def __post_init__(self) -> None:
        if self.dimension not in DIMENSIONS:
            raise RequestError(
                f"judge(dimension={self.dimension}): none of {', '.join(DIMENSIONS)}. Choose one of them."
            )
        Endpoint.__post_init__(self)

    @property
    def kind(self) -> str:
        return self.dimension

    @property
    def wording(self) -> str:
        return TEMPLATE + DIMENSIONS[self.dimension]

    def read(self, reply: str) -> float | None:
        return score(reply)

    def worded(self, pair: pairs.Key) -> str:
        before, _, rest = TEMPLATE.partition("{source}")
        between, _, after = rest.partition("{summary}")
        before = before.replace("{dimension}", self.dimension)
        before = before.replace("{explained}", DIMENSIONS[self.dimension])
        return f"{before}{pair[0]}{between}{pair[1]}{after}"
