"""The first screen of the terminal: its length, order, colours, and that nothing is cut at any width."""

import io
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests import sample_results
from tests.cli.command import ended
from typer.testing import CliRunner

import fairbrief
from fairbrief.cli.saved_commands import app
from fairbrief.reports import terminal
from fairbrief.reports.audit_folder import write_all
from fairbrief.reports.frames import Estimates
from fairbrief.reports.result import Result
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table

WIDTHS = (60, 80, 120, 200)
NUMBERS = re.compile(r"\[?[−+<]?\d[\d.,]*[%*\]]?")


def shown(result: Result, width: int = 80, **more: Any) -> list[str]:
    """The printed lines, without colour."""
    return sample_results.printed(result, width, **more).splitlines()


@pytest.fixture(scope="module")
def demo() -> Result:
    """The audit of the reviews that come with the project."""
    result = fairbrief.audit("examples/reviews.jsonl", n_resamples=200).result
    return replace(result, made={**result.made, "files": ["reviews.jsonl"]})


@pytest.fixture(scope="module")
def large() -> Result:
    """Six systems with long names, three attributes of up to twelve groups, position, tone, subgroups and sanity baselines."""
    systems = [f"Meta-Llama-3.{i}-70B-Instruct-20241022" for i in range(6)]
    base = Estimate(
        "coverage_parity@sentiment", "relative_difference[a]", systems[0], -0.3, low=-0.4, high=-0.2, p=0.001,
        testable=True, n=400, clusters=400, kind="group_difference", is_primary=True, detectable=0.06, extract_baseline=-0.05,
        extract_difference=-0.25, extract_difference_low=-0.3, extract_difference_high=-0.2, extract_p=0.001, extract_p_adjusted=0.004,
        family_p=0.004, family_size=99, group_clusters=400, group_items=1900.0, excluded={"one group only": 12},
    )  # fmt: skip
    nothing = dict.fromkeys(("extract_baseline", "extract_difference", "extract_p", "extract_p_adjusted"))
    alone = base.replace(**nothing)
    estimates = [
        *(
            base.replace(measure=f"{measure}@{over}", over=over, system=system, group=f"{over} number {g}", quantity=f"d[{g}]", subgroup=part)
            for measure in ("coverage_parity", "uer")
            for over, many in (("sentiment", 3), ("region", 12), ("a long attribute name", 2))
            for part in ({}, {"city": "Rome"}, {"city": "Oslo"})
            for system in systems
            for g in range(many)
        ),
        *(alone.replace(measure="position_bias", quantity="mean_position_shift", system=system) for system in systems),
        *(
            alone.replace(measure="sentiment_shift", quantity="difference", system=system, group="female − male", other_clusters=200)
            for system in systems
        ),
    ]  # fmt: skip
    sanity = [f"sanity:lead({system})" for system in systems]
    made = {**sample_results.make().made, "systems": systems, "by": [["city"]], "sanity_baselines": sanity}
    return replace(sample_results.make(), estimates=Estimates(estimates), made=made, tables=())


def test_the_demo_is_at_most_45_lines_in_a_fixed_order(demo: Result) -> None:
    """Header, sizes, finding, caution, the table of the leading measure, shares, what next, where the rest is."""
    lines = shown(demo, place=terminal.Place(Path("demo")))
    assert len(lines) <= 45
    assert max(map(cell_len, lines)) <= 80
    assert re.fullmatch(r"Fairbrief \S+ \| reviews.jsonl \| 28 records, 2 systems", lines[0])
    sizes = "Sentiment: negative 54 documents in 26 records, neutral 37 in 25, positive 68 in 28"
    assert " ".join(lines[1:3]) == sizes
    starts = ("FINDING  rosy covers", "CAUTION ", "COVERAGE ", "SHARE ", "NEXT ", "MORE ")
    places = [next(i for i, line in enumerate(lines) if line.startswith(start)) for start in starts]
    assert places == sorted(places)
    (row,) = (line for line in lines if re.match(r"rosy +negative", line))
    assert re.fullmatch(r"rosy +negative +−77 +\[−8\d, −7\d\] +−1 +−76 +<0.001  less", row)
    assert "demo/report.html" in lines[-2] + lines[-1]


def next_command(result: Result, folder: Path) -> list[str]:
    """The words of the command under NEXT that begins with a gate or a plan of more records."""
    text = "\n".join(shown(result, place=terminal.Place(folder)))
    found = re.search(r"fairbrief ((?:gate|power) .*?)\nMORE", text, re.DOTALL)
    return shlex.split(found[1].replace("\\\n", " "))


def test_a_command_runs_no_text_of_the_input(demo: Result) -> None:
    """An attribute's name is quoted as one word, which goes on below at no space of its own."""
    over = "it's, $(rm -r x) `y` and a name that is longer than the rest of the line"
    spec = f"coverage_parity@{quoted(over)}"
    named = [e.replace(measure=spec, over=over) for e in demo.estimates if e.measure.startswith("coverage")]
    words = next_command(replace(demo, estimates=Estimates(named)), Path("my demo"))
    assert words[:3] == ["gate", "my demo", "--min"]
    assert words[3].startswith(f"{spec}:relative_difference")
    assert len(words) == 4


def test_the_commands_of_the_demo_work(demo: Result, tmp_path: Path) -> None:
    """What stands under NEXT runs as it is printed, in a folder whose name needs quotes."""
    folder = tmp_path / "my demo"
    write_all(demo, folder)
    words = next_command(demo, folder)
    assert words[:2] == ["gate", str(folder)]
    code, output = ended(*words)
    assert (code, "relative_difference" in output) == (1, True)
    unclear = [e.replace(p=0.5, family_p=0.5, extract_p=0.5, extract_p_adjusted=0.5) for e in demo.estimates]
    words = next_command(replace(demo, estimates=Estimates(unclear)), folder)
    assert words[0] == "power"
    assert ended(*words)[0] == 0


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("first", ["", "subgroups", "differences"])
def test_a_large_audit_is_at_most_60_lines_and_counts_the_rest(large: Result, width: int, first: str) -> None:
    """Findings, rows and tables that do not fit are counted with the option that prints them."""
    lines = shown(large, width, place=terminal.Place(tables_first=first))
    assert len(lines) <= 60
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    assert re.search(r"\d+ more (rows|tables): --details", text)
    assert "6 sanity baselines" in " ".join(text.split())
    table = next(line for line in lines if line.startswith(("COVERAGE", "SHARE", "POSITION")))
    title = " ".join(lines[lines.index(table) : lines.index(table) + 2])
    assert ("in subgroups of city" in title) == (first == "subgroups")


def test_two_wide_columns_of_text_share_the_line() -> None:
    """Neither is cut to single syllables for the other."""
    names = ("coverage_parity", "equal_coverage", "opening_gap", "sof", "uer")
    names = [f"{name}@sentiment" for name in names]
    reason = "on request only: it needs inputs that differ only in who the person is, and there are none here"
    rows = ((", ".join(names), "one value only"), ("theme_words", reason))
    lines = [line.plain for line in terminal.table_lines(Table("Not computed", ("measure", "why"), rows), 80)]
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 9
    assert all(name in "\n".join(lines) for name in names)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("details", [False, True])
def test_no_number_is_cut_at_any_width(demo: Result, width: int, details: bool) -> None:
    """A narrow terminal shows the numbers of a wide one, and each p beside its number."""
    lines = shown(demo, width, details=details)
    assert max(map(cell_len, lines)) <= width
    wide = shown(demo, 400, details=True)
    known = {number for line in wide for number in NUMBERS.findall(line)}
    unread = r"fairbrief (gate|power).*|\d+\s+measures\s+not\s+computed"
    text = re.sub(unread, "", "\n".join(lines), flags=re.DOTALL)
    assert {number for number in NUMBERS.findall(text) if number not in known} <= {"16"}
    assert not any(re.search(r"[(,;] ?p( [<=])?$", line.rstrip()) for line in lines)
    assert not re.search(r"−0(\.0+)?(?![.\d])", text)


def test_colours_mean_one_thing_and_a_pipe_has_none(demo: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """Red is less, blue is more, yellow is a caution; NO_COLOR and pipes are without colour."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def printed(**settings: Any) -> str:
        out = io.StringIO()
        terminal.print_result(demo, Console(file=out, width=80, **settings))
        return out.getvalue()

    coloured = re.findall(r"\x1b\[([\d;]*3\d)m([^\x1b]+)", printed(force_terminal=True))
    used = {(code, text.strip()) for code, text in coloured}
    assert used == {("31", "less"), ("34", "more"), ("1;33", "CAUTION")}
    assert "\x1b" not in printed()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[\d;]*3\dm", printed(force_terminal=True))


def test_an_audit_without_group_differences_shows_its_main_values() -> None:
    """A table of scores, without empty columns."""
    result = fairbrief.audit("examples/reviews.jsonl", ["rouge1", "rouge2"], n_resamples=20).result
    text = "\n".join(shown(result))
    assert re.search(r"rouge1 +balanced +0\.226 +\[", text)
    assert "random" not in text


def test_a_gate_keeps_each_check_beside_its_outcome(demo: Result, tmp_path: Path) -> None:
    """At 80 columns the check begins on the line of its outcome, and no number is broken."""
    write_all(demo, tmp_path)
    rule = "coverage_parity@sentiment:relative_difference-random>=-0.11"
    run = CliRunner().invoke(app, ["gate", str(tmp_path), "--min", rule], env={"COLUMNS": "80"})
    lines = run.stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert lines[-1] == "fail"
    starts = [line for line in lines[:-1] if not line.startswith(" " * terminal.LABEL)]
    assert len(starts) == 6
    assert all(re.match(r"(pass|fail) {9}coverage_parity@sentiment:", line) for line in starts)
    assert not any(re.search(r"\d\.$", line) for line in lines)
