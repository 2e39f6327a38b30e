"""Scorer reach, in words and as a table: the share of the summaries' claims that each scorer finds in the sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fairbrief.reports import number_format, wording
from fairbrief.reports.plain import named
from fairbrief.scorers import cards
from fairbrief.text.counted import listed
from fairbrief.types import REFERENCE, Table

Reach = Mapping[str, Any]
"""An entry of ``made['reach']``, as `fairbrief.auditing.scorer_checks.reach_of` makes it."""
FEWEST_FOUND = 0.5
"""Below this share of a system's claims, a scorer does not reach the system's summaries."""
FEWEST_OF_SOURCES = 0.9
"""The same for the sources' sentences, which are in the sources word for word."""
FEWER = 0.25
"""By how much a share must be below that of people's references to count as small."""
MOST_SHOWN = 6
"""Missed claims shown below a table, and systems named in a sentence."""


def shortfalls(made: Mapping[str, Any], measures: Collection[str], *, is_brief: bool = False) -> list[str]:
    """A sentence for each scorer of these measures (specs) that finds few claims; unless ``is_brief``, with comparisons and advice."""
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
        return (
            f"the scorer {named(entry['scorer'])} finds {f'only {sources:.0%}' if sources >= 0.005 else 'none'} of the sources' own sentences: documents of other "
            "records support the rest about as much, for instance because records repeat each other"
        )
    if few:
        listed = ", ".join(f"{named(system)} {shares[system]:.0%}" for system in few[:MOST_SHOWN])
        more = f" and {len(few) - MOST_SHOWN} more systems" if len(few) > MOST_SHOWN else ""
        what = f"finds few of the summaries' claims in the sources: {listed}{more}"
    else:
        return ""
    if is_brief:
        return f"the scorer {named(entry['scorer'])} {what}"
    people = f"people's references {by_people:.0%}, " if by_people else ""
    compared = f"{people}the sources' own sentences {sources:.0%}, another record's documents {elsewhere:.0%}"
    return (
        f"the scorer {named(entry['scorer'])} {what} ({compared}). Missed claims can be paraphrases, which {_measures(entry)} "
        f"cannot see. {better(entry['scorer'])}"
    )


def _is_by_people(author: str) -> bool:
    return author == f"{REFERENCE}s" or author.startswith(f"{REFERENCE} ")


def _measures(entry: Reach) -> str:
    return listed(list(dict.fromkeys(wording.name_of(measure) for measure in entry["measures"])))


def better(scorer: str) -> str:
    """The advice for a scorer that finds few claims."""
    card = cards.card_of(scorer)
    if card is not None and card.misses_paraphrases():
        return cards.BETTER
    return "A few hundred pairs that you label show how far to trust it (fairbrief calibrate)"


def tables(made: Mapping[str, Any]) -> list[Table]:
    """At most one table: by scorer and author, the support by the best document and the share of claims found."""
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
        "best document: its support for a claim, on the scorer's scale.",
        "found: the best document supports the claim more than another record's documents support 95% of the claims.",
        "A claim that is not found can be a paraphrase or an invention.",
        *(["Examples of claims that were not found:", *examples[:MOST_SHOWN]] if examples else []),
    )
    header = ("scorer, author", "claims", "best document", "found")
    return [Table("Claims that the scorers find in the sources", header, tuple(rows), notes)]


def _rows(entry: Reach) -> Iterator[tuple[str, ...]]:
    yield f"{entry['scorer']} · {_measures(entry)}", "", "", ""
    for row in entry["authors"]:
        many, support, share = row["claims"], row["support"], row["share_found"]
        yield f"  {named(row['author'])}", number_format.count(many), f"{support:.2f}", f"{share:.0%}"
