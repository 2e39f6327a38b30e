"""Two saved audits compared by the command: which systems, and whether the sources are still the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import printed
from typer.testing import CliRunner

from fairbrief.cli import app
from fairbrief.errors import RequestError


def audited(folder: Path, name: str, systems: dict[str, str], first: str = "Oak tree") -> Path:
    """A saved audit of eight records by some systems; the first document of the first record can be told."""
    rows = []
    for i in range(8):
        documents = [
            {"text": first if i == 0 else f"Oak tree {i}", "attributes": {"side": "a"}},
            {"text": f"Elm hedge {i}", "attributes": {"side": "b"}},
        ]
        rows += [
            {"id": f"r{i}", "documents": documents, "system": s, "summary": f"{text} {i}"}
            for s, text in systems.items()
        ]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed(
        "audit", folder / f"{name}.jsonl", "--measure", "uer@side", "--resamples", 50, "--out", folder / name
    )
    return folder / name


def test_a_source_text_that_changed_under_its_id_is_named(tmp_path: Path) -> None:
    """The comparison of two audits says which records have other documents now; the same documents pass in silence."""
    before = audited(tmp_path, "before", {"s": "Oak"})
    same = audited(tmp_path, "same", {"s": "Elm"})
    other = audited(tmp_path, "other", {"s": "Elm"}, first="Oak trees")
    assert "differ between" not in CliRunner().invoke(app, ["compare", str(same), str(before)]).output
    for pair in ((other, before), (before, other)):
        told = CliRunner().invoke(app, ["compare", *map(str, pair)]).output
        assert "The documents of 1 record differ between the two audits: r0." in told


def test_one_system_is_compared_with_one_of_several(tmp_path: Path) -> None:
    """--system and --against name a system of each audit; a chosen one is held against its rivals."""
    chosen = audited(tmp_path, "chosen", {"chosen": "Oak Elm"})
    rivals = audited(tmp_path, "rivals", {"one": "Oak", "two": "Elm"})
    with pytest.raises(RequestError, match="Name them with --system and --against"):
        printed("compare", chosen, rivals)
    assert "chosen − two" in printed("compare", chosen, rivals, "--against", "two")
    assert "two − one" in printed("compare", rivals, rivals, "--system", "two", "--against", "one")
    with pytest.raises(RequestError, match=r"no system 'tow'\. Did you mean 'two'"):
        printed("compare", chosen, rivals, "--against", "tow")
    with pytest.raises(RequestError, match="--against is not given, and the audit has no system 'chosen'"):
        printed("compare", chosen, rivals, "--system", "chosen")
