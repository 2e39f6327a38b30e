"""Representation: whether each group has the share of the summary that it should have (BUR, UER, AUC, SOF).

With p_y(k) the share of group k in a summary and p_g(k) the share that it should have, over r groups:

- BUR = mean over records of 1[∃k: p_y(k) < τ·p_g(k)]
- UER = mean over records of (1/r) Σ_k max(0, p_g(k) − p_y(k))
- AUC = mean over records of 1 − min_k min(1, p_y(k)/p_g(k)), the area under BUR over τ
- SOF = mean absolute deviation over groups of e_k, the mean of max(0, p_g(k) − p_y(k)) over records

All share one observation, `Representation`, whose docstring explains the settings. The file is long since the family
is one piece; `distributions` has the functions of numbers only.

Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property, reduce
from itertools import compress
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from fairbrief import specs
from fairbrief import types as t
from fairbrief.declarations import SHARES_OF_TEXTS, Declaration, ObservationDeclaration, ScorerCheck
from fairbrief.errors import DataError
from fairbrief.measures import distributions
from fairbrief.measures.bases import BaseMeasure, Fraction, ManyAtOnce, NotObserved, TextScorer, unique
from fairbrief.measures.distributions import COUNTING, read_target, shares, softmax
from fairbrief.measures.group_sums import columned, deviation, labelled
from fairbrief.measures.groups import PRIMARY, SHARE, TESTED_BY_T, ComparesGroups, mean_of_records, means
from fairbrief.measures.record_texts import EMPTY_SUMMARY, Groups, is_blank, known, no_document_has
from fairbrief.score_tables import Alike, ScoredUnits
from fairbrief.statistics import TIE
from fairbrief.text.sentences import sentences_of

Texts = tuple[str, ...]
ONE_VALUE = "one value only"
WITHOUT_ASK = ("claims", "uniform")
"""Target distributions that no scorer makes: given labels of the summary's claims, and equal shares."""
NOTHING_FOUND = {
    "ngram": "no token of the summary occurs in the source",
    "claims": "no claim of the summary is entailed by a value",
}
NOTHING_WANTED = "the target gives nothing to the values present"
BETWEEN_TEXTS = " || "
"""What the authors put between the documents of one value."""


class Representation(ComparesGroups, ManyAtOnce):
    """The shares of the groups in the documents of a record, in its summary, and as wanted.

    p_x(k) is group k's share of the counted tokens of the source, and p_y(k) its share of the summary. ``target`` is
    the wanted share p_g(k): ``ratio`` (p_x), ``equal`` (1/r), or shares such as ``neg:0.5+pos:0.5``, rescaled to the
    groups present. Only the r groups with counted tokens are included.

    ``scorer`` determines p_y:

    - ``ngram``: each n-gram of the summary adds one to every group whose text contains it; divided by the sum.
    - ``claims``: the claims of the summary that the record lists as entailed by the group; divided by the sum.
    - ``uniform``: 1/r, a sanity baseline that ignores the summary.
    - any other: softmax(s(k)/``temperature``), where s(k) is the mean over the summary's sentences of the best
      document of k.

    The other settings:

    - ``tokens``: the scorer that counts source tokens; by default the n-gram scorer itself, otherwise ``ngram``.
    - ``ties=under`` counts p_y = τ·p_g as under-represented (the authors' code), ``fair`` does not (Eq. 2).
    - ``texts=values`` joins all documents of a group by ``||`` and reads the summary as one text (the authors' code;
      with ``windows=truncate`` large groups are cut). Other labels would then make other texts, so there are no label
      permutations.
    - ``no_match=uniform`` gives 1/r if nothing of the summary occurs in the source (the authors' code), instead of
      exclusion.
    - ``single=fair`` counts a record with one group as fair (the authors' code), instead of exclusion.

    Reads:      document attribute ``over``; summary text, or its claims; scores (documents, claims).
    Per record:  ``one``, ``unfair``, ``uer``, ``auc`` (and ``auc_cutoff``); per group ``present``, ``documents``
                (share of the documents), ``under`` (count), ``deficit`` = max(0, p_g − p_y), ``surplus`` = max(0, p_y
                − p_g), and the shares ``source``, ``summary``, ``wanted``. For n-grams also ``unfound``, the share
                that occurs in no document, and ``lowest``, p_y − p_g if all of these belonged to other groups.
    Permuted:   labels among the documents; none for ``claims``, ``uniform`` and ``texts=values``.
    Undefined:  "no document has the attribute …", "one value only", "empty summary", "no counted token in the
                source", "no token of the summary occurs in the source", "the summary has no claims", "no claim of the
                summary is entailed by a value", "the target gives nothing to the values present".
    Errors:     DataError if some documents lack the attribute, or the given target lacks a group.
    Source:     Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §3. Difference from the authors'
                code: a group without tokens is never included; their rounding could include one.
    """

    over: str
    scorer: TextScorer = "ngram"
    tokens: TextScorer = ""
    target: Annotated[str, read_target] = "ratio"
    tau: Fraction = 0.8
    temperature: Annotated[float, "(0, inf)"] = 0.1
    ties: Literal["fair", "under"] = "fair"
    no_match: Literal["leave_out", "uniform"] = "leave_out"
    single: Literal["leave_out", "fair"] = "leave_out"
    texts: Literal["documents", "values"] = "documents"
    points: int = 0
    cutoff: bool = False

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=1, chance_means=(("unfair",), ("uer",), ("auc",), ("auc_cutoff",))
    )
    differences: ClassVar[Any] = {"difference": ({"surplus": 1.0, "deficit": -1.0}, "present")}
    """Each group's share of the summary less the wanted one."""

    @cached_property
    def kind(self) -> str:
        """The scorer's name without settings; of one that is calibrated, and so answers by text, "calibrated"."""
        spec = specs.parse(self.scorer)
        return "calibrated" if "calibrated" in spec.settings else spec.name

    @cached_property
    def counter(self) -> str:
        """Spec of the scorer whose ``sizes`` count the source's tokens."""
        return self.tokens or (self.scorer if self.kind in COUNTING else "ngram")

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        """The summary against every document, and the documents' sizes where another scorer counts them."""
        self._groups(cases[0])  # without which nothing is observed
        about, text = known(cases[0].record), cases[0].summary.text
        if self.texts == "values":
            return self._asks(self._joined(cases[0].record), (text,), about.texts)
        return self._asks(about.texts, (text,) if self.kind in COUNTING else sentences_of(text), about.texts)

    def _asks(self, rows: Texts, columns: Texts, documents: Texts) -> Sequence[t.Ask]:
        asks = () if self.kind in WITHOUT_ASK else (t.Ask(self.scorer, rows, columns),)
        return asks if self.counter == self.scorer else (*asks, t.Ask(self.counter, documents, ()))

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        """The values of the record's documents, in sorted order of the values."""
        is_fixed = self.kind in WITHOUT_ASK or self.texts == "values"
        return None if is_fixed else self._groups(cases[0]).scheme

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Every sentence of the sources against every document (n-grams across sentences are not seen)."""
        if self.kind in WITHOUT_ASK or self.texts == "values":
            return ()
        about = known(cases[0].record)
        return self._asks(about.texts, extracts[0].sentences, about.texts)

    def kind_of(self, units: ScoredUnits, i: int) -> tuple[Texts, int]:
        """The values of a unit's record, and how many documents it has."""
        if units.extracts and not units.asked[i]:
            raise NotObserved("no random sentences can be measured")
        groups = self._groups(units.cases[i][0])
        return groups.names, len(groups.codes)

    def observe_alike(self, kind: tuple[Texts, int], units: ScoredUnits, labels: t.Integers) -> Alike:
        """Records of the same values and as many documents (and sentences of extracts).

        The shares of a summary move with the labels (N, R, K), those of the extracts (N, extracts, K) differ under the real ones.
        """
        values = kind[0]
        if not labels.shape[2]:
            codes = [known(case.record).groups(self.over).codes for (case,) in units.cases]
            labels = labelled(np.stack(codes)[:, np.newaxis], labels)
        members = distributions.members_of(labels, len(values))
        n, r, k, _ = members.shape
        read = np.broadcast_to(np.eye(k, dtype=bool), (n, r, k, k)) if self.texts == "values" else members
        counted = read if self.counter == self.scorer else members
        token_counts = units.table.sizes_of(units.first + units.asked - 1)[:, :, np.newaxis]
        sizes = (counted.reshape(n, r * k, -1).astype(np.float64) @ token_counts).reshape(n, r, k)
        present: t.Booleans = sizes > 0
        source = shares(sizes, present)
        drawn = unique(np.stack([own.kept for (own,) in units.extracts]), kind[1]) if units.extracts else None
        if drawn is None:
            summary, is_empty, unfound = self._of_summaries(units, values, read, present)
        else:
            summary, is_read = self._of_extracts(units, drawn.kept, members[:, 0], present)
            times = (is_read * drawn.times).sum(axis=1)
            is_empty = times == 0
            # Of sentences of the sources every n-gram is found.
            unfound = np.zeros((*summary.shape[:2], 1)) if self.kind in COUNTING else None
        wanted = self._wanted(values, source, present)
        n_present = present[:, 0].sum(axis=1)
        is_one = n_present < (2 if self.single == "leave_out" else 1)
        why = np.select(
            [n_present == 0, is_one, is_empty, ~wanted[:, 0].any(axis=1)],
            ["no counted token in the source", ONE_VALUE, NOTHING_FOUND.get(self.kind, ""), NOTHING_WANTED],
            default="",
        )
        documents = shares(members.sum(axis=-1).astype(np.float64), present)
        parts = {
            "present": present, "source": source, "summary": summary, "wanted": wanted, "documents": documents,
        }  # fmt: skip
        of = dict(zip(parts, np.broadcast_arrays(*parts.values()), strict=True))
        columns, rows = self._statistics(values, of, unfound)
        if drawn is not None:
            sums = drawn.summed(np.where(is_read[..., np.newaxis], rows, 0.0))
            rows = (sums / np.maximum(times, 1)[:, np.newaxis])[:, np.newaxis]
        return columns, rows, why

    # ------------------------------------------------------------------------------- what is read

    def _groups(self, case: t.Case) -> Groups:
        """The groups of a record. Raises `NotObserved` if it cannot be compared with its summary; DataError for a group without a
        wanted share.
        """
        groups, summary = known(case.record).groups(self.over), case.summary
        if not groups.names:
            raise NotObserved(no_document_has(self.over))
        if summary.reason or is_blank(summary.text):
            raise NotObserved(EMPTY_SUMMARY)
        if self.single == "leave_out" and len(groups.names) < 2:
            raise NotObserved(ONE_VALUE)
        if self.kind == "claims" and not summary.claims:
            raise NotObserved("the summary has no claims")
        given = read_target(self.target) or groups.names
        if lacking := [value for value in groups.names if value not in given]:
            raise DataError(
                f"{case.record.where or 'record'} (id '{case.record.id}'): the value '{lacking[0]}' of "
                f"'{self.over}' has no share in target={self.target}. Add '{lacking[0]}:SHARE' (0 is a share)."
            )
        return groups

    def _joined(self, record: t.Record) -> Texts:
        """The text of each value, in the order of the values."""
        about = known(record)
        groups = about.groups(self.over)
        of_values = (groups.codes == k for k in range(len(groups.names)))
        return tuple(BETWEEN_TEXTS.join(compress(about.texts, is_own)) for is_own in of_values)

    # ------------------------------------------------------------------------- the distributions

    def _of_summaries(
        self, units: ScoredUnits, values: Sequence[str], members: t.Booleans, present: t.Booleans
    ) -> tuple[t.Floats, t.Booleans, t.Floats | None]:
        """p_y under each label permutation (N, R, K), where nothing of the summary is found (N,), and the share unfound (N, R, 1)."""
        is_empty, unfound = np.zeros(len(units), dtype=bool), None
        if self.kind == "uniform":
            return shares(np.zeros(present.shape), present), is_empty, None
        if self.kind in COUNTING:
            counts = distributions.count_unions(members, units.table, units.first)
            unfound = distributions.unfound_share(units, np.where(present, counts, 0.0))
        elif self.kind == "claims":
            claims = [case.summary.claims or () for (case,) in units.cases]
            entailed_by = [[claim.values.get(self.over, ()) for claim in own] for own in claims]
            counts = np.array([[[sum(v in by for by in own) for v in values]] for own in entailed_by], float)
        else:
            best = distributions.folded_each(distributions.mean_of_best, members, units.table, units.first)
            return softmax(best, self.temperature, present), is_empty, None
        if self.no_match == "leave_out":
            is_empty |= ~(counts[:, 0] * present[:, 0]).any(axis=1)
        return shares(counts, present), is_empty, unfound

    def _of_extracts(
        self, units: ScoredUnits, kept: t.Floats, members: t.Booleans, present: t.Booleans
    ) -> tuple[t.Floats, t.Booleans]:
        """p_y of extracts ``kept`` (N, distinct, K), and whether anything is found in them.

        Shapes: ``members`` (N, K, documents), ``present`` (N, 1, K).
        """
        if self.kind in COUNTING:
            counts = np.where(present, kept @ distributions.grams_of_sentences(units, members), 0.0)
            return shares(counts, present), np.any(counts > 0, axis=2)
        means = np.zeros((*kept.shape[:2], members.shape[1]))
        for mean, own, of_record, i in zip(means, members, kept, units.first.tolist(), strict=True):
            answer, is_held = units.table[i], own.any(axis=1)
            best = [answer.matrix[inside].max(axis=0, initial=-np.inf) for inside in own[is_held]]
            is_read = of_record.take(answer.owner, axis=1)
            many = np.maximum(is_read.sum(axis=1, keepdims=True), 1)
            mean[:, is_held] = is_read @ np.stack(best, axis=1) / many
        return softmax(means, self.temperature, present), np.ones(kept.shape[:2], dtype=bool)

    def _wanted(self, values: Sequence[str], source: t.Floats, present: t.Booleans) -> t.Floats:
        """p_g under each label permutation. Shape (…, K)."""
        if self.target == "ratio":
            return source
        if self.target == "equal":
            return shares(np.zeros(source.shape), present)
        given = read_target(self.target)
        weights = np.where(present, [given[value] for value in values], 0.0)
        total = weights.sum(axis=-1, keepdims=True)
        return np.asarray(weights / np.where(total > 0, total, 1.0))

    # ------------------------------------------------------------------------------- the per-record statistics

    def _statistics(
        self, values: Sequence[str], of: Mapping[str, Any], unfound: t.Floats | None
    ) -> tuple[tuple[t.Column, ...], t.Floats]:
        """The statistics "Per record". Shapes: ``of`` (…, K) each, ``unfound`` (…, 1)."""
        present, source, summary, wanted, _ = of.values()
        deficit, surplus = np.maximum(wanted - summary, 0.0), np.maximum(summary - wanted, 0.0)
        # Shares are quotients of counts: what is equal must not fall to either side by rounding.
        slack = TIE if self.ties == "under" else -TIE
        under = distributions.is_under(summary, wanted, present, self.tau, slack)
        alone: dict[t.Column, Any] = {
            ("one",): 1.0,
            ("unfair",): reduce(np.logical_or, np.moveaxis(under, -1, 0)),
            ("uer",): deficit.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1),
            ("auc",): distributions.area_over_tau(summary, wanted, self.points, slack),
        }
        if self.cutoff:
            alone["auc_cutoff",] = distributions.area_over_cutoff(source, summary, wanted, self.tau, slack)
        by_value = {"present": present, "under": under, "deficit": deficit, "surplus": surplus, **of}
        if unfound is not None:
            by_value["lowest"] = np.where(present, summary * (1 - unfound) - wanted, 0.0)
            by_value["unfound"] = present * unfound
        return columned(values, by_value, alone)


SHARES = SHARES_OF_TEXTS.replace(
    question="Who gets less room in the summaries than in the sources?",
    sentence="In summaries by {system}, documents with {group} get {difference}",
    worse_below="documents with {group}",
)


BY_DOCUMENTS, WORDS_LESS_DOCUMENTS = "by_documents", "words_less_documents"
LOWEST, HIGHEST = "lowest_difference", "highest_difference"
SECONDARY: tuple[tuple[str, Mapping[str, float], Mapping[str, Any]], ...] = (
    (BY_DOCUMENTS, {"summary": 1.0, "documents": -1.0}, TESTED_BY_T),
    (WORDS_LESS_DOCUMENTS, {"source": 1.0, "documents": -1.0}, {}),
    (LOWEST, {"lowest": 1.0}, {"has_baseline": True}),
    (HIGHEST, {"lowest": 1.0, "unfound": 1.0}, {"has_baseline": True}),
)
"""Further differences of shares of each group: the name, the weights of the statistics, and fields of `Value`."""


DECLARED = Declaration(
    family="Representation",
    harm="Readers who see only the summary would meet some views less often than the sources hold them, and could take a partial picture for the whole.",
    figures=("kept_shares",),
    scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    scorer_kind="scorer",
)
"""What all measures of the family declare."""


class _RepresentationMeasure(BaseMeasure, Representation):
    """What all measures share."""

    observes = Representation
    statistic: ClassVar[str]
    points: int = field(default=0, init=False)
    cutoff: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.texts == "values" and specs.parse(self.scorer).name in WITHOUT_ASK:
            raise ValueError(f"texts=values is for scorers that read texts; {self.scorer} reads none")

    def value(self, totals: t.Totals) -> dict[str, t.Value]:
        """Totals (…, columns) → values (…); of the main value, the mean over records of its statistic."""
        has_baseline = not self.cutoff
        return {self.name: mean_of_records(totals, self.statistic, is_share=True, has_baseline=has_baseline)}

    def explain(self, totals: t.Totals) -> str:
        """The three distributions in words, and which values fall below tau."""
        wanted = "" if self.target == "ratio" else ", {wanted:.0%} is wanted"
        words = " has {source:.0%} of the source and {summary:.0%} of the summary" + wanted
        # Two places, rounded down: 0.798 is below 0.8, which 0.80 is not.
        below = [
            f"{v} gets {np.floor(100 * float(totals['summary', v] / totals['wanted', v]) + 1e-9) / 100:.2f} of its share"
            for v in totals.values_of("present")
            if totals["under", v] > 0 and totals["wanted", v] > 0
        ]
        shares = totals.describe("present", words)
        if not below:
            return f"{shares}. No group is below {self.tau:g} of its share."
        return f"{shares}. Below {self.tau:g}: {', '.join(below)}."


class Bur(_RepresentationMeasure):
    """Share of records whose summary under-represents at least one group (binary unfair rate).

    The mean over records of 1[∃k: p_y(k) < τ·p_g(k)].

    Value:      in [0, 1]; 0 if no record is unfair. Above 0 even for random labels: compare with the permutation
                mean. Secondary: ``share_under[g]``, among the records that have g.
    Undefined:  without records.
    Source:     Zhang et al., Eq. 2. Differences from the authors' code: ``<`` for their ``<=`` (``ties=under``);
                records with one group, or without a match, are excluded (``single=fair``, ``no_match=uniform``).
    """

    name = "bur"
    statistic = "unfair"
    declaration = DECLARED.replace(
        question="the share of summaries in which at least one group falls below its due share"
    )

    def value(self, totals: t.Totals) -> dict[str, t.Value]:
        found = super().value(totals)
        for v in totals.values_of("present"):
            found |= means(totals, "under", "present", [v], "share_under", **SHARE)
        return found


class Uer(_RepresentationMeasure):
    """How much of its share each group lacks, averaged over groups and records (unfair error rate).

    The mean over records of (1/r) Σ_k max(0, p_g(k) − p_y(k)) over r groups. This is the total variation of p_g and
    p_y divided by r, so it decreases with r: compare only records with equally many groups.

    Value:      in [0, 1/2); 0 if every group has its share. Above 0 even for random labels: compare with the
                permutation mean. Secondary, among the records that have g:
                - ``difference[g]``: mean of p_y(g) − p_g(g); positive = over-represented
                - ``source[g]``, ``summary[g]``, ``wanted[g]``: mean shares
                - ``by_documents[g]``: mean of p_y(g) minus g's share of the documents, where documents differ in
                  length
                - ``words_less_documents[g]``: g's share of the source's words minus its share of the documents
                - ``lowest_difference[g]``, ``highest_difference[g]``: the difference if all n-grams of the summary
                  that occur in no document (possible paraphrases) belonged to other groups, or to g
    Undefined:  without records.
    Source:     Zhang et al., Eq. 3, whose printed sign is reversed; the sum is the same.
    """

    name = statistic = "uer"
    declaration = DECLARED.replace(
        question="how much of the due shares is missing, averaged over the groups of a record",
        contrast=SHARES,
        judges_support=True,
    )

    def value(self, totals: t.Totals) -> dict[str, t.Value]:
        found = super().value(totals)
        for v in totals.values_of("present"):
            found |= self.differing(totals, "difference", [v], **PRIMARY)
            for name, weights, special in SECONDARY:
                if "lowest" not in weights or ("lowest", v) in totals.columns:
                    special = {"limits": t.SHARE_DIFFERENCE, **special}
                    found |= means(totals, weights, "present", [v], name, **special)
            for share in ("source", "summary", "wanted"):
                found |= means(totals, share, "present", [v], **SHARE)
        return found


class Auc(_RepresentationMeasure):
    """How far the worst represented group falls short of its share, averaged over records (area under `Bur` over all
    thresholds τ).

    The mean over records of ∫₀¹ 1[∃k: p_y(k) < τ·p_g(k)] dτ = 1 − min_k min(1, p_y(k)/p_g(k)). ``points=10`` is the
    mean over τ = 0.1, 0.2 … 1, as in the paper's text. The paper's tables used another sweep: `AucCutoff`. It is not
    the area under a ROC curve.

    Value:      in [0, 1]; 0 if every group has its share. Above 0 even for random labels: compare with the
                permutation mean.
    Undefined:  without records.
    Source:     Zhang et al., Eq. 4; the closed form is ours.
    """

    points: Annotated[int, "[0, inf)"] = 0
    name = statistic = "auc"
    declaration = DECLARED.replace(
        question="how far the worst-represented group falls short of its due share"
    )


class AucCutoff(_RepresentationMeasure):
    """Share of under-representing summaries, averaged over how many of the smaller groups are excluded.

    For c = 0, 0.1 … 1 only the largest groups that together hold the share c of the source are kept, and both
    distributions are rescaled. Of equally large groups, the one with less of the summary is kept first. The value is the
    area under BUR(c) by trapezoids. At c = 0 one group is left, which cannot fall short.

    Value:      in [0, 0.95]. Above 0 even for random labels: compare with the permutation mean.
    Undefined:  without records.
    Source:     Zhang et al., the authors' code behind the AUC table; the paper's text describes `Auc`.
    """

    name = statistic = "auc_cutoff"
    declaration = DECLARED.replace(
        question="the share of under-represented summaries, over a sweep of the long-tail cut-off",
        on_request="it is the sweep behind one paper's table; auc is what the paper describes",
    )
    cutoff: bool = field(default=True, init=False)


class Sof(_RepresentationMeasure):
    """How unequally under-representation is spread over the groups (second-order fairness).

    Mean absolute deviation (1/R) Σ |e_k − mean e| over R groups, where e_k is the mean of max(0, p_g(k) − p_y(k))
    over the records that have group k.

    Value:      in [0, 1/2]; 0 if all groups lack equally much. Above 0 even for random labels: compare with the
                permutation mean. Secondary: ``deficit[g]`` = e_g, and ``difference[g]`` of `Uer`, by which it is
                tested.
    Undefined:  with fewer than two groups.
    Source:     Zhang et al., Eq. 5, which prints p_g − p_x (zero under the ratio target); the authors' code has this.
    """

    name = "sof"
    declaration = DECLARED.replace(
        question="how unevenly shortfalls are spread over the groups",
        contrast=SHARES,
        judges_support=True,
    )

    def value(self, totals: t.Totals) -> dict[str, t.Value]:
        values = totals.values_of("present")
        unevenness = deviation(totals.ratios("deficit", "present").values(), totals["one"].shape)
        contrasts = tuple(f"difference[{v}]" for v in values)
        found = {"sof": t.Value(unevenness, "upper", contrasts=contrasts, has_baseline=True)}
        for v in values:
            found |= self.differing(totals, "difference", [v], **PRIMARY)
            found |= means(totals, "deficit", "present", [v], **SHARE)
        return found
