"""Scorer cards: how far each scorer can be trusted, from people's judgements and paraphrased sentences.

The figures are in cards.json, which ``python -m benchmarks.scorers.cards`` writes; docs/reference/scorers.md shows all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from fairbrief import specs
from fairbrief.errors import RequestError
from fairbrief.scorers.calibrated import uses_in

COPIED, REWRITTEN, CLAIMS = "extractive", "abstractive", "claims"
"""Kinds of text that people judged: summaries that copy sentences, summaries in new words, and claims of an encyclopedia."""
FAITHFUL = "0.3"
"""The share of replaced words at which a summary is quoted to find sources."""
ENOUGH = 0.75
"""ROC-AUC on rewritten text from which on no caution is given."""
BETTER = (
    "A model trained to judge support may see it: 'fairbrief prefetch vectara/hallucination_evaluation_model' fetches a "
    "small one (extra 'neural'), and --scorers recommended takes it"
)
NO_CARD = "no card: how well it judges support was not measured"


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a scorer. ``by`` says which way to cut documents its figures are of."""

    name: str
    by: str
    entry: Mapping[str, Any]

    @property
    def figures(self) -> Mapping[str, Any] | None:
        """Figures of runs with this setting: support by data, source, planted; None where it was not run."""
        found: Mapping[str, Any] | None = self.entry.get("by", {}).get(self.by)
        return found

    def roc_auc(self, kind: str) -> float | None:
        """ROC-AUC of support on text of a kind, by people's labels; None where it was not run."""
        if self.figures is None:
            return None
        name = next(name for name, about in everything()["made"]["labels"].items() if about["kind"] == kind)
        return float(self.figures["support"][name]["roc_auc"][0])

    def summary(self) -> str:
        """One line: what it is good for, by which figures."""
        if self.figures is not None:
            rank = self.figures["source"]["by_share"][FAITHFUL][0]
            model = f"with {self.entry['model']}: " if "model" in self.entry else ""
            return (
                f"{model}finds a sentence's source (mean reciprocal rank {rank:.3f} with 30% of its words replaced); judges support "
                f"with ROC-AUC {self.roc_auc(COPIED):.2f} on copied text, {self.roc_auc(REWRITTEN):.2f} on rewritten text, "
                f"{self.roc_auc(CLAIMS):.2f} on claims (chance 0.50)"
            )
        if published := self.entry.get("published"):
            figure = published[0]
            return f"not run here; published: {figure['figure']} {figure['value']:.2f} by {figure['model']} on {figure['data']}"
        return f"no figures: {self.entry.get('no_figure', 'it was not run')}"

    def misses_paraphrases(self) -> bool:
        """Whether it was run, and judges rewritten text worse than `ENOUGH`."""
        rewritten = self.roc_auc(REWRITTEN)
        return rewritten is not None and rewritten < ENOUGH


@cache
def everything() -> Mapping[str, Any]:
    """The content of cards.json."""
    found: Mapping[str, Any] = json.loads(
        resources.files("fairbrief.scorers").joinpath("cards.json").read_text(encoding="utf-8")
    )
    return found


def card_of(spec: str) -> Card | None:
    """The card of a scorer by name or spec; None for one that has none, a plug-in's say.

    The figures are of the spec's ``by``, where that was run, else of the first that was.
    """
    try:
        parsed = specs.parse(spec)
    except RequestError:
        return None
    entry = everything()["scorers"].get(parsed.name)
    if entry is None:
        return None
    ran = list(entry.get("by", {}))
    by = parsed.settings.get("by", "")
    return Card(parsed.name, by if by in ran else next(iter(ran), ""), entry)


def summary(spec: str) -> str:
    """One line on a scorer by name or spec: its card's summary, or that it has no card."""
    card = card_of(spec)
    return NO_CARD if card is None else card.summary()


def cautions(scorers: Iterable[str], *, advises: bool = True) -> Iterator[str]:
    """What a reader of coverage must know of scorers by name or spec, and what to try (``advises``); nothing where all are good.

    A scorer that labels of one's own calibrated or checked is left out: they say more than its card.
    """
    known = {spec: card_of(spec) for spec in dict.fromkeys(scorers) if not _has_labels(spec)}
    if missing := [f"'{spec}'" for spec, card in known.items() if card is None]:
        yield f"how well {' and '.join(missing)} judges support was not measured: no card"
    few = [
        f"'{spec}' {card.roc_auc(COPIED):.2f} on copied, {card.roc_auc(REWRITTEN):.2f} on rewritten text"
        for spec, card in known.items()
        if card is not None and card.misses_paraphrases()
    ]
    if few:
        judged = f"ROC-AUC of support, by people's judgements (chance 0.50): {'; '.join(few)}"
        yield f"a paraphrase can count as left out. {judged}" + (f". {BETTER}" if advises else "")


def _has_labels(spec: str) -> bool:
    """Whether a spec names a file that labels were weighed in."""
    try:
        return bool(uses_in(specs.parse(spec).settings))
    except RequestError:
        return False
