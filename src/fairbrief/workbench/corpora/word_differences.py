"""What the inputs themselves say: which words tell groups of documents apart, and who is spoken of where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.errors import DataError
from fairbrief.statistics import dirichlet_log_odds
from fairbrief.text.identifiers import count_identifiers, pair_markers, word_lists
from fairbrief.types import Record, Table

IGNORED = frozenset(("her", "him", "his", "hers"))
"""Pronouns that have no partner of their own: ``her`` is both ``him`` and ``his``."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TOKEN = re.compile(rf"{_WORD.pattern}|[^\w\s]")


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


@dataclass(frozen=True, slots=True)
class TopicShares:
    """A topic's documents, and each group's share of the identifying words in them; no share where there is no word."""

    documents: int
    shares: Mapping[str, float]


TOTAL = "total"


def distinctive_words(
    records: Iterable[Record], by: str, prior: float = 0.01, *, punctuation: bool = False
) -> list[WordContrast]:
    """Fightin' Words: every word's log-odds between the documents of each group and all others.

    Documents are grouped by their attribute ``by``, or their record's; where neither has it and ``by`` is
    ``gender``, by the gender most of whose identifiers they hold (ties: left out). Identifying words are
    replaced by one marker per pair (he/she), so that they do not tell groups apart by themselves; her, him,
    his and hers have no single partner and are left out, as if they were not in the text.
    An original that has several variants counts once in each group: twenty of them say what one says.
    Punctuation is no word, unless ``punctuation`` asks for the paper's reading, which counts every mark as one.

    Words of each group in falling order of z. With two groups one is the mirror of the other.
    Raises DataError where fewer than two groups are found.
    Source: Monroe et al., Fightin' Words, Eqs. 15-22; markers and prior: Steen & Markert, §4.
    """
    counts = _counts(records, by, _TOKEN if punctuation else _WORD)
    vocabulary = sorted(set().union(*counts.values()))
    table = {group: np.array([c[w] for w in vocabulary], dtype=float) for group, c in counts.items()}
    whole = sum(table.values(), start=np.zeros(len(vocabulary)))
    found = []
    for group, own in table.items():
        delta, z = dirichlet_log_odds(own, whole - own, prior)
        order = np.argsort(-z, kind="stable")
        found += [
            WordContrast(
                vocabulary[i], group, int(own[i]), int(whole[i] - own[i]), float(delta[i]), float(z[i])
            )
            for i in order
        ]
    return found


def word_tables(contrasts: Iterable[WordContrast], most: int = 20) -> list[Table]:
    """One table per group with its most distinctive words."""
    groups: dict[str, list[WordContrast]] = {}
    for contrast in contrasts:
        groups.setdefault(contrast.group, []).append(contrast)
    return [
        Table(
            f"Words that lean to {group}",
            ("word", "here", "elsewhere", "log-odds", "z"),
            tuple(
                (w.word, str(w.count), str(w.rest), f"{w.log_odds:+.2f}", f"{w.z:+.2f}")
                for w in words[:most]
                if w.z > 0
            ),
            ("|z| > 1.96 is commonly read as different; among many words some exceed it by chance.",),
        )
        for group, words in groups.items()
    ]


def identifier_shares(
    records: Iterable[Record], topics: Mapping[str, frozenset[str]], lists: str = "helm"
) -> dict[str, TopicShares]:
    """Per topic, how many documents it has, and the share of each group among their identifying words.

    A document's topic is the one most of whose words it holds; ``unknown`` on a tie. ``total`` stands first, for all
    documents; each original counts once, whatever variants it has.
    """
    groups = list(word_lists(lists))
    totals: dict[str, np.ndarray] = {}
    documents: Counter[str] = Counter()
    for record in once_each(records):
        for document in record.documents:
            words = Counter(_TOKEN.findall(document.text.lower()))
            scores = {topic: sum(words[w] for w in wanted) for topic, wanted in topics.items()}
            best = max(scores.values(), default=0)
            leading = [topic for topic, score in scores.items() if score == best]
            topic = leading[0] if len(leading) == 1 else "unknown"
            counts = np.array(count_identifiers(document.text, lists), dtype=float)
            for part in (TOTAL, topic):
                documents[part] += 1
                totals[part] = totals.get(part, np.zeros(len(groups))) + counts
    order = [*(name for name in (TOTAL,) if name in totals), *sorted(totals.keys() - {TOTAL})]
    return {name: TopicShares(documents[name], _shares(groups, totals[name])) for name in order}


def _shares(groups: Sequence[str], counts: np.ndarray) -> dict[str, float]:
    if not counts.sum():
        return {}
    return {g: float(share) for g, share in zip(groups, counts / counts.sum(), strict=True)}


def once_each(records: Iterable[Record]) -> Iterator[Record]:
    """The first record of each original: variants say the same but for who is in it."""
    seen: set[str] = set()
    for record in records:
        if record.cluster not in seen:
            seen.add(record.cluster)
            yield record


def majority_group(text: str, lists: str = "helm") -> str | None:
    """The group most of whose identifying words a text holds; None on a tie."""
    counts = count_identifiers(text, lists)
    best = max(counts)
    return list(word_lists(lists))[counts.index(best)] if counts.count(best) == 1 else None


def _counts(records: Iterable[Record], by: str, token: re.Pattern[str]) -> dict[str, Counter[str]]:
    """Word counts of each group's documents, identifiers as markers."""
    markers = pair_markers()
    given: dict[str, Counter[str]] = {}
    by_identifiers: dict[str, Counter[str]] = {}
    there: set[str] = set()
    seen: set[tuple[str, int, str]] = set()
    for record in records:
        there.update(record.attributes)
        for place, document in enumerate(record.documents):
            there.update(document.attributes)
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
        told = f"has only '{next(iter(found))}'" if found else "stands in no document"
        raise DataError(
            f"Words are compared between groups of documents, but the attribute '{by}' {told}. "
            f"Found: {', '.join(sorted(there)) or 'none'}. Name an attribute with two values or more with --by."
        )
    return dict(sorted(found.items()))
