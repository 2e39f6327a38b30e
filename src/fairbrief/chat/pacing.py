"""How long to wait: what the server asks for, the rate a user allows, and pauses that do not fall together."""

from __future__ import annotations

import asyncio
import email.utils
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_PAUSE = 60.0
"""Seconds that a pause of our own may last; a server's Retry-After is obeyed up to `LONGEST_WAIT`."""
LONGEST_WAIT = 600.0
SHORTEST_WAIT = 0.05
"""Seconds between two tries of one question, whatever the server and the user allow."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to be left alone: from milliseconds, seconds or a date; None if it does not say.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "150"}), retry_after({})
    (2.0, 0.15, None)
    """
    try:
        if math.isfinite(milliseconds := float(headers.get("retry-after-ms", "nan"))):
            return _bounded(milliseconds / 1000)
    except ValueError:
        pass  # no number: as if it were not there
    said = headers.get("retry-after", "").strip()
    try:
        if said.replace(".", "", 1).isdigit():
            return _bounded(float(said))
        return _bounded(email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_WAIT)


def pause_before(attempt: int, pause: float) -> float:
    """Seconds before a try: at random up to ``pause`` · 2^attempt and a minute, so that clients that failed together part."""
    longest = min(pause * 2.0 ** min(attempt, 30), LONGEST_PAUSE)
    return max(SHORTEST_WAIT, random.uniform(0, longest))  # noqa: S311 - no secret


@dataclass(slots=True)
class Pace:
    """When the next request may begin: after the server's wish, which speaks to all, and at the allowed rate."""

    per_minute: int | None = None
    quiet_until: float = 0.0
    next_start: float = field(default=0.0)

    def hold(self, seconds: float) -> None:
        """No request begins for so long."""
        self.quiet_until = max(self.quiet_until, time.monotonic() + seconds)

    async def wait(self) -> None:
        """Return when a request may begin."""
        if self.per_minute is not None:
            self.next_start = max(self.next_start, time.monotonic()) + 60 / self.per_minute
            await asyncio.sleep(max(0.0, self.next_start - 60 / self.per_minute - time.monotonic()))
        while (left := self.quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)
