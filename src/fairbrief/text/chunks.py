"""Documents cut into pieces that a judge can read: sentence groups, windows, single sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from fairbrief.text.segmentation import word_count

Cut = Literal["groups", "sentence_centred", "sentences", "document"]
CUTS: tuple[str, ...] = get_args(Cut)


def chunks(sentences: Sequence[str], cut: Cut = "groups", words: int = 100) -> list[str]:
    """The pieces of one document, given its sentences; words are counted by `word_count`.

    ``groups``: disjoint runs of sentences of at most ``words`` words (Li et al., Sec. 3.1).
    ``sentence_centred``: one overlapping window per sentence, under ``words`` words, as in the
    authors' release. ``sentences``: one piece each. ``document``: one piece.
    """
    kept = [s.strip() for s in sentences if s.strip()]
    match cut:
        case "groups":
            return sentence_groups(kept, words)
        case "sentence_centred":
            return sentence_windows(kept, words)
        case "sentences":
            return kept
        case "document":
            return [" ".join(kept)] if kept else []


def sentence_groups(sentences: Sequence[str], most: int) -> list[str]:
    """Disjoint runs of sentences of at most ``most`` words; a longer sentence stands alone."""
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
    """One window around every sentence, each text once, in order of first appearance.

    A window grows by the shorter of its two next neighbours first, stays under ``under`` words, and
    stops for good at the first neighbour that does not fit.
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
