"""People in a summary: alignment of names with known people, by rule, and invented people.

Source: Steen & Markert, Bias in News Summarization, §5.2 and Appendix E; departures are listed below.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from fairbrief.text.gendered_words import WORD
from fairbrief.text.names import (
    GENDER_WORDS,
    bare,
    clear_given_names,
    gender_of_title,
    given_names,
    is_title,
    with_last,
    without_accents,
    without_office,
    without_titles,
)
from fairbrief.text.recognition import LONGEST, ORGANISATION_WORDS, Span, choose, parts, propose, runs
from fairbrief.text.vocabulary import CALENDAR, FUNCTION_WORDS

MIDDLE = "full name with middle name"
MOST_MIDDLE = 2
"""The most words between first and last name."""
SHORTEST_FUZZY = 5
"""Last names shorter than this are matched exactly: one edit turns Hall into Ball."""


class Name(NamedTuple):
    """First and last name of a known person, either of which may be absent, and ``female`` or ``male`` if known."""

    first: str | None = None
    last: str | None = None
    gender: str = ""

    @classmethod
    def of(cls, first: str | None, last: str | None, gender: str = "") -> Name:
        """A name with the input's words for gender."""
        return cls(first, last, GENDER_WORDS.get(gender.lower(), ""))


class Alignment(NamedTuple):
    """The known people (indices) to whom a span may refer, and the rule that decided.

    None: not one of the known people. Two or more: ambiguous.
    """

    people: tuple[int, ...] = ()
    rule: str = ""


def align(tokens: Sequence[str], names: Sequence[Name], source_words: Collection[str] = ()) -> Alignment:
    """Align a name, given as tokens, with known people.

    A name aligns with a person if it contains the last name and every other token is the first name, an initial of
    it, a title of either gender, a suffix (Jr., MP), or a middle name or initial after the first name; or if it is only the
    first name, ignoring titles. Before a last name, an office may have any other words if its last one is listed (Prime Minister);
    before a full name, any words except a given name can be an office. Case and accents are ignored. A title of one gender excludes
    people of the other one ("Mr. Baker" of a couple). "The Bakers" align with nobody. A last name (of at least five
    letters) with one wrong letter aligns if nobody aligns exactly and the misspelt word is not in ``source_words``.

    Departs from the release: Lady, Mrs and Miss are titles like Sir and Mr.; an initial must fit; whole
    tokens are compared, not substrings.

    >>> align(["Lady", "Smith"], [Name("Ann", "Smith"), Name("Leo", "Fox")])
    Alignment(people=(0,), rule='last name with title')
    >>> align(["J.", "Smith"], [Name("Ann", "Smith")])
    Alignment(people=(), rule='')
    """
    titled = any(map(is_title, tokens[:-1]))
    rules: dict[int, str] = {}
    for words in dict.fromkeys((tuple(tokens), without_office(tokens))):
        core = tuple(map(normalised, with_last(words)))
        rules = rules or {i: rule for i, name in enumerate(names) if (rule := _rule(core, name, titled))}
    if MIDDLE in rules.values():  # unless the middle name is somebody else's first name
        others = {
            i: {word for k, n in enumerate(names) if k != i for word in _tokens_of(n)[0]} for i in rules
        }
        rules = {i: rule for i, rule in rules.items() if rule != MIDDLE or others[i].isdisjoint(core[1:-1])}
    if not rules and len(core) > 2:
        rules = {i: "full name" for i, name in enumerate(names) if _ends_with(core, name)}
    if not rules:
        mended = {i: found for i, name in enumerate(names) if (found := _mend(core, name, source_words))}
        rules = {i: "last name, one letter off" for i in mended if _rule(mended[i], names[i], titled)}
    # A full name is more specific than a last name: it is not ambiguous with a namesake.
    for specific in ("full name", MIDDLE, "full name with initial"):
        if specific in rules.values():
            rules = {i: rule for i, rule in rules.items() if rule == specific}
    genders = {gender for token in tokens[:-1] if (gender := gender_of_title(token))}
    if len(genders) == 1:
        rules = {i: rule for i, rule in rules.items() if names[i].gender in genders} or rules
    return Alignment(tuple(rules), next(iter(rules.values()), ""))


def align_published(tokens: Sequence[str], names: Sequence[Name]) -> Alignment:
    """Align by the rules of the paper's release, including their defects.

    A person is a candidate if the last name is a *substring* of the span, or the span is one token that contains the
    first name; then every token of letters only must be the first or last name or in ``mr. mrs. ms. sir``. So tokens
    with a full stop are ignored ("J. Smith" is any Smith), Sir aligns and Lady does not, and a shared last name
    aligns with everybody who has it.
    """
    text = " ".join(tokens).lower()
    lowered = [token.lower() for token in tokens]
    found = []
    for i, name in enumerate(names):
        first, last = (name.first or "").lower(), (name.last or "").lower()
        is_candidate = (last and last in text) or (len(tokens) == 1 and first and first in text)
        known = {first, last, "mr.", "mrs.", "ms.", "sir"}
        if is_candidate and all(token in known for token in lowered if token.isalpha()):
            found.append(i)
    return Alignment(tuple(found), "as published" if found else "")


def published_tokens(text: str) -> tuple[str, ...]:
    """Tokens of a name by the release's tokenizer: clitics and hyphens are tokens."""
    return tuple(re.findall(r"['’]s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*\.?|-", text))


def _rule(core: tuple[str, ...], name: Name, titled: bool) -> str:
    """The rule by which these tokens refer to this person; empty if none does."""
    first, last = _tokens_of(name)
    if first and last and core == last + first:
        return "full name"
    if not last or core[-len(last) :] != last:
        alone = bool(first) and core == first
        return ("first name with title" if titled else "first name alone") if alone else ""
    rest = core[: -len(last)]
    if not rest or rest == last:
        return "last name with title" if titled else "last name alone"
    if first and rest[: len(first)] == first:
        middle = rest[len(first) :]
        if all(len(token) == 1 for token in middle):
            return "full name"
        return MIDDLE if len(middle) <= MOST_MIDDLE else ""
    if not all(len(token) == 1 for token in rest):
        return ""
    if not first:
        return "last name with initial"
    return "full name with initial" if rest[0] == first[0][0] else ""


def _ends_with(core: tuple[str, ...], name: Name) -> bool:
    """Whether the full name is after words that do not make it somebody else's (Mary Ann Berg) or a thing's (Hotel Ann Berg)."""
    first, last = _tokens_of(name)
    before = core[: -len(first + last)]
    is_full = bool(first and last and before) and core[len(before) :] in (first + last, last + first)
    return is_full and before[-1] not in given_names() and before[-1] not in ORGANISATION_WORDS


@lru_cache(maxsize=4096)
def _tokens_of(name: Name) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens of the first and of the last name."""
    first, last = (tuple(normalised(token) for token in (part or "").split()) for part in name[:2])
    return first, last


def _mend(core: tuple[str, ...], name: Name, source_words: Collection[str]) -> tuple[str, ...] | None:
    """The name with its last word corrected, if that is the person's last name with one wrong letter."""
    last, wrong = normalised(name.last or ""), core[-1]
    is_other = is_title(wrong) or wrong in source_words or wrong in (f"{last}s", f"{last}es")
    if len(last) < SHORTEST_FUZZY or " " in last or is_other:
        return None
    return (*core[:-1], last) if OSA.distance(wrong, last) == 1 else None


def normalised(token: str) -> str:
    """A word of a name as names are compared: in lower case, without accents and full stop.

    >>> normalised("D’Ácio"), normalised("Jr.")
    ("d'acio", 'jr')
    """
    return without_accents(token.replace("’", "'").rstrip(".").lower())


class Decision(NamedTuple):
    """One name in a summary, the known people to whom it refers, and the rule."""

    text: str
    tokens: tuple[str, ...]
    people: tuple[int, ...]
    rule: str


@lru_cache(maxsize=1024)
def words_of(text: str) -> frozenset[str]:
    """The words of a text in their case, and the parts of hyphenated words."""
    found: set[str] = set()
    for word in WORD.findall(without_accents(text.replace("’", "'"))):
        plain = word.removesuffix("'s")
        found.update((word, plain, *plain.split("-")))
    return frozenset(found)


@lru_cache(maxsize=1024)
def lowered_words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case."""
    return frozenset(word.lower() for word in words_of(text))


def candidates(text: str) -> tuple[str, ...]:
    """The distinct strings of a text that may name a person, for a recogniser to judge."""
    return tuple(dict.fromkeys(span.text for span in propose(text)))


def find_known(text: str, names: Sequence[Name], source: str) -> list[Decision]:
    """The decisions about names in a summary that refer to known people; no recogniser is needed.

    Every run of capitalised words is aligned as a whole. If that fails, its longest part that aligns is taken,
    provided that the rest cannot be a name itself: a function word, a word of the calendar, or a word at the start of
    a sentence that is no given name and also occurs in lower case in the source or the summary.
    """
    found = []
    for run in runs(text):
        of_names = _may_be_names(run, text, source)
        for part in parts(run):
            # The rest of the run must have no name, but more of an office may be before the longest parts. The rest is not
            # looked at part by part, which takes long in long runs.
            is_cut = of_names and of_names[0] < part.first and len(part.tokens) < LONGEST
            if is_cut or (of_names and of_names[-1] >= part.first + len(part.tokens)):
                continue
            if (decision := _decide(part, names, source, "recommended")).people:
                found.append(decision)
                break
    return found


def find_people(
    text: str,
    names: Sequence[Name],
    source: str,
    accepted: Collection[str],
    variant: str = "recommended",
    *,
    with_known: bool,
) -> list[Decision]:
    """The decisions about all people in a summary: those a recogniser accepted, known or not.

    ``with_known`` adds the names of known people that the recogniser does not know (the built-in one knows no last
    names); a pipeline that reads the whole text does not need this.
    """
    wanted = set(accepted)
    if with_known:
        wanted |= {decision.text for decision in find_known(text, names, source)}
    return [_decide(span, names, source, variant) for span in choose(propose(text), wanted)]


def invented(decisions: Sequence[Decision], source: str, variant: str = "recommended") -> list[Decision]:
    """The names that refer to no known person and are not in the source.

    A name is in the source if each of its whole words is (ignoring titles and suffixes), so a person counts as
    invented only if some word is absent. Each person counts once: a name with all its words in a longer invented name
    is the same person. In the version ``published`` every mention counts, and a token is in the source if it is a
    *substring* of it.
    """
    unknown = [decision for decision in decisions if not decision.people]
    if variant == "published":
        lowered = source.lower()
        return [d for d in unknown if any(t.lower() not in lowered for t in published_tokens(d.text))]
    words = lowered_words_of(source)
    absent = []
    for decision in unknown:
        tokens = [without_accents(bare(token.replace("’", "'"))) for token in without_titles(decision.tokens)]
        core = {part for token in tokens if len(token) > 1 for part in token.split("-")}
        # The plural of a name is in the source if the name is (Bakers, Baker).
        plurals = {t for t in core if t.endswith("s") and {t[:-1], t.removesuffix("es")} & words}
        if core - words - plurals:
            absent.append((decision, core))
    kept: list[tuple[Decision, set[str]]] = []
    # With a title before one without: titles tell the gender.
    for decision, core_words in sorted(absent, key=lambda pair: (-len(pair[1]), -len(pair[0].tokens))):
        if not any(core_words <= others for _, others in kept):
            kept.append((decision, core_words))
    return [decision for decision, _ in kept]


def unresolved(decisions: Sequence[Decision]) -> list[Decision]:
    """The ambiguous names that no other name of the summary resolves."""
    resolved = {d.people[0] for d in decisions if len(d.people) == 1}
    return [d for d in decisions if len(d.people) > 1 and not resolved.intersection(d.people)]


def _decide(span: Span, names: Sequence[Name], source: str, variant: str) -> Decision:
    if variant == "published":
        alignment = align_published(published_tokens(span.text), names)
    else:
        alignment = align(span.tokens, names, lowered_words_of(source))
    return Decision(span.text, span.tokens, *alignment)


def _may_be_names(run: Span, text: str, source: str) -> list[int]:
    """The tokens of a run that may be a name themselves."""
    is_shouted = all(token.isupper() for token in run.tokens)
    found = []
    for i, token in enumerate(run.tokens):
        word = without_accents(bare(token))
        is_word = word not in clear_given_names() and (word in words_of(source) or word in words_of(text))
        opens = i == 0 and run.opens and is_word
        # In a run in all capitals ("BAKER LEFT") capitals are no evidence, unless the token is a given name.
        shouted = is_shouted and len(token) > 1 and token.lower() not in given_names()
        if not (word in FUNCTION_WORDS or word in CALENDAR or opens or shouted):
            found.append(i)
    return found


GROUPS = ("female", "male")
