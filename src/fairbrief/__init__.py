"""Fairbrief audits how fairly summaries represent who and what they summarize.

>>> import fairbrief
>>> found = fairbrief.audit(fairbrief.read("examples/reviews.jsonl"), ["uer@sentiment"], draws=200)
>>> sorted({e.system for e in found.estimates})
['even', 'rosy']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairbrief.api import Audit, audit, explain, read

__version__ = "0.1.0"
__all__ = ["Audit", "__version__", "audit", "explain", "read"]


def __getattr__(name: str) -> Any:
    """Load the interface when it is asked for, so that the command starts at once."""
    if name in ("Audit", "audit", "explain", "read"):
        from fairbrief import api

        return getattr(api, name)
    raise AttributeError(f"module 'fairbrief' has no attribute '{name}'")
