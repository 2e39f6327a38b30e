"""CorefUD files (``.conllu``), such as GUM's: entities and coreference in the ``Entity=`` annotation.

Each document becomes one record with one text, built from the words and their ``SpaceAfter``; it must equal
``# text``. Sentences of a paragraph are joined by a blank (by nothing after ``SpaceAfter=No``), paragraphs
(``# newpar``) by a line break.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from fairbrief.errors import DataError
from fairbrief.readers.annotated_text import Annotation, Brackets, Span, Token, files_of, lines_of, people
from fairbrief.text import gendered_words
from fairbrief.types import Document, Record

_BRACKETS = re.compile(r"(\()?([^()]+)(\))?")
COLUMNS = 10
NUMBER, HEAD = re.compile(r"(\d{1,9})(?:-(\d{1,9})|(\.\d+))?", re.ASCII), re.compile(r"\d{1,9}|_", re.ASCII)
"""The number of a word, of a token of several words (4-5) or of a word that is not in the text (8.1); and of a head."""
_FIELDS = ("eid", "etype", "head", "other")
_BY_PEOPLE = re.compile(r"(?:\(human.*?\)\s*|(?!\())(.*)")
"""A summary with the mark of people, or without any."""


@dataclass(slots=True)
class _Pages:
    """One document during reading."""

    id: str
    line: int
    fields: Sequence[str] = _FIELDS
    meta: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    length: int = 0
    glue: str = ""
    """The text between the last word and the next."""
    words: list[Word] = field(default_factory=list)
    brackets: Brackets = field(default_factory=Brackets)

    def write(self, form: str) -> int:
        """Append a word after its glue; returns its start."""
        start = self.length + len(self.glue)
        self.text += [self.glue, form]
        self.length = start + len(form)
        self.glue = ""
        return start


def read_corefud(source: str | Path) -> Iterator[Record]:
    """The documents of a ``.conllu`` file, or of all such files below a folder.

    Each record has the people as entities (gender from their pronouns and titles; attribute
    ``identity`` where the annotation links the person to a page), the metadata ``genre`` as attribute,
    and summaries marked ``(human…)`` in the metadata as references. Raises `DataError` with file and line.
    """
    for path in files_of(Path(source), ".conllu"):
        yield from _read_file(path)


def _read_file(path: Path) -> Iterator[Record]:
    pages: _Pages | None = None
    block: list[tuple[int, str]] = []
    # An empty line ends the last sentence, too.
    for number, line in itertools.chain(lines_of(path), [(0, "")]):
        if line.startswith("# newdoc"):
            if pages is not None:
                yield _record(pages, path)
            pages = _Pages(line.partition("=")[2].strip() or path.stem, number)
        elif line:
            block.append((number, line))
        elif block:
            pages = pages or _Pages(path.stem, block[0][0])
            _add_sentence(pages, block, path)
            block = []
    if pages is not None:
        yield _record(pages, path)


# ------------------------------------------------------------------------------------- sentences


def _add_sentence(pages: _Pages, block: Sequence[tuple[int, str]], path: Path) -> None:
    wanted, at, rows = "", block[0][0], []
    for number, line in block:
        key, _, value = line[1:].partition("=")
        key = key.strip()
        if not line.startswith("#"):
            rows.append((number, line.split("\t")))
        elif key.startswith("newpar"):
            pages.glue = "\n" if pages.length else ""
        elif key == "text":
            wanted, at = value.removeprefix(" "), number
        elif key == "global.Entity":
            pages.fields = value.strip().split("-")
        elif key.startswith("meta::"):
            pages.meta[key.removeprefix("meta::")] = value.strip()
    begin, glue = len(pages.text), pages.glue
    _add_words(pages, rows, path)
    made = "".join(pages.text[begin:]).removeprefix(glue)
    if wanted and made.rstrip() != wanted.rstrip():
        raise DataError(
            f"{path}:{at}: found {made!r} from the words with SpaceAfter; expected {wanted!r}, as in '# text'; correct "
            "one of them."
        )


def _add_words(pages: _Pages, rows: Sequence[tuple[int, list[str]]], path: Path) -> None:
    base, covered = len(pages.words), 0
    forms = {columns[0]: columns[1] for _, columns in rows if len(columns) == COLUMNS}
    places: dict[int, tuple[int, int]] = {}
    for number, columns in rows:
        match = NUMBER.fullmatch(columns[0])
        if len(columns) != COLUMNS or match is None or not HEAD.fullmatch(columns[6]):
            raise DataError(
                f"{path}:{number}: found {len(columns)} columns, with {columns[0]!r} in the first; expected {COLUMNS}, separated "
                "by tabs, with numbers of words in the first and the seventh, as in CoNLL-U; correct the line."
            )
        form, head = columns[1], columns[6]
        misc = dict(item.partition("=")[::2] for item in columns[9].split("|"))
        low, last, is_empty = int(match[1]), match[2], match[3]
        if is_empty:
            continue
        high = int(last or low)
        if low > covered:
            start = pages.write(form)
            after = misc.get("SpacesAfter", " ")
            after = after.replace("\\s", " ").replace("\\n", "\n").replace("\\t", "\t")
            pages.glue = "" if misc.get("SpaceAfter") == "No" else after
            covered = high
            places.update(_split(form, start, [forms.get(str(i), "") for i in range(low, high + 1)], low))
        if last:
            continue
        index = len(pages.words)
        if low not in places or index != base + low - 1:
            raise DataError(
                f"{path}:{number}: found word {low} after word {index - base}; expected consecutive numbers; correct the line."
            )
        token = Token(form, columns[4], *places[low])
        governor = -1 if head in ("_", "0") else base + int(head) - 1
        pages.words.append(Word(token, columns[3], governor, columns[7]))
        _add_brackets(pages, misc.get("Entity", ""), index, f"{path}:{number}")


def _split(form: str, start: int, parts: Sequence[str], low: int) -> dict[int, tuple[int, int]]:
    """The places of the words of one token: consecutive if they spell it, otherwise the whole token for each."""
    if "".join(parts) != form:
        return {low + i: (start, start + len(form)) for i in range(len(parts))}
    places, at = {}, start
    for i, part in enumerate(parts, low):
        places[i] = (at, at + len(part))
        at += len(part)
    return places


def _add_brackets(pages: _Pages, annotation: str, index: int, where: str) -> None:
    """Open and close mentions at a word."""
    for opens, body, closes in _BRACKETS.findall(annotation):
        id_ = re.sub(r"\[\d+/\d+\]", "", body.split("-")[0])
        if opens:
            more = dict(zip(pages.fields, [id_, *body.split("-")[1:]], strict=False))
            pages.brackets.begin(id_, index, where, more)
        if closes:
            pages.brackets.end(id_, index, where)


# ------------------------------------------------------------------------------------- people


def _record(pages: _Pages, path: Path) -> Record:
    pages.brackets.check()
    text = "".join(pages.text)
    words = pages.words
    names, attributive, nouns = list[Span](), list[Span](), list[Span]()
    notes: dict[str, dict[str, str]] = {}
    spans = sorted(pages.brackets.spans, key=lambda s: (s[0].first, -s[0].last))
    heads = {span: head_of(words, span) for span, _ in spans}
    things: dict[int, list[Span]] = defaultdict(list)
    for span, fields in spans:
        if fields.get("etype") in ("place", "organization"):
            things[heads[span]].append(span)
    for span, fields in spans:
        kind, head = fields.get("etype", ""), heads[span]
        if kind != "person" and (kind or gendered_words.pronoun_gender(words[head].token.form) is None):
            continue
        is_of_thing = any(other.covers(span) and other != span for other in things[head])
        is_of_thing = is_of_thing or is_attributive(words, head)
        (attributive if is_of_thing else names).extend(names_of(words, span, head, fields))
        if words[head].upos == "NOUN" and words[head].token.tag in ("NN", "_"):
            nouns.append(Span(head, head, span.chain))
        if fields.get("identity"):
            notes[span.chain] = {"identity": unquote(fields["identity"])}
    # A person who only occurs in names of things (Carnegie Hall, the Stirling Prize) is not part of the text.
    spoken_of = {name.chain for name in names}
    names += [name for name in attributive if name.chain in spoken_of]
    tokens, mentions = [word.token for word in words], [span for span, _ in spans]
    given = Annotation(text, tokens, mentions, names, nouns, heads, notes)
    attributes = {"genre": pages.meta["genre"]} if "genre" in pages.meta else {}
    summaries = [v for k, v in pages.meta.items() if re.fullmatch(r"summary\d*", k)]
    human = (match[1] for v in summaries if (match := _BY_PEOPLE.fullmatch(v)))
    where = f"{path}:{pages.line}"
    return Record(pages.id, (Document(text),), tuple(human), people(given), attributes, where=where)


# ------------------------------------------------------------------------------------- dependencies


_DETERMINERS = frozenset("the a an this that these those our my your both all".split())
_FOREIGN_AND = frozenset(("et", "und", "y", "e", "och", "og", "en"))
_ROLES = frozenset(
    "anonymous critic defendant defense plaintiff petitioner refugee respondent scholars sinners student users who widow".split()
)
"""Nouns of roles, which are capitalised if used as names."""


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word: a token and its columns. ``head`` is an index into the document; -1 is the root."""

    token: Token
    upos: str
    head: int
    relation: str


def head_of(words: Sequence[Word], span: Span) -> int:
    """The word of a span whose head is outside the span; the first of several."""
    inside = range(span.first, span.last + 1)
    return next((i for i in inside if words[i].head not in inside), span.first)


def names_of(words: Sequence[Word], span: Span, head: int, fields: Mapping[str, str]) -> list[Span]:
    """The name of a mention's person: none, or one.

    A name is a singular proper noun with its flat dependents. It heads the mention, or depends on the noun that does ("the
    physician [Yang Buwei]"). An office ("President of the Society"), a name with an article, and several people joined
    by "and" are not names of one person.
    """
    inside = range(span.first, span.last + 1)
    children = [i for i in inside if words[i].head == head]
    if any(words[i].relation == "conj" and words[i].upos == "PROPN" for i in children):
        return []
    named = [i for i in children if words[i].relation in ("appos", "flat") and words[i].token.tag == "NNP"]
    if words[head].token.tag != "NNP":
        return _run(words, named[0], inside, span) if named and words[head].upos == "NOUN" else []
    if head + 1 in named and words[head + 1].relation == "appos":  # an occupation: "YouTuber [Ann Lee]"
        return _run(words, head + 1, inside, span)
    relations = {words[i].relation.partition(":")[0] for i in children}
    is_office = fields.get("link") == "pred" and relations & {"nmod", "det", "compound", "amod"}
    return [] if is_office else _run(words, head, inside, span)


def is_attributive(words: Sequence[Word], head: int) -> bool:
    """Whether a word is part of the name of a thing: a compound of another proper noun."""
    word = words[head]
    if word.relation == "conj" and word.head >= 0:
        word = words[word.head]
    return word.relation == "compound" and word.head >= 0 and words[word.head].upos == "PROPN"


def _run(words: Sequence[Word], root: int, inside: range, span: Span) -> list[Span]:
    """The consecutive words around a proper noun that form the name."""
    part = {root}
    if words[root].relation == "flat":
        part |= {i for i in inside if words[i].head == words[root].head and words[i].relation == "flat"}
    for i in inside:  # flat dependents follow their heads
        if words[i].relation == "flat" and words[i].head in part:
            part.add(i)
    part |= {i for i in inside if words[i].token.tag == "HYPH" and {i - 1, i + 1} <= part}
    first = last = root
    while first - 1 in part:
        first -= 1
    while last + 1 in part:
        last += 1
    others = [i for i in inside if words[i].head == root and not first <= i <= last]
    if any(words[i].relation == "det" or words[i].token.form.lower() in _DETERMINERS for i in others):
        return []
    is_single, form = first == last, words[root].token.form
    if is_single and (gendered_words.is_title(form) or form.lower() in _ROLES):
        return []
    neighbours = range(max(first - 1, 0), min(last + 2, len(words)))
    if any(words[i].token.form in _FOREIGN_AND for i in neighbours):
        return []  # "Jules et Jim" are two, or a film
    after = [words[i] for i in others if i > last]
    if is_single and any(word.relation == "nmod" and word.token.tag == "NNP" for word in after):
        return []  # "Major in the Corps": an office
    return [Span(first, last, span.chain)]
