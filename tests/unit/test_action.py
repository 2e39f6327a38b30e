"""The GitHub Action: its script in a temporary repository, and its inputs; and what the Dockerfile runs as."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.test_gate import cases_of

from fairbrief.serialization import case_line, write_lines

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
DECLARED = re.findall(r"^  ([a-z-]+):\n    description:", ACTION.partition("\noutputs:")[0], re.MULTILINE)


def git(folder: Path, *arguments: str) -> None:
    """Run git there, without the settings of this machine."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)


def write(file: Path, unfair: int) -> None:
    """Forty records of two sides, of which the first ``unfair`` have a one-sided summary."""
    write_lines(map(case_line, cases_of(40, unfair, system="a`b")), file)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a fair audit on its base branch, beside the command in ``bin``."""
    folder = tmp_path_factory.mktemp("action")
    (folder / "bin").mkdir()
    command = folder / "bin" / "fairbrief"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fairbrief "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    base = folder / "base"
    base.mkdir()
    write(base / "summaries.jsonl", 0)
    (base / ".gitignore").write_text("out\n")
    git(base, "init", "--quiet")
    audit = "audit summaries.jsonl --measure uer@side --resamples 50 --out fairbrief-audit".split()
    subprocess.run([str(command), *audit], cwd=base, check=True, capture_output=True)
    git(base, "add", ".")
    git(base, "commit", "--quiet", "-m", "base")
    return base


@pytest.fixture
def repository(base: Path, tmp_path: Path) -> Path:
    """A clone of it."""
    git(tmp_path, "clone", "--quiet", base.as_uri(), "change")
    (tmp_path / "bin").symlink_to(base.parent / "bin")
    return tmp_path / "change"


def act(folder: Path, **settings: str) -> tuple[int, str]:
    """The exit status of the action's script, and its comment."""
    environment = {
        **os.environ, "PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}", "FILES": "summaries.jsonl",
        "AUDIT_OPTIONS": "--measure uer@side --resamples 50", "GATE_OPTIONS": "", "BASE": "main",
        "BASELINE": "fairbrief-audit", "OUT": "out", "GITHUB_OUTPUT": str(folder / "out.txt"), **settings,
    }  # fmt: skip
    command = ["bash", str(ROOT / "action" / "audit.sh")]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    comment = folder / "out" / "comment.md"
    return ran.returncode, comment.read_text(encoding="utf-8") if comment.exists() else ran.stderr


def status(folder: Path) -> str:
    """The output `status` of the action."""
    return (folder / "out.txt").read_text(encoding="utf-8").splitlines()[-1]


def test_a_worse_version_fails_against_the_base_branch(repository: Path) -> None:
    """The status is that of the gate; the comment has the checks and the first screen, whose texts cannot end its block."""
    write(repository / "summaries.jsonl", 36)
    code, comment = act(repository, GATE_OPTIONS="--margin 0.05")
    assert (code, status(repository)) == (0, "status=1")
    assert "Fairness gate: fail" in comment
    assert "FINDING" in comment
    assert comment.count("````") == 2
    assert "a`b" not in comment.partition("````")[2]


def test_a_change_without_a_baseline_checks_only_limits(repository: Path) -> None:
    """The base branch has no audit in the named folder: a limit decides; without one there is no gate."""
    limit = {"BASELINE": "elsewhere", "GATE_OPTIONS": "--max 'uer@side<=0.9'"}
    assert act(repository, **limit)[0] == 0
    assert status(repository) == "status=0"
    code, comment = act(repository, BASELINE="elsewhere")
    assert code == 0
    assert "No gate: the base branch has no audit in 'elsewhere'" in comment


def test_settings_are_words_and_never_commands(repository: Path) -> None:
    """Names with spaces, variables and commands stay names."""
    strange = repository / "a $(touch ran) `touch ran` b.jsonl"
    (repository / "summaries.jsonl").rename(strange)
    code, _ = act(repository, FILES=f"'{strange.name}'", BASE="")
    assert code == 0
    assert not (repository / "ran").exists()


def test_an_error_of_the_audit_fails_the_step(repository: Path) -> None:
    """An unknown measure ends with the exit status of an error."""
    assert act(repository, AUDIT_OPTIONS="--measure nonsense")[0] == 2


def test_every_input_is_used_and_documented() -> None:
    """Each declared input is read by a step and named on the page, and no step reads another one or puts one into a command."""
    assert set(re.findall(r"inputs\.([a-z-]+)", ACTION)) == set(DECLARED)
    page = (ROOT / "docs" / "how-to" / "every-night.md").read_text(encoding="utf-8")
    assert [name for name in DECLARED if f"`{name}`" not in page and f" {name}: " not in page] == []
    commands = re.findall(r"^      run: (.*)$", ACTION, re.MULTILINE)
    assert len(commands) == 4
    assert not any("${{" in command for command in commands)


def test_the_container_runs_as_nobody_without_a_shell() -> None:
    """The last stage begins from nothing, and its user is nobody."""
    last = (ROOT / "Dockerfile").read_text(encoding="utf-8").rpartition("FROM ")[2].splitlines()
    assert last[0] == "scratch"
    assert "USER 65534:65534" in last
    assert not [line for line in last if line.startswith("RUN")]
