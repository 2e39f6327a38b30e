"""An audit for experiment trackers, by their own clients, and for the head of a model card."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairbrief.errors import BackendError, MissingExtra, RequestError
from fairbrief.reports import json_file, wording
from fairbrief.reports.audit_folder import ESTIMATES, PAGE, RESULTS
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate

PARAMETERS = (
    "version", "files", "records", "systems", "measures", "protocol", "seed", "n_resamples", "confidence_level", "n_extracts",
)  # fmt: skip
FILES = (PAGE, RESULTS, ESTIMATES)
"""What is kept with the run; the per-record statistics, which holds a row per summary, stays where it is."""
NOT_IN_NAMES = re.compile(r"[^\w\-. ]+", re.ASCII)
"""A slash is none of them: a tracker on disk cannot have a metric beneath another."""
LONGEST = 250
"""Characters of a metric's name that trackers take."""


def send(result: Result, folder: Path, tracker: str) -> str:
    """Send an audit to ``mlflow`` or ``wandb``; what was made there, in words.

    Where it goes is for the client's own settings to say (``MLFLOW_TRACKING_URI``, ``WANDB_PROJECT`` …). RequestError for
    another tracker, MissingExtra where its client is not installed, BackendError with the client's words where it fails.
    """
    if tracker not in TRACKERS:
        raise RequestError(f"There is no tracker '{tracker}' (--to). There are: {', '.join(TRACKERS)}.")
    try:
        return TRACKERS[tracker](result, folder)
    except ImportError as error:
        raise MissingExtra(tracker, tracker, f"--to {tracker}") from error
    except Exception as error:  # whatever a client raises is of the service or its settings
        raise BackendError(
            f"{tracker} took nothing, or not all: {type(error).__name__}: {error}. See its settings, then send again."
        ) from error


def metrics(result: Result) -> dict[str, float]:
    """Headlines and leading contrasts on whole data, by system, measure and quantity, with their bounds and p.

    What a name cannot hold is written as ``_``; names that would then be one get a number.
    """
    values: dict[str, float] = {}
    for e in _shown(result):
        quantity = "" if wording.is_main_value(e) else f".{e.quantity}"
        base = NOT_IN_NAMES.sub("_", f"{e.system}.{e.measure}{quantity}")[: LONGEST - 20]
        name, number = base, 2
        while name in values:
            name, number = f"{base}_{number}", number + 1
        values[name] = e.value or 0.0
        values |= {f"{name}.{end}": value for end, value in _beside(e).items() if end != "chance_level"}
    return values


def _shown(result: Result) -> Iterator[Estimate]:
    """Headlines and leading contrasts on whole data that have a value."""
    for e in result.estimates:
        if e.value is not None and not e.subgroup and (e.is_primary or wording.is_main_value(e)):
            yield e


def _beside(e: Estimate) -> dict[str, float]:
    """Interval, p, baselines and records of an estimate, those that it has."""
    numbers = {
        "low": e.low, "high": e.high, "p": e.p if e.p_adjusted is None else e.p_adjusted,
        "chance_level": e.permutation_mean, "random_extract": e.extract_baseline, "records": e.n,
    }  # fmt: skip
    return {name: number for name, number in numbers.items() if number is not None}


def model_card(result: Result) -> str:
    """The YAML of a model card's head, between its lines of dashes: one model for each system, as model hubs read it.

    Headlines and leading contrasts on whole data are its metrics, each with interval, p and baselines in its ``args``.
    Written as JSON inside YAML, whose texts need no quoting rules of their own.
    """
    dataset = ", ".join(map(str, result.made.get("files", ()))) or "records"
    by_system: dict[str, list[dict[str, Any]]] = {}
    for e in _shown(result):
        name = e.measure if wording.is_main_value(e) else f"{e.measure}: {e.quantity}"
        metric = {
            "type": wording.name_of(e.measure),
            "name": printable(name),
            "value": json_file.spelled(e.value),
            "args": {name: json_file.spelled(number) for name, number in _beside(e).items()},
        }
        by_system.setdefault(e.system, []).append(metric)
    about = {
        "task": {"type": "summarization"},
        "dataset": {"name": printable(dataset), "type": "fairbrief-audit"},
    }
    models = [
        {"name": printable(system), "results": [{**about, "metrics": several}]}
        for system, several in by_system.items()
    ]
    return f"---\nmodel-index: {json.dumps(models, ensure_ascii=False, indent=1, allow_nan=False)}\n---\n"


def parameters(result: Result) -> dict[str, Any]:
    """What was audited, and how."""
    return {name: result.made[name] for name in PARAMETERS if result.made.get(name) is not None}


def _mlflow(result: Result, folder: Path) -> str:
    import mlflow

    with mlflow.start_run(run_name=folder.resolve().name) as run:
        mlflow.log_params({name: _short(value) for name, value in parameters(result).items()})
        mlflow.set_tag(
            "fairbrief.signature", next((e.signature for e in result.estimates if e.signature), "")
        )
        mlflow.log_metrics(metrics(result))
        for path in _files(folder):
            mlflow.log_artifact(str(path), "fairbrief")
    return f"mlflow: run {run.info.run_id}"


def _wandb(result: Result, folder: Path) -> str:
    import wandb

    name = folder.resolve().name
    with wandb.init(name=name, job_type="fairbrief", config=parameters(result)) as run:
        run.summary.update(metrics(result))
        kept = wandb.Artifact(f"fairbrief-{NOT_IN_NAMES.sub('_', name).replace(' ', '_')}", type="audit")
        for path in _files(folder):
            kept.add_file(str(path))
        run.log_artifact(kept)
    return f"wandb: run {run.id}"


def _files(folder: Path) -> list[Path]:
    return [path for name in FILES if (path := folder / name).is_file()]


def _short(value: Any) -> str:
    """A parameter as MLflow takes it, which is a text."""
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 500 else f"{text[:499]}…"


TRACKERS: Mapping[str, Callable[[Result, Path], str]] = {"mlflow": _mlflow, "wandb": _wandb}
