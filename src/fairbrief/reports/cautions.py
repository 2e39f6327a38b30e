"""What a reader must know before relying on a finding: few records, copies, document lengths, and limits of the scorer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from fairbrief import specs
from fairbrief.conclusions import FEWEST_TO_DECIDE, MAX_LEFT_OUT, NAMED, WORDS
from fairbrief.reports import tables, wording
from fairbrief.reports.plain import named
from fairbrief.reports.wording import Context, capital, noted, of_system, p_text, signed, worded
from fairbrief.scorers import cards
from fairbrief.text.counted import counted, listed
from fairbrief.types import REFERENCE, Estimate

TOO_FEW = f"too few to act on (the gate needs {FEWEST_TO_DECIDE})"
"""Of records: all of them, or those of some systems."""
AT_EQUAL_LENGTH = ("length_held_equal", "documents_alike")
"""Notes with group differences at equal document lengths."""
MOST_NAMED = 3
"""Languages and findings that are named."""
FEWEST_FOUND = 0.5
"""Below this share of a system's claims, a scorer does not reach the system's summaries."""
FEWEST_OF_SOURCES = 0.9
"""The same for the sources' sentences, which are in the sources word for word."""
FEWER = 0.25
"""A share is small if it is lower than that of people's references by more than this."""
MOST_SYSTEMS = 6
"""Systems that are named, here and in findings."""


def cautions(context: Context) -> list[str]:
    """The cautions about the leading panel and about the significant differences of the others, as sentences."""
    leading, *others = context.panels
    shown = [*leading, *(e for members in others for e in members if context.kind(e) in NAMED)]
    lines = [*_doubts(shown, context)]
    advises = _is_english(context.made) and not any(cards.BETTER in text for text in lines)
    lines += cards.cautions(filter(None, (_judge(e, context) for e in shown)), advises=advises)
    return [f"{capital(text)}." for text in dict.fromkeys(lines)]


def _doubts(shown: Sequence[Estimate], context: Context) -> Iterator[str]:
    """Everything but the cards of the scorers."""
    significant = [e for e in shown if context.kind(e) in NAMED]
    enough = [e for e in shown if e.clusters >= FEWEST_TO_DECIDE]
    few = {e.system: e for e in shown if e.clusters < FEWEST_TO_DECIDE}
    yield from map(
        worded, noted(context.result.estimates, "groups_alike", "groups_missing", "without_claims")
    )
    yield from _without_text(context.made)
    for clause, more in shortfalls(context.made, {e.measure for e in shown}):
        yield clause + more
    if enough and few:
        systems = ", ".join(f"{named(system)} ({context.records(e)})" for system, e in few.items())
        yield f"{TOO_FEW}: summaries by {systems}"
    sizes = ((e.over, group, n) for e in enough for group, n, _ in wording.sizes_of(e))
    if small := {wording.group_with(over, group): n for over, group, n in sizes if n < FEWEST_TO_DECIDE}:
        groups = ", ".join(f"{group} ({n:,})" for group, n in small.items())
        yield f"groups in fewer than {FEWEST_TO_DECIDE} records are too small to act on: {groups}"
    yield from filter(None, (_lost_at_equal_length(e, context) for e in significant))
    for e in significant:
        yield from (
            f"{of_system(e)}: {worded(note)}" for note in noted([e], "scorer_differs", "scorer_retrieves")
        )
    yield from _other_records(context)
    yield from (wording.joined(e.notes) or WORDS["too few"] for e in shown if context.kind(e) == "too few")
    yield from map(worded, noted(shown, "place_is_group"))
    # A difference from random sentences is tested by its standard error, for which resamples do not matter.
    by_permutations = (e for members in context.panels for e in members if e.extract_p is None)
    if hidden := noted(by_permutations, "tests_need_resamples"):
        yield worded(max(hidden, key=lambda note: note.arguments["resamples"]))


def _without_text(made: Mapping[str, Any]) -> Iterator[str]:
    """The systems that lack more summaries than a gate allows by default."""
    for system, reasons in (made.get("without_text") or {}).items():
        many, total = sum(reasons.values()), made["summaries_by_system"][system]
        if many > MAX_LEFT_OUT * total:
            why = tables.reasons(reasons)
            yield f"{many:,} of {total:,} summaries by {named(system)} do not count ({why})"


def _other_records(context: Context) -> Iterator[str]:
    """Copied records and documents in other languages, with the findings without them."""
    made = context.made
    for name, what in (
        ("copies", "records have the same documents as another record with a different id"),
        ("same_summaries", "records have the same summary as another record with different documents"),
    ):
        if found := made.get(name):
            some = f"{found['records']:,} {what} (for instance {', '.join(map(named, found['examples']))})"
            yield some + _without(name, context)
    if others := made.get("other_languages"):
        ordered = sorted(((entry["documents"], code) for code, entry in others.items()), reverse=True)
        languages = listed([f"{code} {many:,}" for many, code in ordered], MOST_NAMED)
        many = counted(sum(many for many, _ in ordered), "document")
        without = _without("other_languages", context)
        yield f"{many} in another language than the others ({languages}){without}"


def _without(name: str, context: Context) -> str:
    """The findings without some records: those that are no longer significant, else the first one's value."""
    known = (context.made.get("without") or {}).get(name) or ()
    entries = {(e["measure"], e["quantity"], e["system"]): e for e in known}
    lost: list[str] = []
    kept: list[str] = []
    for e in context.significant(context.panels[0]) or [context.first]:
        without = entries.get((e.measure, e.quantity, e.system))
        if without is None or without["value"] is None:
            continue
        p = without["p"] if without["extract_p"] is None else without["extract_p"]
        value = signed(without["value"], context.words(e).unit)
        text = f"{of_system(e)}: {value}{'' if p is None else f', {p_text(p)}'}"
        (lost if context.kind(e) in NAMED and p is not None and p > context.alpha else kept).append(text)
    which = "them" if name == "other_languages" else "the copies"
    if lost:
        return f"; without {which} no longer significant: {'; '.join(lost[:MOST_NAMED])}"
    return f"; without {which}, {kept[0]} (unadjusted)" if kept else ""


def _lost_at_equal_length(e: Estimate, context: Context) -> str:
    """A sentence if a finding is not significant at equal document lengths, else ""."""
    for note in e.notes:
        entry = note.arguments.get("readings", {}).get(e.group) if note.code in AT_EQUAL_LENGTH else None
        if entry and entry["survives"] is False:
            value, p = entry["free"]["value"], entry["free"]["p"]
            difference = signed(value, context.words(e).unit)
            return f"{of_system(e)}: not significant at equal document lengths ({difference}, {p_text(p)})"
    return ""


def _judge(e: Estimate, context: Context) -> str:
    """The spec of the scorer with which the measure judges support; "" for a measure without one."""
    declared = context.made.get("declared", {}).get(wording.name_of(e.measure), {})
    default = str(declared.get("scorer") or "")
    spec = specs.parse(e.measure).settings.get("scorer", default) if default else ""
    return spec if spec in context.made.get("scorers", {}) else ""


# ------------------------------------------------------------------------------------- reach of scorers


def shortfalls(made: Mapping[str, Any], measures: Collection[str]) -> Iterator[tuple[str, str]]:
    """A clause for each scorer of these measures (specs) that finds few claims, and how it goes on, with comparisons and advice.

    Scorers that find as few of the sources' own sentences share a clause.
    """
    blind: dict[str, list[str]] = {}
    others: list[tuple[str, str]] = []
    for entry in made.get("reach") or ():
        if not set(entry["measures"]) & set(measures):
            continue
        scorer = named(entry["scorer"])
        shares = {row["author"]: row["share_found"] for row in entry["authors"]}
        *_, sources, elsewhere = shares.values()
        by_people = max((share for author, share in shares.items() if _is_by_people(author)), default=0.0)
        systems = [s for s in made.get("systems") or () if s in shares and not _is_by_people(s)]
        few = [s for s in systems if shares[s] < FEWEST_FOUND or by_people - shares[s] > FEWER]
        if sources < FEWEST_OF_SOURCES:
            blind.setdefault(f"only {sources:.0%}" if sources >= 0.005 else "none", []).append(scorer)
        elif few:
            found = listed([f"{named(s)} {shares[s]:.0%}" for s in few], MOST_SYSTEMS)
            people = f"people's references {by_people:.0%}, " if by_people else ""
            more = (
                f" ({people}the sources' own sentences {sources:.0%}, another record's documents {elsewhere:.0%}). Missed claims "
                f"can be paraphrases, which {wording.names_of(entry['measures'])} cannot see. {_advice(entry['scorer'], made)}"
            )
            text = f"the scorer {scorer} finds few of the summaries' claims in the sources: {found}"
            others.append((text, more))
    for part, scorers in blind.items():
        who = f"the scorer {scorers[0]} finds" if len(scorers) == 1 else f"the scorers {listed(scorers)} find"
        rest = "them" if part == "none" else "the rest"
        text = (
            f"{who} {part} of the sources' own sentences: documents of other records support {rest} about as much, "
            "for instance because records repeat each other"
        )
        yield text, ""
    yield from others


def _is_by_people(author: str) -> bool:
    return author == f"{REFERENCE}s" or author.startswith(f"{REFERENCE} ")


def _is_english(made: Mapping[str, Any]) -> bool:
    """Whether the texts are English, as the recommended models are."""
    return (made.get("language") or "English") == "English"


def _advice(scorer: str, made: Mapping[str, Any]) -> str:
    """The advice for a scorer that finds few claims."""
    _, figures = cards.card_of(scorer)
    if _is_english(made) and figures and cards.roc_auc(figures, cards.REWRITTEN) < cards.ENOUGH:
        return cards.BETTER
    return "A few hundred pairs that you label show how far to trust it (fairbrief calibrate)"
