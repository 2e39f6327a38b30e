"""Files of other tools as rows in our format: a few functions per tool, which `formats.FORMATS` uses.

A row also keeps the tool's fields, so that options can name them with a path.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from fairbrief.errors import DataError, first_line
from fairbrief.readers.fields import given
from fairbrief.readers.files import LONGEST_PACKED, File, InputFile
from fairbrief.readers.json_lines import Row, load, read_lines
from fairbrief.readers.messages import fault, names, show
from fairbrief.readers.traces import FAILED, source_among, text_of

REFUSED = "refused"


def rows_at(whole: Mapping[str, Any], paths: str, name: str) -> list[Any]:
    """The list of a document at one of several paths, separated by bars; DataError if there is none."""
    found = [given(whole, path) for path in paths.split("|")]
    rows = next((value for value in found if isinstance(value, list)), None)
    if rows is None:
        path = paths.partition("|")[0]
        raise DataError(f"{name}: found {show(found[0])} under {path!r}, not a list; give another --format.")
    return rows


def text_in(content: Any) -> str | None:
    """The text of a message, or the texts of its parts, joined."""
    return content if isinstance(content, str) else text_of(content)[0] or None


def first_at(row: Mapping[str, Any], paths: str) -> Any:
    """The first value that is not empty at one of several paths, separated by bars; else an empty one or 0; None if there is none."""
    values = [value for path in paths.split("|") if (value := given(row, path)) is not None]
    return next(filter(None, values), values[0] if values else None)


# ------------------------------------------------------------------------------------- HELM


def helm(state: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """An instance is a record; perturbations and trials are counterfactuals."""
    ident, changed = str(given(state, "instance.id")), given(state, "instance.perturbation.name")
    trial = state.get("train_trial_index") or 0
    parts = [ident, *([changed] if changed else []), *([f"trial {trial}"] if trial else [])]
    failed = given(state, "result.success") is False
    return {
        "id": ", ".join(map(str, parts)),
        "seed_document": ident if len(parts) > 1 else None,
        "summary": None if failed else given(state, "result.completions[0].text"),
        "system": model,
        "reason": FAILED if failed else None,
    }


# -------------------------------------- MLflow: a table with columns named by the user


def mlflow(file: File) -> Iterator[Row]:
    """One row per row of the table."""
    whole = load(file)
    columns = [str(column) for column in rows_at(whole, "columns", file.name)]
    for number, cells in enumerate(rows_at(whole, "data", file.name), 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            yield number, fault(show(cells), f"a list of {len(columns)} values", "write the table again")
            continue
        yield number, dict(zip(columns, cells, strict=True))


# -------------------------------------------------------------------------------- promptfoo


RESULTS = "results.results|results"


def _prompt(row: Any) -> Any:
    return given(row, "prompt.label") or given(row, "promptId")


def prompts_of_promptfoo(file: File, whole: Mapping[str, Any]) -> list[Any]:
    """The different prompts of all results."""
    return list(dict.fromkeys(map(_prompt, rows_at(whole, RESULTS, file.name))))


def promptfoo(row: Mapping[str, Any], prompts: list[Any]) -> dict[str, Any]:
    """A test is a record, a provider (with a prompt) a system."""
    system = first_at(row, "provider.label|provider.id|provider")
    if len(prompts) > 1:
        system = f"{system}, prompt {prompts.index(_prompt(row)) + 1}"
    output, variables = given(row, "response.output"), row.get("vars")
    is_text = output is None or isinstance(output, str)
    return {
        **(source_among(variables) if isinstance(variables, Mapping) else {}),
        "id": row.get("testIdx"),
        "summary": output if is_text else json.dumps(output, ensure_ascii=False),
        "system": system,
        "reason": FAILED if output is None else REFUSED if given(row, "response.isRefusal") else None,
    }


# ------------------------------------------------------------------------------------- any document


def json_list(file: File) -> Iterator[Row]:
    """One row per object of the only list of objects; without a list, per object, with its key as the default id."""
    whole = load(file)
    lists = {key: rows for key, rows in whole.items() if isinstance(rows, list)}
    lists = {key: rows for key, rows in lists.items() if any(isinstance(row, Mapping) for row in rows)}
    if len(lists) == 1:
        yield from enumerate(next(iter(lists.values())), 1)
    elif not lists and whole and all(isinstance(value, Mapping) for value in whole.values()):
        yield from enumerate(({"id": key, **value} for key, value in whole.items()), 1)
    else:
        found = f"lists of objects under {names(lists)}" if lists else "no list of objects"
        raise DataError(f"{file.name}: found {found}; expected one list; write it to a separate file.")


CUT = "cut off by the filter"


# --------------------------------------------- the OpenAI Batch API: one answer per line, unordered


def model_of_batch(file: File, _: Any) -> str | None:
    """The model of a batch, which failed requests do not name."""
    models = (given(row, "response.body.model") for _, row in read_lines(file))
    return next((m for m in models if isinstance(m, str) and m), None)


def openai_batch(row: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    """The answer to one request, whose id is that of the record."""
    body, status = given(row, "response.body") or {}, given(row, "response.status_code")
    message = given(body, "choices[0].message")
    text = text_in(given(body, "output") if message is None else given(message, "content"))
    reason = None
    if row.get("error") or not body or (isinstance(status, int) and status >= 400):
        text, reason = None, FAILED
    elif text is None and (given(message, "refusal") or given(body, "output[*].content[*].refusal")):
        reason = REFUSED
    elif given(body, "choices[0].finish_reason") == "content_filter":
        reason = CUT
    system = given(body, "model") or model
    return {"id": row.get("custom_id"), "summary": text, "system": system, "reason": reason}


# ------------------------------------------------------------------------ the lm-evaluation-harness


def of_lm_eval(file: File, _: Any) -> tuple[str | None, Any]:
    """The model, and the first filter, whose responses are used."""
    rows = read_lines(file)
    return _model(file.path), next((row.get("filter") for _, row in rows if isinstance(row, Mapping)), None)


def lm_eval(row: Mapping[str, Any], about: tuple[str | None, Any]) -> dict[str, Any] | None:
    """A response after the first filter; None after another one."""
    system, first = about
    if row.get("filter") != first:
        return None
    doc, target, response = row.get("doc"), row.get("target"), row.get("filtered_resps")
    while isinstance(response, list):  # the first response, in nested lists
        response = response[0] if response else None
    is_text = isinstance(target, str) and bool(target.strip())
    return {
        **(source_among(doc) if isinstance(doc, Mapping) else {}),
        "id": row.get("doc_id"),
        "summary": response if isinstance(response, str) else None,
        "system": system,
        "references": target if is_text or isinstance(target, list) else None,
    }


def _model(path: InputFile) -> str | None:
    """The model from the results in the same folder, or from the folder's name; None if neither has it, or in a store."""
    if not isinstance(path, Path):
        return None
    date = path.name.removesuffix(".jsonl").rpartition("_")[2]
    for results in sorted(path.parent.glob(f"results_*{date}.json")):
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            name = json.loads(results.read_text(encoding="utf-8")).get("model_name")
            if isinstance(name, str) and name.strip():
                return name
    folder = path.parent.resolve().name
    return folder.replace("__", "/") if "__" in folder else None


# -------------------------- SummEval (one line per system) and SummVis (one field per system)


BEGIN = "summary:"
REFERENCE = "summary:reference"


def summvis(row: Mapping[str, Any], _about: None) -> dict[str, Any]:
    """A record with one field per system."""
    texts = {key.removeprefix(BEGIN): row[key] for key in row if key.startswith(BEGIN) and key != REFERENCE}
    return {"documents": row.get("document"), "summary": texts, "references": row.get(REFERENCE)}


# ----------- Inspect (``.eval``, a zip, or ``.json``): a sample is a record; epochs are runs of one system


ZSTD = 93
HEADER = struct.Struct("<26xHH")
"""The end of the header of a zip entry: the lengths of its name and of its extra field."""


def inspect_log(file: File) -> Iterator[Row]:
    """One row per sample and epoch."""
    with file.opened() as raw:
        is_zip = zipfile.is_zipfile(raw)
    if not is_zip:
        whole = load(file)
        yield from _inspect_rows(whole, rows_at(whole, "samples", file.name))
        return
    try:
        with file.opened() as raw, zipfile.ZipFile(raw) as log:
            # The description of the run is at its end, or at its start if it did not finish.
            header = "header.json" if "header.json" in log.namelist() else "_journal/start.json"
            whole = json.loads(_unpacked(log.getinfo(header), log, raw, file.name))
            yield from _inspect_rows(whole, _samples(raw, log, file.name))
    except (zipfile.BadZipFile, RuntimeError, ValueError, KeyError) as error:
        # RuntimeError: with a password; KeyError: without a description
        raise DataError(f"{file.name}: found damage ({first_line(error)}); copy the log again.") from error


def _inspect_rows(whole: Any, samples: Iterable[Any]) -> Iterator[Row]:
    model, runs = given(whole, "eval.model"), given(whole, "eval.config.epochs") or 1
    for number, sample in enumerate(samples, 1):
        yield number, _inspect_row(sample, model, runs) if isinstance(sample, Mapping) else sample


def _inspect_row(sample: Mapping[str, Any], model: Any, runs: int) -> dict[str, Any]:
    ident, epoch = str(sample.get("id")), sample.get("epoch", 1)
    metadata = sample.get("metadata") or {}
    ids = {"id": ident} if runs == 1 else {"id": f"{ident}, epoch {epoch}", "seed_document": ident}
    failed = sample.get("error") is not None
    completion = given(sample, "output.completion")
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


def _asked(messages: Any) -> str | None:
    """The input of a sample: its text, or the last message of the user."""
    if isinstance(messages, list):
        asked = [m for m in messages if isinstance(m, Mapping) and m.get("role") == "user"]
        return text_in(asked[-1].get("content")) if asked else None
    return messages if isinstance(messages, str) else None


def _samples(raw: IO[bytes], log: zipfile.ZipFile, name: str) -> Iterator[Any]:
    """The samples of a log."""
    for info in log.infolist():
        if info.filename.startswith("samples/"):
            yield json.loads(_unpacked(info, log, raw, name))


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
            f"{name}: found {info.filename} of over {LONGEST_PACKED >> 20} MiB; convert the log to .json."
        )
    return content
