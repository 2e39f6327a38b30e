"""A plug-in that cannot be loaded is listed, and stops those alone who name it."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.command import Command, printed, refused, rows, write

from fairbrief import registry

BROKEN = {
    "raises": "raise ZeroDivisionError('3/0 \\x1b[2J')",
    "leaves": "import sys; sys.exit(0)",
    "misspelt": "class Other: ...",
    "wants": "import a_library_that_nobody_has",
    "endless": "class E(Exception):\n    def __str__(self): return 'x' * 10_000\nraise E",
}


@pytest.fixture(autouse=True)
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages that fail on import in all ways, and two that want one name, beside our own."""
    for name, code in BROKEN.items():
        (tmp_path / f"broken_{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    known = registry.entry_points()

    def select(group: str) -> list[EntryPoint]:
        strangers = [EntryPoint(name, f"broken_{name}:Thing", group) for name in BROKEN]
        twice = [EntryPoint("twice", f"package_{x}:Thing", group) for x in "ab"]
        return [*known.select(group=group), *strangers, *twice]

    def forget() -> None:
        registry._installed.cache_clear()
        registry.declared.cache_clear()

    monkeypatch.setattr(registry, "entry_points", lambda: SimpleNamespace(select=select))
    forget()
    yield
    forget()


def test_an_audit_goes_on_without_it(tmp_path: Path, fairbrief: Command) -> None:
    """Whoever does not name it gets an audit, which says that the measure was not taken."""
    source = write(tmp_path / "in.jsonl", rows(4))
    fairbrief.audited(tmp_path / "a", source, "--resamples", "20", "--quiet")
    assert "cannot be loaded: ZeroDivisionError" in (tmp_path / "a" / "results.json").read_text()


@pytest.mark.parametrize("name", [*BROKEN, "twice"])
@pytest.mark.parametrize("option", ["--measure", "--protocol"])
def test_who_names_it_is_told(name: str, option: str, tmp_path: Path, fairbrief: Command) -> None:
    """Naming it ends with one line that says which package fails, and how."""
    source = write(tmp_path / "in.jsonl", rows(4))
    run = fairbrief("audit", source, option, name, "--quiet")
    fails = f"of the package broken_{name}:Thing cannot be loaded"
    refused(run, "Two packages declare" if name == "twice" else fails)
    assert "\x1b" not in run.err
    assert len(run.err) < 600


@pytest.mark.parametrize("command", ["measures", "doctor"])
def test_it_is_listed(command: str) -> None:
    """Both lists show it with the reason, beside all that can be used."""
    output = printed(command)
    for name in BROKEN:
        assert f"broken_{name}:Thing" in output
    assert "Two packages declare" in output
    assert "\x1b[2J" not in output
    assert "bur" in output


def test_ctrl_c_during_an_import_is_no_broken_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 wraps an interrupt that comes while a class is made; it remains an interrupt."""

    def interrupted(_: EntryPoint) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(EntryPoint, "load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        registry.load("measure", "rouge1")
