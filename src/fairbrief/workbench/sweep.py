"""Summarize and audit over a grid of settings."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.workbench.summarizing import Job

ANSWERS, JOURNAL = "answers", "answers.journal"


def grid(
    summarizer: str,
    axes: Mapping[str, Sequence[str]],
    folder: Path,
    *,
    fixed: Mapping[str, str] | None = None,
) -> list[Job]:
    """A file of answers under ``folder/answers`` for every combination of the axes' values, the last axis fastest.

    The systems are named by the settings (``temperature=0.3, sentences=3``); without axes there is only the summarizer.
    ``fixed`` are settings of all, which are not part of names. Values in names have the summarizer's form (``.3`` is
    0.3). Raises RequestError for a setting that the summarizer does not have, or a repeated point.
    """
    jobs: dict[str, Job] = {}
    for values in itertools.product(*axes.values()):
        point = dict(zip(axes, values, strict=True))
        writer = registry.make("summarizer", summarizer, {**(fixed or {}), **point})
        named = (f"{name}={_setting(writer, name, text)}" for name, text in point.items())
        system = ", ".join(named) or summarizer
        if system in jobs:
            raise RequestError(f"The grid has '{system}' twice: give each value once.")
        if len(axes.get("seed", ())) > 1 and getattr(writer, "temperature", None) == 0:
            alike = f"'{system}' is one of several seeds at temperature 0, which give one text"
            raise RequestError(f"{alike}: give a temperature above 0, or one seed.")
        stem = re.sub(r"[^A-Za-z0-9.=-]+", "_", system)[:80].strip("_.")
        # The digest distinguishes names that differ only in replaced characters.
        digest = hashlib.sha256(repr(writer).encode()).hexdigest()[:8]
        jobs[system] = Job(writer, folder / ANSWERS / f"{stem}-{digest}.jsonl", system)
    return list(jobs.values())


def _setting(writer: Any, name: str, text: str) -> str:
    if name == "prompt":
        return Path(text).stem if Path(text).suffix else text
    return str(getattr(writer, name))


def plan_of(jobs: Sequence[Job], plan: Plan) -> Plan:
    """The plan of the audit: each setting is a system, compared by record with the baseline, by default the first setting.

    Several samples of a setting are pooled. RequestError for a baseline that is no setting.
    """
    names = [job.system for job in jobs]
    baseline = plan.baseline if plan.baseline is not None else names[0]
    if baseline not in names:
        raise RequestError(f"No setting is named '{baseline}'. Settings: {'; '.join(names)}.")
    has_runs = any(getattr(job.summarizer, "samples", 1) > 1 for job in jobs)
    return replace(plan, baseline=baseline, is_pairwise=True, pools_runs=has_runs)
