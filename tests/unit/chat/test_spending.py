"""What is paid for: a budget that is kept while many requests are open, and a journal that keeps every answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stub_chat import StubChat

from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import Endpoint, Question, Tally
from fairbrief.chat.journal import open_journal
from fairbrief.chat.spending import PER_MESSAGE, Budget, BudgetSpent, Price
from fairbrief.errors import RequestError

PRICE = Price(1e6, 1e6)
"""One unit of money a token."""


def ask(server: StubChat, budget: Budget, count: int = 200, tally: Tally | None = None) -> int:
    """Ask so many questions of eight words, sixteen at once; how many replies came before the budget ended."""
    endpoint = Endpoint("stub-1", base_url=server.url, concurrency=16, pause=0.01, timeout=5.0, retries=20)
    asked = ((i, Question((("user", f"a b c d e f g {i:03}"),), (("max_tokens", 10),))) for i in range(count))
    came: list[int] = []

    def gather() -> None:
        for batch in replies(endpoint, asked, tally, budget):
            came.extend(key for key, _ in batch)

    with pytest.raises(BudgetSpent):
        gather()
    return len(came)


@pytest.mark.parametrize("limit", [1, 15, 16, 17, 100])
def test_requests_are_counted_exactly_with_sixteen_open(limit: int) -> None:
    """Exactly as many requests as allowed reach the server, faults and tries included, never one more."""
    with StubChat(faults={"500": 0.2, "cut": 0.1}, seed=limit, delay=0.002) as server:
        budget, tally = Budget(limit), Tally()
        came = ask(server, budget, tally=tally)
    assert server.requests == budget.requests == tally.requests == limit
    assert came == limit - tally.failed_tries


@pytest.mark.parametrize("limit", [60.0, 300.0, 1000.0])
def test_money_is_never_passed_and_used_up_to_the_last_possible_request(limit: int) -> None:
    """What the server charged stays within the limit, and less is left than one more request could cost."""
    with StubChat(delay=0.002) as server:
        budget = Budget(max_cost=limit, price=PRICE)
        came = ask(server, budget)
    charged = came * (8 + 2)  # the stub counts words: eight of the question, two of its answer
    most = PER_MESSAGE + len("a b c d e f g 000") + 10
    assert budget.cost == pytest.approx(charged)
    assert limit - most < charged <= limit
    assert server.requests == came


def test_a_request_that_may_have_been_charged_counts_as_the_most_it_could_cost() -> None:
    """A connection that ends inside the body is counted in full; a server error costs nothing."""
    most = PER_MESSAGE + len("a b c d e f g 000") + 10
    with StubChat(script=["cut", "500"]) as server:
        budget = Budget(max_cost=500.0, price=PRICE)
        came = ask(server, budget)
    assert budget.cost == pytest.approx(most + came * 10)


def test_a_budget_counts_what_earlier_runs_sent(tmp_path: Path) -> None:
    """Requests that came back count as charged, those that did not as the most they could be; a torn line counts nothing."""
    log = tmp_path / "folder" / "a.spent"
    first = Budget(log=log, price=PRICE, max_cost=1000)
    held = first.reserve((20, 10))
    first.settle(held, (8, 2))
    first.reserve((20, 10))  # killed before it came back
    log.write_bytes(log.read_bytes() + b"1f2e3d4c 2 {")  # cut short
    second = Budget(log=log, price=PRICE, max_cost=1000, max_requests=3)
    assert (second.requests, second.requests_before, second.cost) == (2, 2, 40.0)
    second.settle(second.reserve((20, 10)), (1, 1))
    assert not second.has_room((0, 0))
    assert (Budget(log=log).requests, Budget(log=log, price=PRICE).cost) == (
        3,
        42.0,
    )


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    """Another program's file is neither read nor written to."""
    (tmp_path / "a.spent").write_text("mine\n")
    with pytest.raises(RequestError, match="move that file"):
        Budget(log=tmp_path / "a.spent")


def test_several_who_ask_share_one_budget() -> None:
    """What one run of questions has used is gone for the next."""
    with StubChat() as server:
        budget = Budget(20)
        endpoint = Endpoint("stub-1", base_url=server.url)
        questions = ((i, Question((("user", str(i)),))) for i in range(12))
        assert sum(len(batch) for batch in replies(endpoint, questions, None, budget)) == 12
        assert ask(server, budget) == 8
        assert server.requests == 20


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_requests": 0}, "1 or more"),
        ({"max_cost": 1.0}, "--price"),
        ({"max_cost": 0.0, "price": PRICE}, "more than 0"),
        ({"max_cost": float("nan"), "price": PRICE}, "more than 0"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(settings: dict[str, object], says: str) -> None:
    """Limits that allow nothing, and a limit of money without a price, are errors."""
    with pytest.raises(RequestError, match=says):
        Budget(**settings)  # type: ignore[arg-type]  # a test's settings


ENTRIES = [(f"key{i}", {"summary": f"text {i} \u2028 \ud800 ü", "n": i}) for i in range(5)]


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    """Answers come back as they were, whatever characters they hold; the last one under a key holds."""
    with open_journal(tmp_path / "j") as journal:
        journal.append(ENTRIES)
        journal.append([("key0", {"summary": "newer"})])
    with open_journal(tmp_path / "j") as journal:
        assert len(journal) == 5
        assert journal["key0"] == {"summary": "newer"}
        assert [journal[key] for key, _ in ENTRIES[1:]] == [value for _, value in ENTRIES[1:]]
        assert "key9" not in journal


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_cut_anywhere_it_keeps_the_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A file cut at any byte opens with exactly the answers that are whole in it, and goes on from there."""
    path = tmp_path_factory.mktemp("cut") / "j"
    with open_journal(path) as journal:
        journal.append(ENTRIES)
        ends = [start + length for start, length in journal.places.values()]
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    with open_journal(path) as journal:
        assert len(journal) == sum(end <= cut for end in ends)
        journal.append([("more", {"n": 1})])
    with open_journal(path) as journal:
        assert journal["more"] == {"n": 1}
        assert journal.damaged == 0


def test_a_damaged_line_is_passed_over_and_counted(tmp_path: Path) -> None:
    """A line whose checksum is wrong is as good as absent, and the lines after it are not."""
    path = tmp_path / "j"
    with open_journal(path) as journal:
        journal.append(ENTRIES)
    path.write_bytes(path.read_bytes().replace(b"text 2", b"text X"))
    with open_journal(path) as journal:
        assert (len(journal), journal.damaged) == (4, 1)
        assert "key2" not in journal


def test_another_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A file that is no journal is not written to."""
    (tmp_path / "j").write_text('{"precious": 1}\n')
    with pytest.raises(RequestError, match="not a journal of Fairbrief"), open_journal(tmp_path / "j"):
        pass
    assert (tmp_path / "j").read_text() == '{"precious": 1}\n'
