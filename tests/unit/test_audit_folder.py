"""One audit, one folder: never a mixture of two, never an old one taken for the new."""

import errno
import hashlib
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command, refused, rows, write
from tests.unit.test_gate import BUR, cases_of

from fairbrief.auditing import Plan, audit
from fairbrief.errors import DataError, RequestError
from fairbrief.reports import per_record
from fairbrief.reports.audit_folder import STAGE, UNFINISHED, claimed, load, write_all
from fairbrief.reports.result import Result

FILES = (
    ".written digests.sha256 estimates.csv examples.json per_record report.html report.md results.json sources.parquet"
).split()
WITH_INPUTS = sorted([*FILES, "inputs.json"])
"""What the command leaves, which knows where its inputs lie."""


def audited(unfair: int) -> Result:
    """An audit of a few records, so many of which are treated unfairly."""
    return audit(cases_of(20, unfair), Plan(measures=[BUR], n_resamples=20))


@pytest.fixture(scope="module")
def two() -> tuple[Result, Result]:
    """Two audits of unlike records."""
    return audited(1), audited(5)


@pytest.fixture
def older(tmp_path: Path, two: tuple[Result, Result]) -> Path:
    """The folder of the first of them."""
    write_all(two[0], tmp_path / "a")
    return tmp_path / "a"


def full(*_: object) -> None:
    """What a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def names(folder: Path) -> list[str]:
    """What stands in a folder, hidden things too."""
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_has_one_writer(
    tmp_path: Path, older: Path, two: tuple[Result, Result], fairbrief: Command
) -> None:
    """A second audit into the folder is refused before it reads a record, and readers are told to wait."""
    broken = write(tmp_path / "broken.jsonl", ["{"])
    with claimed(older):
        with pytest.raises(RequestError, match="Another process is making an audit"):
            write_all(two[1], older)
        assert "Another process" in fairbrief("audit", broken, "--out", older).err
        with pytest.raises(DataError, match="in progress"):
            load(older)
    assert load(older).estimates == two[0].estimates


def test_failing_leaves_no_old_audit(tmp_path: Path, older: Path, fairbrief: Command) -> None:
    """After an audit that could not be made the older one in its folder is refused, until one succeeds; a new folder is gone."""
    source = write(tmp_path / "in.jsonl", [*rows(3), "{broken"])
    for folder in (older, tmp_path / "new" / "deep"):
        assert fairbrief("audit", source, "--out", folder, "--quiet").code == 2
    assert not (tmp_path / "new" / "deep").exists()
    for command in (["gate", older, "--max", f"{BUR}<=0.9"], ["report", older], ["compare", older, older]):
        refused(fairbrief(*command), "was interrupted")
    source = write(tmp_path / "in.jsonl", rows(3))
    assert fairbrief("audit", source, "--out", older, "--resamples", "20", "--quiet").code == 0
    assert fairbrief("report", older).code == 0
    assert names(older) == WITH_INPUTS


def test_what_a_killed_run_left_is_cleared(older: Path, two: tuple[Result, Result]) -> None:
    """Half-written files and the mark of a dead process are gone after the next audit."""
    (older / STAGE / "tables").mkdir(parents=True)
    (older / STAGE / "results.json").write_text("{")
    (older / ".report.html.x.unfinished").write_text("<")
    (older / UNFINISHED).touch()
    with pytest.raises(DataError, match="was interrupted"):
        load(older)
    write_all(two[1], older)
    assert names(older) == FILES
    assert load(older).estimates == two[1].estimates


def test_files_of_an_older_audit_go(tmp_path: Path, two: tuple[Result, Result]) -> None:
    """A file that only the older audit wrote is removed; what no audit wrote stays, even if it is put on the list of files."""
    folder, old, mine = tmp_path / "a", tmp_path / "a" / "old.csv", tmp_path / "mine.csv"
    write_all(two[0], folder)
    for path in (old, mine, folder / "mine.csv"):
        path.touch()
    with (folder / ".written").open("a", encoding="utf-8") as listed:
        listed.write("old.csv\n../mine.csv\n")
    write_all(two[1], folder)
    assert [path.exists() for path in (old, mine, folder / "mine.csv")] == [False, True, True]


def test_per_record_statistics_of_an_older_audit_goes(tmp_path: Path, two: tuple[Result, Result]) -> None:
    """A file of what the new audit did not observe is removed, even if the list of files was lost, as in a copy without it."""
    write_all(audit(cases_of(20, 1), Plan(measures=["rouge1"], n_resamples=20)), tmp_path)
    (tmp_path / ".written").unlink()
    write_all(two[0], tmp_path)
    assert names(tmp_path / "per_record") == ["representation.parquet"]


@pytest.mark.parametrize("fails", [0, 1, 4, 7])
def test_a_folder_whose_files_could_not_be_put_in_place_takes_the_next_audit(
    tmp_path: Path, two: tuple[Result, Result], fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file it was at which the disk failed; until then nobody takes what stands there for an audit."""
    placed, replace_one = list[Path](), Path.replace

    def place(path: Path, target: Path) -> Path:
        if len(placed) == fails:
            full()
        placed.append(path)
        return replace_one(path, target)

    monkeypatch.setattr(Path, "replace", place)
    with pytest.raises(OSError, match="No space"):
        write_all(two[0], tmp_path / "a")
    with pytest.raises(DataError):
        load(tmp_path / "a")
    monkeypatch.undo()
    write_all(two[1], tmp_path / "a")
    assert load(tmp_path / "a").estimates == two[1].estimates


@pytest.mark.parametrize("mine", [["report.md"], ["report.html", "results.json"]])
def test_foreign_files_stay(tmp_path: Path, two: tuple[Result, Result], mine: list[str]) -> None:
    """What somebody else wrote stays as it is; other files are in nobody's way."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for name in mine:
        (tmp_path / name).write_text("{}", encoding="utf-8")
    them = "it" if len(mine) == 1 else "them"
    said = f"contains {', '.join(mine)}, which no audit wrote, and an audit would replace {them}"
    with pytest.raises(RequestError, match=said):
        write_all(two[0], tmp_path)
    assert names(tmp_path) == sorted(["notes.txt", *mine])
    for name in mine:
        (tmp_path / name).unlink()
    write_all(two[0], tmp_path)
    write_all(two[1], tmp_path)


@pytest.mark.parametrize(
    "fails", ["html.render", "json_file.write_examples", "per_record.write_rows", "json_file.write"]
)
def test_a_full_disk_leaves_the_older_audit(
    older: Path, two: tuple[Result, Result], fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file cannot be written, what was there is whole, and known to be older."""
    monkeypatch.setattr(f"fairbrief.reports.{fails}", full)
    with pytest.raises(OSError, match="No space"):
        write_all(two[1], older)
    with pytest.raises(DataError, match="was interrupted"):
        load(older)
    (older / UNFINISHED).unlink()
    assert load(older).estimates == two[0].estimates
    with pytest.raises(OSError, match="No space"):
        write_all(two[1], older.with_name("b"))
    assert not older.with_name("b").exists()


def test_links_are_followed(tmp_path: Path, two: tuple[Result, Result], fairbrief: Command) -> None:
    """An audit through a link stands where the link leads, and so does a file of summaries; the link stays."""
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_all(two[0], tmp_path / "link")
    assert names(tmp_path / "real") == FILES
    assert load(tmp_path / "link").estimates == two[0].estimates
    with claimed(tmp_path / "real"), pytest.raises(RequestError, match="Another process"):
        write_all(two[1], tmp_path / "link")
    (tmp_path / "out.jsonl").symlink_to(tmp_path / "real.jsonl")
    source = write(tmp_path / "in.jsonl", rows(2))
    assert fairbrief("summarize", source, "--with", "lead", "--out", tmp_path / "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text().count("\n") == 2


def test_an_older_schema_is_refused(
    older: Path, two: tuple[Result, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Per-record statistics of another version are never read as if they were ours."""
    found = json.loads((older / "results.json").read_text())
    with monkeypatch.context() as earlier:
        earlier.setattr(per_record, "SCHEMA", "fairbrief.per_record/3")
        per_record.write_rows(two[0].rows, older / "per_record", found["audit"])
    with pytest.raises(DataError, match=r"its schema is not 'fairbrief.per_record/4'"):
        load(older)


def test_digests_are_those_of_the_loaded_files(older: Path) -> None:
    """In the format of sha256sum: the digest, two spaces and the path, for every file that is loaded again."""
    lines = dict(line.split("  ")[::-1] for line in (older / "digests.sha256").read_text().splitlines())
    loaded = {"results.json", "examples.json", "sources.parquet", "per_record/representation.parquet"}
    assert lines == {name: hashlib.sha256((older / name).read_bytes()).hexdigest() for name in loaded}


def test_results_are_held_to_schema_and_finite_numbers(older: Path) -> None:
    """What the schema does not allow is refused, and so are NaN, infinities, also by a large exponent, and endless integers."""
    path = older / "results.json"
    text = path.read_text()
    unfit: tuple[dict[str, object], ...] = (
        {"estimates": [{"measure": "bur"}]}, {"estimates": [3]}, {"tables": [{"title": 1}]}, {"made": []}, {"audit": "x"},
    )  # fmt: skip
    for change in unfit:
        path.write_text(json.dumps({**json.loads(text), **change}))
        with pytest.raises(DataError, match=r"results\.json is damaged"):
            load(older)
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 400):
        path.write_text(text.replace('"seed":0', f'"seed":{number}'))
        with pytest.raises(DataError, match=r"results\.json is damaged"):
            load(older)


def test_observations_have_files_that_make_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has the columns of its observation and no others; what it lacks is null in the table of all."""
    monkeypatch.setattr(per_record, "GROUP", 50)
    found = audit(cases_of(200, 20), Plan(measures=[BUR, "rouge1", "position_bias"], n_resamples=20))
    write_all(found, tmp_path)
    read = load(tmp_path).per_record
    listed = json.loads((tmp_path / "results.json").read_text())["per_record"]
    files = [tmp_path / "per_record" / one["file"] for one in listed]
    assert [file.stem for file in files] == ["representation", "rouge-scores", "positions"]
    for one in map(pq.read_table, files):
        assert not [f.name for f in one.schema if f.metadata and one[f.name].null_count == len(one)]
    plain = pa.concat_tables(map(pq.read_table, files), promote_options="default")
    assert {field.name: field.metadata for field in read.schema} == {f.name: f.metadata for f in plain.schema}
    assert read.to_pylist() == plain.to_pylist() == found.per_record.to_pylist()
