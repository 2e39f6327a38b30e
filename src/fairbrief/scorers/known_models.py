"""Models that judge support and run without a server: how each is given its two texts, and which to take."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairbrief.pretrained import hub
from fairbrief.pretrained.placement import Placement
from fairbrief.scorers import models
from fairbrief.scorers.models import Resident
from fairbrief.scorers.pieces import Frame, frame, pieces

HHEM = "Determine if the hypothesis is true given the premise?\n\nPremise:", "\n\nHypothesis:"
"""What stands before the premise and before the hypothesis."""


def pair_frame(tokenizer: Any) -> Frame:
    """Two texts as the tokenizer frames a pair."""
    return frame(tokenizer, pair=True)


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


@dataclass(frozen=True, slots=True)
class Template:
    """How a model is given two texts, and loaded; ``entails`` is the class that means support, None where its names say it."""

    frame: Callable[[Any], Frame]
    entails: int | None = None
    load: Callable[[hub.Snapshot, Placement, str], Resident] = models.classifier


BY_NAME = {
    "pair": Template(pair_frame),
    "minicheck": Template(minicheck_frame, entails=1),
    "hhem": Template(hhem_frame, entails=1, load=models.hhem),
}
TEMPLATES = ("auto", *BY_NAME)


@dataclass(frozen=True, slots=True)
class KnownModel:
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
    if hub.foundation_of(Path(model).expanduser()):
        return BY_NAME["hhem"]
    return BY_NAME[next((known.template for known in MODELS if known.name == model), "pair")]


def recommended() -> tuple[str, str]:
    """The spec of the best scorer of support that this machine has, and why it is taken."""
    has_models = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "huggingface_hub"))
    here = [known for known in MODELS if has_models and hub.cached(known.name, "recommended")]
    if here:
        return here[0].spec, f"the best model of entailment here: {here[0].published}"
    fetch = f"no model of entailment is here; 'fairbrief prefetch {MODELS[1].name}' fetches a small one"
    minilm = "sentence-transformers/all-MiniLM-L6-v2"
    if has_models and importlib.util.find_spec("sentence_transformers") and hub.cached(minilm, "recommended"):
        return "embedding", f"it finds the source of a paraphrase best; {fetch}"
    install = "" if has_models else "pip install 'fairbrief[neural]' allows models; "
    return "containment", f"it needs no model; {install}{fetch}"
