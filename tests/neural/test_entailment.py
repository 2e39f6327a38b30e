"""Entailment: the model's own numbers, whatever the order of classes, batches and lengths; known models, asked as they were trained."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import HHEM_PROMPT, LONG, MODEL_SCORE_TOLERANCE, TEXTS, matrix, save_classifier

from fairbrief.engines.score_cache import Cached
from fairbrief.errors import BackendError, RequestError
from fairbrief.registry import make
from fairbrief.scorers import entailment
from fairbrief.scorers.entailment import Entailment
from fairbrief.scorers.pairs import watched
from fairbrief.scorers.pieces import frame, pieces, quarter_overlapping


def loaded(folder: Path) -> tuple[Any, Any]:
    """The tokenizer and the classifier of a folder, as transformers loads them."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    return AutoTokenizer.from_pretrained(folder), model


def direct(folder: Path, row: str, column: str, entails: int = 2) -> tuple[float, bool]:
    """One pair by transformers alone: the probability, and whether entailment is the most probable class."""
    import torch

    tokenizer, model = loaded(folder)
    with torch.no_grad():
        logits = model(**tokenizer(row, column, truncation=True, return_tensors="pt")).logits[0]
    probabilities = logits.softmax(dim=-1)
    return float(probabilities[entails]), int(probabilities.argmax()) == entails


def test_probabilities_are_transformers_own(classifier_folder: Path) -> None:
    """Every pair has the probability that transformers gives to the pair alone, to 1e-4 in fp32."""
    scorer = Entailment(model=str(classifier_folder))
    wanted = [[direct(classifier_folder, r, c)[0] for c in TEXTS[:2]] for r in TEXTS]
    found = matrix(scorer, TEXTS, TEXTS[:2])
    assert np.ptp(found) > 0.01
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_gate_keeps_probabilities_where_entailment_is_most_probable(classifier_folder: Path) -> None:
    """Under gate=argmax a probability counts only where entailment is the arg-max class."""
    found = matrix(Entailment(model=str(classifier_folder), gate="argmax"), TEXTS, TEXTS)
    plain = matrix(Entailment(model=str(classifier_folder)), TEXTS, TEXTS)
    most = np.array([[direct(classifier_folder, r, c)[1] for c in TEXTS] for r in TEXTS])
    assert 0 < most.sum() < most.size
    np.testing.assert_array_equal(found, np.where(most, plain, 0))


@pytest.mark.parametrize("labels", [
    {0: "entailment", 1: "neutral", 2: "contradiction"},
    {0: "SUPPORTS", 1: "REFUTES", 2: "NOT ENOUGH INFO"},
    {0: "not_entailment", 1: "Entail", 2: "other"},
])  # fmt: skip
def test_class_of_entailment_is_the_models(vocabulary: Any, tmp_path: Path, labels: dict[int, str]) -> None:
    """Models that order or name their classes otherwise answer for their own class of entailment."""
    folder = save_classifier(vocabulary, tmp_path, labels)
    entails = 1 if labels[1] == "Entail" else 0
    found = matrix(Entailment(model=str(folder)), TEXTS[:1], TEXTS[1:2])
    wanted, _ = direct(folder, TEXTS[0], TEXTS[1], entails)
    np.testing.assert_allclose(found, [[wanted]], atol=MODEL_SCORE_TOLERANCE)


def test_an_untrained_head_is_refused(classifier_folder: Path, encoder_folder: Path, tmp_path: Path) -> None:
    """An encoder whose config promises classes would answer at random: the error names the weights it lacks."""
    folder = Path(shutil.copytree(encoder_folder, tmp_path / "model"))
    labels = json.loads((classifier_folder / "config.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    config |= {key: labels[key] for key in ("id2label", "label2id")}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(BackendError, match=r"no weights for classifier\.dense"):
        matrix(Entailment(model=str(folder)), TEXTS[:1], TEXTS[:1])


def test_contradicting_label_orders_are_refused(classifier_folder: Path, tmp_path: Path) -> None:
    """A config whose label2id and id2label disagree is an error, not a guess."""
    folder = Path(shutil.copytree(classifier_folder, tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text())
    config["label2id"] = {"ENTAILMENT": 0, "NEUTRAL": 1, "CONTRADICTION": 2}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(RequestError, match=r"More than one class .*0: CONTRADICTION, 0: ENTAILMENT"):
        matrix(Entailment(model=str(folder)), TEXTS[:1], TEXTS[:1])


def test_long_rows_are_windowed_not_cut(classifier_folder: Path) -> None:
    """A long row has the largest probability of its windows; its last sentence is read too."""
    import torch

    column = TEXTS[3]
    found = matrix(Entailment(model=str(classifier_folder)), (LONG,), (column,))
    tokenizer, model = loaded(classifier_folder)
    first = tokenizer(LONG, add_special_tokens=False)["input_ids"]
    second = tokenizer(column, add_special_tokens=False)["input_ids"]
    room = 64 - 4 - len(second)
    wanted, seen = 0.0, set()
    for w in quarter_overlapping(len(first), room):
        seen |= set(range(w.start, w.stop))
        ids = torch.tensor([[0, *first[w.start : w.stop], 2, 2, *second, 2]])
        assert ids.shape[1] <= 64
        with torch.no_grad():
            wanted = max(wanted, float(model(input_ids=ids).logits.softmax(-1)[0, 2]))
    assert seen == set(range(len(first)))
    np.testing.assert_allclose(found, [[wanted]], atol=MODEL_SCORE_TOLERANCE)


def test_long_columns_are_parts_weighted_by_length(classifier_folder: Path) -> None:
    """A column that does not fit is cut into parts; the pair's probability is their mean by length."""
    scorer = Entailment(model=str(classifier_folder))
    windows = scorer.windows_of([10, 100], 60)
    assert {(row.start, row.stop) for row, _ in windows} == {(0, 10)}
    assert [(c.start, c.stop) for _, c in windows] == [(0, 25), (25, 50), (50, 75), (75, 100)]
    best = [(25, np.array([0.1, 0.0])), (75, np.array([0.3, 0.2]))]
    np.testing.assert_allclose(entailment._mean_of_parts(best), [0.25, 0.15])
    assert np.isfinite(matrix(scorer, (LONG,), (LONG,))).all()


def test_truncation_is_the_tokenizers_own(classifier_folder: Path) -> None:
    """windows=truncate scores a long pair exactly as a tokenizer that truncates the longer text does."""
    scorer = Entailment(model=str(classifier_folder), windows="truncate")
    rows, columns = (LONG, TEXTS[0]), (TEXTS[1], LONG, LONG[5:])
    wanted = [[direct(classifier_folder, r, c)[0] for c in columns] for r in rows]
    np.testing.assert_allclose(matrix(scorer, rows, columns), wanted, atol=MODEL_SCORE_TOLERANCE)


def test_spelling_and_fingerprint_tell_settings_apart(classifier_folder: Path, tmp_path: Path) -> None:
    """The registry reads the spec back; another place has the same fingerprint, other weights another one."""
    scorer = Entailment(model=str(classifier_folder), gate="argmax", batch_tokens=512)
    again = make("scorer", repr(scorer))
    assert repr(again) == repr(scorer)
    assert again.fingerprint == scorer.fingerprint
    assert scorer.fingerprint != Entailment(model=str(classifier_folder)).fingerprint
    assert scorer.computed_by == Entailment(model=str(classifier_folder)).computed_by
    copy = Path(shutil.copytree(classifier_folder, tmp_path / "elsewhere"))
    assert Entailment(model=str(copy)).fingerprint == Entailment(model=str(classifier_folder)).fingerprint
    with (copy / "config.json").open("a") as config:
        config.write("\n")
    assert Entailment(model=str(copy)).fingerprint != Entailment(model=str(classifier_folder)).fingerprint


def test_pairs_are_kept(classifier_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept pairs never reach the model again, not even for the gate; new ones alone do."""
    seen: list[int] = []
    real = entailment._probabilities

    def counting(resident: Any, inputs: Any, entails: int) -> Any:
        seen.append(len(inputs))
        return real(resident, inputs, entails)

    monkeypatch.setattr(entailment, "_probabilities", counting)
    plain = Entailment(model=str(classifier_folder))
    gated = Entailment(model=str(classifier_folder), gate="argmax")
    path = tmp_path / "cache.sqlite"
    first = matrix(Cached(plain, path), TEXTS, TEXTS[:2])
    assert sum(seen) == 10
    np.testing.assert_array_equal(matrix(Cached(plain, path), TEXTS, TEXTS[:2]), first)
    behind = matrix(Cached(gated, path), TEXTS, TEXTS[:2])
    assert sum(seen) == 10
    matrix(Cached(plain, path), TEXTS, TEXTS[:3])
    assert sum(seen) == 15
    np.testing.assert_array_equal(behind, matrix(gated, TEXTS, TEXTS[:2]))


def test_progress_is_told(classifier_folder: Path) -> None:
    """Whoever watches hears how many pairs are done, of how many, and the rate."""
    heard: list[tuple[str, int, int, float]] = []
    with watched(lambda *progress: heard.append(progress)):
        matrix(Entailment(model=str(classifier_folder), batch_tokens=100), TEXTS, TEXTS[:1])
    matrix(Entailment(model=str(classifier_folder)), TEXTS, TEXTS[:1])
    assert [done for _, done, *_ in heard] == sorted(done for _, done, *_ in heard)
    assert heard[-1][:3] == ("entailment", 5, 5)
    assert heard[-1][3] > 0


def bert_tokenizer() -> Any:
    """A word-level tokenizer with BERT's frame, and the type ids of its two texts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    own = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    own.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    own.train_from_iterator(TEXTS, trainer)
    own.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["roberta", "bert"])
@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 3), (None, 1), (1, None), (None, None)])
def test_framed_pieces(classifier_folder: Path, kind: str, first: int | None, second: int | None) -> None:
    """Word pieces, special pieces and type ids of a pair, and of a text alone, come out as the tokenizer's own."""
    from transformers import AutoTokenizer

    tokenizer = bert_tokenizer() if kind == "bert" else AutoTokenizer.from_pretrained(classifier_folder)
    a, b = ("" if i is None else TEXTS[i] for i in (first, second))
    ids = pieces(tokenizer, [a, b])
    pair, types = frame(tokenizer, pair=True).around(ids[a], ids[b])
    # Of a list, since a lone empty pair would be dropped.
    wanted = {key: found[0] for key, found in tokenizer([a], [b]).items()}
    assert pair.tolist() == wanted["input_ids"]
    assert (None if types is None else types.tolist()) == wanted.get("token_type_ids")
    alone, types = frame(tokenizer, pair=False).around(ids[a])
    assert alone.tolist() == tokenizer(a)["input_ids"]
    assert (None if types is None else types.tolist()) == tokenizer(a).get("token_type_ids")
    assert frame(tokenizer, pair=True).size == tokenizer.num_special_tokens_to_add(pair=True)


# ------------------------------------------------------------------------- models that are known


def test_hhem_is_asked_by_its_own_prompt_without_code_of_its_release(hhem_folder: Path) -> None:
    """A folder of HHEM's kind answers as its T5 does to the prompt of its card, with the second class of the first piece."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoTokenizer, T5ForTokenClassification

    base = json.loads((hhem_folder / "config.json").read_text())["foundation"]
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = T5ForTokenClassification(AutoConfig.from_pretrained(base, num_labels=2)).eval()
    weights = load_file(hhem_folder / "model.safetensors")
    model.load_state_dict({name.removeprefix("t5."): w for name, w in weights.items()}, strict=False)
    wanted = []
    for row in TEXTS[:3]:
        inputs = tokenizer([HHEM_PROMPT.format(row, TEXTS[4])], return_tensors="pt")
        with torch.no_grad():
            logits = model(inputs["input_ids"], inputs["attention_mask"]).logits
        wanted.append([float(logits[0, 0].softmax(-1)[1])])
    found = matrix(Entailment(model=str(hhem_folder)), TEXTS[:3], TEXTS[4:])
    assert np.ptp(found) > 0.01
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_minicheck_reads_document_and_claim_as_one_text(vocabulary: Any, tmp_path: Path) -> None:
    """With template=minicheck the two texts are joined by the piece that ends a text, and the second class means support."""
    import torch

    folder = save_classifier(vocabulary, tmp_path, {0: "LABEL_0", 1: "LABEL_1"})
    tokenizer, model = loaded(folder)
    joined = tokenizer(f"{TEXTS[0]}{tokenizer.eos_token}{TEXTS[1]}", return_tensors="pt")
    with torch.no_grad():
        wanted = float(model(**joined).logits[0].softmax(dim=-1)[1])
    scorer = Entailment(model=str(folder), template="minicheck")
    np.testing.assert_allclose(matrix(scorer, TEXTS[:1], TEXTS[1:2]), [[wanted]], atol=MODEL_SCORE_TOLERANCE)
    assert "template=minicheck" in scorer.fingerprint
    with pytest.raises(RequestError, match=r"No class .*0: LABEL_0, 1: LABEL_1"):
        matrix(Entailment(model=str(folder)), TEXTS[:1], TEXTS[1:2])


def test_templates_are_known_by_the_models_names() -> None:
    """A model of the hub that is known is asked as it was trained; any other as a pair."""
    forms = {known.name: entailment.template_of(known.name, "auto") for known in entailment.MODELS}
    assert forms["lytang/MiniCheck-DeBERTa-v3-Large"] is entailment.BY_NAME["minicheck"]
    assert forms["vectara/hallucination_evaluation_model"] is entailment.BY_NAME["hhem"]
    assert entailment.template_of("some-lab/other", "auto") is entailment.BY_NAME["pair"]


@pytest.mark.parametrize(("here", "spec"), [
    ((), "containment"),
    (("sentence-transformers/all-MiniLM-L6-v2",), "embedding"),
    (("cross-encoder/nli-deberta-v3-small", "vectara/hallucination_evaluation_model"),
     "entailment(model=vectara/hallucination_evaluation_model, by=document)"),
])  # fmt: skip
def test_the_best_is_recommended(here: tuple[str, ...], spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models trained to judge claims come before pairs of sentences, embeddings and words, each where it is on the machine."""
    monkeypatch.setattr("fairbrief.pretrained.cached", lambda model, _: Path() if model in here else None)
    found, why = entailment.recommended()
    assert found == spec
    assert why
