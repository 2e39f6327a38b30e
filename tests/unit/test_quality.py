"""ROUGE as a measure."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from fairbrief import registry
from fairbrief.errors import MissingExtra, RequestError
from fairbrief.measures.quality import Rouge1, RougeL, RougeLsum, RougeScores
from fairbrief.testing import MEASURE_CLAUSES, MeasureClause
from fairbrief.text import rouge
from fairbrief.text.rouge import rouge_scores
from fairbrief.types import Case, Document, Reason, Record, Rows, Summary, Totals

REFERENCES = ("The cat sat on the mat.", "A cat slept.")


def case_of(summary: str, *references: str) -> Case:
    """A record with these references."""
    return Case(Record("r", (Document("The cat sat."),), references), Summary("r", "s", summary))


def f_of(observation: RougeScores, case: Case, kind: str = "rouge1") -> float:
    """One score's F."""
    rows = observation.observe((case,), (), np.zeros((1, 0), dtype=np.int64))
    assert isinstance(rows, Rows)
    return float(rows.values[0, rows.columns.index((kind, "f"))])


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    "spelled",
    ["rouge1", "rouge2(stem=true)", "rougeL(several=mean)", "rougeLsum(lines=true, limit=1, choose=random)"],
)
def test_measures_keep_the_contract(spelled: str, clause: MeasureClause) -> None:
    """Additive finite rows, read back from their spec."""
    cases = [case_of("A cat sat. It slept.", *REFERENCES), case_of("", "x"), case_of("x"), case_of("!", "x")]
    measure = registry.make("measure", spelled)
    assert repr(measure) == spelled
    clause(measure, cases)


def test_of_several_references_the_best_counts_unless_the_mean_is_asked_for() -> None:
    """The package takes each score's largest F; ``several=mean`` the mean over references."""
    case = case_of("A cat slept.", *REFERENCES)
    each = rouge_scores([(text, "A cat slept.") for text in REFERENCES])[:, 0, 2]
    assert f_of(RougeScores(), case) == each.max() == 1
    assert f_of(RougeScores(several="mean"), case) == pytest.approx(each.mean())


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


def test_values_are_means_over_records() -> None:
    """The headline is the mean F; precision and recall stand beside it, and no chance level belongs to them."""
    totals = Totals(
        {("one",): 0, ("rouge1", "f"): 1, ("rouge1", "recall"): 2}, np.array([[4.0, 1.0, 2.0], [0, 0, 0]])
    )
    values = Rouge1().value(totals)
    assert list(values) == ["rouge1", "rouge1_precision", "rouge1_recall"]
    assert values["rouge1"].array[0] == 0.25
    assert np.isnan(values["rouge1"].array[1])
    assert all(value.tail is None for value in values.values())


def test_scores_share_an_observation() -> None:
    """Four measures, one pass over the texts."""
    assert Rouge1(stem=True).observation == RougeL(stem=True).observation == RougeLsum(stem=True).observation


def test_impossible_settings_are_refused() -> None:
    """A setting that means nothing is the request's fault."""
    with pytest.raises(RequestError, match="several=min is not one of max, mean"):
        registry.make("measure", "rouge1(several=min)")


def test_words_are_compared_as_they_stand_unless_stemmed() -> None:
    """Cats and a cat share a stem, and no word."""
    assert f_of(RougeScores(), case_of("cats", "cat")) == 0
    assert f_of(RougeScores(stem=True), case_of("skies", "sky")) == 1


def test_stems_need_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NLTK the message says what to install."""
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    rouge._porter.cache_clear()
    with pytest.raises(MissingExtra, match=r"fairbrief\[nltk\]"):
        rouge.porter_stem("summaries")
