"""Passages of documents, each some sentences long, for scorers that read documents in parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from fairbrief.text.segmentation import word_count
from fairbrief.text.sentences import sentences_of

By = int | str
"""How documents are cut: ``sentence``, ``document``, ``3`` (sentences), ``100words`` or ``100words_centred``."""
KNOWN = (
    "sentence, document, a number of sentences (3), a number of words (100words) or windows around each sentence "
    "(100words_centred)"
)
_SIZE = re.compile(r"([1-9][0-9]{0,5})(words(?:_centred)?|)")


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
    return sentences if by == "sentence" else tuple(_cutter(str(by))(sentences))


def check_by(by: By) -> None:
    """Raise ValueError for an unknown way to cut documents."""
    if by not in ("sentence", "document"):
        _cutter(str(by))


@lru_cache(maxsize=64)
def _cutter(by: str) -> Callable[[Sequence[str]], Sequence[str]]:
    size = _SIZE.fullmatch(by)
    if size is None:
        raise ValueError(f"by={by} is not a way to cut documents. Choose one of: {KNOWN}")
    many = int(size[1])
    match size[2]:
        case "words":
            return lambda sentences: sentence_groups(sentences, many)
        case "words_centred":
            return lambda sentences: sentence_windows(sentences, many)
    return lambda sentences: [
        " ".join(sentences[i : i + many]) for i in range(max(1, len(sentences) - many + 1))
    ]


def sentence_groups(sentences: Sequence[str], most: int) -> list[str]:
    """Disjoint runs of sentences of at most ``most`` words; a longer sentence is a passage by itself."""
    groups: list[list[str]] = []
    filled = 0
    for sentence in sentences:
        length = word_count(sentence)
        if groups and filled + length <= most:
            groups[-1].append(sentence)
            filled += length
        else:
            groups.append([sentence])
            filled = length
    return [" ".join(group) for group in groups]


def sentence_windows(sentences: Sequence[str], under: int) -> list[str]:
    """One window around every sentence, each distinct text once, in order of first appearance.

    A window first grows by the shorter of its two neighbours, has fewer than ``under`` words, and stops growing at
    the first neighbour that does not fit.
    """
    lengths = [word_count(s) for s in sentences]
    windows = []
    for centre in range(len(sentences)):
        first, last = _window(lengths, centre, under)
        windows.append(" ".join(sentences[first : last + 1]))
    return list(dict.fromkeys(windows))


def _window(lengths: Sequence[int], centre: int, under: int) -> tuple[int, int]:
    first = last = centre
    filled = lengths[centre]
    for distance in range(1, len(lengths)):
        sides = [i for i in (centre - distance, centre + distance) if 0 <= i < len(lengths)]
        for side in sorted(sides, key=lambda i: lengths[i]):
            if filled + lengths[side] >= under:
                return first, last
            filled += lengths[side]
            first, last = min(first, side), max(last, side)
    return first, last
