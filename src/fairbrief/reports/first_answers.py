"""What every reader of an audit asks, answered in sentences: what was measured, what was found, how sure, what else, what next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief import conclusions
from fairbrief.conclusions import NAMED, SIGNIFICANT, WORDS
from fairbrief.reports import arrangement, contrast_words, number_format, wording
from fairbrief.reports.cautions import cautions
from fairbrief.reports.contrast_words import (
    Context,
    capital,
    context_of,
    group_or_part,
    p_text,
    said,
    signed,
    size,
)
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.reports.tables import group_counts
from fairbrief.text.counted import counted
from fairbrief.types import REFERENCE, Estimate

MOST_SYSTEMS = 6
MOST_LINES = 6
"""Findings, systems and groups that are told; what is beyond is counted, and is in the tables."""
MOST_ELSE = 3
"""Further measures whose largest finding is told."""
CAUTION, NEXT = "Caution", "What next?"
RANDOM = "random sentences of the same length"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader asks, and the sentences that answer; a sentence may end with a command."""

    asked: str
    lines: tuple[tuple[str, str], ...]


def answers(result: Result) -> tuple[Answer, ...]:
    """The answers without pictures and without what to do next; nothing where no group difference leads."""
    context = context_of(result)
    ordered = context.clearest_first(arrangement.leading(result.estimates).values())
    found = answers_about(ordered, context, subgroups_of(result)) if ordered else ()
    return tuple(answer for answer in found if answer.asked != NEXT)


def subgroups_of(result: Result) -> list[Estimate]:
    """The group differences of subgroups that were asked for."""
    asked = {tuple(sorted(names)) for names in result.made.get("by") or ()}
    return [
        e
        for e in conclusions.leading(result.estimates, by_subgroup=True)
        if e.subgroup and tuple(sorted(e.subgroup)) in asked
    ]


def leading_sentence(panels: Sequence[Sequence[Estimate]], context: Context) -> str:
    """The first finding in one sentence, with what random sentences give."""
    first = min(panels[0], key=context.rank)
    if context.kind(first) not in SIGNIFICANT:
        what = "group difference" if first.group else "difference"
        return f"No {what} is significant in {context.records(first)}. That does not show that there is none."
    words = context.words(first)
    start = f"{contrast_words.sentence(first, words)}{context.by(first)}"
    if first.extract_baseline is None:
        return f"{start}."
    value = contrast_words.against(first.extract_baseline, words.unit)
    random = f"{RANDOM} {contrast_words.filled(words.random, reads=value)}"
    if context.kind(first) == "as random":
        return f"{start}, which is not significantly different from {RANDOM}: they {contrast_words.filled(words.random, reads=value)}."
    return f"{start}; {random}."


def answers_about(
    panels: Sequence[Sequence[Estimate]], context: Context, subgroups: Sequence[Estimate] = ()
) -> tuple[Answer, ...]:
    """Every question with its answer; panels are in the order of `Context.clearest_first`."""
    members = panels[0]
    first = min(members, key=context.rank)
    lines = {
        "What was measured?": [_measured(members, context)],
        CAUTION: cautions(panels, context),
        "What was found?": _found(members, context),
        "How sure is it?": [_how_sure(first, context)],
        "Other systems?": _other_systems(members, context),
        "As uneven as random sentences?": _as_random(members, context),
        "Gaps in both directions?": _opposite(context),
        "In subgroups?": _in_subgroups(subgroups, context),
        "What else is significant?": _besides(panels[1:], context),
    }
    found = [Answer(asked, tuple((text, "") for text in texts)) for asked, texts in lines.items() if texts]
    return (*found, Answer(NEXT, _next(members, first, context)))


def _measured(members: Sequence[Estimate], context: Context) -> str:
    """The question that a panel answers, of how many records, with the counts of each group."""
    first = members[0]
    declared = context.declared(first)
    start = f"{declared.family}{f' by {first.over}' if first.over else ''}{context.by(first)}"
    text = f"{start}: {declared.question}" if declared.question else start
    counts = group_counts(members, declared.items)
    text = f"{text}. {capital(context.records(first))}{f': {counts}' if counts else ''}."
    return text + _left_out(first, context)


def _left_out(e: Estimate, context: Context) -> str:
    """How many records do not count, and why."""
    if not e.excluded:
        return ""
    many = sum(e.excluded.values())
    verb = "does" if many == 1 else "do"
    why = next(iter(e.excluded)) if len(e.excluded) == 1 else arrangement.reasons(e.excluded)
    return f" {context.counted(many)} {verb} not count: {why}."


def _found(members: Sequence[Estimate], context: Context) -> list[str]:
    """Group by group every system that is significantly below its baseline, by how far; then who is above."""
    named_ = sorted((e for e in members if context.kind(e) in NAMED), key=context.rank)
    by_group: dict[str, list[Estimate]] = {}
    for e in named_:
        if who := context.worse(e):
            by_group.setdefault(who, []).append(e)
    lines = [_of_group(who, several, context) for who, several in by_group.items()]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"And {counted(len(lines) - MOST_LINES, 'more group')}, in the tables."]
    if not lines:
        lines.append(_nothing(members, context))
    above = [e for e in named_ if not context.worse(e)]
    if above:
        told = [f"{group_or_part(e)} by {named(e.system)} ({_value(e, context)})" for e in above]
        more = f" and {len(told) - MOST_LINES} more" if len(told) > MOST_LINES else ""
        lines.append(
            f"Significantly above {context.baseline(above[0])}: {', '.join(told[:MOST_LINES])}{more}."
        )
    return lines


def _nothing(members: Sequence[Estimate], context: Context) -> str:
    first = members[0]
    if first.group and not contrast_words.is_pair(context.words(first)):
        return f"No group is significantly below {context.baseline(first)}."
    return f"No difference{' between groups' if first.group else ''} is significant."


def _of_group(who: str, several: Sequence[Estimate], context: Context) -> str:
    """One group: every system that is significantly below, what random sentences give, and the difference."""
    told = [_finding(e, context) for e in several[:MOST_SYSTEMS]]
    more = f"; and {len(several) - MOST_SYSTEMS} more systems" if len(several) > MOST_SYSTEMS else ""
    return f"{capital(who)}: {'; '.join(told)}{more}."


def _finding(e: Estimate, context: Context) -> str:
    """By whom, by how much, what random sentences give, and the difference with its interval and p."""
    words = context.words(e)
    p, tested = conclusions.decisive(e)
    plain = context.plain(e)
    random = ""
    if e.extract_baseline is not None and e.extract_p is not None:
        random = f"random sentences {signed(e.extract_baseline, words.unit)}; difference {signed(tested, words.unit)} "
    inside = f"{f'{plain}; ' if plain else ''}{random}{_bounds(e, context)}, {p_text(p)}"
    return f"in summaries by {named(e.system)}, {said(e, words)} ({inside})"


def _bounds(e: Estimate, context: Context) -> str:
    """The interval of what is tested: for all comparisons at once where there are several."""
    low, high = (
        (e.low, e.high) if e.extract_p is None else (e.extract_difference_low, e.extract_difference_high)
    )
    if e.family_low is not None and e.family_high is not None:
        low, high = e.family_low, e.family_high
    return (
        "" if low is None or high is None else f"[{contrast_words.between(low, high, context.words(e).unit)}]"
    )


def _value(e: Estimate, context: Context) -> str:
    if e.value is None:
        return "no value"
    unit = context.words(e).unit
    return f"{signed(e.value, unit)}{' percentage points' if unit == 'points' else ''}"


def _how_sure(e: Estimate, context: Context) -> str:
    kind = context.kind(e)
    p, _ = conclusions.decisive(e)
    if kind == "no value" or p is None:
        why = wording.told(e)
        return f"{capital(WORDS[kind])}{f': {why}' if why else ''}."
    among = f", Holm over {counted(e.family_size, 'comparison')}" if e.family_size > 1 else ""
    if kind not in NAMED and kind != "nearer to even":
        text = f"Nothing is significant: the smallest p is {number_format.probability(p)}{among}."
        text = f"Not significant: {p_text(p)}{among}." if kind == "not significant" else text
        return f"{text}{_would_have_been_seen(e, context)}"
    same = f"matched {context.baseline(e)}" if e.extract_p is not None else "showed no difference"
    level = wording.interval_name(context.made).removesuffix(" interval")
    text = f"{p_text(p)}{among}: if {named(e.system)} {same}, a gap this large would appear in {_often(p)} audits."
    if e.family_size > 1:
        text += f" Each interval in brackets holds at {level} for all {e.family_size} comparisons at once."
    if e.is_named:
        return f"{text} This comparison was named in advance (--primary)."
    return f"{text} The finding was picked after looking at all of them." if e.family_size > 1 else text


def _would_have_been_seen(e: Estimate, context: Context) -> str:
    if not e.detectable:
        return ""
    least = size(e.detectable, context.words(e).unit)
    return f" A difference of {least} would have been found in 80 of 100 such audits, before correction for multiple comparisons."


def _often(p: float) -> str:
    if p < 0.001:
        return "fewer than 1 of 1,000"
    return f"about {1000 * p:.0f} of 1,000" if p < 0.01 else f"about {100 * p:.0f} of 100"


def _other_systems(members: Sequence[Estimate], context: Context) -> list[str]:
    """The systems that are not significantly below their baseline in any group."""
    systems = dict.fromkeys(e.system for e in members)
    guilty = {e.system for e in members if context.kind(e) in NAMED and context.worse(e)}
    others = [system for system in systems if system not in guilty]
    if not guilty or not others:
        return []
    shown = ", ".join(map(named, others[:MOST_SYSTEMS])) + _more(others)
    return [f"Not significantly below {context.baseline(members[0])} in any group: {shown}."]


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - MOST_SYSTEMS} more" if len(names) > MOST_SYSTEMS else ""


def _as_random(members: Sequence[Estimate], context: Context) -> list[str]:
    """What is uneven as sentences picked at random would be: no finding about a system."""
    alike = sorted((e for e in members if context.kind(e) == "as random"), key=context.rank)
    if not alike:
        return []
    told = [
        f"{group_or_part(e)} by {named(e.system)} ({_value(e, context)}; random sentences {signed(e.extract_baseline or 0.0, context.words(e).unit)})"
        for e in alike[:MOST_LINES]
    ]
    more = f" and {len(alike) - MOST_LINES} more" if len(alike) > MOST_LINES else ""
    return [f"Uneven, but not significantly different from random sentences: {', '.join(told)}{more}."]


def _opposite(context: Context) -> list[str]:
    """Where group differences cancel: which parts of the data have gaps in which direction."""
    lines = []
    for told in context.made.get("opposite_gaps") or ():
        start = (
            f"{wording.name_of(told['measure'])} by {told['over']} in summaries by {named(told['system'])} is larger than label "
            f"permutations produce ({p_text(told['p'])}), and no group difference is significant"
        )
        if not told["parts"]:
            lines.append(
                f"{start}: gaps in both directions can cancel, or the documents of a group resemble each other. No attribute of "
                "the records tells directions apart."
            )
            continue
        below = [one for one in told["parts"] if (one["extract_difference"] or one["value"]) < 0] or told[
            "parts"
        ]
        parts = [_part(one, told, context) for one in below[:MOST_LINES]]
        more = len(below) - len(parts)
        lines.append(
            f"{start}: gaps of both directions cancel by {named(told['attribute'])}. {'; '.join(parts)}{f'; and {more} more' if more else ''} "
            f"(Holm over {told['comparisons']} comparisons; --by {named(told['attribute'])} shows them)."
        )
    return lines


def _part(one: Mapping[str, Any], told: Mapping[str, Any], context: Context) -> str:
    """One part of the data: which group is above or below its baseline there, and by how much."""
    unit = wording.declared(one["measure"], context.made).contrast.unit
    is_random = one["extract_difference"] is not None
    size = signed(one["extract_difference"], unit) if is_random else signed(one["value"], unit)
    where = f"{named(told['attribute'])} {named(one['part'])}"
    group = contrast_words.group_with(told["over"], one["group"])
    return f"{where}: {group} {size}{' from random sentences' if is_random else ''}, {p_text(one['p'])}"


def _in_subgroups(subgroups: Sequence[Estimate], context: Context) -> list[str]:
    """The subgroup's group difference that is furthest from its baseline, of those that are significant."""
    significant = sorted((e for e in subgroups if context.kind(e) in NAMED), key=context.rank)
    if not significant:
        return ["No group difference in a subgroup is significant."] if subgroups else []
    first = significant[0]
    where = ", ".join(f"{name} {value}" for name, value in first.subgroup.items())
    rest = len(significant) - 1
    more = (
        f" And {counted(rest, 'more significant group difference')} in subgroups, in the tables."
        if rest
        else ""
    )
    who = context.worse(first)
    line = _of_group(who or group_or_part(first), [first], context)
    return [f"{named(where)}: {line[0].lower()}{line[1:]}{more}"]


def _besides(panels: Sequence[Sequence[Estimate]], context: Context) -> list[str]:
    """The largest significant difference of each other panel in a sentence, and how many more there are."""
    told = []
    for members in panels:
        significant = sorted((e for e in members if context.kind(e) in NAMED), key=context.rank)
        if significant:
            rest = len(significant) - 1
            more = f" And {rest} more in the same table." if rest else ""
            told.append(f"{leading_sentence([significant], context)}{more}")
    more = f"And {counted(len(told) - MOST_ELSE, 'further measure')} with significant differences, in the tables."
    return told[:MOST_ELSE] + ([more] if len(told) > MOST_ELSE else [])


def _next(members: Sequence[Estimate], first: Estimate, context: Context) -> tuple[tuple[str, str], ...]:
    words = context.words(first)
    if context.kind(first) in SIGNIFICANT:
        limit, source = _limit(members)
        what = "-random" if first.extract_p is not None else ""
        stem = first.quantity.partition("[")[0]
        rule = f"{first.measure}:{stem}{what}>=-{limit:.2g}"
        return (
            ("Read the records at both ends, below under Records.", ""),
            (
                f"Set a limit that every new version must keep; this one is {source}:",
                f"fairbrief gate DIR --min '{rule}'" if limit else "fairbrief gate DIR",
            ),
        )
    if first.detectable:
        is_grouped = first.clusters and first.clusters != first.n
        n, what = (first.clusters, " independent groups of records") if is_grouped else (first.n, "")
        half = size(first.detectable / 2, words.unit)
        return (
            (
                f"More records: to find a difference of {half}, take about {number_format.count(4 * n)}{what}. For other sizes:",
                "fairbrief power DIR",
            ),
        )
    return (("More records, each with documents or people of several groups.", ""),)


def _limit(members: Sequence[Estimate]) -> tuple[float, str]:
    """A limit to start from: the largest difference that references by people show, else the smallest that would be found."""
    by_people = [e for e in members if e.system.startswith(f"{REFERENCE} ")]
    if by_people:
        return max(
            abs(conclusions.decisive(e)[1]) for e in by_people
        ), "the largest that references by people show"
    largest: dict[str, float] = {}
    for e in members:
        largest[e.system] = max(largest.get(e.system, 0.0), e.detectable or 0.0)
    return min(largest.values()), "the smallest difference that so many records show in every group"
