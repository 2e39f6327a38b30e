"""OntoNotes 5 as it is released: ``X.coref``, ``X.name`` and ``X.parse`` beside each other.

The words and their tags come from the tree, which also says which words are traces (``-NONE-``) and so
no part of the text: a price of 0.5 or an agent 007 stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairbrief.errors import DataError
from fairbrief.readers.annotated.annotated_text import Annotation, Span, people
from fairbrief.readers.annotated.detokenizing import Spacing, set_words
from fairbrief.readers.annotated.phrases import link_names, nouns_of
from fairbrief.readers.folders import files_of, lines_of
from fairbrief.types import Document, Record

_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_PIECE = re.compile(r"<(/?)(\w+)([^>]*)>|[^\s<]+(?:<(?!/?[A-Z])[^\s<]*)*")
_ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}


@dataclass(frozen=True, slots=True)
class _Marked:
    """A span of words that a tag encloses."""

    first: int
    last: int
    attributes: dict[str, str]


def read_ontonotes(source: str | Path, spacing: Spacing = "natural") -> Iterator[Record]:
    """The document of one ``.coref`` file, or of all below a folder, each with its ``.name`` and ``.parse``.

    Chains are those of type ``IDENT``; the parts of an apposition (``APPOS``) lie inside of the mention that
    the chain has and add nothing to it. Raises `DataError` with file and line.
    """
    for path in files_of(Path(source), ".coref"):
        yield _read_triple(path, spacing)


def _read_triple(path: Path, spacing: Spacing) -> Record:
    parse, name = path.with_suffix(".parse"), path.with_suffix(".name")
    for other in (parse, name):
        if not other.is_file():
            raise DataError(
                f"{path}: '{other.name}' is not beside it. Wanted all of .coref, .name and .parse."
            )
    leaves, sentences = _leaves(parse)
    document, chains = _marked(path, "COREF", leaves)
    _, named = _marked(name, "ENAMEX", leaves)
    kept = [i for i, (tag, _) in enumerate(leaves) if tag != "-NONE-"]
    place = {old: new for new, old in enumerate(kept)}
    text, tokens = set_words(
        [leaves[i][1] for i in kept],
        [leaves[i][0] for i in kept],
        [sum(leaves[i][0] != "-NONE-" for i in range(a, b)) for a, b in sentences],
        spacing,
    )
    mentions = [
        span
        for m in chains
        if m.attributes.get("TYPE") == "IDENT" and (span := _span(m, place, m.attributes.get("ID", "")))
    ]
    people_ = [
        span for m in named if m.attributes.get("TYPE") == "PERSON" and (span := _span(m, place, None))
    ]
    names = link_names(tokens, people_, mentions)
    given = Annotation(text, tokens, mentions, names, nouns_of(tokens, mentions, names))
    id_ = document.partition("@")[0] or path.stem
    return Record(id_, (Document(text),), entities=people(given), where=f"{path}:1")


def _leaves(path: Path) -> tuple[list[tuple[str, str]], list[tuple[int, int]]]:
    """Tag and word of every leaf, and where each tree begins and ends among them."""
    leaves: list[tuple[str, str]] = []
    sentences, depth, begin = [], 0, 0
    for number, line in lines_of(path):
        leaves += _LEAF.findall(line)
        depth += line.count("(") - line.count(")")
        if depth < 0:
            raise DataError(f"{path}:{number}: a bracket closes that was never opened.")
        if depth == 0 and len(leaves) > begin:
            sentences.append((begin, len(leaves)))
            begin = len(leaves)
    if depth:
        raise DataError(f"{path}: the last tree is never closed.")
    return leaves, sentences


def _marked(path: Path, mark: str, leaves: Sequence[tuple[str, str]]) -> tuple[str, list[_Marked]]:
    """The document's number, and every span inside the tag ``mark``, by index among the leaves.

    The words must be those of the tree, one after the other.
    """
    document, found, parts, index = "", [], 0, 0
    stack: list[tuple[int, dict[str, str]]] = []
    for at, piece in _pieces(path):
        closing, tag, rest = piece[1], piece[2], piece[3]
        if tag is None:
            _same_word(piece[0], leaves, index, at)
            index += 1
        elif tag == mark and closing:
            if not stack:
                raise DataError(f"{at}: </{mark}> closes what was never opened.")
            begin, attributes = stack.pop()
            found.append(_Marked(begin, index - 1, attributes))
        elif tag == mark:
            stack.append((index, dict(_ATTRIBUTE.findall(rest))))
        elif tag == "DOC" and not closing:
            document = dict(_ATTRIBUTE.findall(rest)).get("DOCNO", "")
        parts += tag == "TEXT" and not closing
    if stack:
        raise DataError(f"{path}: a <{mark}> is never closed.")
    if index != len(leaves):
        raise DataError(f"{path}: {index} words, but the trees in {path.stem}.parse have {len(leaves)}.")
    if parts > 1:
        # A chain's number begins anew in each part.
        raise DataError(f"{path}: {parts} parts. Wanted one <TEXT> a file: split it.")
    return document, found


def _pieces(path: Path) -> Iterator[tuple[str, re.Match[str]]]:
    """Every tag and word of a file, with its place."""
    for number, line in lines_of(path):
        for piece in _PIECE.finditer(line):
            yield f"{path}:{number}", piece


def _same_word(word: str, leaves: Sequence[tuple[str, str]], index: int, at: str) -> None:
    for escape, sign in _ENTITIES.items():
        word = word.replace(escape, sign)
    if index >= len(leaves):
        raise DataError(f"{at}: '{word}' stands after the last word of the trees.")
    leaf = leaves[index][1]
    if word.replace("-AMP-", "&") != leaf.replace("-AMP-", "&"):
        raise DataError(
            f"{at}: '{word}' where the tree has '{leaf}'. The three files must hold the same words."
        )


def _span(marked: _Marked, place: dict[int, int], chain: str | None) -> Span | None:
    """The words of the text inside a marked span; None if it holds traces only."""
    inside = [place[i] for i in range(marked.first, marked.last + 1) if i in place]
    return Span(inside[0], inside[-1], chain) if inside else None
