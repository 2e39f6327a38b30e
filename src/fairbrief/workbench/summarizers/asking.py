"""The prompt that a summary answers, as a text: what training on preferences conditions on."""

from __future__ import annotations

from fairbrief.errors import RequestError
from fairbrief.types import Case
from fairbrief.workbench.summarizers.prompt_filling import Wish, fill, wish_of
from fairbrief.workbench.summarizers.prompts import find


def prompt_of(case: Case, name: str | None = None) -> str:
    """The text that a model was, or is to be, asked for this summary.

    In this order: the prompt ``name`` (a shipped name or a file), filled in for the record; the text that
    stands in ``made["prompt"]``; the shipped prompt that ``made`` names, filled in as ``made`` tells; the
    documents, a blank line between them. Raises RequestError where ``made`` names a prompt that is not the
    one that is known by that name now.
    """
    made = case.summary.made
    if name is not None:
        return fill(find(name), case.record, Wish()).user
    told = made.get("prompt", "")
    if told and "prompt_sha" in made:
        return _filled(case, told)
    return told or "\n\n".join(document.text for document in case.record.documents)


def _filled(case: Case, name: str) -> str:
    made = case.summary.made
    prompt = find(name)
    if prompt.sha != made["prompt_sha"]:
        raise RequestError(
            f"The summaries were made with a prompt '{name}' that is not the one known by that name now. "
            "Give it with --prompt FILE."
        )
    return fill(prompt, case.record, wish_of(made)).user
