"""All records of a saved audit: listed, sorted, searched, compared and opened, from the files alone."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.browser import browsing
from tests.cli.command import printed, put, write
from tests.files.shapes import table

import fairbrief
from fairbrief.auditing.record_values import reader_of
from fairbrief.errors import DataError, RequestError
from fairbrief.reports.audit_folder import load, write_all
from fairbrief.reports.frames import rows_with, usable
from fairbrief.saved.saved_inputs import SavedTexts
from fairbrief.saved.view import Answers, OpenAudit, Server

EXAMPLE = Path("examples/reviews.jsonl").resolve()
COVERAGE = "coverage_parity@sentiment"
RECORDS = {case.record.id for case in fairbrief.read(EXAMPLE)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of a copy of the example beside its folder."""
    place = tmp_path_factory.mktemp("audited")
    (place / "reviews.jsonl").write_bytes(EXAMPLE.read_bytes())
    printed("audit", str(place / "reviews.jsonl"), "--measure", COVERAGE, "--measure", "uer@sentiment",
        "--resamples", "20", "--out", str(place / "audit"))  # fmt: skip
    return place / "audit"


@pytest.fixture(scope="module")
def about(folder: Path) -> Answers:
    """The folder, opened."""
    return Answers([OpenAudit(folder)])


def audited(folder: Path, rows: Iterable[dict[str, Any]], *options: str) -> Answers:
    """The rows in a file, audited into a folder beside it, and opened."""
    printed("audit", write(folder / "in.jsonl", [*rows]), *options, "--out", folder / "audit")
    return Answers([OpenAudit(folder / "audit")])


def records_of(found: dict[str, Any]) -> list[str]:
    """The ids of a page, in its order."""
    return [row["record"] for row in found["rows"]]


def test_the_list_is_sorted_by_the_values_of_the_records(about: Answers, folder: Path) -> None:
    """Each order is that of the values computed from the whole per-record statistics at once; records without a value come last."""
    rows = load(folder).rows
    whole = rows_with(usable(rows.of(rows.measures[COVERAGE])), "system", "rosy")
    reader, mine = reader_of(COVERAGE, whole.schema), whole["record"].to_pylist()
    assert reader is not None
    for name, of in reader.values(whole).items():
        values = {record: of[i] for i, record in enumerate(mine) if np.isfinite(of[i])}
        for way, sign in (("up", 1), ("down", -1)):
            if name == "coverage_parity":
                continue
            found = about.rows(COVERAGE, "0:rosy", order=f"{way}|{name}")
            listed = [row["value"] for row in found["rows"]]
            assert listed[: len(values)] == sorted(values.values(), key=lambda v: sign * v)
            assert listed[len(values) :] == [None] * (len(mine) - len(values))
            known = {row["record"]: row["value"] for row in found["rows"] if row["value"] is not None}
            assert known == values


def test_the_page_opens_on_the_reports_finding(about: Answers, folder: Path) -> None:
    """View and report begin with the measure and system of the leading finding; of two audits, with both of its systems."""
    twice = Answers([OpenAudit(folder, "new"), OpenAudit(folder, "old")])
    for answers, other in ((about, ""), (twice, "1:rosy")):
        start = {"measure": COVERAGE, "system": "0:rosy", "other": other, "order": ""}
        assert answers.about()["start"] == start
    names = [s["name"] for s in twice.about()["systems"]]
    assert names == ["new: balanced", "new: rosy", "old: balanced", "old: rosy"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    (start,) = re.findall(r'"start":(\{[^}]*\})', page)
    order = "up|relative_difference[negative]"
    assert json.loads(start) == {"measure": COVERAGE, "system": "rosy", "order": order}


def test_row_groups_without_a_system_are_passed_over(
    about: Answers, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two scorers are compared where a system has no record in some row groups of the other one's statistics."""
    monkeypatch.setattr("fairbrief.reports.per_record.GROUP", 1)
    write_all(load(folder), tmp_path)
    for system in ("0:rosy", "0:balanced"):
        found = Answers([OpenAudit(tmp_path)]).rows(COVERAGE, system, order="robust|")
        assert found == about.rows(COVERAGE, system, order="robust|")


def test_pages_hold_every_record_once(about: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turning pages neither repeats nor leaves out."""
    whole = records_of(about.rows(COVERAGE, "0:rosy"))
    monkeypatch.setattr("fairbrief.saved.view.PAGE", 3)
    pages = [about.rows(COVERAGE, "0:rosy", start=str(start)) for start in range(0, len(whole), 3)]
    assert [record for page in pages for record in records_of(page)] == whole
    assert set(whole) == RECORDS


def test_two_systems_are_compared_record_by_record(about: Answers) -> None:
    """The difference of two systems is that of their values, whatever the order of their rows."""
    found = about.rows(COVERAGE, "0:rosy", other="0:balanced", order="up|difference[negative]")
    for row in found["rows"]:
        for system, value in (("0:rosy", row["value"]), ("0:balanced", row["other"])):
            opened = about.record(COVERAGE, system, row["record"])
            assert opened["row"]["values"].get("difference[negative]") == value
    gaps = [row["value"] - row["other"] for row in found["rows"] if row["value"] is not None]
    assert gaps == sorted(gaps)


def test_a_record_is_opened_with_its_texts_and_links(about: Answers) -> None:
    """The texts are those of the input, and links fit them."""
    opened = about.record(COVERAGE, "0:rosy", "museum-tides")
    cases = {(case.record.id, case.summary.system): case for case in fairbrief.read(EXAMPLE)}
    case = cases["museum-tides", "rosy"]
    assert opened["texts"]["summaries"]["rosy"]["text"] == case.summary.text
    assert [d["text"] for d in opened["texts"]["documents"]] == [d.text for d in case.record.documents]
    assert opened["support"]["links"]
    assert opened["over"] == "sentiment"
    assert opened["groups"] == ["negative", "neutral", "positive"]
    assert opened["row"]["without"]["document"]


def test_a_search_finds_all_words_in_any_text_of_a_record(about: Answers) -> None:
    """Words may stand in the summary, the sources or the id, in whatever case, together."""
    texts = {
        c.record.id: " ".join([c.record.id, c.summary.text, *(d.text for d in c.record.documents)]).lower()
        for c in fairbrief.read(EXAMPLE)
        if c.summary.system == "rosy"
    }
    for search in ("LUKEWARM", "the staff", "café", "nowhere at all", "cafe-linden"):
        found = set(records_of(about.rows(COVERAGE, "0:rosy", search=search)))
        words = search.lower().split()
        assert found == {r for r, text in texts.items() if all(word in text for word in words)}, search


@pytest.mark.parametrize("kind", ["jsonl", "escaped.jsonl", "parquet", "csv"])
def test_texts_are_found_in_every_format(tmp_path: Path, kind: str) -> None:
    """By id and by words."""
    rows = [
        {"id": i if i % 2 else f"r{i}", "documents": [f"Ein Text über Größe {i}.", "Other."], "summary": f"Größe {i}.", "system": "s"}
        for i in range(5)
    ]  # fmt: skip
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        named = pa.Table.from_pylist([{**r, "id": str(r["id"])} for r in rows])
        pq.write_table(named, path, row_group_size=2)
    elif kind == "csv":
        table(path, [{**r, "documents": json.dumps(r["documents"])} for r in rows])
    else:
        path.write_text("".join(json.dumps(r, ensure_ascii=kind != "jsonl") + "\n" for r in rows))
    texts = SavedTexts(fairbrief.read(path))
    assert texts.unit("3", "s")[0].summary.text == "Größe 3."
    assert texts.unit("r0", "s")[0].record.documents[0].text == "Ein Text über Größe 0."
    assert texts.search("größe", "3") == {"3"}
    with pytest.raises(DataError, match=r"record 'r9' .* no longer in the inputs"):
        texts.unit("r9", "s")


def test_references_that_were_audited_as_systems_are_opened(tmp_path: Path) -> None:
    """An audit with --references notes where its inputs are, and a reference is read beside the sources."""
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    told = ({**line, "references": ["People liked the room."]} for line in lines)
    seen = audited(tmp_path, told, "--references", "--measure", COVERAGE, "--resamples", "0")
    record = records_of(seen.rows(COVERAGE, "0:reference 1"))[0]
    shown = seen.record(COVERAGE, "0:reference 1", record)
    assert shown["texts"]["summaries"]["reference 1"]["text"] == "People liked the room."


def test_all_versions_of_a_seed_document_are_explained_together(tmp_path: Path) -> None:
    """A unit of several counterfactuals has the name of its seed document, which no record has."""
    note = {"seed_document": "note", "documents": ["A note."], "system": "s"}
    lines = [
        {**note, "id": f"note {group}", "attributes": {"gender": group}, "summary": f"{who} help."}
        for group, who in (("female", "She needs"), ("male", "He refused"))
    ]
    measure = "theme_words@gender"
    shown = audited(tmp_path, lines, "--measure", measure, "--resamples", "0").record(measure, "0:s", "note")
    assert "needs, female: needs 1, help 1." in shown["row"]["story"].splitlines()
    assert "needs, male: help 1." in shown["row"]["story"].splitlines()


def test_inputs_that_moved_or_changed_are_said(tmp_path: Path) -> None:
    """A changed byte in either end of the file, or a file that is gone, stands above the list."""
    path = put(tmp_path / "reviews.jsonl", EXAMPLE.read_bytes())
    printed("audit", str(path), "--measure", COVERAGE, "--resamples", "0", "--out", str(tmp_path / "audit"))
    assert OpenAudit(tmp_path / "audit").fault == ""
    path.write_bytes(EXAMPLE.read_bytes().replace(b"smooth", b"sm00th", 1))
    assert "reviews.jsonl has changed since the audit" in OpenAudit(tmp_path / "audit").fault
    path.unlink()
    gone = OpenAudit(tmp_path / "audit")
    assert "is missing: restore it" in gone.fault
    assert Answers([gone]).rows(COVERAGE, "0:rosy")["total"] == len(RECORDS)
    with pytest.raises(DataError, match="is missing: restore it"):
        Answers([gone]).record(COVERAGE, "0:rosy", "museum-tides")


def test_files_that_options_name_move_with_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summaries and speakers are found as the input is, whatever the working folder."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    turns = [{"text": f"{name} spoke.", "attributes": {"speaker": name}} for name in ("Ann", "Bo")]
    write(Path("in.jsonl"), [{"id": str(i), "documents": turns} for i in range(4)])
    write(Path("said.jsonl"), [{"id": str(i), "summary": "Ann spoke."} for i in range(4)])
    table(Path("people.csv"), [{"speaker": "Ann", "party": "L"}, {"speaker": "Bo", "party": "R"}])
    given = (
        "--speakers",
        "people.csv",
        "--summaries",
        "s=said.jsonl",
        "--measure",
        "uer@party",
        "--resamples",
        "0",
    )
    printed("audit", "in.jsonl", *given, "--out", "audit")
    monkeypatch.chdir(tmp_path)
    assert OpenAudit(home.rename(tmp_path / "elsewhere") / "audit").fault == ""


@pytest.mark.parametrize("asked", [
    ("x@y", "0:rosy"), (COVERAGE, "0:nobody"), (COVERAGE, "7:rosy"), (COVERAGE, "rosy"), (COVERAGE, ""),
])  # fmt: skip
def test_what_is_not_there_is_refused(about: Answers, asked: tuple[str, str]) -> None:
    """A measure or system that the audit does not have is an error with its name."""
    with pytest.raises(RequestError):
        about.rows(*asked)


@pytest.fixture
def served(about: Answers) -> Iterator[Server]:
    """The answers on a port of their own."""
    server = Server(about)
    with browsing.served(server):
        yield server


def fetch(address: str, host: str | None = None) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers."""
    request = urllib.request.Request(address, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read(), dict(response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


def test_only_who_has_the_token_and_means_this_machine_is_answered(served: Server) -> None:
    """Another path, token or host name gets nothing, and the page may reach nothing but its own server."""
    status, body, headers = fetch(served.address)
    assert status == 200
    assert b"Records of an audit" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert served.server_address[0] == "127.0.0.1"
    base = served.address[: served.address.rstrip("/").rindex("/")]
    for path in ("", "/", "/about", "/wrong/", "/wrong/rows", "/../etc/passwd"):
        assert fetch(base + path)[0] == 404
    assert fetch(served.address, host="evil.example")[0] == 404
    assert fetch(served.address + "unknown")[0] == 404
    assert len(served.token) >= 32


def test_answers_and_errors_come_as_json(served: Server) -> None:
    """Questions are answered; a wrong one gets its reason."""
    status, body, _ = fetch(served.address + "about")
    assert status == 200
    assert {s["name"] for s in json.loads(body)["systems"]} == {"balanced", "rosy"}
    status, body, _ = fetch(served.address + "rows?measure=nothing&system=0:rosy&start=x")
    assert status == 400
    assert "no measure 'nothing'" in json.loads(body)["error"]


@pytest.fixture(scope="module")
def paraphrased(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Of records with a document of each of two parties, some summaries copy a's alone, some do and add as many new words, some copy both."""
    place = tmp_path_factory.mktemp("paraphrased")
    ours, theirs = "solar panels lower bills quickly", "wind towers spoil meadow views"
    new = "critics nevertheless lament endless upheaval throughout remote villages everywhere"
    said = {"copied": ours, "mixed": f"{ours} {new}", "both": f"{ours}. {theirs}"}
    rows = [
        {
            "id": f"{kind}-{i}", "system": "s", "summary": text,
            "documents": [
                {"text": f"{ours} {i} {i + 100}", "attributes": {"party": "a"}},
                {"text": f"{theirs} {i} {i + 100}", "attributes": {"party": "b"}},
            ],
        }
        for kind, text in said.items()
        for i in range(4)
    ]  # fmt: skip
    measures = [f"--measure={name}@party" for name in ("bur", "sof", "uer", "coverage_parity")]
    return audited(place, rows, *measures, "--resamples", "20", "--extracts", "20")


@pytest.mark.parametrize("measure", ["uer@party", "sof@party", "coverage_parity@party"])
def test_the_list_opens_on_what_holds_whatever_was_not_found(paraphrased: Answers, measure: str) -> None:
    """Summaries of a's words alone come first and are sure; where as many words are found nowhere they may be b's, and the list
    and the record say so. Scorers that cannot tell agree with the one that can.
    """
    found = paraphrased.rows(measure, "0:s")
    assert found["order"].startswith("robust|")
    assert found["robust"] == 4
    kinds = [row["record"].partition("-")[0] for row in found["rows"]]
    assert kinds == ["copied"] * 4 + ["mixed"] * 4 + ["both"] * 4
    sure, unsure = found["rows"][0], found["rows"][4]
    assert (sure["doubt"], "at least" in sure["label"]) == ("", True)
    assert unsure["label"].endswith("?")
    assert "paraphrases" in unsure["doubt"]
    opened = paraphrased.record(measure, "0:s", unsure["record"])
    assert opened["doubt"] == unsure["doubt"]
    assert opened["support"]["scorer"] in ("ngram", "containment")
