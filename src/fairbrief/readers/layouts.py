"""Files that other tools write, known by their names or by how they begin: each row as our own rows are.

A row keeps the tool's fields beside ours, so that any of them can be named with a path. The table `LAYOUTS` at the end
says how each tool's file is recognized and what reads it. All tools are in this one module, a few functions each.
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
from typing import IO, Any, NamedTuple

from fairbrief.errors import DataError, first_line
from fairbrief.readers import files
from fairbrief.readers.fields import ABSENT, Several, find
from fairbrief.readers.files import LONGEST_PACKED, InputFile, Meter, open_text, unreadable
from fairbrief.readers.json_lines import read_lines
from fairbrief.readers.messages import fault, names, show

SAMPLE = 1 << 18
"""Bytes at a file's beginning that are looked at."""

Rows = Iterator[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tool writes.

    ``line`` recognizes one by the object in a file's first line, ``head`` by the beginning of a file that is one JSON
    document, ``ending`` by its name. ``rows`` is the key of the list of rows in a document (perhaps in the object under the
    key ``inside``); without it each line is a row. ``fields`` has the path of each of our fields, or several with bars
    between them, of which the first that is not empty is taken. ``more`` adds what takes more than a path, from a row and
    what ``about`` found out from the whole file; a row for which it returns None is left out. ``reader`` reads a file
    of another shape.
    """

    name: str
    title: str
    rows: str = ""
    inside: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    more: Callable[[Mapping[str, Any], Any], dict[str, Any] | None] = lambda _row, _about: {}
    about: Callable[[File], Any] = lambda _file: None
    reader: Callable[..., Rows] | None = None
    line: Callable[[Mapping[str, Any]], bool] | None = None
    head: re.Pattern[str] | None = None
    ending: str = ""

    def read(self, path: InputFile, name: str, meter: Meter, encoding: str) -> Rows:
        """The rows of a file, numbered from 1; what is no object is passed on for the reader of rows to refuse."""
        if self.reader is not None:
            yield from self.reader(path, name, meter, encoding)
            return
        whole = load(path, name, encoding) if self.rows else {}
        listed_rows = listed(_inside(whole, self.inside), self.rows, name) if self.rows else []
        about = self.about(File(path, name, encoding, whole, listed_rows))
        rows = enumerate(listed_rows, 1) if self.rows else read_lines(path, name, meter, encoding=encoding)
        for number, row in rows:
            if not isinstance(row, Mapping):
                yield number, row
            elif (more := self.more(row, about)) is not None:
                ours = {ours: first_at(row, paths) for ours, paths in self.fields.items()}
                if "id" in ours:
                    ours["id"] = ours["id"] or number
                yield number, {**row, **ours, **more}


class File(NamedTuple):
    """A file to read: where it is, and of a JSON document its content and its rows."""

    path: InputFile
    name: str
    encoding: str
    whole: Mapping[str, Any]
    rows: list[Any]


def _has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda row: row.keys() >= set(keys)


FAILED = "the request failed"
REFUSED = "refused"
LIKELY = (
    "documents", "reviews", "articles", "document", "article", "source", "text", "passage", "transcript", "dialogue",
    "input", "inputs", "context", "content",
)  # fmt: skip
"""Names under which tools' users keep what is summarized, the likeliest first."""


def load(path: InputFile, name: str, encoding: str) -> Mapping[str, Any]:
    """The document; DataError where it is none."""
    with open_text(path, name, encoding) as (_, content):
        try:
            found = json.load(content)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{name}: found what is not JSON ({error}); wanted one document; make or copy the file again."
            ) from error
    if not isinstance(found, Mapping):
        raise DataError(f"{name}: found {show(found)}; wanted an object; name another --format.")
    return found


def listed(found: Mapping[str, Any], key: str, name: str) -> list[Any]:
    """A list that the document must have."""
    rows = found.get(key)
    if not isinstance(rows, list):
        raise DataError(f"{name}: found {show(rows)} under {key!r}; wanted a list; name another --format.")
    return rows


def _inside(whole: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key, where the document is one around it."""
    inner = whole.get(key)
    return inner if isinstance(inner, Mapping) else whole


def source_among(fields: Mapping[str, Any]) -> dict[str, Any]:
    """``documents`` from the likeliest of some fields, or the only one; nothing where none is likely."""
    for name in LIKELY:
        if fields.get(name):
            return {"documents": fields[name]}
    if len(fields) == 1:
        return {"documents": next(iter(fields.values()))}
    return {}


def text_in(content: Any) -> str | None:
    """The text of a message: a text, or the texts of its parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return content if isinstance(content, str) else None


def at(row: Any, path: str) -> Any:
    """The value at a path; of a path with stars a list; None where there is none."""
    found = find(row, path)
    return None if found is ABSENT else list(found.values()) if isinstance(found, Several) else found


def first_at(row: Mapping[str, Any], paths: str) -> Any:
    """The first value at one of several paths (with bars between them) that is not empty; None where there is none."""
    return next((value for path in paths.split("|") if (value := at(row, path))), None)


# ------------------------------ HELM: an instance is a record, its perturbations and trials vary it


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


# -------------------------------------- MLflow: a table whose columns are called as its user wished


USUAL = {
    "summary": ("outputs", "predictions", "prediction", "output", "response"),
    "references": ("ground_truth", "targets", "target", "reference", "expectations"),
}


def mlflow(path: InputFile, name: str, meter: Meter, encoding: str) -> Rows:  # noqa: ARG001 # read at once
    """A row for each row of the table."""
    whole = load(path, name, encoding)
    columns = [str(column) for column in listed(whole, "columns", name)]
    for number, cells in enumerate(listed(whole, "data", name), 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            yield number, fault(show(cells), f"a list of {len(columns)} values", "write the table again")
            continue
        row = dict(zip(columns, cells, strict=True))
        yield number, {**_mlflow_usual(row), **row}


def _mlflow_usual(row: dict[str, Any]) -> dict[str, Any]:
    found = source_among(row) if len(row) > 1 else {}
    for ours, usual in USUAL.items():
        known = [name for name in usual if name in row]
        if known:
            found[ours] = row[known[0]]
    return found


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


def json_list(path: InputFile, name: str, meter: Meter, encoding: str) -> Rows:  # noqa: ARG001 # read at once
    """A row for each object of the only list of objects; without a list, for each object, its key as its id if it has none."""
    whole = load(path, name, encoding)
    lists = lists_of(whole)
    if not lists and whole and all(isinstance(value, Mapping) for value in whole.values()):
        yield from enumerate(({"id": key, **value} for key, value in whole.items()), 1)
        return
    if len(lists) != 1:
        raise DataError(
            f"{name}: found lists of objects under {names(lists)}; wanted one such list; write it to a file."
        )
    yield from enumerate(next(iter(lists.values())), 1)


def lists_of(whole: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of a document that hold objects, by their keys."""
    return {
        key: value
        for key, value in whole.items()
        if isinstance(value, list) and any(isinstance(v, Mapping) for v in value)
    }


CUT = "cut off by the filter"


# --------------------------------------------- the OpenAI Batch API: one answer a line, in no order


def _model_of_batch(file: File) -> str | None:
    """The model of a batch: requests that failed name none, and a batch has one."""
    answers = read_lines(file.path, file.name, Meter(), encoding=file.encoding)
    models = (at(row, "response.body.model") for _, row in answers)
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
    """The text of an answer, and why there is none."""
    message = at(body, "choices[0].message")
    if message is None:
        texts = at(body, "output[*].content[*].text")
        text = None if texts is None else "\n".join(t for t in texts if isinstance(t, str))
        return text, REFUSED if text is None and at(body, "output[*].content[*].refusal") is not None else ""
    text = text_in(message.get("content")) if isinstance(message, Mapping) else None
    if text is None and at(message, "refusal"):
        return None, REFUSED
    return text, CUT if at(body, "choices[0].finish_reason") == "content_filter" else ""


# ------------------------------------------------------------------------ the lm-evaluation-harness


RESULTS = "results_"


def _of_lm_eval(file: File) -> tuple[str | None, Any]:
    """The model, and the first filter, whose responses are taken."""
    rows = read_lines(file.path, file.name, Meter(), encoding=file.encoding)
    assert isinstance(file.path, Path)  # object stores are refused
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
    """The first response, however deep it stands in lists."""
    while isinstance(given, list):
        if not given:
            return None
        given = given[0]
    return given if isinstance(given, str) else None


def _model(path: Path) -> str | None:
    """The model that the results beside the samples name, or the folder; None if neither does."""
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


# -------------------------- SummEval (a line for each system) and SummVis (a field for each system)


BEGIN = "summary:"
REFERENCE = "summary:reference"


def _summeval(row: Mapping[str, Any], _about: None) -> dict[str, Any]:
    """Only the paired file has the sources, under ``text``."""
    source = {"documents": row["text"]} if row.get("text") else {}
    return {**source, "summary": row["decoded"], "system": row.get("model_id")}


def _summvis(row: Mapping[str, Any], _about: None) -> dict[str, Any]:
    systems = (key for key in row if key.startswith(BEGIN) and key != REFERENCE)
    return {
        "documents": row.get("document"),
        "summary": {key.removeprefix(BEGIN): row[key] for key in systems},
        "references": row.get(REFERENCE),
    }


# ----------- Inspect (``.eval``, a zip, or ``.json``): a sample is a record, its epochs are runs of one system


ZSTD = 93
HEADER = struct.Struct("<26xHH")
"""The end of a zip entry's own header: the lengths of its name and of its extra field."""


def inspect_log(path: Path, name: str, meter: Meter, encoding: str) -> Rows:
    """A row for each sample and epoch."""
    is_zip = zipfile.is_zipfile(path)
    whole = {} if is_zip else load(path, name, encoding)
    samples = _entries(path, name, meter) if is_zip else iter(listed(whole, "samples", name))
    described = _described(path, name) if is_zip else whole
    model = at(described, "eval.model")
    runs = at(described, "eval.config.epochs") or 1
    for number, sample in enumerate(samples, 1):
        yield number, _inspect_row(sample, model, runs) if isinstance(sample, Mapping) else sample


def _inspect_row(sample: Mapping[str, Any], model: Any, runs: int) -> dict[str, Any]:
    ident, epoch = str(sample.get("id")), sample.get("epoch", 1)
    metadata = sample.get("metadata") or {}
    own = {"id": ident} if runs == 1 else {"id": f"{ident}, epoch {epoch}", "seed_document": ident}
    failed = sample.get("error") is not None
    completion = at(sample, "output.completion")
    target = sample.get("target")
    return {
        **sample,
        **own,
        "documents": metadata.get("documents") or _asked(sample.get("input")),
        "summary": None if failed else completion or "",
        "system": model or None,
        "references": [t for t in (target if isinstance(target, list) else [target]) if t],
        "attributes": {k: v for k, v in metadata.items() if isinstance(v, (str, int, float, bool))},
        "reason": "the sample failed" if failed else None,
    }


def _asked(given: Any) -> str | None:
    """What a sample was asked: its text, or the last message of the user."""
    if isinstance(given, list):
        asked = [m for m in given if isinstance(m, Mapping) and m.get("role") == "user"]
        return text_in(asked[-1].get("content")) if asked else None
    return given if isinstance(given, str) else None


def _described(path: Path, name: str) -> Mapping[str, Any]:
    """What the log says of the run: at its end, or at its start where it did not come to its end."""
    with _whole(name), zipfile.ZipFile(path) as log, path.open("rb") as raw:
        for entry in ("header.json", "_journal/start.json"):
            if entry in log.namelist():
                found = json.loads(_unpacked(log.getinfo(entry), log, raw))
                return found if isinstance(found, Mapping) else {}
    raise DataError(f"{name}: found neither header.json nor _journal/start.json; wanted an Inspect log.")


def _entries(path: Path, name: str, meter: Meter) -> Iterator[Any]:
    """The samples of a log, or what is wrong with one."""
    with _whole(name), zipfile.ZipFile(path) as log, path.open("rb") as raw:
        for info in log.infolist():
            if info.filename.startswith("samples/"):
                try:
                    yield json.loads(_unpacked(info, log, raw))
                except (ValueError, RecursionError) as error:
                    yield fault(
                        f"{info.filename} that is not JSON ({error})", "a sample", "copy the log again"
                    )
                meter.at(raw.tell())


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """Say which file it is that is no whole zip of JSON."""
    try:
        with unreadable(name):
            yield
    except (
        zipfile.BadZipFile,
        struct.error,
        RuntimeError,
        ValueError,
    ) as error:  # RuntimeError: with a password
        raise DataError(
            f"{name}: found damage ({first_line(error)}); wanted a whole Inspect log; copy the log again."
        ) from error


def _unpacked(info: zipfile.ZipInfo, log: zipfile.ZipFile, raw: IO[bytes]) -> bytes:
    content = _opened(info, log, raw)
    if len(content) > LONGEST_PACKED:
        raise DataError(
            f"{log.filename}: found {info.filename} of more than {LONGEST_PACKED >> 20} MiB; wanted samples that cannot fill "
            "the memory; write the log as .json if it is to be read nevertheless."
        )
    return content


def _opened(info: zipfile.ZipInfo, log: zipfile.ZipFile, raw: IO[bytes]) -> bytes:
    if info.compress_type != ZSTD:
        with log.open(info) as entry:
            return entry.read(LONGEST_PACKED + 1)
    import pyarrow as pa

    raw.seek(info.header_offset)
    named, extra = HEADER.unpack(raw.read(HEADER.size))
    raw.seek(named + extra, 1)
    return bytes(
        pa.CompressedInputStream(pa.BufferReader(raw.read(info.compress_size)), "zstd").read(
            LONGEST_PACKED + 1
        )
    )


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
            "promptfoo", "promptfoo results", "results", "results", more=_promptfoo,
            about=lambda file: list(dict.fromkeys(map(_prompt, file.rows))),
            head=re.compile(r'^\s*\{\s*"evalId"\s*:'),
        ),
        Layout(
            "helm", "a HELM scenario state", "request_states",
            fields={"documents": "instance.input.text", "references": "instance.references[*].output.text"}, more=_helm,
            about=lambda file: first_at(file.whole, "adapter_spec.model_deployment|adapter_spec.model"),
            head=re.compile(r'^\s*\{\s*"adapter_spec"\s*:'),
        ),
        Layout(
            "deepeval", "a DeepEval test run", "testCases", "testRunData",
            {
                "id": "name", "documents": "context|retrievalContext|input", "summary": "actualOutput",
                "references": "expectedOutput",
            },
            head=re.compile(r'"testCases"\s*:\s*\['),
        ),
        Layout(
            "mlflow", "an MLflow evaluation table", reader=mlflow,
            head=re.compile(r'^\s*\{\s*"columns"\s*:\s*\[.*?\]\s*,\s*"data"\s*:\s*\[', re.DOTALL),
        ),
        Layout("summeval", "SummEval", more=_summeval, line=_has("id", "decoded", "model_id")),
        Layout(
            "summvis", "SummVis", more=_summvis,
            line=lambda row: "document" in row and any(key.startswith("summary:") for key in row),
        ),
        Layout(
            "json-list", "the objects in a JSON document", reader=json_list,
            head=re.compile(r'^\s*\{\s*"[^"]*"\s*:\s*\[\s*\{'),
        ),
    )
}  # fmt: skip
"""Layouts by the name that --format takes."""


def recognize(path: InputFile, encoding: str) -> Layout | None:
    """The layout of a file, by its ending or by how it begins; None where it is like no tool's."""
    ending = files.endings(path)[0]
    for layout in LAYOUTS.values():
        if layout.ending and layout.ending == ending:
            return layout
    if ending not in ("json", "jsonl", "ndjson"):
        return None
    try:
        with files.open_text(path, path.name, encoding) as (_, content):
            head = content.read(SAMPLE).decode(errors="replace")
    except DataError:
        return None  # whoever reads it says what is wrong
    return _of_head(head, is_document=ending == "json" and head.lstrip()[:1] == "{")


def _of_head(head: str, *, is_document: bool) -> Layout | None:
    try:
        first = json.loads(head.strip().partition("\n")[0])
    except (ValueError, RecursionError):
        first = None
    for layout in LAYOUTS.values():
        if layout.line is not None and isinstance(first, dict) and layout.line(first):
            return layout
        is_plain = layout.name == "json-list" and first is not None  # JSON Lines, whose rows begin alike
        if layout.head is not None and is_document and not is_plain and layout.head.search(head):
            return layout
    return None
