"""Scorers by spelling, made when an observation first asks for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairbrief import registry
from fairbrief.nouns import Scorer


class Scorers(dict[str, Scorer]):
    """Spelling → scorer: a given one, or one from the registry; each wrapped (in a cache, say) if told."""

    def __init__(
        self, given: Mapping[str, Scorer] | None = None, wrap: Callable[[Scorer], Scorer] | None = None
    ) -> None:
        super().__init__()
        self._given = given or {}
        self._wrap = wrap

    def __missing__(self, spelling: str) -> Scorer:
        given = self._given.get(spelling)
        scorer: Scorer = given if given is not None else registry.make("scorer", spelling)
        self[spelling] = scorer if self._wrap is None else self._wrap(scorer)
        return self[spelling]
