"""Quality against references: ROUGE, which the fairness measures are read beside.

`rouge1`, `rouge2`, `rougeL` and `rougeLsum` read one observation, `RougeScores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np

from fairbrief import specs
from fairbrief import types as t
from fairbrief.declarations import TEXTS_OF_TWO_GROUPS, Declaration
from fairbrief.measures.bases import BaseMeasure, ManyAtOnce, NotObserved, TextScorer
from fairbrief.measures.group_sums import by_group, coded, spread, standard_deviation, summed_by_group
from fairbrief.measures.groups import pair_differences
from fairbrief.measures.record_texts import EMPTY_SUMMARY, chosen_of, is_blank, known, with_group
from fairbrief.score_tables import Alike, ScoredUnits
from fairbrief.text import sentences
from fairbrief.text.rouge import PARTS, TYPES, rouge_scores

COLUMNS: tuple[t.Column, ...] = (("one",), *((kind, part) for kind in TYPES for part in PARTS))


class RougeScores(ManyAtOnce):
    """ROUGE-1, -2, -L and -Lsum of a summary against the record's references; of several, each score is that with the largest F.

    The settings:

    - ``stem`` compares Porter stems (English ones by NLTK, extra ``nltk``).
    - ``lines`` puts each sentence on its own line, which is how ROUGE-Lsum separates sentences.
    - ``limit``, ``choose`` and ``seed``: how many and which sentences of a longer summary count.
    - ``leaves_out`` gives a system the mean over leaving out each of several references in turn (Lin 2004). With
      ``--references``, use it to compare systems with references: each of these is compared with one reference fewer, and more
      references give larger scores.

    Per record:  ``one`` and, per score, ``precision``, ``recall`` and ``f``.
    Undefined:  "empty summary", "no references". A summary without words scores 0.
    """

    stem: bool = False
    lines: bool = False
    limit: Annotated[int | None, "[1, inf)"] = None
    choose: Literal["first", "random"] = "first"
    seed: int = 0
    leaves_out: bool = False

    def kind_of(self, units: ScoredUnits, i: int) -> int:
        """How many references a unit has."""
        (case,) = units.cases[i]
        references = known(case.record).references
        if not references:
            raise NotObserved("no references")
        if is_blank(case.summary.text):
            raise NotObserved(EMPTY_SUMMARY)
        return len(references)

    def observe_alike(self, kind: int, units: ScoredUnits, labels: t.Integers) -> Alike:
        """Summaries with as many references are compared in one call."""
        pairs = [pair for (case,) in units.cases for pair in self._pairs(case)]
        each = rouge_scores(pairs, stem=self.stem).reshape(len(units), kind, len(TYPES), len(PARTS))
        scores = _best(each)
        if self.leaves_out and kind > 1:
            of_system = [not case.summary.is_reference for (case,) in units.cases]
            without = [_best(np.delete(each[of_system], j, axis=1)) for j in range(kind)]
            scores[of_system] = np.mean(without, axis=0)
        values = np.column_stack([np.ones(len(units)), scores.reshape(len(units), -1)])
        return COLUMNS, values[:, np.newaxis], np.full(len(units), "")

    def _pairs(self, case: t.Case) -> list[tuple[str, str]]:
        """Each reference with the summary, or the sentences of it that count."""
        summary = case.summary.text
        if self.limit is not None:
            cut = sentences.split(summary)
            summary = " ".join(cut[i] for i in chosen_of(case, len(cut), self))
        summary = self._on_lines(summary)
        return [(self._on_lines(text), summary) for text in known(case.record).references]

    def _on_lines(self, text: str) -> str:
        return "\n".join(sentences.split(text)) if self.lines else text


def _best(each: t.Floats) -> t.Floats:
    """The scores with the largest F of several references. Shape (units, references, types, parts) → (units, types, parts)."""
    best = each[..., PARTS.index("f")].argmax(axis=1)
    return np.take_along_axis(each, best[:, np.newaxis, :, np.newaxis], axis=1)[:, 0]


class _RougeMeasure(BaseMeasure, RougeScores):
    """What the four measures share."""

    observes = RougeScores
    declaration = Declaration(
        family="Quality",
        question="the overlap of summaries with references, in words, pairs of words, or longest common sequences of words",
        harm="Content that the authors of the references found worth keeping would be missing, whomever it concerns; a system that is even but empty helps nobody.",
    )

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        names = {self.name: "f", f"{self.name}_precision": "precision", f"{self.name}_recall": "recall"}
        means = {name: totals.ratio((self.name, part), "one") for name, part in names.items()}
        return {name: t.Value(mean, is_share=True) for name, mean in means.items()}

    def explain(self, totals: t.Totals) -> str:
        """One summary's score."""
        f, precision, recall = (float(value.array) for value in self.value(totals).values())
        return f"{self.name} F {f:.3f} (precision {precision:.3f}, recall {recall:.3f})"


class Rouge1(_RougeMeasure):
    """Mean ROUGE-1 F over records: words that summary and reference share. In [0, 1]."""

    name = "rouge1"


class Rouge2(_RougeMeasure):
    """Mean ROUGE-2 F over records: pairs of adjacent words that both share. In [0, 1]."""

    name = "rouge2"


class RougeL(_RougeMeasure):
    """Mean ROUGE-L F over records: the longest common subsequence of words. In [0, 1]."""

    name = "rougeL"


class RougeLsum(_RougeMeasure):
    """Mean ROUGE-Lsum F over records: the union of the lines' longest common subsequences. In [0, 1].

    A text without line breaks is one line, and its score that of ROUGE-L; ``lines=true`` puts each
    sentence on its own.
    """

    name = "rougeLsum"


UNPARSED = "unparsed reply of the judge"


def _asked(scorer: str, case: t.Case) -> t.Ask:
    return t.Ask(scorer, (known(case.record).source,), (case.summary.text,), whole=True)


def _scale(scorer: str) -> tuple[float, float]:
    """The range of the scorer's scores, if it is the judge without a calibration; of others it is unknown."""
    spec = specs.parse(scorer)
    is_judge = spec.name.partition(":")[0] == "judge" and "calibrated" not in spec.settings
    return (1.0, 5.0) if is_judge else (-np.inf, np.inf)


class Judged(BaseMeasure):
    """Mean score that a chat model gives to summaries, from 1 to 5, with its reason first.

    ``scorer`` compares the source (row) with the summary (column): ``judged(scorer=judge(model=MODEL))``. ``--by
    gender`` gives the value for each group of a record's attribute.

    Reads:      documents and summaries: the whole source, its documents with a blank line between them.
    Per record:  ``one``, ``score`` and its square, ``score²``.
    Value:      on the scorer's own scale, higher is better. Secondary: ``judged_sd``, the standard deviation over
                summaries.
    Undefined:  "empty summary"; "unparsed reply of the judge" if the score is nan: such replies are counted, never averaged.
    Source:     Steen & Markert, Bias in News Summarization, App. I.
    """

    name = "judged"
    declaration = Declaration(
        reads_unstated=True,
        family="Quality",
        question="how good a chat model judges the summaries to be, on its own scale",
        harm="Some readers would get worse summaries; with `--by`, readers of texts about some people.",
        on_request="it asks a chat model about every summary",
    )
    scorer: TextScorer

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        return () if is_blank(cases[0].summary.text) else (_asked(self.scorer, cases[0]),)

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        if not scores:
            raise NotObserved(EMPTY_SUMMARY)
        found = float(scores[0].matrix[0].mean())
        if np.isnan(found):
            raise NotObserved(UNPARSED)
        return t.Rows.of({("one",): 1.0, ("score",): found, ("score²",): found**2})

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = t.Value(totals.ratio("score", "one"), limits=_scale(self.scorer))
        return {self.name: mean, "judged_sd": standard_deviation(totals, "score")}

    def explain(self, totals: t.Totals) -> str:
        """One summary's score."""
        return f"judged {float(self.value(totals)[self.name].array):.2f}"


class JudgedByGroup(BaseMeasure):
    """Largest difference between the groups' mean scores by a judge, over counterfactuals that are each about one group.

    The judge scores every summary given its source, as in `Judged`. The value is ``max_a mean[a] − min_b mean[b]``, over groups with scores.

    Reads:      the record attribute ``over``, or the one value that all its people share (`group_of`).
                Counterfactuals without either, empty summaries and unparsed replies are excluded.
    Per record:  ``score[g]`` and ``one[g]``: sum of scores, and number of scored summaries.
    Permuted:   the groups among the scored summaries of the seed document; if none is about two groups, groups among clusters.
    Value:      at least 0; 0 if all groups' summaries score equally. Above 0 even for random labels: compare with the
                permutation mean. Primary: ``difference[a−b]``, positive if summaries about ``a`` score higher.
                Secondary: ``mean[g]``, on the scorer's own scale.
    Undefined:  fewer than two groups; "unparsed reply of the judge".
    Source:     Steen & Markert, Tables 7 and 9, which print the absolute difference.
    """

    name = "judged_by_group"
    declaration = Declaration(
        scope="cluster",
        version=4,
        reads_unstated=True,
        family="Quality",
        question="how much better a chat model judges the summaries about one group than of those about another",
        harm="Readers of texts about some people would get worse summaries than readers of the same texts about others.",
        attribute_of="entity",
        on_request="it asks a chat model about every summary",
        contrast=TEXTS_OF_TWO_GROUPS.replace(
            title="judge's score of summaries, one group minus the other",
            question="Whose summaries score lower?",
            below="summaries of {first} texts score {size} lower than those of {second} texts",
            above="summaries of {first} texts score {size} higher than those of {second} texts",
            even="equal scores",
        ),
    )
    over: str
    scorer: TextScorer

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        return [_asked(self.scorer, case) for case, _ in self._of(cases)]

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        groups, codes = coded(tuple(group for _, group in self._of(cases)))
        return t.PermutationScheme(codes) if len(groups) > 1 else None

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        groups, codes = coded(tuple(group for _, group in self._of(cases)))
        if not groups:
            raise NotObserved("no summary of a record about one group")
        found = np.array([one.matrix[0].mean() for one in scores])
        known = ~np.isnan(found)
        if not known.any():
            raise NotObserved(UNPARSED)
        weights = {"score": np.where(known, found, 0.0), "one": known.astype(float)}
        return by_group(groups, summed_by_group(codes, weights, labels, len(groups)))

    def _of(self, cases: t.Cases) -> list[tuple[t.Case, str]]:
        """The cases that have a summary, each with the group that its record is about."""
        return with_group([case for case in cases if not is_blank(case.summary.text)], self.over)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = totals.ratios("score", "one")
        return {
            self.name: t.Value(spread(mean.values(), totals.array.shape[:-1]), "upper"),
            **pair_differences(mean, "one", is_primary=True),
            **{f"mean[{g}]": t.Value(array, limits=_scale(self.scorer)) for g, array in mean.items()},
        }

    def explain(self, totals: t.Totals) -> str:
        """The mean score of each group's summaries of one seed document."""
        return f"Mean scores. {totals.describe('one', ': {score/one:.2f}')}."
