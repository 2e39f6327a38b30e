"""Inclusion of people whom nobody annotated: found in the sources by a recogniser, its errors carried along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.bases import Reading, check_people
from fairbrief.measures.entity_inclusion import accepted, is_named, recogniser
from fairbrief.measures.permutation_schemes import by_group, group_names, renamed
from fairbrief.measures.record_texts import known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.people import (
    BUILTIN,
    GROUPS,
    READ,
    FoundPerson,
    Name,
    RecogniserErrors,
    candidates,
    find_known,
    found_people,
    read_errors,
)
from fairbrief.types import (
    Ask,
    Cases,
    Column,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """The people whom a recogniser detects in one source, with groups redrawn from its errors, and whom the summary
    names.

    Somebody classified as r becomes one of group g, or nobody, in proportion to what annotated documents say of those
    classified as r. The draw depends only on the text and the name.

    Per record:  ``source[g]``, ``included[g]``: people whose group was redrawn as g; ``read[r]``,
                ``read_included[r]``: people as classified by the recogniser (female, male, unknown).
    Permuted:   the groups' names, in the whole record, since the detected people are known only after scoring.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)
    people: str = "builtin"
    names: str = "names"
    errors: str = ""

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


@dataclass(frozen=True, repr=False)
class DetectedInclusion(Reading):
    """Difference between the shares of women and of men, detected by a recogniser, whom the summaries name.

    This is inclusion for articles whose people nobody annotated (`EntityInclusion` needs annotations). A recogniser
    detects the people of a source and their presented gender (titles, he and she, first names), and groups are
    redrawn from the errors that it made on annotated documents. The redraws widen the interval, and shrink the
    difference rather than inflate it.

    ``people`` is ``builtin``, or ``spacy:NAME``, whose ``errors`` must be given (``fairbrief recogniser`` prints
    them). ``recall`` is the smallest share of people of either gender that the recogniser must have detected there.

    Reads:      documents and summaries.
    Value:      in [0, 1]. Above 0 even for random labels: compare with the permutation mean. Secondary:
                ``difference[female−male]``, positive = women over-represented; ``log_odds[female/male]``, its
                logarithm of the odds ratio; ``inclusion[g]``, share of the people of a group who are named;
                ``read_difference``, with the groups as classified; ``unknown``, share of detected people without a
                known gender.
    Undefined:  nobody of one group.
    Source:     after Steen & Markert, §3.2, on detected people.
    """

    observes: ClassVar[type] = FoundPeople
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
        check_people(self.people)
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

    def value(self, totals: Totals) -> Mapping[str, Value]:
        source, included = totals.stack("source", GROUPS), totals.stack("included", GROUPS)
        contrast = _log_odds(source, included)
        shares = ratio(included, source)
        read = ratio(totals.stack("read_included", GROUPS), totals.stack("read", GROUPS))
        found = totals.stack("read", READ)
        difference = shares[..., 0] - shares[..., 1]
        return {
            self.name: Value(np.abs(difference), "upper"),
            "difference[female−male]": Value(difference, "both"),
            "log_odds[female/male]": Value(contrast, "both"),
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


def _counts(told: Sequence[str], groups: Sequence[str], weights: Floats | None = None) -> Floats:
    """The weight of those of each group; one each where there are no weights. Shape (groups,)."""
    each = np.ones(len(told)) if weights is None else weights
    counts: Floats = np.array(
        [sum(w for g, w in zip(told, each, strict=True) if g == group) for group in groups]
    )
    return counts


def _log_odds(source: Floats, included: Floats) -> Floats:
    """Logarithm of women's odds over men's, half a person added to each count; nan where a group has nobody."""
    odds = np.where(source > 0, (included + 0.5) / (source - included + 0.5), np.nan)
    contrast: Floats = np.log(odds[..., 0] / odds[..., 1])
    return contrast
