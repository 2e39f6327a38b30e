"""What scorers find of summaries in their sources, in words and as a table: a number is as good as the scorer behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fairbrief.reports import number_format, wording
from fairbrief.reports.plain import named
from fairbrief.scorers import cards
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


def shortfalls(made: Mapping[str, Any], measures: Collection[str], *, is_brief: bool = False) -> list[str]:
    """What each scorer of these measures (by spec) finds, if that is little; unless ``is_brief``, also what to compare it with, and
    what to try.
    """
    entries = [entry for entry in made.get("reach") or () if set(entry["measures"]) & set(measures)]
    return [text for entry in entries if (text := _shortfall(entry, made, is_brief=is_brief))]


def _shortfall(entry: Reach, made: Mapping[str, Any], *, is_brief: bool) -> str:
    shares = {row["author"]: row["share_found"] for row in entry["authors"]}
    sources, elsewhere = (row["share_found"] for row in entry["authors"][-2:])
    by_people = max((share for author, share in shares.items() if _is_by_people(author)), default=0.0)
    systems = [
        author for author in made.get("systems") or () if author in shares and not _is_by_people(author)
    ]
    few = [
        system for system in systems if shares[system] < FEWEST_FOUND or by_people - shares[system] > FEWER
    ]
    if sources < FEWEST_OF_SOURCES:
        what = f"does not even find the sources' own sentences: {sources:.0%} of them"
    elif few:
        listed = ", ".join(f"{shares[system]:.0%} of {named(system)}'s" for system in few[:MOST_SHOWN])
        what = f"finds few of the summaries' claims in their sources: {listed}"
    else:
        return ""
    if is_brief:
        return f"the scorer {named(entry['scorer'])} {what}"
    people = f"{by_people:.0%} of people's, " if by_people and few else ""
    beside = (
        f"{people}{sources:.0%} of the sources' own sentences, {elsewhere:.0%} in another record's documents"
    )
    return (
        f"the scorer {named(entry['scorer'])} {what} ({beside}). What it does not find can be paraphrase, and findings by "
        f"{_measures(entry)} do not see it. {better(entry['scorer'])}"
    )


def _is_by_people(author: str) -> bool:
    return author == f"{REFERENCE}s" or author.startswith(f"{REFERENCE} ")


def _measures(entry: Reach) -> str:
    return ", ".join(dict.fromkeys(wording.name_of(measure) for measure in entry["measures"]))


def better(scorer: str) -> str:
    """What to try, by the scorer's card."""
    card = cards.card_of(scorer)
    if card is not None and card.misses_paraphrases():
        return cards.BETTER
    return (
        "Some hundred labelled pairs of your own would tell how far it can be trusted (fairbrief calibrate)"
    )


def tables(made: Mapping[str, Any]) -> list[Table]:
    """One table: by scorer and author how well the best document supports a claim, and how many claims are found."""
    entries = made.get("reach") or ()
    if not entries:
        return []
    rows = [row for entry in entries for row in _rows(entry)]
    examples = [
        f"{entry['scorer']}, {named(row['author'])}, {named(claim['record'])}: {named(claim['text'])}"
        for entry in entries
        for row in entry["authors"]
        for claim in row["examples"][:1]
    ]
    notes = (
        "best document: how strongly it supports a claim, on the scorer's scale.",
        "found: its best document supports it more than another record's documents support 95% of the claims.",
        "What is not found can be paraphrase, or invented.",
        *(["Not found, for instance:", *examples[:MOST_SHOWN]] if examples else []),
    )
    header = ("scorer, author", "claims", "best document", "found")
    return [Table("What do the scorers find in the sources?", header, tuple(rows), notes)]


def _rows(entry: Reach) -> Iterator[tuple[str, ...]]:
    yield f"{entry['scorer']} · {_measures(entry)}", "", "", ""
    for row in entry["authors"]:
        many, support, share = row["claims"], row["support"], row["share_found"]
        yield f"  {named(row['author'])}", number_format.count(many), f"{support:.2f}", f"{share:.0%}"
