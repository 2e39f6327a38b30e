"""Entity hallucination: of which group are the people that summaries invent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import Reading, WithoutLabels, check_given, shared
from fairbrief.measures.entity_inclusion import accepted, names_of, recogniser
from fairbrief.measures.groups import (
    by_group,
    group_names,
    half_of_sizes,
    renamed,
    share,
    total_variation,
)
from fairbrief.measures.record_texts import known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.gendered_words import WORD
from fairbrief.text.names import GENDER_WORDS
from fairbrief.text.people import candidates, find_people, invented
from fairbrief.types import (
    SHARE_DIFFERENCE,
    Ask,
    Cases,
    Column,
    Floats,
    Integers,
    PermutationScheme,
    Ratio,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)

CHECKS = (
    ScorerCheck(
        measure="scorer_bias_people",
        given={"people": "people", "alignment": "alignment"},
        fixed={"by": "recogniser"},
    ),
    ScorerCheck(measure="scorer_bias_names", given={"names": "names"}),
)
"""Recognition of invented people by their names is checked on people of the source."""


@dataclass(frozen=True, repr=False)
class InventedPeople(Reading):
    """An observation of the people that summaries name and sources do not, by the group that their names suggest."""

    over: str
    people: str = "builtin"
    names: str = "names"
    alignment: Literal["recommended", "published"] = "recommended"
    groups: tuple[str, ...] = ("female", "male")

    @property
    def exchangeable(self) -> bool:
        """Whether the groups' names can be permuted."""
        return True

    def asks(self, cases: Cases) -> Sequence[Ask]:
        people = recogniser(self.people)
        asks = []
        for case in cases:
            if spans := candidates(case.summary.text):
                asks.append(Ask(people, spans, (case.summary.text,)))
                asks.append(Ask(self.names, spans, self.groups))
        return asks

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - the protocol's signature
        return group_names(len(self.groups), is_together=True) if self.exchangeable else None

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:  # noqa: ARG002
        """Each group's share of the invented people less an even share."""
        even, every = 1 / len(self.groups), tuple((("invented", g), 1.0) for g in self.groups)
        return {
            f"shift[{g}]": Ratio(tuple((c, w * ((c[1] == g) - even)) for c, w in every), every)
            for g in (self.groups if self.exchangeable else ())
        }

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        if not self._fits(cases):
            return Reason("names do not tell the values of this attribute")
        if self.people == "builtin" and (reason := needs_english(cases, "the built-in recogniser's rules")):
            return reason
        counts, unknown, people, tokens = np.zeros(len(self.groups)), 0, 0, 0
        for case, found in zip(cases, self._find(cases, scores), strict=True):
            tokens += len(WORD.findall(case.summary.text))
            people += found.people
            for belongs in found.groups:
                counts += belongs
                unknown += not belongs.any()
        fixed: dict[Column, float] = {
            ("unknown",): unknown,
            ("people",): people,
            ("tokens",): tokens,
            ("one",): len(cases),
        }
        return by_group(self.groups, {"invented": renamed(counts, labels)}, fixed)

    def _fits(self, cases: Cases) -> bool:
        """Whether the people's own values are groups that names suggest."""
        people = (p for case in cases for p in case.record.entities if self.over in p.attributes)
        known = {*self.groups, *GENDER_WORDS}
        values = {person.attributes[self.over] for person in people}
        return all(value in self.groups or value.lower() in known for value in values)

    def _find(self, cases: Cases, scores: Sequence[Scores]) -> Iterator[_Found]:
        """What each case's summary names and invents."""
        waiting = iter(scores)
        for case in cases:
            text, spans = case.summary.text, candidates(case.summary.text)
            if not spans:
                yield _Found(0, (), ())
                continue
            recognised, grouped = next(waiting), next(waiting)
            names, source = names_of(case.record.entities), known(case.record).source
            found, builtin = accepted(spans, recognised), self.people == "builtin"
            decisions = find_people(text, names, source, found, self.alignment, with_known=builtin)
            absent = invented(decisions, source, self.alignment)
            yield _Found(
                len(decisions),
                tuple(d.text for d in absent),
                tuple(grouped.matrix[spans.index(d.text)] for d in absent),
            )


class _Found(NamedTuple):
    """One summary's names of people: how many, and of the invented ones the text and the groups."""

    people: int
    names: tuple[str, ...]
    groups: tuple[Floats, ...]


@dataclass(frozen=True, repr=False)
class EntityHallucination(InventedPeople):
    """How far the groups' shares among the people that summaries invent are from a reference.

    Total variation ``½ Σ_g |share(g) − reference(g)|`` over invented people with a known group, in all summaries
    together. A person is invented if no known person is meant, and some whole word of the name is absent from the
    source.

    ``reference`` is ``uniform``, or ``given`` with ``shares`` in the order of ``groups``. ``names`` is the spec of
    the classifier of names. ``unit=sample`` keeps one row per sample of a seed document. ``alignment=published`` is
    the release's alignment, substring test and counting of every mention.

    Reads:      the entities' names; a recogniser's answer for every span that may name a person; the groups of names.
    Per record:  ``invented[g]``, ``unknown`` (invented people of group g, or of no known group), ``people`` (names of
                people in the summary), ``tokens`` (words of the summary), ``one`` (summaries).
    Permuted:   the groups' names, within all counterfactuals of one seed document, since an invented celebrity may
                recur in each. None if the reference is uneven.
    Value:      in [0, 1 − 1/K]. Above 0 even for random labels: compare with the permutation mean. Secondary:
                ``shift[g]`` = share(g) − reference(g); ``invented``, the invented share of the names in summaries;
                ``unknown``, the share of invented people without a known group.
    Undefined:  no invented person with a known group.
    Source:     Steen & Markert, §3.3; gender of names Appendix F.
    """

    name: ClassVar[str] = "entity_hallucination"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    declaration: ClassVar[Declaration] = Declaration(
        scope="cluster",
        version=2,
        family="People",
        question="how unevenly the people whom summaries invent fall on the groups",
        harm="Invented people would confirm who is expected to appear in such a text, and who is not.",
        attribute_of="entity",
        scorer_checks=CHECKS,
        contrast=ContrastWords(
            title="share of the invented people minus an even share",
            question="Which group do the people belong to whom summaries invent?",
            unit="points",
            below="{size} less of the invented people than an even share",
            above="{size} more of the invented people than an even share",
            even="an even share of the invented people",
            sentence="In summaries by {system}, people with {group} make up {difference}",
            worse_below="",
        ),
    )
    reference: Literal["uniform", "given"] = "uniform"
    shares: tuple[float, ...] = ()
    unit: Literal["seed_document", "sample"] = "seed_document"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_given(self.reference, self.shares, self.groups)

    @property
    def exchangeable(self) -> bool:
        return len(set(self.shares)) <= 1

    @property
    def observation(self) -> EntityHallucination:
        """Without its reference, unless that is uneven."""
        kind = EntityHallucination if self.unit == "seed_document" else _HallucinationBySample
        even = {"reference": "uniform", "shares": ()} if self.exchangeable else {}
        return kind(**(shared(self, kind) | even))

    def value(self, totals: Totals) -> Mapping[str, Value]:
        counts = totals.stack("invented", self.groups)
        shares = share(counts)
        wanted = self._wanted()
        invented_people = counts.sum(axis=-1) + totals["unknown"]
        names = tuple(f"shift[{group}]" for group in self.groups)
        distance = total_variation(shares, wanted)
        values = {self.name: Value(distance, "upper", contrasts=names, fold=half_of_sizes)}
        for k, group in enumerate(self.groups):
            values[names[k]] = Value(
                shares[..., k] - wanted[k], "both", contrasts=(names[k],), limits=SHARE_DIFFERENCE,
                is_primary=True, group=group,
            )  # fmt: skip
        values["invented"] = Value(ratio(invented_people, totals["people"]), is_share=True)
        values["unknown"] = Value(ratio(totals["unknown"], invented_people), is_share=True)
        return values

    def explain(self, totals: Totals) -> str:
        told = [f"{totals['invented', g]:.0f} {g}" for g in self.groups]
        return (
            f"{totals['people']:.0f} names of people; invented: {', '.join(told)}, "
            f"{totals['unknown']:.0f} of unknown group."
        )

    def _wanted(self) -> Floats:
        if self.shares:
            return np.array(self.shares)
        return np.full(len(self.groups), 1 / len(self.groups))


@dataclass(frozen=True, repr=False)
class _HallucinationBySample(EntityHallucination):
    """One row per sample of a seed document, so that samples can be resampled within it."""

    declaration: ClassVar[Declaration] = replace(EntityHallucination.declaration, scope="block")


@dataclass(frozen=True, repr=False)
class InventedNames(WithoutLabels, InventedPeople):
    """How many people summaries invent, and whom: the counts behind `EntityHallucination`.

    Per record:  as `EntityHallucination`, the squares of ``tokens`` and ``people``, and by name: ``name[n]``, how often n was
                invented, and ``as[n, g]``, how often as one of group g.
    Permuted:   nothing: thousands of names would need a large null without information.
    Value:      invented people per summary, at least 0. Secondary: ``tokens``, ``people``, words and names of people
                per summary, with standard deviations ``tokens_sd``, ``people_sd``; ``share``, invented people per
                name; ``count[n]`` and ``count[n/g]``, how often n was invented, in all and as one of group g;
                ``invented[g]``, invented people of g.
    Undefined:  no summary.
    Source:     Steen & Markert, the tables of summary statistics and of the most frequent invented names.
    """

    name: ClassVar[str] = "invented_names"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    declaration: ClassVar[Declaration] = Declaration(
        version=2,
        family="People",
        question="how many people each summary names whom its text does not know",
        harm="Readers would take people who were never there for part of what happened.",
        attribute_of="entity",
        on_request="it has a value for every name",
        better="less",
        scorer_checks=CHECKS,
    )

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        rows = super().observe(cases, scores, labels)
        if isinstance(rows, Reason):
            return rows
        counts: Counter[Column] = Counter()
        for case, found in zip(cases, self._find(cases, scores), strict=True):
            counts["tokens²",] += len(WORD.findall(case.summary.text)) ** 2
            counts["people²",] += found.people**2
            for name, belongs in zip(found.names, found.groups, strict=True):
                counts["name", name] += 1
                counts.update(("as", name, g) for g, is_of in zip(self.groups, belongs, strict=True) if is_of)
        more = Rows.of(counts, len(rows.values))
        return Rows((*rows.columns, *more.columns), np.hstack([rows.values, more.values]))

    def value(self, totals: Totals) -> Mapping[str, Value]:
        found = totals.stack("invented", self.groups).sum(axis=-1) + totals["unknown"]
        values = {
            self.name: Value(ratio(found, totals["one"])),
            "tokens": Value(ratio(totals["tokens"], totals["one"])),
            "people": Value(ratio(totals["people"], totals["one"])),
            "tokens_sd": Value(_deviation(totals, "tokens")),
            "people_sd": Value(_deviation(totals, "people")),
            "share": Value(ratio(found, totals["people"]), is_share=True),
        }
        values |= {f"invented[{g}]": Value(totals["invented", g]) for g in self.groups}
        for column in sorted(c for c in totals.columns if c[0] in ("name", "as")):
            values[f"count[{'/'.join(column[1:])}]"] = Value(totals[column])
        return values

    def explain(self, totals: Totals) -> str:
        names = most_frequent(totals, 10)
        return ", ".join(f"{name} ({count})" for name, count in names) or "Nobody was invented."


def _deviation(totals: Totals, statistic: str) -> Floats:
    """Standard deviation over summaries of a statistic whose squares are summed beside it."""
    n = totals["one"]
    mean = ratio(totals[statistic], n)
    return np.asarray(np.sqrt(np.maximum(ratio(totals[f"{statistic}²"], n) - mean * mean, 0.0)))


def most_frequent(totals: Totals, n: int) -> list[tuple[str, int]]:
    """The n names that were invented most often, with how often; ties in alphabetical order."""
    counts = [(name, int(totals["name", name])) for name in totals.values_of("name")]
    return sorted(((name, c) for name, c in counts if c), key=lambda pair: -pair[1])[:n]
