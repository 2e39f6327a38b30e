"""Checks as JUnit XML, which every continuous-integration server reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from fairbrief.reports.plain import printable


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement and how it came out; ``inconclusive`` where the data cannot tell."""

    name: str
    outcome: Literal["pass", "fail", "inconclusive"]
    message: str = ""


def render(checks: Sequence[Check], suite: str = "fairbrief") -> str:
    """A test suite: a failed check is a failure, an inconclusive one is skipped with its message."""
    failed = sum(c.outcome == "fail" for c in checks)
    unsure = sum(c.outcome == "inconclusive" for c in checks)
    head = f'<testsuite name={_attribute(suite)} tests="{len(checks)}" failures="{failed}" errors="0" skipped="{unsure}">'
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', head, *map(_case, checks), "</testsuite>", ""]
    )


def _case(check: Check) -> str:
    tags = {"fail": "failure", "inconclusive": "skipped"}
    head = f'  <testcase classname="fairbrief" name={_attribute(check.name)}>'
    text = printable(check.message, lines=True)
    if check.outcome in tags:
        tag = tags[check.outcome]
        inner = f"<{tag} message={_attribute(check.message)}>{escape(text)}</{tag}>"
    else:
        inner = f"<system-out>{escape(text)}</system-out>" if text else ""
    return f"{head}{inner}</testcase>"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
