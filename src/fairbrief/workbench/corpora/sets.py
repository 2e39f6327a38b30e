"""Sets of texts: mixtures for all sizes and mixes, sets that each value dominates equally often, sets of reviews of one product
with their sentiment, and segments of conversations of at most k tokens.

Source of the mixtures: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §4.1 and the loaders of
the authors' code (Claritin: 3 sizes × 3 mixes × 150 samples). Source of the dominated sets: Li et al., Coverage-based
Fairness in Multi-document Summarization, A.3 ("dominated by each value in equal proportion"), which gives no rule for
ties; here they are dropped. Source of the sets of reviews: Zhang et al. (Amazon, Yelp); Li et al.
(Amazon: 1-2 stars negative, 3 neutral, 4-5 positive).

Source of the segments: Zhang et al., §4.1 ("segments of k tokens"). Departs from the authors' code, which does not count the
first turn of a segment, so that segments exceed k, and writes an empty segment if the first turn is longer than k.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isnan
from typing import Literal

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.text.counted import counted
from fairbrief.text.published_nltk import vader
from fairbrief.text.segmentation import numbered
from fairbrief.text.sentences import packed, split
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.text_sources import Count, Tokens, counter


@dataclass(frozen=True, slots=True)
class Mix:
    """The share of each value in a set; shares sum to one."""

    shares: tuple[tuple[str, Fraction], ...]

    def __str__(self) -> str:
        return ",".join(f"{value}={share_text(share)}" for value, share in self.shares)

    def counts(self, size: int) -> dict[str, int]:
        """The number of texts of each value in a set of a size: shares of the size, by largest remainder.

        Whole shares are exact; among equal remainders the value named first gets the text. Departs from the authors'
        code, which rounds every share but the last down.
        """
        counts = {value: int(share * size) for value, share in self.shares}
        by_remainder = sorted(self.shares, key=lambda pair: counts[pair[0]] - pair[1] * size)
        for value, _ in by_remainder[: size - sum(counts.values())]:
            counts[value] += 1
        return counts


def parse_mix(text: str) -> Mix:
    """A mix from ``male=.2,female=.8``; shares are decimals or fractions (``1/3``) and sum to one.

    Raises: RequestError if they do not sum to one, or a value is repeated.
    """
    shares: dict[str, Fraction] = {}
    for part in text.split(","):
        value, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            share = Fraction(number)
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1)
        if not (equals and value and share >= 0):
            raise RequestError(f"The mix '{text}' has the part '{part}'. Write VALUE=SHARE,VALUE=SHARE.")
        if value in shares:
            raise RequestError(f"The mix '{text}' names a value twice.")
        shares[value] = share
    if (total := sum(shares.values())) != 1:
        raise RequestError(f"The shares of the mix '{text}' sum to {float(total):g}, not to 1.")
    return Mix(tuple(shares.items()))


def share_text(share: Fraction) -> str:
    """A share as written in ids and attributes: ``0.2``, or ``1/3`` if it has no short decimal."""
    decimal = f"{float(share):g}"
    return decimal if Fraction(decimal) == share else str(share)


def mixtures(
    texts: Sequence[Document],
    attribute: str,
    counts: Sequence[int],
    mixes: Sequence[Mix],
    samples: int,
    unit: str = "texts",
    seed: int = 0,
) -> Iterator[Record]:
    """``samples`` records of every size and mix, cell by cell: sizes in the outer loop, mixes in the inner one.

    The samples of a cell are disjoint sets, cut from the shuffled texts, which are shuffled again when they are used up. No
    sample contains a text twice (the authors' code allows this when it repeats a pool). Each cell has its own random
    stream (seed, size, mix), so it does not depend on the other cells. The texts of a sample are shuffled. Its attributes
    identify the cell: the size under the name ``unit`` (``tweets``), and each value's share under the value's name.

    Raises: RequestError if a value has too few texts for a sample.
    """
    if min(counts) < 1:
        raise RequestError("Sets need sizes of at least one text.")
    if unit in {value for mix in mixes for value, _ in mix.shares}:
        raise RequestError(f"'{unit}' is both a value and the unit of the sets. Choose another --unit.")
    by_value: dict[str, list[Document]] = defaultdict(list)
    for document in texts:
        by_value[document.attributes[attribute]].append(document)
    known = ", ".join(f"{value} {len(found)}" for value, found in sorted(by_value.items())) or "none"
    cells = [(size, mix) for size in counts for mix in mixes]
    if len(set(cells)) < len(cells):
        raise RequestError("A size (--counts) or a mix (--mix) is given twice. Give each once.")
    for size, mix in cells:
        for value, n in mix.counts(size).items():
            if len(by_value[value]) < n:
                needs = f"A set of {size} {unit} with {mix} needs {n} of '{value}' (texts: {known})"
                raise RequestError(f"{needs}: use smaller sets or another mix, or widen the length limits.")
    width = len(str(samples - 1))
    for size, mix in cells:
        wanted = mix.counts(size)
        rng = random.Random(f"{seed}|{size}|{mix}")  # noqa: S311 # a seed that reproduces is wanted
        decks: dict[str, list[Document]] = {value: [] for value in wanted}
        attributes = {unit: str(size), **{value: share_text(share) for value, share in mix.shares}}
        for i in range(samples):
            taken = (_take(decks[value], n, by_value[value], rng) for value, n in wanted.items())
            drawn = list(itertools.chain.from_iterable(taken))
            rng.shuffle(drawn)
            yield Record(f"{size}|{mix}|{i:0{width}}", tuple(drawn), attributes=attributes)


def _take(deck: list[Document], n: int, texts: Sequence[Document], rng: random.Random) -> list[Document]:
    """Take ``n`` different texts from the front of a deck, which is first refilled if it has too few.

    Then its last texts stay in this sample, shuffled other ones follow, and the last texts are also part of the new
    round.
    """
    if len(deck) < n:
        last, kept = list(deck), set(map(id, deck))
        others = [document for document in texts if id(document) not in kept]
        rng.shuffle(others)
        deck += others + last
    taken, deck[:] = deck[:n], deck[n:]
    return taken


# ---- Sets of texts that each value dominates equally often.


_WORD = re.compile(r"\w{2,}")


def dominating(values: Iterable[str], order: Sequence[str]) -> str | None:
    """The unique mode of values, or of a Counter of them, among those in ``order``; None for a tie."""
    counts = Counter(values)
    most = max(counts.values(), default=0)
    modes = [value for value in order if counts[value] == most]
    return modes[0] if most and len(modes) == 1 else None


def stratify(
    candidates: Iterable[Record],
    attribute: str,
    sets: int,
    *,
    values: Sequence[str] | None = None,
    seed: int = 0,
) -> list[Record]:
    """``sets`` of the candidates, equally many dominated by each value, in the candidates' order.

    Drawn without replacement; each gets the attribute ``dominated_by``. ``values`` are the values to use; by default
    all that occur, sorted. Sets in which several values tie are not drawn.

    Raises: RequestError if the sets cannot be divided equally, or a value dominates too few candidates.
    """
    pool = list(candidates)
    order = list(values) if values else sorted({v for r in pool for v in r.values_of(attribute)})
    if len(order) < 2:
        raise RequestError(f"Wanted two values or more to dominate sets; found {', '.join(order) or 'none'}.")
    share, rest = divmod(sets, len(order))
    if rest:
        near = max(1, round(sets / len(order))) * len(order)
        by = f"{len(order)} values ({', '.join(order)})"
        raise RequestError(f"{counted(sets, 'set')} cannot be dominated equally by {by}: ask for {near}.")
    strata: dict[str, list[int]] = {value: [] for value in order}
    for i, record in enumerate(pool):
        value = dominating(record.values_of(attribute), order)
        if value is not None:
            strata[value].append(i)
    if short := ", ".join(f"'{value}' {len(found)}" for value, found in strata.items() if len(found) < share):
        fewest = min(map(len, strata.values()))
        remedy = f"Ask for {fewest * len(order)} sets, or name" if fewest else "Name"
        found = f"Too few of {counted(len(pool), 'set')} are dominated by {short}; expected {share} each"
        raise RequestError(f"{found}. {remedy} the dominating values with --values.")
    rng = random.Random(f"{seed}|stratify")  # noqa: S311 # a seed that reproduces is wanted
    chosen = {i: value for value in order for i in rng.sample(strata[value], share)}
    return [
        replace(pool[i], attributes={**pool[i].attributes, "dominated_by": chosen[i]}) for i in sorted(chosen)
    ]


def cut_sets(
    topics: Mapping[str, Sequence[Document]], size: int, seed: int = 0, *, most: int = 0, similar: float = 0
) -> Iterator[Record]:
    """Disjoint sets of ``size`` texts of one topic each, from the topic's shuffled texts; the rest is dropped.

    With ``most`` sets have ``size`` to ``most`` texts, as equally many as possible. With ``similar`` a topic's texts
    are first divided into clusters of similar texts, and each set comes from one cluster: see `clusters`.
    """
    largest = max(map(len, topics.values()), default=0)
    if largest < size:
        found = f"No topic has {counted(size, 'text')}; the largest has {largest}"
        raise RequestError(f"{found}. Use smaller sets.")
    for topic, texts in topics.items():
        rng = random.Random(f"{seed}|cut|{topic}")  # noqa: S311 # a seed that reproduces is wanted
        shuffled = list(texts)
        rng.shuffle(shuffled)
        number = itertools.count()
        for cluster in clusters(shuffled, similar) if similar else [shuffled]:
            parts = min(-(-len(cluster) // max(size, most)), len(cluster) // size)
            for places in np.array_split(np.arange(len(cluster)), parts) if parts else ():
                documents = tuple(cluster[i] for i in places[: max(size, most)])
                attributes = {"topic": topic} if topic else {}
                yield Record(f"{topic or 'set'}_{next(number)}", documents, attributes=attributes)


def clusters(texts: Sequence[Document], similar: float) -> list[list[Document]]:
    """Cluster texts by TF-IDF: a text joins the cluster with the most similar sum of vectors.

    If no cosine reaches ``similar``, the text begins a cluster. Weights: count · (ln((1 + n)/(1 + df)) + 1). Li et
    al., Appendix A.3, cluster by TF-IDF similarity without naming the algorithm; this one is Fairbrief's.
    """
    from scipy.sparse import csr_array

    words = numbered([_WORD.findall(document.text.lower()) for document in texts])
    place = np.repeat(np.arange(len(texts)), words.many), words.numbers
    counts = csr_array((np.ones(len(words.numbers)), place), shape=(len(texts), len(words.names)))
    weighed = counts * (np.log((1 + len(texts)) / (1 + np.bincount(counts.indices))) + 1)
    sizes = np.sqrt((weighed * weighed).sum(axis=1))
    vectors = csr_array(weighed / np.where(sizes > 0, sizes, 1)[:, np.newaxis])
    found: list[list[Document]] = []
    clusters_of, squares = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts))
    for i, document in enumerate(texts):
        cosines = vectors @ vectors[[i]].toarray()[0]
        products = np.bincount(clusters_of[:i], cosines[:i], minlength=len(found))
        # A sum of vectors is at least as long as each, unless its texts have no words.
        near = products / np.sqrt(np.maximum(squares[: len(found)], 1))
        best = int(near.argmax()) if near.max(initial=0) >= similar else len(found)
        if best == len(found):
            found.append([])
            products = np.append(products, 0.0)
        found[best].append(document)
        clusters_of[i] = best
        squares[best] += 2 * products[best] + bool(sizes[i])
    return found


# ---- Sets of reviews of one product, with the sentiment of each from its rating or from VADER.


Label = Callable[[Document], str | None]
NEGATIVE, NEUTRAL, POSITIVE = "negative", "neutral", "positive"


def labeller(
    rule: Literal["rating", "vader_argmax", "none"],
    *,
    negative: float = 2,
    positive: float = 4,
    analyser: Literal["vader", "nltk"] = "vader",
) -> Label:
    """Assigns a review's sentiment; the rule ``none`` assigns an empty one.

    ``rating``: ``negative`` up to a rating, ``positive`` from a rating on, ``neutral`` between; None for a review without
    a rating. ``vader_argmax``: `argmax_sentiment` by the library ``vader`` (vaderSentiment) or ``nltk``, which the authors
    of the published labels used: the two tokenize differently.

    Raises: RequestError for overlapping thresholds; MissingExtra without NLTK for ``nltk``.
    """
    if rule == "none":
        return lambda _: ""
    if rule == "vader_argmax":
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        scores = (vader() if analyser == "nltk" else SentimentIntensityAnalyzer()).polarity_scores
        return lambda review: argmax_sentiment(scores(review.text))
    if not negative < positive:
        raise RequestError(f"Negative up to {negative:g} and positive from {positive:g} on overlap.")

    def by_rating(review: Document) -> str | None:
        try:
            rating = float(review.attributes["rating"])
        except (KeyError, ValueError):
            return None
        if isnan(rating):
            return None
        return NEGATIVE if rating <= negative else POSITIVE if rating >= positive else NEUTRAL

    return by_rating


def argmax_sentiment(scores: Mapping[str, float]) -> str:
    """The rule of the value-distribution paper's code: the larger of VADER's neg and pos.

    ``neu`` and ``compound`` are ignored, a tie is negative, and neutral is only a text with neither.
    """
    if not scores["neg"] and not scores["pos"]:
        return NEUTRAL
    return POSITIVE if scores["pos"] > scores["neg"] else NEGATIVE


def review_sets(
    records: Iterable[Record],
    size: int,
    label: Label,
    left_out: Counter[str],
    *,
    per_product: int | None = 1,
    seed: int = 0,
    admits: Callable[[str], bool] = lambda _: True,
) -> Iterator[Record]:
    """Sets of ``size`` random reviews of one product, at most ``per_product`` of each (None: no limit), in the order of the
    products' first reviews. Texts that ``admits`` refuses are excluded, too.

    A record of one document belongs to its ``product`` (attribute); a record of many contains a product's reviews,
    and keeps its references if it is not divided. Each review gets the attribute ``sentiment``, unless its label is
    empty; reviews without a label are excluded and counted by reason. If a product can have several sets, it is
    their seed document.
    """
    for product, record, reviews in _products(records):
        kept = []
        for review in reviews:
            if not review.text.strip():
                left_out["review without text"] += 1
            elif not admits(review.text):
                left_out["review not of the wanted length"] += 1
            elif (sentiment := label(review)) is None:
                left_out["review without a rating"] += 1
            else:
                given = {"sentiment": sentiment} if sentiment else {}
                kept.append(replace(review, attributes={**review.attributes, **given}))
        if len(kept) < size:
            left_out["product with too few reviews"] += 1
            continue
        is_whole = len(kept) == len(reviews) == size
        random.Random(f"{seed}|{product}").shuffle(kept)  # noqa: S311 # a seed that reproduces is wanted
        for i in range(len(kept) // size if per_product is None else min(len(kept) // size, per_product)):
            name, seed_document = (product, None) if per_product == 1 else (f"{product}-{i}", product)
            documents = tuple(kept[i * size : (i + 1) * size])
            attributes = {**record.attributes, "product": product}
            references = record.references if is_whole else ()
            yield Record(name, documents, references, attributes=attributes, seed_document=seed_document)


def _products(records: Iterable[Record]) -> Iterator[tuple[str, Record, Sequence[Document]]]:
    """Sets in order; single reviews as soon as all of their product are known."""
    single: dict[str, tuple[Record, list[Document]]] = {}
    for record in records:
        if len(record.documents) > 1:
            yield record.id, record, record.documents
            continue
        (review,) = record.documents
        product = review.attributes.get("product", record.attributes.get("product"))
        if product is None:
            where = record.where or record.id
            raise RequestError(f"{where}: no attribute 'product'. Name its field with --product FIELD.")
        own = {name: value for name, value in review.attributes.items() if name != "product"}
        single.setdefault(product, (record, []))[1].append(Document(review.text, own))
    yield from ((product, *held) for product, held in single.items())


# ---- Segments of conversations


SPLIT = "turn split"
"""The count of turns that are longer than a segment."""


def segments(
    records: Iterable[Record], most: int, counts: Counter[str], *, rule: Tokens = "words", names: bool = True
) -> Iterator[Record]:
    """The segments of each conversation, in order: as many whole turns as fit.

    A segment has at most ``most`` tokens by ``rule`` (see `counter`), summed over its turns; ``names`` adds
    ``SPEAKER: `` before each turn's text and counts it.

    A turn longer than a segment is split between sentences, and a sentence that is too long between words; each piece
    is a turn of the same speaker. The conversation is the seed document of its segments, so that they are resampled
    together. ``counts`` counts split turns (`SPLIT`), and excluded ones by reason.

    Raises: RequestError if a speaker's name leaves no room for a word.
    """
    count = counter(rule)
    for conversation in records:
        pieces = _pieces(conversation, most, count, counts, names=names)
        for number, turns in enumerate(packed(pieces, most)):
            whole = conversation.id
            attributes = {**conversation.attributes, "conversation": whole, "segment": str(number)}
            yield Record(f"{whole}-{number}", tuple(turns), attributes=attributes, seed_document=whole)


def _pieces(
    conversation: Record, most: int, count: Count, counts: Counter[str], *, names: bool
) -> Iterator[tuple[Document, int]]:
    """The turns with their tokens; turns that are too long are split."""
    for turn in conversation.documents:
        if not turn.text.strip():
            counts["turn without words"] += 1
            continue
        name = turn.attributes.get("speaker", "")
        lead = f"{name}: " if names and name else ""
        whole = lead + turn.text
        if (tokens := count(whole)) <= most:
            yield Document(whole, turn.attributes), tokens
            continue
        counts[SPLIT] += 1
        for text in _split(turn.text, lead, most, count):
            yield Document(lead + text, turn.attributes), count(lead + text)


PARTS: Sequence[tuple[Callable[[str], Sequence[str]], str]] = ((split, " "), (str.split, " "), (list, ""))
"""The parts of a text, and what joins them: sentences; words if a sentence is too long; characters if a word is."""


def _split(text: str, lead: str, most: int, count: Count, level: int = 0) -> Iterator[str]:
    """The text in pieces of at most ``most`` tokens each, counting their lead, with as many parts as fit."""
    if level == len(PARTS):
        no_room = f"A segment of {most} tokens has no room for the speaker '{lead.strip()}' and a word"
        raise RequestError(f"{no_room}: allow more tokens, or omit the names.")
    parts_of, joint = PARTS[level]
    current = ""
    for part in parts_of(text):
        fits = count(lead + part) <= most
        for piece in [part] if fits else _split(part, lead, most, count, level + 1):
            longer = f"{current}{joint}{piece}" if current else piece
            if current and count(lead + longer) > most:
                yield current
                current = piece
            else:
                current = longer
    if current:
        yield current
