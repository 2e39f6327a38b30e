"""BERTScore is the reference package's precision, piece by piece; BARTScore the model's mean log-likelihood."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import LONG, MODEL_SCORE_TOLERANCE, TEXTS, matrix

from fairbrief.errors import RequestError
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.pieces import parts, quarter_overlapping
from fairbrief.scorers.vectors import BertScore
from fairbrief.types import Ask

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:matplotlib")


def reference(folder: Path, row: str, column: str, layer: int = 2) -> float:
    """P of the column against the row, by the bert-score package."""
    bert_score = pytest.importorskip("bert_score")
    found = bert_score.score([column], [row], model_type=str(folder), num_layers=layer, batch_size=1)
    return float(found[0][0])


def answer(scorer: BertScore, rows: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """The answer to one ask."""
    (scores,) = scorer.answer([Ask("", rows, columns, whole=True)])
    return scores


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_mean_over_pieces_is_the_packages_precision(encoder_folder: Path, layer: int) -> None:
    """The mean over a column's pieces is bert-score's P on the same folder and layer, to 1e-4."""
    scorer = BertScore(model=str(encoder_folder), layer=layer)
    rows, columns = (*TEXTS[:3], " padded \n"), TEXTS[2:4]
    scores = answer(scorer, rows, columns)
    wanted = [[reference(encoder_folder, r, c, layer) for c in columns] for r in rows]
    np.testing.assert_allclose(scores.by_column(2), wanted, atol=MODEL_SCORE_TOLERANCE)
    texts = answer(BertScore(model=str(encoder_folder), layer=layer, units="texts"), rows, columns)
    np.testing.assert_allclose(texts.matrix, wanted, atol=MODEL_SCORE_TOLERANCE)
    assert texts.owner.tolist() == [0, 1]


def test_rescaling_and_empty_rows(encoder_folder: Path) -> None:
    """rescale=b maps x to (x − b)/(1 − b); against an empty row every piece has the raw score 0."""
    raw = answer(BertScore(model=str(encoder_folder), layer=2), ("", TEXTS[0]), TEXTS[1:2])
    scaled = answer(BertScore(model=str(encoder_folder), layer=2, rescale=0.6), ("", TEXTS[0]), TEXTS[1:2])
    assert (raw.matrix[0] == 0).all()
    np.testing.assert_allclose(scaled.matrix, (raw.matrix - 0.6) / 0.4)


def test_rescaling_knows_only_the_published_baseline() -> None:
    """Auto rescales only roberta-large's layer 17."""
    assert BertScore(layer=16).baseline == 0
    assert BertScore(rescale="none").baseline == 0


def test_a_column_without_pieces_has_none(encoder_folder: Path) -> None:
    """An empty column owns no unit, and its precision is 0."""
    scores = answer(BertScore(model=str(encoder_folder), layer=2), TEXTS[:2], ("", TEXTS[0]))
    assert set(scores.owner.tolist()) == {1}
    assert (scores.by_column(2)[:, 0] == 0).all()


def test_long_texts_are_windowed_not_cut(encoder_folder: Path) -> None:
    """Every piece of a long column is scored, and a piece of a long row's end matches itself exactly."""
    scorer = BertScore(model=str(encoder_folder), layer=2)
    from transformers import AutoTokenizer

    count = len(AutoTokenizer.from_pretrained(encoder_folder)(LONG, add_special_tokens=False)["input_ids"])
    assert count > 64
    same = answer(scorer, (LONG,), (LONG,))
    assert same.matrix.shape == (1, count)
    np.testing.assert_allclose(same.matrix, 1, atol=MODEL_SCORE_TOLERANCE)


def test_truncation_is_the_packages(encoder_folder: Path) -> None:
    """windows=truncate reads what the package reads of a long text: its first window."""
    scorer = BertScore(model=str(encoder_folder), layer=2, windows="truncate", units="texts")
    found = answer(scorer, (LONG, TEXTS[0]), (LONG, TEXTS[1])).matrix
    wanted = [[reference(encoder_folder, r, c) for c in (LONG, TEXTS[1])] for r in (LONG, TEXTS[0])]
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_roberta_tokenizers_get_the_published_leading_space(
    encoder_folder: Path, vocabulary: Any, tmp_path: Path
) -> None:
    """With a RoBERTa tokenizer the first word is read as inside a text, otherwise as the tokenizer reads it."""
    from transformers import RobertaTokenizer

    folder = Path(shutil.copytree(encoder_folder, tmp_path / "roberta"))
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)
    model = json.loads(vocabulary.to_str())["model"]
    merges = [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in model["merges"]]
    RobertaTokenizer(vocab=model["vocab"], merges=merges, model_max_length=64).save_pretrained(folder)
    spaced, given = (
        matrix(BertScore(model=str(place), layer=2, units="texts"), TEXTS[:2], ("the coffee",))
        for place in (folder, encoder_folder)
    )
    assert np.abs(spaced - given).max() > 1e-4
    wanted = [[reference(folder, r, "the coffee")] for r in TEXTS[:2]]
    np.testing.assert_allclose(given, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_layer_beyond_the_model_is_refused(encoder_folder: Path) -> None:
    """roberta-large's layer 17 does not exist in a model of three: the error says which do."""
    with pytest.raises(RequestError, match="layers 1 to 3"):
        answer(BertScore(model=str(encoder_folder)), TEXTS[:1], TEXTS[:1])


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
    sources, targets = ([ids(bart_folder, text) for text in texts] for texts in (rows, columns))
    wanted = [[direct(bart_folder, s, t) / (len(t) + 2) for t in targets] for s in sources]
    assert (found < 0).all()
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_bartscore_windows_long_texts(bart_folder: Path) -> None:
    """Parts of a long column add up, each under the best window of a long row."""
    source, target = ids(bart_folder, LONG), ids(bart_folder, LONG[7:])
    pieces = parts(len(target), 62)
    assert len(pieces) > 1
    windows = list(quarter_overlapping(len(source), 62))
    total = sum(max(direct(bart_folder, source[w], target[p]) for w in windows) for p in pieces)
    found = matrix(BartScore(model=str(bart_folder)), (LONG,), (LONG[7:],))
    np.testing.assert_allclose(found, [[total / (len(target) + 2 * len(pieces))]], atol=MODEL_SCORE_TOLERANCE)


def test_truncation_reads_the_first_window(bart_folder: Path) -> None:
    """windows=truncate scores the first window of either text, as published."""
    source, target = ids(bart_folder, LONG)[:62], ids(bart_folder, LONG[7:])[:62]
    found = matrix(BartScore(model=str(bart_folder), windows="truncate"), (LONG,), (LONG[7:],))
    wanted = [[direct(bart_folder, source, target) / 64]]
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)
