"""Sentences by rule, and passages of documents: fast, without data files, the same on every machine.

A sentence ends at ``.``, ``!``, ``?`` or ``…`` (with closing quotation marks and brackets) before white space,
if the next word can open a sentence; at a full-width ender; at a blank line; and at a line break, unless the line
is unfinished and the next one continues in lower case. A full stop does not end a sentence inside a number, after an
abbreviation that announces something (``Dr.``, ``e.g.``), after an initial, or after an ordinal in a language with
such ordinals (``am 3. Mai``). After abbreviations that may close a sentence (``U.S.``, ``p.m.``, ``Inc.``) it ends the
sentence if a common opener follows. Enders of other scripts (``؟``, ``।``) count equally. Takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, TypeVar

from fairbrief.errors import RequestError
from fairbrief.text.languages import Setting, language_of, setting
from fairbrief.text.segmentation import word_count
from fairbrief.text.vocabulary import words

T = TypeVar("T")
CLOSERS = "\"'”’»)\\]"
OPENERS = "\"'“‘«(\\["

BLANK_LINE = "\n\n"
"""What joins texts so that no sentence continues in the next one."""
ENDERS = ".!?…؟۔।॥"
WIDE_ENDERS = "。！？｡။។"
"""Enders of scripts without spaces."""

# The pattern begins with one set of characters, because that is much faster to search for than alternatives.
_CANDIDATE = re.compile(
    rf"[{ENDERS}{WIDE_ENDERS}\n](?:"
    rf"(?<=[{ENDERS}])(?<![{ENDERS}][{ENDERS}])[{ENDERS}]*+[{CLOSERS}]*+(?=\s)"  # enders before white space
    rf"|(?<=[{WIDE_ENDERS}])[{WIDE_ENDERS}]*[”’」』）]*"
    r"|(?<=\n)\s*)"
    rf"(?=\s*[{OPENERS}\-–—•*]*\s*(\w{{1,40}})?)"  # the word that follows
)
_ONE_A_LINE = re.compile(r"[^.!?\n]*+(?:[.!?]\n[A-Z][^.!?\n]*+)*+[.!?]?")
"""An ASCII text with surely one sentence per line."""
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“‘«—–/]+\Z")
_ENDED = re.compile(rf"[{ENDERS}][{CLOSERS}]*\s*\Z")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_LIST_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z])[.)]")


ANNOUNCING = words("sentences", "announcing")
"""Abbreviations that never end a sentence."""
CLOSING = words("sentences", "closing")
"""Abbreviations that may end a sentence."""
NUMBERED = words("sentences", "numbered")
"""Announcing only before a number or another capital: "No. 5", but "He said no. Then …"."""
_ABBREVIATIONS = ANNOUNCING | CLOSING | NUMBERED

ORDINAL_DOTS = words("sentences", "ordinal_dots")
"""Languages with a full stop after an ordinal number: "am 3. Mai"."""
STARTERS = words("sentences", "starters")
"""Words that open a sentence far more often than they follow an abbreviation in capitals."""


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Half-open character spans of the sentences, in order, without surrounding white space.

    Every character that is not white space is in exactly one span.
    """
    return _spans(text, setting())


@lru_cache(maxsize=4096)
def _spans(text: str, language: Setting) -> tuple[tuple[int, int], ...]:  # noqa: ARG001 # the language decides ordinals
    spans = []
    for start, end in _pieces(text):
        if sentence := text[start:end].strip():
            first = text.index(sentence, start)
            spans.append((first, first + len(sentence)))
    return tuple(spans)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text with the white space around them."""
    borders = [0]
    for match in _CANDIDATE.finditer(text):
        if _ends(text, borders[-1], match):
            borders.append(match.end())
    return pairwise([*borders, len(text)])


def split(text: str) -> list[str]:
    """The sentences of a text, in order.

    >>> split('Dr. Lee paid $3.50. "Was it much?" she asked. It was not.')
    ['Dr. Lee paid $3.50.', '"Was it much?" she asked.', 'It was not.']
    """
    return list(sentences_of(text))


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text as a tuple, cached."""
    inside = text[:-1]
    if text.isascii() and not ("." in inside or "\n" in inside or "!" in inside or "?" in inside):
        # Surely one sentence; finding it takes no longer than a cache lookup.
        alone = text.strip()
        return (alone,) if alone else ()
    return _sentences(text, setting())


@lru_cache(maxsize=4096)
def _sentences(text: str, language: Setting) -> tuple[str, ...]:  # noqa: ARG001 # the language decides ordinals
    if "\n" in text and text.isascii() and _ONE_A_LINE.fullmatch(text):
        return tuple([line.strip() for line in text.split("\n")])
    return tuple([sentence for start, end in _pieces(text) if (sentence := text[start:end].strip())])


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the candidate ends the sentence that began at ``start``."""
    at, after = match.span()
    mark, word = text[at], match[1] or ""
    opens_small = word[:1].islower()
    if mark == "\n":
        is_wrapped = opens_small and _ENDED.search(text, max(start, at - 8), at) is None
        return not is_wrapped or text.count("\n", at, after) > 1
    if mark in WIDE_ENDERS:
        return True
    if opens_small:
        return text[after : after + 200].partition(word)[0].count("\n") > 1
    if mark != "." or after > at + 1:
        return True
    first = max(start, at - 40)
    first = max(first, text.rfind(" ", first, at) + 1)
    written = text[first:at]
    if not written or (len(written) > 1 and written.isalpha() and written.lower() not in _ABBREVIATIONS):
        return True
    before = _WORD_BEFORE.search(text, first, at)
    if before is None:
        return True
    is_first = before.start() - start < 40 and not text[start : before.start()].strip()
    # "3. Mai" may be a day, a month or a rank before a capitalised word.
    is_ordinal = before[0].isdigit() and len(before[0]) <= 2 and word[:1].isupper()
    if is_ordinal and not is_first and language_of(text) in ORDINAL_DOTS:
        return False
    return not _continues(before[0], word, is_first=is_first)


def _continues(before: str, following: str, *, is_first: bool) -> bool:
    """Whether a full stop after the word ``before`` leaves the sentence open for ``following``."""
    key = before.lower()
    if is_first and _LIST_NUMBER.fullmatch(before + "."):
        return bool(following)
    if key in NUMBERED:
        return following[:1].isdigit() or (key != "no" and following[:1].isupper())
    if key in ANNOUNCING:
        return bool(following)
    if key in CLOSING and (before[0].isupper() or "." in before or key in ("etc", "am", "pm")):
        return bool(following) and following not in STARTERS
    if _INITIALS.fullmatch(before) and before != "I":
        return following[:1].isalpha() and following not in STARTERS
    return False


# ---- Passages, each some sentences long, for scorers that read documents in parts


KNOWN = (
    "sentence, document, a number of sentences (3), a number of words (100words) or windows around each sentence "
    "(100words_centred)"
)
_SIZE = re.compile(r"([1-9][0-9]{0,5})(words(?:_centred)?|)")


def _check_by(by: int | str) -> None:
    """Raise RequestError for an unknown way to cut documents."""
    if by not in ("sentence", "document"):
        _size(str(by))


By = Annotated[int | str, _check_by]
"""How documents are cut: ``sentence``, ``document``, ``3`` (sentences), ``100words`` or ``100words_centred``."""


def passages_of(text: str, by: By) -> tuple[str, ...]:
    """The passages of a document, in order; a document without sentences is one passage.

    ``sentence``: one each. A number k: every run of k neighbouring sentences, and the document if it has fewer.
    ``100words``: disjoint runs of sentences of at most 100 words, counted by `word_count` (Li et al., Sec. 3.1).
    ``100words_centred``: one overlapping window per sentence, under 100 words, as in the authors' release.
    ``document``: the whole document.

    >>> passages_of("It rained. We left. It stopped.", 2)
    ('It rained. We left.', 'We left. It stopped.')
    """
    if by == "document":
        return (text,)
    sentences = sentences_of(text)
    # A single sentence is one passage with every way to cut documents.
    if len(sentences) < 2:
        return sentences or (text,)
    if by == "sentence":
        return sentences
    many, of_words = _size(str(by))
    if of_words:
        cut = sentence_groups if of_words == "words" else sentence_windows
        return tuple(cut(sentences, many))
    runs = (sentences[i : i + many] for i in range(max(1, len(sentences) - many + 1)))
    return tuple(map(" ".join, runs))


@lru_cache(maxsize=64)
def _size(by: str) -> tuple[int, str]:
    """The number in a way to cut documents; and ``words`` or ``words_centred`` if it counts words."""
    size = _SIZE.fullmatch(by)
    if size is None:
        raise RequestError(f"by={by} is not a way to cut documents. Choose one of: {KNOWN}.")
    return int(size[1]), size[2]


def sentence_groups(sentences: Sequence[str], most: int) -> list[str]:
    """Disjoint runs of sentences of at most ``most`` words; a longer sentence is a passage by itself."""
    return list(map(" ".join, packed(((sentence, word_count(sentence)) for sentence in sentences), most)))


def packed(items: Iterable[tuple[T, int]], most: int) -> Iterator[list[T]]:
    """Runs of items with their sizes, as long as their sum is at most ``most``; a larger item is a run by itself.

    >>> list(packed([("a", 2), ("b", 2), ("c", 9), ("d", 1)], 4))
    [['a', 'b'], ['c'], ['d']]
    """
    run: list[T] = []
    filled = 0
    for item, size in items:
        if run and filled + size > most:
            yield run
            run, filled = [], 0
        run.append(item)
        filled += size
    if run:
        yield run


def sentence_windows(sentences: Sequence[str], under: int) -> list[str]:
    """One window around every sentence, each distinct text once, in order of first appearance.

    A window first grows by the shorter of its two neighbours, has fewer than ``under`` words, and stops growing at
    the first neighbour that does not fit.
    """
    lengths = list(map(word_count, sentences))
    windows = (sentences[_window(lengths, centre, under)] for centre in range(len(sentences)))
    return list(dict.fromkeys(map(" ".join, windows)))


def _window(lengths: Sequence[int], centre: int, under: int) -> slice:
    first, last, filled = centre, centre, lengths[centre]
    for distance in range(1, len(lengths)):
        sides = [i for i in (centre - distance, centre + distance) if 0 <= i < len(lengths)]
        for side in sorted(sides, key=lengths.__getitem__):
            filled += lengths[side]
            if filled >= under:
                return slice(first, last + 1)
            first, last = min(first, side), max(last, side)
    return slice(first, last + 1)
