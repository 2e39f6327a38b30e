"""Every scorer that holds a model keeps the clauses of a scorer, and halves batches that a device cannot hold."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import ASKS, MODEL_SCORE_TOLERANCE, TEXTS, matrix

from fairbrief.scorers import bartscore, entailment
from fairbrief.scorers.vectors import BertScore, Embedding
from fairbrief.testing import SCORER_CLAUSES

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
