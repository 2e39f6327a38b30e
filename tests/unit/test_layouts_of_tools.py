"""Files that other tools wrote: each is recognized, and read without an option."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import put, write

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading, read

TOOLS = Path(__file__).parents[1] / "files" / "tools"
(SAMPLES,) = TOOLS.glob("samples_*")
RATED = [("Lovely room and kind staff.", "5"), ("Rude staff, dirty bath.", "1")]


def written(reading: Reading) -> list[tuple[str, str, str, str]]:
    """Record, system, summary and reason of each case."""
    return [(c.record.id, c.summary.system, c.summary.text, c.summary.reason) for c in reading]


def document(path: Path, found: Any) -> Path:
    """One JSON document, on several lines."""
    return put(path, json.dumps(found, indent=2))


# ------------------------------------------------------------------------------ as the tool wrote it


def test_inspect_logs() -> None:
    """Samples of a compressed log are records, epochs vary them; metadata holds documents and attributes."""
    reading = read(TOOLS / "hotels.eval")
    cases = list(reading)
    assert [(c.record.id, c.record.seed_document, c.summary.text) for c in cases[:4:3]] == [
        ("hotel-0, epoch 1", "hotel-0", "Lovely room, rude staff."),
        ("hotel-0, epoch 2", "hotel-0", "Great view, broken lift."),
    ]
    record = cases[0].record
    assert [(d.text, d.attributes["stars"]) for d in record.documents] == RATED
    assert (record.attributes, record.references) == ({"town": "Ulm"}, ("Mixed.",))
    assert {c.summary.system for c in cases} == {"mockllm/model"}
    assert [c.summary.reason for c in cases].count("empty summary") == 1
    assert reading.notes == ["hotels.eval: read as an Inspect log."]


def test_lm_eval_samples(tmp_path: Path) -> None:
    """The first filter's rows count; the model is the one that the results beside name, or the folder."""
    assert written(read(SAMPLES)) == [(str(i), "dummy-writer", "lol", "") for i in range(3)]
    [record, *_] = read(SAMPLES, attributes={"stars": "doc.stars"}).records()
    assert [(d.text, d.attributes["stars"]) for d in record.documents] == RATED
    assert record.references == ("Mixed.",)
    (tmp_path / "maker__model").mkdir()
    moved = shutil.copy(SAMPLES, tmp_path / "maker__model")
    assert {system for _, system, _, _ in written(read(moved))} == {"maker/model"}


def test_promptfoo_results() -> None:
    """A test is a record; provider and prompt are the system."""
    found = written(read(TOOLS / "promptfoo.json"))
    assert [(ident, system) for ident, system, _, _ in found[:4]] == [
        ("0", "parrot, prompt 1"), ("0", "parrot, prompt 2"), ("0", "second, prompt 1"), ("0", "second, prompt 2"),
    ]  # fmt: skip
    assert found[0][2] == "Summarize: Lovely room and kind staff. Rude staff."
    [first, _] = read(TOOLS / "promptfoo.json", record_attributes={"stars": "vars.stars"}).records()
    assert first.attributes == {"stars": "5"}


def test_deepeval_runs() -> None:
    """A test case is a record, its context the documents."""
    cases = list(read(TOOLS / "deepeval.json"))
    assert [c.record.id for c in cases] == ["h1", "h2"]
    assert [d.text for d in cases[0].record.documents] == ["Lovely room and kind staff.", "Rude staff."]
    assert (cases[0].record.references, cases[1].record.references) == (("Mixed.",), ())


def test_an_id_of_zero_is_an_id_and_an_absent_one_is_the_row_number(tmp_path: Path) -> None:
    """DeepEval test cases named 0, 1 and not at all: records 0, 1 and 3; no output is a missing summary."""
    outputs = ((0, {"actualOutput": "K."}), (1, {"actualOutput": ""}), (None, {}))
    cases = [{"name": name, "input": "Kind.", **output} for name, output in outputs]
    path = document(tmp_path / "run.json", {"testRunData": {"testCases": cases}})
    found = [(ident, reason) for ident, _, _, reason in written(read(path))]
    assert found == [("0", ""), ("1", "empty summary"), ("3", "missing summary")]


def test_mlflow_tables() -> None:
    """Columns of the usual names are found; others are named."""
    path = TOOLS / "eval_results_table.json"
    [first, _] = read(path)
    found = (first.record.id, first.record.references, first.summary.text)
    assert found == ("1", ("Mixed.",), "Lovely room.")
    assert [c.record.id for c in read(path, id_field="key")] == ["a", "b"]


# ------------------------------------------------------------------------------ in the documented form

BODY = {"model": "gpt-x", "choices": [{"message": {"content": "Chat."}, "finish_reason": "stop"}]}
ANSWERS = (
    {"custom_id": "b", "response": {"status_code": 200, "body": BODY}, "error": None},
    {"custom_id": "a", "response": None, "error": {"code": "batch_expired"}},
    {"custom_id": "c", "response": {"status_code": 200, "body": {
        "model": "gpt-x", "output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "Resp."}]}]}}},
    {"custom_id": "d", "response": {"status_code": 200, "body": {
        "model": "gpt-x", "choices": [{"message": {"content": None, "refusal": "No."}}]}}},
    {"custom_id": "e", "response": {"status_code": 429, "body": {"error": {}}}, "error": None},
)  # fmt: skip


def test_output_of_an_openai_batch(tmp_path: Path) -> None:
    """Answers in no order are matched to records by id; what failed is counted with its reason."""
    batch = write(tmp_path / "batch.jsonl", ANSWERS)
    records = [{"key": key, "documents": ["One."]} for key in "abcde"]
    found = written(read(records, id_field="key", summaries=batch))
    assert {*found} >= {
        ("b", "gpt-x", "Chat.", ""), ("c", "gpt-x", "Resp.", ""), ("d", "gpt-x", "", "refused"),
    }  # fmt: skip
    named = written(read(records, id_field="key", summaries={"gpt": batch}))
    reasons = ["the request failed", "", "", "refused", "the request failed"]
    assert [(i, reason) for i, _, _, reason in named] == [*zip("abcde", reasons, strict=True)]


def test_a_batch_beside_its_requests(tmp_path: Path) -> None:
    """The sources are in the requests, which are the records."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Text."}]
    requests = [{"custom_id": a["custom_id"], "body": {"messages": messages}} for a in ANSWERS]
    batch = write(tmp_path / "batch.jsonl", ANSWERS)
    path, texts = write(tmp_path / "requests.jsonl", requests), "body.messages[-1].content"
    reading = read(path, summaries=batch, id_field="custom_id", documents_field=texts)
    found = {(c.record.id, c.record.documents[0].text, c.summary.text) for c in reading}
    assert {("b", "Text.", "Chat."), ("c", "Text.", "Resp.")} <= found
    with pytest.raises(DataError, match="fairbrief audit RECORDS --summaries FILE"):
        list(read(batch))


def test_inspect_logs_of_json(tmp_path: Path) -> None:
    """A log of one epoch keeps its ids; a failed sample is counted; the last message of the user is the source."""
    user = {"role": "user", "content": [{"type": "text", "text": "Text."}]}
    good = {"id": 1, "input": [{"role": "system", "content": "Be brief."}, user], "target": ["R.", ""]}
    failed = {"id": 2, "input": "Other.", "target": "", "error": {"message": "x"}}
    said = {**good, "output": {"completion": "S."}, "metadata": {}}
    samples = [said, {**failed, "output": {"completion": ""}}]
    log = {"version": 2, "eval": {"model": "m", "config": {"epochs": 1}}, "samples": samples}
    cases = list(read(document(tmp_path / "log.json", log)))
    assert written(read(tmp_path / "log.json")) == [("1", "m", "S.", ""), ("2", "m", "", "the sample failed")]
    found = [(c.record.documents[0].text, c.record.references) for c in cases]
    assert found == [("Text.", ("R.",)), ("Other.", ())]


def test_helm_states(tmp_path: Path) -> None:
    """An instance is a record; perturbations and further trials vary it."""

    def state(**more: Any) -> dict[str, Any]:
        references = [{"output": {"text": "R."}, "tags": ["correct"]}]
        instance = {"id": "id1", "input": {"text": f"Text{more.get('p', '')}."}, "references": references}
        if "p" in more:
            instance["perturbation"] = {"name": more["p"]}
        result = {"success": more.get("ok", True), "completions": [{"text": "S."}]}
        return {"instance": instance, "train_trial_index": more.get("trial", 0), "result": result}

    states = [state(), state(p="dialect"), state(trial=1), state(p="typos", ok=False)]
    run = {"adapter_spec": {"model": "m"}, "request_states": states}
    cases = list(read(document(tmp_path / "scenario_state.json", run)))
    assert [(c.record.id, c.record.seed_document) for c in cases] == [
        ("id1", None), ("id1, dialect", "id1"), ("id1, trial 1", "id1"), ("id1, typos", "id1"),
    ]  # fmt: skip
    assert [c.summary.reason for c in cases] == ["", "", "", "the request failed"]
    assert cases[0].record.references == ("R.",)


def test_summeval_and_summvis(tmp_path: Path) -> None:
    """SummEval has a line for each system, SummVis a field; a reference is no system."""
    row = {"id": "x", "references": ["R."], "text": "T."}
    rows = [{**row, "decoded": f"{m} wrote.", "model_id": m} for m in ("M1", "M2")]
    found = written(read(write(tmp_path / "se.jsonl", rows)))
    assert found == [("x", "M1", "M1 wrote.", ""), ("x", "M2", "M2 wrote.", "")]
    row = {"document": "T.", "summary:reference": "R.", "summary:PEGASUS": "P.", "summary:BART": "B."}
    [one, two] = read(write(tmp_path / "sv.jsonl", [row]))
    assert ([one.summary.system, two.summary.system], one.record.references) == (["PEGASUS", "BART"], ("R.",))


def test_a_list_inside_a_document(tmp_path: Path) -> None:
    """A JSON document with one list of objects gives these; JSON Lines that begin alike are lines."""
    row = {"documents": [{"text": "One."}], "id": 1, "summary": "S."}
    path = document(tmp_path / "a.json", {"made": "today", "rows": [row]})
    with pytest.raises(DataError, match="JSON"):
        list(read(path))
    assert len(list(read(document(tmp_path / "b.json", {"rows": [row], "made": "today"})))) == 1
    assert len(list(read(path, format="json-list"))) == 1
    assert len(list(read(write(tmp_path / "c.json", [row, row | {"id": 2}])))) == 2
    with pytest.raises(DataError, match="lists of objects under 'a', 'b'"):
        list(read(document(tmp_path / "d.json", {"a": [row], "b": [row]})))


def test_objects_under_their_ids(tmp_path: Path) -> None:
    """Where a document holds objects alone, each under a key, the key is the id of an object that has none."""
    row = {"documents": [{"text": "One."}], "summary": "S."}
    path = document(tmp_path / "a.json", {"x": row, "y": row | {"id": "own"}})
    assert [case.record.id for case in read(path, format="json-list")] == ["x", "own"]
    with pytest.raises(DataError, match="no list of objects"):
        list(read(document(tmp_path / "b.json", {"x": row, "made": "today"}), format="json-list"))


# ------------------------------------------------------------------------------ what is like no tool's


def test_layouts_by_name(tmp_path: Path) -> None:
    """A layout is named where the file does not show it; a plain format reads the tool's rows as they stand."""
    run = {"a": 1, "testRunData": {"testCases": [{"input": "T.", "actualOutput": "S."}]}}
    assert written(read(document(tmp_path / "run.json", run), format="deepeval")) == [("1", "run", "S.", "")]
    fields = {"id_field": "doc_id", "documents_field": "doc.documents", "summary_field": "resps[0][0]"}
    plain = read(SAMPLES, format="jsonl", **fields)
    with pytest.raises(DataError, match="a second time"):
        list(plain)
    with pytest.raises(RequestError, match=r"Formats: .*openai-batch.*summvis"):
        read(tmp_path / "run.json", format="csvv")


@pytest.mark.parametrize(("name", "content", "said"), [
    ("a.eval", b"PK\3\4 broken", "invalid JSON"),
    ("b.json", b'{"evalId": 1, "results": {"results": 3}}', "found the number 3 under 'results.results'"),
    ("c.json", b'{"adapter_spec": {}, "request_states": [', "invalid JSON"),
    ("d.json", b'{"columns": ["a"], "data": [[1, 2]]}', "d.json:1: found a list of 2; expected a list of 1 value"),
])  # fmt: skip
def test_broken_files_of_tools(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    """A damaged file is named with what was found."""
    with pytest.raises(DataError, match=said):
        list(read(put(tmp_path / name, content)))
