"""Cosine of sentence embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief import pretrained
from fairbrief.scorers import models, pairs
from fairbrief.scorers.models import ModelScorer
from fairbrief.scorers.pieces import Ids, frame, parts, pieces
from fairbrief.types import Ask, Floats, Integers, Scores


@dataclass(frozen=True, slots=True, repr=False)
class Embedding(ModelScorer):
    """Cosine of the row's and the column's embedding by a sentence-transformers model.

    Matrix (rows, columns) in [−1, 1]; 0 for a text without word pieces. Any encoder of transformers works; one
    without pooling settings is pooled by the mean. Keep ``by=sentence``: one embedding of a whole document averages
    everything in it, and misses single statements. A text longer than the model's window is cut into windows without
    overlap, and its embedding is their mean, weighted by word pieces.
    """

    name: ClassVar[str] = "embedding"
    model: str = "sentence-transformers/all-MiniLM-L6-v2"

    def keys_of(self, asks: Sequence[Ask]) -> Iterable[pairs.Key]:
        return pairs.texts(asks)

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        for ask in asks:
            rows, columns = (_unit([arrays[text,] for text in texts]) for texts in (ask.rows, ask.columns))
            matrix = np.clip(rows @ columns.T, -1, 1) if ask.rows and ask.columns else np.zeros(0)
            yield Scores.of_whole_texts(ask, matrix)

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per text: its embedding, zeros for a text without word pieces. Shape (dimensions,)."""
        if not keys:
            return
        placed = pretrained.place(self, self.name)
        resident = models.sentence_encoder(pretrained.find(self.model, self.name), placed, self.name)
        around = frame(resident.tokenizer, pair=False)
        ids = pieces(resident.tokenizer, (text for (text,) in keys))
        size = resident.limit - around.size
        if self.windows == "truncate":
            ids = {text: found[:size] for text, found in ids.items()}
        items = [(k, w) for k, (text,) in enumerate(keys) for w in parts(len(ids[text]), size)]

        def forward(batch: Integers) -> Floats:
            texts = [ids[keys[items[i][0]][0]][items[i][1]] for i in batch]
            return _embed(resident, [around.around(text) for text in texts])

        lengths = [w.stop - w.start + around.size for _, w in items]
        owners = [k for k, _ in items]
        yield from self.run(
            keys,
            owners,
            lengths,
            forward,
            lambda found: _mean([(items[i][1], v) for i, v in found]),
            placed.batch_tokens,
        )


def _mean(windows: Sequence[tuple[slice, Floats]]) -> Floats:
    """The mean of windows' vectors, weighted by their word pieces; in order, whatever the batches were."""
    ordered = sorted(windows, key=lambda window: window[0].start)
    weights = np.array([w.stop - w.start for w, _ in ordered], dtype=np.float64)
    vectors = np.stack([vector for _, vector in ordered])
    return np.asarray((weights @ vectors) / max(weights.sum(), 1), dtype=np.float32)


def _unit(vectors: Sequence[Floats]) -> Floats:
    stacked = np.stack(vectors).astype(np.float64) if vectors else np.zeros((0, 0))
    norms = np.linalg.norm(stacked, axis=1, keepdims=True)
    return np.asarray(stacked / np.where(norms == 0, 1, norms))


def _embed(resident: models.Resident, inputs: Sequence[tuple[Ids, Ids | None]]) -> Floats:
    torch = pretrained.library("torch", "embedding")
    with torch.inference_mode():
        return np.asarray(resident.model(resident.inputs(inputs))["sentence_embedding"].float().cpu().numpy())
