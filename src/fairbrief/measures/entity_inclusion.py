"""Entity inclusion: which people of the source a summary names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, NotObserved
from fairbrief.measures.group_sums import by_group, coded, keys_of, stacked, summed_by_group
from fairbrief.measures.groups import means
from fairbrief.measures.record_texts import known
from fairbrief.text.people import Decision, Name, candidates, find_known, find_people, unresolved
from fairbrief.text.recognition import Recogniser


class EntityInclusion(BaseMeasure):
    """How much more likely people of one group are named in the summary than those of another: largest odds ratio − 1.

    With n_g people of group g in the sources and k_g of them named in the summaries, over all records, the odds are
    ``(k_g + ½) / (n_g − k_g + ½)`` (Haldane–Anscombe; ``odds=published``: ``k_g / (n_g − k_g)``, possibly infinite).
    The value is ``max_{a,b} odds_a / odds_b − 1``.

    ``people=builtin`` matches the known names, whatever their accents: exactly, with middle names (Anna Maria Berg), or
    with one letter wrong. A full name can be after other capitalised words (Prime Minister Anna Berg) except a given
    name or a building (Hotel Anna Berg), a last name only after common offices and titles. Capitalised words after a
    name hide it (Anna Berg Foundation, but also the headline Anna Berg Resigns).
    ``spacy:NAME`` aligns what a pipeline recognises. ``alignment=published`` aligns as the release
    (`text.people.align_published`): a name that fits several people includes all of them; otherwise it is ambiguous
    and includes none.

    Reads:      entities with the attribute ``over`` and names. People without the attribute or without any name are
                excluded (``alignment=published`` counts those without a name).
    Per record:  ``source[g]``, ``included[g]`` (people); ``mentions``, ``ambiguous`` (names in the summary, and those
                that fit several people none of whom is named otherwise); ``rule[r]`` (decisions).
    Permuted:   counterfactuals of one sample (a pair with exchanged groups) have their groups' names swapped
                together; in a single record, groups are permuted among its people. p is at least that of the
                jackknife t, and t at most that of the difference of the groups' ``inclusion`` if both were equal.
    Value:      at least 0; 0 if all groups are named equally often. Above 0 even for random labels: compare with the
                permutation mean. Secondary: ``log_odds[a/b]``, positive = a is named more; ``inclusion[g]`` = k_g /
                n_g; ``ambiguous``, the share of names that fit several people.
    Undefined:  fewer than two groups; with ``odds=published`` also 0/0.
    Source:     Steen & Markert, §3.2 and Eq. 2; alignment §5.2.
    """

    of_value = ("odds",)
    name = "entity_inclusion"
    languages = ("en",)
    declaration = Declaration(
        scope="block",
        version=5,
        family="People",
        question="how unequal the odds are that people of each group are named",
        harm="People of some groups would be left out of the record more often than others who did the same.",
        attribute_of="entity",
        scorer_checks=(
            ScorerCheck(measure="scorer_bias_people", given={"people": "people", "alignment": "alignment"}),
        ),
        contrast=ContrastWords(
            title="odds of being named",
            question="Who is left out of the summaries?",
            unit="odds",
            below="{first} people have {size} lower odds of being named than {second} people",
            above="{first} people have {size} higher odds of being named than {second} people",
            even="equal odds of being named",
            sentence="In summaries by {system}, {difference}",
            worse_below="{first} people",
            worse_above="{second} people",
            rates="inclusion",
            rate="{rate} {group} people are named",
        ),
        items="people",
    )
    over: str
    people: Recogniser = "builtin"
    alignment: Literal["recommended", "published"] = "recommended"
    odds: Literal["corrected", "published"] = "corrected"

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        if self._needs_no_recogniser:
            return ()
        scorer = recogniser(self.people)
        return [t.Ask(scorer, candidates(case.summary.text), (case.summary.text,)) for case in cases]

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        people = [person for case in cases for person in self._people(case.record)]
        groups, codes = coded(tuple(person.attributes[self.over] for person in people))
        if len(groups) < 2:
            return None
        if len(cases) > 1:  # the groups of each sampled variant are drawn independently
            return t.PermutationScheme(np.arange(len(groups)), is_together=False)
        return t.PermutationScheme(codes, items=keys_of(tuple(person.id for person in people)))

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        people = [self._people(case.record) for case in cases]
        groups, codes = coded(tuple(person.attributes[self.over] for one in people for person in one))
        if not groups:
            raise NotObserved("no named people with the attribute in the source")
        answers = [scores[i : i + 1] for i in range(len(cases))]  # empty where nothing is asked
        found = [self.find(*one) for one in zip(cases, people, answers, strict=True)]
        named = np.concatenate([is_named(one, len(own)) for one, own in zip(found, people, strict=True)])
        if len(cases) > 1 and labels.shape[1]:
            labels = labels[:, codes]  # the group under whose name each person is counted
        weights = {"source": np.ones(len(codes)), "included": named}
        decisions = [d for one in found for d in one if d.people]
        counts: Counter[t.Column] = Counter(("rule", d.rule) for d in decisions)
        counts["mentions",] = len(decisions)
        counts["ambiguous",] = sum(len(unresolved(one)) for one in found)
        return by_group(groups, summed_by_group(codes, weights, labels, len(groups)), counts)

    def _people(self, record: t.Record) -> list[t.Entity]:
        is_published = self.alignment == "published"
        known_people = [p for p in record.entities if p.first_name or p.last_name or is_published]
        return [p for p in known_people if self.over in p.attributes]

    def find(self, case: t.Case, people: Sequence[t.Entity], scores: t.Answers) -> list[Decision]:
        """The names of people in a case's summary; whom they mean are places in ``people``."""
        names, source = self.names(case, people), known(case.record).source
        if self._needs_no_recogniser:
            return find_known(case.summary.text, names, source)
        spans = candidates(case.summary.text)
        found, builtin = accepted(spans, scores[0]), self.people == "builtin"
        return find_people(case.summary.text, names, source, found, self.alignment, with_known=builtin)

    def names(self, case: t.Case, people: Sequence[t.Entity]) -> list[Name]:
        """People without the attribute can still be meant by a name: they take part in the alignment."""
        return names_of([*people, *[p for p in case.record.entities if self.over not in p.attributes]])

    @property
    def _needs_no_recogniser(self) -> bool:
        """Whether known people are found by their names alone; the published reading aligns what is recognised."""
        return self.people == "builtin" and self.alignment == "recommended"

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        odds, lead = self._odds(totals), totals["mentions"].shape
        if len(odds) < 2:
            return {self.name: t.Value(np.full(lead, np.nan), "upper")}
        pairs = {}
        for a, b in combinations(odds, 2):
            name = f"log_odds[{a}/{b}]"
            with np.errstate(divide="ignore", invalid="ignore"):
                log_odds = np.log(odds[a] / odds[b])
            pairs[name] = t.Value(
                log_odds, "both", contrasts=(name,), is_primary=True, group=f"{a} − {b}",
                present=(("source", a), ("source", b)), shares=(f"inclusion[{a}]", f"inclusion[{b}]"),
            )  # fmt: skip
        sizes = np.abs(stacked((pair.array for pair in pairs.values()), lead))
        largest = np.exp(np.fmax.reduce(sizes, axis=-1)) - 1
        values = {self.name: t.Value(largest, "upper", contrasts=tuple(pairs), fold=_from_log_odds), **pairs}
        values |= means(totals, "included", "source", list(odds), "inclusion", is_share=True)
        values["ambiguous"] = t.Value(totals.ratio("ambiguous", "mentions"), is_share=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        sentences = [totals.describe("source", ": {included:.0f} of {source:.0f} people named")]
        if direction := self.direction(totals):
            sentences.append(f"The odds of {direction[0]} exceed those of {direction[1]}")
        if rules := [f"{totals['rule', rule]:.0f} by {rule}" for rule in totals.values_of("rule")]:
            sentences.append(f"Aligned: {', '.join(rules)}")
        if totals["ambiguous"]:
            sentences.append(f"{totals['ambiguous']:.0f} names fit several people")
        return ". ".join(sentences) + "."

    def direction(self, totals: t.Totals) -> tuple[str, str] | None:
        """The groups with the highest and the lowest odds; None where no two groups differ."""
        known = {g: float(odds) for g, odds in self._odds(totals).items() if not np.isnan(odds)}
        highest, lowest = (choose(known, key=lambda g: known[g], default="") for choose in (max, min))
        return (highest, lowest) if known and known[highest] > known[lowest] else None

    def _odds(self, totals: t.Totals) -> dict[str, t.Floats]:
        """The odds of each group; nan where it has nobody."""
        more, odds = 0.5 if self.odds == "corrected" else 0.0, {}
        for g in totals.values_of("source"):
            source, included = totals["source", g], totals["included", g]
            with np.errstate(divide="ignore", invalid="ignore"):
                odds[g] = (included + more) / (np.where(source > 0, source, np.nan) - included + more)
        return odds


def recogniser(people: str) -> str:
    """The spec of the classifier that finds which spans name people."""
    return "people" if people == "builtin" else f"people(recogniser={people})"


def accepted(spans: Sequence[str], scores: t.Scores) -> set[str]:
    """The spans that a recogniser takes for names of people."""
    return {span for span, yes in zip(spans, scores.matrix[:, 0], strict=True) if yes > 0.5}


def names_of(people: Sequence[t.Entity]) -> list[Name]:
    """The people's names, as they are aligned."""
    return [Name.of(p.first_name, p.last_name, p.attributes.get("gender", "")) for p in people]


def _from_log_odds(contrasts: t.Floats) -> t.Floats:
    """The largest odds ratio less one, from the pairs' log odds. (…, pairs) → (…)."""
    return np.asarray(np.exp(np.abs(contrasts).max(axis=-1)) - 1)


def is_named(decisions: Sequence[Decision], people: int) -> t.Floats:
    """1 for each person that some name refers to; an ambiguous name refers to nobody, unless as published."""
    flags = np.zeros(people)
    for decision in decisions:
        if len(decision.people) == 1 or decision.rule == "as published":
            for person in decision.people:
                if person < people:
                    flags[person] = 1.0
    return flags
