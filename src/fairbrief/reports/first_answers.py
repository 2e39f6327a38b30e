"""The sentences that begin every report: what was measured, the findings, the cautions, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from fairbrief import conclusions
from fairbrief.conclusions import FEWEST_TO_DECIDE, NAMED, SIGNIFICANT, WORDS, Conclusion
from fairbrief.declarations import ContrastUnit
from fairbrief.reports import number_format, tables, wording
from fairbrief.reports.cautions import MOST_SYSTEMS, TOO_FEW, cautions
from fairbrief.reports.plain import named
from fairbrief.reports.wording import Context, capital, of_system, p_of, p_text, signed
from fairbrief.text.counted import counted, listed
from fairbrief.types import REFERENCE, Estimate

MOST_LINES = 6
"""Groups that are named; the others are counted, and are in the tables."""
MOST_ELSE = 3
"""Further measures whose largest difference is named."""
MEASURED, FINDING, INTERVAL, CAUTION = "Measured", "Finding", "Interval", "Caution"
UNTESTED: Mapping[Conclusion, str] = {
    "too few": "No comparison was tested",
    "not testable": "No comparison can be significant: the smallest attainable p exceeds the significance level",
    "not tested": "No comparison was tested",
    "no value": "No comparison has a value",
}
"""The sentence in place of a p, where no group difference has one."""
EXPLAINED: tuple[Conclusion, ...] = ("as random", "nearer to even", "as permuted")
"""Differences that one of both baselines explains."""
FOLDER = "DIR"
"""The placeholder for the audit's folder in a command."""


def answers(context: Context) -> dict[str, list[str]]:
    """By heading its sentences, the most important first; without group differences, why there are none."""
    if not context.panels:
        return _compared(context)
    members, *others = context.panels
    subgroups = [e for part in context.leading("subgroups") for e in part]
    without_texts = (f"{capital(wording.worded(note))}." for note in wording.noted(subgroups, "needs_texts"))
    texts = {
        MEASURED: _measured(context),
        FINDING: [
            *_too_few(context),
            *_below(members, context),
            *_above(members, context),
            _significance(members, context),
            *_in_subgroups(subgroups, context),
            *_opposite(context),
            *_explained(members, context),
            *_not_below(members, context),
            *_other_panels(others, context),
        ],
        INTERVAL: [*_family_interval(context.first, context)],
        CAUTION: [*cautions(context), *dict.fromkeys(without_texts)],
    }
    return {asked: lines for asked, lines in texts.items() if lines}


def _compared(context: Context) -> dict[str, list[str]]:
    """How many differences of systems are significant, where a result has nothing but these; else why no groups are compared."""
    differences = [e for members in context.leading("pairs") for e in members]
    if not differences:
        absent = (m for m in context.result.not_measured if not m.is_on_request and not m.is_scorer_check)
        reasons = dict.fromkeys(m.reason for m in absent)
        return {CAUTION: [f"No groups are compared: {'; '.join(reasons)}."]} if reasons else {}
    many = len(context.significant(differences))
    verb = "is" if many == 1 else "are"
    text = f"{many} of {counted(len(differences), 'difference')} of systems {verb} significant (Holm)."
    return {FINDING: [text], CAUTION: [wording.COMPARED]}


def leading_sentence(context: Context) -> str:
    """The first finding in one sentence, with the random-sentence baseline."""
    first, kind = context.first, context.kind(context.first)
    if kind not in SIGNIFICANT:
        what = "group difference" if first.group else "difference"
        return f"No {what} is significant in {context.records(first)}. This does not show that there is none."
    end = "" if kind in NAMED else f": {WORDS[kind].removeprefix('uneven, but ')}"
    random = _random(first, context)
    return f"{_sentence(first, context)}{f' ({random})' if random else ''}{end}."


# ------------------------------------------------------------------------------------------- measured


def _measured(context: Context) -> list[str]:
    """By attribute, or by family of a measure without one: the sizes of the groups, and the records that do not count."""
    lines: dict[str, str] = {}
    attributes = {members[0].over.lower() for members in context.panels}
    for members in context.panels:
        declared, name = context.declared(members[0]), members[0].over
        if not name:
            name = declared.family
            name += " measures" if name.lower() in attributes else ""
        if name not in lines and (text := _sizes(members, declared.items, context)):
            title = named(name) if "_" in name else capital(named(name))
            lines[name] = f"{title}: {text}"
    return list(lines.values())


def _sizes(members: Sequence[Estimate], items: str, context: Context) -> str:
    first = max(members, key=lambda e: e.n)
    parts = [tables.group_counts(members, items)]
    if first.clusters and first.clusters != first.n:
        parts.append(context.records(first))
    if first.excluded:
        many = sum(first.excluded.values())
        verb = "does" if many == 1 else "do"
        why = next(iter(first.excluded)) if len(first.excluded) == 1 else tables.reasons(first.excluded)
        parts.append(f"{context.counted(many)} {verb} not count ({why})")
    end = "." if len(parts) > 1 else ""
    return ". ".join(filter(None, parts)) + end


# ------------------------------------------------------------------------------------------- findings


def _too_few(context: Context) -> Iterator[str]:
    """That all records together are too few to act on."""
    most = max(chain(*context.panels), key=lambda e: e.clusters)
    if most.clusters < FEWEST_TO_DECIDE:
        yield f"{context.records(most)}: {TOO_FEW}."


def _below(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """By group, each system that is significantly below its baseline, the largest difference first; else that there is none."""
    below = wording.grouped((context.worse(e), e) for e in context.significant(members))
    lines = [_of_group(several, context) for who, several in below.items() if who]
    yield from lines[:MOST_LINES]
    first, words = members[0], context.words(members[0])
    if more := lines[MOST_LINES:]:
        yield f"{counted(len(more), 'more group')} significantly below, in the tables."
    elif lines or all(context.kind(e) in UNTESTED for e in members):
        return
    elif first.group and not wording.is_pair(words):
        yield f"No group is significantly {words.worse_side} {context.baseline(first)}."
    else:
        yield f"No difference{' between groups' if first.group else ''} is significant."


def _of_group(several: Sequence[Estimate], context: Context) -> str:
    """One group: the system that is furthest below in a whole sentence, then the others with value and p."""
    first, *others = several
    inside = "; ".join(filter(None, (context.plain(first), _random(first, context), p_of(first))))
    also = [f"{named(e.system)} ({_value(e, context)}, {p_of(e)})" for e in others]
    rest = f"; also {listed(also, MOST_SYSTEMS - 1)}" if also else ""
    return f"{_sentence(first, context)} ({inside}){rest}."


def _sentence(e: Estimate, context: Context) -> str:
    return f"{wording.sentence(e, context.words(e))}{context.by(e)}"


def _random(e: Estimate, context: Context) -> str:
    """``random sentences: 1.2% less``; "" where there is no such baseline."""
    if e.extract_baseline is None:
        return ""
    unit = context.words(e).unit
    random = f"{wording.size(e.extract_baseline, unit)} {'less' if e.extract_baseline < 0 else 'more'}"
    return f"random sentences: {signed(e.extract_baseline, unit) if unit == 'plain' else random}"


def _value(e: Estimate, context: Context) -> str:
    """The value of a difference that has one."""
    return _with_unit(e.value or 0.0, context.words(e).unit)


def _with_unit(value: float, unit: ContrastUnit) -> str:
    return f"{signed(value, unit)}{' percentage points' if unit == 'points' else ''}"


def _above(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """Who is significantly on the other side of the baseline: above it, or below it where more is worse."""
    if others := [e for e in context.significant(members) if not context.worse(e)]:
        start = f"Significantly {context.kind(others[0])} {context.baseline(others[0])}"
        yield _listed(start, others, context)


def _explained(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The differences that one of both baselines explains: no finding about a system."""
    for kind in EXPLAINED:
        if alike := sorted((e for e in members if context.kind(e) == kind), key=context.rank):
            yield _listed(capital(WORDS[kind]), alike, context, with_random=True)


def _listed(start: str, several: Sequence[Estimate], context: Context, *, with_random: bool = False) -> str:
    """``… in summaries by even: neutral (−88%; random sentences −5%), …``; those beyond the first six are counted."""
    by_one = len({e.system for e in several}) == 1
    where = f" in summaries by {named(several[0].system)}" if by_one else ""
    parts = []
    for e in several:
        value, words = _value(e, context), context.words(e)
        if with_random:
            value += f"; random sentences {signed(e.extract_baseline or 0.0, words.unit)}"
        group = wording.heading(e, words) or wording.group_or_part(e)
        parts.append(f"{group}{'' if by_one else f' in summaries by {named(e.system)}'} ({value})")
    return f"{start}{where}: {listed(parts, MOST_LINES)}."


def _significance(members: Sequence[Estimate], context: Context) -> str:
    """What the p of the clearest difference means, or what the audit would have found."""
    e, kind = context.first, context.kind(context.first)
    p, _ = conclusions.decisive(e)
    if kind == "no value" or p is None:
        why = wording.joined(e.notes)
        return f"{UNTESTED[kind]}{f' ({why})' if why else ''}."
    among = f" (Holm over {counted(e.family_size, 'comparison')})" if e.family_size > 1 else ""
    if kind not in NAMED:
        others = (p,) if e.is_named else (conclusions.decisive(other)[0] for other in members)
        smallest = number_format.probability(min(other for other in others if other is not None))
        measure = f"{wording.name_of(e.measure)}{f' by {named(e.over)}' if e.over else ''}"
        text = f"The smallest p of {measure} is\u00a0{smallest}{among}."
        return f"{text}{_detectable(_planned(members, e), context)}"
    same = f"matched {context.baseline(e)}" if e.extract_p is not None else "showed no difference"
    text = f"{p_text(p)}{among}: if {named(e.system)} {same}, a gap this large would appear in {_often(p)} audits."
    return f"{text} This comparison was named in advance (--primary)." if e.is_named else text


def _often(p: float) -> str:
    if p < 0.001:
        return "fewer than 1 of 1,000"
    return f"about {1000 * p:.0f} of 1,000" if p < 0.01 else f"about {100 * p:.0f} of 100"


def _detectable(e: Estimate, context: Context) -> str:
    if not e.detectable:
        return ""
    least = wording.size(e.detectable, context.words(e).unit)
    where = of_system(e) if e.group else named(e.system)
    return f" For {where}, a difference of {least} would have been found in 80 of 100 such audits, before Holm's correction."


def _planned(members: Sequence[Estimate], first: Estimate) -> Estimate:
    """The group difference whose smallest detectable value is named: the first if it has one, else one with the most clusters."""
    return first if first.detectable else max(members, key=lambda e: (bool(e.detectable), e.clusters))


def _family_interval(e: Estimate, context: Context) -> Iterator[str]:
    """The interval of the clearest difference that holds for all comparisons at once."""
    unit, (_, tested) = context.words(e).unit, conclusions.decisive(e)
    interval = wording.between(e.family_low, e.family_high, unit)
    if not interval or e.family_size < 2:
        return
    level = wording.interval_name(context.made).removesuffix(" interval")
    what = f" from {context.baseline(e)}" if e.extract_p is not None else ""
    yield (
        f"{capital(of_system(e))}: the difference{what} is {_with_unit(tested, unit)}, with a {level} interval of "
        f"{interval} that holds for all {e.family_size} comparisons at once."
    )


def _not_below(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The systems that are not significantly below the baseline in any group, where others are."""
    has_groups = bool(members[0].group)
    worse = [e for e in members if context.kind(e) in NAMED and (context.worse(e) or not has_groups)]
    below = {e.system for e in worse}
    others = [system for system in dict.fromkeys(e.system for e in members) if system not in below]
    if worse and others:
        names, baseline = listed([*map(named, others)], MOST_SYSTEMS), context.baseline(members[0])
        side = (
            f"{context.kind(worse[0])} {baseline} in any group"
            if has_groups
            else f"different from {baseline}"
        )
        yield f"{names} {'is' if len(others) == 1 else 'are'} not significantly {side}."


def _opposite(context: Context) -> Iterator[str]:
    """The unsigned scores that are significant although no group difference is, and the subgroups with gaps in both directions."""
    for gap in context.made.get("opposite_gaps") or ():
        below = [one for one in gap["parts"] if (one["extract_difference"] or one["value"]) < 0]
        parts = [_part(one, gap, context) for one in below or gap["parts"]]
        shown, by = "; ".join(parts[:MOST_LINES]), named(gap["attribute"])
        more = f"; and {len(parts) - MOST_LINES} more" if len(parts) > MOST_LINES else ""
        why = (
            f"gaps in opposite directions cancel across {by}. {shown}{more} "
            f"(Holm over {gap['comparisons']} comparisons; --by {by} shows them)"
            if parts
            else "gaps in both directions can cancel, or the documents of a group resemble each other. No attribute of the records "
            "separates the directions"
        )
        yield (
            f"{wording.name_of(gap['measure'])} by {gap['over']} in summaries by {named(gap['system'])} is larger than label "
            f"permutations produce ({p_text(gap['p'])}), although no group difference is significant: {why}."
        )


def _part(one: Mapping[str, Any], gap: Mapping[str, Any], context: Context) -> str:
    """One subgroup: which group differs from its baseline there, and by how much."""
    unit = wording.declared(one["measure"], context.made).contrast.unit
    is_random = one["extract_difference"] is not None
    difference = signed(one["extract_difference"] if is_random else one["value"], unit)
    group = wording.group_with(gap["over"], one["group"])
    where = f"{named(gap['attribute'])} {named(one['part'])}: {group} {difference}"
    return f"{where}{' from random sentences' if is_random else ''}, {p_text(one['p'])}"


def _in_subgroups(subgroups: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The significant group difference of a subgroup that is furthest from its baseline."""
    if not subgroups:
        return
    if not (significant := context.significant(subgroups)):
        yield "No group difference in a subgroup is significant."
        return
    first, *others = significant
    parts = (wording.group_of(first.replace(over=name, group=part)) for name, part in first.subgroup.items())
    more = f" {counted(len(others), 'more significant group difference')} in subgroups." if others else ""
    text = _of_group([first], context)
    if not context.words(first).sentence.startswith("{"):  # a placeholder keeps its case
        text = text[0].lower() + text[1:]
    yield f"Subgroup {named(', '.join(parts))}: {text}{more}"


def _other_panels(panels: Iterable[Sequence[Estimate]], context: Context) -> Iterator[str]:
    """The largest significant difference of each other panel, and how many more there are."""
    clear = [significant for members in panels if (significant := context.significant(members))]
    for first, *rest in clear[:MOST_ELSE]:
        more = f", and {counted(len(rest), 'more significant difference')} of this kind" if rest else ""
        yield f"{_sentence(first, context)} ({p_of(first)}){more}."
    if others := clear[MOST_ELSE:]:
        yield f"{counted(len(others), 'further measure')} with significant differences, in the tables."


# ------------------------------------------------------------------------------------------------ next


def next_steps(context: Context) -> list[tuple[str, str]]:
    """What to do, each with the command that does it; nothing without group differences."""
    if not context.panels:
        return []
    members, first = context.panels[0], context.first
    view = ("Read the records:", f"fairbrief view {FOLDER}")
    unit = context.words(first).unit
    limit, source = _limit(members)
    if context.kind(first) in NAMED and limit and conclusions.decides(first) >= FEWEST_TO_DECIDE:
        stem = f"{first.quantity.partition('[')[0]}{'' if first.extract_p is None else '-random'}"
        option, sign = ("--min", ">=-") if context.words(first).worse_side == "below" else ("--max", "<=")
        rule = shlex.quote(f"{first.measure}:{stem}{sign}{limit:.2g}")
        command = f"fairbrief gate {FOLDER} {option} {rule}"
        return [view, (f"Test new versions (limit: {source}):", command)]
    planned = _planned(members, first)
    if planned.detectable:
        half = planned.detectable / 2
        is_grouped = planned.clusters and planned.clusters != planned.n
        n, what = (planned.clusters, "independent group") if is_grouped else (planned.n, "record")
        many, difference = counted(4 * n, what), wording.size(half, unit)
        why = f"Plan more records ({many} to find a difference of {difference}):"
        return [view, (why, f"fairbrief power {FOLDER} --disparity {half:.2g}")]
    return [view, ("Plan more records:", f"fairbrief power {FOLDER}")]


def _limit(members: Sequence[Estimate]) -> tuple[float, str]:
    """A limit to start from: the largest difference of people's references, else one that is detectable in any group of some system."""
    by_people = [abs(conclusions.decisive(e)[1]) for e in members if e.system.startswith(f"{REFERENCE} ")]
    if by_people:
        return max(by_people), "the largest difference of people's references"
    by_system = wording.grouped((e.system, e.detectable or 0.0) for e in members)
    largest = filter(None, map(max, by_system.values()))
    return min(largest, default=0.0), "a gap that is detectable in any group"
