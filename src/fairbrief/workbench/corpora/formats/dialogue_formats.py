"""Conversations: the Supreme Court's oral arguments (plain and ConvoKit's), and the IQ2 debates.

Each conversation is a record, each turn a document with the attributes ``speaker`` and, where it is known,
``side``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.formats.text_lines import Encoding, fault, field, objects, text_lines, whole

MARK = " +++$+++ "
NO_SIDE = ("NA", "")
SIDES = {0: "respondent", 1: "petitioner"}
"""ConvoKit's codes; 2 (amicus curiae), 3 (unknown) and null say nothing of a side."""


def read_court(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The plain Cornell file: case, utterance, after previous, speaker, justice, vote, side, text.

    An utterance that follows no other (``FALSE`` in the third field) begins a conversation. The side is the
    one the speaker presents; a justice has the side ``justice``.
    """
    case, start, turns, count = "", 0, list[Document](), 0
    for number, line in text_lines(path, encoding):
        parts = line.split(MARK, 7)
        if len(parts) == 7 and line.rstrip().endswith(MARK.strip()):
            parts = [*parts[:6], parts[6].removesuffix(MARK.rstrip()), ""]  # an utterance without words
        if len(parts) != 8:
            raise fault(
                path, number, counted(len(parts), "field"), f"8 with{MARK}between them", "mend the line"
            )
        name, _, follows, speaker, justice, _, side, text = (part.strip() for part in parts)
        if turns and (follows == "FALSE" or name != case):
            count += 1
            yield _conversation(path, start, f"{case}-{count}", turns)
            turns = []
        if name != case:
            count = 0
        if not turns:
            case, start = name, number
        turns.append(_turn(text, speaker, "justice" if justice == "JUSTICE" else side.lower()))
    if turns:
        yield _conversation(path, start, f"{case}-{count + 1}", turns)


def read_convokit(path: Path, encoding: Encoding) -> Iterator[Record]:
    """ConvoKit's ``utterances.jsonl``: the utterances of a conversation, in the file's order.

    Of the Supreme Court corpora a justice has the side ``justice``, an advocate the side presented. The
    utterances of one conversation must stand together, as in every published corpus.
    """
    done, ident, start, turns = set[str](), "", 0, list[Document]()
    for number, row in objects(path, encoding):
        name = str(field(path, number, row, "conversation_id"))
        if turns and name != ident:
            yield _conversation(path, start, ident, turns)
            done.add(ident)
            turns = []
        if not turns:
            if name in done:
                remedy = "sort the file by conversation"
                raise fault(
                    path, number, f"the conversation {name!r} again", "its utterances together", remedy
                )
            ident, start = name, number
        text = row.get("text")
        speaker = row.get("speaker", row.get("user"))
        if not isinstance(text, str) or speaker is None:
            raise fault(path, number, "an utterance without text or speaker", "both", "mend the line")
        known = speaker.get("id") if isinstance(speaker, Mapping) else speaker
        turns.append(_turn(text, str(known), _side(row.get("meta"))))
    if turns:
        yield _conversation(path, start, ident, turns)


def read_iq2(path: Path, encoding: Encoding) -> Iterator[Record]:
    """The IQ2 debates: the side is the speaker's type (for, against, mod, host, audience …).

    Each turn's paragraphs are joined by a space; the debate's title is the record's attribute ``title``.
    """
    try:
        debates = json.loads(whole(path, encoding))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path.name}: found what is not JSON ({error}); wanted one object of debates."
        ) from None
    if not isinstance(debates, dict):
        raise DataError(f"{path.name}: found a {type(debates).__name__}; wanted one object of debates.")
    for name, debate in debates.items():
        where = f"{path.name} (debate {name!r})"
        transcript = debate.get("transcript") if isinstance(debate, dict) else None
        if not isinstance(transcript, list):
            raise DataError(f"{where}: found no transcript; wanted a list of turns; mend the debate.")
        turns = [_debate_turn(where, i, turn) for i, turn in enumerate(transcript, 1)]
        title = debate.get("title")
        attributes = {"title": title} if isinstance(title, str) and title.strip() else {}
        yield Record(name, tuple(turns), attributes=attributes, where=where)


def _debate_turn(where: str, i: int, turn: Any) -> Document:
    paragraphs = turn.get("paragraphs") if isinstance(turn, dict) else None
    if not isinstance(paragraphs, list) or not all(isinstance(p, str) for p in paragraphs):
        raise DataError(f"{where}: found turn {i} without a list of paragraphs; wanted texts; mend the turn.")
    return _turn(" ".join(paragraphs), str(turn.get("speaker") or ""), str(turn.get("speakertype") or ""))


def _turn(text: str, speaker: str, side: str) -> Document:
    known = {"speaker": speaker.strip(), "side": "" if side in (*NO_SIDE, "na") else side}
    return Document(text.replace("\0", "").strip(), {name: value for name, value in known.items() if value})


def _conversation(path: Path, line: int, ident: str, turns: Sequence[Document]) -> Record:
    return Record(ident, tuple(turns), where=f"{path.name}:{line}")


def _side(meta: Any) -> str:
    if not isinstance(meta, Mapping):
        return ""
    if meta.get("speaker_type") == "J" or meta.get("is-justice") in (True, "JUSTICE"):
        return "justice"
    side = meta.get("side", meta.get("side-presented"))
    return SIDES.get(side, "") if isinstance(side, int) else str(side or "").lower()
