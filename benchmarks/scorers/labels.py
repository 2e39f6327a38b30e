"""People's judgements of whether a text supports a sentence, read from a folder: QAGS and WiCE, as their authors release them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fairbrief.errors import DataError


class Claim(NamedTuple):
    """A sentence, the text that it is held against, whether people say that the text supports it, and its article."""

    text: str
    sentence: str
    is_supported: bool
    article: int


class Source(NamedTuple):
    """A file of judgements: what it is called, what its sentences are like, and where it comes from."""

    name: str
    kind: str
    file: str
    origin: str
    read: Callable[[Mapping[str, Any], int], list[Claim]]


def _qags(line: Mapping[str, Any], article: int) -> list[Claim]:
    """A line of QAGS: an article, and the sentences of a summary with the answers of three people."""
    return [
        Claim(line["article"], one["sentence"], _majority([r["response"] for r in one["responses"]]), article)
        for one in line["summary_sentences"]
    ]


def _majority(answers: Sequence[str]) -> bool:
    unknown = sorted(set(answers) - {"yes", "no"})
    if unknown or not answers:
        raise ValueError(f"found the answer {unknown[0]!r}" if unknown else "found no answer")
    return answers.count("yes") * 2 > len(answers)


def _wice(line: Mapping[str, Any], article: int) -> list[Claim]:
    """A line of WiCE: a claim of Wikipedia and the sentences of a cited page."""
    if line["label"] not in WICE_LABELS:
        raise ValueError(f"found the label {line['label']!r}")
    return [Claim(" ".join(line["evidence"]), line["claim"], line["label"] == "supported", article)]


WICE_LABELS = ("supported", "partially_supported", "not_supported")
SOURCES = (
    Source("QAGS CNN/DM", "extractive", "qags_cnndm.jsonl", "github.com/W4ngatang/qags, data/mturk_cnndm.jsonl", _qags),
    Source("QAGS XSum", "abstractive", "qags_xsum.jsonl", "github.com/W4ngatang/qags, data/mturk_xsum.jsonl", _qags),
    Source("WiCE", "claims", "wice_claims_test_a.jsonl", "github.com/ryokamoi/wice, claims of test, oracle chunks", _wice),
)  # fmt: skip


def read(folder: Path, source: Source) -> list[Claim]:
    """All judged sentences of a source. Raises DataError where its file is absent, or not in its authors' format."""
    path = folder / source.file
    if not path.is_file():
        raise DataError(
            f"{path}: there is no such file. Fetch {source.name} ({source.origin}) and save it there under that name."
        )
    found = [claim for number, line in _lines(path) for claim in _claims(source, line, path, number)]
    if not found:
        raise DataError(f"{path}: the file has no line. Fetch {source.name} again ({source.origin}).")
    return found


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(
                    f"{path}:{number}: found no JSON ({error}); the format is one object a line."
                ) from error


def _claims(source: Source, line: Any, path: Path, number: int) -> list[Claim]:
    try:
        return source.read(line, number)
    except (KeyError, TypeError, ValueError) as error:
        what = f"has no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{path}:{number}: {what}; wanted a line in the format of {source.name} ({source.origin})."
        ) from error
