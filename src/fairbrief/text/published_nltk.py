"""NLTK's word and sentence tokenization by the rules of NLTK 3.9.1, which produced the published numbers, with any NLTK.

Three later changes affect published figures: words are also split at long dashes (since 3.9.3) and at every opening
apostrophe (since 3.10.1), and Punkt closes sentences with curly quotes (since 3.10.2). This module restores the
earlier rules; a few texts with known results show that no other rule has changed since.

The words of the value-distribution paper: tokens, stop words of all languages, lemma, stem. Expensive steps are
cached: each chunk between two spaces is split once, each token is tagged, lemmatised and stemmed once. Reading NLTK's
data is file access, so this module serves scorers, never measures.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any

from fairbrief.errors import MissingExtra, RequestError
from fairbrief.text.rouge import porter_stem

RULES = "3.9.1"
"""The NLTK version with these rules."""
PUNKT = "tokenizers/punkt_tab/english/"

_OPENING_APOSTROPHE = re.compile(r"(?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b")
"""Split only before a single letter, anywhere in a word."""
_LONG_DASH = "\u2014"
_CLOSERS = re.compile(r"[\"')\]}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
"""Characters after a sentence's end that belong to it: no curly quotes."""
_NOT_IN_WORDS = r"(?:[)\";}\]*:@'({\[?!])"

KNOWN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "'twas an 'x' in o'clock": "'t was an ' x ' in o'clock",
        "well \u2014 a\u2014b can't, \"won't\" (gonna).": "well \u2014 a\u2014b ca n't , `` wo n't '' ( gon na ) .",
        "$3,000: it's 5%... @you #tag; <b> a--b": "$ 3,000 : it 's 5 % ... @ you # tag ; < b > a -- b",
        "«q» “r” ‘s’ the dogs' u.s. he'd 're": "« q » “ r ” ‘ s ’ the dogs ' u.s. he 'd 're",
    }
)
"""Sentences and their words, joined by blanks, as NLTK 3.9.1 splits them."""
KNOWN_SENTENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "“He left.” She stayed.": ("“He left.” She stayed.",),
        '"He left." She stayed.': ('"He left."', "She stayed."),
        "Mr. Lee paid $3.50. “Fine!” he said? Yes.": ("Mr. Lee paid $3.50.", "“Fine!” he said?", "Yes."),
    }
)
"""Texts and their sentences, as NLTK 3.9.1 splits them."""


def edition() -> str:
    """The version of the rules, and the installed version of NLTK."""
    try:
        return f"nltk {version('nltk')}, rules of {RULES}"
    except PackageNotFoundError:
        return "nltk absent"


@cache
def word_cutter() -> Callable[[str], list[str]]:
    """``NLTKWordTokenizer().tokenize`` by the older rules. Raises MissingExtra, or RequestError on a later NLTK."""
    library = _nltk("Cutting words as published")

    class Older(library.tokenize.NLTKWordTokenizer):  # type: ignore[misc, name-defined] # NLTK is untyped
        STARTING_QUOTES = (
            *library.tokenize.NLTKWordTokenizer.STARTING_QUOTES[:-1],
            (_OPENING_APOSTROPHE, r"\1 \2"),
        )
        PUNCTUATION = tuple(
            rule for rule in library.tokenize.NLTKWordTokenizer.PUNCTUATION if not rule[0].search(_LONG_DASH)
        )

    cut: Callable[[str], list[str]] = Older().tokenize
    _check(KNOWN_WORDS, lambda text: " ".join(cut(text)))
    return cut


def punkt() -> Any:
    """NLTK's English Punkt by the older rules. Raises MissingExtra, or RequestError without its data."""
    return _punkt(tuple(_nltk("Cutting sentences with Punkt").data.path))


@cache
def _punkt(folders: tuple[str, ...]) -> Any:  # looked for once in these folders: other ones, another model
    from nltk import data
    from nltk.tokenize.punkt import PunktLanguageVars, PunktTokenizer

    try:
        data.find(PUNKT, list(folders))
    except LookupError:
        raise RequestError(
            f"Punkt's model '{PUNKT}' is in none of NLTK's folders. Set NLTK_DATA to a folder "
            "with it (python -m nltk.downloader punkt_tab), or split sentences with sentences=builtin."
        ) from None

    class Older(PunktLanguageVars):  # type: ignore[misc] # NLTK is untyped
        re_boundary_realignment = _CLOSERS
        _re_non_word_chars = _NOT_IN_WORDS

    tokenizer = PunktTokenizer("english")
    tokenizer._lang_vars = Older()
    _check(KNOWN_SENTENCES, lambda text: tuple(tokenizer.tokenize(text)))
    return tokenizer


def _check(known: Mapping[str, Any], cut: Callable[[str], Any]) -> None:
    """Raise RequestError if this NLTK splits a known text differently."""
    for text, wanted in known.items():
        if (found := cut(text)) != wanted:
            raise RequestError(
                f"NLTK {version('nltk')} splits {text!r} into {found!r}, but the published numbers need "
                f"{wanted!r}. Install a supported version: pip install 'nltk>=3.9.1,<=3.10.4'."
            )


def split(text: str) -> list[str]:
    """The sentences of a text, as ``nltk.sent_tokenize`` of NLTK 3.9.1 splits it. Raises MissingExtra or RequestError
    without NLTK or its data.
    """
    return list(punkt().tokenize(text))


REMEMBERED = 1 << 18
"""Number of cached chunks and tokens: more than the vocabulary of most corpora, under 100 MB."""

# A sentence boundary affects NLTK's words only after a full stop attached to a word, at marks inside
# a word, and before ''. Elsewhere the (slow) search for boundaries can be skipped with the same result.
BORDER_MATTERS = re.compile(r"(?<=\S)\.(?=\s)|\.(?=[^\s\w])|[?!](?=[^\s\w?!])|''")
ODD_SPACE = re.compile(r"^\s|[^\S ]")
CUT_WORDS = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})
"""The only words of letters that NLTK splits."""
CLOSING = "])}>\"'»”’"

EXTRA_STOP_WORDS = frozenset({"||", "people", "''", "``", "...", ".."})
"""The words that the paper's code drops in addition to NLTK's stop words and ASCII punctuation."""

READER = "The tokenizer 'nltk'"


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
    """NLTK's ``word_tokenize(text)`` by the older rules, about ten times faster on text with usual spacing."""
    if not BORDER_MATTERS.search(text):
        return _cut_sentence(text)
    return [token for sentence in split(text) for token in _cut_sentence(sentence)]


def _cut_sentence(sentence: str) -> list[str]:
    # NLTK's patterns look at most one character beyond a space, except for the first chunk and for a
    # full stop that only closing marks follow up to the end. So each chunk is split separately, once.
    if ODD_SPACE.search(sentence):
        return list(word_cutter()(sentence))
    chunks = sentence.split()
    last = len(chunks) - 1
    while last > 0 and not chunks[last].strip(CLOSING):
        last -= 1
    if last <= 0:
        return list(word_cutter()(sentence))
    tokens: list[str] = []
    for place, chunk in enumerate(chunks[:last]):
        if _is_plain(chunk):
            tokens.append(chunk)
        else:
            tokens += _cut(chunk, is_first=place == 0, is_last=False)
    if last == len(chunks) - 1 and _is_plain(chunks[last]):
        tokens.append(chunks[last])
    else:
        tokens += _cut(" ".join(chunks[last:]), is_first=False, is_last=True)
    return tokens


def _is_plain(chunk: str) -> bool:
    """Whether a chunk consists of letters and digits that no pattern splits."""
    return chunk.isalnum() and chunk.isascii() and chunk.lower() not in CUT_WORDS


@lru_cache(maxsize=REMEMBERED)
def _cut(chunk: str, *, is_first: bool, is_last: bool) -> Sequence[str]:
    """The tokens of a chunk, given whether other chunks precede and follow."""
    before, after = "" if is_first else "a ", "" if is_last else " a"
    tokens = word_cutter()(f"{before}{chunk}{after}")
    return tokens[not is_first : len(tokens) - (not is_last)]


# ---------------------------------------------------------------------------------- NLTK, loaded once


@cache
def _stop_words() -> frozenset[str]:
    listed = _resource("stopwords", lambda: _nltk().corpus.stopwords.words())
    return frozenset(listed) | frozenset(string.punctuation) | EXTRA_STOP_WORDS


@cache
def _stemmer() -> Callable[[str], str]:
    nltk = _nltk()
    classifier = _resource("averaged_perceptron_tagger_eng", nltk.tag.PerceptronTagger)
    reader = wordnet()
    lemmatize = nltk.stem.WordNetLemmatizer().lemmatize
    # Adjective, verb and adverb tags by their first two letters; all other tokens count as nouns.
    parts = {"JJ": reader.ADJ, "VB": reader.VERB, "RB": reader.ADV}

    @lru_cache(maxsize=REMEMBERED)
    def stems(token: str) -> str:
        ((_, tag),) = classifier.tag([token])
        return porter_stem(lemmatize(token, parts.get(tag[:2], reader.NOUN)))

    return stems


def wordnet(reader: str = READER) -> Any:
    """NLTK's reader of WordNet, loaded. Raises MissingExtra without NLTK, RequestError without its data."""
    corpus = _nltk(reader).corpus.wordnet
    _resource("wordnet", lambda: corpus.ensure_loaded(), reader)
    return corpus


def _nltk(reader: str = READER) -> Any:
    try:
        import nltk
        import nltk.corpus
        import nltk.stem
        import nltk.tag
    except ImportError as error:
        raise MissingExtra("nltk", "nltk", reader) from error
    return nltk


def _resource(name: str, load: Callable[[], Any], reader: str = READER) -> Any:
    try:
        return load()
    except LookupError as error:
        raise _absent(name, reader=reader) from error


def _absent(*names: str, reader: str = READER) -> RequestError:
    return RequestError(
        f"{reader} needs NLTK's data {', '.join(names)}: not found in any folder of NLTK_DATA or in NLTK's usual places. "
        f"Set NLTK_DATA to the folder with it, or download it: python -m nltk.downloader {' '.join(names)}"
    )


def check_data() -> None:
    """Raise RequestError with every missing NLTK resource."""
    missing: list[str] = []
    for load, names in (
        (punkt, ("punkt_tab",)),
        (_stop_words, ("stopwords",)),
        (_stemmer, ("averaged_perceptron_tagger_eng", "wordnet")),
    ):
        try:
            load()
        except RequestError:
            missing += names
    if missing:
        raise _absent(*missing)
