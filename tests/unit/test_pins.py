"""What is pinned by hash is what is tested."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", re.MULTILINE)


def pins(file: str) -> dict[str, str]:
    """Package, as indexes spell it, and version."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


def test_hashes_are_of_the_tested_versions() -> None:
    """Every requirement of the package is pinned by hash, in the version that the tests run with."""
    hashed, tested = pins("constraints-hashed.txt"), pins("constraints.txt")
    assert {name: tested.get(name) for name in hashed} == hashed
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.sub(r"[-_.]+", "-", re.split(r"[<>=;\s]", d)[0]).lower() for d in project["dependencies"]}
    assert required <= set(hashed)
    requirements = (ROOT / "constraints-hashed.txt").read_text(encoding="utf-8").split("\n")
    assert all("--hash=sha256:" in line for line in requirements if line.startswith("    "))
    assert sum("==" in line for line in requirements) == len(hashed)
    assert all(line.endswith("\\") for line in requirements if "==" in line and not line.startswith("#"))
