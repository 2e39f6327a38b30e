"""Reads the fenced blocks of a page and runs them as a reader would.

```console      lines that begin with ``$`` are run, and each must print the lines below it
```python       run, the page's blocks one after another in one namespace; a ```text block right
                below is what it must print
```python TOOL  the same if the package TOOL is installed; otherwise only compiled
```csv NAME     (any language and a file's name) written to that file
```sh           not run, but every ``fairbrief`` line in it must be one that the command line takes
```console parse    the same, for what needs a model or a network

In shown output ``…`` matches anything, alone on a line for any lines; how wide a gap is does not matter.
"""

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docs import commands
from fairbrief import cli, registry, specs
from fairbrief.cli import settings_file

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
SHELLS = ("", "sh", "bash", "shell", "console")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the word behind it (a file's name, say), its text and line."""

    language: str
    word: str
    body: str
    line: int
    follows: bool
    """Whether nothing is between this block and the one before."""


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        language, _, word = match["info"].strip().partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        follows = not text[end : match.start()].strip()
        found.append(Block(language, word.strip(), match["body"], line, follows))
        end = match.end()
    return found


def run_page(path: Path) -> int:
    """Run every block of a page in the working folder; how many did something. AssertionError says what failed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = blocks(path.read_text(encoding="utf-8"))
    ran = 0
    for i, block in enumerate(found):
        where = f"{path.name}:{block.line}"
        following = found[i + 1] if i + 1 < len(found) else None
        if block.language == "python" and "." not in block.word:
            if block.word and find_spec(block.word) is None:
                compile(block.body, where, "exec")
                continue
            printed = _run_python(block.body, namespace, where)
            if following is not None and following.language == "text" and following.follows:
                _compare(following.body, printed, where)
        elif block.language == "console" and block.word != "parse":
            _run_console(block.body, where)
        elif block.language in SHELLS:
            for line in _command_lines(block.body):
                check_line(line, where)
        elif block.word:
            Path(block.word).write_text(block.body, encoding="utf-8")
        else:
            continue
        ran += 1
    return ran


def _run_python(code: str, namespace: dict[str, Any], where: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), commands.built_ins_only():
        exec(compile(code, where, "exec", dont_inherit=True), namespace)
    return printed.getvalue()


def _run_console(body: str, where: str) -> None:
    status = 0
    for line, shown in _prompts(body):
        words = shlex.split(line)
        if words[:2] == ["echo", "$?"]:
            printed = f"{status}\n"
        elif words[0] == "cat":
            printed = "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
        elif words[0] == "fairbrief":
            status, printed = commands.run(words[1:])
        else:
            raise AssertionError(f"{where}: only fairbrief, cat and echo $? are run in a console: {line}")
        if shown.strip() not in ("", "…"):
            _compare(shown, printed, where)
        elif words[0] == "fairbrief":
            assert status == 0, f"{where}: {line} ended with {status}: {printed}"


def _prompts(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, continued lines joined, each with the output below it."""
    command = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
    return [(head.replace("\\\n", " "), shown) for head, shown in command.findall(body)]


def _command_lines(body: str) -> list[str]:
    lines = (line.strip().removeprefix("$ ") for line in body.replace("\\\n", " ").splitlines())
    return [line for line in lines if line.startswith("fairbrief ")]


def check_line(line: str, where: str) -> None:
    """Raise AssertionError unless the command line knows the command and all of its options."""
    words = shlex.split(re.split(r" (?:\||\|\||&&|>) ", line)[0], comments=True)[1:]
    if not words or words[0].startswith("--"):
        return
    assert words[0] in cli.COMMANDS, f"{where}: no command '{words[0]}': {line}"
    command: Any = cli.loaded(words[0])
    # A file of settings exists only where the line is run.
    rest = ["input.jsonl" if settings_file.is_one(word) else word for word in words[1:]]
    while rest and rest[0] in getattr(command, "commands", {}):
        command, rest = command.commands[rest[0]], rest[1:]
    try:
        told = command.make_context("fairbrief", rest).params
        for kind, names in SPECS.items():
            for spec in (spec for name in names for spec in _listed(told.get(name))):
                _check_spec(kind, spec)
    except Exception as error:
        message = getattr(error, "message", "") or str(error)
        raise AssertionError(f"{where}: {line}: {message}") from error


SPECS: dict[registry.Kind, tuple[str, ...]] = {
    "summarizer": ("with_",),
    "measure": ("measure", "measures"),
    "protocol": ("protocol",),
}
"""Parameters of commands that hold the spec of something."""


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _check_spec(kind: registry.Kind, text: str) -> None:
    """Raise where a spec names nothing, or a setting that the thing does not have."""
    parsed = specs.parse(text)
    if kind == "measure" and parsed.over is None and specs.needs_over(registry.load(kind, parsed.name)):
        text = f"{text}@attribute"
    registry.make(kind, text)


def _compare(shown: str, printed: str, where: str) -> None:
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", r"[^\n]*") + r"\n"
        for line in _plain(shown)
    )
    found = "".join(f"{line}\n" for line in _plain(printed))
    assert re.fullmatch(pattern, found), f"{where} shows\n{shown}\nbut it prints\n{printed}"


def _plain(text: str) -> list[str]:
    """The lines without what only sets them: the width of gaps and rules."""
    return [re.sub(r" +", " ", re.sub("─+", "─", line.rstrip())) for line in text.strip("\n").splitlines()]
