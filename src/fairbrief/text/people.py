"""People in a summary: which known people it names, and which it invents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fairbrief.text.alignment import Alignment, Name, align, align_published, published_tokens
from fairbrief.text.census_names import given_names
from fairbrief.text.function_words import CALENDAR, FUNCTION_WORDS
from fairbrief.text.identifiers import WORD
from fairbrief.text.recognition import Span, choose, parts, propose, runs
from fairbrief.text.titles import SUFFIXES, bare, is_title


@dataclass(frozen=True, slots=True)
class Decision:
    """One name in a summary, whom it refers to among the known people, and why."""

    text: str
    tokens: tuple[str, ...]
    people: tuple[int, ...]
    rule: str


@lru_cache(maxsize=1024)
def words_of(text: str) -> frozenset[str]:
    """The words of a text, as they are written, and the parts of those that hyphens join."""
    found: set[str] = set()
    for word in WORD.findall(text.replace("’", "'")):
        plain = word.removesuffix("'s")
        found.update((word, plain, *plain.split("-")))
    return frozenset(found)


@lru_cache(maxsize=1024)
def lowered_words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case."""
    return frozenset(word.lower() for word in words_of(text))


def candidates(text: str) -> tuple[str, ...]:
    """The distinct strings of a text that may name a person: what a recogniser is asked about."""
    return tuple(dict.fromkeys(span.text for span in propose(text)))


def known_spans(text: str, names: Sequence[Name], source: str) -> list[Span]:
    """The spans of a text that refer to known people; no recogniser is needed.

    Every run of capitalised words is aligned as a whole; if it refers to nobody, its longest part that
    does, provided that what is cut off cannot be a name itself: a function word, a word of the calendar,
    or a word at the start of a sentence that the source or the summary writes in lower case too.
    """
    found = []
    for run in runs(text):
        names_before = _names_before(run, text, source)
        for part in parts(run):
            start = bisect_left(run.places, part.places[0])
            inside = names_before[start + len(part.tokens)] - names_before[start]
            if inside < names_before[-1]:  # what is cut off holds a name
                continue
            if _decide(part, names, source, "recommended").people:
                found.append(part)
                break
    return found


def find_known(text: str, names: Sequence[Name], source: str) -> list[Decision]:
    """The decisions about names in a summary that refer to known people."""
    return [_decide(span, names, source, "recommended") for span in known_spans(text, names, source)]


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

    ``with_known`` adds the names of known people that the recogniser does not know (the built-in one knows
    no last names); a pipeline that reads the whole text needs no such help.
    """
    wanted = set(accepted)
    if with_known:
        wanted |= {span.text for span in known_spans(text, names, source)}
    return [_decide(span, names, source, variant) for span in choose(propose(text), wanted)]


def invented(decisions: Sequence[Decision], source: str, variant: str = "recommended") -> list[Decision]:
    """The names that refer to no known person and that the source does not hold.

    A name is in the source if each of its whole words is (titles and suffixes apart); so a person counts as
    invented only if some word is absent. Each person counts once: a name whose words are all part of a longer
    invented name is the same person. In the variant ``published`` every mention counts, and a token is in the
    source if it is a *substring* of it.
    """
    if variant == "published":
        lowered = source.lower()
        return [
            d
            for d in decisions
            if not d.people
            and not all(token.lower() in lowered for token in published_tokens(" ".join(d.tokens)))
        ]
    words = lowered_words_of(source)
    absent = []
    for decision in decisions:
        core = _core(decision.tokens)
        if not decision.people and core and not all(_is_told(token, words) for token in core):
            absent.append((decision, frozenset(core)))
    kept: list[tuple[Decision, frozenset[str]]] = []
    for decision, core_words in sorted(absent, key=lambda pair: -len(pair[0].tokens)):
        if not any(core_words <= others for _, others in kept):
            kept.append((decision, core_words))
    return [decision for decision, _ in kept]


def _is_told(token: str, words: Collection[str]) -> bool:
    """Whether the source has the word, or the name of which it is the plural: of Bakers the source tells who names a Baker."""
    return token in words or (
        token.endswith("s") and (token[:-1] in words or token.removesuffix("es") in words)
    )


def unresolved(decisions: Sequence[Decision]) -> list[Decision]:
    """The ambiguous names none of whose candidates another name of the summary settles."""
    settled = {d.people[0] for d in decisions if len(d.people) == 1}
    return [d for d in decisions if len(d.people) > 1 and not settled.intersection(d.people)]


def _decide(span: Span, names: Sequence[Name], source: str, variant: str) -> Decision:
    alignment: Alignment
    if variant == "published":
        alignment = align_published(published_tokens(span.text), names)
    else:
        alignment = align(span.tokens, names, lowered_words_of(source))
    return Decision(span.text, span.tokens, alignment.people, alignment.rule)


def _names_before(run: Span, text: str, source: str) -> list[int]:
    """How many of a run's tokens before each place may be names themselves. Length: tokens + 1."""
    is_shouted = all(token.isupper() for token in run.tokens)
    found = [0]
    for i, token in enumerate(run.tokens):
        word = bare(token)
        opens = i == 0 and run.opens and (word in words_of(source) or word in words_of(text))
        # In a run all in capitals ("BAKER LEFT") the token's say nothing, unless it is a given name.
        shouted = is_shouted and len(token) > 1 and token.lower() not in given_names()
        is_none = word in FUNCTION_WORDS or word in CALENDAR or opens or shouted
        found.append(found[-1] + (not is_none))
    return found


def _core(tokens: Sequence[str]) -> list[str]:
    """A name's words in lower case, without titles, suffixes and initials."""
    kept = [t for t in tokens if not is_title(t) and bare(t) not in SUFFIXES and len(bare(t)) > 1]
    return [part for t in kept for part in bare(t.replace("’", "'")).split("-")]
