"""A setting is declared once: command line, Python, records and identities have what is declared."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import typer
from tests.cli.command import Command, rows, write

from fairbrief import cli
from fairbrief.auditing import audit
from fairbrief.errors import RequestError
from fairbrief.plan import Plan, crossed, option_of, plan_from
from fairbrief.readers import read

OPTIONS = [f for f in fields(Plan) if f.metadata["panel"]]


@pytest.fixture
def fairbrief(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, in this process."""
    return Command(capsys, monkeypatch)


def test_help_has_each_option_once_in_its_panel(fairbrief: Command) -> None:
    """Panels follow in the order in which an audit is thought of; every setting is in the one that it is declared for."""
    shown = fairbrief("audit", "--help").out
    titles = ["Inputs", "What to measure", "Statistics", "Output", "Machine"]
    starts = [shown.index(f"\n{title}:\n") for title in titles]
    assert starts == sorted(starts)
    for f in OPTIONS:
        option = option_of(f).partition("/")[0]
        typed = {option, option.replace("--", "--[no-]")}
        lines = [line for line in shown.splitlines() if line.strip().split(" ")[0] in typed]
        assert len(lines) == 1, option
        assert shown.index(f"\n{f.metadata['panel']}:\n") < shown.index(lines[0])


def test_an_option_has_the_default_of_its_setting() -> None:
    """What a command line leaves out is what Python leaves out."""
    options = {option.name: option.default for option in cli.loaded("audit").params}
    assert {f.name: options[f.name] for f in OPTIONS} == {
        f.name: None if f.default in ((), None) else f.default for f in OPTIONS
    }


def test_results_record_what_decides_a_number(tmp_path: Path) -> None:
    """Settings that decide a number are recorded, those of the machine are not; subgroups are lists."""
    made = audit(read(write(tmp_path / "a.jsonl", rows(4))), Plan(measures=["uer@mood"], n_resamples=20)).made
    plain = Plan(n_resamples=20, seed=3, by=crossed(["a, b"]), workers=4, sanity_baselines=("one_document",))
    record = plain.record()
    assert set(record) <= set(made)
    assert (record["seed"], record["by"]) == (3, [["a", "b"]])
    assert record["asked_sanity_baselines"] == ["one_document"]
    assert not {"workers", "engine", "models_in_workers", "progress", "wrap"} & set(record)


def test_a_protocol_and_measures_exclude_each_other() -> None:
    """In Python as on the command line."""
    with pytest.raises(RequestError, match="--protocol has its own measures"):
        Plan(protocol="li-coverage", measures=["uer"])
    assert plan_from(measures="uer", scorers=None).measures == ("uer",)


def test_help_names_every_setting_in_python() -> None:
    """`help(fairbrief.Plan)` explains each field."""
    assert all(f"\n{f.name}: {f.metadata['help']}" in str(Plan.__doc__) for f in fields(Plan))
    assert isinstance(cli.app, typer.Typer)
