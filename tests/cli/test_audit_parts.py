"""`fairbrief audit --part` and `fairbrief merge`: shares of one audit, and the audit of all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command, rows, write

from fairbrief.readers import json_lines

QUICK = ("--measure", "rouge1", "--measure", "bur@mood", "--resamples", "20")


def numbers(folder: Path) -> dict[str, Any]:
    """What an audit wrote, but for how long it took and which audit it was."""
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    found["made"].pop("seconds")
    found.pop("audit", None)
    return found


def test_shares_are_put_together_as_one_audit(tmp_path: Path, fairbrief: Command) -> None:
    """The merged audit is the one of the file, from whichever folder it is merged."""
    file = write(tmp_path / "in.jsonl", rows(12))
    for share in ("2/2", "1/2"):
        ran = fairbrief("audit", file, *QUICK, "--into", tmp_path / "parts", "--part", share)
        assert ran.code == 0
        assert f"Share {share}: " in ran.out
    ran = fairbrief("merge", tmp_path / "parts", "--out", tmp_path / "merged")
    assert ran.code == 0
    assert "rouge1" in ran.out
    assert fairbrief("audit", file, *QUICK, "--out", tmp_path / "whole").code == 0
    assert numbers(tmp_path / "merged") == numbers(tmp_path / "whole")


def test_a_share_is_told_how_it_is_asked_for(tmp_path: Path, fairbrief: Command) -> None:
    """Without a folder, with a report, or as no share; and a folder that holds no parts cannot be merged."""
    file, into = write(tmp_path / "in.jsonl", rows(4)), tmp_path / "parts"
    for options, said in (
        (("--part", "1/2"), "--into"),
        (("--part", "1/2", "--into", into, "--out", tmp_path / "out"), "merge DIR --out"),
        (("--part", "half", "--into", into), "--part 3/16"),
        (("--part", "3/2", "--into", into), "no share 3 of 2"),
    ):
        ran = fairbrief("audit", file, *QUICK, *options)
        assert ran.code
        assert said in ran.err
    (tmp_path / "empty").mkdir()
    ran = fairbrief("merge", tmp_path / "empty")
    assert ran.code
    assert "holds no parts of an audit" in ran.err


def test_an_audit_grows(tmp_path: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added to an audit gives the audit of both; only the new parts are done, and merging is of both from then on."""
    monkeypatch.setattr(json_lines, "PART", 4_000)
    old, new, into = tmp_path / "old.jsonl", tmp_path / "more" / "new.jsonl", tmp_path / "parts"
    new.parent.mkdir()
    write(old, rows(40))
    write(new, [{**row, "id": f"more {row['id']}"} for row in rows(20)])
    assert fairbrief("audit", old, *QUICK, "--into", into).code == 0
    before = {path: path.stat().st_mtime_ns for path in into.glob("*.part")}
    assert len(before) > 2
    ran = fairbrief("audit", new, "--add-to", into, "--out", tmp_path / "grown")
    assert ran.code == 0, ran.err
    after = {path: path.stat().st_mtime_ns for path in into.glob("*.part")}
    assert before.items() < after.items()
    assert fairbrief("audit", old, new, *QUICK, "--out", tmp_path / "both").code == 0
    assert numbers(tmp_path / "grown") == numbers(tmp_path / "both")
    again = fairbrief("audit", new, "--add-to", into, "--resamples", "20")
    assert again.code == 0, again.err
    alone = fairbrief("audit", new, "--add-to", into, "--models-in-workers")
    assert (alone.code, "--workers" in alone.err) == (2, True), alone.err
    assert fairbrief("merge", into, "--out", tmp_path / "merged").code == 0
    assert numbers(tmp_path / "merged") == numbers(tmp_path / "both")
    assert {path: path.stat().st_mtime_ns for path in into.glob("*.part")} == after


def test_an_audit_grows_with_its_own_settings(tmp_path: Path, fairbrief: Command) -> None:
    """Another seed or measure is refused with what the audit has; so is a folder that holds no parts."""
    old, new, into = tmp_path / "old.jsonl", tmp_path / "new.jsonl", tmp_path / "parts"
    write(old, rows(8))
    write(new, [{**row, "id": f"more {row['id']}"} for row in rows(4)])
    assert fairbrief("audit", old, *QUICK, "--into", into).code == 0
    for option, value, said in (
        ("--seed", "3", f"--seed 3 is not how the audit in {into} began: there it is 0."),
        ("--measure", "rouge2", "--measure rouge2 is not how"),
        ("--slice", "kind", "drop the option, or audit all files anew"),
    ):
        ran = fairbrief("audit", new, "--add-to", into, option, value)
        assert ran.code
        assert said in ran.err
    ran = fairbrief("audit", new, "--add-to", tmp_path / "none")
    assert ran.code
    assert "holds no parts of an audit" in ran.err
