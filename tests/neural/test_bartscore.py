"""BARTScore: the mean log-likelihood that a direct computation gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.neural.tiny_models import LONG, MODEL_SCORE_TOLERANCE, TEXTS, matrix

from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.pieces import parts, spans


def direct(folder: Path, source: list[int], target: list[int]) -> float:
    """Summed log-likelihood of a framed target given a framed source, by the model's own shift and logits."""
    import torch
    from transformers import AutoModelForSeq2SeqLM

    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    labels = torch.tensor([[0, *target, 2]])
    with torch.no_grad():
        loss = model(input_ids=torch.tensor([[0, *source, 2]]), labels=labels).loss
    return -float(loss) * labels.shape[1]


def ids(folder: Path, text: str) -> list[int]:
    """A text's word pieces, without special ones."""
    from transformers import AutoTokenizer

    return list(AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"])


def test_scores_are_the_models_mean_log_likelihood(bart_folder: Path) -> None:
    """Each pair's score is minus the model's own loss on the pair alone, special pieces included, to 1e-4."""
    rows, columns = TEXTS[:3], TEXTS[2:5]
    found = matrix(BartScore(model=str(bart_folder)), rows, columns)
    wanted = [
        [
            direct(bart_folder, ids(bart_folder, r), t) / (len(t) + 2)
            for t in (ids(bart_folder, c) for c in columns)
        ]
        for r in rows
    ]
    assert (found < 0).all()
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_long_texts_are_windowed_not_cut(bart_folder: Path) -> None:
    """Parts of a long column add up, each under the best window of a long row."""
    source, target = ids(bart_folder, LONG), ids(bart_folder, LONG[7:])
    pieces = parts(len(target), 62)
    assert len(pieces) > 1
    total = sum(
        max(direct(bart_folder, source[w.start : w.stop], target[p]) for w in spans(len(source), 62, 15))
        for p in pieces
    )
    found = matrix(BartScore(model=str(bart_folder)), (LONG,), (LONG[7:],))
    np.testing.assert_allclose(found, [[total / (len(target) + 2 * len(pieces))]], atol=MODEL_SCORE_TOLERANCE)


def test_truncation_reads_the_first_window(bart_folder: Path) -> None:
    """windows=truncate scores the first window of either text, as published."""
    source, target = ids(bart_folder, LONG)[:62], ids(bart_folder, LONG[7:])[:62]
    found = matrix(BartScore(model=str(bart_folder), windows="truncate"), (LONG,), (LONG[7:],))
    np.testing.assert_allclose(
        found, [[direct(bart_folder, source, target) / 64]], atol=MODEL_SCORE_TOLERANCE
    )
