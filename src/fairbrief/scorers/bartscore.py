"""BARTScore: how likely a sequence-to-sequence model would write a text from another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.pretrained import hub, placement
from fairbrief.scorers import models, pairs
from fairbrief.scorers.models import ModelScorer
from fairbrief.scorers.pieces import Frame, Ids, frame, padded, parts, pieces, spans
from fairbrief.text.sentences import By
from fairbrief.types import Ask, Floats, Integers, Scores


class Item(NamedTuple):
    """One input of the model: a window of a pair's row (the source) and a part of its column (the target)."""

    pair: int
    source: slice
    target: slice


@dataclass(frozen=True, slots=True, repr=False)
class BartScore(ModelScorer):
    """Mean log-likelihood of the column's word pieces given the row: log p(column | row) / pieces, in nats.

    Matrix (rows, columns), at most 0; higher is closer. The mean includes special pieces, as in BARTScore. By default the
    row is read as a whole, as in the model's training.

    A row longer than the model's window is cut into windows that overlap by a quarter. ``fold=max`` uses the window that
    makes the column likeliest, ``fold=mean`` their mean. A longer column is cut into parts whose log-likelihoods add.

    Source:  Yuan et al., BARTScore (NeurIPS 2021), source → target; used by Zhang et al., PerspectiveSumm.
    """

    name: ClassVar[str] = "bartscore"
    model: str = "facebook/bart-large-cnn"
    fold: str = "max"
    _: KW_ONLY
    by: By = "document"

    def __post_init__(self) -> None:
        ModelScorer.__post_init__(self)
        placement.choose(self.name, "fold", self.fold, ("max", "mean"))

    @property
    def computed_by(self) -> str:
        """What decides the arrays of `compute`."""
        fold = f" fold={self.fold}" if self.windows == "fold" else ""
        return f"{models.identity(self, self.name, self.version)} windows={self.windows}{fold}"

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        return pairs.matrices(asks, arrays, lambda array: float(array[0]))

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per pair (row, column): the mean log-likelihood. Shape (1,)."""
        if not keys:
            return
        placed = placement.place(self, self.name)
        resident = models.seq2seq(hub.find(self.model, self.name), placed, self.name)
        if not hasattr(resident.model, "prepare_decoder_input_ids_from_labels"):
            kind = type(resident.model).__name__
            raise RequestError(
                f"{self.name}(model={self.model}): {kind} cannot be given its target. Use a BART model."
            )
        around = frame(resident.tokenizer, pair=False)
        ids = pieces(resident.tokenizer, (text for key in keys for text in key))
        size = resident.limit - around.size
        items = [
            item
            for k, (row, column) in enumerate(keys)
            for item in self._items(k, len(ids[row]), len(ids[column]), size)
        ]

        def forward(batch: Integers) -> Floats:
            return _log_likelihoods(resident, around, [items[i] for i in batch], keys, ids)

        def fold(found: Sequence[tuple[int, float]]) -> Floats:
            return np.array([self._mean([(items[i], float(value)) for i, value in found], around.size)])

        owners, lengths = [item.pair for item in items], [_length(item, around) for item in items]
        yield from self.run(keys, owners, lengths, forward, fold, placed.batch_tokens)

    def _items(self, pair: int, row: int, column: int, size: int) -> list[Item]:
        if self.windows == "truncate":
            return [Item(pair, slice(0, min(row, size)), slice(0, min(column, size)))]
        return [
            Item(pair, slice(w.start, w.stop), part)
            for part in parts(column, size)
            for w in spans(row, size, size // 4)
        ]

    def _mean(self, sums: Sequence[tuple[Item, float]], special: int) -> float:
        """The summed log-likelihood over parts, each the best (or mean) over source windows, per piece."""
        of_part: dict[tuple[int, int], list[float]] = {}
        for item, value in sorted(sums, key=lambda s: (s[0].target.start, s[0].source.start)):
            of_part.setdefault((item.target.start, item.target.stop), []).append(value)
        folded = [max(v) if self.fold == "max" else sum(v) / len(v) for v in of_part.values()]
        return sum(folded) / sum(stop - start + special for start, stop in of_part)


def _length(item: Item, around: Frame) -> int:
    return int(item.source.stop - item.source.start + item.target.stop - item.target.start + 2 * around.size)


def _log_likelihoods(
    resident: models.Resident,
    around: Frame,
    items: Sequence[Item],
    keys: Sequence[pairs.Key],
    ids: Mapping[str, Ids],
) -> Floats:
    """Summed log-likelihood of each item's target pieces. A source that several items share is encoded once."""
    torch = placement.library("torch", "bartscore")
    sources: dict[tuple[str, int], int] = {}
    framed: list[Ids] = []
    which, targets = [], []
    for item in items:
        row, column = keys[item.pair]
        source = (row, item.source.start)
        if source not in sources:
            sources[source] = len(framed)
            framed.append(around.around(ids[row][item.source])[0])
        which.append(sources[source])
        targets.append(around.around(ids[column][item.target])[0])
    pad = resident.tokenizer.pad_token_id
    source_ids, source_mask = (resident.tensor(a) for a in padded(framed, pad))
    labels, mask = (resident.tensor(a) for a in padded(targets, pad))
    with torch.inference_mode():
        states = resident.model.get_encoder()(
            input_ids=source_ids, attention_mask=source_mask
        ).last_hidden_state
        index = resident.tensor(np.array(which))
        logits = resident.model(
            encoder_outputs=(states[index],),
            attention_mask=source_mask[index],
            decoder_input_ids=resident.model.prepare_decoder_input_ids_from_labels(labels),
            use_cache=False,
        ).logits
        chosen = logits.gather(-1, labels[..., None])[..., 0].float()
        of_pieces = (chosen - _logsumexp(logits)) * mask
        return np.asarray(of_pieces.double().sum(dim=1).cpu().numpy())


def _logsumexp(logits: Any) -> Any:
    """In single precision text by text: a whole batch's logits a second time would double the memory."""
    torch = placement.library("torch", "bartscore")
    return torch.stack([row.float().logsumexp(dim=-1) for row in logits])
