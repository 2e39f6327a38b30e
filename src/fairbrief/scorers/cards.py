"""Scorer cards: how far each scorer can be trusted, from people's judgements and paraphrased sentences.

The figures are in cards.json, which ``python -m benchmarks.scorers.cards`` writes; docs/reference/scorers.md shows all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

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


def card_of(spec: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The entry of a scorer in cards.json, by name or spec, and its figures (support by data, source, planted).

    Empty for a scorer without an entry, such as a plug-in's, or that was not run. The figures are of the spec's ``by``, where that
    was run, else of the first that was.
    """
    parsed = _parsed(spec)
    entry = everything()["scorers"].get(parsed.name, {})
    ran = entry.get("by", {})
    return entry, ran.get(parsed.settings.get("by"), next(iter(ran.values()), {}))


def roc_auc(figures: Mapping[str, Any], kind: str) -> float:
    """ROC-AUC of support on text of a kind, by people's labels."""
    name = next(name for name, about in everything()["made"]["labels"].items() if about["kind"] == kind)
    return float(figures["support"][name]["roc_auc"][0])


def summary(spec: str) -> str:
    """One line on a scorer by name or spec: what it is good for, by which figures; or that it has no card."""
    entry, figures = card_of(spec)
    if figures:
        rank = figures["source"]["by_share"][FAITHFUL][0]
        model = f"with {entry['model']}: " if "model" in entry else ""
        copied, rewritten, claims = (roc_auc(figures, kind) for kind in (COPIED, REWRITTEN, CLAIMS))
        return (
            f"{model}finds a sentence's source (mean reciprocal rank {rank:.3f} with 30% of its words replaced); judges support with "
            f"ROC-AUC {copied:.2f} on copied text, {rewritten:.2f} on rewritten text, {claims:.2f} on claims (chance 0.50)"
        )
    if published := entry.get("published"):
        figure = published[0]
        return f"not run here; published: {figure['figure']} {figure['value']:.2f} by {figure['model']} on {figure['data']}"
    return f"no figures: {entry.get('no_figure', 'it was not run')}" if entry else NO_CARD


def cautions(scorers: Iterable[str], *, advises: bool = True, is_english: bool = True) -> Iterator[str]:
    """The cautions about scorers by name or spec, with what to try (``advises``); none if all are good. The first screen shows them.

    The figures are of English texts, and so is the model to try; where texts are not (``is_english``), the caution says so.
    Scorers that were calibrated or checked on the user's labels are excluded, since these show more than the card.
    """
    known = {spec: card_of(spec) for spec in dict.fromkeys(scorers) if not uses_in(_parsed(spec).settings)}
    if missing := [f"'{spec}'" for spec, (entry, _) in known.items() if not entry]:
        yield f"how well {' and '.join(missing)} judges support was not measured: no card"
    on_rewritten = {spec: roc_auc(figures, REWRITTEN) for spec, (_, figures) in known.items() if figures}
    if few := [f"'{spec}' {auc:.2f}" for spec, auc in on_rewritten.items() if auc < ENOUGH]:
        text = "rewritten text" if is_english else "rewritten English text"
        figures = f"ROC-AUC on {text}: {', '.join(few)}; chance 0.50"
        advice = f". {BETTER}" if advises and is_english else ""
        yield f"a paraphrase can count as not covered ({figures}){advice}"
