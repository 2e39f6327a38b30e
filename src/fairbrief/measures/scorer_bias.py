"""Scorer bias: how differently a scorer scores sources that differ only in the group.

A source is its own perfect summary: nothing is added, omitted or changed. Whatever differs between versions of
one seed document that differ only in the group is due to the scorer.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import Declaration
from fairbrief.errors import FairbriefError
from fairbrief.measures.bases import BaseMeasure, Count, NotObserved, TextScorer
from fairbrief.measures.entity_inclusion import EntityInclusion, accepted, is_named, recogniser
from fairbrief.measures.group_sums import by_group, coded, group_names, renamed, summed_by_group
from fairbrief.measures.groups import largest_difference, pair_differences
from fairbrief.measures.record_texts import compared_groups, group_of, known, with_group
from fairbrief.measures.sentiment import SENTIMENT
from fairbrief.ranges import starts
from fairbrief.statistics import TIE, ratio
from fairbrief.text.anonymisation import anonymise
from fairbrief.text.names import GENDER_WORDS
from fairbrief.text.paraphrase import paraphrase
from fairbrief.text.people import GROUPS, candidates, find_people
from fairbrief.text.recognition import Recogniser
from fairbrief.text.sentences import passages_of, sentences_of

UNREAD = "the scorer finds nothing in a version"
NO_PEOPLE = "no named people with the attribute in the source"


FAMILY = "Scorer bias (how scorers score sources that differ only in the group)"
ON_REQUEST = "it scores sources that differ only in the group, which the audit makes"
OWN = "Part of every result that relies on this scorer would be the scorer's own: it sees a difference between texts that differ only in the group."


class ScorerBias(BaseMeasure):
    """A measure of what a scorer does: per group, the mean ``score`` of ``scored`` items."""

    declaration: ClassVar[Declaration]
    finding: ClassVar[str]
    """What a positive value means for the scorer, as a sentence without its subject."""
    checks: ClassVar[str] = "scorer"
    """The setting with the spec of the scorer that is checked."""

    @property
    def checked_scorer(self) -> str:
        """The spec of the scorer that is checked."""
        return str(getattr(self, self.checks))

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = totals.ratios("score", "scored")
        pairs = pair_differences(mean, group="") if len(mean) > 2 else {}
        means = {f"mean[{g}]": t.Value(array) for g, array in mean.items()}
        return {self.name: largest_difference(mean, totals.array.shape[:-1]), **pairs, **means}

    def explain(self, totals: t.Totals) -> str:
        """How the scorer scores the versions of one seed document."""
        return f"The scorer gives: {totals.describe('scored', ' {score/scored:.3f}')}."


class VersionsBias(ScorerBias):
    """A measure of how a scorer scores the versions of a source: one row per seed document, the groups' names exchanged.

    A version is read by the answers to its `questions`: a number of items, and the sum of their scores. With
    ``is_averaged``, versions of one group weigh one together.

    Per record:  per group ``scored`` (sources, or people in them) and ``score`` (the sum of their scores).
    Undefined:  a seed document whose versions are not of two groups, or one of whose versions is not read.
    """

    declaration = Declaration(
        scope="cluster", family=FAMILY, harm=OWN, attribute_of="record", on_request=ON_REQUEST, checks_scorer=True
    )  # fmt: skip
    is_averaged: ClassVar[bool] = True
    over: str

    def questions(self, case: t.Case) -> Sequence[t.Ask]:
        """The scores that are needed to read one version."""
        raise NotImplementedError

    def reading(self, case: t.Case, scores: t.Answers) -> tuple[float, float]:
        """The number of items of one version, and the sum of their scores. Raises `NotObserved` if it cannot be read."""
        raise NotImplementedError

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        return [ask for case, _ in with_group(cases, self.over) for ask in self.questions(case)]

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return group_names(len({group for _, group in with_group(cases, self.over)}))

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        versions, answers = with_group(cases, self.over), iter(scores)
        groups, codes = coded(tuple(group for _, group in versions))
        many = np.bincount(codes) if self.is_averaged else np.ones(len(groups))
        sums = np.zeros((2, len(groups)))
        for (case, _), k in zip(versions, codes.tolist(), strict=True):
            found = self.reading(case, list(itertools.islice(answers, len(self.questions(case)))))
            sums[:, k] += np.array(found) / many[k]
        scored, score = sums
        if not scored.any() and not self.is_averaged:
            raise NotObserved(NO_PEOPLE)
        if len(groups) < 2:
            raise NotObserved("versions of one group only")
        if not scored.all():
            raise NotObserved(UNREAD)
        return by_group(groups, {"scored": renamed(scored, labels), "score": renamed(score, labels)})


class ScorerBiasSentiment(VersionsBias):
    """Difference between groups in the sentiment a scorer gives to sources that differ only in the group.

    Per seed document: sentiment of its version about the first group − of its version about the second, in
    alphabetical order (female − male). The value is the mean over seed documents. With more groups, it is the largest
    difference of any two means, which cannot be negative.

    Reads:      counterfactuals of one seed document by the record attribute ``over`` (or the one value that all
                people of a record share), not the summaries. The audit makes them from its own input
                (`fairbrief.audit(check_scorers=…)`); inputs that contain them can be measured by name.
    Value:      on the scorer's scale; positive = the scorer scores texts about the first group more favourably.
                Secondary: ``mean[g]``, the mean of each group.
    Permuted:   the groups of the versions of each seed document.
    Undefined:  "versions of one group only"; "the scorer finds nothing in a version".
    Source:     counterfactual evaluation of sentiment systems: Kiritchenko & Mohammad, *SEM 2018.
    """

    name = "scorer_bias_sentiment"
    finding = "scores sources about {first} people more favourably than the same about {second} people"
    declaration = VersionsBias.declaration.replace(
        question="how much more favourably a scorer scores sources about one group than the same about another",
        scorer_kind="classifier",
    )
    scorer: TextScorer = "vader"

    def questions(self, case: t.Case) -> Sequence[t.Ask]:
        return (t.Ask(self.scorer, (known(case.record).source,), SENTIMENT),)

    def reading(self, case: t.Case, scores: t.Answers) -> tuple[float, float]:
        if not scores[0].sizes[0]:
            raise NotObserved(UNREAD)
        return 1.0, float(scores[0].matrix[0, 0])


class ScorerBiasSupport(VersionsBias):
    """Difference between groups in how strongly, by a scorer, sources support their own sentences.

    Per seed document: the mean support in the first group's version − in the second's. The value is the mean over
    seed documents; for more groups, see `ScorerBiasSentiment`. A scorer that only compares words (containment,
    n-grams) scores all texts in the same way. Still, one group's words may repeat more (*her* for *his* and *him*),
    which the measure shows. ``text=neutral`` first makes names, pronouns and titles neutral, as `Distinguishability`
    does.

    Of each version, it is the mean over its documents and at most ``sentences`` of its sentences (evenly spread) of the
    best support by any chunk of the document. Chunks are runs of sentences of at most 100 words, whatever the scorer's
    setting ``by``, since a sentence that is compared with itself shows nothing.

    Reads:      counterfactuals of one seed document, as `ScorerBiasSentiment`.
    Value:      on the scorer's scale; positive = texts about the first group are better supported. Secondary:
                ``mean[g]``.
    Permuted:   the groups of the versions of each seed document.
    Undefined:  as `ScorerBiasSentiment`.
    """

    name = "scorer_bias_support"
    finding = "finds sentences about {first} people better supported than the same about {second} people"
    declaration = VersionsBias.declaration.replace(
        question="how much better supported a scorer finds sources' own sentences about one group than the same about another",
        scorer_kind="scorer",
    )
    scorer: TextScorer = "containment"
    sentences: Count = 10
    text: Literal["as written", "neutral"] = "as written"

    def questions(self, case: t.Case) -> Sequence[t.Ask]:
        texts = self._texts(case.record)
        chunks = tuple(chunk for cut in _chunks(texts) for chunk in cut)
        units = [sentence for text in texts for sentence in sentences_of(text)]
        spread = np.linspace(0, len(units) - 1, min(self.sentences, len(units))).round().astype(int)
        return (t.Ask(self.scorer, chunks, tuple(units[i] for i in spread), whole=True),) if units else ()

    def reading(self, case: t.Case, scores: t.Answers) -> tuple[float, float]:
        if not scores or not scores[0].matrix.shape[1]:
            raise NotObserved(UNREAD)
        many = np.array([len(cut) for cut in _chunks(self._texts(case.record))])
        best = np.maximum.reduceat(scores[0].matrix, starts(many))
        return 1.0, float(np.maximum(best, 0.0).mean())

    def _texts(self, record: t.Record) -> list[str]:
        texts = [d.text for d in record.documents if d.text.strip()]
        if self.text == "as written":
            return texts
        names = [(p.first_name, p.last_name) for p in record.entities]
        return [anonymise(text, names) for text in texts]


def _chunks(texts: Sequence[str]) -> list[tuple[str, ...]]:
    return [passages_of(text, "100words") for text in texts]


class ScorerBiasPeople(VersionsBias):
    """Difference between groups in the share of the people of a source that are detected in that same source.

    ``by=names`` searches known people, as `EntityInclusion` does in a summary. ``by=recogniser`` uses what the
    recogniser ``people`` takes for a person's name, as for invented people.

    Reads:      counterfactuals of one seed document, as `ScorerBiasSentiment`; their names.
    Value:      share detected of the first group's people − of the second's, over all seed documents, in [−1, 1];
                positive = the first group's people are detected more often. With more groups, as in
                `ScorerBiasSentiment`: in [0, 1]. Secondary: ``mean[g]``.
    Permuted:   the groups of the versions of each seed document.
    Undefined:  "no named people with the attribute in the source"; "versions of one group only"; "the scorer finds
                nothing in a version" (one without a named person).
    """

    is_averaged = False
    name = "scorer_bias_people"
    finding = "finds {first} people more often than {second} people in the same places"
    declaration = VersionsBias.declaration.replace(
        version=3,
        question="how much more often people of one group are found in their own source than others",
    )
    people: Recogniser = "builtin"
    alignment: Literal["recommended", "published"] = "recommended"
    by: Literal["names", "recogniser"] = "names"

    @property
    def checked_scorer(self) -> str:
        return recogniser(self.people)

    def questions(self, case: t.Case) -> Sequence[t.Ask]:
        case = _of_source(case)
        if self.by == "names":
            return self._inclusion.asks((case,))
        text = case.summary.text
        return (t.Ask(recogniser(self.people), candidates(text), (text,)),)

    def reading(self, case: t.Case, scores: t.Answers) -> tuple[float, float]:
        case, text = _of_source(case), known(case.record).source
        named = [p for p in case.record.entities if self.over in p.attributes]
        people = [p for p in named if p.first_name or p.last_name]
        if self.by == "names":
            decisions = self._inclusion.find(case, people, scores)
        else:
            names, found = self._inclusion.names(case, people), accepted(candidates(text), scores[0])
            decisions = find_people(text, names, text, found, self.alignment, with_known=False)
        return float(len(people)), float(is_named(decisions, len(people)).sum())

    @property
    def _inclusion(self) -> EntityInclusion:
        return EntityInclusion(self.over, self.people, self.alignment)


def _of_source(case: t.Case) -> t.Case:
    """The case with the source in the summary's place."""
    return replace(case, summary=replace(case.summary, text=known(case.record).source))


class ScorerBiasNames(VersionsBias):
    """Difference between groups in the share of people whose gender a classifier of names gets right.

    The classifier ``names`` is asked for the first and last names of the people of a source. A person counts as right
    if it returns the person's group and no other. The audit draws the versions' names from the census that the
    classifier uses, so it can fail only by its other rules and tables.

    Reads:      counterfactuals of one seed document whose people differ in ``over`` (a gender), as
                `ScorerBiasSentiment`.
    Value:      share right of the first group − of the second, over all seed documents, in [−1, 1]; positive = the
                first group's names are classified correctly more often. Secondary: ``mean[g]``.
    Permuted:   the groups of the versions of each seed document.
    Undefined:  "names do not tell the values of this attribute"; "no named people with the attribute in the source";
                "versions of one group only".
    """

    is_averaged = False
    checks = "names"
    name = "scorer_bias_names"
    finding = "tells the gender of {first} people's names right more often than of {second} people's"
    declaration = VersionsBias.declaration.replace(
        question="how much more often the gender of one group's names is classified correctly than another's",
    )
    names: str = "names"

    def questions(self, case: t.Case) -> Sequence[t.Ask]:
        people = self._people(case.record)
        names = tuple(person.full_name for person in people)
        return (t.Ask(self.names, names, GROUPS),) if people and self._gender(case.record) else ()

    def reading(self, case: t.Case, scores: t.Answers) -> tuple[float, float]:
        if not self._gender(case.record):
            raise NotObserved("names do not tell the values of this attribute")
        if not scores:
            raise NotObserved(NO_PEOPLE)
        is_said = scores[0].matrix > 0.5
        is_right = is_said[:, GROUPS.index(self._gender(case.record))] & (is_said.sum(axis=1) == 1)
        return float(len(is_right)), float(is_right.sum())

    def _gender(self, record: t.Record) -> str:
        """The gender that the record's group is a word for; empty if it is none."""
        return GENDER_WORDS.get((group_of(record, self.over) or "").lower(), "")

    def _people(self, record: t.Record) -> list[t.Entity]:
        group = group_of(record, self.over)
        return [p for p in record.entities if p.first_name and p.attributes.get(self.over) == group]


KEY = "self-retrieval"
"""Another would choose other words and synonyms."""
SHORTEST = 5
"""Words of the shortest sentence that is looked for."""


def long_sentences(text: str) -> list[str]:
    """The sentences that are long enough to be looked for."""
    return [sentence for sentence in sentences_of(text) if len(sentence.split()) >= SHORTEST]


class ScorerBiasRetrieval(ScorerBias):
    """Difference between groups in how often a scorer finds paraphrased sentences in their own document.

    Sentences of each group's documents are paraphrased by rules (synonyms of WordNet for a ``share`` of the content
    words). The scorer searches them among the documents of their record. All are equally true of their document. So a
    group whose sentences are found less often is covered less in summaries too, whatever they say.

    From each document, at most ``sentences`` sentences of five words or more are taken, evenly spread. A sentence is
    found if no other document of the record supports it as much; a tie of k documents counts 1/k.

    Reads:      document attribute ``over``, not the summaries; support, shape (documents, sentences). English texts.
    Per record:  per group ``scored`` (sentences) and ``score`` (found sentences).
    Permuted:   labels among the documents of the record.
    Value:      share found of the first group's sentences − of the second's, in alphabetical order, over all records,
                in [−1, 1]. Of more groups, the largest difference of any two. Secondary: ``difference[g]``, share
                found of g's sentences − of all others'; ``mean[g]``, the share of each group.
    Undefined:  "one group only"; "no sentence is long enough to be found again"; "without WordNet no sentence can be
                paraphrased".
    """

    name = "scorer_bias_retrieval"
    finding = "finds sentences of {first} documents again more often than of {second} documents"
    declaration = Declaration(
        family="Self-retrieval (how often scorers find paraphrased sentences in their own document)",
        question="how much more often a scorer finds paraphrased sentences of one group in their own document than of others",
        harm=OWN,
        on_request=ON_REQUEST,
        checks_scorer=True,
        scorer_kind="scorer",
    )
    over: str
    scorer: TextScorer = "containment"
    sentences: Count = 3
    share: Annotated[float, "[0, 1]"] = 0.5

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        compared_groups(cases[0].record, self.over)  # without which nothing is observed
        chosen = self._chosen(cases[0].record)
        try:
            sentences = tuple(paraphrase(text, self.share, KEY) if self.share else text for _, text in chosen)
        except FairbriefError:  # WordNet is not here
            return ()
        return (t.Ask(self.scorer, known(cases[0].record).texts, sentences),)

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return compared_groups(cases[0].record, self.over).scheme

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        record, groups = cases[0].record, compared_groups(cases[0].record, self.over)
        document = np.array([i for i, _ in self._chosen(record)])
        if not scores:
            raise NotObserved("without WordNet no sentence can be paraphrased")
        support = scores[0].by_column(len(document))
        is_best = support >= support.max(axis=0) - TIE
        hits = is_best[document, np.arange(len(document))] / is_best.sum(axis=0)
        many, ones = len(record.documents), np.ones(len(document))
        scored, score = (np.bincount(document, weights, many) for weights in (ones, hits))
        sums: dict[str, Any] = {"scored": scored, "score": score}
        return by_group(groups.names, summed_by_group(groups.codes, sums, labels, len(groups.names)))

    def _chosen(self, record: t.Record) -> list[tuple[int, str]]:
        """The sentences to look for, each with its document. Raises `NotObserved` if there is none."""
        chosen = []
        for i, document in enumerate(record.documents):
            long = long_sentences(document.text)
            places = np.linspace(0, len(long) - 1, min(self.sentences, len(long))).round().astype(int)
            chosen += [(i, long[place]) for place in places.tolist()]
        if not chosen:
            raise NotObserved("no sentence is long enough to be found again")
        return chosen

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = totals.ratios("score", "scored")
        largest = largest_difference(mean, totals.array.shape[:-1])
        # Of more than two groups, the largest is tested alone, by label permutations.
        values = {self.name: largest if len(mean) < 3 else t.Value(largest.array, "upper")}
        scored, score = (sum(totals[statistic, g] for g in mean) for statistic in ("scored", "score"))
        for g, of_group in mean.items():
            others = ratio(score - totals["score", g], scored - totals["scored", g])
            values[f"difference[{g}]"] = t.Value(of_group - others, "both", group=g)
            values[f"mean[{g}]"] = t.Value(of_group, is_share=True, group=g)
        return values
