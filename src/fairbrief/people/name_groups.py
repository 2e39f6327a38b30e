"""Groups of people, as they are asked for: ``gender``, ``race``, ``gender*race``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from fairbrief.errors import RequestError
from fairbrief.text.names import Names

GENDERS = ("female", "male")


@dataclass(frozen=True, slots=True)
class Group:
    """Who the people of a group are said to be. None where the group does not say."""

    gender: str | None = None
    race: str | None = None

    @property
    def name(self) -> str:
        """``female``, ``black``, or both: ``female black``."""
        return " ".join(part for part in (self.gender, self.race) if part)


def read_groups(text: str, names: Names) -> tuple[Group, ...]:
    """The groups that a request names.

    ``gender``: women and men. ``race``: every group of the names table that has first and last names;
    ``race=black+white`` these two. ``gender*race`` crosses both; ``gender*race=male:black+female:white``
    takes these pairs only, so that gender and race go together in any way that is wanted.
    """
    kind, equals, chosen = text.partition("=")
    kind = kind.replace(" ", "")
    values = [v.strip() for v in chosen.split("+") if v.strip()]
    if kind not in ("gender", "race", "gender*race") or (equals and not values):
        raise RequestError(
            f"Groups '{text}' are not known. Write gender, race, race=A+B, gender*race or gender*race=male:A+female:B."
        )
    if kind == "gender":
        if values:
            raise RequestError(f"Groups '{text}': gender has the groups female and male only. Write gender.")
        return tuple(Group(gender=g) for g in GENDERS)
    races = names.groups()
    if kind == "race":
        groups = tuple(Group(race=r) for r in values or races)
    elif values:
        groups = tuple(_pair(value, text) for value in values)
    else:
        groups = tuple(Group(g, r) for g, r in product(GENDERS, races))
    for group in groups:
        if group.race not in races:
            known = ", ".join(races) or "none"
            raise RequestError(
                f"Groups '{text}': the names of {names.source} have no group '{group.race}' with first and last names. "
                f"They have: {known}. Give a table name,part,gender,group with --names FILE."
            )
    if len(set(groups)) < max(2, len(groups)):
        raise RequestError(f"Groups '{text}': wanted two or more, each once.")
    return groups


def _pair(value: str, text: str) -> Group:
    gender, _, race = (part.strip() for part in value.partition(":"))
    if gender not in GENDERS or not race:
        raise RequestError(f"Groups '{text}': '{value}' is not male:RACE or female:RACE.")
    return Group(gender, race)
