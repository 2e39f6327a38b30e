"""Spans of a text that may name a person, and a built-in recogniser of people.

`propose` finds every run of capitalised words and all its parts; a recogniser (the built-in one below, or a
named-entity pipeline elsewhere) decides which of these strings are people; `choose` keeps the longest that do not
overlap.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Annotated, Final, NamedTuple

from fairbrief.text.names import DOTTED, PARTICLES, TITLES, bare, is_title, without_titles
from fairbrief.text.segmentation import LETTERS
from fairbrief.text.vocabulary import CALENDAR, FUNCTION_WORDS, vocabulary, words


def _check_recogniser(recogniser: str) -> None:
    if recogniser != "builtin" and not re.match(r"spacy:\s*\S", recogniser):
        raise ValueError("is neither builtin nor spacy:NAME")


Recogniser = Annotated[str, _check_recogniser]
"""What recognises people: ``builtin``, or ``spacy:NAME``."""
LONGEST = 6
"""Maximum number of words in a person's name."""

_POSSESSIVE = ("'s", "’s")
_INITIAL = re.compile(r"[A-Z]\.")
_STATES = re.compile(r"\bU\.\s*[SKN]\.")
"""Initials that belong to no person."""
CHIEFS = frozenset("assistant chair chief deputy elect emeritus former general speaker vice".split())
"""Words for offices: after a title they are not a name."""
SAINTS = frozenset(("st", "saint"))
"""Titles that begin names of places and buildings more often than of people."""
PLACES = words("not_people", "countries", "regions", "cities")
"""Single words that name a place, and hardly ever a person."""
PLACE_PHRASES = frozenset(tuple(place.split()) for place in vocabulary("not_people")["phrases"])
"""Places of several words."""
PLAIN_WORDS = words("not_people", "plain_words")
"""Common words that are also in the lists of given names."""
ORGANISATION_WORDS = words("not_people", "organisations")
"""Words that are rare in names of people: a run of capitalised words with one of them names something different."""
_PLACES_AND_PEOPLES = PLACES | words("not_people", "peoples")
_PLACE_NAMES = PLACE_PHRASES | {(word,) for word in _PLACES_AND_PEOPLES}
_NOT_GIVEN = PLAIN_WORDS | _PLACES_AND_PEOPLES
"""Given names that are more often words, places or peoples."""
_NOT_GIVEN_ALONE = CALENDAR | _NOT_GIVEN
_HARDLY_GIVEN_ALONE = words("not_people", "plain_names", "also_names")
_OF_NO_PERSON = ORGANISATION_WORDS | PLACES
_OF_NO_NAMED_PERSON = ORGANISATION_WORDS - words("not_people", "surnames_too")
_NOT_IN_RUNS = FUNCTION_WORDS - {"will", "may"}
_SENTENCE_END = frozenset('.!?:;\n"“”•')


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of a text, its tokens with their places, whether it opens a sentence, and the index of its
    first token in its run.
    """

    start: int
    end: int
    tokens: tuple[str, ...]
    places: tuple[tuple[int, int], ...] = ()
    opens: bool = False
    first: int = 0

    @property
    def text(self) -> str:
        """The tokens joined by blanks, as the recogniser gets them."""
        return " ".join(self.tokens)


class _Token(NamedTuple):
    """A word; ``follows``: only blanks separate it from the word before; ``ends``: no word after it continues its run."""

    text: str
    start: int
    end: int
    opens: bool
    follows: bool
    ends: bool


def _is_capitalised(word: str) -> bool:
    """Whether a word begins with a capital, perhaps after an article that is joined to it (al-Amr, d'Arc)."""
    article, joined, rest = word.replace("’", "'").replace("'", "-").partition("-")
    return word[0].isupper() or bool(joined and len(article) < 4 and rest[:1].isupper())


@lru_cache(maxsize=1024)
def runs(text: str) -> tuple[Span, ...]:
    """The maximal runs of capitalised words, particles (``de la``) allowed inside.

    A possessive ends a run and is not part of it; so does punctuation, other than the full stop of an
    abbreviation or an initial. Function words (``The``, ``He``) are never part of a run.

    >>> [span.text for span in runs("Yesterday J. Smith met Dr. Ana de la Cruz's son. He left.")]
    ['Yesterday J. Smith', 'Dr. Ana de la Cruz']
    """
    groups: list[list[_Token]] = []
    is_open = False
    for token in _tokens(text):
        is_name = _is_capitalised(token.text) and (len(token.text) > 1 or token.text.endswith("."))
        is_particle = is_open and not is_name and token.text in PARTICLES
        if not is_particle and (not is_name or token.text.lower() in _NOT_IN_RUNS):
            is_open = False
            continue
        if is_particle or (is_open and token.follows):
            groups[-1].append(token)
        else:
            groups.append([token])
        is_open = not token.ends
    found: list[Span] = []
    for group in groups:
        while group[-1].text in PARTICLES:
            group.pop()
        places = tuple((token.start, token.end) for token in group)
        tokens = tuple(token.text for token in group)
        found.append(Span(places[0][0], places[-1][1], tokens, places, group[0].opens))
    return tuple(found)


@lru_cache(maxsize=4096)
def parts(run: Span) -> tuple[Span, ...]:
    """Every part of a run that begins and ends with a capitalised word, longest first, then leftmost."""
    found = []
    for size in range(min(len(run.tokens), LONGEST), 0, -1):
        for i in range(len(run.tokens) - size + 1):
            tokens, places = run.tokens[i : i + size], run.places[i : i + size]
            if _is_capitalised(tokens[0]) and _is_capitalised(tokens[-1]):
                found.append(Span(places[0][0], places[-1][1], tokens, places, run.opens and i == 0, i))
    return tuple(found)


@lru_cache(maxsize=1024)
def propose(text: str) -> tuple[Span, ...]:
    """Every span that may name a person: all parts of all runs."""
    return tuple([part for run in runs(text) for part in parts(run)])


def choose(spans: Sequence[Span], accepted: Collection[str]) -> list[Span]:
    """The accepted spans, longest first, none overlapping another; in the order of the text."""
    kept: list[Span] = []
    taken = bytearray(max((span.end for span in spans), default=0))
    for span in sorted(spans, key=lambda s: (-len(s.tokens), s.start)):
        if span.text in accepted and taken.find(1, span.start, span.end) < 0:
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            kept.append(span)
    return sorted(kept, key=lambda s: s.start)


def accept(text: str, given_names: Collection[str]) -> dict[str, str]:
    """The strings proposed from a text (`propose`) that name a person, with the rule: string → rule.

    ``title``: a title (of any kind) and at least one more name word. ``given name``: two words or more, the
    first a known given name (lower-case in ``given_names``). ``given name alone``: one known given name that
    does not open a sentence. ``initial``: an initial followed by a word
    (except ``U. S.`` and the like). ``described``: two words or more with a description of a person around
    them (`is_described_at`). ``repeated``: two or three words, the last of which occurs singly elsewhere.
    ``part of a name``: the last word of a name that another rule accepted.

    Places, peoples, organisations and acronyms (the lists of `not_people`) are excluded, such as ``UN``, ``China`` and
    ``Houston Police``.
    """
    reading, found = _Reading(text, given_names), dict[str, str]()
    for span, is_place in reading.spans:
        if not is_place and (rule := reading.rule(span)):
            found.setdefault(span.text, rule)
    surnames = set()
    for span, _ in reading.spans:
        core = without_titles(span.tokens)
        if span.text in found and (len(core) > 1 or found[span.text] == "title"):
            surnames.add(core[-1])
    for span, _ in reading.spans:
        if len(span.tokens) == 1 and span.tokens[0] in surnames:
            found.setdefault(span.text, "part of a name")
    return found


class _Reading:
    """One text during recognition: the spans that may name a person, and words that are single in a person's place."""

    def __init__(self, text: str, given_names: Collection[str]) -> None:
        self._text = text
        self._given = given_names
        self._is_shouted = text.isupper()
        self._of_states = {i for match in _STATES.finditer(text) for i in range(*match.span())}
        found = runs(text)
        single = [run for run in found if len(run.tokens) == 1]
        self._alone = {run.tokens[0] for run in single if is_described_at(text, run.start, run.end)}
        self.spans = [span for run in found if not self._names_no_person(run) for span in _spans_in(run)]
        """The parts of runs that name no organisation or thing; and whether each is in the name of a place."""

    def rule(self, span: Span) -> str:
        """The rule by which a span names a person; empty if none does."""
        core = without_titles(span.tokens)
        if not core or bare(core[-1]) in CALENDAR:
            return ""
        is_described = is_described_at(self._text, span.start, span.end)
        first = core[0].lower()
        if is_title(span.tokens[0]):
            is_person = is_described or bare(span.tokens[0]) not in SAINTS
            return "title" if first not in CHIEFS and is_person else ""
        if any(map(is_title, span.tokens)) or span.start in self._of_states or self._is_acronym(core[0]):
            return ""
        is_given = first in self._given
        if len(core) == 1:
            is_given = is_given and first not in _NOT_GIVEN_ALONE and not _locates(self._text, span)
            is_clear = is_described or not (span.opens or first in _HARDLY_GIVEN_ALONE)
            return "given name alone" if is_given and is_clear else ""
        if is_given and (is_described or first not in _NOT_GIVEN):
            return "given name"
        if any(self._is_acronym(token) or token.lower() in _PLACES_AND_PEOPLES for token in core):
            return ""
        if _INITIAL.fullmatch(core[0]) and not _INITIAL.fullmatch(core[-1]):
            # "B. Cherokee" at the start of a line is a list item.
            return "initial" if is_described or len(core) > 2 or not span.opens else ""
        if is_described:
            return "described"
        if len(core) > 3 or core[-1] not in self._alone or _locates(self._text, span):
            return ""
        below, last = words_below(self._text), core[-1].lower()
        is_word = last in below or last in PLAIN_WORDS or (span.opens and first in below)
        return "" if is_word else "repeated"

    def _is_acronym(self, token: str) -> bool:
        return not self._is_shouted and 1 < len(token) <= 4 and token.isupper() and "." not in token

    def _names_no_person(self, run: Span) -> bool:
        """Whether a word of the run is typical of organisations and things."""
        words = [bare(token) for token in run.tokens]
        first = next((w for w in words if w not in TITLES), "")
        is_named = first in self._given and first not in _NOT_GIVEN
        telling = _OF_NO_NAMED_PERSON if is_named and words[-1] != first else ORGANISATION_WORDS
        return not telling.isdisjoint(words)


def _spans_in(run: Span) -> Iterator[tuple[Span, bool]]:
    """The parts of a run, without single words for places and organisations; and whether each is in the name of a place."""
    words = [token.lower() for token in run.tokens]
    ends = [
        max((i + n for n in (1, 2, 3) if tuple(words[i : i + n]) in _PLACE_NAMES), default=0)
        for i in range(len(words))
    ]
    furthest = list(accumulate(ends, max))
    for span in parts(run):
        if len(span.tokens) > 1 or bare(span.tokens[0]) not in _OF_NO_PERSON:
            yield span, furthest[span.first] >= span.first + len(span.tokens)


def _locates(text: str, span: Span) -> bool:
    """Whether the words right before the span introduce a place or a thing."""
    return LOCATING.search(text, max(0, span.start - 14), span.start) is not None


@lru_cache(maxsize=1024)
def words_below(text: str) -> frozenset[str]:
    """The words of a text that occur in lower case."""
    return frozenset(word for word in LETTERS.findall(text) if word.islower())


def _tokens(text: str) -> Iterator[_Token]:
    end_before, dotted_before = 0, False
    for match in LETTERS.finditer(text):
        word, end, gap = match[0], match.end(), text[end_before : match.start()]
        opens = not end_before or (not dotted_before and not _SENTENCE_END.isdisjoint(gap))
        possessive = word.endswith(_POSSESSIVE)
        if possessive:
            word, end = word[:-2], end - 2
        dotted = text[end : end + 1] == "." and (bare(word) in DOTTED or len(word) == 1) and not possessive
        if dotted:
            word, end = word + ".", end + 1
        yield _Token(word, match.start(), end, opens, not gap.strip(" "), possessive)
        end_before, dotted_before = match.end() + dotted, dotted


# ------------------------------------------------------------------- evidence that a span is a person


_SPEAKING, _KIN, _APPOSED, _CALLINGS = (
    "|".join(vocabulary("names")[name].split()) for name in ("speaking", "kin", "apposed", "callings")
)
_LIVING: Final = "|".join(vocabulary("names")["living"])
AFTER: Final = re.compile(
    rf",?\s+who\b|,\s+(?:aged\s+)?[1-9]\d\b\s*[,.]|\s+\((?:born|[1-9]\d\)|b\.|c\.|[12]\d\d\d\s?[–-])|"
    rf",?\s+(?:{_SPEAKING}|{_LIVING})\b|['’]s\s+(?:{_KIN})\b|\s+(?:himself|herself)\b|"
    rf",\s+(?:an?|the)\s+(?:[\w-]+\s+){{0,3}}(?:{_APPOSED})\b"
)
"""Right after the name: ``who``, an age, the year of birth, verbs of speaking and living, kin, a profession."""
BEFORE: Final = re.compile(
    rf"\b(?:{_CALLINGS}),?\s+$|\b(?:{_SPEAKING})\s+$|\baccording to\s+$|\b(?:interviewed|starring|married)\s+$"
)
"""Right before the name: a profession or kin in lower case, a verb of speaking."""

LOCATING: Final = re.compile(
    r"\b(?:in|at|near|across|throughout|outside|inside|toward|towards|around|[Tt]he)\s+$"
)
"""Right before the name of a place or a thing."""


def is_described_at(text: str, start: int, end: int) -> bool:
    """Whether the words around characters ``start`` to ``end`` describe a person.

    >>> text = "The physicist Lise Meitner left Berlin Mitte."
    >>> is_described_at(text, 14, 26), is_described_at(text, 32, 44)
    (True, False)
    """
    return bool(AFTER.match(text, end) or BEFORE.search(text, max(0, start - 40), start))
