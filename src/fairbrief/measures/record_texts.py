"""Texts of one record that several observations read: its source, groups and subject; and the claims of a summary."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from fairbrief import types as t
from fairbrief.measures.bases import NotObserved
from fairbrief.measures.group_sums import coded, keys_of
from fairbrief.text.gendered_words import gender_coefficient, subject_group
from fairbrief.text.languages import is_foreign
from fairbrief.text.segmentation import word_count
from fairbrief.text.sentences import BLANK_LINE, sentences_of

KEPT = 1024
"""Cached records; if there are more, the older half is dropped."""


class Groups(t.Data, frozen=True):
    """An attribute of a record's documents: its sorted values, the index of each document's value, and the permutation of labels.

    Shape of ``codes``: (documents,), read-only.
    """

    names: tuple[str, ...]
    codes: t.Integers
    scheme: t.PermutationScheme


class KnownRecord:
    """The texts and groups of a record, computed once for all observations."""

    def __init__(self, record: t.Record) -> None:
        self.record = record
        self.texts = tuple([document.text for document in record.documents])
        self.source = BLANK_LINE.join(self.texts)
        self.references = tuple([text for text in record.references if not is_blank(text)])
        self._groups: dict[str, Groups] = {}

    @cached_property
    def lengths(self) -> list[int]:
        """The lengths of the documents in words; 1 of those without any, whose logarithm is 0."""
        return [word_count(text) or 1 for text in self.texts]

    def groups(self, over: str) -> Groups:
        """The groups that an attribute makes of the documents; none if no document has it.

        DataError says which document lacks it if only some have it.
        """
        if over not in self._groups:
            names, codes = coded(tuple(self.record.values_of(over)))
            # A method would refer back to this object through structures that are not garbage-collected: neither would be freed.
            scheme = t.PermutationScheme(codes, items=partial(_document_keys, self.record))
            self._groups[over] = Groups(names, codes, scheme)
        return self._groups[over]


def _document_keys(record: t.Record) -> t.Integers:
    """A key per document: its id, or its text if it has none, so that records of one cluster give it the same label."""
    return keys_of(tuple([d.id or d.text for d in record.documents]))


_known: dict[int, KnownRecord] = {}


def known(record: t.Record) -> KnownRecord:
    """The cached texts and groups of a record. Several observations use them, for a few hundred records at a time."""
    found = _known.get(id(record))  # unique, since the cache keeps the record alive
    if found is None:
        if len(_known) >= KEPT:
            for older in list(_known)[: KEPT // 2]:
                _known.pop(older, None)
        found = _known[id(record)] = KnownRecord(record)
    return found


def source_sentences(record: t.Record) -> tuple[str, ...]:
    """The sentences of a record's documents, in their order."""
    return tuple(chain.from_iterable(map(sentences_of, known(record).texts)))


def is_blank(text: str) -> bool:
    """Whether a text is empty or nothing but white space."""
    return not text or text.isspace()


def needs_english(cases: t.Cases, what: str) -> None:
    """Raise `NotObserved` if ``what`` do not apply to these cases, since their texts are not English."""
    if language := is_foreign(known(cases[0].record).source):
        raise NotObserved(f"the text is {language}, and {what} are English")


EMPTY_SUMMARY = "empty summary"
NO_CLAIM = "the summary has no claim"
NO_GENDER_WORD = "no gender word in the article"
NO_ATTRIBUTE = "the record lacks the attribute"


def no_document_has(attribute: str) -> str:
    """The reason if the documents of a record lack an attribute."""
    return f"no document has the attribute '{attribute}'"


def subject_of(record: t.Record, over: str, threshold: float) -> str:
    """The group of an article's subject. Raises `NotObserved` if it has none.

    Without ``over``: female or male where the article's gender coefficient reaches ±threshold. With it:
    the record's attribute; if the record has none, the value that all documents, or else all people,
    share.
    """
    if not over:
        coefficient = gender_coefficient(known(record).source)
        if coefficient is None:
            raise NotObserved(NO_GENDER_WORD)
        if (group := subject_group(coefficient, threshold)) is None:
            raise NotObserved("the article's gender words are mixed")
        return group
    if over in record.attributes:
        return record.attributes[over]
    for holders in (record.documents, record.entities):
        values = {holder.attributes[over] for holder in holders if over in holder.attributes}
        if len(values) > 1:
            raise NotObserved("the record's documents or people differ in the attribute")
        if values:
            return values.pop()
    raise NotObserved(NO_ATTRIBUTE)


def group_of(record: t.Record, over: str) -> str | None:
    """The group a record is about: its attribute, or the one value that all its people share."""
    if over in record.attributes:
        return record.attributes[over]
    values = {person.attributes[over] for person in record.entities if over in person.attributes}
    return values.pop() if len(values) == 1 else None


def with_group(cases: t.Cases, over: str) -> list[tuple[t.Case, str]]:
    """The cases whose record is about one group, each with this group."""
    return [(case, group) for case in cases if (group := group_of(case.record, over)) is not None]


def claims_of(summary: t.Summary, claims: str) -> tuple[str, ...]:
    """The statements to look for: ``given`` claims, ``sentences``, or ``auto`` (given if there are any)."""
    if summary.claims is not None and claims != "sentences":
        return tuple(claim.text for claim in summary.claims if claim.text.strip())
    if claims == "given":
        return ()
    return sentences_of(summary.text)


def chosen_of(case: t.Case, count: int, settings: Any) -> t.Integers:
    """Which of a summary's ``count`` sentences count, by the settings ``limit``, ``choose`` and ``seed``."""
    texts = (known(case.record).source, case.summary.text)
    return chosen(count, settings.limit, settings.choose, settings.seed, texts)


def chosen(count: int, limit: int | None, choose: str, seed: int, texts: Sequence[str]) -> t.Integers:
    """Indices, in order, of at most ``limit`` of ``count`` sentences.

    ``random`` ranks the sentences by a hash of the seed, the texts of the case and the sentence's index:
    uniformly random over seeds, and the same wherever and however often the case is observed. Chhabra et
    al. say that over-long outputs were sampled; their release always kept the first.
    """
    if limit is None or count <= limit:
        return np.arange(count)
    if choose == "first":
        return np.arange(limit)
    root = hashlib.blake2b(str(seed).encode(), digest_size=16)
    for text in texts:
        root.update(b"\0" + text.encode("utf-8", "surrogatepass"))

    def rank(i: int) -> bytes:
        one = root.copy()
        one.update(f"\0{i}".encode())
        return one.digest()

    return np.sort(np.array(sorted(range(count), key=rank)[:limit], dtype=np.int64))


def compared_groups(record: t.Record, over: str) -> Groups:
    """The groups of a record's documents. Raises `NotObserved` below two groups."""
    groups = known(record).groups(over)
    if not groups.names:
        raise NotObserved(no_document_has(over))
    if len(groups.names) < 2:
        raise NotObserved("one group only")
    return groups
