"""Tools that write one JSON document: DeepEval, HELM, MLflow, promptfoo, and the objects in any document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers.files import InputFile, Meter, open_text
from fairbrief.readers.messages import fault, names, show
from fairbrief.readers.paths import ABSENT, find

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
    """What stands at a path; None where nothing does."""
    found = find(row, path)
    return None if found is ABSENT else found


# ------------------------------------- DeepEval: a test case is a record, its context the documents


def deepeval(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each test case, also in the file of the latest run, which holds the run inside."""
    whole = load(path, name, encoding)
    inner = whole.get("testRunData")
    for number, case in enumerate(
        listed(inner if isinstance(inner, Mapping) else whole, "testCases", name), 1
    ):
        yield number, _deepeval_row(case, number) if isinstance(case, Mapping) else case


def _deepeval_row(case: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        **case,
        "id": case.get("name") or number,
        "documents": case.get("context") or case.get("retrievalContext") or case.get("input"),
        "summary": case.get("actualOutput"),
        "references": case.get("expectedOutput"),
    }


# ------------------------------ HELM: an instance is a record, its perturbations and trials vary it


def helm(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each request."""
    whole = load(path, name, encoding)
    model = at(whole, "adapter_spec.model_deployment") or at(whole, "adapter_spec.model")
    for number, state in enumerate(listed(whole, "request_states", name), 1):
        yield number, _helm_row(state, model) if isinstance(state, Mapping) else state


def _helm_row(state: Mapping[str, Any], model: Any) -> dict[str, Any]:
    ident, changed = str(at(state, "instance.id")), at(state, "instance.perturbation.name")
    trial = state.get("train_trial_index") or 0
    parts = [ident, *([changed] if changed else []), *([f"trial {trial}"] if trial else [])]
    references = find(state, "instance.references[*].output.text")
    failed = at(state, "result.success") is False
    return {
        **state,
        "id": ", ".join(map(str, parts)),
        "original": ident if len(parts) > 1 else None,
        "documents": at(state, "instance.input.text"),
        "summary": None if failed else at(state, "result.completions[0].text"),
        "system": model,
        "references": list(references.values()) if references is not ABSENT else None,
        "reason": FAILED if failed else None,
    }


# -------------------------------------- MLflow: a table whose columns are called as its user wished


USUAL = {
    "summary": ("outputs", "predictions", "prediction", "output", "response"),
    "references": ("ground_truth", "targets", "target", "reference", "expectations"),
}


def mlflow(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
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
    for field, usual in USUAL.items():
        known = [name for name in usual if name in row]
        if known:
            found[field] = row[known[0]]
    return found


# ------------------------------- promptfoo: a test is a record, a provider (with a prompt) a system


def promptfoo(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each test, provider and prompt."""
    whole = load(path, name, encoding)
    inner = whole.get("results")
    rows = listed(inner if isinstance(inner, Mapping) else whole, "results", name)
    prompts = dict.fromkeys(at(row, "prompt.label") or at(row, "promptId") for row in rows)
    for number, row in enumerate(rows, 1):
        yield number, _promptfoo_row(row, list(prompts)) if isinstance(row, Mapping) else row


def _promptfoo_row(row: Mapping[str, Any], prompts: list[Any]) -> dict[str, Any]:
    system = at(row, "provider.label") or at(row, "provider.id") or row.get("provider")
    if len(prompts) > 1:
        system = f"{system}, prompt {prompts.index(at(row, 'prompt.label') or at(row, 'promptId')) + 1}"
    output, variables = at(row, "response.output"), row.get("vars")
    reason = FAILED if output is None else REFUSED if at(row, "response.isRefusal") else None
    return {
        **row,
        "id": row.get("testIdx"),
        **(source_among(variables) if isinstance(variables, Mapping) else {}),
        "summary": output
        if output is None or isinstance(output, str)
        else json.dumps(output, ensure_ascii=False),
        "system": system,
        "reason": reason,
    }


# ------------------------------------------------------------------------------------- any document


def json_list(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
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
