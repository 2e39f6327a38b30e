"""What scorers find of summaries in their sources, in words and as a table: a number is as good as the scorer behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from fairbrief import specs
from fairbrief.reports import number_format, wording
from fairbrief.reports.plain import named
from fairbrief.types import REFERENCE, Table

Reach = Mapping[str, Any]
"""What an audit recorded of one scorer in ``made['reach']``: see `fairbrief.auditing.instrument.reach_of`."""
FEWEST_FOUND = 0.5
"""A scorer that finds fewer of a system's claims than this does not reach its summaries."""
FEWEST_OF_SOURCES = 0.9
"""Of the sources' own sentences, which are there word for word."""
FEWER = 0.25
"""So much smaller a share than of people's references is far less."""
MOST_SHOWN = 6
"""Claims that are found nowhere and are shown below a table."""
LEXICAL = ("ngram", "containment", "tfidf", "rouge1", "rouge2", "rougeL")


def shortfalls(made: Mapping[str, Any], measures: Collection[str]) -> list[str]:
    """A sentence for each scorer of these measures (by spec) that does not reach the summaries; what would do better."""
    entries = [one for one in made.get("reach") or () if set(one["measures"]) & set(measures)]
    return [text for one in entries if (text := _shortfall(one, made))]


def _shortfall(one: Reach, made: Mapping[str, Any]) -> str:
    found = {row["who"]: row["found"] for row in one["of"]}
    systems = [who for who in found if who in (made.get("systems") or ()) and not _is_by_people(who)]
    sources, elsewhere = (row["found"] for row in one["of"][-2:])
    by_people = max((share for who, share in found.items() if _is_by_people(who)), default=0.0)
    few = [who for who in systems if found[who] < FEWEST_FOUND or by_people - found[who] > FEWER]
    if sources < FEWEST_OF_SOURCES:
        what = f"does not even find the sources' own sentences: {_share(sources)} of them"
    elif few:
        shares = ", ".join(f"{_share(found[who])} of {named(who)}'s" for who in few[:MOST_SHOWN])
        what = f"finds few of the summaries' claims in their sources: {shares}"
    else:
        return ""
    people = f"{_share(by_people)} of people's, " if by_people and few else ""
    beside = f"{people}{_share(sources)} of the sources' own sentences, {_share(elsewhere)} in another record's documents"
    return (
        f"the scorer {named(one['scorer'])} {what} ({beside}). What it does not find can be paraphrase, and findings by "
        f"{', '.join(_names(one))} say nothing of it. {better(one['scorer'])}"
    )


def _is_by_people(who: str) -> bool:
    return who == f"{REFERENCE}s" or who.startswith(f"{REFERENCE} ")


def _share(share: float) -> str:
    return f"{share:.0%}"


def _names(one: Reach) -> list[str]:
    return list(dict.fromkeys(wording.name_of(measure) for measure in one["measures"]))


def better(scorer: str) -> str:
    """What would do better than a scorer of words, installed or to be installed."""
    if specs.parse(scorer).name not in LEXICAL:
        return "Label some hundred pairs of your own to see how far it can be trusted"
    how = "" if find_spec("torch") else " (to be installed: pip install 'fairbrief[neural]')"
    return f"A scorer that reads meaning may: entailment{how}"


def tables(made: Mapping[str, Any]) -> list[Table]:
    """One table: by scorer and author how well the best document supports a claim, and how many claims are found."""
    entries = made.get("reach") or ()
    if not entries:
        return []
    rows = [row for one in entries for row in _rows(one)]
    shown = [
        f"{one['scorer']}, {named(row['who'])}, {named(claim['record'])}: {named(claim['text'])}"
        for one in entries
        for row in one["of"]
        for claim in row["unfound"][:1]
    ]
    notes = (
        "best document: how strongly it supports a claim, on the scorer's scale.",
        "found: its best document supports it more than another record's documents support 95% of the claims.",
        "What is not found can be paraphrase, or invented.",
        *(["Not found, for instance:", *shown[:MOST_SHOWN]] if shown else []),
    )
    return [Table("What do the scorers find in the sources?", ("scorer, author", "claims", "best document", "found"), tuple(rows), notes)]  # fmt: skip


def _rows(one: Reach) -> Iterator[tuple[str, ...]]:
    yield f"{one['scorer']} · {', '.join(_names(one))}", "", "", ""
    for row in one["of"]:
        yield (
            f"  {named(row['who'])}",
            number_format.count(row["claims"]),
            f"{row['best']:.2f}",
            _share(row["found"]),
        )
