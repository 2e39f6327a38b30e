"""A scenario's state of HELM (``scenario_state.json``): an instance is a record, its perturbations and trials vary it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import listed, load
from fairbrief.readers.paths import ABSENT, find

FAILED = "the request failed"


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each request."""
    whole = load(path, name, encoding)
    model = _at(whole, "adapter_spec.model_deployment") or _at(whole, "adapter_spec.model")
    for number, state in enumerate(listed(whole, "request_states", name), 1):
        yield number, _row(state, model) if isinstance(state, Mapping) else state


def _row(state: Mapping[str, Any], model: Any) -> dict[str, Any]:
    ident, changed = str(_at(state, "instance.id")), _at(state, "instance.perturbation.name")
    trial = state.get("train_trial_index") or 0
    parts = [ident, *([changed] if changed else []), *([f"trial {trial}"] if trial else [])]
    references = find(state, "instance.references[*].output.text")
    failed = _at(state, "result.success") is False
    return {
        **state,
        "id": ", ".join(map(str, parts)),
        "original": ident if len(parts) > 1 else None,
        "documents": _at(state, "instance.input.text"),
        "summary": None if failed else _at(state, "result.completions[0].text"),
        "system": model,
        "references": list(references.values()) if references is not ABSENT else None,
        "reason": FAILED if failed else None,
    }


def _at(row: Any, path: str) -> Any:
    found = find(row, path)
    return None if found is ABSENT else found
