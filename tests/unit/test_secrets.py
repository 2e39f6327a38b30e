"""No password and no key is printed or written; files with prompts and replies are private."""

import json
import stat
from pathlib import Path

import pytest
from tests.cli.command import Command, rows, write
from tests.stub_chat import StubChat, asking

from fairbrief.text.addresses import hide, redacted

PASSWORD, KEY = "hunter2secret", "sk-live-0123456789abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def everything(folder: Path) -> bytes:
    """All that stands in a folder's files."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def with_password(server: StubChat) -> str:
    """The server's address with a user and a password in it."""
    return server.url.replace("://", f"://me:{PASSWORD}@")


@pytest.mark.parametrize("command", ["summarize", "sweep", "claims", "judge"])
def test_no_secret_is_printed_or_written(
    command: str, tmp_path: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a password in the environment's address and a server that echoes the key, both appear nowhere."""
    source = write(tmp_path / "in.jsonl", rows(4))
    echoed = f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}"
    (tmp_path / "made").mkdir()
    faults = ["echo-filter", "echo-500", "echo-400"]
    with StubChat(script=faults, echoed=echoed, answer=lambda _: "Score: 4") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", with_password(server))
        model = "(model=stub-1, retries=1, pause=0.01, concurrency=1)"
        cache = ("--cache", tmp_path / "made" / "cache") if command == "judge" else ()
        run = fairbrief(*asking(command, source, model, tmp_path / "made" / "o.jsonl"), *cache)
        assert server.requests >= 4
        assert server.users == {f"me:{PASSWORD}"}
    written = everything(tmp_path / "made").decode("utf-8", "replace") + run.out + run.err
    assert PASSWORD not in written
    assert KEY not in written


def test_errors_name_no_secret(tmp_path: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is refused, a key in a setting and a refused key are told without them."""
    source = write(tmp_path / "in.jsonl", rows(2))
    out = tmp_path / "o.jsonl"
    for setting in (f"base_url=http://me:{PASSWORD}@host", f"key={KEY}", "key=hunter2secret!"):
        run = fairbrief("summarize", source, "--with", f"chat(model=m, {setting})", "--out", out)
        assert run.code == 2
        assert PASSWORD not in run.err
        assert KEY not in run.err
    with StubChat(faults={"401": 1.0}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", with_password(server))
        run = fairbrief("summarize", source, "--with", "chat:m", "--out", out)
    assert run.code == 2
    assert "http://***@127.0.0.1" in run.err
    assert PASSWORD not in run.err


@pytest.mark.parametrize(("text", "wanted"), [
    ("at https://u:p4ssw0rd@host/v1?x=1", "at https://***@host/v1?x=1"),
    ("https://host/v1?api-key=abcdef123&y=2", "https://host/v1?api-key=***&y=2"),
    ('{"api_key": "abcdef123"}', '{"api_key": "***"}'),
    ("Authorization: Bearer abcdefghij", "Authorization: Bearer ***"),
    ("token hf_abcdefghijklmnop is wrong", "token *** is wrong"),
    ("max_tokens=1000000, prompt tokens: 123456", "max_tokens=1000000, prompt tokens: 123456"),
    ("a@b.example wrote http://host/a@b", "a@b.example wrote http://host/a@b"),
])  # fmt: skip
def test_what_looks_like_a_secret_is_hidden(text: str, wanted: str) -> None:
    """Users of addresses, keys by their form or their name; nothing else."""
    assert redacted(text) == wanted


def test_a_known_secret_is_hidden_whatever_it_looks_like() -> None:
    """A key that was used is hidden wherever it stands."""
    hide("plain words of a key")
    assert redacted("no: plain words of a key.") == "no: ***."


def test_prompts_and_replies_are_the_users_alone(tmp_path: Path, fairbrief: Command) -> None:
    """Summaries, units and journals are made for their user; a file that others may read stays so."""
    source, out, open_ = (tmp_path / f"{name}.jsonl" for name in ("in", "out", "open"))
    write(source, rows(3))
    open_.touch()
    open_.chmod(0o644)
    with StubChat(answer=lambda _: "- It is red.") as server:
        asked = ("--with", "chat:m", "--base-url", server.url, "--out")
        for path in (out, open_):
            assert fairbrief("summarize", source, *asked, path).code == 0
        assert fairbrief("claims", out, *asked, tmp_path / "units.jsonl").code == 0
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path != source}
    assert modes.pop("open.jsonl") == 0o644
    assert set(modes.values()) == {0o600}, modes
    assert json.loads(out.read_text().splitlines()[0])["summary"] == "- It is red."
