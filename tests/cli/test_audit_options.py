"""`fairbrief audit` and its options, from a file to the folder of results."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command, row, rows, write

from fairbrief import registry

QUICK = ("--resamples", "20")
KEYS = {
    "measure", "system", "slice", "value", "low", "high", "null_mean", "p", "p_adjusted", "n", "excluded",
    "signature",
}  # fmt: skip


def results(folder: Path) -> dict[str, Any]:
    """What results.json holds."""
    found: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return found


def audited(folder: Path) -> list[tuple[Any, ...]]:
    """What was estimated, without the digest of how the input was written."""
    return [(e["measure"], e["quantity"], e["value"], e["n"]) for e in results(folder)["estimates"]]


@pytest.fixture
def expected(tmp_path: Path, fairbrief: Command) -> list[tuple[Any, ...]]:
    """The estimates of the usual records, read from JSON Lines."""
    file = write(tmp_path / "plain.jsonl", rows(5))
    assert fairbrief("audit", file, "--attribute", "mood", *QUICK, "--out", tmp_path / "plain").code == 0
    return audited(tmp_path / "plain")


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_packed_files_read_as_they_are(
    packed: str, tmp_path: Path, fairbrief: Command, expected: list[tuple[Any, ...]]
) -> None:
    """Gzip and Zstandard change nothing."""
    content = (tmp_path / "plain.jsonl").read_bytes()
    file = tmp_path / f"in.jsonl.{packed}"
    if packed == "gz":
        file.write_bytes(gzip.compress(content))
    else:
        with pa.output_stream(str(file), compression="zstd") as stream:
            stream.write(content)
    ran = fairbrief("audit", file, "--attribute", "mood", *QUICK, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert audited(tmp_path / "out") == expected


def test_parquet_reads_like_lines(
    tmp_path: Path, fairbrief: Command, expected: list[tuple[Any, ...]]
) -> None:
    """Nested columns hold the same records."""
    pq.write_table(pa.Table.from_pylist(rows(5)), tmp_path / "in.parquet")
    ran = fairbrief(
        "audit", tmp_path / "in.parquet", "--attribute", "mood", *QUICK, "--out", tmp_path / "out"
    )
    assert ran.code == 0, ran.err
    assert audited(tmp_path / "out") == expected


def test_columns_of_a_csv_are_mapped_by_options(
    tmp_path: Path, fairbrief: Command, expected: list[tuple[Any, ...]]
) -> None:
    """A text column cut by a separator, with a parallel column of values, is the same input."""
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["no", "reviews", "stars", "output", "gold"])
        for r in rows(5):
            texts, moods = (
                [d["text"] for d in r["documents"]],
                [d["attributes"]["mood"] for d in r["documents"]],
            )
            writer.writerow([r["id"], " || ".join(texts), "|".join(moods), r["summary"], r["references"][0]])
    ran = fairbrief(
        "audit", tmp_path / "in.csv", "--id-field", "no", "--documents-field", "reviews", "--separator", " || ",
        "--summary-field", "output", "--references-field", "gold", "--attribute", "mood=stars", *QUICK,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert audited(tmp_path / "out") == expected


def test_a_field_that_is_not_there_is_named_with_those_that_are(tmp_path: Path, fairbrief: Command) -> None:
    """A misspelt field is no empty column."""
    file = write(tmp_path / "in.jsonl", rows(2))
    ran = fairbrief("audit", file, "--summary-field", "sumary", *QUICK)
    assert ran.code == 2
    assert "'sumary'" in ran.err
    assert "'summary'" in ran.err


def test_summaries_of_further_systems_come_from_files_of_their_own(
    tmp_path: Path, fairbrief: Command
) -> None:
    """By id from JSON Lines, by order from plain text; the systems are then compared."""
    inputs = [{k: v for k, v in r.items() if k != "summary"} for r in rows(4)]
    file = write(tmp_path / "in.jsonl", inputs)
    one = write(tmp_path / "one.jsonl", [{"id": r["id"], "summary": r["summary"]} for r in reversed(rows(4))])
    two = tmp_path / "two.txt"
    two.write_text("\n".join(r["summary"] for r in rows(4)) + "\n", encoding="utf-8")
    ran = fairbrief(
        "audit", file, "--summaries", f"a={one}", "--summaries", f"b={two}", "--measure", "rouge1", *QUICK,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = results(tmp_path / "out")
    assert found["made"]["systems"] == ["a", "b"]
    assert {d["value"] for d in found["differences"]} == {0.0}
    assert {(d["system"], d["baseline"]) for d in found["differences"]} == {("a", "b")}


def test_slices_one_and_two_ways(tmp_path: Path, fairbrief: Command) -> None:
    """--slice a gives a slice per value, --slice a,b one per pair of values."""
    records = [
        row(i, attributes={"size": "small" if i % 2 else "large", "year": str(2020 + i // 4)})
        for i in range(8)
    ]
    file = write(tmp_path / "in.jsonl", records)
    ran = fairbrief(
        "audit", file, "--measure", "uer@mood", *QUICK, "--slice", "size", "--slice", "size,year",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    headline = [e for e in results(tmp_path / "out")["estimates"] if e["quantity"] == "uer"]
    assert {tuple(e["slice"].items()): e["n"] for e in headline} == {
        (): 8,
        **{(("size", s),): 4 for s in ("small", "large")},
        **{(("size", s), ("year", y)): 2 for s in ("small", "large") for y in ("2020", "2021")},
    }


def test_controls_stand_beside_the_systems(tmp_path: Path, fairbrief: Command) -> None:
    """--controls adds texts that no system wrote, named as such; the systems stay as they were."""
    file = write(tmp_path / "in.jsonl", rows(5))
    ran = fairbrief("audit", file, "--measure", "uer@mood", *QUICK, "--controls", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    made = results(tmp_path / "out")["made"]
    assert made["systems"] == ["in"]
    assert len(made["controls"]) > 2
    assert all(name.startswith("control:") for name in made["controls"])


def test_scorers_read_counterfactual_sources_unless_told_not_to(tmp_path: Path, fairbrief: Command) -> None:
    """By default a scorer without a model is checked; the option says yes or no, and the result remembers it."""
    texts = ("She opened the bridge. Her wife was glad.", "He was sad. The town thanked him.")
    lines = [
        {"id": str(i), "documents": [{"text": f"{texts[i % 2]} Page {i}."}], "summary": texts[i % 2]}
        for i in range(8)
    ]
    news = write(tmp_path / "news.jsonl", lines)
    found = {}
    for option in ((), ("--check-scorers",), ("--no-check-scorers",)):
        folder = tmp_path / str(len(found))
        run = fairbrief("audit", news, "--measure", "sentiment_shift", *option, *QUICK, "--out", folder)
        assert run.code == 0
        found[option] = ("Scorer bias" in run.out, results(folder)["made"]["check_scorers"])
    assert list(found.values()) == [(True, None), (True, True), (False, False)]


def test_a_baseline_is_what_others_are_compared_with(tmp_path: Path, fairbrief: Command) -> None:
    """Every other system minus the baseline; an unknown baseline is an error."""
    records = [{**r, "system": s} for r in rows(4) for s in ("a", "b", "c")]
    file = write(tmp_path / "in.jsonl", records)
    ran = fairbrief(
        "audit", file, "--measure", "rouge1", *QUICK, "--baseline", "b", "--out", tmp_path / "out"
    )
    assert ran.code == 0, ran.err
    pairs = {(d["system"], d["baseline"]) for d in results(tmp_path / "out")["differences"]}
    assert pairs == {("a", "b"), ("c", "b")}
    unknown = fairbrief("audit", file, "--measure", "rouge1", *QUICK, "--baseline", "z")
    assert unknown.code == 2
    assert "'z'" in unknown.err


def test_the_folder_holds_every_file_and_results_follow_their_schema(
    tmp_path: Path, fairbrief: Command
) -> None:
    """--out: numbers, evidence, page, tables; the schema is shipped and describes every estimate."""
    file = write(tmp_path / "in.jsonl", rows(6))
    ran = fairbrief("audit", file, "--attribute", "mood", *QUICK, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    there = {p.name for p in (tmp_path / "out").iterdir()}
    assert there >= {
        "results.json", "evidence", "report.html", "report.md", "estimates.csv", "tables",
    }  # fmt: skip
    found = results(tmp_path / "out")
    schema = json.loads((files("fairbrief.reports") / "results.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    assert all(set(e) >= KEYS for e in found["estimates"])
    assert found["estimates"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert not any(f'{a}="{scheme}' in page for a in ("src", "href") for scheme in ("http", "//"))
    for one in found["evidence"]:
        evidence = pq.read_table(tmp_path / "out" / "evidence" / one["file"])
        statistics = [f for f in evidence.schema if f.metadata]
        assert statistics
        assert all(f.type == pa.float64() for f in statistics)
        assert {*evidence["observation"].to_pylist()} == {one["observation"]}


@pytest.mark.parametrize("name", ["terminal", "markdown", "latex", "csv", "html"])
def test_a_saved_audit_is_printed_in_every_format(name: str, tmp_path: Path, fairbrief: Command) -> None:
    """`fairbrief report DIR` needs the folder alone."""
    file = write(tmp_path / "in.jsonl", rows(3))
    fairbrief("audit", file, "--measure", "uer@mood", *QUICK, "--out", tmp_path / "out")
    file.unlink()
    ran = fairbrief("report", tmp_path / "out", "--format", name)
    assert ran.code == 0, ran.err
    assert "uer" in ran.out or name == "html"
    assert not ran.err


def test_a_report_of_nothing_and_an_unknown_format_are_clear(tmp_path: Path, fairbrief: Command) -> None:
    """Exit 2 and what to do."""
    nothing = fairbrief("report", tmp_path)
    assert nothing.code == 2
    assert "--out DIR" in nothing.err
    fairbrief(
        "audit", write(tmp_path / "in.jsonl", rows(2)), "--measure", "rouge1", "--out", tmp_path / "out"
    )
    unknown = fairbrief("report", tmp_path / "out", "--format", "pdf")
    assert unknown.code == 2
    assert "markdown" in unknown.err


def test_all_that_can_be_measured_is_listed_and_explained(fairbrief: Command) -> None:
    """`fairbrief measures` names everything that is installed; with a name it tells docstring and settings."""
    listed = fairbrief("measures")
    assert listed.code == 0
    kinds: tuple[registry.Kind, ...] = ("measure", "scorer", "tagger", "summarizer", "protocol")
    for kind in kinds:
        for name in registry.names(kind):
            assert name in listed.out
            explained = fairbrief("measures", name)
            assert explained.code == 0
            assert explained.out.startswith(name)
            assert len(explained.out.split()) > 10
    unknown = fairbrief("measures", "buur")
    assert unknown.code == 2
    assert "bur" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("adit",), "adit"),
        (("audit", "in.jsonl", "--atribute", "mood"), "--atribute"),
        (("audit",), "FILE"),
        (("audit", "in.jsonl", "--resamples", "many"), "--resamples"),
        (("audit", "in.jsonl", "--resamples", "-1"), "--resamples"),
        (("audit", "in.jsonl", "--on-error", "ignore"), "ignore"),
        (("audit", "in.jsonl", "--measure", "uers@mood"), "uer"),
        (("audit", "in.jsonl", "--measure", "uer(tau=x)@mood"), "tau"),
        (("audit", "in.jsonl", "--measure", "uer(tau=0.8"), "bracket"),
        (("audit", "in.jsonl", "--protocol", "zang"), "zhang-perspectives"),
        (("audit", "in.jsonl", "--control", "nothing"), "nothing"),
        (("audit", "in.jsonl", "--summaries", "x"), "no file x"),
        (("audit", "in.jsonl", "--summaries", "x="), "NAME=WHAT"),
        (("audit", "in.jsonl", "--format", "pdf"), "pdf"),
        (("audit", "in.jsonn",), "in.jsonl"),
        (("audit", ".",), "folder"),
        (("audit", "in.jsonl", "--seed", "-1"), "seed"),
        (("audit", "in.jsonl", "--slice", "sise"), "sise"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_one_clear_message(
    arguments: tuple[str, ...], said: str, tmp_path: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 2, what was wrong, nothing on standard output and no traceback."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.jsonl", rows(2))
    ran = fairbrief(*arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.startswith("fairbrief: ")
    assert ran.err.count("\n") == 1
    assert not ran.out


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, fairbrief: Command) -> None:
    """Where the results cannot be put, the message names the place."""
    file = write(tmp_path / "in.jsonl", rows(2))
    ran = fairbrief("audit", file, "--measure", "rouge1", *QUICK, "--out", file)
    assert ran.code == 2
    assert "in.jsonl" in ran.err
    assert ran.err.count("\n") == 1


# ------------------------------------------------------------------------------- as a process


def in_a_process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The installed command."""
    command = Path(sys.executable).with_name("fairbrief")
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=False, timeout=120)


def test_the_installed_command_audits(tmp_path: Path) -> None:
    """The road from the shell: exit 0 and a table, or exit 2 and one line on standard error."""
    file = write(tmp_path / "in.jsonl", rows(3))
    ran = in_a_process("audit", file, "--measure", "uer@mood", *QUICK)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "uer" in ran.stdout
    bad = in_a_process("audit", write(tmp_path / "bad.jsonl", ["{"]), *QUICK)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("fairbrief: bad.jsonl:1")
    assert bad.stderr.count("\n") == 1


def printed_by(words: list[str], modules: tuple[str, ...]) -> str:
    """What a command prints; then which of some modules it has loaded, and its exit code."""
    program = (
        f"import sys; sys.argv = {words!r}\n"
        "from fairbrief.cli import main\n"
        "try: main()\n"
        "except SystemExit as stop: code = stop.code\n"
        f"print([m for m in {modules!r} if m in sys.modules], code)"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_an_audit_loads_nothing_that_others_need(tmp_path: Path) -> None:
    """A quiet one of lexical measures over groups that no text can be rewritten to: no client, no names, no printing."""
    others = (
        "asyncio",
        "fairbrief.chat",
        "fairbrief.workbench.corpora",
        "rich.console",
        "fairbrief.reports.terminal",
    )
    path = write(tmp_path / "in.jsonl", rows(4))
    words = ["fairbrief", "audit", str(path), "--quiet", "--out", str(tmp_path / "out")]
    assert printed_by(words, others).splitlines()[-1] == "[] 0"


def test_help_imports_nothing_heavy() -> None:
    """What `--help` does not import it need not wait for."""
    heavy = (
        "numpy",
        "scipy",
        "pyarrow",
        "jinja2",
        "altair",
        "rich.table",
        "rich.progress",
        "fairbrief.auditing",
    )
    printed = printed_by(["fairbrief", "--help"], heavy)
    assert printed.splitlines()[-1] == "[] 0"
    assert "audit" in printed
