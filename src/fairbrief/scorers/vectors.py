"""Similarity of the vectors that an encoder makes: cosines of whole sentences, and BERTScore's precision, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief import pretrained
from fairbrief.scorers import models, pairs
from fairbrief.scorers.models import ModelScorer
from fairbrief.scorers.pieces import Ids, frame
from fairbrief.types import Ask, Floats, Scores


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
        return list(dict.fromkeys((text,) for ask in asks for text in (*ask.rows, *ask.columns)))

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        for ask in asks:
            rows, columns = (_unit([arrays[text,] for text in texts]) for texts in (ask.rows, ask.columns))
            matrix = np.clip(rows @ columns.T, -1, 1) if ask.rows and ask.columns else np.zeros(0)
            yield Scores.of_whole_texts(ask, matrix)

    def arrays_of(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per text: its embedding, zeros for a text without word pieces. Shape (dimensions,)."""
        resident = models.sentence_encoder(*self.loading)
        around = frame(resident.tokenizer, pair=False)

        def forward(windows: Sequence[Sequence[Ids]]) -> Floats:
            return _embed(resident, [around.around(*window) for window in windows])

        yield from self.run(keys, resident, around, forward, _mean_of_windows)


def _mean_of_windows(windows: Sequence[tuple[int, Floats]]) -> NDArray[np.float32]:
    """The mean of the vectors of a text's windows, weighted by their pieces."""
    lengths, vectors = zip(*windows, strict=True)
    weights = np.array(lengths, dtype=np.float64)
    return np.asarray((weights @ np.stack(vectors)) / max(weights.sum(), 1), dtype=np.float32)


def _unit(vectors: Sequence[Floats]) -> Floats:
    stacked = np.stack(vectors).astype(np.float64) if vectors else np.zeros((0, 0))
    norms = np.linalg.norm(stacked, axis=1, keepdims=True)
    return np.asarray(stacked / np.where(norms == 0, 1, norms))


def _embed(resident: models.Resident, inputs: Sequence[tuple[Ids, Ids | None]]) -> Floats:
    torch = pretrained.library("torch", "embedding")
    with torch.inference_mode():
        return np.asarray(resident.model(resident.inputs(inputs))["sentence_embedding"].float().cpu().numpy())


# ------------------------------------------------------------------------------------- BERTScore

BASELINES = {("roberta-large", 17): 0.83150584, ("FacebookAI/roberta-large", 17): 0.83150584}
"""Mean precision of unrelated English sentences, by model and layer, as the bert-score package gives it."""

Windows = list[Any]
"""The unit vectors of each window of a text, special pieces included, on the model's device."""
BLOCK = 128
"""How many pairs have their vectors in memory at once."""


class BertScore(ModelScorer):
    """The largest cosine of each word piece of the column to a piece of the row.

    Vectors are the hidden states of layer ``layer``. The default answer is a matrix (rows, pieces of all columns) of
    cosines in [−1, 1]; ``owner`` is each piece's column. The mean over a column's pieces is BERTScore's precision,
    and the maximum over several rows is the match to their union. ``units=texts`` returns the precision itself,
    matrix (rows, columns).

    The definition is that of the bert-score package without idf. Pieces may match the row's special pieces (``<s>``,
    ``</s>``), and the column's own special pieces have no weight. Texts are stripped. RoBERTa and GPT-2
    tokenizers get a leading space, as in the published numbers. Against an empty row every piece scores 0; an
    empty column has no pieces and a precision of 0. If all cosines of a piece are negative, the package may return 0,
    depending on its padding; here it is the cosine.

    ``rescale=b`` maps x to (x − b)/(1 − b). ``auto`` rescales only layer 17 of roberta-large under its hub name;
    ``none`` never rescales. A text longer than the model's window is encoded in parts of equal length.

    Source:     Zhang et al., BERTScore (ICLR 2020), Eq. 1 (precision); used by Zhang et al., PerspectiveSumm.
    """

    name: ClassVar[str] = "bertscore"
    version: ClassVar[int] = 2
    model: str = "roberta-large"
    layer: int = 17
    rescale: Annotated[Literal["auto", "none"] | float, "(-inf, 1)"] = "auto"
    units: Literal["pieces", "texts"] = "pieces"

    @property
    def baseline(self) -> float:
        """The b of the rescaling; 0 for none."""
        if isinstance(self.rescale, str):
            return BASELINES.get((self.model, self.layer), 0.0) if self.rescale == "auto" else 0.0
        return self.rescale

    @property
    def computed_by(self) -> str:
        return f"{super().computed_by} layer={self.layer}"

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} rescale={self.baseline} units={self.units} by={self.by}"

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        for ask in asks:
            scores = _by_piece(ask, arrays)
            if self.units == "texts":
                scores = Scores.of_whole_texts(ask, scores.by_column(len(ask.columns)))
            rescaled = (scores.matrix - self.baseline) / (1 - self.baseline)
            yield Scores(rescaled, scores.owner, scores.sizes)

    def arrays_of(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per pair (row, column): each of the column's pieces' largest cosine. Shape (pieces of the column,)."""
        resident = models.load("AutoModel", *self.loading, self.layer)
        around = frame(resident.tokenizer, pair=False)
        own = slice(len(around.before), -len(around.after) or None)
        prefix = " " if _wants_space(resident.tokenizer) else ""
        plain = {text: prefix + text.strip() if text.strip() else "" for key in keys for text in key}

        def forward(windows: Sequence[Sequence[Ids]]) -> Windows:
            return _vectors(resident, [around.around(*window)[0] for window in windows])

        for start in range(0, len(keys), BLOCK):
            block = keys[start : start + BLOCK]
            texts = list(dict.fromkeys((plain[text],) for key in block for text in key))
            vectors: dict[pairs.Key, Any] = {}
            for done in self.run(texts, resident, around, forward, lambda parts: [part for _, part in parts]):
                vectors.update(done)
            of = {text: vectors[plain[text],] for key in block for text in key}
            yield {(row, column): _best_cosines(of[row], of[column], own) for row, column in block}


def _vectors(resident: models.Resident, framed: Sequence[Ids]) -> Windows:
    """The unit vectors of framed texts."""
    torch = pretrained.library("torch", "bertscore")
    with torch.inference_mode():
        states = resident.model(**resident.inputs([(ids, None) for ids in framed])).last_hidden_state
        vectors = torch.nn.functional.normalize(states.float(), dim=-1)
    # Copies, so that no padded batch is kept alive.
    return [own[: len(ids)].clone() for ids, own in zip(framed, vectors, strict=True)]


def _by_piece(ask: Ask, arrays: pairs.Arrays) -> Scores:
    if not ask.rows or not ask.columns:
        return Scores(np.zeros((len(ask.rows), 0)), np.zeros(0, dtype=np.int64), np.zeros(len(ask.rows)))
    counts = [len(arrays[ask.rows[0], column]) for column in ask.columns]
    matrix = np.stack([np.concatenate([arrays[row, column] for column in ask.columns]) for row in ask.rows])
    owner = np.repeat(np.arange(len(ask.columns), dtype=np.int64), counts)
    return Scores(matrix.astype(np.float64), owner, np.zeros(len(ask.rows)))


def _wants_space(tokenizer: Any) -> bool:
    """Whether the reference package puts a space before a text that this tokenizer would read without one."""
    kinds = {kind.__name__.removesuffix("Fast") for kind in type(tokenizer).__mro__}
    is_one = not kinds.isdisjoint(("RobertaTokenizer", "GPT2Tokenizer"))
    return is_one and not tokenizer.init_kwargs.get("add_prefix_space", False)


def _best_cosines(row: Windows, column: Windows, own: slice) -> NDArray[np.float32]:
    """The largest cosine of each of the column's ``own`` pieces to a piece of the row; 0 if the row has no own pieces."""
    torch = pretrained.library("torch", "bertscore")
    wanted = torch.cat([window[own] for window in column])
    if not len(wanted) or not any(len(window[own]) for window in row):
        return np.zeros(len(wanted), dtype=np.float32)
    return np.asarray((wanted @ torch.cat(row).T).amax(dim=1).cpu().numpy())
