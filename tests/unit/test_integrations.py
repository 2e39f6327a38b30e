"""Adapters for other tools: what these tools would call is called here, by small stand-ins of those that are not installed.

`docs/how-to/integrations.md` runs the adapters of installed tools with the tools themselves.
"""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.unit.test_score import DOCUMENTS, FEW, GROUPS, SUMMARIES

import fairbrief
from fairbrief.integrations import lm_eval_task, numbers, promptfoo_hook
from fairbrief.scoring import Score


def wanted(measure: str = "coverage_parity") -> Score:
    """What each adapter has to agree with."""
    return fairbrief.score(DOCUMENTS, SUMMARIES, GROUPS, measure=measure, **FEW)


def by_name(measure: str = "coverage_parity") -> dict[str, float]:
    """The same as named numbers."""
    return numbers(DOCUMENTS, SUMMARIES, GROUPS, measure, **FEW)


def loaded(name: str, monkeypatch: pytest.MonkeyPatch, parts: dict[str, dict[str, Any]]) -> ModuleType:
    """An adapter, loaded with stand-ins for the modules of its tool."""
    for tool, members in parts.items():
        module = ModuleType(tool)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, tool, module)
    spec = importlib.util.spec_from_file_location(name, Path(lm_eval_task.__file__).with_name(f"{name}.py"))
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    return adapter


def test_numbers_are_named_by_quantity_and_column() -> None:
    """Every number of the frame is there by a name without brackets; absent ones are left out."""
    found = by_name()
    main, critic, _ = wanted().to_dicts()
    assert found["coverage_parity"] == main["value"]
    assert found["coverage_parity.extract_baseline"] == main["extract_baseline"]
    assert found["relative_difference.critic.family_p"] == critic["family_p"]
    assert "coverage_parity.family_p" not in found
    assert not [name for name in found if "[" in name]


def test_the_metric_of_inspect_audits_all_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scorer keeps each summary with its record; the metric of all scores has the numbers of a score."""
    given: dict[str, Any] = {}

    def scorer(**about: Any) -> Any:
        given.update(about)
        return lambda function: function

    parts = dict.fromkeys(("Metric", "SampleScore", "Scorer", "Target", "Value"), Any)
    parts |= {"Score": SimpleNamespace, "metric": lambda function: function, "scorer": scorer}
    tool = {"inspect_ai": {}, "inspect_ai.scorer": parts, "inspect_ai.solver": {"TaskState": Any}}
    adapter = loaded("inspect_scorer", monkeypatch, tool)
    score = adapter.group_scorer("uer", **FEW)
    scores = []
    for texts, summary, groups in zip(DOCUMENTS, SUMMARIES, GROUPS, strict=True):
        state = SimpleNamespace(output=SimpleNamespace(completion=summary))
        sample = {"documents": texts, "groups": groups, "more": 1}
        scores.append(SimpleNamespace(score=asyncio.run(score(state, None)), sample_metadata=sample))
    assert [s.score.value for s in scores[:2]] == [4, 4]
    (metric,) = given["metrics"]
    assert metric(scores) == by_name("uer")


def test_the_metric_of_deepeval_collects_cases_and_judges_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of the metric, as DeepEval makes them, skip their cases and share them; the result is the score of all."""
    parts = {"metrics": {"BaseMetric": object}, "test_case": {"LLMTestCase": SimpleNamespace}}
    tool = {"deepeval": {}, **{f"deepeval.{name}": members for name, members in parts.items()}}
    adapter = loaded("deepeval_metric", monkeypatch, tool)
    metric = adapter.GroupScore("uer", **FEW)
    for texts, summary, groups in zip(DOCUMENTS, SUMMARIES, GROUPS, strict=True):
        copy = adapter.GroupScore(spec=metric.spec, cases=metric.cases)
        case = SimpleNamespace(context=texts, actual_output=summary, metadata={"groups": groups})
        assert asyncio.run(copy.a_measure(case)) is None
        assert copy.skipped
    assert metric.result() == wanted("uer")
    assert metric.__name__ == "Fairbrief uer"


def test_the_harness_collects_records_and_aggregates_them() -> None:
    """Each metric gets every record; its aggregation is one number of the score, nan for one that is undefined."""
    process = lm_eval_task.collected("value", "p")
    docs = [{"documents": d, "groups": g} for d, g in zip(DOCUMENTS, GROUPS, strict=True)]
    results = [process(doc, [summary]) for doc, summary in zip(docs, SUMMARIES, strict=True)]
    found = by_name()
    for name, number in (("value", "coverage_parity"), ("p", "relative_difference.fan.family_p")):
        audited = lm_eval_task.aggregation("coverage_parity", number, **FEW)
        assert audited([result[name] for result in results]) == found[number]
    undefined = lm_eval_task.aggregation("coverage_parity", "coverage_parity", **FEW)
    assert str(undefined([process(doc, [""])["value"] for doc in docs])) == "nan"


def outcome(*outputs: list[str | None], labels: tuple[str, ...] = ("Summarize.",)) -> dict[str, Any]:
    """What promptfoo 0.123 passes to `afterAll`, for the outputs of each prompt and provider; tests end in any order."""
    prompts = [{"provider": "mine", "label": label} for label in labels]
    results = [
        {
            "promptIdx": i, "testIdx": test, "vars": {"documents": DOCUMENTS[test], "groups": GROUPS[test]},
            "response": None if text is None else {"output": text},
        }
        for i, texts in enumerate(outputs)
        for test, text in reversed(list(enumerate(texts)))
    ]  # fmt: skip
    return {"prompts": prompts, "results": results, "suite": {}, "evalId": "eval-1", "config": {}}


def test_the_hook_of_promptfoo_fails_where_groups_differ(tmp_path: Path) -> None:
    """Summaries of one group's documents fail with the table; the frame is written all the same."""
    out = tmp_path / "fairness.json"
    with pytest.raises(AssertionError, match=r"Holm\): mine: critic, mine: fan\.\nmeasure"):
        promptfoo_hook.after_all(outcome(list(SUMMARIES)), out, **FEW)
    frame = json.loads(out.read_text(encoding="utf-8"))
    documents, summaries, groups = DOCUMENTS[::-1], {"mine": SUMMARIES[::-1]}, GROUPS[::-1]
    reordered = fairbrief.score(documents, summaries, groups, measure="coverage_parity", **FEW)
    assert frame == reordered.to_dicts()


def test_the_hook_of_promptfoo_passes_where_groups_are_even(tmp_path: Path) -> None:
    """Summaries of everything pass; a failed request counts as an empty summary, and two prompts are two systems."""
    out = tmp_path / "fairness.json"
    even: list[str | None] = [" ".join(texts) for texts in DOCUMENTS]
    promptfoo_hook.after_all(outcome(even, [None, *even[1:]], labels=("Short.", "Long.")), out, **FEW)
    rows = {row["system"]: row for row in json.loads(out.read_text(encoding="utf-8")) if not row["group"]}
    counts = {name: (row["n"], row["excluded"]) for name, row in rows.items()}
    assert counts == {"mine: Short.": (12, 0), "mine: Long.": (11, 1)}
