"""What value distributions show of one record: source, summary, wanted, and how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief import spelling
from fairbrief.errors import DataError
from fairbrief.measures.distributions import (
    COUNTING,
    area_over_cutoff,
    area_over_tau,
    folded,
    is_under,
    mean_of_best,
    members_of,
    shares,
    softmax,
)
from fairbrief.measures.exchanging import coded, labelled
from fairbrief.nouns import Ask, Case, Cases, Column, Exchange, Floats, Integers, Reason, Rows, Scores

WITHOUT_ASK = ("units", "uniform")
"""Target distributions that no scorer makes: given labels of the summary's units, and equal shares."""
BETWEEN_TEXTS = " || "
"""What the authors put between the documents of one value."""


@dataclass(frozen=True, repr=False)
class RepresentationSettings:
    """What decides the distributions; measures and observation share it. See `Representation`."""

    over: str
    scorer: str = "ngram"
    tokens: str = ""
    target: str = "ratio"
    tau: float = 0.8
    temperature: float = 0.1
    ties: Literal["fair", "under"] = "fair"
    no_match: Literal["leave_out", "uniform"] = "leave_out"
    single: Literal["leave_out", "fair"] = "leave_out"
    texts: Literal["documents", "values"] = "documents"


@dataclass(frozen=True)
class Representation(RepresentationSettings):
    """Source and target distributions over the values of one record's documents.

    p_x(k) is the share of the source's counted tokens in documents of value k; p_y(k) what the summary
    gives to k; p_g(k) what it should: p_x (``ratio``), 1/r (``equal``), or the shares given as
    ``neg:0.5+pos:0.5``, rescaled to the values present. Only the r values with counted tokens enter.

    p_y, by ``scorer``:

    - ``ngram``: each occurrence of a summary's n-gram in the text of k adds one to k (to several values
      if several have it); divided by the sum.
    - ``units``: the units of the summary that k entails, as the record says; divided by the sum.
    - ``uniform``: 1/r, the control that reads nothing.
    - any other: softmax(s(k)/``temperature``), s(k) the mean over the scorer's units of the best document of k.

    ``tokens`` is the scorer that counts source tokens; empty: the n-gram scorer itself, else ``ngram``.
    ``ties="under"`` counts p_y = tau·p_g as under-represented (the authors' code), ``fair`` does not (Eq. 2).
    ``texts="values"`` lets the softmax scorers read all documents of a value as one text, joined by `` || ``
    (the authors' code; with ``windows=truncate`` a large group is cut short): s(k) is the mean over the scorer's
    units of that text. There is no chance level then: other labels make other texts, never scored.
    ``no_match="uniform"`` gives 1/r where nothing of the summary is found (the code), else that is a reason.
    ``single="fair"`` counts a record with one value as fair (the code), else that is a reason: it cannot be
    anything else. ``points`` makes the AUC a mean over tau = 1/points … 1, ``cutoff`` adds the long-tail sweep.

    Reads:      document attribute ``over``; summary text, or its units; scores (documents, units).
    Evidence:   per record ``one``, ``unfair``, ``uer``, ``auc``, (``auc_cutoff``); per value ``present``,
                ``under`` (counts), ``deficit`` = max(0, p_g − p_y), ``surplus`` = max(0, p_y − p_g),
                ``source``, ``summary``, ``wanted`` (shares).
    Exchange:   labels among the documents; none for ``units`` and ``uniform``, whose p_y no label moves,
                nor with ``texts="values"``.
    Undefined:  "no document has the attribute …", "one value only", "empty summary", "no counted token in
                the source", "no token of the summary occurs in the source", "the summary has no units", "no
                unit of the summary is entailed by a value", "the target gives nothing to the values present".
    Raises:     DataError where some documents lack the attribute, or the given target lacks a value.
    Source:     Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §3. Departs from the
                authors' code: a value without tokens never enters, where rounding let one in.
    """

    points: int = 0
    cutoff: bool = False

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1

    @property
    def kind(self) -> str:
        """The scorer's name without settings."""
        return spelling.parse(self.scorer).name

    @property
    def counter(self) -> str:
        """Spelling of the scorer whose ``sizes`` count the source's tokens."""
        return self.tokens or (self.scorer if self.kind in COUNTING else "ngram")

    def asks(self, cases: Cases) -> Sequence[Ask]:
        """The summary against every document, and the documents' sizes where another scorer counts them."""
        (case,) = cases
        if self._reason(case) is not None:
            return ()
        rows = tuple(document.text for document in case.record.documents)
        read = self._joined(case) if self.texts == "values" else rows
        asks = [] if self.kind in WITHOUT_ASK else [Ask(self.scorer, read, (case.summary.text,))]
        if self.counter != self.scorer:
            asks.append(Ask(self.counter, rows, ()))
        return asks

    def exchange(self, cases: Cases) -> Exchange | None:
        """The values of the record's documents, in sorted order of the values."""
        (case,) = cases
        if self.kind in WITHOUT_ASK or self.texts == "values" or self._reason(case) is not None:
            return None
        return Exchange(self._codes(case)[1])

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """The distributions and their distances under each labelling; see the class."""
        (case,) = cases
        reason = self._reason(case)
        if reason is not None:
            return reason
        values, codes = self._codes(case)
        members = members_of(labelled(codes, labels), len(values))
        sizes: Floats = members @ scores[-1].sizes
        if not sizes[0].any():
            return Reason("no counted token in the source")
        present: NDArray[np.bool_] = sizes > 0
        if self.single == "leave_out" and present[0].sum() < 2:
            return Reason("one value only")
        source = shares(sizes, present)
        summary = self._summary(case, values, members, scores, present)
        if isinstance(summary, Reason):
            return summary
        wanted = self._wanted(case, values, source, present)
        if not wanted[0].any():
            return Reason("the target gives nothing to the values present")
        return self._rows(values, present, source, summary, wanted)

    # ------------------------------------------------------------------------------- what is read

    def _reason(self, case: Case) -> Reason | None:
        record, summary = case.record, case.summary
        if not any(self.over in document.attributes for document in record.documents):
            return Reason(f"no document has the attribute '{self.over}'")
        for number, document in enumerate(record.documents, start=1):
            if self.over not in document.attributes:
                where = f"{record.where or 'record'} (id '{record.id}', document {number})"
                raise DataError(
                    f"{where}: it has no attribute '{self.over}', which other documents of the record have. "
                    f"Add it, or leave such records out with --require {self.over}."
                )
        if summary.reason or not summary.text.strip():
            return Reason("empty summary")
        if self.single == "leave_out" and len({d.attributes[self.over] for d in record.documents}) < 2:
            return Reason("one value only")
        if self.kind == "units" and not summary.units:
            return Reason("the summary has no units")
        return None

    def _codes(self, case: Case) -> tuple[list[str], Integers]:
        return coded([document.attributes[self.over] for document in case.record.documents])

    def _joined(self, case: Case) -> tuple[str, ...]:
        """The text of each value, in the order of `_codes`."""
        values, codes = self._codes(case)
        texts = [document.text for document in case.record.documents]
        return tuple(
            BETWEEN_TEXTS.join(text for text, code in zip(texts, codes, strict=True) if code == k)
            for k in range(len(values))
        )

    # ------------------------------------------------------------------------- the distributions

    def _summary(
        self,
        case: Case,
        values: Sequence[str],
        members: NDArray[np.bool_],
        scores: Sequence[Scores],
        present: NDArray[np.bool_],
    ) -> Floats | Reason:
        """p_y under each labelling. Shape (R, K)."""
        if self.kind == "uniform":
            return shares(np.zeros(present.shape), present)
        if self.kind in COUNTING:
            counts = folded(COUNTING[self.kind], members, scores[0].matrix)
            nothing = "no token of the summary occurs in the source"
        elif self.kind == "units":
            of_units = [unit.values.get(self.over, ()) for unit in case.summary.units or ()]
            counts = np.array(
                [[sum(value in entails for entails in of_units) for value in values]], dtype=float
            )
            nothing = "no unit of the summary is entailed by a value"
        else:
            if self.texts == "values":
                members = np.eye(len(values), dtype=bool)[np.newaxis]
            return softmax(folded(mean_of_best, members, scores[0].matrix), self.temperature, present)
        if self.no_match == "leave_out" and not (counts[0] * present[0]).any():
            return Reason(nothing)
        return shares(counts, present)

    def _wanted(
        self, case: Case, values: Sequence[str], source: Floats, present: NDArray[np.bool_]
    ) -> Floats:
        """p_g under each labelling. Shape (R, K)."""
        if self.target == "ratio":
            return source
        if self.target == "equal":
            return shares(np.zeros(source.shape), present)
        given = read_target(self.target)
        for value in values:
            if value not in given:
                raise DataError(
                    f"{case.record.where or 'record'} (id '{case.record.id}'): the value '{value}' of "
                    f"'{self.over}' has no share in target={self.target}. Add '{value}:SHARE' (0 is a share)."
                )
        weights = np.where(present, [given[value] for value in values], 0.0)
        total = weights.sum(axis=-1, keepdims=True)
        return np.asarray(weights / np.where(total > 0, total, 1.0))

    # ------------------------------------------------------------------------------- the evidence

    def _rows(
        self,
        values: Sequence[str],
        present: NDArray[np.bool_],
        source: Floats,
        summary: Floats,
        wanted: Floats,
    ) -> Rows:
        deficit, surplus = np.maximum(wanted - summary, 0.0), np.maximum(summary - wanted, 0.0)
        counts_ties = self.ties == "under"
        under = is_under(summary, wanted, present, self.tau, counts_ties=counts_ties)
        alone = {
            "one": np.ones(len(source)),
            "unfair": under.any(axis=1).astype(float),
            "uer": deficit.sum(axis=1) / present.sum(axis=1),
            "auc": area_over_tau(summary, wanted, self.points, counts_ties=counts_ties),
        }
        if self.cutoff:
            alone["auc_cutoff"] = area_over_cutoff(source, summary, wanted, self.tau, counts_ties=counts_ties)
        by_value = {
            "present": present, "under": under, "deficit": deficit, "surplus": surplus,
            "source": source, "summary": summary, "wanted": wanted,
        }  # fmt: skip
        columns: list[Column] = [(name,) for name in alone]
        columns += [(name, value) for name in by_value for value in values]
        return Rows(
            tuple(columns),
            np.hstack([np.column_stack(list(alone.values())), *by_value.values()]).astype(np.float64),
        )


def read_target(text: str) -> dict[str, float]:
    """The shares of ``neg:0.5+pos:0.5``; ValueError where it is malformed.

    >>> read_target("neg:1+pos:3")
    {'neg': 1.0, 'pos': 3.0}
    """
    given: dict[str, float] = {}
    for part in text.split("+"):
        value, colon, share = part.rpartition(":")
        try:
            given[value.strip()] = float(share)
        except ValueError:
            colon = ""
        if not colon or not 0 <= given[value.strip()] < float("inf"):
            raise ValueError(
                f"target '{text}' is neither ratio, equal nor VALUE:SHARE+VALUE:SHARE with shares ≥ 0"
            )
    return given
