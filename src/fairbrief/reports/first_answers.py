"""The sentences that begin every report: what was measured, the findings, the cautions, and what to do next.

More than 400 lines, since findings and cautions share their words and the choice of what to name.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from fairbrief import conclusions, specs
from fairbrief.conclusions import (
    FEWEST_IN_A_GROUP,
    FEWEST_TO_DECIDE,
    MAX_LEFT_OUT,
    NAMED,
    SIGNIFICANT,
    WORDS,
    Conclusion,
)
from fairbrief.declarations import ContrastUnit
from fairbrief.ranges import grouped
from fairbrief.reports import number_format, tables, wording
from fairbrief.reports.plain import named
from fairbrief.reports.wording import Context, capital, noted, of_system, p_text, signed, worded
from fairbrief.scorers import cards
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
TOO_FEW = f"too few to act on (the gate needs {FEWEST_TO_DECIDE})"
"""Of records: all of them, or those of some systems."""
COPIED = {
    "copies": "records have the same documents as another record with a different id",
    "same_summaries": "records have the same summary as another record with different documents",
}
"""What records share with others, by the entry of ``made``."""
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


def answers(context: Context) -> dict[str, list[str]]:
    """By heading its sentences, the most important first; without group differences, why there are none."""
    if not context.panels:
        return _compared(context)
    members, *others = context.panels
    subgroups = [e for part in context.leading("subgroups") for e in part]
    texts = {
        MEASURED: _measured(context),
        FINDING: [
            *_too_few(context),
            *_clearest(members, context),
            *_in_subgroups(subgroups, context),
            *_opposite(context),
            *_explained(members, context),
            *_not_below(members, context),
            *_other_panels(others, context),
        ],
        INTERVAL: [*_family_interval(context)],
        CAUTION: _cautions(subgroups, context),
    }
    return {asked: lines for asked, lines in texts.items() if lines}


def _compared(context: Context) -> dict[str, list[str]]:
    """How many differences of systems are significant, where a result has nothing but these; else why no groups are compared."""
    differences = [e for members in context.leading("pairs") for e in members]
    if not differences:
        absent = (m for m in context.result.not_measured if not m.is_on_request and not m.is_scorer_check)
        reasons = sorted(
            dict.fromkeys(m.reason for m in absent), key=lambda reason: not reason.startswith("'")
        )
        return {CAUTION: [f"No groups are compared: {'; '.join(reasons)}."]} if reasons else {}
    many, tested = (
        len(context.significant(differences)),
        sum(context.kind(e) not in UNTESTED for e in differences),
    )
    verb = "is" if many == 1 else "are"
    text = f"{many} of {counted(tested, 'difference')} of systems {verb} significant (Holm)."
    return {FINDING: [text], CAUTION: [wording.COMPARED]}


def leading_sentence(context: Context) -> str:
    """The first finding in one sentence, with the random-sentence baseline."""
    first, kind = context.first, context.kind(context.first)
    if kind not in SIGNIFICANT:
        what = "group difference" if first.group else "difference"
        return f"No {what} is significant in {context.records(first)}. This does not show that there is none."
    end = "" if kind in NAMED else f": {context.concluded(first).removeprefix('uneven, but ')}"
    random = _random(first, context)
    return f"{_sentence(first, context)}{f' ({random})' if random else ''}{end}."


# ------------------------------------------------------------------------------------------- measured


def _measured(context: Context) -> list[str]:
    """By attribute, or by family of a measure without one: the sizes of the groups, and the records that do not count."""
    lines: dict[str, str] = {}
    for members in context.panels:
        declared = context.declared(members[0])
        name = members[0].over or f"{declared.family} measures"
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
    return ". ".join(filter(None, parts)) + ("." if len(parts) > 1 else "")


# ------------------------------------------------------------------------------------------- findings


def _too_few(context: Context) -> Iterator[str]:
    """That all records together are too few to act on."""
    most = max(chain(*context.panels), key=lambda e: e.clusters)
    if most.clusters < FEWEST_TO_DECIDE:
        yield f"{context.records(most)}: {TOO_FEW}."


def _clearest(members: Sequence[Estimate], context: Context) -> list[str]:
    """Who differs from the baseline, and what the p of the clearest difference means; one that was named in advance comes first."""
    below, above = [*_below(members, context)], [*_above(members, context)]
    significance, first = _significance(members, context), context.first
    if not first.is_named:
        return [*below, *above, significance]
    if context.kind(first) not in NAMED:
        return [significance, *below, *above]
    finding, *others = [*below, *above] if context.worse(first) else [*above, *below]
    return [finding, significance, *others]


def _below(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """By group, each system that is significantly below its baseline, the largest difference first; else that there is none."""
    first, words, significant = members[0], context.words(members[0]), context.significant(members)
    below = grouped((context.worse(e), e) for e in significant)
    lines = [_of_group(several, context) for who, several in below.items() if who]
    yield from lines[:MOST_LINES]
    if more := lines[MOST_LINES:]:
        yield f"{counted(len(more), 'more group')} significantly below, in the tables."
    elif lines or all(context.kind(e) in UNTESTED for e in members):
        return
    elif significant and not (words.worse_below or words.worse_above):
        return  # nobody is worse off on either side: `_above` has them
    elif first.group and not wording.is_pair(words):
        yield f"No group is significantly {words.worse_side} {context.baseline(first)}."
    else:
        yield f"No difference{' between groups' if first.group else ''} is significant."


def _of_group(several: Sequence[Estimate], context: Context) -> str:
    """One group: the system that is furthest below in a whole sentence, then the others with value and p."""
    first, *others = several
    inside = "; ".join(filter(None, (context.plain(first), _random(first, context), _p(first))))
    also = [f"{named(e.system)} ({_value(e, context)}, {_p(e)})" for e in others]
    rest = f"; also {listed(also, MOST_SYSTEMS - 1)}" if also else ""
    return f"{_sentence(first, context)} ({inside}){rest}."


def _sentence(e: Estimate, context: Context) -> str:
    return f"{wording.sentence(e, context.words(e))}{context.by(e)}"


def _p(e: Estimate) -> str:
    return p_text(conclusions.decisive(e)[0])


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
    return f"{signed(value, unit)}{wording.UNITS.get(unit, '')}"


def _above(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """Who is significantly on the other side of the baseline: above it, or below it where more is worse; on both where none is."""
    others = (e for e in context.significant(members) if not context.worse(e))
    for kind, several in grouped((context.kind(e), e) for e in others).items():
        yield _listed(f"Significantly {kind} {context.baseline(several[0])}", several, context)


def _explained(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The differences that one of both baselines explains: no finding about a system."""
    for kind in EXPLAINED:
        if alike := sorted((e for e in members if context.kind(e) == kind), key=context.rank):
            yield _listed(capital(context.concluded(alike[0])), alike, context)


def _listed(start: str, several: Sequence[Estimate], context: Context) -> str:
    """``… in summaries by even: neutral (−88%; random sentences −5%), …``; those beyond the first six are counted."""
    by_one = len({e.system for e in several}) == 1
    where = f" in summaries by {named(several[0].system)}" if by_one else ""
    parts = []
    for e in several:
        value, words = _value(e, context), context.words(e)
        if context.kind(e) in EXPLAINED:
            value += f"; {context.baseline(e)} {signed(conclusions.baseline_value(e), words.unit)}"
        group = wording.heading(e, words) or wording.group_or_part(e)
        parts.append(f"{group}{'' if by_one else f' in summaries by {named(e.system)}'} ({value})")
    return f"{start}{where}: {listed(parts, MOST_LINES)}."


def _significance(members: Sequence[Estimate], context: Context) -> str:
    """What the p of the clearest difference means, or what the audit would have found."""
    e, kind = context.first, context.kind(context.first)
    p, _ = conclusions.decisive(e)
    if kind == "no value" or p is None:
        why = _why_untested(e) if context.made.get("n_resamples") != 0 else "--resamples 0"
        return f"{UNTESTED[kind]}{f' ({why})' if why else ''}."
    among = f" (Holm over {counted(e.family_size, 'comparison')})" if e.family_size > 1 else ""
    if kind not in NAMED:
        others = (p,) if e.is_named else (conclusions.decisive(other)[0] for other in members)
        smallest = number_format.probability(min(other for other in others if other is not None))
        measure = f"{wording.name_of(e.measure)}{f' by {named(e.over)}' if e.over else ''}"
        if e.is_named:  # others of the measure can be significant
            measure = f"the differences named in advance ({measure})"
        return f"The smallest p of {measure} is\u00a0{smallest}{among}.{_detectable(members, context)}"
    same = f"matched {context.baseline(e)}" if e.extract_p is not None else "showed no difference"
    text = f"{p_text(p)}{among}: if {named(e.system)} {same}, a gap this large would appear in {_often(p)} audits."
    return f"{text} This comparison was named in advance (--primary)." if e.is_named else text


def _why_untested(e: Estimate) -> str:
    """The notes of an estimate that are reasons why it has no test."""
    return wording.joined(note for note in e.notes if note.code in wording.REASONS)


def _often(p: float) -> str:
    if p < 0.001:
        return "fewer than 1 of 1,000"
    return f"about {1000 * p:.0f} of 1,000" if p < 0.01 else f"about {100 * p:.0f} of 100"


def _detectable(members: Sequence[Estimate], context: Context) -> str:
    if not (e := _planned(members, context)).detectable:
        return ""
    where = of_system(e) if e.group else named(e.system)
    least = wording.difference(e.detectable, context.words(e).unit)
    return (
        f" For {where}, a {least} would have been found in 80 of 100 such audits, before Holm's correction."
    )


def _planned(members: Sequence[Estimate], context: Context) -> Estimate:
    """The group difference whose smallest detectable value is named: the first if it has one, else one with the most clusters."""
    return max(members, key=lambda e: (bool(e.detectable), e is context.first, e.clusters))


def _family_interval(context: Context) -> Iterator[str]:
    """The interval of the clearest difference that holds for all comparisons at once."""
    e = context.first
    unit, (_, tested) = context.words(e).unit, conclusions.decisive(e)
    interval = wording.between(e.family_low, e.family_high, unit)
    if not interval or e.family_size < 2:
        return
    level = wording.interval_name(context.made).removesuffix(" interval")
    what = f" from {context.baseline(e)}" if e.extract_p is not None else ""
    yield (
        f"{capital(of_system(e))}: the difference{what} is {_with_unit(tested, unit)}, with a {level} interval of "
        f"{interval} that holds for all {e.family_size} comparisons{' named in advance' if e.is_named else ''} at once."
    )


def _not_below(members: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The systems that are not significantly below the baseline in any group, where others are."""
    has_groups = bool(members[0].group)
    worse = [e for e in members if context.kind(e) in NAMED and (context.worse(e) or not has_groups)]
    found = {e.system for e in worse}
    others = [system for system in dict.fromkeys(e.system for e in members) if system not in found]
    if worse and others:
        names, baseline = listed([*map(named, others)], MOST_SYSTEMS), context.baseline(members[0])
        below = f"{context.kind(worse[0])} {baseline} in any group"
        side = below if has_groups else f"different from {baseline}"
        yield f"{names} {'is' if len(others) == 1 else 'are'} not significantly {side}."


def _opposite(context: Context) -> Iterator[str]:
    """The unsigned scores that are significant although no group difference is, and the subgroups with gaps in both directions."""
    for gap in context.made.get("opposite_gaps") or ():
        below = [one for one in gap["parts"] if (one["extract_difference"] or one["value"]) < 0]
        parts = [_part(one, gap, context) for one in below or gap["parts"]]
        shown, by = "; ".join(parts[:MOST_LINES]), named(gap["attribute"])
        more = f"; and {len(parts) - MOST_LINES} more" if len(parts) > MOST_LINES else ""
        why = (
            "gaps in both directions can cancel, or the documents of a group resemble each other. No attribute of the records "
            "separates the directions"
        )
        if parts:
            why = (
                f"gaps in opposite directions cancel across {by}. {shown}{more} "
                f"(Holm over {gap['comparisons']} comparisons; --by {by} shows them)"
            )
        yield (
            f"{wording.name_of(gap['measure'])} by {gap['over']} in summaries by {named(gap['system'])} is larger than label "
            f"permutations produce ({p_text(gap['p'])}), although no group difference is significant: {why}."
        )


def _part(one: Mapping[str, Any], gap: Mapping[str, Any], context: Context) -> str:
    """One subgroup: which group differs from its baseline there, and by how much."""
    unit = wording.declared(one["measure"], context.made).contrast.unit
    difference = signed(one["value"], unit)
    if one["extract_difference"] is not None:
        difference = f"{signed(one['extract_difference'], unit)} from random sentences"
    group = wording.group_with(gap["over"], one["group"])
    return f"{named(gap['attribute'])} {named(one['part'])}: {group} {difference}, {p_text(one['p'])}"


def _in_subgroups(subgroups: Sequence[Estimate], context: Context) -> Iterator[str]:
    """The significant group difference of a subgroup that is furthest from its baseline."""
    if significant := context.significant(subgroups):
        first, *others = significant
        parts = (wording.group_with(name, part) for name, part in first.subgroup.items())
        more = f" {counted(len(others), 'more significant group difference')} in subgroups." if others else ""
        text = _of_group([first], context)
        if not context.words(first).sentence.startswith("{"):  # a placeholder keeps its case
            text = text[0].lower() + text[1:]
        yield f"Subgroup {named(', '.join(parts))}: {text}{more}"
    elif any(context.kind(e) not in UNTESTED for e in subgroups):
        yield "No group difference in a subgroup is significant."


def _other_panels(panels: Iterable[Sequence[Estimate]], context: Context) -> Iterator[str]:
    """The largest significant difference of each other panel, and how many more there are.

    It names random sentences where the p is theirs and the value alone may be 0.
    """
    clear = [significant for members in panels if (significant := context.significant(members))]
    for first, *rest in clear[:MOST_ELSE]:
        more = f", and {counted(len(rest), 'more significant difference')} of this kind" if rest else ""
        may_be_even = first.low is not None and first.high is not None and first.low <= 0 <= first.high
        random = _random(first, context) if may_be_even else ""
        inside = "; ".join(filter(None, (random, _p(first))))
        yield f"{_sentence(first, context)} ({inside}){more}."
    if others := clear[MOST_ELSE:]:
        yield f"{counted(len(others), 'further measure')} with significant differences, in the tables."


# ------------------------------------------------------------------------------------------- cautions


def _cautions(subgroups: Sequence[Estimate], context: Context) -> list[str]:
    """The cautions about the leading panel and about the significant differences of the others, as sentences."""
    leading, *others = context.panels
    shown = [*leading, *(e for members in others for e in members if context.kind(e) in NAMED)]
    lines = [*_doubts(shown, context)]
    judges = filter(None, (_judge(e, context) for e in shown))
    advises = not any(cards.BETTER in text for text in lines)
    lines += cards.cautions(judges, advises=advises, is_english=_is_english(context.made))
    lines += map(worded, noted(subgroups, "needs_texts"))
    return [f"{capital(text)}." for text in dict.fromkeys(lines)]


def _doubts(shown: Sequence[Estimate], context: Context) -> Iterator[str]:
    """All cautions except those of the scorers' cards and of subgroups."""
    significant = [e for e in shown if context.kind(e) in NAMED]
    enough = [e for e in shown if e.clusters >= FEWEST_TO_DECIDE]
    few = {e.system: e for e in shown if e.clusters < FEWEST_TO_DECIDE}
    about_input = noted(context.result.estimates, "groups_alike", "groups_missing", "without_claims")
    yield from map(worded, about_input)
    yield from map(worded, noted(shown, "few_people"))
    constant = grouped(
        (wording.name_of(e.measure), named(e.system)) for e in shown if e.value == e.low == e.high == 0
    )
    for measure, systems in constant.items():
        names = listed(list(dict.fromkeys(systems)), MOST_SYSTEMS)
        yield f"summaries by {names} have no difference of {measure} in any record; the measure may detect nothing there"
    yield from _without_text(context.made)
    for clause, more in shortfalls(context.made, {e.measure for e in shown}):
        yield clause + more
    if enough and few:
        systems = [f"{named(system)} ({context.records(e)})" for system, e in few.items()]
        yield f"{TOO_FEW}: summaries by {listed(systems, MOST_SYSTEMS)}"
    sizes = ((e.over, group, n) for e in enough for group, n, _ in wording.sizes_of(e))
    if small := {wording.group_with(over, group): n for over, group, n in sizes if n < FEWEST_TO_DECIDE}:
        groups = [f"{group} ({small[group]:,})" for group in wording.ordered_groups(small)]
        named_groups = listed(groups, tables.MOST_COUNTED)
        yield f"groups in fewer than {FEWEST_TO_DECIDE} records are too small to act on: {named_groups}"
    yield from _lost_at_equal_length(significant, context)
    for e in significant:
        checks = noted([e], "scorer_differs", "scorer_retrieves")
        yield from (f"{of_system(e)}: {worded(note)}" for note in checks)
    yield from _other_records(context)
    yield from _too_few_in_a_group(shown, context)
    yield from map(worded, noted(shown, "place_is_group"))
    # A difference from random sentences is tested by its standard error, for which resamples do not matter.
    by_permutations = (e for members in context.panels for e in members if e.extract_p is None)
    if hidden := noted(by_permutations, "tests_need_resamples"):
        yield worded(max(hidden, key=lambda note: note.arguments["resamples"]))


def _too_few_in_a_group(shown: Sequence[Estimate], context: Context) -> Iterator[str]:
    """Why groups are too small to compare, with the systems where not all have this reason."""
    few = [
        (_why_untested(e) or WORDS["too few"], named(e.system)) for e in shown if context.kind(e) == "too few"
    ]
    if len(dict(few)) > MOST_NAMED:
        need = f"a comparison of two groups needs {FEWEST_IN_A_GROUP} records of each"
        yield f"{len(few):,} comparisons have too few records of a group; {need}"
        return
    for why, systems in grouped(few).items():
        names = list(dict.fromkeys(systems))
        of_all = len(names) == len({e.system for e in shown})
        yield why if of_all else f"summaries by {listed(names, MOST_SYSTEMS)}: {why}"


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
    for name, what in COPIED.items():
        if found := made.get(name):
            some = f"{found['records']:,} {what} (for instance {', '.join(map(named, found['examples']))})"
            yield f"{some}{_without(name, 'the copies', context)}"
    if others := made.get("other_languages"):
        ordered = sorted(((entry["documents"], code) for code, entry in others.items()), reverse=True)
        languages = listed([f"{code} {many:,}" for many, code in ordered], MOST_NAMED)
        many = sum(many for many, _ in ordered)
        without = _without("other_languages", "it" if many == 1 else "them", context)
        yield f"{counted(many, 'document')} in another language than the others ({languages}){without}"


def _without(name: str, them: str, context: Context) -> str:
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
    if lost:
        return f"; without {them} no longer significant: {'; '.join(lost[:MOST_NAMED])}"
    return f"; without {them}, {kept[0]} (unadjusted)" if kept else ""


def _lost_at_equal_length(significant: Iterable[Estimate], context: Context) -> Iterator[str]:
    """The findings that are not significant at equal document lengths."""
    for e in significant:
        for note in noted([e], *AT_EQUAL_LENGTH):
            entry = note.arguments["readings"].get(e.group)
            if entry and entry["survives"] is False:
                value = signed(entry["free"]["value"], context.words(e).unit)
                p = p_text(entry["free"]["p"])
                yield f"{of_system(e)}: not significant at equal document lengths ({value}, {p})"


def _judge(e: Estimate, context: Context) -> str:
    """The spec of the scorer with which the measure judges support; "" for a measure without one."""
    declared = context.made.get("declared", {}).get(wording.name_of(e.measure), {})
    default = str(declared.get("scorer") or "")
    spec = specs.parse(e.measure).settings.get("scorer", default) if default else ""
    return spec if spec in context.made.get("scorers", {}) else ""


# ------------------------------------------------------------------------------------- reach of scorers


def shortfalls(made: Mapping[str, Any], measures: Collection[str]) -> Iterator[tuple[str, str]]:
    """A clause for each scorer of these measures (specs) that finds few claims, and how it goes on, with comparisons and advice."""
    for entry in made.get("reach") or ():
        if not set(entry["measures"]) & set(measures):
            continue
        scorer = f"the scorer {named(entry['scorer'])}"
        shares = {row["author"]: row["share_found"] for row in entry["authors"]}
        *_, sources, elsewhere = shares.values()
        if sources < FEWEST_OF_SOURCES:
            part, rest = ("none", "them") if sources < 0.005 else (f"only {sources:.0%}", "the rest")
            text = (
                f"{scorer} finds {part} of the sources' own sentences: documents of other records support {rest} about as much, "
                "for instance because records repeat each other"
            )
            yield text, ""
            continue
        by_people = max((share for author, share in shares.items() if _is_by_people(author)), default=0.0)
        systems = [s for s in made.get("systems") or () if s in shares and not _is_by_people(s)]
        few = [s for s in systems if shares[s] < FEWEST_FOUND or by_people - shares[s] > FEWER]
        if few:
            found = listed([f"{named(s)} {shares[s]:.0%}" for s in few], MOST_SYSTEMS)
            people = f"people's references {by_people:.0%}, " if by_people else ""
            more = (
                f" ({people}the sources' own sentences {sources:.0%}, another record's documents {elsewhere:.0%}). Missed claims "
                f"can be paraphrases, which {wording.names_of(entry['measures'])} cannot see. {_advice(entry['scorer'], made)}"
            )
            yield f"{scorer} finds few of the summaries' claims in the sources: {found}", more


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


# ------------------------------------------------------------------------------------------------ next


def next_steps(context: Context) -> list[tuple[str, str]]:
    """What to do, each with the command that does it; nothing without group differences."""
    if not context.panels:
        return []
    members, first, words = context.panels[0], context.first, context.words(context.first)
    view = ("Read the records:", f"fairbrief view {FOLDER}")
    limit, source = _limit(members)
    if context.kind(first) in NAMED and limit and conclusions.decides(first) >= FEWEST_TO_DECIDE:
        stem = f"{first.quantity.partition('[')[0]}{'' if first.extract_p is None else '-random'}"
        least, most = (shlex.quote(f"{first.measure}:{stem}{sign}{limit:.2g}") for sign in (">=-", "<="))
        rules = f"--min {least} --max {most}"  # of two groups, either can be worse off
        if bool(words.worse_below) != bool(words.worse_above):
            rules = f"--min {least}" if words.worse_below else f"--max {most}"
        return [view, (f"Test new versions (limit: {source}):", f"fairbrief gate {FOLDER} {rules}")]
    planned = _planned(members, context)
    if planned.detectable:
        half = planned.detectable / 2
        n = planned.clusters or planned.n
        many = counted(4 * n, wording.unit_of(planned))
        why = f"Plan more records ({many} to find a {wording.difference(half, words.unit)}):"
        return [view, (why, f"fairbrief power {FOLDER} --disparity {half:.2g}")]
    has_errors = any(e.se for e in members)  # without them, nothing can be planned
    return [view, ("Plan more records:", f"fairbrief power {FOLDER}")] if has_errors else [view]


def _limit(members: Sequence[Estimate]) -> tuple[float, str]:
    """A limit to start from: the largest difference of people's references, else one that is detectable in every group of some
    system that is large enough to act on.
    """
    by_people = [abs(conclusions.decisive(e)[1]) for e in members if e.system.startswith(f"{REFERENCE} ")]
    if by_people:
        return max(by_people), "the largest difference of people's references"
    large = (e for e in members if conclusions.decides(e) >= FEWEST_TO_DECIDE)
    by_system = grouped((e.system, e.detectable or 0.0) for e in large)
    largest = filter(None, map(max, by_system.values()))
    return min(largest, default=0.0), "a gap that is detectable in every group"
