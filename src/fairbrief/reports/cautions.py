"""What a reader must know before relying on a finding: few records, copies, document lengths, and limits of the scorer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import starmap
from typing import Any

from fairbrief import specs
from fairbrief.conclusions import FEWEST_TO_DECIDE, MAX_LEFT_OUT, NAMED, WORDS
from fairbrief.reports import tables, wording
from fairbrief.reports.plain import named
from fairbrief.reports.wording import Context, capital, noted, of_system, p_text, sides, signed, worded
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


def cautions(panels: Sequence[Sequence[Estimate]], context: Context) -> list[str]:
    """The cautions about the leading panel and about the significant differences of the others, as sentences."""
    shown = [*panels[0], *(e for members in panels[1:] for e in members if context.kind(e) in NAMED)]
    significant = [e for e in shown if context.kind(e) in NAMED]
    enough = [e for e in shown if e.clusters >= FEWEST_TO_DECIDE]
    few = {e.system: e for e in shown if e.clusters < FEWEST_TO_DECIDE}
    whole = noted(context.result.estimates, "groups_alike", "groups_missing", "without_claims")
    lines = [worded(note) for note in whole]
    lines += _without_text(context.made)
    lines += shortfalls(context.made, {e.measure for e in shown})
    if enough and few:
        systems = ", ".join(f"{named(system)} ({context.records(e)})" for system, e in few.items())
        lines.append(f"{TOO_FEW}: summaries by {systems}")
    if small := _small_groups(enough):
        groups = ", ".join(f"{group} ({n:,})" for group, n in small.items())
        lines.append(f"groups in fewer than {FEWEST_TO_DECIDE} records are too small to act on: {groups}")
    lines += [text for e in significant if (text := _lost_at_equal_length(e, context))]
    by_scorer = ((e, note) for e in significant for note in noted([e], "scorer_differs", "scorer_retrieves"))
    lines += [f"{of_system(e)}: {worded(note)}" for e, note in by_scorer]
    lines += _other_records(panels[0], context)
    lines += [wording.joined(e.notes) or WORDS["too few"] for e in shown if context.kind(e) == "too few"]
    lines += [worded(note) for note in noted(shown, "place_is_group")]
    # A difference from random sentences is tested by its standard error, for which resamples do not matter.
    by_permutations = (e for members in panels for e in members if e.extract_p is None)
    if hidden := noted(by_permutations, "tests_need_resamples"):
        lines.append(worded(max(hidden, key=lambda note: note.arguments["resamples"])))
    advises = _is_english(context.made) and not any(cards.BETTER in text for text in lines)
    lines += cards.cautions(filter(None, (_judge(e, context) for e in shown)), advises=advises)
    return [f"{capital(text)}." for text in dict.fromkeys(lines)]


def _without_text(made: Mapping[str, Any]) -> list[str]:
    """The systems that lack more summaries than a gate allows by default."""
    lines = []
    for system, reasons in (made.get("without_text") or {}).items():
        many, total = sum(reasons.values()), made["summaries_by_system"][system]
        if many > MAX_LEFT_OUT * total:
            why = tables.reasons(reasons)
            lines.append(f"{many:,} of {total:,} summaries by {named(system)} do not count ({why})")
    return lines


def _other_records(members: Sequence[Estimate], context: Context) -> list[str]:
    """Copied records and documents in other languages, with the findings without them."""
    made, lines = context.made, []
    for name, what in (
        ("copies", "records have the same documents as another record with a different id"),
        ("same_summaries", "records have the same summary as another record with different documents"),
    ):
        if found := made.get(name):
            some = f"{found['records']:,} {what} (for instance {', '.join(map(named, found['examples']))})"
            lines.append(f"{some}{_without(members, name, context)}")
    if others := made.get("other_languages"):
        ordered = sorted(((entry["documents"], code) for code, entry in others.items()), reverse=True)
        languages = listed([f"{code} {many:,}" for many, code in ordered], MOST_NAMED)
        many = counted(sum(many for many, _ in ordered), "document")
        without = _without(members, "other_languages", context)
        lines.append(f"{many} in another language than the others ({languages}){without}")
    return lines


def _without(members: Sequence[Estimate], name: str, context: Context) -> str:
    """The findings without some records: those that are no longer significant, else the first one's value."""
    known = (context.made.get("without") or {}).get(name) or ()
    entries = {(e["measure"], e["quantity"], e["system"]): e for e in known}
    lost: list[str] = []
    kept: list[str] = []
    for e in context.significant(members) or sorted(members, key=context.rank)[:1]:
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


def _small_groups(estimates: Iterable[Estimate]) -> dict[str, int]:
    """The groups with too few clusters to act on, and their number of clusters."""
    small = {}
    for e in estimates:
        names = sides(e.group, 1 if e.other_clusters is None else 2)
        for group, n in zip(names, (e.group_clusters, e.other_clusters), strict=False):
            if n is not None and n < FEWEST_TO_DECIDE:
                small[wording.group_with(e.over, group)] = n
    return small


def _judge(e: Estimate, context: Context) -> str:
    """The spec of the scorer with which the measure judges support; "" for a measure without one."""
    declared = context.made.get("declared", {}).get(wording.name_of(e.measure), {})
    default = str(declared.get("scorer") or "")
    spec = specs.parse(e.measure).settings.get("scorer", default) if default else ""
    return spec if spec in context.made.get("scorers", {}) else ""


# ------------------------------------------------------------------------------------- reach of scorers


def shortfalls(made: Mapping[str, Any], measures: Collection[str], *, is_brief: bool = False) -> list[str]:
    """A sentence for each scorer of these measures (specs) that finds few claims; unless ``is_brief``, with comparisons and advice.

    Scorers that find as few of the sources' own sentences have one sentence.
    """
    blind: dict[str, list[str]] = {}
    lines = []
    for entry in made.get("reach") or ():
        if not set(entry["measures"]) & set(measures):
            continue
        shares = {row["author"]: row["share_found"] for row in entry["authors"]}
        *_, sources, _ = shares.values()
        if sources < FEWEST_OF_SOURCES:
            part = f"only {sources:.0%}" if sources >= 0.005 else "none"
            blind.setdefault(part, []).append(named(entry["scorer"]))
        elif text := _shortfall(entry, shares, made, is_brief=is_brief):
            lines.append(text)
    return [*starmap(_blind, blind.items()), *lines]


def _blind(part: str, scorers: Sequence[str]) -> str:
    """The sentence about scorers that find only a part of the sources' own sentences."""
    who = f"the scorer {scorers[0]} finds" if len(scorers) == 1 else f"the scorers {listed(scorers)} find"
    others = "them" if part == "none" else "the rest"
    return (
        f"{who} {part} of the sources' own sentences: documents of other records support {others} about as much, "
        "for instance because records repeat each other"
    )


def _shortfall(
    entry: Mapping[str, Any], shares: Mapping[str, float], made: Mapping[str, Any], *, is_brief: bool
) -> str:
    scorer = named(entry["scorer"])
    *_, sources, elsewhere = shares.values()
    by_people = max((share for author, share in shares.items() if _is_by_people(author)), default=0.0)
    systems = [s for s in made.get("systems") or () if s in shares and not _is_by_people(s)]
    few = [s for s in systems if shares[s] < FEWEST_FOUND or by_people - shares[s] > FEWER]
    if not few:
        return ""
    found = listed([f"{named(s)} {shares[s]:.0%}" for s in few], MOST_SYSTEMS)
    text = f"the scorer {scorer} finds few of the summaries' claims in the sources: {found}"
    if is_brief:
        return text
    people = f"people's references {by_people:.0%}, " if by_people else ""
    return (
        f"{text} ({people}the sources' own sentences {sources:.0%}, another record's documents {elsewhere:.0%}). Missed claims "
        f"can be paraphrases, which {wording.names_of(entry['measures'])} cannot see. {advice(entry['scorer'], made)}"
    )


def _is_by_people(author: str) -> bool:
    return author == f"{REFERENCE}s" or author.startswith(f"{REFERENCE} ")


def _is_english(made: Mapping[str, Any]) -> bool:
    """Whether the texts are English, as the recommended models are."""
    return (made.get("language") or "English") == "English"


def advice(scorer: str, made: Mapping[str, Any]) -> str:
    """The advice for a scorer that finds few claims."""
    _, figures = cards.card_of(scorer)
    if _is_english(made) and figures and cards.roc_auc(figures, cards.REWRITTEN) < cards.ENOUGH:
        return cards.BETTER
    return "A few hundred pairs that you label show how far to trust it (fairbrief calibrate)"
