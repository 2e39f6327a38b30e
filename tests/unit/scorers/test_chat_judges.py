"""Judges behind a chat model: what they ask, what they read, what a cache keeps; and quality from their words to an audited mean."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.stub_chat import StubChat

from fairbrief.auditing import Plan, audit
from fairbrief.engines.score_cache import Cached
from fairbrief.errors import BackendError
from fairbrief.scorers.chat_judge import ChatEntailment, Judge
from fairbrief.testing import SCORER_CLAUSES, ScorerClause
from fairbrief.types import Ask, Cacheable, Case, Document, Record, Summary

ASKS = [
    Ask("x", ("a {summary} of rain", "sun"), ("it rains", "it shines")),
    Ask("x", ("sun",), ("it shines",)),
]


def overlap(prompt: str) -> str:
    """A verdict that depends on the pair."""
    return "0.9" if "Text: sun" in prompt and "Statement: it shines" in prompt else "no"


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
def test_contract(clause: ScorerClause) -> None:
    """The clauses of a scorer hold for both judges."""
    with StubChat(answer=lambda p: f"Because.\nScore: {1 + len(p) % 5}") as server:
        clause(Judge("stub-1", base_url=server.url), ASKS)
    with StubChat(answer=overlap) as server:
        clause(ChatEntailment("stub-1", base_url=server.url), ASKS)


def test_entailment_asks_each_pair_once_and_a_cache_keeps_it(tmp_path: Path) -> None:
    """Equal pairs are asked for once; with a cache a second run asks nothing and says the same."""
    with StubChat(answer=overlap, faults={"500": 0.2}, seed=2) as server:
        scorer = ChatEntailment("stub-1", base_url=server.url, pause=0.01)
        assert isinstance(scorer, Cacheable)
        first = [s.matrix.tolist() for s in Cached(scorer, tmp_path / "c").answer(ASKS)]
        assert first == [[[0.0, 0.0], [0.0, 0.9]], [[0.9]]]
        asked = server.requests
        again = [s.matrix.tolist() for s in Cached(scorer, tmp_path / "c").answer(ASKS)]
        assert (again, server.requests) == (first, asked)
    assert max(server.served.values()) == 1


def test_an_unparsed_verdict_is_no_silent_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reply without a number stops the run once all are kept, or counts what the user says; it is told either way."""
    with StubChat(answer=lambda p: "perhaps" if "it rains" in p else "yes") as server:
        strict = ChatEntailment("stub-1", base_url=server.url)
        with pytest.raises(BackendError, match="2 replies state no number"):
            list(Cached(strict, tmp_path / "c").answer(ASKS))
        assert "2 of 4 replies state no number, e.g. 'perhaps'" in capsys.readouterr().err
        asked = server.requests
        half = ChatEntailment("stub-1", base_url=server.url, unparsed=0.5)
        found = next(iter(Cached(half, tmp_path / "c").answer(ASKS)))
        assert found.matrix.tolist() == [[0.5, 1.0], [0.5, 1.0]]
        assert server.requests == asked
    assert half.fingerprint != strict.fingerprint


def test_no_answer_is_an_error_that_keeps_the_rest(tmp_path: Path) -> None:
    """Pairs that the server rejects fail the run after the others have been kept."""
    with StubChat(script=["ok", "400"], answer=overlap) as server:
        scorer = ChatEntailment("stub-1", base_url=server.url, concurrency=1)
        with pytest.raises(BackendError, match="1 of 4 pairs found no answer"):
            list(Cached(scorer, tmp_path / "c").answer(ASKS))
        list(Cached(scorer, tmp_path / "c").answer(ASKS))
    assert server.requests == 5


def test_the_judge_gives_its_reason_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The judge is asked for a reason, then a score; a reply without a score is nan, and counted."""
    replies = {"it rains": "It is short but true.\nScore: 4", "it shines": "Nothing to say."}
    with StubChat(answer=lambda p: replies[p.partition("Summary: ")[2].partition("\n")[0]]) as server:
        judge = Judge("stub-1", base_url=server.url)
        found = next(iter(judge.answer([Ask("x", ("rain",), ("it rains", "it shines"))])))
    assert found.matrix[0, 0] == 4
    assert np.isnan(found.matrix[0, 1])
    assert "1 of 2 replies state no number" in capsys.readouterr().err
    prompt = server.bodies[0]["messages"][0]["content"]
    assert prompt.index("reason") < prompt.index("Score: N")
    assert server.bodies[0]["temperature"] == 0


@pytest.mark.parametrize("other", [
    {"model": "n"}, {"base_url": "http://two"}, {"temperature": 0.5}, {"dimension": "fluency"},
])  # fmt: skip
def test_what_decides_an_answer_keeps_it_apart_in_a_cache(other: dict[str, Any]) -> None:
    """Another model, server, temperature or question is another fingerprint; how politely it is asked is not."""
    for kind in (Judge,) if "dimension" in other else (ChatEntailment, Judge):
        first = kind("m", base_url="http://one")
        assert first.computed_by != replace(first, **other).computed_by
        assert first.computed_by == replace(first, concurrency=2, retries=0, key="OTHER").computed_by


DOCUMENTS = (Document("One."), Document("Two."))
RECORDS = [Record(f"r{i}", DOCUMENTS, attributes={"gender": "fm"[i % 2]}) for i in range(8)]
CASES = [Case(record, Summary(record.id, "s", f"Sum {i}.")) for i, record in enumerate(RECORDS)]


def verdict(prompt: str) -> str:
    """5 for even records, 3 for odd ones, nothing to read for the last."""
    number = int(prompt.partition("Summary: Sum ")[2].partition(".")[0])
    return "Hard to say." if number == 7 else f"It is fine.\nScore: {5 - 2 * (number % 2)}"


def test_scores_are_audited_by_group() -> None:
    """The mean is over replies that state a score; the others, and empty summaries, are counted by reason."""
    empty = replace(CASES[0].record, id="e")
    cases = [*CASES, Case(empty, Summary("e", "s", "", reason="empty summary"))]
    with StubChat(answer=verdict) as server:
        scorer = f"judge(model=m, base_url={server.url})"
        result = audit(cases, Plan(measures=[f"judged(scorer={scorer})"], by=[["gender"]], n_resamples=50))
    values = {e.subgroup.get("gender", "all"): e.value for e in result.estimates if e.quantity == "judged"}
    assert values == {"all": pytest.approx((4 * 5 + 3 * 3) / 7), "f": 5.0, "m": 3.0}
    whole = next(e for e in result.estimates if not e.subgroup)
    assert (whole.n, whole.high) == (7, 5.0)  # the end of the scale
    assert whole.excluded["unparsed reply of the judge"] == 1
