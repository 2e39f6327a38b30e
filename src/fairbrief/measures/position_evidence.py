"""Where in the article the sources of a text's sentences stand: what the measures of position observe.

Source: Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large
Language Models from the Perspective of Position Bias. NAACL 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.batches import in_parts, only_one
from fairbrief.measures.known_records import KnownRecord, is_blank, known
from fairbrief.measures.measure_settings import CUTTING_SCORERS, check_known
from fairbrief.measures.position_folding import describe, mass_of_sources, moved
from fairbrief.measures.sentence_choice import check_choice, chosen
from fairbrief.score_tables import ScoredUnits
from fairbrief.specs import parse
from fairbrief.text import sentences as builtin
from fairbrief.types import (
    AlikeRows,
    Ask,
    Case,
    Cases,
    Column,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
)

EMPTY_ARTICLE = Reason("empty article")
EMPTY_SUMMARY = Reason("empty summary")
NO_REFERENCES = Reason("no references")
SUMMARY_UNLIKE = Reason("no sentence of the summary resembles the article")
REFERENCE_UNLIKE = Reason("no sentence of a reference resembles the article")


@dataclass(frozen=True, repr=False)
class PositionSettings:
    """What decides where sources stand; measures and observation share it. See `Positions`."""

    mapping: str = "tfidf"
    segments: int = 10
    top: int = 1
    sentences: str = "builtin"
    short: str = "span"
    duplicates: str = "keep"
    match: str = "each"
    weights: str = "article"
    ties: str = "shared"
    against: str = field(default="references", init=False)  # which one, a measure says by its name
    limit: int | None = None
    choose: str = "first"
    seed: int = 0

    def __post_init__(self) -> None:
        for setting, allowed in (
            ("sentences", ("builtin", "punkt")),
            ("short", ("span", "first")),
            ("duplicates", ("keep", "once")),
            ("match", ("each", "mean")),
            ("weights", ("article", "pooled")),
            ("ties", ("shared", "earliest")),
            ("against", ("references", "uniform")),
        ):
            check_known(setting, getattr(self, setting), allowed)
        if not 1 <= self.top <= 3:
            raise ValueError(f"top is 1 to 3; not {self.top}")
        if not 2 <= self.segments <= 99:
            raise ValueError(f"segments is 2 to 99; not {self.segments}")
        if self.sentences != "builtin" and not self._scorer_cuts:
            raise ValueError(
                f"sentences={self.sentences} is for the mappings {', '.join(CUTTING_SCORERS)}; not '{self.mapping}'"
            )
        if self._scorer_cuts and "sentences" in parse(self.mapping).settings:
            raise ValueError("sentences is a setting of the measure: leave it out of the mapping")
        check_choice(self.limit, self.choose)

    @cached_property
    def _scorer_cuts(self) -> bool:
        """For any other scorer the built-in rule cuts here."""
        return parse(self.mapping).name in CUTTING_SCORERS


@dataclass(frozen=True)
class Positions(PositionSettings):
    """Where in the article the sources of a summary's sentences stand, and those of the references'.

    The article is the record's documents, joined by line breaks in their order. Each sentence of a text is
    mapped to its source, the most similar article sentence (see `position_folding`).

    Reads:      ``mapping`` scores, shape (article sentences, sentences of the texts).
    Settings:   ``top`` sources per sentence, 1 to 3; ``sentences`` cuts by rule (``builtin``) or ``punkt``;
                ``short`` articles: ``span`` (by relative position) or ``first`` (fill the first segments);
                ``ties``: sentences that are equally similar share the match, or the ``earliest`` has it;
                ``duplicates``: ``keep``, or ``once`` per article sentence; ``match``: ``each`` sentence of a
                text has its sources, or the text as one has, by the ``mean`` over its sentences; ``weights``: every ``article``
                the same, or ``pooled``, every match the same; ``limit``, ``choose`` and ``seed``: how many
                and which sentences of a longer summary count.
    Evidence:   per text, ``generated`` and ``reference`` (the mean of the references'): matches per segment
                "01", "02" …, divided by their sum when articles weigh the same; likewise sums of
                ``… positions`` (shares of the article) and ``… lead`` (the first three sentences);
                ``… matches``, ``… sentences`` and ``… unmapped`` are counts. Against ``uniform``, ``even``
                holds what no preference expects. ``one`` counts articles.
    Permuted:   against references, the system's text and the mean of its references change places; against
                ``uniform``, all mapped sentences move along together, around the article's end to its beginning, so
                that passages stay passages (with ``punkt`` none: its sentences are not known before scoring).
    Undefined:  "empty article", "empty summary", "no references", "no sentence of the summary (of a
                reference) resembles the article"; the last two only where articles weigh the same.
    """

    against: str = "references"

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=2)

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        about = known(case.record)
        if self._problem(case, about):
            return ()
        texts = (case.summary.text, *self._references(about))
        if self._scorer_cuts:
            return (Ask(self._scorer, (about.source,), texts),)
        columns = tuple(s for text in texts for s in builtin.split(text))
        return (Ask(self._scorer, tuple(builtin.split(about.source)), columns),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        (case,) = cases
        about = known(case.record)
        if self._problem(case, about):
            return None
        if self.against == "references":
            return _IN_EACH_OTHERS_PLACE
        if self.sentences != "builtin":
            return None
        return _turned(len(builtin.sentences_of(about.source)))

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        return only_one(self, cases, scores, labels)

    def observe_many(
        self, units: Sequence[tuple[Cases, Sequence[Scores]]], labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Articles of as many sentences, with texts of as many, are observed together."""
        units = ScoredUnits.of(units)
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[int, int, int, bytes], list[int]] = {}
        shapes = units.first_shapes.T.tolist()
        owners = self._owners(units)
        for i, ((case,), rows, columns, owner) in enumerate(zip(units.cases, *shapes, owners, strict=True)):
            about = known(case.record)
            if rows < 0 and (problem := self._problem(case, about)):
                reasons[i] = problem
            else:
                alike.setdefault((rows, columns, 1 + len(self._references(about)), owner), []).append(i)
        found = []
        for (n, _, texts, owner), members in in_parts(alike, lambda kind: kind[0] * kind[1]):
            places = np.array(members)
            starts = np.searchsorted(np.frombuffer(owner, dtype=np.int64), np.arange(texts + 1)).tolist()
            masses, counts = self._masses(units.some(members), starts)
            kept = np.ones(len(places), dtype=bool)
            if self.weights == "article":
                resembles = counts[:, :, 0] > 0
                is_kept = resembles[:, 0], resembles[:, 1:].any(axis=1) | (resembles.shape[1] == 1)
                for own, why in zip(is_kept, (SUMMARY_UNLIKE, REFERENCE_UNLIKE), strict=True):
                    reasons |= dict.fromkeys(places[kept & ~own].tolist(), why)
                    kept &= own
            traits = describe(n, self.segments, fills_first=self.short == "first")
            # A reference that resembles nothing has no distribution to average; pooled, it adds its zeros.
            weighs = (counts[:, 1:, 0] > 0) | (self.weights == "pooled")
            for pattern in _different(weighs[kept]):
                here = np.flatnonzero(kept & (weighs == pattern).all(axis=1))
                if self.against == "references":
                    own = self._with_references(
                        masses[here] @ traits, counts[here], pattern, labels[places[here]]
                    )
                else:
                    own = self._with_uniform(masses[here, 0], traits, counts[here, 0], labels[places[here]])
                found.append(AlikeRows(places[here].tolist(), *own))
        return found, reasons

    # ------------------------------------------------------------------------------- its parts

    @cached_property
    def _scorer(self) -> str:
        if not self._scorer_cuts:
            return self.mapping
        known = parse(self.mapping)
        settings = [f"{key}={value}" for key, value in known.settings.items()]
        return f"{known.name}({', '.join([*settings, f'sentences={self.sentences}'])})"

    def _problem(self, case: Case, about: KnownRecord) -> Reason | None:
        if is_blank(about.source):
            return EMPTY_ARTICLE
        if is_blank(case.summary.text):
            return EMPTY_SUMMARY
        return NO_REFERENCES if self.against == "references" and not about.references else None

    def _references(self, about: KnownRecord) -> tuple[str, ...]:
        """The texts that stand beside the summary."""
        return about.references if self.against == "references" else ()

    def _owners(self, units: ScoredUnits) -> list[bytes]:
        """The text of each column of the units' scores, as bytes."""
        if self._scorer_cuts:
            return units.first_owners
        texts = [(case.summary.text, *self._references(known(case.record))) for (case,) in units.cases]
        return [
            np.repeat(np.arange(len(own)), [len(builtin.sentences_of(text)) for text in own]).tobytes()
            for own in texts
        ]

    def _parts(self, units: ScoredUnits, starts: Sequence[int]) -> Iterator[Floats]:
        """The scores of each text's sentences that count, of alike articles, a text's beginning at ``starts``. Shape (N, article sentences, sentences) each."""
        similarity = units.table.matrices(units.first)
        for t, (start, stop) in enumerate(pairwise(starts)):
            part = similarity[:, :, start:stop]
            if self.match == "mean" or (t == 0 and self.limit is not None):
                part = np.stack(
                    [self._read(own, t, case) for own, (case,) in zip(part, units.cases, strict=True)]
                )
            yield part

    def _read(self, similarity: Floats, text: int, case: Case) -> Floats:
        """The scores of a text's sentences that count."""
        if text == 0 and self.limit is not None:
            about = (known(case.record).source, case.summary.text)
            kept = chosen(similarity.shape[1], self.limit, self.choose, self.seed, about)
            similarity = similarity[:, kept]
        if self.match == "mean" and similarity.shape[1]:
            similarity = similarity.mean(axis=1, keepdims=True)
        return similarity

    def _masses(self, units: ScoredUnits, starts: Sequence[int]) -> tuple[Floats, Floats]:
        """Of each of alike articles and text the mass per article sentence, shape (N, texts, sentences), and its sum, the text's
        sentences, and those of them that have no source, shape (N, texts, 3).
        """
        masses, counts = [], []
        for part in self._parts(units, starts):
            mass, unmapped = mass_of_sources(
                part, self.top, once=self.duplicates == "once", shares_ties=self.ties == "shared"
            )
            masses.append(mass)
            counts.append(np.column_stack([mass.sum(axis=1), np.full(len(mass), part.shape[2]), unmapped]))
        return np.stack(masses, axis=1), np.stack(counts, axis=1)

    def _weigh(self, sums: Floats, matches: Floats) -> Floats:
        """Sums over matches, divided by the matches where articles weigh the same."""
        if self.weights == "pooled":
            return sums
        weighed: Floats = sums / np.where(matches > 0, matches, 1.0)[..., np.newaxis]
        return weighed

    def _with_references(
        self, sums: Floats, counts: Floats, weighs: NDArray[np.bool_], labels: Integers
    ) -> tuple[tuple[Column, ...], Floats]:
        """Rows with the system's text (the first) and the mean of the references as they are, or in each other's place.

        ``weighs`` (references,) says which of them are averaged.
        """
        stats = np.concatenate([self._weigh(sums, counts[:, :, 0]), counts], axis=2)
        sides = np.stack([stats[:, 0], stats[:, 1:][:, weighs].mean(axis=1)], axis=1)
        swapped = labels[:, :, :1] > 0 if labels.shape[2] else np.zeros((len(sums), 1, 1), dtype=bool)
        system = np.where(swapped, sides[:, 1:], sides[:, :1])
        other = np.where(swapped, sides[:, :1], sides[:, 1:])
        blocks = np.concatenate([np.ones((*system.shape[:2], 1)), system, other], axis=2)
        return (("one",), *self._columns("generated"), *self._columns("reference")), blocks

    def _with_uniform(
        self, mass: Floats, traits: Floats, counts: Floats, labels: Integers
    ) -> tuple[tuple[Column, ...], Floats]:
        """Rows with the articles' sentences at other places."""
        if labels.shape[2]:
            # Articles of one length are turned alike: by every number of sentences.
            is_alike = (labels == labels[0]).all()
            parts = [labels[0]] if is_alike else labels
            at_once = [mass] if is_alike else mass[:, np.newaxis]
            sums = np.concatenate(
                [moved(own, traits, places) for own, places in zip(at_once, parts, strict=True)]
            )
        else:
            sums = moved(mass, traits, np.arange(mass.shape[1])[np.newaxis])
        stats = self._weigh(sums, np.broadcast_to(counts[:, :1], sums.shape[:2]))
        # What no preference expects weighs as much as what it is compared with.
        even = traits.mean(axis=0) * (np.ones((len(mass), 1)) if self.weights == "article" else counts[:, :1])
        fixed = np.concatenate([counts, even, np.ones((len(mass), 1))], axis=1)[:, np.newaxis]
        columns = (*self._columns("generated"), *self._columns("even")[:-3], ("one",))
        return columns, np.concatenate(
            [stats, np.broadcast_to(fixed, (*sums.shape[:2], fixed.shape[2]))], axis=2
        )

    def _columns(self, side: str) -> tuple[Column, ...]:
        """Names of one side's statistics, as the docstring's Evidence lists them."""
        return _columns(side, self.segments)


def _different(rows: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The different ones of rows (N, K), sorted; in most batches there is one."""
    if (rows == rows[:1]).all():
        return list(rows[:1])
    return [np.array(row) for row in sorted(set(map(tuple, rows.tolist())))]


_IN_EACH_OTHERS_PLACE = PermutationScheme(np.arange(2), is_together=True)


@lru_cache(maxsize=256)
def _turned(sentences: int) -> PermutationScheme:
    """Places of an article's sentences, which move along together."""
    return PermutationScheme(np.arange(sentences), cyclic=True, is_together=True)


@cache
def _columns(side: str, segments: int) -> tuple[Column, ...]:
    rest = ("positions", "lead", "matches", "sentences", "unmapped")
    return (
        *((side, name) for name in segment_names(segments)),
        *((f"{side} {what}",) for what in rest),
    )


def segment_names(segments: int) -> list[str]:
    """Numbers from 01 on, padded so that they sort as they stand."""
    return [f"{k + 1:02d}" for k in range(segments)]
