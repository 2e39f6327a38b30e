"""What the measures of speakers observe of a record of turns: whom its summary names, supports, covers and misquotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.bases import check_known, check_uncut
from fairbrief.measures.permutation_schemes import by_group, coded, counted, keys_of
from fairbrief.measures.record_texts import claims_of, known
from fairbrief.statistics import TIE
from fairbrief.text.attribution import Attribution, attributions
from fairbrief.text.sentences import sentence_spans
from fairbrief.types import (
    Ask,
    Case,
    Cases,
    Column,
    Extracts,
    Floats,
    Integers,
    PermutationScheme,
    Ratio,
    Reason,
    Record,
    Rows,
    Scores,
)

SPEAKER = "speaker"
NO_SPEAKER = Reason(f"no document has the attribute '{SPEAKER}' (map it: --attribute {SPEAKER}=FIELD)")
NO_CLAIM = Reason("the summary has no claim")
ONE_GROUP = Reason("one group of speakers only")
NO_BASELINE = Reason("no random sentences can be measured")
THIRDS = ("beginning", "middle", "end")
INCLUSION, MISREPRESENTATION, COVERAGE = "inclusion", "misrepresentation", "coverage"
MISATTRIBUTED = "misattributed"
COUNTS = {
    INCLUSION: "speakers",
    MISREPRESENTATION: "speakers",
    COVERAGE: "speakers",
    MISATTRIBUTED: "compared",
}
"""What the group differences of a statistic are divided by."""
SHOWN = 160
"""Characters of a turn that are shown."""


class Turns(NamedTuple):
    """The speakers of a record in the order of their first turns, their groups, and the speaker of each document."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    speaker: Integers


@dataclass(frozen=True, repr=False)
class SpeakerSettings:
    """What decides how speakers are observed; measures and observation share it."""

    over: str = ""
    by: str = "attribute"
    scorer: str = "containment"
    claims: str = "auto"
    threshold: float = 0.5
    margin: float = 0.2

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)
        check_known("claims", self.claims, ("auto", "given", "sentences"))
        check_known("by", self.by, ("attribute", "order"))
        if self.by == "order" and self.over:
            raise ValueError(f"by=order needs no attribute: drop '@{self.over}'")
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold={self.threshold} is not in (0, 1], as support is")
        if not 0 <= self.margin < 1:
            raise ValueError(f"margin={self.margin} is not in [0, 1), as differences of support are")

    @property
    def has_groups(self) -> bool:
        """Whether speakers are compared by group."""
        return bool(self.over) or self.by == "order"


@dataclass(frozen=True)
class Speakers(SpeakerSettings):
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

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=2)

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        claims, turns = self._claims(case), self._turns(case.record)
        if not claims or isinstance(turns, Reason):
            return ()
        content = tuple(of.content for of in self._attributions(case, turns))
        return (Ask(self.scorer, known(case.record).texts, content),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        turns = self._turns(cases[0].record)
        if isinstance(turns, Reason) or not self.has_groups:
            return None
        return PermutationScheme(
            coded(turns.groups)[1], items=None if self.by == "order" else keys_of(turns.names)
        )

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """Each group of speakers against the average speaker, or attributed claim, of their record."""
        return {
            f"{x}_difference[{c[1]}]": Ratio((((f"{x}_difference", c[1]), 1.0),), (((count, c[1]), 1.0),))
            for c in columns
            if c[0] == "speakers"
            for x, count in COUNTS.items()
        }

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:
        """Every turn against every sentence of the sources: an extract is some of the columns."""
        return (Ask(self.scorer, known(cases[0].record).texts, extracts[0].sentences),)

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The mean over the extracts of what they include, misrepresent and cover. Attribution has no random baseline."""
        turns, (drawn,) = self._turns(cases[0].record), extracts
        if isinstance(turns, Reason):
            return turns
        if not self.has_groups or (cases[0].summary.claims is not None and self.claims != "sentences"):
            return NO_BASELINE
        sentences = drawn.sentences
        found = attributions(sentences, turns.names, (True,) * len(sentences))
        support = np.maximum(scores[0].by_column(len(sentences)), 0.0)
        values = self._values(support, turns, found, drawn.kept)
        groups, codes = coded(turns.groups)
        return by_group(groups, _sums(values, codes, codes[np.newaxis], len(groups)))

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        (case,) = cases
        turns = self._turns(case.record)
        if isinstance(turns, Reason):
            return turns
        if not scores:
            return NO_CLAIM
        found = self._attributions(case, turns)
        support = np.maximum(scores[0].by_column(len(found)), 0.0)
        values = self._values(support, turns, found, np.ones((1, len(found))))
        wrong, attributed = self._misattributed(_by_speaker(support, turns), found)
        many, bad = attributed.sum(axis=1).astype(float), wrong.sum(axis=1).astype(float)
        fixed: dict[Column, float] = {("claims",): many.sum(), (MISATTRIBUTED,): bad.sum()}
        if not self.has_groups:
            return Rows.of(fixed)
        groups, codes = coded(turns.groups)
        claims, errors = (counted(codes, x, labels, len(groups)) for x in (many, bad))
        compared = np.where(claims < many.sum(), claims, 0.0)
        centred = np.where(compared > 0, errors - claims * bad.sum() / max(many.sum(), 1.0), 0.0)
        more = {
            "claims": claims, MISATTRIBUTED: errors, "compared": compared, f"{MISATTRIBUTED}_difference": centred,
        }  # fmt: skip
        return by_group(groups, _sums(values, codes, labels, len(groups)) | more, fixed)

    def details(self, cases: Cases, scores: Sequence[Scores]) -> Sequence[str]:
        """Each attributed claim with the best turn of the speaker it names and of the speaker who supports it best; misattributed ones first."""
        (case,) = cases
        turns = self._turns(case.record)
        if isinstance(turns, Reason) or not scores:
            return ()
        claims, found = self._claims(case), self._attributions(case, turns)
        support = np.maximum(scores[0].by_column(len(found)), 0.0)
        by_speaker = _by_speaker(support, turns)
        wrong, attributed = self._misattributed(by_speaker, found)
        lines = []
        for i, j in sorted(zip(*np.nonzero(attributed), strict=True), key=lambda at: not wrong[at]):
            verdict = "Better supported by somebody else" if wrong[i, j] else "Attributed"
            others = by_speaker[:, j].copy()
            others[list(found[j].named)] = -1.0
            shown = [i, *([int(others.argmax())] if others.max() > 0 else [])]
            best = [
                f"{turns.names[k]} {by_speaker[k, j]:.2f}: “{_shortened(case, support[:, j], turns.speaker == k)}”"
                for k in shown
            ]
            lines.append(f"{verdict}: “{claims[j]}” names {turns.names[i]}. Support by {'; by '.join(best)}.")
        named = _are(found, len(turns.names), "named").any(axis=1)
        supported = (by_speaker >= self.threshold - TIE).any(axis=1)
        if len(left_out := np.flatnonzero(~(named | supported))):
            lines.append(f"Neither named nor supported: {', '.join(turns.names[i] for i in left_out)}.")
        return lines

    def _turns(self, record: Record) -> Turns | Reason:
        """The speakers of a record; or why it cannot be observed."""
        said_by = record.values_of(SPEAKER)
        if not said_by:
            return NO_SPEAKER
        places = {name: i for i, name in enumerate(dict.fromkeys(said_by))}
        names, speaker = tuple(places), np.array([places[name] for name in said_by])
        if self.by == "order":
            groups = tuple(THIRDS[(2 * i + 1) * 3 // (2 * len(names))] for i in range(len(names)))
        elif self.over:
            values = record.values_of(self.over)
            if not values:
                return Reason(f"no document has the attribute '{self.over}'")
            own: list[list[str]] = [[] for _ in names]
            for i, value in zip(speaker.tolist(), values, strict=True):
                own[i].append(value)
            groups = tuple(max(dict.fromkeys(of), key=of.count) for of in own)
        else:
            return Turns(names, (), speaker)
        return Turns(names, groups, speaker) if len(set(groups)) > 1 else ONE_GROUP

    def _claims(self, case: Case) -> tuple[str, ...]:
        return claims_of(case.summary, self.claims)

    def _attributions(self, case: Case, turns: Turns) -> Sequence[Attribution]:
        """Whom each claim names. The label of a line holds for all its sentences."""
        claims, text = self._claims(case), case.summary.text
        starts = [True] * len(claims)
        if case.summary.claims is None or self.claims == "sentences":
            spans = sentence_spans(text)
            ends = [0, *(end for _, end in spans)]
            starts = ["\n" in text[a:b] for a, (b, _) in zip(ends, spans, strict=False)]
        return attributions(claims, turns.names, tuple(starts))

    def _values(
        self, support: Floats, turns: Turns, found: Sequence[Attribution], kept: Floats
    ) -> dict[str, Floats]:
        """Of each speaker, the mean over texts of claims of what they include, misrepresent and cover.

        Shapes: ``support`` (turns, claims); ``kept`` (texts, claims), 1 if a text has a claim → (speakers,) each.
        """
        many = len(turns.names)
        is_supported = _by_speaker(support, turns) >= self.threshold - TIE
        named, attributed = (_are(found, many, which) for which in ("named", "speakers"))
        included = _any(kept, named | is_supported)
        misrepresented = _any(kept, attributed) & ~_any(kept, attributed & is_supported)
        covered = _any(kept, support >= self.threshold - TIE).mean(axis=0)
        turn_share = np.bincount(turns.speaker, covered, many) / np.bincount(turns.speaker, minlength=many)
        return {
            INCLUSION: included.mean(axis=0), MISREPRESENTATION: misrepresented.mean(axis=0), COVERAGE: turn_share,
        }  # fmt: skip

    def _misattributed(
        self, by_speaker: Floats, found: Sequence[Attribution]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which attributed claims somebody whom they do not name supports better; which are attributed. (speakers, claims)."""
        named, attributed = (_are(found, len(by_speaker), which) for which in ("named", "speakers"))
        best_other = np.where(named, 0.0, by_speaker).max(axis=0)
        return attributed & (best_other > by_speaker + self.margin + TIE), attributed


def _by_speaker(support: Floats, turns: Turns) -> Floats:
    """The largest support by a turn of each speaker. (turns, claims) → (speakers, claims)."""
    best = np.zeros((len(turns.names), support.shape[1]))
    np.maximum.at(best, turns.speaker, support)
    return best


def _are(found: Sequence[Attribution], speakers: int, which: str) -> NDArray[np.bool_]:
    """Whether each claim names each speaker (``named``), or is attributed to them (``speakers``). (speakers, claims)."""
    result = np.zeros((speakers, len(found)), dtype=bool)
    for j, of in enumerate(found):
        result[list(getattr(of, which)), j] = True
    return result


def _any(kept: Floats, of_claims: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any kept claim has it. (texts, claims), (items, claims) → (texts, items)."""
    return np.asarray(kept @ of_claims.T.astype(np.float64) > 0)


def _sums(values: Mapping[str, Floats], codes: Integers, labels: Integers, groups: int) -> dict[str, Floats]:
    """Speakers by group, and sums of their values and of these less their mean; (label permutations, groups) each."""
    named = {f"{name}_difference": x - x.mean() for name, x in values.items()} | dict(values)
    named["speakers"] = np.ones_like(values[INCLUSION])
    sums = counted(codes, np.stack(list(named.values()), axis=-1), labels, groups)
    return {name: sums[..., k] for k, name in enumerate(named)}


def _shortened(case: Case, support: Floats, own: NDArray[np.bool_]) -> str:
    """The turn with the most support of those of one speaker, shortened."""
    text = case.record.documents[int(np.where(own, support, -1.0).argmax())].text
    return text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + "…"
