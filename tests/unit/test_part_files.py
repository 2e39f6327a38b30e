"""Parts that are kept: any shares in any order make the audit, what is damaged is done again, nothing else is loaded."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.test_workers import Modelled, assert_same, cases_of

from fairbrief.auditing import Plan, audit, audit_share, part_work, run
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer, Unit
from fairbrief.auditing.part_files import PartFiles
from fairbrief.errors import RequestError
from fairbrief.measures.representation import Bur
from fairbrief.readers import json_lines, read, tables
from fairbrief.registry import make
from fairbrief.reports.result import Result
from fairbrief.serialization import case_line, write_lines

PLAN = Plan(
    measures=["bur@party", "rouge1", "word_list_inclusion", "entity_inclusion@gender"],
    n_resamples=30,
    slices=[("size",)],
    controls=("exchanged",),
)
SIZE = 6_000
"""Bytes of a part."""


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    """Parts of a few records, shards of fewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "PART", SIZE)
        patch.setattr(run, "SHARD", 16)
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems' lines of 40 records, in an order that parts variants and systems."""
    rows = [case_line(case) for case in cases_of(40)]
    path = tmp_path_factory.mktemp("parts") / "reviews.jsonl"
    write_lines([rows[(i * 37) % len(rows)] for i in range(len(rows))], path)
    return path


@pytest.fixture(scope="module")
def whole(file: Path, small_parts: None) -> Result:  # noqa: ARG001
    """The audit by one process that keeps nothing."""
    return audit(read(file), PLAN)


@pytest.mark.parametrize(("shares", "is_backwards"), [(1, False), (4, False), (4, True), (16, True)])
def test_any_shares_in_any_order_make_the_audit(
    shares: int, *, is_backwards: bool, file: Path, whole: Result, tmp_path: Path
) -> None:
    """To the last bit; and what was kept is not done again."""
    plan = replace(PLAN, into=tmp_path)
    numbers = range(shares, 0, -1) if is_backwards else range(1, shares + 1)
    done = [audit_share(read(file), plan, number, shares) for number in numbers]
    parts = len(read(file).ranges or ())
    assert sum(new for new, _ in done) == sum(of for _, of in done) == parts > 8
    assert audit_share(read(file), plan, 1, 1) == (0, parts)
    assert_same(audit(read(file), plan), whole)


def test_what_is_missing_or_damaged_is_done_again(file: Path, whole: Result, tmp_path: Path) -> None:
    """A file cut short, one with a byte changed, one that is gone, one that is empty."""
    plan = replace(PLAN, into=tmp_path)
    audit_share(read(file), plan, 1, 1)
    first, second, third, fourth = sorted(tmp_path.glob("*.part"))[:4]
    first.write_bytes(first.read_bytes()[:-100])
    content = bytearray(second.read_bytes())
    content[len(content) // 2] ^= 1
    second.write_bytes(content)
    third.unlink()
    fourth.write_bytes(b"")
    assert audit_share(read(file), plan, 1, 1)[0] == 4
    assert_same(audit(read(file), plan), whole)


def test_parts_of_another_audit_are_done_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another seed, another setting of the reading, other code or other content: nothing is mixed up."""
    plan = replace(PLAN, into=tmp_path)
    parts = audit_share(read(file), plan, 1, 1)[1]
    assert audit_share(read(file), replace(plan, seed=1), 1, 1) == (parts, parts)
    audit_share(read(file), plan, 1, 1)
    assert audit_share(read(file, on_error="skip"), plan, 1, 1)[0] == parts
    audit_share(read(file), plan, 1, 1)
    with monkeypatch.context() as patch:
        patch.setattr(part_work, "code_digest", lambda: "other code")
        assert audit_share(read(file), plan, 1, 1)[0] == parts


def test_parts_are_known_by_what_they_hold(file: Path, tmp_path: Path) -> None:
    """A file that was touched or moved has its parts, one that was changed lacks those alone that hold the change."""
    plan = replace(PLAN, into=tmp_path / "parts", controls=())
    copy = tmp_path / file.name
    copy.write_bytes(file.read_bytes())
    parts = audit_share(read(file), plan, 1, 1)[1]
    assert audit_share(read(copy), plan, 1, 1) == (0, parts)
    lines = copy.read_text().splitlines(keepends=True)
    last = json.loads(lines[-1]) | {"summary": "It rained.", "reason": ""}
    copy.write_text("".join([*lines[:-1], json.dumps(last)]))
    assert audit_share(read(copy), plan, 1, 1) == (1, parts)
    exchanging = replace(plan, controls=("exchanged",))
    audit_share(read(file), exchanging, 1, 1)
    assert audit_share(read(copy), exchanging, 1, 1) == (parts, parts)  # any part may lend a changed summary


def test_row_groups_are_known_by_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a Parquet file of which one row was changed, the part that holds it is done again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setattr(tables, "PART", 1)
    rows = [
        {"id": f"r{i}", "documents": [f"A {i}.", "B."], "summary": f"A {i}.", "references": ["A."]}
        for i in range(40)
    ]
    path, plan = tmp_path / "r.parquet", Plan(measures=["rouge1"], n_resamples=20, into=tmp_path / "parts")
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=10)
    assert audit_share(read(path), plan, 1, 1) == (4, 4)
    rows[25]["summary"] = "C."
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=10)
    assert audit_share(read(path), plan, 1, 1) == (1, 4)
    assert_same(audit(read(path), plan), audit(read(path), replace(plan, into=None)))


def test_an_audit_grows_by_its_new_parts(file: Path, whole: Result, tmp_path: Path) -> None:
    """Parts of the first file serve the audit of both files; it is that of an audit that keeps none."""
    plan = replace(PLAN, into=tmp_path / "parts", controls=())
    lines = file.read_text().splitlines(keepends=True)
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("".join(lines[: len(lines) // 2]))
    new.write_text("".join(lines[len(lines) // 2 :]))
    first, both = read(old), read([old, new])
    assert audit_share(first, plan, 1, 1)[0] == len(first.ranges or ())
    added = len(both.ranges or ()) - len(first.ranges or ())
    assert audit_share(both, plan, 1, 1) == (added, len(both.ranges or ()))
    assert_same(audit(both, plan), audit(both, replace(plan, into=None)))
    assert audit(both, plan).made["summaries"] == whole.made["summaries"]


def test_what_cannot_be_kept_in_parts_is_refused(file: Path, tmp_path: Path) -> None:
    """Shares that cannot be, no folder, and inputs without parts: with what to do."""
    plan = replace(PLAN, into=tmp_path)
    for share, shares in ((0, 4), (5, 4)):
        with pytest.raises(RequestError, match=f"no share {share} of {shares}"):
            audit_share(read(file), plan, share, shares)
    with pytest.raises(RequestError, match="--into"):
        audit_share(read(file), PLAN, 1, 1)
    for cases, other in ((list(read(file)), plan), (read(file), replace(plan, controls=("whole_source",)))):
        with pytest.raises(RequestError, match="has no parts that could be kept"):
            audit(cases, other)


class Harmful:
    """What a stranger might put into a file: it would run a command when it is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_a_file_can_run_no_code(tmp_path: Path) -> None:
    """Data of an audit are loaded, measures of the audit's own modules too; nothing else."""
    files = PartFiles(tmp_path, "x")
    files.save("1", {"sound": [Bur("party"), {"a": (1, 2.5)}]})
    files.save("1", {"harmful": Harmful(), "other": subprocess.Popen})
    assert files.read("1").load(["sound", "none"]) == {"sound": [Bur("party"), {"a": (1, 2.5)}]}
    with pytest.raises(pickle.UnpicklingError, match=r"posix\.system is no data"):
        files.read("1").load(["harmful"])
    with pytest.raises(pickle.UnpicklingError, match=r"subprocess\.Popen is no data"):
        files.read("1").load(["other"])
    assert PartFiles(tmp_path, "y").read("1").load(["sound"]) == {}


CHANGES = {
    "one more": [*PLAN.measures, "position_bias"],
    "another one": ["bur@party", "rouge1", "word_list_inclusion", "uer(scorer=tfidf)@party"],
    "one less": ["rouge1", "entity_inclusion@gender"],
    "another order": [*reversed(PLAN.measures)],
    "one of a cluster": ["bur@party", "distinguishability@side"],
}


@pytest.mark.parametrize(("change", "workers"), [*((change, 1) for change in CHANGES), ("one more", 2)])
def test_a_changed_measure_redoes_its_own_work_alone(
    change: str, workers: int, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts keep each observation apart: what others need is not observed again, and the audit is a fresh one's."""
    into = replace(PLAN, into=tmp_path, controls=("random_sentences",))
    parts = audit_share(read(file), into, 1, 1)[1]
    changed = replace(into, measures=CHANGES[change])
    old, new = (
        {make("measure", str(m)).observation: repr(make("measure", str(m))) for m in plan.measures}
        for plan in (into, changed)
    )
    observed: Counter[str] = Counter()
    observe = Observer.observe

    def counted(self: Observer, ledger: Ledger, units: Sequence[Unit]) -> None:
        observed[new[ledger.observation]] += len(units)
        observe(self, ledger, units)

    with monkeypatch.context() as patch:
        patch.setattr(Observer, "observe", counted)
        done, _ = audit_share(read(file, labels=["side"]), changed, 1, 1)
    added = {name for observation, name in new.items() if observation not in old}
    assert {*observed} == added
    assert done == (0 if change in ("one less", "another order") else parts)
    assert audit_share(read(file), changed, 1, 1) == (0, parts)
    assert_same(
        audit(read(file), replace(changed, workers=workers)), audit(read(file), replace(changed, into=None))
    )
    assert audit_share(read(file), into, 1, 1)[0] == 0  # what was there before is there still


def test_other_estimates_redo_nothing(file: Path, tmp_path: Path) -> None:
    """Level, intervals and baseline say what is made of the sums, and are no part of them."""
    into = replace(PLAN, into=tmp_path, controls=())
    audit_share(read(file), into, 1, 1)
    other = replace(into, confidence_level=0.9, intervals="bootstrap", baseline="a")
    assert audit_share(read(file), other, 1, 1)[0] == 0
    assert_same(audit(read(file), other), audit(read(file), replace(other, into=None)))


def test_what_needs_a_model_is_kept_beside_what_does_not(file: Path, tmp_path: Path) -> None:
    """Shards that wait for the sender's model are kept once, and scored when they are taken."""
    model = Modelled([])
    plan = replace(
        PLAN,
        measures=["bur(scorer=modelled)@party", "rouge1"],
        scorers={"modelled": model},
        workers=2,
        controls=(),
    )
    kept = replace(plan, into=tmp_path)
    audit(read(file), kept)
    more = ["uer(scorer=modelled)@party", *plan.measures, "coverage_parity(scorer=modelled)@party"]
    assert_same(
        audit(read(file), replace(kept, measures=more)),
        audit(read(file), replace(plan, measures=more, workers=1)),
    )
    fewer = replace(kept, measures=["rouge1"])
    assert audit_share(read(file), fewer, 1, 1)[0] == 0
    model.pids.clear()
    assert_same(audit(read(file), fewer), audit(read(file), replace(fewer, into=None)))
    assert not model.pids


KILLED = """
import sys
from pathlib import Path
from fairbrief.auditing import audit, run
from fairbrief.readers import json_lines, read
from tests.unit.test_part_files import PLAN, SIZE
from dataclasses import replace
if __name__ == "__main__":
    json_lines.PART, run.SHARD = SIZE, 16
    audit(read(sys.argv[1]), replace(PLAN, into=sys.argv[2], workers=int(sys.argv[3])))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_an_audit_that_is_killed_goes_on(workers: int, file: Path, whole: Result, tmp_path: Path) -> None:
    """However often and whenever: what was finished stays, and the answer is the same."""
    script, folder = tmp_path / "audit.py", tmp_path / "parts"
    script.write_text(KILLED)
    rng, kept = random.Random(workers), 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, str(script), str(file), str(folder), str(workers)],
            env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        )
        while process.poll() is None and len(list(folder.glob("*.part"))) <= kept:
            time.sleep(0.02)
        time.sleep(rng.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = len(list(folder.glob("*.part")))
    assert kept
    assert audit_share(read(file), replace(PLAN, into=folder), 1, 1)[0] < len(read(file).ranges or ())
    assert_same(audit(read(file), replace(PLAN, into=folder)), whole)


def test_two_processes_do_the_same_parts_at_once(file: Path, whole: Result, tmp_path: Path) -> None:
    """Neither disturbs the other: both end well, and every part is whole."""
    script, folder = tmp_path / "audit.py", tmp_path / "parts"
    script.write_text(KILLED)
    both = [
        subprocess.Popen(
            [sys.executable, str(script), str(file), str(folder), "1"],
            env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        )
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert audit_share(read(file), replace(PLAN, into=folder), 1, 1)[0] == 0
    assert {path.suffix for path in folder.iterdir()} == {".part"}
    assert_same(audit(read(file), replace(PLAN, into=folder)), whole)
