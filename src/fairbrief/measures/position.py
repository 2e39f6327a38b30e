"""Position: which parts of the article does a summary draw on?

`position_bias` compares with references, `position_from_uniform` with no preference for any position;
`position_heights` is the order-blind number that was published. All read `Positions`.
Source: Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large
Language Models from the Perspective of Position Bias. NAACL 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.position_folding import describe, mass_of_sources, moved
from fairbrief.measures.sentence_choice import check_choice, chosen
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
    Totals,
    Value,
)
from fairbrief.spelling import parse, spell
from fairbrief.statistics import kl_divergence, ratio, wasserstein_heights, wasserstein_positions
from fairbrief.text import sentences as builtin

EMPTY_ARTICLE = Reason("empty article")
EMPTY_SUMMARY = Reason("empty summary")
NO_REFERENCES = Reason("no references")
SUMMARY_UNLIKE = Reason("no sentence of the summary resembles the article")
REFERENCE_UNLIKE = Reason("no sentence of a reference resembles the article")

CUTTING_SCORERS = ("tfidf", "rouge1", "rouge2")
"""Mappings whose scorer cuts whole texts itself; for any other the built-in rule cuts here."""


@dataclass(frozen=True)
class Positions:
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

    mapping: str = "tfidf"
    segments: int = 10
    top: int = 1
    sentences: str = "builtin"
    short: str = "span"
    duplicates: str = "keep"
    weights: str = "article"
    against: str = "references"
    limit: int | None = None
    choose: str = "first"
    seed: int = 0

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for setting, allowed in (
            ("sentences", ("builtin", "punkt")),
            ("short", ("span", "first")),
            ("duplicates", ("keep", "once")),
            ("weights", ("article", "pooled")),
            ("against", ("references", "uniform")),
        ):
            if getattr(self, setting) not in allowed:
                raise ValueError(f"{setting} is {' or '.join(allowed)}; not '{getattr(self, setting)}'")
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

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if self._problem(case):
            return ()
        article, texts = article_of(case), self._texts(case)
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
        return Exchange(np.arange(len(builtin.sentence_spans(article_of(case)))))

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
    def _scorer_cuts(self) -> bool:
        return parse(self.mapping).name in CUTTING_SCORERS

    @property
    def _scorer(self) -> str:
        if not self._scorer_cuts:
            return self.mapping
        known = parse(self.mapping)
        settings = [f"{key}={value}" for key, value in known.settings.items()]
        return f"{known.name}({', '.join([*settings, f'sentences={self.sentences}'])})"

    def _problem(self, case: Case) -> Reason | None:
        if not article_of(case).strip():
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
            about = (article_of(case), case.summary.text)
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


def article_of(case: Case) -> str:
    """The record's documents as one text."""
    return "\n".join(document.text for document in case.record.documents)


def segment_names(segments: int) -> list[str]:
    """Numbers from 01 on, padded so that they sort as they stand."""
    return [f"{k + 1:02d}" for k in range(segments)]


def _unlike(matches: Floats) -> Reason | None:
    """Why an article cannot weigh as the others do. ``matches`` by text, the summary's first."""
    if matches[0] == 0:
        return SUMMARY_UNLIKE
    return REFERENCE_UNLIKE if len(matches) > 1 and not matches[1:].any() else None


# ------------------------------------------------------------------------------------- the measures


@dataclass(frozen=True, repr=False)
class _PositionMeasure:
    mapping: str = "tfidf"
    segments: int = 10
    top: int = 1
    sentences: str = "builtin"
    short: str = "span"
    duplicates: str = "keep"
    weights: str = "article"
    limit: int | None = None
    choose: str = "first"
    seed: int = 0

    against: ClassVar[str] = "references"

    def __post_init__(self) -> None:
        _ = self.observation  # an impossible setting is refused where it is typed

    @property
    def observation(self) -> Positions:
        return Positions(**{f.name: getattr(self, f.name) for f in fields(Positions)})

    def __repr__(self) -> str:
        return spell(self)

    def _distribution(self, totals: Totals, side: str) -> Floats:
        return totals.stack(side, segment_names(self.segments))

    def _levels(self, totals: Totals, side: str, prefix: str) -> dict[str, Value]:
        """Mean position, lead share, segment shares, matches and unmapped share of one side's texts."""
        names = segment_names(self.segments)
        mass = self._distribution(totals, side).sum(axis=-1)
        values = {
            f"{prefix}mean_position": ratio(totals[f"{side} positions"], mass),
            f"{prefix}lead_share": ratio(totals[f"{side} lead"], mass),
            **{f"{prefix}segment[{k}]": ratio(totals[side, k], mass) for k in names},
        }
        if side != "even":
            values[f"{prefix}matches"] = np.where(totals["one"] > 0, totals[f"{side} matches"], np.nan)
            values[f"{prefix}unmapped_share"] = ratio(totals[f"{side} unmapped"], totals[f"{side} sentences"])
        return {name: Value(array) for name, array in values.items()}


@dataclass(frozen=True, repr=False)
class PositionBias(_PositionMeasure):
    """Distance between where summaries and where references draw on their articles, over positions.

    With P and Q the shares of the sources of summary and reference sentences in K segments of the article,
    the value is the first Wasserstein distance Σ_{k<K} |P_1 + … + P_k − Q_1 − … − Q_k|: how many segments
    sources must move on average.

    Reads:      references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 when summaries draw on the same parts as references. Positive
                by chance: read with its null. ``position_bias_share`` is the same as a share of the article
                (÷ K); ``position_kl`` = Σ P ln(P/Q) in nats, undefined where summaries draw on a segment
                that no reference does; ``mean_position_shift`` = the summaries' mean position minus the
                references' (shares of the article; negative = earlier); then, for both sides,
                ``mean_position``, ``lead_share`` (from the first three sentences), ``segment[k]``, ``matches``
                and ``unmapped_share`` (sentences that resemble nothing), the references' prefixed ``reference_``.
    Undefined:  as `Positions`; headline nan where nothing was mapped.
    Source:     Chhabra et al., section 3.2. Departs from their code: distance over positions, not heights;
                every article weighs the same; repeated sources count; short articles by relative position.
    """

    name: ClassVar[str] = "position_bias"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        system, reference = self._distribution(totals, "generated"), self._distribution(totals, "reference")
        distance = wasserstein_positions(system, reference)
        levels = self._levels(totals, "generated", "") | self._levels(totals, "reference", "reference_")
        shift = levels["mean_position"].array - levels["reference_mean_position"].array
        return {
            "position_bias": Value(distance, "upper"),
            "position_bias_share": Value(distance / self.segments, "upper"),
            "position_kl": Value(_finite(kl_divergence(system, reference)), "upper"),
            "mean_position_shift": Value(shift, "both"),
            **levels,
        }

    def explain(self, totals: Totals) -> str:
        """Where one summary and its reference draw on the article."""
        values = self.value(totals)
        return (
            f"sources lie {float(values['position_bias'].array):.2f} of {self.segments} segments apart: "
            f"summary {_places(self._distribution(totals, 'generated'))}; "
            f"reference {_places(self._distribution(totals, 'reference'))}; "
            f"{int(totals['generated unmapped'])} summary sentences resemble nothing in the article"
        )


@dataclass(frozen=True, repr=False)
class PositionFromUniform(_PositionMeasure):
    """Distance of where summaries draw on their articles from no preference for any position.

    As `position_bias`, with Q what a summary expects whose sources are article sentences drawn evenly:
    each segment's share of the article's sentences, averaged over articles.

    Reads:      no references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 when sources are spread as the sentences are. Large by chance
                for short summaries: read with its null, which puts the article's sentences in random order.
                ``position_from_uniform_share`` (÷ K), ``position_kl``, ``mean_position`` (a half without
                preference), ``lead_share`` (from the first three sentences) with ``even_lead_share`` (what
                no preference expects), ``segment[k]``, ``matches``, ``unmapped_share``.
    Undefined:  as `Positions`; headline nan where nothing was mapped.
    Source:     Chhabra et al., section 3, without references.
    """

    name: ClassVar[str] = "position_from_uniform"
    against: ClassVar[str] = "uniform"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        system, even = self._distribution(totals, "generated"), self._distribution(totals, "even")
        distance = wasserstein_positions(system, even)
        levels = self._levels(totals, "generated", "")
        for name in ("mean_position", "lead_share"):
            levels[name] = Value(levels[name].array, "both")
        return {
            "position_from_uniform": Value(distance, "upper"),
            "position_from_uniform_share": Value(distance / self.segments, "upper"),
            "position_kl": Value(_finite(kl_divergence(system, even)), "upper"),
            **levels,
            "even_lead_share": self._levels(totals, "even", "")["lead_share"],
        }

    def explain(self, totals: Totals) -> str:
        """Where one summary draws on the article."""
        values = self.value(totals)
        return (
            f"summary draws on {_places(self._distribution(totals, 'generated'))}; "
            f"mean position {float(values['mean_position'].array):.0%} of the article, "
            f"{float(values['lead_share'].array):.0%} from its first three sentences; "
            f"{int(totals['generated unmapped'])} summary sentences resemble nothing in it"
        )


@dataclass(frozen=True, repr=False)
class PositionHeights(_PositionMeasure):
    """The published number, blind to order: how unequally *high* the bars are, wherever they stand.

    Mean |sort P − sort Q| over the segments' shares: the Wasserstein distance with bar heights passed as
    the samples. A system that draws on articles' ends where references draw on their beginnings scores 0.
    No distance over positions: it is here to read published tables by, beside `position_bias`.

    Value:      share of mass per segment, from 0; as `position_bias` otherwise.
    Source:     released code of Chhabra et al. (its figures and Table 1).
    """

    name: ClassVar[str] = "position_heights"
    on_request: ClassVar[str] = "blind to order; position_bias is the distance over positions"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        heights = wasserstein_heights(
            self._distribution(totals, "generated"), self._distribution(totals, "reference")
        )
        return {"position_heights": Value(heights, "upper")}

    def explain(self, totals: Totals) -> str:
        """The two histograms, whose order the number does not see."""
        return (
            f"heights differ by {float(self.value(totals)['position_heights'].array):.3f} on average, in any "
            f"order: summary {_places(self._distribution(totals, 'generated'))}; "
            f"reference {_places(self._distribution(totals, 'reference'))}"
        )


def _places(histogram: Floats) -> str:
    """The segments with mass, with their shares: "1 (67%), 4 (33%)"."""
    total = float(histogram.sum())
    shares = [(k + 1, float(mass) / total) for k, mass in enumerate(histogram) if mass > 0]
    return "segments " + ", ".join(f"{k} ({share:.0%})" for k, share in shares) if shares else "no segment"


def _finite(array: Floats) -> Floats:
    return np.where(np.isfinite(array), array, np.nan)
