"""The head of a mention and the name in it, where every word says which word it hangs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairbrief.readers.annotated.annotated_text import Span, Token
from fairbrief.text import address

_DETERMINERS = frozenset(
    ["the", "a", "an", "this", "that", "these", "those", "our", "my", "your", "both", "all"]
)


_FOREIGN_AND = frozenset(("et", "und", "y", "e", "och", "og", "en"))
_ROLES = frozenset(
    "anonymous critic defendant defense plaintiff petitioner refugee respondent scholars sinners student users who widow".split()
)
"""Words that stand for whoever has a role, capitalised where the role is spoken of as a name."""


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word: a token, and what its columns say. ``head`` is an index into the document, -1 the root."""

    token: Token
    upos: str
    head: int
    relation: str


def head_of(words: Sequence[Word], span: Span) -> int:
    """The word of a span that hangs on a word outside of it; the first if there are several."""
    inside = range(span.first, span.last + 1)
    return next((i for i in inside if words[i].head not in inside), span.first)


def names_of(words: Sequence[Word], span: Span, head: int, said: Mapping[str, str]) -> list[Span]:
    """The name by which a mention names its person: none, or one.

    A name is a proper noun in the singular with the words that lie flat on it. It heads the mention, or lies on a noun that
    does ("the physician [Yang Buwei]"). An office ("President of the Society"), a name with an article,
    and several people joined by "and" are no name of one person.
    """
    inside = range(span.first, span.last + 1)
    children = [i for i in inside if words[i].head == head]
    if any(words[i].relation == "conj" and words[i].upos == "PROPN" for i in children):
        return []
    if words[head].token.tag == "NNP":
        if (bearer := _bearer_after(words, head, inside)) is not None:
            return _run(words, bearer, inside, span)
        return (
            []
            if said.get("link") == "pred" and _is_office(words, head, inside)
            else _run(words, head, inside, span)
        )
    if words[head].upos != "NOUN":
        return []
    for i in children:
        if words[i].relation in ("appos", "flat") and words[i].token.tag == "NNP":
            return _run(words, i, inside, span)
    return []


def _bearer_after(words: Sequence[Word], head: int, inside: range) -> int | None:
    """The name right after a capitalised calling that it stands in apposition to: "YouTuber [Ann Lee]"."""
    after = head + 1
    is_bearer = after in inside and words[after].head == head and words[after].relation == "appos"
    return after if is_bearer and words[after].token.tag == "NNP" else None


def is_attributive(words: Sequence[Word], head: int) -> bool:
    """Whether a word is part of the name of something else: of the proper noun that it is a compound with."""
    seen = head
    if words[seen].relation == "conj" and words[seen].head >= 0:
        seen = words[seen].head
    governor = words[seen].head
    return words[seen].relation == "compound" and governor >= 0 and words[governor].upos == "PROPN"


def _is_office(words: Sequence[Word], head: int, inside: range) -> bool:
    return any(
        words[i].head == head and words[i].relation.startswith(("nmod", "det", "compound", "amod"))
        for i in inside
    )


def _run(words: Sequence[Word], root: int, inside: range, span: Span) -> list[Span]:
    """The words in a row around a proper noun that make the name up."""
    part = {root}
    if words[root].relation == "flat":
        part |= {i for i in inside if words[i].head == words[root].head and words[i].relation == "flat"}
    for i in inside:  # words lie flat on words to their left
        if words[i].relation == "flat" and words[i].head in part:
            part.add(i)
    part |= {i for i in inside if words[i].token.tag == "HYPH" and {i - 1, i + 1} <= part}
    first = last = root
    while first - 1 in part:
        first -= 1
    while last + 1 in part:
        last += 1
    own = [i for i in inside if words[i].head == root and not first <= i <= last]
    if any(words[i].relation == "det" or words[i].token.form.lower() in _DETERMINERS for i in own):
        return []
    if first == last and (
        address.is_title(words[root].token.form) or words[root].token.form.lower() in _ROLES
    ):
        return []
    beside = range(max(first - 1, 0), min(last + 2, len(words)))
    if any(words[i].token.form in _FOREIGN_AND for i in beside):
        return []  # "Jules et Jim" are two, or a film
    if first == last and any(
        words[i].relation == "nmod" and words[i].token.tag == "NNP" and i > last for i in own
    ):
        return []  # "Major in the Corps": an office
    return [Span(first, last, span.chain)]
