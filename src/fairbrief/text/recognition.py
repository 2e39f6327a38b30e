"""Spans of a text that may name a person, and a built-in recogniser of people.

`propose` finds every run of capitalised words and all its parts; a recogniser (the built-in one below, or a
named-entity pipeline elsewhere) decides which of these strings are people; `choose` keeps the longest that do not
overlap.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Annotated, Final, NamedTuple

from fairbrief.text.names import DOTTED, PARTICLES, TITLES, bare, is_title, without_titles
from fairbrief.text.vocabulary import CALENDAR, FUNCTION_WORDS, vocabulary, words


def _check_recogniser(recogniser: str) -> None:
    if recogniser != "builtin" and not re.match(r"spacy:\s*\S", recogniser):
        raise ValueError("is neither builtin nor spacy:NAME")


Recogniser = Annotated[str, _check_recogniser]
"""What recognises people: ``builtin``, or ``spacy:NAME``."""
LONGEST = 6
"""Maximum number of words in a person's name."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
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
_NOT_GIVEN = PLAIN_WORDS | _PLACES_AND_PEOPLES
"""Given names that are more often words, places or peoples."""
_NOT_GIVEN_ALONE = CALENDAR | _NOT_GIVEN
_HARDLY_GIVEN_ALONE = words("not_people", "plain_names", "also_names")
_OF_NO_PERSON = ORGANISATION_WORDS | PLACES
_OF_NO_NAMED_PERSON = ORGANISATION_WORDS - words("not_people", "surnames_too")
_NOT_IN_RUNS = FUNCTION_WORDS - {"will", "may"}
_SENTENCE_END = frozenset('.!?:;\n"“”•')


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` of a text, its tokens with their places, and whether it opens a sentence."""

    start: int
    end: int
    tokens: tuple[str, ...]
    places: tuple[tuple[int, int], ...] = ()
    opens: bool = False

    @property
    def text(self) -> str:
        """The tokens joined by blanks, as the recogniser gets them."""
        return " ".join(self.tokens)


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    opens: bool
    ends: bool
    """Whether the run cannot continue on the right."""


@lru_cache(maxsize=1024)
def runs(text: str) -> tuple[Span, ...]:
    """The maximal runs of capitalised words, particles (``de la``) allowed inside.

    A possessive ends a run and is not part of it; so does punctuation, other than the full stop of an
    abbreviation or an initial. Function words (``The``, ``He``) are never part of a run.

    >>> [span.text for span in runs("Yesterday J. Smith met Dr. Ana de la Cruz's son. He left.")]
    ['Yesterday J. Smith', 'Dr. Ana de la Cruz']
    """
    groups: list[list[_Token]] = [[]]
    for token in _tokens(text):
        last = groups[-1][-1] if groups[-1] else None
        is_name = token.text[0].isupper() and (len(token.text) > 1 or token.text.endswith("."))
        if last and not last.ends and not is_name and token.text in PARTICLES:
            groups[-1].append(token)
            continue
        if last and (last.ends or text[last.end : token.start].strip(" ")):
            groups.append([])
        if is_name and bare(token.text) not in _NOT_IN_RUNS:
            groups[-1].append(token)
        else:
            groups.append([])
    found: list[Span] = []
    for group in groups:
        while group and group[-1].text in PARTICLES:
            group.pop()
        if group:
            places = tuple((token.start, token.end) for token in group)
            words_ = tuple(token.text for token in group)
            found.append(Span(places[0][0], places[-1][1], words_, places, group[0].opens))
    return tuple(found)


@lru_cache(maxsize=4096)
def parts(run: Span) -> tuple[Span, ...]:
    """Every part of a run that begins and ends with a capitalised word, longest first, then leftmost."""
    n = len(run.tokens)
    found = []
    for size in range(min(n, LONGEST), 0, -1):
        for i in range(n - size + 1):
            stretch, places = run.tokens[i : i + size], run.places[i : i + size]
            if stretch[0][0].isupper() and stretch[-1][0].isupper():
                found.append(Span(places[0][0], places[-1][1], stretch, places, run.opens and i == 0))
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
    reading, spans = _Reading(text, given_names), propose(text)
    found: dict[str, str] = {}
    for span in spans:
        if rule := reading.rule(span):
            found.setdefault(span.text, rule)
    surnames = set()
    for span in spans:
        core = without_titles(span.tokens)
        if span.text in found and (len(core) > 1 or found[span.text] == "title"):
            surnames.add(core[-1])
    for span in spans:
        if len(span.tokens) == 1 and span.tokens[0] in surnames and not reading.is_other(span):
            found.setdefault(span.text, "part of a name")
    return found


def reach(stretches: Iterable[tuple[int, int]]) -> Callable[[int], int]:
    """For spans of a text, the furthest end of those that begin at or before a position; −1 if there is none."""
    ordered = sorted(stretches)
    starts = [start for start, _ in ordered]
    ends = [-1, *accumulate((end for _, end in ordered), max)]
    return lambda place: ends[bisect_right(starts, place)]


class _Reading:
    """One text during recognition: runs that name no person, and words that are single in a person's place."""

    def __init__(self, text: str, given_names: Collection[str]) -> None:
        self._text = text
        self._given = given_names
        self._is_shouted = text.isupper()
        self._states = reach(match.span() for match in _STATES.finditer(text))
        found = runs(text)
        self._places = reach(stretch for run in found for stretch in _places_in(run))
        self._others = reach((run.start, run.end) for run in found if self._names_no_person(run))
        single = [run for run in found if len(run.tokens) == 1]
        self._alone = {run.tokens[0] for run in single if is_described_at(text, run.start, run.end)}

    def rule(self, span: Span) -> str:
        """The rule by which a span names a person; empty if none does."""
        core = without_titles(span.tokens)
        is_place = self._places(span.start) >= span.end
        if not core or bare(core[-1]) in CALENDAR or self.is_other(span) or is_place:
            return ""
        is_described = is_described_at(self._text, span.start, span.end)
        first = core[0].lower()
        if is_title(span.tokens[0]):
            is_person = is_described or bare(span.tokens[0]) not in SAINTS
            return "title" if first not in CHIEFS and is_person else ""
        is_state = self._states(span.start) > span.start
        if any(map(is_title, span.tokens)) or is_state or self._is_acronym(core[0]):
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

    def is_other(self, span: Span) -> bool:
        """Whether the span is in a run that names an organisation or a thing, or is a word of such names."""
        is_word = len(span.tokens) == 1 and bare(span.tokens[0]) in _OF_NO_PERSON
        return is_word or self._others(span.start) > span.start

    def _is_acronym(self, token: str) -> bool:
        return not self._is_shouted and 1 < len(token) <= 4 and token.isupper() and "." not in token

    def _names_no_person(self, run: Span) -> bool:
        """Whether a word of the run is typical of organisations and things."""
        words = [bare(token) for token in run.tokens]
        first = next((w for w in words if w not in TITLES), "")
        is_named = first in self._given and first not in _NOT_GIVEN
        telling = _OF_NO_NAMED_PERSON if is_named and words[-1] != first else ORGANISATION_WORDS
        return not telling.isdisjoint(words)


def _places_in(run: Span) -> Iterator[tuple[int, int]]:
    """The positions of words in names of places in a run."""
    words = [token.lower() for token in run.tokens]
    for size in (1, 2, 3):
        for i in range(len(words) - size + 1):
            stretch = tuple(words[i : i + size])
            if stretch in PLACE_PHRASES or (size == 1 and stretch[0] in _PLACES_AND_PEOPLES):
                yield run.places[i][0], run.places[i + size - 1][1]


def _locates(text: str, span: Span) -> bool:
    """Whether the words right before the span introduce a place or a thing."""
    return LOCATING.search(text, max(0, span.start - 14), span.start) is not None


@lru_cache(maxsize=1024)
def words_below(text: str) -> frozenset[str]:
    """The words of a text that occur in lower case."""
    return frozenset(word for word in _WORD.findall(text) if word.islower())


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end_before, dotted_before = 0, False
    for match in _WORD.finditer(text):
        word, start, end = match.group(), match.start(), match.end()
        gap = text[end_before:start]
        opens = not found or (not dotted_before and not _SENTENCE_END.isdisjoint(gap))
        possessive = word.endswith(_POSSESSIVE)
        if possessive:
            word, end = word[:-2], end - 2
        dotted = text[end : end + 1] == "." and (bare(word) in DOTTED or len(word) == 1) and not possessive
        if dotted:
            word, end = word + ".", end + 1
        found.append(_Token(word, start, end, opens, possessive))
        end_before, dotted_before = match.end() + dotted, dotted
    return found


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
