"""What a model might answer to the prompts of the experiments in ``examples/experiments``: words of the documents."""

from __future__ import annotations

import hashlib
import re

from fairbrief.text.sentences import split

LISTED = re.compile(r"^\d+\. (?:\([^)]*\) )?(.+)$", re.MULTILINE)


def answer(prompt: str) -> str:
    """Statements of a summary that is to be split; else two sentences of the prompt's longest part, by its hash."""
    if "Statements:" in prompt and "Summary: " in prompt:
        summary = prompt.rpartition("Summary: ")[2].partition("\nStatements:")[0]
        return "\n".join(f"{i}. {sentence}" for i, sentence in enumerate(split(summary), 1))
    texts = LISTED.findall(prompt) or prompt.split(" || ")
    if len(texts) == 1:
        texts = split(max(prompt.splitlines(), key=len))
    drawn = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16)
    chosen = sorted({drawn % len(texts), drawn // 7 % len(texts)})
    return " ".join(texts[i].strip().removeprefix("review: ") for i in chosen)
