"""The scorers about people: who is one, of which gender, and how alike texts are."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from fairbrief.classifiers.people import Names, People
from fairbrief.errors import BackendError, DataError, MissingExtra, RequestError
from fairbrief.registry import make
from fairbrief.scorers.word_counts import Counts
from fairbrief.testing import SCORER_CLAUSES
from fairbrief.text.people import candidates
from fairbrief.types import Ask

TEXTS = ("Mary Blat met Leo Fox.", "The sun rose over the hill.", "Ärzte über alles, the sun")
ASKS = {
    "counts": [Ask("counts", TEXTS, TEXTS), Ask("counts", TEXTS[:1], TEXTS[1:])],
    "names": [Ask("names", ("Mrs. Poe", "Zork Blat", "James Poe"), ("female", "male"))],
    "people": [Ask("people", candidates(TEXTS[0]), TEXTS[:1])],
}


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", sorted(ASKS))
def test_scorers_keep_the_contract(clause, name: str) -> None:  # noqa: ANN001
    """Every clause of the scorer contract holds for each."""
    clause(make("scorer or classifier", name), ASKS[name])


def test_counts_are_cosines_of_content_words() -> None:
    """Function words do not count; an empty text is like nothing, not even itself."""
    (scores,) = Counts().answer([Ask("counts", ("the cat sat", "a cat", "of the"), ("cat dog", "of the"))])
    np.testing.assert_allclose(scores.matrix, [[0.5, 0], [1 / np.sqrt(2), 0], [0, 0]])
    assert scores.sizes.tolist() == [2, 1, 0]


def test_counts_agree_with_scikit_learn() -> None:
    """With its stop words the cosines are those of its vectorizer."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    vectors = text.CountVectorizer(stop_words="english").fit_transform(TEXTS)
    (scores,) = Counts("sklearn").answer([Ask("counts", TEXTS, TEXTS)])
    np.testing.assert_allclose(scores.matrix, pairwise.cosine_similarity(vectors), atol=1e-12)


def test_a_page_table_decides_and_changes_the_fingerprint(tmp_path: Path) -> None:
    """Pages outrank the census, later lines earlier ones, and another table is another scorer."""
    table = tmp_path / "pages.csv"
    table.write_text("name,gender\nMary Blat,f\nMary Blat,m\n", encoding="utf-8")
    scorer = Names(pages=str(table))
    (scores,) = scorer.answer([Ask("names", ("Mary Blat", "Mary Poe"), ("female", "male"))])
    assert scores.matrix.tolist() == [[0, 1], [1, 0]]
    assert scorer.fingerprint != Names().fingerprint


@pytest.mark.parametrize(
    ("content", "said"),
    [("who,what\n", "begins with 'name,gender'"), ("name,gender\nBo\n", ":2: 'Bo' has no gender")],
)
def test_a_bad_page_table_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    """Whoever made the table learns where it is wrong."""
    table = tmp_path / "pages.csv"
    table.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        list(Names(pages=str(table)).answer([Ask("names", ("Bo",), ("female",))]))
    with pytest.raises(DataError, match="cannot be read"):
        list(Names(pages=str(tmp_path / "none.csv")).answer([Ask("names", ("Bo",), ("female",))]))


def test_names_know_genders_only() -> None:
    """Another kind of group is refused, with what was asked for."""
    with pytest.raises(RequestError, match="'black' was asked for"):
        list(Names().answer([Ask("names", ("Bo",), ("black",))]))


def test_spacy_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the extra is named; a recogniser of another kind is refused."""
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"fairbrief\[spacy\]"):
        list(People("spacy:absent-library").answer([Ask("people", ("Bo",), ("Bo left.",))]))
    with pytest.raises(ValueError, match="neither builtin nor spacy"):
        People("oracle")


def test_a_spacy_pipeline_accepts_the_longest_span_within_its_entities(tmp_path: Path) -> None:
    """A pipeline's person is the longest proposed span that lies within it; other labels do not count."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "PERSON", "pattern": "the elder Zork Blat"}, {"label": "ORG", "pattern": "Acme Works"}]
    )
    pipeline.to_disk(tmp_path / "pipeline")
    text = "Yesterday the elder Zork Blat left Acme Works."
    spans = candidates(text)
    (scores,) = People(f"spacy:{tmp_path / 'pipeline'}").answer([Ask("people", spans, (text,))])
    assert [s for s, yes in zip(spans, scores.matrix[:, 0], strict=True) if yes] == ["Zork Blat"]
    with pytest.raises(BackendError, match="finds no pipeline"):
        list(People("spacy:no_such_pipeline").answer([Ask("people", spans, (text,))]))
