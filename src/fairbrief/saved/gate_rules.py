"""The rules of a gate as typed, and its checks, also as JUnit XML.

A rule is ``measure<=limit``, optionally for one quantity and one system. ``measure:quantity-random`` is the quantity minus its
random-sentence baseline; ``measure:quantity`` without brackets is the quantity of every group.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal
from xml.etree import ElementTree as ET

from fairbrief import specs
from fairbrief.errors import RequestError
from fairbrief.reports.plain import printable
from fairbrief.types import Data

Sign = Literal["<=", ">="]
RANDOM = "-random"
"""The ending of a quantity minus its random-sentence baseline."""
RULE = re.compile(r"(?s)(.*)(<=|>=)\s*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*")
"""What is limited, the last sign, and the limit."""


class Rule(Data, frozen=True):
    """A limit of an estimate. ``quantity`` empty: the main value; ``system`` empty: every system.

    ``from_random``: the limit applies to the difference from the random-sentence baseline.
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
        quantity = f"{self.quantity}{RANDOM}" if self.from_random else self.quantity
        return str(specs.Target(self.measure, quantity, self.system))


def rule(text: str) -> Rule:
    """Read a rule, ``rouge1:rouge1_recall>=0.3``, ``bur@side{gpt-4}<=0.1`` or ``uer@side:difference-random>=-0.1``."""
    match, target = RULE.fullmatch(text), None
    with suppress(RequestError):
        target = specs.target(match[1].strip()) if match is not None else None
    if match is None or target is None or not target.measure or not math.isfinite(float(match[3])):
        raise RequestError(
            f"'{text}' is not a valid rule. Write MEASURE<=NUMBER or MEASURE>=NUMBER, with a finite number. MEASURE:QUANTITY "
            f"limits another number of the measure, MEASURE:QUANTITY{RANDOM} its difference from the random-sentence baseline, "
            "MEASURE{SYSTEM} only one system."
        )
    from_random = target.quantity.endswith(RANDOM) and target.quantity != RANDOM
    quantity = target.quantity.removesuffix(RANDOM) if from_random else target.quantity
    sign: Sign = "<=" if match[2] == "<=" else ">="
    return Rule(target.measure, quantity, sign, float(match[3]), target.system, from_random)


def rules(most: Sequence[str] = (), least: Sequence[str] = ()) -> list[Rule]:
    """The rules of ``--max`` (each a ``<=``) and of ``--min`` (each a ``>=``)."""
    result = []
    for option, texts, sign in (("--max", most, "<="), ("--min", least, ">=")):
        for text in texts:
            result.append(rule(str(text)))
            if result[-1].sign != sign:
                raise RequestError(
                    f"{option} '{text}': write a rule with {sign}, or use {'--min' if sign == '<=' else '--max'}."
                )
    return result


class Check(Data, frozen=True):
    """One requirement and its outcome; ``inconclusive`` if the data do not decide."""

    name: str
    outcome: Literal["pass", "fail", "inconclusive"]
    message: str = ""


def junit_xml(checks: Sequence[Check]) -> str:
    """A test suite: a failed check is a failure, an inconclusive one is skipped with its message."""
    tags = {"pass": "system-out", "fail": "failure", "inconclusive": "skipped"}
    counts = Counter(check.outcome for check in checks)
    suite = ET.Element("testsuite", name="fairbrief", tests=str(len(checks)))
    for name, n in (("failures", counts["fail"]), ("errors", 0), ("skipped", counts["inconclusive"])):
        suite.set(name, str(n))
    for check in checks:
        case = ET.SubElement(suite, "testcase", classname="fairbrief", name=printable(check.name))
        said = ET.SubElement(case, tags[check.outcome])
        said.text = printable(check.message, lines=True)
        if check.outcome != "pass":
            said.set("message", printable(check.message))
    ET.indent(suite)
    text: bytes = ET.tostring(suite, encoding="utf-8", xml_declaration=True)
    return f"{text.decode()}\n"
