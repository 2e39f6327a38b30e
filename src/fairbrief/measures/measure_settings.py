"""Settings that a measure and its observation share: said in one dataclass, handed on, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar

from fairbrief.specs import parse, spell

CUTTING_SCORERS = ("tfidf", "rouge1", "rouge2")
"""Scorers that can cut whole texts themselves."""


class Reading:
    """A measure whose observation, of the class ``observes``, has those of its settings that it knows."""

    __slots__ = ()
    observes: ClassVar[type[Any]]

    @property
    def observation(self) -> Any:
        """The observation with these settings; equal settings make equal observations."""
        return self.observes(**shared(self, self.observes))

    __repr__ = spell


def shared(settings: Any, kind: type) -> dict[str, Any]:
    """The values of those fields of ``settings`` that the dataclass ``kind`` has, too, by name."""
    return {f.name: getattr(settings, f.name) for f in fields(kind) if hasattr(settings, f.name)}


def check_known(setting: str, value: str, known: Sequence[str]) -> None:
    """Raise ValueError unless a setting has one of the known values."""
    if value not in known:
        raise ValueError(f"{setting}={value} is not one of {', '.join(known)}")


def check_uncut(setting: str, scorer: str) -> None:
    """Raise ValueError for a scorer that would cut what it is given: it answers by sentence, and not by text."""
    spec = parse(scorer)
    how = spec.settings.get("sentences", "given")
    if spec.name in CUTTING_SCORERS and how != "given":
        raise ValueError(
            f"{setting}={scorer} would cut each text into sentences, but one score is read of each: "
            f"leave sentences={how} out of {spec.name}"
        )


def check_variant(setting: str, value: str) -> None:
    """Raise ValueError unless a setting is ``recommended`` or ``published``."""
    check_known(setting, value, ("recommended", "published"))


def check_people(people: str) -> None:
    """Raise ValueError unless ``people`` names a recogniser."""
    if people != "builtin" and not people.startswith("spacy:"):
        raise ValueError(f"people={people} is neither builtin nor spacy:NAME")


def check_given(reference: str, shares: Sequence[float], groups: Sequence[str]) -> None:
    """Raise ValueError unless shares are given where they are the reference, one non-negative share per
    group, summing to one.
    """
    if (reference == "given") != bool(shares):
        raise ValueError("reference=given and shares=… belong together")
    if not shares:
        return
    if len(shares) != len(groups):
        raise ValueError(f"{len(shares)} shares are given for {len(groups)} groups ({', '.join(groups)})")
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(f"the shares {'+'.join(map(str, shares))} are not shares that sum to 1")
