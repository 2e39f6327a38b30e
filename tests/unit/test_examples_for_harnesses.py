"""The examples for Inspect and the lm-evaluation-harness: what these would call is called here, by small stand-ins."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

EXAMPLES = Path("examples").resolve()


def loaded(path: Path) -> ModuleType:
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(**known: Any) -> SimpleNamespace:
    """What was given, by name."""
    return SimpleNamespace(**known)


@pytest.fixture
def inspect_task(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example, loaded with stand-ins for the decorators and classes of Inspect that it uses."""

    def scorer(metrics: list[Any]) -> Callable[[Any], Any]:
        return lambda function: lambda: SimpleNamespace(score=function(), metrics=metrics)

    names = ("Metric", "SampleScore", "Scorer", "Target", "Value")
    parts = {
        "inspect_ai": {"Task": plain, "task": lambda function: function},
        "inspect_ai.dataset": {"Sample": plain},
        "inspect_ai.scorer": {
            "Score": plain,
            "metric": lambda function: function,
            "scorer": scorer,
            **dict.fromkeys(names, Any),
        },
        "inspect_ai.solver": {"TaskState": Any, "generate": lambda: None},
    }
    for name, members in parts.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return loaded(EXAMPLES / "inspect_scorer.py")


def test_inspects_metric_audits_the_summaries_of_all_samples(inspect_task: ModuleType) -> None:
    """A model that repeats the first positive review covers the positive ones more, and p comes with it."""
    task = inspect_task.reviews()
    scores = []
    for sample in task.dataset:
        assert sample.metadata["documents"][0]["text"] in sample.input
        liked = next(
            d["text"] for d in sample.metadata["documents"] if d["attributes"]["sentiment"] == "positive"
        )
        state = plain(output=plain(completion=liked), metadata=sample.metadata)
        scores.append(plain(score=asyncio.run(task.scorer.score(state, None))))
    (metric,) = task.scorer.metrics
    found = metric(scores)
    assert found["positive"] > 0 > found["negative"]
    assert 0 < found["p"] <= 0.05


def test_the_harness_metric_is_the_largest_contrast() -> None:
    """Every function that the YAML names exists; prompts hold the reviews, and the metric is a number above zero."""
    recipe = loaded(EXAMPLES / "lm_eval" / "fair_reviews.py")
    told = (EXAMPLES / "lm_eval" / "fair_reviews.yaml").read_text(encoding="utf-8")
    called = [part.split()[0] for part in told.split("!function fair_reviews.")[1:]]
    assert called == ["dataset", "prompt", "kept", "largest_contrast"]
    assert all(callable(getattr(recipe, name)) for name in called)
    rows = []
    for doc in recipe.records():
        assert doc["documents"][0]["text"] in recipe.prompt(doc)
        rows.append(recipe.kept(doc, [doc["documents"][0]["text"]])["largest_contrast"])
    assert len({row["id"] for row in rows}) == len(rows) == 28
    assert 0 < recipe.largest_contrast(rows) < 10
