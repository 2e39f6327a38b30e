"""Scorer cards: how far each scorer can be trusted, from people's judgements and paraphrased sentences.

The figures are in cards.json, which ``python -m benchmarks.scorers.cards`` writes; docs/reference/scorers.md shows all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from fairbrief import specs
from fairbrief.errors import RequestError
from fairbrief.scorers.calibrated import uses_in

COPIED, REWRITTEN, CLAIMS = "extractive", "abstractive", "claims"
"""Kinds of text that people judged: summaries that copy sentences, summaries in new words, and claims of an encyclopedia."""
FAITHFUL = "0.3"
"""The share of replaced words whose result is quoted in a card's summary: how often the scorer finds the source of a sentence."""
ENOUGH = 0.75
"""ROC-AUC on rewritten text from which on no caution is given."""
BETTER = (
    "A model may detect paraphrases: fairbrief prefetch vectara/hallucination_evaluation_model "
    "(extra 'neural'), then --scorers recommended"
)
NO_CARD = "no card: how well it judges support was not measured"


class Card(NamedTuple):
    """The entry of a scorer in cards.json, and its figures (support by data, source, planted); None if it was not run."""

    entry: Mapping[str, Any]
    figures: Mapping[str, Any] | None

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


@cache
def everything() -> Mapping[str, Any]:
    """The content of cards.json."""
    text = resources.files("fairbrief.scorers").joinpath("cards.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def _parsed(spec: str) -> specs.Spec:
    """A scorer's spec; without settings, if it is another name."""
    try:
        return specs.parse(spec)
    except RequestError:
        return specs.Spec(spec)


def card_of(spec: str) -> Card | None:
    """The card of a scorer by name or spec; None for a scorer without one, such as a plug-in's.

    The figures are of the spec's ``by``, where that was run, else of the first that was.
    """
    parsed = _parsed(spec)
    entry = everything()["scorers"].get(parsed.name)
    if entry is None:
        return None
    ran = entry.get("by", {})
    return Card(entry, ran.get(parsed.settings.get("by"), next(iter(ran.values()), None)))


def summary(spec: str) -> str:
    """One line on a scorer by name or spec: its card's summary, or that it has no card."""
    card = card_of(spec)
    return NO_CARD if card is None else card.summary()


def cautions(scorers: Iterable[str], *, advises: bool = True) -> Iterator[str]:
    """The cautions about scorers by name or spec, with what to try (``advises``); none if all are good. The first screen shows them.

    Scorers that were calibrated or checked on the user's labels are excluded, since these show more than the card.
    """
    known = {spec: card_of(spec) for spec in dict.fromkeys(scorers) if not uses_in(_parsed(spec).settings)}
    if missing := [f"'{spec}'" for spec, card in known.items() if card is None]:
        yield f"how well {' and '.join(missing)} judges support was not measured: no card"
    on_rewritten = {spec: card.roc_auc(REWRITTEN) for spec, card in known.items() if card is not None}
    few = [f"'{spec}' {auc:.2f}" for spec, auc in on_rewritten.items() if auc is not None and auc < ENOUGH]
    if few:
        figures = f"ROC-AUC on rewritten text: {', '.join(few)}; chance 0.50"
        yield f"a paraphrase can count as not covered ({figures})" + (f". {BETTER}" if advises else "")
