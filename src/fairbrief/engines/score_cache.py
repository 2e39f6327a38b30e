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
from dataclasses import dataclass, field
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
        maker = self.scorer.computed_by
        wanted = list(self.scorer.keys(asks))
        with closing(Store(Path(self.path))) as store:
            arrays = store.read(maker, wanted)
            missing = [key for key in wanted if key not in arrays]
            for batch in self.scorer.compute(missing) if missing else ():
                store.write(maker, batch)
                arrays.update(batch)
        yield from self.scorer.assemble(asks, arrays)


@dataclass(slots=True)
class Store:
    """Arrays by key in one SQLite file, opened at the first use; must be closed."""

    path: Path
    _database: sqlite3.Connection | None = field(default=None, init=False)

    def read(self, maker: str, keys: Sequence[ScoreKey]) -> dict[ScoreKey, Array]:
        """The arrays of the keys that are in the file."""
        result: dict[ScoreKey, Array] = {}
        if not keys or not self.path.exists():
            return result

        with self._naming_the_file():
            for start in range(0, len(keys), LOOKUP):
                by_hash = {hashed(maker, key): key for key in keys[start : start + LOOKUP]}
                marks = ",".join("?" * len(by_hash))
                query = f"SELECT key, value FROM arrays WHERE key IN ({marks})"  # noqa: S608 - question marks only
                for key, value in self._open().execute(query, list(by_hash)):
                    result[by_hash[key]] = unpack(value)
        return result

    def write(self, maker: str, batch: Mapping[ScoreKey, Array]) -> None:
        """Add arrays in one transaction; entries that another process wrote meanwhile are not replaced."""
        rows = [(hashed(maker, key), pack(array)) for key, array in batch.items()]
        with self._naming_the_file(), self._open() as database:
            database.executemany("INSERT OR IGNORE INTO arrays VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, zlib.error, UnicodeDecodeError) as error:
            raise BackendError(
                f"The score cache {self.path} cannot be used: {error}. If it is damaged, delete it, and its scores are computed again. "
                "Otherwise close other programs that use it, free disk space, or give another --cache."
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
            try:
                self._prepare(self._database)
            except BaseException:
                self.close()
                raise
        return self._database

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Initialise a new file; RequestError for another program's database."""
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        if mark != APPLICATION:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name != 'arrays'").fetchone():
                raise RequestError(f"{self.path} is another program's database. Give another --cache.")
            database.execute(
                "CREATE TABLE IF NOT EXISTS arrays (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
            database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute("PRAGMA synchronous = NORMAL")


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
