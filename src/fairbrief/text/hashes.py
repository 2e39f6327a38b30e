"""Hashes of texts that are the same in every process and on every machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from struct import Struct

_NOTHING = blake2b(digest_size=8)
_SIGNED = Struct(">q")


def hash_of(*texts: str) -> int:
    """Eight bytes of a hash, as a signed number."""
    made = _NOTHING.copy()  # which is faster than creating one
    made.update("\0".join((*texts, "")).encode("utf-8", "surrogatepass"))
    number: int = _SIGNED.unpack(made.digest())[0]
    return number


def digest_of(texts: Iterable[str]) -> bytes:
    """`hash_of` as bytes."""
    return _SIGNED.pack(hash_of(*texts))


hash_of_name = lru_cache(maxsize=1024)(hash_of)
"""`hash_of` a name (of a record, a system), cached because several steps of an audit need it."""

hash_of_texts = lru_cache(maxsize=4096)(hash_of)
"""`hash_of` a record's documents, references or values, cached; `cache_clear` lets go of the texts."""
