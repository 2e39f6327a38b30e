"""Models that judge support: given their texts as they were trained, read from safetensors alone, the best here recommended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.neural.test_entailment import matrix
from tests.neural.tiny_models import HHEM_PROMPT, MODEL_SCORE_TOLERANCE, TEXTS, save_classifier
from typer.testing import CliRunner

from fairbrief import pretrained
from fairbrief.cli import lookup_commands
from fairbrief.errors import BackendError, RequestError
from fairbrief.scorers import entailment
from fairbrief.scorers.entailment import Entailment


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
            wanted.append(
                [float(model(inputs["input_ids"], inputs["attention_mask"]).logits[0, 0].softmax(-1)[1])]
            )
    found = matrix(Entailment(model=str(hhem_folder)), TEXTS[:3], TEXTS[4:])
    assert np.ptp(found) > 0.01
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


def test_minicheck_reads_document_and_claim_as_one_text(vocabulary: Any, tmp_path: Path) -> None:
    """With template=minicheck the two texts are joined by the piece that ends a text, and the second class means support."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = save_classifier(vocabulary, tmp_path, {0: "LABEL_0", 1: "LABEL_1"})
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    joined = tokenizer(f"{TEXTS[0]}{tokenizer.eos_token}{TEXTS[1]}", return_tensors="pt")
    with torch.no_grad():
        wanted = float(model(**joined).logits[0].softmax(dim=-1)[1])
    scorer = Entailment(model=str(folder), template="minicheck")
    np.testing.assert_allclose(matrix(scorer, TEXTS[:1], TEXTS[1:2]), [[wanted]], atol=MODEL_SCORE_TOLERANCE)
    assert "template=minicheck" in scorer.fingerprint
    with pytest.raises(RequestError, match="0: LABEL_0, 1: LABEL_1"):
        matrix(Entailment(model=str(folder)), TEXTS[:1], TEXTS[1:2])


def test_templates_are_known_by_the_models_names() -> None:
    """A model of the hub that is known is asked as it was trained; any other as a pair."""
    forms = {known.name: entailment.template_of(known.name, "auto") for known in entailment.MODELS}
    assert forms["lytang/MiniCheck-DeBERTa-v3-Large"] is entailment.BY_NAME["minicheck"]
    assert forms["vectara/hallucination_evaluation_model"] is entailment.BY_NAME["hhem"]
    assert entailment.template_of("some-lab/other", "auto") is entailment.BY_NAME["pair"]


def repository(files: Mapping[str, int]) -> Any:
    """What the hub says of a repository with these files and sizes."""
    return SimpleNamespace(siblings=[SimpleNamespace(rfilename=n, size=s) for n, s in files.items()])


def test_prefetch_says_how_much_it_will_fetch(
    classifier_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is fetched, the number of files and their size are printed; a pickle alone is refused."""
    files = {
        "config.json": 1_000,
        "model.safetensors": 438_000_000,
        "pytorch_model.bin": 438_000_000,
        "vocab.txt": 999_000,
    }
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: repository(files))
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(classifier_folder))
    result = CliRunner().invoke(lookup_commands.app, ["prefetch", "some-lab/nli"])
    assert "downloading 3 files, 439 MB" in result.output
    monkeypatch.setattr(
        "huggingface_hub.HfApi.model_info", lambda *_, **__: repository({"pytorch_model.bin": 9})
    )
    with pytest.raises(BackendError, match="pickle"):
        pretrained.download("some-lab/old", "prefetch")


@pytest.mark.parametrize(
    ("here", "spec"),
    [
        ((), "containment"),
        (("sentence-transformers/all-MiniLM-L6-v2",), "embedding"),
        (
            ("cross-encoder/nli-deberta-v3-small", "vectara/hallucination_evaluation_model"),
            "entailment(model=vectara/hallucination_evaluation_model, by=document)",
        ),
    ],
)
def test_the_best_scorer_here_is_recommended(
    here: tuple[str, ...], spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models trained to judge claims come before pairs of sentences, embeddings and words, each where it is on the machine."""
    monkeypatch.setattr(pretrained, "cached", lambda model, _: Path() if model in here else None)
    found, why = entailment.recommended()
    assert found == spec
    assert why
