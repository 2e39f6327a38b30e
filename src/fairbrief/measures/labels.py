"""Labels: how a summary's distribution over topics, emotions, themes or stances differs from that of its source.

With p(l) the share of label l in the source's sentences and q(l) in the summary's, per record: q(l) − p(l) for each label, the
total variation distance, the Jensen–Shannon divergence, and the share of the source's labels that the summary omits.

Source: Mayilvaghanan, Gupta & Kumar, Spot the BlindSpots, EMNLP industry track 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import SHARES_OF_TEXTS, Declaration
from fairbrief.measures.bases import BaseMeasure, NotObserved, TextScorer
from fairbrief.measures.group_sums import by_group, share, total_variation
from fairbrief.measures.groups import PRIMARY, SHARE, ComparesGroups, mean_of_records, means
from fairbrief.measures.record_texts import EMPTY_SUMMARY, claims_of, no_document_has, source_sentences
from fairbrief.specs import parse
from fairbrief.statistics.distributions import jensen_shannon
from fairbrief.text.sentences import sentences_of

IN_THE_DATA = "claims"
"""The setting ``scorer`` for labels that the data give."""
SIDES = ("source", "summary")
APPLIES = 0.5
"""A label applies to a text with a score above this."""


def _indicators(texts: Sequence[Sequence[str]], names: Sequence[str]) -> t.Floats:
    """1 for each label that a text has; then 1 for each text, and 1 for each without a label. Shape (texts, labels + 2)."""
    rows = [[*(name in labels for name in names), True, not labels] for labels in texts]
    return np.array(rows, dtype=np.float64).reshape(len(texts), len(names) + 2)


def _rows(names: Sequence[str], counts: t.Floats) -> t.Rows:
    """The statistics of source and summary from their counts. Shape (2, R, labels + 2)."""
    texts, bare, counts = counts[..., -2], counts[..., -1], counts[..., :-2]
    both = (counts.sum(axis=-1) > 0).all(axis=0)
    source, summary = np.where(both[:, np.newaxis], share(counts), 0.0)
    there = counts[0] > 0
    lacking = there & ~(counts[1] > 0)
    by_label = {
        "present": (counts.sum(axis=0) > 0) & both[:, np.newaxis], "source": source, "summary": summary,
        "in source": there, "lacking": lacking,
    }  # fmt: skip
    alone: dict[t.Column, t.Floats] = {
        ("one",): both,
        ("tvd",): total_variation(summary - source),
        ("js",): np.where(both, jensen_shannon(source, summary), 0.0),
        ("labelled",): there.any(axis=1),
        ("omitted",): lacking.sum(axis=1) / np.maximum(there.sum(axis=1), 1),
    }
    for k, side in enumerate(SIDES):
        alone |= {("sentences", side): texts[k], ("bare", side): bare[k]}
    return by_group(names, by_label, alone)


class LabelGap(ComparesGroups, BaseMeasure):
    """How far the distribution of labels in summaries differs from that in their sources: mean total variation distance.

    The mean over records of ½ Σ_l |q(l) − p(l)|. Label l (a topic, emotion, theme, stance …) has the share p(l) in the source and q(l) in
    its summary. ``@DIMENSION`` names the dimension; for labels in the data it is the attribute. `Uer` compares a summary's text with
    each group's documents; this measure compares labels of sentences.

    The labels come from ``scorer``:

    - ``claims`` (default): the data. Sentences of the source have their document's attribute, claims of the summary their ``values``.
    - ``words(file=FILE.toml)``: a list of words for each label.
    - ``chat_label(model=MODEL, labels=A+B)``: a chat model chooses one label for each sentence.
    - any other scorer or classifier: a label applies if its score for (sentence, label) exceeds 0.5. With
      ``statement='It is about {label}.'``, an entailment model scores that statement.

    The other settings:

    - ``labels=A+B``: the labels that the scorer is asked about.
    - ``units=given``: the summary's claims are labelled, not its sentences.

    Sentences without a label are excluded from the shares.

    Each label of a sentence counts once; shares are of all these labels.

    Reads:      with ``scorer=claims``, the documents' attribute ``over``, which each of their sentences has, and the ``values`` of the
                summary's claims; else the scores of (sentences, labels), where a label applies above 0.5.
    Per record:  ``one`` and the distances ``tvd`` and ``js``, if both texts have a label; per label ``present`` (1 if source or
                summary has it), ``source``, ``summary`` (shares). ``labelled`` and ``omitted``, the share of the source's labels that the
                summary lacks; per label ``in source`` and ``lacking`` (0 or 1). ``sentences[source]``, ``sentences[summary]`` and
                ``bare[…]``, those without a label.
    Permuted:   which of all sentences (and claims) of a record are the summary's, so that their number is kept.
    Value:      in [0, 1]; 0 if both distributions are equal. Above 0 by chance, more so in short summaries. Compare with both
                baselines: independent errors of the labels raise it above that of random sentences. The permutation mean is larger,
                since permutations change the source's distribution, too. Secondary:
                - ``difference[l]`` (primary): mean of q(l) − p(l), among the records with l; positive = more of the summary
                - ``jensen_shannon``: mean divergence, in bits, in [0, 1]
                - ``omitted``: mean share of a source's labels that its summary lacks; ``omitted[l]``: the share of the sources
                  with l whose summary lacks it
                - ``source[l]``, ``summary[l]``: mean shares, among the records with l
                - ``unlabelled[source]``, ``unlabelled[summary]``: share of the sentences without a label
    Undefined:  without records. A summary without any label counts only for ``omitted``. Records: "no document has the
                attribute …", "no attribute is named", "empty summary", "the summary has no claims", "no sentence of the source
                has a label".
    Errors:     RequestError for a scorer without labels; DataError if some documents lack the attribute.
    Source:     Mayilvaghanan, Gupta & Kumar, EMNLP industry track 2025: fidelity gap (total variation; Jensen–Shannon in the preprint)
                and coverage (``omitted``). Baselines, differences and the treatment of missing labels are ours.
    """

    name = "label_gap"
    declaration = Declaration(
        version=2,
        chance_means=(("tvd",),),
        draws_unscored=True,
        family="Labels",
        question="how far the distribution of labels in summaries differs from that in their sources",
        harm="Decisions that rest on summaries would miss topics, moods or positions that the sources contain.",
        on_request="it needs labels of the summary's sentences or claims",
        better="less",
        figures=("kept_shares",),
        contrast=SHARES_OF_TEXTS,
    )

    over: str = ""
    scorer: TextScorer = IN_THE_DATA
    labels: tuple[str, ...] = ()
    statement: str = "{label}"
    units: Literal["sentences", "given"] = "sentences"
    differences: ClassVar[Any] = {"difference": ({"summary": 1.0, "source": -1.0}, "present")}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scorer != IN_THE_DATA and not self.asked:
            raise ValueError(f"scorer={self.scorer} needs labels: add labels=A+B")

    @property
    def asked(self) -> tuple[str, ...]:
        """The labels that the scorer is asked about: ``labels``, or those of the scorer's setting of this name."""
        if self.scorer == IN_THE_DATA:
            return ()
        return self.labels or tuple(filter(None, parse(self.scorer).settings.get("labels", "").split("+")))

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        (case,) = cases
        return self._asked(case.record, self._units(case))

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """The sentences of the sources, which are labelled as a summary's are."""
        (case,) = cases
        self._units(case)  # without which nothing is observed
        return self._asked(case.record, ())

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        """0 for each sentence of the source, then 1 for each unit of the summary."""
        (case,) = cases
        sizes = len(source_sentences(case.record)), len(self._units(case))
        return t.PermutationScheme(np.repeat(np.arange(2), sizes))

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        names, source, summary = self._labelled(cases[0], scores)
        is_summary = (labels == 1).astype(np.float64)
        return _rows(names, np.stack([1 - is_summary, is_summary]) @ np.vstack([source, summary]))

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean of `observe` over the extracts."""
        (case,), (drawn,) = cases, extracts
        names, source, _ = self._labelled(case, scores, of_extracts=True)
        rows = _rows(names, np.stack(np.broadcast_arrays(source.sum(axis=0), drawn.kept @ source)))
        return t.Rows(rows.columns, rows.values.mean(axis=0, keepdims=True))

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """Each label that the summary lacks, with a sentence of the source that has it."""
        (case,) = cases
        (names, source, summary), sentences = self._labelled(case, scores), source_sentences(case.record)
        return [
            f"The summary lacks {name}: “{sentences[int(source[:, k].argmax())]}”"
            for k, name in enumerate(names)
            if source[:, k].any() and not summary[:, k].any()
        ]

    def _units(self, case: t.Case) -> tuple[str, ...]:
        """The summary's sentences or claims. Raises `NotObserved` if the case lacks them, or the attribute."""
        if case.summary.reason or not case.summary.text.strip():
            raise NotObserved(EMPTY_SUMMARY)
        is_given = self.scorer == IN_THE_DATA
        units = claims_of(case.summary, self.units)
        if is_given:
            units = tuple(claim.text for claim in case.summary.claims or ())
        if not units:
            raise NotObserved("the summary has no claims")
        if is_given and not self.over:
            raise NotObserved("no attribute is named: write label_gap@ATTRIBUTE")
        if is_given and not case.record.values_of(self.over):
            raise NotObserved(no_document_has(self.over))
        return units

    def _asked(self, record: t.Record, units: tuple[str, ...]) -> Sequence[t.Ask]:
        if not self.asked:
            return ()
        rows = (*source_sentences(record), *units)
        columns = tuple(self.statement.replace("{label}", one) for one in self.asked)
        return (t.Ask(self.scorer, rows, columns),)

    def _labelled(
        self, case: t.Case, scores: t.Answers, *, of_extracts: bool = False
    ) -> tuple[list[str], t.Floats, t.Floats]:
        """The labels, and the `_indicators` of each sentence of the source and of each unit; extracts have no units.

        Shapes: (labels,), (sentences, labels + 2), (units, labels + 2).
        """
        self._units(case)
        source: Sequence[Sequence[str]]
        units: Sequence[Sequence[str]] = ()
        if self.asked:
            applies = scores[0].by_column(len(self.asked)) > APPLIES
            texts = [[name for name, yes in zip(self.asked, row, strict=True) if yes] for row in applies]
            sentences = len(source_sentences(case.record))
            source, units = texts[:sentences], texts[sentences:]
        else:
            source = [(d.attributes[self.over],) for d in case.record.documents for _ in sentences_of(d.text)]
            if not of_extracts:
                units = [claim.values.get(self.over, ()) for claim in case.summary.claims or ()]
        names = sorted(set(chain.from_iterable((*source, *units))))
        if not any(source):
            raise NotObserved("no sentence of the source has a label")
        return names, _indicators(source, names), _indicators(units, names)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        values: dict[str, t.Value] = {}
        for name, statistic, count in (
            (self.name, "tvd", "one"), ("jensen_shannon", "js", "one"), ("omitted", "omitted", "labelled"),
        ):  # fmt: skip
            values[name] = mean_of_records(totals, statistic, count, **SHARE)
        for v in totals.values_of("present"):
            values |= self.differing(totals, "difference", [v], **PRIMARY)
            for side in SIDES:
                values |= means(totals, side, "present", [v], **SHARE)
            values |= means(totals, "lacking", "in source", [v], "omitted", **SHARE, is_compared=True)
        for side in SIDES:
            unlabelled = totals.ratio(("bare", side), ("sentences", side))
            values[f"unlabelled[{side}]"] = t.Value(unlabelled, is_share=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        """Both distributions, and the labels that the summary lacks."""
        shares = " has {source:.0%} of the source's labels and {summary:.0%} of the summary's"
        lacking = [v for v in totals.values_of("lacking") if totals["lacking", v] > 0]
        distributions = totals.describe("present", shares) or "No label in the summary"
        return f"{distributions}. Missing from the summary: {', '.join(lacking) or 'no label'}."
