"""Sessions beside ``make test``: ``nox -l`` lists them, ``nox -s no_extras`` runs one.

Each session has an environment of its own. What is pinned in constraints.txt is what ``make test`` uses; here the
bounds that pyproject.toml promises are tried.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tomllib
from pathlib import Path

import nox

nox.options.sessions = ["no_extras", "tests"]
nox.options.default_venv_backend = "venv"
HASHED = "constraints-hashed.txt"
PYTHONS = ["3.11", "3.12", "3.13"]
PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, with the pinned versions, on every Python from the oldest allowed one."""
    session.install("--constraint", "constraints.txt", "--group", "test", "--group", "neural")
    session.install("--no-deps", "--editable", ".", "--editable", "tests/plugin_package")
    session.run("python", "-m", "pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The tests without models, with the oldest version of each dependency and extra that pyproject.toml allows."""
    extras = PROJECT["project"]["optional-dependencies"]
    lists = [PROJECT["project"]["dependencies"], *(extras[name] for name in {*extras} - {"neural", "ray"})]
    pins = sorted({_oldest(text) for of in lists for text in of})
    session.install(
        "pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "httpx", "jsonschema", "mypy", "openpyxl", "rouge-score",
        "statsmodels", *pins,
    )  # fmt: skip
    session.install("--no-deps", "--editable", ".", "--editable", "tests/plugin_package")
    session.run("python", "-m", "pytest", "-n", "auto", "tests/unit", "tests/properties", *session.posargs)


@nox.session(python=[*PYTHONS, "3.14"])
def no_extras(session: nox.Session) -> None:
    """The README's commands for your own file, with nothing but what the package itself requires; then it is uninstalled without a trace.

    Installs the working tree, or the wheel that is named after ``--``.
    """
    session.install("--constraint", "constraints.txt", *(session.posargs or ["."]))
    page = Path("docs/tutorials/your-own-csv.md").read_text(encoding="utf-8")
    writes_files = page.partition("```python\n")[2].partition("```")[0]
    examples = Path("examples").resolve()
    with session.chdir(session.create_tmp()):
        session.run("python", "-c", writes_files.replace("examples", str(examples)), silent=True)
        session.run("fairbrief", "init", "reviews.csv", "summaries.csv", "--out", "fairbrief.toml")
        session.run("fairbrief", "audit", "fairbrief.toml", "--missing", "drop", "--out", "audit")
        limit = "coverage_parity@opinion:relative_difference-random>=-0.15"
        session.run("fairbrief", "gate", "audit", "--min", limit, success_codes=[1])
        Path("fairbrief.toml").unlink()
    session.run("fairbrief", "measures")
    session.run("fairbrief", "doctor")
    session.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "fairbrief")
    at = Path(session.virtualenv.location)
    if left := [str(path) for folder in ("bin", "lib") for path in (at / folder).rglob("*fairbrief*")]:
        session.error(f"Uninstalled, the package leaves {', '.join(left)}")


@nox.session(python=PYTHONS[0])
def release(session: nox.Session) -> None:
    """Build dist/ twice, from here and from a clone, which must give the same bytes; write an SBOM beside it, then try and check it."""
    session.install("build", "cyclonedx-bom")
    built, tmp = Path("dist"), Path(session.create_tmp()).resolve()
    clone, bare = tmp / "clone", tmp / "bare"
    for folder in (built, clone, bare):
        shutil.rmtree(folder, ignore_errors=True)
    env = {"PIP_CONSTRAINT": str(Path("constraints.txt").resolve())}
    session.run("python", "-m", "build", env=env)
    mask = os.umask(0o077)
    session.run("git", "clone", "--quiet", ".", str(clone), external=True)
    session.run("python", "-m", "build", str(clone), env={**env, "TZ": "Asia/Tokyo"})
    os.umask(mask)
    one, other = (
        {path.name: _digest(path) for path in folder.iterdir()} for folder in (built, clone / "dist")
    )
    if one != other:
        session.error(
            f"Two builds differ: {one} and {other}. Commit all changes, or find what is not reproducible."
        )
    (wheel,) = built.glob("*.whl")
    python = str(bare / "bin" / "python")
    session.run("python", "-m", "venv", "--without-pip", str(bare))
    into_bare = ("python", "-m", "pip", "--python", python, "install", "--quiet")
    session.run(*into_bare, "--constraint", "constraints.txt", str(wheel))
    bill = wheel.with_suffix(".cdx.json")
    session.run(
        "cyclonedx-py", "environment", python, "--pyproject", "pyproject.toml", "--mc-type", "library", "--output-reproducible",
        "--output-file", str(bill),
    )  # fmt: skip
    found = json.loads(bill.read_text(encoding="utf-8"))
    found["metadata"]["component"]["version"] = wheel.name.split("-")[1]  # pyproject.toml does not name it
    bill.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    for version in (*PYTHONS, "3.14"):
        session.notify(f"no_extras-{version}", [str(wheel)])
    session.notify("vulnerabilities")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@nox.session(python=PYTHONS[0])
@nox.parametrize("cpu", ["MKL_CBWR=COMPATIBLE", "ONEDNN_MAX_CPU_ISA=AVX2"])
@nox.parametrize("threads", ["1", "2"])
def kernels(session: nox.Session, cpu: str, threads: str) -> None:
    """The tests with models on other kernels of torch: scores repeat to 1e-5."""
    session.install("--constraint", "constraints.txt", "--group", "test", "--group", "neural")
    session.install("--no-deps", "--editable", ".", "--editable", "tests/plugin_package")
    name, _, value = cpu.partition("=")
    env = {name: value, "OMP_NUM_THREADS": threads}
    session.run("python", "-m", "pytest", "tests/neural", *session.posargs, env=env)


@nox.session(python=PYTHONS[0])
def hashes(session: nox.Session) -> None:
    """Write constraints-hashed.txt anew: what the package itself requires, in the pinned versions, each file by its hash."""
    session.install("pip-tools")
    made = Path(session.create_tmp()) / HASHED
    session.run(
        "pip-compile", "--quiet", "--generate-hashes", "--strip-extras", "--no-annotate", "--no-header", "--no-emit-index-url",
        "--no-emit-trusted-host", "--no-emit-find-links", "--no-emit-options", "--constraint", "constraints.txt",
        "--output-file", str(made), "pyproject.toml",
    )  # fmt: skip
    old = Path(HASHED).read_text(encoding="utf-8").splitlines(keepends=True)
    head = [line for line in old if line.startswith("#")]
    Path(HASHED).write_text("".join([*head, made.read_text(encoding="utf-8")]), encoding="utf-8")


@nox.session(python=PYTHONS[0])
def vulnerabilities(session: nox.Session) -> None:
    """What is known against the pinned versions, of the package and of its tests; a version that could not be looked up fails, too."""
    session.install("pip-audit")
    session.run("pip-audit", "--strict", "--disable-pip", "--require-hashes", "--requirement", HASHED)
    session.run("pip-audit", "--strict", "--disable-pip", "--no-deps", "--requirement", "constraints.txt")


def _oldest(requirement: str) -> str:
    """``numpy==2.0`` of ``numpy>=2.0``; a requirement without a lower bound as it is."""
    return re.sub(r">=\s*([\w.]+).*", r"==\1", requirement)
