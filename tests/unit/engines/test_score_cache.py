"""Kept scores: found again, shared, never lost by more than a batch, never trusted when damaged."""

import multiprocessing
import signal
import sqlite3
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from fairbrief.engines.score_cache import Cached, hashed, pack, unpack, write
from fairbrief.errors import BackendError, RequestError
from fairbrief.scorers.pairs import Arrays, Key, KeyedScorer
from fairbrief.scorers.shared_words import Containment
from fairbrief.types import Ask, Cacheable, Scorer


class Lengths(KeyedScorer):
    """A scorer of pairs: an array as long as the column, filled with the row's length; two pairs a batch."""

    name: ClassVar[str] = "lengths"
    version: int = 1
    scored: list[Key] = field(default_factory=list, compare=False)

    @property
    def computed_by(self) -> str:
        return f"lengths/{self.version}"

    def compute(self, keys: Sequence[Key]) -> Iterator[Arrays]:
        for start in range(0, len(keys), 2):
            batch = keys[start : start + 2]
            self.scored.extend(batch)
            yield {key: np.full(len(key[1]), float(len(key[0]))) for key in batch}

    def number(self, array: Any) -> float:
        return float(array.sum())


ASKS = [Ask("lengths", ("a", "bb"), ("x", "yy")), Ask("lengths", ("bb", "ccc"), ("yy",))]


def test_a_second_run_scores_nothing(tmp_path: Path) -> None:
    """What a first run scored, each pair once, a second one only reads; other code, model or settings are scored again."""
    wanted = [s.matrix for s in Lengths().answer(ASKS)]
    for version, expected in ((1, 5), (1, 0), (2, 5)):
        scorer = Lengths(version=version)
        found = list(Cached(scorer, tmp_path / "kept" / "cache.sqlite").answer(ASKS))
        assert len(scorer.scored) == expected
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a.matrix, b)


def test_a_cached_scorer_is_the_scorer(tmp_path: Path) -> None:
    """Same name, fingerprint and spec: where a number was kept does not change it."""
    plain = Lengths()
    cached = Cached(plain, tmp_path / "c")
    assert isinstance(cached, Scorer)
    assert (cached.name, cached.fingerprint, repr(cached)) == (plain.name, plain.fingerprint, repr(plain))
    assert isinstance(plain, Cacheable)
    assert not isinstance(Containment(), Cacheable)


def test_texts_are_told_apart_whole() -> None:
    """No two lists of texts share a hash by sharing their joined letters; odd characters pass."""
    keys = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("\ud800", "\0")]
    assert len({hashed("m", key) for key in keys} | {hashed("ma", ("b", "c"))}) == len(keys) + 1


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["f4", "f8", ">f8"]).flatmap(
        lambda kind: arrays(np.dtype(kind), array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=40))
    )
)
def test_arrays_come_back_as_they_went(array: Any) -> None:
    """Packing keeps numbers, shape and precision; a flipped bit is noticed where it carries something."""
    packed = pack(array)
    found = unpack(packed)
    np.testing.assert_array_equal(found, array)
    assert found.shape == array.shape
    assert found.dtype == array.dtype.newbyteorder("=")
    for i in {0, 3, len(packed) // 2, len(packed) - 1}:
        try:
            damaged = unpack(packed[:i] + bytes([packed[i] ^ 4]) + packed[i + 1 :])
        except zlib.error:
            continue
        np.testing.assert_array_equal(damaged, array)  # a bit that carries nothing


CHILD = """
    import time
    from pathlib import Path
    from tests.unit.engines.test_score_cache import Lengths
    from fairbrief.engines.score_cache import Cached
    from fairbrief.types import Ask

    class Slow(Lengths):
        def compute(self, keys):
            for n, batch in enumerate(super().compute(keys)):
                yield batch
                if n == 4:
                    print("batch", n, flush=True)
                    time.sleep(60)

    list(Cached(Slow(), Path({path!r})).answer([Ask("", tuple("abcdefgh"), ("x", "y"))]))
"""


def test_a_killed_run_loses_at_most_one_batch(tmp_path: Path) -> None:
    """After kill -9 in the fifth batch the four before it, at least, are read, and the rest is scored."""
    path = tmp_path / "c.sqlite"
    code = textwrap.dedent(CHILD).format(path=str(path))
    root = Path(__file__).parents[3]
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)
    assert process.stdout.readline().startswith("batch 4")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    scorer = Lengths()
    list(Cached(scorer, path).answer([Ask("", tuple("abcdefgh"), ("x", "y"))]))
    assert 16 - 5 * 2 <= len(scorer.scored) <= 16 - 4 * 2


def stored(path: Path) -> int:
    """How many arrays a file has."""
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT count(*) FROM arrays").fetchone()[0])


def _begin(folder: Path, ready: Any, number: int) -> None:
    for turn in range(2):
        ready.wait(60)
        for batch in range(4):
            write(folder / f"c{turn}.sqlite", "m", {(str(batch), str(number % 2)): np.ones(2)})


def test_processes_that_begin_a_file_together_share_it(tmp_path: Path) -> None:
    """A new file that four processes create in the same moment, and fill with the same pairs, serves all of them."""
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(4)
    workers = [spawn.Process(target=_begin, args=(tmp_path, ready, n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * 4
    paths = sorted(tmp_path.glob("*.sqlite"))
    assert len(paths) == 2
    for path in paths:
        assert stored(path) == 8  # each pair once


@pytest.mark.parametrize("damage", ["garbage", "truncated", "entry"])
def test_a_damaged_file_is_refused_with_what_to_do(tmp_path: Path, damage: str) -> None:
    """Whether it is no database, or pages or entries are broken; when it is deleted, the scores are computed again."""
    path = tmp_path / "c.sqlite"
    asks = [Ask("", tuple(f"row {i}" for i in range(60)), ("x" * 300, "y" * 300))]
    wanted = [scores.matrix for scores in Cached(Lengths(), path).answer(asks)]
    if damage == "garbage":
        path.write_bytes(b"reviews, not scores\n" * 500)
    elif damage == "truncated":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 4096 * 4096])
    else:
        with sqlite3.connect(path) as database:
            database.execute("UPDATE arrays SET value = zeroblob(40)")
        database.close()
    with pytest.raises(BackendError, match=r"c.sqlite cannot be used: .*delete it"):
        list(Cached(Lengths(), path).answer(asks))
    path.unlink()
    (found,) = Cached(Lengths(), path).answer(asks)
    np.testing.assert_array_equal(found.matrix, wanted[0])


def test_what_is_no_score_cache_is_left_alone(tmp_path: Path) -> None:
    """Another program's database is refused, not renamed and not written to; so is a folder."""
    path = tmp_path / "photos.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE photos (name TEXT)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(RequestError, match="another program"):
        list(Cached(Lengths(), path).answer(ASKS))
    assert path.read_bytes() == before
    with pytest.raises(BackendError, match="cannot be used"):
        list(Cached(Lengths(), tmp_path).answer(ASKS))
