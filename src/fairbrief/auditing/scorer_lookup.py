"""Scorers by spec, made when an observation first asks for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairbrief import registry
from fairbrief.scorers.calibrated import Calibrated
from fairbrief.types import Cacheable, Scorer


class NeedsModel(Exception):
    """A scorer with a model was requested where models are not allowed."""


class Scorers(dict[str, Scorer]):
    """Spec → scorer: a given one, or one from the registry; each wrapped (e.g. in a cache) if ``wrap`` is given.

    `elsewhere`, in another process, a scorer whose scores are cached, because a model or a server computes
    them, raises NeedsModel: N processes would hold N copies of a model, and share one device or one rate limit.
    With ``makes_models``, models are loaded there anyway, except those given as objects. Requests to a
    server stay in the main process, which counts them.
    """

    def __init__(
        self,
        given: Mapping[str, Scorer] | None = None,
        wrap: Callable[[Scorer], Scorer] | None = None,
        left_behind: frozenset[str] | None = None,
        makes_models: bool = False,
    ) -> None:
        super().__init__()
        self.given = given or {}
        self.wrap = wrap
        self._left_behind = left_behind
        self._models: set[str] = set()
        self._makes_models = makes_models

    def elsewhere(self, *, makes_models: bool) -> Scorers:
        """The same for another process."""
        models = frozenset(name for name, scorer in self.given.items() if isinstance(scorer, Cacheable))
        given = {n: s for n, s in self.given.items() if n not in models}
        return Scorers(given, self.wrap, models, makes_models)

    def is_cheap(self, spec: str) -> bool:
        """Whether a scorer of ours that holds no model answers to this name: one that may be asked much more."""
        return spec not in self.given and not self.holds_model(spec)

    def holds_model(self, spec: str) -> bool:
        """Whether the scorer of this name is a model or a service, wrapped in a cache or not."""
        self[spec]
        return spec in self._models

    def __reduce__(self) -> tuple[Callable[..., Scorers], tuple[object, ...]]:
        """Scorers are created again in the other process."""
        return Scorers, (self.given, self.wrap, self._left_behind, self._makes_models)

    def __missing__(self, spec: str) -> Scorer:
        if self._left_behind is not None and spec in self._left_behind:
            raise NeedsModel(spec)
        given = self.given.get(spec)
        made: Scorer = given if given is not None else registry.make("scorer or classifier", spec)
        scorer = made.scorer if isinstance(made, Calibrated) else made
        if isinstance(scorer, Cacheable):
            from fairbrief.scorers.chat_judge import ChatJudge

            stays = not self._makes_models or isinstance(scorer, ChatJudge)
            if self._left_behind is not None and stays:
                self._left_behind |= {spec}
                raise NeedsModel(spec)
            self._models.add(spec)
        wrapped = scorer if self.wrap is None else self.wrap(scorer)
        self[spec] = made.wrapped(wrapped) if isinstance(made, Calibrated) else wrapped
        return self[spec]
