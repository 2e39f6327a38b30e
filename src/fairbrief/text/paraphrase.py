"""Paraphrases of English by rules: content words replaced by synonyms of WordNet, in the same inflection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from fairbrief.errors import FairbriefError
from fairbrief.ranges import grouped
from fairbrief.text.gendered_words import like
from fairbrief.text.hashes import digest_of
from fairbrief.text.languages import ENGLISH, name_of
from fairbrief.text.published_nltk import REMEMBERED, wordnet
from fairbrief.text.rouge import STOP_WORDS, porter_stem
from fairbrief.text.segmentation import LETTERS

READER = "Paraphrasing"
SENSES = 3
"""Number of a word's most frequent senses that are searched for synonyms: later ones are rarely meant."""
SHORTEST = 3
"""Letters of the shortest word that is replaced."""

_SENTENCE_START = re.compile(r"(?:^|[.!?:]['\"”’)]*\s+)['\"“‘(]*$")
_ARTICLE = re.compile(r"\b(a)n?(\s+)$", re.IGNORECASE)
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")


def paraphrase(text: str, share: float, key: str) -> str:
    """The text with a share of its content words replaced by synonyms.

    Equal arguments give equal texts. A larger share replaces the same words and more. Names, numbers and words without
    a synonym stay, so at a share of 1 some words do not change. Inflection and capitals are kept.

    Args:       text: in English (see `why_not` for other languages); share: of the content words, 0 to 1;
                key: another key chooses other words and synonyms.
    Raises:     MissingExtra without NLTK; RequestError without WordNet.
    """
    words = [match for match in LETTERS.finditer(text) if _is_content(match[0])]
    replaceable = [(match, synonyms) for match in words if (synonyms := _replacing(text, match))]
    order = sorted(range(len(replaceable)), key=lambda i: digest_of((key, text, str(i))))
    parts, end = [], 0
    for i in sorted(order[: round(share * len(words))]):
        match, synonyms = replaceable[i]
        chosen = synonyms[int.from_bytes(digest_of((key, text, match[0], str(i)))) % len(synonyms)]
        # The indefinite article before a word is adjusted to it.
        article = r"\1n\2" if chosen[0] in "aeiou" else r"\1\2"
        parts += [_ARTICLE.sub(article, text[end : match.start()]), like(match[0], chosen)]
        end = match.end()
    return "".join((*parts, text[end:]))


def why_not(language: str = ENGLISH) -> str:
    """Why texts in this language (ISO 639-1) cannot be paraphrased; empty if they can."""
    if language != ENGLISH:
        return f"{READER} replaces words by synonyms of WordNet, which is English; these texts are {name_of(language)}."
    try:
        wordnet(READER)
    except FairbriefError as error:
        return str(error)
    return ""


def _is_content(word: str) -> bool:
    return len(word) >= SHORTEST and word.lower().replace("’", "'") not in STOP_WORDS


def _replacing(text: str, match: re.Match[str]) -> tuple[str, ...]:
    """The synonyms of a word; none of a name."""
    word = match[0]
    is_name = word[0].isupper() and not word.isupper() and not _SENTENCE_START.search(text[: match.start()])
    return () if is_name else _synonyms(word.lower())


@lru_cache(maxsize=REMEMBERED)
def _synonyms(word: str) -> tuple[str, ...]:
    """Synonyms of a lower-cased word in its inflection, of the most frequent sense that has any, in alphabetical order."""
    library = wordnet(READER)
    best: tuple[str, ...] = ()
    most = -1
    for part in ("n", "v", "a", "r"):
        lemma = library.morphy(word, part)
        for sense in library.synsets(lemma, part)[:SENSES] if lemma else ():
            count = sum(own.count() for own in sense.lemmas() if own.name().lower() == lemma)
            if count > most and (others := _others(sense, word, lemma, part)):
                best, most = others, count
    return best


def _others(sense: Any, word: str, lemma: str, part: str) -> tuple[str, ...]:
    """The inflected words of a sense, without forms of the word itself."""
    names = [name for name in sense.lemma_names() if name.isalpha() and name.islower()]
    inflected = {_inflected(name, word, lemma, part) for name in names if name not in STOP_WORDS}
    stem = porter_stem(word)
    return tuple(sorted(other for other in inflected if other and porter_stem(other) != stem))


def _inflected(name: str, word: str, lemma: str, part: str) -> str:
    """A lemma in the inflection that ``word`` has of its lemma; empty for comparatives, which are not supported."""
    if word == lemma:
        return name
    if part == "n":
        return next(iter(_irregular("n").get(name, ())), "") or _with_s(name)
    if part != "v":
        return ""
    if word.endswith("s"):
        return _with_s(name)
    is_gerund = word.endswith("ing")
    irregular = (form for form in _irregular("v").get(name, ()) if form.endswith("ing") == is_gerund)
    if form := next(irregular, ""):
        return form
    if is_gerund:
        return re.sub(r"(?<![eoy])e$", "", name) + "ing"
    return re.sub(r"(?<=[^aeiou])y$", "i", name).removesuffix("e") + "ed"


def _with_s(name: str) -> str:
    if _CONSONANT_Y.search(name):
        return f"{name[:-1]}ies"
    return f"{name}es" if _SIBILANT.search(name) else f"{name}s"


@cache
def _irregular(part: str) -> Mapping[str, Sequence[str]]:
    """Lemmas with their irregular forms (including doubled consonants), as WordNet lists them."""
    forms = wordnet(READER)._exception_map[part].items()
    return grouped((lemma, form) for form, lemmas in forms for lemma in lemmas)
