"""The rules of a gate as they are typed: ``measure<=limit``, of a quantity and of a system if told.

``measure:quantity-random`` is the quantity less its random-sentence baseline; ``measure:quantity`` without brackets stands
for the quantity of every group.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairbrief import specs
from fairbrief.errors import RequestError

Sign = Literal["<=", ">="]
RANDOM = "-random"
"""How a quantity ends that is taken less its random-sentence baseline."""
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Rule:
    """What an estimate has to keep; ``quantity`` empty: the headline, ``system`` empty: every system.

    ``from_random``: the limit is for the quantity's difference from the random-sentence baseline.
    """

    measure: str
    quantity: str
    sign: Sign
    limit: float
    system: str = ""
    from_random: bool = False

    def __str__(self) -> str:
        return f"{self.asked}{self.sign}{self.limit:g}"

    @property
    def asked(self) -> str:
        """The left side: ``measure:quantity-random{system}``."""
        quantity = f":{self.quantity}{RANDOM if self.from_random else ''}" if self.quantity else ""
        system = f"{{{self.system}}}" if self.system else ""
        return f"{self.measure}{quantity}{system}"


def rule(text: str) -> Rule:
    """Read a rule, ``rouge1:rouge1_recall>=0.3``, ``bur@side{gpt-4}<=0.1`` or ``uer@side:difference-random>=-0.1``."""
    left, sign, limit = _parted(text)
    try:
        target = specs.target(left)
    except RequestError:
        target = None
    if target is None or not NUMBER.fullmatch(limit) or not math.isfinite(float(limit)):
        raise RequestError(
            f"'{text}' is not a valid rule. Write MEASURE<=NUMBER or MEASURE>=NUMBER, with a finite number; MEASURE:QUANTITY "
            f"names a quantity, MEASURE:QUANTITY{RANDOM} its difference from the random-sentence baseline, "
            "MEASURE{SYSTEM} a system that must be there."
        )
    from_random = target.quantity.endswith(RANDOM) and target.quantity != RANDOM
    quantity = target.quantity.removesuffix(RANDOM) if from_random else target.quantity
    return Rule(target.measure, quantity, sign, float(limit), target.system, from_random)


def is_named(quantity: str, wanted: str) -> bool:
    """Whether a quantity is the wanted one, or that of one group where no group is named: ``difference[a]`` of ``difference``."""
    return quantity == wanted or quantity.partition("[")[0] == wanted


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
