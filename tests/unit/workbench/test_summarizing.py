"""From records to a file of summaries: order, resuming, what is asked again and what is not."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.stub_chat import StubChat
from tests.survival import survive

from fairbrief import readers
from fairbrief.chat.journal import journal_of
from fairbrief.types import Document, Entity, Mention, Record, Summarizer
from fairbrief.workbench.summarizers.chat import Chat
from fairbrief.workbench.summarizing import Count, Job, Writer, summarize_all

RECORDS = [
    Record(
        f"r{i}",
        (Document(f"Kim called {i}.", {"party": "left"}), Document("Rain \u2028 fell.", {})),
        references=("Kim called.",),
        entities=(Entity("e", "Kim", None, {"gender": "x"}, (Mention(0, 0, 3, "first"),)),),
        attributes={"topic": "calls"},
        seed_document="o" if i % 2 else None,
    )
    for i in range(30)
]


def chat(server: StubChat, **settings: object) -> Chat:
    """A summarizer that asks the stub."""
    return Chat("stub-1", base_url=server.url, pause=0.01, **settings)  # type: ignore[arg-type]  # a test's settings


def written(summarizer: Summarizer | Writer, records: Sequence[Record], out: Path) -> Count:
    """The counts of one job, with its journal beside its output."""
    (count,) = summarize_all([Job(summarizer, out)], lambda: records, journal_of(out))
    return count


def test_lines_read_back_as_they_were(tmp_path: Path) -> None:
    """Our readers read every line without being told how: the record is the same, summary and making beside it."""
    out = tmp_path / "o.jsonl"
    with StubChat(faults={"refuse": 0.2, "empty": 0.2, "slow": 0.2}, slow=0.05, seed=1) as server:
        count = written(chat(server, samples=2, temperature=1.0), RECORDS, out)
    cases = list(readers.read(out))
    assert [c.record.id for c in cases] == [r.id for r in RECORDS for _ in range(2)]
    assert [replace(c.record, where="") for c in cases[::2]] == RECORDS
    assert [c.summary.system for c in cases[:2]] == ["stub-1#1", "stub-1#2"]
    reasons = [c.summary.reason for c in cases]
    assert reasons.count("refused") == count.reasons["refused"] == server.kinds["refuse"] > 0
    assert reasons.count("empty summary") == count.reasons["empty summary"] == server.kinds["empty"] > 0
    assert all(c.summary.made["prompt"] == "plain" for c in cases)


def test_a_rerun_asks_only_for_what_changed(tmp_path: Path) -> None:
    """A finished run asks nothing again; only a new record or another text is asked for."""
    out = tmp_path / "o.jsonl"
    with StubChat() as server:
        written(chat(server), RECORDS, out)
        first = out.read_bytes()
        again = written(chat(server), RECORDS, out)
        assert (again.asked, again.from_journal, server.requests) == (0, 30, 30)
        assert out.read_bytes() == first
        one, *others = RECORDS
        changed = [replace(one, documents=(Document("Other."),)), *others, replace(one, id="new")]
        assert written(chat(server), changed, out).asked == 2
        assert written(chat(server, temperature=0.5), RECORDS, out).asked == 30


def test_what_found_no_answer_is_asked_again(tmp_path: Path) -> None:
    """A question without an answer stands as null with its reason, and the next run asks only for it."""
    out = tmp_path / "o.jsonl"
    with StubChat(script=["ok", "400", "ok", "400"]) as server:
        count = written(chat(server, concurrency=1), RECORDS, out)
        assert count.reasons["no answer"] == 2
        row = json.loads(out.read_text().splitlines()[1])
        assert (row["summary"], row["reason"]) == (None, "no answer")
        assert row["made"]["error"].startswith("400")
        count = written(chat(server, concurrency=1), RECORDS, out)
        assert (count.asked, count.reasons["no answer"]) == (2, 0)


def test_an_answer_at_the_second_attempt_is_stored(tmp_path: Path) -> None:
    """Of two writers with one question, the first gets no answer; the second gets one, which is written to both files."""
    with StubChat(script=["400", "ok"]) as server:
        jobs = [Job(chat(server, retries=n), tmp_path / f"{n}") for n in (0, 1)]
        counts = summarize_all(jobs, lambda: RECORDS[:1], tmp_path / "journal")
        assert server.requests == 2
    assert [count.reasons["no answer"] for count in counts] == [0, 0]


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Killed with -9 twice amid faults: each record is answered once, in order, and paid for once but
    for the answers in flight at a kill. The full size is benchmarks/soak/summarize_survives.py.
    """
    found = survive(tmp_path, records=300, kills=2, concurrency=32, seed=3)
    assert (found["lines"], found["in_order"], found["wrong"]) == (300, True, 0)
    assert found["right"] + found["refused"] + found["empty"] == 300
    assert found["refused"] + found["empty"] > 0
    assert 0 <= found["paid_twice"] <= 2 * 32
    assert found["open_most"] <= 32
    assert found["asked_after_the_end"] == 0
