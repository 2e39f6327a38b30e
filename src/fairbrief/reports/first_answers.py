"""The questions that every reader of an audit asks, answered in sentences: who, how much, how sure, what else, what next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fairbrief.declarations import ContrastWords, Declaration
from fairbrief.reports import arrangement, contrast_words, note_words, number_format, wording
from fairbrief.reports.contrast_words import against, gap, group_of, said, signed
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

Standing = Literal["own", "differs", "as blind", "evener", "unclear", "not testable", "no value"]
ORDER: tuple[Standing, ...] = ("own", "differs", "as blind", "evener", "unclear", "not testable", "no value")
"""What a system does by itself comes first."""
CLEAR: frozenset[Standing] = frozenset(("own", "differs", "as blind", "evener"))
MOST_SYSTEMS = 6
"""What is beyond stands in the tables below."""
NEXT = "What next?"
RANDOM = "a random pick of sentences of the same length"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader asks, and the sentences that answer; a sentence may end with a command."""

    asked: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What an audit was told, and at which level it tests."""

    made: Mapping[str, Any]
    alpha: float
    rates: Mapping[tuple[str, str, str], float]
    """Shares of the whole audit by system, measure and quantity."""
    variants: frozenset[str] = frozenset()
    """Measures that were taken with other settings, too: what is said of one names it."""

    def declared(self, e: Estimate) -> Declaration:
        return wording.declared(e.measure, self.made)

    def words(self, e: Estimate) -> ContrastWords:
        return self.declared(e).contrast

    def kind(self, e: Estimate) -> Standing:
        return standing_of(e, self.alpha)

    def rank(self, e: Estimate) -> tuple[int, bool, bool, float, float, bool]:
        """The clearest kind first; of one kind what was asked of an attribute, of groups, and is surely large; of what is
        not clear, what is largest.
        """
        scale = 4 if self.words(e).unit == "odds" else 1
        size = 0.0 if self.kind(e) in CLEAR else abs(e.value or 0.0) / scale
        sure = round(_least_size(e) / scale, 6)
        return ORDER.index(self.kind(e)), not e.over, not e.group, -sure, -round(size, 6), not self.worse(e)

    def clearest_first(self, panels: Iterable[Sequence[Estimate]]) -> list[Sequence[Estimate]]:
        """Panels, each the contrasts of a measure and attribute, in the order of their clearest."""
        return sorted(panels, key=lambda of: min(map(self.rank, of)))

    def plain(self, e: Estimate) -> str:
        """The plain rates behind a contrast of odds."""
        return contrast_words.plain_rates(e, self.words(e), self.rates)

    def by(self, e: Estimate) -> str:
        """By which measure, where others ask the same."""
        return f" (by {wording.without_over(e)})" if e.measure in self.variants else ""

    def counted(self, n: int) -> str:
        """So many records; where runs are pooled each of them has several summaries."""
        return counted(n, "summary", "summaries") if self.made.get("pools_runs") else counted(n, "record")

    def worse(self, e: Estimate) -> str:
        """Who is worse off by a contrast."""
        return contrast_words.worse(e, self.words(e))


def _least_size(e: Estimate) -> float:
    """The smallest size that the interval holds, of what a system adds to the random pick where there is one."""
    value, low, high = e.value, e.low, e.high
    if e.blind_difference is not None:
        value, low, high = e.blind_difference, e.blind_difference_low, e.blind_difference_high
    if value is None or low is None or high is None:
        return 0.0
    return max(low, -high, 0.0)


def answers(result: Result) -> tuple[Answer, ...]:
    """What everybody asks of a finding, answered in sentences, without pictures and without what to do next; nothing
    where nothing is a signed contrast.
    """
    reading = reading_of(result)
    ordered = reading.clearest_first(arrangement.leading(result.estimates).values())
    if not ordered:
        return ()
    found = answers_about(leading_contrast(ordered[0], reading), ordered, reading)
    return tuple(answer for answer in found if answer.asked != NEXT)


def reading_of(result: Result) -> Reading:
    """How the estimates of a result are read."""
    rates = {
        (e.system, e.measure, e.quantity): e.value
        for e in result.estimates
        if e.value is not None and not e.slice
    }
    specs: dict[tuple[str, str], set[str]] = {}
    for e in result.estimates:
        specs.setdefault((wording.name_of(e.measure), e.over), set()).add(e.measure)
    variants = frozenset[str]().union(*(of for of in specs.values() if len(of) > 1))
    return Reading(result.made, wording.alpha_of(result.made), rates, variants)


def leading_contrast(members: Sequence[Estimate], reading: Reading) -> Estimate:
    """The contrast that the report begins with: of the clearest, one by which somebody is worse off."""
    clearest = min(map(reading.rank, members))[0]
    alike = [e for e in members if reading.rank(e)[0] == clearest]
    return min(alike, key=lambda e: (not reading.worse(e), reading.rank(e)))


def standing_of(e: Estimate, alpha: float) -> Standing:
    """How a contrast stands: to the random pick where there is one, else to exchanged labels."""
    if e.value is None:
        return "no value"
    p, blind_p = first_known(e.p_adjusted, e.p), first_known(e.blind_p_adjusted, e.blind_p)
    if blind_p is not None and blind_p <= alpha:
        is_nearer = e.blind is not None and e.blind * e.value >= 0 and abs(e.value) < abs(e.blind)
        return "evener" if is_nearer else "own"
    if p is not None and p <= alpha:
        return "as blind" if blind_p is not None else "differs"
    return "not testable" if e.testable is False else "unclear"


def leading_sentence(first: Estimate, reading: Reading) -> str:
    """A contrast in one sentence, with what a random pick of sentences reads."""
    kind, words = reading.kind(first), reading.words(first)
    if kind not in CLEAR:
        what = "between groups " if first.group else ""
        return f"No difference {what}is clear in {_records(first, reading)}. That does not show that there is none."
    start = f"{contrast_words.sentence(first, words)}{reading.by(first)}"
    if first.blind is None:
        return f"{start}."
    random = contrast_words.filled(words.random, reads=against(first.blind, words.unit))
    if kind == "own":
        return f"{start}; {RANDOM} {random}."
    more = "less" if kind == "evener" else "but not clearly more"
    return f"{start}, {more} so than {RANDOM}, which {random}."


def answers_about(
    first: Estimate, panels: Sequence[Sequence[Estimate]], reading: Reading
) -> tuple[Answer, ...]:
    """Who, how much, how sure, what else, what next."""
    found = [
        Answer("Who is worse off?", ((_who(first, panels[0], reading), ""),)),
        Answer("By how much?", ((_how_much(first, reading), ""),)),
        Answer("How sure is it?", ((_how_sure(first, reading), ""),)),
    ]
    if others := _other_systems(first, panels[0], reading):
        found.append(Answer("Other systems?", ((others, ""),)))
    if besides := _besides(panels[1:], reading):
        found.append(Answer("What else is clear?", besides))
    return (*found, Answer(NEXT, _next(first, reading)))


def _who(first: Estimate, members: Sequence[Estimate], reading: Reading) -> str:
    own = [
        e for e in members if e.system == first.system and reading.kind(e) in ("own", "differs", "as blind")
    ]
    told = {
        worse: e
        for e in sorted(own, key=reading.rank)
        if (worse := contrast_words.worse(e, reading.words(e)))
    }
    if not told:
        return "Nobody clearly." if first.group else "No part clearly."
    names = [
        f"{who} ({signed(e.value, reading.words(e).unit)})" if e.value and e.value < 0 else who
        for who, e in told.items()
    ]
    text = "; ".join(names)
    return f"{text[0].upper()}{text[1:]}, in summaries by {named(first.system)}."


def _how_much(e: Estimate, reading: Reading) -> str:
    if e.value is None:
        return f"No value: {note_words.told(e) or 'undefined on these records'}."
    words = reading.words(e)
    start = said(e, words)
    text = f"{start[0].upper()}{start[1:]}{reading.by(e)}{_range(e, words, reading.made)}."
    if plain := reading.plain(e):
        text = f"{text[:-1]}: {plain}."
    if e.group and not contrast_words.is_pair(words):
        text = f"{group_of(e)[0].upper()}{group_of(e)[1:]}: {text[0].lower()}{text[1:]}"
    if e.blind is not None and e.blind_difference is not None:
        text += (
            f" {RANDOM[0].upper()}{RANDOM[1:]}: {signed(e.blind, words.unit)}, so that {_beyond(e, words)}."
        )
    return text


def _beyond(e: Estimate, words: ContrastWords) -> str:
    assert e.blind_difference is not None
    where = "below" if e.blind_difference < 0 else "above"
    return f"the system itself stands {gap(e.blind_difference, words.unit)} {where} it"


def _how_sure(e: Estimate, reading: Reading) -> str:
    kind = reading.kind(e)
    if kind == "no value":
        return "There is nothing to be sure of."
    if kind == "not testable":
        return f"Not testable: in {_records(e, reading)} no exchange of labels could be significant."
    p = first_known(e.p_adjusted, e.p)
    to = ""
    if kind in ("own", "evener") or (kind == "as blind" and e.blind is not None):
        p, to = first_known(e.blind_p_adjusted, e.blind_p), " from a random pick"
    if p is None:
        return f"Not known: {note_words.told(e) or 'there is no test'}."
    is_clear = kind in ("own", "differs", "evener")
    start = "Very sure" if is_clear and p < 0.001 else "Sure" if is_clear else "Not sure"
    text = (
        f"{start}: were there no difference{to}, one as large would be seen in {_often(p)} such audits "
        f"({p_text(p)}, corrected for the number of comparisons; {_records(e, reading)}{_left_out(e, reading)})."
    )
    return text if kind != "unclear" or not e.detectable else f"{text} {_seen(e, reading)}"


def _seen(e: Estimate, reading: Reading) -> str:
    size = gap(e.detectable or 0.0, reading.words(e).unit)
    return f"A difference of {size} would have been seen in 80 of 100."


def _often(p: float) -> str:
    if p < 0.001:
        return "fewer than 1 of 1,000"
    return f"about {1000 * p:.0f} of 1,000" if p < 0.01 else f"about {100 * p:.0f} of 100"


def _other_systems(first: Estimate, members: Sequence[Estimate], reading: Reading) -> str:
    """How the same contrast stands in the summaries of the others, by how clear it is."""
    same = [e for e in members if e.group == first.group and e.system != first.system]
    told: dict[str, list[str]] = {}
    for e in sorted(same, key=reading.rank):
        kind = reading.kind(e)
        reads = "" if e.value is None else f" ({signed(e.value, reading.words(e).unit)})"
        way = "clear too" if (e.value or 0.0) * (first.value or 0.0) > 0 else "clear the other way"
        name = way if kind in ("own", "differs") else "not clear" if kind != "no value" else "no value"
        told.setdefault(name, []).append(f"{named(e.system)}{reads}")
    parts = [f"{name}: {', '.join(of[:MOST_SYSTEMS])}{_more(of)}" for name, of in told.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _more(of: Sequence[str]) -> str:
    return f" and {len(of) - MOST_SYSTEMS} more" if len(of) > MOST_SYSTEMS else ""


def _besides(panels: Sequence[Sequence[Estimate]], reading: Reading) -> tuple[tuple[str, str], ...]:
    """The clearest contrast of each other panel, in a sentence."""
    tops = [(min(of, key=reading.rank), of) for of in panels]
    clear = [(e, of) for e, of in tops if reading.kind(e) in ("own", "differs")]
    return tuple((f"{leading_sentence(e, reading)}{_likewise(e, of, reading)}", "") for e, of in clear[:3])


def _likewise(first: Estimate, members: Sequence[Estimate], reading: Reading) -> str:
    """How many other systems show the same contrast clearly, in the same direction."""
    same = [e for e in members if e.group == first.group and e.system != first.system]
    alike = [
        e for e in same if reading.kind(e) in ("own", "differs") and (e.value or 0) * (first.value or 0) > 0
    ]
    return f" Clear likewise: {len(alike)} of {counted(len(same), 'other system')}." if same else ""


def _next(first: Estimate, reading: Reading) -> tuple[tuple[str, str], ...]:
    found = []
    words, declared = reading.words(first), reading.declared(first)
    if reading.kind(first) in CLEAR:
        found.append(("Read the records at both ends, below under Records.", ""))
        if declared.by_meaning and "scorer=" not in first.measure:
            spec = f"{wording.name_of(first.measure)}({declared.by_meaning})"
            over = f"@{first.over}" if first.over else ""
            found.append(
                (
                    "The scorer here compares words, not meaning. See whether the finding stands with one that reads meaning:",
                    f"fairbrief audit FILE --measure '{spec}{over}'",
                )
            )
        found.append(
            ("Do not let it grow: set a limit, and have every new version checked:", "fairbrief gate DIR")
        )
    elif first.detectable:
        is_grouped = first.clusters and first.clusters != first.n
        n, what = (first.clusters, " independent groups of records") if is_grouped else (first.n, "")
        half = gap(first.detectable / 2, words.unit)
        found.append(
            (
                f"More records: to see a difference of {half}, take about {number_format.count(4 * n)}{what}. For other sizes:",
                "fairbrief power DIR",
            )
        )
    else:
        found.append(("More records, each with documents or people of several groups.", ""))
    return tuple(found)


def _records(e: Estimate, reading: Reading) -> str:
    many = reading.counted(e.n)
    return (
        many
        if not e.clusters or e.clusters == e.n
        else f"{counted(e.clusters, 'independent group')} of {many}"
    )


def _left_out(e: Estimate, reading: Reading) -> str:
    """How many records the measure could not read, and why most of them."""
    if not e.excluded or e.baseline:
        return ""
    most = max(e.excluded, key=lambda reason: e.excluded[reason])
    many = sum(e.excluded.values())
    return f"; {reading.counted(many)} left out{', most' if len(e.excluded) > 1 else ''}: {most}"


def p_text(p: float | None) -> str:
    """``p = 0.012`` or ``p <0.001``, unbroken."""
    text = number_format.probability(p)
    return f"p\u00a0{text}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


def first_known(*values: float | None) -> float | None:
    """The first value that is known."""
    return next((value for value in values if value is not None), None)


def _range(e: Estimate, words: ContrastWords, made: Mapping[str, Any]) -> str:
    if e.low is None or e.high is None:
        return ""
    return f" ({wording.interval_name(made)} {contrast_words.between(e.low, e.high, words.unit)})"
