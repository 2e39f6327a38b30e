"""Files of other tools, recognized by their names or beginnings, as rows in our format.

A row also keeps the tool's fields, so that options can name them with a path. The table `LAYOUTS` at the end lists how
each tool's file is recognized and read. All tools are in this module, with a few functions each.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fairbrief.errors import DataError, first_line
from fairbrief.readers import files, tables
from fairbrief.readers.fields import ABSENT, Several, find
from fairbrief.readers.files import LONGEST_PACKED, File, InputFile, Meter
from fairbrief.readers.json_lines import load, read_lines
from fairbrief.readers.messages import fault, names, show
from fairbrief.readers.traces import langfuse, otlp, phoenix, source_among, text_of, traces
from fairbrief.readers.traces import mlflow as mlflow_traces
from fairbrief.readers.transcripts import read_subtitles, read_transcript

SAMPLE = 1 << 18
"""Bytes at the start of a file that are used for recognition."""

Rows = Iterator[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of a tool's file.

    ``line`` recognizes it by the object in the first line, ``head`` by the beginning of a JSON document, ``ending`` by
    the name. ``rows`` is the key of the list of rows in a document (possibly in the object under the key ``inside``);
    without it ``reader`` gives the rows, by default one per line. ``fields`` maps our fields to paths, or to several paths
    separated by bars, of which the first with a value counts; a row whose ``id`` is absent or empty has its number.
    ``more`` computes further fields from a row and the result of ``about``, which reads the file, or the object around
    its rows; rows for which it returns None are skipped.
    """

    name: str
    title: str
    rows: str = ""
    inside: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    more: Callable[[Mapping[str, Any], Any], dict[str, Any] | None] = lambda _row, _about: {}
    about: Callable[[File, Mapping[str, Any]], Any] = lambda _file, _whole: None
    reader: Callable[..., Rows] = read_lines
    line: Callable[[Mapping[str, Any]], bool] | None = None
    in_tables: bool = False
    """Whether ``line`` also recognizes tables, by their columns."""
    head: re.Pattern[str] | None = None
    ending: str = ""

    def read(self, file: File, meter: Meter) -> Rows:
        """The rows of a file, numbered from 1; values that are not objects are passed on and refused later."""
        whole = load(file) if self.rows else {}
        inner = whole.get(self.inside)
        around = inner if isinstance(inner, Mapping) else whole
        rows = enumerate(listed(around, self.rows, file.name), 1) if self.rows else self.reader(file, meter)
        about = self.about(file, around)
        for number, row in rows:
            if not isinstance(row, Mapping):
                yield number, row
            elif (more := self.more(row, about)) is not None:
                ours = {ours: first_at(row, paths) for ours, paths in self.fields.items()}
                if "id" in ours and ours["id"] in (None, ""):
                    ours["id"] = number
                yield number, {**row, **{k: v for k, v in ours.items() if v is not None}, **more}


def _has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda row: row.keys() >= set(keys)


FAILED = "the request failed"
REFUSED = "refused"


def listed(whole: Mapping[str, Any], key: str, name: str) -> list[Any]:
    """A required list of the document."""
    rows = whole.get(key)
    if not isinstance(rows, list):
        raise DataError(f"{name}: found {show(rows)} under {key!r}; expected a list; give another --format.")
    return rows


def text_in(content: Any) -> str | None:
    """The text of a message, or the texts of its parts, joined."""
    return content if isinstance(content, str) else text_of(content)[0] or None


def at(row: Any, path: str) -> Any:
    """The value at a path (a list for a path with stars); None if there is none."""
    result = find(row, path)
    return None if result is ABSENT else list(result.values()) if isinstance(result, Several) else result


def first_at(row: Mapping[str, Any], paths: str) -> Any:
    """The first value that is not empty at one of several paths, separated by bars; else an empty one or 0; None if there is none."""
    values = [value for path in paths.split("|") if (value := at(row, path)) is not None]
    return next(filter(None, values), values[0] if values else None)


# ------------------------------ HELM: an instance is a record; perturbations and trials are counterfactuals


def _helm(state: Mapping[str, Any], model: Any) -> dict[str, Any]:
    ident, changed = str(at(state, "instance.id")), at(state, "instance.perturbation.name")
    trial = state.get("train_trial_index") or 0
    parts = [ident, *([changed] if changed else []), *([f"trial {trial}"] if trial else [])]
    failed = at(state, "result.success") is False
    return {
        "id": ", ".join(map(str, parts)),
        "seed_document": ident if len(parts) > 1 else None,
        "summary": None if failed else at(state, "result.completions[0].text"),
        "system": model,
        "reason": FAILED if failed else None,
    }


# -------------------------------------- MLflow: a table with columns named by the user


def mlflow(file: File, meter: Meter) -> Rows:  # noqa: ARG001 # read at once
    """One row per row of the table."""
    whole = load(file)
    columns = [str(column) for column in listed(whole, "columns", file.name)]
    for number, cells in enumerate(listed(whole, "data", file.name), 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            yield number, fault(show(cells), f"a list of {len(columns)} values", "write the table again")
            continue
        yield number, dict(zip(columns, cells, strict=True))


# ------------------------------- promptfoo: a test is a record, a provider (with a prompt) a system


def _prompt(row: Any) -> Any:
    return at(row, "prompt.label") or at(row, "promptId")


def _promptfoo(row: Mapping[str, Any], prompts: list[Any]) -> dict[str, Any]:
    system = first_at(row, "provider.label|provider.id|provider")
    if len(prompts) > 1:
        system = f"{system}, prompt {prompts.index(_prompt(row)) + 1}"
    output, variables = at(row, "response.output"), row.get("vars")
    is_text = output is None or isinstance(output, str)
    return {
        **(source_among(variables) if isinstance(variables, Mapping) else {}),
        "id": row.get("testIdx"),
        "summary": output if is_text else json.dumps(output, ensure_ascii=False),
        "system": system,
        "reason": FAILED if output is None else REFUSED if at(row, "response.isRefusal") else None,
    }


# ------------------------------------------------------------------------------------- any document


def json_list(file: File, meter: Meter) -> Rows:  # noqa: ARG001 # read at once
    """One row per object of the only list of objects; without a list, per object, with its key as the default id."""
    whole = load(file)
    lists = {
        key: value
        for key, value in whole.items()
        if isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    }
    if len(lists) == 1:
        yield from enumerate(next(iter(lists.values())), 1)
    elif not lists and whole and all(isinstance(value, Mapping) for value in whole.values()):
        yield from enumerate(({"id": key, **value} for key, value in whole.items()), 1)
    else:
        raise DataError(
            f"{file.name}: found lists of objects under {names(lists)}; expected one list; write it to a separate file."
        )


CUT = "cut off by the filter"


# --------------------------------------------- the OpenAI Batch API: one answer per line, unordered


def _model_of_batch(file: File, _: Any) -> str | None:
    """The model of a batch, which failed requests do not name."""
    models = (at(row, "response.body.model") for _, row in read_lines(file, Meter()))
    return next((m for m in models if isinstance(m, str) and m), None)


def _openai_batch(row: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    body = at(row, "response.body") or {}
    text, reason = _answer(body)
    status = at(row, "response.status_code")
    if row.get("error") or not body or (isinstance(status, int) and status >= 400):
        text, reason = None, FAILED
    return {
        "id": row.get("custom_id"),
        "summary": text,
        "system": at(body, "model") or model,
        "reason": reason or None,
    }


def _answer(body: Mapping[str, Any]) -> tuple[str | None, str]:
    """The text of an answer, and the reason if there is none."""
    message = at(body, "choices[0].message")
    text = text_in(body.get("output") if message is None else at(message, "content"))
    if text is None and (at(message, "refusal") or at(body, "output[*].content[*].refusal")):
        return None, REFUSED
    return text, CUT if at(body, "choices[0].finish_reason") == "content_filter" else ""


# ------------------------------------------------------------------------ the lm-evaluation-harness


RESULTS = "results_"


def _of_lm_eval(file: File, _: Any) -> tuple[str | None, Any]:
    """The model, and the first filter, whose responses are used."""
    rows = read_lines(file, Meter())
    return _model(file.path), next((row.get("filter") for _, row in rows if isinstance(row, Mapping)), None)


def _lm_eval(row: Mapping[str, Any], about: tuple[str | None, Any]) -> dict[str, Any] | None:
    system, first = about
    if row.get("filter") != first:
        return None
    doc, target = row.get("doc"), row.get("target")
    is_text = isinstance(target, str) and bool(target.strip())
    return {
        **(source_among(doc) if isinstance(doc, Mapping) else {}),
        "id": row.get("doc_id"),
        "summary": _first_text(row.get("filtered_resps")),
        "system": system,
        "references": target if is_text or isinstance(target, list) else None,
    }


def _first_text(given: Any) -> str | None:
    """The first response in nested lists."""
    while isinstance(given, list):
        if not given:
            return None
        given = given[0]
    return given if isinstance(given, str) else None


def _model(path: InputFile) -> str | None:
    """The model from the results in the same folder, or from the folder's name; None if neither has it, or in a store."""
    if not isinstance(path, Path):
        return None
    date = path.name.removesuffix(".jsonl").rpartition("_")[2]
    for results in sorted(path.parent.glob(f"{RESULTS}*{date}.json")):
        try:
            name = json.loads(results.read_text(encoding="utf-8")).get("model_name")
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
        if isinstance(name, str) and name.strip():
            return name
    folder = path.parent.resolve().name
    return folder.replace("__", "/") if "__" in folder else None


# -------------------------- SummEval (one line per system) and SummVis (one field per system)


BEGIN = "summary:"
REFERENCE = "summary:reference"


def _summvis(row: Mapping[str, Any], _about: None) -> dict[str, Any]:
    systems = (key for key in row if key.startswith(BEGIN) and key != REFERENCE)
    return {
        "documents": row.get("document"),
        "summary": {key.removeprefix(BEGIN): row[key] for key in systems},
        "references": row.get(REFERENCE),
    }


# ----------- Inspect (``.eval``, a zip, or ``.json``): a sample is a record; epochs are runs of one system


ZSTD = 93
HEADER = struct.Struct("<26xHH")
"""The end of the header of a zip entry: the lengths of its name and of its extra field."""


def inspect_log(file: File, meter: Meter) -> Rows:
    """One row per sample and epoch."""
    with file.opened() as raw:
        is_zip = zipfile.is_zipfile(raw)
    whole = _described(file) if is_zip else load(file)
    samples = _entries(file, meter) if is_zip else iter(listed(whole, "samples", file.name))
    model, runs = at(whole, "eval.model"), at(whole, "eval.config.epochs") or 1
    for number, sample in enumerate(samples, 1):
        yield number, _inspect_row(sample, model, runs) if isinstance(sample, Mapping) else sample


def _inspect_row(sample: Mapping[str, Any], model: Any, runs: int) -> dict[str, Any]:
    ident, epoch = str(sample.get("id")), sample.get("epoch", 1)
    metadata = sample.get("metadata") or {}
    ids = {"id": ident} if runs == 1 else {"id": f"{ident}, epoch {epoch}", "seed_document": ident}
    failed = sample.get("error") is not None
    completion = at(sample, "output.completion")
    target = sample.get("target")
    return {
        **sample,
        **ids,
        "documents": metadata.get("documents") or _asked(sample.get("input")),
        "summary": None if failed else completion or "",
        "system": model or None,
        "references": [t for t in (target if isinstance(target, list) else [target]) if t],
        "attributes": {k: v for k, v in metadata.items() if isinstance(v, (str, int, float, bool))},
        "reason": "the sample failed" if failed else None,
    }


def _asked(given: Any) -> str | None:
    """The input of a sample: its text, or the last message of the user."""
    if isinstance(given, list):
        asked = [m for m in given if isinstance(m, Mapping) and m.get("role") == "user"]
        return text_in(asked[-1].get("content")) if asked else None
    return given if isinstance(given, str) else None


def _described(file: File) -> Mapping[str, Any]:
    """The log's description of the run: from its end, or from its start if the run did not finish."""
    with _opened(file) as (raw, log):
        for entry in ("header.json", "_journal/start.json"):
            if entry in log.namelist():
                result = json.loads(_unpacked(log.getinfo(entry), log, raw, file.name))
                return result if isinstance(result, Mapping) else {}
    raise DataError(
        f"{file.name}: found neither header.json nor _journal/start.json; expected an Inspect log; copy the log again."
    )


def _entries(file: File, meter: Meter) -> Iterator[Any]:
    """The samples of a log; an invalid one is replaced by its error."""
    with _opened(file) as (raw, log):
        for info in log.infolist():
            if info.filename.startswith("samples/"):
                try:
                    yield json.loads(_unpacked(info, log, raw, file.name))
                except (ValueError, RecursionError) as error:
                    yield fault(
                        f"{info.filename} with invalid JSON ({error})", "a sample", "copy the log again"
                    )
                meter.at(raw.tell())


@contextmanager
def _opened(file: File) -> Iterator[tuple[IO[bytes], zipfile.ZipFile]]:
    """A log as bytes and as a zip file, whose errors become DataError with the file's name."""
    try:
        with file.opened() as raw, zipfile.ZipFile(raw) as log:
            yield raw, log
    except (
        zipfile.BadZipFile,
        struct.error,
        RuntimeError,
        ValueError,
    ) as error:  # RuntimeError: with a password
        raise DataError(
            f"{file.name}: found damage ({first_line(error)}); expected a complete Inspect log; copy the log again."
        ) from error


def _unpacked(info: zipfile.ZipInfo, log: zipfile.ZipFile, raw: IO[bytes], name: str) -> bytes:
    if info.compress_type == ZSTD:
        import pyarrow as pa

        raw.seek(info.header_offset)
        named, extra = HEADER.unpack(raw.read(HEADER.size))
        raw.seek(named + extra, 1)
        packed = pa.BufferReader(raw.read(info.compress_size))
        content = bytes(pa.CompressedInputStream(packed, "zstd").read(LONGEST_PACKED + 1))
    else:
        with log.open(info) as entry:
            content = entry.read(LONGEST_PACKED + 1)
    if len(content) > LONGEST_PACKED:
        raise DataError(
            f"{name}: found {info.filename} of more than {LONGEST_PACKED >> 20} MiB; expected smaller samples, since "
            "this one could fill the memory; write the log as .json."
        )
    return content


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout(
            "openai-batch", "the output of an OpenAI batch", more=_openai_batch, about=_model_of_batch,
            line=_has("custom_id", "response"),
        ),
        Layout("inspect", "an Inspect log", reader=inspect_log, head=re.compile(r'"eval"\s*:\s*\{\s*"'), ending="eval"),
        Layout(
            "lm-eval", "samples of the lm-evaluation-harness, the first filter of each", more=_lm_eval, about=_of_lm_eval,
            line=_has("doc_id", "doc", "filtered_resps"),
        ),
        Layout(
            "promptfoo", "promptfoo results", rows="results", inside="results", more=_promptfoo,
            about=lambda _, whole: list(dict.fromkeys(map(_prompt, whole["results"]))),
            head=re.compile(r'^\s*\{\s*"evalId"\s*:'),
        ),
        Layout(
            "helm", "a HELM scenario state", rows="request_states",
            fields={"documents": "instance.input.text", "references": "instance.references[*].output.text"}, more=_helm,
            about=lambda _, whole: first_at(whole, "adapter_spec.model_deployment|adapter_spec.model"),
            head=re.compile(r'^\s*\{\s*"adapter_spec"\s*:'),
        ),
        Layout(
            "deepeval", "a DeepEval test run", rows="testCases", inside="testRunData",
            fields={
                "id": "name", "documents": "context|retrievalContext|input", "summary": "actualOutput",
                "references": "expectedOutput",
            },
            head=re.compile(r'"testCases"\s*:\s*\['),
        ),
        Layout(
            "mlflow", "an MLflow evaluation table", reader=mlflow,
            fields={
                "summary": "summary|outputs|predictions|prediction|output|response",
                "references": "references|ground_truth|targets|target|reference|expectations",
            },
            more=lambda row, _about: source_among(row) if len(row) > 1 else {},
            head=re.compile(r'^\s*\{\s*"columns"\s*:\s*\[.*?\]\s*,\s*"data"\s*:\s*\[', re.DOTALL),
        ),
        Layout(
            "summeval", "SummEval", fields={"documents": "text", "summary": "decoded", "system": "model_id"},
            line=_has("id", "decoded", "model_id"),
        ),  # only the paired file has the sources
        Layout(
            "summvis", "SummVis", more=_summvis,
            line=lambda row: "document" in row and any(key.startswith("summary:") for key in row),
        ),
        Layout("vtt", "a WebVTT transcript", reader=read_subtitles, ending="vtt"),
        Layout("srt", "an SRT transcript", reader=read_subtitles, ending="srt"),
        Layout("transcript", "a transcript with names before turns", reader=read_transcript, ending="txt"),
        Layout(
            "otlp", "OpenTelemetry traces", reader=traces(otlp), head=re.compile(r'"resource(?:Spans|Logs)"\s*:\s*\['),
            line=lambda row: "resourceSpans" in row or "resourceLogs" in row,
        ),
        Layout(
            "phoenix", "Phoenix spans", reader=traces(phoenix), in_tables=True,
            line=lambda row: "span_kind" in row and ("context" in row or "context.trace_id" in row),
        ),
        Layout(
            "mlflow-traces", "MLflow traces", reader=traces(mlflow_traces), in_tables=True,
            line=lambda row: {"trace_id", "request_time"} <= row.keys() or ("data" in row and at(row, "info.trace_id")),
            head=re.compile(r'^\s*\{\s*"info"\s*:\s*\{\s*"(?:trace|request)_id"'),
        ),
        Layout(
            "langfuse", "Langfuse traces", reader=traces(langfuse), in_tables=True,
            line=lambda row: {"id", "input", "output"} <= row.keys()
            and not {"traceId", "trace_id", "sessionId", "session_id"}.isdisjoint(row),
        ),
        Layout(
            "json-list", "the objects in a JSON document", reader=json_list,
            head=re.compile(r'^\s*\{\s*"[^"]*"\s*:\s*\[\s*\{'),
        ),
    )
}  # fmt: skip
"""Name for --format → layout."""


def recognize(file: File) -> Layout | None:
    """The layout of a file, by its ending or beginning; None if no tool's matches."""
    ending = files.endings(file.path)[0]
    for layout in LAYOUTS.values():
        if layout.ending and layout.ending == ending:
            return layout
    try:
        if ending == "parquet":
            with tables.open_parquet(file) as table:
                return _of_table(dict.fromkeys(table.schema_arrow.names))
        if ending not in ("csv", "json", "jsonl", "ndjson"):
            return None
        with file.text() as (_, content):
            head = content.read(SAMPLE).decode(errors="replace")
    except (DataError, OSError):
        return None  # its reader reports the error
    text = head.strip()
    if ending == "csv":
        return _of_table({name.strip('"'): None for name in text.partition("\n")[0].strip().split(",")})
    if text[:1] == "[":
        return _of_table(_first_object(text[1:].lstrip()))
    first = _first_object(text.partition("\n")[0])
    is_cut = not first and "\n" not in text  # a line that is longer than the sample
    is_document = ending == "json" and text[:1] == "{"
    begin = head if is_document or is_cut else ""
    return next((layout for layout in LAYOUTS.values() if _fits(layout, first, begin)), None)


def _fits(layout: Layout, first: Mapping[str, Any], begin: str) -> bool:
    """Whether a layout has this object in its first line, or this beginning of a document."""
    if layout.line is not None and first and layout.line(first):
        return True
    is_plain = layout.name == "json-list" and bool(first)  # JSON Lines, whose rows begin in the same way
    return layout.head is not None and not is_plain and layout.head.search(begin) is not None


def _of_table(row: Mapping[str, Any]) -> Layout | None:
    """The layout of a table, or of an array of objects, by its columns."""
    tabular = (layout for layout in LAYOUTS.values() if layout.in_tables)
    return next((layout for layout in tabular if layout.line is not None and layout.line(row)), None)


def _first_object(text: str) -> dict[str, Any]:
    """The object at the start of a text; empty if there is none."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return first if isinstance(first, dict) else {}
