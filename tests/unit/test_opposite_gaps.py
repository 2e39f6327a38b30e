"""Gaps that cancel over the whole audit are told with the attribute of the records by which they part."""

from __future__ import annotations

import random
from typing import Any

import pytest

import fairbrief
from fairbrief.reports.first_answers import answers

WORDS = {"positive": ("lovely", "bright", "warm", "fresh"), "negative": ("rude", "stale", "dirty", "bland")}


def rows(n: int, *, by_city: bool) -> list[dict[str, Any]]:
    """Records of two positive and two negative texts; in one city only the positive are summarized, in the other only the
    negative (``by_city``), or one of each.
    """
    rng = random.Random(0)
    found = []
    for i in range(n):
        documents = [
            {"text": _text(rng, WORDS[tone]), "attributes": {"tone": tone}}
            for tone in ("positive", "positive", "negative", "negative")
        ]
        rng.shuffle(documents)
        city = ("Rome", "Oslo")[i % 2]
        wanted = ("positive", "negative")[i % 2]
        kept = [d for d in documents if d["attributes"]["tone"] == wanted] if by_city else documents
        summary = " ".join(d["text"].partition(". ")[0] + "." for d in kept)
        found.append({
            "id": str(i), "documents": documents, "attributes": {"city": city}, "system": "s", "summary": summary
        })  # fmt: skip
    return found


def _text(rng: random.Random, words: tuple[str, ...]) -> str:
    sentences = [
        f"The item{rng.randrange(80)} was {rng.choice(words)} near item{rng.randrange(80)}." for _ in range(3)
    ]
    return " ".join(sentences)


def told(by_city: bool) -> dict[str, str]:
    """The first screen's answers."""
    audit = fairbrief.audit(rows(80, by_city=by_city), attributes="tone", n_resamples=400)
    return {a.asked: " ".join(text for text, _ in a.lines) for a in answers(audit.result)}


@pytest.mark.parametrize("by_city", [True, False])
def test_gaps_that_cancel_are_told_with_where_they_part(by_city: bool) -> None:
    """Two cities with opposite gaps are named with the group that is below in each; a system that is even is not."""
    found = told(by_city)
    assert found["Finding"].startswith("No group is significantly below random sentences.")
    assert ("gaps in opposite directions cancel across city" in found["Finding"]) == by_city
    if by_city:
        text = found["Finding"]
        assert "city Rome: tone negative −" in text
        assert "city Oslo: tone positive −" in text
        assert "--by city" in text
