"""`fairbrief audit` and its options, from a file or settings to the folder of results."""

import sys
from pathlib import Path

import pytest
from tests.cli.command import QUICK, Command, printed, results, rows, write

from fairbrief.cli.input_options import print_notes


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the usual records in JSON Lines, and their audit in ``plain``."""
    folder = tmp_path_factory.mktemp("plain")
    file = write(folder / "plain.jsonl", rows(5))
    printed("audit", file, "--attribute", "mood", *QUICK, "--out", folder / "plain")
    return folder


def test_scorers_read_counterfactual_sources_unless_told_not_to(tmp_path: Path, fairbrief: Command) -> None:
    """By default a scorer without a model is checked; the option says yes or no, and the result remembers it."""
    texts = ("She opened the bridge. Her wife was glad.", "He was sad. The town thanked him.")
    lines = [{"id": i, "documents": [f"{texts[i % 2]} Page {i}."], "summary": texts[i % 2]} for i in range(8)]
    news = write(tmp_path / "news.jsonl", lines)
    asked, found = ("audit", news, "--measure", "sentiment_shift", *QUICK, "--details", "--out", tmp_path), []
    for option in ((), ("--check-scorers",), ("--no-check-scorers",)):
        run = fairbrief(*asked, *option)
        found.append(("Scorer bias" in run.out, results(tmp_path)["made"]["check_scorers"]))
    assert found == [(True, None), (True, True), (False, False)]


@pytest.mark.parametrize("name", ["terminal", "markdown", "latex", "csv"])
def test_a_saved_audit_is_printed_in_every_format(name: str, plain: Path, fairbrief: Command) -> None:
    """`fairbrief report DIR` needs only the folder."""
    ran = fairbrief("report", plain / "plain", "--format", name)
    assert (ran.code, ran.err) == (0, "")
    assert ("SHARE of the summary" if name == "terminal" else "uer") in ran.out


def test_an_interval_needs_no_resamples(fairbrief: Command, tmp_path: Path) -> None:
    """Leaving out clusters takes no resample; without any, values stand alone."""
    one = write(tmp_path / "one.jsonl", rows(4))
    for count, is_there in (("1", True), ("0", False)):
        assert ("[" in fairbrief("audit", one, "--measure", "rouge1", "--resamples", count).out) == is_there


def test_quiet_prints_errors_alone(fairbrief: Command, plain: Path, tmp_path: Path) -> None:
    """Without an error nothing is printed, and the report is written as ever."""
    run = fairbrief("audit", plain / "plain.jsonl", "--quiet", "--resamples", "0", "--out", tmp_path / "out")
    assert (run.code, run.out, run.err) == (0, "", "")
    assert (tmp_path / "out" / "report.html").is_file()


def test_notes_stand_beside_the_output(fairbrief: Command, tmp_path: Path) -> None:
    """How the input was understood is said on the second stream."""
    lines = [{k: v for k, v in row.items() if k != "id"} for row in rows(4, year=1)]
    run = fairbrief("audit", write(tmp_path / "a.jsonl", lines), "--resamples", "0")
    assert "note: a.jsonl: it has no field 'id', so its records are numbered from 1." in run.err
    assert "note: a.jsonl: unused fields: 'year'." in run.err
    assert "note:" not in run.out


def test_notes_on_a_terminal_break_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere a note is one line."""
    note = "data.jsonl: unused fields: " + ", ".join(f"'field-{i}'" for i in range(12))
    print_notes([note])
    assert capsys.readouterr().err == f"note: {note}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    print_notes([note])
    first, *others = capsys.readouterr().err.splitlines()
    assert max(map(len, [first, *others])) <= 40
    assert " ".join([first, *(line.removeprefix(" " * 6) for line in others)]) == f"note: {note}"


def test_a_file_of_settings_says_the_same_as_the_command_line(fairbrief: Command, tmp_path: Path) -> None:
    """Keys are options; files are relative to the settings; the command line overrides them."""
    reviews, path = write(tmp_path / "reviews.jsonl", rows(4)), tmp_path / "audit.toml"
    settings = ['files = ["reviews.jsonl"]', 'measure = ["uer@mood"]', "resamples = 20", "details = true"]
    settings += ['id-field = "id"', 'summary-field = "summary"']
    path.write_text("\n".join(settings))
    told = fairbrief("audit", reviews, "--measure", "uer@mood", "--resamples", "20", "--details")
    assert fairbrief("audit", path) == told
    assert "30 resamples" in fairbrief("audit", path, "--resamples", "30").out
    assert fairbrief("explain", path, "--measure", "uer@mood").code == 0
    (tmp_path / "c.json").write_text("{")
    path.write_text('files = ["reviews.jsonl"]\nmeasure = "uer(scorer=containment(calibrated=c.json))@mood"')
    assert str(tmp_path / "c.json") in fairbrief("audit", path).err
    (tmp_path / "mood").write_text("no input")
    path.write_text('files = ["reviews.jsonl"]\nattribute = "tone=mood"\nmeasure = "uer@tone"')
    assert fairbrief("audit", path).code == 0
    path.write_text('files = ["reviews.jsonl"]\nspeakers = "people.csv"')
    assert f"no file {tmp_path / 'people.csv'}" in fairbrief("audit", path).err
