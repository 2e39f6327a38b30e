"""Models in memory, loaded once per process and shared by all scorers that name the same one; and what such scorers share."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief import pretrained
from fairbrief.errors import BackendError, RequestError
from fairbrief.pretrained import Placement, Snapshot, library
from fairbrief.scorers import pairs
from fairbrief.scorers.pairs import with_progress
from fairbrief.scorers.pieces import Frame, Ids, padded, parts, pieces, run_batches
from fairbrief.text.sentences import By

RESIDENT = 4
"""How many models stay in memory; the one that was used longest ago makes room."""

SHIFTED = (
    "roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "longformer", "roberta-prelayernorm", "mpnet",
)  # fmt: skip
"""Architectures whose first positions (up to the padding id) hold no word piece."""


class Resident(NamedTuple):
    """A model ready to answer, and ``limit``: how many word pieces, special ones included, it takes."""

    tokenizer: Any
    model: Any
    device: str
    limit: int

    def tensor(self, array: Any) -> Any:
        """An array on the model's device."""
        return library("torch", "a model").from_numpy(array).to(self.device)

    def inputs(self, framed: Sequence[tuple[Ids, Ids | None]]) -> dict[str, Any]:
        """Framed texts with their type ids, if the model has any, as what it is given."""
        ids, mask = padded([ids for ids, _ in framed], self.tokenizer.pad_token_id)
        given = {"input_ids": self.tensor(ids), "attention_mask": self.tensor(mask)}
        types = [t for _, t in framed if t is not None]
        if types:
            given["token_type_ids"] = self.tensor(padded(types, 0)[0])
        return given


@lru_cache(maxsize=RESIDENT)
def hhem(snapshot: Snapshot, placement: Placement, reader: str) -> Resident:
    """HHEM: a T5 encoder whose first word piece is classified, with the configuration and tokenizer of its foundation.

    Its release wraps the same weights in code of its own, which is not run.
    """
    transformers = library("transformers", reader)
    base = pretrained.folder_of(str(pretrained.foundation_of(snapshot.folder)), reader, weights=False)
    with pretrained.loading(snapshot.folder, reader):
        tokenizer = transformers.AutoTokenizer.from_pretrained(base, local_files_only=True)
        config = transformers.AutoConfig.from_pretrained(base, local_files_only=True, num_labels=2)
        model = transformers.T5ForTokenClassification(config)
        weights = library("safetensors.torch", reader).load_file(snapshot.folder / "model.safetensors")
        report = model.load_state_dict({n.removeprefix("t5."): w for n, w in weights.items()}, strict=False)
        # The embeddings of pieces are stored once, under another name.
        missing = (name for name in report.missing_keys if "embed_tokens" not in name)
        _refuse_missing(missing, snapshot.folder, reader)
    return _placed(model, tokenizer, placement, limit(tokenizer, config))


def loaded(kind: str, snapshot: Snapshot, placement: Placement, reader: str, layers: int = 0) -> Resident:
    """A model of a class of transformers; of an encoder only the first ``layers`` layers are loaded, if they are given."""
    transformers = library("transformers", reader)
    with pretrained.loading(snapshot.folder, reader):
        tokenizer = transformers.AutoTokenizer.from_pretrained(snapshot.folder, local_files_only=True)
        config = transformers.AutoConfig.from_pretrained(snapshot.folder, local_files_only=True)
        if layers:
            name = "encoder_layers" if hasattr(config, "encoder_layers") else "num_hidden_layers"
            if not 1 <= layers <= (most := getattr(config, name)):
                raise RequestError(f"{reader}(layer={layers}): this model has layers 1 to {most}. Take one.")
            setattr(config, name, layers)
        how = {"local_files_only": True, "output_loading_info": True, "use_safetensors": True}
        model, report = getattr(transformers, kind).from_pretrained(snapshot.folder, config=config, **how)
        # Pegasus' files lack its positions, which are sines and not trained.
        modules = model.named_modules()
        sines = {f"{name}.weight" for name, module in modules if "Sinusoidal" in type(module).__name__}
        _refuse_missing(set(report["missing_keys"]) - sines, snapshot.folder, reader)
        if layers and config.is_encoder_decoder:
            model = model.get_encoder()
    return _placed(model, tokenizer, placement, limit(tokenizer, config))


load = lru_cache(RESIDENT)(loaded)
"""As `loaded`, once per process."""


@lru_cache(maxsize=RESIDENT)
def sentence_encoder(snapshot: Snapshot, placement: Placement, reader: str) -> Resident:
    """A sentence-transformers model: pooling, dense layers and normalisation as its folder says."""
    library("transformers", reader)
    with pretrained.loading(snapshot.folder, reader):
        how = {"local_files_only": True, "model_kwargs": {"use_safetensors": True}}
        encoders = library("sentence_transformers", reader)
        model = encoders.SentenceTransformer(str(snapshot.folder), device=placement.device, **how)
    return _placed(model, model.tokenizer, placement, int(model.max_seq_length or 512))


def _placed(model: Any, tokenizer: Any, placement: Placement, room: int) -> Resident:
    dtype = getattr(library("torch", "a model"), pretrained.DTYPES[placement.dtype])
    return Resident(tokenizer, model.to(device=placement.device, dtype=dtype).eval(), placement.device, room)


def limit(tokenizer: Any, config: Any, usual: int = 512) -> int:
    """How many word pieces the tokenizer and the positions of the model allow; ``usual`` where neither says."""
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and config.model_type in SHIFTED:
        positions -= (config.pad_token_id if config.pad_token_id is not None else 1) + 1
    said = [n for n in (tokenizer.model_max_length, positions) if n is not None and 0 < n < 1_000_000]
    return int(min(said, default=usual))


def _refuse_missing(weights: Iterable[str], folder: Path, reader: str) -> None:
    """Weights that a folder lacks would be random numbers, and so would every score or text. (Nothing reads a pooler.)"""
    missing = sorted(name for name in weights if not name.startswith("pooler.") and ".pooler." not in name)
    if missing:
        names = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        why = "it was not trained for this task. Choose one that was."
        raise BackendError(f"{reader}: the model in {folder} has no weights for {names}: {why}")


Forward = Callable[[Sequence[Sequence[Ids]]], Any]
"""The answers to a batch of windows, each as pieces of its key's texts."""
Folding = Callable[[Sequence[tuple[int, Any]]], Any]
"""From the number of pieces and the best answer of each part of a key's last text to the key's array."""


class ModelScorer(pairs.KeyedScorer):
    """A scorer with a model of the hub, or from a folder: placed, given texts in batches, its answers kept by a cache.

    A kind of it says how its keys are computed (`arrays_of`) and read (`scores`).
    """

    version: ClassVar[int] = 1
    model: str
    _: KW_ONLY
    by: By = "sentence"
    windows: Literal["fold", "truncate"] = "fold"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    device: str = "auto"
    batch_tokens: Annotated[Literal["auto"] | int, "[1, inf)"] = "auto"

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise RequestError(f"{self.name}(model=…) is empty. Give a hub model or a local folder.")
        pairs.KeyedScorer.__post_init__(self)

    @property
    def placement(self) -> Placement:
        """The device, precision and batch size to use."""
        return pretrained.place(self.device, self.dtype, self.batch_tokens, self.name)

    @property
    def loading(self) -> tuple[Snapshot, Placement, str]:
        """What the functions that load a model need; without torch no model is looked for."""
        placement = self.placement
        return pretrained.find(self.model, self.name), placement, self.name

    @property
    def computed_by(self) -> str:
        """What decides the arrays of `arrays_of`: the code, the model's revision, the precision, and settings."""
        snapshot, placement, name = self.loading
        return f"{name}/{self.version} {snapshot.identity} {placement.dtype} windows={self.windows}"

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """The arrays of `arrays_of`; whoever watches gets the progress."""
        return with_progress(self.name, len(keys), self.arrays_of(keys))

    @abstractmethod
    def arrays_of(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """The array of each of these keys; batch by batch."""

    def windows_of(self, lengths: Sequence[int], room: int) -> Iterable[tuple[slice, ...]]:
        """The windows of a key's texts with so many pieces, of which ``room`` fit at once: what of each text is read together.

        Those of the last text are disjoint parts, or equal. By default the parts of a single text.
        """
        return [(slice(0, room),)] if self.windows == "truncate" else [(w,) for w in parts(lengths[0], room)]

    def run(
        self, keys: Sequence[pairs.Key], resident: Resident, around: Frame, forward: Forward, fold: Folding
    ) -> Iterator[pairs.Arrays]:
        """Each key's array, when all of its windows went through the model.

        Of several windows with one part of the last text the best counts. ``fold`` gets the parts in order, since sums must not
        depend on the order of the batches.
        """
        ids = pieces(resident.tokenizer, chain.from_iterable(keys))
        windows: list[tuple[int, int, list[Ids]]] = []
        for k, key in enumerate(keys):
            texts = [ids[text] for text in key]
            for of_texts in self.windows_of([*map(len, texts)], resident.limit - around.size):
                cut = [text[window] for text, window in zip(texts, of_texts, strict=True)]
                windows.append((k, of_texts[-1].start, cut))
        lengths = [sum(map(len, texts)) + around.size for _, _, texts in windows]
        missing = Counter(k for k, _, _ in windows)
        best: dict[int, dict[int, tuple[int, Any]]] = {}
        for batch, answers in run_batches(
            lengths, lambda batch: forward([windows[i][2] for i in batch]), self.placement.batch_tokens
        ):
            done: dict[pairs.Key, NDArray[Any]] = {}
            for i, answer in zip(batch, answers, strict=True):
                k, start, texts = windows[i]
                of_key = best.setdefault(k, {})
                if start in of_key:
                    answer = np.maximum(of_key[start][1], answer)
                of_key[start] = len(texts[-1]), answer
                missing[k] -= 1
                if not missing[k]:
                    done[keys[k]] = fold([part for _, part in sorted(best.pop(k).items())])
            yield done
