"""An audit for experiment trackers, through their clients, and for the head of a model card."""

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
"""The files sent with the run; the per-record statistics, with a row per summary, stay in the folder."""
NOT_IN_NAMES = re.compile(r"[^\w\-. ]+", re.ASCII)
"""A slash is not allowed: a tracker on disk cannot store a metric below another."""
LONGEST = 250
"""The longest metric name that trackers accept."""


def send(result: Result, folder: Path, tracker: str) -> str:
    """Send an audit to ``mlflow`` or ``wandb``; the name of the new run.

    The client's own settings decide where it goes (``MLFLOW_TRACKING_URI``, ``WANDB_PROJECT``). Raises RequestError for another
    tracker, MissingExtra if its client is not installed, BackendError with the client's message if it fails.
    """
    if tracker not in TRACKERS:
        raise RequestError(f"--to: there is no tracker '{tracker}'. Trackers: {', '.join(TRACKERS)}.")
    try:
        return TRACKERS[tracker](result, folder)
    except ImportError as error:
        raise MissingExtra(tracker, tracker, f"--to {tracker}") from error
    except Exception as error:  # the client cannot reach the service, or lacks a setting
        raise BackendError(
            f"{tracker} did not store the audit completely: {type(error).__name__}: {str(error).rstrip('.')}. {REMEDIES[tracker]}"
        ) from error


def metrics(result: Result) -> dict[str, float]:
    """Main values and primary estimates on all records, by system, measure and quantity, with bounds and p.

    Characters that a name cannot contain become ``_``; equal names get a number.
    """
    values: dict[str, float] = {}
    for e in _shown(result):
        quantity = "" if wording.is_main_value(e) else f".{e.quantity}"
        base = NOT_IN_NAMES.sub("_", f"{e.system}.{e.measure}{quantity}")[: LONGEST - 20]
        name, number = base, 2
        while name in values:
            name, number = f"{base}_{number}", number + 1
        values[name] = e.value or 0.0
        values |= {f"{name}.{end}": value for end, value in _beside(e).items() if end != "permutation_mean"}
    return values


def _shown(result: Result) -> Iterator[Estimate]:
    """The main values and primary estimates on all records that have a value."""
    for e in result.estimates:
        if e.value is not None and not e.subgroup and (e.is_primary or wording.is_main_value(e)):
            yield e


def _beside(e: Estimate) -> dict[str, float]:
    """Interval, p, baselines and number of records of an estimate, as far as known."""
    numbers = {
        "low": e.low, "high": e.high, "p": e.p if e.p_adjusted is None else e.p_adjusted,
        "permutation_mean": e.permutation_mean, "extract_baseline": e.extract_baseline, "records": e.n,
    }  # fmt: skip
    return {name: number for name, number in numbers.items() if number is not None}


def model_card(result: Result) -> str:
    """The YAML head of a model card, with its lines of dashes: one model per system, in the form of model hubs.

    Main values and primary estimates on all records are its metrics, with interval, p and baselines in ``args``. The content
    is JSON, which is valid YAML and needs no further quoting.
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
    """The input and the settings of the audit."""
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
    """A parameter as text, as MLflow requires."""
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 500 else f"{text[:499]}…"


REMEDIES: Mapping[str, str] = {
    "mlflow": "Set MLFLOW_TRACKING_URI to your server, then send again. Without a server: install mlflow (the extra has only its "
    "client) and use sqlite:///mlflow.db, or use a folder with MLFLOW_ALLOW_FILE_STORE=true.",
    "wandb": "Set WANDB_PROJECT and your key, or WANDB_MODE=offline, then send again.",
}
TRACKERS: Mapping[str, Callable[[Result, Path], str]] = {"mlflow": _mlflow, "wandb": _wandb}
