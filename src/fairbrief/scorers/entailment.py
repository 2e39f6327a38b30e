"""How probable a natural-language-inference model holds it that a text entails another; and the models that are known to judge support."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from fairbrief import pretrained
from fairbrief.errors import RequestError
from fairbrief.scorers import models, pairs
from fairbrief.scorers.models import ModelScorer, Resident
from fairbrief.scorers.pieces import Frame, Ids, frame, longest_first, parts, pieces, quarter_overlapping
from fairbrief.types import Floats

ENTAILS = frozenset({"entailment", "entail", "entails", "entailed", "supports", "supported"})
HHEM = "Determine if the hypothesis is true given the premise?\n\nPremise:", "\n\nHypothesis:"
"""What stands before the premise and before the hypothesis."""


def minicheck_frame(tokenizer: Any) -> Frame:
    """One text: the document, the piece that ends a text, the claim.

    Source: Tang et al. 2024, MiniCheck, the release's inference.
    """
    around = frame(tokenizer, pair=False)
    return Frame(around.before, np.array([tokenizer.eos_token_id]), around.after, around.types)


def hhem_frame(tokenizer: Any) -> Frame:
    """A padding piece, an instruction, the premise and the hypothesis. Source: the card of HHEM-2.1-Open."""
    around = frame(tokenizer, pair=False)
    before, between = (pieces(tokenizer, [text])[text] for text in HHEM)
    before = np.concatenate(([tokenizer.pad_token_id], around.before, before))
    return Frame(before, between, around.after, around.types)


class Template(NamedTuple):
    """How a model is given two texts; ``entails`` is the class that means support, None where its names say it."""

    frame: Callable[[Any], Frame]
    entails: int | None = None


BY_NAME = {
    "pair": Template(partial(frame, pair=True)),
    "minicheck": Template(minicheck_frame, entails=1),
    "hhem": Template(hhem_frame, entails=1),
}


class KnownModel(NamedTuple):
    """A model of the hub that `Entailment` reads, with millions of parameters and what its authors report."""

    name: str
    licence: str
    parameters: int
    published: str
    template: str = "pair"

    @property
    def spec(self) -> str:
        """The scorer, which reads documents as a whole where the model was trained to."""
        by = "" if self.template == "pair" else ", by=document"
        return f"entailment(model={self.name}{by})"


MODELS = (
    KnownModel(
        "lytang/MiniCheck-DeBERTa-v3-Large", "MIT", 435,
        "trained to judge sentences against documents, on ANLI and synthetic claims (Tang et al. 2024)", "minicheck",
    ),
    KnownModel(
        "vectara/hallucination_evaluation_model", "Apache-2.0", 110,
        "HHEM-2.1-Open: balanced accuracy .644 on summaries and .743 on answers of RAGTruth (its card)", "hhem",
    ),
    KnownModel(
        "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", "MIT", 184,
        "accuracy .712 on round 1 and .495 on round 3 of ANLI, three classes (its card)",
    ),
    KnownModel(
        "cross-encoder/nli-deberta-v3-small", "Apache-2.0", 142,
        "accuracy .917 on SNLI and .876 on MultiNLI mismatched, three classes (its card)",
    ),
)  # fmt: skip
"""The best first: those trained to judge claims against documents before those trained on pairs of sentences."""


def template_of(model: str, asked: str) -> Template:
    """The template that was asked for; for ``auto`` the model's own, by its name or by the config of its folder."""
    if asked != "auto":
        return BY_NAME[asked]
    if pretrained.foundation_of(Path(model).expanduser()):
        return BY_NAME["hhem"]
    return BY_NAME[next((known.template for known in MODELS if known.name == model), "pair")]


class Entailment(ModelScorer):
    """P(the row entails the column), by a natural-language-inference classifier.

    Matrix (rows, columns) of probabilities in [0, 1]: softmax over the model's classes, with the class of entailment
    from the model's own ``label2id``. ``by=sentence`` is SummaC's zero-shot setting; MiniCheck and HHEM were trained
    for ``by=document``. ``gate=argmax`` counts a probability only where entailment is the most probable class,
    otherwise 0.

    ``template`` is how the model receives the two texts: ``pair`` or ``minicheck``. ``auto`` chooses by the model's
    name on the hub (`MODELS`); HHEM is known by its folder, too.

    If a pair is longer than the model's window, the row is cut into windows that overlap by a quarter, and the
    largest probability counts. A column that takes more than half of the window is cut too, and the probability is
    the mean over its parts, weighted by length.

    Errors:     RequestError where no class of the model means entailment.
    Source:     Li et al., Coverage-based Fairness in MDS, Eq. 2 (gate and truncation: only in their code).
    """

    name: ClassVar[str] = "entailment"
    model: str = "roberta-large-mnli"
    gate: Literal["none", "argmax"] = "none"
    template: Literal["auto", "pair", "minicheck"] = "auto"

    @property
    def computed_by(self) -> str:
        return super().computed_by + ("" if self.template == "auto" else f" template={self.template}")

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} gate={self.gate} by={self.by}"

    def number(self, array: Floats) -> float:
        return float(array[1 if self.gate == "argmax" else 0])

    def arrays_of(self, keys: Sequence[pairs.Key]) -> Iterator[pairs.Arrays]:
        """Per pair (row, column): its probability, and the gated one. Shape (2,)."""
        template = template_of(self.model, self.template)
        if template is BY_NAME["hhem"]:
            resident = models.hhem(*self.loading)
        else:
            resident = models.load("AutoModelForSequenceClassification", *self.loading)
        entails = entailment_class(resident.model.config) if template.entails is None else template.entails
        around = template.frame(resident.tokenizer)

        def forward(windows: Sequence[Sequence[Ids]]) -> Floats:
            return _probabilities(resident, [around.around(*window) for window in windows], entails)

        yield from self.run(keys, resident, around, forward, _mean_of_parts)

    def windows_of(self, lengths: Sequence[int], room: int) -> Iterable[tuple[slice, ...]]:
        row, column = lengths
        if self.windows == "truncate":
            kept = longest_first(row, column, room)
            return [(slice(0, kept[0]), slice(0, kept[1]))]
        longest = room - row if row + column <= room else room // 2
        columns = parts(column, max(longest, 1))
        return [(w, c) for c in columns for w in quarter_overlapping(row, room - (c.stop - c.start))]


def entailment_class(config: Any) -> int:
    """The number of the class that means entailment, from the model's own names of its classes.

    Raises RequestError where no name, or two different numbers, mean entailment.
    """
    by_id, by_label = config.id2label or {}, config.label2id or {}
    classes = {(int(i), str(label)) for i, label in by_id.items()}
    classes |= {(int(i), str(label)) for label, i in by_label.items()}
    found = {i for i, label in classes if label.strip().lower() in ENTAILS}
    if len(found) != 1:
        names = ", ".join(f"{i}: {label}" for i, label in sorted(classes))
        raise RequestError(
            f"{'More than one' if found else 'No'} class of this model means entailment ({names}). Choose a model trained for "
            "natural language inference, or correct label2id and id2label of its config.json (entailment, supports)."
        )
    return found.pop()


def _mean_of_parts(best: Sequence[tuple[int, Floats]]) -> Floats:
    """One probability of a pair: the mean over the parts of its column, weighted by their pieces, at least one."""
    lengths, values = zip(*best, strict=True)
    return np.average(np.stack(values), axis=0, weights=np.maximum(lengths, 1))


def _probabilities(resident: Resident, inputs: Sequence[tuple[Ids, Ids | None]], entails: int) -> Floats:
    """Probability of entailment, and the same where it is the most probable class, else 0. Shape (n, 2)."""
    torch = pretrained.library("torch", "entailment")
    with torch.inference_mode():
        logits = resident.model(**resident.inputs(inputs)).logits.float()
        if logits.ndim == 3:  # of each piece: the first stands for the whole
            logits = logits[:, 0]
        classes = logits.softmax(dim=-1)
        entailed = classes[:, entails]
        gated = entailed * (classes.argmax(dim=-1) == entails)
        found = torch.stack([entailed, gated], dim=1).double().cpu().numpy()
    return np.asarray(found)


def recommended() -> tuple[str, str]:
    """The spec of the best scorer of support that this machine has, and why it is taken."""
    fetch = f"no model of entailment is here; 'fairbrief prefetch {MODELS[1].name}' fetches a small one"
    if not all(importlib.util.find_spec(name) for name in ("torch", "transformers", "huggingface_hub")):
        return "containment", f"it needs no model; pip install 'fairbrief[neural]' allows models; {fetch}"
    for known in MODELS:
        if pretrained.cached(known.name, "recommended"):
            return known.spec, f"the best model of entailment here: {known.published}"
    minilm = "sentence-transformers/all-MiniLM-L6-v2"
    if importlib.util.find_spec("sentence_transformers") and pretrained.cached(minilm, "recommended"):
        return "embedding", f"it finds the source of a paraphrase best; {fetch}"
    return "containment", f"it needs no model; {fetch}"
