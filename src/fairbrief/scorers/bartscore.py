"""BARTScore: how likely a sequence-to-sequence model would write a text from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np

from fairbrief import pretrained
from fairbrief.errors import RequestError
from fairbrief.scorers import models, pairs
from fairbrief.scorers.models import ModelScorer
from fairbrief.scorers.pieces import Frame, Ids, frame, parts, quarter_overlapping
from fairbrief.text.sentences import By
from fairbrief.types import Floats


class BartScore(ModelScorer):
    """Mean log-likelihood of the column's word pieces given the row: log p(column | row) / pieces, in nats.

    Matrix (rows, columns), at most 0; higher is closer. The mean includes special pieces, as in BARTScore. By default the
    row is read as a whole, as in the model's training.

    A row longer than the model's window is cut into windows that overlap by a quarter, of which the one counts that makes the
    column likeliest. A longer column is cut into parts whose log-likelihoods add.

    Source:  Yuan et al., BARTScore (NeurIPS 2021), source → target; used by Zhang et al., PerspectiveSumm.
    """

    name: ClassVar[str] = "bartscore"
    model: str = "facebook/bart-large-cnn"
    _: KW_ONLY
    by: By = "document"

    def arrays_of(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per pair (row, column): the mean log-likelihood. Shape (1,)."""
        resident = models.load("AutoModelForSeq2SeqLM", *self.loading)
        if not hasattr(resident.model, "prepare_decoder_input_ids_from_labels"):
            kind = type(resident.model).__name__
            raise RequestError(f"{self!r}: {kind} cannot be given its target. Use a BART model.")
        around = frame(resident.tokenizer, pair=False)

        def forward(windows: Sequence[Sequence[Ids]]) -> Floats:
            return _log_likelihoods(resident, around, windows)

        def mean(best: Sequence[tuple[int, float]]) -> Floats:
            return np.array([sum(value for _, value in best) / sum(n + around.size for n, _ in best)])

        yield from self.run(keys, resident, around, forward, mean)

    def windows_of(self, lengths: Sequence[int], room: int) -> Iterable[tuple[slice, ...]]:
        row, column = lengths
        if self.windows == "truncate":
            return [(slice(0, room), slice(0, room))]
        return [(w, part) for part in parts(column, room) for w in quarter_overlapping(row, room)]


def _log_likelihoods(resident: models.Resident, around: Frame, windows: Sequence[Sequence[Ids]]) -> Floats:
    """Summed log-likelihood of each window's column pieces. A source that several windows share is encoded once."""
    torch, model = pretrained.library("torch", "bartscore"), resident.model
    sources = {row.tobytes(): row for row, _ in windows}
    places = {key: i for i, key in enumerate(sources)}
    index = resident.tensor(np.array([places[row.tobytes()] for row, _ in windows]))
    given, wanted = (
        resident.inputs([(around.around(text)[0], None) for text in texts])  # these models know no type ids
        for texts in (sources.values(), [column for _, column in windows])
    )
    labels, mask = wanted["input_ids"], wanted["attention_mask"]
    with torch.inference_mode():
        states = model.get_encoder()(**given).last_hidden_state
        encoded = {"encoder_outputs": (states[index],), "attention_mask": given["attention_mask"][index]}
        decoder_ids = model.prepare_decoder_input_ids_from_labels(labels)
        logits = model(**encoded, decoder_input_ids=decoder_ids, use_cache=False).logits
        chosen = logits.gather(-1, labels[..., None])[..., 0].float()
        # In single precision text by text: a whole batch's logits a second time would double the memory.
        normalizer = torch.stack([row.float().logsumexp(dim=-1) for row in logits])
        of_pieces = (chosen - normalizer) * mask
        return np.asarray(of_pieces.double().sum(dim=1).cpu().numpy())
