"""The pages that say how to do something are run as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stub_chat import StubChat

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "how-to"


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of one language in a page."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def first_text(prompt: str) -> str:
    """What a model that sums up by its first document would answer to a numbered prompt, and to a unit splitter."""
    found = re.search(r"^1\. (.+)$", prompt, re.MULTILINE)
    return found[1] if found else "1. A statement."


@pytest.mark.parametrize("page", ["choose", "compare-scorers", "experiments", "gate", "sweep"])
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    """Every block of commands, in order and in one folder, ends well."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(["set -e", *blocks(page, "bash")])
    with StubChat(answer=first_text) as server:
        env = {**os.environ, "PATH": path, "COLUMNS": "100", "OPENAI_BASE_URL": server.url}
        ran = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert blocks(page, "bash")


@pytest.mark.neural
@pytest.mark.filterwarnings("default")
def test_the_fine_tuning_grid_runs_and_its_report_draws_the_grid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few steps of training on each set give an estimate for every cell, and a heat map over train × eval."""
    for library in ("torch", "transformers", "accelerate"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    scope: dict[str, object] = {"__name__": "page"}
    assert "STEPS = 150" in blocks("fine-tuning-grid", "python")[0]
    for block in blocks("fine-tuning-grid", "python"):
        exec(compile(block.replace("STEPS = 150", "STEPS = 3"), "fine-tuning-grid.md", "exec"), scope)

    from fairbrief.reports import load
    from fairbrief.reports.figures import draw

    result = load(tmp_path / "grid")
    cells = [e for e in result.estimates if e.quantity == "position_bias" and len(e.slice) == 2]
    assert {(e.slice["train"], e.slice["eval"]) for e in cells} == {
        (a, b) for a in ("news", "talks") for b in ("news", "talks")
    }
    assert all(e.n + sum(e.excluded.values()) == 20 for e in cells)
    assert "position_bias by train and eval" in [figure.title for figure in draw(result)]
