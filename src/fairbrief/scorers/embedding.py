"""Cosine of sentence embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.nouns import Ask, Floats, Integers, Scores
from fairbrief.pretrained import hub, placement
from fairbrief.scorers import batches, models, pairs
from fairbrief.scorers.pieces import Ids, frame, pieces
from fairbrief.scorers.progress import Meter
from fairbrief.scorers.windows import parts
from fairbrief.spelling import spell

VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class Embedding:
    """Cosine of the row's and the column's embedding by a sentence-transformers model.

    Matrix (rows, columns) in [−1, 1]; 0 beside a text without any word piece. Any encoder of
    transformers will do: a folder without pooling settings is pooled by the mean.

    A text longer than the model's window is cut into windows without overlap; its embedding is the
    mean of theirs, weighted by their word pieces. ``windows=truncate`` keeps only the first window, as
    sentence-transformers does.
    """

    name: ClassVar[str] = "embedding"
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    windows: str = "fold"
    dtype: str = "auto"
    device: str = "auto"
    batch_tokens: int | str = "auto"

    def __post_init__(self) -> None:
        placement.check(self, self.name)

    def __repr__(self) -> str:
        return spell(self)

    @property
    def computed_by(self) -> str:
        """What decides the arrays of `compute`."""
        return f"{models.identity(self, self.name, VERSION)} windows={self.windows}"

    @property
    def fingerprint(self) -> str:
        return self.computed_by

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        return pairs.answer(self, asks)

    def keys(self, asks: Sequence[Ask]) -> Iterable[pairs.Key]:
        return pairs.texts(asks)

    def assemble(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        for ask in asks:
            rows, columns = (_unit([arrays[text,] for text in texts]) for texts in (ask.rows, ask.columns))
            matrix = np.clip(rows @ columns.T, -1, 1) if ask.rows and ask.columns else np.zeros(0)
            yield pairs.whole_texts(ask, matrix)

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per text: its embedding, zeros for a text without word pieces. Shape (dimensions,)."""
        if not keys:
            return
        placed = placement.place(self, self.name)
        resident = models.sentence_encoder(hub.find(self.model, self.name), placed, self.name)
        around = frame(resident.tokenizer, pair=False)
        ids = pieces(resident.tokenizer, (text for (text,) in keys))
        size = resident.limit - around.size
        if self.windows == "truncate":
            ids = {text: found[:size] for text, found in ids.items()}
        items = [(k, w) for k, (text,) in enumerate(keys) for w in parts(len(ids[text]), size)]
        missing = np.bincount([k for k, _ in items])
        gathered: dict[int, list[tuple[int, int, Floats]]] = {}
        meter = Meter(self.name, len(keys))

        def forward(batch: Integers) -> Floats:
            texts = [ids[keys[items[i][0]][0]][items[i][1]] for i in batch]
            return _embed(resident, [around.around(text) for text in texts])

        lengths = [w.stop - w.start + around.size for _, w in items]
        for batch, vectors in batches.run(lengths, forward, placed.batch_tokens):
            done = {}
            for i, vector in zip(batch, vectors, strict=True):
                k, w = items[i]
                gathered.setdefault(k, []).append((w.start, w.stop - w.start, vector))
                missing[k] -= 1
                if not missing[k]:
                    done[keys[k]] = _mean(gathered.pop(k))
            meter.add(len(done))
            if done:
                yield done


def _mean(windows: Sequence[tuple[int, int, Floats]]) -> Floats:
    ordered = sorted(windows, key=lambda part: part[0])
    weights = np.array([size for _, size, _ in ordered], dtype=np.float64)
    vectors = np.stack([vector for _, _, vector in ordered])
    return np.asarray((weights @ vectors) / max(weights.sum(), 1), dtype=np.float32)


def _unit(vectors: Sequence[Floats]) -> Floats:
    stacked = np.stack(vectors).astype(np.float64) if vectors else np.zeros((0, 0))
    norms = np.linalg.norm(stacked, axis=1, keepdims=True)
    return np.asarray(stacked / np.where(norms == 0, 1, norms))


def _embed(resident: models.Resident, inputs: Sequence[tuple[Ids, Ids | None]]) -> Floats:
    torch = placement.library("torch", "embedding")
    with torch.inference_mode():
        return np.asarray(resident.model(resident.inputs(inputs))["sentence_embedding"].float().cpu().numpy())
