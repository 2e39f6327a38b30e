"""Products on oneDNN: the same numbers, in the same memory, only where they are known to be faster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.neural.tiny_models import MODEL_SCORE_TOLERANCE, TEXTS

from fairbrief.errors import RequestError
from fairbrief.pretrained import products
from fairbrief.scorers import models
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.bertscore import BertScore
from fairbrief.scorers.embedding import Embedding
from fairbrief.scorers.entailment import Entailment
from fairbrief.types import Ask, Floats

torch = pytest.importorskip("torch")
AMD = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC"
needs_operators = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this build of torch has no oneDNN"
)
SCORERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "entailment": ("classifier_folder", lambda folder: Entailment(model=str(folder), device="cpu")),
    "bertscore": ("encoder_folder", lambda folder: BertScore(model=str(folder), layer=2, device="cpu")),
    "bartscore": ("bart_folder", lambda folder: BartScore(model=str(folder), device="cpu")),
    "embedding": ("encoder_folder", lambda folder: Embedding(model=str(folder), device="cpu")),
}


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the library of products for the models that are loaded from now on."""

    def forget() -> None:
        models._load.cache_clear()
        models.sentence_encoder.cache_clear()

    def choose(name: str) -> None:
        forget()
        monkeypatch.setattr(products, "product_library", lambda _: name)

    yield choose
    forget()


def doubles(model: Any) -> int:
    """How many layers of a model are on oneDNN."""
    return sum(type(module).__name__ == "OneDnnLinear" for module in model.modules())


@needs_operators
@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_answers_the_same(
    name: str, on: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    """A model on oneDNN gives the scores that it gives on torch's own products, to 1e-5."""
    fixture, make = SCORERS[name]
    folder = request.getfixturevalue(fixture)
    asks = [Ask(name, TEXTS[:3], TEXTS[2:]), Ask(name, (" ".join(TEXTS * 2),), ("", TEXTS[0]))]

    def answered(library: str) -> list[Floats]:
        on(library)
        return [scores.matrix for scores in make(folder).answer(asks)]

    for found, wanted in zip(answered("oneDNN"), answered("torch"), strict=True):
        np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)


@needs_operators
@pytest.mark.parametrize("name", SCORERS)
def test_every_scorers_model_is_moved(
    name: str, on: Callable[[str], None], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No linear layer of a scorer's model is left behind, and none keeps its weights twice."""
    fixture, make = SCORERS[name]
    moved = []
    monkeypatch.setattr(
        models, "speed_up", lambda *given: moved.append(products.speed_up(*given)) or moved[-1]
    )
    on("oneDNN")
    list(make(request.getfixturevalue(fixture)).answer([Ask(name, TEXTS[:1], TEXTS[1:2])]))
    (model,) = moved
    assert doubles(model) >= 12
    assert not any(type(module) is torch.nn.Linear for module in model.modules())
    assert not any(key.endswith(("dense.weight", "proj.weight")) for key, _ in model.named_parameters())


@needs_operators
@pytest.mark.parametrize("shape", [(16,), (1, 16), (0, 16), (2, 3, 16), (2, 0, 16), (2, 3, 4, 16)])
@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_takes_inputs_of_any_shape(shape: tuple[int, ...], bias: bool) -> None:
    """Vectors, batches, empty ones and strided ones are multiplied as a linear layer does."""
    layer = torch.nn.Linear(16, 7, bias=bias)
    fast = _moved(layer)
    wide = torch.rand(*shape[:-1], 20)
    with torch.inference_mode():
        for given in (torch.rand(shape), wide[..., 2:18]):
            torch.testing.assert_close(fast(given), layer(given), atol=MODEL_SCORE_TOLERANCE, rtol=1e-5)


@needs_operators
def test_weights_that_a_model_reads_are_there() -> None:
    """A model whose code reads a layer's weights finds them bit for bit, with their dtype."""
    layer = torch.nn.Linear(33, 50)
    fast = _moved(layer)
    assert torch.equal(fast.weight, layer.weight)
    assert fast.weight.dtype == torch.float32


@needs_operators
def test_a_layer_in_two_places_stays_one() -> None:
    """Layers that a model shares are laid out once."""
    shared = torch.nn.Linear(4, 4)
    model = torch.nn.ModuleDict({"a": shared, "b": shared, "c": torch.nn.Sequential(shared)})
    products._replace(model, products.WeakKeyDictionary())
    assert model["a"] is model["b"] is model["c"][0]
    assert doubles(model) == 1


@needs_operators
def test_what_is_no_plain_layer_stays() -> None:
    """Subclasses, hooked layers, weights made of others and other precisions are left as they are."""
    hooked = torch.nn.Linear(4, 4)
    hooked.register_forward_pre_hook(lambda *_: None)
    model = torch.nn.ModuleDict(
        {
            "attention": torch.nn.MultiheadAttention(4, 2),
            "hooked": hooked,
            "made": torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 4)),
            "narrow": torch.nn.Linear(4, 4, dtype=torch.bfloat16),
            "plain": torch.nn.Linear(4, 4),
        }
    )
    model.register_module("none", None)
    products._replace(model, products.WeakKeyDictionary())
    assert doubles(model) == 1
    assert type(model["plain"]).__name__ == "OneDnnLinear"


@pytest.mark.parametrize(("device", "dtype"), [("cuda", "fp32"), ("cpu", "bf16"), ("mps", "fp32")])
def test_other_devices_and_precisions_keep_torchs_own(
    device: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only single precision on a CPU is moved, whatever the processor."""
    monkeypatch.setattr(products, "onednn_pays", lambda _: True)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4))
    assert doubles(products.speed_up(model, device, dtype)) == 0


@pytest.mark.parametrize(
    ("processor", "capability", "mkl", "pays"),
    [
        (AMD, "AVX512", True, True),
        ("AMD64 Family 25 Model 33 Stepping 0, AuthenticAMD", "AVX512", True, True),
        (AMD, "AVX2", True, False),
        (AMD, "AVX512", False, False),
        ("vendor_id\t: GenuineIntel", "AVX512", True, False),
        ("CPU implementer\t: 0x41", "DEFAULT", False, False),
        ("", "AVX512", True, False),
    ],
)
def test_where_it_pays_is_decided_by_what_is_there(
    processor: str, capability: str, mkl: bool, pays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An AMD processor with AVX-512 under a torch that multiplies with MKL, and nothing else."""
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert products.onednn_pays(processor) is pays


def test_torchs_own_switch_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who switches oneDNN off in torch gets torch's own products."""
    monkeypatch.delenv(products.SWITCH, raising=False)
    monkeypatch.setattr(products, "processor", lambda: AMD)
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    assert products.product_library("cpu") == "torch"


@needs_operators
def test_torchs_private_operators_are_those_that_were_tried() -> None:
    """The operators are no public ones. Where a new torch changes them, fit `OneDnnLinear` to it, or drop it."""
    products._is_usable.cache_clear()
    assert products._is_usable(), f"torch {torch.__version__} has other operators"


@pytest.mark.parametrize(("switch", "pays", "library"), [("off", True, "torch"), ("on", False, "oneDNN")])
def test_the_switch_decides(switch: str, pays: bool, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment variable leaves oneDNN out, or takes it, whatever the processor."""
    monkeypatch.setattr(products, "onednn_pays", lambda _: pays)
    monkeypatch.setattr(products, "_is_usable", lambda: True)
    monkeypatch.setenv(products.SWITCH, switch)
    assert products.product_library("cpu") == library


def test_another_word_of_the_switch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt switch is an error with the words that it knows."""
    monkeypatch.setenv(products.SWITCH, "of")
    with pytest.raises(RequestError, match="none of auto, on, off"):
        products.product_library("cpu")


def test_trying_the_operators_draws_no_random_number() -> None:
    """Random numbers that a caller draws from torch are the same whether a model was moved or not."""
    before = torch.get_rng_state()
    products._is_usable.cache_clear()
    products._is_usable()
    assert torch.equal(torch.get_rng_state(), before)


def test_operators_that_answer_otherwise_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operators are tried against a product that is known; a torch in which they changed does without."""
    from fairbrief.pretrained import onednn

    monkeypatch.setenv(products.SWITCH, "on")
    for forward in (lambda self, x: x @ self.weight.T + self.bias + 1e-3, lambda self, x: self.absent(x)):
        monkeypatch.setattr(onednn.OneDnnLinear, "forward", forward)
        products._is_usable.cache_clear()
        assert products.product_library("cpu") == "torch"
    monkeypatch.undo()
    products._is_usable.cache_clear()


def test_the_system_names_the_processors_maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The maker is read where Linux tells it, and asked of Python elsewhere."""
    (tmp_path / "cpuinfo").write_text(AMD)
    monkeypatch.setattr(products, "PROCESSOR", tmp_path / "cpuinfo")
    assert products.processor() == AMD
    monkeypatch.setattr(products, "PROCESSOR", tmp_path / "absent")
    monkeypatch.setattr(products.platform, "processor", lambda: "Intel64, GenuineIntel")
    assert products.processor() == "Intel64, GenuineIntel"


def _moved(layer: Any) -> Any:
    from fairbrief.pretrained.onednn import OneDnnLinear

    return OneDnnLinear(layer)


@pytest.fixture
def taking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Sets how long a product in half precision takes, where one in fp32 takes a second."""

    def forget() -> None:
        products.speed_in.cache_clear()
        products.note_if_slower.cache_clear()

    def choose(seconds: float) -> None:
        forget()
        monkeypatch.setattr(products, "_seconds", {"fp32": 1.0, "bf16": seconds, "fp16": seconds}.get)

    yield choose
    forget()


@pytest.mark.parametrize(
    ("seconds", "device", "dtype", "process", "says"),
    [
        (4.0, "cpu", "bf16", "MainProcess", "products in bf16 take 4.0 times as long as in fp32"),
        (9.5, "cpu", "fp16", "fairbrief worker 0 of 2", "products in fp16 take 9.5 times as long as in fp32"),
        (4.0, "cpu", "bf16", "fairbrief worker 1 of 2", ""),
        (4.0, "cpu", "fp32", "MainProcess", ""),
        (4.0, "cuda", "bf16", "MainProcess", ""),
        (0.5, "cpu", "bf16", "MainProcess", ""),
    ],
)
def test_a_precision_that_slows_the_processor_down_is_told_once(
    seconds: float,
    device: str,
    dtype: str,
    process: str,
    says: str,
    taking: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One note where half precision is asked for on a CPU that is slower in it; none where it is not, and none of a second worker."""
    taking(seconds)
    monkeypatch.setattr(multiprocessing, "current_process", lambda: SimpleNamespace(name=process))
    products.note_if_slower(device, dtype)
    products.note_if_slower(device, dtype)
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == bool(says)


def test_loading_a_model_in_a_slower_precision_is_told(
    taking: Callable[[float], None], classifier_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks a scorer for bf16 reads the note, and gets bf16."""
    taking(3.0)
    models._load.cache_clear()
    scorer = Entailment(model=str(classifier_folder), device="cpu", dtype="bf16")
    list(scorer.answer([Ask("", TEXTS[:1], TEXTS[1:2])]))
    assert "bf16 take 3.0 times as long" in capsys.readouterr().err
    assert scorer.computed_by.endswith("bf16 windows=fold")


def test_the_product_that_is_timed_is_one_in_that_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that counts products in each precision: the least of the times counts, and no random number is drawn."""
    before = torch.get_rng_state()
    made: list[Any] = []
    ticks = iter([0.0, 5.0, 5.0, 7.0, 7.0, 10.0])
    monkeypatch.setattr(products, "speed_up", lambda model, *_: lambda given: made.append(model(given).dtype))
    monkeypatch.setattr(products.time, "process_time", lambda: next(ticks))
    assert products._seconds("bf16") == 2.0
    assert made == [torch.bfloat16] * 3
    assert torch.equal(torch.get_rng_state(), before)
