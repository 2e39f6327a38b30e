"""Pairs of a text and a claim that people labelled as supported or not; and sheets of pairs to be labelled."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.record_texts import claims_of
from fairbrief.scorers.calibrated import features_of
from fairbrief.statistics.keyed_random import keys_of
from fairbrief.types import Ask, Cacheable, Case
from fairbrief.workbench.annotation.sheets import protect, sheet_rows

COLUMNS = ("record", "system", "group", "claim", "text", "supported", "note")
YES, NO = (
    ("yes", "y", "true", "1", "supported"),
    ("no", "n", "false", "0", "not_supported", "partially_supported"),
)
LEVELS = 5
"""Levels of the score that pairs are drawn from."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, a claim, and whether people say that the text supports it; the group whose text it is, if known."""

    text: str
    claim: str
    supported: bool
    group: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """All labelled pairs, each once; how many were left blank, and how many people disagreed about evenly."""

    pairs: tuple[Labelled, ...]
    blank: int = 0
    undecided: int = 0


def read_labels(paths: Sequence[Path]) -> Labels:
    """The pairs in files: ``.csv`` sheets, or lines of JSON as ours, QAGS's or WiCE's. Several labels of a pair count by majority.

    DataError names file and line of what is none of these, RequestError a file that cannot be read.
    """
    votes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    groups: dict[tuple[str, str], str] = {}
    blank = 0
    for path in paths:
        for where, text, claim, told, group in _rows(path):
            if told is None or told == "":
                blank += 1
                continue
            votes[text, claim].append(_is_yes(where, told))
            groups.setdefault((text, claim), group)
    decided = {pair: sum(said) * 2 - len(said) for pair, said in votes.items()}
    pairs = tuple(Labelled(*pair, lead > 0, groups[pair]) for pair, lead in decided.items() if lead)
    return Labels(pairs, blank, len(decided) - len(pairs))


Row = tuple[str, str, str, Any, str]
"""Place, text, claim, label and group."""


def _rows(path: Path) -> Iterator[Row]:
    if path.suffix.lower() in (".csv", ".tsv"):
        for where, row in sheet_rows(path):
            missing = [name for name in ("text", "claim", "supported") if not isinstance(row.get(name), str)]
            if missing:
                raise DataError(
                    f"{where}: found no column '{missing[0]}'; wanted a sheet with the columns text, claim and supported; "
                    "write one with 'fairbrief calibrate SCORER FILE --label-sheet SHEET.csv'."
                )
            yield where, row["text"], row["claim"], row["supported"].strip(), row.get("group") or ""
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"The labels '{path}' cannot be read: {error}.") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from _pairs_of(f"{path.name}:{number}", line)


def _pairs_of(where: str, line: str) -> Iterator[Row]:
    """The pairs of a line of JSON: of its own form, of QAGS's or of WiCE's."""
    try:
        row = json.loads(line)
        if "summary_sentences" in row:
            for one in row["summary_sentences"]:
                for said in one["responses"]:
                    yield where, _text(row["article"]), _text(one["sentence"]), said["response"], ""
        elif "per_record" in row:
            yield where, " ".join(map(_text, row["per_record"])), _text(row["claim"]), row["label"], ""
        else:
            yield where, _text(row["text"]), _text(row["claim"]), row["supported"], str(row.get("group", ""))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DataError(
            f'{where}: found no labelled pair ({type(error).__name__}: {error}); wanted {{"text": …, "claim": …, "supported": true}}, '
            "or a line of QAGS (article, summary_sentences) or WiCE (per-record statistics, claim, label); correct it."
        ) from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not text")
    return value


def _is_yes(where: str, told: Any) -> bool:
    word = str(told).strip().lower()
    if word not in (*YES, *NO):
        raise DataError(
            f"{where}: found the label {word[:40]!r}; wanted yes or no (or true or false); correct it."
        )
    return word in YES


# ---------------------------------------------------------------------------- sheets to be labelled


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim of a summary and one document, with the scorer's number; ``group`` is the document's."""

    record: str
    system: str
    group: str
    claim: str
    text: str
    score: float


def candidates(cases: Iterable[Case], spec: str, over: str, scorers: Scorers) -> Iterator[Candidate]:
    """Every claim of every summary with each of its record's documents, as coverage asks."""
    scorer = scorers[spec]
    for case in cases:
        claims, documents = claims_of(case.summary, "auto"), case.record.documents
        if case.summary.reason or not claims:
            continue
        ask = Ask(spec, tuple(document.text for document in documents), claims)
        scores = iter(features_of(scorer, [ask], by_row=not isinstance(scorer, Cacheable))[:, 0].tolist())
        for document in documents:
            group = document.attributes.get(over, "")
            for claim in claims:
                yield Candidate(
                    case.record.id, case.summary.system, group, claim, document.text, next(scores)
                )


def drawn(pairs: Sequence[Candidate], many: int, seed: int) -> list[Candidate]:
    """So many pairs, as evenly as can be from the levels of the score and the groups: chosen by seed and texts, in an order
    that tells neither.
    """
    ends = np.unique(np.quantile([pair.score for pair in pairs], np.linspace(0, 1, LEVELS + 1)[1:-1]))
    keys = keys_of([f"{pair.text}\0{pair.claim}" for pair in pairs], seed, "pairs to label")
    cells: dict[tuple[int, str], list[int]] = defaultdict(list)
    for i in np.argsort(keys, kind="stable").tolist():
        cells[int(np.searchsorted(ends, pairs[i].score, side="right")), pairs[i].group].append(i)
    seen: set[tuple[str, str]] = set()
    chosen: list[int] = []
    rounds = max(map(len, cells.values()), default=0)
    for i in (own[k] for k in range(rounds) for _, own in sorted(cells.items()) if k < len(own)):
        pair = pairs[i].text, pairs[i].claim
        if len(chosen) < many and pair not in seen:
            seen.add(pair)
            chosen.append(i)
    return [pairs[i] for i in sorted(chosen, key=keys.__getitem__)]


def pair_sheet(pairs: Iterable[Candidate]) -> str:
    """A sheet (CSV) with one pair per row, whose column ``supported`` is to be filled in."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    for pair in pairs:
        row: Mapping[str, str] = {name: getattr(pair, name, "") for name in COLUMNS}
        writer.writerow([protect(row[name]) for name in COLUMNS])
    return lines.getvalue()
