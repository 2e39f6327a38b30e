"""What a careless user does ends in one clear line and exit code 2, before any work and without harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import Command, Run, row, rows, write

from fairbrief.workbench import choose

QUICK = ("--resamples", "20")


def refused(run: Run, *words: str) -> None:
    """One line that says these words, and nothing on standard output."""
    assert run.code == 2, run
    assert run.out == ""
    assert run.err.startswith("fairbrief: ")
    assert run.err.count("\n") == 1, run.err
    for word in words:
        assert word in run.err


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A file of four records with one summary each."""
    return write(tmp_path / "one.jsonl", rows(4))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file of four records with two summaries each."""
    both = [
        row(i, system=f"s{j}", summary=text)
        for i in range(4)
        for j, text in enumerate(("Cold soup.", "A garden."))
    ]
    return write(tmp_path / "two.jsonl", both)


@pytest.mark.parametrize("option", ["--out", "--pairs"])
def test_choose_does_not_write_over_what_it_reads(fairbrief: Command, two: Path, option: str) -> None:
    """`choose` refuses an output that is its input, which stays as it was."""
    before = two.read_bytes()
    refused(fairbrief("choose", two, "--by", "uer@mood", option, two), option, "also read from")
    assert two.read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ("perspectives", "--attribute", "mood", "--counts", "2", "--mix", "positive=.5,negative=.5", "--samples", "1"),
        ("stratified", "--attribute", "mood", "--sets", "2", "--size", "1"),
        ("transcripts", "--tokens", "20"),
        ("reviews", "--size", "2", "--sentiment", "none"),
        ("people",),
    ],
    ids=lambda command: str(command[0]),
)  # fmt: skip
def test_build_does_not_write_over_its_source(
    fairbrief: Command, one: Path, command: tuple[str, ...]
) -> None:
    """Every builder refuses an output that is its source, which stays as it was."""
    before = one.read_bytes()
    refused(fairbrief("build", command[0], one, *command[1:], "--out", one), "--out", "also read from")
    assert one.read_bytes() == before


def test_the_folder_of_results_is_looked_at_before_the_audit(
    fairbrief: Command, one: Path, tmp_path: Path
) -> None:
    """An output folder that is a file, or lies below one, is told before anything is computed."""
    file = write(tmp_path / "file", [])
    refused(fairbrief("audit", one, "--out", file, *QUICK), "--out", "is a file")
    refused(fairbrief("audit", one, "--out", file / "below", *QUICK), "--out", "is a file")
    refused(fairbrief("sweep", one, "--with", "random", "--out", file, *QUICK), "--out", "is a file")


def test_a_report_of_the_gate_has_no_folder_for_a_file(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """A folder given for a file is named as it was given, before the checks."""
    fairbrief("audit", one, "--measure", "uer@mood", "--out", tmp_path / "a", *QUICK)
    run = fairbrief("gate", tmp_path / "a", "--max", "uer@mood<=0.5", "--junit", tmp_path)
    refused(run, f"--junit {tmp_path} is a folder")


@pytest.mark.parametrize("command", ["choose", "sweep"])
def test_a_negative_seed_is_refused(fairbrief: Command, two: Path, tmp_path: Path, command: str) -> None:
    """A seed below zero is an error of the option, wherever there is one."""
    others = {
        "choose": ("--by", "uer@mood"),
        "sweep": ("--with", "random", "--out", str(tmp_path / "swept")),
    }
    refused(fairbrief(command, two, *others[command], "--seed", "-1"), "--seed")


def test_a_table_of_names_that_is_no_text_is_refused(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """A binary file as the table of names is told in a line."""
    table = tmp_path / "names.csv"
    table.write_bytes(b"name,part\n\xff\xfe\n")
    refused(
        fairbrief("build", "people", one, "--names", table, "--out", tmp_path / "o"), "names.csv", "UTF-8"
    )


def test_a_title_that_is_none_is_refused(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """Only Ms. and Mrs. can stand for Mr."""
    refused(fairbrief("build", "people", one, "--woman", "Lady", "--out", tmp_path / "o"), "--woman", "Ms.")


@pytest.mark.parametrize("name", ["uer", "equal_coverage"])
def test_a_misspelt_attribute_is_no_undefined_number(fairbrief: Command, one: Path, name: str) -> None:
    """A measure over an attribute that no document has is refused, and what there is is named."""
    refused(fairbrief("audit", one, "--measure", f"{name}@mod", *QUICK), "'mod'", "Found: mood")


def test_a_setting_that_is_given_twice_is_refused(fairbrief: Command, one: Path) -> None:
    """Of two values of one setting, none is taken silently."""
    refused(fairbrief("audit", one, "--measure", "bur(tau=0.8, tau=0.9)@mood", *QUICK), "'tau' twice")


@pytest.mark.parametrize(
    "setting",
    ["scorer=containment(by=0words)", "scorer=containment(by=paragraph)", "merge=-1", "merge=0", "merge=nan"],
)
def test_settings_of_coverage_are_ones_that_can_be(fairbrief: Command, one: Path, setting: str) -> None:
    """A number of words that no passage can have is refused, and a threshold that no support can."""
    told = setting.rpartition("(")[2].rstrip(")")
    refused(fairbrief("audit", one, "--measure", f"equal_coverage({setting})@mood", *QUICK), told)


def test_an_interval_needs_no_resamples(fairbrief: Command, one: Path) -> None:
    """Leaving out clusters takes no resample; without any, values stand alone."""
    for count, is_there in (("1", True), ("0", False)):
        run = fairbrief("audit", one, "--measure", "rouge1", "--resamples", count)
        assert run.code == 0
        assert ("[" in run.out) == is_there


def test_an_attribute_that_is_required_and_nowhere_is_told(fairbrief: Command, one: Path) -> None:
    """Where a required attribute leaves nothing over, it is named, not an empty input."""
    refused(fairbrief("audit", one, "--require", "mod", *QUICK), "'mod'", "all 4 cases")
    refused(fairbrief("words", one, "--by", "mod"), "Found: mood")


@pytest.mark.parametrize(
    "command",
    [
        ("transcripts", "--tokens", "20", "--min-turns", "99"),
        ("reviews", "--size", "99", "--sentiment", "none"),
        ("people",),
    ],
    ids=lambda command: str(command[0]),
)
def test_a_builder_that_makes_nothing_writes_nothing(
    fairbrief: Command, one: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """No set at all is an error that says why, and leaves no empty file behind."""
    out = tmp_path / "out.jsonl"
    refused(fairbrief("build", command[0], one, *command[1:], "--out", out), "Left out: ")
    assert not out.exists()


def test_a_filled_sheet_is_not_written_over(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """Exporting again leaves a sheet alone that may hold people's answers."""
    export = (
        "annotate",
        "export",
        one,
        "--out",
        tmp_path / "s.csv",
        "--task",
        "rating",
        "--attribute",
        "mood",
    )
    assert fairbrief(*export).code == 0
    (tmp_path / "s.csv").write_text("answers", encoding="utf-8")
    refused(fairbrief(*export), "is there already")
    assert (tmp_path / "s.csv").read_text(encoding="utf-8") == "answers"


def test_a_threshold_is_a_number(fairbrief: Command, one: Path) -> None:
    """A threshold that nothing exceeds is no share of zero."""
    refused(fairbrief("chunks", one, "--threshold", "nan", *QUICK), "--threshold")


def test_a_servers_address_is_one(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """An address without its protocol is told before any question is sent."""
    out = tmp_path / "o.jsonl"
    refused(fairbrief("summarize", one, "--with", "chat:x", "--base-url", "host:1", "--out", out), "http://")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("sweep", "--with", "lead", "--measure", "uerr@mood"),
            "No measure named 'uerr'. Did you mean 'uer'?",
        ),
        (("sweep", "--with", "lead", "--measure", "uer(scorer=x)@mood"), "No scorer or tagger named 'x'"),
        (("sweep", "--with", "lead", "--attribute", "mod"), "Did you mean 'mood'?"),
        (("choose", "--by", "uer@mod"), "Did you mean 'mood'?"),
        (("choose", "--by", "uer@mood", "--measure", "nope"), "No measure named 'nope'"),
        (("choose", "--by", "uer@mood", "--floor", "nope>=1"), "No measure named 'nope'"),
    ],
)
def test_what_nobody_has_is_refused_before_summaries_are_made_or_scored(
    fairbrief: Command,
    two: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    """A misspelt measure, scorer or attribute ends `sweep` and `choose` while nothing has been done."""
    monkeypatch.setattr(choose, "choose", lambda *_args, **_options: pytest.fail("began to work"))
    command, *options = arguments
    out = ("--out", tmp_path / "out") if command == "sweep" else ()
    refused(fairbrief(command, two, *options, *out), says)
    assert not (tmp_path / "out").exists()


def test_options_of_choose_that_would_do_nothing_are_refused(
    fairbrief: Command, two: Path, tmp_path: Path
) -> None:
    """A prompt that nobody has, and one without pairs, are told at once."""
    choose = ("choose", two, "--by", "uer@mood")
    refused(fairbrief(*choose, "--pairs", tmp_path / "p.jsonl", "--prompt", "nope"), "no prompt 'nope'")
    refused(fairbrief(*choose, "--prompt", "plain"), "--pairs FILE")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--slice", "kind,kind"), "names an attribute twice"),
        (("--slice", "kind", "--slice", "kind"), "asked for twice"),
        (("--slice", "knd"), "Did you mean 'kind'?"),
        (("--control", "exchange"), "Did you mean 'exchanged'?"),
        (("--measure", "uer@mood", "--attribute", "mod"), "Did you mean 'mood'?"),
    ],
)
def test_an_audit_refuses_what_would_be_passed_over(
    fairbrief: Command, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    """A part named twice, and an attribute beside a measure that has its own, are told and not dropped."""
    cases = [{**row(i), "attributes": {"kind": "ab"[i % 2]}} for i in range(4)]
    refused(fairbrief("audit", write(tmp_path / "in.jsonl", cases), *options, *QUICK), says)


def test_a_baseline_that_no_system_is_called_is_refused_before_anything_is_scored(
    fairbrief: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems may stand one after the other: the input is read to its end before the name is refused."""
    from fairbrief import auditing

    cases = [row(i, system=system) for system in ("first", "second") for i in range(300)]
    source = write(tmp_path / "in.jsonl", cases)
    audit = ("audit", source, "--measure", "uer@mood", "--resamples", "0")
    assert fairbrief(*audit, "--baseline", "second").code == 0
    monkeypatch.setattr(auditing, "_choose", lambda *_: pytest.fail("began to work"))
    refused(fairbrief(*audit, "--baseline", "secnd"), "Did you mean 'second'? Systems: first, second.")


def test_chunks_by_an_attribute_of_no_document_is_refused(fairbrief: Command, one: Path) -> None:
    """`chunks --attribute` with a misspelt name does not leave the shares by value out in silence."""
    refused(fairbrief("chunks", one, "--attribute", "mod", *QUICK), "Did you mean 'mood'?")


def test_a_misspelt_command_is_told_with_its_neighbour(fairbrief: Command) -> None:
    """The line names the command that is near."""
    refused(fairbrief("audti"), "No such command 'audti'. Did you mean 'audit'? Try")


def test_agree_of_saved_audits_refuses_what_only_files_are_told(
    fairbrief: Command, one: Path, tmp_path: Path
) -> None:
    """An option that would do nothing beside folders is not passed over in silence."""
    fairbrief("audit", one, "--measure", "uer@mood", "--out", tmp_path / "a", *QUICK)
    folders = (tmp_path / "a", tmp_path / "a")
    refused(fairbrief("agree", *folders, "--attribute", "mood"), "--attribute is for files of records")


def test_who_stops_reading_the_print_loses_no_result(tmp_path: Path) -> None:
    """`audit … | head` leaves the whole folder, and ends as a shell says of a program that nobody reads."""
    many = [{**row(i, system=f"s{j}"), "attributes": {"k": str(i % 9)}} for i in range(9) for j in range(9)]
    source = write(tmp_path / "in.jsonl", many)
    command = [sys.executable, "-c", "from fairbrief.cli import main; main()", "audit", str(source)]
    options = ["--measure", "uer@mood", "--slice", "k", "--resamples", "2", "--details"]
    run = subprocess.Popen(
        [*command, *options, "--out", str(tmp_path / "a")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait() == 141
    assert (tmp_path / "a" / "results.json").is_file()
    assert (tmp_path / "a" / "report.html").is_file()


def test_a_system_called_like_a_control_is_refused(fairbrief: Command, tmp_path: Path) -> None:
    """It would be taken for a control in silence, and held to nothing."""
    source = write(tmp_path / "in.jsonl", [row(i, system="control:mine") for i in range(4)])
    refused(
        fairbrief("audit", source, "--measure", "uer@mood", *QUICK), "'control:mine'", "rename the system"
    )


def test_sheets_for_several_people_are_written_all_or_none(
    fairbrief: Command, one: Path, tmp_path: Path
) -> None:
    """A sheet that is there already, perhaps with answers, stops the export before the first is written."""
    (tmp_path / "s.b.csv").write_text("answers")
    options = ("--task", "rating", "--attribute", "mood", "--annotators", "a,b", "--out", tmp_path / "s.csv")
    refused(fairbrief("annotate", "export", one, *options), "s.b.csv is there already")
    assert not (tmp_path / "s.a.csv").exists()
    options = (
        "--task",
        "rating",
        "--attribute",
        "mood",
        "--annotators",
        "a b,a_b",
        "--out",
        tmp_path / "t.csv",
    )
    refused(fairbrief("annotate", "export", one, *options), "names are alike")


def test_a_rule_of_the_gate_that_is_misspelt_is_told_with_its_neighbour(
    fairbrief: Command, one: Path, tmp_path: Path
) -> None:
    """The refusal names the estimate that is near, before it lists all."""
    fairbrief("audit", one, "--measure", "uer@mood", "--out", tmp_path / "a", *QUICK)
    refused(fairbrief("gate", tmp_path / "a", "--max", "uerr@mood<=1"), "Did you mean 'uer@mood'? It has:")


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "--measure", "uer@mood"),
        ("chunks", "--attribute", "mood", *QUICK),
        ("choose", "--by", "uer@mood", "--resamples", "20"),
        ("agree", "--attribute", "mood", *QUICK),
        ("sweep", "--with", "lead", "--sentences", "1,2", "--measure", "uer@mood", *QUICK, "--out", "OUT"),
        ("summarize", "--with", "lead", "--out", "OUT"),
    ],
    ids=lambda command: str(command[0]),
)
def test_every_command_says_what_it_left_out(
    fairbrief: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """With ``--on-error skip`` a broken line is counted, and told with its place."""
    units = [{"text": "The soup was cold.", "values": {"mood": ["negative"]}}]
    both = [row(i, system=f"s{j}", units=units) for i in range(4) for j in range(2)]
    if command[0] in ("sweep", "summarize"):
        both = rows(4)
    file = write(tmp_path / "broken.jsonl", [*both[:2], '{"id": "x", "documents": 7}', *both[2:]])
    name, *options = (str(tmp_path / "out") if word == "OUT" else word for word in command)
    done = fairbrief(name, file, *options, "--on-error", "skip")
    assert done.code == 0, done
    assert "Left out of the input: 1. The first: " in done.out.replace("\n", " "), done
    assert "broken.jsonl:3" in done.out
