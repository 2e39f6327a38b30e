"""One input has one answer, to the last bit: in any order, any cut and any engine, whatever ends a worker."""

import errno
import gc
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import sample_results
from tests.sample_cases import MEASURES, Modelled, assert_same, cases_of

from fairbrief.auditing import Plan, audit, ledger, run
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.measures.representation import Bur
from fairbrief.readers import json_lines, read, rows_on_disk
from fairbrief.registry import make
from fairbrief.reports import json_file
from fairbrief.reports.result import Result
from fairbrief.scorers.shared_words import Containment
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case

BASELINES = ("exchanged", "random_sentences")
PLAN = Plan(measures=MEASURES, n_resamples=40, n_extracts=10, by=[("size",)], sanity_baselines=BASELINES)
"""All families, subgroups, sanity baselines; the counterfactuals of a seed document lie apart in the input."""
FEW = Plan(measures=["rouge1", "bur@party"], n_resamples=10)
BOTH = (FEW, replace(FEW, workers=2))


Written = tuple[str, pa.Table]


def written(result: Result) -> Written:
    """All that an audit writes, but for how long it took and on which lines records stood; and its evidence."""
    held = json.loads(sample_results.results_json(result))
    for name in json_file.TIMES:
        held["made"].pop(name)
    held.pop("audit")  # a hash of all, lines included
    columns = result.per_record
    rows = pa.table({n: plain(columns[n]) for n in columns.column_names})
    return re.sub(r'"where": "[^"]*"', "", json.dumps(held)), rows


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts without their dictionaries, which hang on how rows were cut."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def assert_written(result: Result, wanted: Written) -> None:
    """Equal to the last bit."""
    text, per_record = written(result)
    assert text == wanted[0]
    assert per_record.equals(wanted[1])


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Parts of a few records, and batches of fewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "PART", 5_000)
        patch.setattr(run, "BATCH", 16)
        yield


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Records in two systems, some of them counterfactuals of one seed document."""
    return cases_of(24)


@pytest.fixture(scope="module")
def lines(cases: list[Case]) -> list[dict[str, Any]]:
    """The same as lines of a file; counterfactuals of one seed document, and systems of one record, lie apart."""
    rows = [case_line(case) for case in cases]
    return [rows[(i * 37) % len(rows)] for i in range(len(rows))]


@pytest.fixture(scope="module")
def file(lines: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lines as a file of several parts."""
    path = tmp_path_factory.mktemp("parts") / "reviews.jsonl"
    write_lines(lines, path)
    assert len(read(path).ranges) > 4
    return path


@pytest.fixture(scope="module")
def wanted(cases: list[Case]) -> Written:
    """What an audit of the cases writes, made by this process, seven units scored at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "BATCH", 7)
        result = audit(cases, PLAN)
    assert {e.quantity for e in result.estimates if e.p is not None}
    return written(result)


# ------------------------------------------------------------------------------ order, cut and engine


ODD = ("ä", "", "\uffff", "\U0001f600")


def oddly_named(case: Case) -> Case:
    """The case, whose record is called as hardly any is: records are ordered as strings."""
    name = f"{ODD[int(case.record.id[1:]) % 4]}{case.record.id}"
    return replace(case, record=replace(case.record, id=name), summary=replace(case.summary, record=name))


@settings(max_examples=2)
@given(
    seed=st.integers(0, 10**6), order=st.randoms(use_true_random=False), batch=st.sampled_from([1, 7, 256]),
    chunk=st.sampled_from([3, 40, 1 << 12]), ordered=st.sampled_from([2, 7, 1 << 15]),
)  # fmt: skip
def test_order_changes_no_bit(seed: int, order: random.Random, batch: int, chunk: int, ordered: int) -> None:
    """Any records, shuffled, any number of them observed at once, and of rows stored or sorted at once."""
    cases = [oddly_named(case) for case in cases_of(12, seed)]
    wanted = written(audit(cases, PLAN))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "BATCH", batch)
        for name, value in (("CHUNK", chunk), ("SORTED", ordered)):
            patch.setattr(ledger, name, value)
        assert_written(audit(order.sample(cases, len(cases)), PLAN), wanted)


@pytest.mark.parametrize(("source", "engine"), [
    ("cases", "processes(workers=2)"), ("file", "processes(workers=3)"),
    ("cases", "threads(workers=3)"),  # of a stranger's package, one file that declares them
])  # fmt: skip
def test_engines_agree(source: str, engine: str, cases: list[Case], file: Path, wanted: Written) -> None:
    """All measures, scopes, subgroups and sanity baselines, of cases and of a file in parts."""
    given_ = cases if source == "cases" else read(file)
    assert_written(audit(given_, replace(PLAN, engine=engine)), wanted)


@pytest.mark.parametrize(("lots", "is_parted"), [(1, True), (20, False)])
def test_cases_that_wait_on_the_disk_change_no_bit(
    lots: int, *, is_parted: bool, file: Path, wanted: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All together, or in more lots than there are clusters; read in parts and from the beginning."""
    laid: list[Any] = []
    stored = rows_on_disk.RowsOnDisk
    add = stored.add
    monkeypatch.setattr(stored, "add", lambda self, lot, some: (laid.append(some), add(self, lot, some)))
    monkeypatch.setattr(rows_on_disk, "HELD", 1 if lots == 1 else 6_000)
    monkeypatch.setattr(run, "LOTS", lots)
    assert_written(audit(read(file) if is_parted else list(read(file)), PLAN), wanted)
    assert len(laid) > 4


class FullDisk(BytesIO):
    """A file that nothing can be written to any more, nor closed."""

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_without_room_for_cases_that_wait_is_named(
    cases: list[Case], monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """Once, with its folder: closing the file says nothing more."""
    monkeypatch.setattr(rows_on_disk, "SpooledTemporaryFile", lambda _: FullDisk())
    monkeypatch.setattr(rows_on_disk, "gettempdir", lambda: "small-disk")
    with pytest.raises(OSError, match="No space left") as full:
        audit(cases, FEW)
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, "small-disk")
    del full
    gc.collect()
    assert not recwarn.list


def test_late_counterfactuals_join_their_cluster(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first cases vary nothing, and so none of them waited; a stream that is gone cannot be read again."""
    ours = [replace(c, record=replace(c.record, seed_document=None)) for c in cases[:24]]
    late = []
    for c in ours:
        record = replace(c.record, id=f"v{c.record.id}", seed_document=c.record.id)
        late.append(Case(record, replace(c.summary, record=record.id)))
    plan = replace(PLAN, measures=["equal_coverage@party", "uer@party"], has_clusters=True)
    wanted = written(audit([*late, *ours], plan))
    monkeypatch.setattr("fairbrief.auditing.HEAD", 24)
    assert_written(audit([*ours, *late], replace(plan, has_clusters=False)), wanted)
    with pytest.raises(RequestError, match="read only once: say has_clusters=True"):
        audit(iter([*ours, *late]), replace(plan, has_clusters=False, sanity_baselines=()))


def test_an_engine_and_workers_are_not_both_given(cases: list[Case]) -> None:
    """One of them would be without effect; and an engine that nobody declares is told."""
    with pytest.raises(RequestError, match="--workers 3 and --engine ray exclude each other"):
        audit(cases, replace(PLAN, workers=3, engine="ray"))
    with pytest.raises(RequestError, match=r"No engine named 'rya'\. Did you mean 'ray'"):
        audit(cases, replace(PLAN, engine="rya"))
    assert make("engine", "ray:ray://head:10001").address == "ray://head:10001"


# ------------------------------------------------------------------------------ lines that cannot be used


def said(source: Any, plan: Plan, **settings: Any) -> str:
    """What an audit of cases, or of a file, that must fail says."""
    with pytest.raises(FairbriefError) as error:
        audit(read(source, **settings) if isinstance(source, Path) else source, plan)
    return f"{type(error.value).__name__}: {error.value}"


def changed(lines: Sequence[dict[str, Any]], path: Path, changes: dict[int, Any]) -> Path:
    """A file of the lines, some of them others."""
    rows = [json.dumps(changes.get(i, row)) for i, row in enumerate(lines)]
    path.write_text("\n".join(rows))
    return path


def broken(cases: Sequence[Case], *numbers: int) -> list[Case]:
    """The cases, in some of which one document has lost its party."""
    found = list(cases)
    for number in numbers:
        record, summary = found[number].record, found[number].summary
        first, *rest = record.documents
        documents = (replace(first, attributes={}), *rest)
        changed = replace(record, documents=documents, where=f"reviews.jsonl:{number + 1}")
        found[number] = Case(changed, summary)
    return found


def test_skipped_lines_are_counted_and_listed(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """As by a reading from the beginning, with the same words; so are documents without text, over all parts."""
    blank = {"text": " ", "attributes": {"party": "L"}}
    blanks = {i: {**lines[i], "documents": [*lines[i]["documents"], blank], "entities": []} for i in (5, 44)}
    unlabelled = {
        30: {"id": "z", "documents": [blank | {"text": "L."}, {"text": "No party."}], "summary": "S."}
    }
    faults = {3: [], 20: {"id": "x"}, 40: {"id": "y"}, **blanks, **unlabelled}
    path = changed(lines, tmp_path / "x.jsonl", faults)
    whole = read(path, on_error="skip", require=["party"])
    list(whole)
    assert whole.skipped_count == 4
    assert "2 documents without text excluded." in whole.notes
    for plan in BOTH:
        reading = read(path, on_error="skip", require=["party"])
        result = audit(reading, plan)
        assert (reading.skipped, reading.skipped_count) == (whole.skipped, 4)
        assert reading.notes == whole.notes
        assert (result.made["skipped"], result.made["excluded_by"]) == (4, {"--require": 1})
        assert "x.jsonl:4: " in said(path, plan)
        assert "x.jsonl:31 " in said(path, plan, on_error="skip")
        nothing_left = said(path, plan, on_error="skip", require=["nope"])
        assert re.search(r"Every row \(45\) is excluded by --require\. The first: x\.jsonl:1 ", nothing_left)


def test_an_id_that_comes_again_in_another_part_is_told(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """With both lines; skipped on request, as by a reading from the beginning."""
    again = changed(lines, tmp_path / "x.jsonl", {44: lines[2]})
    other = {**lines[2], "system": "third", "documents": [{"text": "Other.", "attributes": {"party": "L"}}]}
    others = changed(lines, tmp_path / "y.jsonl", {44: other})
    for plan in BOTH:
        assert "x.jsonl:45 " in said(again, plan)
        assert "after x.jsonl:3" in said(again, plan)
        assert "other documents than at y.jsonl:3" in said(others, plan)
        reading = read(again, on_error="skip")
        assert audit(reading, plan).made["skipped"] == reading.skipped_count == 1


# ------------------------------------------------------------------------------ models, and what ends a worker


def test_models_stay_in_this_process(cases: list[Case], file: Path) -> None:
    """Observations that ask one are made here, beside those of the workers, in the order of the file."""
    measures = ["rouge1", "equal_coverage(scorer=modelled)@party", "bur@party"]
    plan = Plan(measures=measures, n_resamples=20, scorers={"modelled": Modelled([])})
    here = audit(cases, plan)
    model = Modelled([])
    assert_same(audit(cases, replace(plan, scorers={"modelled": model}, workers=2)), here)
    assert set(model.pids) == {os.getpid()}
    assert "modelled:modelled 1" in here.estimates[0].signature
    bad = broken(cases, 24, 40)
    assert said(bad, replace(plan, workers=2)) == said(bad, plan)
    assert_same(audit(read(file), replace(plan, workers=2)), audit(read(file), plan))


def test_what_cannot_be_sent_is_named(cases: list[Case]) -> None:
    """A measure, a scorer or a wrapping that other processes cannot know: which, and what to do."""

    class Local(Bur):
        @property
        def observation(self) -> Any:
            observed = super().observation
            object.__setattr__(observed, "scorer", lambda: None)
            return observed

    class Mine(Containment):
        """A scorer of a function."""

    plan = Plan(measures=["rouge1"], workers=2)
    unknown = ({"measures": [Local("party")]}, {"scorers": {"mine": Mine()}}, {"wrap": lambda scorer: scorer})
    for sent in unknown:
        with pytest.raises(RequestError, match=r"cannot be sent.*test_what_cannot_be_sent.*top of a module"):
            audit(cases, replace(plan, **sent))
