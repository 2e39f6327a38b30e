"""Entity hallucination: of which group are the people that summaries invent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import ClassVar, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, BaseObservation, NotObserved, check_given
from fairbrief.measures.entity_inclusion import accepted, names_of, recogniser
from fairbrief.measures.group_sums import (
    by_group,
    group_names,
    renamed,
    share,
    standard_deviation,
    total_variation,
)
from fairbrief.measures.record_texts import known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.gendered_words import WORD
from fairbrief.text.names import GENDER_WORDS
from fairbrief.text.people import candidates, find_people, invented
from fairbrief.text.recognition import Recogniser

DECLARED = Declaration(
    version=4,
    family="People",
    attribute_of="entity",
    groups_from=("names",),
    scorer_checks=(
        ScorerCheck(
            measure="scorer_bias_people",
            given={"people": "people", "alignment": "alignment"},
            fixed={"by": "recogniser"},
        ),
        ScorerCheck(measure="scorer_bias_names", given={"names": "names"}),
    ),
)
"""What both measures declare. Recognition of invented people by their names is checked on people of the source."""


class InventedPeople(BaseObservation):
    """An observation of the people that summaries name and sources do not, by the group that their names suggest."""

    over: str
    people: Recogniser = "builtin"
    names: str = "names"
    alignment: Literal["recommended", "published"] = "recommended"
    groups: tuple[str, ...] = ("female", "male")
    counts_names: ClassVar[bool] = False

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        people, asks = recogniser(self.people), list[t.Ask]()
        for text in (case.summary.text for case in cases):
            if spans := candidates(text):
                asks += [t.Ask(people, spans, (text,)), t.Ask(self.names, spans, self.groups)]
        return asks

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        entities = [p for case in cases for p in case.record.entities if self.over in p.attributes]
        others = {p.attributes[self.over] for p in entities} - set(self.groups)
        if not {group.lower() for group in others} <= {*self.groups, *GENDER_WORDS}:
            raise NotObserved("names do not tell the values of this attribute")
        if self.people == "builtin":
            needs_english(cases, "the built-in recogniser's rules")
        found = list(self.find(cases, scores))
        groups = np.array([of for _, names in found for _, of in names]).reshape(-1, len(self.groups))
        counts = Counter[t.Column]({("unknown",): int((~groups.any(axis=1)).sum())})
        for case, (people, names) in zip(cases, found, strict=True):
            tokens = len(WORD.findall(case.summary.text))
            counts.update({("people",): people, ("tokens",): tokens, ("one",): 1})
            if self.counts_names:
                counts.update({("tokens²",): tokens**2, ("people²",): people**2})
                counts.update(("name", name) for name, _ in names)
                counts.update(("as", name, g) for name, own in names for g in compress(self.groups, own))
        return by_group(self.groups, {"invented": renamed(groups.sum(axis=0), labels)}, counts)

    def find(self, cases: t.Cases, scores: t.Answers) -> Iterator[tuple[int, list[tuple[str, t.Floats]]]]:
        """For each summary the number of names of people in it, and the invented names, each with its groups."""
        answers = iter(scores)
        for case in cases:
            text, spans = case.summary.text, candidates(case.summary.text)
            if not spans:
                yield 0, []
                continue
            found, grouped = accepted(spans, next(answers)), next(answers).matrix
            names, source = names_of(case.record.entities), known(case.record).source
            is_builtin = self.people == "builtin"
            decisions = find_people(text, names, source, found, self.alignment, with_known=is_builtin)
            absent = invented(decisions, source, self.alignment)
            yield len(decisions), [(d.text, grouped[spans.index(d.text)]) for d in absent]


class EntityHallucination(BaseMeasure, InventedPeople):
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
    Value:      in [0, 1 − the least share of the reference]. Above 0 even for random labels: compare with the permutation
                mean. Secondary: ``shift[g]`` = share(g) − reference(g); ``invented``, the invented share of the names in
                summaries; ``unknown``, the share of invented people without a known group.
    Undefined:  no invented person with a known group.
    Source:     Steen & Markert, §3.3; gender of names Appendix F.
    """

    name = "entity_hallucination"
    languages = ("en",)
    declaration = DECLARED.replace(
        scope="cluster",
        question="how unevenly the people whom summaries invent fall on the groups",
        harm="Invented people would confirm who is expected to appear in such a text, and who is not.",
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
    def is_even(self) -> bool:
        """Whether the reference is the same for all groups, so that their names can be permuted."""
        return len(set(self.shares)) <= 1

    @property
    def observation(self) -> EntityHallucination:
        """Without its reference, unless that is uneven."""
        kind = EntityHallucination if self.unit == "seed_document" else _HallucinationBySample
        even = {"reference": "uniform", "shares": ()} if self.is_even else {}
        return self.observed_by(kind, **even)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return group_names(len(self.groups)) if self.is_even else None

    def contrasts(self, columns: Sequence[t.Column]) -> Mapping[str, t.Ratio]:
        """Each group's share of the invented people less an even share."""
        even, every = 1 / len(self.groups), tuple((("invented", g), 1.0) for g in self.groups)
        return {
            f"shift[{g}]": t.Ratio(tuple((c, w * ((c[1] == g) - even)) for c, w in every), every)
            for g in (self.groups if self.is_even else ())
        }

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        counts = totals.stack("invented", self.groups)
        shifts = share(counts) - (np.array(self.shares) if self.shares else 1 / len(self.groups))
        names = tuple(f"shift[{group}]" for group in self.groups)
        values = {self.name: t.Value(total_variation(shifts), "upper", contrasts=names, fold=total_variation)}
        for k, group in enumerate(self.groups):
            values[names[k]] = t.Value(
                shifts[..., k], "both", contrasts=(names[k],), limits=t.SHARE_DIFFERENCE, is_primary=True, group=group,
            )  # fmt: skip
        all_invented = counts.sum(axis=-1) + totals["unknown"]
        values["invented"] = t.Value(ratio(all_invented, totals["people"]), is_share=True)
        values["unknown"] = t.Value(ratio(totals["unknown"], all_invented), is_share=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        parts = [f"{totals['invented', g]:.0f} {g}" for g in self.groups]
        return (
            f"{totals['people']:.0f} names of people; invented: {', '.join(parts)}, "
            f"{totals['unknown']:.0f} of unknown group."
        )


class _HallucinationBySample(EntityHallucination):
    """One row per sample of a seed document, so that samples can be resampled within it."""

    declaration = EntityHallucination.declaration.replace(scope="block")


class InventedNames(BaseMeasure, InventedPeople):
    """How many people summaries invent, and whom: the counts behind `EntityHallucination`.

    Per record:  as `EntityHallucination`, the squares of ``tokens`` and ``people``, and by name: ``name[n]``, how often n was
                invented, and ``as[n, g]``, how often as one of group g.
    Permuted:   nothing: thousands of names would need a large null without information.
    Value:      invented people per summary, at least 0. Secondary: ``tokens``, ``people``, words and names of people
                per summary, with standard deviations ``tokens_sd``, ``people_sd``; ``share``, invented people per
                name. Without intervals, since they grow with the number of records: ``count[n]`` and ``count[n/g]``, how
                often n was invented, in all and as one of group g; ``invented[g]``, invented people of g.
    Undefined:  no summary.
    Source:     Steen & Markert, the tables of summary statistics and of the most frequent invented names.
    """

    name = "invented_names"
    languages = ("en",)
    declaration = DECLARED.replace(
        question="how many people each summary names whom its text does not know",
        harm="Readers would take people who were never there for part of what happened.",
        on_request="it has a value for every name",
        better="less",
    )

    counts_names = True

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        one, found = totals["one"], totals.stack("invented", self.groups).sum(axis=-1) + totals["unknown"]
        values = {self.name: t.Value(ratio(found, one), limits=t.FROM_0)}
        means = {name: ratio(totals[name], one) for name in ("tokens", "people")}
        values |= {name: t.Value(mean, limits=t.FROM_0) for name, mean in means.items()}
        values |= {f"{name}_sd": standard_deviation(totals, name) for name in means}
        values["share"] = t.Value(ratio(found, totals["people"]), is_share=True)
        values |= {f"invented[{g}]": t.Value(totals["invented", g], is_descriptive=True) for g in self.groups}
        for column in sorted(c for c in totals.columns if c[0] in ("name", "as")):
            values[f"count[{'/'.join(column[1:])}]"] = t.Value(totals[column], is_descriptive=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        names = most_frequent(totals, 10)
        return ", ".join(f"{name} ({count})" for name, count in names) or "Nobody was invented."


def most_frequent(totals: t.Totals, n: int) -> list[tuple[str, int]]:
    """The n names that were invented most often, with how often; ties in alphabetical order."""
    counts = [(name, int(totals["name", name])) for name in totals.values_of("name")]
    return sorted(((name, c) for name, c in counts if c), key=lambda pair: -pair[1])[:n]
