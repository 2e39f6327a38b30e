"""What judges behind a chat service would be asked, found out without asking: they answer zeros, and are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairbrief.chat.replies import Question
from fairbrief.scorers.pairs import Key
from fairbrief.types import Ask, Floats, Scorer, Scores

Held = Callable[[str, Sequence[Key]], Collection[Key]]
"""The keys, of those asked for, that are known of a scorer by what computed them."""


@dataclass(slots=True)
class Foreseen:
    """A chat judge that asks nothing: each pair that it would ask about is told once to ``tell``; its scores are zeros."""

    scorer: Any
    tell: Callable[[str, Question], None]
    held: Held = lambda _, __: ()
    seen: set[Key] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The scorer's."""
        return str(self.scorer.name)

    @property
    def fingerprint(self) -> str:
        """The scorer's."""
        return str(self.scorer.fingerprint)

    def __repr__(self) -> str:
        return repr(self.scorer)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """Zeros; what is new and not held is told."""
        keys = list(dict.fromkeys(self.scorer.keys(asks)))
        new = [key for key in keys if key not in self.seen]
        known = set(self.held(self.scorer.computed_by, new))
        for key in new:
            if key not in known:
                self.tell(self.name, self.scorer.question(key))
        self.seen |= set(new)
        zeros: Mapping[Key, Floats] = {key: np.zeros(1) for key in keys}
        yield from self.scorer.assemble(asks, zeros)


def foreseeing(tell: Callable[[str, Question], None], held: Held) -> Callable[[Scorer], Scorer]:
    """What is put before scorers so that those behind a chat service are foreseen, not asked; others stay."""

    def wrap(scorer: Scorer) -> Any:
        return Foreseen(scorer, tell, held) if hasattr(scorer, "question") else scorer

    return wrap
