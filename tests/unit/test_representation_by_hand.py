"""Representation on so few n-grams, extracts and groups that its arithmetic is written out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from fairbrief.measures.distributions import area_over_tau
from fairbrief.measures.representation import Auc, AucCutoff, Bur, Representation, Sof, Uer
from fairbrief.score_tables import ScoredUnits
from fairbrief.types import AlikeRows, Case, Document, Extracts, Reason, Record, Scores, Summary, Totals, Unit

KEPT = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
"""Extracts of the first sentence, of the second and third, and of the last."""


def case(*groups: str) -> Case:
    """A record of a document each, and a summary that has a unit."""
    documents = tuple(Document(f"Text of {group}.", {"x": group}) for group in groups)
    return Case(Record("r", documents), Summary("r", "s", "Text.", (Unit("u"),)))


def extracts(kept: Sequence[Sequence[float]] = KEPT) -> tuple[Extracts]:
    """Extracts of four sentences."""
    return (Extracts(("A.", "B.", "C.", "D."), np.array(kept, dtype=float)),)


def n_grams() -> list[Scores]:
    """Sentences have two, one, one and one n-gram: a has those of the first and third, b of the second and third; a has
    three tokens, b one.
    """
    matrix = np.array([[1.0, 1, 0, 1, 0], [0.0, 0, 1, 1, 0]])
    return [Scores(matrix, np.array([0, 0, 1, 2, 3]), np.array([3.0, 1.0]))]


def read_extracts(
    observation: Representation, units: Sequence[tuple[tuple[Case], tuple[Extracts], Sequence[Scores]]]
) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
    """What is read of the extracts of records of a document of a and one of b."""
    scored = ScoredUnits.of([(cases, found) for cases, _, found in units], [drawn for _, drawn, _ in units])
    return observation.observe_many(scored, np.array([[[0, 1]]] * len(units)))


def test_extracts_of_n_grams_are_read_as_written_out() -> None:
    """The source has 3/4 of a. One extract says a alone: b lacks 1/4. The next has 1 of a and 2 of b: a lacks 3/4 - 1/3 =
    5/12, and has 4/9 of its share. In the last nothing is found, and it is not read.
    """
    observation = Representation("x")
    ((block,), reasons) = read_extracts(observation, [((case("a", "b"),), extracts(), n_grams())])
    assert not reasons
    row = dict(zip(block.columns, block.values[0, 0].tolist(), strict=True))
    assert row == pytest.approx(
        {
            ("one",): 1, ("unfair",): 1, ("uer",): (1 / 4 + 5 / 12) / 2 / 2, ("auc",): (1 + 5 / 9) / 2,
            ("present", "a"): 1, ("present", "b"): 1, ("under", "a"): 1 / 2, ("under", "b"): 1 / 2,
            ("deficit", "a"): 5 / 24, ("deficit", "b"): 1 / 8, ("surplus", "a"): 1 / 8, ("surplus", "b"): 5 / 24,
            ("source", "a"): 3 / 4, ("source", "b"): 1 / 4, ("wanted", "a"): 3 / 4, ("wanted", "b"): 1 / 4,
            ("summary", "a"): 2 / 3, ("summary", "b"): 1 / 3, ("documents", "a"): 1 / 2, ("documents", "b"): 1 / 2,
        }
    )  # fmt: skip
    totals = Totals({c: i for i, c in enumerate(block.columns)}, block.values[0, 0])
    found = {name: float(value.array) for name, value in Uer("x").value(totals).items()}
    assert found["difference[a]"] == pytest.approx(1 / 8 - 5 / 24)
    assert found["by_documents[a]"] == pytest.approx(2 / 3 - 1 / 2)
    assert found["words_less_documents[a]"] == pytest.approx(3 / 4 - 1 / 2)


def test_records_beside_each_other_are_read_as_each_alone() -> None:
    """One whose extracts say nothing of the source, or that no scorer reads, has no baseline, and the others keep theirs."""
    observation = Representation("x")
    one = (case("a", "b"),)
    (alone,), _ = read_extracts(observation, [(one, extracts(), n_grams())])
    (together,), reasons = read_extracts(
        observation,
        [
            (one, extracts([[0, 0, 0, 1]] * 3), n_grams()),
            (one, extracts(), n_grams()),
            (one, extracts(), []),
        ],
    )
    assert {place: reason.text for place, reason in reasons.items()} == dict.fromkeys(
        (0, 2), "no random extract can be read"
    )
    assert list(together.units) == [1]
    assert together.values.tolist() == alone.values.tolist()


def test_extracts_that_keep_the_same_sentences_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few sentences each subset is read once: nothing shows whether it was."""
    rng = np.random.default_rng(1)
    units = [((case("a", "b"),), extracts(rng.integers(0, 2, (40, 4)).tolist()), n_grams()) for _ in range(3)]
    ((once,), _) = read_extracts(Representation("x"), units)
    monkeypatch.setattr("fairbrief.measures.bases.FEW", 0)
    ((each,), _) = read_extracts(Representation("x"), units)
    assert each.values.tolist() == once.values.tolist()
    assert each.values.min(axis=0).tolist() != each.values.max(axis=0).tolist()


def test_extracts_of_other_scorers_are_weighed_by_a_softmax() -> None:
    """The first extract, A, has two units, supported 0.5 by a and 0.45 by b on average; the second, B and C, is supported
    0.4 by either: at T = 0.5 a has 1/(1 + exp(-0.1)) and 1/2.
    """
    matrix = np.array([[0.9, 0.1, 0.5, 0.3, 0.9], [0.2, 0.7, 0.6, 0.2, 0.0]])
    support = Scores(matrix, np.array([0, 0, 1, 2, 3]), np.zeros(2))
    sizes = Scores(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), np.array([3.0, 1.0]))
    observation = Representation("x", scorer="bertscore", temperature=0.5)
    rows = observation.observe_extracts((case("a", "b"),), extracts(KEPT[:2]), [support, sizes])
    row = dict(zip(rows.columns, rows.values[0].tolist(), strict=True))  # type: ignore[union-attr]
    assert row["summary", "a"] == pytest.approx((1 / (1 + math.exp(-0.1)) + 1 / 2) / 2)
    assert row["source", "a"] == 3 / 4


def test_extracts_are_asked_for_as_their_scorer_reads_them() -> None:
    """Scorers read the sentences, others than n-grams beside the tokens; units and values' texts are not scored."""
    one = (case("a", "b"),)
    documents = ("Text of a.", "Text of b.")

    def asked(**settings: Any) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        asks = Representation("x", **settings).extract_asks(one, extracts())
        return [(ask.scorer, ask.rows, ask.columns) for ask in asks]

    assert asked() == [("ngram", documents, ("A.", "B.", "C.", "D."))]
    assert asked(scorer="bertscore") == [
        ("bertscore", documents, ("A.", "B.", "C.", "D.")),
        ("ngram", documents, ()),
    ]
    assert asked(scorer="units") == asked(scorer="uniform") == asked(texts="values") == []


@pytest.mark.parametrize(
    ("summary", "wanted", "area"),
    [([0.9, 0.1], [0.5, 0.0], 0.0), ([0.9, 0.1], [0.5, 0.05], 0.0), ([0.2, 0.8], [0.5, 0.0], 0.6)],
)
def test_a_group_of_more_than_its_share_falls_short_of_nothing(
    summary: list[float], wanted: list[float], area: float
) -> None:
    """With ½ wanted, 0.9 is all of it, 0.2 is 0.4 of it; a group of which nothing is wanted does not count."""
    found = area_over_tau(np.array([summary]), np.array([wanted]), 0, counts_ties=False)
    assert found == pytest.approx([area])


def test_a_group_that_a_draw_lacks_is_no_part_of_its_mean() -> None:
    """Deficits of 0.1 and 0.3 lie 0.1 from their mean; with a third of 0.8 their mean is 0.4, from which they lie 0.8/3."""
    columns = {
        column: i
        for i, column in enumerate((name, group) for group in "abc" for name in ("present", "deficit"))
    }
    totals = Totals(columns, np.array([[10, 1, 10, 3, 10, 8], [10, 1, 10, 3, 0, 0], [10, 1, 0, 0, 0, 0]]))
    found = Sof("x").value(totals)["sof"].array
    assert found.tolist() == pytest.approx([(0.3 + 0.1 + 0.4) / 3, 0.1, np.nan], nan_ok=True)


def test_values_say_what_they_are() -> None:
    """Shares are told from other numbers, what random extracts stand beside from what they do not."""
    totals = Totals({("present", "a"): 0, ("one",): 1}, np.ones(2))
    measures = [Bur("x"), Uer("x"), Auc("x"), AucCutoff("x"), Sof("x")]
    values = {name: value for measure in measures for name, value in measure.value(totals).items()}
    assert {name for name, value in values.items() if value.is_share} == {
        "bur", "uer", "share_under[a]", "source[a]", "summary[a]", "wanted[a]", "auc", "auc_cutoff", "deficit[a]",
    }  # fmt: skip
    assert {name for name, value in values.items() if not value.has_baseline} == {
        "auc_cutoff", "words_less_documents[a]",
    }  # fmt: skip
    assert {name for name, value in values.items() if value.leads} == {"difference[a]"}
    assert {name for name, value in values.items() if value.is_compared} == {
        "difference[a]", "by_documents[a]",
    }  # fmt: skip
