"""Texts made from the record itself: what a score would be for a summary that is known.

A control is read beside a system: a system that scores like another record's output is not measured
by the measure, and a whole source that scores badly shows the measure's own floor.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from fairbrief.nouns import Case, Record, Summary
from fairbrief.text.sentences import split

Writer = Callable[[Record, np.random.Generator], str]

DOCUMENTS = 5
"""How many documents ``proportional_documents`` draws, as in the diagnostics of the published numbers."""


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
        return f"control:{self.kind}({self.over})" if self.over else f"control:{self.kind}"

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        write = LargestGroup(self.over) if self.over else WRITERS[self.kind]
        for record in records:
            text = write(record, rng_of(self.seed, self.name, record.id))
            yield Summary(record.id, self.name, text, reason="" if text.strip() else "empty summary")


def exchanged(cases: Sequence[Case], seed: int = 0) -> Sequence[Case]:
    """The cases with their summaries dealt anew among them, none to its own record.

    One random cycle through all records, so the same for every order of the cases. A case whose summary
    is missing, or that is alone, is left out; so is one whose record appears twice (pass one system).
    The system becomes ``control:exchanged(SYSTEM)``; units go, for they speak of another source.
    """
    usable = {case.record.id: case for case in cases if not case.summary.reason}
    if len(usable) < 2:
        return ()
    ids = sorted(usable)
    order = rng_of(seed, "exchanged", ids[0], ids[-1]).permutation(len(ids))
    donor = {ids[a]: ids[b] for a, b in zip(order, np.roll(order, 1), strict=True)}
    return tuple(
        replace(
            case,
            summary=replace(
                usable[donor[case.record.id]].summary,
                record=case.record.id,
                system=f"control:exchanged({case.summary.system})",
                units=None,
            ),
        )
        for case in usable.values()
    )


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
    system = f"control:random_sentences({case.summary.system})"
    reason = "" if text.strip() else "empty summary"
    return replace(case, summary=Summary(case.record.id, system, text, reason=reason))


def rng_of(seed: int, *names: str) -> np.random.Generator:
    """A random source that depends on a seed and names alone, on every machine."""
    told = "\x1f".join([str(seed), *names]).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(hashlib.sha256(told).digest()[:16], "big"))


def _joined(record: Record, numbers: Iterable[int]) -> str:
    return "\n".join(record.documents[i].text for i in numbers)
