"""NLTK's word and sentence tokenization by the rules of NLTK 3.9.1, which produced the published numbers, with later ones, too.

Three later changes affect published figures: words are also split at long dashes (since 3.9.3) and at every opening
apostrophe (since 3.10.1), and Punkt closes sentences with curly quotes (since 3.10.2). This module restores the
earlier rules. The extra ``nltk`` excludes versions that were not compared with 3.9.1.

The words of the value-distribution paper: tokens, stop words of all languages, lemma, stem. Each token is tagged,
lemmatised and stemmed once. Reading NLTK's
data is file access, so this module serves scorers, never measures.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fairbrief.errors import RequestError, optional_library
from fairbrief.text.rouge import porter_stem

RULES = "3.9.1"
"""The NLTK version with these rules."""
_OPENING_APOSTROPHE = re.compile(r"(?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b")
"""Split only before a single letter, anywhere in a word."""
_LONG_DASH = "\u2014"
_CLOSERS = re.compile(r"[\"')\]}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
"""Characters after a sentence's end that belong to it: no curly quotes."""
_NOT_IN_WORDS = r"(?:[)\";}\]*:@'({\[?!])"


def edition() -> str:
    """The version of the rules, and the installed version of NLTK."""
    try:
        return f"nltk {version('nltk')}, rules of {RULES}"
    except PackageNotFoundError:
        return "nltk absent"


@cache
def word_cutter() -> Callable[[str], list[str]]:
    """``NLTKWordTokenizer().tokenize`` by the older rules. Raises MissingExtra."""
    tokenizer = _nltk("Cutting words as published").tokenize.NLTKWordTokenizer

    class Older(tokenizer):  # type: ignore[misc, valid-type] # NLTK is untyped
        STARTING_QUOTES = (*tokenizer.STARTING_QUOTES[:-1], (_OPENING_APOSTROPHE, r"\1 \2"))
        PUNCTUATION = tuple(rule for rule in tokenizer.PUNCTUATION if not rule[0].search(_LONG_DASH))

    cut: Callable[[str], list[str]] = Older().tokenize
    return cut


@cache
def punkt() -> Any:
    """NLTK's English Punkt by the older rules. Raises MissingExtra, or RequestError without its data."""
    reader = "Splitting sentences with Punkt"
    library = _nltk(reader).tokenize.punkt

    class Older(library.PunktLanguageVars):  # type: ignore[misc, name-defined] # NLTK is untyped
        re_boundary_realignment = _CLOSERS
        _re_non_word_chars = _NOT_IN_WORDS

    tokenizer = _resource(lambda: library.PunktTokenizer("english"), reader, "punkt_tab")
    tokenizer._lang_vars = Older()
    return tokenizer


def split(text: str) -> list[str]:
    """The sentences of a text, as ``nltk.sent_tokenize`` of NLTK 3.9.1 splits it. Raises MissingExtra or RequestError
    without NLTK or its data.
    """
    return list(punkt().tokenize(text))


REMEMBERED = 1 << 18
"""Number of cached tokens: more than the vocabulary of most corpora, under 100 MB."""

SENTENCES = 1 << 15
"""Number of sentences whose tokens are cached: systems, measures and sanity baselines share the same sources."""

EXTRA_STOP_WORDS = frozenset({"||", "people", "''", "``", "...", ".."})
"""The words that the paper's code drops in addition to NLTK's stop words and ASCII punctuation."""

READER = "The tokenizer 'nltk'"
DATA = "punkt_tab", "stopwords", "averaged_perceptron_tagger_eng", "wordnet"
"""NLTK's data that the tokenizer needs."""


def words(text: str) -> list[str]:
    """The counted words of a text, in order, as stems.

    Lower-cased text is split by ``word_tokenize``; ASCII punctuation, the stop words of *all* NLTK's languages
    and `EXTRA_STOP_WORDS` are removed; each remaining token is tagged *by itself*, lemmatised by WordNet under that tag and
    stemmed by Porter.

    Raises:     MissingExtra without NLTK; RequestError without its data.
    Source:     Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, the authors' code.
    """
    stems, stop = _stemmer(), _stop_words()
    return [stems(token) for token in tokenize(text.lower()) if token not in stop]


def tokenize(text: str) -> list[str]:
    """NLTK's ``word_tokenize(text)`` by the older rules."""
    return [token for sentence in split(text) for token in _tokens(sentence)]


@lru_cache(maxsize=SENTENCES)
def _tokens(sentence: str) -> tuple[str, ...]:
    return tuple(map(sys.intern, word_cutter()(sentence)))


# ---------------------------------------------------------------------------------- NLTK, loaded once


@cache
def _stop_words() -> frozenset[str]:
    listed = _resource(lambda: _nltk().corpus.stopwords.words())
    return frozenset(listed) | frozenset(string.punctuation) | EXTRA_STOP_WORDS


@cache
def _stemmer() -> Callable[[str], str]:
    nltk = _nltk()
    classifier = _resource(nltk.tag.PerceptronTagger)
    reader = wordnet(READER, *DATA)
    lemmatize = nltk.stem.WordNetLemmatizer().lemmatize
    # Adjective, verb and adverb tags by their first two letters; all other tokens count as nouns.
    parts = {"JJ": reader.ADJ, "VB": reader.VERB, "RB": reader.ADV}

    @lru_cache(maxsize=REMEMBERED)
    def stems(token: str) -> str:
        ((_, tag),) = classifier.tag([token])
        return porter_stem(lemmatize(token, parts.get(tag[:2], reader.NOUN)))

    return stems


def wordnet(reader: str, *data: str) -> Any:
    """NLTK's reader of WordNet, loaded. Raises MissingExtra without NLTK, RequestError without its data."""
    corpus = _nltk(reader).corpus.wordnet
    _resource(lambda: corpus.ensure_loaded(), reader, *(data or ("wordnet",)))  # the corpus is lazy
    return corpus


def vader() -> Any:
    """NLTK's VADER. Raises MissingExtra, or RequestError without its word list."""
    reader = "VADER's sentiment by NLTK"
    library = optional_library("nltk.sentiment.vader", "nltk", reader)
    words = "sentiment/vader_lexicon/vader_lexicon.txt"  # NLTK also finds it zipped
    return _resource(lambda: library.SentimentIntensityAnalyzer(words), reader, "vader_lexicon")


def _nltk(reader: str = READER) -> Any:
    return optional_library("nltk", "nltk", reader)


def _resource(load: Callable[[], Any], reader: str = READER, *data: str) -> Any:
    """Load NLTK's data; RequestError, with all that the reader needs, if it is absent."""
    try:
        return load()
    except LookupError as error:
        names = " ".join(data or DATA)
        raise RequestError(
            f"{reader} needs NLTK's data ({names}), which is not in the folders of NLTK_DATA or in NLTK's usual places. "
            f"Set NLTK_DATA to the folder with it, or download it: python -m nltk.downloader {names}"
        ) from error
