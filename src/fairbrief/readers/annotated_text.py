"""People in annotated documents, from chains of mentions, names and tagged words.

Every reader of coreference passes the same data (tokens with places, mentions with their chains, names of people) and
receives entities with mentions by kind.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mode

from fairbrief.errors import DataError
from fairbrief.readers.files import File
from fairbrief.text import gendered_words
from fairbrief.text.names import bare, divide
from fairbrief.types import Entity, Mention


def files_of(source: Path, ending: str) -> list[Path]:
    """``source`` itself, or all files below it with the ending, sorted by path."""
    if source.is_file():
        return [source]
    result = sorted(p for p in source.rglob("*") if p.is_file() and p.name.endswith(ending))
    if not result:
        raise DataError(f"{source}: found no {ending} file; expected one, or a folder of them; check it.")
    return result


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers; DataError names a line that is not UTF-8."""
    return File(path, str(path)).lines()


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text: form, Penn tag, and its characters ``start`` to ``end`` (exclusive).

    With dependencies, also its universal tag, the index of its ``head`` (-1 is the root), and the relation to it.
    """

    form: str
    tag: str
    start: int
    end: int
    upos: str = ""
    head: int = -1
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens ``first`` to ``last`` (inclusive) of a chain; without a name: of no chain."""

    first: int
    last: int
    chain: str = ""

    @property
    def inside(self) -> range:
        """The numbers of its tokens."""
        return range(self.first, self.last + 1)

    def covers(self, other: Span) -> bool:
        return self.first <= other.first and other.last <= self.last


Marked = tuple[Span, Mapping[str, str]]
"""A span, and what the file adds to it."""


@dataclass(slots=True)
class Brackets:
    """Spans whose beginnings and ends are marked at words; DataError for one without the other."""

    _ended: list[Marked] = field(default_factory=list)
    _begun: list[tuple[str, int, str, Mapping[str, str]]] = field(default_factory=list)

    def begin(self, name: str, word: int, where: str, more: Mapping[str, str]) -> None:
        """Begin a span of this name (its chain) at a word."""
        self._begun.append((name, word, where, more))

    def end(self, name: str, word: int, where: str) -> None:
        """End the last span of this name, or any if it is empty."""
        last = next((i for i in reversed(range(len(self._begun))) if name in ("", self._begun[i][0])), None)
        if last is None:
            raise DataError(f"{where}: found the end of '{name}' without its beginning; correct the line.")
        chain, first, _, more = self._begun.pop(last)
        self._ended.append((Span(first, word, chain), more))

    def ended(self) -> list[Marked]:
        """All spans; DataError if one has no end."""
        for name, _, where, _ in self._begun:
            raise DataError(f"{where}: found '{name}' without its end; correct the line.")
        return self._ended


@dataclass(frozen=True, slots=True)
class Annotation:
    """A document's annotation of people.

    ``mentions`` are the chains' spans, ``heads`` the token that heads each of them (where known);
    ``names`` are names of people, each with the chain of the person named; ``nouns`` are the nouns
    (wife, chairman) by which a chain's person is called.
    """

    text: str
    tokens: Sequence[Token]
    mentions: Sequence[Span]
    names: Sequence[Span]
    nouns: Sequence[Span] = ()
    heads: Mapping[Span, int] = field(default_factory=dict)

    def words(self, span: Span) -> tuple[str, ...]:
        """The words of a span."""
        return tuple([self.tokens[i].form for i in span.inside])


@dataclass(slots=True)
class _Person:
    names: list[tuple[int, str, bool]] = field(default_factory=list)
    """Start and words of each name, without titles; whether it directly follows a courtesy title."""
    mentions: set[Mention] = field(default_factory=set)
    """Its other mentions."""
    is_they: bool = False


def people(given: Annotation) -> tuple[Entity, ...]:
    """The people of one document, in order of their first mention.

    People are referred to by names or by he- or she-pronouns. The gender is that of the pronouns and titles, if they
    agree; otherwise it is missing. A named person with the pronoun ``they``, and neither he nor she, has the attribute
    ``pronouns``. The words of a name belong to the innermost mention, so that in "[his wife, Anna Miller]" neither
    Anna's chain gets "his" nor the husband's chain gets "Anna Miller".
    """
    result: dict[str, _Person] = defaultdict(_Person)
    names, pronouns = _linked(given), _pronouns(given)
    same = _same_people(given, names, pronouns)
    for span in names:
        _add_name(result[same.get(span.chain, span.chain)], given, span)
    for token, chain, place in pronouns:
        result[same.get(chain, chain)].mentions.add(Mention(0, token.start, token.end, place))
    for span in given.mentions:
        is_they = span.first == span.last and given.tokens[span.first].form.lower() in gendered_words.THEY
        if is_they and (known := result.get(same.get(span.chain, span.chain))):
            known.is_they = True
    for span in given.nouns:
        if known := result.get(same.get(span.chain, span.chain)):
            start, end = given.tokens[span.first].start, given.tokens[span.last].end
            known.mentions.add(Mention(0, start, end, "content"))
    entities = [_entity(chain, person, given) for chain, person in result.items()]
    return tuple(sorted(entities, key=lambda e: (e.mentions[0].start, e.id)))


# ------------------------------------------------------------------------------------- names


def _linked(given: Annotation) -> list[Span]:
    """The innermost names; those without a chain are linked to a namesake or get a new chain."""
    claimed, kept = set[int](), list[Span]()
    for span in sorted(given.names, key=lambda s: (s.last - s.first, not s.chain, s.first)):
        if claimed.isdisjoint(span.inside) and not _names_nobody(given, span):
            claimed.update(span.inside)
            kept.append(span)
    kept.sort(key=lambda s: s.first)
    chains: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for span in kept:
        words = given.words(span)
        for part in (words, words[:1], words[-1:]) if span.chain else ():
            chains[part].add(span.chain)
    linked, added = [], (f"name-{number}" for number in itertools.count())
    for span in kept:
        known = chains[given.words(span)]
        chain = span.chain or (next(iter(known)) if len(known) == 1 else next(added))
        known.add(chain)
        linked.append(Span(span.first, span.last, chain))
    return linked


def _same_people(given: Annotation, names: Sequence[Span], pronouns: Sequence[Pronoun]) -> dict[str, str]:
    """Chain → another chain of the same person.

    Chains with equal full names are one person, as is a chain whose only name begins or ends the full name of exactly one
    other chain. Pronouns of two genders exclude this.
    """
    genders: dict[str, set[str | None]] = defaultdict(set)
    for token, chain, _ in pronouns:
        genders[chain].add(gendered_words.pronoun_gender(token.form))
    called: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for span in names:
        called[span.chain].add(given.words(span))
    roles = {s.chain for s in names if s.first and given.tokens[s.first - 1].form.lower() in _ACTING}
    bearers: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for chain, forms in called.items():
        for form in {part for f in forms if len(f) > 1 for part in (f, f[:1], f[-1:])}:
            bearers[form].append(chain)
    same: dict[str, str] = {}
    for chain, forms in called.items():
        full = {form for form in forms if len(form) > 1}
        wanted = full or (forms if chain not in roles else ())
        result = [{o for o in bearers[form] if o != chain and o not in same} for form in wanted]
        others = set().union(*result) if full else set.intersection(*result) if result else set()
        if len(others) == 1 and chain not in same.values():
            (other,) = others
            if len(genders[chain] | genders[other]) < 2:
                same[chain] = other
    return same


_ACTING = frozenset(("as", "playing", "played", "plays"))
"""Before the name of a role: "he appeared as Tom"."""


def _names_nobody(given: Annotation, span: Span) -> bool:
    """Whether a name is that of a family ("the Wilsons"), a pronunciation, or a spelling in another script."""
    if span.first == span.last and given.tokens[span.first].tag == "NNPS":
        return True
    name = given.text[given.tokens[span.first].start : given.tokens[span.last].end]
    return any((c.isalpha() and (ord(c) > 0x1EFF or 0x250 <= ord(c) < 0x1EA0)) or c == "/" for c in name)


def _add_name(person: _Person, given: Annotation, span: Span) -> None:
    """Add a name to a person, with the gendered titles at its start, or the one directly before it."""
    tokens, first = given.tokens, span.first
    while first < span.last and gendered_words.is_title(tokens[first].form):
        first += 1
    for i in range(first, span.last):
        if bare(tokens[i].form) in gendered_words.ENDING:
            first = i + 1
    before = tokens[span.first : first] or tokens[max(0, first - 1) : first]
    titles = [t for t in before if t.form[:1].isupper() and gendered_words.title_gender(t.form)]
    person.mentions |= {Mention(0, title.start, title.end, "title") for title in titles}
    is_titled = any(bare(title.form) in gendered_words.COURTESY for title in titles)
    start, end = tokens[first].start, tokens[span.last].end
    person.names.append((start, given.text[start:end], is_titled))


def _vote(person: _Person) -> tuple[str | None, str | None]:
    """First and last name of a person, from all the person's names.

    The name directly after Mr., Mrs. or Ms. is the last name (Steen & Markert, Appendix D; in their code later mentions
    can replace it). Otherwise it is the most frequent last word of the longer names; otherwise the single word. The
    first name is the most frequent one before it.
    """
    titled = [name for _, name, is_titled in person.names if is_titled]
    names = [name for _, name, _ in person.names]
    longer = [name for name in names if len(name.split()) > 1]
    single = [name for name in names if name not in longer]
    last = _most(_parts(titled, "last")) or _most(_parts(longer, "last")) or _most(single)
    if last is None:
        return None, None
    others = [] if longer else [name for name in single if name.lower() != last.lower()]
    return _most(_parts(longer, "given", last)) or _most(others), last


def _parts(names: Iterable[str], part: str, last: str | None = None) -> list[str]:
    """The first part of this kind of each name that has one."""
    found = (next((p.word for p in divide(name, last) if p.part == part), None) for name in names)
    return list(filter(None, found))


def _most(words: Sequence[str]) -> str | None:
    """The most frequent word, ignoring case (of ties the first), in its most frequent spelling; None without words."""
    if not words:
        return None
    low = mode(word.lower() for word in words)
    spelled = [word for word in words if word.lower() == low]
    return mode([word for word in spelled if not word.isupper()] or spelled)


# ------------------------------------------------------------------------------------- pronouns


Pronoun = tuple[Token, str, gendered_words.Place]
"""A he- or she-pronoun, its chain, and its grammatical place."""


def _pronouns(given: Annotation) -> list[Pronoun]:
    """Every he- or she-pronoun of a chain.

    A pronoun belongs to the innermost mention around it if it is the whole mention, its head, or reflexive ("Galois
    himself"). A possessive inside a larger mention ("[his wife]") refers to another person and is skipped.
    """
    innermost: dict[int, Span] = {}
    for span in sorted(given.mentions, key=lambda s: s.first - s.last):
        innermost.update(dict.fromkeys(span.inside, span))
    result = []
    for i, token in enumerate(given.tokens):
        place, around = gendered_words.place(token.form, token.tag), innermost.get(i)
        if place is not None and around is not None and around.chain:
            is_head = given.heads.get(around, around.first) == i and place != "his"
            if around.first == around.last or is_head or place == "himself":
                result.append((token, around.chain, place))
    return result


# ------------------------------------------------------------------------------------- entities


def _entity(chain: str, person: _Person, given: Annotation) -> Entity:
    first, last = _vote(person)
    mentions = set(person.mentions)
    for start, name, _ in person.names:
        is_misspelt = last is not None and SequenceMatcher(None, name.lower(), last.lower()).ratio() > 0.8
        alone = "given" if first and not is_misspelt else "last"
        parts = {piece.part for piece in divide(name, last, alone=alone)}
        kind = "full" if "last" in parts and parts & {"given", "initial"} else "last"
        if "last" not in parts and first is not None:
            kind = "first"
        mentions.add(Mention(0, start, start + len(name), kind))
    genders = {gendered_words.gender_of(given.text[m.start : m.end], m.kind) for m in mentions} - {None}
    attributes = dict[str, str]()
    if len(genders) == 1:
        attributes["gender"] = str(genders.pop())
    elif person.is_they and person.names and not genders:
        attributes["pronouns"] = "they"
    return Entity(
        chain, first, last, attributes, tuple(sorted(mentions, key=lambda m: (m.start, m.end, m.kind)))
    )
