"""Lexicons of positive and negative words: Hu & Liu's two files, or a table of words and labels."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from fairbrief.errors import DataError, reading_text

OPINION = "opinion"
LABELS = {
    "positive": 1, "pos": 1, "+": 1, "1": 1, "+1": 1, "1.0": 1,
    "negative": -1, "neg": -1, "-": -1, "−": -1, "-1": -1, "−1": -1, "0": -1, "-1.0": -1,
}  # fmt: skip
FILES = {"positive-words.txt": 1, "negative-words.txt": -1}


def read_lexicon(name: str) -> dict[str, int]:
    """Words in lower case with +1 (positive) or −1 (negative); a word of both kinds is left out.

    ``name``: ``opinion`` (Hu & Liu's lexicon in NLTK's data), a folder with ``positive-words.txt`` and
    ``negative-words.txt``, or a CSV of ``word,label``. Raises DataError with file and line.
    """
    if name == OPINION:
        found = _read_folder(_opinion_folder())
    elif Path(name).is_dir():
        found = _read_folder(Path(name))
    else:
        found = _read_table(Path(name))
    labels: dict[str, set[int]] = {}
    for word, label in found:
        labels.setdefault(word.casefold(), set()).add(label)
    return {word: next(iter(kinds)) for word, kinds in labels.items() if len(kinds) == 1}


def nltk_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where NLTK looks for its data: NLTK_DATA first, then home and system."""
    given = [Path(p) for p in environment.get("NLTK_DATA", "").split(os.pathsep) if p]
    shared = [Path(sys.prefix) / "nltk_data", Path(sys.prefix) / "share" / "nltk_data"]
    system = [Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    return [*given, Path.home() / "nltk_data", *shared, *system]


def _opinion_folder() -> Path:
    for folder in nltk_folders():
        found = folder / "corpora" / "opinion_lexicon"
        if found.is_dir():
            return found
    raise DataError(
        "The opinion lexicon (Hu & Liu) was not found in NLTK's data. Fetch it with "
        "python -m nltk.downloader opinion_lexicon, point NLTK_DATA to the data's folder, or give "
        "lexicon=FOLDER with positive-words.txt and negative-words.txt, or a CSV of word,label."
    )


def _read_folder(folder: Path) -> Iterator[tuple[str, int]]:
    for name, label in FILES.items():
        path = folder / name
        if not path.is_file():
            raise DataError(f"{folder}: there is no {name}. Wanted: {' and '.join(FILES)}.")
        # The original is Latin-1, newer copies are UTF-8.
        raw = path.read_bytes()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        for line in text.splitlines():
            word = line.strip()
            if word and not word.startswith(";"):
                yield word, label


def _read_table(path: Path) -> Iterator[tuple[str, int]]:
    if not path.is_file():
        raise DataError(f"{path}: there is no such lexicon. Give opinion, a folder, or a CSV of word,label.")
    with reading_text(path), path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if not row or (number == 1 and row[-1].strip().lower() in ("label", "polarity", "sentiment")):
                continue
            label = LABELS.get(row[1].strip().lower()) if len(row) == 2 else None
            if label is None or not row[0].strip():
                raise DataError(
                    f"{path}, line {number}: '{','.join(row)[:60]}' is no word and label. "
                    "Wanted: word,positive or word,negative (or 1 and -1)."
                )
            yield row[0].strip(), label
