"""The built-in reading of words: lower-cased, without punctuation and English function words; no download."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Letters and digits of any script; an apostrophe holds a word together, all else parts it."""

# Closed classes of English (articles, pronouns, prepositions, conjunctions, auxiliaries, quantifiers and
# particles), so that what is left is what a text is about. Gathered by class, not taken from another list.
# Frozen: a change moves numbers.
_CLASSES = {
    "articles and determiners": "a an the this that these those each every either neither such same other another",
    "personal": "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his "
    "himself she her hers herself it its itself they them their theirs themselves one ones oneself",
    "question": "who whom whose which what when where why how whoever whatever whichever wherever whenever however",
    "indefinite": "some any no none all both few many much more most several enough own",
    "prepositions": "about above across after against along among around at before behind below beneath beside "
    "besides between beyond by despite down during except for from in inside into near of off on onto out "
    "outside over past per since through throughout till to toward towards under until up upon via with "
    "within without",
    "conjunctions": "and or but nor so yet if unless although though because while whereas whether than as",
    "auxiliaries": "be am is are was were been being have has had having do does did doing done can could may "
    "might must shall should will would ought",
    "particles": "not never too very just only also even still then there here now again once ever quite rather "
    "almost already thus hence therefore etc",
    "contractions": "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll "
    "it'd we're we've we'll we'd they're they've they'll they'd that's that'll that'd there's here's what's "
    "who's where's when's why's how's let's ain't aren't can't cannot couldn't didn't doesn't don't hadn't "
    "hasn't haven't isn't mayn't mightn't mustn't needn't oughtn't shan't shouldn't wasn't weren't won't wouldn't",
    "halves of contractions": "n't s t m d ll re ve n nt ain aren couldn didn doesn don hadn hasn haven isn mightn "
    "mustn needn shan shouldn wasn weren wouldn",
}
STOP_WORDS = frozenset(word for words in _CLASSES.values() for word in words.split())


def words(text: str) -> list[str]:
    """The counted words of a text, in order: lower-cased, without punctuation and English function words.

    >>> words("The soup wasn’t hot, but we'd come back for the soup!")
    ['soup', 'hot', 'come', 'back', 'soup']
    """
    found = WORD.findall(text.lower().replace("’", "'"))
    return [word for word in found if word not in STOP_WORDS]


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Every run of ``n`` neighbouring tokens, in order; none if there are fewer than ``n``.

    >>> ngrams(["very", "good", "soup"], 2)
    [('very', 'good'), ('good', 'soup')]
    """
    if n < 1:
        raise ValueError(f"n is {n}; an n-gram has at least one token")
    return list(zip(*(tokens[i:] for i in range(n)), strict=False))
