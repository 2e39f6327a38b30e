"""Transcripts: WebVTT and SRT subtitles, and texts with lines "NAME: text". A file is one record.

Its documents are turns with the attribute ``speaker``. Lines without a name belong to the turn before them, and adjacent cues of one
speaker are one turn.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from fairbrief.readers.files import File, stem
from fairbrief.readers.messages import at, fault

TIME = r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?"
CUE = re.compile(rf"{TIME}\s{{1,9}}-->")
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s{1,9}([^<>]{1,200})>")
TAG = re.compile(r"<[^<>]*>")
TURN_LABEL = re.compile(
    rf"(?:>>\s{{0,9}})?(?:[\[(]?{TIME}[\])]?\s{{0,9}}(?:[-–—]\s{{0,9}})?)?"
    rf"([^\W_][^:：\n]{{0,79}}?)\s{{0,9}}(?:[\[(]{TIME}[\])]\s{{0,9}})?(?::(?=\s|\Z)|：)"
)
"""A name with a colon at the beginning of a line, possibly with a time."""
MOST_WORDS = 6


def speaker_in(line: str) -> tuple[str, str]:
    """The name at the beginning of a line, and the rest; an empty name if there is none.

    Words of a name are capitalised, except those of at most three letters ("the chair"); a single word is always a name.

    >>> speaker_in("[00:12] Ms Weber (chair): Good morning."), speaker_in("We need two things: time and money.")
    (('Ms Weber (chair)', 'Good morning.'), ('', 'We need two things: time and money.'))
    """
    line = line.strip()
    match = TURN_LABEL.match(line)
    if match is None:
        return "", line
    words = match[1].split()
    bare = re.sub(r"\([^()]*\)", "", match[1]).split()
    is_capitalised = all(not word[0].islower() or len(word) <= 3 for word in bare)
    is_name = len(words) <= MOST_WORDS and (len(bare) == 1 or is_capitalised)
    is_sentence = any(word[-1] in "?!," or (word[-1] == "." and len(word) > 5) for word in words)
    return (match[1], line[match.end() :].strip()) if is_name and not is_sentence else ("", line)


def read_transcript(file: File) -> Iterator[tuple[int, Any]]:
    """The record of a text in which turns begin with a name."""
    yield 1, _record(file, (speaker_in(line) for _, line in file.lines()))


def read_subtitles(file: File) -> Iterator[tuple[int, Any]]:
    """The record of a file of WebVTT or SRT."""
    yield 1, _record(file, _of_cues(line.strip() for _, line in file.lines()))


def _of_cues(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Names and texts in cues; headers, notes, numbers and times are left out."""
    is_inside = False
    for line in lines:
        if CUE.match(line):
            is_inside = True
        elif not line:
            is_inside = False
        elif is_inside:
            before, *voices = VOICE.split(line)
            if _plain(before):
                yield speaker_in(_plain(before))
            for voice, text in zip(voices[::2], voices[1::2], strict=True):
                yield _plain(voice), _plain(text)


def _plain(text: str) -> str:
    return " ".join(html.unescape(TAG.sub("", text)).split())


def _record(file: File, parts: Iterator[tuple[str, str]]) -> dict[str, Any]:
    """One row, with a document per turn. Lines before the first name are left out."""
    turns: list[tuple[str, list[str]]] = []
    for speaker, text in parts:
        if speaker and not (turns and turns[-1][0] == speaker):
            turns.append((speaker, []))
        if turns and text:
            turns[-1][1].append(text)
    said = [(speaker, " ".join(texts)) for speaker, texts in turns if texts]
    documents = [{"text": text, "attributes": {"speaker": speaker}} for speaker, text in said]
    if not documents:
        wanted = "turns such as 'NAME: text', or <v NAME> in WebVTT"
        remedy = "add the names, or give a table with one turn per row and --group-by"
        raise at(file.name, fault("no line with a name", wanted, remedy))
    return {"id": stem(file.path), "documents": documents}
