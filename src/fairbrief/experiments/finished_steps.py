"""Which steps of an experiment are finished: a digest of all that decides each, in the experiment's folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fairbrief.errors import DataError
from fairbrief.reports.audit_folder import place

NAME = "steps.json"


@dataclass(frozen=True, slots=True)
class FinishedSteps:
    """Step → digest of what it was made from, in a file that changes in one go."""

    folder: Path

    def has(self, step: str, digest: str, files: Iterable[Path]) -> bool:
        """Whether the step was finished with the same digest, and its files are there."""
        return self._read().get(step) == digest and all(path.exists() for path in files)

    def add(self, step: str, digest: str) -> None:
        """Remember that a step is finished."""
        steps = {**self._read(), step: digest}
        place(
            self.folder / NAME,
            lambda path: path.write_text(json.dumps(steps, indent=1) + "\n", encoding="utf-8"),
        )

    def _read(self) -> dict[str, str]:
        path = self.folder / NAME
        if not path.exists():
            return {}
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return {str(step): str(digest) for step, digest in found.items()}
        except (ValueError, AttributeError, RecursionError) as error:
            raise DataError(
                f"{path} is damaged ({error}): delete it, and the steps are looked at anew."
            ) from None


def digest_of(*told: object, files: Iterable[Path] = ()) -> str:
    """A digest of what decides a step: anything with a ``repr`` that tells it, and the content of files."""
    found = hashlib.sha256(repr(told).encode("utf-8", "backslashreplace"))
    for path in files:
        for part in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
            with part.open("rb") as stream:
                found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()[:32]
