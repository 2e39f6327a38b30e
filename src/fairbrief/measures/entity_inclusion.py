"""Entity inclusion: which people of the source a summary names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np

from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import Reading
from fairbrief.measures.groups import (
    by_group,
    coded,
    group_names,
    means,
    person_keys,
    renamed,
    summed_by_group,
)
from fairbrief.measures.record_texts import known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.people import (
    BUILTIN,
    GROUPS,
    READ,
    Decision,
    FoundPerson,
    Name,
    RecogniserErrors,
    candidates,
    find_known,
    find_people,
    found_people,
    read_errors,
    unresolved,
)
from fairbrief.types import (
    Ask,
    Case,
    Cases,
    Column,
    Entity,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Record,
    Rows,
    Scores,
    Totals,
    Value,
)


@dataclass(frozen=True, repr=False)
class EntityInclusion(Reading):
    """How much more likely people of one group are named in the summary than those of another: largest odds ratio − 1.

    With n_g people of group g in the sources and k_g of them named in the summaries, over all records, the odds are
    ``(k_g + ½) / (n_g − k_g + ½)`` (Haldane–Anscombe; ``odds=published``: ``k_g / (n_g − k_g)``, possibly infinite).
    The value is ``max_{a,b} odds_a / odds_b − 1``.

    ``people=builtin`` matches the known names (exactly, or with one letter wrong); ``spacy:NAME`` aligns what a
    pipeline recognises. ``alignment=published`` aligns as the release (`text.people.align_published`): a name that
    fits several people includes all of them; otherwise it is ambiguous and includes none.

    Reads:      entities with the attribute ``over`` and names. People without the attribute or without any name are
                excluded (``alignment=published`` counts those without a name).
    Per record:  ``source[g]``, ``included[g]`` (people); ``mentions``, ``ambiguous`` (names in the summary, and those
                that fit several people none of whom is named otherwise); ``rule[r]`` (decisions).
    Permuted:   counterfactuals of one sample (a pair with exchanged groups) have their groups' names swapped
                together; in a single record, groups are permuted among its people.
    Value:      at least 0; 0 if all groups are named equally often. Above 0 even for random labels: compare with the
                permutation mean. Secondary: ``log_odds[a/b]``, positive = a is named more; ``inclusion[g]`` = k_g /
                n_g; ``ambiguous``, the share of names that fit several people.
    Undefined:  fewer than two groups; with ``odds=published`` also 0/0.
    Source:     Steen & Markert, §3.2 and Eq. 2; alignment §5.2.
    """

    of_value: ClassVar[tuple[str, ...]] = ("odds",)
    name: ClassVar[str] = "entity_inclusion"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    declaration: ClassVar[Declaration] = Declaration(
        scope="block",
        version=2,
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
    people: str = "builtin"
    alignment: Literal["recommended", "published"] = "recommended"
    odds: Literal["corrected", "published"] = "corrected"

    def asks(self, cases: Cases) -> Sequence[Ask]:
        if self._needs_no_recogniser:
            return ()
        scorer = recogniser(self.people)
        return [Ask(scorer, candidates(case.summary.text), (case.summary.text,)) for case in cases]

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        people = [person for case in cases for person in self._people(case.record)]
        groups, codes = coded(person.attributes[self.over] for person in people)
        if len(groups) < 2:
            return None
        return (
            group_names(len(groups))
            if len(cases) > 1
            else PermutationScheme(codes, items=person_keys(people))
        )

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        people = [self._people(case.record) for case in cases]
        groups, codes = coded(person.attributes[self.over] for one in people for person in one)
        if not groups:
            return Reason("no named people with the attribute in the source")
        found = [
            self.find(case, p, scores[i : i + 1])
            for i, (case, p) in enumerate(zip(cases, people, strict=True))
        ]
        named = np.concatenate([is_named(one, len(p)) for one, p in zip(found, people, strict=True)])
        if len(cases) > 1 and labels.shape[1]:
            labels = labels[:, codes]  # the group under whose name each person is counted
        weights = np.column_stack([np.ones(len(codes)), named])
        source, included = np.moveaxis(summed_by_group(codes, weights, labels, len(groups)), -1, 0)
        decisions = [d for one in found for d in one if d.people]
        fixed: dict[Column, float] = {
            ("mentions",): len(decisions), ("ambiguous",): sum(len(unresolved(one)) for one in found),
        }  # fmt: skip
        fixed |= {("rule", rule): number for rule, number in Counter(d.rule for d in decisions).items()}
        return by_group(groups, {"source": source, "included": included}, fixed)

    def _people(self, record: Record) -> list[Entity]:
        return [
            person
            for person in record.entities
            if self.over in person.attributes
            and (person.first_name or person.last_name or self.alignment == "published")
        ]

    def find(self, case: Case, people: Sequence[Entity], scores: Sequence[Scores]) -> list[Decision]:
        """The names of people in a case's summary; whom they mean are places in ``people``."""
        names, source = self.names(case, people), known(case.record).source
        if self._needs_no_recogniser:
            return find_known(case.summary.text, names, source)
        spans = candidates(case.summary.text)
        found, builtin = accepted(spans, scores[0]), self.people == "builtin"
        return find_people(case.summary.text, names, source, found, self.alignment, with_known=builtin)

    def names(self, case: Case, people: Sequence[Entity]) -> list[Name]:
        """People without the attribute can still be meant by a name: they take part in the alignment."""
        return names_of([*people, *[p for p in case.record.entities if self.over not in p.attributes]])

    @property
    def _needs_no_recogniser(self) -> bool:
        """Whether known people are found by their names alone; the published reading aligns what is recognised."""
        return self.people == "builtin" and self.alignment == "recommended"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("source")
        lead = totals["mentions"].shape
        if len(groups) < 2:
            return {self.name: Value(np.full(lead, np.nan), "upper")}
        source, included = totals.stack("source", groups), totals.stack("included", groups)
        odds = self._odds(source, included)
        pairs = {f"log_odds[{x}/{y}]": (i, j) for (i, x), (j, y) in combinations(enumerate(groups), 2)}
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = _largest_ratio(odds) - 1
            log_odds = {name: np.log(odds[..., a] / odds[..., b]) for name, (a, b) in pairs.items()}
        values = {self.name: Value(largest, "upper", contrasts=tuple(pairs), fold=_from_log_odds)}
        for name, (a, b) in pairs.items():
            values[name] = Value(
                log_odds[name], "both", contrasts=(name,), is_primary=True,
                group=f"{groups[a]}/{groups[b]}", present=(("source", groups[a]), ("source", groups[b])),
            )  # fmt: skip
        values |= means(totals, "included", "source", groups, "inclusion", is_share=True)
        values["ambiguous"] = Value(ratio(totals["ambiguous"], totals["mentions"]), is_share=True)
        return values

    def explain(self, totals: Totals) -> str:
        groups = totals.values_of("source")
        parts = [
            f"{g}: {totals['included', g]:.0f} of {totals['source', g]:.0f} people named" for g in groups
        ]
        rules = [f"{totals['rule', rule]:.0f} by {rule}" for rule in totals.values_of("rule")]
        sentences = ["; ".join(parts)]
        if direction := self.direction(totals):
            sentences.append(f"The odds of {direction[0]} exceed those of {direction[1]}")
        if rules:
            sentences.append(f"Aligned: {', '.join(rules)}")
        if totals["ambiguous"]:
            sentences.append(f"{totals['ambiguous']:.0f} names fit several people")
        return ". ".join(sentences) + "."

    def direction(self, totals: Totals) -> tuple[str, str] | None:
        """The groups with the highest and the lowest odds; None where no two groups differ."""
        groups = totals.values_of("source")
        if len(groups) < 2:
            return None
        odds = self._odds(totals.stack("source", groups), totals.stack("included", groups))
        if np.isnan(odds).all() or np.nanmax(odds) == np.nanmin(odds):
            return None
        return groups[int(np.nanargmax(odds))], groups[int(np.nanargmin(odds))]

    def _odds(self, source: Floats, included: Floats) -> Floats:
        more = 0.5 if self.odds == "corrected" else 0.0
        present = np.where(source > 0, source, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((included + more) / (present - included + more))


def recogniser(people: str) -> str:
    """The spec of the classifier that finds which spans name people."""
    return "people" if people == "builtin" else f"people(recogniser={people})"


def accepted(spans: Sequence[str], scores: Scores) -> set[str]:
    """The spans that a recogniser takes for names of people."""
    return {span for span, yes in zip(spans, scores.matrix[:, 0], strict=True) if yes > 0.5}


def names_of(people: Sequence[Entity]) -> list[Name]:
    """The people's names, as they are aligned."""
    return [Name.of(p.first_name, p.last_name, p.attributes.get("gender", "")) for p in people]


def _largest_ratio(odds: Floats) -> Floats:
    """The largest odds over the smallest, of the groups that are present; nan below two of them."""
    known = (~np.isnan(odds)).sum(axis=-1)
    ratio: Floats = np.where(known > 1, np.fmax.reduce(odds, axis=-1) / np.fmin.reduce(odds, axis=-1), np.nan)
    return ratio


def _from_log_odds(contrasts: Floats) -> Floats:
    """The largest odds ratio less one, from the pairs' log odds. (…, pairs) → (…)."""
    return np.asarray(np.exp(np.abs(contrasts).max(axis=-1)) - 1)


def is_named(decisions: Sequence[Decision], people: int) -> Floats:
    """1 for each person that some name refers to; an ambiguous name refers to nobody, unless as published."""
    flags = np.zeros(people)
    for decision in decisions:
        if len(decision.people) == 1 or decision.rule == "as published":
            for person in decision.people:
                if person < people:
                    flags[person] = 1.0
    return flags


@dataclass(frozen=True, repr=False)
class DetectedInclusion(Reading):
    """Difference between the shares of women and of men, detected by a recogniser, whom the summaries name.

    This is inclusion for articles whose people nobody annotated (`EntityInclusion` needs annotations). A recogniser
    detects the people of a source and their presented gender (titles, he and she, first names), and groups are
    redrawn from the errors that it made on annotated documents. The redraws widen the interval, and shrink the
    difference rather than inflate it.

    ``people`` is ``builtin``, or ``spacy:NAME``, whose ``errors`` must be given (``fairbrief recogniser`` prints
    them). ``recall`` is the smallest share of people of either gender that the recogniser must have detected there.

    Somebody classified as r becomes one of group g, or nobody, in proportion to what annotated documents say of those
    classified as r. The draw depends only on the text and the name.

    Reads:      documents and summaries.
    Per record:  ``source[g]``, ``included[g]``: people whose group was redrawn as g; ``read[r]``,
                ``read_included[r]``: people as classified by the recogniser (female, male, unknown).
    Permuted:   the groups' names, in the whole record, since the detected people are known only after scoring.
    Value:      in [0, 1]. Above 0 even for random labels: compare with the permutation mean. Secondary:
                ``difference[female−male]``, positive = women over-represented; ``log_odds[female/male]``, its
                logarithm of the odds ratio; ``inclusion[g]``, share of the people of a group who are named;
                ``read_difference``, with the groups as classified; ``unknown``, share of detected people without a
                known gender.
    Undefined:  nobody of one group.
    Source:     after Steen & Markert, §3.2, on detected people.
    """

    name: ClassVar[str] = "detected_inclusion"
    declaration: ClassVar[Declaration] = Declaration(
        family="People",
        question="how far the shares differ of the women and of the men, found in the texts by a recogniser, who are named",
        harm="People of some groups would be left out of the record more often than others who did the same.",
        on_request="its people are found by a recogniser, whose errors were measured on documents of other kinds",
    )
    people: str = "builtin"
    names: str = "names"
    errors: str = ""
    recall: float = 0.7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.people != "builtin" and not self.errors:
            raise ValueError(
                f"people={self.people} has no known errors: measure them with 'fairbrief recogniser ANNOTATED --people "
                f"{self.people}', and give the line that it prints as errors='…'"
            )
        known = read_errors(self.errors or BUILTIN)
        for group in GROUPS:
            if known.recall(group) < self.recall:
                raise ValueError(
                    f"the recogniser finds {known.recall(group):.0%} of the {group} people of annotated documents, fewer than "
                    f"recall={self.recall:g} asks for: choose another recogniser, or say with recall= what is enough"
                )

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        source = known(case.record).source
        spans = candidates(source)
        if not spans:
            return ()
        return [Ask(recogniser(self.people), spans, (source,)), Ask(self.names, spans, GROUPS)]

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - the protocol's signature
        return group_names(len(GROUPS))

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        if reason := needs_english(cases, "the rules that find people"):
            return reason
        (case,) = cases
        source = known(case.record).source
        people = self._find(source, scores) if scores else []
        if not people:
            return Reason("no person found in the source")
        names = [Name.of(p.first, p.last, p.gender) for p in people]
        named = is_named(find_known(case.summary.text, names, source), len(people))
        who = [self._errors.redrawn(p.gender, f"{p.first} {p.last}\0{source}") for p in people]
        if not set(who) & set(GROUPS):
            return Reason("everybody found is redrawn as nobody")
        read = [p.gender for p in people]
        counts = {"source": _counts(who, GROUPS), "included": _counts(who, GROUPS, named)}
        fixed: dict[Column, float] = {
            (name, g): number
            for name, numbers in (
                ("read", _counts(read, READ)),
                ("read_included", _counts(read, READ, named)),
            )
            for g, number in zip(READ, numbers.tolist(), strict=True)
        }
        return by_group(GROUPS, {name: renamed(own, labels) for name, own in counts.items()}, fixed)

    @property
    def _errors(self) -> RecogniserErrors:
        return read_errors(self.errors or BUILTIN)

    def _find(self, source: str, scores: Sequence[Scores]) -> list[FoundPerson]:
        spans = candidates(source)
        recognised, grouped = scores
        groups = {
            s.lower(): GROUPS[int(row.argmax())]
            for s, row in zip(spans, grouped.matrix, strict=True)
            if row.any()
        }
        return found_people(source, accepted(spans, recognised), groups)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        source, included = totals.stack("source", GROUPS), totals.stack("included", GROUPS)
        # Half a person is added to each count.
        odds = np.where(source > 0, (included + 0.5) / (source - included + 0.5), np.nan)
        shares = ratio(included, source)
        read = ratio(totals.stack("read_included", GROUPS), totals.stack("read", GROUPS))
        found = totals.stack("read", READ)
        difference = shares[..., 0] - shares[..., 1]
        return {
            self.name: Value(np.abs(difference), "upper"),
            "difference[female−male]": Value(difference, "both"),
            "log_odds[female/male]": Value(np.log(odds[..., 0] / odds[..., 1]), "both"),
            **{f"inclusion[{g}]": Value(shares[..., k]) for k, g in enumerate(GROUPS)},
            "read_difference": Value(read[..., 0] - read[..., 1]),
            "unknown": Value(ratio(found[..., 2], found.sum(axis=-1)), is_share=True),
        }

    def explain(self, totals: Totals) -> str:
        """Whom the recogniser read, and how many of them are named."""
        told = [
            f"{totals['read_included', r]:.0f} of {totals['read', r]:.0f} read as {r} named" for r in READ
        ]
        return "People found: " + "; ".join(told) + "."


def _counts(groups: Sequence[str], names: Sequence[str], weights: Floats | None = None) -> Floats:
    """The weight of the people of each named group; one each without weights. Shape (names,)."""
    member = np.array([[group == name for name in names] for group in groups], dtype=np.float64)
    return np.asarray((np.ones(len(groups)) if weights is None else weights) @ member)
