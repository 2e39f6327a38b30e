"""ROUGE is that of the rouge-score package."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.text import rouge
from fairbrief.text.rouge import PARTS, TYPES, rouge_scores
from fairbrief.types import Floats

AWKWARD = [
    ("", ""),
    ("a", ""),
    ("", "a"),
    ("!!!", "???"),
    ("one", "one"),
    ("don't won't can't", "dont wont cant"),
    ("It's John's dog’s bone", "it s john s dog s bone"),
    ("Zürich naïve café", "zurich naive cafe"),
    ("a\nb\n\nc", "c\nb\na"),
    ("the cat sat\non the mat", "on the mat\nthe cat sat"),
    ("a b a b a b", "b a b a"),
    ("\n\n", "a\nb"),
    ("a_b c-d e.f 3.14", "a b c d e f 3 14"),
    ("running runs ran easily", "run runner runs easy"),
    ("\ud800 broken \udfff", "broken"),
    ("the the the the", "the\nthe"),
]


def package_scores(pairs: list[tuple[str, str]], *, stem: bool) -> Floats:
    """What the package answers. Shape (pairs, 4, 3)."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(list(TYPES), use_stemmer=stem)
    found = []
    for reference, candidate in pairs:
        scores = scorer.score(reference, candidate)
        found.append([[scores[t].precision, scores[t].recall, scores[t].fmeasure] for t in TYPES])
    return np.array(found)


@pytest.mark.parametrize("stem", [False, True])
def test_awkward_pairs_score_as_in_the_package(*, stem: bool) -> None:
    """Apostrophes, Unicode, empty lines and empty texts change no digit."""
    assert rouge_scores(AWKWARD, stem=stem) == pytest.approx(package_scores(AWKWARD, stem=stem), abs=1e-12)


texts = st.lists(st.sampled_from(["a", "b", "c", "d", "\n", "."]), max_size=24).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_any_pair_scores_as_in_the_package(reference: str, candidate: str) -> None:
    """Where many longest common subsequences exist the union takes the package's."""
    pairs = [(reference, candidate)]
    assert rouge_scores(pairs) == pytest.approx(package_scores(pairs, stem=False), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(texts, texts)
def test_exchanging_the_texts_exchanges_precision_and_recall(a: str, b: str) -> None:
    """ROUGE-1, -2 and -L are symmetric but for the names."""
    there, back = rouge_scores([(a, b), (b, a)])[:, :3]
    p, r, f = (PARTS.index(part) for part in PARTS)
    assert there[:, p] == pytest.approx(back[:, r])
    assert there[:, f] == pytest.approx(back[:, f])


def test_no_pairs_have_no_scores() -> None:
    """The shape holds for nothing."""
    assert rouge_scores([]).shape == (0, 4, 3)


def test_stems_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """ROUGE with stems answers where NLTK is not installed."""
    rouge._stem.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk", None)
    plain, stemmed = (rouge_scores([("walking home", "walked home")], stem=stem) for stem in (False, True))
    assert (plain[0, 0, 2], stemmed[0, 0, 2]) == (0.5, 1)


@pytest.mark.parametrize(
    ("reference", "candidate", "shared", "words"),
    [
        ("房间太小了，早餐很好吃。", "早餐很好吃。", 3, (7, 3)),
        ("Das Frühstück war schön, aber die Zimmer waren zu klein.", "Schön war das Frühstück.", 4, (10, 4)),
        ("الطعام لذيذ والخدمة ممتازة", "الطعام ممتازة", 2, (4, 2)),
    ],
)
def test_other_languages_are_compared_by_their_words(
    reference: str, candidate: str, shared: int, words: tuple[int, int]
) -> None:
    """Where the package keeps only ASCII letters, ROUGE counts the words of Chinese, German and Arabic."""
    recall, precision = shared / words[0], shared / words[1]
    ((found, *_),) = rouge_scores([(reference, candidate)])
    assert tuple(found[:2]) == pytest.approx((precision, recall))
