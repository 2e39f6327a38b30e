"""Prompts as data, filled in for a record; the prompt that a summary answered; answers cut to the requested length."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from fairbrief.errors import DataError, RequestError, text_of
from fairbrief.measures.bases import Count
from fairbrief.measures.record_texts import chosen
from fairbrief.serialization import summary_fields
from fairbrief.specs import CheckedSettings
from fairbrief.text.counted import listed
from fairbrief.text.replies import items
from fairbrief.text.sentences import split
from fairbrief.types import Case, Record, Summary

LIBRARY = resources.files("fairbrief.workbench.summarizers") / "prompt_library"
CLAUSES = "clauses.toml"


class Prompt(msgspec.Struct, frozen=True):
    """A template with fields in braces, in one or more wordings.

    ``layout`` is the form of ``{documents}``: ``numbered`` (``1. …`` per line), ``labelled`` (``1. (value) …``),
    ``joined`` by `` || ``, or ``lines``. ``mark`` precedes every document. ``answer=list``: the answer is a list, and
    its marks are removed. ``longer``: an answer with too many sentences is reduced by sampling (``sample``) or not
    reduced (``keep``). ``words``, ``sentences`` and ``focus`` are the defaults of those settings.
    """

    name: str
    wordings: tuple[str, ...]
    layout: Literal["numbered", "labelled", "joined", "lines"] = "numbered"
    mark: str = ""
    system: str = ""
    separators: tuple[str, ...] = ("",)
    answer: Literal["text", "list"] = "text"
    longer: Literal["sample", "keep"] = "sample"
    words: int | None = None
    sentences: int | None = None
    focus: str = ""
    about: str = ""
    source: str = ""

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of everything that determines the request."""
        parts = (self.wordings, self.layout, self.mark, self.system, self.separators, self.answer)
        inputs = json.dumps([*parts, self.words, self.sentences, self.focus], ensure_ascii=False)
        return hashlib.sha256(inputs.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@cache
def shipped() -> Mapping[str, Prompt]:
    """All named prompts."""
    prompts: dict[str, Prompt] = {}
    for file in sorted(LIBRARY.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml") and file.name != CLAUSES:
            for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
                prompts[name] = msgspec.convert({"name": name, **table}, Prompt)
    return prompts


@cache
def clauses() -> Mapping[str, Mapping[str, str]]:
    """The clauses that settings add to prompts: ``instructions``, ``roles``, ``length``."""
    return tomllib.loads((LIBRARY / CLAUSES).read_text(encoding="utf-8"))


def find(name: str) -> Prompt:
    """A prompt by name or from a file, a text with fields in braces."""
    if name in shipped():
        return shipped()[name]
    path = Path(name).expanduser()
    if not path.is_file() or path.suffix == ".toml":
        known = ", ".join(shipped())
        raise RequestError(f"There is no prompt '{name}', and no text file of that name. Prompts: {known}.")
    text = text_of(path)
    if "{documents}" not in text:
        raise DataError(f"{path}: the prompt has no {{documents}}, so the texts would be missing.")
    return Prompt(path.stem, (text,))


# ---- Prompts filled in for a record: its documents, its groups, and the requested clauses


FIELD = re.compile(r"\{([a-z_]\w*)\}", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, repr=False)
class Wish:
    """The additions of a request to a prompt: a fairness clause, a role, a length, the attribute with the groups.

    ``draw`` is the seed for choosing among a prompt's wordings.
    """

    over: str = ""
    instruction: str = "none"
    role: str = "none"
    words: Annotated[int | None, "[1, inf)"] = None
    sentences: Annotated[int | None, "[1, inf)"] = None
    focus: str = ""
    draw: int = 0

    def as_settings(self) -> dict[str, str]:
        """The settings in the form of a summary's ``made``; unset ones are omitted."""
        given = {f.name: (getattr(self, f.name), f.default) for f in dataclasses.fields(Wish)}
        return {name: str(value) for name, (value, default) in given.items() if value != default}


class Asked(NamedTuple):
    """A prompt filled in for one record: the text to send, and the number of its wording."""

    system: str
    user: str
    prompt: Prompt
    wording: int

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """Pairs of role and text."""
        return (*((("system", self.system),) if self.system else ()), ("user", self.user))


def fill(prompt: Prompt, record: Record, wish: Wish) -> Asked:
    """The prompt for a record. The record's id and ``wish.draw`` determine the wording and the separator.

    Raises DataError if the record lacks an attribute that a field needs, RequestError if the prompt has no place for
    a requested clause.
    """
    inputs = f"{wish.draw}\x1f{prompt.sha}\x1f{record.id}".encode("utf-8", "surrogatepass")
    drawn = int.from_bytes(hashlib.sha256(inputs).digest()[:8], "big")
    wording = drawn % len(prompt.wordings)
    separator = prompt.separators[drawn // len(prompt.wordings) % len(prompt.separators)]
    template = prompt.wordings[wording]
    _check_room(prompt, template, wish)
    template = template.replace("{instruction}", _clause("instructions", wish.instruction))
    template = template.replace("{length}", _length(prompt, wish))
    # Gaps that empty clauses leave in the template, not in the texts, are closed before the texts are filled in.
    template = re.sub(r"[ \t]+\n", "\n", re.sub(r"(?<=\S)  +", " ", template))
    template = re.sub(r" +(?=\{separator\})", "", re.sub(r"\n{3,}", "\n\n", template)).strip()
    role = _clause("roles", wish.role) if wish.role in clauses()["roles"] else wish.role
    system = "\n".join(part for part in (role, prompt.system) if part)

    def value(match: re.Match[str]) -> str:
        return separator if match[1] == "separator" else _value(match[1], prompt, record, wish)

    return Asked(system, FIELD.sub(value, template), prompt, wording)


def _length(prompt: Prompt, wish: Wish) -> str:
    """The length clause: sentences if they are requested, else words, else the prompt's default; its number is a field."""
    if wish.sentences is not None:
        return clauses()["length"]["sentence" if wish.sentences == 1 else "sentences"]
    return clauses()["length"]["words"] if (wish.words, prompt.words) != (None, None) else ""


def _value(field: str, prompt: Prompt, record: Record, wish: Wish) -> str:
    """The text that replaces ``{field}``: of a known field, or the record's attribute of that name."""
    match field:
        case "documents":
            return _documents(prompt, record, wish)
        case "count":
            return str(len(record.documents))
        case "attribute":
            return _over(prompt, wish)
        case "values":
            return listed(sorted(_counts(prompt, record, wish)), conjunction="or")
        case "ratio":
            counts = _counts(prompt, record, wish)
            return listed([f"{100 * n / counts.total():.0f}% {v}" for v, n in sorted(counts.items())])
        case "words" | "sentences":
            wished, usual = getattr(wish, field), getattr(prompt, field)
            if (number := usual if wished is None else wished) is None:
                raise RequestError(f"The prompt '{prompt.name}' uses {{{field}}}: give {field}=N.")
            return str(number)
        case "focus" if wish.focus or prompt.focus:
            return wish.focus or prompt.focus
    if field not in record.attributes:
        has_no = f"the record has no attribute '{field}', which the prompt '{prompt.name}' uses"
        raise DataError(f"{record.place}: {has_no}. Add it, or use another prompt.")
    return record.attributes[field]


def _documents(prompt: Prompt, record: Record, wish: Wish) -> str:
    """The texts in the prompt's layout."""
    texts = [prompt.mark + document.text.strip() for document in record.documents]
    if prompt.layout == "joined":
        return " || ".join(texts)
    if prompt.layout == "labelled":
        _counts(prompt, record, wish)
        labels = [document.attributes.get(wish.over) for document in record.documents]
        texts = [f"({label}) {text}" if label else text for label, text in zip(labels, texts, strict=True)]
    if prompt.layout != "lines":
        texts = [f"{i}. {text}" for i, text in enumerate(texts, 1)]
    return "\n".join(texts)


def _over(prompt: Prompt, wish: Wish) -> str:
    if not wish.over:
        who = f"The prompt '{prompt.name}', or the instruction '{wish.instruction}',"
        raise RequestError(f"{who} uses groups: name their attribute, …(prompt=…)@ATTRIBUTE.")
    return wish.over


def _counts(prompt: Prompt, record: Record, wish: Wish) -> Counter[str]:
    """The number of documents of each group."""
    counts = Counter(record.values_of(_over(prompt, wish)))
    if not counts:
        raise DataError(f"{record.place}: no document has the attribute '{wish.over}' that the prompt uses.")
    return counts


def _check_room(prompt: Prompt, template: str, wish: Wish) -> None:
    """RequestError if the prompt would silently ignore a requested clause."""
    has_both = "{words}" in template and "{sentences}" in template
    if wish.words is not None and wish.sentences is not None and not has_both:
        raise RequestError(
            f"words and sentences are both given, but the prompt '{prompt.name}' has one place for a length: give one of them."
        )
    clause = _clause("instructions", wish.instruction)
    wished = {"instruction": clause, "words": wish.words, "sentences": wish.sentences, "focus": wish.focus}
    for name, value in wished.items():
        places = f"{{{name}}}", *(["{length}"] if name in ("words", "sentences") else [])
        if value and not any(place in template for place in places):
            add = " or ".join(places)
            raise RequestError(f"The prompt '{prompt.name}' has no place for {name}: add {add}.")


def _clause(kind: str, name: str) -> str:
    known = clauses()[kind]
    if name not in known:
        raise RequestError(f"No clause '{name}' among the {kind}. Known: {', '.join(known)}.")
    return known[name]


# ---- The prompt that a summary answers, as a text: the condition in preference training


def prompt_of(case: Case, name: str | None = None) -> str:
    """The text with which a model was, or is to be, asked for this summary.

    In this order: the prompt ``name`` (a shipped name or a file), filled in for the record; the text in
    ``made["prompt"]``; the shipped prompt named in ``made``, filled in with the settings in ``made``; the documents,
    separated by blank lines. Raises RequestError if ``made`` names a prompt that has changed since.
    """
    made = case.summary.made
    if name is not None:
        return fill(find(name), case.record, Wish()).user
    given = made.get("prompt", "")
    if not given or "prompt_sha" not in made:
        return given or "\n\n".join(document.text for document in case.record.documents)
    prompt = find(given)
    if prompt.sha != made["prompt_sha"]:
        changed = f"The prompt '{given}' has changed since the summaries were made"
        raise RequestError(f"{changed}. Give the one that was used with --prompt FILE.")
    return fill(prompt, case.record, msgspec.convert(made, Wish, strict=False)).user


# ---- From a model's answer to the summary: list marks removed, sentences sampled if there are too many


def finished(text: str, sentences: int | None, *, is_list: bool = False) -> tuple[str, str]:
    """The summary, and a description of the cut ("7 sentences to 3"); empty if nothing was removed.

    With ``is_list`` the answer is a list with one sentence per line; each item counts as one sentence. From a longer
    answer ``sentences`` sentences are sampled uniformly at random and kept in order (Chhabra et al., Appendix F.3:
    the first ones would add a lead bias). The sample depends only on the text.
    """
    lines = items(text) if is_list else ()
    parts = list(lines) or split(text)
    if sentences is None or len(parts) <= sentences:
        return ("\n".join(lines) if lines else text), ""
    sampled = chosen(len(parts), sentences, "random", 0, (text,))
    joined = ("\n" if lines else " ").join(parts[i].strip() for i in sampled)
    return joined, f"{len(parts)} sentences to {sentences}"


class Task(NamedTuple):
    """A requested summary: the key that identifies all its inputs, its record, and the index of the sample (from 0)."""

    key: str
    record: Record
    sample: int = 0


class Prompted(Wish, CheckedSettings, kw_only=True):
    """The common part of summarizers that fill a prompt: clauses, several samples, the name of the system."""

    model: str = dataclasses.field(kw_only=False)
    temperature: Annotated[float | None, "[0, inf)"] = None
    samples: Count = 1
    system: str = ""

    def __post_init__(self) -> None:
        CheckedSettings.__post_init__(self)
        if self.samples > 1 and self.temperature == 0:
            alike = f"{self.samples} samples at temperature 0 would be one text, paid {self.samples} times"
            raise ValueError(f"{alike}: give a temperature above 0, or samples=1")

    @property
    def systems(self) -> tuple[str, ...]:
        """The system's name, or the names of its samples."""
        name = self.system or self.model.rstrip("/")
        return (name,) if self.samples == 1 else tuple(f"{name}#{i}" for i in range(1, self.samples + 1))

    def sentences_of(self, prompt: Prompt) -> int | None:
        """The number of sentences to ask for: the setting, or the prompt's default."""
        return self.sentences if self.sentences is not None else prompt.sentences

    def summary(
        self, record: Record, sample: int, asked: Asked, model: str, text: str, reason: str = "", **more: Any
    ) -> Mapping[str, Any]:
        """The fields of the summary in a model's answer, or the ``reason`` why it has none.

        It has the requested number of sentences, unless the prompt keeps longer answers (`finished`). ``made`` is how it
        was made: the model, the prompt, the settings, ``more``, and what was cut; empty texts are omitted.
        """
        prompt, final, cut = asked.prompt, "", ""
        if not reason:
            sentences = None if prompt.longer == "keep" else self.sentences_of(prompt)
            final, cut = finished(text, sentences, is_list=prompt.answer == "list")
            reason = "" if final else "empty summary"
        given = {
            "model": model,
            "prompt": prompt.name,
            "prompt_sha": prompt.sha,
            "wording": asked.wording + 1,
            **self.as_settings(),
            "sample": sample + 1 if self.samples > 1 else "",
            **more,
            "cut": cut,
        }
        made = {name: str(value) for name, value in given.items() if value != ""}
        return summary_fields(Summary(record.id, self.systems[sample], final, reason=reason, made=made))
