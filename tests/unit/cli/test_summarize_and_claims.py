"""The commands summarize and claims, from a file to a file."""

from pathlib import Path

import pytest
from tests.cli.command import Command, printed, row, write
from tests.stub_chat import StubChat

from fairbrief import readers
from fairbrief.chat.journal import journal_of, open_journal
from fairbrief.cli.command_line import INCOMPLETE
from fairbrief.errors import DataError, RequestError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ten records with a field that is not called documents."""
    path = tmp_path / "in.jsonl"
    rows = ({"id": i, "texts": [f"Text {i} is long.", "It broke."], "who": ["a", "b"]} for i in range(10))
    return write(path, list(rows))


def summarize(source: Path, out: Path, server: StubChat, *more: object) -> str:
    """Summarize with the stub."""
    asked = ("--base-url", server.url, "--documents-field", "texts", "--attribute", "who=who")
    return printed("summarize", source, "--with", "chat:stub-1", "--out", out, *asked, *more)


def split(source: Path, server: StubChat, *more: object) -> str:
    """Split the summaries into claims with the stub."""
    return printed("claims", source, "--with", "chat:stub-1", "--base-url", server.url, *more)


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


def test_how_a_model_is_asked_is_told_alike_everywhere(source: Path, tmp_path: Path) -> None:
    """Tries, time and the key's variable are options of each command that asks; a key in the variable's place is refused."""
    with StubChat(script=["500"] * 10) as server, pytest.raises(SystemExit, match=str(INCOMPLETE)):
        summarize(source, tmp_path / "out.jsonl", server, "--retries", 0, "--timeout", 5)
    assert server.requests == 10
    for command in ("summarize", "claims", "sweep"):
        arguments = [command, source, "--with", "chat:m", "--documents-field", "texts", "--key", "sk-1"]
        with pytest.raises(RequestError, match="key must be the name of an environment variable"):
            printed(*arguments, "--out", tmp_path / "o.jsonl")


def test_prompts_in_files(source: Path, tmp_path: Path) -> None:
    """--prompt FILE stands in place of our prompt, and is sent with the documents, or the summary, in it."""
    prompt = tmp_path / "p.txt"
    with StubChat(answer=lambda _: "- It is red.") as server:
        prompt.write_text("Say it shorter:\n{documents}")
        summarize(source, tmp_path / "o.jsonl", server, "--prompt", prompt)
        prompt.write_text("Claims of: {summary} ->")
        split(
            claim_source(tmp_path, "It is {red}."), server, "--out", tmp_path / "c.jsonl", "--prompt", prompt
        )
    assert server.bodies[0]["messages"][0]["content"].startswith("Say it shorter:\n1. Text")
    assert server.bodies[-1]["messages"] == [{"role": "user", "content": "Claims of: It is {red}. ->"}]


def test_summarize_refuses_what_would_do_harm(source: Path, tmp_path: Path) -> None:
    """Two processes never share an output."""
    with StubChat() as server:
        journal = open_journal(journal_of(tmp_path / "o.jsonl"))
        with journal, pytest.raises(RequestError, match="Another process is writing"):
            summarize(source, tmp_path / "o.jsonl", server)
        assert server.requests == 0


def test_claims_are_split_once_per_text_and_listed_if_unparsed(tmp_path: Path) -> None:
    """Every usable summary gets claims in its line; equal texts are asked for once; replies without a list are shown.

    A list may be JSON in a fence, within an object; a sentence that says other things than the summary is no claim.
    """
    odd = "What do you mean by that? I see no summary to split here, so tell me more about it please!"
    replies = {
        "It is red and broke.": "Here:\n1.The thing is red.\n(2) It broke.", "2.5 percent left, in Sund.": "1. 2.5 percent left.",
        "Odd.": odd, "It shut.": "I would rather not say.", "It is new.": '```json\n{"statements": ["It is new."]}\n```',
    }  # fmt: skip
    source, out = claim_source(tmp_path, "It is red and broke.", *replies, ""), tmp_path / "out.jsonl"
    with StubChat(
        answer=lambda prompt: replies[prompt.rpartition("Summary: ")[2].partition("\n")[0]]
    ) as server:
        said = split(source, server, "--out", out)
        assert server.requests == 5
        assert server.bodies[0]["temperature"] == 0
    twice = [["The thing is red.", "It broke."]] * 2
    assert claims_of(out) == [*twice, ["2.5 percent left."], None, None, ["It is new."], None]
    assert next(iter(readers.read(out))).summary.made["model"] == "m"
    assert "6 claims of 4 summaries, 2 replies unparsed" in said
    assert "(id 'r3'), s: 'What do you mean" in said


def test_a_failed_run_tells_where_its_answers_are(source: Path, tmp_path: Path, fairbrief: Command) -> None:
    """What was answered before the server refused is named; a run without an answer leaves nothing behind."""
    out = tmp_path / "out.jsonl"
    arguments = ["summarize", source, "--with", "chat:stub-1", "--documents-field", "texts", "--out", out]
    with StubChat(script=["ok", "ok", "401"]) as server:
        run = fairbrief(*arguments, "--base-url", server.url, "--concurrency", 1)
    assert f"the answers so far are stored in {out}.journal: run the same command to continue" in run.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl.journal"]
    (tmp_path / "out.jsonl.journal").unlink()
    refused = fairbrief(*arguments)  # without an address
    assert (refused.code, "address" in refused.err, "answers so far" in refused.err) == (2, True, False)
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]


def claim_source(folder: Path, *texts: str) -> Path:
    """A file with a summary of each text."""
    source = folder / "in.jsonl"
    row = {"documents": ["d"], "system": "s", "made": {"model": "m"}}
    return write(source, [{**row, "id": f"r{i}", "summary": text} for i, text in enumerate(texts)])


def claims_of(out: Path) -> list[list[str] | None]:
    """The claims of each summary in a file."""
    cases = readers.read(out)
    return [None if c.summary.claims is None else [u.text for u in c.summary.claims] for c in cases]


def test_a_limit_of_requests_leaves_the_rest_for_the_next_run(tmp_path: Path, fairbrief: Command) -> None:
    """Summaries that were not asked for stand without claims and with the reason; the next run asks only for them."""
    source, out = claim_source(tmp_path, *(f"Text {i}." for i in range(5))), tmp_path / "out.jsonl"
    with StubChat(answer=lambda _: "1. A.") as server:
        arguments = ["claims", source, "--with", "chat:s", "--out", out, "--base-url", server.url]
        stopped = fairbrief(*arguments, "--max-requests", "2")
        assert (stopped.code, server.requests) == (INCOMPLETE, 2)
        assert "5 wanted, 2 asked, 0 from the journal" in stopped.out
        assert claims_of(out).count(None) == 3
        assert fairbrief(*arguments).code == 0
        assert server.requests == 5
    assert claims_of(out) == [["A."]] * 5


def test_dry_runs_ask_nothing_and_tell_calls_tokens_cost_and_a_prompt(source: Path, tmp_path: Path) -> None:
    """--dry-run prints how many calls, tokens and how much money, and one filled prompt; no file is written."""
    out = tmp_path / "out.jsonl"
    (tmp_path / "u").mkdir()
    claims_from = claim_source(tmp_path / "u", "It is red.")
    with StubChat() as server:
        said = summarize(source, out, server, "--dry-run", "--price", "1000000,0", "--prompt", "reviews")
        bounded = summarize(source, out, server, "--dry-run", "--price", "0,1000000", "--max-tokens", 7)
        claims = split(claims_from, server, "--out", out, "--dry-run")
        assert server.requests == 0
    assert "10 wanted, 0 already answered, 10 calls to make" in said
    assert "any number of tokens of answers" in said
    assert "cost at least" in said
    assert "1. Text 0 is long." in said
    assert "cost at most about 70.0000" in bounded
    assert "1 wanted, 0 already answered, 1 call to make" in claims
    assert "Summary: It is red." in claims
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "u"]


@pytest.mark.parametrize(("options", "says"), [
    (("--prompt", "nowhere"), "no prompt 'nowhere'"),
    (("--instruction", "fairest"), "No clause 'fairest'"),
    (("--instruction", "ratio"), "name their attribute"),
    (("--instruction", "ratio", "--over", "party"), "no document has the attribute 'party'"),
    (("--prompt", "perspectives-topic"), "has no attribute 'topic'"),
    (("--prompt", "source", "--words", "20"), "no place for words"),
    (("--words", "80", "--sentences", "2"), "both given"),
    (("--samples", "4", "--temperature", "0"), "one text, paid 4 times"),
    (("--price", "1e3"), "1e3: give the price per million tokens"),
    (("--price", "inf,1"), "inf,1: give the price per million tokens"),
    (("--temperature", "inf"), "give a number, at least 0"),
])  # fmt: skip
def test_nothing_is_paid_unchecked(source: Path, tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    """What one record's prompt lacks is found before the first request, wherever in the file the record stands."""
    with StubChat() as server:
        with pytest.raises((RequestError, DataError), match=says):
            summarize(source, tmp_path / "o.jsonl", server, *options)
        assert server.requests == 0
    assert not (tmp_path / "o.jsonl").exists()


def test_the_first_reason_of_a_failure_is_printed(source: Path, tmp_path: Path, fairbrief: Command) -> None:
    """What the server said at the first failure of a kind stands below the counts, and what can be done."""
    with StubChat(faults={"400": 1.0}) as server:
        arguments = ["summarize", source, "--with", "chat:stub-1", "--documents-field", "texts"]
        run = fairbrief(*arguments, "--base-url", server.url, "--out", tmp_path / "o.jsonl")
    assert run.code == INCOMPLETE
    assert "10 × 400, the first:" in run.out + run.err
    assert "The server rejected" in run.out + run.err


def test_summaries_are_named_as_they_are_told(source: Path, tmp_path: Path) -> None:
    """--system names the system in the file; another name asks nothing again."""
    out = tmp_path / "out.jsonl"
    with StubChat() as server:
        summarize(source, out, server)
        summarize(source, out, server, "--system", "warm")
        assert server.requests == 10
        summarize(source, tmp_path / "s.jsonl", server, "--system", "cold", "--samples", 2)
    assert {c.summary.system for c in readers.read(out)} == {"warm"}
    assert {c.summary.system for c in readers.read(tmp_path / "s.jsonl")} == {"cold#1", "cold#2"}


@pytest.mark.parametrize(("whole", "plain", "notes"), [(5, 3, 1), (5, 0, 0), (0, 3, 0)])
def test_an_audit_says_how_many_summaries_fell_back_from_claims_to_sentences(
    whole: int, plain: int, notes: int, tmp_path: Path
) -> None:
    """Where some summaries have claims and others none, the measures that look for claims say how many; else nobody does."""
    lines = [row(i, system="s", claims=["It is red."]) for i in range(whole)]
    source = write(tmp_path / "in.jsonl", [*lines, *(row(whole + i, system="s") for i in range(plain))])
    measures = ("--measure", "equal_coverage@mood", "--measure", "uer@mood", "--resamples", "20")
    said = " ".join(printed("audit", source, *measures).split())
    assert said.count("3 of 8 summaries by s have no claims and are split into sentences") == notes
    assert said.count("split into sentences") == notes


def test_a_dry_audit_counts_what_chat_judges_would_be_asked(tmp_path: Path) -> None:
    """--dry-run tells the calls of judges behind a chat service, less what the cache holds, and asks nothing."""
    path, cache = tmp_path / "in.jsonl", tmp_path / "scores.sqlite"
    row = {"documents": ["It is red."], "system": "s"}
    rows = [{**row, "id": f"r{i}", "summary": f"Red {i}."} for i in range(6)]
    write(path, rows[:2])
    with StubChat(answer=lambda _: "Fine. Score: 4") as server:
        measure = f"judged(scorer=judge(model=stub-1, base_url='{server.url}'))"
        arguments = ("audit", path, "--measure", measure, "--cache", cache)
        printed(*arguments, "--resamples", 0)
        asked = server.requests
        write(path, rows)
        said = printed(*arguments, "--dry-run", "--price", "1000000,0")
        assert server.requests == asked == 2
    assert "6 wanted, 2 already answered, 4 calls to make" in said
    assert "cost at least" in said
    assert "Judge the relevance of a summary" in said


def test_a_dry_audit_counts_random_sentences_and_checks_of_scorers(tmp_path: Path) -> None:
    """The calls that --dry-run tells are those that the same audit then makes, also of options that need resamples."""
    said = {"He left his flat.": "male", "She kept her dog.": "female", "He sold the old car.": "male"}
    documents = [{"text": text, "attributes": {"gender": gender}} for text, gender in said.items()]
    path = write(
        tmp_path / "in.jsonl",
        [{"id": i, "documents": documents, "summary": f"He met {i}."} for i in range(3)],
    )
    with StubChat(answer=lambda _: "0.5") as server:
        measure = f"equal_coverage(scorer=chat_entailment(model=stub-1, base_url='{server.url}'))@gender"
        asked = []
        for more in ((), ("--extracts", 2), ("--check-scorers",)):
            arguments, before = (
                ("audit", path, "--measure", measure, "--resamples", 20, *more),
                server.requests,
            )
            told = printed(*arguments, "--dry-run")
            printed(*arguments)
            asked.append(server.requests - before)
            assert f" {asked[-1]} calls to make" in told
    assert asked[0] < min(asked[1:])
