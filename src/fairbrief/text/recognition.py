"""Spans of a text that may name a person, and a built-in judge of which do.

`propose` finds every run of capitalised words and all its parts; a judge (ours below, or a named-entity
pipeline elsewhere) says which of these strings are people; `choose` keeps the longest that do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fairbrief.text.function_words import CALENDAR, FUNCTION_WORDS
from fairbrief.text.titles import DOTTED, PARTICLES, SUFFIXES, bare, is_title

LONGEST = 6
"""No person's name is looked for in more words than this."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_DESCRIBED = re.compile(r",?\s+who\b|,\s+(?:aged\s+)?[1-9]\d\b\s*[,.]")
_INITIAL = re.compile(r"[A-Z]\.")
_STATES = re.compile(r"\bU\.\s*[SKN]\.")
"""Initials of no person."""
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
        """The tokens joined by blanks: how the judge is asked for it."""
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    opens: bool
    ends: bool
    """Whether no further word may join on the right."""


@lru_cache(maxsize=1024)
def runs(text: str) -> tuple[Span, ...]:
    """The maximal runs of capitalised words, particles (``de la``) allowed inside.

    A possessive ends a run and is not part of it; so does punctuation, other than the full stop of an
    abbreviation or an initial. Function words (``The``, ``He``) are never part of a run.

    >>> [span.text for span in runs("Yesterday J. Smith met Dr. Ana de la Cruz's son. He left.")]
    ['Yesterday J. Smith', 'Dr. Ana de la Cruz']
    """
    found: list[Span] = []
    current: list[_Token] = []
    for token in _tokens(text):
        is_name = token.text[0].isupper() and (len(token.text) > 1 or token.text.endswith("."))
        if not is_name and current and token.text in PARTICLES and not current[-1].ends:
            current.append(token)
            continue
        if current and (current[-1].ends or text[current[-1].end : token.start].strip(" ")):
            _flush(current, found)
        if is_name and bare(token.text) not in FUNCTION_WORDS - {"will", "may"}:
            current.append(token)
        else:
            _flush(current, found)
    _flush(current, found)
    return tuple(found)


@lru_cache(maxsize=4096)
def parts(run: Span) -> tuple[Span, ...]:
    """Every stretch of a run that begins and ends with a capital, longest first, then leftmost."""
    n = len(run.tokens)
    found = []
    for size in range(min(n, LONGEST), 0, -1):
        for i in range(n - size + 1):
            stretch, places = run.tokens[i : i + size], run.places[i : i + size]
            if stretch[0][0].isupper() and stretch[-1][0].isupper():
                found.append(Span(places[0][0], places[-1][1], stretch, places, run.opens and i == 0))
    return tuple(found)


def propose(text: str) -> list[Span]:
    """Every span that may name a person: all parts of all runs."""
    return [part for run in runs(text) for part in parts(run)]


def choose(spans: Sequence[Span], accepted: Collection[str]) -> list[Span]:
    """The accepted spans, longest first, none overlapping another; in the order of the text."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-len(s.tokens), s.start)):
        free = all(span.end <= k.start or span.start >= k.end for k in kept)
        if span.text in accepted and free:
            kept.append(span)
    return sorted(kept, key=lambda s: s.start)


def accept(text: str, spans: Sequence[Span], given_names: Collection[str]) -> dict[str, str]:
    """Which strings proposed from a text name a person, and by which rule: string → rule.

    ``title``: a title (of any kind) and at least one more name word. ``given name``: two words or more, the
    first a known given name (lower-case in ``given_names``). ``given name alone``: one known given name that
    does not open a sentence. ``initial``: an initial followed by a word
    (``U. S.`` and its like begin no name). ``described``: two words or more
    before ``who`` or an age (", 52,"). ``part of a name``: the last word of a name that another rule accepted.
    """
    found: dict[str, str] = {}
    states = [match.span() for match in _STATES.finditer(text)]
    for span in spans:
        rule = _rule(span, given_names)
        if rule == "initial" and any(start <= span.start < end for start, end in states):
            rule = ""
        if not rule and len(span.tokens) > 1 and _DESCRIBED.match(text, span.end):
            rule = "described"
        if rule:
            found.setdefault(span.text, rule)
    surnames = {_core(s.tokens)[-1] for s in spans if s.text in found and _core(s.tokens)}
    for span in spans:
        if len(span.tokens) == 1 and span.tokens[0] in surnames:
            found.setdefault(span.text, "part of a name")
    return found


def _rule(span: Span, given_names: Collection[str]) -> str:
    core = _core(span.tokens)
    if not core or bare(core[-1]) in CALENDAR:
        return ""
    if is_title(span.tokens[0]):
        return "title"
    if any(is_title(token) for token in span.tokens):
        return ""
    first = core[0]
    if len(core) == 1:
        known = first.lower() in given_names and first.lower() not in CALENDAR
        return "given name alone" if known and not span.opens else ""
    if first.lower() in given_names:
        return "given name"
    is_name = _INITIAL.fullmatch(first) and not _INITIAL.fullmatch(core[-1])
    return "initial" if is_name else ""


def _core(tokens: Sequence[str]) -> list[str]:
    """A name's tokens without titles and suffixes."""
    return [token for token in tokens if not is_title(token) and bare(token) not in SUFFIXES]


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end_before, dotted_before = 0, False
    for match in _WORD.finditer(text):
        word, start, end = match.group(), match.start(), match.end()
        gap = text[end_before:start]
        opens = not found or (any(c in _SENTENCE_END for c in gap) and not dotted_before)
        possessive = _POSSESSIVE.search(word)
        if possessive:
            word, end = word[: possessive.start()], start + possessive.start()
        dotted = text[end : end + 1] == "." and (bare(word) in DOTTED or len(word) == 1) and not possessive
        if dotted:
            word, end = word + ".", end + 1
        found.append(_Token(word, start, end, opens, possessive is not None))
        end_before, dotted_before = match.end() + dotted, dotted
    return found


def _flush(current: list[_Token], found: list[Span]) -> None:
    while current and current[-1].text in PARTICLES:
        current.pop()
    if current:
        tokens = tuple(token.text for token in current)
        places = tuple((token.start, token.end) for token in current)
        found.append(Span(places[0][0], places[-1][1], tokens, places, current[0].opens))
    current.clear()
