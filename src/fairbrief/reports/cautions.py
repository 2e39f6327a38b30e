"""What must be known before a finding is read: few records, copies, lengths, how far the scorer can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairbrief import specs
from fairbrief.conclusions import FEWEST_TO_DECIDE, NAMED, WORDS
from fairbrief.reports import contrast_words, reach, wording
from fairbrief.reports.contrast_words import Context, capital, group_of, group_or_part, p_text, signed
from fairbrief.reports.plain import named
from fairbrief.reports.wording import SIDES
from fairbrief.scorers import cards
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

AT_EQUAL_LENGTH = ("length_held_equal", "documents_alike")
"""Notes on what a group difference is where lengths of documents do not matter."""
MOST_NAMED = 3
"""Languages and findings that are named."""


def cautions(panels: Sequence[Sequence[Estimate]], context: Context) -> list[str]:
    """What must be known before any finding is read."""
    told = [*panels[0], *(e for members in panels[1:] for e in members if context.kind(e) in NAMED)]
    enough = [e for e in told if e.clusters >= FEWEST_TO_DECIDE]
    few = {e.system: e for e in told if e.clusters < FEWEST_TO_DECIDE}
    found = reach.shortfalls(context.made, {e.measure for e in told})
    if not enough:
        most = max(told, key=lambda e: e.clusters)
        found.append(f"{context.records(most)}: too few to act on (a gate asks for {FEWEST_TO_DECIDE})")
    elif few:
        systems = ", ".join(f"{named(system)} ({context.records(e)})" for system, e in few.items())
        found.append(f"too few to act on (a gate asks for {FEWEST_TO_DECIDE}): summaries by {systems}")
    if small := _small_groups(enough):
        named_ = ", ".join(f"{group} ({n:,})" for group, n in small.items())
        found.append(f"groups in fewer than {FEWEST_TO_DECIDE} records are too small to act on: {named_}")
    found += [wording.told(e) or WORDS["too few"] for e in told if context.kind(e) == "too few"]
    found += [wording.worded(note) for e in told for note in e.notes if note.code == "place_is_group"]
    everything = (e for members in panels for e in members)
    hidden = (note for e in everything for note in e.notes if note.code == "tests_need_resamples")
    found += [wording.worded(note) for note in hidden]
    found += _other_records(panels[0], context)
    found += [
        f"{group_of(e)} in summaries by {named(e.system)}: {wording.worded(note)}"
        for e in told
        for note in e.notes
        if note.code == "scorer_retrieves" and context.kind(e) in NAMED
    ]
    found += [text for e in told if context.kind(e) in NAMED and (text := _lost_at_equal_length(e, context))]
    advises = not any(cards.BETTER in text for text in found)
    found += cards.cautions(filter(None, (_judge(e, context) for e in told)), advises=advises)
    return [f"{capital(text)}." for text in dict.fromkeys(found)]


def _other_records(members: Sequence[Estimate], context: Context) -> list[str]:
    """Copies of records and documents in other languages, and what the findings are without them."""
    made, found = context.made, []
    for name, what in (
        ("copies", "records have the same documents as another under a different id"),
        ("same_summaries", "records have the same summary as another with different documents"),
    ):
        if told := made.get(name):
            ids = ", ".join(map(named, told["examples"]))
            found.append(f"{told['records']:,} {what} (for instance {ids}){_without(members, name, context)}")
    if others := made.get("other_languages"):
        ordered = sorted(((of["documents"], code) for code, of in others.items()), reverse=True)
        languages = ", ".join(f"{code} {many:,}" for many, code in ordered[:MOST_NAMED])
        more = ", …" if len(ordered) > MOST_NAMED else ""
        many = counted(sum(many for many, _ in ordered), "document")
        found.append(
            f"{many} in another language than the rest ({languages}{more}){_without(members, 'other_languages', context)}"
        )
    return found


def _without(members: Sequence[Estimate], name: str, context: Context) -> str:
    """What the findings of a panel, or its first difference, are without some records; those first that do not survive."""
    told = {
        (e["measure"], e["quantity"], e["system"]): e
        for e in (context.made.get("without") or {}).get(name) or ()
    }
    ordered = sorted(members, key=context.rank)
    lost: list[str] = []
    kept: list[str] = []
    for e in [e for e in ordered if context.kind(e) in NAMED] or ordered[:1]:
        without = told.get((e.measure, e.quantity, e.system))
        if without is None or without["value"] is None:
            continue
        p = without["p"] if without["extract_p"] is None else without["extract_p"]
        value = signed(without["value"], context.words(e).unit)
        text = f"{group_or_part(e)} in summaries by {named(e.system)}: {value}, {p_text(p)}"
        (lost if context.kind(e) in NAMED and p is not None and p > context.alpha else kept).append(text)
    which = "them" if name == "other_languages" else "repeats"
    if lost:
        return f"; without {which} no longer significant: {'; '.join(lost[:MOST_NAMED])}"
    return f"; without {which}, {kept[0]} (unadjusted)" if kept else ""


def _lost_at_equal_length(e: Estimate, context: Context) -> str:
    """That a finding does not survive equal lengths of documents, where it does not."""
    for note in e.notes:
        of_group = note.arguments.get("readings", {}).get(e.group) if note.code in AT_EQUAL_LENGTH else None
        if of_group and of_group["survives"] is False:
            value, p = of_group["free"]["value"], of_group["free"]["p"]
            return (
                f"the finding on {group_of(e)} in summaries by {named(e.system)} does not survive equal document lengths: "
                f"{signed(value, context.words(e).unit)}, {p_text(p)}"
            )
    return ""


def _small_groups(told: Iterable[Estimate]) -> dict[str, int]:
    """The groups that are in too few clusters to act on, with their number."""
    small = {}
    for e in told:
        sides = SIDES.split(e.group, maxsplit=1)
        for group, n in zip(sides, (e.group_clusters, e.other_clusters), strict=False):
            if n is not None and n < FEWEST_TO_DECIDE:
                small[contrast_words.group_with(e.over, group)] = n
    return small


def _judge(e: Estimate, context: Context) -> str:
    """The spec of the scorer by which the measure judges which documents support a summary; "" where it does not."""
    declared = context.made.get("declared", {}).get(wording.name_of(e.measure), {})
    default = str(declared.get("scorer") or "")
    named_ = specs.parse(e.measure).settings.get("scorer", default) if default else ""
    return named_ if named_ in context.made.get("scorers", {}) else ""
