"""Summaries by a chat model: settings, samples, cuts, names, and prompts as data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.stub_chat import StubChat
from tests.written_summaries import written_by

from fairbrief import registry
from fairbrief.errors import DataError, RequestError
from fairbrief.types import Document, Record
from fairbrief.workbench.summarizers.chat import Chat
from fairbrief.workbench.summarizers.prompts import Wish, clauses, fill, find, finished, shipped

RECORDS = [Record(f"r{i}", (Document(f"Text {i}."),)) for i in range(12)]


def test_samples_have_names_and_seeds_of_their_own() -> None:
    """Three samples are three systems, asked with three seeds, and tell which they are."""
    with StubChat() as server:
        chat = Chat("stub-1", base_url=server.url, samples=3, seed=5, temperature=0.7, concurrency=1)
        found = written_by(chat, RECORDS[:2])
    assert [s.system for s in found] == ["stub-1#1", "stub-1#2", "stub-1#3"] * 2
    assert [s.made["sample"] for s in found[:3]] == ["1", "2", "3"]
    assert [body["seed"] for body in server.bodies[:3]] == [5, 6, 7]
    assert {body["temperature"] for body in server.bodies} == {0.7}


THREE = "One is red. Two broke. Three left."
LISTED = "- One is red.\n- Two - twice - broke.\n- Three.\n- Four."


@pytest.mark.parametrize(("answer", "settings", "text", "cut"), [
    (THREE, {"sentences": 2}, "One is red. Three left.", "3 sentences to 2"),
    (THREE, {"sentences": 2, "prompt": "perspectives-reviews"}, THREE, None),
    (LISTED, {"prompt": "article-list"}, "One is red.\nTwo - twice - broke.\nFour.", "4 sentences to 3"),
])  # fmt: skip
def test_sentences_of_answers_are_sampled(answer: str, settings: Any, text: str, cut: str | None) -> None:
    """Of an answer that is too long the wanted number of sentences is kept, in order, as the summary records; Zhang et al. cut nothing.

    Where the prompt asks for a list, its marks are no part of the summary, and its own length counts.
    """
    with StubChat(answer=lambda _: answer) as server:
        (found,) = written_by(Chat("stub-1", base_url=server.url, **settings), RECORDS[:1])
    assert (found.text, found.made.get("cut")) == (text, cut)
    wanted = settings.get("sentences", 3)
    assert f"{wanted} sentence" in server.bodies[0]["messages"][-1]["content"]


def test_samples_of_sentences_favour_no_place() -> None:
    """Over many answers each of three sentences is kept about equally often, and always in order."""
    kept = [finished(f"One {i}. Two {i}. Three {i}.", 1)[0].split()[0] for i in range(600)]
    counts = {word: kept.count(word) for word in ("One", "Two", "Three")}
    assert all(150 < n < 250 for n in counts.values()), counts


def test_refused_is_no_text_but_keeps_the_answer() -> None:
    """A refusal has a reason instead of a text, and what the model said stands in ``made``."""
    with StubChat(script=["refuse"]) as server:
        (found,) = written_by(Chat("stub-1", base_url=server.url), RECORDS[:1])
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

    def keys_of(chat: Chat, record: Record = RECORDS[0]) -> list[str]:
        return [wanted.key for wanted in chat.wanted(record)]

    assert all(keys_of(c) == keys_of(chat) for c in same)
    keys = {keys_of(c)[0] for c in [chat, *others]} | {keys_of(chat, RECORDS[1])[0]}
    assert len(keys) == len(others) + 2
    assert len(set(keys_of(Chat("m", base_url="http://127.0.0.1:1/v1", samples=3, temperature=1.0)))) == 3


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


DOCUMENTS = tuple(Document(f"text {i}", {"leaning": "left" if i < 1 else "right"}) for i in range(4))
RECORD = Record("r1", DOCUMENTS, attributes={"topic": "bus lanes", "claim": "Buses help."})
WISH = Wish(over="leaning")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_shipped_prompt_fills(name: str) -> None:
    """Each wording of each shipped prompt takes the documents, leaves no field open, and names its source."""
    prompt = shipped()[name]
    assert prompt.source
    assert prompt.about
    for wording in prompt.wordings:
        for instruction in clauses()["instructions"] if "{instruction}" in wording else ["none"]:
            single = structs.replace(prompt, wordings=(wording,))
            asked = fill(single, RECORD, replace(WISH, instruction=instruction))
            assert all(document.text in asked.user for document in RECORD.documents)
            assert "{" not in asked.user
            assert "\n\n\n" not in asked.user
            assert asked.user == asked.user.strip()


def test_layouts() -> None:
    """Documents stand numbered, with their labels, joined by two bars, or one a line."""
    numbered = fill(find("reviews"), RECORD, WISH).user
    assert "\n1. text 0\n2. text 1\n" in numbered
    assert "about 50 words" in numbered
    assert "1. (left) text 0\n2. (right) text 1" in fill(find("reviews-fair"), RECORD, WISH).user
    assert "review: text 0 || review: text 1" in fill(find("perspectives-reviews"), RECORD, WISH).user
    assert "text 0\ntext 1" in fill(find("perspectives-dialogue"), RECORD, WISH).user


def test_wishes_reach_the_prompt() -> None:
    """A fair instruction, with ratios or without, a role, a number of sentences or words are put in."""
    ratio = fill(find("reviews"), RECORD, replace(WISH, instruction="ratio", sentences=3, role="mediator"))
    assert "25% left and 75% right" in ratio.user
    assert "Use 3 sentences." in ratio.user
    assert "words" not in ratio.user
    assert ratio.system.startswith("You are a mediator")
    wish = replace(WISH, instruction="definition", words=20, role="Be a bard.")
    plain = fill(find("reviews"), RECORD, wish)
    assert "left or right" in plain.user
    assert "%" not in plain.user
    assert "about 20 words" in plain.user
    assert plain.system == "Be a bard."


def test_one_wording_is_drawn_for_each_record() -> None:
    """Over many records every wording and separator occurs, always the same for one record and draw."""
    prompt = find("article")
    records = [replace(RECORD, id=f"r{i}") for i in range(200)]
    drawn = [fill(prompt, record, Wish()) for record in records]
    assert {asked.wording for asked in drawn} == set(range(10))
    assert len({asked.user for asked in drawn}) > 40
    assert drawn == [fill(prompt, record, Wish()) for record in records]
    assert drawn != [fill(prompt, record, Wish(draw=1)) for record in records]


def test_texts_with_braces_are_left_alone() -> None:
    """What looks like a field inside a document, or another brace in a template, is text."""
    record = replace(RECORD, documents=(Document("use {topic} and {nothing}   here"),))
    assert "use {topic} and {nothing}   here" in fill(find("tweets"), record, Wish()).user


def test_a_users_file(tmp_path: Path) -> None:
    """A text file is a prompt of one wording, with a hash of its own; it must have a place for the documents."""
    text = tmp_path / "mine.txt"
    text.write_text('On {topic}: {"json": 1}\n{documents}')
    assert fill(find(str(text)), RECORD, Wish()).user.startswith('On bus lanes: {"json": 1}\n1. text 0')
    assert len({find(str(text)).sha, *(p.sha for p in shipped().values())}) == 1 + len(shipped())
    text.write_text("Sum it up.")
    with pytest.raises(DataError, match=r"no \{documents\}"):
        find(str(text))
