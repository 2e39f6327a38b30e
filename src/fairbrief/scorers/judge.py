"""How well a text sums up another, as a chat model judges it: first a reason, then a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from fairbrief.chat.endpoint import KEY, endpoint_of
from fairbrief.chat.replies import Tally
from fairbrief.errors import RequestError
from fairbrief.nouns import Ask, Floats, Scores
from fairbrief.scorers import pairs, verdicts
from fairbrief.spelling import spell
from fairbrief.text.verdicts import score

VERSION = 1

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
class Judge:
    """Reason-then-score: a chat model says in a sentence why, then gives a score from 1 to 5.

    Rows are sources, columns their summaries. Matrix (rows, columns) in [1, 5], higher is better; nan where
    the reply states no score of the scale, counted on standard error. ``dimension`` is relevance (the
    paper's), consistency, coherence or fluency. A scorer of whole texts; its answers are kept by a cache.

    Errors:  BackendError where pairs find no answer; the rest is kept by the cache.
    Source:  Steen & Markert, Bias in News Summarization, App. I; how replies are read and the
             temperature are not described there: here the last score stated, and temperature 0.
    """

    name: ClassVar[str] = "judge"
    model: str
    dimension: str = "relevance"
    temperature: float = 0.0
    base_url: str = ""
    key: str = KEY
    api_version: str = ""
    concurrency: int = 16
    timeout: float = 120.0
    retries: int = 6
    pause: float = 0.5
    per_minute: int | None = None
    max_requests: int | None = None
    _tally: Tally = field(default_factory=Tally, compare=False, init=False)

    def __post_init__(self) -> None:
        if self.dimension not in DIMENSIONS:
            raise RequestError(
                f"judge(dimension={self.dimension}): none of {', '.join(DIMENSIONS)}. Choose one of them."
            )
        endpoint_of(self)

    def __repr__(self) -> str:
        return spell(self)

    @property
    def computed_by(self) -> str:
        """What decides a score: model, address, dimension, temperature and the words of the question."""
        return verdicts.computed_by(self, VERSION, self.dimension, TEMPLATE + DIMENSIONS[self.dimension])

    @property
    def fingerprint(self) -> str:
        return self.computed_by

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        return pairs.answer(self, asks)

    def keys(self, asks: Sequence[Ask]) -> Iterable[pairs.Key]:
        return pairs.pairs(asks)

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[Mapping[pairs.Key, Floats]]:
        """The score of each pair, as replies come."""
        return verdicts.ask(self, keys, self._worded, score, self._tally)

    def assemble(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        return pairs.matrices(asks, arrays, lambda array: float(array[0]))

    def _worded(self, pair: pairs.Key) -> str:
        before, _, rest = TEMPLATE.partition("{source}")
        between, _, after = rest.partition("{summary}")
        before = before.replace("{dimension}", self.dimension)
        before = before.replace("{explained}", DIMENSIONS[self.dimension])
        return f"{before}{pair[0]}{between}{pair[1]}{after}"
