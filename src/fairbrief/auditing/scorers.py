"""Scorers by spelling, made when an observation first asks for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairbrief import registry
from fairbrief.engines.cache import is_cacheable
from fairbrief.nouns import Scorer


class NeedsModel(Exception):
    """A scorer that holds a model is asked for where there is to be none."""


class Scorers(dict[str, Scorer]):
    """Spelling → scorer: a given one, or one from the registry; each wrapped (in a cache, say) if told.

    In another process there are none ``without_models``: one whose scores are kept in a cache, because a
    model or a server makes them, raises NeedsModel there. N processes would hold N copies of a model, and
    share one device or one rate limit.
    """

    def __init__(
        self,
        given: Mapping[str, Scorer] | None = None,
        wrap: Callable[[Scorer], Scorer] | None = None,
        left_behind: frozenset[str] | None = None,
    ) -> None:
        super().__init__()
        self.given = given or {}
        self.wrap = wrap
        self._left_behind = left_behind

    def without_models(self) -> Scorers:
        """The same for another process."""
        models = frozenset(name for name, scorer in self.given.items() if is_cacheable(scorer))
        return Scorers({n: s for n, s in self.given.items() if n not in models}, self.wrap, models)

    def __reduce__(self) -> tuple[type[Scorers], tuple[object, ...]]:
        """What was made is made anew elsewhere."""
        return Scorers, (self.given, self.wrap, self._left_behind)

    def __missing__(self, spelling: str) -> Scorer:
        if self._left_behind is not None and spelling in self._left_behind:
            raise NeedsModel(spelling)
        given = self.given.get(spelling)
        scorer: Scorer = given if given is not None else registry.make("scorer", spelling)
        if self._left_behind is not None and is_cacheable(scorer):
            self._left_behind |= {spelling}
            raise NeedsModel(spelling)
        self[spelling] = scorer if self.wrap is None else self.wrap(scorer)
        return self[spelling]
