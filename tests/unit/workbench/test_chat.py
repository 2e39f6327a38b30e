"""Summaries by a chat model: settings, samples, cuts, names."""

from __future__ import annotations

import pytest
from tests.stub_chat import StubChat

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.testing import SUMMARIZER_CLAUSES, SummarizerClause
from fairbrief.types import Document, Record
from fairbrief.workbench.summarizers.chat import Chat
from fairbrief.workbench.summarizers.prompts import finished

RECORDS = [Record(f"r{i}", (Document(f"Text {i}."),)) for i in range(12)]


@pytest.mark.parametrize("clause", SUMMARIZER_CLAUSES, ids=lambda c: c.__name__)
def test_contract(clause: SummarizerClause) -> None:
    """The clauses of a summarizer hold, whatever order the answers come in."""
    with StubChat(faults={"slow": 0.4}, slow=0.05) as server:
        clause(Chat("stub-1", base_url=server.url, pause=0.01), RECORDS)


def test_samples_have_names_and_seeds_of_their_own() -> None:
    """Three samples are three systems, asked with three seeds, and tell which they are."""
    with StubChat() as server:
        chat = Chat("stub-1", base_url=server.url, samples=3, seed=5, temperature=0.7, concurrency=1)
        found = list(chat.summarize(RECORDS[:2]))
    assert [s.system for s in found] == ["stub-1#1", "stub-1#2", "stub-1#3"] * 2
    assert [s.made["sample"] for s in found[:3]] == ["1", "2", "3"]
    assert [body["seed"] for body in server.bodies[:3]] == [5, 6, 7]
    assert {body["temperature"] for body in server.bodies} == {0.7}


def test_sentences_of_longer_answers_are_sampled() -> None:
    """Of an answer that is too long the wanted number of sentences is kept, in order, not always the first; the summary records it."""
    with StubChat(answer=lambda _: "One is red. Two broke. Three left.") as server:
        chat = Chat("stub-1", base_url=server.url, sentences=2)
        (found,) = chat.summarize(RECORDS[:1])
    assert found.text == "One is red. Three left."
    assert found.made["cut"] == "3 sentences to 2"
    assert "2 sentences" in server.bodies[0]["messages"][-1]["content"]


def test_a_prompt_may_keep_longer_answers() -> None:
    """Zhang et al. ask for a number of sentences and count those that come: nothing is cut."""
    with StubChat(answer=lambda _: "One is red. Two broke. Three left.") as server:
        chat = Chat("stub-1", base_url=server.url, prompt="perspectives-reviews", sentences=2)
        (found,) = chat.summarize(RECORDS[:1])
    assert found.text == "One is red. Two broke. Three left."
    assert "cut" not in found.made


def test_samples_of_sentences_favour_no_place() -> None:
    """Over many answers each of three sentences is kept about equally often, and always in order."""
    kept = [finished(f"One {i}. Two {i}. Three {i}.", 1)[0].split()[0] for i in range(600)]
    counts = {word: kept.count(word) for word in ("One", "Two", "Three")}
    assert all(150 < n < 250 for n in counts.values()), counts


def test_a_list_becomes_sentences_on_lines() -> None:
    """Where the prompt asks for a list, its marks are no part of the summary, and its own length counts."""
    with StubChat(answer=lambda _: "- One is red.\n- Two - twice - broke.\n- Three.\n- Four.") as server:
        (found,) = Chat("stub-1", base_url=server.url, prompt="article-list").summarize(RECORDS[:1])
    assert found.text == "One is red.\nTwo - twice - broke.\nFour."


def test_refused_is_no_text_but_keeps_the_answer() -> None:
    """A refusal has a reason instead of a text, and what the model said stands in ``made``."""
    with StubChat(script=["refuse"]) as server:
        (found,) = Chat("stub-1", base_url=server.url).summarize(RECORDS[:1])
    assert (found.text, found.reason) == ("", "refused")
    assert found.made["answer"].startswith("I'm sorry")


def test_keys_hold_all_that_decides_a_text() -> None:
    """Another record, prompt, model, setting or sample is another key; how one asks is not."""
    chat = Chat("m", base_url="http://127.0.0.1:1/v1")
    same = [Chat("m", base_url="http://127.0.0.1:1/v1", concurrency=3, retries=1, timeout=9)]
    others = [
        Chat("n", base_url="http://127.0.0.1:1/v1"),
        Chat("m", base_url="http://127.0.0.1:2/v1"),
        *(
            Chat("m", base_url="http://127.0.0.1:1/v1", **{name: value})  # type: ignore[arg-type]  # any setting
            for name, value in {
                "prompt": "reviews", "temperature": 0.1, "seed": 1, "words": 9, "sentences": 2, "role": "editor",
                "max_tokens": 5, "system": "x",
            }.items()
        ),
    ]  # fmt: skip
    assert all(c.keys(RECORDS[0]) == chat.keys(RECORDS[0]) for c in same)
    keys = {c.keys(RECORDS[0])[0] for c in [chat, *others]} | {chat.keys(RECORDS[1])[0]}
    assert len(keys) == len(others) + 2
    three = Chat("m", base_url="http://127.0.0.1:1/v1", samples=3, temperature=1.0)
    assert len(set(three.keys(RECORDS[0]))) == 3


def test_name_grammar() -> None:
    """chat:MODEL(settings) stands for chat(model=MODEL, settings), tags included; the spec reads back."""
    made = registry.make("summarizer", "chat:llama3:8b(temperature=0.3, prompt=reviews)@party")
    assert made == Chat("llama3:8b", prompt="reviews", temperature=0.3, over="party")
    assert registry.make("summarizer", repr(made)) == made
    assert registry.make("summarizer", "chat:m", {"samples": "2"}) == Chat("m", samples=2)
    with pytest.raises(RequestError, match="empty"):
        registry.make("summarizer", "chat:")
    with pytest.raises(RequestError, match="No summarizer named 'chatt'"):
        registry.make("summarizer", "chatt:m")
