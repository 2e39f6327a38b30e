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
class _Page:
    """One document during reading."""

    id: str
    where: str
    fields: Sequence[str] = _FIELDS
    meta: dict[str, str] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    """Of its text, with what is between the words."""
    length: int = 0
    glue: str = ""
    """The text between the last word and the next."""
    words: list[Token] = field(default_factory=list)
    brackets: Brackets = field(default_factory=Brackets)

    def write(self, form: str) -> int:
        """Append a word after its glue; returns its start."""
        self.pieces += [self.glue, form]
        self.length += len(self.glue) + len(form)
        return self.length - len(form)


def read_corefud(source: str | Path) -> Iterator[Record]:
    """The documents of a ``.conllu`` file, or of all such files below a folder.

    Each record has the people as entities (gender from their pronouns and titles), the metadata ``genre`` as attribute,
    and summaries marked ``(human…)`` in the metadata as references. Raises `DataError` with file and line.
    """
    for path in files_of(Path(source), ".conllu"):
        yield from map(_record, _pages(path))


def _pages(path: Path) -> Iterator[_Page]:
    page: _Page | None = None
    block: list[tuple[str, str]] = []
    # An empty line ends the last sentence, too.
    for number, line in itertools.chain(lines_of(path), [(0, "")]):
        where = f"{path}:{number}"
        if line.startswith("# newdoc"):
            if page is not None:
                yield page
            page = _Page(line.partition("=")[2].strip() or path.stem, where)
        elif line:
            block.append((where, line))
        elif block:
            page = page or _Page(path.stem, block[0][0])
            _add_sentence(page, block)
            block = []
    if page is not None:
        yield page


# ------------------------------------------------------------------------------------- sentences


def _add_sentence(page: _Page, block: Sequence[tuple[str, str]]) -> None:
    wanted, place = "", block[0][0]
    for where, line in block:
        key, _, value = line.partition("=")
        key = key.removeprefix("#").strip()
        if not line.startswith("#"):
            continue
        if key.startswith("newpar"):
            page.glue = "\n" if page.pieces else ""
        elif key == "text":
            wanted, place = value.removeprefix(" "), where
        elif key == "global.Entity":
            page.fields = value.strip().split("-")
        elif key.startswith("meta::"):
            page.meta[key.removeprefix("meta::")] = value.strip()
    begin, glue = len(page.pieces), page.glue
    _add_words(page, [(where, line.split("\t")) for where, line in block if not line.startswith("#")])
    made = "".join(page.pieces[begin:]).removeprefix(glue)
    if wanted and made.rstrip() != wanted.rstrip():
        raise DataError(
            f"{place}: found {made!r} in the words; expected {wanted!r}, as in '# text'; correct one."
        )


def _add_words(page: _Page, rows: Sequence[tuple[str, list[str]]]) -> None:
    base = len(page.words)
    forms = {columns[0]: columns[1] for _, columns in rows if len(columns) == COLUMNS}
    places: dict[int, tuple[int, int]] = {}
    for where, columns in rows:
        match = NUMBER.fullmatch(columns[0])
        if len(columns) != COLUMNS or match is None or not HEAD.fullmatch(columns[6]):
            shown = " and ".join(map(repr, [columns[0], *columns[6:7]]))
            found = f"{len(columns)} columns, with {shown} in the first and seventh"
            wanted = f"{COLUMNS}, with numbers in these two, as in CoNLL-U"
            raise DataError(f"{where}: found {found}; expected {wanted}; correct the line.")
        low, last, is_empty = match.groups()
        if is_empty:
            continue
        first, stop = int(low), int(last or low) + 1
        misc = dict(item.partition("=")[::2] for item in columns[9].split("|"))
        if first not in places:
            parts = [forms.get(str(i), "") for i in range(first, stop)]
            places |= _places(first, columns[1], page.write(columns[1]), parts)
            after = misc.get("SpacesAfter", " ").replace("\\s", " ").replace("\\n", "\n").replace("\\t", "\t")
            page.glue = "" if misc.get("SpaceAfter") == "No" else after
        if last:
            continue
        index = len(page.words)
        if index != base + first - 1:
            found = f"word {first} after word {index - base}"
            raise DataError(f"{where}: found {found}; expected consecutive numbers; correct the line.")
        head = -1 if columns[6] in ("_", "0") else base + int(columns[6]) - 1
        page.words.append(Token(columns[1], columns[4], *places[first], columns[3], head, columns[7]))
        for opens, body, closes in _BRACKETS.findall(misc.get("Entity", "")):
            name, *more = body.split("-")
            name = re.sub(r"\[\d+/\d+\]", "", name)
            if opens:
                page.brackets.begin(name, index, where, dict(zip(page.fields, [name, *more], strict=False)))
            if closes:
                page.brackets.end(name, index, where)


def _places(first: int, form: str, start: int, parts: Sequence[str]) -> dict[int, tuple[int, int]]:
    """The places of the words of one token: consecutive if they spell it, otherwise the whole token for each."""
    if "".join(parts) != form:
        return dict.fromkeys(range(first, first + len(parts)), (start, start + len(form)))
    ends = [*itertools.accumulate(map(len, parts), initial=start)]
    return dict(enumerate(itertools.pairwise(ends), first))


# ------------------------------------------------------------------------------------- people


def _record(page: _Page) -> Record:
    words = page.words
    names, attributive, nouns = list[Span](), list[Span](), list[Span]()
    spans = sorted(page.brackets.ended(), key=lambda s: (s[0].first, -s[0].last))
    heads = {span: head_of(words, span) for span, _ in spans}
    things: dict[int, list[Span]] = defaultdict(list)
    for span, fields in spans:
        if fields.get("etype") in ("place", "organization"):
            things[heads[span]].append(span)
    for span, fields in spans:
        kind, head = fields.get("etype", ""), heads[span]
        if kind != "person" and (kind or gendered_words.pronoun_gender(words[head].form) is None):
            continue
        is_of_thing = any(other.covers(span) and other != span for other in things[head])
        named = attributive if is_of_thing or is_attributive(words, head) else names
        named += names_of(words, span, head, fields)
        if words[head].upos == "NOUN" and words[head].tag in ("NN", "_"):
            nouns.append(Span(head, head, span.chain))
    # A person who only occurs in names of things (Carnegie Hall, the Stirling Prize) is not part of the text.
    spoken_of = {name.chain for name in names}
    names += [name for name in attributive if name.chain in spoken_of]
    text = "".join(page.pieces)
    entities = people(Annotation(text, words, list(heads), names, nouns, heads))
    attributes = {"genre": page.meta["genre"]} if "genre" in page.meta else {}
    summaries = [_BY_PEOPLE.fullmatch(v) for k, v in page.meta.items() if re.fullmatch(r"summary\d*", k)]
    human = tuple([match[1] for match in summaries if match])
    return Record(page.id, (Document(text),), human, entities, attributes, where=page.where)


# ------------------------------------------------------------------------------------- dependencies


_DETERMINERS = frozenset("the a an this that these those our my your both all".split())
_FOREIGN_AND = frozenset(("et", "und", "y", "e", "och", "og", "en"))
_ROLES = frozenset(
    "anonymous critic defendant defense plaintiff petitioner refugee respondent scholars sinners student users who widow".split()
)
"""Nouns of roles, which are capitalised if used as names."""


def head_of(words: Sequence[Token], span: Span) -> int:
    """The word of a span whose head is outside the span; the first of several."""
    inside = span.inside
    return next((i for i in inside if words[i].head not in inside), span.first)


def names_of(words: Sequence[Token], span: Span, head: int, fields: Mapping[str, str]) -> list[Span]:
    """The name of a mention's person: none, or one.

    A name is a singular proper noun with its flat dependents. It heads the mention, or depends on the noun that does ("the
    physician [Yang Buwei]"). An office ("President of the Society"), a name with an article, and several people joined
    by "and" are not names of one person.
    """
    children = [i for i in span.inside if words[i].head == head]
    if any(words[i].relation == "conj" and words[i].upos == "PROPN" for i in children):
        return []
    named = [i for i in children if words[i].relation in ("appos", "flat") and words[i].tag == "NNP"]
    if words[head].tag != "NNP":
        return _run(words, named[0], span) if named and words[head].upos == "NOUN" else []
    if head + 1 in named and words[head + 1].relation == "appos":  # an occupation: "YouTuber [Ann Lee]"
        return _run(words, head + 1, span)
    relations = {words[i].relation.partition(":")[0] for i in children}
    is_office = fields.get("link") == "pred" and relations & {"nmod", "det", "compound", "amod"}
    return [] if is_office else _run(words, head, span)


def is_attributive(words: Sequence[Token], head: int) -> bool:
    """Whether a word is part of the name of a thing: a compound of another proper noun."""
    word = words[head]
    if word.relation == "conj" and word.head >= 0:
        word = words[word.head]
    return word.relation == "compound" and word.head >= 0 and words[word.head].upos == "PROPN"


def _run(words: Sequence[Token], root: int, span: Span) -> list[Span]:
    """The consecutive words around a proper noun that form the name."""
    inside, part = span.inside, {root}
    if words[root].relation == "flat":
        part |= {i for i in inside if words[i].head == words[root].head and words[i].relation == "flat"}
    for i in inside:  # flat dependents follow their heads
        if words[i].relation == "flat" and words[i].head in part:
            part.add(i)
    part |= {i for i in inside if words[i].tag == "HYPH" and {i - 1, i + 1} <= part}
    first = last = root
    while first - 1 in part:
        first -= 1
    while last + 1 in part:
        last += 1
    others = [i for i in inside if words[i].head == root and not first <= i <= last]
    if any(words[i].relation == "det" or words[i].form.lower() in _DETERMINERS for i in others):
        return []
    is_single, form = first == last, words[root].form
    if is_single and (gendered_words.is_title(form) or form.lower() in _ROLES):
        return []
    neighbours = range(max(first - 1, 0), min(last + 2, len(words)))
    if any(words[i].form in _FOREIGN_AND for i in neighbours):
        return []  # "Jules et Jim" are two, or a film
    after = [words[i] for i in others if i > last]
    if is_single and any(word.relation == "nmod" and word.tag == "NNP" for word in after):
        return []  # "Major in the Corps": an office
    return [Span(first, last, span.chain)]
