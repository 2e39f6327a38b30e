"""The commands summarize and units, from a file to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import printed
from tests.stub_chat import StubChat
from typer.testing import CliRunner

from fairbrief import readers
from fairbrief.cli import app
from fairbrief.engines.journal import locked
from fairbrief.errors import RequestError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ten records with a field that is not called documents."""
    path = tmp_path / "in.jsonl"
    rows = ({"id": i, "texts": [f"Text {i} is long.", "It broke."], "who": ["a", "b"]} for i in range(10))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def summarize(source: Path, out: Path, server: StubChat, *more: object) -> str:
    """Summarize with the stub."""
    return printed(
        "summarize", source, "--with", "chat:stub-1", "--base-url", server.url, "--out", out,
        "--documents-field", "texts", "--attribute", "who=who", *more,
    )  # fmt: skip


def test_summarize_tells_counts_tokens_and_cost(source: Path, tmp_path: Path) -> None:
    """The last line tells what was asked, kept, refused, empty, sent, used and paid."""
    out = tmp_path / "out.jsonl"
    with StubChat(script=["refuse", "empty", "500"]) as server:
        said = summarize(source, out, server, "--price", "1,2", "--instruction", "ratio", "--over", "who")
        again = summarize(source, out, server, "--instruction", "ratio", "--over", "who")
    assert "10 wanted, 10 asked, 0 from the journal, 1 refused, 1 empty, 0 unanswered, 11 requests" in said
    assert "(of which failed: 1 500)" in said
    assert "tokens, cost 0.00" in said
    assert "0 asked, 10 from the journal, 1 refused, 1 empty" in again
    assert "50% a and 50% b" in server.bodies[0]["messages"][-1]["content"]
    cases = list(readers.read(out))
    assert cases[3].record.documents[1].attributes == {"who": "b"}
    assert {c.summary.system for c in cases} == {"stub-1"}


def test_summarize_uses_a_prompt_file(source: Path, tmp_path: Path) -> None:
    """--prompt FILE is sent with the documents in it."""
    (tmp_path / "p.txt").write_text("Say it shorter:\n{documents}")
    with StubChat() as server:
        summarize(source, tmp_path / "o", server, "--prompt", tmp_path / "p.txt")
    assert server.bodies[0]["messages"][0]["content"].startswith("Say it shorter:\n1. Text")


def test_summarize_refuses_what_would_do_harm(source: Path, tmp_path: Path) -> None:
    """The input is never the output, two processes never share one, and an unknown setting is named."""
    with StubChat() as server:
        with pytest.raises(RequestError, match="also read from"):
            summarize(source, source, server)
        with locked(tmp_path / "o"), pytest.raises(RequestError, match="Another process is writing"):
            summarize(source, tmp_path / "o", server)
        with pytest.raises(RequestError, match="1e3: write the price"):
            summarize(source, tmp_path / "o", server, "--price", "1e3")
        assert server.requests == 0


def test_units_are_split_once_per_text_and_listed_if_unparsed(tmp_path: Path) -> None:
    """Every usable summary gets units in its line; equal texts are asked for once; replies without a list are shown."""
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    texts = ["It is red and broke.", "It is red and broke.", "2.5 percent left, in Sund.", "Odd.", ""]
    rows = [
        {"id": f"r{i}", "documents": ["d"], "summary": text, "system": "s", "made": {"model": "m"}}
        for i, text in enumerate(texts)
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def answer(prompt: str) -> str:
        summary = prompt.rpartition("Summary: ")[2]
        if summary.startswith("Odd"):
            return (
                "What do you mean by that? I see no summary to split here, so tell me more about it please!"
            )
        if summary.startswith("2.5"):
            return "1. 2.5 percent left."
        return "Here:\n1.The thing is red.\n(2) It broke."

    with StubChat(answer=answer) as server:
        said = printed("units", source, "--with", "chat:stub-1", "--base-url", server.url, "--out", out)
        assert server.requests == 3
        assert server.bodies[0]["temperature"] == 0
    cases = list(readers.read(out))
    units = [None if c.summary.units is None else [u.text for u in c.summary.units] for c in cases]
    assert units == [["The thing is red.", "It broke."]] * 2 + [["2.5 percent left."], None, None]
    assert cases[0].summary.made["model"] == "m"
    assert cases[2].summary.made["unit_recall"] == "0.6667"
    assert "5 units of 3 summaries, unit recall 0.756, 1 reply unparsed" in said
    assert "(id 'r3', s): 'What do you mean" in said


def test_units_with_the_users_instruction(tmp_path: Path) -> None:
    """--prompt FILE stands in place of our instruction and demonstrations."""
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "documents": ["d"], "summary": "It is {red}."}\n')
    (tmp_path / "p.txt").write_text("Units of: {summary} ->")
    with StubChat(answer=lambda _: "- It is red.") as server:
        printed(
            "units", source, "--with", "chat:m", "--base-url", server.url, "--out", tmp_path / "o",
            "--prompt", tmp_path / "p.txt",
        )  # fmt: skip
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Units of: It is {red}. ->"}]


def test_units_need_a_chat_model(tmp_path: Path) -> None:
    """Another kind of model is refused in words."""
    with pytest.raises(RequestError, match="chat:MODEL"):
        printed("units", tmp_path / "x", "--with", "lead", "--out", tmp_path / "o")


def test_a_failed_run_tells_where_its_answers_are(source: Path, tmp_path: Path) -> None:
    """What was answered before the budget was spent is named; a run without an answer leaves nothing behind."""
    out = tmp_path / "out.jsonl"
    arguments = ["summarize", source, "--with", "chat:stub-1", "--documents-field", "texts", "--out", out]
    with StubChat() as server:
        options = ["--base-url", server.url, "--concurrency", 1, "--max-requests", 3]
        stopped = CliRunner().invoke(app, [str(a) for a in (*arguments, *options)])
    assert f"what was answered is kept in {out}.journal: run the same command again" in stopped.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl.journal"]
    (tmp_path / "out.jsonl.journal").unlink()
    CliRunner().invoke(app, [str(a) for a in (*arguments, "--require", "nope")])
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]
