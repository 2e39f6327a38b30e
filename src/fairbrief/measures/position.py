"""Position: which parts of the article does a summary draw on?

With P and Q the shares of the sources of two texts' sentences in K segments of the article, their distance is the first
Wasserstein distance Σ_{k<K} |P_1 + … + P_k − Q_1 − … − Q_k|. `position_bias` compares summaries with references,
`position_from_uniform` with no preference for any position; `position_heights` is the order-blind number that was published.
All read `Positions`.

Source: Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large
Language Models from the Perspective of Position Bias. NAACL 2024. The file is long since the family is one piece: how
similarities give sources, which statistics of them are summed, and which values are made of the sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ObservationDeclaration
from fairbrief.measures.bases import CUTTING_SCORERS, BaseMeasure, ManyAtOnce, NotObserved
from fairbrief.measures.group_sums import labelled
from fairbrief.measures.record_texts import EMPTY_SUMMARY, chosen_of, is_blank, known
from fairbrief.score_tables import Alike, ScoredUnits
from fairbrief.specs import parse
from fairbrief.statistics import ratio
from fairbrief.statistics.distributions import kl_divergence, wasserstein_heights, wasserstein_positions
from fairbrief.text import sentences as builtin

DECIMALS = 12
"""Similarities that agree to so many decimals are tied."""
COPIED = 0.9
"""A sentence at least this similar to its source has no second one (Chhabra et al., Appendix I)."""
LEAD = 3
"""Article sentences that make the lead."""


def mass_of_sources(
    similarity: t.Floats, top: int, *, once: bool, shares_ties: bool, copies_once: bool = False
) -> tuple[t.Floats, t.Integers]:
    """How often each article sentence is the source of a sentence of the text, and how many have none.

    ``similarity`` has shape (…, article sentences, sentences of the text). A sentence's source is the article
    sentence most similar to it; several equally similar ones share it (``shares_ties``), or the earliest is.
    With ``top`` > 1 it has so many sources, the most similar ones, the earliest of equals; with ``copies_once`` one that
    is at least `COPIED` similar to its source has that alone. What resembles nothing (similarity 0) has none. ``once``
    counts an article sentence once however many sentences it is the source of. Shapes: the mass (…, article sentences); how many (…).
    """
    n, m = similarity.shape[-2:]
    if not n or not m:
        return np.zeros(similarity.shape[:-1]), np.full(similarity.shape[:-2], m)
    rounded = np.round(similarity, DECIMALS)
    best = rounded.max(axis=-2, keepdims=True)
    is_like = best > 0
    if top == 1 and shares_ties:
        tied = (rounded == best) & is_like
        mass = (tied / np.maximum(tied.sum(axis=-2, keepdims=True), 1)).sum(axis=-1)
    else:
        ranked = np.argsort(-rounded, axis=-2, kind="stable")[..., :top, :]
        counts = np.take_along_axis(rounded, ranked, axis=-2) > 0
        if copies_once:
            counts[..., 1:, :] &= best < COPIED
        articles = np.arange(rounded.size // (n * m)).reshape(*rounded.shape[:-2], 1, 1)
        places = (articles * n + ranked)[counts]
        mass = np.bincount(places, minlength=articles.size * n).reshape(rounded.shape[:-1]).astype(np.float64)
    unlike = (~is_like).sum(axis=(-1, -2))
    return np.minimum(mass, 1.0) if once else mass, unlike


@lru_cache(maxsize=256)
def describe(sentences: int, segments: int, *, fills_first: bool) -> t.Floats:
    """What one match of each article sentence adds: its segments, its position, whether it is in the lead.

    Segments are as equal as possible, the first ``sentences % segments`` one sentence longer (Chhabra et
    al., Appendix A). An article with fewer sentences than segments: sentence j of n covers the share from
    j/n to (j + 1)/n of the article and is split over the segments that it spans; with ``fills_first``
    it is segment j, as released. Position is the middle of the sentence as a share of the article, (j + ½)/n.
    Shape (sentences, segments + 2), of which the segments of each row sum to 1.
    """
    place, n = np.arange(sentences, dtype=np.float64)[:, np.newaxis], max(sentences, 1)
    if sentences >= segments or fills_first:
        size, longer = divmod(sentences, segments)
        of = np.repeat(np.arange(segments), size + (np.arange(segments) < longer))
        of_segments = of[:, np.newaxis] == np.arange(segments)
    else:
        edges = np.arange(segments + 1) / segments
        overlap = np.minimum((place + 1) / n, edges[1:]) - np.maximum(place / n, edges[:-1])
        of_segments = np.maximum(overlap, 0.0) * sentences
    traits = np.hstack([of_segments, (place + 0.5) / n, place < LEAD])
    traits.flags.writeable = False  # shared by all articles of so many sentences
    return traits


def moved(mass: t.Floats, traits: t.Floats, labels: t.Integers) -> t.Floats:
    """The traits' sums if sentence j stood at place labels[r, j]. Shapes: ``mass`` (sentences,) → (label permutations, traits)."""
    held = np.flatnonzero(mass)
    return np.asarray(mass[held] @ traits.take(labels.take(held, axis=1), axis=0))


class Positions(ManyAtOnce):
    """Where in the article the source sentences of a summary are, and those of the references.

    The article is the record's documents, joined in their order, a blank line between them. Each sentence of a text is mapped to
    its source, the most similar article sentence (see `mass_of_sources`).

    The settings:

    - ``top``: sources per sentence, 1 to 3; ``copied=all`` also for a sentence at least 0.9 similar to one source
      (Appendix I of the paper), ``once`` then only that one (the release).
    - ``sentences`` are cut by rule (``builtin``) or by ``punkt``.
    - ``short`` articles: ``span`` (by relative position) or ``first`` (fill the first segments).
    - ``ties``: equally similar sentences share the match, or the ``earliest`` has it.
    - ``duplicates``: ``keep``, or ``once`` per article sentence.
    - ``match``: ``each`` sentence of a text has its sources, or the text as a whole, by the ``mean`` over its
      sentences.
    - ``weights``: every ``article`` the same, or ``pooled``, every match the same.
    - ``limit``, ``choose`` and ``seed``: how many and which sentences of a longer summary count.

    Reads:      ``mapping`` scores, shape (article sentences, sentences of the texts).
    Per record:  for ``generated`` and ``reference`` (mean of the references): matches per segment "01", "02" …,
                divided by their sum if articles weigh the same, and sums of ``… positions`` (shares of the article)
                and ``… lead`` (the first three sentences); ``… matches``, ``… sentences`` and ``… unmapped`` are
                counts. Against ``uniform``, ``even`` is what no preference expects. ``one`` counts articles.
    Permuted:   against references, the system's text and the mean of its references are exchanged; against
                ``uniform``, all mapped sentences move together along the article, from its end to its beginning, so
                passages stay passages (with ``punkt`` none: its sentences are not known before scoring).
    Undefined:  "empty article", "empty summary", "no references", "no sentence of the summary (of a reference)
                resembles the article"; the last two only if articles weigh the same.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=3)
    mapping: str = "tfidf"
    segments: Annotated[int, "[2, 99]"] = 10
    top: Annotated[int, "[1, 3]"] = 1
    sentences: Literal["builtin", "punkt"] = "builtin"
    short: Literal["span", "first"] = "span"
    duplicates: Literal["keep", "once"] = "keep"
    match: Literal["each", "mean"] = "each"
    weights: Literal["article", "pooled"] = "article"
    ties: Literal["shared", "earliest"] = "shared"
    copied: Literal["all", "once"] = "all"
    against: Literal["references", "uniform"] = "references"
    limit: Annotated[int | None, "[1, inf)"] = None
    choose: Literal["first", "random"] = "first"
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.copied == "once" and self.top == 1:
            raise ValueError("copied=once has no effect with top=1: each sentence has one source")
        if self.sentences != "builtin" and not self._scorer_cuts:
            cutting = f"the mappings {', '.join(CUTTING_SCORERS)}"
            raise ValueError(f"sentences={self.sentences} is for {cutting}; not '{self.mapping}'")
        if self._scorer_cuts and "sentences" in parse(self.mapping).settings:
            raise ValueError("sentences is a setting of the measure: leave it out of the mapping")

    @cached_property
    def _scorer_cuts(self) -> bool:
        """For any other scorer the built-in rule cuts here."""
        return parse(self.mapping).name in CUTTING_SCORERS

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        texts, source = self._texts(cases[0]), known(cases[0].record).source
        if self._scorer_cuts:
            return (t.Ask(self._scorer, (source,), texts),)
        columns = tuple(s for text in texts for s in builtin.split(text))
        return (t.Ask(self._scorer, tuple(builtin.split(source)), columns, whole=True),)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        self._texts(cases[0])  # without which nothing is observed
        if self.against == "references":
            return _IN_EACH_OTHERS_PLACE
        if self.sentences != "builtin":
            return None
        return _turned(len(builtin.sentences_of(known(cases[0].record).source)))

    def kind_of(self, units: ScoredUnits, i: int) -> tuple[int, int, int, bytes]:
        """How many sentences a unit's article and its texts have, how many texts, and the text of each sentence, as bytes."""
        (case,), (rows, columns) = units.cases[i], units.first_shapes[i].tolist()
        texts = self._texts(case)
        if self._scorer_cuts:
            return rows, columns, len(texts), units.first_owners[i]
        counts = [len(builtin.sentences_of(text)) for text in texts]
        return rows, columns, len(texts), np.repeat(np.arange(len(texts)), counts).tobytes()

    def observe_alike(
        self, kind: tuple[int, int, int, bytes], units: ScoredUnits, labels: t.Integers
    ) -> Alike:
        """Articles of as many sentences, with texts of as many. Shape of ``labels``: (N, R, texts that are exchanged, or sentences)."""
        n, _, texts, owner = kind
        starts = np.searchsorted(np.frombuffer(owner, dtype=np.int64), np.arange(texts + 1)).tolist()
        masses, counts = self._masses(units, starts)
        is_pooled, resembles = self.weights == "pooled", counts[:, :, :1] > 0
        traits = describe(n, self.segments, fills_first=self.short == "first")
        weights = np.where(resembles & (not is_pooled), counts[:, :, :1], 1.0)
        if self.against == "references":
            stats = np.concatenate([masses @ traits / weights, counts], axis=2)
            # A reference that resembles nothing has no distribution to average; pooled, it adds its zeros.
            counted = resembles[:, 1:] | is_pooled
            mean = (stats[:, 1:] * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
            is_real = labelled(np.arange(2), labels)[:, :, :1] == 0
            text, references = stats[:, :1], mean[:, np.newaxis]
            system = np.where(is_real, text, references)
            other, standard = "reference", np.where(is_real, references, text)
        else:
            places = labelled(np.arange(n), labels)
            sums = np.stack([moved(own, traits, at) for own, at in zip(masses[:, 0], places, strict=True)])
            # What no preference expects weighs as much as what it is compared with.
            even = traits.mean(axis=0) * (counts[:, :, :1] if is_pooled else np.ones_like(weights))
            fixed = np.broadcast_to(counts, (*sums.shape[:2], counts.shape[2]))
            system = np.concatenate([sums / weights, fixed], axis=2)
            other, standard = "even", np.broadcast_to(even, (*sums.shape[:2], even.shape[2]))
        columns = (
            *_columns("generated", self.segments),
            *_columns(other, self.segments)[: standard.shape[2]],
        )
        values = np.concatenate([np.ones((*system.shape[:2], 1)), system, standard], axis=2)
        lack = [~resembles[:, 0, 0], ~resembles[:, 1:, 0].any(axis=1) & (texts > 1)]
        which = [f"no sentence of {text} resembles the article" for text in ("the summary", "a reference")]
        why = np.full(len(units), "") if is_pooled else np.select(lack, which, default="")
        return (("one",), *columns), values, why

    # ------------------------------------------------------------------------------- its parts

    @cached_property
    def _scorer(self) -> str:
        if not self._scorer_cuts:
            return self.mapping
        known = parse(self.mapping)
        settings = [f"{key}={value}" for key, value in known.settings.items()]
        return f"{known.name}({', '.join([*settings, f'sentences={self.sentences}'])})"

    def _texts(self, case: t.Case) -> tuple[str, ...]:
        """The summary, then the references that it is compared with. Raises `NotObserved` if there is nothing to compare."""
        about, summary = known(case.record), case.summary.text
        if is_blank(about.source):
            raise NotObserved("empty article")
        if is_blank(summary):
            raise NotObserved(EMPTY_SUMMARY)
        if self.against == "references" and not about.references:
            raise NotObserved("no references")
        return (summary, *about.references) if self.against == "references" else (summary,)

    def _masses(self, units: ScoredUnits, starts: Sequence[int]) -> tuple[t.Floats, t.Floats]:
        """The mass per article sentence of each text of similar articles, shape (N, texts, sentences); and its sum, how many
        sentences the text has, and how many of them have no source, shape (N, texts, 3). A text's scores begin at ``starts``.
        """
        similarity = units.table.matrices(units.first)
        masses, counts = [], []
        for i, (start, stop) in enumerate(pairwise(starts)):
            part = similarity[:, :, start:stop]
            if i == 0 and self.limit is not None:
                which = [chosen_of(case, stop - start, self) for (case,) in units.cases]
                part = np.stack([own[:, kept] for own, kept in zip(part, which, strict=True)])
            if self.match == "mean" and part.shape[2]:
                part = part.mean(axis=2, keepdims=True)
            once, ties, copies = self.duplicates == "once", self.ties == "shared", self.copied == "once"
            mass, unmapped = mass_of_sources(part, self.top, once=once, shares_ties=ties, copies_once=copies)
            masses.append(mass)
            counts.append(np.column_stack([mass.sum(axis=1), np.full(len(mass), part.shape[2]), unmapped]))
        return np.stack(masses, axis=1), np.stack(counts, axis=1)


_IN_EACH_OTHERS_PLACE = t.PermutationScheme(np.arange(2))


@lru_cache(maxsize=256)
def _turned(sentences: int) -> t.PermutationScheme:
    """Places of an article's sentences, which move along together."""
    return t.PermutationScheme(np.arange(sentences), cyclic=True)


@cache
def _columns(side: str, segments: int) -> tuple[t.Column, ...]:
    rest = ("positions", "lead", "matches", "sentences", "unmapped")
    return (*((side, name) for name in segment_names(segments)), *((f"{side} {what}",) for what in rest))


def segment_names(segments: int) -> list[str]:
    """Numbers from 01, padded with zeros so that their order as texts is that of the numbers."""
    return [f"{k + 1:02d}" for k in range(segments)]


LATE = "Position, not content, would decide which facts are kept; whoever is quoted late in a text would be heard less."


class _PositionMeasure(BaseMeasure, Positions):
    """What all measures share."""

    observes = Positions
    told: ClassVar[str]
    """The values in one summary's explanation."""
    against: Literal["references", "uniform"] = field(default="references", init=False)

    def explain(self, totals: t.Totals) -> str:
        """The value of one summary, and where it and its reference draw on the article."""
        numbers = {name: float(value.array) for name, value in self.value(totals).items()}
        places = f"summary {self._places(totals, 'generated')}"
        if self.against == "references":
            places += f"; reference {self._places(totals, 'reference')}"
        unmapped = f"{int(totals['generated unmapped'])} summary sentences resemble nothing in the article"
        return f"{self.told.format(segments=self.segments, **numbers)}: {places}; {unmapped}"

    def _distribution(self, totals: t.Totals, side: str) -> t.Floats:
        return totals.stack(side, segment_names(self.segments))

    def _places(self, totals: t.Totals, side: str) -> str:
        """The segments with mass, with their shares: "1 (67%), 4 (33%)"."""
        histogram = self._distribution(totals, side)
        total = float(histogram.sum())
        shares = [f"{k + 1} ({float(mass) / total:.0%})" for k, mass in enumerate(histogram) if mass > 0]
        if not shares:
            return "no segment"
        return f"{'segment' if len(shares) == 1 else 'segments'} {', '.join(shares)}"

    def _levels(self, totals: t.Totals, side: str, prefix: str = "") -> dict[str, t.Value]:
        """Mean position, lead share, segment shares, matches and unmapped share of one side's texts."""
        mass = self._distribution(totals, side).sum(axis=-1)
        shares: dict[str, t.Column] = {
            "mean_position": (f"{side} positions",),
            "lead_share": (f"{side} lead",),
            **{f"segment[{k}]": (side, k) for k in segment_names(self.segments)},
        }
        means = {name: ratio(totals[column], mass) for name, column in shares.items()}
        values = {f"{prefix}{name}": t.Value(mean, is_share=True) for name, mean in means.items()}
        if side != "even":
            unmapped = totals.ratio(f"{side} unmapped", f"{side} sentences")
            matches = np.where(totals["one"] > 0, totals[f"{side} matches"], np.nan)
            values[f"{prefix}matches"] = t.Value(matches, is_descriptive=True)
            values[f"{prefix}unmapped_share"] = t.Value(unmapped, is_share=True)
        return values

    def _distances(self, totals: t.Totals, other: str) -> dict[str, t.Value]:
        """The main value, as a share of the article, and as a divergence: of the summaries from the other side."""
        system, standard = self._distribution(totals, "generated"), self._distribution(totals, other)
        distance = wasserstein_positions(system, standard)
        kl = kl_divergence(system, standard)
        return {
            self.name: t.Value(distance, "upper"),
            f"{self.name}_share": t.Value(distance / self.segments, "upper"),
            "position_kl": t.Value(np.where(np.isfinite(kl), kl, np.nan), "upper"),
        }


DECLARED = Declaration(family="Position", harm=LATE, needs_order=True, figures=("segments",))
"""What all measures of the family declare."""


def _contrast(question: str, standard: str, even: str) -> ContrastWords:
    """The words for where summaries draw on texts, compared with a standard."""
    return ContrastWords(
        title=f"position of the content relative to {standard}",
        question=question,
        below=f"{{size}} of the text closer to the start than {standard}",
        above=f"{{size}} of the text closer to the end than {standard}",
        even=even,
        sentence="On average, {system} takes its content from {difference}",
        unit="percent",
        worse_below="what is late in a text",
        worse_above="what is early in a text",
        baseline=standard,
    )


class PositionBias(_PositionMeasure):
    """How far the parts of articles that summaries use are from those that references use.

    P and Q are the shares of the sources of summary and reference sentences in K segments of the article. The value
    is the first Wasserstein distance Σ_{k<K} |P_1 + … + P_k − Q_1 − … − Q_k|: by how many segments sources must move
    on average.

    Reads:      references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 if summaries and references use the same parts. Above 0 even for
                random labels: compare with the permutation mean. Secondary:
                - ``position_bias_share``: the value divided by K, a share of the article
                - ``position_kl`` = Σ P ln(P/Q) in nats, undefined if summaries use a segment that no reference uses
                - ``mean_position_shift``: the summaries' mean position minus the references', in shares of the
                  article; negative = earlier
                - of summaries, and with the prefix ``reference_`` of references: ``mean_position``, ``lead_share``
                  (from the first three sentences), ``segment[k]``, ``matches``, ``unmapped_share`` (sentences that
                  resemble nothing)
    Undefined:  as `Positions`; the main value is nan if nothing was mapped.
    Source:     Chhabra et al., section 3.2. Differences from their code: distance over positions, not heights; every
                article weighs the same; repeated sources count; short articles by relative position.
    """

    name = "position_bias"
    told = "sources lie {position_bias:.2f} of {segments} segments apart"
    declaration = DECLARED.replace(
        question="how far summaries draw on other places of the text than the standard they are held to",
        contrast=_contrast(
            "Do the summaries draw on earlier parts of the texts than people do?",
            "people's summaries",
            "the same places as in people's summaries",
        ),
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        ours, theirs = self._levels(totals, "generated"), self._levels(totals, "reference", "reference_")
        shift = ours["mean_position"].array - theirs["reference_mean_position"].array
        primary = t.Value(shift, "both", limits=t.SHARE_DIFFERENCE, is_primary=True)
        return {**self._distances(totals, "reference"), "mean_position_shift": primary, **ours, **theirs}


class PositionFromUniform(_PositionMeasure):
    """How far the parts of articles that summaries use are from no preference for any part.

    As `PositionBias`, with Q for sources drawn evenly from the article: each segment's share of the article's
    sentences, averaged over articles.

    Reads:      no references; `Positions`.
    Value:      in segments, from 0 to K − 1; 0 if sources are spread like the sentences. Large by chance for short
                summaries: compare with the permutation mean, which moves all sources together along the article.
                Secondary: ``mean_position_shift`` and ``lead_share_shift``, ``mean_position`` and ``lead_share``
                (from the first three sentences) minus what no preference expects (a half, ``even_lead_share``);
                ``position_from_uniform_share`` (÷ K), ``position_kl``, ``segment[k]``, ``matches``,
                ``unmapped_share``.
    Undefined:  as `Positions`; the main value is nan if nothing was mapped.
    Source:     Chhabra et al., section 3, without references.
    """

    name = "position_from_uniform"
    told = "mean position {mean_position:.0%} of the article, {lead_share:.0%} from its first three sentences"
    declaration = DECLARED.replace(
        question="how far the places that summaries draw on are from an even spread over the text",
        contrast=_contrast(
            "Do the summaries draw on one part of the texts more than on others?",
            "an even spread",
            "all of the text evenly",
        ),
    )
    against: Literal["references", "uniform"] = field(default="uniform", init=False)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        levels, even = self._levels(totals, "generated"), self._levels(totals, "even")
        values = self._distances(totals, "even")
        for name in ("mean_position", "lead_share"):
            shift = levels[name].array - even[name].array
            primary = name == "mean_position"
            values[f"{name}_shift"] = t.Value(shift, "both", limits=t.SHARE_DIFFERENCE, is_primary=primary)
            levels[name] = replace(levels[name], extract_baseline=even[name].array)
        return {**values, **levels, "even_lead_share": even["lead_share"]}


class PositionHeights(_PositionMeasure):
    """How different the sorted shares of article parts are in summaries and references: the published number, which
    ignores order.

    Mean |sort P − sort Q| over the segments' shares: the Wasserstein distance with bar heights as the samples. A
    system that uses articles' ends where references use their beginnings scores 0. It is not a distance over
    positions; use it to read published tables.

    Value:      share of mass per segment, from 0; otherwise as `PositionBias`.
    Source:     released code of Chhabra et al. (its figures and Table 1).
    """

    name = "position_heights"
    told = "heights differ by {position_heights:.3f} on average, in any order"
    declaration = DECLARED.replace(
        question="the published reading, which compares the heights of bars and not their places",
        on_request="it ignores order; position_bias is the distance over positions",
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        sides = (self._distribution(totals, side) for side in ("generated", "reference"))
        return {"position_heights": t.Value(wasserstein_heights(*sides), "upper")}
