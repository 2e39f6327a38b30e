"""The built-in tokens: lower-cased words without punctuation and the language's function words; Snowball's and Porter's stems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import filterfalse
from typing import Any

from fairbrief.text import vocabulary
from fairbrief.text.languages import ENGLISH, name_of, stop_words
from fairbrief.text.segmentation import words_of
from fairbrief.text.vocabulary import CLOSED_CLASSES

STOP_WORDS = CLOSED_CLASSES | vocabulary.words("function_words", "tokens", "contractions", "halves")
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


# ------------------------------------------------------------------------------ Porter's stems


def porter_stem(word: str) -> str:
    """The stem of a word by Porter's rules, in lower case: ``porter_stem("Relational") == "relat"``.

    A word is read as consonants and vowels, ``y`` being a vowel only after a consonant, and every other character as a
    consonant. Its measure m is the number of times a vowel is followed by a consonant; rules cut an ending where m of
    what stays is large enough. Nothing is remembered: callers that meet words again should.

    Source: Porter, An algorithm for suffix stripping, Program 14(3), 1980, 130-137. Departures, as documented for
    NLTK's ``PorterStemmer`` in its default mode (some of them Porter's own later ones): a list of irregular
    forms; words of one or two letters stay; -ies and -ied of four letters become -ie, and -ied of more -i;
    ``y`` becomes ``i`` after a consonant that is not the first letter; -bli, -alli, -fulli and -logi are
    endings of step 2; a vowel and a consonant alone count as a short syllable.
    """
    text = word.lower()
    if text in _IRREGULAR:
        return _IRREGULAR[text]
    if len(word) <= 2:
        return text
    text = _inflection(_plural(text))
    if text.endswith("y") and len(text) > 2 and _shape(text[:-1]).endswith("c"):
        text = text[:-1] + "i"
    return _final(_residue(_derivation(_derivation(text, _STEP_2), _STEP_3)))


def _shape(text: str) -> str:
    """A ``v`` or ``c`` for each character."""
    shape = text.encode("ascii", "replace").translate(_KINDS).decode()
    if "y" in shape:
        shape = "c" + shape[1:] if shape[0] == "y" else shape
        while "y" in shape:  # each from the letter before it, so a run of y takes several rounds
            shape = shape.replace("vy", "vc").replace("cy", "cv")
    return shape


def _measure(text: str) -> int:
    return _shape(text).count("vc")


def _is_short(text: str) -> bool:
    """Whether a text ends in consonant, vowel, consonant but w, x, y, or is a vowel and a consonant."""
    shape = _shape(text)
    return shape == "vc" or (shape.endswith("cvc") and text[-1] not in "wxy")


def _plural(text: str) -> str:
    """Step 1a."""
    if text[-1] != "s" or text[-2] == "s":
        return text
    if text.endswith("ies"):
        return text[:-1] if len(text) == 4 else text[:-2]
    return text[:-2] if text.endswith("sses") else text[:-1]


def _inflection(text: str) -> str:
    """Step 1b."""
    if text.endswith("eed"):
        return text[:-1] if _measure(text[:-3]) else text
    if text.endswith("ied"):
        return text[:-1] if len(text) == 4 else text[:-2]
    kept = text.removesuffix("ed") if text.endswith("ed") else text.removesuffix("ing")
    shape = _shape(kept)
    if kept == text or "v" not in shape:
        return text
    if kept.endswith(("at", "bl", "iz")):
        return kept + "e"
    if kept[-1] == kept[-2:-1] and shape.endswith("c"):
        return kept if kept[-1] in "lsz" else kept[:-1]
    return kept + "e" if shape.count("vc") == 1 and _is_short(kept) else kept


def _derivation(text: str, rules: Mapping[str, str]) -> str:
    """Steps 2 and 3: the first ending that fits is replaced where m > 0 before it."""
    for ending, new in rules.items():
        if text.endswith(ending):
            before = text.removesuffix("ogi" if ending == "logi" else ending)
            if not _measure(before):
                return text
            text = text.removesuffix(ending) + new
            # What -alli leaves may end in -ational or -tional.
            return _derivation(text, rules) if ending == "alli" else text
    return text


def _residue(text: str) -> str:
    """Step 4: the first ending that fits goes where m > 1 before it, and -ion only after s or t."""
    for ending in _STEP_4:
        if text.endswith(ending):
            kept = text.removesuffix(ending)
            return kept if _measure(kept) > 1 and (ending != "ion" or kept[-1] in "st") else text
    return text


def _final(text: str) -> str:
    """Step 5: a final -e, then one l of -ll."""
    if text.endswith("e"):
        m = _measure(text[:-1])
        if m > 1 or (m == 1 and not _is_short(text[:-1])):
            text = text[:-1]
    return text[:-1] if text.endswith("ll") and _measure(text[:-1]) > 1 else text


_KINDS = bytes(ord("v" if chr(i) in "aeiou" else "y" if chr(i) == "y" else "c") for i in range(256))
# fmt: off
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al", "entli": "ent",
    "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "fulli": "ful", "logi": "log",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)
_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}
# fmt: on
