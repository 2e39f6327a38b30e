"""Where in the article the sources of a text's sentences stand: what the measures of position observe.

Source: Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large
Language Models from the Perspective of Position Bias. NAACL 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.position_folding import describe, mass_of_sources, moved
from fairbrief.measures.sentence_choice import check_choice, chosen
from fairbrief.measures.settings import check_known
from fairbrief.measures.sources import source_of
from fairbrief.nouns import (
    Ask,
    Case,
    Cases,
    Column,
    Exchange,
    Floats,
    Integers,
    Reason,
    Rows,
    Scores,
)
from fairbrief.spelling import parse
from fairbrief.text import sentences as builtin

EMPTY_ARTICLE = Reason("empty article")
EMPTY_SUMMARY = Reason("empty summary")
NO_REFERENCES = Reason("no references")
SUMMARY_UNLIKE = Reason("no sentence of the summary resembles the article")
REFERENCE_UNLIKE = Reason("no sentence of a reference resembles the article")

CUTTING_SCORERS = ("tfidf", "rouge1", "rouge2")
"""Mappings whose scorer cuts whole texts itself; for any other the built-in rule cuts here."""


@dataclass(frozen=True, repr=False)
class PositionSettings:
    """What decides where sources stand; measures and observation share it. See `Positions`."""

    mapping: str = "tfidf"
    segments: int = 10
    top: int = 1
    sentences: str = "builtin"
    short: str = "span"
    duplicates: str = "keep"
    weights: str = "article"
    against: str = field(default="references", init=False)  # which one, a measure says by its name
    limit: int | None = None
    choose: str = "first"
    seed: int = 0

    def __post_init__(self) -> None:
        for setting, allowed in (
            ("sentences", ("builtin", "punkt")),
            ("short", ("span", "first")),
            ("duplicates", ("keep", "once")),
            ("weights", ("article", "pooled")),
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

    @property
    def _scorer_cuts(self) -> bool:
        return parse(self.mapping).name in CUTTING_SCORERS


@dataclass(frozen=True)
class Positions(PositionSettings):
    """Where in the article the sources of a summary's sentences stand, and those of the references'.

    The article is the record's documents, joined by line breaks in their order. Each sentence of a text is
    mapped to its source, the most similar article sentence (see `position_folding`).

    Reads:      ``mapping`` scores, shape (article sentences, sentences of the texts).
    Settings:   ``top`` sources per sentence, 1 to 3; ``sentences`` cuts by rule (``builtin``) or ``punkt``;
                ``short`` articles: ``span`` (by relative position) or ``first`` (fill the first segments);
                ``duplicates``: ``keep``, or ``once`` per article sentence; ``weights``: every ``article``
                the same, or ``pooled``, every match the same; ``limit``, ``choose`` and ``seed``: how many
                and which sentences of a longer summary count.
    Evidence:   per text, ``generated`` and ``reference`` (the mean of the references'): matches per segment
                "01", "02" …, divided by their sum when articles weigh the same; likewise sums of
                ``… positions`` (shares of the article) and ``… lead`` (the first three sentences);
                ``… matches``, ``… sentences`` and ``… unmapped`` are counts. Against ``uniform``, ``even``
                holds what no preference expects. ``one`` counts articles.
    Exchange:   against references, which of the texts is the system's; against ``uniform``, the places of
                the article's sentences (with ``punkt`` none: its sentences are not known before scoring).
                Where articles weigh the same, a labelling under which a side matches nothing adds no row,
                as such an article adds none.
    Undefined:  "empty article", "empty summary", "no references", "no sentence of the summary (of a
                reference) resembles the article"; the last two only where articles weigh the same.
    """

    against: str = "references"

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if self._problem(case):
            return ()
        article, texts = source_of(case.record), self._texts(case)
        if self._scorer_cuts:
            return (Ask(self._scorer, (article,), texts),)
        columns = tuple(s for text in texts for s in builtin.split(text))
        return (Ask(self._scorer, tuple(builtin.split(article)), columns),)

    def exchange(self, cases: Cases) -> Exchange | None:
        (case,) = cases
        if self._problem(case):
            return None
        if self.against == "references":
            return Exchange(np.minimum(np.arange(len(self._texts(case))), 1))
        if self.sentences != "builtin":
            return None
        return Exchange(np.arange(len(builtin.sentence_spans(source_of(case.record)))))

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        (case,) = cases
        if problem := self._problem(case):
            return problem
        matrix = scores[0].matrix
        masses, found, unmapped = zip(
            *(self._mass(part, t, case) for t, part in self._parts(case, scores[0])), strict=True
        )
        mass = np.stack(masses)
        counts = np.column_stack([mass.sum(axis=1), found, unmapped])
        if self.weights == "article" and (unlike := _unlike(counts[:, 0])):
            return unlike
        traits = describe(len(matrix), self.segments, fills_first=self.short == "first")
        if self.against == "references":
            return self._with_references(mass @ traits, counts, labels)
        return self._with_uniform(mass[0], traits, counts[0], labels)

    # ------------------------------------------------------------------------------- its parts

    @property
    def _scorer(self) -> str:
        if not self._scorer_cuts:
            return self.mapping
        known = parse(self.mapping)
        settings = [f"{key}={value}" for key, value in known.settings.items()]
        return f"{known.name}({', '.join([*settings, f'sentences={self.sentences}'])})"

    def _problem(self, case: Case) -> Reason | None:
        if not source_of(case.record).strip():
            return EMPTY_ARTICLE
        if not case.summary.text.strip():
            return EMPTY_SUMMARY
        return NO_REFERENCES if self.against == "references" and len(self._texts(case)) == 1 else None

    def _texts(self, case: Case) -> tuple[str, ...]:
        """The summary, then the references that have words."""
        references = case.record.references if self.against == "references" else ()
        return (case.summary.text, *(text for text in references if text.strip()))

    def _parts(self, case: Case, scores: Scores) -> Iterator[tuple[int, Floats]]:
        """The scores of each text's sentences."""
        texts = self._texts(case)
        if self._scorer_cuts:
            owner = scores.owner
        else:
            owner = np.repeat(np.arange(len(texts)), [len(builtin.sentence_spans(text)) for text in texts])
        ends = np.searchsorted(owner, np.arange(len(texts) + 1))
        for t in range(len(texts)):
            yield t, scores.matrix[:, ends[t] : ends[t + 1]]

    def _mass(self, similarity: Floats, text: int, case: Case) -> tuple[Floats, int, int]:
        """A text's mass per article sentence, its sentences, and those of them that have no source."""
        if text == 0 and self.limit is not None:
            about = (source_of(case.record), case.summary.text)
            kept = chosen(similarity.shape[1], self.limit, self.choose, self.seed, about)
            similarity = similarity[:, kept]
        mass, unmapped = mass_of_sources(similarity, self.top, once=self.duplicates == "once")
        return mass, similarity.shape[1], unmapped

    def _weigh(self, sums: Floats, matches: Floats) -> Floats:
        """Sums over matches, divided by the matches where articles weigh the same."""
        if self.weights == "pooled":
            return sums
        weighed: Floats = sums / np.where(matches > 0, matches, 1.0)[..., np.newaxis]
        return weighed

    def _with_references(self, sums: Floats, counts: Floats, labels: Integers) -> Rows:
        """Rows under every choice of which text (rows of ``sums`` and ``counts``) is the system's."""
        is_system = labels == 0 if labels.shape[1] else np.eye(1, len(sums), dtype=bool)
        system = is_system.argmax(axis=1)
        stats = np.column_stack([self._weigh(sums, counts[:, 0]), counts])
        # A reference that resembles nothing has no distribution to average; pooled, it adds its zeros.
        weighs = (counts[:, 0] > 0) | (self.weights == "pooled")
        others = (~is_system & weighs).astype(np.float64)
        usable = (weighs[system] & others.any(axis=1))[:, np.newaxis]
        reference = others @ stats / np.maximum(others.sum(axis=1, keepdims=True), 1.0)
        blocks = np.hstack([np.ones((len(system), 1)), stats[system], reference]) * usable
        return Rows((("one",), *self._columns("generated"), *self._columns("reference")), blocks)

    def _with_uniform(self, mass: Floats, traits: Floats, counts: Floats, labels: Integers) -> Rows:
        """Rows with the article's sentences at other places."""
        places = labels if labels.shape[1] else np.arange(len(mass))[np.newaxis, :]
        stats = self._weigh(moved(mass, traits, places), np.full(len(places), counts[0]))
        # What no preference expects weighs as much as what it is compared with.
        even = traits.mean(axis=0) * (1.0 if self.weights == "article" else counts[0])
        fixed = np.concatenate([counts, even, [1.0]])
        columns = (*self._columns("generated"), *self._columns("even")[:-3], ("one",))
        return Rows(columns, np.hstack([stats, np.broadcast_to(fixed, (len(places), len(fixed)))]))

    def _columns(self, side: str) -> tuple[Column, ...]:
        """Names of one side's statistics, as the docstring's Evidence lists them."""
        rest = ("positions", "lead", "matches", "sentences", "unmapped")
        return (
            *((side, name) for name in segment_names(self.segments)),
            *((f"{side} {what}",) for what in rest),
        )


def segment_names(segments: int) -> list[str]:
    """Numbers from 01 on, padded so that they sort as they stand."""
    return [f"{k + 1:02d}" for k in range(segments)]


def _unlike(matches: Floats) -> Reason | None:
    """Why an article cannot weigh as the others do. ``matches`` by text, the summary's first."""
    if matches[0] == 0:
        return SUMMARY_UNLIKE
    return REFERENCE_UNLIKE if len(matches) > 1 and not matches[1:].any() else None
