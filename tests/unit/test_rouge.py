"""ROUGE, of texts and of their words as numbers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.measures.quality import RougeScores
from fairbrief.text.rouge import TYPES, rouge_scores
from fairbrief.types import Case, Document, Floats, Reason, Record, Summary

REFERENCES = ("The cat sat on the mat.", "A cat slept.")


def case_of(summary: str, *references: str) -> Case:
    """A record with these references."""
    return Case(Record("r", (Document("The cat sat."),), references), Summary("r", "s", summary))


def f_of(observation: RougeScores, case: Case, kind: str = "rouge1") -> float:
    """One score's F."""
    rows = observation.observe((case,), (), np.zeros((1, 0), dtype=np.int64))
    return float(rows.values[0, rows.columns.index((kind, "f"))])


def test_of_several_references_the_best_counts() -> None:
    """As in the package, each score is that with the largest F; or each is left out in turn, as for a reference."""
    case = case_of("A cat slept.", *REFERENCES)
    each = rouge_scores([(text, "A cat slept.") for text in REFERENCES])[:, 0, 2]
    assert f_of(RougeScores(), case) == each.max() == 1
    assert f_of(RougeScores(leaves_out=True), case) == each.mean() < 1
    reference = replace(case, summary=replace(case.summary, is_reference=True))
    assert f_of(RougeScores(leaves_out=True), reference) == 1


def test_undefined_without_texts() -> None:
    """No reference and no summary are reasons; words that nobody shares are a score of 0."""
    none = np.zeros((1, 0), dtype=np.int64)
    assert RougeScores().observe((case_of("x"),), (), none) == Reason("no references")
    assert RougeScores().observe((case_of(" ", "x"),), (), none) == Reason("empty summary")
    assert f_of(RougeScores(), case_of("dog", "cat")) == 0


def test_lines_let_lsum_see_sentences() -> None:
    """Sentences in another order lose nothing in Lsum once each is a line of its own."""
    case = case_of("It slept. A cat sat.", "A cat sat. It slept.")
    assert f_of(RougeScores(), case, "rougeLsum") == f_of(RougeScores(), case, "rougeL") < 1
    assert f_of(RougeScores(lines=True), case, "rougeLsum") == 1
    assert f_of(RougeScores(lines=True), case, "rougeL") < 1


def test_a_limit_scores_only_the_sentences_kept() -> None:
    """``limit=1`` scores the first sentence of a longer output."""
    assert f_of(RougeScores(limit=1), case_of("A cat slept. Dogs barked.", "A cat slept.")) == 1


AWKWARD = [
    ("", ""), ("a", ""), ("", "a"), ("!!!", "???"), ("one", "one"), ("don't won't can't", "dont wont cant"),
    ("It's John's dog’s bone", "it s john s dog s bone"), ("Zürich naïve café", "zurich naive cafe"),
    ("a\nb\n\nc", "c\nb\na"), ("the cat sat\non the mat", "on the mat\nthe cat sat"),
    ("a b a b a b", "b a b a"), ("\n\n", "a\nb"), ("a_b c-d e.f 3.14", "a b c d e f 3 14"),
    ("running runs ran easily", "run runner runs easy"), ("\ud800 broken \udfff", "broken"),
    ("the the the the", "the\nthe"),
]  # fmt: skip


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


@pytest.mark.parametrize(("reference", "candidate", "shared", "words"), [
    ("房间太小了，早餐很好吃。", "早餐很好吃。", 3, (7, 3)),
    ("Das Frühstück war schön, aber die Zimmer waren zu klein.", "Schön war das Frühstück.", 4, (10, 4)),
    ("الطعام لذيذ والخدمة ممتازة", "الطعام ممتازة", 2, (4, 2)),
])  # fmt: skip
def test_words_in_any_language(reference: str, candidate: str, shared: int, words: tuple[int, int]) -> None:
    """Where the package keeps only ASCII letters, ROUGE counts the words of Chinese, German and Arabic."""
    recall, precision = shared / words[0], shared / words[1]
    ((found, *_),) = rouge_scores([(reference, candidate)])
    assert tuple(found[:2]) == pytest.approx((precision, recall))
