"""Sessions beside ``make test``: ``nox -l`` lists them, ``nox -s no_extras`` runs one.

Each session has an environment of its own. What is pinned in constraints.txt is what ``make test`` uses; here the
bounds that pyproject.toml promises are tried.
"""

from __future__ import annotations

import re
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
    lists = [
        PROJECT["project"]["dependencies"],
        *(extras[name] for name in sorted({*extras} - {"neural", "ray"})),
    ]
    pins = sorted({_oldest(text) for of in lists for text in of})
    session.install(
        "pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "httpx", "jsonschema", "mypy", "openpyxl", "rouge-score",
        "statsmodels", *pins,
    )  # fmt: skip
    session.install("--no-deps", "--editable", ".", "--editable", "tests/plugin_package")
    session.run("python", "-m", "pytest", "-n", "auto", "tests/unit", "tests/properties", *session.posargs)


@nox.session
def no_extras(session: nox.Session) -> None:
    """A first audit and its report, the measures and the doctor, with nothing but what the package itself requires, on this Python."""
    session.install("--constraint", "constraints.txt", ".")
    session.run("fairbrief", "audit", "examples/reviews.jsonl", "--out", f"{session.create_tmp()}/audit")
    session.run("fairbrief", "measures")
    session.run("fairbrief", "doctor")


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
    head = "".join(
        line + "\n" for line in Path(HASHED).read_text(encoding="utf-8").splitlines() if line.startswith("#")
    )
    Path(HASHED).write_text(head + made.read_text(encoding="utf-8"), encoding="utf-8")


@nox.session(python=PYTHONS[0])
def vulnerabilities(session: nox.Session) -> None:
    """What is known against the pinned versions, of the package and of its tests; a version that could not be looked up fails, too."""
    session.install("pip-audit")
    session.run("pip-audit", "--strict", "--disable-pip", "--require-hashes", "--requirement", HASHED)
    session.run("pip-audit", "--strict", "--disable-pip", "--no-deps", "--requirement", "constraints.txt")


def _oldest(requirement: str) -> str:
    """``numpy==2.0`` of ``numpy>=2.0``; a requirement without a lower bound as it is."""
    return re.sub(r">=\s*([\w.]+).*", r"==\1", requirement)
