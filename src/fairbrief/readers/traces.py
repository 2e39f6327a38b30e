"""Traces of language models, exported by OpenTelemetry, Phoenix, Langfuse and MLflow, as rows in our format.

A span is one step of a trace. Each call of a model is a record, and its output is the summary. Its sources are the documents
that the trace retrieved for it, else the texts that its prompt separates, else the last message of the user. A trace without
such a call is one record. `PATHS` has the fields of each convention.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

from fairbrief.readers.fields import flat
from fairbrief.readers.json_lines import Row
from fairbrief.readers.rows_on_disk import RowsOnDisk

PATHS = {
    "id": "context.span_id|span_id|spanId|id",
    "trace": "context.trace_id|trace_id|traceId|id",
    "parent": "parent_id|parentSpanId|parent_span_id|parentObservationId|parent_observation_id",
    "start": "startTimeUnixNano|start_time_unix_nano|start_time_ns|start_time|startTime|timestamp|request_time",
    "status": "status.code|status_code|level|state|status",
    "kind": "openinference.span.kind|langfuse.observation.type|mlflow.spanType|gen_ai.operation.name|type",
    "input": "gen_ai.input.messages|gen_ai.input_messages|llm.input_messages|gen_ai.prompt[]|llm.prompts|mlflow.spanInputs|"
    "langfuse.observation.input|input.value|input|request",
    "variables": "llm.prompt_template.variables|gen_ai.prompt.variables|prompt_variables",
    "output": "gen_ai.output.messages|gen_ai.output_messages|llm.output_messages|gen_ai.completion|llm.choices|"
    "mlflow.spanOutputs|langfuse.observation.output|output.value|output|response",
    "documents": "gen_ai.retrieval.documents|retrieval.documents|mlflow.spanOutputs|langfuse.observation.output|output",
    "system": "gen_ai.response.model|gen_ai.request.model|llm.response.model_name|llm.model_name|llm.request.model_name|"
    "langfuse.observation.model.name|mlflow.llm.model|mlflow.chat.model|model",
    "error": "error.type",
}  # fmt: skip
"""Part of a record → paths in a span; the first with a value counts."""
ATTRIBUTES = {
    "user": "user.id|enduser.id|langfuse.user.id|mlflow.trace.user|userId|user_id",
    "session": "session.id|gen_ai.conversation.id|langfuse.session.id|mlflow.trace.session|sessionId|session_id",
    "prompt": "gen_ai.prompt.name|langfuse.observation.prompt.name|promptName|prompt_name|prompt.id",
    "prompt_version": "gen_ai.prompt.version|llm.prompt_template.version|langfuse.observation.prompt.version|promptVersion|"
    "prompt_version",
    "release": "langfuse.release|service.version|release",
    "environment": "deployment.environment.name|deployment.environment|langfuse.environment|environment",
}  # fmt: skip
"""Attribute of the record → paths, in the span or in one above it."""
OTHERS = ("metadata", "user", "tags", "langfuse.trace.metadata")
"""Objects whose short values are also attributes."""
CALLS = frozenset("llm generation chat_model chat text_completion generate_content".split())
RETRIEVALS = frozenset(("retriever", "retrieval"))
FAILURES = frozenset(("2", "error", "status_code_error"))
TOOLS = frozenset(("tool_call", "tool_use", "function_call", "toolcall"))
INNER = (
    "message", "content", "parts", "text", "choices", "messages", "output_text", "output", "generations", "page_content",
    "summary", "answer", "response", "result",
)  # fmt: skip
"""Keys of an object that lead to its text, the likeliest first."""
LIKELY = (
    "documents", "reviews", "articles", "document", "article", "source", "text", "passage", "transcript", "dialogue",
    "input", "inputs", "context", "content",
)  # fmt: skip
"""Usual names of the fields with documents, the most likely first."""
ROLE, ANSWERS = "role|message.role|type", frozenset(("assistant", "ai", "model"))
NOT_ASKED = ANSWERS | {"system", "developer"}
FAILED, TOOL = "the request failed", "called a tool"
UNRECORDED, WITHOUT_SOURCE = "the trace has no output", "the trace has no source"
SHORT = 100
"""Characters of an attribute; longer values are texts."""
LATEST = 1e11
"""The largest number that is a time in seconds."""
DEEPEST = 40
"""Levels of objects inside objects, and parts of a key."""
TYPED = frozenset("stringValue intValue doubleValue boolValue bytesValue arrayValue kvlistValue".split())
"""The types of values in OTLP."""
HIGHEST = 64
"""Spans above a span that are searched."""
TAG = re.compile(r"<(/?)(document|doc|source|review|article|passage|comment|transcript|text)(?:\s[^<>]{0,300})?>", re.IGNORECASE)  # fmt: skip
Span = dict[str, Any]


def calls_in(rows: Iterable[Row], unpack: Callable[[Any], Iterable[Span]]) -> Iterator[Row]:
    """A row per call of a model in the rows of an export; ``unpack`` returns the spans in one of them."""
    stored = RowsOnDisk()
    for number, row in rows:
        if not isinstance(row, Mapping):
            yield number, row
            continue
        for span in map(_span, unpack(_plain(row))):
            if span["id"] is not None:
                stored.add(str(span["trace"]), {**span, "number": number})
    for trace in list(stored):
        yield from _records(trace, stored.pop(trace))


def parsed_cells(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of a text table or spreadsheet, with the lists and objects that pandas writes in cells as Python does."""
    for number, row in rows:
        is_row = isinstance(row, Mapping)
        yield number, {name: _cell(value) for name, value in row.items()} if is_row else row


# ------------------------------------------------------------------------------------ the spans of a row


def otlp(row: Span) -> Iterator[Span]:
    """The spans of a line of OTLP's JSON, and its log records, which may hold the messages of a span."""
    for resource in _objects(row.get("resourceSpans")):
        shared = _object(_at(resource, "resource.attributes"))
        for span in _inside(resource, "scopeSpans", "spans"):
            yield {**span, "attributes": {**shared, **_object(span.get("attributes"))}}
    for resource in _objects(row.get("resourceLogs")):
        for log in _inside(resource, "scopeLogs", "logRecords"):
            fields = {**_object(log.get("attributes")), **_object(log.get("body"))}
            event = {"name": _at({**fields, **log}, "eventName|event.name"), "attributes": fields}
            yield {**log, "events": [event], "attributes": {}, "is_log": True}


def _inside(resource: Span, scopes: str, name: str) -> list[Span]:
    return [one for scope in _objects(resource.get(scopes)) for one in _objects(scope.get(name))]


def langfuse(row: Span) -> Iterator[Span]:
    """An observation; or a trace and its observations, which are below it."""
    parts = _objects(row.pop("observations", None))
    above = {"parent_id": row.get("id"), "trace_id": row.get("id")} if parts else {}
    yield {**row, "is_whole": bool(parts)}
    yield from ({**above, **part} for part in parts)


def mlflow(row: Span) -> Iterator[Span]:
    """A trace and its spans, from its JSON or from a row of ``search_traces``."""
    trace = _object(row.get("trace")) or row
    info = {**row, **_object(trace.get("info"))}
    ident = info.get("trace_id")
    whole = {key: info.get(key) for key in ("state", "request_time", "request", "response")}
    attributes = {**whole, **_object(info.get("trace_metadata")), "tags": info.get("tags")}
    parts = _objects(_object(trace.get("data")).get("spans")) or _objects(row.get("spans"))
    yield {**whole, "trace_id": ident, "span_id": ident, "attributes": attributes, "is_whole": bool(parts)}
    for part in parts:
        context = {"trace_id": ident, "span_id": _first(part, "id")}
        yield {**part, "trace_id": ident, "context": context, "parent_id": _first(part, "parent") or ident}


# ---------------------------------------------------------------------------------------- one span


def _span(row: Span) -> Span:
    """A span's place in the trace, and its attributes."""
    tree = _object(row.get("attributes")) if "attributes" in row else row
    recorded: dict[str, Any] = {"input": [], "output": []}
    for event in _objects(row.get("events")):
        name, fields = str(event.get("name")), _object(event.get("attributes"))
        if name == "gen_ai.choice":
            recorded["output"].append(fields)
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            recorded["input"].append({"role": name.split(".")[1], **fields})
        elif name.startswith("gen_ai."):
            recorded["gen_ai"] = {**_object(tree.get("gen_ai")), **_object(fields.get("gen_ai"))}
    named = {name: _first(row, name) for name in ("id", "trace", "parent", "status")}
    return {
        **{name: None if value is None else str(value) for name, value in named.items()},
        "start": _time(_first(row, "start")),
        "name": row.get("name"),
        "tree": {**tree, **{name: value for name, value in recorded.items() if value}},
        "kind": str(_first(tree, "kind") or row.get("span_kind") or "").lower(),
        "is_log": bool(row.get("is_log")),
        "is_whole": bool(row.get("is_whole")),
    }


def _records(trace: str, spans: Sequence[Span]) -> Iterator[Row]:
    """A row per call of a model in a trace; without one, a row for the top span."""
    known = {span["id"]: span for span in spans if not span["is_log"]}
    for log in spans:
        if log["is_log"] and log["id"] in known:
            tree = known[log["id"]]["tree"]
            for name, value in log["tree"].items():
                is_object, before = isinstance(value, dict), tree.get(name)
                tree[name] = {**_object(before), **value} if is_object else [*_list(before), *value]
    above = {ident: list(_above(span, known)) for ident, span in known.items()}
    retrieved: dict[str | None, list[Span]] = defaultdict(list)
    for ident, span in known.items():
        if span["kind"] in RETRIEVALS:
            for over in (*(s["id"] for s in above[ident]), None):
                retrieved[over].append(span)
    calls = [s for s in known.values() if _is_call(s) and not any(map(_is_call, above[s["id"]]))]
    roots = [
        s for s in known.values()
        if not s["is_whole"] and s["kind"] not in RETRIEVALS and all(over["is_whole"] for over in above[s["id"]])
    ]  # fmt: skip
    for span in calls or roots[:1]:
        over = above[span["id"]]
        near = next((retrieved[i] for i in (*(s["id"] for s in over), None) if i in retrieved), [])
        earlier = [s for s in near if s["start"] <= span["start"]]
        found = [d for s in earlier for d in _documents(_first(s["tree"], "documents"))]
        yield span["number"], _record(span, found, _attributes(trace, span, over))


def _above(span: Span, known: Mapping[Any, Span]) -> Iterator[Span]:
    """The spans above a span, the nearest first."""
    seen = {span["id"]}
    while span["parent"] in known and span["parent"] not in seen and len(seen) < HIGHEST:
        span = known[span["parent"]]
        seen.add(span["id"])
        yield span


def _is_call(span: Span) -> bool:
    """Whether a span is a call of a model; older instrumentation names no kind, but records a completion."""
    kind = span["kind"]
    return kind in CALLS or (not kind and _at(span["tree"], "gen_ai.completion[]") is not None)


def _record(span: Span, retrieved: Sequence[Span], attributes: Mapping[str, Any]) -> Span:
    tree = span["tree"]
    output = _first(tree, "output")
    text, calls_tool = text_of(output)
    documents = list({(d.get("id"), d["text"]): d for d in retrieved}.values()) or _prompted(tree)
    reason = None if documents else WITHOUT_SOURCE
    if str(span["status"]).lower() in FAILURES or _first(tree, "error") is not None:
        reason = FAILED
    elif output is None:
        reason = UNRECORDED
    elif calls_tool and not text.strip():
        reason = TOOL
    return {
        "id": span["id"],
        "documents": documents or [""],
        "summary": None if reason else text,
        "reason": reason,
        "system": _first(tree, "system"),
        "attributes": attributes,
    }


def _attributes(trace: str, span: Span, above: Sequence[Span]) -> dict[str, Any]:
    attributes: dict[str, Any] = {"trace": trace, "span": span["name"]}
    if span["start"]:
        moment = datetime.fromtimestamp(span["start"], UTC)
        attributes |= {"time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "day": moment.strftime("%Y-%m-%d")}
    for tree in (span["tree"], *(s["tree"] for s in above)):
        for name, paths in ATTRIBUTES.items():
            if (value := _at(tree, paths)) is not None:
                attributes.setdefault(name, value)
        for name in OTHERS:
            for key, value in flat(_object(_at(tree, name))):
                if not key.startswith("mlflow") and (name, key) != ("user", "id"):
                    attributes.setdefault(f"user_{key}" if name == "user" else key, value)
    return {name: value for name, value in attributes.items() if _is_short(value)}


# ------------------------------------------------------------------------------------ texts and documents


def source_among(fields: Mapping[str, Any]) -> dict[str, Any]:
    """``documents`` from the most likely field, or the only one; empty if none is likely."""
    for name in LIKELY:
        if fields.get(name):
            return {"documents": fields[name]}
    if len(fields) == 1:
        return {"documents": next(iter(fields.values()))}
    return {}


def text_of(given: Any, depth: int = 0) -> tuple[str, bool]:
    """The text of an output, a message or its parts, and whether it calls a tool.

    Of several answers, the first counts; of a conversation, the last answer.
    """
    if isinstance(given, str):
        return given, False
    if isinstance(given, list) and depth <= DEEPEST:
        roles = [str(_at(one, ROLE)) for one in given if isinstance(one, Mapping)]
        if roles and len(roles) == len(given) and roles[-1] in ANSWERS:
            given = given[-1:] if set(roles) - ANSWERS else given[:1]
        parts = [text_of(part, depth + 1) for part in given]
        return "\n".join(text for text, _ in parts if text), any(calls for _, calls in parts)
    if not isinstance(given, Mapping) or depth > DEEPEST:
        return "", False
    kind = str(given.get("type"))
    calls = bool(given.get("tool_calls") or given.get("function_call")) or kind in TOOLS
    inner = next((given[key] for key in INNER if given.get(key) not in (None, [], {})), None)
    if kind in ("reasoning", "thinking") or inner is None:
        return "", calls
    text, more = text_of(inner, depth + 1)
    return text, calls or more


def _prompted(tree: Mapping[str, Any]) -> list[Any]:
    """The sources in a prompt: its variables, what tools returned, texts in tags; else the last message of the user."""
    given = _first(tree, "input")
    for fields in (_first(tree, "variables"), given):
        is_plain = isinstance(fields, Mapping) and "messages" not in fields
        likely = source_among(fields).get("documents") if is_plain else None
        if documents := _documents(likely):
            return documents
    messages = _list(given.get("messages") if isinstance(given, Mapping) else given)
    said = [(str(_at(message, ROLE) or "user"), text_of(message)[0]) for message in messages]
    if returned := [text for role, text in said if role in ("tool", "function")]:
        return returned
    asked = [text for role, text in said if role not in NOT_ASKED] or [text_of(given)[0]]
    return _tagged(asked[-1]) or [text for text in asked[-1:] if text.strip()]


def _tagged(prompt: str) -> list[str]:
    """The texts between opening and closing tags such as ``<document>``; empty for fewer than two."""
    texts, opened = [], None
    for tag in TAG.finditer(prompt):
        if not tag[1]:
            opened = tag
        elif opened is not None and opened[2].lower() == tag[2].lower():
            texts.append(prompt[opened.end() : tag.start()].strip())
            opened = None
    texts = [text for text in texts if text]
    return texts if len(texts) > 1 else []


def _documents(given: Any) -> list[dict[str, Any]]:
    """Documents from a list of texts or of objects with a text, an id and metadata."""
    if isinstance(given, Mapping):
        given = given.get("documents") or given.get("results") or [given]
    documents = []
    for one in [given] if isinstance(given, str) else _list(given):
        one = one if isinstance(one, Mapping) else {"text": one}
        one = _object(one.get("document")) or one
        metadata = {**_object(one.get("metadata")), **_object(one.get("attributes"))}
        short = {name: value for name, value in metadata.items() if _is_short(value)}
        ident = {"id": one["id"]} if isinstance(one.get("id"), (str, int)) and one["id"] != "" else {}
        if (text := text_of(one)[0]).strip():
            documents.append({"text": text, "attributes": short, **ident})
    return documents


# ------------------------------------------------------------------------------------------ values


def _first(tree: Any, what: str) -> Any:
    return _at(tree, PATHS[what])


def _at(tree: Any, paths: str) -> Any:
    """The first value at one of several paths that is not empty; None if there is none. ``[]`` after a path wants a list."""
    for keys, is_list in _split(paths):
        value = tree
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value not in (None, "", [], {}) and (isinstance(value, list) or not is_list):
            return value
    return None


@cache
def _split(paths: str) -> list[tuple[list[str], bool]]:
    """The keys of each path, and whether its value must be a list."""
    return [(path.removesuffix("[]").split("."), path.endswith("[]")) for path in paths.split("|")]


def _is_short(value: Any) -> bool:
    """Whether a value is short enough for an attribute."""
    is_plain = isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))
    return is_plain and len(str(value)) <= SHORT and "\n" not in str(value)


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _objects(given: Any) -> list[dict[str, Any]]:
    return [one for one in _list(given) if isinstance(one, dict)]


def _object(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def parsed(given: str) -> Any:
    """The value of JSON text; other texts unchanged."""
    if given[:1] in ("[", "{", '"'):
        with suppress(ValueError, RecursionError):
            return json.loads(given)
    return given


def _cell(given: Any) -> Any:
    """The value of a cell; pandas writes lists and objects as Python does."""
    if isinstance(given, str) and given[:2] in ("[{", "{'", "['") and parsed(given) is given:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(given)
    return given


def _plain(given: Any, depth: int = 0) -> Any:
    """A value without absent ones, in one form whichever the export uses.

    Texts of JSON are parsed; lists of keys and values, and typed values (OTLP), are plain; dotted keys are objects inside
    objects, and objects whose keys are all numbers are lists.
    """
    if isinstance(given, str):
        given, depth = parsed(given), depth + 1
    if isinstance(given, str) or depth > DEEPEST:
        return given if isinstance(given, str) else None
    given = _as_object(given)
    if isinstance(given, list):
        return [_plain(one, depth + 1) for one in given if one is not None]
    if not isinstance(given, Mapping):
        return given
    if len(given) == 1 and given.keys() <= TYPED:
        (value,) = given.values()
        return _plain(value.get("values") if isinstance(value, dict) else value, depth + 1)
    tree: dict[str, Any] = {}
    for key, value in given.items():
        if value is None:
            continue
        holder = tree
        *parts, last = str(key).split(".", DEEPEST)
        for part in parts:
            inner = holder.get(part)
            holder[part] = inner = inner if isinstance(inner, dict) else {}
            holder = inner
        known, new = holder.get(last), _plain(value, depth + 1)
        holder[last] = {**known, **new} if isinstance(known, dict) and isinstance(new, dict) else new
    return _with_lists(tree)


def _as_object(given: Any) -> Any:
    """The object in a list of keys and values; other values unchanged."""
    if isinstance(given, list) and given:
        if all(isinstance(one, tuple) for one in given):
            return dict(given)  # Arrow's form of a map
        if all(isinstance(one, dict) and {"key"} <= one.keys() <= {"key", "value"} for one in given):
            return {str(one["key"]): one.get("value") for one in given}
    return given


def _with_lists(tree: dict[str, Any]) -> Any:
    tree = {key: _with_lists(value) if isinstance(value, dict) else value for key, value in tree.items()}
    if tree and all(key.isdecimal() and len(key) < 7 for key in tree):
        return [tree[key] for key in sorted(tree, key=int)]
    return tree


def _time(given: Any) -> float:
    """Seconds since 1970 of a time in ISO form (UTC if it names no zone) or a number of up to nanoseconds; 0 if unknown."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        with suppress(ValueError):
            moment = given if isinstance(given, datetime) else datetime.fromisoformat(str(given))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        return 0.0
    for _ in range(3):
        number = number / 1000 if number > LATEST else number
    return number if 0 < number <= LATEST else 0.0
