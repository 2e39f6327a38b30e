"""Words of lists: the shares of group words in sources and summaries, and phrases that summaries add."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import ContrastWords, Declaration
from fairbrief.measures.bases import BaseMeasure, NotObserved, check_given
from fairbrief.measures.group_sums import by_group, group_names, renamed, share, total_variation
from fairbrief.measures.record_texts import known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.gendered_words import count_identifiers, varying_identifiers, word_lists


def is_built(record: t.Record) -> bool:
    """Whether a record is a counterfactual of a built design (balanced or mono)."""
    return record.seed_document is not None and record.attributes.get("design") in ("balanced", "mono")


class WordListInclusion(BaseMeasure):
    """How far the groups' shares of identifying words (she, man …) in summaries are from a reference.

    Total variation ``½ Σ_g |P_summaries(g) − P_reference(g)|`` over all occurrences in all summaries. ``lists`` is
    ``helm`` (with its ``femen``), ``extended``, or ``group: word word; group: word word``. ``reference`` is
    ``source`` (the inputs' shares), ``uniform``, or ``given`` with ``shares`` in the groups' order.
    ``words=published`` keeps words joined by a slash together, as the release's tokenizers do, and counts every
    listed word of built inputs.

    Of inputs with exchanged groups (`is_built`), only words that differ between the counterfactuals made together are
    counted: other words (mother, men) are about people whose group was not varied.

    Per record:  ``source[g]``, ``summary[g]``: occurrences; ``lost[g]``: those that the summary has fewer.
    Permuted:   nothing, since exchanged names would change the base rate to a half; the tests use sign flips of
                clusters, and p is at least that of the jackknife t, whose standard error is at least that of summaries with
                the reference's shares, and of lost words with those of the sources. ``words=published`` exchanges the names, for all
                counterfactuals of one seed document together, unless the reference is given and uneven.
    Value:      in [0, 1]; 0 if the shares agree. Above 0 even for random labels: compare with the permutation mean.
                Secondary: ``shift[g]`` = P_summaries(g) − P_reference(g), positive = over-represented;
                ``summary_share[g]``, ``source_share[g]``.
    Undefined:  no identifying word in the summaries, or in the sources if they are the reference.
    Source:     Steen & Markert, §3.1 (input reference); Liang et al., HELM (uniform reference).
    """

    name = "word_list_inclusion"
    languages = ("en",)
    declaration = Declaration(
        scope="block",
        version=6,
        family="People",
        question="how far the groups' shares of identifying words differ between summaries and sources",
        harm="People of some groups would be left out of the record more often than others who did the same.",
        contrast=ContrastWords(
            title="share of group words in the summaries minus share in the sources",
            question="Are words for one group dropped more often?",
            unit="points",
            below="{size} lower than in the sources",
            above="{size} higher than in the sources",
            even="the same as in the sources",
            sentence="In summaries by {system}, the share of words for {group} among all group words is {difference}",
            worse_below="people called by words for {group}",
        ),
    )
    lists: str = "helm"
    reference: Literal["source", "uniform", "given"] = "source"
    shares: tuple[float, ...] = ()
    words: Literal["recommended", "published"] = "recommended"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_given(self.reference, self.shares, list(word_lists(self.lists)))

    @property
    def observation(self) -> WordListInclusion:
        """Without its reference, unless that is uneven."""
        even = len(set(self.shares)) <= 1
        return replace(self, reference="source", shares=()) if even else self

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        is_permuted = len(set(self.shares)) <= 1 and self.words == "published"
        return group_names(len(word_lists(self.lists))) if is_permuted else None

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        groups = list(word_lists(self.lists))
        source, summary, lost = np.zeros((3, len(groups)))
        if self.lists in ("helm", "extended"):
            needs_english(cases, "the word lists")
        among = self._varying(cases)
        if among is not None and not among:
            raise NotObserved("no word of the lists differs between the variants")
        for case in cases:
            given = count_identifiers(known(case.record).source, self.lists, self.words, among)
            kept = count_identifiers(case.summary.text, self.lists, self.words, among)
            source += given
            summary += kept
            lost += np.maximum(np.subtract(given, kept), 0)
        if not source.any() and not summary.any():
            raise NotObserved("no word of the lists in source or summary")
        counts = {"source": source, "summary": summary, "lost": lost}
        return by_group(groups, {name: renamed(count, labels) for name, count in counts.items()})

    def _varying(self, cases: t.Cases) -> frozenset[str] | None:
        """The words that are counted; None for all."""
        if self.words == "published" or len(cases) < 2 or not all(is_built(case.record) for case in cases):
            return None
        texts = tuple(dict.fromkeys(known(case.record).source for case in cases))
        return varying_identifiers(texts, self.lists, self.words)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        groups = list(word_lists(self.lists))
        summary, source = share(totals.stack("summary", groups)), share(totals.stack("source", groups))
        given = np.array(self.shares or (1.0,) * len(groups))
        wanted = source if self.reference == "source" else given / given.sum()
        shift, strata = summary - wanted, tuple((side, g) for side in ("source", "summary") for g in groups)
        contrasts = tuple(f"shift[{g}]" for g in groups) if self.words != "published" else ()
        special: dict[str, Any] = {"contrasts": contrasts, "fold": total_variation, "strata": strata}
        values = {self.name: t.Value(total_variation(shift), "upper", **special)}
        lost, has_lost = totals.stack("lost", groups), contrasts and self.reference == "source"
        per_kept = ratio(lost.sum(axis=-1), totals.stack("summary", groups).sum(axis=-1))
        for k, g in enumerate(groups):
            values[f"shift[{g}]"] = t.Value(
                shift[..., k], "both", limits=t.SHARE_DIFFERENCE, is_primary=True, group=g, present=(strata[k],), strata=strata,
                shares=(f"summary_share[{g}]",), lost=(share(lost)[..., k], per_kept) if has_lost else (),
            )  # fmt: skip
        for side, shares in (("summary", summary), ("source", source)):
            for k, g in enumerate(groups):
                values[f"{side}_share[{g}]"] = t.Value(shares[..., k], is_share=True, group=g)
        return values

    def explain(self, totals: t.Totals) -> str:
        parts = [
            f"{g}: {totals['source', g]:.0f} in the source, {totals['summary', g]:.0f} in the summary"
            for g in word_lists(self.lists)
        ]
        return "Identifying words. " + "; ".join(parts) + "."


FIRSTS = "first woman, first female, first man, first male"


class PhraseCounts(BaseMeasure):
    """Phrases that summaries add, per summary: occurrences of any phrase of a list that the source does not contain.

    ``phrases`` are separated by commas; whole words, ignoring case. The defaults are those by which Steen & Markert
    saw that women in office are marked. ``--by gender`` gives the value for each group of the record.

    Reads:      documents and summaries.
    Per record:  ``summary[p]``, ``source[p]``: occurrences of phrase p; ``added[p]``: those in the summary if the
                source has none; ``one`` (summaries).
    Value:      at least 0. Secondary, without intervals, since they grow with the number of records: ``count[p]``,
                occurrences in summaries; ``added[p]``, those that the source does not contain; ``source_count[p]``,
                occurrences in sources.
    Source:     Steen & Markert, §9.2.
    """

    name = "phrase_counts"
    declaration = Declaration(
        version=2,
        family="People",
        question="how often summaries use phrases that their texts do not",
        harm="A group in office would be presented as an exception, where the text does not.",
        on_request="its phrases are chosen for a question",
        better="less",
    )
    phrases: Annotated[str, patterns] = FIRSTS

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        (case,) = cases
        row: dict[t.Column, float] = {("one",): 1.0}
        for phrase, pattern in patterns(self.phrases).items():
            said = len(pattern.findall(case.summary.text))
            given = len(pattern.findall(known(case.record).source))
            added = 0 if given else said
            row |= {("summary", phrase): said, ("source", phrase): given, ("added", phrase): added}
        return t.Rows.of(row)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        phrases = list(patterns(self.phrases))
        added = totals.stack("added", phrases).sum(axis=-1)
        values = {self.name: t.Value(ratio(added, totals["one"]), limits=t.FROM_0)}
        for p in phrases:
            for name, statistic in (("count", "summary"), ("added", "added"), ("source_count", "source")):
                values[f"{name}[{p}]"] = t.Value(totals[statistic, p], is_descriptive=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        """The phrases of one summary, and how many of them its source has."""
        words = ": {summary:.0f} in the summary, {source:.0f} in the source"
        return totals.describe("summary", words) or "None of the phrases."


@lru_cache(maxsize=64)
def patterns(phrases: str) -> dict[str, re.Pattern[str]]:
    """Each phrase, and what finds it as whole words; ValueError if there is none."""
    found = {}
    for words in filter(None, map(str.split, phrases.replace("’", "'").split(","))):
        pattern = r"\s+".join(map(re.escape, words)).replace("'", "['’]")
        found[" ".join(words)] = re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
    if not found:
        raise ValueError("names none: write phrases='first woman, first man'")
    return found
