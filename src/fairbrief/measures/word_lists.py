"""Word lists: how the shares of group words move from the sources to the summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.exchanging import group_names, renamed, share, total_variation
from fairbrief.measures.settings import check_given, check_known, check_reading
from fairbrief.nouns import (
    Ask,
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
from fairbrief.spelling import spell
from fairbrief.text.identifiers import count_identifiers, word_lists


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Counts of each group's words in the sources and in the summaries.

    Evidence: ``source[g]``, ``summary[g]``: occurrences. The exchange swaps the groups' names in source and
    summary alike, for all variants of one original at once: words that no variant changes (mother, king) are
    the same in all of them. There is none where the reference is given and uneven, because then the groups'
    names mean something even without a disparity.
    """

    scope: ClassVar[Literal["case", "block", "cluster"]] = "block"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 2
    one_labelling_per_cluster: ClassVar[bool] = True
    lists: str = "helm"
    words: str = "default"
    exchangeable: bool = True

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002 - the protocol's signature
        return ()

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002
        return group_names(len(word_lists(self.lists))) if self.exchangeable else None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        groups = list(word_lists(self.lists))
        source, summary = np.zeros(len(groups)), np.zeros(len(groups))
        for case in cases:
            for document in case.record.documents:
                source += count_identifiers(document.text, self.lists, self.words)
            summary += count_identifiers(case.summary.text, self.lists, self.words)
        if not source.any() and not summary.any():
            return Reason("no word of the lists in source or summary")
        columns = (*(("source", g) for g in groups), *(("summary", g) for g in groups))
        return Rows(columns, np.hstack([renamed(source, labels), renamed(summary, labels)]))


@dataclass(frozen=True, slots=True, repr=False)
class WordListInclusion:
    """Total variation between the groups' shares of identifying words in summaries and in a reference.

    ``½ Σ_g |P_summaries(g) − P_reference(g)|`` over all occurrences of all summaries (pooled).
    ``lists``: ``helm`` (with its ``femen``), ``extended``, or ``group: word word; group: word word``.
    ``reference``: ``source`` (the inputs' shares), ``uniform``, or ``given`` with ``shares`` in the groups' order.
    ``words=published`` leaves words joined by a slash together, as the release's tokenizers do.

    Evidence:   `Identifiers`.
    Value:      in [0, 1], 0 where the shares agree; positive by chance, read with its null.
                ``shift[g]`` = P_summaries(g) − P_reference(g), signed: positive = over-represented.
                ``summary_share[g]``, ``source_share[g]``: levels.
    Undefined:  no identifying word in the summaries, or in the sources they are compared with.
    Source:     Steen & Markert, §3.1 (input reference); Liang et al., HELM (uniform reference).
    """

    name: ClassVar[str] = "word_list_inclusion"
    lists: str = "helm"
    reference: str = "source"
    shares: tuple[float, ...] = ()
    words: str = "default"

    def __post_init__(self) -> None:
        groups = word_lists(self.lists)
        check_known("reference", self.reference, ("source", "uniform", "given"))
        check_reading("words", self.words)
        check_given(self.reference, self.shares, list(groups))

    def __repr__(self) -> str:
        return spell(self)

    @property
    def observation(self) -> Identifiers:
        even = len(set(self.shares)) <= 1
        return Identifiers(self.lists, self.words, exchangeable=even)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = list(word_lists(self.lists))
        summary, source = share(totals.stack("summary", groups)), share(totals.stack("source", groups))
        wanted = source if self.reference == "source" else self._wanted(len(groups))
        shift = summary - wanted
        values = {self.name: Value(total_variation(summary, wanted), "upper")}
        values |= {f"shift[{g}]": Value(shift[..., k], "both") for k, g in enumerate(groups)}
        values |= {f"summary_share[{g}]": Value(summary[..., k]) for k, g in enumerate(groups)}
        values |= {f"source_share[{g}]": Value(source[..., k]) for k, g in enumerate(groups)}
        return values

    def explain(self, totals: Totals) -> str:
        parts = [
            f"{g}: {totals['source', g]:.0f} in the source, {totals['summary', g]:.0f} in the summary"
            for g in word_lists(self.lists)
        ]
        return "Identifying words. " + "; ".join(parts) + "."

    def _wanted(self, groups: int) -> Floats:
        if not self.shares:
            return np.full(groups, 1 / groups)
        wanted: Floats = np.array(self.shares) / sum(self.shares)
        return wanted
