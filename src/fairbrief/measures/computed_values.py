"""Values that are computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fairbrief.types import Value


class ComputedValues(Mapping[str, Value]):
    """The values of a measure by name, each computed once, when it is asked for: of single records often the headline alone is."""

    def __init__(self, makers: Mapping[str, Callable[[], Value]]) -> None:
        self._makers = makers
        self._made: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __or__(self, others: Mapping[str, Value]) -> dict[str, Value]:
        return {**self, **others}
