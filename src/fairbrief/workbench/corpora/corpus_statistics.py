"""Statistics of a file of records: number and length of texts, groups and their mixes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from statistics import fmean

import numpy as np

from fairbrief.errors import DataError
from fairbrief.statistics.distributions import dirichlet_log_odds
from fairbrief.text.gendered_words import WORD, count_identifiers, pair_markers, word_lists
from fairbrief.text.sentences import split
from fairbrief.text.themes import topic_of
from fairbrief.types import Case, Record, Table
from fairbrief.workbench.corpora.sets import dominating
from fairbrief.workbench.corpora.text_sources import Count

LISTS = "helm"
"""The lists of identifying words."""
MIXED = "no single group"
"""Records in which two or more groups share the largest number of documents."""


def statistics_of(
    records: Iterable[Record],
    cases: Iterable[Case],
    count: Count,
    unit: str = "words",
    *,
    attributes: Sequence[str] = (),
    sentences: Callable[[str], Sequence[str]] | None = None,
) -> tuple[Table, ...]:
    """Number and length of texts, then the groups of each attribute.

    ``unit`` is the name of what ``count`` counts. Without ``sentences`` texts are not split into sentences. The
    groups of ``attributes`` are counted; without any, those of all attributes of documents.
    """
    lengths: dict[str, list[int]] = defaultdict(list)
    groups: dict[str, list[list[tuple[str | None, int]]]] = defaultdict(list)
    unanswered, asked = Counter[str](), defaultdict[str, Counter[str]](Counter)

    def add(per: str, text: str) -> int:
        lengths[f"{unit} {per}"].append(count(text))
        if sentences is not None:
            lengths[f"sentences {per}"].append(len(sentences(text)))
        return lengths[f"{unit} {per}"][-1]

    for record in records:
        lengths["documents per record"].append(len(record.documents))
        sizes = [add("per document", document.text) for document in record.documents]
        lengths[f"{unit} per record"].append(sum(sizes))
        for text in record.references:
            add("per reference", text)
        for name in attributes or sorted({a for d in record.documents for a in d.attributes}):
            values = (document.attributes.get(name) for document in record.documents)
            groups[name].append(list(zip(values, sizes, strict=True)))
    for summary in (case.summary for case in cases):
        is_missing = bool(summary.reason) or not summary.text.strip()
        if (wanted := summary.made.get("sentences", "")).isdecimal():
            written = summary.text.splitlines() if "\n" in summary.text else split(summary.text)
            is_exact = not is_missing and "cut" not in summary.made and len(written) == int(wanted)
            asked[summary.system].update(inputs=1, missing=is_missing, exact=is_exact)
        if is_missing:
            unanswered[summary.system] += 1
        else:
            add(f"per summary by {summary.system}", summary.text)
    missing = tuple(f"{system}: {n:,} without a summary." for system, n in sorted(unanswered.items()))
    rows = [
        (what, f"{len(n):,}", f"{fmean(n):.2f}", f"{min(n):,}", f"{max(n):,}") for what, n in lengths.items()
    ]
    table = Table("Texts and their lengths", ("", "n", "mean", "least", "most"), tuple(rows), missing)
    by_group = (_group_table(name, found, unit) for name, found in groups.items())
    return (table, *([_asked_table(asked)] if asked else []), *by_group)


def _asked_table(asked: Mapping[str, Counter[str]]) -> Table:
    """The number of answers with the number of sentences that their prompt requested."""
    rows = []
    for system, found in sorted(asked.items()):
        inputs, missing = found["inputs"], found["missing"]
        exact = found["exact"] / max(inputs - missing, 1)
        rows.append((system, f"{inputs:,}", f"{exact:.1%}", f"{missing / inputs:.2%}"))
    columns = ("", "inputs", "answers of exactly the length asked for", "inputs without a response")
    note = "Share of answers; longer answers, from which sentences were sampled, are not exact."
    return Table("As the prompt asked", columns, tuple(rows), (note,))


def _group_table(name: str, records: Sequence[Sequence[tuple[str | None, int]]], unit: str) -> Table:
    """The groups of one attribute, from the group and the length of each document of each record."""
    documents, words, holds, dominated = (Counter[str]() for _ in range(4))
    per: list[int] = []
    for record in records:
        counts = Counter(group for group, _ in record if group is not None)
        for group, size in record:
            if group is not None:
                words[group] += size
        if counts:
            per.append(len(counts))
            documents.update(counts)
            holds.update(counts.keys())
            dominated[dominating(counts, list(counts)) or MIXED] += 1
    unlabelled = sum(map(len, records)) - documents.total()
    rows = []
    for group, n in documents.most_common():
        numbers = (f"{n:,}", f"{n / documents.total():.1%}", f"{holds[group]:,}", f"{dominated[group]:,}")
        rows.append((group, *numbers, f"{words[group] / n:.1f}"))
    header = (name, "documents", "share", "records", "dominates", f"{unit} per document")
    leading = "A group dominates a record in which it has the most documents"
    notes = [f"{leading}; {dominated[MIXED]:,} records have none."]
    if per:
        notes.append(f"Groups per record: {min(per)} to {max(per)}, mean {fmean(per):.2f}.")
    if unlabelled:
        notes.append(f"{unlabelled:,} documents have no {name}.")
    return Table(f"Groups of {name}", header, tuple(rows), tuple(notes))


# ---- Words that distinguish groups of documents, and the groups of each topic.


IGNORED = frozenset(("her", "him", "his", "hers"))
"""Pronouns without a unique partner: ``her`` is both ``him`` and ``his``."""

_TOKEN = re.compile(rf"{WORD.pattern}|[^\w\s]")


@dataclass(frozen=True, slots=True)
class WordContrast:
    """How much more one group's documents use a word than the rest do.

    ``count`` and ``rest`` are occurrences; ``log_odds`` is smoothed by a Dirichlet prior, ``z`` its ratio to its
    standard error. Positive: the word leans to ``group``.
    """

    word: str
    group: str
    count: int
    rest: int
    log_odds: float
    z: float


TOTAL = "total"
PRIOR = 0.01
"""The paper's Dirichlet prior of a word."""


def distinctive_words(records: Sequence[Record], by: str, *, punctuation: bool = False) -> list[WordContrast]:
    """Fightin' Words: the log-odds of every word between the documents of each group and all others.

    The group of a document is its attribute ``by``, or its record's. If neither has it and ``by`` is ``gender``, the
    group is the gender with most identifiers in the document (ties are excluded). Identifying words are replaced by
    one marker per pair (he/she), so that they do not themselves distinguish groups; her, him, his and hers have no
    unique partner and are ignored. A seed document with several counterfactuals counts once per group. Punctuation
    marks are not words, unless ``punctuation`` (the paper's version) counts every mark as a word.

    Returns the words of each group by decreasing z. With two groups one is the mirror image of the other. Raises
    DataError for fewer than two groups. Source: Monroe et al., Fightin' Words, Eqs. 15-22; markers and prior: Steen &
    Markert, §4.
    """
    counts = _counts(records, by, _TOKEN if punctuation else WORD)
    vocabulary = sorted(set().union(*counts.values()))
    table = {group: np.array([c[w] for w in vocabulary], dtype=float) for group, c in counts.items()}
    whole = sum(table.values(), start=np.zeros(len(vocabulary)))
    found = []
    for group, own in table.items():
        delta, z = dirichlet_log_odds(own, whole - own, PRIOR)
        columns = (own.astype(int), (whole - own).astype(int), delta, z)
        cells = list(zip(*(column.tolist() for column in columns), strict=True))
        found += [WordContrast(vocabulary[i], group, *cells[i]) for i in np.argsort(-z, kind="stable")]
    return found


def word_tables(contrasts: Iterable[WordContrast], most: int = 20) -> list[Table]:
    """One table per group with its most distinctive words."""
    header = ("word", "here", "elsewhere", "log-odds", "z")
    note = "|z| > 1.96 is commonly interpreted as a difference; among many words some exceed it by chance."
    found = []
    for group, words in groupby(contrasts, lambda contrast: contrast.group):
        leaning = (w for w in islice(words, most) if w.z > 0)
        rows = ((w.word, str(w.count), str(w.rest), f"{w.log_odds:+z.2f}", f"{w.z:+z.2f}") for w in leaning)
        found.append(Table(f"Words that lean to {group}", header, tuple(rows), (note,)))
    return found


def topic_table(records: Iterable[Record]) -> Table:
    """The number of documents of each topic (`topic_of`), and the share of each group among their identifying words.

    ``total`` comes first, for all documents; each seed document counts once, since its counterfactuals differ only in
    the people. Without any identifying word there are no shares.
    """
    counts: dict[str, np.ndarray] = {}
    documents: Counter[str] = Counter()
    seeds: dict[str, Record] = {}
    for record in records:
        seeds.setdefault(record.cluster, record)
    for text in (document.text for record in seeds.values() for document in record.documents):
        for part in (TOTAL, topic_of(text)):
            documents[part] += 1
            counts[part] = counts.get(part, 0) + np.array(count_identifiers(text, LISTS))
    has_words = any(own.any() for own in counts.values())
    rows = []
    for part, own in sorted(counts.items(), key=lambda item: (item[0] != TOTAL, item[0])):
        shares = (f"{n / own.sum():.0%}" if own.any() else "–" for n in own)
        rows.append((part, f"{documents[part]:,}", *(shares if has_words else ())))
    what = ", and share of each group among their identifying words," if has_words else ""
    header = ("topic", "documents", *(word_lists(LISTS) if has_words else ()))
    return Table(f"Documents{what} by topic", header, tuple(rows))


def majority_group(text: str) -> str | None:
    """The group with most identifying words in a text; None for a tie."""
    counts = dict(zip(word_lists(LISTS), count_identifiers(text, LISTS), strict=True))
    return dominating(Counter(counts), list(counts))


def _counts(records: Sequence[Record], by: str, token: re.Pattern[str]) -> dict[str, Counter[str]]:
    """Word counts of each group's documents, with identifiers as markers."""
    markers = pair_markers()
    given: dict[str, Counter[str]] = {}
    by_identifiers: dict[str, Counter[str]] = {}
    seen: set[tuple[str, int, str]] = set()
    for record in records:
        for place, document in enumerate(record.documents):
            found, group = given, document.attributes.get(by, record.attributes.get(by))
            if group is None and by == "gender":
                found, group = by_identifiers, majority_group(document.text)
            if group is None or (record.cluster, place, group) in seen:
                continue
            seen.add((record.cluster, place, group))
            tokens = (markers.get(t, t) for t in token.findall(document.text.lower()) if t not in IGNORED)
            found.setdefault(group, Counter()).update(tokens)
    found = given or by_identifiers
    if len(found) < 2:
        problem = f"has only the value '{next(iter(found))}'" if found else "is in no document"
        held = (given for r in records for given in (r.attributes, *(d.attributes for d in r.documents)))
        known = set[str]().union(*held)
        problem = f"Words are compared between groups of documents, but the attribute '{by}' {problem}"
        attributes = ", ".join(sorted(known)) or "none"
        remedy = f"Name one with at least two values with --by, or read a field: --attribute {by}=FIELD"
        raise DataError(f"{problem}. Found: {attributes}. {remedy}.")
    return dict(sorted(found.items()))
