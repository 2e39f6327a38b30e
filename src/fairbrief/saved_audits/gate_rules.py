"""The rules of a gate as they are typed: ``measure<=limit``, of a quantity and of a system if told."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairbrief.errors import RequestError

Sign = Literal["<=", ">="]
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Rule:
    """What an estimate has to keep; ``quantity`` empty: the headline, ``system`` empty: every system."""

    measure: str
    quantity: str
    sign: Sign
    limit: float
    system: str = ""

    def __str__(self) -> str:
        return f"{self.asked}{self.sign}{self.limit:g}"

    @property
    def asked(self) -> str:
        """The left side: ``measure:quantity{system}``."""
        quantity = f":{self.quantity}" if self.quantity else ""
        system = f"{{{self.system}}}" if self.system else ""
        return f"{self.measure}{quantity}{system}"


def rule(text: str) -> Rule:
    """Read a rule, ``coverage_parity@sentiment<=0.02``, ``rouge1:rouge1_recall>=0.3`` or ``bur@side{gpt-4}<=0.1``."""
    left, sign, limit = _parted(text)
    what, brace, system = left[:-1].rpartition("{") if left.endswith("}") else (left, "", "")
    what, system = (what.strip(), system.strip()) if brace else (left, "")
    if not what or (brace and not system) or not NUMBER.fullmatch(limit) or not math.isfinite(float(limit)):
        raise RequestError(
            f"'{text}' is no rule. Write MEASURE<=NUMBER or MEASURE>=NUMBER, with a finite number; MEASURE:QUANTITY "
            "names a quantity, MEASURE{SYSTEM} a system that must be there."
        )
    head, colon, tail = what.rpartition(":")
    # A colon inside brackets belongs to a setting, not to a quantity.
    inside = colon and tail.count(")") > tail.count("(")
    measure, quantity = (what, "") if inside or not colon else (head, tail)
    return Rule(measure.strip(), quantity.strip(), sign, float(limit), system)


def _parted(text: str) -> tuple[str, Sign, str]:
    """What stands before the last sign, the sign, and what stands behind it."""
    most, least = text.rpartition("<="), text.rpartition(">=")
    sign: Sign = "<=" if len(most[0]) >= len(least[0]) else ">="
    left, _, right = most if sign == "<=" else least
    return left.strip(), sign, right.strip()


def rules(most: Sequence[str] = (), least: Sequence[str] = ()) -> list[Rule]:
    """The rules of ``--max`` (each a ``<=``) and of ``--min`` (each a ``>=``)."""
    found = []
    for option, texts, sign in (("--max", most, "<="), ("--min", least, ">=")):
        for text in texts:
            found.append(rule(text))
            if found[-1].sign != sign:
                raise RequestError(f"{option} '{text}': {option} takes a rule with {sign}.")
    return found
