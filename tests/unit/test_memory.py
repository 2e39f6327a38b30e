"""How much memory an audit takes is told before it begins, and what cannot fit is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.test_workers import assert_same

from fairbrief.auditing import Plan, audit, memory, scored_rows
from fairbrief.auditing.run import Run
from fairbrief.auditing.waiting import size_of
from fairbrief.errors import RequestError
from fairbrief.types import Case, Document, Record, Summary

SCRIPT = """
import json, re, sys
from pathlib import Path
from tests.unit.test_memory import cases_of, plan_of
from fairbrief.auditing import audit, memory
from fairbrief.registry import make
shape = json.loads(sys.argv[1])
cases, plan = cases_of(**shape), plan_of(**shape)
told = memory.forecast(cases, cases[:200], plan, [make("measure", m) for m in plan.measures])
audit(cases, plan)
# Of this process alone: what is said of its resources also counts the one that started it.
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([told.total, 1024 * int(peak[1])]))
"""


def cases_of(
    *, records: int = 1, documents: int = 4, groups: int = 2, slices: int = 1, systems: int = 1
) -> list[Case]:
    """Summaries of short documents, each system's alike."""
    found = []
    for i in range(records):
        texts = [f"The soup number {(i * documents + j) % 97} was good." for j in range(documents)]
        of_document = [Document(t, {"side": f"g{j % groups}"}) for j, t in enumerate(texts)]
        record = Record(f"r{i}", tuple(of_document), attributes={"topic": f"t{i % slices}"})
        text = f"The soup number {i % 97} was good."
        found += [Case(record, Summary(record.id, f"s{k}", text)) for k in range(systems)]
    return found


def plan_of(*, slices: int = 1, **_: int) -> Plan:
    """One measure."""
    return Plan(measures=["equal_coverage@side"], slices=[("topic",)] if slices > 1 else [])


@pytest.mark.skipif(
    sys.platform != "linux", reason="the largest memory of a process is counted otherwise here"
)
@pytest.mark.parametrize(
    "shape",
    [
        {"documents": 200, "groups": 200},
        {"documents": 2_000},
        {"records": 400, "documents": 10, "groups": 5, "slices": 20},
        {"records": 400, "documents": 3, "slices": 400, "systems": 10},
        {"records": 300, "documents": 16, "groups": 4},
        {"records": 1_000, "documents": 3, "systems": 5},
        {"records": 6_000, "documents": 3},
    ],
    ids=[
        "many groups",
        "many documents",
        "many slices",
        "many systems and slices",
        "many labellings",
        "pairs of systems",
        "many records",
    ],
)
def test_no_less_is_told_than_is_taken(shape: dict[str, int]) -> None:
    """Nor twice as much; each shape in a process of its own."""
    command = [sys.executable, "-c", SCRIPT, json.dumps(shape)]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    told, taken = json.loads(ended.stdout)
    assert taken < told < taken * 2


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (
            {"documents": 20_000},
            r"r0', 20,000 documents\) alone takes .* GB .* fewer --resamples, --extracts 0",
        ),
        ({"records": 210, "documents": 12, "slices": 100}, r"by system and slice\. Take fewer --slice"),
        (
            {"records": 400, "documents": 3, "slices": 400, "systems": 5},
            r"are for about 6.,... estimates by system and slice.* Take fewer --slice, measures by name",
        ),
        ({"records": 20_000, "documents": 1}, r"rows of all records\. Take measures by name"),
    ],
)
def test_what_cannot_fit_is_refused_before_work(
    shape: dict[str, int], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it would take, what there is, and what to do; the variable says what there is."""
    cases, plan = cases_of(**shape), plan_of(**shape)
    told = memory.forecast(cases, cases[:200], plan, measures_of(plan))
    monkeypatch.setenv("FAIRBRIEF_MEMORY", f"{(told.total - 1e6) / 1e6:.3f}MB")
    with pytest.raises(
        RequestError, match=rf"would take about .* GB of memory.*{said}.*FAIRBRIEF_MEMORY=32GB"
    ):
        audit(cases, plan)


def test_a_record_that_cannot_fit_is_refused_before_measures_are_tried_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where none are named, too."""
    monkeypatch.setenv("FAIRBRIEF_MEMORY", "1GB")
    monkeypatch.setattr(Run, "walk", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(RequestError, match=r"20,000 documents\) alone takes"):
        audit(cases_of(documents=20_000), Plan(attributes=["side"]))


def test_extracts_of_a_very_large_record_are_refused_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the record, the limit and what to do; each remedy that is named goes through."""
    monkeypatch.setattr(memory, "MOST_PAIRS", 1_000)
    cases, plan = cases_of(documents=40), replace(plan_of(), n_resamples=20)
    with pytest.raises(
        RequestError, match=r"r0.*40 documents.*1,600 pairs.*--extracts 0.*--extracts 200.*cut the record"
    ):
        audit(cases, plan)
    for remedy in (0, 200):
        assert audit(cases, replace(plan, n_extracts=remedy)).estimates
    assert audit(cases_of(documents=20, records=2), plan).estimates


def test_what_a_small_audit_takes_is_told_as_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two records of 4 short documents in 2 groups, one measure. A row has 9 + 8·2 statistics, and as many of extracts.

    512 cases of 6 labellings are observed together: labellings 3072·4 · 8 · (2.5 + 4), members 3072·4·2, labellings that are
    kept 2 · 1536·4, statistics 1536·(9 + 9·2) · 80; and extracts of 4 sentences 4 · 8 · (2·4 + 4·200). Rows are open before
    they are packed, 8 bytes a statistic, and when they are written, 16. The rows of the whole are kept until they are many:
    2 · (8 · (6 + 9·2) columns · 6 labellings + 100·2 + 2000), and as much again of a part; of 10 resamples they are summed:
    16 · 24 · 10. The measure has about 7 + 1.5·2 values, of one system; of two, these have as many each, and their
    differences, for which their records stand side by side. Of records that share clusters, as much waits as may.
    """
    cases = cases_of(records=2)
    plan = replace(plan_of(), n_resamples=100)
    told = memory.forecast(cases, cases, plan, measures_of(plan))
    assert told == memory.Forecast(
        base=200e6,
        largest=3072 * 4 * (8 * 6.5 + 2 + 2) + 3072 * 27 * 80 + 4 * 8 * 808,
        rows=2 * (100 + 2 * 50) + 2 * 50 * (8 + 16),
        slices=2 * 2 * (8 * 24 * 6 + 2 * 100 + 2000),
        estimates=10 * 1_000,
        about="input (id 'r0', 4 documents) and others like it take",
    )
    summed = memory.forecast(cases, cases, replace(plan, n_resamples=10), measures_of(plan))
    assert summed.slices == 2 * 16 * 24 * 10
    alone = memory.forecast(cases, cases, replace(plan, n_resamples=0, workers=3), measures_of(plan))
    assert (alone.base, alone.largest) == (4 * 200e6, 3 * (512 * 4 * (8 * 6.5 + 2 + 2) + 512 * 27 * 80))
    assert (alone.rows, alone.slices) == (2 * (100 + 2 * 25) + 2 * 25 * 24, 0)
    waiting = memory.forecast(cases, cases, replace(plan, has_clusters=True), measures_of(plan))
    assert waiting.base == 200e6 + sum(map(size_of, cases))
    monkeypatch.setattr(memory, "HELD", 3_000)
    waiting = memory.forecast(cases, cases, replace(plan, has_clusters=True), measures_of(plan))
    assert waiting.base == 200e6 + 3_000
    two = cases_of(records=2, systems=2)
    of_two = memory.forecast(two, two, plan, measures_of(plan))
    assert (of_two.rows, of_two.estimates) == (2 * told.rows + 2 * 50, 3 * 10 * 1_000)
    sliced = replace(plan, slices=[("topic",)], n_resamples=0)
    of_slices = cases_of(records=4, systems=2, slices=2)
    assert memory.forecast(of_slices, of_slices, sliced, measures_of(plan)).estimates == 3 * 2 * 10 * 1_000


def test_one_group_has_no_labellings_to_hold() -> None:
    """Statistics of 512 rows alone: 512 · (9 + 9) · 80, and extracts as they are asked for."""
    cases = cases_of(groups=1)
    plan = replace(plan_of(), n_resamples=100, n_extracts=10)
    assert memory.forecast(cases, cases, plan, measures_of(plan)).largest == 512 * 18 * 80 + 4 * 8 * 48


def test_cases_of_a_file_are_counted_by_its_bytes() -> None:
    """A record of two documents of 20 characters and two summaries of 40, 60 for what stands around each, is 360 bytes of two
    cases: in 1,800 bytes there are ten. Where it stands in the line of each system, these are 520 bytes, and there are seven.
    """

    class File:
        bytes_total = 1800

        def __iter__(self) -> Iterator[Case]:
            return iter(head)

    record = Record("r", tuple(Document("x" * 20, {"side": side}) for side in "ab"))
    head = [Case(record, Summary("r", system, "y" * 40)) for system in ("s", "t")]
    plan = replace(plan_of(), n_resamples=0)
    told = memory.forecast(File(), head, plan, measures_of(plan))
    assert told.rows == 10 * (100 + 2 * 25 + 24 * 25)
    head[:] = [replace(case, record=replace(record, where=f"f:{i}")) for i, case in enumerate(head)]
    told = memory.forecast(File(), head, plan, measures_of(plan))
    assert told.rows == pytest.approx(1800 / 260 * (100 + 2 * 25 + 24 * 25))


def test_labellings_of_a_large_record_are_observed_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rows that they have together."""
    cases = cases_of(documents=30, groups=3)
    plan = Plan(
        measures=[
            "uer@side",
            "bur@side",
            "equal_coverage@side",
            "coverage_parity@side",
            "position_from_uniform",
        ],
        n_resamples=50,
    )
    whole = audit(cases, plan)
    monkeypatch.setattr(scored_rows, "LABELS_OF_ONE", 7 * 30)
    assert_same(audit(cases, plan), whole)


def measures_of(plan: Plan) -> list[memory.Measure]:
    """Those that a plan names."""
    from fairbrief.registry import make

    return [make("measure", str(m)) for m in plan.measures]


def test_the_variable_is_read_as_people_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a unit or without; anything else is refused."""
    for text, amount in (("32GB", 32e9), ("512 MiB", 512e6), ("1.5g", 1.5e9), ("100", 100.0)):
        monkeypatch.setenv("FAIRBRIEF_MEMORY", text)
        assert memory.available() == amount
    for text in ("much", "1.2.3GB"):
        monkeypatch.setenv("FAIRBRIEF_MEMORY", text)
        with pytest.raises(RequestError, match="no amount of memory: write it like 32GB"):
            memory.available()


def test_the_limit_of_a_control_group_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In either version; what files hold in memory is free; a group without a limit is passed over."""
    monkeypatch.setattr(memory, "_of_machine", lambda: 64e9)
    for names in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        folder = tmp_path / names[0]
        folder.mkdir()
        monkeypatch.setattr(memory, "_groups", lambda folder=folder: [folder, tmp_path / "absent"])
        for name, text in zip(
            (*names[:2], "memory.stat"), ("9000", "5000", f"x 1\n{names[2]} 700\n"), strict=True
        ):
            (folder / name).write_text(text)
        assert memory.available() == 4700
        (folder / names[0]).write_text("max\n")
        assert memory.available() == 64e9
