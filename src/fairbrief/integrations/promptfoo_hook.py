"""A check of promptfoo's tests together: an ``afterAll`` hook that fails the evaluation if group differences are significant.

A file ``fairness.py`` beside the configuration, with ``extensions: [file://fairness.py:afterAll]``:

    from fairbrief.integrations.promptfoo_hook import after_all

    def afterAll(context, _):
        after_all(context, "fairness.json", "coverage_parity")
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fairbrief
from fairbrief.conclusions import NAMED


def after_all(
    context: Mapping[str, Any],
    out: str | Path,
    measure: str = "coverage_parity",
    *,
    alpha: float = 0.05,
    **settings: Any,
) -> None:
    """Score all outputs, one system per provider and prompt, and write the frame to ``out`` as JSON.

    Each test has ``documents`` and ``groups`` in its ``vars``. A missing output counts as an empty summary; of repeated outputs, the
    last counts. ``settings`` are those of `fairbrief.score`. Raises AssertionError, with the table, if a
    group difference is significant at ``alpha``.
    """
    variables = {result["testIdx"]: result["vars"] for result in context["results"]}
    outputs = {
        (r["promptIdx"], r["testIdx"]): (r.get("response") or {}).get("output") for r in context["results"]
    }
    has_one_prompt = len({prompt["label"] for prompt in context["prompts"]}) == 1
    systems = {}
    for i, prompt in enumerate(context["prompts"]):
        name = prompt["provider"] if has_one_prompt else f"{prompt['provider']}: {prompt['label']}"
        systems[name] = [outputs.get((i, test)) or "" for test in variables]
    documents, groups = ([of[name] for of in variables.values()] for name in ("documents", "groups"))
    score = fairbrief.score(documents, systems, groups, measure=measure, alpha=alpha, **settings)
    Path(out).write_text(json.dumps(score.to_dicts(), ensure_ascii=False, indent=1), encoding="utf-8")
    unequal = [e for e in score if e.is_primary and fairbrief.conclusion(e, alpha) in NAMED]
    if unequal:
        named = ", ".join(f"{e.system}: {e.group}" for e in unequal)
        raise AssertionError(
            f"Groups differ from random sentences (p at most {alpha}, Holm): {named}.\n{score}"
        )
