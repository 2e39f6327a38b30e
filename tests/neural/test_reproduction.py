"""Every command of the reproduction page runs, on the examples and tiny models, and prints the result it stands by."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.stub_chat import StubChat

from docs import commands, generate, reproduction
from fairbrief.pretrained import hub

MODELS = ("roberta-large-mnli", "facebook/bart-large-cnn", "roberta-large")
RESULTS = [(name, result) for name, _, results in reproduction.declared() for result in results]
COMMANDS: dict[tuple[str, ...], list[str]] = {}
for name, result in RESULTS:
    if result.commands:
        COMMANDS.setdefault(result.commands, []).append(f"{name} {result.number}: {result.prints}")


@pytest.fixture
def stand_ins(
    classifier_folder: Path, bart_folder: Path, deep_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Tiny models under the names of the papers' models, and a chat server of our own."""
    pytest.importorskip("nltk")
    folders = dict(zip(MODELS, (classifier_folder, bart_folder, deep_encoder), strict=True))
    monkeypatch.setattr(hub, "cached", lambda model, _: folders.get(model))
    with StubChat(answer=_answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield


def _answer(prompt: str) -> str:
    return (
        "A score.\nScore: 4"
        if "Score: N" in prompt
        else "The staff is kind and the room is bright. The soup was cold."
    )


@pytest.mark.usefixtures("nltk_data", "stand_ins")
@pytest.mark.parametrize("told", COMMANDS, ids=lambda told: " && ".join(told)[:60])
def test_the_commands_of_a_result_run_and_print_it(told: Sequence[str]) -> None:
    """Each command ends well, and the last one's output holds what the declaration says, for each result it stands by."""
    with generate.fresh_folder():
        for command in told:
            program, *arguments = shlex.split(command)
            assert program == "fairbrief"
            status, printed = commands.run(arguments)
            assert status == 0, f"{command}\n{printed}"
    flat = " ".join(printed.split())
    missing = [wanted for wanted in COMMANDS[tuple(told)] if wanted.partition(": ")[2] not in flat]
    assert not missing, f"{missing} not in\n{printed}"


def test_no_result_lacks_both_a_command_and_a_reason() -> None:
    """Every numbered item of the papers is there once, with a command or the reason why it cannot be had."""
    assert {name for name, _ in RESULTS} >= {
        "steen-people",
        "zhang-perspectives",
        "li-coverage",
        "chhabra-position",
        "chau-sentiment",
    }
    for name in {name for name, _ in RESULTS}:
        numbers = [result.number for found, result in RESULTS if found == name]
        assert len(numbers) == len(set(numbers)), name
