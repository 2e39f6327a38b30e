"""Texts made from the record itself: what a score would be for a summary that is known.

A control is read beside a system: a system that scores like another record's output is not measured
by the measure, and a whole source that scores badly shows the measure's own floor. `Controls` are those of one audit.
"""

from __future__ import annotations

import bisect
import hashlib
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.statistics.keyed_random import keys_of
from fairbrief.text.sentences import split
from fairbrief.types import Case, Record, Summary

Writer = Callable[[Record, np.random.Generator], str]

CONTROL_NAMES = "control:"
"""How the name of every control begins; no system of an input may be called so."""
DOCUMENTS = 5
"""How many documents ``proportional_documents`` draws, as in the diagnostics of the published numbers."""


def control_name(kind: str, of: str = "") -> str:
    """How a control is called: by its kind, and what it was made from or over."""
    return f"{CONTROL_NAMES}{kind}({of})" if of else f"{CONTROL_NAMES}{kind}"


def names_a_control(system: str) -> bool:
    """Whether a name is kept for controls."""
    return system.startswith(CONTROL_NAMES)


def whole_source(record: Record, rng: np.random.Generator) -> str:
    """All documents, in order: as fair as a summary can be."""
    del rng
    return _joined(record, range(len(record.documents)))


def proportional_documents(record: Record, rng: np.random.Generator) -> str:
    """Up to five documents drawn at random, so that each group has its share on average."""
    count = min(DOCUMENTS, len(record.documents))
    return _joined(record, rng.permutation(len(record.documents))[:count])


def one_document(record: Record, rng: np.random.Generator) -> str:
    """One document drawn at random: a single voice."""
    return _joined(record, rng.permutation(len(record.documents))[:1])


@dataclass(frozen=True)
class LargestGroup:
    """Up to five documents drawn at random from the largest group alone; the first group among equals.

    Empty where no document has the attribute ``over``.
    """

    over: str

    def __call__(self, record: Record, rng: np.random.Generator) -> str:
        groups = [document.attributes.get(self.over) for document in record.documents]
        counts = Counter(group for group in groups if group is not None)
        if not counts:
            return ""
        largest = min(counts, key=lambda group: (-counts[group], group))
        members = [i for i, group in enumerate(groups) if group == largest]
        return _joined(record, rng.permutation(members)[:DOCUMENTS])


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "whole_source": whole_source,
        "proportional_documents": proportional_documents,
        "one_document": one_document,
    }
)
"""Controls that need no attribute; `LargestGroup` needs one."""


@dataclass(frozen=True)
class Control:
    """One control as a system: ``control:NAME``. Seeded by the record's id, whatever stands beside it.

    ``kind`` is a name of `WRITERS`, or ``largest_group`` with the attribute ``over``.
    """

    kind: str
    over: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        known = [*WRITERS, "largest_group"]
        if self.kind not in known:
            raise ValueError(f"no control '{self.kind}'. Known: {', '.join(known)}")
        if (self.kind == "largest_group") != bool(self.over):
            raise ValueError("largest_group, and it alone, is taken over an attribute")

    @property
    def name(self) -> str:
        """The system's name."""
        return control_name(self.kind, self.over)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        write = LargestGroup(self.over) if self.over else WRITERS[self.kind]
        for record in records:
            text = write(record, rng_of(self.seed, self.name, record.id))
            yield _control(record.id, self.name, text)


@dataclass(slots=True)
class Exchange:
    """Which record's summary each record borrows: one random cycle through all records that a system answered.

    The cycle follows hashes of the records' ids, so that no order and no parting of the input changes it. Beyond ``most``
    records of a system that many, of the smallest hashes, lend theirs, and the others borrow from one that
    their hash chooses. A case whose summary is missing, or that is alone, borrows none.
    """

    seed: int = 0
    most: int = 1 << 16
    _kept: dict[str, list[tuple[int, str, str]]] = field(default_factory=dict)
    _order: dict[str, list[tuple[int, str, str]]] = field(default_factory=dict)

    def watch(self, cases: Iterable[Case]) -> None:
        """Know all cases; before any borrows."""
        for case in cases:
            if case.summary.reason:
                continue
            kept = self._kept.setdefault(case.summary.system, [])
            entry = (-self._rank(case.record.id), case.record.id, case.summary.text)
            if len(kept) < self.most:
                heapq.heappush(kept, entry)
            elif entry > kept[0]:
                heapq.heapreplace(kept, entry)

    def of(self, case: Case) -> Case | None:
        """The case with the summary that it borrows; its system is ``control:exchanged(SYSTEM)``.

        Units go, for they speak of another source.
        """
        system = case.summary.system
        order = self._order.get(system)
        if order is None:
            order = self._order[system] = sorted(self._kept.get(system, ()), key=_in_order)
        if case.summary.reason or len(order) < 2:
            return None
        rank = self._rank(case.record.id)
        place = bisect.bisect_right(order, (rank, case.record.id), key=_in_order)
        if place == 0 or order[place - 1][1] != case.record.id:  # lends none
            place = self._rank(f"borrows {case.record.id}") % len(order)
        text = order[place % len(order)][2]
        lent = replace(
            case.summary,
            record=case.record.id,
            system=control_name("exchanged", system),
            system_kind="control",
            text=text,
            units=None,
        )
        return replace(case, summary=lent)

    def _rank(self, name: str) -> int:
        return int(keys_of([name], self.seed, "exchanged summaries")[0])


def _in_order(entry: tuple[int, str, str]) -> tuple[int, str]:
    return -entry[0], entry[1]


def exchanged(cases: Sequence[Case], seed: int = 0) -> Sequence[Case]:
    """The cases with their summaries dealt anew among them, none to its own record; see `Exchange`."""
    exchange = Exchange(seed)
    exchange.watch(cases)
    return tuple(dealt for case in cases if (dealt := exchange.of(case)) is not None)


def random_sentences(case: Case, seed: int = 0) -> Case:
    """The case with sentences drawn at random from its documents, about as long as its summary.

    Fair by construction at the same length: what any measure reads here is its floor for this input.
    Sentences are drawn until the words of the summary are reached, and stand in their own order.
    """
    sentences = [s for document in case.record.documents for s in split(document.text)]
    wanted, drawn, words = len(case.summary.text.split()), [], 0
    for i in rng_of(seed, "random_sentences", case.record.id, case.summary.system).permutation(
        len(sentences)
    ):
        if words >= wanted:
            break
        drawn.append(int(i))
        words += len(sentences[i].split())
    text = " ".join(sentences[i] for i in sorted(drawn))
    system = control_name("random_sentences", case.summary.system)
    return replace(case, summary=_control(case.record.id, system, text))


def _control(record: str, system: str, text: str) -> Summary:
    reason = "" if text.strip() else "empty summary"
    return Summary(record, system, text, reason=reason, system_kind="control")


def rng_of(seed: int, *names: str) -> np.random.Generator:
    """A random source that depends on a seed and names alone, on every machine."""
    told = "\x1f".join([str(seed), *names]).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(hashlib.sha256(told).digest()[:16], "big"))


def _joined(record: Record, numbers: Iterable[int]) -> str:
    return "\n".join(record.documents[i].text for i in numbers)


OF_SYSTEMS = ("exchanged", "random_sentences")
"""Controls made from a system's own summaries; the others from the record alone."""
CONTROLS = (*OF_SYSTEMS, *WRITERS, "largest_group")


@dataclass(frozen=True)
class Controls:
    """The controls of one audit. ``attributes`` are those whose largest group is taken.

    ``exchange`` knows the summaries of all records, from which ``exchanged`` borrows.
    """

    names: Sequence[str]
    attributes: Sequence[str]
    seed: int
    exchange: Exchange | None = None
    _met: set[int] = field(default_factory=set)
    """Hashes of the ids of records that have their controls: another system's line of one may come much later."""

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in CONTROLS:
                raise RequestError(
                    f"No control named '{name}'.{did_you_mean(name, CONTROLS)} Controls: {', '.join(CONTROLS)}."
                )

    def of(self, system: str) -> list[str]:
        """The names of the controls that a system is held beside: its own, and those made from the records alone.

        What was made from another system's summaries says nothing of this one's.
        """
        own = [control_name(name, system) for name in OF_SYSTEMS if name in self.names]
        return [*own, *(control.name for control in self._from_records())]

    def beside(self, batch: Sequence[Case]) -> Iterator[Case]:
        """The batch, then its controls: one per record, or one per record and system."""
        yield from batch
        answered = [case for case in batch if not case.summary.reason]
        for system in dict.fromkeys(case.summary.system for case in answered):
            own = [case for case in answered if case.summary.system == system]
            if "exchanged" in self.names and self.exchange is not None:
                yield from (dealt for case in own if (dealt := self.exchange.of(case)) is not None)
            if "random_sentences" in self.names:
                yield from (random_sentences(case, self.seed) for case in own)
        if controls := list(self._from_records()):
            records = self._new(batch)
            for control in controls:
                for record, summary in zip(records, control.summarize(records), strict=True):
                    yield Case(record, summary)

    def _new(self, batch: Sequence[Case]) -> list[Record]:
        """The records of a batch that were in none before it."""
        found = {hash(case.record.id): case.record for case in batch}
        new = [record for key, record in found.items() if key not in self._met]
        self._met.update(found)
        return new

    def _from_records(self) -> Iterator[Control]:
        for name in self.names:
            if name == "largest_group":
                yield from (Control(name, attribute, self.seed) for attribute in self.attributes)
            elif name not in OF_SYSTEMS:
                yield Control(name, seed=self.seed)
