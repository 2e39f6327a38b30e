"""Whole experiments from one file: the papers' five, resuming, refusing, and what a kill leaves."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.experiment_stub import answer
from tests.stub_chat import StubChat
from typer.testing import CliRunner, Result

from fairbrief.atomic_files import locked
from fairbrief.chat.endpoint import Tally
from fairbrief.chat.spending import Budget, Price
from fairbrief.cli import app
from fairbrief.cli.command_line import INCOMPLETE
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.reports import load
from fairbrief.scorers.chat_judge import Judge, within
from fairbrief.workbench.experiment_file import read_experiment

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FIVE = sorted(path.name for path in (EXAMPLES / "experiments").glob("*.toml"))


def tidy_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table of results."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def run(file: Path, out: Path, *options: str) -> Result:
    """``fairbrief run``; an error of ours is raised."""
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(out), *options])
    if isinstance(done.exception, FairbriefError):
        raise done.exception
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> StubChat:
    """A server that answers with words of the prompt, where the environment looks for one."""
    stub = StubChat(answer=answer)
    with stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub  # type: ignore[misc]  # a fixture


def smaller(name: str, folder: Path) -> Path:
    """An example with its data in a folder of its own, at the size of a test."""
    shutil.copytree(EXAMPLES / "experiments" / "data", folder / "experiments" / "data")
    shutil.copy(EXAMPLES / "reviews.jsonl", folder)
    text = (EXAMPLES / "experiments" / name).read_text(encoding="utf-8")
    file = folder / "experiments" / name
    file.write_text(
        text.replace("[audit]\n", "[audit]\nresamples = 99\n").replace("samples = 4\n", "samples = 2\n")
    )
    return file


@pytest.mark.parametrize("name", FIVE)
def test_a_papers_experiment_runs_from_one_file(name: str, tmp_path: Path, server: StubChat) -> None:
    """Data, summaries, units, audit and page come from one command; the second asks nothing and finds the same."""
    file, out = smaller(name, tmp_path), tmp_path / "out"
    assert run(file, out).exit_code in (0, INCOMPLETE)
    cells = [cell.name for cell in read_experiment(file).cells()]
    rows = list(tidy_rows(out / "results.csv"))
    assert {row["cell"] for row in rows if not row["cell"].startswith("sanity:")} == set(cells)
    assert {row["minus"] for row in rows if row["kind"] == "difference"} <= set(cells)
    assert all(row["n"] for row in rows)
    assert max(server.served.values()) >= 1
    page = (out / "experiment.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2
    assert "http://127" not in page
    asked, before = server.requests, (out / "results.csv").read_bytes()
    assert run(file, out).exit_code in (0, INCOMPLETE)
    assert server.requests == asked
    assert (out / "results.csv").read_bytes() == before


def test_the_five_papers_are_there() -> None:
    """One experiment per paper."""
    assert [name.partition("-")[0] for name in FIVE] == ["chau", "chhabra", "li", "steen", "zhang"]


SMALL = """
[data]
files = "records.jsonl"
attributes = ["side"]
[[systems]]
with = "chat:stub-1(pause=0.01)"
temperature = [0.5, 1.0]
[audit]
measures = ["uer"]
resamples = 20
"""


def write_records(folder: Path, count: int = 12) -> Path:
    """Records with a side, and an experiment on them."""
    documents = [{"text": f"{word} {i}", "attributes": {"side": side}} for i in range(2) for word, side in (("Oak", "a"), ("Elm", "b"))]  # fmt: skip
    lines = (json.dumps({"id": f"r{i}", "documents": [*documents, {"text": f"Ash {i}", "attributes": {"side": "a"}}]}) for i in range(count))  # fmt: skip
    (folder / "records.jsonl").write_text("\n".join(lines) + "\n")
    file = folder / "small.toml"
    file.write_text(SMALL)
    return file


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (("[audit]", "[audit]\nmeasure = 'uer'"), DataError, r"has the key 'measure'. Did you mean 'measures'"),
        (("[audit]", "[adit]"), DataError, "no table or key 'adit'. Did you mean 'audit'"),
        (('"uer"', '"uwer"'), RequestError, "No measure named 'uwer'"),
        (('"side"', '"sid"'), RequestError, "side"),
        (("temperature = [0.5, 1.0]", "warmth = 1"), RequestError, "no setting 'warmth'"),
        (("temperature = [0.5, 1.0]", "temperature = []"), DataError, "at least one value"),
        (("temperature = [0.5, 1.0]", "instruction = ['none', 'fairest']"), RequestError, "No clause 'fairest'"),
        (("temperature = [0.5, 1.0]", "prompt = 'tweets'"), DataError, "topic"),
        (("temperature = [0.5, 1.0]", "temperature = 0.0\nsamples = 4"), RequestError, "paid 4 times"),
        (("temperature = [0.5, 1.0]", "temperature = 0.0\nseed = [1, 2]"), RequestError, "ask the same"),
        (("temperature = [0.5, 1.0]", "draw = [0, 1]\nprompt = 'reviews'"), RequestError, "ask the same"),
        (("temperature = [0.5, 1.0]", "words = 80\nsentences = 2"), RequestError, "both wished"),
        (("resamples = 20", "ordered = 1"), DataError, r"\[audit\] ordered: found 1, wanted true or false"),
        (("resamples = 20", "ordered = true"), DataError, "has no effect with --measure"),
        (("resamples = 20", "baseline = 'x'"), RequestError, "No cell is named 'x'"),
        (("resamples = 20", "resamples = '20'"), DataError, r"\[audit\] resamples: found '20', wanted a number"),
        (("resamples = 20", "[gate]\nmax = ['uer>=1']"), RequestError, "write a rule with <="),
        (("resamples = 20", "[gate]\nmax = ['uwer<=1']"), RequestError, "No measure named 'uwer'"),
        (("resamples = 20", "[budget]\nmax_cost = 1"), RequestError, "--price"),
        (("resamples = 20", "[budget]\nmax_cost = 1\nprice = [1, 1]"), RequestError, "--max-tokens"),
        (('measures = ["uer"]\nresamples = 20', "measures = ['judged(scorer=\"judge(model=m)\")']\n[budget]\nmax_cost = 1\nprice = [1, 1]"), RequestError, "max_tokens"),
        (("resamples = 20", "[budget]\nprice = 1"), DataError, r"\[IN, OUT\]"),
        (("resamples = 20", "[claims]\nwith = 'lead'"), DataError, "a chat model"),
        (("files = \"records.jsonl\"", "files = 'nowhere.jsonl'"), FairbriefError, "nowhere.jsonl"),
        (("files = \"records.jsonl\"", ""), DataError, "either files"),
    ],
)  # fmt: skip
def test_nothing_is_paid_before_everything_is_checked(
    change: tuple[str, str], error: type[Exception], says: str, tmp_path: Path, server: StubChat
) -> None:
    """Whatever is wrong with the file, the data, a prompt, a measure or a limit is found before the first request."""
    file = write_records(tmp_path)
    file.write_text(SMALL.replace(*change))
    with pytest.raises(error, match=says):
        run(file, tmp_path / "out")
    assert server.requests == 0


def test_one_folder_is_for_one_run_at_a_time(tmp_path: Path, server: StubChat) -> None:
    """While another process runs the experiment it is refused, and nothing is asked."""
    file = write_records(tmp_path)
    with locked(tmp_path / "out" / "experiment.html"), pytest.raises(RequestError, match="Another process"):
        run(file, tmp_path / "out")
    assert server.requests == 0


def test_a_dry_run_asks_nothing(tmp_path: Path, server: StubChat) -> None:
    """--dry-run tells the calls of all cells and shows a filled prompt."""
    file = write_records(tmp_path)
    done = run(file, tmp_path / "out", "--dry-run")
    assert "24 wanted, 0 answered already, 24 calls to make" in done.output
    assert "Ash 0" in done.output
    file.write_text(SMALL.replace('["uer"]', """["uer", "judged(scorer='judge(model=j)')"]""") + UNITS)
    more = run(file, tmp_path / "out", "--dry-run").output
    assert "then stub-1 splits 24 summaries into claims" in more
    assert "judge(model=j)) has 24 summaries judged" in more.replace("'", "")
    assert server.requests == 0


def test_the_keys_of_a_budget_are_heard_by_cells_and_judges(tmp_path: Path) -> None:
    """How hard models are asked is said once for all of them, but for what a model says itself."""
    file = write_records(tmp_path)
    file.write_text(
        f"{SMALL}[budget]\nconcurrency = 3\nper_minute = 90\ntimeout = 2.5\nretries = 0\nprice = [0.15, 2]\n"
    )
    experiment = read_experiment(file)
    wanted = {"concurrency": 3, "per_minute": 90, "timeout": 2.5, "retries": 0}
    chat = experiment.cells()[0].jobs(tmp_path)[0].summarizer.endpoint()
    judge = within(Budget(), Tally(), experiment.budget.pace, Judge("m"), None)
    own = within(Budget(), Tally(), experiment.budget.pace, Judge("m", retries=9), None)
    assert {name: getattr(chat, name) for name in wanted} == wanted
    assert {name: getattr(judge, name) for name in wanted} == wanted
    assert own.retries == 9
    assert experiment.budget.budget(tmp_path / "log").price == Price(0.15, 2)


def test_a_budget_holds_over_the_whole_grid_and_what_came_is_audited(
    tmp_path: Path, server: StubChat
) -> None:
    """One limit for all cells and runs, exactly kept with sixteen open; both cells have the same records; the rest
    comes when the limit is raised.
    """
    file, out = write_records(tmp_path), tmp_path / "out"
    file.write_text(f"{SMALL}\n[budget]\nmax_requests = 14\n")
    done = run(file, out)
    assert done.exit_code == INCOMPLETE
    assert "14 requests" in done.output
    assert server.requests == 14
    estimates = [e for e in load(out / "audit").estimates if e.quantity == "uer"]
    assert [e.n for e in estimates] == [7, 7]
    assert {e.excluded["not asked"] for e in estimates} == {5}
    again = run(file, out)
    assert (again.exit_code, server.requests) == (INCOMPLETE, 14)
    assert "raise it to continue" in again.output
    file.write_text(file.read_text().replace("= 14", "= 24"))
    assert run(file, out).exit_code == 0
    assert server.requests == 24
    assert max(server.served.values()) <= 2  # the same words at two temperatures


def test_what_a_killed_run_has_spent_counts(tmp_path: Path, server: StubChat) -> None:
    """A run that is killed with -9 has used up what it sent, answered or not: all runs together send no more than the limit."""
    file, out, limit = write_records(tmp_path, 60), tmp_path / "out", 60
    file.write_text(f"{SMALL}\n[budget]\nmax_requests = {limit}\n")
    server.delay = 0.02
    process = subprocess.Popen([*COMMAND, str(file), "--out", str(out), "--quiet"], stderr=subprocess.DEVNULL)
    while server.requests < 20 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.1)
    assert 20 <= server.requests < limit
    done = run(file, out)
    assert done.exit_code == INCOMPLETE
    assert limit - 16 <= server.requests <= limit  # a request may have been noted and not yet sent


JUDGED = """
[[systems]]
with = "lead"
[audit]
measures = ["rougeL", "judged(scorer='judge(model=stub-1, pause=0.01, max_tokens=20)')"]
resamples = 20
[budget]
max_requests = 5
concurrency = 3
"""


def test_judges_are_asked_within_the_budget_of_the_experiment(tmp_path: Path, server: StubChat) -> None:
    """Their requests count, their pace is the experiment's, and when the limit is raised only the rest is asked for."""
    server.answer = lambda _: "It is fine. Score: 4"
    server.delay = 0.01
    file, out = write_records(tmp_path, 12), tmp_path / "out"
    lines = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    (tmp_path / "records.jsonl").write_text("".join(json.dumps({**line, "references": ["Oak 1"]}) + "\n" for line in lines))  # fmt: skip
    data = SMALL.partition("[[systems]]")[0]
    file.write_text(data + JUDGED)
    done = run(file, out)
    assert (done.exit_code, server.requests) == (INCOMPLETE, 5)
    assert server.open_most <= 3
    stopped = load(out / "audit")
    assert {e.measure for e in stopped.estimates} == {"rougeL"}
    assert any("budget was spent" in left.reason for left in stopped.not_measured)
    file.write_text(data + JUDGED.replace("= 5", "= 12"))
    assert run(file, out).exit_code == 0
    assert server.requests == 12
    judged = next(e for e in load(out / "audit").estimates if e.quantity == "judged")
    assert (judged.value, judged.n) == (4.0, 12)
    assert run(file, out).exit_code == 0
    assert server.requests == 12


def test_a_changed_experiment_asks_only_for_what_changed(tmp_path: Path, server: StubChat) -> None:
    """A changed measure audits again and asks nothing; a changed source of built data is built and asked for again."""
    file, out = smaller("zhang-perspectives.toml", tmp_path), tmp_path / "out"
    run(file, out)
    asked = server.requests
    file.write_text(file.read_text().replace('["bur", "uer", "auc", "sof"]', '["uer"]'))
    run(file, out)
    assert server.requests == asked
    assert {row["measure"] for row in tidy_rows(out / "results.csv")} == {"uer@stance"}
    source = tmp_path / "experiments" / "data" / "bus-lanes.jsonl"
    source.write_text(source.read_text().replace("sixty cars", "seventy cars"))
    run(file, out)
    assert server.requests > asked


UNITS = '\n[claims]\nwith = "chat:stub-1(pause=0.01, max_tokens=99)"\n'


def test_killed_at_eight_points_nothing_is_paid_twice_beyond_what_was_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With -9 at eight points of its way, through summaries and units: every prompt is answered, no kill costs more
    than the questions that were open, and the result is that of a run that nobody disturbed.
    """
    file, concurrency, kills = write_records(tmp_path, 60), 4, 8
    file.write_text(f"{SMALL}{UNITS}\n[budget]\nconcurrency = {concurrency}\n")
    with StubChat(answer=answer, delay=0.01, keeps_bodies=False) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        for _ in range(kills):
            process = subprocess.Popen([*COMMAND, str(file), "--out", str(tmp_path / "out"), "--quiet"], stderr=subprocess.DEVNULL)  # fmt: skip
            goal = stub.requests + 13
            while stub.requests < goal and process.poll() is None:
                time.sleep(0.002)
            assert process.poll() is None, "the run ended before it could be killed"
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert run(file, tmp_path / "out").exit_code == 0
        paid, wanted = sum(stub.served.values()), Counter(stub.served.keys())
        requests = stub.requests
        assert run(file, tmp_path / "out").exit_code == 0
        assert stub.requests == requests
    with StubChat(answer=answer) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        assert run(file, tmp_path / "undisturbed").exit_code == 0
        needed = sum(stub.served.values())
        assert set(stub.served) == set(wanted)
    assert needed <= paid <= needed + kills * concurrency
    told = [(tmp_path / name / "results.csv").read_text() for name in ("out", "undisturbed")]
    assert told[0] == told[1]


COMMAND = (sys.executable, "-c", "from fairbrief.cli import main; main()", "run")


@pytest.mark.usefixtures("server")
def test_the_page_holds_no_markup_of_the_data(tmp_path: Path) -> None:
    """A title with markup is shown, not run."""
    file = write_records(tmp_path)
    file.write_text(f'title = "<script>alert(1)</script>"\n{SMALL}')
    run(file, tmp_path / "out")
    page = (tmp_path / "out" / "experiment.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert re.search("&lt;script&gt;", page)
