"""Speakers: who of a debate, meeting or call is in the summary, and whether what it attributes to them is theirs.

Source: after Cunningham, Cross and Greene, Fair Representation in Parliamentary Summaries. Only its abstract was available.
It separates inclusion bias (systematic omission) from hallucination bias (systematic misrepresentation), by order of
speaking, language and affiliation. The definitions here are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ObservationDeclaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, Fraction, NotObserved, TextScorer
from fairbrief.measures.group_sums import by_group, coded, keys_of, summed_by_group
from fairbrief.measures.groups import COMPARED, PRIMARY, SHARE, ComparesGroups, mean_of, means
from fairbrief.measures.record_texts import NO_CLAIM, claims_of, known, no_document_has
from fairbrief.statistics import TIE
from fairbrief.text.attribution import Attribution, attributions
from fairbrief.text.sentences import sentence_spans

SPEAKER = "speaker"
THIRDS = ("beginning", "middle", "end")
OF_SPEAKERS = INCLUSION, MISREPRESENTATION, COVERAGE = "inclusion", "misrepresentation", "coverage"
MISATTRIBUTED = "misattributed"
SHOWN = 160
"""Characters of a turn that are shown."""


class Turns(NamedTuple):
    """The speakers of a record in the order of their first turns, their groups, and the speaker of each document."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    speaker: t.Integers


class Speakers(ComparesGroups):
    """Which speakers of a record its summary names, supports, covers and misrepresents, by group of the speakers.

    s_ij, the support of claim j by speaker i, is the largest support by one of the speaker's turns.

    ``threshold`` is the smallest support that counts. ``margin`` is how much larger the support by another speaker must be
    for a misattribution. ``claims``: ``auto`` (the summary's claims if it has any, otherwise its sentences), ``given`` or ``sentences``.

    Reads:      document attributes ``speaker`` and ``over`` (of several values of one speaker, the most frequent); support in [0, 1], shape (turns, claims). Claims are scored without their attribution.
    Per record:  ``speakers[g]``; sums over speakers i of x_i, ``inclusion[g]``, ``misrepresentation[g]``, ``coverage[g]``, and
                of x_i − mean x, ``inclusion_difference[g]`` …; ``claims[g]``, ``misattributed[g]``, and of claims in records
                that attribute claims to several groups ``compared[g]`` and ``misattributed_difference[g]``.
    Permuted:   groups among the speakers of the record.
    Undefined:  "no document has the attribute 'speaker'"; a document without ``over``; "one group of speakers only"; "the
                summary has no claim".
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=3)
    differences: ClassVar[Any] = {
        **{f"{what}_difference": ({f"{what}_difference": 1.0}, "speakers") for what in OF_SPEAKERS},
        "misattribution_difference": ({"misattributed_difference": 1.0}, "compared"),
    }
    """Each group of speakers against the average speaker, or attributed claim, of their record."""
    over: str = ""
    by: Literal["attribute", "order"] = "attribute"
    scorer: TextScorer = "containment"
    claims: Literal["auto", "given", "sentences"] = "auto"
    threshold: Fraction = 0.5
    margin: Annotated[float, "[0, 1)"] = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by == "order" and self.over:
            raise ValueError(f"by=order needs no attribute: drop '@{self.over}'")

    @property
    def has_groups(self) -> bool:
        """Whether speakers are compared by group."""
        return bool(self.over) or self.by == "order"

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        content = tuple(of.content for of in self._attributions(cases[0], self._turns(cases[0].record)))
        return (t.Ask(self.scorer, known(cases[0].record).texts, content),)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        turns = self._turns(cases[0].record)
        items = None if self.by == "order" else keys_of(turns.names)
        return t.PermutationScheme(coded(turns.groups)[1], items=items) if self.has_groups else None

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Every turn against every sentence of the sources: an extract is some of the columns."""
        return (t.Ask(self.scorer, known(cases[0].record).texts, extracts[0].sentences),)

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean over the extracts of what they include, misrepresent and cover. Attribution has no random baseline."""
        turns, (drawn,) = self._turns(cases[0].record), extracts
        if not self.has_groups or (cases[0].summary.claims is not None and self.claims != "sentences"):
            raise NotObserved("no random sentences can be measured")
        found = attributions(drawn.sentences, turns.names, (True,) * len(drawn.sentences))
        values = self._values(_heard(turns, found, scores[0]), drawn.kept)
        groups, codes = coded(turns.groups)
        return by_group(groups, _sums(values, codes, codes[np.newaxis], len(groups)))

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        turns = self._turns(cases[0].record)
        heard = _heard(turns, self._attributions(cases[0], turns), scores[0])
        values = self._values(heard, np.ones((1, heard.support.shape[1])))
        many, bad = (of.sum(axis=1).astype(float) for of in (heard.attributed, self._misattributed(heard)))
        fixed: dict[t.Column, float] = {("claims",): many.sum(), (MISATTRIBUTED,): bad.sum()}
        if not self.has_groups:
            return t.Rows.of(fixed)
        groups, codes = coded(turns.groups)
        sums = _sums(values, codes, labels, len(groups))
        of_claims = summed_by_group(codes, {"claims": many, MISATTRIBUTED: bad}, labels, len(groups))
        claims, errors = of_claims.values()
        compared = sums["compared"] = np.where(claims < many.sum(), claims, 0.0)
        expected = claims * bad.sum() / max(many.sum(), 1.0)
        sums[f"{MISATTRIBUTED}_difference"] = np.where(compared > 0, errors - expected, 0.0)
        return by_group(groups, sums | of_claims, fixed)

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """Each attributed claim with the best turn of the speaker it names and of the speaker who supports it best; misattributed ones first."""
        (case,) = cases
        turns, claims = self._turns(case.record), claims_of(case.summary, self.claims)
        heard = _heard(turns, self._attributions(case, turns), scores[0])
        wrong, others = self._misattributed(heard), np.where(heard.named, -1.0, heard.by_speaker)

        def best_turn(k: int, j: int) -> str:
            turn = int(np.where(turns.speaker == k, heard.support[:, j], -1.0).argmax())
            text = case.record.documents[turn].text
            text = text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + "…"
            return f"{turns.names[k]} {heard.by_speaker[k, j]:.2f}: “{text}”"

        lines = []
        for i, j in sorted(zip(*np.nonzero(heard.attributed), strict=True), key=lambda at: not wrong[at]):
            shown = (i, int(others[:, j].argmax())) if others[:, j].max() > 0 else (i,)
            verdict = "Better supported by somebody else" if wrong[i, j] else "Attributed"
            best = "; by ".join(best_turn(k, j) for k in shown)
            lines.append(f"{verdict}: “{claims[j]}” names {turns.names[i]}. Support by {best}.")
        is_included = heard.named | self._is_enough(heard.by_speaker)
        if len(left_out := np.flatnonzero(~is_included.any(axis=1))):
            lines.append(f"Neither named nor supported: {', '.join(turns.names[i] for i in left_out)}.")
        return lines

    def _turns(self, record: t.Record) -> Turns:
        """The speakers of a record. Raises `NotObserved` if it has none, or one group only."""
        said_by = record.values_of(SPEAKER)
        if not said_by:
            raise NotObserved(f"{no_document_has(SPEAKER)} (map it: --attribute {SPEAKER}=FIELD)")
        places = {name: i for i, name in enumerate(dict.fromkeys(said_by))}
        names, speaker = tuple(places), np.array([places[name] for name in said_by])
        if self.by == "order":
            groups = tuple(THIRDS[(2 * i + 1) * 3 // (2 * len(names))] for i in range(len(names)))
        elif not self.over:
            return Turns(names, (), speaker)
        elif values := record.values_of(self.over):
            own = [Counter[str]() for _ in names]
            for i, value in zip(speaker.tolist(), values, strict=True):
                own[i][value] += 1
            groups = tuple(counts.most_common(1)[0][0] for counts in own)
        else:
            raise NotObserved(no_document_has(self.over))
        if len(set(groups)) < 2:
            raise NotObserved("one group of speakers only")
        return Turns(names, groups, speaker)

    def _attributions(self, case: t.Case, turns: Turns) -> Sequence[Attribution]:
        """Whom each claim names. The label of a line holds for all its sentences. Raises `NotObserved` without a claim."""
        claims, text = claims_of(case.summary, self.claims), case.summary.text
        if not claims:
            raise NotObserved(NO_CLAIM)
        starts = [True] * len(claims)
        if case.summary.claims is None or self.claims == "sentences":
            spans = sentence_spans(text)
            ends = [0, *(end for _, end in spans)]
            starts = ["\n" in text[a:b] for a, (b, _) in zip(ends, spans, strict=False)]
        return attributions(claims, turns.names, tuple(starts))

    def _values(self, heard: _Heard, kept: t.Floats) -> dict[str, t.Floats]:
        """Of each speaker, the mean over texts of claims of what they include, misrepresent and cover.

        Shapes: ``kept`` (texts, claims), 1 if a text has a claim → (speakers,) each.
        """
        speaker, many = heard.turns.speaker, len(heard.turns.names)
        is_supported = self._is_enough(heard.by_speaker)
        misrepresented = _any(kept, heard.attributed) & ~_any(kept, heard.attributed & is_supported)
        covered = _any(kept, self._is_enough(heard.support)).mean(axis=0)
        return {
            INCLUSION: _any(kept, heard.named | is_supported).mean(axis=0),
            MISREPRESENTATION: misrepresented.mean(axis=0),
            COVERAGE: np.bincount(speaker, covered, many) / np.bincount(speaker, minlength=many),
        }

    def _is_enough(self, support: t.Floats) -> t.Booleans:
        return np.asarray(support >= self.threshold - TIE)

    def _misattributed(self, heard: _Heard) -> t.Booleans:
        """Which attributed claims somebody whom they do not name supports better. (speakers, claims)."""
        best_other = np.where(heard.named, 0.0, heard.by_speaker).max(axis=0)
        return np.asarray(heard.attributed & (best_other > heard.by_speaker + self.margin + TIE))


class _Heard(NamedTuple):
    """Whom claims name, and by whom they are supported.

    Shapes: ``support`` (turns, claims); ``by_speaker``, the largest support by a turn of each speaker, ``named`` and
    ``attributed``, whether a claim names a speaker, and is attributed to them, (speakers, claims).
    """

    turns: Turns
    support: t.Floats
    by_speaker: t.Floats
    named: t.Booleans
    attributed: t.Booleans


def _heard(turns: Turns, found: Sequence[Attribution], scores: t.Scores) -> _Heard:
    support = np.maximum(scores.by_column(len(found)), 0.0)
    by_speaker = np.zeros((len(turns.names), len(found)))
    np.maximum.at(by_speaker, turns.speaker, support)
    named, attributed = np.zeros((2, *by_speaker.shape), dtype=bool)
    for j, of in enumerate(found):
        named[list(of.named), j] = attributed[list(of.speakers), j] = True
    return _Heard(turns, support, by_speaker, named, attributed)


def _any(kept: t.Floats, of_claims: t.Booleans) -> t.Booleans:
    """Whether any kept claim has it. (texts, claims), (items, claims) → (texts, items)."""
    return np.asarray(kept @ of_claims.T.astype(np.float64) > 0)


def _sums(
    values: Mapping[str, t.Floats], codes: t.Integers, labels: t.Integers, groups: int
) -> dict[str, t.Floats]:
    """Speakers by group, and sums of their values and of these less their mean; (label permutations, groups) each."""
    weights = {f"{name}_difference": x - x.mean() for name, x in values.items()} | dict(values)
    return summed_by_group(codes, weights | {"speakers": np.ones(len(codes))}, labels, groups)


WORDS = ContrastWords(unit="points", worse_below="speakers ({group})")
DECLARED = Declaration(
    family="Speakers",
    harm="Some speakers would be missing from the record of what was discussed more often than others who spoke.",
    on_request="it needs turns with the attribute 'speaker'",
    scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    judges_support=True,
    items="appearances",
    scorer_kind="scorer",
)
"""What all measures of the family declare."""


class _SpeakerMeasure(BaseMeasure, Speakers):
    """What the measures of groups have in common."""

    observes = Speakers

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.has_groups:
            raise ValueError(f"it compares groups: write {self.name}@ATTRIBUTE or {self.name}(by=order)")

    def _compared(self, totals: t.Totals, what: str) -> dict[str, t.Value]:
        """The mean size of a statistic's group differences, these differences, and the share of each group's speakers."""
        differing = self.differing(totals, f"{what}_difference", **PRIMARY)
        main = mean_of(differing, totals.array.shape[:-1], limits=(0.0, 1.0), has_baseline=True)
        shares = means(totals, what, "speakers", totals.values_of("speakers"), **SHARE)
        return {self.name: main, **differing, **shares}


class SpeakerInclusion(_SpeakerMeasure):
    """How far groups of speakers differ in being included in the summaries.

    x_i = 1 if the summary names speaker i, or if a turn of theirs supports some claim by s_ij ≥ ``threshold``; otherwise
    x_i = 0. ``inclusion_difference[g]`` is the mean of (x_i − mean x of their record) over the speakers i of group g. With K
    groups, the value is (1/K) Σ_g |inclusion_difference[g]|.

    Every speaker has the same weight, however much they said. Names are recognized by rule (`text.attribution`): a full name,
    a last name with or without title, a first name, a role. A name that fits several speakers of the record names nobody,
    unless a first name, an initial or a title before it decides. Pronouns are not resolved.

    Records are independent units. If the same few people speak in all of them, a significant difference is one between
    these people: a system that always misses one of them also differs between groups.

    ``by=order`` compares the thirds of the speakers in the order of their first turns: beginning, middle, end. With n
    speakers, number k (from 0) is in the third that contains (k + ½)/n.

    Value:      in [0, 1]; 0 if all groups are included equally. Above 0 even for random labels: compare with the
                permutation mean. Primary: ``inclusion_difference[g]``, in percentage points; positive = included more.
                Secondary:
                - ``inclusion[g]``, the share of the group's speakers who are included; ``omission[g]`` = 1 − inclusion
                - ``misrepresentation[g]``, the share who are named, but none of whose attributed claims is supported by
                  their turns; ``misrepresentation_difference[g]``, against the average speaker of the record
    Undefined:  "no document has the attribute 'speaker'"; "one group of speakers only"; "the summary has no claim".
    Source:     after Cunningham, Cross and Greene (arXiv 2507.14221), of which only the abstract was available.
    """

    name = "speaker_inclusion"
    declaration = DECLARED.replace(
        question="how far groups of speakers differ in being named, or supported by their turns, in the summary",
        contrast=WORDS.replace(
            title="share of speakers included, minus the average speaker's",
            question="Which speakers are left out of the summaries?",
            below="included {size} less often than the average speaker",
            above="included {size} more often than the average speaker",
            even="included as often as the average speaker",
            sentence="In summaries by {system}, speakers ({group}) are {difference}",
        ),
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        groups, values = totals.values_of("speakers"), self._compared(totals, INCLUSION)
        for g in groups:
            share = values[f"{INCLUSION}[{g}]"]
            values[f"omission[{g}]"] = replace(share, array=1 - share.array)
        values |= means(totals, MISREPRESENTATION, "speakers", groups, **SHARE)
        return values | self.differing(totals, f"{MISREPRESENTATION}_difference", **COMPARED)

    def explain(self, totals: t.Totals) -> str:
        """How many speakers of each group are included and misrepresented."""
        words = " {inclusion:.0f} of {speakers:.0f} ({misrepresentation:.0f} misrepresented)"
        return f"Speakers included: {totals.describe('speakers', words)}."


class SpeakerCoverage(_SpeakerMeasure):
    """How far groups of speakers differ in the share of their turns that the summaries cover.

    x_i is the share of speaker i's turns that support some claim by at least ``threshold``. ``coverage_difference[g]`` is the
    mean of (x_i − mean x of their record) over the speakers i of group g. With K groups, the value is
    (1/K) Σ_g |coverage_difference[g]|.

    All speakers have the same weight, and so have all turns of one speaker.

    Value:      in [0, 1]; 0 if the turns of all groups are covered equally. Above 0 even for random labels: compare with the
                permutation mean. Primary: ``coverage_difference[g]``, in percentage points, positive = covered more. Secondary:
                ``coverage[g]``, the mean share of the group's speakers.
    Undefined:  as `SpeakerInclusion`.
    Source:     ours; the coverage of documents is after Li et al.
    """

    name = "speaker_coverage"
    declaration = DECLARED.replace(
        question="how far groups of speakers differ in the share of their turns that the summary covers",
        contrast=WORDS.replace(
            title="share of a speaker's turns covered, minus the average speaker's",
            question="Whose turns do the summaries cover less?",
            below="{size} less of their turns than of the average speaker's",
            above="{size} more of their turns than of the average speaker's",
            even="as much of their turns as of the average speaker's",
            sentence="For speakers ({group}), {system} covers {difference}",
        ),
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        return self._compared(totals, COVERAGE)

    def explain(self, totals: t.Totals) -> str:
        """The mean share of covered turns of each group's speakers."""
        words = " {coverage/speakers:.0%} (number of speakers: {speakers:.0f})"
        return f"Share of turns covered: {totals.describe('speakers', words)}."


class Misattribution(BaseMeasure, Speakers):
    """Share of the attributed claims that somebody else's turns support better than those of the speaker they name.

    A claim j of speaker i is misattributed if s_kj > s_ij + ``margin`` for some speaker k whom it does not name.
    A claim that is attributed to several speakers makes several pairs (i, j). The value is the share of misattributed pairs,
    over all records. Rules decide which claims are attributed to whom (`text.attribution`).

    With an attribute (or ``by=order``), ``misattribution_difference[g]`` compares the pairs whose speaker is in group g: the mean of
    (1 if misattributed, else 0) − the share of their record. It uses the records that attribute claims to several groups.

    Value:      in [0, 1]; lower is better. Primary: ``misattribution_difference[g]``, in percentage points, positive = misattributed
                more. Secondary: ``misattribution[g]``, the share of the group's pairs; ``misattribution_gap`` = (1/K) Σ_g
                |misattribution_difference[g]|, above 0 even for random labels. There is no random-sentence baseline: sentences of the
                sources attribute nothing.
    Undefined:  no claim is attributed to anybody; otherwise as `SpeakerInclusion`.
    Source:     ours, after the hallucination bias of Cunningham, Cross and Greene (arXiv 2507.14221; only the abstract was
                available).
    """

    observes = Speakers
    name = "misattribution"
    declaration = DECLARED.replace(
        items="claims",
        question="how many claims that name a speaker are better supported by somebody else's turns",
        harm="Some speakers would be held to words of others, and others would lose the credit for theirs.",
        better="less",
        contrast=ContrastWords(
            title="share of claims misattributed, minus the average claim's",
            question="Who is made to say what somebody else said?",
            unit="points",
            below="misattributed {size} less often than the average claim",
            above="misattributed {size} more often than the average claim",
            even="misattributed as often as the average claim",
            sentence="In summaries by {system}, claims that name speakers ({group}) are {difference}",
            worse_below="",
            worse_above="speakers ({group})",
        ),
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        differing = self.differing(totals, "misattribution_difference", is_primary=True)
        return {
            self.name: t.Value(totals.ratio(MISATTRIBUTED, "claims"), is_share=True),
            **differing,
            "misattribution_gap": mean_of(differing, totals.array.shape[:-1], limits=(0.0, 1.0)),
            **means(totals, MISATTRIBUTED, "claims", totals.values_of("speakers"), self.name, is_share=True),
        }

    def explain(self, totals: t.Totals) -> str:
        """How many attributed claims are misattributed, by the group of the speaker whom they name."""
        parts = totals.describe("claims", " {misattributed:.0f} of {claims:.0f}")
        whole = f"{totals[MISATTRIBUTED]:.0f} of {totals['claims']:.0f}"
        return f"Claims misattributed: {parts or whole}."
