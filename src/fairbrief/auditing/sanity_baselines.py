"""Sanity baselines: texts made from the record itself, whose fairness is known by construction.

A measure on which a system scores like another record's summary does not measure the system. A whole source that scores
badly shows the measure's floor. `SanityBaselines` are those of one audit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.measures.record_texts import source_sentences
from fairbrief.ranges import grouped
from fairbrief.readers.messages import did_you_mean
from fairbrief.statistics.keyed_random import keys_of
from fairbrief.text.sentences import BLANK_LINE
from fairbrief.types import Case, Record, Summary

SANITY_PREFIX = "sanity:"
"""How the name of every sanity baseline begins; no system of an input may be called so."""
DOCUMENTS = 5
"""How many documents ``proportional_documents`` draws, as in the diagnostics of the published numbers."""


def sanity_baseline_name(kind: str, of: str = "") -> str:
    """How a sanity baseline is called: by its kind, and what it was made from or over."""
    return f"{SANITY_PREFIX}{kind}({of})" if of else f"{SANITY_PREFIX}{kind}"


FROM_RECORDS = ("whole_source", "proportional_documents", "one_document", "largest_group")
"""Sanity baselines made from the record alone: all documents, as fair as a summary can be; up to five drawn at random, so that each group has
its share on average; one drawn at random; up to five of the largest group of an attribute, the first among equals."""


def from_record(record: Record, kind: str, over: str = "", seed: int = 0) -> Summary:
    """The sanity baseline of a record, by one of the `FROM_RECORDS`; documents are drawn by the record's id alone.

    ``over`` is the attribute of ``largest_group``, whose text is empty where no document has it.
    """
    name, candidates = sanity_baseline_name(kind, over), list(range(len(record.documents)))
    if kind == "largest_group":
        groups = [document.attributes.get(over) for document in record.documents]
        counts = Counter(group for group in groups if group is not None)
        largest = min(counts, key=lambda group: (-counts[group], group), default=None)
        candidates = [i for i in candidates if counts and groups[i] == largest]
    if kind != "whole_source":
        drawn = rng_of(seed, name, record.id).permutation(candidates).tolist()
        candidates = drawn[: 1 if kind == "one_document" else DOCUMENTS]
    return _sanity_baseline(record.id, name, BLANK_LINE.join(record.documents[i].text for i in candidates))


class Exchange:
    """The record whose summary each record borrows: one random cycle through all records of a system.

    The cycle follows hashes of the records' ids, so it does not depend on the order or parts of the input. A case without a
    summary, or a single case, borrows none.
    """

    def __init__(self, cases: Iterable[Case], seed: int) -> None:
        """``cases`` are all cases of an audit."""
        self._borrowed: dict[tuple[str, str], str] = {}
        """By system and record the summary that the record borrows."""
        with_text = (case for case in cases if not case.summary.reason)
        known = grouped((case.summary.system, (case.record.id, case.summary.text)) for case in with_text)
        for system, summaries in known.items():
            ranks = keys_of([record for record, _ in summaries], seed, "exchanged summaries")
            cycle = [summary for _, summary in sorted(zip(ranks.tolist(), summaries, strict=True))]
            for (record, _), (_, text) in pairwise([*cycle, cycle[0]]) if len(cycle) > 1 else ():
                self._borrowed[system, record] = text

    def of(self, case: Case) -> Case | None:
        """The case with the summary that it borrows; its system is ``sanity:exchanged(SYSTEM)``.

        Claims are removed, because they are about another source.
        """
        system = case.summary.system
        text = self._borrowed.get((system, case.record.id))
        if text is None:
            return None
        name = sanity_baseline_name("exchanged", system)
        borrowed = replace(case.summary, system=name, system_kind="sanity_baseline", text=text, claims=None)
        return replace(case, summary=borrowed)


def random_sentences(case: Case, seed: int = 0) -> Case:
    """The case with sentences drawn at random from its documents, about as long as its summary.

    Fair by construction at the same length: any measure's value here is its floor for this input.
    Sentences are drawn until the summary's length is reached, and keep their order.
    """
    sentences = source_sentences(case.record)
    wanted, drawn, words = len(case.summary.text.split()), [], 0
    rng = rng_of(seed, "random_sentences", case.record.id, case.summary.system)
    for i in rng.permutation(len(sentences)).tolist():
        if words >= wanted:
            break
        drawn.append(i)
        words += len(sentences[i].split())
    text = BLANK_LINE.join(sentences[i] for i in sorted(drawn))
    system = sanity_baseline_name("random_sentences", case.summary.system)
    return replace(case, summary=_sanity_baseline(case.record.id, system, text))


def _sanity_baseline(record: str, system: str, text: str) -> Summary:
    reason = "" if text.strip() else "empty summary"
    return Summary(record, system, text, reason=reason, system_kind="sanity_baseline")


def rng_of(seed: int, *names: str) -> np.random.Generator:
    """A random generator that depends only on the seed and the names, on every machine."""
    told = "\x1f".join([str(seed), *names]).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(hashlib.sha256(told).digest()[:16], "big"))


OF_SYSTEMS = ("exchanged", "random_sentences")
"""Sanity baselines made from a system's own summaries; the others from the record alone."""
SANITY_BASELINES = (*OF_SYSTEMS, *FROM_RECORDS)


def named_baselines(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the sanity baselines asked for, each once; ``all`` names all. RequestError for any other name."""
    for name in names:
        if name not in (*SANITY_BASELINES, "all"):
            known = ", ".join(SANITY_BASELINES)
            raise RequestError(
                f"There is no sanity baseline '{name}'.{did_you_mean(name, SANITY_BASELINES)} Choose from: {known}; or all."
            )
    return SANITY_BASELINES if "all" in names else tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class SanityBaselines:
    """The sanity baselines of one audit. ``attributes`` are those whose largest group is taken.

    ``exchange`` knows the summaries of all records, from which ``exchanged`` borrows.
    """

    names: Sequence[str]
    attributes: Sequence[str]
    seed: int
    exchange: Exchange | None = None
    _met: set[int] = field(default_factory=set)
    """Hashes of the ids of records that have their sanity baselines: another system's line of one may come much later."""

    def of(self, system: str) -> list[str]:
        """The names of a system's sanity baselines: those made from its summaries, and those made from the records.

        Baselines made from another system's summaries do not apply.
        """
        own = [sanity_baseline_name(name, system) for name in OF_SYSTEMS if name in self.names]
        return [*own, *(sanity_baseline_name(*kind) for kind in self._from_records())]

    def beside(self, batch: Sequence[Case]) -> Iterator[Case]:
        """The sanity baselines of a batch: one per record, or one per record and system."""
        answered = [case for case in batch if not case.summary.reason]
        for system in dict.fromkeys(case.summary.system for case in answered):
            own = [case for case in answered if case.summary.system == system]
            if "exchanged" in self.names and self.exchange is not None:
                yield from (dealt for case in own if (dealt := self.exchange.of(case)) is not None)
            if "random_sentences" in self.names:
                yield from (random_sentences(case, self.seed) for case in own)
        if kinds := self._from_records():
            for key, record in {hash(case.record.id): case.record for case in batch}.items():
                if key not in self._met:
                    self._met.add(key)
                    yield from (Case(record, from_record(record, *kind, self.seed)) for kind in kinds)

    def _from_records(self) -> list[tuple[str, str]]:
        """The kinds that are made from records, with their attributes."""
        over = {"largest_group": self.attributes}
        kinds = [name for name in self.names if name not in OF_SYSTEMS]
        return [(name, attribute) for name in kinds for attribute in over.get(name, ("",))]
