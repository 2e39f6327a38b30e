"""Whatever stands in a file, `fairbrief audit` ends with numbers or with one clear sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command, refused, results, row, rows, write

QUICK = ("--attribute", "mood", "--resamples", "20")
WHOLE = json.dumps(row(9))
HALF = "\ud83d half"

BAD_LINES: dict[str, tuple[Any, str]] = {
    "truncated": (WHOLE[:60], "one complete JSON object per line"),
    "invalid JSON": ("not json", "found invalid JSON"),
    "Latin-1": (WHOLE.replace("garden", "gärden").encode().replace(b"soup", b"so\xfcp", 1), "not UTF-8"),
    "NUL byte": (WHOLE[:30] + "\0" + WHOLE[30:], "Invalid control character"),
    "nested too deeply": ('{"id":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "a number of many digits": ('{"id": ' + "1" * 5000 + "}", "digits"),
    "no fields": ({}, "found no fields; expected a field"),
    "a document without fields": (row(9, documents=[{}]), "document 1 with no fields; expected its text"),
}
# JSON can spell a lone surrogate, no file can hold one: it is bad input wherever it stands.
for where in (
    {"id": HALF}, {"summary": HALF}, {"system": HALF}, {"attributes": {"size": HALF}}, {"documents": [HALF]},
    {"documents": [{"text": "A.", "attributes": {"mood": HALF}}]},
):  # fmt: skip
    BAD_LINES[f"half a character in {where!a}"] = (row(9, **where), "half a character")


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_or_skipped_and_listed(name: str, tmp_path: Path, fairbrief: Command) -> None:
    """One message with its number, what is there and what was wanted; with --on-error skip the rest is audited."""
    bad, said = BAD_LINES[name]
    file = write(tmp_path / "in.jsonl", [*rows(4), bad])
    refused(fairbrief("audit", file, *QUICK), "in.jsonl:5", said)
    ran = fairbrief("audit", file, *QUICK, "--on-error", "skip", "--out", tmp_path / "out")
    found = results(tmp_path / "out")
    assert (found["made"]["records"], found["made"]["skipped"]) == (4, 1)
    assert "in.jsonl:5" in found["skipped"][0]
    assert "in.jsonl:5" in ran.out


def test_an_array_in_json_lines_is_read_under_the_name_that_the_message_advises(
    tmp_path: Path, fairbrief: Command
) -> None:
    """Of one line or of many."""
    file = tmp_path / "in.jsonl"
    for indent in (None, 1):
        file.write_text(json.dumps(rows(4), indent=indent))
        refused(fairbrief("audit", file, *QUICK), "in.jsonl:1", "in .json", "if", "is one array")
        assert fairbrief("audit", file.rename(file.with_suffix(".json")), *QUICK).code == 0


def test_an_empty_file_of_summaries_is_not_called_missing(tmp_path: Path, fairbrief: Command) -> None:
    """The records are there; their summaries are not."""
    records = [{name: value for name, value in one.items() if name != "summary"} for one in rows(4)]
    sources, summaries = write(tmp_path / "in.jsonl", records), tmp_path / "a.jsonl"
    summaries.write_text("")
    ran = fairbrief("audit", sources, "--summaries", summaries)
    refused(ran, "no summary to audit: no record of the input has one")


def test_many_skipped_lines_are_counted_on_the_first_screen(tmp_path: Path, fairbrief: Command) -> None:
    """The reasons that do not fit are counted, with the option that prints all."""
    file = write(tmp_path / "in.jsonl", [*rows(4), *(["not", "an", "object"] for _ in range(9))])
    ran = fairbrief("audit", file, *QUICK, "--on-error", "skip")
    assert "SKIPPED  9 lines of the input." in ran.out
    assert "more reasons: --details" in ran.out


def test_missing_attributes_are_an_error_that_says_what_to_do(tmp_path: Path, fairbrief: Command) -> None:
    """Where some documents of a record lack the attribute, --require is offered, works, and is named as the reason."""
    lacking = row(9)
    del lacking["documents"][1]["attributes"]["mood"]
    file, out = write(tmp_path / "in.jsonl", [*rows(4), lacking]), tmp_path / "out"
    refused(fairbrief("audit", file, *QUICK), "--require mood")
    write(file, [*rows(4), lacking, "no object"])
    skipping = (*QUICK, "--on-error", "skip", "--out", out)
    ran = fairbrief("audit", file, *skipping, "--require", "mood")
    said = "1 line of the input. 1 row excluded by --require."
    assert f"SKIPPED  {said}" in ran.out
    for report in ("report.md", "report.html"):
        assert said in (out / report).read_text().replace("\\", "")
    assert fairbrief("audit", file, *QUICK, "--on-error", "skip").code == 0


def test_one_group_only_leaves_the_comparison_out_with_its_reason(tmp_path: Path, fairbrief: Command) -> None:
    """The report says that there is one value only; a measure that was named keeps its row, with no number."""
    documents = [{"text": "a warm garden", "attributes": {"mood": "good"}}] * 3
    file = write(tmp_path / "in.jsonl", rows(3, documents=documents))
    ran = fairbrief("audit", file, *QUICK, "--out", out := tmp_path / "out")
    assert ran.code == 0
    assert "CAUTION  No groups are compared: 'mood' has one value only" in ran.out
    assert "No groups are compared: &#39;mood&#39; has one value only" in (out / "report.html").read_text()
    assert "'mood' has one value only" in ran.out.replace("\n         ", " ")
    ran = fairbrief("audit", file, "--measure", "uer@mood", "--resamples", "20", "--out", tmp_path / "out")
    assert ran.code == 0
    assert "CAUTION" not in ran.out
    assert "(uer): one value only 3." in ran.out
    (main_value, *_) = results(tmp_path / "out")["estimates"]
    assert (main_value["value"], sum(main_value["excluded"].values())) == (None, 3)
    assert main_value["notes"]


def test_an_attribute_that_is_no_attribute_yet_is_found_with_the_command_of_the_message(
    tmp_path: Path, fairbrief: Command
) -> None:
    """A list of values beside the documents counts only if it is named; `init` finds it."""
    lists = rows(4)
    for one in lists:
        one["side"] = [d["attributes"]["mood"] for d in one["documents"]]
        one["documents"] = [d["text"] for d in one["documents"]]
        del one["references"]
    file = write(tmp_path / "in.jsonl", lists)
    told = "'fairbrief init FILE' proposes which one"
    refused(fairbrief("audit", file), "no document has an attribute (", told)
    assert fairbrief("init", file, "--out", tmp_path / "in.toml").code == 0
    ran = fairbrief("audit", tmp_path / "in.toml", "--resamples", "20")
    assert ran.code == 0
    assert "Side: negative 8 documents" in ran.out


def test_summaries_that_come_late_are_audited_by_named_measures(tmp_path: Path, fairbrief: Command) -> None:
    """Which measures an input allows is told by its first summaries; where these are missing, that is said, and what to do."""
    missing = [{**line, "summary": None} for line in rows(200)]
    file = write(tmp_path / "in.jsonl", [*missing, *({**row(i), "id": f"r{i}"} for i in range(200, 204))])
    told = "any of the first 200 summaries: missing summary ("
    refused(fairbrief("audit", file, *QUICK), told, "--measure")
    assert fairbrief("audit", file, *QUICK, "--measure", "rouge1").code == 0


@pytest.mark.parametrize("records", [3, 1_100])
def test_summaries_in_another_field_are_told(records: int, tmp_path: Path, fairbrief: Command) -> None:
    """However long the file is: the field that there is, and the option that names it."""
    lines = [row(i, output=row(i)["summary"]) for i in range(records)]
    file = write(tmp_path / "in.jsonl", [{k: v for k, v in r.items() if k != "summary"} for r in lines])
    told = "in.jsonl has no field 'summary' in its first"
    refused(fairbrief("audit", file, *QUICK), told, "'output'", "--summary-field FIELD")
    assert fairbrief("audit", file, *QUICK, "--measure", "rouge1", "--summary-field", "output").code == 0
