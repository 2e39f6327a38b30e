"""The trials behind the scorer cards: reading people's judgements, and the figures by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.scorers import labels, trials
from benchmarks.scorers.labels import SOURCES, Claim

from fairbrief.types import Ask, Scores

CNNDM, _, WICE = SOURCES


def qags(*answers: str) -> dict[str, Any]:
    """A line of QAGS with one sentence and these answers."""
    responses = [{"worker_id": 1, "response": a} for a in answers]
    sentence = {"sentence": "It rained.", "responses": responses}
    return {"article": "It rained all day.", "summary_sentences": [sentence]}


def written(folder: Path, name: str, *lines: Any) -> Path:
    """The folder, with a file of these lines in it."""
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return folder


def test_people_are_counted_by_majority(tmp_path: Path) -> None:
    """QAGS asks three people; WiCE has one label, of which only "supported" counts; each line is an article."""
    folder = written(tmp_path, CNNDM.file, qags("yes", "no", "yes"), qags("no", "yes", "no"))
    assert labels.read(folder, CNNDM) == [
        Claim("It rained all day.", "It rained.", is_supported=True, article=1),
        Claim("It rained all day.", "It rained.", is_supported=False, article=2),
    ]
    claim = {"claim": "It rained.", "evidence": ["Rain.", "All day."]}
    told = [{**claim, "label": label} for label in labels.WICE_LABELS]
    found = labels.read(written(tmp_path, WICE.file, *told), WICE)
    assert [claim.is_supported for claim in found] == [True, False, False]
    assert found[0].text == "Rain. All day."


class Lengths:
    """Scores a column by its number of letters, whatever the row; cuts columns into words, as a scorer of tokens does."""

    name = fingerprint = "lengths"

    def answer(self, asks: list[Ask]) -> Any:
        for ask in asks:
            words = [(k, float(len(word))) for k, column in enumerate(ask.columns) for word in column.split()]
            owner, lengths = zip(*words, strict=True)
            yield Scores(np.tile(lengths, (len(ask.rows), 1)), np.array(owner), np.zeros(len(ask.rows)))


def test_support_by_hand() -> None:
    """Five of six pairs are in order; the cut of the even articles (2.5) is right on both odd ones, and the other way on one of three."""
    told = [("abcd", True, 1), ("ab", False, 1), ("abc", True, 2), ("abcde", False, 2), ("a", False, 4)]
    found = trials.support(Lengths(), [Claim(f"text {k}", s, is_right, k) for s, is_right, k in told])
    # True: 4 and 3 letters; false: 2, 5 and 1. In order: 4>2, 4>1, 3>2, 3>1; not 4>5 and 3>5.
    assert found["roc_auc"][0] == round(4 / 6, 4)
    assert (found["n"], found["articles"], found["supported"]) == (5, 3, 2)
    low, high = found["roc_auc"][1:]
    assert low <= found["roc_auc"][0] <= high


def record(name: str, groups: str = "npppn") -> dict[str, Any]:
    """A record of documents of three sentences with words of their own."""
    full = {"n": trials.UNDER, "p": "pos"}
    texts = [" ".join(f"The {name}x{k}y{i} was here." for i in range(3)) for k in range(len(groups))]
    labelled = zip(texts, groups, strict=True)
    return {"id": name, "documents": [{"text": t, "attributes": {"sentiment": full[g]}} for t, g in labelled]}


@pytest.mark.usefixtures("nltk_data")
def test_the_truth_is_recovered_by_the_perfect_scorer_and_halved_by_one_that_sees_half() -> None:
    """Through an audit: a scorer that says what is true has no bias and a slope of 1; with as much support from everywhere, less."""
    made = trials.planted([record(f"r{i}") for i in range(20)])
    assert len(made.rows) == 20 * len(trials.PLANTED) * len(trials.SHARES)
    truth = trials.contrasts("truth", trials.Truth(made.sources_of), made)
    for share in trials.recovered(truth, truth).values():
        assert share == {"bias": [0, 0, 0], "slope": [1, 1, 1]}

    class Blurred(trials.Truth):
        name = fingerprint = "blurred"

        def answer(self, asks: list[Ask]) -> Any:
            for scores in super().answer(asks):
                yield Scores(scores.matrix * 0.8 + 0.2, scores.owner, scores.sizes)

    blurred = trials.recovered(trials.contrasts("blurred", Blurred(made.sources_of), made), truth)
    # The mean of a record is 0.2 + 0.8/5, and a difference 0.8 times itself.
    assert blurred["0"]["slope"][0] == pytest.approx(0.8 / 5 / (0.2 + 0.8 / 5), abs=0.01)


@pytest.mark.parametrize(("scores", "source", "wanted"), [
    ([0.9, 0.1, 0.2], 0, 1.0), ([0.9, 0.1, 0.2], 2, 0.5), ([0.5, 0.5, 0.1], 1, 1 / 1.5),
    ([0.0, 0.0, 0.0], 1, 0.5),
])  # fmt: skip
def test_reciprocal_ranks(scores: list[float], source: int, wanted: float) -> None:
    """1 over the rank; documents that score equally share the mean of their ranks."""
    assert trials.reciprocal_rank(np.array(scores), source) == wanted


def test_planted_summaries_cover_a_group_as_much_less_as_is_asked() -> None:
    """Over many records, the documents of the group give 0, 10 and 20% fewer sentences than the average document."""
    for less in trials.PLANTED:
        many = 0
        for i in range(600):
            documents = record(f"r{i}")["documents"]
            is_under = np.array([d["attributes"]["sentiment"] == trials.UNDER for d in documents])
            under = {d["text"] for d in documents if d["attributes"]["sentiment"] == trials.UNDER}
            many += sum(text in under for text, _ in trials._taken(f"r{i}", documents, is_under, less))
        share = many / (600 * trials.SENTENCES)
        assert share / (2 / 5) - 1 == pytest.approx(less, abs=0.015)
