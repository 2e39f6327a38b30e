"""The chat client against a server that misbehaves: real HTTP on loopback."""

import gc
import json
import resource
import time
import warnings
from collections.abc import Iterable, Iterator

import pytest
from tests.stub_chat import StubChat, echo

from fairbrief.chat import endpoint as chat
from fairbrief.chat.client import LONGEST_WAIT, SHORTEST_WAIT, replies, retry_after
from fairbrief.chat.endpoint import Endpoint, Question, Reply, Tally
from fairbrief.errors import BackendError, RequestError


def questions(n: int) -> Iterator[tuple[int, Question]]:
    """As many different questions."""
    return ((i, Question((("user", f"question {i}"),))) for i in range(n))


def endpoint(server: StubChat, **settings: object) -> Endpoint:
    """The server's address with pauses that a test can wait for."""
    wanted: dict[str, object] = {"concurrency": 8, "pause": 0.01, "timeout": 5.0, **settings}
    return Endpoint("stub-1", base_url=server.url, **wanted)  # type: ignore[arg-type]  # a test's settings


def ask_all(
    endpoint: Endpoint, questions: Iterable[tuple[int, Question]], tally: Tally | None = None
) -> dict[int, Reply]:
    """All replies, by their questions' keys."""
    return {key: reply for batch in replies(endpoint, questions, tally) for key, reply in batch}


@pytest.mark.parametrize("fault", ["429-date", "cut", "malformed"])
def test_passing_faults_are_tried_again(fault: str) -> None:
    """Every fault that may pass is followed by another try, and every question ends with its own answer."""
    with StubChat(faults={fault: 0.3}, seed=4) as server:
        tally = Tally()
        found = ask_all(endpoint(server, retries=20), questions(40), tally)
    assert {i: reply.text for i, reply in found.items()} == {i: echo(f"question {i}") for i in range(40)}
    assert server.kinds[fault] == tally.failures.total() > 0
    assert tally.requests == server.requests
    assert max(server.served.values()) == 1


@pytest.mark.parametrize(("script", "settings", "asked", "seconds"), [
    (["429"], {}, 3, 0.4),
    (["429-zero"] * 4, {"retries": 4, "pause": 0}, 1, 4 * SHORTEST_WAIT),
    ([], {"per_minute": 1200, "concurrency": 8}, 9, 8 * 60 / 1200),
])  # fmt: skip
def test_pauses_are_kept(script: list[str], settings: dict[str, object], asked: int, seconds: float) -> None:
    """Nobody asks before the time that the server named; two tries are never at once; ``per_minute`` spaces the requests evenly."""
    with StubChat(script=script, retry_after="0.4") as server:
        began = time.perf_counter()
        found = ask_all(endpoint(server, **{"concurrency": 1, **settings}), questions(asked))
        assert time.perf_counter() - began >= seconds
    assert len(found) == asked


@pytest.mark.parametrize("fault", ["429", "429-zero", "429-date", "429-nan"])
def test_every_retry_counts(fault: str) -> None:
    """Whatever wait the server asks for, a question is tried no more often than was allowed."""
    with StubChat(faults={fault: 1.0}) as server:
        found = ask_all(endpoint(server, retries=2, concurrency=1), questions(1))
        assert server.requests == 3
    assert found[0].reason == "no answer"
    assert found[0].detail.startswith("429")


def test_a_reply_byte_by_byte_times_out() -> None:
    """The timeout is for the whole reply, not for the next byte of it."""
    with StubChat(script=["trickle"]) as server:
        tally = Tally()
        found = ask_all(endpoint(server, timeout=0.3, concurrency=1), questions(1), tally)
    assert found[0].text
    assert tally.failures == {"timeout": 1}


@pytest.mark.parametrize("fault", ["bomb", "packed", "flood"])
def test_a_reply_without_measure_is_not_taken(fault: str) -> None:
    """No more of a body is held than any answer takes, and none that is packed; another try may do better."""
    with StubChat(script=[fault]) as server:
        tally = Tally()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = ask_all(endpoint(server, concurrency=1), questions(1), tally)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert found[0].text
    assert tally.failures == {"malformed": 1}
    assert grown < 48, f"{grown:.0f} MiB more in memory"


def test_what_cannot_be_written_is_neither_sent_nor_kept() -> None:
    """NULs and half characters in a question, and in a reply's text, model and finish, are replaced."""
    with StubChat(faults={"dirty": 1.0}) as server:
        reply = ask_all(endpoint(server), [(0, Question((("user", "half \ud83d"),)))])[0]
    assert server.bodies[0]["messages"][0]["content"] == "half \ufffd"
    assert (reply.model, reply.finish) == ("stub-1\ufffd\ufffd", "stop\ufffd\ufffd")
    assert reply.text.endswith(". \ufffd\ufffd")


def test_refusals_filters_and_empty_answers_are_told_apart() -> None:
    """A refusal in words or by a filter, and an answer without words, have reasons of their own."""
    with StubChat(script=["refuse", "filter", "empty", "ok"]) as server:
        found = ask_all(endpoint(server, concurrency=1), questions(4))
    assert [found[i].reason for i in range(4)] == ["refused", "refused", "empty summary", ""]


@pytest.mark.parametrize("kind", ["401", "404", "quota"])
def test_a_wrong_key_or_model_stops_the_run(kind: str) -> None:
    """Where no question can be answered, the error says what to check, and no flood of requests follows."""
    with StubChat(faults={kind: 1.0}) as server, pytest.raises(BackendError, match="Check the address"):
        ask_all(endpoint(server), questions(500))
    assert server.requests <= 8


def test_a_dead_server_stops_the_run() -> None:
    """Twenty questions in a row without an answer end the run, with what to do."""
    with StubChat(faults={"500": 1.0}) as server, pytest.raises(BackendError, match="20 consecutive"):
        ask_all(endpoint(server, retries=1, pause=0.001), questions(500))
    assert server.requests < 80


@pytest.mark.parametrize("limit", [1, 17])
def test_a_limit_of_requests_holds_with_many_open(limit: int) -> None:
    """Exactly as many requests as allowed are sent, retries included, by all who share a tally; each answer arrives."""
    tally, got = Tally(limit + 2), list[int]()

    def gather(server: StubChat) -> None:
        for batch in replies(endpoint(server, concurrency=16, retries=20), questions(200), tally):
            got.extend(key for key, _ in batch)

    with StubChat() as first:
        assert len(ask_all(endpoint(first), questions(2), tally)) == 2
    with StubChat(faults={"500": 0.2, "cut": 0.1}, seed=limit, delay=0.002) as server:
        with pytest.raises(chat.LimitReached, match=f"{limit + 2} requests"):
            gather(server)
        assert (server.requests, len(got)) == (limit, limit - tally.failures.total())
        with pytest.raises(chat.LimitReached):
            ask_all(endpoint(server, max_requests=1), questions(2))


def test_no_more_than_concurrency_are_open_or_unstored() -> None:
    """While a yielded batch is not left behind, its questions count as open: nobody asks past the bound."""
    with StubChat() as server:
        talk = replies(endpoint(server, concurrency=4), questions(50))
        next(talk)
        time.sleep(0.3)
        assert server.requests == 4
        talk.close()
    assert server.open_most <= 4


def test_nowhere_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an address and a key the error names the environment variables."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(RequestError, match=r"OPENAI_BASE_URL.*OPENAI_API_KEY"):
        ask_all(Endpoint("m"), questions(1))


def test_the_key_and_the_decoding_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address may come from the environment; the body holds the model and what was set, nothing else."""
    with StubChat() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        asked = Question((("system", "be brief"), ("user", "q")), {"temperature": 0.3, "seed": 7})
        ask_all(Endpoint("stub-1"), [(0, asked)])
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "q"}]
    assert server.bodies == [{"model": "stub-1", "messages": messages, "temperature": 0.3, "seed": 7}]


@pytest.mark.parametrize(("headers", "seconds"), [
    ({"retry-after": "1.5"}, 1.5), ({"retry-after-ms": "20"}, 0.02), ({"retry-after": "soon"}, 0),
    ({"retry-after": "999999"}, LONGEST_WAIT), ({"retry-after-ms": "nan", "retry-after": "3"}, 3),
    ({"retry-after-ms": "inf"}, 0), ({"retry-after-ms": "-5"}, 0),
])  # fmt: skip
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float) -> None:
    """Seconds and milliseconds are read, nonsense is not, and no server can stop us for ever."""
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(("text", "wanted"), [
    ("I'm sorry, but I can't assist with that request.", True),
    ("I cannot fulfill your request.", True),
    ("As an AI language model, I am not able to take sides, so I cannot.", True),
    ("Unfortunately, I am unable to summarize these texts.", True),
    ("I can't believe how good this lamp is, says one review.", False),
    ("Sorry service and cold food are the main complaints.", False),
    ("Customers cannot recommend the lamp.", False),
    ("I’m sorry, I won’t write this.", True),
    ("", False),
])  # fmt: skip
def test_refusals_in_words(text: str, wanted: bool) -> None:
    """A refusal says in its first sentence that the model will not; a summary that speaks of such things is none."""
    assert chat.is_refusal(text) is wanted


@pytest.mark.parametrize("body", [
    "", "null", "[]", "{", '{"choices": []}', '{"choices": [{"message": null}]}', '{"choices": [{"message": {"content": 5}}]}',
])  # fmt: skip
def test_bodies_that_are_no_reply(body: str) -> None:
    """Whatever is no chat completion is malformed, never an empty answer."""
    with pytest.raises(chat.FailedTryError):
        chat.read_reply(body)


def test_reasoning_is_no_part_of_the_text() -> None:
    """A block of reasoning at the head of an answer is taken off; a refusal field makes a refusal."""
    message = {"content": "<think>hm\n</think>\n It is red. "}
    assert chat.read_reply(json.dumps({"choices": [{"message": message}]})).text == "It is red."
    refused = {"choices": [{"message": {"content": None, "refusal": "No."}}]}
    assert chat.read_reply(json.dumps(refused)).reason == "refused"


def test_requests_that_were_just_begun_are_cancelled_cleanly() -> None:
    """An error while connections are being opened leaves nothing behind, at whatever moment it comes."""

    def broken(delay: float) -> Iterator[tuple[int, Question]]:
        yield from questions(8)
        time.sleep(delay)
        raise RequestError("the input is broken")

    with StubChat() as server, warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always")
        for moment in range(40):
            with pytest.raises(RequestError, match="broken"):
                ask_all(endpoint(server, concurrency=16), broken(moment * 0.0005))
        gc.collect()
    assert [str(warning.message) for warning in left] == []
