"""Quality by a judge: from a chat model's words to an audited mean."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.stub_chat import StubChat

from fairbrief import registry
from fairbrief.auditing import Plan, audit
from fairbrief.measures.quality import Judged
from fairbrief.testing import MEASURE_CLAUSES, MeasureClause
from fairbrief.types import Case, Document, Record, Summary

CASES = [
    Case(
        Record(f"r{i}", (Document("One."), Document("Two.")), attributes={"gender": "fm"[i % 2]}),
        Summary(f"r{i}", "s", f"Sum {i}."),
    )
    for i in range(8)
]


def verdict(prompt: str) -> str:
    """5 for even records, 3 for odd ones, nothing to read for the last."""
    number = int(prompt.partition("Summary: Sum ")[2].partition(".")[0])
    return "Hard to say." if number == 7 else f"It is fine.\nScore: {5 - 2 * (number % 2)}"


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
def test_contract(clause: MeasureClause) -> None:
    """The clauses of a measure hold, whatever scores the pair."""
    clause(Judged("rouge1"), CASES)


def test_scores_are_audited_by_group() -> None:
    """The mean is over replies that state a score; the others, and empty summaries, are counted by reason."""
    empty = replace(CASES[0].record, id="e")
    cases = [*CASES, Case(empty, Summary("e", "s", "", reason="empty summary"))]
    with StubChat(answer=verdict) as server:
        scorer = f"judge(model=m, base_url={server.url})"
        plan = Plan(measures=[f"judged(scorer={scorer})"], by=[["gender"]], n_resamples=50)
        result = audit(cases, plan)
    values = {e.subgroup.get("gender", "all"): e.value for e in result.estimates if e.quantity == "judged"}
    assert values == {"all": pytest.approx((4 * 5 + 3 * 3) / 7), "f": 5.0, "m": 3.0}
    whole = next(e for e in result.estimates if not e.subgroup)
    assert whole.n == 7
    assert whole.excluded["unparsed reply of the judge"] == 1


def test_its_spelling_reads_back() -> None:
    """A judge inside a measure's spec survives the way there and back."""
    made = registry.make("measure", "judged(scorer=judge(model=m, dimension=fluency))")
    assert registry.make("measure", repr(made)) == made


def test_coverage_through_a_chat_model(tmp_path: Path) -> None:
    """An entailment judge stands where the classifier does: equal coverage is audited with it."""
    path = tmp_path / "in.jsonl"
    rows = [
        {
            "id": i,
            "documents": [
                {"text": "It is red. It is late.", "attributes": {"who": "a"}},
                {"text": "It is loud. It is cold.", "attributes": {"who": "b"}},
            ],
            "summary": "It is red.",
            "claims": ["It is red.", "It is late.", "It is warm."],
        }
        for i in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def entails(prompt: str) -> str:
        text, statement = prompt.partition("Statement: ")[::2]
        return "yes" if statement.partition("\n")[0] in text else "no"

    from fairbrief import readers

    with StubChat(answer=entails) as server:
        scorer = f"chat_entailment(model=m, form=yes_no, base_url={server.url})"
        plan = Plan(measures=[f"equal_coverage(scorer={scorer})@who"], n_resamples=0)
        result = audit(readers.read(path), plan)
    (estimate,) = (e for e in result.estimates if e.quantity == e.measure.partition("(")[0])
    assert estimate.value == pytest.approx(1 / 3)
