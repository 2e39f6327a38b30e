"""CoNLL-2012 files: one word a line, names and coreference in brackets.

The format holds no spacing. ``spacing="natural"`` sets the words as a newspaper would (no blank before
``.`` or ``'s``, ``-LRB-`` as a bracket); ``spacing="tokens"`` parts all words by one blank.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from fairbrief.errors import DataError
from fairbrief.readers.annotated.annotated_text import Annotation, Span, people
from fairbrief.readers.annotated.detokenizing import Spacing, set_words
from fairbrief.readers.annotated.phrases import link_names, nouns_of
from fairbrief.readers.folders import files_of, lines_of
from fairbrief.types import Document, Record

_BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part (?P<part>\d+)")
Row = tuple[int, list[str]]


def read_conll(source: str | Path, spacing: Spacing = "natural") -> Iterator[Record]:
    """The documents of a CoNLL-2012 file, or of all ``*conll`` files below a folder; a record per part.

    People come from names marked ``PERSON`` and from the chains that these belong to. Columns: document,
    part, number, word, tag, parse, …, names (the eleventh), …, chains (the last). Raises `DataError`
    with file and line.
    """
    for path in files_of(Path(source), "conll"):
        yield from _read_file(path, spacing)


def _read_file(path: Path, spacing: Spacing) -> Iterator[Record]:
    id_, begun = "", 0
    sentences: list[list[Row]] = [[]]
    for number, raw in lines_of(path):
        line = raw.strip()
        if match := _BEGIN.match(line):
            part = int(match["part"])
            id_ = match["name"] if part == 0 else f"{match['name']}:{part}"
            begun, sentences = number, [[]]
        elif line.startswith("#end document"):
            if not begun:
                raise DataError(f"{path}:{number}: a document ends that never began.")
            yield _record(id_, [s for s in sentences if s], f"{path}:{begun}", path, spacing)
            begun = 0
        elif not line:
            sentences.append([])
        elif not line.startswith("#"):
            columns = line.split()
            if len(columns) < 12:
                raise DataError(
                    f"{path}:{number}: {len(columns)} columns. A word of CoNLL-2012 has 12 or more."
                )
            if not begun:
                raise DataError(f"{path}:{number}: a word stands outside any '#begin document'.")
            sentences[-1].append((number, columns))
    if begun:
        raise DataError(f"{path}:{begun}: document '{id_}' never ends. Wanted '#end document'.")


def _record(id_: str, sentences: Sequence[Sequence[Row]], where: str, path: Path, spacing: Spacing) -> Record:
    rows = [row for sentence in sentences for row in sentence]
    bounds = [len(sentence) for sentence in sentences]
    text, tokens = set_words([c[3] for _, c in rows], [c[4] for _, c in rows], bounds, spacing)
    mentions = _chains(rows, path)
    names = link_names(tokens, _people(rows, path), mentions)
    given = Annotation(text, tokens, mentions, names, nouns_of(tokens, mentions, names))
    return Record(id_, (Document(text),), entities=people(given), where=where)


def _people(rows: Sequence[Row], path: Path) -> list[Span]:
    """Names of people in the column of names: ``(PERSON)``, or ``(PERSON*`` … ``*)``."""
    found, open_ = [], None
    for i, (number, columns) in enumerate(rows):
        cell = columns[10]
        if "(" in cell:
            if open_ is not None:
                raise DataError(f"{path}:{number}: a name begins inside another one.")
            open_ = (i, cell.strip("()*"))
        if ")" in cell:
            if open_ is None:
                raise DataError(f"{path}:{number}: a name ends that never began.")
            begin, kind = open_
            open_ = None
            if kind == "PERSON":
                found.append(Span(begin, i, None))
    if open_ is not None:
        raise DataError(f"{path}:{rows[open_[0]][0]}: a name begins that never ends.")
    return found


def _chains(rows: Sequence[Row], path: Path) -> list[Span]:
    """Mentions in the last column: ``(1``, ``1)``, ``(1)``, several joined by ``|``."""
    found: list[Span] = []
    open_: dict[str, list[int]] = defaultdict(list)
    for i, (number, columns) in enumerate(rows):
        for piece in columns[-1].split("|"):
            chain = piece.strip("()*")
            if piece.startswith("("):
                open_[chain].append(i)
            if piece.endswith(")"):
                if not open_[chain]:
                    raise DataError(f"{path}:{number}: a mention of chain {chain} ends that never began.")
                found.append(Span(open_[chain].pop(), i, chain))
    for chain, begun in open_.items():
        if begun:
            raise DataError(f"{path}:{rows[begun[0]][0]}: a mention of chain {chain} begins that never ends.")
    return found
