"""An input that is read in parts: whoever audits them, the answer is the same to the last bit."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.unit.test_workers import MEASURES, Modelled, assert_same, cases_of

from fairbrief.auditing import Plan, audit, grouping, run
from fairbrief.errors import FairbriefError
from fairbrief.readers import json_lines, read
from fairbrief.registry import make
from fairbrief.reports.result import Result
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Ask, Scores

PLAN = Plan(measures=MEASURES, n_resamples=40, slices=[("size",)], controls=("exchanged", "random_sentences"))


@pytest.fixture(scope="module")
def small_parts() -> Iterator[None]:
    """Parts of a few records, shards of fewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "PART", 12_000)
        patch.setattr(run, "SHARD", 16)
        yield


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """Two systems' lines of 44 records; variants of one original, and systems of one record, lie apart."""
    rows = [case_line(case) for case in cases_of(44)]
    return [rows[(i * 37) % len(rows)] for i in range(len(rows))]


@pytest.fixture(scope="module")
def file(lines: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lines as a file of several parts."""
    path = tmp_path_factory.mktemp("parts") / "reviews.jsonl"
    write_lines(lines, path)
    return path


@pytest.fixture(scope="module")
def here(file: Path, small_parts: None) -> Result:  # noqa: ARG001
    """The audit of the parts by this process."""
    reading = read(file)
    assert len(reading.ranges or ()) > 4
    return audit(reading, PLAN)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("held", "lots"), [(0, 1), (6_000, 3), (40_000, 50)])
@pytest.mark.parametrize("is_parted", [True, False])
def test_cases_that_wait_on_the_disk_change_no_bit(
    held: int, lots: int, *, is_parted: bool, file: Path, here: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each alone, some at a time, in more lots than there are clusters; read in parts and from the beginning."""
    laid: list[list[Any]] = []
    add = grouping.RowsOnDisk.add
    monkeypatch.setattr(
        grouping.RowsOnDisk, "add", lambda self, lot, some: (laid.append(some), add(self, lot, some))
    )
    wanted = here if is_parted else audit(list(read(file)), replace(PLAN, controls=()))
    assert not laid
    monkeypatch.setattr(grouping, "HELD", held)
    monkeypatch.setattr(grouping, "LOTS", lots)
    found = audit(read(file), PLAN) if is_parted else audit(list(read(file)), replace(PLAN, controls=()))
    assert sum(map(len, laid)) > 20
    assert len(laid) > lots
    assert_same(found, wanted)


def said(path: Path, plan: Plan, **settings: Any) -> str:
    """What an audit that must fail says."""
    with pytest.raises(FairbriefError) as error:
        audit(read(path, **settings), plan)
    return f"{type(error.value).__name__}: {error.value}"


FEW = Plan(measures=["rouge1", "bur@party"], n_resamples=10)
BOTH = (FEW, replace(FEW, workers=2))


def changed(lines: Sequence[dict[str, Any]], path: Path, changes: dict[int, Any]) -> Path:
    """A file of the lines, some of them others."""
    rows = [json.dumps(changes.get(i, row)) for i, row in enumerate(lines)]
    path.write_text("\n".join(rows))
    return path


@pytest.mark.usefixtures("small_parts")
def test_the_first_bad_line_is_told_with_its_number(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """A line that cannot be read, and one that a measure cannot read: by its number in the file, whoever met one."""
    unread = changed(lines, tmp_path / "x.jsonl", {50: {"id": "x"}, 70: {"id": "y"}})
    without = {
        **lines[60],
        "documents": [{**d, "attributes": {}} if not i else d for i, d in enumerate(lines[60]["documents"])],
    }
    unfit = changed(lines, tmp_path / "y.jsonl", {60: without})
    for plan in BOTH:
        assert "x.jsonl:51 " in said(unread, plan)
        assert "y.jsonl:61 " in said(unfit, plan)


@pytest.mark.usefixtures("small_parts")
def test_skipped_lines_are_counted_and_listed(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """As by a reading from the beginning, with the same words."""
    path = changed(lines, tmp_path / "x.jsonl", {3: [], 50: {"id": "x"}, 70: {"id": "y"}})
    whole = read(path, on_error="skip", require=["party"])
    list(whole)
    assert whole.skipped_count == 3
    for plan in BOTH:
        reading = read(path, on_error="skip", require=["party"])
        result = audit(reading, plan)
        assert (reading.skipped, reading.skipped_count) == (whole.skipped, 3)
        assert reading.notes == whole.notes
        assert result.made["skipped"] == 3


@pytest.mark.usefixtures("small_parts")
def test_documents_without_text_are_counted_over_all_parts(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    """As by a reading from the beginning, with the same words."""

    def with_blank(at: int) -> dict[str, Any]:
        line = lines[at]
        blank = {"text": " ", "attributes": {"party": "L"}}
        return {**line, "documents": [*line["documents"], blank], "entities": []}

    rows = [with_blank(i) for i in range(len(lines))]
    path = tmp_path / "x.jsonl"
    write_lines(rows, path)
    for plan in BOTH:
        reading = read(path)
        audit(reading, plan)
        assert f"{len(rows)} documents without text left out." in reading.notes


@pytest.mark.usefixtures("small_parts")
def test_shown_records_are_named_by_their_lines(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """Of the file, not of the part; blank lines count. Records that waited for others of their cluster, too."""
    path = tmp_path / "x.jsonl"
    path.write_text(
        "".join(json.dumps(line, default=str) + "\n" * (1 + i % 3) for i, line in enumerate(lines))
    )
    numbers = [1 + sum(1 + j % 3 for j in range(i)) for i in range(len(lines))]
    placed = {(line["id"], line["system"]): f"x.jsonl:{n}" for line, n in zip(lines, numbers, strict=True)}
    for plan in BOTH:
        reading = read(path)
        assert len(reading.ranges or ()) > 4
        shown = [exhibit.case for exhibit in audit(reading, replace(plan, controls=())).exhibits]
        assert len({case.record.where for case in shown}) > 4
        for case in shown:
            assert case.record.where == placed[case.record.id, case.summary.system]


@pytest.mark.usefixtures("small_parts")
def test_an_id_that_comes_again_in_another_part_is_told(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """With both lines; skipped on request, as by a reading from the beginning."""
    again = changed(lines, tmp_path / "x.jsonl", {80: lines[2]})
    other = {**lines[2], "system": "third", "documents": [{"text": "Other.", "attributes": {"party": "L"}}]}
    others = changed(lines, tmp_path / "y.jsonl", {80: other})
    for plan in BOTH:
        assert "x.jsonl:81 " in said(again, plan)
        assert "after x.jsonl:3" in said(again, plan)
        assert "other documents than at y.jsonl:3" in said(others, plan)
        reading = read(again, on_error="skip")
        assert audit(reading, plan).made["skipped"] == reading.skipped_count == 1


@pytest.mark.usefixtures("small_parts")
def test_fields_that_are_nowhere_are_told_before_work(file: Path) -> None:
    """A misspelt field is not told of each part, but of the file."""
    for plan in BOTH:
        assert "has no field 'sytem'" in said(file, plan, system_field="sytem")


@pytest.mark.usefixtures("small_parts")
def test_workers_know_the_language_that_was_told(tmp_path: Path) -> None:
    """What is cut by its rules is cut so in every process, in parts and in shards."""
    said = "On 3. May it was nice. The soup was fine. On 5. May it was cold."
    rows = [
        {
            "id": f"r{i}",
            "documents": [{"text": f"{said} {i}.", "attributes": {"party": p}} for p in "LRLR"],
            "summary": "On 3. May it was nice. On 5. May it rained.",
        }
        for i in range(60)
    ]
    path = changed(rows, tmp_path / "x.jsonl", {})
    plan = replace(FEW, measures=["equal_coverage@party"], language="de")
    here = audit(read(path), plan)
    assert_same(audit(read(path), replace(plan, workers=2)), here)
    cases = list(read(path))
    assert_same(audit(cases, replace(plan, workers=2)), audit(cases, plan))
    assert here.evidence != audit(read(path), replace(plan, language="en")).evidence


@pytest.mark.usefixtures("small_parts")
def test_models_stay_in_this_process(file: Path) -> None:
    """What needs one is observed here, beside what the workers observe."""
    model = Modelled([])
    plan = replace(
        FEW, measures=["rouge1", "equal_coverage(scorer=modelled)@party"], scorers={"modelled": model}
    )
    parted = audit(read(file), plan)
    assert_same(audit(read(file), replace(plan, workers=2)), parted)
    assert set(model.pids) == {os.getpid()}


@dataclass(frozen=True)
class Deadly:
    """A scorer that kills the first two workers that ask it; ``marks`` remembers them."""

    marks: str
    name: ClassVar[str] = "deadly"
    fingerprint: ClassVar[str] = "deadly 1"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        marks = Path(self.marks)
        if len(list(marks.iterdir())) < 2 and os.getpid() != int(os.environ["FAIRBRIEF_TEST_PARENT"]):
            (marks / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from make("scorer", "tfidf").answer([replace(ask, scorer="tfidf") for ask in asks])


@pytest.mark.usefixtures("small_parts")
def test_killed_workers_lose_nothing(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that a worker had in hand when it was killed are done by another."""
    monkeypatch.setenv("FAIRBRIEF_TEST_PARENT", str(os.getpid()))
    plan = replace(
        FEW, measures=["equal_coverage(scorer=deadly)@party"], scorers={"deadly": Deadly(str(tmp_path))}
    )
    assert_same(audit(read(file), replace(plan, workers=2)), audit(read(file), plan))
    assert len(list(tmp_path.iterdir())) == 2
