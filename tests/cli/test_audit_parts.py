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


def test_a_share_with_other_options_than_the_folders_audit_is_refused(
    tmp_path: Path, fairbrief: Command
) -> None:
    """The option is named with both values; the audit stays what it was, also after commands that are refused."""
    file, into = write(tmp_path / "in.jsonl", rows(12)), tmp_path / "parts"
    for share in ("1/2", "2/2"):
        cache = ("--cache", tmp_path / f"{share[0]}.sqlite")  # each machine has its own
        assert fairbrief("audit", file, *QUICK, *cache, "--into", into, "--part", share).code == 0
    for more, said in (
        (("--seed", "3"), "there --seed is 0, not 3"),
        (("--measure", "uer@mood"), "there --measure is rouge1, bur@mood, not rouge1, bur@mood, uer@mood"),
        (("--extracts", "5"), "there --extracts is not given, not 5"),
    ):
        ran = fairbrief("audit", file, *QUICK, *more, "--into", into, "--part", "1/2")
        assert ran.code == 2
        assert said in ran.err
        assert "audit.json" in ran.err
    assert fairbrief("audit", file, *QUICK, "--into", into, "--part", "9/4").code == 2
    assert fairbrief("audit", tmp_path / "no.jsonl", *QUICK, "--into", into, "--part", "1/2").code == 2
    assert fairbrief("audit", tmp_path / "no.jsonl", *QUICK, "--seed", "3", "--into", into).code == 2
    assert fairbrief("merge", into, "--out", tmp_path / "merged").code == 0
    assert fairbrief("audit", file, *QUICK, "--out", tmp_path / "whole").code == 0
    assert numbers(tmp_path / "merged") == numbers(tmp_path / "whole")


def test_with_other_options_a_folder_is_gone_on_with_on_purpose(tmp_path: Path, fairbrief: Command) -> None:
    """By doing what the refusal says: the folder forgets its audit, and every share is done again."""
    file, into = write(tmp_path / "in.jsonl", rows(12)), tmp_path / "parts"
    more = ("--measure", "uer@mood")
    assert fairbrief("audit", file, *QUICK, "--into", into, "--part", "1/1").code == 0
    (into / "audit.json").unlink()
    assert fairbrief("audit", file, *QUICK, *more, "--into", into, "--part", "1/1").code == 0
    assert "uer" in fairbrief("merge", into).out


def test_a_first_command_that_is_refused_leaves_no_folder(tmp_path: Path, fairbrief: Command) -> None:
    """Whole or a share: nothing was done, so there is nothing to merge."""
    into = tmp_path / "parts"
    for share in ((), ("--part", "1/2")):
        assert fairbrief("audit", tmp_path / "no.jsonl", *QUICK, "--into", into, *share).code == 2
        assert not into.exists()


def test_others_may_read_parts_as_they_may_read_audits(tmp_path: Path, fairbrief: Command) -> None:
    """Machines that share a folder may work for several users: what the mask allows is allowed."""
    file, into = write(tmp_path / "in.jsonl", rows(4)), tmp_path / "parts"
    assert fairbrief("audit", file, *QUICK, "--into", into, "--part", "1/1").code == 0
    (tmp_path / "plain").touch()
    allowed = (tmp_path / "plain").stat().st_mode
    assert {path.stat().st_mode for path in into.iterdir()} == {allowed}
