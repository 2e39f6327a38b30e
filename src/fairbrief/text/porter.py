"""Porter's stemmer with NLTK's small extensions: the stems that ROUGE and the value-distribution paper compare.

A word is read as consonants and vowels, ``y`` being a vowel only after a consonant. Its measure m is the
number of times a vowel is followed by a consonant; rules cut an ending where m of what stays is large enough.
Beside each word goes its shape, one ``v`` or ``c`` per letter, so that m is a count of ``vc``.

Source: Porter, An algorithm for suffix stripping, Program 14(3), 1980, 130-137. Departures, as documented for
NLTK's ``PorterStemmer`` in its default mode (some of them Porter's own later ones): a list of irregular
forms; words of one or two letters stay; -ies and -ied of four letters become -ie, and -ied of more -i;
``y`` becomes ``i`` after a consonant that is not the first letter; -bli, -alli, -fulli and -logi are
endings of step 2; a vowel and a consonant alone count as a short syllable.
"""

from __future__ import annotations

from collections.abc import Mapping

_Rule = tuple[str, int, str, bytes]
"""An ending, how many letters of it go, what comes instead, and the shape of that."""
_Rules = Mapping[str, tuple[_Rule, ...]]

_KINDS = bytes(ord("v" if chr(i) in "aeiou" else "y" if chr(i) == "y" else "c") for i in range(256))


def stem(word: str) -> str:
    """The stem of a word, in lower case: ``stem("Relational") == "relat"``.

    Every character that is not a vowel counts as a consonant. Nothing is remembered: callers that meet words
    again should.
    """
    text = word.lower()
    if text in _IRREGULAR:
        return _IRREGULAR[text]
    if len(word) <= 2:
        return text
    text, shape = _inflection(_plural(text), _shape(text))
    if text[-1:] == "y" and len(text) > 2 and shape[len(text) - 2] == _CONSONANT:
        text = text[:-1] + "i"
    text, shape = _derivation(text, shape, _STEP_2)
    text, shape = _derivation(text, shape, _STEP_3)
    text = _residue(text, shape)
    return _final(text, shape)


def _shape(text: str) -> bytes:
    """A ``v`` or ``c`` for each character."""
    shape = text.encode("ascii", "replace").translate(_KINDS)
    if b"y" in shape:
        if shape[0] == _UNDECIDED:
            shape = b"c" + shape[1:]
        while b"y" in shape:  # each from the letter before it, so a run of y takes several rounds
            shape = shape.replace(b"vy", b"vc").replace(b"cy", b"cv")
    return shape


_CONSONANT, _VOWEL, _UNDECIDED = b"cvy"


def _is_short(text: str, shape: bytes, n: int) -> bool:
    """Whether the first n letters end in consonant, vowel, consonant but w, x, y, or are vowel and consonant."""
    if n == 2:
        return shape[:2] == b"vc"
    return n > 2 and shape[n - 3 : n] == b"cvc" and text[n - 1] not in "wxy"


def _plural(text: str) -> str:
    """Step 1a."""
    if text[-1] != "s" or text[-2] == "s":
        return text
    if text.endswith("ies"):
        return text[:-1] if len(text) == 4 else text[:-2]
    return text[:-2] if text.endswith("sses") else text[:-1]


def _inflection(text: str, shape: bytes) -> tuple[str, bytes]:
    """Step 1b. The shape may be that of a longer word; that returned may be, too."""
    if text.endswith("ed"):
        before = text[-3:-2]
        if before == "i":
            return (text[:-1] if len(text) == 4 else text[:-2]), shape
        if before == "e":
            return (text[:-1] if shape.count(b"vc", 0, len(text) - 3) else text), shape
        n = len(text) - 2
    elif text.endswith("ing"):
        n = len(text) - 3
    else:
        return text, shape
    if _VOWEL not in shape[:n]:
        return text, shape
    text, shape = text[:n], shape[:n]
    if text.endswith(("at", "bl", "iz")):
        return text + "e", shape + b"v"
    last = text[-1]
    if last == text[-2:-1] and shape[-1] == _CONSONANT:
        return (text if last in "lsz" else text[:-1]), shape
    if shape.count(b"vc") == 1 and _is_short(text, shape, n):
        return text + "e", shape + b"v"
    return text, shape


def _derivation(text: str, shape: bytes, rules: _Rules) -> tuple[str, bytes]:
    """Steps 2 and 3: the first ending that fits is replaced where m > 0 before it."""
    for ending, cut, added, added_shape in rules.get(text[-3:], ()):
        if text.endswith(ending):
            n = len(text) - cut
            if not shape.count(b"vc", 0, n):
                break
            text, shape = text[:n] + added, shape[:n] + added_shape
            # What -alli leaves may end in -ational or -tional.
            return _derivation(text, shape, rules) if ending == "alli" else (text, shape)
    return text, shape


def _residue(text: str, shape: bytes) -> str:
    """Step 4: the first ending that fits goes where m > 1 before it, and -ion only after s or t."""
    for ending in _STEP_4.get(text[-2:], ()):
        if text.endswith(ending):
            n = len(text) - len(ending)
            is_cut = shape.count(b"vc", 0, n) > 1 and (ending != "ion" or text[n - 1] in "st")
            return text[:n] if is_cut else text
    return text


def _final(text: str, shape: bytes) -> str:
    """Step 5: a final -e, then one l of -ll."""
    last = text[-1:]
    if last == "e":
        n = len(text) - 1
        m = shape.count(b"vc", 0, n)
        if m > 1 or (m == 1 and not _is_short(text, shape, n)):
            text = text[:n]
            last = text[-1:]
    if last == "l" and text[-2:] == "ll" and shape.count(b"vc", 0, len(text) - 1) > 1:
        return text[:-1]
    return text


def _by_end(letters: int, *endings: str) -> dict[str, tuple[str, ...]]:
    """Endings by their last letters, in their order."""
    found: dict[str, tuple[str, ...]] = {}
    for ending in endings:
        end = ending[-letters:]
        found[end] = (*found.get(end, ()), ending)
    return found


def _replacing(**instead: str) -> _Rules:
    return {
        end: tuple((ending, len(ending), instead[ending], _shape(instead[ending])) for ending in endings)
        for end, endings in _by_end(3, *instead).items()
    }


# fmt: off
_STEP_2: _Rules = {
    **_replacing(
        ational="ate", tional="tion", enci="ence", anci="ance", izer="ize", bli="ble", alli="al", entli="ent",
        eli="e", ousli="ous", ization="ize", ation="ate", ator="ate", alism="al", iveness="ive", fulness="ful",
        ousness="ous", aliti="al", iviti="ive", biliti="ble", fulli="ful",
    ),
    "ogi": (("logi", 3, "og", b"vc"),),  # m > 0 counts the l
}
_STEP_3 = _replacing(icate="ic", ative="", alize="al", iciti="ic", ical="ic", ful="", ness="")
_STEP_4 = _by_end(
    2, "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)
_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}
# fmt: on
