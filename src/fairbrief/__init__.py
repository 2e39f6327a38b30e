"""Fairbrief audits how fairly summaries represent who and what they summarize.

>>> import fairbrief
>>> found = fairbrief.audit(fairbrief.read("examples/reviews.jsonl"), ["uer@sentiment"], n_resamples=200)
>>> sorted({e.system for e in found.estimates})
['balanced', 'rosy']
"""

# Type checkers and editors get the names of the interface from `fairbrief.api`.
# ruff: noqa: F403, F405

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairbrief.api import *

__version__ = "0.1.0"
__all__ = [
    "Audit", "Case", "Document", "Plan", "Record", "Summary", "__version__",
    "audit", "compare", "explain", "gate", "load", "power", "read", "score", "subgroups", "trend", "conclusion",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load the interface when it is asked for, so that the command starts at once."""
    if name in __all__:
        from fairbrief import api

        return getattr(api, name)
    raise AttributeError(f"module 'fairbrief' has no attribute '{name}'")


def __dir__() -> list[str]:
    """All names of the interface, loaded or not."""
    return sorted(__all__)
