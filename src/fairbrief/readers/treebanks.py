"""CoNLL-2012 and OntoNotes 5: words with Penn tags, names of people, and chains of mentions.

A CoNLL-2012 file has one word per line. The release of OntoNotes has ``X.coref``, ``X.name`` and ``X.parse`` in one
folder: words and tags come from the tree, which also marks traces (``-NONE-``), which are not part of the text.
Neither contains the spacing: ``natural`` sets the words as in a newspaper, ``tokens`` separates them by one blank.
"""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from fairbrief.errors import DataError
from fairbrief.readers.annotated_text import Annotation, Brackets, Span, Token, files_of, lines_of, people
from fairbrief.types import Document, Record

Spacing = Literal["natural", "tokens"]
_ESCAPES: Final = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "-AMP-": "&",
    "-LAB-": "<", "-RAB-": ">",
    "``": '"', "''": '"', "/.": ".", "/?": "?", "/-": "-",
}  # fmt: skip
_NO_BLANK_BEFORE: Final = frozenset(", ; : % ) ] } 's ' n't 're 've 'll 'd 'm 'S N'T".split())
_NO_BLANK_AFTER: Final = frozenset("([{$#£€")


Leaf = tuple[str, str]
"""A word with its tag before it."""
Spans = Sequence[Span]
Sentences = Sequence[Sequence[Leaf]]


def set_words(sentences: Sentences, spacing: Spacing = "natural") -> tuple[str, list[Token]]:
    """A text of the words, and the place of each word; a blank separates sentences.

    In ``natural`` spacing, the treebank's escapes (``-LRB-``, ``-AMP-``, two back quotes) are replaced by their characters.
    """
    is_natural = spacing == "natural"
    pieces: list[str] = []
    tokens: list[Token] = []
    at = 0
    for sentence in sentences:
        is_glued = False
        for i, (tag, raw) in enumerate(sentence):
            form = _ESCAPES.get(raw, raw) if is_natural else raw
            if pieces and not (is_natural and i > 0 and (is_glued or _closes(raw, form, tag))):
                pieces.append(" ")
                at += 1
            is_glued = form in _NO_BLANK_AFTER or raw == "``" or tag == "``"
            pieces.append(form)
            tokens.append(Token(form, tag, at, at + len(form)))
            at += len(form)
    return "".join(pieces), tokens


def _closes(raw: str, form: str, tag: str) -> bool:
    is_stop = form.strip(".!?") == ""
    return is_stop or form in _NO_BLANK_BEFORE or raw == "''" or tag in ("''", "POS")


_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_STOPS = frozenset((",", "IN", "TO", "WP", "WDT", "WP$", "-LRB-", ":", "VBN", "VBG", "VBD", "VBZ", "CC"))


def link_names(tokens: Sequence[Token], names: Spans, mentions: Spans) -> list[Span]:
    """Each name with the chain of the innermost mention that it heads, if any.

    In "[the company of Ida Bell]" and "[[Ben Fox]'s sister]" the outer mention is not the named person,
    and in "[John and Mary Baker]" neither name is the head.
    """
    headed = []
    for name in names:
        around = sorted((m for m in mentions if m.covers(name)), key=lambda m: m.last - m.first)
        chain = next((m.chain for m in around if heads(tokens, name, m)), None)
        headed.append(next((m for m in around if m.chain == chain), None))
    claims = Counter(headed)
    chains = [m.chain if m is not None and claims[m] == 1 else "" for m in headed]
    return [Span(name.first, name.last, chain) for name, chain in zip(names, chains, strict=True)]


def heads(tokens: Sequence[Token], name: Span, mention: Span) -> bool:
    """Whether a name heads the mention around it, or is in apposition to its head."""
    after = tokens[name.last + 1 : mention.last + 1]
    follows = after[0].tag if after else ""
    if follows in _NOUNS or follows == "CC" or (follows == "POS" and len(after) > 1):
        return False
    before = tokens[mention.first : name.first]
    comma = max((i for i, t in enumerate(before) if t.tag == ","), default=-1)
    return not any(t.tag in ("IN", "CC", "TO") or t.tag.startswith("VB") for t in before[comma + 1 :])


def nouns_of(tokens: Sequence[Token], mentions: Spans, names: Spans) -> list[Span]:
    """The noun that heads each mention, where a common noun in the singular does: the "wife" of "his wife, Anna"."""
    taken = {i for name in names for i in name.inside}
    result = []
    for mention in mentions:
        owner = max((i for i in mention.inside[:-1] if tokens[i].tag == "POS"), default=mention.first - 1)
        after = range(owner + 1, mention.last + 1)
        before_stop = itertools.takewhile(lambda i: tokens[i].tag not in _STOPS and i not in taken, after)
        nouns = [i for i in before_stop if tokens[i].tag in _NOUNS]
        if nouns and tokens[nouns[-1]].tag == "NN":
            result.append(Span(nouns[-1], nouns[-1], mention.chain))
    return result


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
        line, columns = raw.strip(), raw.split()
        is_word, is_end = bool(columns) and line[0] != "#", line.startswith("#end document")
        if match := _BEGIN.match(line):
            part = int(match["part"])
            id_ = match["name"] if part == 0 else f"{match['name']}:{part}"
            begun, sentences = number, [[]]
        elif is_word and len(columns) < 12:
            raise DataError(
                f"{path}:{number}: found {len(columns)} columns; expected 12 or more, as in CoNLL-2012; correct the line."
            )
        elif (is_word or is_end) and not begun:
            raise DataError(f"{path}:{number}: found '{line[:40]}' before '#begin document'; add that line.")
        elif is_word:
            sentences[-1].append((number, columns))
        elif not line:
            sentences.append([])
        elif is_end:
            rows = [row for sentence in sentences for row in sentence]
            words = [[(c[4], c[3]) for _, c in sentence] for sentence in sentences]
            named = [span for span in _spans(rows, 10, path) if span.chain == "PERSON"]
            yield _record(id_, words, _spans(rows, -1, path), named, f"{path}:{begun}", spacing)
            begun = 0
    if begun:
        raise DataError(f"{path}:{begun}: found no '#end document' of '{id_}'; add it.")


def _spans(rows: Sequence[Row], column: int, path: Path) -> list[Span]:
    """The spans in a column: ``(1``, ``1)``, ``(1)``, several joined by ``|``; ``*)`` closes the last that is open."""
    brackets = Brackets()
    for i, (number, columns) in enumerate(rows):
        for piece in columns[column].split("|"):
            name = piece.strip("()*")
            if piece.startswith("("):
                brackets.begin(name, i, f"{path}:{number}", {})
            if piece.endswith(")"):
                brackets.end(name, i, f"{path}:{number}")
    return [span for span, _ in brackets.ended()]


def _record(id_: str, words: Sentences, mentions: Spans, named: Spans, at: str, spacing: Spacing) -> Record:
    """The record of a text: tags and words of its sentences, mentions with their chains, and names of people."""
    text, tokens = set_words(words, spacing)
    names = link_names(tokens, named, mentions)
    given = Annotation(text, tokens, mentions, names, nouns_of(tokens, mentions, names))
    return Record(id_, (Document(text),), entities=people(given), where=at)


TRACE = "-NONE-"
_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_PIECE = re.compile(r"<(/?)(\w+)([^>]*)>|[^\s<]+(?:<(?!/?[A-Z])[^\s<]*)*")
_ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')


def read_ontonotes(source: str | Path, spacing: Spacing = "natural") -> Iterator[Record]:
    """The document of one ``.coref`` file, or of all below a folder, each with its ``.name`` and ``.parse``.

    Chains are those of type ``IDENT``; the parts of an apposition (``APPOS``) are inside the chain's mention and are
    ignored. Raises `DataError` with file and line.
    """
    return (_read_triple(path, spacing) for path in files_of(Path(source), ".coref"))


def _read_triple(path: Path, spacing: Spacing) -> Record:
    parse, name = path.with_suffix(".parse"), path.with_suffix(".name")
    for other in (parse, name):
        if not other.is_file():
            raise DataError(f"{path}: found no '{other.name}' in its folder; add the file.")
    trees = _trees(parse)
    leaves = [leaf for tree in trees for leaf in tree]
    document, mentions = _marked(path, "COREF", "IDENT", leaves)
    _, named = _marked(name, "ENAMEX", "PERSON", leaves)
    sentences = [[leaf for leaf in tree if leaf[0] != TRACE] for tree in trees]
    id_ = document.partition("@")[0] or path.stem
    return _record(id_, sentences, mentions, named, f"{path}:1", spacing)


def _trees(path: Path) -> list[list[Leaf]]:
    """Tag and word of every leaf, by tree."""
    trees: list[list[Leaf]] = [[]]
    depth = 0
    for number, line in lines_of(path):
        trees[-1] += _LEAF.findall(line)
        depth += line.count("(") - line.count(")")
        if depth < 0:
            raise DataError(f"{path}:{number}: found a bracket that closes nothing; correct the tree.")
        if depth == 0:
            trees.append([])
    if depth:
        raise DataError(f"{path}: found no end of the last tree; add the closing brackets.")
    return trees


def _marked(path: Path, mark: str, kind: str, leaves: Sequence[Leaf]) -> tuple[str, list[Span]]:
    """The document's number, and the words of the text inside each tag ``mark`` of a type, unless there are only traces.

    The words must equal those of the tree.
    """
    document, brackets, parts, index = "", Brackets(), 0, 0
    place = [0, *itertools.accumulate(int(tag != TRACE) for tag, _ in leaves)]
    pieces = ((f"{path}:{number}", p) for number, line in lines_of(path) for p in _PIECE.finditer(line))
    for at, piece in pieces:
        closing, tag, attributes = piece[1], piece[2], dict(_ATTRIBUTE.findall(piece[3] or ""))
        if tag is None:
            word, leaf = html.unescape(piece[0]), leaves[index][1] if index < len(leaves) else "the end"
            if word.replace("-AMP-", "&") != leaf.replace("-AMP-", "&"):
                raise DataError(
                    f"{at}: found '{word}'; expected '{leaf}', as in the tree; use files of one release."
                )
            index += 1
        elif tag == mark and closing:
            brackets.end(mark, place[index] - 1, at)
        elif tag == mark:
            brackets.begin(mark, place[index], at, attributes)
        elif tag == "DOC" and not closing:
            document = attributes.get("DOCNO", "")
        parts += tag == "TEXT" and not closing
    if index != len(leaves):
        raise DataError(
            f"{path}: found {index} words; expected {len(leaves)}, as in {path.stem}.parse; use files of one release."
        )
    if parts > 1:
        # Numbers of chains restart in each part.
        raise DataError(f"{path}: found {parts} parts; expected one <TEXT> per file; split the file.")
    of_kind = [(span, more) for span, more in brackets.ended() if more.get("TYPE") == kind and span.inside]
    return document, [Span(span.first, span.last, more.get("ID", "")) for span, more in of_kind]
