"""Every scorer that holds a model keeps the clauses of a scorer, and halves batches that a device cannot hold."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import ASKS, MODEL_SCORE_TOLERANCE, TEXTS, matrix

from fairbrief.auditing import Plan, audit
from fairbrief.engines.score_cache import Cached
from fairbrief.scorers import bartscore, entailment
from fairbrief.scorers.vectors import BertScore, Embedding
from fairbrief.testing import SCORER_CLAUSES
from fairbrief.types import Cacheable, Case, Document, Record, Scorer, Summary

SCORERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "bartscore": ("bart_folder", bartscore.BartScore),
    "bertscore of pieces": ("encoder_folder", partial(BertScore, layer=2, units="pieces")),
    "bertscore of texts": ("encoder_folder", partial(BertScore, layer=2, units="texts")),
    "embedding": ("encoder_folder", Embedding),
    "entailment": ("classifier_folder", entailment.Entailment),
}


@pytest.fixture
def scorer(name: str, request: pytest.FixtureRequest) -> Any:
    """One of the scorers, with a tiny model."""
    folder, make = SCORERS[name]
    return make(model=str(request.getfixturevalue(folder)))


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("name", SCORERS)
def test_the_clauses_of_a_scorer_hold(scorer: Any, clause: Any) -> None:
    """Batches equal single calls, shapes and fingerprints are as promised; empty texts and asks included."""
    clause(scorer, ASKS)


@pytest.mark.parametrize(("name", "module", "computes", "batch"), [
    ("bartscore", bartscore, "_log_likelihoods", 1), ("entailment", entailment, "_probabilities", 0),
])  # fmt: skip
def test_out_of_memory_halves_the_batch_and_changes_no_number(
    scorer: Any, module: Any, computes: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device that holds three pairs at most gives the same numbers as one that holds all."""
    import torch

    wanted = matrix(scorer, TEXTS, TEXTS)
    real, failures = getattr(module, computes), []

    def small(resident: Any, *arguments: Any) -> Any:
        if len(arguments[batch]) > 3:
            failures.append(len(arguments[batch]))
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(resident, *arguments)

    monkeypatch.setattr(module, computes, small)
    found = matrix(scorer, TEXTS, TEXTS)
    assert 1 <= len(failures) < 8
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


GIVEN = ("She said that her room was clean.", "He thanked his host. The view pleased him.")


def cases() -> list[Case]:
    """Reviews whose writers have a gender."""
    found = []
    for i in range(6):
        documents = tuple(Document(f"{GIVEN[k % 2]} Room {i}.", {"gender": "MF"[k % 2]}) for k in range(4))
        found.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", "The room was clean.")))
    return found


@pytest.mark.usefixtures("nltk_data")
def test_a_model_is_checked_on_request_with_or_without_cache(classifier_folder: Path, tmp_path: Path) -> None:
    """An entailment model reads both versions of every source when that is asked for, and else is named."""
    scorer = f"entailment(model={classifier_folder}, device=cpu, dtype=fp32)"
    measure = f"equal_coverage(scorer={scorer})@gender"

    def wrap(made: Scorer) -> Scorer:
        return Cached(made, tmp_path / "kept.sqlite") if isinstance(made, Cacheable) else made

    values = []
    for kept in (None, wrap):
        quiet = audit(cases(), Plan(measures=[measure], n_resamples=50, wrap=kept))
        assert [e.measure for e in quiet.estimates if e.quantity == "scorer_bias_support"] == []
        assert "--check-scorers" in quiet.not_measured[-1].reason
        asked = audit(cases(), Plan(measures=[measure], n_resamples=50, wrap=kept, check_scorers=True))
        (own,) = (e for e in asked.estimates if e.quantity == "scorer_bias_support")
        assert (own.n, asked.not_measured) == (6, ())
        assert scorer.partition("(")[0] in own.measure
        values.append(own.value)
    assert values[0] == pytest.approx(values[1], abs=MODEL_SCORE_TOLERANCE)
    assert abs(values[0]) > MODEL_SCORE_TOLERANCE
