"""How probable a natural-language-inference model holds it that a text entails another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.pretrained import hub, placement
from fairbrief.scorers import known_models, models, pairs
from fairbrief.scorers.models import ModelScorer
from fairbrief.scorers.pieces import Frame, Ids, Span, longest_first, parts, pieces, spans
from fairbrief.types import Ask, Floats, Integers, Scores

ENTAILS = frozenset({"entailment", "entail", "entails", "entailed", "supports", "supported"})


class Item(NamedTuple):
    """One input of the model: pieces of a pair's row (the premise) and of its column (the hypothesis)."""

    pair: int
    first: slice
    second: slice


@dataclass(frozen=True, slots=True, repr=False)
class Entailment(ModelScorer):
    """P(the row entails the column), by a natural-language-inference classifier.

    Matrix (rows, columns) of probabilities in [0, 1]: softmax over the model's classes, with the class of entailment
    from the model's own ``label2id``. ``by=sentence`` is SummaC's zero-shot setting; MiniCheck and HHEM were trained
    for ``by=document``. ``gate=argmax`` counts a probability only where entailment is the most probable class,
    otherwise 0.

    ``template`` is how the model receives the two texts: ``pair``, ``minicheck`` or ``hhem``. ``auto`` chooses by the
    model's name on the hub (`known_models.MODELS`), and HHEM also by its folder.

    If a pair is longer than the model's window, the row is cut into windows that overlap by a quarter, and the
    largest probability counts. A column that takes more than half of the window is cut too, and the probability is
    the mean over its parts, weighted by length.

    Errors:     RequestError where no class of the model means entailment.
    Source:     Li et al., Coverage-based Fairness in MDS, Eq. 2 (gate and truncation: only in their code).
    """

    name: ClassVar[str] = "entailment"
    model: str = "roberta-large-mnli"
    gate: str = "none"
    template: str = "auto"

    def __post_init__(self) -> None:
        ModelScorer.__post_init__(self)
        placement.choose(self.name, "gate", self.gate, ("none", "argmax"))
        placement.choose(self.name, "template", self.template, known_models.TEMPLATES)

    @property
    def computed_by(self) -> str:
        """What decides the arrays of `compute`: a template that was asked for, besides what decides those of any model."""
        template = "" if self.template == "auto" else f" template={self.template}"
        return f"{models.identity(self, self.name, self.version)} windows={self.windows}{template}"

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} gate={self.gate} by={self.by}"

    def scores(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        chosen = 1 if self.gate == "argmax" else 0
        return pairs.matrices(asks, arrays, lambda array: float(array[chosen]))

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per pair (row, column): its probability, and the gated one. Shape (2,)."""
        if not keys:
            return
        placed = placement.place(self, self.name)
        template = known_models.template_of(self.model, self.template)
        resident = template.load(hub.find(self.model, self.name), placed, self.name)
        entails = entailment_class(resident.model.config) if template.entails is None else template.entails
        around = template.frame(resident.tokenizer)
        ids = pieces(resident.tokenizer, (text for key in keys for text in key))
        items = [
            item
            for k, (row, column) in enumerate(keys)
            for item in self._items(k, len(ids[row]), len(ids[column]), resident.limit - around.size)
        ]

        def forward(batch: Integers) -> Floats:
            inputs = [_input(items[i], keys, ids, around) for i in batch]
            return _probabilities(resident, inputs, entails)

        owners, lengths = [item.pair for item in items], [_length(item, around) for item in items]
        yield from self.run(
            keys, owners, lengths, forward, lambda found: _folded(items, found), placed.batch_tokens
        )

    def _items(self, pair: int, first: int, second: int, room: int) -> list[Item]:
        if self.windows == "truncate":
            kept = longest_first(first, second, room)
            return [Item(pair, slice(0, kept[0]), slice(0, kept[1]))]
        longest = room - first if first + second <= room else max(room // 2, 1)
        return [
            Item(pair, slice(w.start, w.stop), part)
            for part in parts(second, max(longest, 1))
            for w in _row_windows(first, room - (part.stop - part.start))
        ]


def _row_windows(length: int, size: int) -> list[Span]:
    return spans(length, size, size // 4)


def entailment_class(config: Any) -> int:
    """The number of the class that means entailment, from the model's own names of its classes.

    Raises RequestError where no name, or two different numbers, mean entailment.
    """
    by_label = {int(i) for label, i in (config.label2id or {}).items() if _means_entailment(label)}
    by_id = {int(i) for i, label in (config.id2label or {}).items() if _means_entailment(label)}
    found = by_label | by_id
    if len(found) == 1:
        return found.pop()
    names = ", ".join(f"{i}: {label}" for i, label in sorted((config.id2label or {}).items()))
    if not found:
        raise RequestError(
            f"No class of this model means entailment ({names}). Choose a model trained for natural language "
            "inference, or name its classes in label2id of its config.json (entailment, supports)."
        )
    raise RequestError(
        f"This model's config.json contradicts itself: entailment is {' and '.join(map(str, sorted(found)))} "
        "in label2id and id2label. Correct the one that is wrong."
    )


def _means_entailment(label: object) -> bool:
    return str(label).strip().lower() in ENTAILS


def _folded(items: Sequence[Item], found: Sequence[tuple[int, Floats]]) -> Floats:
    """One probability of all windows of a pair: each part of its column counts by its best window."""
    best: dict[tuple[int, int], Floats] = {}
    for i, values in found:
        part = (items[i].second.start, items[i].second.stop)
        best[part] = np.maximum(best[part], values) if part in best else values
    return _mean_of_parts(best)


def _mean_of_parts(best: Mapping[tuple[int, int], Floats]) -> Floats:
    if len(best) == 1:
        return next(iter(best.values()))
    ordered = sorted(best)  # floating-point sums must not depend on the order of the batches
    weights = [float(stop - start) for start, stop in ordered]
    return np.average(np.stack([best[part] for part in ordered]), axis=0, weights=weights)


def _length(item: Item, around: Frame) -> int:
    return int(item.first.stop - item.first.start + item.second.stop - item.second.start + around.size)


def _input(
    item: Item, keys: Sequence[pairs.Key], ids: Mapping[str, Ids], around: Frame
) -> tuple[Ids, Ids | None]:
    row, column = keys[item.pair]
    return around.around(ids[row][item.first], ids[column][item.second])


def _probabilities(
    resident: models.Resident, inputs: Sequence[tuple[Ids, Ids | None]], entails: int
) -> Floats:
    """Probability of entailment, and the same where it is the most probable class, else 0. Shape (n, 2)."""
    torch = placement.library("torch", "entailment")
    with torch.inference_mode():
        logits = resident.model(**resident.inputs(inputs)).logits.float()
        if logits.ndim == 3:  # of each piece: the first stands for the whole
            logits = logits[:, 0]
        classes = logits.softmax(dim=-1)
        entailed = classes[:, entails]
        gated = entailed * (classes.argmax(dim=-1) == entails)
        found = torch.stack([entailed, gated], dim=1).double().cpu().numpy()
    return np.asarray(found)
