"""Mentions of a person's age, sex, ethnicity or nationality, and of places, by patterns and lists of English words.

Precision and recall, measured on sentences written for it and on GUM, are in ``docs/reference/measures/people.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from fairbrief.text.gendered_words import pronoun_gender, title_gender
from fairbrief.text.recognition import ORGANISATION_WORDS, PLACE_PHRASES, PLACES
from fairbrief.text.vocabulary import CALENDAR, FUNCTION_WORDS, vocabulary, words

KINDS: Final = ("age", "sex", "ethnicity", "place")


class Mention(NamedTuple):
    """A mention of an attribute: its characters, its value, and the last name beside it, if any.

    The value of an age is its years, ``81`` or ``60-119``; of a sex ``female`` or ``male``; otherwise the words.
    """

    kind: str
    value: str
    start: int
    end: int
    person: str = ""


def agree(source: Mention, summary: Mention) -> bool:
    """Whether a summary's mention has the same value, or one that only differs in detail.

    Ages agree if their years overlap (81 and *in her 80s*), ethnicities if one has all words of the other.
    """
    if source.kind == "age":
        (low, high), (other_low, other_high) = _years(source.value), _years(summary.value)
        return low <= other_high and other_low <= high
    if source.kind == "ethnicity":
        one, other = set(source.value.split()), set(summary.value.split())
        return one <= other or other <= one
    return source.value == summary.value


def _years(value: str) -> tuple[int, int]:
    low, _, high = value.partition("-")
    return int(low), int(high or low)


_GAP = re.compile(r"(?<!\s)[^\S\n]*\n[^\S\n]*(?=[a-z])|[^\S\n]+")


def spaced_once(text: str) -> str:
    """The text with one blank between words, also where a line continues in lower case on the next one."""
    return _GAP.sub(" ", text)


@lru_cache(maxsize=4096)
def mentions_of(text: str) -> tuple[Mention, ...]:
    """The mentions of a text with one blank between words (`spaced_once`), by position; those of one kind do not overlap.

    >>> [m[:2] for m in mentions_of("Mrs Ellis, 81, is a Polish woman from Leeds.")]
    [('sex', 'female'), ('age', '81'), ('ethnicity', 'polish'), ('sex', 'female'), ('place', 'leeds')]
    """
    found = [*_ages(text), *_sexes(text), *_origins(text), *_places(text)]
    return tuple(sorted(found, key=lambda m: (m.start, KINDS.index(m.kind))))


# ---- Ages

_WORDS = vocabulary("attributes")
_DIGITS = "one two three four five six seven eight nine".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_NUMBERS = {word: n for n, word in enumerate([*_DIGITS, *_TEENS], 1)} | {
    f"{ten}-{digit}".rstrip("-"): 10 * n + m
    for n, ten in enumerate(_TENS, 2)
    for m, digit in enumerate(["", *_DIGITS])
}
_DECADES = {f"{ten[:-1]}ies": 10 * n for n, ten in enumerate(_TENS, 2)}
_DECADES |= {f"{n}0s": 10 * n for n in range(2, 10)}
_PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9), None: (0, 9)}
_AGE_WORDS = {w.replace("_", " "): years for years, text in _WORDS["ages"].items() for w in text.split()}


def _any_of(words_: Iterable[str]) -> str:
    return "|".join(sorted(words_, key=len, reverse=True))


_WHOLE = r"(?<!\d[.,])(?<!hundred )(?<!hundred and )"
"""Before a number that is not the end of a longer one: 1.5, one hundred and two."""
_N = rf"{_WHOLE}(?P<n>1[01]\d|\d{{1,2}}|{_any_of(_NUMBERS).replace('-', '[ -]')})"
_AFTER = r"(?![.,]?\d|%| hundred| (?:month|week|day|hour|minute)s?\b)"
_NOUNS = _any_of(_WORDS["origins"]["nouns"].split())
_AGES = [
    re.compile(pattern)
    for pattern in (
        rf"(?i)\b{_N}[ -]?(?:(?:years?|yrs?)[ -](?:old|of age)|y/?o)\b(?![ -](?:{_any_of(_WORDS['things'].split())}))",
        rf"(?i)\b(?:aged?|age of|turn(?:ed|s|ing)|(?:wo)?man of|at(?=[ \w-]{{1,20}}, s?he\b))[ :]+{_N}\b{_AFTER}",
        r"\b[A-Z][^\W\d_]+(?:, | \()(?P<n>\d\d)(?=[.,;)]| and\b)",
        rf"\b(?:[Hh]e|[Ss]he|[A-Z][a-z]+|{_NOUNS})(?: is|[’']s| was) (?:now |only )?{_N}(?=[.,;](?!\d)| and\b| when\b)",
        rf"(?i)\b(?:his|her|their|my|your) (?:(?P<part>early|mid|late)[ -])?(?P<decade>{_any_of(_DECADES)})\b",
        rf"(?i)\b(?P<word>{_any_of(_AGE_WORDS)})\b",
    )
]


def _ages(text: str) -> Iterator[Mention]:
    ends = 0
    matches = chain.from_iterable(pattern.finditer(text) for pattern in _AGES)
    for match in sorted(matches, key=lambda m: (m.end(), m.start())):
        found = match.groupdict()
        start, end = match.span(match.lastgroup or 0)
        if start < ends:
            continue
        ends = match.end()
        if number := found.get("n"):
            value = str(_NUMBERS.get(number.lower().replace(" ", "-"), number))
        elif decade := found.get("decade"):
            first, last = _PARTS[found["part"] and found["part"].lower()]
            value = f"{_DECADES[decade.lower()] + first}-{_DECADES[decade.lower()] + last}"
        else:
            value = _AGE_WORDS[found["word"].lower()]
        yield Mention("age", value, start, end, _person(text, start, match.end()))


# ---- Sex, origins and places

_WORD = re.compile(r"[^\W\d_]+(?:['’-](?!s\b)[^\W\d_]+)*")
_SEXES = {w: sex for sex, text in _WORDS["sexes"].items() for w in text.split()}
_BEFORE_NAME = re.compile(r"\.? [A-Z]")


def _sexes(text: str) -> Iterator[Mention]:
    for word in _WORD.finditer(text):
        low = word[0].lower()
        sex = pronoun_gender(low) or _SEXES.get(low)
        if word[0][0].isupper() and _BEFORE_NAME.match(text, word.end()):
            sex = title_gender(low) or sex
        if sex is not None:
            yield Mention("sex", sex, *word.span(), _person(text, *word.span()))


_ORIGINS = {name: frozenset(text.split()) for name, text in _WORDS["origins"].items()}
_ETHNIC = _ORIGINS["words"] | _ORIGINS["people"]
_SAID = re.compile(
    r"(?:\b(?:is|was|are|were|am|as|ethnicity|nationality|background|being):?|[,;(])(?: (?:of|half|part|both|originally|also|a|an))* $"
)
"""What stands before an origin that is said of somebody: "is Polish", "describes herself as Polish"."""
_SAID_ENDS = re.compile(r"\s*(?:[.,;:)]|$|(?:and|but|or|by)\b)")
_NOUN = re.compile(r"[ -](?:(?!and )[a-z]+ )?(?=([a-z]+))")


def _origins(text: str) -> Iterator[Mention]:
    """Words of origin that describe people: before a noun for people, after *is* or *as*, or themselves such a noun."""
    runs: list[list[re.Match[str]]] = []
    for word in (word for word in _WORD.finditer(text) if word[0].lower() in _ETHNIC):
        if runs and word.start() == runs[-1][-1].end() + 1:
            runs[-1].append(word)
        else:
            runs.append([word])
    for run in runs:
        start, end, last = run[0].start(), run[-1].end(), run[-1][0]
        low = [word[0].lower() for word in run]
        if low[-1] in _ORIGINS["first"] or (last.islower() and last not in _ORIGINS["uncapitalised"]):
            continue
        following = _WORD.match(text, end + 1)
        nouns = {following[0].lower()} if following else set()
        nouns |= {noun[1]} if (noun := _NOUN.match(text, end)) else set()
        is_said = _SAID.search(text, max(0, start - 40), start) and _SAID_ENDS.match(text, end)
        is_said = is_said if last not in ("white", "black") else None
        if low[-1] in _ORIGINS["people"] - _ORIGINS["words"] or nouns & _ORIGINS["nouns"] or is_said:
            yield Mention("ethnicity", " ".join(low), start, end, _person(text, start, end))


_PLACES = PLACES | words("not_people", "also_names") | frozenset(_WORDS["places"]["more"].split())
_PHRASES = {" ".join(p) for p in PLACE_PHRASES} | {*" ".join(_WORDS["places"]["phrases"].split()).split(", ")}
_ENDS = frozenset(_WORDS["places"]["ends"].split())
_BEFORE = frozenset(_WORDS["places"]["before"].split())
_NAMES_TOO = words("not_people", "also_names") | frozenset(_WORDS["places"]["also_words"].split())
_CAPITALS = re.compile(
    r"(?:\b([a-z]+ (?:the )?))?\b([A-Z][^\W\d_]*(?:['’.-](?!s\b)[^\W\d_]+)*(?: [A-Z][^\W\d_]*(?:['’-](?!s\b)[^\W\d_]+)*){0,5})"
)
_SHORT = {form: name for name, forms in _WORDS["places"]["short"].items() for form in forms.split()}
"""Short forms of the names of states, in their case: *us* is a word."""
_NEVER_PLACES = CALENDAR | FUNCTION_WORDS | _ETHNIC | ORGANISATION_WORDS


def _places(text: str) -> Iterator[Mention]:
    """Runs of capitalised words that a list has, that end in Street, County or the like, or that follow *in* or *near*."""
    for run in _CAPITALS.finditer(text):
        before, parts = run[1] or "", run[2].split()
        start = run.start(2)
        while parts and parts[0].lower() in FUNCTION_WORDS and parts[0] not in _SHORT:
            before = f"{parts.pop(0)} ".lower()
            start += len(before)
        written = " ".join(parts)
        low, end = written.lower(), start + len(written)
        is_after = before.removesuffix("the ").strip() in _BEFORE
        is_listed = (
            written in _SHORT or low in _PHRASES or (low in _PLACES and (low not in _NAMES_TOO or is_after))
        )
        is_street = len(parts) > 1 and parts[-1].lower() in _ENDS
        may_be_place = before in ("in ", "near ") and parts and not parts[0].isupper()
        if is_listed or is_street or (may_be_place and _NEVER_PLACES.isdisjoint(low.split())):
            yield Mention("place", _SHORT.get(written, low), start, end, _person(text, start, end))


# ---- The person of a mention

_NOT_PEOPLE = _PLACES | CALENDAR | FUNCTION_WORDS | _ETHNIC | frozenset(_SEXES)
_NAME = r"(?:[A-Z][^\W\d_]*\.? ){0,3}([A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)*)"
_NAME_AFTER = re.compile(
    rf"(?:(?<=[MD][rs])\.|(?<=Mrs)\.)?,? (?:(?:wom[ae]n|m[ae]n|patient|resident|client|girl|boy),? )?{_NAME}"
)
_NAME_BEFORE = re.compile(rf"{_NAME}(?:,| is| was)?(?: now| an?| the| aged)* ?\(?$")


def _person(text: str, start: int, end: int) -> str:
    """The last name right before or after a mention, in lower case; empty if there is none."""
    match = _NAME_BEFORE.search(text, max(0, start - 60), start) or _NAME_AFTER.match(text, end)
    name = match[1].lower() if match else ""
    return "" if name in _NOT_PEOPLE else name
