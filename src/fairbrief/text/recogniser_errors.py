"""How often a recogniser misses people and misreads their gender: counts on annotated documents, and redraws from them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

GROUPS = ("female", "male")
READ = (*GROUPS, "unknown")
TRUE = (*GROUPS, "nobody")
BUILTIN = (
    "read female: 14 female 2 male 12 nobody; read male: 2 female 32 male 16 nobody; "
    "read unknown: 3 female 3 male 5 nobody; found: 11 of 12 female, 32 of 39 male"
)
"""The built-in recogniser on 29 GUM documents that were held back (``fairbrief recogniser``, both halves apart)."""
_READ = re.compile(r"read (\w{1,20}): (\d{1,9}) female (\d{1,9}) male (\d{1,9}) nobody")
_FOUND = re.compile(r"(?<!\d)(\d{1,9}) of (\d{1,9}) (female|male)")


@dataclass(frozen=True, slots=True)
class RecogniserErrors:
    """Counts on annotated documents: of those read as each, how many are who (`TRUE`); and of each gender, how many are found."""

    read: dict[str, tuple[int, int, int]]
    found: dict[str, tuple[int, int]]

    def recall(self, group: str) -> float:
        """Share of a gender's people who are found."""
        hit, many = self.found[group]
        return hit / many

    def redrawn(self, read: str, key: str) -> str:
        """Who somebody read as ``read`` is, drawn in proportion to the counts; the same key draws the same.

        Half a person is added to each count, so that what was never seen stays possible.
        """
        weights = [count + 0.5 for count in self.read[read]]
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        left = int.from_bytes(digest, "big") / 2**64 * sum(weights)
        for who, weight in zip(TRUE, weights, strict=True):
            left -= weight
            if left < 0:
                return who
        return TRUE[-1]


@lru_cache(maxsize=16)
def read_errors(text: str) -> RecogniserErrors:
    """Errors from a line as `spell_errors` writes it. Raises ValueError where it lacks something.

    >>> read_errors(BUILTIN).read["male"]
    (2, 32, 16)
    """
    read = {m[1]: (int(m[2]), int(m[3]), int(m[4])) for m in _READ.finditer(text)}
    found = {m[3]: (int(m[1]), int(m[2])) for m in _FOUND.finditer(text)}
    if set(read) != set(READ) or set(found) != set(GROUPS) or not all(many for _, many in found.values()):
        raise ValueError(
            f"errors='{text}' does not say how a recogniser errs. Write what 'fairbrief recogniser ANNOTATED' prints: {BUILTIN}"
        )
    return RecogniserErrors(read, found)


def spell_errors(errors: RecogniserErrors) -> str:
    """The line that `read_errors` reads back."""
    told = [
        f"read {group}: " + " ".join(f"{n} {who}" for n, who in zip(errors.read[group], TRUE, strict=True))
        for group in READ
    ]
    found = ", ".join(f"{hit} of {many} {group}" for group, (hit, many) in errors.found.items())
    return "; ".join([*told, f"found: {found}"])
