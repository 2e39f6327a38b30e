"""Traces of language models, exported by OpenTelemetry, Phoenix, Langfuse and MLflow, as rows in our format.

A span is one step of a trace. Each call of a model is a record, and its output is the summary. Its sources are the documents
that the trace retrieved for it, else the texts that its prompt separates, else the last message of the user. A trace without
such a call is one record. ``traces.toml`` has the fields of each convention.
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
from typing import Any

from fairbrief.readers.fields import flat
from fairbrief.readers.json_lines import Row
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.text.vocabulary import packaged

Paths = Sequence[tuple[Sequence[str], bool]]
"""The keys of each path, and whether its value must be a list."""


def _keys(path: str) -> tuple[Sequence[str], bool]:
    return path.removesuffix("[]").split("."), path.endswith("[]")


_KNOWN = packaged("fairbrief.readers", "traces.toml")
PATHS, ATTRIBUTES, HOLDERS = (
    {name: list(map(_keys, paths.split())) for name, paths in _KNOWN[part].items()}
    for part in ("paths", "attributes", "holders")
)
WORDS = {name: text.split() for name, text in _KNOWN["words"].items()}
ANSWERS = frozenset(("assistant", "ai", "model"))
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
        shared = _object(_first(resource, "shared"))
        for span in _inside(resource, "scopeSpans", "spans"):
            yield {**span, "attributes": {**shared, **_object(span.get("attributes"))}}
    for resource in _objects(row.get("resourceLogs")):
        for log in _inside(resource, "scopeLogs", "logRecords"):
            fields = {**_object(log.get("attributes")), **_object(log.get("body"))}
            event = {"name": _first({**fields, **log}, "event"), "attributes": fields}
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
        if span["kind"] in WORDS["retrievals"]:
            for over in (*(s["id"] for s in above[ident]), None):
                retrieved[over].append(span)
    calls = [s for s in known.values() if _is_call(s) and not any(map(_is_call, above[s["id"]]))]
    roots = [
        s for s in known.values()
        if not s["is_whole"] and s["kind"] not in WORDS["retrievals"] and all(over["is_whole"] for over in above[s["id"]])
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
    return kind in WORDS["calls"] or (not kind and _first(span["tree"], "completion") is not None)


def _record(span: Span, retrieved: Sequence[Span], attributes: Mapping[str, Any]) -> Span:
    tree = span["tree"]
    output = _first(tree, "output")
    text, calls_tool = text_of(output)
    documents = list({(d.get("id"), d["text"]): d for d in retrieved}.values()) or _prompted(tree)
    reason = None if documents else WITHOUT_SOURCE
    if str(span["status"]).lower() in WORDS["failures"] or _first(tree, "error") is not None:
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
        for name, paths in HOLDERS.items():
            for key, value in flat(_object(_at(tree, paths))):
                if not key.startswith("mlflow") and (name, key) != ("user", "id"):
                    attributes.setdefault(f"user_{key}" if name == "user" else key, value)
    return {name: value for name, value in attributes.items() if _is_short(value)}


# ------------------------------------------------------------------------------------ texts and documents


def source_among(fields: Mapping[str, Any]) -> dict[str, Any]:
    """``documents`` from the most likely field, or the only one; empty if none is likely."""
    for name in WORDS["likely"]:
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
        roles = [str(_first(one, "role")) for one in given if isinstance(one, Mapping)]
        if roles and len(roles) == len(given) and roles[-1] in ANSWERS:
            given = given[-1:] if set(roles) - ANSWERS else given[:1]
        parts = [text_of(part, depth + 1) for part in given]
        return "\n".join(text for text, _ in parts if text), any(calls for _, calls in parts)
    if not isinstance(given, Mapping) or depth > DEEPEST:
        return "", False
    kind = str(given.get("type"))
    calls = bool(given.get("tool_calls") or given.get("function_call")) or kind in WORDS["tools"]
    inner = next((given[key] for key in WORDS["inner"] if given.get(key) not in (None, [], {})), None)
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
    said = [(str(_first(message, "role") or "user"), text_of(message)[0]) for message in messages]
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


def _at(tree: Any, paths: Paths) -> Any:
    """The first value at one of several paths that is not empty; None if there is none."""
    for keys, is_list in paths:
        value = tree
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value not in (None, "", [], {}) and (isinstance(value, list) or not is_list):
            return value
    return None


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
