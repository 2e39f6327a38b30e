"""How summaries change the tone towards the entities of their sources, by leaning of the entity or of the source.

An entity's tone in a text is the mean sentiment of the sentences that name it; its shift is tone in the summary − tone in
the source.

Source: after Huang, Maab & Yamagishi, When Bigger Isn't Better (arXiv 2604.21309), whose abstract names entity sentiment
without a formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, compress
from typing import Annotated, Literal, NamedTuple

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, NotObserved, TextScorer
from fairbrief.measures.entity_inclusion import names_of
from fairbrief.measures.group_sums import by_group, coded, keys_of, summed_by_group
from fairbrief.measures.groups import PRIMARY, largest_difference, means, pair_differences
from fairbrief.measures.record_texts import known, source_sentences, subject_of
from fairbrief.measures.sentiment import SENTIMENT, fit_shift, fitted_difference
from fairbrief.statistics import ratio
from fairbrief.text.people import Name, find_known, lowered_words_of, normalised
from fairbrief.text.sentences import sentences_of

NOBODY = "no entity with the attribute is named in both source and summary"
NO_TONE = "no word of known sentiment in the sentences that name entities"
MOST_QUOTED = 3
"""Sentences of each side that are shown per entity."""


@lru_cache(maxsize=16)
def parsed_entities(text: str, over: str = "") -> tuple[t.Entity, ...]:
    """Entities of a list ``group: name, name; group: name``. ValueError for any other text, and for a name given twice.

    >>> parsed_entities("left: Anna Berg; right: Green_Party", "leaning")[1].last_name
    'Green Party'
    """
    entities: dict[str, t.Entity] = {}
    for part in filter(str.strip, text.split(";")):
        group, colon, names = part.partition(":")
        for name in map(str.strip, names.split(",")):
            if not colon or not group.strip() or not name:
                raise ValueError("is not a list. Write 'left: Anna Berg; right: Ann Li'.")
            if name in entities:
                raise ValueError(f"names {name} twice. Name each entity once.")
            first, _, last = (words.replace("_", " ") for words in name.rpartition(" "))
            entities[name] = t.Entity(name, first or None, last, {over: group.strip()})
    return tuple(entities.values())


class _Named(NamedTuple):
    """The entities that a record's source names, their groups, and the sentences that name them, those of the source first.

    Shapes: ``codes`` (entities,); ``names`` (sentences, entities), 1 where a sentence names one;
    ``is_source`` (sentences,); ``places`` (all sentences of the source,), whether each names any.
    """

    entities: tuple[t.Entity, ...]
    groups: tuple[str, ...]
    codes: t.Integers
    sentences: tuple[str, ...]
    names: t.Floats
    is_source: t.Booleans
    places: t.Booleans


@lru_cache(maxsize=1024)
def naming(texts: tuple[str, ...], names: tuple[Name, ...], source: str) -> t.Floats:
    """Which texts name which entities: by the full name, or a last name that no other has. Shape (texts, names), read-only."""
    # Of a long list of entities, only those are matched whose last words occur.
    words = lowered_words_of("\n".join((source, *texts)))
    last = [list(map(normalised, (n.last or n.first or "").split()))[-1:] for n in names]
    near = [i for i, word in enumerate(last) if words.issuperset(word)]
    found = np.zeros((len(texts), len(names)))
    for k, text in enumerate(texts):
        for decision in find_known(text, [names[i] for i in near], source):
            if len(decision.people) == 1:
                i = near[decision.people[0]]
                if not (names[i].last and decision.rule.startswith("first name")):
                    found[k, i] = 1.0
    found.flags.writeable = False
    return found


def _weighted(named: _Named, scores: t.Scores) -> tuple[t.Floats, t.Floats]:
    """Which sentences of known sentiment name whom, and the same times their sentiment. (sentences, entities) each."""
    weights = named.names * (scores.sizes[:, np.newaxis] > 0)
    return weights, weights * scores.matrix[:, :1]


def _both_tones(named: _Named, scores: t.Scores) -> tuple[t.Floats, t.Floats]:
    """The tone towards each entity in source and summary; nan where no sentence of known sentiment names it. (entities,)."""
    weights, tones = _weighted(named, scores)
    sides = (named.is_source, ~named.is_source)
    source, summary = (ratio(tones[side].sum(axis=0), weights[side].sum(axis=0)) for side in sides)
    return source, summary


def _each(source: t.Floats, summary: t.Floats) -> dict[str, t.Floats]:
    """The statistics of each entity with both tones, by name. Shapes: (…, entities)."""
    is_known = np.isfinite(summary - source)
    a, b = (np.where(is_known, of, 0.0) for of in (source, summary))
    d = b - a
    return {
        "one": is_known.astype(np.float64), "article": a, "summary": b, "shift": d,
        "article²": a * a, "shift²": d * d, "article·shift": a * d,
    }  # fmt: skip


class EntitySentiment(BaseMeasure):
    """Mean shift of the tone towards entities of one leaning, minus that towards entities of another.

    The tone towards an entity is the mean sentiment of the sentences that name it. Its shift is tone in the summary −
    tone in the source. ``difference[k−l]`` is the mean shift of the entities of k − that of l. It is over the records that
    name entities of two leanings, or over all records if none does. Entities count equally, whatever the number of their
    sentences. A sentence that names several entities counts for each.

    - ``by=entity`` compares leanings of entities. ``by=source`` compares leanings of the source: its attribute, or the one
      that all documents share. ``by=relation`` compares entities with the source's leaning (aligned) and others (opposed).
    - ``entities='left: Anna Berg, Green_Party; right: Tom Hale'`` lists entities for inputs without them; ``_`` joins the
      words of a name that is never shortened.

    A system that moderates every tone raises the side that the sources describe more darkly. To reduce this effect, use
    ``adjusted_difference``: the coefficient of the leaning in a regression that includes the tone in the source.

    Reads:      entities with names and the attribute ``over`` (or those listed in ``entities``), and the sentiment of the
                sentences that name them, by ``scorer``. A sentence names an entity by its full name, or by a last name that
                no other entity of the record has, matched as by `EntityInclusion`. A title may decide between women and men
                (Ms. Berg); a name that still fits several entities names none.
    Per record:  per group ``one`` (entities named in both source and summary), and sums over them: of the tones ``article``
                and ``summary``, of ``shift``, ``article²``, ``shift²`` and ``article·shift``. In records with two groups
                also ``compared`` and ``compared shift``, equal to ``one`` and ``shift``.
    Permuted:   groups among the entities of a record; nothing with ``by=source``.
    Value:      with VADER in [−2, 2]; positive = the tone towards the first leaning rises relative to the second. With
                more than two leanings, the largest difference of any two, at least 0. Secondary, over all records:
                ``overall[k−l]``, ``adjusted_difference[k−l]``; per leaning ``shift[g]``, ``source[g]``, ``summary[g]``.
    Undefined:  fewer than two leanings; records: no entity named on both sides, no known sentiment, with another ``by``
                no leaning of the source. Pronouns and first names do not name an entity that has a last name.
    Source:     after Huang, Maab & Yamagishi (arXiv 2604.21309); its abstract gives no formula.
    """

    name = "entity_sentiment"
    languages = ("en",)
    declaration = Declaration(
        version=4,
        family="Sentiment towards entities",
        question="how the tone towards entities changes from text to summary, between their leanings",
        harm="Readers would think better of one side than the texts that were summarized.",
        attribute_of="entity",
        scorer_checks=(ScorerCheck(measure="scorer_bias_sentiment", given={"scorer": "scorer"}),),
        scorer_kind="classifier",
        on_request="names and leanings of entities are needed, and their sentences are scored",
        contrast=ContrastWords(
            title="change of tone towards entities from text to summary",
            question="Which side sounds worse in the summaries than in the texts?",
            below="the tone towards {first} entities falls by {size} relative to that towards {second} entities",
            above="the tone towards {first} entities rises by {size} relative to that towards {second} entities",
            even="the tone changes equally (it is scored from −1 to 1)",
            sentence="In summaries by {system}, {difference}",
            worse_below="{first} entities",
            worse_above="{second} entities",
        ),
        items="entities",
        groups_from=("entities",),
    )
    over: str
    scorer: TextScorer = "vader"
    by: Literal["entity", "source", "relation"] = "entity"
    entities: Annotated[str, parsed_entities] = ""

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        return (t.Ask(self.scorer, self._in_summary(cases[0]).sentences, SENTIMENT),)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        named = self._in_summary(cases[0])
        keys = keys_of(tuple(entity.id for entity in named.entities))
        scheme = t.PermutationScheme(named.codes, items=keys)
        return scheme if len(set(named.codes.tolist())) > 1 else None

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """The same questions as for the summary: extracts consist of the source's sentences."""
        return (t.Ask(self.scorer, self._named(cases[0]).sentences, SENTIMENT),)

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean over the extracts that name an entity."""
        named = self._named(cases[0])
        weights, tones = (of[named.is_source] for of in _weighted(named, scores[0]))
        kept = extracts[0].kept[:, named.places]
        source, drawn = ratio(tones.sum(axis=0), weights.sum(axis=0)), ratio(kept @ tones, kept @ weights)
        member = (named.codes[:, np.newaxis] == np.arange(len(named.groups))).astype(np.float64)
        sums = {name: each @ member for name, each in _each(source, drawn).items()}
        some = sums["one"].any(axis=1)
        if not some.any():
            raise NotObserved(NO_TONE)
        several = (sums["one"] > 0).sum(axis=1, keepdims=True) > 1
        if several.any():
            sums |= {"compared": sums["one"] * several, "compared shift": sums["shift"] * several}
        return by_group(named.groups, {name: of[some].mean(axis=0)[np.newaxis] for name, of in sums.items()})

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        named = self._in_summary(cases[0])
        source, summary = _both_tones(named, scores[0])
        sums = summed_by_group(named.codes, _each(source, summary), labels, len(named.groups))
        if not sums["one"].any():
            raise NotObserved(NO_TONE)
        if len(set(named.codes[np.isfinite(summary - source)].tolist())) > 1:
            sums |= {"compared": sums["one"], "compared shift": sums["shift"]}
        return by_group(named.groups, sums)

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """Each entity with its sentences and their sentiment on both sides, the largest shift first."""
        named = self._in_summary(cases[0])
        sides = ("source", "summary")
        means, tone = _both_tones(named, scores[0]), scores[0].matrix[:, 0]
        size = np.abs(np.nan_to_num(means[1] - means[0]))
        lines = []
        for i in np.argsort(-size, kind="stable").tolist():
            parts = []
            for side, mean, here in zip(sides, means, (named.is_source, ~named.is_source), strict=True):
                places = np.flatnonzero((named.names[:, i] > 0) & here).tolist()
                quoted = [f"“{named.sentences[k]}” {tone[k]:+z.2f}" for k in places]
                if len(quoted) > MOST_QUOTED:
                    quoted[MOST_QUOTED:] = [f"{len(quoted) - MOST_QUOTED} more"]
                parts.append(f"{side} {mean[i]:+z.2f}: {', '.join(quoted)}")
            who = named.entities[i]
            lines.append(f"{who.full_name} ({named.groups[named.codes[i]]}), {'; '.join(parts)}.")
        return lines

    def _in_summary(self, case: t.Case) -> _Named:
        """`_named`, with those entities that the summary names. Raises `NotObserved` if it names none of them."""
        named = self._named(case)
        is_in: t.Booleans = np.asarray(named.names[~named.is_source].any(axis=0))
        if not is_in.any():
            raise NotObserved(NOBODY)
        entities = tuple(compress(named.entities, is_in))
        return named._replace(entities=entities, codes=named.codes[is_in], names=named.names[:, is_in])

    def _named(self, case: t.Case) -> _Named:
        """The entities that the source names. Raises `NotObserved` if none can be compared."""
        grouped = self._grouped(case.record)
        entities = [entity for entity, _ in grouped]
        names = names_of(entities)
        # An entity without a group still makes a name ambiguous. A listed one replaces those of its name.
        in_groups, listed = set(map(id, entities)), {name[:2] for name in names if self.entities}
        others = names_of([e for e in case.record.entities if id(e) not in in_groups])
        names += [name for name in others if name[:2] not in listed]
        about = known(case.record)
        source = source_sentences(case.record)
        texts = (*source, *sentences_of(case.summary.text))
        found = naming(texts, tuple(names), about.source)[:, : len(entities)]
        is_named: t.Booleans = np.asarray(found[: len(source)].any(axis=0))
        if not is_named.any():
            raise NotObserved(NOBODY)
        found, is_source = found[:, is_named], np.arange(len(texts)) < len(source)
        some: t.Booleans = np.asarray(found.any(axis=1))
        groups, codes = coded(tuple(group for _, group in compress(grouped, is_named)))
        return _Named(
            tuple(compress(entities, is_named)), groups, codes, tuple(compress(texts, some)), found[some],
            is_source[some], some[: len(source)],
        )  # fmt: skip

    def _grouped(self, record: t.Record) -> list[tuple[t.Entity, str]]:
        """The entities with names and their groups. Raises `NotObserved` if the source has no leaning."""
        listed = parsed_entities(self.entities, self.over) if self.entities else record.entities
        leanings = [(e, e.attributes.get(self.over, "")) for e in listed if e.first_name or e.last_name]
        if self.by == "entity":
            return [(e, leaning) for e, leaning in leanings if leaning]
        of_source = subject_of(replace(record, entities=()), self.over, 1.0)
        if self.by == "source":
            return [(e, f"{of_source}-source") for e, _ in leanings]
        return [(e, "aligned" if own == of_source else "opposed") for e, own in leanings if own]

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        over_all = totals.ratios("shift", "one")
        compared = totals.ratios("compared shift", "compared")
        mean, count = (compared, "compared") if compared else (over_all, "one")
        values = {
            self.name: largest_difference(mean, totals.array.shape[:-1], count),
            **pair_differences(mean, count, **PRIMARY),
            **pair_differences(over_all, "one", "overall[{}−{}]", has_baseline=True),
        }
        for k, other in combinations(over_all, 2):
            adjusted = fit_shift(totals, [k, other], k).coefficients[..., 2]
            values[f"adjusted_difference[{k}−{other}]"] = fitted_difference(adjusted, k, other)
        for g in over_all:
            for name, statistic in (("shift", "shift"), ("source", "article"), ("summary", "summary")):
                values |= means(totals, statistic, "one", [g], name, has_baseline=name == "shift")
        return values

    def explain(self, totals: t.Totals) -> str:
        """Tone on both sides, and shift, by group."""
        tones = "source {article/one:+z.2f}, summary {summary/one:+z.2f}, shift {shift/one:+z.2f}"
        return totals.describe("one", f": {{one:.0f}} named, {tones}") + "."
