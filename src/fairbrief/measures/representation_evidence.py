"""What value distributions show of one record: source, summary, wanted, and how far they are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief import specs
from fairbrief.declarations import ObservationDeclaration
from fairbrief.errors import DataError
from fairbrief.measures.batches import different, in_parts, only_one, only_one_of_extracts, summed
from fairbrief.measures.distributions import (
    COUNTING,
    area_over_cutoff,
    area_over_tau,
    count_unions,
    folded,
    is_under,
    mean_of_best,
    members_of,
    shares,
    softmax,
)
from fairbrief.measures.known_records import KnownRecord, is_blank, known
from fairbrief.measures.permutation_schemes import groups_of
from fairbrief.score_tables import ScoredExtracts, ScoredUnits
from fairbrief.types import (
    AlikeRows,
    Ask,
    Case,
    Cases,
    Column,
    Extracts,
    Floats,
    Integers,
    PermutationScheme,
    Ratio,
    Reason,
    Rows,
    Scores,
)

NO_BASELINE = Reason("no random extract can be read")
WITHOUT_ASK = ("units", "uniform")
"""Target distributions that no scorer makes: given labels of the summary's units, and equal shares."""
NOTHING_FOUND = {
    "ngram": "no token of the summary occurs in the source",
    "units": "no unit of the summary is entailed by a value",
}
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
    ``texts="values"`` lets the scorer read all documents of a value as one text, joined by `` || `` (the authors'
    code; with ``windows=truncate`` a large group is cut short): s(k) is the mean over the scorer's units of that
    text. An n-gram's words may be cut otherwise where a document ends without a full stop, so the order of the
    documents counts. There is no chance level then: other labels make other texts, never scored.
    ``no_match="uniform"`` gives 1/r where nothing of the summary is found (the code), else that is a reason.
    ``single="fair"`` counts a record with one value as fair (the code), else that is a reason: it cannot be
    anything else. ``points`` makes the AUC a mean over tau = 1/points … 1, ``cutoff`` adds the long-tail sweep.

    Reads:      document attribute ``over``; summary text, or its units; scores (documents, units).
    Evidence:   per record ``one``, ``unfair``, ``uer``, ``auc``, (``auc_cutoff``); per value ``present``, ``documents`` (its share of the documents),
                ``under`` (counts), ``deficit`` = max(0, p_g − p_y), ``surplus`` = max(0, p_y − p_g),
                ``source``, ``summary``, ``wanted`` (shares).
    Permuted:   labels among the documents; none for ``units`` and ``uniform``, whose p_y no label moves,
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

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=1, chance_means=(("unfair",), ("uer",), ("auc",), ("auc_cutoff",))
    )

    @cached_property
    def kind(self) -> str:
        """The scorer's name without settings."""
        return specs.parse(self.scorer).name

    @cached_property
    def counter(self) -> str:
        """Spec of the scorer whose ``sizes`` count the source's tokens."""
        return self.tokens or (self.scorer if self.kind in COUNTING else "ngram")

    def asks(self, cases: Cases) -> Sequence[Ask]:
        """The summary against every document, and the documents' sizes where another scorer counts them."""
        (case,) = cases
        about = known(case.record)
        if self._reason(case, about) is not None:
            return ()
        rows = about.texts
        read = self._joined(about) if self.texts == "values" else rows
        asks = [] if self.kind in WITHOUT_ASK else [Ask(self.scorer, read, (case.summary.text,))]
        if self.counter != self.scorer:
            asks.append(Ask(self.counter, rows, ()))
        return asks

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        """The values of the record's documents, in sorted order of the values."""
        (case,) = cases
        about = known(case.record)
        if self.kind in WITHOUT_ASK or self.texts == "values" or self._reason(case, about) is not None:
            return None
        return groups_of(about, self.over).scheme

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """Each group's share of the summary less the wanted one."""
        return {
            f"difference[{c[1]}]": Ratio(
                ((("surplus", c[1]), 1.0), (("deficit", c[1]), -1.0)), ((("present", c[1]), 1.0),)
            )
            for c in columns
            if c[0] == "present"
        }

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:
        """Where n-grams are counted, every sentence of the sources against every document (n-grams across sentences
        are not seen); else every extract as a text of its own.
        """
        (case,), (drawn,) = cases, extracts
        if self.kind in WITHOUT_ASK or self.texts == "values":
            return ()
        rows = known(case.record).texts
        read = drawn.sentences if self.kind in COUNTING else drawn.texts
        asks = [Ask(self.scorer, rows, read)]
        if self.counter != self.scorer:
            asks.append(Ask(self.counter, rows, ()))
        return asks

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The mean over the extracts in which something of the source is found."""
        return only_one_of_extracts(self, cases, extracts, scores)

    def observe_many_extracts(
        self, units: Sequence[tuple[Cases, Sequence[Extracts], Sequence[Scores]]]
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same values, and of as many documents and sentences, are observed together."""
        units = ScoredExtracts.of(units)
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[Any, ...], list[tuple[int, Integers]]] = {}
        asked = units.scored.asked.tolist()
        for i, ((case,), (drawn,)) in enumerate(zip(units.scored.cases, units.drawn, strict=True)):
            if not asked[i]:
                reasons[i] = NO_BASELINE
                continue
            groups = groups_of(known(case.record), self.over)
            kind = (groups.names, len(groups.codes), *drawn.kept.shape)
            alike.setdefault(kind, []).append((i, groups.codes))
        found = []
        for (values, *_), members in in_parts(alike, lambda kind: len(kind[0]) * kind[2] * 8):
            places = [i for i, _ in members]
            codes = np.stack([codes for _, codes in members])
            columns, rows, usable = self._alike_extracts(units.some(places), values, codes)
            reasons |= {i: NO_BASELINE for i, use in zip(places, usable, strict=True) if not use}
            kept = [i for i, use in zip(places, usable, strict=True) if use]
            found.append(AlikeRows(kept, columns, rows[usable][:, np.newaxis]))
        return found, reasons

    def _alike_extracts(
        self,
        units: ScoredExtracts,
        values: Sequence[str],
        codes: Integers,
    ) -> tuple[tuple[Column, ...], Floats, NDArray[np.bool_]]:
        """Columns, means over the extracts (N, columns), and which records have any (N,)."""
        members = members_of(codes, len(values))
        scored = units.scored
        token_counts = scored.table.sizes_of(scored.first + scored.asked - 1)
        sizes = (members.astype(np.float64) @ token_counts[:, :, np.newaxis])[:, :, 0]
        present: NDArray[np.bool_] = sizes > 0
        kept = np.stack([drawn.kept for (drawn,) in units.drawn])
        which = np.broadcast_to(np.arange(kept.shape[1]), kept.shape[:2])
        if self.kind in COUNTING:
            kept, which = different(kept, codes.shape[1])
            counts = np.where(present[:, np.newaxis], kept @ _of_sentences(units, members), 0.0)
            summary = shares(counts, present[:, np.newaxis])
            is_read: NDArray[np.bool_] = np.any(counts > 0, axis=2)
        else:
            read = [self._of_extracts(*unit, own) for unit, own in zip(units, members, strict=True)]
            summary = softmax(np.stack(read), self.temperature, present[:, np.newaxis])
            is_read = np.ones(which.shape, dtype=bool)
        n, extracts, k = summary.shape

        def of_each(array: NDArray[Any]) -> NDArray[Any]:
            return np.repeat(array, extracts, axis=0)

        times = summed(is_read[:, :, np.newaxis].astype(np.float64), which)
        source = shares(sizes, present)
        wanted = self._wanted(scored.cases[0], values, source, present)
        usable = np.asarray(present.any(axis=1) & (times[:, 0] > 0) & (wanted > 0).any(axis=1), dtype=bool)
        documents = _of_documents(members, present)
        rows = self._rows(
            values, of_each(present | ~usable[:, np.newaxis]), of_each(source),
            summary.reshape(n * extracts, k), of_each(wanted), of_each(documents),
        )  # fmt: skip
        by_extract = rows.values.reshape(n, extracts, -1)
        by_extract[~is_read] = 0.0
        return rows.columns, summed(by_extract, which) / np.maximum(times, 1), usable

    def _of_extracts(
        self,
        cases: Cases,  # noqa: ARG002 - a unit is handed over whole
        drawn: Sequence[Extracts],
        scores: Sequence[Scores],
        members: NDArray[np.bool_],
    ) -> Floats:
        """How strongly each value supports each extract. Shape (extracts, K)."""
        ends = np.searchsorted(scores[0].owner, np.arange(len(drawn[0].kept) + 1))
        found = [
            folded(mean_of_best, members[np.newaxis], scores[0].matrix[:, start:stop])
            for start, stop in pairwise(ends)
        ]
        return np.concatenate(found)

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """The distributions and their distances under each labelling; see the class."""
        return only_one(self, cases, scores, labels)

    def observe_many(
        self, units: Sequence[tuple[Cases, Sequence[Scores]]], labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """Records of the same values and as many documents are observed together."""
        units = ScoredUnits.of(units)
        reasons: dict[int, Reason] = {}
        alike: dict[tuple[tuple[str, ...], int], list[int]] = {}
        asked = units.asked.tolist()
        for i, (case,) in enumerate(units.cases):
            about = known(case.record)
            reason = None if asked[i] else self._reason(case, about)
            if reason is not None:
                reasons[i] = reason
                continue
            groups = groups_of(about, self.over)
            alike.setdefault((groups.names, len(groups.codes)), []).append(i)
        found = []
        for (values, _), places in alike.items():
            if labels.shape[2]:
                labelled_here = labels if len(places) == len(labels) else labels[places]
            else:
                codes = np.stack(
                    [groups_of(known(units.cases[i][0].record), self.over).codes for i in places]
                )
                labelled_here = np.broadcast_to(
                    codes[:, np.newaxis], (len(codes), labels.shape[1], codes.shape[1])
                )
            rows, missing = self._alike(units.some(places), values, labelled_here)
            reasons |= {places[i]: reason for i, reason in missing.items()}
            found.append(AlikeRows([p for p in places if p not in reasons], rows.columns, rows.values))
        return found, reasons

    def _alike(
        self, units: ScoredUnits, values: Sequence[str], labels: Integers
    ) -> tuple[Rows, Mapping[int, Reason]]:
        """Rows (those kept, R, columns) of records that have the same values and as many documents; why others have none."""
        members = members_of(labels, len(values))
        n, r, k, _ = members.shape
        read = np.broadcast_to(np.eye(k, dtype=bool), (n, r, k, k)) if self.texts == "values" else members
        counted = read if self.counter == self.scorer else members
        token_counts = units.table.sizes_of(units.first + units.asked - 1)[:, :, np.newaxis]
        sizes = (counted.reshape(n, r * k, -1).astype(np.float64) @ token_counts).reshape(n, r, k)
        present: NDArray[np.bool_] = sizes > 0
        missing: dict[int, Reason] = {}
        is_left: NDArray[np.bool_] = np.ones(n, dtype=bool)

        def leave_out(which: Any, text: str) -> None:
            missing.update(dict.fromkeys(np.flatnonzero(which & is_left).tolist(), Reason(text)))
            is_left[which] = False

        leave_out(~present[:, 0].any(axis=1), "no counted token in the source")
        if self.single == "leave_out":
            leave_out(present[:, 0].sum(axis=1) < 2, "one value only")
        source = shares(sizes, present)
        summary, is_empty = self._summaries(units, values, read, present)
        leave_out(is_empty, NOTHING_FOUND.get(self.kind, ""))
        usable = [units.cases[i][0] for i in np.flatnonzero(is_left)[:1].tolist()]
        wanted = self._wanted(usable, values, source, present)
        leave_out(~wanted[:, 0].any(axis=1), "the target gives nothing to the values present")
        kept = np.flatnonzero(is_left)
        if missing:
            present, members = present[kept], members[kept]
            source, summary, wanted = source[kept], summary[kept], wanted[kept]
        parts = (source, summary, wanted, _of_documents(members, present))
        rows = self._rows(values, present.reshape(-1, k), *(part.reshape(-1, k) for part in parts))
        return Rows(rows.columns, rows.values.reshape(len(kept), r, len(rows.columns))), missing

    # ------------------------------------------------------------------------------- what is read

    def _reason(self, case: Case, about: KnownRecord) -> Reason | None:
        record, summary = case.record, case.summary
        try:
            names = groups_of(about, self.over).names
        except DataError:
            number = 1 + [self.over in document.attributes for document in record.documents].index(False)
            where = f"{record.where or 'record'} (id '{record.id}', document {number})"
            raise DataError(
                f"{where}: it has no attribute '{self.over}', which other documents of the record have. "
                f"Add it, or leave such documents out with --missing drop, make them a group with --missing group, "
                f"or leave such records out with --require {self.over}."
            ) from None
        if not names:
            return Reason(f"no document has the attribute '{self.over}'")
        if summary.reason or is_blank(summary.text):
            return Reason("empty summary")
        if self.single == "leave_out" and len(names) < 2:
            return Reason("one value only")
        if self.kind == "units" and not summary.units:
            return Reason("the summary has no units")
        return None

    def _joined(self, about: KnownRecord) -> tuple[str, ...]:
        """The text of each value, in the order of the values."""
        groups = groups_of(about, self.over)
        return tuple(
            BETWEEN_TEXTS.join(
                text for text, code in zip(about.texts, groups.codes, strict=True) if code == k
            )
            for k in range(len(groups.names))
        )

    # ------------------------------------------------------------------------- the distributions

    def _summaries(
        self,
        units: ScoredUnits,
        values: Sequence[str],
        members: NDArray[np.bool_],
        present: NDArray[np.bool_],
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """p_y under each labelling (N, R, K), and where nothing of the summary is found (N,)."""
        is_empty = np.zeros(len(units), dtype=bool)
        if self.kind == "uniform":
            return shares(np.zeros(present.shape), present), is_empty
        if self.kind in COUNTING:
            counts = count_unions(members, units.table, units.first)
        elif self.kind == "units":
            counts = np.array([[self._entailed(case, values)] for (case,) in units.cases], dtype=float)
        else:
            found = [
                folded(mean_of_best, own, units.table[i].matrix)
                for own, i in zip(members, units.first.tolist(), strict=True)
            ]
            return softmax(np.stack(found), self.temperature, present), is_empty
        if self.no_match == "leave_out":
            is_empty |= ~(counts[:, 0] * present[:, 0]).any(axis=1)
        return shares(counts, present), is_empty

    def _entailed(self, case: Case, values: Sequence[str]) -> list[int]:
        of_units = [unit.values.get(self.over, ()) for unit in case.summary.units or ()]
        return [sum(value in entails for entails in of_units) for value in values]

    def _wanted(
        self, cases: Cases, values: Sequence[str], source: Floats, present: NDArray[np.bool_]
    ) -> Floats:
        """p_g under each labelling. Shape (…, K); DataError that names one of the cases where a value has no share."""
        if self.target == "ratio":
            return source
        if self.target == "equal":
            return shares(np.zeros(source.shape), present)
        given = read_target(self.target)
        for value in values if cases else ():
            if value not in given:
                raise DataError(
                    f"{cases[0].record.where or 'record'} (id '{cases[0].record.id}'): the value '{value}' of "
                    f"'{self.over}' has no share in target={self.target}. Add '{value}:SHARE' (0 is a share)."
                )
        weights = np.where(present, [given.get(value, 0.0) for value in values], 0.0)
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
        documents: Floats,
    ) -> Rows:
        deficit, surplus = np.maximum(wanted - summary, 0.0), np.maximum(summary - wanted, 0.0)
        counts_ties = self.ties == "under"
        under = is_under(summary, wanted, present, self.tau, counts_ties=counts_ties)
        alone = {
            "one": np.ones(len(source)),
            "unfair": reduce(np.logical_or, under.T).astype(float),
            "uer": deficit.sum(axis=1) / present.sum(axis=1),
            "auc": area_over_tau(summary, wanted, self.points, counts_ties=counts_ties),
        }
        if self.cutoff:
            alone["auc_cutoff"] = area_over_cutoff(source, summary, wanted, self.tau, counts_ties=counts_ties)
        by_value = {
            "present": present, "under": under, "deficit": deficit, "surplus": surplus,
            "source": source, "summary": summary, "wanted": wanted, "documents": documents,
        }  # fmt: skip
        columns: list[Column] = [(name,) for name in alone]
        columns += [(name, value) for name in by_value for value in values]
        return Rows(
            tuple(columns),
            np.hstack([np.column_stack(list(alone.values())), *by_value.values()], dtype=np.float64),
        )


def _of_sentences(units: ScoredExtracts, members: NDArray[np.bool_]) -> Floats:
    """How many of each sentence's n-grams occur in some document of a value. ``members`` (N, K, n) → (N, sentences, K)."""
    sentences = len(units.drawn[0][0].sentences)
    table, first = units.scored.table, units.scored.first
    held = table.beside(first) > 0
    whose = np.repeat(np.arange(len(units)), table.shapes[first, 1])
    place = whose * sentences + table.owner_beside(first)
    size = len(units) * sentences
    found = [
        np.bincount(place[(held & own[whose].T).any(axis=0)], minlength=size)
        for own in members.transpose(1, 0, 2)
    ]
    return np.stack(found, axis=1, dtype=np.float64).reshape(len(units), sentences, -1)


def _of_documents(members: NDArray[np.bool_], present: NDArray[np.bool_]) -> Floats:
    """Each value's share of the documents. Shapes: ``members`` (…, K, documents), ``present`` (…, K) → (…, K)."""
    return shares(members.sum(axis=-1).astype(np.float64), present)


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
