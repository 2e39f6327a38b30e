"""A cache of scores in one SQLite file, so that nothing is scored twice.

An entry is one array of a scorer (a pair's probability, a text's embedding) under a hash of the texts and of everything
that affects the number. Each batch is committed, so a killed run loses at most one batch. Several processes may share the
file.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import BackendError, RequestError
from fairbrief.score_tables import ScorerAround
from fairbrief.types import Ask, Cacheable, ScoreKey, Scores

Array = NDArray[Any]

APPLICATION = 0x46424346
"""Marks a SQLite file as ours ("FBCF"); another program's database is never changed."""
FORMAT = b"3"
"""Part of each key, so that arrays of another format are not found."""
BUSY_SECONDS = 60.0
LOOKUP = 500
"""Keys per query, less than SQLite's limit of variables."""


@dataclass(slots=True, repr=False)
class Cached(ScorerAround):
    """A scorer with a cache in a file; its name, fingerprint and answers are those of the scorer.

    Raises RequestError for another program's database, BackendError if the file is damaged or cannot be written.
    """

    scorer: Cacheable
    path: Path

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """Answer from the file; compute and store missing scores."""
        maker, path = self.scorer.computed_by, Path(self.path)
        wanted = list(self.scorer.keys(asks))
        arrays = read(path, maker, wanted)
        if missing := [key for key in wanted if key not in arrays]:
            for batch in self.scorer.compute(missing):
                write(path, maker, batch)
                arrays.update(batch)
        yield from self.scorer.assemble(asks, arrays)


def read(path: Path, maker: str, keys: Sequence[ScoreKey]) -> dict[ScoreKey, Array]:
    """The arrays of the keys that are in a file; none if there is no file."""
    result: dict[ScoreKey, Array] = {}
    if not keys or not path.exists():
        return result
    with _opened(path) as database:
        for start in range(0, len(keys), LOOKUP):
            by_hash = {hashed(maker, key): key for key in keys[start : start + LOOKUP]}
            marks = ",".join("?" * len(by_hash))
            query = f"SELECT key, value FROM arrays WHERE key IN ({marks})"  # noqa: S608 - question marks only
            for key, value in database.execute(query, list(by_hash)):
                result[by_hash[key]] = unpack(value)
    return result


def write(path: Path, maker: str, batch: Mapping[ScoreKey, Array]) -> None:
    """Add arrays to a file in one transaction; entries that another process wrote meanwhile are not replaced."""
    rows = [(hashed(maker, key), pack(array)) for key, array in batch.items()]
    with _opened(path) as database, database:
        database.executemany("INSERT OR IGNORE INTO arrays VALUES (?, ?)", rows)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database in a file, created if absent; RequestError for another program's, BackendError if it is damaged."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as database:
            (mark,) = database.execute("PRAGMA application_id").fetchone()
            if mark != APPLICATION:
                if database.execute("SELECT 1 FROM sqlite_master WHERE name != 'arrays'").fetchone():
                    raise RequestError(f"{path} is another program's database. Give another --cache.")
                columns = "(key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
                database.execute(f"CREATE TABLE IF NOT EXISTS arrays {columns}")
                database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute("PRAGMA synchronous = NORMAL")
            yield database
    except (sqlite3.DatabaseError, zlib.error, UnicodeDecodeError) as error:
        raise BackendError(
            f"The score cache {path} cannot be used: {error}. If it is damaged, delete it, and its scores are computed again. "
            "Otherwise close other programs that use it, free disk space, or give another --cache."
        ) from error


def hashed(maker: str, key: ScoreKey) -> bytes:
    """A hash of a key, 128 bits. It includes lengths, so that different lists of texts differ."""
    digest = hashlib.blake2b(digest_size=16, person=FORMAT)
    for text in (maker, *key):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def pack(array: Array) -> bytes:
    """An array as bytes: its type, shape and numbers, compressed with a checksum."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return zlib.compress(msgspec.msgpack.encode((little.dtype.str, little.shape, little.tobytes())), 1)


def unpack(value: bytes) -> Array:
    """The array of packed bytes; raises zlib.error if they are invalid."""
    kind, shape, data = msgspec.msgpack.decode(zlib.decompress(value))
    return np.frombuffer(data, dtype=kind).reshape(shape)
