"""What single texts and names give away: who is named, of which gender, in which tone.

What all sentiment scorers share is here: rows are passages, the one column is ``"sentiment"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fairbrief.types import Ask, Scores

KEPT = 4096
"""Texts whose score is kept: an article comes again with every system's summary of it."""


def passage_scores(asks: Sequence[Ask], score: Callable[[str], tuple[float, int]]) -> Iterator[Scores]:
    """Answers from a function of one text: its score, and how many pieces it was made of (0: undefined).

    Shapes: ``matrix`` (rows, columns), the score repeated over the columns; ``sizes`` (rows,).
    """
    known: dict[str, tuple[float, int]] = {}
    for ask in asks:
        found = []
        for text in ask.rows:
            if text not in known:
                if len(known) >= KEPT:
                    known.clear()
                known[text] = score(text)
            found.append(known[text])
        array = np.array(found, dtype=np.float64).reshape(len(ask.rows), 2)
        matrix = np.repeat(array[:, :1], len(ask.columns), axis=1)
        yield Scores.of_whole_texts(ask, matrix, array[:, 1])
