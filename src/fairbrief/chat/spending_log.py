"""What was sent for one output, on disk before it is sent, so that a limit holds over all runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from fairbrief.errors import BackendError, RequestError
from fairbrief.kept_files import PRIVATE, write_all

HEAD = "fairbrief spending 1\n"
Tokens = tuple[int, int]
"""Tokens of a prompt and of its answer."""


@dataclass(slots=True)
class SpendingLog:
    """Requests in an append-only file: ``+ number prompt answer`` when one is sent, with its tokens at most, and
    ``- number prompt answer`` when it has come back, with those that were charged.

    A line is handed to the system before its request is sent, so that no kill loses it; it is not synchronised, so a
    power cut may. The file is made with the first request.
    """

    path: Path
    _is_open: bool = field(default=False, init=False)

    def read(self) -> list[Tokens]:
        """The tokens of every request that was sent: the most it could be charged for where it never came back."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="ascii", errors="replace").splitlines(keepends=True)
        if not lines or lines[0] != HEAD:
            raise RequestError(
                f"{self.path} is no file of ours with what was spent (its first line is not '{HEAD.strip()}'). Move it "
                "away."
            )
        tokens: dict[int, Tokens] = {}
        for line in lines[1:]:
            sign, *numbers = line.split()
            if line.endswith("\n") and sign in ("+", "-") and len(numbers) == 3:
                number, prompt, answer = map(int, numbers)
                tokens[number] = prompt, answer
        return list(tokens.values())

    def sent(self, number: int, most: Tokens) -> None:
        """A request is about to be sent."""
        self._write(f"+ {number} {most[0]} {most[1]}\n")

    def came(self, number: int, charged: Tokens) -> None:
        """A request has come back, or will not."""
        self._write(f"- {number} {charged[0]} {charged[1]}\n")

    def _write(self, line: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
            try:
                write_all(descriptor, f"{self._before(descriptor)}{line}".encode("ascii"))
            finally:
                os.close(descriptor)
        except OSError as error:
            raise BackendError(
                f"{self.path}, which keeps what was spent, cannot be written: {error}. Free its disk, then run the same "
                "command again."
            ) from error

    def _before(self, descriptor: int) -> str:
        """What is missing before the first line of a run: the head, or the end of a line that was cut short."""
        if self._is_open:
            return ""
        self._is_open = True
        size = os.fstat(descriptor).st_size
        if not size:
            return HEAD
        return "" if os.pread(descriptor, 1, size - 1) == b"\n" else "\n"
