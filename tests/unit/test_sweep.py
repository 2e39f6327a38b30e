"""A sweep: the grid, resuming, paired differences, relative changes, and the command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from fairbrief.auditing import Plan, sweeping
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.relative import FROM_NOTHING, QUANTITY, relative_changes
from fairbrief.cli import app
from fairbrief.errors import RequestError
from fairbrief.lines import record_line, write_lines
from fairbrief.nouns import Document, Record, Summary
from fairbrief.reports import load
from fairbrief.reports.figures import draw
from fairbrief.spelling import spell

UER = "uer@side"
WORDS = {"L": ("alder", "birch", "cedar"), "R": ("quartz", "shale", "talc")}


@dataclass(frozen=True, repr=False)
class Told:
    """A summarizer that does as its instruction tells: half of the records are one-sided without one."""

    name: ClassVar[str] = "told"
    asked: ClassVar[list[str]] = []
    instruction: str = "none"
    temperature: float = 0.0
    samples: int = 1

    def __repr__(self) -> str:
        return spell(self)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        for record in records:
            self.asked.append(record.id)
            one_sided = int(record.id[1:]) % {"none": 2, "fair": 4, "never": 1000}[self.instruction] == 0
            yield Summary(record.id, repr(self), "alder birch" if one_sided else "alder quartz")


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the summarizer known by its name."""
    from fairbrief import registry, spelling

    known = registry.make

    def make(kind: registry.Kind, text: str, settings: dict[str, str] | None = None) -> object:
        if text.startswith("told"):
            parsed = spelling.parse(text)
            return spelling.build(Told, spelling.Spelling("told", {**parsed.settings, **(settings or {})}))
        return known(kind, text, settings)

    monkeypatch.setattr(registry, "make", make)
    Told.asked.clear()


def records(n: int = 40) -> list[Record]:
    """Records of three words a side; none is numbered 0, which would be one-sided whatever is told."""
    documents = tuple(Document(w, {"side": side}) for side, words in WORDS.items() for w in words)
    return [Record(f"r{i}", documents) for i in range(1, n + 1)]


def swept(folder: Path, axes: dict[str, list[str]], **plan: object) -> sweeping.Result:
    """A sweep of `Told`."""
    cells = sweeping.grid("told", axes)
    return sweeping.sweep(records, cells, folder, Plan(measures=[UER], draws=300, **plan))


def test_the_grid_holds_every_combination_named_as_it_is_read() -> None:
    """Axes are crossed in order, and ``.3`` is the temperature 0.3."""
    cells = sweeping.grid("told", {"temperature": ["0", ".3"], "instruction": ["none", "fair"]})
    assert [cell.name for cell in cells] == [
        "temperature=0.0, instruction=none", "temperature=0.0, instruction=fair",
        "temperature=0.3, instruction=none", "temperature=0.3, instruction=fair",
    ]  # fmt: skip
    assert [repr(c.summarizer) for c in cells[:2]] == ["told", "told(instruction=fair)"]
    assert [cell.name for cell in sweeping.grid("lead(sentences=2)", {})] == ["lead(sentences=2)"]


@pytest.mark.parametrize(
    ("summarizer", "axes", "says"),
    [
        ("told", {"warmth": ["1"]}, "no setting 'warmth'"),
        ("told", {"temperature": ["0.3", ".3"]}, "twice"),
        ("told(samples=3)", {}, "several summaries"),
        ("told", {"temperature": ["hot"]}, "not a value"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(summarizer: str, axes: dict[str, list[str]], says: str) -> None:
    """Unknown settings, points named twice and several samples are refused before anything is asked."""
    with pytest.raises(RequestError, match=says):
        sweeping.grid(summarizer, axes)
    assert not Told.asked


def test_what_is_on_disk_is_not_asked_for_again(tmp_path: Path) -> None:
    """A second run asks nothing and finds the same; a value added to an axis asks for its cells alone."""
    first = swept(tmp_path, {"instruction": ["none", "fair"]})
    assert len(Told.asked) == 80
    again = swept(tmp_path, {"instruction": ["none", "fair"]})
    assert len(Told.asked) == 80
    assert [e.value for e in again.estimates] == [e.value for e in first.estimates]
    swept(tmp_path, {"instruction": ["none", "fair", "never"]})
    assert len(Told.asked) == 120


def test_every_cell_is_paired_with_the_baseline(tmp_path: Path) -> None:
    """Differences are taken from the first cell, or from the one that is named; values are known exactly."""
    result = swept(tmp_path, {"instruction": ["none", "fair", "never"]})
    gaps = [e for e in result.differences if e.quantity == "uer"]
    assert [(e.system, e.baseline) for e in gaps] == [
        ("instruction=fair", "instruction=none"), ("instruction=never", "instruction=none"),
    ]  # fmt: skip
    # One-sided: one of two values lacks its half; 20 of 40 records, then 10.
    assert [e.value for e in gaps] == pytest.approx([-0.0625, -0.125])
    named = swept(tmp_path, {"instruction": ["none", "fair"]}, baseline="instruction=fair")
    assert [(e.system, e.baseline) for e in named.differences if e.quantity == "uer"] == [
        ("instruction=none", "instruction=fair")
    ]
    with pytest.raises(RequestError, match="No cell is named"):
        swept(tmp_path, {"instruction": ["none"]}, baseline="fair")


def test_relative_change_is_the_part_by_which_the_plain_value_falls(tmp_path: Path) -> None:
    """(M(plain) − M(fair)) / M(plain) within each temperature: a half, with an interval around it."""
    result = swept(tmp_path, {"temperature": ["0", "1"], "instruction": ["none", "fair"]})
    changes = [e for e in result.differences if e.quantity == QUANTITY]
    assert [(e.system, e.baseline) for e in changes] == [
        ("temperature=0.0, instruction=fair", "temperature=0.0, instruction=none"),
        ("temperature=1.0, instruction=fair", "temperature=1.0, instruction=none"),
    ]
    for e in changes:
        assert e.value == pytest.approx(0.5)
        assert e.low is not None
        assert e.high is not None
        assert 0.1 < e.low < 0.5 < e.high < 0.9


def test_relative_change_from_nothing_is_undefined(tmp_path: Path) -> None:
    """Where the plain value is 0 there is no share of it, and the reason says so."""
    result = swept(tmp_path, {"instruction": ["never", "fair"]}, baseline="instruction=never")
    (change,) = [e for e in result.differences if e.quantity == QUANTITY]
    assert (change.value, change.low, change.notes) == (None, None, (FROM_NOTHING,))


def test_the_interval_of_a_relative_change_is_that_of_its_bootstrap(tmp_path: Path) -> None:
    """It equals a plain transcription: resample records, sum, divide, take percentiles."""
    from fairbrief.statistics import Bootstrap

    result = swept(tmp_path, {"instruction": ["none", "fair"]})
    pair = ("instruction=fair", "instruction=none")
    (change,) = relative_changes(result.evidence, [pair], Settings(draws=300, seed=5))
    fair, plain = (np.array([[float(i % m == 0)] for i in range(1, 41)]) for m in (4, 2))
    bootstrap = Bootstrap(40, 300, 5)
    ratios = 1 - bootstrap.totals(fair) / bootstrap.totals(plain)
    assert [change.low, change.high] == pytest.approx(np.quantile(ratios, [0.025, 0.975]))


def test_the_report_has_one_table_and_a_picture_of_the_differences(tmp_path: Path) -> None:
    """The table has a line per cell; the picture draws the paired differences."""
    result = swept(tmp_path, {"instruction": ["none", "fair", "never"]})
    table = result.tables[0]
    assert [row[0] for row in table.rows] == [
        UER,
        "instruction=none",
        "instruction=fair",
        "instruction=never",
    ]
    assert table.rows[2][4].startswith("0.5")
    assert "Differences from one system" in [figure.title for figure in draw(result)]


def test_the_command_leaves_a_report_and_resumes(tmp_path: Path) -> None:
    """``fairbrief sweep`` on a file: cells as systems, a saved result, and a second run from disk."""
    source, out = tmp_path / "records.jsonl", tmp_path / "out"
    write_lines(map(record_line, records(12)), source)
    arguments = ["sweep", str(source), "--with", "random", "--sentences", "1,3", "--set", "seed=0,1"]
    arguments += ["--measure", UER, "--draws", "100", "--out", str(out)]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    assert "sentences=3, seed=1" in ran.output
    result = load(out)
    assert result.made["systems"] == [f"sentences={n}, seed={s}" for n in (1, 3) for s in (0, 1)]
    assert (out / "report.html").is_file()
    again = CliRunner().invoke(app, arguments)
    assert "sentences=1, seed=0: 12 summaries, 12 on disk already" in again.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--set", "seed"), "write --set NAME=VALUE"),
        (("--set", "sentences=1", "--sentences", "2"), "swept twice"),
        (("--sentences", "1,,2"), "An empty value"),
    ],
)
def test_axes_that_say_nothing_are_refused(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    """A setting without values, told twice, or with an empty value is an error."""
    ran = CliRunner().invoke(
        app, ["sweep", "x.jsonl", "--with", "random", "--out", str(tmp_path), *arguments]
    )
    assert isinstance(ran.exception, RequestError)
    assert says in str(ran.exception)
