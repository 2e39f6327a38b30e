"""Exports of traces: each call of a model is a record, with the sources of its trace."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import put, write
from tests.files.shapes import table

from fairbrief.errors import DataError
from fairbrief.readers import read
from fairbrief.types import Case

TOOLS = Path(__file__).parents[1] / "files" / "tools"
REVIEWS = (
    ["Lovely room and kind staff.", "Rude staff, dirty bath."],
    ["A fine pool.", "The lift is broken."],
    ["Great view of the lake.", "We waited an hour for soup."],
)
GOOD = "Lovely room, rude staff."


def shown(case: Case) -> tuple[str, str, tuple[str, ...]]:
    """Summary, reason and documents of a case."""
    return case.summary.text, case.summary.reason, tuple(d.text for d in case.record.documents)


def case(text: str, reason: str, hotel: int) -> tuple[str, str, tuple[str, ...]]:
    """A case as `shown` describes it."""
    return text, reason, tuple(REVIEWS[hotel])


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """A line of OTLP's JSON with the spans of one trace."""
    plain = [
        {
            "traceId": "t", "spanId": str(i), "startTimeUnixNano": str((10**12 + i) * 10**6), **span,
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in span.get("attributes", {}).items()],
        }
        for i, span in enumerate(spans)
    ]  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": plain}]}]}


def chat(text: str = GOOD, asked: Any = "Text.", **more: Any) -> dict[str, Any]:
    """A span with a call of a model."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(asked if isinstance(asked, list) else [{"role": "user", "content": asked}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}]),
    }  # fmt: skip
    return {"name": "chat", "attributes": attributes, **more}


def retrieval(*texts: str, **more: Any) -> dict[str, Any]:
    """A span with retrieved documents."""
    documents = json.dumps([{"content": text} for text in texts])
    return {"attributes": {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": documents}, **more}  # fmt: skip


def of(folder: Path, *rows: dict[str, Any], name: str = "traces.jsonl") -> list[Case]:
    """The cases of some lines."""
    return list(read(write(folder / name, rows)))


# ------------------------------------------------------------------------------ as the tools wrote them


def test_opentelemetry_traces() -> None:
    """Messages are read from attributes, events, event details and indexed keys; failures have their reasons."""
    cases = list(read(TOOLS / "traces_otlp.jsonl"))
    assert [shown(c) for c in cases] == [
        case(GOOD, "", 0), case("A fine pool, a broken lift.", "", 1), case("A great view.", "", 2),
        case("", "called a tool", 0), case("", "empty summary", 1), case("", "the request failed", 2), case(GOOD, "", 0),
    ]  # fmt: skip
    assert {c.summary.system for c in cases} == {"tiny-1"}
    first = cases[0].record
    assert first.documents[1].id == "h0-1"
    expected = {
        "prompt": "hotels", "prompt_version": "3", "release": "7", "user": "u0", "session": "s0", "environment": "prod",
        "user_region": "north", "day": "2026-11-26",
    }  # fmt: skip
    assert expected.items() <= first.attributes.items()


@pytest.mark.parametrize("name", ["spans_phoenix.parquet", "spans_phoenix.csv", "spans_phoenix.jsonl"])
def test_phoenix_spans(name: str) -> None:
    """Data frames as Parquet and CSV, and spans of the client, are the same cases."""
    cases = list(read(TOOLS / name))
    assert [shown(c) for c in cases] == [
        case("", "the request failed", 2), case("", "called a tool", 1), case(GOOD, "", 0)
    ]  # fmt: skip
    record = cases[2].record
    assert [d.attributes for d in record.documents] == [{"stars": "5"}, {"stars": "1"}]
    expected = {"prompt_version": "v3", "user": "u0", "session": "s0", "region": "south", "day": "2026-11-26"}
    assert expected.items() <= record.attributes.items()


def test_spans_in_a_spreadsheet_are_those_of_the_csv_file(tmp_path: Path) -> None:
    """The named sheet is read, and lists in its cells, which pandas writes as Python does."""
    pd = pytest.importorskip("pandas")
    with pd.ExcelWriter(tmp_path / "spans.xlsx") as book:
        pd.DataFrame({"note": ["exported at night"]}).to_excel(book, sheet_name="about")
        pd.read_csv(TOOLS / "spans_phoenix.csv", index_col=0).to_excel(book, sheet_name="spans")
    cases = read(f"{tmp_path / 'spans.xlsx'}#spans", format="phoenix")
    assert [shown(c) for c in cases] == [shown(c) for c in read(TOOLS / "spans_phoenix.csv")]


def test_mlflow_traces(tmp_path: Path) -> None:
    """A trace without a call of a model is one record; rows of search_traces, also in an array, are the same cases."""
    path = TOOLS / "traces_mlflow.jsonl"
    cases = [shown(c) for c in read(path)]
    assert cases == [
        ("A plain summary.", "", ("One review.", "Another review.")),
        case("", "the request failed", 2), case("A fine pool, a broken lift.", "", 1), case(GOOD, "", 0),
    ]  # fmt: skip
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [
        {"trace_id": t["info"]["trace_id"], "request_time": 1795689931875, "state": t["info"]["state"], "trace": json.dumps(t)}
        for t in found
    ]  # fmt: skip
    again = list(read(put(tmp_path / "traces.json", json.dumps(rows))))
    assert [shown(c) for c in again] == cases
    assert {"user": "u2", "region": "north"}.items() <= again[1].record.attributes.items()
    one = put(tmp_path / "one.json", json.dumps(found[3], indent=1))
    assert [shown(c) for c in read(one)] == cases[3:]


def test_langfuse_observations_and_traces(tmp_path: Path) -> None:
    """Observations alone, or inside their traces, are the same cases; traces alone have input and output."""
    path = TOOLS / "observations_langfuse.jsonl"
    cases = list(read(path))
    expected = [case(GOOD, "", 0), case("", "empty summary", 1), case("", "the request failed", 2)]
    assert [shown(c) for c in cases] == expected
    known = {"prompt": "hotels", "prompt_version": "3", "user": "u0", "region": "south", "day": "2026-11-25"}
    assert known.items() <= cases[0].record.attributes.items()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    traces = [
        {
            "id": f"t{i}", "timestamp": "2026-11-25T23:10:00Z", "sessionId": f"s{i}", "input": {"reviews": REVIEWS[i]}, "output": "All.",
            "observations": [{**row, "parentObservationId": None} for row in rows if row["traceId"] == f"t{i}"],
        }
        for i in range(3)
    ]  # fmt: skip
    assert [shown(c) for c in of(tmp_path, *traces)] == expected
    fields = {"id": "id", "timestamp": "timestamp", "session_id": "sessionId", "output": "output"}
    rows = [
        {name: t[field] for name, field in fields.items()} | {"input": json.dumps(t["input"])} for t in traces
    ]
    table(tmp_path / "traces.csv", rows)
    assert [shown(c) for c in read(tmp_path / "traces.csv")] == [case("All.", "", i) for i in range(3)]


# ------------------------------------------------------------------------------ sources of a call


@pytest.mark.parametrize(("asked", "documents"), [
    ("Summarize: One. Two.", ["Summarize: One. Two."]),
    ("Sum up.\n<review id='1'>One.</review> <review>Two.</review>", ["One.", "Two."]),
    ("Only <review>one</review>.", ["Only <review>one</review>."]),
    ([{"role": "user", "content": "Ask."}, {"role": "tool", "content": "One."}, {"role": "tool", "content": "Two."}], ["One.", "Two."]),
    ([{"role": "system", "content": "S."}, {"role": "user", "content": [{"type": "text", "text": "One."}]}], ["One."]),
])  # fmt: skip
def test_sources_in_a_prompt(tmp_path: Path, asked: Any, documents: list[str]) -> None:
    """Without retrieval, what tools returned or tags separate are the documents, else the last message is one."""
    [one] = of(tmp_path, otlp(chat(asked=asked)))
    assert [d.text for d in one.record.documents] == documents


@pytest.mark.parametrize(("output", "text"), [
    ([{"role": "assistant", "content": "A."}, {"role": "assistant", "content": "B."}], "A."),
    ([{"type": "human", "content": "Q."}, {"type": "ai", "content": "Draft."}, {"type": "ai", "content": "Final."}], "Final."),
    ({"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "A."}, {"type": "text", "text": "B."}]}}]}, "A.\nB."),
    ([{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "A."}], "A."),
    ([{"role": ["assistant"], "type": {"is": "text"}, "content": "A."}], "A."),
])  # fmt: skip
def test_one_answer_of_an_output(tmp_path: Path, output: Any, text: str) -> None:
    """Of several answers the first counts, of a conversation the last; parts are joined, roles that are no text do not matter."""
    span = chat()
    span["attributes"]["gen_ai.output.messages"] = json.dumps(output)
    [one] = of(tmp_path, otlp(span))
    assert one.summary.text == text


def test_each_call_has_the_documents_retrieved_for_it(tmp_path: Path) -> None:
    """Of several retrievals in one trace, those below the nearest common span count; later ones do not."""
    steps = (
        {"name": "batch"},
        {"name": "first", "parentSpanId": "0"}, retrieval("One.", parentSpanId="1"), chat("A.", parentSpanId="1"),
        {"name": "second", "parentSpanId": "0"}, retrieval("Two.", parentSpanId="4"), chat("B.", parentSpanId="4"),
        retrieval("Late.", parentSpanId="4"),
    )  # fmt: skip
    assert [shown(c) for c in of(tmp_path, otlp(*steps))] == [("A.", "", ("One.",)), ("B.", "", ("Two.",))]


def test_a_call_inside_a_call_is_the_same_call(tmp_path: Path) -> None:
    """A framework and a client that both record a call give one record."""
    assert len(of(tmp_path, otlp(chat(), chat(parentSpanId="0")))) == 1


def test_messages_in_log_records(tmp_path: Path) -> None:
    """Messages in log records of the same file belong to the span with their id."""
    span = {"attributes": {"gen_ai.operation.name": "chat"}}

    def log(event: str, text: str) -> dict[str, Any]:
        body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": text}}]}}
        return {"traceId": "t", "spanId": "0", "eventName": event, "body": body}

    logs = [log("gen_ai.user.message", "Text."), log("gen_ai.choice", "Said.")]
    lines = [{"resourceLogs": [{"scopeLogs": [{"logRecords": [one]}]}]} for one in logs]
    assert [shown(c) for c in of(tmp_path, otlp(span), *lines)] == [("Said.", "", ("Text.",))]
    output = {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps([{"content": "New."}])}}
    details = {**log("gen_ai.client.inference.operation.details", ""), "attributes": [output]}
    newer = {"resourceLogs": [{"scopeLogs": [{"logRecords": [details]}]}]}
    assert [shown(c) for c in of(tmp_path, otlp(span), lines[0], newer)] == [("New.", "", ("Text.",))]


def test_traces_without_text_have_reasons(tmp_path: Path) -> None:
    """A call whose messages were not recorded is counted, not an error."""
    bare = {"attributes": {"gen_ai.operation.name": "chat"}}
    for span, name, reason in ((bare, "a.jsonl", "output"), (chat(asked=""), "b.jsonl", "source")):
        [one] = of(tmp_path, otlp(span), name=name)
        assert one.summary.reason == f"the trace has no {reason}"


def test_the_name_of_a_prompt_is_no_source(tmp_path: Path) -> None:
    """``gen_ai.prompt.name`` is beside ``gen_ai.prompt.0.content``, which older instrumentation writes."""
    content = {"key": "content", "value": {"stringValue": "Text."}}
    span = chat(events=[{"name": "gen_ai.user.message", "attributes": [content]}])
    del span["attributes"]["gen_ai.input.messages"]
    span["attributes"]["gen_ai.prompt.name"] = "hotels"
    [one] = of(tmp_path, otlp(span))
    assert (shown(one), one.record.attributes["prompt"]) == ((GOOD, "", ("Text.",)), "hotels")
    del span["events"]
    [bare] = of(tmp_path, otlp(span), name="bare.jsonl")
    assert bare.summary.reason == "the trace has no source"


def test_long_values_are_no_attributes(tmp_path: Path) -> None:
    """Metadata that is text would carry it past --no-texts."""
    span = chat()
    span["attributes"]["metadata"] = json.dumps({"plan": "free", "note": "word " * 30})
    [one] = of(tmp_path, otlp(span))
    assert one.record.attributes["plan"] == "free"
    assert "note" not in one.record.attributes


@pytest.mark.parametrize("row", [
    otlp(chat(parentSpanId="1"), {"parentSpanId": "0"}), otlp(chat(startTimeUnixNano="nan")),
    otlp(chat(startTimeUnixNano=1e999)), otlp(chat("[" * 900 + "]" * 900)),
    otlp({**chat(), "attributes": {**chat()["attributes"], ".".join("a" * 5000): "x"}}),
    {"resourceSpans": [{"scopeSpans": [{"spans": [3, None, {}]}]}]},
])  # fmt: skip
def test_odd_spans_end(tmp_path: Path, row: dict[str, Any]) -> None:
    """Circles of parents, impossible times, deep keys and values end with a record or an error of our own."""
    with contextlib.suppress(DataError):
        assert [c.record.id for c in of(tmp_path, row)] in (["0"], ["1"])
