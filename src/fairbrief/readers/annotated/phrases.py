"""Who a name inside a mention names, and by which noun a mention calls a person, without a dependency tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fairbrief.readers.annotated.annotated_text import Span, Token

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_STOPS = frozenset((",", "IN", "TO", "WP", "WDT", "WP$", "-LRB-", ":", "VBN", "VBG", "VBD", "VBZ", "CC"))


def link_names(tokens: Sequence[Token], names: Sequence[Span], mentions: Sequence[Span]) -> list[Span]:
    """Each name with the chain of the innermost mention that it heads; with no chain if it heads none.

    In "[the company of Ida Bell]" and "[[Ben Fox]'s sister]" the outer mention is not the person named,
    and of "[John and Mary Baker]" neither name is the head.
    """
    linked = []
    for name in names:
        around = sorted((m for m in mentions if m.covers(name)), key=lambda m: m.last - m.first)
        chain = next((m.chain for m in around if heads(tokens, name, m)), None)
        linked.append(Span(name.first, name.last, chain))
    claims = Counter((m, s.chain) for s in linked for m in _home(mentions, s))
    shared = {m for (m, _), n in claims.items() if n > 1}
    return [
        Span(s.first, s.last, None) if any(m in shared for m in _home(mentions, s)) else s for s in linked
    ]


def _home(mentions: Sequence[Span], name: Span) -> list[Span]:
    """The innermost mention of the name's own chain around it."""
    around = [m for m in mentions if m.chain == name.chain and m.covers(name)]
    return [min(around, key=lambda m: m.last - m.first)] if around else []


def heads(tokens: Sequence[Token], name: Span, mention: Span) -> bool:
    """Whether a name heads the mention around it, or stands in apposition to its head."""
    after = tokens[name.last + 1 : mention.last + 1]
    if after and after[0].tag == "POS" and len(after) > 1:
        return False
    if after and (after[0].tag in _NOUNS or after[0].tag == "CC"):
        return False
    before = tokens[mention.first : name.first]
    comma = max((i for i, t in enumerate(before) if t.tag == ","), default=-1)
    return not any(t.tag in ("IN", "CC", "TO") or t.tag.startswith("VB") for t in before[comma + 1 :])


def nouns_of(tokens: Sequence[Token], mentions: Sequence[Span], names: Sequence[Span]) -> list[Span]:
    """The noun that heads each mention, where a common noun in the singular does: the "wife" of "his wife, Anna"."""
    taken = {i for n in names for i in range(n.first, n.last + 1)}
    found = []
    for mention in mentions:
        head = None
        owner = max((i for i in range(mention.first, mention.last) if tokens[i].tag == "POS"), default=None)
        begin = mention.first if owner is None else owner + 1
        for i in range(begin, mention.last + 1):
            if tokens[i].tag in _STOPS or i in taken:
                break
            if tokens[i].tag in _NOUNS:
                head = i
        if head is not None and tokens[head].tag == "NN":
            found.append(Span(head, head, mention.chain))
    return found
