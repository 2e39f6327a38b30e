"""The built-in tokens: lower-cased words without punctuation and the language's function words; no download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import filterfalse
from typing import Any

from fairbrief.text.function_words import CLOSED_CLASSES
from fairbrief.text.languages import ENGLISH, name_of, stop_words
from fairbrief.text.segmentation import words_of

_MORE = "enough etc past till whichever"
_CONTRACTIONS = (
    "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll "
    "it'd we're we've we'll we'd they're they've they'll they'd that's that'll that'd there's here's what's "
    "who's where's when's why's how's let's ain't aren't can't couldn't didn't doesn't don't hadn't "
    "hasn't haven't isn't mayn't mightn't mustn't needn't oughtn't shan't shouldn't wasn't weren't won't wouldn't"
)
_HALVES = (
    "n't s t m d ll re ve n nt ain aren couldn didn doesn don hadn hasn haven isn mightn "
    "mustn needn shan shouldn wasn weren wouldn"
)
STOP_WORDS = CLOSED_CLASSES | frozenset(f"{_MORE} {_CONTRACTIONS} {_HALVES}".split())
"""The closed classes, with contractions and the halves that some tokenizers make of them.

What is left of a text is what it is about. Frozen: a change moves numbers.
"""


def words(text: str, language: str = ENGLISH, *, stem: bool = False) -> list[str]:
    """The counted words of a text, in order: lower-cased, without punctuation and the language's function words.

    ``stem`` reduces them to their Snowball stems, where there is a stemmer for the language.

    >>> words("The soup wasn’t hot, but we'd come back for the soup!")
    ['soup', 'hot', 'come', 'back', 'soup']
    """
    stop = STOP_WORDS if language == ENGLISH else stop_words(language)
    found = list(filterfalse(stop.__contains__, words_of(text.lower().replace("’", "'"))))
    return stems(found, language) if stem else found


def stems(words: Sequence[str], language: str) -> list[str]:
    """Snowball's stems of lower-cased words; the words themselves where there is no stemmer for the language."""
    stemmer = _stemmer(name_of(language).lower())
    return list(words) if stemmer is None else stemmer.stemWords(words)


@cache
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
