"""The formats of files. The table `FORMATS` lists how each is recognized and read; endings, help and messages are derived from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import json_lines, layouts, tables, traces, transcripts
from fairbrief.readers.fields import given
from fairbrief.readers.files import LONGEST_PACKED, File, Range, endings
from fairbrief.readers.json_lines import Row
from fairbrief.readers.layouts import first_at

SAMPLE = 1 << 18
"""Bytes at the start of a file that are used for recognition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of files. Those of tools have a ``title``; their rows are converted to ours and keep the tool's fields.

    A tool's file is recognized by one of its ``endings``, by the object in its first line (``line``), or by the beginning
    of a JSON document (``head``). ``rows`` is the path of the list of rows in a document; without it ``reader`` gives the rows.
    ``fields`` maps our fields to paths; a row whose ``id`` is absent or empty has its number. Of several paths separated by bars,
    the first with a value counts. ``more`` computes further fields from a row and the result of ``about``, which reads the file,
    or the document; rows for which it returns None are skipped.
    """

    name: str
    title: str = ""
    endings: tuple[str, ...] = ()
    reader: Callable[..., Iterator[Row]] = json_lines.read_lines
    is_text: bool = True
    """Whether it has an encoding, and may be compressed."""
    is_table: bool = False
    """Whether every row has every column."""
    is_one_record: bool = False
    """Whether a whole file is one record, so that a file of summaries with this ending has one per line."""
    ranges: Callable[[File], list[Range]] | None = None
    """Its parts, if several readers can read a file of it at once."""
    rows: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    more: Callable[[Mapping[str, Any], Any], dict[str, Any] | None] = lambda _row, _about: {}
    about: Callable[[File, Mapping[str, Any]], Any] = lambda _file, _whole: None
    line: Callable[[Mapping[str, Any]], Any] | None = None
    in_tables: bool = False
    """Whether ``line`` also recognizes tables, by their columns."""
    head: re.Pattern[str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its name, since some of its functions have none."""
        return format_named, (self.name,)

    def read(self, file: File) -> Iterator[Row]:
        """The rows of a file, or of its part."""
        return self._converted(file) if self.title else self.reader(file)

    def _converted(self, file: File) -> Iterator[Row]:
        """The rows of a tool's file; values that are not objects are passed on and refused later."""
        whole = json_lines.load(file) if self.rows else {}
        rows = enumerate(layouts.rows_at(whole, self.rows, file.name), 1) if self.rows else self.reader(file)
        about = self.about(file, whole)
        for number, row in rows:
            if not isinstance(row, Mapping):
                yield number, row
            elif (more := self.more(row, about)) is not None:
                ours = {ours: first_at(row, paths) for ours, paths in self.fields.items()}
                if "id" in ours and ours["id"] in (None, ""):
                    ours["id"] = number
                yield number, {**row, **{k: v for k, v in ours.items() if v is not None}, **more}


def _calls(spans: Callable[[dict[str, Any]], Iterable[dict[str, Any]]], file: File) -> Iterator[Row]:
    """The calls of models in an export of traces, in each row of which ``spans`` finds the spans.

    The export is a table, JSON Lines or an array; a JSON document is one row.
    """
    form = BY_ENDING.get(endings(file.path)[0])
    if form is not None and form.is_table:
        rows = form.reader(file, has_index=True) if form.is_text else form.reader(file)
        return traces.calls_in(traces.parsed_cells(rows), spans)
    with file.text() as (_, content):
        first = content.readline(LONGEST_PACKED).strip()
    has_lines = first[:1] == b"[" or isinstance(traces.parsed(first.decode(errors="replace")), Mapping)
    return traces.calls_in(json_lines.read_json(file) if has_lines else [(1, json_lines.load(file))], spans)


JSON_LIST = Format(
    name="json-list", title="the objects in a JSON document", reader=layouts.json_list,
    head=re.compile(r'^\s*\{\s*"[^"]*"\s*:\s*\[\s*\{'),
)  # fmt: skip
FORMATS = (
    Format(name="jsonl", endings=("jsonl", "ndjson"), ranges=json_lines.line_ranges),
    Format(name="json", endings=("json",), reader=json_lines.read_json),
    Format(name="csv", endings=("csv",), reader=tables.read_csv, is_table=True),
    Format(name="tsv", endings=("tsv",), reader=partial(tables.read_csv, delimiter="\t"), is_table=True),
    Format(name="ssv", endings=("ssv",), reader=partial(tables.read_csv, delimiter=";"), is_table=True),
    Format(
        name="excel", endings=("xlsx", "xlsm", "xls", "xlsb", "ods"), reader=tables.read_sheet, is_text=False, is_table=True,
    ),
    Format(
        name="parquet", endings=("parquet", "pq"), reader=tables.read_parquet, is_text=False, is_table=True,
        ranges=tables.row_group_ranges,
    ),
    Format(name="arrow", endings=("arrow", "feather", "ipc"), reader=tables.read_arrow, is_text=False, is_table=True),
    Format(
        name="openai-batch", title="the output of an OpenAI batch", more=layouts.openai_batch,
        about=layouts.model_of_batch, line=lambda row: row.keys() >= {"custom_id", "response"},
    ),
    Format(
        name="inspect", title="an Inspect log", endings=("eval",), is_text=False, reader=layouts.inspect_log,
        head=re.compile(r'"eval"\s*:\s*\{\s*"'),
    ),
    Format(
        name="lm-eval", title="samples of the lm-evaluation-harness, the first filter of each", more=layouts.lm_eval,
        about=layouts.of_lm_eval, line=lambda row: row.keys() >= {"doc_id", "doc", "filtered_resps"},
    ),
    Format(
        name="promptfoo", title="promptfoo results", rows=layouts.RESULTS, more=layouts.promptfoo,
        about=layouts.prompts_of_promptfoo, head=re.compile(r'^\s*\{\s*"evalId"\s*:'),
    ),
    Format(
        name="helm", title="a HELM scenario state", rows="request_states",
        fields={"documents": "instance.input.text", "references": "instance.references[*].output.text"},
        more=layouts.helm, head=re.compile(r'^\s*\{\s*"adapter_spec"\s*:'),
        about=lambda _, whole: first_at(whole, "adapter_spec.model_deployment|adapter_spec.model"),
    ),
    Format(
        name="deepeval", title="a DeepEval test run", rows="testRunData.testCases|testCases",
        fields={
            "id": "name", "documents": "context|retrievalContext|input", "summary": "actualOutput",
            "references": "expectedOutput",
        },
        head=re.compile(r'"testCases"\s*:\s*\['),
    ),
    Format(
        name="mlflow", title="an MLflow evaluation table", reader=layouts.mlflow,
        fields={
            "summary": "summary|outputs|predictions|prediction|output|response",
            "references": "references|ground_truth|targets|target|reference|expectations",
        },
        more=lambda row, _about: traces.source_among(row) if len(row) > 1 else {},
        head=re.compile(r'^\s*\{\s*"columns"\s*:\s*\[.*?\]\s*,\s*"data"\s*:\s*\[', re.DOTALL),
    ),
    Format(
        name="summeval", title="SummEval", line=lambda row: row.keys() >= {"id", "decoded", "model_id"},
        fields={"documents": "text", "summary": "decoded", "system": "model_id"},
    ),  # only the paired file has the sources
    Format(
        name="summvis", title="SummVis", more=layouts.summvis,
        line=lambda row: "document" in row and any(key.startswith("summary:") for key in row),
    ),
    Format(name="vtt", title="a WebVTT transcript", endings=("vtt",), reader=transcripts.read_subtitles, is_one_record=True),
    Format(name="srt", title="an SRT transcript", endings=("srt",), reader=transcripts.read_subtitles, is_one_record=True),
    Format(
        name="transcript", title="a transcript with names before turns", endings=("txt",),
        reader=transcripts.read_transcript, is_one_record=True,
    ),
    Format(
        name="otlp", title="OpenTelemetry traces", reader=partial(_calls, traces.otlp),
        line=lambda row: "resourceSpans" in row or "resourceLogs" in row,
        head=re.compile(r'"resource(?:Spans|Logs)"\s*:\s*\['),
    ),
    Format(
        name="phoenix", title="Phoenix spans", reader=partial(_calls, lambda row: [row]), in_tables=True,
        line=lambda row: "span_kind" in row and ("context" in row or "context.trace_id" in row),
    ),
    Format(
        name="mlflow-traces", title="MLflow traces", reader=partial(_calls, traces.mlflow), in_tables=True,
        line=lambda row: {"trace_id", "request_time"} <= row.keys() or ("data" in row and given(row, "info.trace_id")),
        head=re.compile(r'^\s*\{\s*"info"\s*:\s*\{\s*"(?:trace|request)_id"'),
    ),
    Format(
        name="langfuse", title="Langfuse traces", reader=partial(_calls, traces.langfuse), in_tables=True,
        line=lambda row: {"id", "input", "output"} <= row.keys()
        and not {"traceId", "trace_id", "sessionId", "session_id"}.isdisjoint(row),
    ),
    JSON_LIST,
)  # fmt: skip
"""All formats; the first tool's that fits a file is recognized."""
BY_NAME = {known.name: known for known in FORMATS}
BY_ENDING = {ending: known for known in FORMATS for ending in known.endings}
LISTED = f"{', '.join(f.name for f in FORMATS if not f.title)}, or a tool's: {', '.join(f.name for f in FORMATS if f.title)}"
"""The names of all formats, for the help."""


def format_named(name: str) -> Format:
    """The format of a name, or of an ending; RequestError for another one."""
    plain = name.lower().lstrip(".")
    if (result := BY_NAME.get(plain) or BY_ENDING.get(plain)) is None:
        raise unknown_format(f"--format {name} is unknown")
    return result


def unknown_format(what: str) -> RequestError:
    """The error about a file or a name; lists all formats."""
    known = ", ".join(dict.fromkeys((*BY_ENDING, *BY_NAME)))
    return RequestError(f"{what}. Formats: {known} (text also as .gz, .zst). Give one with --format.")


def recognize(file: File, known: Format) -> Format:
    """The tool's format that a file's beginning shows; otherwise the one ``known`` from its ending."""
    is_table, begin = True, ""
    try:
        if known.name == "parquet":
            with tables.open_parquet(file) as table:
                first: Mapping[str, Any] = dict.fromkeys(table.schema_arrow.names)
        elif known.name in ("jsonl", "json", "csv"):
            with file.text() as (_, content):
                head = content.read(SAMPLE).decode(errors="replace")
            text = head.strip()
            line, *rest = text.split("\n", 1)
            if known.name == "csv":
                first = {column.strip('"'): None for column in line.strip().split(",")}
            elif text[:1] == "[":
                first = _first_object(text[1:].lstrip())
            else:
                is_table, first = False, _first_object(line)
                is_cut = not first and not rest  # a line that is longer than the sample
                begin = head if is_cut or (known.name == "json" and text[:1] == "{") else ""
        else:
            return known
    except (DataError, OSError):
        return known  # its reader reports the error
    candidates = (one for one in FORMATS if one.in_tables or not is_table)
    return next((one for one in candidates if _fits(one, first, begin)), known)


def _fits(one: Format, first: Mapping[str, Any], begin: str) -> bool:
    """Whether a format has this object in its first line (or these columns), or this beginning of a document."""
    if one.line is not None and first and one.line(first):
        return True
    is_plain = one is JSON_LIST and bool(first)  # JSON Lines, whose rows begin in the same way
    return one.head is not None and not is_plain and one.head.search(begin) is not None


def _first_object(text: str) -> dict[str, Any]:
    """The object at the start of a text; empty if there is none."""
    with suppress(ValueError, RecursionError):
        first, _ = json.JSONDecoder().raw_decode(text)
        return first if isinstance(first, dict) else {}
    return {}
